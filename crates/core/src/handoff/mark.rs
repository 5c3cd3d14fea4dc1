//! The mark at the end of what a handoff wrote: whose it is, and since when.
//!
//! ```markdown
//! - never touch lexer.rs (session 1a2b3c4d, 2026-11-18T14:02Z)
//! ```
//!
//! Each item has its own, so that a merge may take the items of both sides. A line without one is the person's.

use engine_text::stamp::Stamp;

/// Who wrote, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark<'t> {
    /// `session 1a2b3c4d` or `person`.
    pub(super) who: &'t str,
    /// `2026-11-18T14:02Z`, which sorts.
    pub(super) at: &'t str,
}

/// A moment, to the minute.
pub(super) fn minute(at: Stamp) -> String {
    let text = at.rfc3339();
    text.get(..MINUTE).map_or_else(|| text.clone(), |minute| format!("{minute}Z"))
}

/// How many characters a minute has, without its zone.
const MINUTE: usize = 16;

pub(super) fn marked(text: &str, who: &str, at: &str) -> String {
    format!("{text} ({who}, {at})")
}

/// A line without its mark, and the mark, if it has one.
pub(super) fn split(line: &str) -> (&str, Option<Mark<'_>>) {
    let read = || {
        let (text, inside) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
        let (who, at) = inside.split_once(", ")?;
        let is_who =
            who == PERSON || who.strip_prefix(SESSION).is_some_and(|id| !id.is_empty() && !id.contains(' '));
        (is_who && is_minute(at)).then_some((text, Mark { who, at }))
    };
    read().map_or((line, None), |(text, mark)| (text, Some(mark)))
}

pub(super) const PERSON: &str = "person";
pub(super) const SESSION: &str = "session ";

/// Whether a text looks like `2026-11-18T14:02Z`.
fn is_minute(text: &str) -> bool {
    let fits = |(c, form): (u8, u8)| if form == b'0' { c.is_ascii_digit() } else { c == form };
    let form = b"0000-00-00T00:00Z";
    text.len() == form.len() && text.bytes().zip(form.iter().copied()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_comes_back_and_nothing_else_is_one() {
        let at = minute(Stamp(1_794_000_000_000));
        assert_eq!(at, "2026-11-06T21:20Z");
        for who in ["person", "session 1a2b3c4d", "session s-é"] {
            let line = marked("- text (in brackets)", who, &at);
            assert_eq!(split(&line), ("- text (in brackets)", Some(Mark { who, at: &at })), "{line}");
        }
        for line in [
            "- text",
            "- text (session 1a2b3c4d)",
            "- text (session , 2026-11-06T21:20Z)",
            "- text (session a b, 2026-11-06T21:20Z)",
            "- text (Ada, 2026-11-06T21:20Z)",
            "- text (person, 2026-11-06 19:20)",
            "- text (person, 2026-11-06T21:20Z) and more",
            "- (person, 2026-11-06T21:20Z",
            "",
        ] {
            assert_eq!(split(line), (line, None), "{line}");
        }
    }
}
