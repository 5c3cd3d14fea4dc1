//! What `find` deletes, and what it lists for somebody who does.

use super::{Effect, Effects, Options, Run, Word};
use engine_text::path::join;

/// Tests that leave something of a folder over.
const NARROWING: &[&str] = &[
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
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newermt",
];

/// A call of find.
struct Find<'r> {
    starts: Vec<Word>,
    args: &'r [Word],
}

impl<'r> Find<'r> {
    fn of(run: &'r Run) -> Self {
        let args = run.args.as_slice();
        let is_start = |arg: &&Word| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!");
        let mut starts: Vec<Word> = args.iter().take_while(is_start).cloned().collect();
        if starts.is_empty() {
            starts.push(Word::known("."));
        }
        Self { starts, args }
    }

    /// Whether it deletes, and if so with everything below.
    fn deletes(&self) -> Option<bool> {
        let plain = self.args.iter().any(|arg| arg.text == "-delete").then_some(false);
        let by_program = self.executed().filter_map(|command| {
            let program = command.first()?.text.rsplit('/').next();
            let options = Options::read(&command[1..], &[], false);
            matches!(program, Some("rm" | "unlink" | "shred"))
                .then(|| options.has(&["-r", "-R"]) || options.has_long("--recursive", 1))
        });
        plain.into_iter().chain(by_program).max()
    }

    /// The commands of `-exec`. Between it and `;` or `+`, another one is an argument.
    fn executed(&self) -> impl Iterator<Item = &'r [Word]> {
        let mut rest = self.args;
        std::iter::from_fn(move || {
            let at = rest.iter().position(|arg| matches!(arg.text.as_str(), "-exec" | "-execdir"))?;
            rest = &rest[at + 1..];
            let is_end = |word: &Word| matches!(word.text.as_str(), ";" | "+");
            let (command, behind) = rest.split_at(rest.iter().position(is_end).unwrap_or(rest.len()));
            rest = behind;
            Some(command)
        })
    }

    fn is_narrowed(&self) -> bool {
        self.args.iter().any(|arg| NARROWING.contains(&arg.text.as_str()))
    }

    /// The name that everything has which it finds, if it asks for nothing else.
    fn only_name(&self) -> Option<&Word> {
        let branches = ["!", "-not", "-o", "-or", "-prune", "(", "-quit"];
        if self.args.iter().any(|arg| branches.contains(&arg.text.as_str())) {
            return None;
        }
        let mut tests = (0..self.args.len()).filter(|at| NARROWING.contains(&self.args[*at].text.as_str()));
        let at = tests.next().filter(|at| matches!(self.args[*at].text.as_str(), "-name" | "-iname"))?;
        if tests.next().is_some() { None } else { self.args.get(at + 1) }
    }
}

impl Effects<'_> {
    pub(super) fn find(&mut self) {
        let find = Find::of(self.run);
        let Some(recursive) = find.deletes() else { return };
        if !find.is_narrowed() {
            find.starts.iter().for_each(|start| self.delete(start, true));
        } else if let Some(name) = find.only_name().and_then(Word::literal) {
            for start in &find.starts {
                if let Some(folder) = self.of(start).filter(|path| path.starts_with('/')) {
                    let path = format!("{}/{name}", join(&folder, "**"));
                    self.note(Effect::Delete { run: self.index, path, recursive, pattern: true });
                }
            }
        }
    }

    /// `find . | xargs rm`, `ls | xargs rm`: everything that is listed is deleted.
    pub(super) fn delete_listed(&mut self, word: &Word) {
        let [lister] = word.from.as_slice() else { return };
        let Some(lister) = self.runs.get(*lister).filter(|_| word.unknown && word.text == "{}") else {
            return;
        };
        if !self.budget.spend(1 + lister.args.len() / 4) {
            return;
        }
        if lister.is(&["find", "gfind"]) {
            let find = Find::of(lister);
            if !find.is_narrowed() && find.deletes().is_none() {
                find.starts.iter().for_each(|start| self.delete(start, true));
            }
        } else if lister.is(&["ls"]) {
            let options = Options::read(&lister.args, &[], false);
            if options.operands.iter().any(|word| !matches!(word.text.as_str(), "." | "./")) {
                return;
            }
            let all = options.has(&["-a", "-A", "--all", "--almost-all"]);
            let here = if all { Word::known(".") } else { Word { glob: true, ..Word::known("*") } };
            self.delete(&here, true);
        }
    }
}
