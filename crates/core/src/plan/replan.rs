//! A runbook that was changed while its plan runs: what is done and unchanged stays done.

use super::{Plan, Refusal, Run, State, Step};

/// The plan as it is to be, and what becomes of its steps, a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replanned {
    pub plan: Plan,
    pub told: Vec<String>,
}

impl Plan {
    /// This plan with the steps of another. A step that runs cannot change; one that ran is never forgotten.
    pub fn replanned(&self, new: &Self) -> Result<Replanned, Refusal> {
        let mut told = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        for step in &new.steps {
            let Some(old) = self.steps.iter().find(|old| old.number == step.number) else {
                told.push(format!("step {} is new: {}", step.number, step.text));
                steps.push(step.clone());
                continue;
            };
            let mut next = step.taken_over(old);
            if step.is_same_work(old) {
                steps.push(next);
                continue;
            }
            if old.run().is_some_and(Run::is_live) {
                return Err(Refusal::new(format!("step {} is changed and runs now", step.number))
                    .fix("wait until it has ended; its result comes by itself"));
            }
            let again = if old.state == State::Open { "" } else { ", and is done again" };
            told.push(format!("step {} is changed{again}: {}", step.number, step.text));
            next.state = State::Open;
            next.evidence.clear();
            next.forgiven = next.attempts;
            steps.push(next);
        }
        for (at, old) in self.steps.iter().enumerate() {
            if steps.iter().any(|step| step.number == old.number) {
                continue;
            }
            if old.runs.is_empty() && old.state != State::Done && !old.inserted {
                told.push(format!("step {} is left out: {}", old.number, old.text));
                continue;
            }
            if !old.inserted {
                told.push(format!("step {} ran and stays in the plan: {}", old.number, old.text));
            }
            // Behind the one that it stood behind.
            let before = self.steps[..at]
                .iter()
                .rev()
                .find_map(|before| steps.iter().position(|step| step.number == before.number));
            steps.insert(before.map_or(0, |before| before + 1), Step { inserted: true, ..old.clone() });
        }
        let verdicts = new.criteria.iter().map(|criterion| {
            let old = self
                .criteria
                .iter()
                .find(|old| (&old.text, &old.proof) == (&criterion.text, &criterion.proof));
            old.unwrap_or(criterion).clone()
        });
        let criteria: Vec<_> = verdicts.collect();
        if criteria.len() != self.criteria.len()
            || criteria
                .iter()
                .zip(&self.criteria)
                .any(|(new, old)| new.text != old.text || new.proof != old.proof)
        {
            told.push("the criteria are changed".to_owned());
        }
        let mut plan = Self {
            steps,
            criteria,
            tiers: new.tiers.clone(),
            enriched_context: new.enriched_context.clone(),
            runbook: new.runbook.clone(),
            ..self.clone()
        };
        let count = plan.steps.iter().filter(|step| !step.inserted).count();
        if let Some(lock) = &mut plan.lock {
            lock.agreed = lock.agreed.max(count);
        }
        plan.seal();
        Ok(Replanned { plan, told })
    }
}

impl Step {
    /// The step with what became of it before.
    fn taken_over(&self, old: &Self) -> Self {
        Self {
            state: old.state,
            attempts: old.attempts,
            forgiven: old.forgiven,
            started_at: old.started_at.clone(),
            started_head: old.started_head.clone(),
            started_content: old.started_content.clone(),
            ended_at: old.ended_at.clone(),
            evidence: old.evidence.clone(),
            why: old.why.clone(),
            skipped: old.skipped.clone(),
            runs: old.runs.clone(),
            ..self.clone()
        }
    }

    /// Whether it asks for the same. The agent's name changes with the common context of all steps, and is no change of one.
    fn is_same_work(&self, other: &Self) -> bool {
        let of = |step: &Self| {
            let Self { text, kind, proof, files, model, needs, turns, regression, body, .. } = step.clone();
            (text, kind, proof, files, model, needs, turns, regression, body)
        };
        of(self) == of(other)
    }
}
