//! Tools that are a command of git by their name: `mcp__git__git_reset {"mode": "hard"}` is `git reset --hard`.
//!
//! Only commands that can lose work: the others do nothing that a rule speaks about.

use std::borrow::Cow;

use engine_text::field;
use engine_text::line::shell_line;

use super::{Fields, texts};

const VERBS: &[&str] = &["reset", "push", "clean", "checkout", "restore", "switch", "stash", "branch"];
/// Fields with words of the command, in their order.
const WORDS: &[&str] = &[
    "args",
    "options",
    "flags",
    "action",
    "remote",
    "branch",
    "branch_name",
    "name",
    "ref",
    "refspec",
    "target",
];
const PATHS: &[&str] = &["paths", "files", "path", "file"];

/// The command line, if the words of the name say git and one of its commands.
pub(super) fn line(words: &[String], fields: &Fields<'_>) -> Option<String> {
    let has = |word: &str| words.iter().any(|said| said == word);
    let verb = VERBS.iter().rev().find(|verb| has(verb)).filter(|_| has("git"))?;
    let mut line = vec!["git".to_owned(), (*verb).to_owned()];
    let deletes = *verb == "branch" && (has("delete") || has("remove"));
    line.extend(deletes.then(|| "--delete".to_owned()));
    for (name, raw) in fields {
        if raw.get() == "true" {
            line.push(format!("--{}", name.replace('_', "-")));
        } else if name == "mode" {
            line.extend(field::text(raw).map(|mode| format!("--{}", mode.trim_start_matches('-'))));
        }
    }
    let of = |name: &&str| fields.get(*name).map(|raw| texts(raw)).unwrap_or_default();
    line.extend(WORDS.iter().flat_map(of).map(Cow::into_owned));
    let mut paths = PATHS.iter().flat_map(of).map(Cow::into_owned).peekable();
    if matches!(*verb, "checkout" | "restore") && paths.peek().is_some() {
        line.push("--".to_owned());
        line.extend(paths);
    }
    Some(shell_line(&line))
}
