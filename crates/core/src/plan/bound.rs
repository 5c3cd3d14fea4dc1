//! What rules ask of the open plan of an agent session. The plan's own file has the truth; this saves reading it with every event,
//! and keeps what only events tell: edits, failed checks, skills that were called.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::agents::Delegated;
use super::circle::{Circles, Thrash};
use super::proof_command::ProofCommand;
use super::{AwaitedProof, Guardrails, Kind, NextStep, Plan, Reviewer, Reviewing, State, StepId};
use crate::evidence::ledger::{self, Check, Line, Outcome, Red};
use crate::evidence::standing::{self, LastCheck};
use crate::todo::{self, Noted, Todo};
use engine_text::line::one_line;

/// Files that are remembered at most: the state of a session stays small.
const MOST_FILES: usize = 200;
/// Open ends that are copied, and how much of each.
const MOST_OPEN: usize = 10;
const LONGEST_OPEN: usize = 120;
/// Agents that judge, and their briefs, that are remembered at most.
const MOST_REVIEWERS: usize = 50;

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_excessive_bools, reason = "answers to what different rules ask")]
pub struct BoundPlan {
    pub name: String,
    /// The readable form, from the project's root.
    pub page: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
    /// Why nothing moves until a person has spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub halted: Option<String>,
    /// How often it was halted.
    #[serde(skip_serializing_if = "is_zero")]
    pub halts: usize,
    pub guardrails: Guardrails,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveStep>,
    /// What the next change comes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStep>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub supervise: bool,
    pub steps_at_lock: usize,
    pub steps: usize,
    pub steps_done: usize,
    /// The commands of its proofs, which are checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// What keeps it from being closed, in short; not all if there is much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    pub open_count: usize,
    /// What was edited again and again before the same check failed.
    #[serde(skip_serializing_if = "Circles::is_empty")]
    pub circles: Circles,
    /// What agents judge, see [`Plan::digest`].
    pub digest: String,
    /// Briefs of agents that judge and have not begun.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub briefs: Vec<Brief>,
    /// Agents that judge or have judged, by their ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reviewing: BTreeMap<String, Reviewing>,
    /// How many edits were seen.
    #[serde(skip_serializing_if = "is_zero")]
    pub edits: u64,
    /// Checks that failed and that nothing has put right since: a build that passes does not mend a test, nor does a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<Red>,
    /// Files outside of the scope that were edited.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub outside: BTreeSet<String>,
    /// Checks that failed since the plan was locked.
    pub failed_checks: u32,
    /// The skill that the plan requires was called.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skill_called: bool,
    /// Something was edited since the last check that passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// The agent was told that the outcome of a check is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
    /// The agent was told where decisions go.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reminded: bool,
    /// What the agent keeps for itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Todo>,
    /// The commands that must pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<ProofCommand>,
    /// Those of them that have not passed since the last edit, by their lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unproved: Vec<String>,
    /// The numbers of the criteria that are not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unshown: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_check: Option<LastCheck>,
    /// The command whose run ends a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaits: Option<AwaitedProof>,
    /// It closes itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// It is a quick plan, and halted because it grew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub outgrown: bool,
    /// It is to be locked in place of a quick plan that grew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replaces: bool,
    /// A proof of a quick plan has passed since the last edit that was seen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub proved: bool,
    /// Skills that are to be called for it, and those of them that were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub called: BTreeSet<String>,
    /// The agent was told of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skills_told: bool,
    /// Its steps are given to agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegated: Option<Delegated>,
}

/// What waits for an agent that judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    pub by: Reviewer,
    /// The call that starts the agent.
    pub call: String,
    /// The plan in it, see [`Plan::digest`].
    pub plan: String,
    /// The agent, once the client has named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// Something that an event tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// Of a file: its path from the root, or the command that changed files which it does not name.
    Edit(String),
    /// A check that is known.
    Checked(Check),
    /// A skill was called.
    Skill(String),
    /// The agent's own list changed.
    Todo(Noted),
}

impl Observation {
    /// What a line of the ledger means for a plan; a check that nobody knows says nothing.
    pub fn of(line: Line) -> Option<Self> {
        match line {
            Line::Edit { file, .. } => Some(Self::Edit(file)),
            Line::Check(check) => check.known.then_some(Self::Checked(check)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveStep {
    pub number: StepId,
    pub text: String,
    pub kind: Kind,
}

impl BoundPlan {
    /// The copy of a plan; what events told of it stays, unless a person has let it go on since.
    pub fn of(plan: &Plan, before: Option<&Self>) -> Self {
        let before = before.filter(|before| before.name == plan.name).cloned().unwrap_or_default();
        let resumed = before.halted.is_some() && plan.halted().is_none();
        let begins = !before.locked && plan.lock.is_some();
        let open = plan.loose_ends();
        let active = plan.active().map(|step| ActiveStep {
            number: step.number,
            text: step.text.clone(),
            kind: step.kind,
        });
        Self {
            name: plan.name.clone(),
            page: plan.page.clone(),
            locked: plan.lock.is_some(),
            halted: plan.halted().map(|halt| halt.reason.clone()),
            halts: plan.halts.len(),
            guardrails: plan.guardrails.clone(),
            active,
            next: plan.next_step(),
            scope: plan.scope.clone(),
            supervise: plan.supervise,
            steps_at_lock: plan.lock.as_ref().map_or(0, |lock| lock.steps_at_lock),
            steps: plan.steps.len(),
            steps_done: plan.steps.iter().filter(|step| step.state == State::Done).count(),
            checks: plan.check_lines(),
            open: open.iter().take(MOST_OPEN).map(|text| one_line(text, LONGEST_OPEN)).collect(),
            open_count: open.len(),
            circles: if resumed || begins { Circles::default() } else { before.circles },
            digest: plan.digest(),
            briefs: before.briefs,
            reviewing: before.reviewing,
            edits: before.edits,
            failed_checks: if begins { 0 } else { before.failed_checks },
            red: if begins { Vec::new() } else { before.red },
            doubted: !begins && before.doubted,
            outside: before.outside,
            skill_called: before.skill_called,
            changed: before.changed,
            reminded: before.reminded,
            todos: before.todos,
            unproved: before.unproved,
            proofs: ProofCommand::of(plan),
            unshown: plan.unshown(),
            last_check: before.last_check,
            awaits: plan.awaited_proof(),
            quick: plan.quick,
            outgrown: plan.is_outgrown(),
            replaces: plan.outgrown.is_some(),
            proved: before.proved && !begins,
            skills: plan.skills_to_invoke.clone(),
            called: before.called,
            skills_told: before.skills_told,
            delegated: plan.is_delegated().then(|| Delegated::of(plan, before.delegated.as_ref())),
        }
    }

    /// Whether it closes itself at the end of this turn, if the look-up confirms what was seen.
    pub fn closes(&self) -> bool {
        self.quick && self.locked && self.halted.is_none() && self.proved
    }

    /// What a quick plan that does not close lacks: `pytest -q has not passed since the last edit`.
    pub fn not_passed(&self) -> Option<String> {
        let proof = self.proofs.first().filter(|_| self.quick)?;
        let since = if self.edits > 0 { "the last edit" } else { "the lock" };
        Some(format!("{} has not passed since {since}", standing::short(&proof.line)))
    }

    /// The skills that were not called yet.
    pub fn uncalled(&self) -> Vec<String> {
        self.skills.iter().filter(|skill| !self.called.contains(*skill)).cloned().collect()
    }

    /// An agent that judges is about to start by this call, with the plan in its brief.
    pub fn brief(&mut self, by: Reviewer, call: &str) {
        if self.briefs.len() >= MOST_REVIEWERS {
            self.briefs.remove(0);
        }
        let (call, plan) = (call.to_owned(), self.digest.clone());
        self.briefs.push(Brief { by, call, plan, agent: None });
    }

    /// A call has started this agent, and no other one gets its brief; or it has started none.
    pub fn started(&mut self, call: &str, agent: Option<&str>) {
        let Some(agent) = agent else { return self.briefs.retain(|brief| brief.call != call) };
        if !self.reviewing.contains_key(agent) {
            for brief in self.briefs.iter_mut().filter(|brief| brief.call == call) {
                brief.agent = Some(agent.to_owned());
            }
        }
    }

    /// At the end of a turn a call that has named no agent has started none, and will not.
    pub fn forget_briefs(&mut self) {
        self.briefs.retain(|brief| brief.agent.is_some());
    }

    /// The brief that waits for an agent: its own; else the oldest that is nobody's yet.
    fn brief_for(&self, agent: &str, by: Reviewer) -> Option<usize> {
        let at = |owner: Option<&str>| {
            self.briefs.iter().position(|brief| brief.by == by && brief.agent.as_deref() == owner)
        };
        at(Some(agent)).or_else(|| at(None))
    }

    /// The plan in the brief of an agent that has not begun; empty if it has no brief.
    pub fn briefed(&self, agent: &str, by: Reviewer) -> String {
        self.brief_for(agent, by).map(|at| self.briefs[at].plan.clone()).unwrap_or_default()
    }

    /// An agent judges now, and its brief is used up. `content`: that of the project at its first call of a tool.
    pub fn begin_review(&mut self, agent: &str, by: Reviewer, content: Option<String>) {
        if self.reviewing.len() >= MOST_REVIEWERS {
            self.reviewing.retain(|_, agent| !agent.ended);
        }
        if !self.reviewing.contains_key(agent) {
            let brief = self.brief_for(agent, by).map(|at| self.briefs.remove(at));
            let plan = brief.map(|brief| brief.plan).unwrap_or_default();
            let begun = Reviewing { by, plan, content, looked: false, ended: false };
            self.reviewing.insert(agent.to_owned(), begun);
        }
    }

    /// Notes what was seen; the file on which the work goes in circles comes back.
    pub fn see(&mut self, observation: &Observation) -> Option<Thrash> {
        match observation {
            Observation::Edit(file) => self.saw_edit(file),
            Observation::Checked(check) => return self.saw_check(check),
            Observation::Skill(skill) => self.saw_skill(skill),
            Observation::Todo(noted) => todo::note(&mut self.todos, noted),
        }
        None
    }

    fn saw_edit(&mut self, file: &str) {
        // Reports beside a plan whose steps are given to agents are written after the check.
        let folder = self.page.rsplit_once('/').filter(|_| self.delegated.is_some());
        if folder.is_some_and(|(folder, _)| ledger::is_at_or_below(file, folder)) {
            return;
        }
        self.changed = true;
        self.proved = false;
        self.unproved = self.proofs.iter().map(|proof| proof.line.clone()).collect();
        self.circles.edited(file);
        self.edits += 1;
        if !super::covers(&self.scope, file) && self.outside.len() < MOST_FILES {
            self.outside.insert(file.to_owned());
        }
    }

    fn saw_check(&mut self, check: &Check) -> Option<Thrash> {
        if matches!(check.outcome, Outcome::Failed { .. }) && self.is_wanted_red() {
            return None;
        }
        ledger::note(&mut self.red, check);
        match check.outcome {
            Outcome::Passed => {
                self.changed = false;
                let is_shown = |line: &String| {
                    self.proofs.iter().any(|proof| proof.line == *line && proof.is_shown_by(check))
                };
                self.unproved.retain(|line| !is_shown(line));
                self.proved |= self.quick && self.proofs.iter().any(|proof| proof.is_shown_by(check));
                self.circles.passed(&self.red);
            }
            Outcome::Failed { .. } => {
                self.failed_checks += 1;
                self.proved &= !self.proofs.iter().any(|proof| proof.is_shown_by(check));
                return self.circles.failed(check);
            }
            Outcome::Unknown { .. } => self.doubted = true,
        }
        None
    }

    /// A test that is to fail before its code is written has failed: that is its proof, and the first time it is nothing else.
    fn is_wanted_red(&mut self) -> bool {
        let agents = self.delegated.iter_mut().flat_map(|delegated| &mut delegated.agents);
        agents.into_iter().find(|agent| agent.red).map(|agent| agent.red = false).is_some()
    }

    fn saw_skill(&mut self, skill: &str) {
        let wanted = self.guardrails.require_skill.as_deref();
        self.skill_called |= wanted.is_some_and(|wanted| crate::chain::same_skill(wanted, skill));
        let is_it = |wanted: &&String| crate::chain::same_skill(wanted, skill);
        self.called.extend(self.skills.iter().filter(is_it).cloned());
    }
}
