//! What a plan knows for certain that may be worth a note: criteria that a person agreed to change, and halts with what resolved them. No
//! text is made up, so a plan with neither has nothing to offer, and words that say only `ok 7` resolve nothing for a reader.

use super::Plan;
use crate::note::Kind;
use engine_text::line::one_line;

/// More would not be read at the end of a plan.
const MOST: usize = 3;
/// In characters; a criterion may be a page long.
const LONGEST: usize = 400;

/// In front of what an agent made of the person's words.
const READING: &str = "the agent's reading: ";
const WORDS: &str = "the person's words: ";

impl Plan {
    /// Texts for notes, with their kinds; the latest are left out first.
    pub fn memorable(&self) -> Vec<(Kind, String)> {
        let changed = self.approvals.iter().filter(|approval| approval.what.starts_with(['-', '+']));
        let changed = changed.map(|approval| {
            let why = reason(&approval.reason).map_or_else(String::new, |why| format!("; why: {why}"));
            let text =
                format!("plan {}: the user agreed to change a criterion: {}{why}", self.name, approval.what);
            (Kind::Decision, text)
        });
        let halts = self.halts.iter().filter_map(|halt| {
            let resolved = reason(&halt.resumed.as_ref()?.reason)?;
            Some((Kind::Pitfall, format!("plan {} halted: {}; resolved: {resolved}", self.name, halt.reason)))
        });
        changed.chain(halts).take(MOST).map(|(kind, text)| (kind, one_line(&text, LONGEST))).collect()
    }
}

/// What a record of an approval says besides that there was one.
fn reason(record: &str) -> Option<&str> {
    if let Some((_, reading)) = record.split_once(READING) {
        return Some(reading.trim()).filter(|reading| !reading.is_empty());
    }
    let words = record
        .strip_prefix(WORDS)
        .map_or(record, |words| words.rsplit_once(" (").map_or(words, |(words, _)| words));
    let is_answer =
        words.strip_prefix("ok ").is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()));
    Some(words.trim()).filter(|words| !is_answer && !words.is_empty() && *words != "a person typed it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Approval, Halt, HaltKind, Resumed};

    #[test]
    fn only_what_has_a_reason_is_offered() {
        let halt = |reason: &str, resumed: Option<&str>| Halt {
            kind: HaltKind::Manual,
            reason: reason.into(),
            at: String::new(),
            step: None,
            resumed: resumed.map(|reason| Resumed { reason: reason.into(), at: String::new() }),
        };
        let approval = |what: &str, reason: &str| Approval {
            what: what.into(),
            reason: reason.into(),
            at: String::new(),
        };
        let words = "the person's words: ok 7 (2026-11-16 12:30:01, approval 7)";
        let plan = Plan {
            name: "p".into(),
            approvals: vec![
                approval("- 1. a + 1. b", &format!("{words}; the agent's reading: the parser is replaced")),
                approval("+ 2. c", words),
                approval("steps 3 and 4", "x"),
            ],
            halts: vec![
                halt("open", None),
                halt("third failure", Some(words)),
                halt("a question", Some("use JSON")),
            ],
            ..Plan::default()
        };
        assert_eq!(
            plan.memorable(),
            [
                (Kind::Decision, "plan p: the user agreed to change a criterion: - 1. a + 1. b; why: the parser is replaced".to_owned()),
                (Kind::Decision, "plan p: the user agreed to change a criterion: + 2. c".to_owned()),
                (Kind::Pitfall, "plan p halted: a question; resolved: use JSON".to_owned()),
            ]
        );
        assert_eq!(Plan::default().memorable(), []);
    }
}
