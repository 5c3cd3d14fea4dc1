//! Steps that end by themselves: the command whose run ends the step that is active, or the check that comes next and the work before it.

use serde::{Deserialize, Serialize};

use super::proof_command::ProofCommand;
use super::{Kind, Plan, State, Step, StepId};
use crate::evidence::ledger::{Check, Outcome};
use crate::evidence::proof::Proof;

/// What the run of a proof would end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awaited<'p> {
    /// The work step before it, which is active.
    pub work: Option<StepId>,
    /// The step that has the proof.
    pub shown: StepId,
    pub proof: &'p Proof,
}

/// The command of such a proof, as the copy of an agent session has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedProof {
    command: ProofCommand,
    /// It is to fail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fails: bool,
}

impl AwaitedProof {
    /// Whether a run may show it. The look-up decides.
    pub fn may_be_shown_by(&self, ran: &Check) -> bool {
        let fits = match ran.outcome {
            Outcome::Passed => !self.fails,
            Outcome::Failed { .. } => self.fails,
            Outcome::Unknown { .. } => false,
        };
        fits && self.command.is_shown_by(ran)
    }
}

impl Plan {
    /// What a run would end now. Only commands end a step by themselves, and none ends work that has not begun: but for the step of a
    /// quick plan, whose work may be that of a script that nobody saw.
    pub fn awaited(&self) -> Option<Awaited<'_>> {
        self.works().ok().filter(|()| !self.guardrails.answer_only && !self.is_delegated())?;
        let at = match self.active() {
            Some(active) => self.steps.iter().position(|step| step.number == active.number)?,
            None => self.steps.iter().position(|step| step.state != State::Done)?,
        };
        let step = &self.steps[at];
        if let Some(proof) = command_of(step) {
            let may_begin = step.state == State::Open && (step.kind == Kind::Check || self.quick);
            let moves = self.in_the_way(at).is_none() && (step.state == State::Active || may_begin);
            return moves.then_some(Awaited { work: None, shown: step.number, proof });
        }
        if step.state != State::Active || step.kind != Kind::Work || step.proof.is_some() {
            return None;
        }
        let is_left = |other: &&Step| other.state != State::Done && other.number != step.number;
        if self.steps[..at].iter().any(|before| is_left(&before)) {
            return None;
        }
        let next = self.steps[at + 1..].iter().find(is_left)?;
        let is_check = next.kind == Kind::Check && next.state == State::Open;
        let proof = command_of(next).filter(|_| is_check)?;
        Some(Awaited { work: Some(step.number), shown: next.number, proof })
    }

    /// Its command, for the copy of an agent session.
    pub(super) fn awaited_proof(&self) -> Option<AwaitedProof> {
        let awaited = self.awaited()?;
        let fails = matches!(awaited.proof, Proof::Fails(_));
        let command = ProofCommand::of_command(awaited.proof.command()?, &self.check_lines())?;
        Some(AwaitedProof { command, fails })
    }
}

fn command_of(step: &Step) -> Option<&Proof> {
    step.proof.as_ref().filter(|proof| proof.command().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::proof::{Command, Judge};
    use crate::plan::Start;

    fn plan(steps: &[(Kind, State, Option<Proof>)]) -> Plan {
        let step = |(number, (kind, state, proof)): (u32, &(Kind, State, Option<Proof>))| Step {
            number: number.into(),
            kind: *kind,
            state: *state,
            proof: proof.clone(),
            ..Step::default()
        };
        let mut plan = Plan { steps: (1..).zip(steps).map(step).collect(), ..Plan::default() };
        plan.lock(Start::default(), "T0").unwrap();
        plan
    }

    #[test]
    fn what_a_run_ends() {
        use Kind::{Check, Work};
        use State::{Active, Done, Failed, Open};
        let passes = || Some(Proof::Passes(Command::new("pytest", "")));
        let fails = || Some(Proof::Fails(Command::new("pytest", "")));
        let judged = || Some(Proof::Judge(Judge::Qa));
        let cases = [
            (vec![(Work, Active, None), (Check, Open, passes())], Some((Some(1), 2))),
            (vec![(Work, Active, None), (Check, Open, fails())], Some((Some(1), 2))),
            // Work that has not begun is not done because a check passes.
            (vec![(Work, Open, None), (Check, Open, passes())], None),
            (vec![(Work, Active, None), (Work, Open, None), (Check, Open, passes())], None),
            (vec![(Work, Open, None), (Work, Active, None), (Check, Open, passes())], None),
            (vec![(Work, Active, None), (Check, Open, judged())], None),
            (vec![(Work, Active, None), (Check, Failed, passes())], None),
            (vec![(Work, Active, judged()), (Check, Open, passes())], None),
            (vec![(Check, Open, passes()), (Work, Open, None)], Some((None, 1))),
            (vec![(Check, Active, passes())], Some((None, 1))),
            (vec![(Check, Failed, passes())], None),
            (vec![(Work, Done, None), (Check, Open, passes())], Some((None, 2))),
            (vec![(Work, Active, None)], None),
            (vec![(Work, Active, passes())], Some((None, 1))),
            (vec![(Work, Open, passes())], None),
            (vec![(Check, Done, passes())], None),
        ];
        for (steps, expected) in cases {
            let plan = plan(&steps);
            let found = plan.awaited();
            let found = found.map(|awaited| (awaited.work.map(|work| work.major), awaited.shown.major));
            assert_eq!(found, expected, "{steps:?}");
            assert_eq!(plan.awaited_proof().is_some(), expected.is_some(), "{steps:?}");
        }
        let quick = Plan { quick: true, ..plan(&[(Work, Open, passes())]) };
        assert!(quick.awaited().is_some());
        let mut halted = plan(&[(Check, Open, passes())]);
        halted.halt(crate::plan::HaltKind::Manual, "x", "T1").unwrap();
        assert_eq!(halted.awaited(), None);
    }
}
