//! Files of the tree that git writes or removes by name.

use super::{Effects, Given, Options, Word};

impl Effects<'_> {
    pub(super) fn git(&mut self) {
        let run = self.run;
        let valued = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
        let own = Options::read(&run.args, &valued, true);
        let Some((command, _)) = own.operands.split_first() else { return };
        for folder in own.all(&["-C"]).filter_map(Given::word) {
            self.enter(&folder);
        }
        let rest = own.first_operand.and_then(|at| run.args.get(at + 1..)).unwrap_or_default();
        match command.text.as_str() {
            "checkout" => {
                let options = Options::read(rest, &["-b", "-B", "--orphan", "--conflict", "-t"], false);
                if !options.has(&["-b", "-B", "--orphan"]) {
                    let paths = options.separator.unwrap_or_default();
                    options.operands[paths..].iter().for_each(|word| self.write(word));
                }
            }
            "checkout-index" => {
                let options = Options::read(rest, &["--prefix", "--stage"], false);
                if options.has(&["-f", "--force"]) && !options.has(&["--temp"]) {
                    options.operands.iter().for_each(|word| self.write(word));
                }
            }
            "restore" => {
                let options = Options::read(rest, &["-s", "--source", "--conflict"], false);
                let staged = options.has(&["-S"]) || options.has_long("--staged", 2);
                let worktree = options.has(&["-W"]) || options.has_long("--worktree", 1);
                if !staged || worktree {
                    options.operands.iter().for_each(|word| self.write(word));
                }
            }
            "rm" => {
                let options = Options::read(rest, &[], false);
                if !options.has(&["--cached", "-n", "--dry-run"]) {
                    options.operands.iter().for_each(|word| self.delete(word, options.has(&["-r"])));
                }
            }
            "mv" => {
                let options = Options::read(rest, &[], false);
                if !options.has(&["-n", "--dry-run"]) {
                    self.git_move(&options.operands);
                }
            }
            "config" => self.git_config(rest),
            // A new repository, worktree or clone in a folder that is named.
            "init" | "clone" | "worktree" => {
                let valued =
                    ["-b", "-B", "-o", "--origin", "--branch", "--depth", "--template", "--reference"];
                let options = Options::read(rest, &valued, false);
                let skipped = match command.text.as_str() {
                    "init" => 0,
                    "worktree" if options.operands.first().is_some_and(|verb| verb.text != "add") => return,
                    _ => 1,
                };
                options.operands.iter().skip(skipped).take(1).for_each(|word| self.write(word));
            }
            "diff" | "log" | "show" | "cat-file" | "format-patch" => {
                let names = ["--output", "-o", "--output-directory"];
                let options = Options::read(rest, &names, false);
                self.write_values(
                    &options,
                    if command.text == "format-patch" { &names } else { &names[..1] },
                );
                // `HEAD:FILE` is what the file was.
                if matches!(command.text.as_str(), "show" | "cat-file") {
                    let objects = options.operands.iter();
                    for (word, (_, path)) in
                        objects.filter_map(|word| Some((word, word.text.split_once(':')?)))
                    {
                        self.read(&Word { text: path.to_owned(), ..(*word).clone() });
                    }
                }
            }
            "apply" | "am" => {
                let options =
                    Options::read(rest, &["-p", "-C", "--directory", "--exclude", "--include"], false);
                if !options.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
                    let strip = options.value(&["-p"]).and_then(|count| count.parse().ok());
                    self.apply_input(strip.unwrap_or(1));
                }
            }
            // A file that git takes for unchanged is hidden from whoever looks for changes.
            "update-index" => {
                let options = Options::read(rest, &["--cacheinfo", "--chmod", "--index-version"], false);
                if options.has(&["--assume-unchanged", "--skip-worktree"]) {
                    options.operands.iter().for_each(|word| self.write(word));
                }
            }
            _ => {}
        }
    }

    /// `git config -f FILE KEY VALUE`.
    fn git_config(&mut self, rest: &[Word]) {
        let options = Options::read(rest, &["-f", "--file", "--type", "--default", "--blob"], false);
        let reads = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--name-only"];
        let first = options.operands.first().map(|word| word.text.as_str()).unwrap_or_default();
        let only_reads = options.has(&reads)
            || matches!(first, "get" | "list")
            || (options.operands.len() == 1
                && options
                    .given
                    .iter()
                    .all(|given| matches!(given.name.as_str(), "-f" | "--file" | "--type")));
        if !only_reads {
            self.write_values(&options, &["-f", "--file"]);
        }
    }

    fn git_move(&mut self, operands: &[&Word]) {
        let Some((target, sources)) = operands.split_last() else { return };
        self.write(target);
        for source in sources {
            self.delete(source, true);
            self.write_into(target, source);
        }
    }
}
