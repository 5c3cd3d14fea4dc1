//! Programs that copy and unpack.

use super::{Effect, Effects, Given, Options, Word};
use engine_text::path::join;

impl Effects<'_> {
    pub(super) fn copy(&mut self, program: &str) {
        let valued: &[&str] = match program {
            "rsync" => &["-e", "--rsh", "--exclude", "--include", "--filter", "-f", "--files-from"],
            "install" => &["-m", "-o", "-g", "-t", "--mode", "--owner", "--group", "--target-directory"],
            _ => &["-t", "--target-directory", "-S", "--suffix"],
        };
        let options = self.options(valued);
        if program == "install" && options.has(&["-d", "--directory"]) {
            return options.operands.iter().for_each(|word| self.make_folder(word));
        }
        let folder = options.all(&["-t", "--target-directory"]).next_back().and_then(Given::word);
        let (sources, target): (&[&Word], Word) = match (folder, options.operands.split_last()) {
            (Some(folder), _) => (&options.operands, folder),
            (None, Some((last, sources))) => (sources, (*last).clone()),
            (None, None) => return,
        };
        // One operand of `ln` is made under its own name here.
        if sources.is_empty() {
            if program == "ln" {
                let name = target.text.rsplit('/').next().unwrap_or_default().to_owned();
                self.write(&Word::known(name));
            }
            return;
        }
        if options.has(&["--attributes-only"]) {
            return self.attributes_of(&target, false);
        }
        self.write(&target);
        let moves = matches!(program, "mv" | "gmv");
        for source in sources {
            // Who moves a file sees nothing of it. A hard link gives the file another name, by which nobody knows it again.
            let is_symbolic = program == "ln" && options.has(&["-s", "--symbolic"]);
            if !is_symbolic && !moves {
                self.read(source);
            }
            if moves {
                self.delete(source, true);
                for path in self.found_for(source) {
                    self.note(Effect::Delete { run: self.index, path, recursive: true, pattern: true });
                }
            }
            // With a slash behind it, or with -T, what is in a folder is copied and not the folder.
            let is_contents = (program == "rsync" && source.text.ends_with('/'))
                || (program != "rsync" && options.has(&["-T", "--no-target-directory"]));
            if !is_contents {
                self.write_into(&target, source);
            }
        }
        let deletes = options.given.iter().any(|given| given.name.starts_with("--del"));
        if program == "rsync" && deletes {
            self.delete(&target, true);
        }
    }

    /// Into a folder a file keeps its name.
    pub(super) fn write_into(&mut self, folder: &Word, source: &Word) {
        let name = source.literal().and_then(|text| text.trim_end_matches('/').rsplit('/').next());
        if let (Some(folder), Some(name)) = (self.of(folder).filter(|path| path.starts_with('/')), name) {
            self.write_at(join(&folder, name));
        }
    }

    /// What is unpacked is known as far as it is named; the archive that is made is written.
    pub(super) fn tar(&mut self) {
        let args = without_bundle(&self.run.args);
        let options = Options::read(
            &args,
            &[
                "-f",
                "--file",
                "-C",
                "--directory",
                "-T",
                "--files-from",
                "-X",
                "--exclude-from",
                "--exclude",
                "-b",
                "-I",
                "--use-compress-program",
                "--strip-components",
                "--transform",
                "-g",
                "-N",
                "-H",
                "--format",
            ],
            false,
        );
        if options.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update"]) {
            self.write_values(&options, &["-f", "--file"]);
            if let Some(folder) = options.all(&["-C", "--directory"]).next().and_then(Given::word) {
                self.enter(&folder);
            }
            options.operands.iter().for_each(|word| self.read(word));
            if options.has(&["--remove-files"]) {
                options.operands.iter().for_each(|word| self.delete(word, true));
            }
        } else if options.has(&["-x", "--extract", "--get"]) {
            let folder = options.all(&["-C", "--directory"]).next_back().and_then(Given::word);
            self.unpack(folder.as_ref(), &options.operands);
        }
    }

    /// `zip OUT FILE…` and `7z a OUT FILE…`.
    pub(super) fn pack(&mut self, program: &str) {
        let options = self.options(&["-b", "-i", "-n", "-P", "-t", "-x", "--exclude", "--include"]);
        let is_zip = program == "zip";
        let adds = |word: &&&Word| matches!(word.text.as_str(), "a" | "u");
        let skipped =
            if is_zip { 0 } else { options.operands.first().filter(adds).map_or(usize::MAX, |_| 1) };
        let [archive, files @ ..] = options.operands.get(skipped..).unwrap_or_default() else { return };
        self.write(archive);
        if !(is_zip && options.has(&["-d", "--delete"])) {
            for word in files {
                self.read(word);
                // `zip -m` deletes what it packs.
                if is_zip && options.has(&["-m", "--move"]) {
                    self.delete(word, true);
                }
            }
        }
    }

    pub(super) fn unzip(&mut self) {
        let options = self.options(&["-d", "-P"]);
        if options.has(&["-l", "-t", "-p", "-z", "-Z", "-v", "-x"]) {
            return;
        }
        let folder = options.all(&["-d"]).next_back().and_then(Given::word);
        self.unpack(folder.as_ref(), options.operands.get(1..).unwrap_or_default());
    }

    fn unpack(&mut self, folder: Option<&Word>, members: &[&Word]) {
        if let Some(folder) = folder {
            self.write(folder);
            self.enter(folder);
        }
        for member in members {
            self.write(member);
        }
    }
}

/// `tar xzf a.tgz`: letters without a dash take their values from the next words, in their order.
fn without_bundle(args: &[Word]) -> Vec<Word> {
    let Some((first, rest)) = args.split_first().filter(|(first, _)| !first.text.starts_with('-')) else {
        return args.to_vec();
    };
    let mut rest = rest.iter();
    let mut all = Vec::new();
    for letter in first.text.chars() {
        all.push(Word::known(format!("-{letter}")));
        if "fCTXbIgNH".contains(letter) {
            all.extend(rest.next().cloned());
        }
    }
    all.extend(rest.cloned());
    all
}
