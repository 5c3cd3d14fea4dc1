//! A work session: a folder in which one piece of work is done, by several skill runs and one agent session after another.
//!
//! Kept as `sessions/YYYY_MM_DD_TOPIC/state.json`, beside the logs and plans of the work. What only one agent session knows,
//! such as how many calls it made since its last log entry, is in that session's own state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::skill::protocol::{Label, Phase};
use crate::versioned::{self, Unusable};

mod bound;
pub mod checklist;
pub mod course;
pub mod debrief;
pub mod draft;
pub mod gate;
pub mod mode;
pub mod name;
pub mod payload;
pub mod proof;
pub mod request;
pub mod small;
pub mod step;
pub mod template;
mod written;

pub use bound::{BoundWork, Calls};
pub use payload::Payload;

/// The version written now.
pub const VERSION: u32 = 1;
/// Agent sessions that a run remembers.
const MOST_HOLDERS: usize = 64;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkState {
    pub version: u32,
    pub lifecycle: Lifecycle,
    /// Who works here now.
    pub agent_session: Option<Holder>,
    /// The last one is the current one.
    pub runs: Vec<Run>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklists: Vec<Checklist>,
    #[serde(skip_serializing_if = "Overflow::is_empty")]
    pub overflow: Overflow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_file: Option<String>,
    /// Fields of another release survive a rewrite.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lifecycle {
    #[default]
    Active,
    Idle,
    Completed,
    /// Over, by a person's word, before the last phase.
    Stopped,
}

impl Lifecycle {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Stopped)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Completed => "completed",
            Self::Stopped => "stopped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    pub id: String,
    pub bound_at: String,
}

/// One skill at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Run {
    pub skill: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    pub started_at: String,
    /// What the person had asked for when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Nothing if the skill declares no phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_phase: Option<PhaseName>,
    /// Kept as the skill declared them when the run began: an agent can edit the skill that asks it for proof.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "written::phases")]
    pub phases: Vec<Phase>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Passed>,
    /// It has only the phases of a small run, and a goal in the place of a plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The debrief as the engine drafted it last: a fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// The directives that the skill wants besides the core ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<String>,
    /// The content of the project's files when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Definitions of checks that a person accepted although they changed: a fingerprint each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// What of the skill is read again later, as it was when the run began: a fingerprint by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub form: BTreeMap<String, String>,
    /// A person agreed that it ends although phases were not passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Another skill was started while this one was at work: the phase that it was in was not passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    /// The agent sessions that held it, the last ones: what they ran is what the run has to show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<String>,
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseName {
    pub label: Label,
    pub name: String,
}

impl std::fmt::Display for PhaseName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.label, self.name)
    }
}

/// A phase that was left.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Passed {
    pub phase: String,
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Value>,
    /// Why a person let it pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// It was left by going back, which takes no proof.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unproved: bool,
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checklist {
    pub path: String,
    /// Of the file as it passed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub passed_hash: Option<String>,
}

/// What the next agent session is to be told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overflow {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// When, in RFC 3339, and as the person's clock showed it: `2026-11-15 23:41:07`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_local: Option<String>,
    /// The phase of the run then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// How many entries its log had.
    #[serde(skip_serializing_if = "is_none")]
    pub entries: usize,
    /// When a new context was told last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_at: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Overflow {
    fn is_empty(&self) -> bool {
        self.payload.is_none() && self.saved_at.is_none() && self.told_at.is_none()
    }
}

impl Default for WorkState {
    fn default() -> Self {
        Self {
            version: VERSION,
            lifecycle: Lifecycle::Active,
            agent_session: None,
            runs: Vec::new(),
            params: Map::new(),
            description: None,
            keywords: Vec::new(),
            checklists: Vec::new(),
            overflow: Overflow::default(),
            target_file: None,
            others: BTreeMap::new(),
        }
    }
}

/// How a skill is to be started.
#[derive(Debug, Clone)]
pub struct Activation<'a> {
    pub skill: &'a str,
    pub phases: &'a [Phase],
    /// The directives that the skill wants.
    pub directives: &'a [String],
    /// The agent session; nothing for a person.
    pub agent: Option<&'a str>,
    pub now: &'a str,
    pub params: Option<Map<String, Value>>,
    /// A person agreed, or the skill says that it may.
    pub again: bool,
    /// A small run, and its goal.
    pub small: Option<Option<&'a str>>,
}

/// Why a work session is not given to this agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotGiven {
    /// Another live agent session works here.
    Held(Holder),
    /// The skill has done its work here, or was left in a phase.
    Done { skill: String, left: Option<PhaseName> },
    /// An ordinary run of the skill is under way, or was left: a small one would pass its gates by.
    Ordinary { skill: String, phase: Option<PhaseName> },
    /// A small run with this goal is under way.
    OtherGoal(String),
}

impl WorkState {
    /// A checklist is to be handed in, also if it was before.
    pub fn arm(&mut self, path: &str) {
        match self.checklists.iter_mut().find(|list| list.path == path) {
            Some(list) => list.passed_hash = None,
            None => self.checklists.push(Checklist { path: path.to_owned(), passed_hash: None }),
        }
    }

    pub fn parse(text: &str) -> Result<Self, Unusable> {
        let mut state: Self =
            serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        for run in &mut state.runs {
            // Earlier releases kept here whether the skill was still being read.
            run.others.remove("loading");
        }
        versioned::readable(state.version, VERSION).map(|()| state)
    }

    /// The run that is under way, or the last one.
    pub fn run(&self) -> Option<&Run> {
        self.runs.last()
    }

    pub fn run_mut(&mut self) -> Option<&mut Run> {
        self.runs.last_mut()
    }

    pub fn is_held_by(&self, agent: &str) -> bool {
        self.agent_session.as_ref().is_some_and(|holder| holder.id == agent)
    }

    /// Binds an agent session and starts a skill, or goes on with it. `is_alive` tells whether an agent session still lives.
    pub fn activate(
        &mut self,
        activation: &Activation<'_>,
        is_alive: impl Fn(&str) -> bool,
    ) -> Result<Activated, NotGiven> {
        let Activation { skill, phases, directives, agent, now, params, again, small } = activation;
        if let Some(holder) = &self.agent_session
            && agent.is_none_or(|agent| holder.id != agent)
            && is_alive(&holder.id)
        {
            return Err(NotGiven::Held(holder.clone()));
        }
        let goes_on = self.run().is_some_and(|run| run.skill == *skill && run.ended_at.is_none());
        let done = self.runs.iter().rfind(|run| run.skill == *skill && run.ended_at.is_some());
        if let Some(run) = done.filter(|_| !goes_on && !again) {
            let left = run.left_in().cloned();
            return Err(NotGiven::Done { skill: (*skill).to_owned(), left });
        }
        if let Some(goal) = small {
            self.may_be_small(skill, goes_on, *goal)?;
        }
        let was_idle = self.lifecycle != Lifecycle::Active;
        if !goes_on {
            if let Some(run) = self.run_mut() {
                run.left = !was_idle && run.ended_at.is_none() && run.current_phase.is_some();
                run.ended_at.get_or_insert((*now).to_owned());
            }
            let goal = small.flatten().map(str::to_owned);
            let new = Run { small: small.is_some(), goal, ..Run::new(skill, phases, now) };
            self.runs.push(Run { directives: directives.to_vec(), ..new });
        }
        let before = self.agent_session.as_ref().filter(|_| goes_on).map(|holder| holder.id.clone());
        if let Some(run) = self.run_mut() {
            for id in before.as_deref().into_iter().chain(*agent) {
                run.note_holder(id);
            }
        }
        self.lifecycle = Lifecycle::Active;
        if let Some(agent) = agent.filter(|agent| !self.is_held_by(agent)) {
            self.agent_session = Some(Holder { id: agent.to_owned(), bound_at: (*now).to_owned() });
        }
        for (key, value) in params.iter().flatten() {
            self.params.insert(key.clone(), value.clone());
        }
        Ok(if !goes_on {
            Activated::Started
        } else if was_idle {
            Activated::Reactivated
        } else {
            Activated::Unchanged
        })
    }

    /// Whether a small run of a skill may begin or go on here.
    fn may_be_small(&self, skill: &str, goes_on: bool, goal: Option<&str>) -> Result<(), NotGiven> {
        let Some(last) = self.runs.iter().rfind(|run| run.skill == skill) else { return Ok(()) };
        let is_open = goes_on || (!last.stopped && !last.unpassed().is_empty());
        if !last.small && is_open {
            let phase = last.current_phase.clone();
            return Err(NotGiven::Ordinary { skill: skill.to_owned(), phase });
        }
        match (&last.goal, goal) {
            (Some(kept), Some(goal)) if goes_on && kept != goal => Err(NotGiven::OtherGoal(kept.clone())),
            _ => Ok(()),
        }
    }

    /// Another agent session goes on with it in a new context.
    pub fn give(&mut self, to: &str, now: &str) {
        let before = self.agent_session.replace(Holder { id: to.to_owned(), bound_at: now.to_owned() });
        if let Some(run) = self.run_mut() {
            for id in before.iter().map(|holder| holder.id.as_str()).chain([to]) {
                run.note_holder(id);
            }
        }
    }

    /// The work rests or is over, and nobody is bound to it. `approved`: why a person let it, though something was open.
    pub fn close(&mut self, lifecycle: Lifecycle, now: &str, approved: Option<&str>) {
        self.lifecycle = lifecycle;
        self.agent_session = None;
        if let Some(run) = self.run_mut() {
            if let Some(why) = approved {
                let phase = run.current_phase.as_ref().map(ToString::to_string).unwrap_or_default();
                run.history.push(Passed {
                    phase,
                    at: now.to_owned(),
                    approved: Some(why.to_owned()),
                    ..Passed::default()
                });
            }
            if lifecycle.is_over() {
                run.ended_at.get_or_insert(now.to_owned());
            }
        }
        for run in self.runs.iter_mut().filter(|_| lifecycle.is_over()) {
            run.stopped |= !run.unpassed().is_empty();
        }
    }

    /// `active`, or `stopped in 3: Build`.
    pub fn shown(&self) -> String {
        let lifecycle = self.lifecycle.as_str();
        match self.run().and_then(|run| run.current_phase.as_ref()) {
            Some(phase) if self.lifecycle == Lifecycle::Stopped => format!("{lifecycle} in {phase}"),
            _ => lifecycle.to_owned(),
        }
    }
}

/// What an activation came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activated {
    Started,
    Reactivated,
    Unchanged,
}

impl Run {
    fn new(skill: &str, phases: &[Phase], now: &str) -> Self {
        let mut phases = phases.to_vec();
        phases.sort_by(|a, b| a.label.cmp(&b.label));
        let first =
            phases.first().map(|phase| PhaseName { label: phase.label.clone(), name: phase.name.clone() });
        Self {
            skill: skill.to_owned(),
            started_at: now.to_owned(),
            current_phase: first,
            phases,
            ..Self::default()
        }
    }

    fn note_holder(&mut self, agent: &str) {
        self.holders.retain(|holder| holder != agent);
        self.holders.push(agent.to_owned());
        let more = self.holders.len().saturating_sub(MOST_HOLDERS);
        self.holders.drain(..more);
    }

    /// The phase in which it was left for another skill.
    pub fn left_in(&self) -> Option<&PhaseName> {
        self.current_phase.as_ref().filter(|_| self.left)
    }

    /// The current phase as the skill declares it.
    pub fn declared(&self) -> Option<&Phase> {
        let current = self.current_phase.as_ref()?;
        self.phases.iter().find(|phase| phase.label == current.label)
    }

    /// Its number among the phases, from one.
    pub fn position(&self) -> Option<usize> {
        let current = self.current_phase.as_ref()?;
        Some(self.phases.iter().position(|phase| phase.label == current.label)? + 1)
    }

    /// The files of the run: `IMPLEMENT_LOG.md`.
    pub fn file(&self, kind: &str) -> String {
        file_of(&self.skill, kind)
    }
}

/// `IMPLEMENT_LOG.md`, `IMPLEMENT.md`; the name of a plugin's skill without the plugin.
pub fn file_of(skill: &str, kind: &str) -> String {
    let name = skill.rsplit(':').next().unwrap_or(skill).to_uppercase().replace('-', "_");
    if kind.is_empty() { format!("{name}.md") } else { format!("{name}_{kind}.md") }
}
