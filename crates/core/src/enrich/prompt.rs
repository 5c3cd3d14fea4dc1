//! Which prompts are looked up: those in which a person asks for something in their own words.
//!
//! Commands, shortcuts, prefixes and continuations ("yes", "go on") have said before what they are about, and two words match by chance.

use super::words;
use crate::config::Config;
use crate::shortcut;

/// Fewer words than that say too little.
const FEWEST_WORDS: usize = 3;
/// A prompt that begins as a continuation counts as one up to so many words.
const CONTINUATION_WORDS: usize = 5;
/// What is looked up of a prompt.
const MOST_WORDS: usize = 64;

/// By what a prompt begins that goes on with what was said before.
const CONTINUATIONS: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "y",
    "ok",
    "okay",
    "sure",
    "go on",
    "go ahead",
    "go",
    "continue",
    "proceed",
    "do it",
    "do that",
    "please continue",
    "please do",
    "please go on",
    "looks good",
    "sounds good",
    "perfect",
    "great",
    "thanks",
    "thank you",
    "no",
    "nope",
    "stop",
    "wait",
    "weiter",
    "ja",
    "nein",
];

/// Why a prompt is not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// It begins with `.`: the person wants nothing added.
    Dot,
    /// A command of the client, or a message that no person typed.
    Command,
    Shortcut,
    Continuation,
    TooShort,
}

impl Passed {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dot => "it begins with a dot",
            Self::Command => "it is a command",
            Self::Shortcut => "it is a shortcut or has a prefix",
            Self::Continuation => "it goes on with what was said before",
            Self::TooShort => "it has fewer than 3 words that say what it is about",
        }
    }
}

/// The words by which a prompt is looked up, each once, or why it is not.
pub fn asked(prompt: &str, config: &Config) -> Result<Vec<String>, Passed> {
    let text = prompt.trim_start();
    if text.starts_with('.') {
        return Err(Passed::Dot);
    }
    let marked = text.strip_prefix('#').map_or(text, str::trim_start);
    if marked.starts_with(['/', '!']) || is_tagged(text) {
        return Err(Passed::Command);
    }
    if shortcut::find(prompt, config).is_some() {
        return Err(Passed::Shortcut);
    }
    let found = words::distinct(text, MOST_WORDS);
    if found.len() < FEWEST_WORDS {
        return Err(Passed::TooShort);
    }
    if found.len() <= CONTINUATION_WORDS && is_continuation(text) {
        return Err(Passed::Continuation);
    }
    Ok(found)
}

/// `<task-notification>` and other words of programs: a tag with a hyphen, as no element of HTML has one.
fn is_tagged(text: &str) -> bool {
    let Some((tag, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return false };
    tag.len() < 60 && tag.contains('-') && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

fn is_continuation(text: &str) -> bool {
    let begins = |start: &&str| {
        let head = text.get(..start.len()).filter(|head| head.eq_ignore_ascii_case(start));
        head.is_some()
            && !text[start.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
    };
    CONTINUATIONS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_in_own_words_are_looked_up() {
        let long = format!("{} lock order between the queue and the journal", "x".repeat(1 << 20));
        for (prompt, expected) in [
            ("why is the lock of the journal held so long", Ok("lock journal held long")),
            ("  fix the lock order in store/src/claim.rs", Ok("lock ord stor src claim rs")),
            ("no-verify must stay refused in worktrees", Ok("verify stay refus worktre")),
            ("yes", Err(Passed::TooShort)),
            ("go on", Err(Passed::TooShort)),
            ("ok do it", Err(Passed::TooShort)),
            ("yes, take the second lock order", Err(Passed::Continuation)),
            ("Go ahead with the journal rewrite now", Err(Passed::Continuation)),
            (
                "continue: the journal, the queue, the lock order, the parser and the plans",
                Ok("journal queu lock ord pars plan"),
            ),
            ("/implement the journal lock order", Err(Passed::Command)),
            ("# /implement the journal lock order", Err(Passed::Command)),
            ("!git log journal lock order", Err(Passed::Command)),
            ("<task-notification>agent 7 ended with the journal</task-notification>", Err(Passed::Command)),
            ("<div> elements overlap in the journal view", Ok("div element overlap journal view")),
            (". why is the lock of the journal held", Err(Passed::Dot)),
            (".gitignore lists the journal folder twice", Err(Passed::Dot)),
            ("x", Err(Passed::Shortcut)),
            ("hc", Err(Passed::Shortcut)),
            ("next?", Err(Passed::Shortcut)),
            ("d: lock order between queue and journal", Err(Passed::Shortcut)),
            ("q: lock order between queue and journal", Err(Passed::Shortcut)),
            ("please fix it", Err(Passed::TooShort)),
            ("", Err(Passed::TooShort)),
            ("🦀 🦀 🦀", Err(Passed::TooShort)),
            ("Schloß über Größe ändern", Ok("schloß über größe ändern")),
            (long.as_str(), Err(Passed::TooShort)),
        ] {
            let found = asked(prompt, &Config::default()).map(|words| words.join(" "));
            let shown = &prompt[..prompt.floor_char_boundary(60)];
            match expected {
                Ok(expected) => assert_eq!(found.as_deref(), Ok(expected), "{shown}"),
                Err(passed) => assert_eq!(found, Err(passed), "{shown}"),
            }
        }
    }
}
