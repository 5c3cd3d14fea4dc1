//! What runs do to files, as far as their words tell.

use super::option::Options;
use super::{Redirect, RedirectKind, Run, Word, join};

/// Something that a run does to a path. Paths are absolute and without `..`; a pattern stands as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Read {
        run: usize,
        path: String,
    },
    Write {
        run: usize,
        path: String,
    },
    /// `pattern`: the path is one, its stars are not part of a name.
    Delete {
        run: usize,
        path: String,
        recursive: bool,
        pattern: bool,
    },
    /// Owner or mode, with everything below.
    Attributes {
        run: usize,
        path: String,
        pattern: bool,
    },
}

impl Effect {
    pub fn run(&self) -> usize {
        match self {
            Self::Read { run, .. }
            | Self::Write { run, .. }
            | Self::Delete { run, .. }
            | Self::Attributes { run, .. } => *run,
        }
    }

    pub fn path(&self) -> &str {
        match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Delete { path, .. }
            | Self::Attributes { path, .. } => path,
        }
    }

    /// It changes what is there.
    pub fn changes(&self) -> bool {
        !matches!(self, Self::Read { .. })
    }
}

/// The effects of all runs on this machine.
pub(super) fn effects(runs: &[Run]) -> Vec<Effect> {
    let mut found = Vec::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.remote) {
        let mut effects = Effects { run, index, found: &mut found };
        effects.redirects();
        effects.program();
    }
    found
}

struct Effects<'r> {
    run: &'r Run,
    index: usize,
    found: &'r mut Vec<Effect>,
}

/// Programs that print or copy what they read: all operands are files.
const READERS: &[&str] = &[
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "sort",
    "uniq",
    "wc",
    "cut",
    "xxd",
    "od",
    "hexdump",
    "base64",
    "base32",
    "strings",
    "diff",
    "cmp",
    "bat",
    "batcat",
    "nl",
    "tac",
    "rev",
    "paste",
    "join",
    "comm",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "zcat",
    "gzip",
    "bzip2",
    "xz",
    "source",
    ".",
    "view",
    "vi",
    "vim",
    "nano",
    "code",
    "open",
    "xdg-open",
    "scp",
    "split",
    "fold",
    "expand",
    "iconv",
    "ssh-add",
    "ssh-keygen",
    "pbcopy",
    "xclip",
];

/// The same behind a pattern or program.
const SEARCHERS: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "mawk", "sed", "gsed", "jq", "yq", "perl",
    "zgrep",
];

/// Options of jq that take a name and a value.
const JQ_PAIRS: &[&str] = &["--arg", "--argjson", "--slurpfile", "--rawfile"];

impl Effects<'_> {
    /// The path that a word names, from the run's folder.
    fn place(&self, text: &str) -> Option<String> {
        match &self.run.cwd {
            Some(cwd) => Some(join(cwd, text)),
            None => text.starts_with('/').then(|| join("/", text)),
        }
    }

    fn of(&self, word: &Word) -> Option<String> {
        let text = word.literal()?;
        if text.is_empty() { None } else { self.place(text) }
    }

    fn read(&mut self, word: &Word) {
        if let Some(path) = self.of(word) {
            self.found.push(Effect::Read { run: self.index, path });
        }
    }

    fn write(&mut self, word: &Word) {
        if let Some(path) = self.of(word) {
            self.write_at(path);
        }
    }

    fn write_at(&mut self, path: String) {
        self.found.push(Effect::Write { run: self.index, path });
    }

    fn delete(&mut self, word: &Word, recursive: bool) {
        if let Some(path) = self.of(word) {
            self.found.push(Effect::Delete { run: self.index, path, recursive, pattern: word.glob });
        }
    }

    fn redirects(&mut self) {
        for Redirect { kind, target } in &self.run.files {
            match kind {
                RedirectKind::Read => self.read(target),
                RedirectKind::Write | RedirectKind::Append => self.write(target),
            }
        }
    }

    fn program(&mut self) {
        let run = self.run;
        let Some(program) = run.program.as_deref() else { return };
        let plain = || Options::read(&run.args, &[], false);
        match program {
            "rm" | "grm" => {
                let options = plain();
                let recursive = options.has(&["-r", "-R"]) || options.has_long("--recursive", 1);
                options.operands.iter().for_each(|word| self.delete(word, recursive));
            }
            "rmdir" | "unlink" | "rimraf" => {
                plain().operands.iter().for_each(|word| self.delete(word, program == "rimraf"));
            }
            "openssl" => {
                for pair in run
                    .args
                    .windows(2)
                    .filter(|pair| matches!(pair[0].text.as_str(), "-in" | "-inkey" | "-key"))
                {
                    self.read(&pair[1]);
                }
            }
            "shred" => {
                let options = Options::read(&run.args, &["-n", "-s"], false);
                options.operands.iter().for_each(|word| self.delete(word, false));
            }
            "find" | "gfind" => self.find(),
            "mv" | "cp" | "install" | "rsync" | "ln" | "gmv" | "gcp" => self.copy(program),
            "tee" | "sponge" | "touch" | "mkfifo" => {
                plain().operands.iter().for_each(|word| self.write(word));
            }
            "truncate" => {
                let options = Options::read(&run.args, &["-s", "--size", "-r", "--reference"], false);
                options.operands.iter().for_each(|word| self.write(word));
            }
            "dd" => {
                for arg in &run.args {
                    if let Some(path) = arg.text.strip_prefix("of=").filter(|_| !arg.unknown) {
                        self.write(&Word::known(path));
                    } else if let Some(path) = arg.text.strip_prefix("if=").filter(|_| !arg.unknown) {
                        self.read(&Word::known(path));
                    }
                }
            }
            "chmod" | "chown" | "chgrp" => {
                let options = plain();
                if options.has(&["-R"]) || options.has_long("--recursive", 4) {
                    // The first operand is the mode or owner, unless a file gives it.
                    let first = usize::from(!options.has_long("--reference", 4));
                    for word in options.operands.iter().skip(first) {
                        if let Some(path) = self.of(word) {
                            self.found.push(Effect::Attributes { run: self.index, path, pattern: word.glob });
                        }
                    }
                }
            }
            "curl" | "wget" => {
                let options = Options::read(
                    &run.args,
                    &["-o", "--output", "-O", "--output-document", "-H", "-d", "-X", "-u", "-T"],
                    false,
                );
                let names: &[&str] =
                    if program == "curl" { &["-o", "--output"] } else { &["-O", "--output-document"] };
                if let Some(path) = options.value(names).filter(|path| *path != "-") {
                    self.write(&Word::known(path));
                }
            }
            "python" | "python2" | "python3" | "node" | "ruby" | "perl" => {
                self.script();
                if program == "perl" {
                    self.search("perl");
                }
            }
            _ if READERS.contains(&program) => {
                let options = Options::read(&run.args, reader_values(program), false);
                options.operands.iter().for_each(|word| self.read(word));
            }
            _ if SEARCHERS.contains(&program) => self.search(program),
            _ => {}
        }
    }

    /// Programs whose first operand is a pattern, unless an option gives it.
    fn search(&mut self, program: &str) {
        let valued: &[&str] = match program {
            "sed" | "gsed" => &["-e", "-f", "--expression", "--file", "-l"],
            "awk" | "gawk" | "mawk" => &["-f", "-F", "-v", "--file", "--assign"],
            "perl" => &["-e", "-E", "-I", "-M"],
            "jq" | "yq" => &["-f", "--from-file", "--indent"],
            _ => &[
                "-e",
                "-f",
                "-A",
                "-B",
                "-C",
                "-m",
                "--regexp",
                "--file",
                "-g",
                "--glob",
                "-t",
                "--type",
                "-d",
                "--include",
                "--exclude",
            ],
        };
        let run = self.run;
        // jq names variables with two words each.
        let named = |at: usize| {
            let is_name = |at: Option<usize>| {
                at.and_then(|at| run.args.get(at)).is_some_and(|arg| JQ_PAIRS.contains(&arg.text.as_str()))
            };
            matches!(program, "jq" | "yq")
                && (is_name(Some(at)) || is_name(at.checked_sub(1)) || is_name(at.checked_sub(2)))
        };
        let args: Vec<Word> =
            run.args.iter().enumerate().filter(|(at, _)| !named(*at)).map(|(_, arg)| arg.clone()).collect();
        let options = Options::read(&args, valued, false);
        // `-i.bak`: the letters behind it are a suffix.
        let in_place = match program {
            "sed" | "gsed" | "perl" => {
                run.args.iter().any(|arg| arg.text.starts_with("-i") || arg.text.starts_with("--in-place"))
                    || (program == "perl" && run.args.iter().any(|arg| is_cluster(&arg.text, 'i')))
                    || run.args.iter().any(|arg| is_cluster(&arg.text, 'i') && program != "perl")
            }
            _ => false,
        };
        let scripts: &[&str] = match program {
            "perl" => &["-e", "-E"],
            "sed" | "gsed" => &["-e", "-f", "--expression", "--file"],
            "awk" | "gawk" | "mawk" => &["-f", "--file"],
            "jq" | "yq" => &["-f", "--from-file"],
            _ => &["-e", "-f", "--regexp", "--file"],
        };
        let scripted = options.has(scripts);
        let files = options.operands.iter().skip(usize::from(!scripted));
        for word in files {
            if in_place { self.write(word) } else { self.read(word) }
        }
    }

    fn find(&mut self) {
        let args = &self.run.args;
        let starts: Vec<&Word> = args
            .iter()
            .take_while(|arg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!"))
            .collect();
        let removes = |at: usize| {
            matches!(args[at].text.as_str(), "-exec" | "-execdir")
                && args.get(at + 1).is_some_and(|word| {
                    matches!(word.text.rsplit('/').next(), Some("rm" | "unlink" | "shred"))
                })
        };
        let deletes = args.iter().any(|arg| arg.text == "-delete") || (0..args.len()).any(removes);
        let narrows = |word: &Word| {
            let tests = [
                "-name",
                "-iname",
                "-path",
                "-ipath",
                "-wholename",
                "-regex",
                "-iregex",
                "-size",
                "-empty",
                "-newer",
                "-user",
                "-links",
                "-perm",
                "-xtype",
                "-lname",
            ];
            let aged = ["-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newermt"];
            tests.contains(&word.text.as_str()) || aged.contains(&word.text.as_str())
        };
        if !deletes || args.iter().any(narrows) {
            return;
        }
        let here = Word::known(".");
        let starts = if starts.is_empty() { vec![&here] } else { starts };
        for start in starts {
            self.delete(start, true);
        }
    }

    fn copy(&mut self, program: &str) {
        let valued: &[&str] = match program {
            "rsync" => &["-e", "--rsh", "--exclude", "--include", "--filter", "-f", "--files-from"],
            "install" => &["-m", "-o", "-g", "-t", "--mode", "--owner", "--group", "--target-directory"],
            _ => &["-t", "--target-directory", "-S", "--suffix"],
        };
        let options = Options::read(&self.run.args, valued, false);
        let (sources, target): (&[&Word], Option<Word>) = match options.value(&["-t", "--target-directory"]) {
            Some(folder) => (&options.operands, Some(Word::known(folder))),
            None => match options.operands.split_last() {
                Some((last, sources)) => (sources, Some((*last).clone())),
                None => return,
            },
        };
        let Some(target) = target else { return };
        // One operand of `ln` is made under its own name here.
        if sources.is_empty() {
            if program == "ln" {
                let name = target.text.rsplit('/').next().unwrap_or_default().to_owned();
                self.write(&Word::known(name));
            }
            return;
        }
        self.write(&target);
        for source in sources {
            if program != "ln" {
                self.read(source);
            }
            if program == "mv" || program == "gmv" {
                self.delete(source, true);
            }
            // Into a folder it keeps its name.
            if let (Some(folder), Some(name)) = (
                self.of(&target),
                source.literal().and_then(|text| text.trim_end_matches('/').rsplit('/').next()),
            ) {
                self.write_at(join(&folder, name));
            }
        }
        if program == "rsync"
            && options.has(&["--delete", "--delete-after", "--delete-before", "--delete-excluded"])
        {
            self.delete(&target, true);
        }
    }

    /// Literal paths in a one-line program that opens or removes them.
    fn script(&mut self) {
        let options = Options::read(&self.run.args, &["-c", "-e", "-E", "--eval", "-p"], true);
        let Some(code) = options.value(&["-c", "-e", "-E", "--eval", "-p"]).or(self.run.input.as_deref())
        else {
            return;
        };
        let code = code.to_owned();
        for (call, kind) in CALLS {
            for (at, _) in code.match_indices(call) {
                let behind = &code[at + call.len()..];
                let Some((path, rest)) = quoted(behind) else { continue };
                let Some(path) = self.place(path) else { continue };
                let run = self.index;
                match kind {
                    Call::Open => {
                        let mode = rest
                            .trim_start()
                            .strip_prefix(',')
                            .map(|rest| rest.trim_start().trim_start_matches("mode="));
                        let writes = mode
                            .and_then(quoted)
                            .is_some_and(|(mode, _)| mode.contains(['w', 'a', 'x', '+', '>']));
                        self.found.push(if writes {
                            Effect::Write { run, path }
                        } else {
                            Effect::Read { run, path }
                        });
                    }
                    Call::Write => self.found.push(Effect::Write { run, path }),
                    Call::Remove => {
                        self.found.push(Effect::Delete { run, path, recursive: false, pattern: false });
                    }
                    Call::RemoveTree => {
                        self.found.push(Effect::Delete { run, path, recursive: true, pattern: false });
                    }
                    Call::Path => {
                        let rest = rest.trim_start().trim_start_matches(')');
                        if rest.starts_with(".write_")
                            || rest.starts_with(".touch")
                            || rest.starts_with(".open('w")
                            || rest.starts_with(".open(\"w")
                        {
                            self.found.push(Effect::Write { run, path });
                        } else if rest.starts_with(".unlink") {
                            self.found.push(Effect::Delete { run, path, recursive: false, pattern: false });
                        } else if rest.starts_with(".read_") {
                            self.found.push(Effect::Read { run, path });
                        }
                    }
                }
            }
        }
    }
}

/// Options of a reader that take the next word.
fn reader_values(program: &str) -> &'static [&'static str] {
    match program {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "cut" => &["-d", "-f", "-c", "-b"],
        "sort" => &["-k", "-t", "-o", "-S", "-T"],
        "uniq" => &["-f", "-s", "-w"],
        "od" => &["-A", "-j", "-N", "-t", "-w"],
        "xxd" => &["-l", "-s", "-c", "-g"],
        "base64" | "base32" | "fold" => &["-w"],
        "split" => &["-b", "-l", "-n", "-a"],
        "paste" => &["-d"],
        "join" => &["-t", "-1", "-2", "-o"],
        "iconv" => &["-f", "-t"],
        "scp" => &["-i", "-P", "-o", "-F"],
        "ssh-keygen" => &["-f", "-t", "-b", "-C", "-N"],
        _ => &[],
    }
}

#[derive(Clone, Copy)]
enum Call {
    Open,
    Write,
    Remove,
    RemoveTree,
    Path,
}

/// Calls of Python, Node, Ruby and Perl that name a file first.
const CALLS: &[(&str, Call)] = &[
    ("open(", Call::Open),
    ("Path(", Call::Path),
    ("os.remove(", Call::Remove),
    ("os.unlink(", Call::Remove),
    ("shutil.rmtree(", Call::RemoveTree),
    ("writeFileSync(", Call::Write),
    ("writeFile(", Call::Write),
    ("appendFileSync(", Call::Write),
    ("unlinkSync(", Call::Remove),
    ("rmSync(", Call::RemoveTree),
    ("File.write(", Call::Write),
    ("File.delete(", Call::Remove),
    ("FileUtils.rm_rf(", Call::RemoveTree),
];

/// A text in quotation marks at the start, and what is behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &text[1..];
    let end = inside.find(mark)?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// `-pi`, `-ni`: letters of which one is it.
fn is_cluster(text: &str, letter: char) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    letters.len() < 5
        && !letters.is_empty()
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && letters.contains(letter)
}
