//! Programs that write a file which an option or an operand names, besides those that copy and unpack.

use super::{Effects, Given, Word};

impl Effects<'_> {
    pub(super) fn output(&mut self, program: &str) {
        match program {
            // The second operand is written.
            "uniq" => self.second(&["-f", "-s", "-w"]),
            "xxd" => self.second(&["-l", "-s", "-c", "-g", "-o", "-n"]),
            "iconv" => self.valued(&["-f", "-t", "-o", "--output"], &["-o", "--output"]),
            "split" => self.named_by_prefix(&["-b", "-l", "-n", "-a", "-C"], None),
            "fallocate" => self.write_operands(&["-l", "--length", "-o", "--offset"]),
            "strace" | "ltrace" => self.valued(&["-o", "-e", "-p", "-s", "-u"], &["-o"]),
            // The log of a session.
            "script" => self.write_operands(&["-c", "--command", "-T", "--log-timing", "-E", "-m", "-o"]),
            // Behind the expression stand the files that get other names.
            "rename" | "prename" | "file-rename" => {
                self.options(&["-e"]).operands.iter().skip(1).for_each(|word| self.delete(word, false));
            }
            "csplit" => self.named_by_prefix(&["-f", "--prefix", "-b", "-n"], Some(&["-f", "--prefix"])),
            "openssl" => {
                for pair in self.run.args.windows(2).filter(|pair| pair[0].text == "-out") {
                    self.write(&pair[1]);
                }
            }
            "sqlite3" | "sqlite" => {
                let options = self.options(&["-cmd", "-init", "-separator", "-nullvalue"]);
                if !self.run.args.iter().any(|arg| arg.text == "-readonly")
                    && let Some(file) = options.operands.first()
                {
                    self.write(file);
                }
            }
            "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" => self.replaced(program),
            "mount" => {
                let options = self.options(&["-t", "-o", "-O", "-L", "-U", "--types", "--options"]);
                if let [_, .., place] = options.operands.as_slice() {
                    self.write(place);
                }
            }
            "umount" => self.options(&["-t", "-O"]).operands.iter().for_each(|place| self.write(place)),
            "chattr" => self.file_attributes(),
            "setfacl" => {
                let options = self.options(&["-m", "-x", "-M", "-X", "--modify", "--remove", "--set"]);
                let recursive = options.has(&["-R", "--recursive"]);
                options.operands.iter().for_each(|word| self.attributes_of(word, recursive));
            }
            "scp" => {
                let options = self.options(&["-i", "-P", "-o", "-F", "-c", "-J", "-l", "-S"]);
                if let [_, .., target] = options.operands.as_slice()
                    && !target.text.contains(':')
                {
                    self.write(target);
                }
            }
            _ => {}
        }
    }

    fn second(&mut self, valued: &[&str]) {
        if let [_, target, ..] = self.options(valued).operands.as_slice() {
            self.write(target);
        }
    }

    fn valued(&mut self, valued: &[&str], names: &[&str]) {
        let options = self.options(valued);
        self.write_values(&options, names);
    }

    /// Files whose names begin as an option or the second operand says.
    fn named_by_prefix(&mut self, valued: &[&str], option: Option<&[&str]>) {
        let options = self.options(valued);
        let prefix = match option {
            Some(names) => options.all(names).next_back().and_then(Given::word),
            None => options.operands.get(1).map(|word| (*word).clone()),
        };
        if let Some(prefix) = prefix.filter(|prefix| !prefix.unknown) {
            self.write(&Word { text: format!("{}*", prefix.text), glob: true, ..prefix });
        }
    }

    /// `gzip FILE` leaves `FILE.gz` in its place.
    fn replaced(&mut self, program: &str) {
        let options = self.options(&["-S", "--suffix", "-T", "-M"]);
        let keeps = options.has(&[
            "-c",
            "--stdout",
            "-k",
            "--keep",
            "-l",
            "--list",
            "-t",
            "--test",
            "-h",
            "--help",
            "-V",
            "--version",
        ]);
        let removes = program != "zstd" || options.has(&["--rm"]);
        if !keeps && removes {
            let recursive = options.has(&["-r", "--recursive"]);
            options.operands.iter().for_each(|word| self.delete(word, recursive));
        }
    }

    /// `chattr -R +i FILE`.
    fn file_attributes(&mut self) {
        let recursive = self.run.args.iter().any(|arg| arg.text == "-R");
        let is_file = |arg: &&Word| !arg.text.starts_with(['+', '-', '=']);
        for word in self.run.args.iter().filter(is_file) {
            self.attributes_of(word, recursive);
        }
    }

    pub(super) fn patch(&mut self) {
        let options = self.options(&[
            "-p",
            "-i",
            "--input",
            "-d",
            "--directory",
            "-o",
            "--output",
            "-D",
            "-r",
            "-B",
            "-F",
            "-z",
            "-Y",
        ]);
        if options.has_long("--dry-run", 2) {
            return;
        }
        if let Some(folder) = options.all(&["-d", "--directory"]).next_back().and_then(Given::word) {
            self.enter(&folder);
        }
        let elsewhere = ["-o", "--output"];
        self.write_values(&options, &elsewhere);
        if options.has(&elsewhere) {
            return;
        }
        match options.operands.first() {
            Some(file) => self.write(file),
            None => {
                // Without a number, patch looks for the file under shorter and shorter names.
                let strip = options.value(&["-p"]).and_then(|count| count.parse().ok());
                let counts = strip.map_or(vec![0, 1], |count| vec![count]);
                for count in counts {
                    self.apply_input(count);
                }
            }
        }
    }
}

/// The files that a patch names behind `+++` and `---`, with as many folders left out as `-p` says.
fn patched(text: &str, strip: usize) -> Vec<String> {
    let named =
        text.lines().filter_map(|line| line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")));
    let paths = named.filter_map(|named| named.split('\t').next()).filter(|path| *path != "/dev/null");
    let stripped =
        paths.filter_map(|path| path.trim_end().splitn(strip + 1, '/').nth(strip).map(str::to_owned));
    let mut all: Vec<String> = stripped.filter(|path| !path.is_empty()).collect();
    all.dedup();
    all
}

impl Effects<'_> {
    /// Writes the files that the literal input of `patch` and `git apply` names.
    pub(super) fn apply_input(&mut self, strip: usize) {
        for path in patched(self.run.input.as_deref().unwrap_or_default(), strip) {
            self.code_writes(&path);
        }
    }
}
