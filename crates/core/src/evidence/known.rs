//! Which runs check something: test runners, builds, linters. One table, and what a project adds to it.
//!
//! `uv run pytest -q tests/a.py` is the check `pytest`, limited to `tests/a.py`. A pass of it says nothing of the rest of the tests:
//! see [`Check::covers`].

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::config::Commands;
use engine_shell::{Run, Word};

mod call;
mod manner;
mod steered;
mod table;
mod task;

use call::Call;
pub(super) use call::{is_harmless, is_system};
pub use steered::is_steered;
pub use table::programs;
pub use task::TESTS;

/// What a project counts besides the table.
pub const CHECKS: Commands = Commands {
    name: "evidence.checks",
    about: "Commands that count as checks besides the known test runners, builds and linters: the words they begin with.",
};

/// A run that checks something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// The program with its subcommand or tasks, in one spelling: `pytest`, `cargo test`, `npm run test`, `make lint test`.
    pub name: String,
    /// What it looks after: [`TESTS`] for every runner of tests, else its name.
    pub family: String,
    /// What narrows it: paths and names of tests (together one entry), options, variables. What no table knows is here and in `widens`.
    pub limits: BTreeSet<String>,
    /// What makes it look at more, or more strictly: `--workspace`, `./...`, `-D warnings`.
    pub widens: BTreeSet<String>,
    /// Where it works, absolute; nothing if unknown.
    pub folder: Option<String>,
    /// The paths and names of tests; nothing: all.
    only: BTreeSet<String>,
}

impl Check {
    /// Whether a pass of it says as much as one of `other`: the same check in the same folder, not narrower and not less strict.
    pub fn covers(&self, other: &Self) -> bool {
        let narrowed = |check: &Self| check.only.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let (mine, others) = (narrowed(self), narrowed(other));
        let is_option = |limit: &&String| mine.is_empty() || **limit != mine;
        self.name == other.name
            && self.folder.is_some()
            && self.folder == other.folder
            && self.widens.is_superset(&other.widens)
            && self.limits.iter().filter(is_option).all(|limit| other.limits.contains(limit))
            && (mine.is_empty() || (!others.is_empty() && other.only.iter().all(|path| self.reaches(path))))
    }

    /// Whether a path or a name of a test is one of those that it is limited to, or below one.
    fn reaches(&self, path: &str) -> bool {
        self.only.iter().any(|own| {
            let below = path.strip_prefix(own.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with("::"))
        })
    }
}

/// Whether the name of a task or a script of a package says that it checks something: `test:unit`, but not `latest`.
pub fn is_task(name: &str) -> bool {
    task::is_task(name, table::Joins::Usual)
}

/// Whether a line runs a check with its tests left out: `mvn verify -DskipTests`, `gradle build -x test`.
pub fn skips_tests(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['\'', '"'])).collect();
    let is_skip = |word: &&str| {
        let word = word.split('=').next().unwrap_or_default();
        let names = [
            "-DskipTests",
            "-DskipITs",
            "-Dmaven.test.skip",
            "--if-present",
            "--passWithNoTests",
            "--pass-with-no-tests",
            "--no-tests",
            "--skip-tests",
        ];
        names.contains(&word)
    };
    let is_pair =
        |pair: &[&str]| matches!(pair, ["-x" | "--exclude-task", "test"] | ["-run", "^$" | "^NONE$"]);
    words.iter().any(is_skip) || words.windows(2).any(is_pair)
}

/// The check that a run is, by the table or by what the project adds.
pub fn check_of(run: &Run, configured: &[&str]) -> Option<Check> {
    if run.remote {
        return None;
    }
    let of_project =
        || configured.iter().find_map(|words| Some(Call::of(run)?.configured(words, behind(run, words)?)));
    Call::of(run).and_then(Call::check).or_else(of_project)
}

/// Options that take the next word, and say where or how to run, not what.
const VALUED: &[&str] = &[
    "-C",
    "-F",
    "-f",
    "-j",
    "-w",
    "--cwd",
    "--dir",
    "--directory",
    "--filter",
    "--manifest-path",
    "--prefix",
    "--project",
    "--workspace",
];

/// Whether a run begins with these words; options that the words do not name are passed over.
pub(super) fn begins_with(run: &Run, words: &str) -> bool {
    behind(run, words).is_some()
}

/// The arguments that these words do not name, if a run begins with them.
fn behind(run: &Run, words: &str) -> Option<Vec<Word>> {
    let mut words = words.split_whitespace();
    let program = words.next()?;
    let path = run.path.literal()?;
    // A program in a folder that somebody names may be any program.
    let is_itself = !path.contains('/') || is_system(path);
    let name = if program.contains('/') { Some(path) } else { run.program.as_deref().filter(|_| is_itself) };
    let is_option = |arg: &str| arg.len() > 1 && arg.starts_with(['-', '+']) && arg != "--";
    let mut rest = Vec::new();
    let mut args = run.args.iter().peekable();
    for word in words {
        loop {
            let arg = args.next()?;
            match arg.literal()? {
                text if text == word => break,
                text if is_option(text) => {
                    rest.push(arg.clone());
                    if VALUED.contains(&text) {
                        rest.extend(args.next_if(|value| value.literal() != Some(word)).cloned());
                    }
                }
                _ => return None,
            }
        }
    }
    rest.extend(args.cloned());
    (name == Some(program)).then_some(rest)
}

#[cfg(test)]
mod tests;
