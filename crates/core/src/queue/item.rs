//! Reading an item's file.

use super::{FRAGMENT, State};
use crate::front_matter::{self, Fields};
use engine_text::markdown::Lines;

/// What the front matter of an item says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: String,
    pub title: String,
    pub state: State,
    /// As it is written: `2026-11-15T20:34:41.000Z`.
    pub created: String,
    /// Items that must be done before it.
    pub after: Vec<String>,
    /// The branch on which it was captured.
    pub branch: Option<String>,
    /// The agent session in which it was captured.
    pub session: Option<String>,
    /// Who claimed it, and when.
    pub pulled_by: Option<String>,
    pub pulled: Option<String>,
    /// When it was done or dropped, and why it was dropped.
    pub closed: Option<String>,
    pub why: Option<String>,
}

impl Item {
    /// The item of this id, or what is wrong with its text. Fields that are not known are nobody's business here.
    pub fn read(id: &str, text: &str) -> Result<Self, String> {
        let fields = Fields::of(text)?;
        let text_of = |key: &str| fields.text(key);
        let states = State::ALL.map(State::as_str).join(", ");
        let state = text_of("state")?.ok_or_else(|| format!("no state: one of {states}"))?;
        Ok(Self {
            id: id.to_owned(),
            title: text_of("title")?.unwrap_or_else(|| id.to_owned()),
            state: State::parse(&state).ok_or_else(|| format!("state {state:?} is none of {states}"))?,
            created: text_of("created")?.unwrap_or_default(),
            after: fields.list("after", "ids")?,
            branch: text_of("branch")?,
            session: text_of("session")?,
            pulled_by: text_of("pulled-by")?,
            pulled: text_of("pulled")?,
            closed: text_of("closed")?,
            why: text_of("why")?,
        })
    }
}

/// Everything behind the front matter: the prompt.
pub fn body(text: &str) -> &str {
    front_matter::body(text)
}

/// The text below a heading of this name, without blank lines around it.
pub fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = Lines::new(text);
    let heading = heading(&lines, name)?;
    let end = lines.section_end(heading);
    let last = lines.all.get(end.checked_sub(1)?)?;
    Some(text[lines.all[heading].end..last.end].trim_matches(['\r', '\n']))
}

/// The line with the heading of a section.
pub(super) fn heading(lines: &Lines<'_>, name: &str) -> Option<usize> {
    (0..lines.all.len()).rev().find(|index| lines.heading(*index) == Some((2, name)))
}

/// What was typed, byte for byte; nothing where its section or its fence is gone.
pub fn fragment(text: &str) -> Option<&str> {
    let lines = Lines::new(text);
    let heading = heading(&lines, FRAGMENT)?;
    let block = lines.blocks.iter().find(|block| block.lines.start > heading)?;
    let opening = lines.all[block.lines.start - 1];
    let written = &text[opening.end..lines.all[block.lines.end].start];
    // The line end before the closing fence is not part of it; an editor may have changed them all.
    let crlf = text[opening.start..opening.end].ends_with("\r\n");
    written.strip_suffix(if crlf { "\r\n" } else { "\n" })
}
