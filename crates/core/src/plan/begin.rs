//! Steps that begin by themselves: a change while no step is active belongs to the first work step that is not done.

use serde::{Deserialize, Serialize};

use super::{Kind, Moved, Plan, Refusal, State, Step, StepId};
use crate::evidence::ledger::Line;

/// What the next change comes to while no step is active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NextStep {
    /// It begins a work step.
    Work,
    /// It begins nothing: a check comes before the work.
    Check(ComesFirst),
}

/// A check that comes before the next work step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComesFirst {
    pub number: StepId,
    pub text: String,
    /// What shows that it is done.
    pub proof: String,
}

impl ComesFirst {
    fn of(step: &Step) -> Self {
        let proof = step.proof.as_ref().map(|proof| match proof.command() {
            Some(command) => format!("run {}, then ", command.shown()),
            None => format!("its proof: {}; then ", proof.shown()),
        });
        Self { number: step.number, text: step.text.clone(), proof: proof.unwrap_or_default() }
    }

    /// One line for the agent that changed something.
    pub fn told(&self, plan: &str) -> String {
        let Self { number, text, proof } = self;
        format!(
            "engine: plan {plan}: step {number} comes first (check: {text}): {proof}engine plan step done {number}"
        )
    }
}

impl Plan {
    /// What the next change comes to; nothing where it belongs to a step that is active, or to none.
    pub fn next_step(&self) -> Option<NextStep> {
        let at = self.next_work()?;
        Some(match self.in_the_way(at) {
            Some(check) => NextStep::Check(ComesFirst::of(check)),
            None => NextStep::Work,
        })
    }

    /// Begins the work step that a change belongs to, if nothing is in its way. `head`: the commit that is checked out.
    pub fn begin(&mut self, head: Option<String>, now: &str) -> Result<Option<Moved>, Refusal> {
        let free = self.next_work().filter(|at| self.in_the_way(*at).is_none());
        free.map(|at| self.start(self.steps[at].number, head, now)).transpose()
    }

    /// The place of the first work step that is not done, while none is active.
    fn next_work(&self) -> Option<usize> {
        let waits = self.works().is_ok() && self.active().is_none() && !self.is_delegated();
        let is_next = |step: &Step| step.kind == Kind::Work && step.state != State::Done;
        self.steps.iter().position(is_next).filter(|_| waits)
    }
}

impl Step {
    /// What was edited while it was active, each file once.
    pub fn edits<'l>(&self, ledger: &'l [Line]) -> Vec<&'l str> {
        let Some(start) = self.started_at.as_deref() else { return Vec::new() };
        let is_within = |at: &str| at >= start && self.ended_at.as_deref().is_none_or(|end| at <= end);
        let edits = ledger.iter().filter_map(|line| match line {
            Line::Edit { file, .. } if is_within(line.at()) => Some(file.as_str()),
            _ => None,
        });
        let mut edits: Vec<&str> = edits.collect();
        edits.sort_unstable();
        edits.dedup();
        edits
    }

    /// What was edited besides its files. One that names none is about any.
    pub fn besides<'l>(&self, ledger: &'l [Line]) -> Vec<&'l str> {
        let mut edits = self.edits(ledger);
        edits.retain(|file| !super::covers(&self.files, file));
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::proof::{Command, Judge, Proof};
    use crate::plan::{ATTEMPTS, Start};

    fn step(number: u32, proof: Option<Proof>) -> Step {
        let kind = if proof.is_some() { Kind::Check } else { Kind::Work };
        Step { number: number.into(), text: format!("text {number}"), kind, proof, ..Step::default() }
    }

    fn locked(steps: Vec<Step>) -> Plan {
        let mut plan = Plan { name: "p".to_owned(), steps, ..Plan::default() };
        plan.lock(Start::default(), "T0").unwrap();
        plan
    }

    fn passes(folder: &str) -> Option<Proof> {
        Some(Proof::Passes(Command::new("pytest -q", folder)))
    }

    #[test]
    fn a_change_begins_the_first_work_step_that_is_not_done() {
        let mut plan = locked(vec![step(1, None), step(2, passes("")), step(3, None)]);
        assert_eq!(plan.next_step(), Some(NextStep::Work));
        assert_eq!(plan.begin(Some("c1".to_owned()), "T1"), Ok(Some(Moved::Done)));
        let first = &plan.steps[0];
        let begun = (first.state, first.attempts, first.started_at.as_deref(), first.started_head.as_deref());
        assert_eq!(begun, (State::Active, 1, Some("T1"), Some("c1")));
        // Another change belongs to the same step.
        assert_eq!((plan.next_step(), plan.begin(None, "T2")), (None, Ok(None)));
        assert_eq!(plan.steps[0].started_at.as_deref(), Some("T1"));
        plan.finish(1, None, "T3").unwrap();
        assert_eq!(plan.begin(None, "T4"), Ok(None));
        assert_eq!(plan.active(), None, "a check comes first");
        plan.start(2, None, "T5").unwrap();
        plan.finish(2, Some("seen".to_owned()), "T5").unwrap();
        assert_eq!(plan.begin(None, "T6"), Ok(Some(Moved::Done)));
        plan.finish(3, None, "T7").unwrap();
        assert_eq!((plan.next_step(), plan.begin(None, "T8")), (None, Ok(None)), "all is done");
    }

    #[test]
    fn a_step_that_failed_too_often_halts() {
        let mut plan = locked(vec![step(1, None)]);
        for _ in 0..ATTEMPTS {
            assert_eq!(plan.begin(None, "T1"), Ok(Some(Moved::Done)));
            plan.fail(1, None, "T1").unwrap();
        }
        assert_eq!(plan.begin(None, "T2"), Ok(Some(Moved::Halted)));
        assert_eq!(plan.halted().map(|halt| halt.reason.as_str()), Some("step 1 was tried 3 times: text 1"));
        assert_eq!((plan.next_step(), plan.begin(None, "T3")), (None, Ok(None)));
    }

    #[test]
    fn a_draft_begins_nothing() {
        let mut plan = Plan { steps: vec![step(1, None)], ..Plan::default() };
        assert_eq!((plan.next_step(), plan.begin(None, "T1")), (None, Ok(None)));
    }

    #[test]
    fn what_comes_first_is_told_with_its_proof() {
        let cases = [
            (passes(""), "run `pytest -q`, then "),
            (passes("api"), "run `pytest -q` in api, then "),
            (Some(Proof::File("docs/x.md".to_owned())), "its proof: docs/x.md changes; then "),
            (Some(Proof::Judge(Judge::Qa)), "its proof: judged by qa; then "),
        ];
        for (proof, expected) in cases {
            let plan = locked(vec![step(1, proof), step(2, None)]);
            let Some(NextStep::Check(first)) = plan.next_step() else { panic!("{expected}") };
            assert_eq!(
                first.told("p"),
                format!(
                    "engine: plan p: step 1 comes first (check: text 1): {expected}engine plan step done 1"
                )
            );
        }
    }

    #[test]
    fn edits_belong_to_the_step_that_was_active() {
        let edit = |at: &str, file: &str| Line::Edit { at: at.to_owned(), file: file.to_owned() };
        let ledger = [
            edit("T1", "before"),
            edit("T2", "src/b"),
            edit("T3", "src/a"),
            edit("T4", "docs/x"),
            edit("T4", "src/a"),
            edit("T5", "after"),
        ];
        let mut step = Step { files: vec!["src/*".to_owned()], ..step(1, None) };
        assert_eq!(step.edits(&ledger), [""; 0]);
        step.started_at = Some("T2".to_owned());
        assert_eq!(step.edits(&ledger), ["after", "docs/x", "src/a", "src/b"]);
        step.ended_at = Some("T4".to_owned());
        assert_eq!(step.edits(&ledger), ["docs/x", "src/a", "src/b"]);
        assert_eq!(step.besides(&ledger), ["docs/x"]);
        step.files.clear();
        assert_eq!(step.besides(&ledger), [""; 0], "any file is its own");
    }
}
