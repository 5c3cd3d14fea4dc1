//! What rules ask of the open plan of an agent session. The plan's own file has the truth; this saves reading it with every event,
//! and keeps what only events tell: edits, failed checks, skills that were called.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Guardrails, Kind, Plan, Reviewer, Reviewing, State};
use crate::evidence::known::TESTS;
use crate::evidence::ledger::{self, Check, Line, Outcome, Red};
use crate::todo::{self, Noted, Todo};
use engine_text::line::one_line;

/// Cycles of edit and failed check on one file before a person is asked.
const CYCLES: u32 = 3;
/// Files that are remembered at most: the state of a session stays small.
const MOST_FILES: usize = 200;
/// Open ends that are copied, and how much of each.
const MOST_OPEN: usize = 10;
const LONGEST_OPEN: usize = 120;
/// Agents that judge, and names of such agents, that are remembered at most.
const MOST_REVIEWERS: usize = 50;

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
    pub guardrails: Guardrails,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveStep>,
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
    /// What agents judge, see [`Plan::digest`].
    pub digest: String,
    /// The plan in the last brief of each agent that judges.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub briefed: BTreeMap<Reviewer, String>,
    /// Agents that judge or have judged, by their ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reviewing: BTreeMap<String, Reviewing>,
    /// Names and ids by which messages would reach them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub reviewers: BTreeSet<String>,
    /// How many edits were seen.
    #[serde(skip_serializing_if = "is_zero")]
    pub edits: u64,
    /// Files that were edited since a check failed, or since the work was in order.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub edited: BTreeSet<String>,
    /// Cycles of edit and failed check since the work was in order, by file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cycles: BTreeMap<String, u32>,
    /// Checks that failed and that nothing has put right since: a build that passes does not mend a test, nor does a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<Red>,
    /// A check passed, none that weighs more is red, and nothing was edited since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_order: bool,
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
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
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
    pub number: u32,
    pub text: String,
    pub kind: Kind,
}

/// A file on which the work goes in circles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrash {
    pub file: String,
    pub cycles: u32,
}

impl Thrash {
    pub fn reason(&self) -> String {
        format!("{} was edited and a check failed, {} times with no pass between", self.file, self.cycles)
    }
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
            guardrails: plan.guardrails.clone(),
            active,
            scope: plan.scope.clone(),
            supervise: plan.supervise,
            steps_at_lock: plan.lock.as_ref().map_or(0, |lock| lock.steps_at_lock),
            steps: plan.steps.len(),
            steps_done: plan.steps.iter().filter(|step| step.state == State::Done).count(),
            checks: plan.check_lines(),
            open: open.iter().take(MOST_OPEN).map(|text| one_line(text, LONGEST_OPEN)).collect(),
            open_count: open.len(),
            digest: plan.digest(),
            briefed: before.briefed,
            reviewing: before.reviewing,
            reviewers: before.reviewers,
            edits: before.edits,
            cycles: if resumed || begins { BTreeMap::new() } else { before.cycles },
            failed_checks: if begins { 0 } else { before.failed_checks },
            red: if begins { Vec::new() } else { before.red },
            doubted: !begins && before.doubted,
            in_order: before.in_order,
            edited: before.edited,
            outside: before.outside,
            skill_called: before.skill_called,
            changed: before.changed,
            reminded: before.reminded,
            todos: before.todos,
        }
    }

    /// An agent that judges is about to start, with this plan in its brief.
    pub fn brief(&mut self, by: Reviewer, name: Option<&str>) {
        self.briefed.insert(by, self.digest.clone());
        if let Some(name) = name {
            self.know_reviewer(name);
        }
    }

    /// Remembers a name or an id by which a message would reach an agent that judges.
    pub fn know_reviewer(&mut self, name: &str) {
        if self.reviewers.len() < MOST_REVIEWERS {
            self.reviewers.insert(name.to_owned());
        }
    }

    /// An agent judges now. `content`: that of the project at its first call of a tool.
    pub fn begin_review(&mut self, agent: &str, by: Reviewer, content: Option<String>) {
        if self.reviewing.len() >= MOST_REVIEWERS {
            self.reviewing.retain(|_, agent| !agent.ended);
        }
        if !self.reviewing.contains_key(agent) {
            let plan = self.briefed.get(&by).cloned().unwrap_or_default();
            let begun = Reviewing { by, plan, content, looked: false, ended: false };
            self.reviewing.insert(agent.to_owned(), begun);
        }
    }

    /// Whether a message to this name or id would reach an agent that judges.
    pub fn is_reviewer(&self, name: &str) -> bool {
        self.reviewing.contains_key(name) || self.reviewers.contains(name)
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
        self.changed = true;
        self.edits += 1;
        if std::mem::take(&mut self.in_order) {
            self.edited.clear();
        }
        if self.edited.len() < MOST_FILES {
            self.edited.insert(file.to_owned());
        }
        if !super::covers(&self.scope, file) && self.outside.len() < MOST_FILES {
            self.outside.insert(file.to_owned());
        }
    }

    fn saw_check(&mut self, check: &Check) -> Option<Thrash> {
        ledger::note(&mut self.red, check);
        match check.outcome {
            Outcome::Passed => self.saw_pass(check),
            Outcome::Failed { .. } => return self.saw_failure(),
            Outcome::Unknown { .. } => self.doubted = true,
        }
        None
    }

    /// A check passed. Where nothing else is red, every file may be edited anew; and where the tests pass, whatever a linter still
    /// says. A part of the tests is not the tests.
    fn saw_pass(&mut self, check: &Check) {
        self.changed = false;
        let is_test = |checks: &[crate::evidence::known::Check]| checks.iter().any(|one| one.family == TESTS);
        let is_mended = is_test(&check.checks) && !self.red.iter().any(|red| is_test(&red.checks));
        if self.red.is_empty() || is_mended {
            self.in_order = true;
            self.cycles.clear();
        }
    }

    /// A check failed. What was edited since one did has gone through one more cycle; the file that has gone through too many
    /// comes back.
    fn saw_failure(&mut self) -> Option<Thrash> {
        self.failed_checks += 1;
        self.in_order = false;
        let mut worst: Option<Thrash> = None;
        for file in std::mem::take(&mut self.edited) {
            if self.cycles.len() >= MOST_FILES && !self.cycles.contains_key(&file) {
                continue;
            }
            let cycles = self.cycles.entry(file.clone()).or_default();
            *cycles += 1;
            if *cycles >= CYCLES && worst.as_ref().is_none_or(|worst| *cycles > worst.cycles) {
                worst = Some(Thrash { file, cycles: *cycles });
            }
        }
        worst
    }

    fn saw_skill(&mut self, skill: &str) {
        let wanted = self.guardrails.require_skill.as_deref();
        self.skill_called |= wanted.is_some_and(|wanted| crate::chain::same_skill(wanted, skill));
    }
}
