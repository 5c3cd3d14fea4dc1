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
            _ => {}
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
