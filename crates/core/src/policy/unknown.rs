//! What cannot be known, but names an operation that a blocking rule refuses: a program that only the running shell knows, and a text
//! that no parser takes.

use engine_shell::{Options, Run, Word, analyse};

use super::facts::{CallFacts, Places};
use super::{Built, Level, built_in, machine};
use crate::host::surroundings;

/// Unknown programs of a command that are looked at.
const MOST: usize = 8;
/// Words behind an unknown program that are looked at.
const MOST_WORDS: usize = 64;

/// Subcommands of git with which a blocking rule may match.
const GIT: &[&str] = &[
    "reset",
    "push",
    "clean",
    "checkout",
    "restore",
    "switch",
    "stash",
    "branch",
    "reflog",
    "gc",
    "prune",
    "update-ref",
    "worktree",
    "read-tree",
    "checkout-index",
];

/// A run of an unknown program whose words would be refused if it were the program that they belong to.
pub(super) fn unknown_program(facts: &CallFacts, verdict: &dyn Fn(&Built) -> Level) -> Option<usize> {
    let unknown = |run: &Run| run.program.is_none() && run.path.unknown && !run.args.is_empty();
    let mut runs = facts.runs().filter(|(_, run)| unknown(run)).take(MOST);
    runs.find(|(_, run)| {
        program_of(&run.args).is_some_and(|program| is_refused(program, run, facts, verdict))
    })
    .map(|(index, _)| index)
}

/// The program that words belong to, by what they look like.
fn program_of(args: &[Word]) -> Option<&'static str> {
    let first =
        Options::read(args, &["-C", "-c", "--git-dir", "--work-tree"], true).operands.first().copied();
    let is_force = |arg: &&Word| arg.text == "-f" || arg.text == "--force";
    let flags: Vec<&str> = args.iter().filter_map(|arg| arg.text.strip_prefix('-')).collect();
    let is_of_rm = |flag: &&str| flag.chars().all(|letter| "rRfvdiI".contains(letter));
    let recursive =
        flags.iter().any(|flag| *flag == "-recursive" || (is_of_rm(flag) && flag.contains(['r', 'R'])));
    let forced = args.iter().any(|arg| is_force(&arg))
        || flags.iter().any(|flag| is_of_rm(flag) && flag.contains('f'));
    if first.and_then(Word::literal).is_some_and(|word| GIT.contains(&word)) {
        Some("git")
    } else if flags.contains(&"delete") {
        Some("find")
    } else if recursive && forced {
        Some("rm")
    } else {
        None
    }
}

/// Whether a blocking rule matches the words behind this program.
fn is_refused(program: &str, run: &Run, facts: &CallFacts, verdict: &dyn Fn(&Built) -> Level) -> bool {
    let Some(cwd) = run.cwd.clone().filter(|_| run.args.len() <= MOST_WORDS) else { return false };
    let line = Run { path: Word::known(program), ..run.clone() }.shown();
    let Places { home, temporary, .. } = facts.places.clone();
    let analysis = analyse(&line, &surroundings(cwd.as_str(), home, temporary, facts.dialect));
    let places = Places { cwd, ..facts.places.clone() };
    let facts = CallFacts {
        protected: facts.protected.clone(),
        dialect: facts.dialect,
        ..CallFacts::of_command(&facts.tool, &line, analysis, places)
    };
    built_in().any(|rule| verdict(rule) == Level::Block && (rule.matches)(&facts).is_some())
}

/// The words of a text that is no shell, roughly: for rules that look whether an operation is named in it at all.
pub(super) fn first_words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| !(c.is_whitespace() || "'\"`;&|()<>{}$\\".contains(c));
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// Words behind which a command stands.
const LEADING: &[&str] = &[
    "sudo", "doas", "env", "command", "time", "nice", "nohup", "exec", "then", "do", "else", "busybox", "!",
];

/// Whether a word stands where a command does, and not among the words of another one.
fn is_command(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let last =
            before.rsplit(|c: char| c.is_whitespace() || ";&|({`".contains(c)).next().unwrap_or_default();
        let is_word = text[at + name.len()..].starts_with([' ', '\t']);
        is_word
            && (before.is_empty()
                || before.ends_with([';', '&', '|', '(', '{', '`', '\n'])
                || LEADING.contains(&last))
    })
}

/// Words of operations that blocking rules name, for a text that no parser takes.
pub(super) fn names_an_operation(text: &str, verdict: &dyn Fn(&Built) -> Level) -> bool {
    let words: Vec<&str> = first_words(text).collect();
    let has = |word: &str| words.contains(&word);
    let blocks = |id: &str| built_in().any(|rule| rule.id == id && verdict(rule) == Level::Block);
    let git = [
        ("git.reset-hard", "reset", &["--hard", "--merge"][..]),
        ("git.force-push", "push", &["-f", "--force", "--mirror"]),
        ("git.clean", "clean", &["-f", "-fd", "-fdx", "-xfd", "-df", "-xdf", "--force"]),
        ("git.stash-drop", "stash", &["drop", "clear"]),
        ("git.branch-delete", "branch", &["-D"]),
        ("git.discard-all", "checkout", &["."]),
        ("git.discard-all", "restore", &["."]),
    ];
    let deletes = (has("rm")
        && words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])))
        || (has("-delete") && is_command("find", text));
    (has("git")
        && git
            .iter()
            .any(|(id, command, flags)| has(command) && flags.iter().any(|flag| has(flag)) && blocks(id)))
        || (deletes && blocks("files.delete-root"))
        || (words.iter().any(|word| word.starts_with("mkfs")) && blocks("files.device"))
        || (machine::defines_bomb(text) && blocks("machine.fork-bomb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_named_by_its_words() {
        for (text, expected) in [
            ("git reset --hard 'x", true),
            ("git reset --merge 'x", true),
            ("git reset 'x", false),
            ("find . -delete 'x", true),
            ("a; sudo find . -delete 'x", true),
            ("echo \"find . -delete", false),
            ("rg \"find . -delete", false),
            ("rm -rf / 'x", true),
            ("rm x 'x", false),
        ] {
            assert_eq!(names_an_operation(text, &|rule| rule.verdict), expected, "{text}");
        }
    }

    #[test]
    fn words_belong_to_a_program() {
        for (words, expected) in [
            ("reset --hard", Some("git")),
            ("-C r push -f", Some("git")),
            ("-rf /", Some("rm")),
            ("-r -f /", Some("rm")),
            ("--recursive --force /", Some("rm")),
            (". -name x -delete", Some("find")),
            ("-r file", None),
            ("-rn foo .", None),
            ("-m pytest -f", None),
            ("build --force", None),
            ("-c x.c", None),
        ] {
            let args: Vec<Word> = words.split(' ').map(Word::known).collect();
            assert_eq!(program_of(&args), expected, "{words}");
        }
    }
}
