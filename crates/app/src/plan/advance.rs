//! Steps that end by themselves: a run that shows the proof of a step ends it, and the work before it. What counts is what counts for
//! `engine plan step done`, which does the rest.

use std::fmt::Write as _;

use engine_core::evidence::ledger::Line;
use engine_core::plan::{Awaited, Plan, State, StepId};

use super::drift::named;
use super::{CommandContext, proof, quick, step};
use crate::error::CommandError;

/// Steps that end in one go at most: each run shows one proof, and one proof may be that of several checks.
const MOST: usize = 20;

/// What has ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    pub ended: Vec<StepId>,
    /// What they changed besides their files.
    besides: Vec<(StepId, Vec<String>)>,
}

impl Advanced {
    /// One line for the agent; nothing where it needs none.
    pub fn told(&self, plan: &Plan) -> Option<String> {
        if self.ended.is_empty() || plan.quick {
            return None;
        }
        let numbers: Vec<String> = self.ended.iter().map(ToString::to_string).collect();
        let (steps, are) = if self.ended.len() == 1 { ("step", "is") } else { ("steps", "are") };
        let mut text = format!("engine: plan {}: {steps} {} {are} done", plan.name, numbers.join(", "));
        for (number, files) in &self.besides {
            let _ = write!(text, "; step {number} changed besides its files: {}", named(files));
        }
        match plan.steps.iter().find(|step| step.state != State::Done) {
            Some(next) => {
                let _ = write!(text, "; next: step {}, {}", next.number, next.text);
            }
            None if plan.supervise => text.push_str("; next: the agent qa verifies"),
            None => text.push_str("; next: engine plan close"),
        }
        Some(text)
    }
}

/// Ends the steps that what has run shows. That some are not shown is no error.
pub fn advance(context: &CommandContext) -> Result<Advanced, CommandError> {
    let mut advanced = Advanced::default();
    while advanced.ended.len() < MOST {
        let (_, plan) = context.own()?;
        let Some(Awaited { work, shown, proof }) = plan.awaited() else { break };
        let trail = context.trail(&plan);
        let lookup = trail.look()?;
        let has_worked = match work {
            Some(work) => has_edits(&plan, work, &lookup.ledger())?,
            None => !plan.quick || !quick::extent(&plan, context)?.is_nothing(),
        };
        if !has_worked || proof::prove(proof, &plan, &lookup).is_err() {
            break;
        }
        // What else they refuse, they tell who asks for them by name.
        let done =
            |number: StepId| step::finish(context, number, None).ok().map(|kept| (number, kept.answer));
        let ends: Vec<StepId> = work.into_iter().chain([shown]).collect();
        for number in ends {
            let Some((number, besides)) = done(number) else { return Ok(advanced) };
            advanced.ended.push(number);
            if !besides.is_empty() {
                advanced.besides.push((number, besides));
            }
        }
    }
    Ok(advanced)
}

/// Whether something was edited in a step: a check that passes without it ends no work.
fn has_edits(plan: &Plan, number: StepId, ledger: &[Line]) -> Result<bool, CommandError> {
    Ok(!plan.step(number)?.edits(ledger).is_empty())
}
