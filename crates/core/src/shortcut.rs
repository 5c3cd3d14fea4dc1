//! Shortcuts: what a prompt of one or two letters, or one that begins `d: `, stands for.
//!
//! Two tiers, no guessing. A command matches only if it is the *whole* message; a prefix only if the message
//! *starts* with its key, a colon and a blank. Nothing else ever matches. One table; `engine help shortcuts`, the
//! reference page and the rule are made from it.

use crate::config::{Choice, Config};

/// How `s` is answered.
pub const STATUS: Choice = Choice {
    name: "shortcuts.status",
    default: "auto",
    of: &["auto", "agent", "instant"],
    about: "How s is answered, and x, r, h, hc, ci and xc where they can do nothing: instant without asking the model, agent by the model, auto is instant where a person sits.",
};

/// How `p:`, `q:` and `m:` are answered.
pub const CAPTURE: Choice = Choice {
    name: "shortcuts.capture",
    default: "instant",
    of: &["instant", "agent"],
    about: "How p:, q: and m: are answered where a person sits: instant without asking the model, agent by the model. Elsewhere the model is told.",
};

/// Keys of the person's own shortcuts stand behind these in the configuration.
pub const OWN_COMMANDS: &str = "shortcuts.commands.";
pub const OWN_DIRECTIVES: &str = "shortcuts.directives.";

/// A command: the whole message is its key.
pub struct Command {
    pub key: &'static str,
    pub expansion: &'static str,
    pub about: &'static str,
    pub act: Act,
}

/// What the engine does about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Status,
    Execute {
        commit: bool,
    },
    Resume,
    /// A skill that the model is to start.
    Skill,
}

/// What follows a task that is executed with `xc`.
pub const TAIL: &str = "/handoff --commit";

pub static COMMANDS: &[Command] = &[
    Command { key: "s", expansion: "#status", about: "List the tasks, wait", act: Act::Status },
    Command {
        key: "x",
        expansion: "#execute",
        about: "Resume the task in progress, else start the first pending one",
        act: Act::Execute { commit: false },
    },
    Command {
        key: "xc",
        expansion: "#execute --commit",
        about: "As x, then handoff, commit, status",
        act: Act::Execute { commit: true },
    },
    Command {
        key: "r",
        expansion: "#resume",
        about: "Resume the task in progress, and only that",
        act: Act::Resume,
    },
    Command { key: "h", expansion: "/handoff", about: "Write the handoff, then status", act: Act::Skill },
    Command { key: "hc", expansion: "/handoff --commit", about: "Handoff, commit, status", act: Act::Skill },
    Command { key: "ci", expansion: "/commit", about: "Commit, then status", act: Act::Skill },
];

/// A prefix: the message starts with one of its keys, a colon and a blank.
pub struct Prefix {
    /// The short one, which tables show, and others.
    pub keys: &'static [&'static str],
    pub name: &'static str,
    pub about: &'static str,
    pub kind: PrefixKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixKind {
    Discuss,
    Pending,
    Queue,
    Remember,
}

pub static PREFIXES: &[Prefix] = &[
    Prefix {
        keys: &["d", "discuss"],
        name: "DISCUSS",
        about: "Talk about it, nothing else",
        kind: PrefixKind::Discuss,
    },
    Prefix {
        keys: &["p", "pending"],
        name: "PENDING",
        about: "Record it as a task, nothing else",
        kind: PrefixKind::Pending,
    },
    Prefix {
        keys: &["q", "queue"],
        name: "QUEUE",
        about: "Keep it in the queue, nothing else",
        kind: PrefixKind::Queue,
    },
    Prefix {
        keys: &["m", "remember", "M"],
        name: "REMEMBER",
        about: "Keep it as a note, nothing else",
        kind: PrefixKind::Remember,
    },
];

/// Prompts that ask where the work stands. Answered with STATUS, so that nobody starts working on them.
const QUESTIONS: &[&str] = &["next?", "what's next?", "what’s next?"];

/// What a prompt turned out to be.
pub enum Shortcut<'p> {
    Command(&'static Command),
    Prefix(&'static Prefix, &'p str),
    /// One of the person's own: its key, what it stands for, and the text behind a prefix.
    Own {
        key: String,
        expansion: String,
        text: Option<&'p str>,
    },
    Question,
}

/// The shortcut that a prompt is, if it is one.
pub fn find<'p>(prompt: &'p str, config: &Config) -> Option<Shortcut<'p>> {
    let whole = prompt.trim();
    if let Some(command) = COMMANDS.iter().find(|command| command.key == whole) {
        return Some(Shortcut::Command(command));
    }
    if whole.len() < 20 && QUESTIONS.contains(&whole.to_lowercase().as_str()) {
        return Some(Shortcut::Question);
    }
    if let Some(expansion) = config.own(OWN_COMMANDS, whole) {
        return Some(Shortcut::Own { key: whole.to_owned(), expansion: expansion.to_owned(), text: None });
    }
    let (key, rest) = prompt.trim_start().split_once(':')?;
    let text = behind(rest);
    if !rest.starts_with(char::is_whitespace) || text.is_empty() {
        return None;
    }
    if let Some(prefix) = PREFIXES.iter().find(|prefix| prefix.keys.contains(&key)) {
        return Some(Shortcut::Prefix(prefix, text));
    }
    let expansion = config.own(OWN_DIRECTIVES, key)?;
    Some(Shortcut::Own { key: key.to_owned(), expansion: expansion.to_owned(), text: Some(text) })
}

/// What stands behind a prefix. Where it begins on a line of its own, its indentation stays.
fn behind(rest: &str) -> &str {
    let text = rest.trim();
    let gap = &rest[..rest.len() - rest.trim_start().len()];
    match gap.rfind('\n') {
        Some(line) => rest[line + 1..].trim_end(),
        None => text,
    }
}

/// Whether a name of the configuration is a shortcut of the person's own.
pub fn is_own_name(name: &str) -> bool {
    name.starts_with(OWN_COMMANDS) || name.starts_with(OWN_DIRECTIVES)
}

/// Why a key of the person's own cannot be, if it cannot.
pub fn refused_key(name: &str) -> Option<String> {
    let (key, command) = match name.strip_prefix(OWN_COMMANDS) {
        Some(key) => (key, true),
        None => (name.strip_prefix(OWN_DIRECTIVES)?, false),
    };
    let built_in = if command {
        COMMANDS.iter().any(|known| known.key == key)
    } else {
        PREFIXES.iter().any(|known| known.keys.contains(&key))
    };
    if built_in {
        return Some(format!("{name} repeats the built-in shortcut {key}, which stays"));
    }
    if QUESTIONS.contains(&key.to_lowercase().as_str()) {
        return Some(format!("{name}: {key} is answered with STATUS"));
    }
    let odd = key.is_empty() || key.contains(|c: char| c.is_whitespace() || c == ':') || key.starts_with('/');
    odd.then(|| format!("{name}: a key is one word without blanks or colons, and no slash command"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(prompt: &str) -> String {
        match find(prompt, &Config::default()) {
            None => "none".into(),
            Some(Shortcut::Command(command)) => command.expansion.into(),
            Some(Shortcut::Prefix(prefix, text)) => format!("{} {text}", prefix.name),
            Some(Shortcut::Own { key, .. }) => key,
            Some(Shortcut::Question) => "question".into(),
        }
    }

    #[test]
    fn only_whole_messages_and_true_beginnings_match() {
        let cases = [
            ("s", "#status"),
            (" s ", "#status"),
            ("s\n", "#status"),
            ("hc", "/handoff --commit"),
            ("d: trade-offs of A vs B", "DISCUSS trade-offs of A vs B"),
            ("discuss: t", "DISCUSS t"),
            ("p:\nfix it\nsoon", "PENDING fix it\nsoon"),
            ("q: dark mode", "QUEUE dark mode"),
            ("queue:\tdark\n\nmode ", "QUEUE dark\n\nmode"),
            ("q", "none"),
            ("m: decision: tabs", "REMEMBER decision: tabs"),
            ("M: tabs\nand no spaces", "REMEMBER tabs\nand no spaces"),
            ("remember: tabs", "REMEMBER tabs"),
            ("m:", "none"),
            ("m: ", "none"),
            ("m:x", "none"),
            ("m", "none"),
            ("Remember: x", "none"),
            ("q:x", "none"),
            ("faq: x", "none"),
            ("Next?", "question"),
            ("What's next?", "question"),
            ("S", "none"),
            ("s.", "none"),
            ("s please", "none"),
            ("ss", "none"),
            ("s\nx", "none"),
            ("```\nx\n```", "none"),
            ("- [ ] s", "none"),
            ("x y", "none"),
            ("p:", "none"),
            ("p: ", "none"),
            ("p:fix", "none"),
            ("note p: x", "none"),
            ("http: //x", "none"),
            ("do you think d: x", "none"),
            (" d: x", "DISCUSS x"),
            ("\n  p: fix it ", "PENDING fix it"),
            ("p:\n  - a\n  - b\n", "PENDING   - a\n  - b"),
            ("D: x", "none"),
            ("what's next", "none"),
            ("next? or not", "none"),
            ("", "none"),
        ];
        for (prompt, expected) in cases {
            assert_eq!(kind(prompt), expected, "{prompt:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn ordinary_prompts_are_none(prompt in "[A-Za-z][a-z ,.'/:-]{2,60}") {
            let first = prompt.split(':').next().unwrap_or_default();
            prop_assume!(!["d", "p", "q", "m", "M", "discuss", "pending", "queue", "remember"].contains(&first));
            prop_assume!(!["xc", "hc", "ci", "s", "x", "r", "h"].contains(&prompt.trim()));
            prop_assert_eq!(kind(&prompt), "none");
        }
    }
}
