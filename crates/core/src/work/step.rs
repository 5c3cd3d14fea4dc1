//! The steps of a plan that an agent wrote: its boxes, and which of them are open.
//!
//! `- [x] text` is done. `- [x] ~~text~~: reason` is dropped, and says why.

use super::checklist::item;
use engine_text::line::one_line;
use engine_text::markdown::Lines;

/// How many open steps a message names.
const SHOWN: usize = 3;
const LONGEST: usize = 60;

/// One box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'t> {
    /// From one.
    pub line: usize,
    pub text: &'t str,
    pub stands: Stands,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    Open,
    Done,
    /// Struck through with a reason.
    Dropped,
    /// Struck through without one.
    Unexplained,
}

impl Stands {
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Unexplained)
    }
}

/// Every box outside of code and comments.
pub fn steps(text: &str) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    for (index, line) in Lines::new(text).all.into_iter().enumerate().filter(|(_, line)| !line.fenced) {
        let Some(item) = item(line.text) else { continue };
        let stands = match struck(item.text) {
            Some(reason) if reason.chars().any(char::is_alphanumeric) => Stands::Dropped,
            Some(_) => Stands::Unexplained,
            None if item.ticked => Stands::Done,
            None => Stands::Open,
        };
        found.push(Step { line: index + 1, text: item.text, stands });
    }
    found
}

/// What follows the colon behind a text that is struck through as a whole. Nothing if it is not.
fn struck(text: &str) -> Option<&str> {
    let (_, behind) = text.strip_prefix("~~")?.split_once("~~")?;
    match behind.trim_start() {
        "" => Some(""),
        behind => behind.strip_prefix(':'),
    }
}

/// What keeps the steps of a plan from being done; nothing if all are.
pub fn undone(text: &str) -> Option<String> {
    let steps = steps(text);
    if steps.is_empty() {
        return Some(NO_BOX.to_owned());
    }
    let open: Vec<&Step<'_>> = steps.iter().filter(|step| step.stands.is_open()).collect();
    if open.is_empty() {
        return None;
    }
    let shown = |step: &&Step<'_>| {
        let why = if step.stands == Stands::Unexplained { " (struck through without a reason)" } else { "" };
        format!("line {} `{}`{why}", step.line, one_line(step.text, LONGEST))
    };
    let mut lines: Vec<String> = open.iter().take(SHOWN).map(shown).collect();
    if open.len() > SHOWN {
        lines.push(format!("and {} more", open.len() - SHOWN));
    }
    Some(format!(
        "{} of {} boxes are open: {}; tick each, or drop it with a reason: - [x] ~~text~~: reason",
        open.len(),
        steps.len(),
        lines.join(", ")
    ))
}

/// Of a plan without steps.
pub const NO_BOX: &str = "no box is in it; each step is a line - [ ] text";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_open_done_or_dropped() {
        let cases = [
            ("- [ ] a", Some(Stands::Open)),
            ("  * [x] a", Some(Stands::Done)),
            ("1. [X] a", Some(Stands::Done)),
            ("- [ ]", Some(Stands::Open)),
            ("- [x] ~~2. a~~: not needed", Some(Stands::Dropped)),
            ("- [ ] ~~a~~: not needed", Some(Stands::Dropped)),
            ("- [x] ~~a~~", Some(Stands::Unexplained)),
            ("- [x] ~~a~~: …", Some(Stands::Unexplained)),
            ("- [ ] ~~a~~ b instead", Some(Stands::Open)),
            ("- [ ] a ~~b~~: c", Some(Stands::Open)),
            ("- [x] a ~~b~~: c", Some(Stands::Done)),
            ("- a", None),
            ("[ ] a", None),
            ("- [~] a: b", None),
            ("```\n- [ ] a\n```", None),
            ("<!-- - [ ] a -->", None),
        ];
        for (text, expected) in cases {
            assert_eq!(steps(text).first().map(|step| step.stands), expected, "{text}");
        }
    }

    #[test]
    fn open_boxes_are_named_with_their_lines() {
        let how = "tick each, or drop it with a reason: - [x] ~~text~~: reason";
        let cases = [
            ("# Plan\n- [x] a\n- [x] ~~b~~: too late\n", None),
            ("# Plan\n", Some(NO_BOX.to_owned())),
            (
                "# Plan\n- [x] a\n- [ ] b\n- [x] ~~c~~\n",
                Some(format!(
                    "2 of 3 boxes are open: line 3 `b`, line 4 `~~c~~` (struck through without a reason); {how}"
                )),
            ),
            (
                "- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n",
                Some(format!("5 of 5 boxes are open: line 1 `a`, line 2 `b`, line 3 `c`, and 2 more; {how}")),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(undone(text), expected, "{text}");
        }
    }
}
