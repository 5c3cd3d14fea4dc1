//! Calls that start agents: what one is about, and which are right.

use super::{LONGEST_WHY, SHIPPED, Turn};
use crate::dialect::{AgentCall, Dialect};
use crate::plan::{Kind, Plan, Step, is_named};

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant<'p> {
    Step(&'p Step),
    /// It starts an agent that does steps, and names none.
    None,
}

impl Plan {
    /// The call that gives a step to its agent. `shipped`: by the shipped agent, where the client does not know the step's own yet.
    pub fn call(&self, step: &Step, shipped: bool) -> Option<AgentCall> {
        let own = step.agent.clone()?;
        let agent_type = if shipped { step.shipped_agent()?.to_owned() } else { own };
        let mut prompt = step.prompt.clone().unwrap_or_default();
        let last = step.runs.iter().rev().find(|run| run.is_try());
        if let Some(why) = last.and_then(|run| run.why.as_deref()).filter(|_| step.kind != Kind::Review) {
            prompt.push_str(&format!(
                "\nThe earlier attempt was refused: {}",
                engine_text::line::one_line(why, LONGEST_WHY)
            ));
        }
        let tried = step.runs.iter().any(|run| run.is_try() && run.reported);
        if let Some(report) = step.report.as_ref().filter(|_| tried && step.kind != Kind::Review) {
            prompt.push_str(&format!("\nReport of the earlier run: {report}"));
        }
        for halt in self.halts.iter().filter(|halt| halt.step == Some(step.number)) {
            if let Some(answer) = &halt.resumed {
                prompt.push_str(&format!("\n{}. The user: {}", halt.reason, answer.reason));
            }
        }
        let description = format!("Step {}", step.number);
        Some(AgentCall { agent_type, model: self.tier(step)?, description, prompt })
    }

    /// The step that a call is about; nothing where it is about none. A type of agent that only does steps is always about one.
    pub fn meant(&self, agent_type: &str, prompt: &str) -> Option<Meant<'_>> {
        // What comes first is meant: the prompt of a review names the files of its steps, too.
        let named = |step: &&Step| {
            let first = step
                .prompt
                .as_deref()
                .and_then(|text| text.lines().next())
                .filter(|_| step.is_delegated())?;
            prompt.find(first).filter(|_| !first.is_empty())
        };
        let by_prompt = self.steps.iter().filter(|step| named(step).is_some()).min_by_key(named);
        let is_step_agent = SHIPPED.iter().any(|shipped| is_named(agent_type, shipped))
            || self.steps.iter().any(|step| step.agent.as_deref() == Some(agent_type));
        match by_prompt {
            Some(step) => Some(Meant::Step(step)),
            None => is_step_agent.then_some(Meant::None),
        }
    }

    /// The calls that are right now, for a refusal.
    pub fn right_calls(&self, shipped: bool, dialect: &Dialect, now: &str) -> Vec<String> {
        match self.turn(now) {
            Turn::Starts(steps) => steps
                .iter()
                .filter_map(|step| Some((dialect.agent_call)(&self.call(step, shipped)?)))
                .collect(),
            Turn::Reports(step) => vec![format!("engine runbook done {}", step.number)],
            Turn::Inline(step) => {
                vec![format!("step {} is done here, then: engine runbook done {0}", step.number)]
            }
            Turn::Waits(_) => {
                vec!["none until a running step has ended; its result comes by itself".to_owned()]
            }
            Turn::Built => vec!["none, every step is done: engine plan close".to_owned()],
            Turn::Halted => vec!["engine plan resume (engine asks the user)".to_owned()],
        }
    }
}
