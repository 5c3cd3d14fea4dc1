//! The agents of a delegated plan, as the copy of an agent session has them: what rules ask with every event.

use serde::{Deserialize, Serialize};

use super::{Kind, Plan, State, StepId, covers};

/// What of a delegated plan rules ask for without its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Delegated {
    /// Agents that have not ended, and calls that are to start one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<StepAgent>,
    /// Agents whose steps are over, or wait to be looked at: a message would wake them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<(String, StepId)>,
    /// Calls whose agents have ended, and of which the client has not said with which model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<(String, StepId)>,
    /// The step that the main agent does itself, and its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline: Option<(StepId, Vec<String>)>,
    /// Every step is done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub built: bool,
}

/// The agent of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepAgent {
    pub step: StepId,
    pub agent_type: String,
    pub call: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// It has called a tool.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub worked: bool,
    /// It was sent on, because it wanted to end without having called one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sent_on: bool,
    /// A test is to fail first: the first failure is what the step asks for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub red: bool,
}

impl Delegated {
    /// What only events told of agents stays.
    pub(super) fn of(plan: &Plan, before: Option<&Self>) -> Self {
        let agent = |step: &super::Step, run: &super::Run| {
            let known = before.and_then(|before| before.agents.iter().find(|agent| agent.call == run.call));
            StepAgent {
                step: step.number,
                agent_type: run.agent_type.clone(),
                call: run.call.clone(),
                agent: run.agent.clone(),
                worked: known.is_some_and(|known| known.worked),
                sent_on: known.is_some_and(|known| known.sent_on),
                red: known.map_or(step.is_red_first(), |known| known.red),
            }
        };
        let ended = plan.steps.iter().flat_map(|step| {
            let over = step.runs.iter().filter(|run| !run.is_live());
            over.filter_map(|run| Some((run.agent.clone()?, step.number)))
        });
        let unresolved = plan.steps.iter().filter_map(|step| {
            let run = step.run().filter(|run| !run.is_live() && run.resolved.is_none())?;
            Some((run.call.clone(), step.number))
        });
        let inline = plan.active().filter(|step| step.kind == Kind::Inline);
        Self {
            agents: plan.live().map(|(step, run)| agent(step, run)).collect(),
            ended: ended.collect(),
            unresolved: unresolved.collect(),
            inline: inline.map(|step| (step.number, step.files.clone())),
            built: plan.is_built(),
        }
    }

    /// The agent of a step, by its id.
    pub fn agent(&self, id: &str) -> Option<&StepAgent> {
        self.agents.iter().find(|agent| agent.agent.as_deref() == Some(id))
    }

    pub fn agent_mut(&mut self, id: &str) -> Option<&mut StepAgent> {
        self.agents.iter_mut().find(|agent| agent.agent.as_deref() == Some(id))
    }

    /// The step that a call was made for, if its answer is waited for.
    pub fn claimed(&self, call: &str) -> Option<StepId> {
        let live = self.agents.iter().map(|agent| (agent.call.as_str(), agent.step));
        let ended = self.unresolved.iter().map(|(call, step)| (call.as_str(), *step));
        live.chain(ended).find(|(own, _)| *own == call).map(|(_, step)| step)
    }

    /// The one that an agent without a claim of its own belongs to: the oldest call of its type that has started none.
    pub fn awaited(&self, agent_type: &str) -> Option<&StepAgent> {
        let bare = agent_type.rsplit(':').next().unwrap_or_default();
        self.agents.iter().find(|agent| {
            agent.agent.is_none() && agent.agent_type.rsplit(':').next().unwrap_or_default() == bare
        })
    }

    /// Whether the main agent may change a file itself.
    pub fn is_inline(&self, path: &str) -> bool {
        self.inline.as_ref().is_some_and(|(_, files)| covers(files, path))
    }
}

impl super::Step {
    /// Its test is to fail before it passes.
    pub fn is_red_first(&self) -> bool {
        let is_test = matches!(self.proof, Some(crate::evidence::proof::Proof::Fails(_)));
        is_test || (self.kind == Kind::Cycle && !self.regression && self.state != State::Done)
    }
}
