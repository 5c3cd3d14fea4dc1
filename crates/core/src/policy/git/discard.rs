//! Files that a command takes from the index or a commit, in place of what they are now. Whether they hold unsaved work only git knows, so
//! this says what it is to be asked.

use super::{CHECKOUT_VALUES, Git, RESTORE_VALUES, discards_all, restores_files};
use crate::policy::facts::CallFacts;
use engine_shell::Word;
use engine_text::path::join;

/// What git is asked about files that a command would discard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub folder: String,
    pub paths: Vec<String>,
    /// They come from a commit: what is staged is lost too.
    pub from_commit: bool,
}

/// What git knows of changes in files that a command would discard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsaved {
    Nothing,
    Something,
    /// Git does not know a path, or could not be asked.
    NotKnown,
}

/// More calls of git are not made for one event.
const MOST_ASKED: usize = 4;

/// What the runs of a call would discard by path. `exists` tells whether there is something at a path, `ask` asks git.
pub fn unsaved(
    facts: &CallFacts,
    exists: &dyn Fn(&str) -> bool,
    ask: &dyn Fn(&Asked) -> Unsaved,
) -> Vec<(usize, Unsaved)> {
    let mut asked = 0;
    let mut of_run = |(index, run)| {
        let git = Git::of(run)?;
        let taken = Taken::by(&git).filter(|_| !discards_all(&git, &facts.places))?;
        let Some(question) = taken.question(&git) else { return Some((index, Unsaved::NotKnown)) };
        let is_there = |path: &String| exists(&join(&question.folder, path));
        if taken.is_vague && !question.paths.iter().any(is_there) {
            return None;
        }
        asked += 1;
        let found = if asked > MOST_ASKED { Unsaved::NotKnown } else { ask(&question) };
        // A word that git knows no file by is a branch.
        let is_branch = taken.is_vague && found == Unsaved::NotKnown;
        Some((index, if is_branch { Unsaved::Nothing } else { found }))
    };
    facts.runs().filter_map(&mut of_run).collect()
}

/// Files that a command takes from the index or a commit, in place of what they are now.
struct Taken<'r> {
    /// Nothing if a file lists them.
    paths: Option<Vec<&'r Word>>,
    from_commit: bool,
    /// The one word may be a branch as well.
    is_vague: bool,
}

impl<'r> Taken<'r> {
    fn by(git: &Git<'r>) -> Option<Self> {
        let valued = match git.command {
            "checkout" => CHECKOUT_VALUES,
            "restore" => RESTORE_VALUES,
            _ => return None,
        };
        let options = git.options(valued);
        // What a merge left is chosen from, or every piece is asked about.
        if options.has(&["-p", "--patch", "--ours", "--theirs", "-2", "-3"]) {
            return None;
        }
        let listed = options.has(&["--pathspec-from-file"]);
        let taken = |paths: &[&'r Word], from_commit, is_vague| {
            let paths = (!listed).then(|| paths.to_vec());
            Some(Self { paths, from_commit, is_vague })
        };
        if git.is("restore") {
            let from_commit = options.has(&["-s", "--source", "-S"]) || options.has_long("--staged", 2);
            let names = listed || !options.operands.is_empty();
            return taken(&options.operands, from_commit, false)
                .filter(|_| names && restores_files(&options));
        }
        if options.has(&["-b", "-B", "--orphan", "-t", "--track", "-l", "--detach", "-d"]) {
            return None;
        }
        match (options.separator, options.operands.as_slice()) {
            (_, operands) if listed => taken(&[], !operands.is_empty(), false),
            (Some(at), operands) if operands.len() > at => taken(&operands[at..], at > 0, false),
            (Some(_), _) | (None, []) => None,
            (None, [one]) => taken(&[one], false, true).filter(|_| !one.unknown),
            (None, [_, paths @ ..]) => taken(paths, true, false),
        }
    }

    /// What git is to be asked; nothing if only the running shell knows it.
    fn question(&self, git: &Git<'_>) -> Option<Asked> {
        let paths = self.paths.as_ref()?.iter().map(|word| word.literal().map(str::to_owned));
        let paths: Vec<String> = paths.collect::<Option<_>>()?;
        Some(Asked { folder: git.asked_at()?, paths, from_commit: self.from_commit })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use engine_shell::analyse;

    use super::*;
    use crate::dialect::TEST;
    use crate::host::surroundings;
    use crate::policy::{Places, ProjectPolicy};

    fn facts(command: &str) -> CallFacts {
        let places = Places { root: "/p".into(), cwd: "/p".into(), ..Places::default() };
        CallFacts::of_command(
            "Bash",
            command,
            analyse(command, &surroundings("/p", None, None, &TEST)),
            places,
        )
    }

    /// What git is asked for a command: the folder, the paths, and a plus if what is staged counts too.
    fn asked(command: &str) -> String {
        let all = RefCell::new(Vec::new());
        let found = unsaved(&facts(command), &|path| path == "/p/file", &|asked| {
            let plus = if asked.from_commit { " +" } else { "" };
            all.borrow_mut().push(format!("{}: {}{plus}", asked.folder, asked.paths.join(" ")));
            Unsaved::Something
        });
        let unknown =
            found.iter().filter(|(_, unsaved)| *unsaved == Unsaved::NotKnown).map(|_| "?".to_owned());
        all.borrow().iter().cloned().chain(unknown).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn git_is_asked_about_files_that_a_command_discards() {
        for (command, expected) in [
            ("git checkout -- src/", "/p: src/"),
            ("git checkout -- a 'b c'", "/p: a b c"),
            ("git checkout HEAD -- a", "/p: a +"),
            ("git checkout main a b", "/p: a b +"),
            ("git checkout -q main a", "/p: a +"),
            ("git restore src", "/p: src"),
            ("git restore -s HEAD~1 src", "/p: src +"),
            ("git restore --source=main -- a", "/p: a +"),
            ("git restore -SW a", "/p: a +"),
            ("git -C sub restore a", "/p/sub: a"),
            ("cd sub && git restore a", "/p/sub: a"),
            ("sudo git checkout -- a", "/p: a"),
            ("git checkout file", "/p: file"),
            ("git restore a; git checkout -- b", "/p: a; /p: b"),
            // Only the running shell knows it, or another repository is meant.
            ("git checkout -- $F", "?"),
            ("cd $D && git restore a", "?"),
            ("git restore --pathspec-from-file=list", "?"),
            ("git checkout --pathspec-from-file list", "?"),
            ("git --git-dir=x checkout -- a", "?"),
            ("GIT_DIR=x git checkout -- a", "?"),
            // Nothing is discarded, by name at least.
            ("git checkout main", ""),
            ("git checkout $B", ""),
            ("git checkout -b x main", ""),
            ("git checkout -B x main", ""),
            ("git checkout --detach main", ""),
            ("git checkout -t origin/x", ""),
            ("git checkout .", ""),
            ("git restore .", ""),
            ("git restore --staged a", ""),
            ("git restore -S a", ""),
            ("git checkout -p -- a", ""),
            ("git checkout --theirs -- a", ""),
            ("git checkout --unified 3 main", ""),
            ("git checkout -- a --help", "/p: a --help"),
            ("git checkout --help -- a", ""),
            ("git switch main", ""),
            ("echo git checkout -- a", ""),
        ] {
            assert_eq!(asked(command), expected, "{command}");
        }
        let many = "git restore a;".repeat(MOST_ASKED + 2);
        assert!(asked(&many).ends_with("/p: a; ?; ?"), "the rest is not asked about");
    }

    #[test]
    fn what_git_does_not_know_is_asked_about_and_a_branch_is_not() {
        let judged = |command: &str, answer: Unsaved| {
            let mut facts = facts(command);
            facts.unsaved = unsaved(&facts, &|_| true, &|_| answer);
            let found = crate::policy::judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
            found.into_iter().map(|found| found.rule).collect::<Vec<_>>().join(" ")
        };
        for (command, answer, expected) in [
            ("git checkout -- a", Unsaved::Nothing, ""),
            ("git checkout -- a", Unsaved::Something, "git.discard-paths"),
            ("git checkout -- a", Unsaved::NotKnown, "git.discard-paths"),
            ("git checkout a", Unsaved::Nothing, ""),
            ("git checkout a", Unsaved::Something, "git.discard-paths"),
            ("git checkout a", Unsaved::NotKnown, ""),
            ("git checkout -- .", Unsaved::Something, "git.discard-all"),
        ] {
            assert_eq!(judged(command, answer), expected, "{command} {answer:?}");
        }
    }
}
