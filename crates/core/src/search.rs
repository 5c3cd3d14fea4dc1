//! What `engine search` searches: the kinds of sources, the types of entries, and which files count as documentation.
//!
//! Which files a kind has and how they are cut is decided in `engine-app`; the index itself knows nothing of kinds.

use crate::config::{Names, TextList};
use crate::log;
use crate::queue;

/// A kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What is in the folders of work sessions.
    Sessions,
    /// The project's Markdown that no other kind has.
    Docs,
    /// Facts kept on purpose, one file each.
    Notes,
    /// The entries of `learnings.md`.
    Learnings,
    /// Documentation below a folder of decisions.
    Decisions,
    Queue,
    /// Pages of closed plans, and what is beside them.
    Plans,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Sessions, Self::Docs, Self::Notes, Self::Learnings, Self::Decisions, Self::Queue, Self::Plans];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Docs => "docs",
            Self::Notes => "notes",
            Self::Learnings => "learnings",
            Self::Decisions => "decisions",
            Self::Queue => "queue",
            Self::Plans => "plans",
        }
    }

    /// The kind by its word, in any case; one thing of a kind is as good as several.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let singular = |kind: Self| kind.as_str().strip_suffix('s') == Some(word.as_str());
        Self::ALL.into_iter().find(|kind| kind.as_str() == word || singular(*kind))
    }

    /// All of them, as a message lists the choices.
    pub fn choices() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

/// Types that are no type of a log entry and no state of a queue item: parts of a work session, of a plan, and kinds of notes.
const OTHER_TYPES: [&str; 11] = [
    "session",
    "plan",
    "debrief",
    "dialogue",
    "request",
    "response",
    "criterion",
    "step",
    "halt",
    "fact",
    "preference",
];

/// The types by which hits can be asked for, in the order in which a message lists them.
pub fn types() -> impl Iterator<Item = &'static str> {
    let entries = log::Kind::ALL.iter().map(|kind| kind.as_str());
    entries.chain(OTHER_TYPES).chain(queue::State::ALL.into_iter().map(queue::State::as_str))
}

/// The type by its word, in any case; the short forms of log entries count.
pub fn type_named(word: &str) -> Option<&'static str> {
    let short = log::SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(word));
    let found = || types().find(|known| known.eq_ignore_ascii_case(word));
    short.map(|(_, kind)| kind.as_str()).or_else(found)
}

/// Folders whose documentation records decisions.
const OF_DECISIONS: [&str; 3] = ["decisions", "adr", "adrs"];

/// Whether a path, from the root, is below a folder of decisions.
pub fn is_decision(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| OF_DECISIONS.iter().any(|known| folder.eq_ignore_ascii_case(known)))
}

/// The skill that a file of a work session is of, by its name: `IMPLEMENT_LOG.md`, `IMPLEMENT.md`.
pub fn skill_of(file: &str) -> Option<String> {
    let stem = file.strip_suffix(".md")?;
    let asked = ["_REQUEST_", "_RESPONSE_"].iter().find_map(|part| stem.split_once(part));
    let stem = asked.map_or(stem, |(skill, _)| skill);
    let name = ["_LOG", "_PLAN"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_skill = !name.is_empty() && name.chars().all(is_capital) && !NO_SKILL.contains(&name);
    is_skill.then(|| name.to_lowercase().replace('_', "-"))
}

/// Files of a work session that belong to no skill.
const NO_SKILL: [&str; 5] = ["DIALOGUE", "README", "PLAN", "NOTES", "TODO"];

/// The skill that a person means: without the plugin in front.
pub fn skill_named(word: &str) -> String {
    word.trim_start_matches('/').rsplit(':').next().unwrap_or(word).to_lowercase().replace('_', "-")
}

pub const DOCS: TextList = TextList {
    name: "search.docs",
    default: &["**/*.md", "**/*.mdx", "**/*.markdown"],
    below: "the project's root",
    about: "Patterns of the files that engine search takes for documentation, from the root. What git ignores is left out.",
};

pub const SKIP: Names = Names {
    name: "search.skip",
    about: "What engine search leaves out of the documentation: patterns from the root, or names of folders and files.",
    of: "patterns",
    fits: |pattern| {
        !pattern.is_empty() && !pattern.starts_with('/') && !pattern.split('/').any(|part| part == "..")
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_types_are_known_by_their_words() {
        let kinds = ["sessions", "Session", "doc", "NOTES", "queue", "queues", "", "s"];
        let found = kinds.map(Kind::named);
        let (sessions, docs) = (Some(Kind::Sessions), Some(Kind::Docs));
        assert_eq!(found, [sessions, sessions, docs, Some(Kind::Notes), Some(Kind::Queue), None, None, None]);
        assert_eq!(Kind::choices(), "sessions, docs, notes, learnings, decisions, queue, plans");
        for (word, expected) in [
            ("Decision", Some("decision")),
            ("INV", Some("invariant")),
            ("ptf", Some("pitfall")),
            ("halt", Some("halt")),
            ("open", Some("open")),
            ("x", None),
        ] {
            assert_eq!(type_named(word), expected, "{word}");
        }
        let mut all: Vec<&str> = types().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "each once");
    }

    #[test]
    fn decisions_are_below_a_folder_of_that_name() {
        for path in ["docs/decisions/001.md", "adr/x.md", "a/ADRs/b/c.md"] {
            assert!(is_decision(path), "{path}");
        }
        for path in ["docs/decisions.md", "decisions", "docs/adr.md", "my-decisions/x.md"] {
            assert!(!is_decision(path), "{path}");
        }
    }

    #[test]
    fn files_of_work_sessions_name_their_skill() {
        for (file, skill) in [
            ("IMPLEMENT_LOG.md", Some("implement")),
            ("IMPLEMENT.md", Some("implement")),
            ("CODE_REVIEW_PLAN.md", Some("code-review")),
            ("FIX_REQUEST_LOGIN_Ä.md", Some("fix")),
            ("DIALOGUE.md", None),
            ("notes.md", None),
            ("A.txt", None),
        ] {
            assert_eq!(skill_of(file).as_deref(), skill, "{file}");
        }
        assert_eq!(
            ["engine:implement", "/fix", "CODE_REVIEW"].map(skill_named),
            ["implement", "fix", "code-review"]
        );
    }
}
