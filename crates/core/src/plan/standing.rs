//! How an open plan stands, in one line for the person at the end of a turn.

use super::{BoundPlan, Criterion, Plan};
use crate::evidence::ledger::Red;
use crate::evidence::standing;
use engine_text::line::{one_line, visible};
use engine_text::redact::redact;
use engine_text::stamp::Stamp;

/// Of the whole line, of the plan's name and of the reason of a halt, in characters.
const LONGEST: usize = 200;
const NAME: usize = 32;
const REASON: usize = 70;
/// Criteria that are named at most.
const MOST_NAMED: usize = 3;

impl Plan {
    /// The numbers of the criteria that nothing has shown yet, or that were rejected.
    pub(super) fn unshown(&self) -> Vec<usize> {
        let is_met = |criterion: &Criterion| criterion.verdict.as_ref().is_some_and(|verdict| verdict.met);
        let open = self.criteria.iter().zip(1..).filter(|(criterion, _)| !is_met(criterion));
        open.map(|(_, number)| number).collect()
    }
}

impl BoundPlan {
    /// `plan login: 1 of 3 steps, criterion 1 not shown; last check: pytest -q failed 2 min ago`. Nothing where all is done and shown, and
    /// where nothing has begun.
    pub fn told(&self, now: Stamp) -> Option<String> {
        // What became of its close is told in place of this.
        if self.closes() {
            return None;
        }
        // The turn ends because the agents of its steps are at work.
        if self.delegated.as_ref().is_some_and(|delegated| !delegated.agents.is_empty()) {
            return None;
        }
        let is_red = self.changed || !self.red.is_empty() || !self.unproved.is_empty();
        let is_open = self.steps_done < self.steps || !self.unshown.is_empty();
        let has_begun = self.locked && !self.guardrails.answer_only;
        if self.halted.is_none() && !is_red && !(has_begun && is_open) {
            return None;
        }
        let mut parts = vec![format!("plan {}{}", one_line(&self.name, NAME), self.place())];
        // What a proof names comes first.
        let (mut red, others): (Vec<Red>, Vec<Red>) =
            self.red.iter().cloned().partition(|red| self.proofs.iter().any(|proof| proof.is_of(red)));
        red.extend(others);
        parts.extend(standing::told(self.last_check.as_ref(), &red, self.changed, now));
        // A pass of something else hides it.
        let stale =
            self.unproved.first().filter(|_| self.unshown.is_empty() && red.is_empty() && !self.changed);
        parts.extend(stale.map(|line| format!("changed since {} passed", standing::short(line))));
        Some(one_line(&parts.join("; "), LONGEST))
    }

    fn place(&self) -> String {
        if let Some(reason) = &self.halted {
            return format!(" is halted: {}", one_line(&visible(&redact(reason)), REASON));
        }
        if let Some(lacks) = self.not_passed() {
            return format!(" is not done: {lacks}");
        }
        let lock = if self.locked { "" } else { "not locked, " };
        format!(": {lock}{} of {} steps{}", self.steps_done, self.steps, self.not_shown())
    }

    /// `, criterion 1 not shown`, `, criteria 1, 2 not shown`.
    fn not_shown(&self) -> String {
        let named: Vec<String> = self.unshown.iter().take(MOST_NAMED).map(ToString::to_string).collect();
        let more = self.unshown.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        match named.as_slice() {
            [] => String::new(),
            [one] => format!(", criterion {one} not shown"),
            several => format!(", criteria {}{more} not shown", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::standing::{CheckResult, LastCheck};
    use crate::plan::Guardrails;

    fn plan() -> BoundPlan {
        BoundPlan {
            name: "login".into(),
            locked: true,
            steps: 3,
            steps_done: 1,
            unshown: vec![1],
            ..BoundPlan::default()
        }
    }

    fn ran(command: &str, result: CheckResult) -> Option<LastCheck> {
        Some(LastCheck { command: command.into(), result, at: Stamp(0) })
    }

    #[test]
    fn what_is_open_red_or_halted_is_told() {
        let done = BoundPlan { steps_done: 3, unshown: Vec::new(), ..plan() };
        let draft = BoundPlan { locked: false, ..plan() };
        let answers = Guardrails { answer_only: true, ..Guardrails::default() };
        let cases = [
            (plan(), Some("plan login: 1 of 3 steps, criterion 1 not shown")),
            (
                BoundPlan { last_check: ran("pytest -q", CheckResult::Failed), ..plan() },
                Some(
                    "plan login: 1 of 3 steps, criterion 1 not shown; last check: pytest -q failed 2 min ago",
                ),
            ),
            (
                BoundPlan { unshown: vec![1, 2, 3, 4, 5], ..plan() },
                Some("plan login: 1 of 3 steps, criteria 1, 2, 3 and 2 more not shown"),
            ),
            (done.clone(), None),
            (
                BoundPlan { changed: true, last_check: ran("make", CheckResult::Passed), ..done.clone() },
                Some("plan login: 3 of 3 steps; last check: make passed 2 min ago, changed since"),
            ),
            (
                BoundPlan { halted: Some("a key is missing".into()), ..done },
                Some("plan login is halted: a key is missing"),
            ),
            (draft.clone(), None),
            (
                BoundPlan { changed: true, ..draft },
                Some(
                    "plan login: not locked, 1 of 3 steps, criterion 1 not shown; changed, and no check has run",
                ),
            ),
            (BoundPlan { guardrails: answers, ..plan() }, None),
        ];
        for (plan, expected) in cases {
            assert_eq!(plan.told(Stamp(120_000)).as_deref(), expected, "{plan:?}");
        }
    }

    #[test]
    fn the_line_is_bounded_and_keeps_the_last_check() {
        let long = "x".repeat(300);
        let plan = BoundPlan {
            name: "n".repeat(60),
            halted: Some(long),
            changed: true,
            last_check: ran(&"c".repeat(40), CheckResult::Failed),
            ..plan()
        };
        let line = plan.told(Stamp(120_000)).unwrap();
        assert!(line.chars().count() <= LONGEST, "{line}");
        assert!(line.ends_with(" failed 2 min ago"), "{line}");
    }
}
