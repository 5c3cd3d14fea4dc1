//! How a run stands: each step with its tries.

use engine_core::plan::{Plan, Step};
use serde::Serialize;

use super::{list, name_of};
use crate::error::CommandError;
use crate::plan::CommandContext;

/// A run, for a person or a program.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub plan: String,
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub halted: Option<String>,
    pub steps: Vec<StepStatus>,
    /// As far as the client tells.
    pub tokens: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepStatus {
    pub step: String,
    pub state: String,
    pub text: String,
    pub model: Option<String>,
    /// What the client used, by its own word.
    pub used: Option<String>,
    pub tries: usize,
    pub why: Option<String>,
}

/// The run that is meant: of a name, else that of this agent session or the only open one.
pub fn status(context: &mut CommandContext, written: Option<&str>) -> Result<(Plan, Status), CommandError> {
    if let Some(written) = written {
        context.named = Some(name_of(written)?);
    }
    let (_, plan) = context.found()?;
    let status = Status {
        plan: plan.name.clone(),
        state: list::state(&plan),
        halted: plan.halted().map(|halt| halt.reason.clone()),
        steps: plan.steps.iter().map(of_step).collect(),
        tokens: plan.steps.iter().flat_map(|step| &step.runs).filter_map(|run| run.tokens).sum(),
    };
    Ok((plan, status))
}

fn of_step(step: &Step) -> StepStatus {
    let last = step.runs.last();
    let state = match step.run() {
        Some(run) if run.is_live() && run.agent.is_none() && !run.is_client() => "claimed",
        Some(run) if run.is_live() => "running",
        Some(_) => "ended, not looked at",
        None if step.skipped.is_some() => "skipped",
        None => step.state.as_str(),
    };
    StepStatus {
        step: step.number.to_string(),
        state: state.to_owned(),
        text: step.text.clone(),
        model: last.map(|run| run.model.clone()).or(step.model.clone()),
        used: last.and_then(|run| run.resolved.clone()),
        tries: step.runs.len(),
        why: last.and_then(|run| run.why.clone()).or(step.why.clone()),
    }
}
