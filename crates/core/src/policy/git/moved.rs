//! Branches that a command makes, or moves if they are there. Only git knows which exist, so this says what it is to be asked. Where
//! nobody can tell, the branch counts as one that exists.

use super::{BRANCH_VALUES, CHECKOUT_VALUES, Git};
use crate::policy::facts::CallFacts;
use engine_shell::{Given, Word};

/// A branch that git is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedBranch {
    pub folder: String,
    pub branch: String,
}

/// More calls of git are not made for one event.
const MOST_ASKED: usize = 4;

/// Commands of git by which a branch may come into being earlier in the line.
const MAKING: &[&str] = &["branch", "checkout", "switch", "worktree", "update-ref"];

/// Runs that would move a branch by their words, of which git says that it does not exist. `exists` asks git; nothing if it cannot be
/// asked.
pub fn new_branches(facts: &CallFacts, exists: &dyn Fn(&AskedBranch) -> Option<bool>) -> Vec<usize> {
    let mut asked = 0;
    let mut is_new = |index: usize, git: &Git<'_>| {
        let Some(Moved::Named(branch)) = moved(git).filter(Moved::is_plain) else { return None };
        let is_made = |(_, run): (usize, _)| {
            Git::of(run).is_some_and(|other: Git<'_>| {
                MAKING.contains(&other.command) && other.args().iter().any(|arg| arg.text == branch)
            })
        };
        let folder = git.asked_at()?;
        asked += 1;
        if asked > MOST_ASKED || facts.runs().take_while(|(at, _)| *at < index).any(is_made) {
            return None;
        }
        exists(&AskedBranch { folder, branch }).filter(|exists| !exists)
    };
    let runs = facts.runs().filter_map(|(index, run)| Some((index, Git::of(run)?)));
    runs.filter_map(|(index, git)| is_new(index, &git).map(|_| index)).collect()
}

/// A branch that a command makes, or moves if it is there.
pub(super) enum Moved {
    Named(String),
    /// Only the running shell knows it.
    Unknown,
}

impl Moved {
    fn by(word: Option<&Word>) -> Self {
        word.and_then(Word::literal).map_or(Self::Unknown, |name| Self::Named(name.to_owned()))
    }

    fn by_option(given: &Given<'_>) -> Self {
        Self::by(given.word().as_ref())
    }

    /// `@{-1}` and `-` name a branch that is called otherwise.
    fn is_plain(&self) -> bool {
        matches!(self, Self::Named(name) if !name.is_empty() && !name.starts_with('-') && !name.contains("@{"))
    }
}

/// The branch that a command makes or moves, if it does that.
pub(super) fn moved(git: &Git<'_>) -> Option<Moved> {
    match git.command {
        "branch" => {
            let options = git.options(BRANCH_VALUES);
            let forced = options.has(&["-f"]) || options.has_long("--force", 3);
            let deletes = options.has(&["-d", "-D"]) || options.has_long("--delete", 1);
            // `git branch -M main` names the branch of a new repository.
            let renames = options.has(&["-M"]) && options.operands.len() > 1;
            let copies = options.has(&["-C"]);
            let named = if renames || copies || options.has(&["-m", "-c"]) {
                options.operands.last()
            } else {
                options.operands.first()
            };
            let moves = (forced && !deletes) || renames || copies;
            moves.then(|| Moved::by(named.copied()))
        }
        "checkout" => git.options(CHECKOUT_VALUES).all(&["-B"]).next_back().map(Moved::by_option),
        "switch" => {
            let options = git.options(&["-c", "-C", "--create", "--force-create", "--orphan", "--conflict"]);
            let given = options.all(&["-C", "--force-create"]).next_back().map(Moved::by_option);
            // Cut short, its value is not told from an operand.
            given.or_else(|| options.has_long("--force-create", 6).then_some(Moved::Unknown))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use engine_shell::analyse;

    use super::*;
    use crate::dialect::TEST;
    use crate::host::surroundings;
    use crate::policy::{Places, ProjectPolicy, judge};

    fn facts(command: &str) -> CallFacts {
        let places = Places { root: "/p".into(), cwd: "/p".into(), ..Places::default() };
        let analysis = analyse(command, &surroundings("/p", None, None, &TEST));
        CallFacts::of_command("Bash", command, analysis, places)
    }

    /// What git is asked, and whether the rule asks the person then.
    fn judged(command: &str, answer: Option<bool>) -> String {
        let all = RefCell::new(Vec::new());
        let mut facts = facts(command);
        facts.new_branches = new_branches(&facts, &|asked| {
            all.borrow_mut().push(format!("{}: {}", asked.folder, asked.branch));
            answer
        });
        let found = judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
        let verdict = if found.is_empty() { "silent" } else { "ask" };
        format!("{} {verdict}", all.borrow().join("; ")).trim().to_owned()
    }

    #[test]
    fn git_is_asked_for_the_branch_that_would_move() {
        for (command, expected) in [
            ("git checkout -B new", "/p: new silent"),
            ("git checkout -B new origin/main", "/p: new silent"),
            ("git checkout -q -Bnew", "/p: new silent"),
            ("git switch -C new", "/p: new silent"),
            ("git switch --force-create new x", "/p: new silent"),
            ("git switch --force-create=new x", "/p: new silent"),
            ("git branch -f new", "/p: new silent"),
            ("git branch -f new HEAD~3", "/p: new silent"),
            ("git branch --force new x", "/p: new silent"),
            ("git branch -M old new", "/p: new silent"),
            ("git branch -C old new", "/p: new silent"),
            ("git branch -m -f old new", "/p: new silent"),
            ("git -C sub checkout -B new", "/p/sub: new silent"),
            ("cd sub && git checkout -B new", "/p/sub: new silent"),
            ("git fetch origin new && git checkout -B new FETCH_HEAD", "/p: new silent"),
            // Only the running shell knows it, or another repository is meant.
            ("git checkout -B $B", "ask"),
            ("git switch -C @{-1}", "ask"),
            ("git switch --force-crea new", "ask"),
            ("cd $D && git checkout -B new", "ask"),
            ("git --git-dir=x branch -f new", "ask"),
            ("GIT_DIR=x git branch -f new", "ask"),
            ("git branch -f", "ask"),
            // The line makes it before.
            ("git branch -m old new && git checkout -B new HEAD~3", "ask"),
            // Nothing is moved.
            ("git checkout -b new", "silent"),
            ("git branch -M main", "silent"),
            ("git branch new", "silent"),
            ("git status", "silent"),
            ("echo git checkout -B new", "silent"),
        ] {
            assert_eq!(judged(command, Some(false)), expected, "{command}");
        }
        for answer in [Some(true), None] {
            assert_eq!(judged("git checkout -B main", answer), "/p: main ask", "{answer:?}");
        }
        let many = (0..=MOST_ASKED).map(|at| format!("git branch -f b{at}")).collect::<Vec<_>>().join("; ");
        assert_eq!(
            judged(&many, Some(false)),
            "/p: b0; /p: b1; /p: b2; /p: b3 ask",
            "the rest is not asked about"
        );
    }
}
