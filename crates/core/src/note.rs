//! Notes: what is to be remembered of a project, one fact in each Markdown file.
//!
//! ```markdown
//! ---
//! kind: decision
//! scope: ["crates/store/**"]
//! source: plan dark-mode
//! created: 2026-11-19T21:00:00.000Z
//! checked: 1a2b3c4d
//! ---
//!
//! Locks are per file, because a lock of the whole folder made twenty sessions wait for each other.
//! ```
//!
//! The name of the file without its end is the note's slug. A note is written anew by [`Note::render`] and changed by splices
//! ([`with_fields`], [`with_text`]): fields that the engine does not know stay as they are.

use std::fmt;

use crate::front_matter::{self, Fields, list, scalar, visible, with_field};
use engine_text::glob;
use engine_text::line::one_line;
use engine_text::redact::redact;

mod alike;
mod notes;
mod review;
mod scoped;
mod slug;

pub use alike::{is_same, likeness};
pub use notes::{Entry, FoundNote, Notes, Place};
pub use review::{Doubt, STALE, doubts};
pub use scoped::{Scoped, id_of};
pub use slug::{NO_SLUG, is_slug, slug};

/// One fact needs no more.
pub const MOST_WORDS: usize = 200;
/// Text without blanks has no words to count.
const MOST_CHARACTERS: usize = 4000;
/// More places mean that the note is about everything.
const MOST_SCOPES: usize = 20;
const TITLE: usize = 80;
/// The source of what a person said.
pub const PERSON: &str = "person";
/// Commits are counted so far.
pub const OLDEST: u64 = 1000;

/// What kind of thing is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Decision,
    Fact,
    Preference,
    Pitfall,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Decision, Self::Fact, Self::Preference, Self::Pitfall];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Pitfall => "pitfall",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// All of them, for a person who typed another.
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The kind that a text begins with, and the rest: `decision: locks are per file`.
    pub fn of_beginning(text: &str) -> Option<(Self, &str)> {
        let (word, rest) = text.trim_start().split_once(':')?;
        let kind = Self::parse(&word.to_ascii_lowercase())?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| (kind, rest.trim()))
    }
}

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub kind: Kind,
    /// Globs from the root; none: the note belongs to no place.
    pub scope: Vec<String>,
    /// From where it is known: a plan, a commit, a session, a person.
    pub source: Option<String>,
    /// As it is written: `2026-11-19T21:00:00.000Z`.
    pub created: String,
    /// The commit at which it was last found true.
    pub checked: Option<String>,
    /// Slugs of notes that it takes the place of.
    pub supersedes: Vec<String>,
    /// Without blank lines around it.
    pub text: String,
}

/// Why a note cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    Empty,
    /// A character that nobody sees.
    Hidden(char),
    Words(usize),
    Characters(usize),
    Scopes(usize),
    Scope(String, &'static str),
    /// A pattern that looks like a secret, which is not repeated.
    SecretScope,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the text is empty"),
            Self::Hidden(c) => {
                write!(f, "it has a character that nobody sees, U+{:04X}", u32::from(*c))
            }
            Self::Words(words) => {
                write!(f, "the text has {words} words, and a note has at most {MOST_WORDS}")
            }
            Self::Characters(count) => {
                write!(f, "the text has {count} characters, and a note has at most {MOST_CHARACTERS}")
            }
            Self::Scopes(count) => {
                write!(f, "the scope has {count} patterns, and a note has at most {MOST_SCOPES}")
            }
            Self::Scope(pattern, why) => write!(f, "the scope {pattern:?} {why}"),
            Self::SecretScope => f.write_str("something in the scope looks like a secret"),
        }
    }
}

impl Note {
    /// The note of a file, or what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let fields = Fields::of(text)?;
        let kind = fields.text("kind")?.ok_or_else(|| format!("no kind: one of {}", Kind::names()))?;
        let note = Self {
            kind: Kind::parse(&kind).ok_or_else(|| format!("kind {kind:?} is none of {}", Kind::names()))?,
            scope: fields.list("scope", "globs")?,
            source: fields.text("source")?,
            created: fields.text("created")?.unwrap_or_default(),
            checked: fields.text("checked")?,
            supersedes: fields.list("supersedes", "slugs")?,
            text: front_matter::body(text).trim().replace("\r\n", "\n"),
        };
        note.check().map_err(|unfit| unfit.to_string())?;
        Ok(note)
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let mut head = format!("---\nkind: {}\n", self.kind.as_str());
        for (key, value) in self.fields() {
            if let Some(value) = value {
                head.push_str(&format!("{key}: {value}\n"));
            }
        }
        format!("{head}---\n\n{}\n", self.text.trim())
    }

    /// The file of a note that is put away: when, and why.
    pub fn dropped(file: &str, now: &str, why: &str) -> String {
        let file = with_field(file, "dropped", Some(&scalar(now)));
        if why.trim().is_empty() { file } else { with_field(&file, "why", Some(&scalar(why))) }
    }

    /// The fields behind the kind, in their order, as they are written.
    fn fields(&self) -> [(&'static str, Option<String>); 5] {
        let all = |texts: &[String]| (!texts.is_empty()).then(|| list(texts));
        let one = |text: &Option<String>| text.as_deref().map(scalar);
        [
            ("scope", all(&self.scope)),
            ("source", one(&self.source)),
            ("created", Some(&self.created).filter(|at| !at.is_empty()).map(|at| scalar(at))),
            ("checked", one(&self.checked)),
            ("supersedes", all(&self.supersedes)),
        ]
    }

    /// Whether it may be kept.
    pub fn check(&self) -> Result<(), Unfit> {
        check_text(&self.text)?;
        if self.scope.len() > MOST_SCOPES {
            return Err(Unfit::Scopes(self.scope.len()));
        }
        let unfit = |pattern: &String| scope_trouble(pattern).map(|why| Unfit::Scope(pattern.clone(), why));
        self.scope.iter().find_map(unfit).map_or(Ok(()), Err)
    }

    /// Whether it is the person's word.
    pub fn is_persons(&self) -> bool {
        self.source.as_deref().is_some_and(names_person)
    }

    /// Whether it may be kept as a new one: what a file may have is not always what a command takes.
    pub fn check_new(&self) -> Result<(), Unfit> {
        self.check()?;
        let texts = self.scope.iter().chain(&self.source).chain([&self.text]);
        if let Some(c) = texts.into_iter().find_map(|text| engine_text::line::hidden(text)) {
            return Err(Unfit::Hidden(c));
        }
        if self.scope.iter().any(|pattern| *redact(pattern) != **pattern) {
            return Err(Unfit::SecretScope);
        }
        let unfit = |pattern: &String| endless(pattern).map(|why| Unfit::Scope(pattern.clone(), why));
        self.scope.iter().find_map(unfit).map_or(Ok(()), Err)
    }

    /// The first line that says something.
    pub fn title(&self) -> String {
        title_of(&self.text)
    }

    /// All of it in one line.
    pub fn line(&self) -> String {
        visible(&engine_text::line::visible(&self.text))
    }
}

/// Whether a source is the person.
pub fn names_person(source: &str) -> bool {
    engine_text::line::visible(source).trim().eq_ignore_ascii_case(PERSON)
}

/// Whether a text can be a note.
pub fn check_text(text: &str) -> Result<(), Unfit> {
    if visible(&engine_text::line::visible(text)).is_empty() {
        return Err(Unfit::Empty);
    }
    let words = text.split_whitespace().count();
    if words > MOST_WORDS {
        return Err(Unfit::Words(words));
    }
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS { Err(Unfit::Characters(characters)) } else { Ok(()) }
}

fn scope_trouble(pattern: &str) -> Option<&'static str> {
    if pattern.trim().is_empty() {
        return Some("is empty");
    }
    if pattern.starts_with(['/', '~']) {
        return Some("does not begin at the root of the project: leave out the folders above it");
    }
    if pattern.split('/').any(|part| part == "..") {
        return Some("leads out of the project");
    }
    let odd = |c: char| c.is_control() || c == '\\';
    pattern.contains(odd).then_some("has a character that no pattern has")
}

/// Why a pattern can have no path.
fn endless(pattern: &str) -> Option<&'static str> {
    let inner = pattern.strip_prefix("./").unwrap_or(pattern);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.split('/').any(|part| part.is_empty() || part == ".") {
        return Some("matches no file: a part of it is empty");
    }
    (pattern.trim() != pattern).then_some("matches no file: it begins or ends with a blank")
}

/// Whether a pattern of a scope has this path. A folder stands for all that is below it.
pub fn covers(pattern: &str, path: &str) -> bool {
    let is_below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    glob::alternatives(pattern).iter().any(|pattern| {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        glob::matches(pattern, path) || is_below(pattern.trim_end_matches('/'))
    })
}

/// The first line of a text that says something, as a title.
pub fn title_of(text: &str) -> String {
    let text = engine_text::line::visible(text);
    let line = text.lines().map(visible).find(|line| !line.is_empty()).unwrap_or_default();
    one_line(line.trim_start_matches(['#', '-', '*', ' ']), TITLE)
}

/// How old a note is, in commits since it was found true.
pub fn age(commits: Option<u64>) -> String {
    match commits {
        None => "age unknown".to_owned(),
        Some(0) => "checked at this commit".to_owned(),
        Some(1) => "1 commit old".to_owned(),
        Some(OLDEST..) => format!("{OLDEST} commits old or more"),
        Some(commits) => format!("{commits} commits old"),
    }
}

/// A note as it is told: one line of data.
pub fn told(file: &str, note: &Note, commits: Option<u64>) -> String {
    let age = note.checked.as_ref().map_or_else(String::new, |_| format!(", {}", age(commits)));
    format!("Note {file} ({}{age}): {}", note.kind.as_str(), note.line())
}

/// The file with the fields of a note as they are given. Those that are the same are not touched, and no other byte is.
pub fn with_fields(text: &str, new: &Note) -> Result<String, String> {
    let old = Note::read(text)?;
    let mut out = text.to_owned();
    if old.kind != new.kind {
        out = with_field(&out, "kind", Some(new.kind.as_str()));
    }
    for ((key, old), (_, new)) in old.fields().into_iter().zip(new.fields()) {
        if old != new {
            out = with_field(&out, key, new.as_deref());
        }
    }
    if old.text != new.text {
        out = with_text(&out, &new.text);
    }
    // A front matter may be written in ways that lines do not show.
    if Note::read(&out).as_ref() == Ok(new) {
        return Ok(out);
    }
    new.check().map_err(|unfit| unfit.to_string())?;
    Err("its front matter does not let itself be changed: each field must stand on a line of its own"
        .to_owned())
}

/// The file with another text behind its front matter.
pub fn with_text(text: &str, new: &str) -> String {
    let body = front_matter::body(text);
    let head = &text[..text.len() - body.len()];
    let newline = if head.ends_with("\r\n") { "\r\n" } else { "\n" };
    let gap = if head.ends_with("\n\n") || head.ends_with("\r\n\r\n") { "" } else { newline };
    format!("{head}{gap}{}{newline}", new.trim().replace('\n', newline))
}

#[cfg(test)]
mod tests;
