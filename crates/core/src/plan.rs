//! A plan: steps, acceptance criteria and guardrails of one piece of work, as an object of the engine.
//!
//! It is made from the intent router's YAML, its criteria are locked before the work begins, and its steps move by commands. What a
//! plan refuses it refuses here, whoever asks; what an event can tell (edits, failed checks) rules add through [`BoundPlan`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Choice;
use crate::dialect::Dialect;
use crate::evidence::ledger::Red;
use crate::evidence::proof::{Command, Judge, Proof};
use crate::evidence::{EditScope, checks_of};
use crate::versioned::{self, Unusable};
use engine_text::line::{fingerprint, is_word};

mod agents;
mod armed;
mod awaited;
mod begin;
mod bound;
mod brief;
mod circle;
mod criteria;
mod delegate;
mod guardrails;
mod limits;
mod page;
mod preset;
mod proof_command;
mod quick;
mod read;
mod red;
mod replan;
mod report;
mod restored;
mod review;
mod standing;
mod step;

pub use crate::step_id::{Part, StepId};
pub use agents::{Delegated, StepAgent};
pub use armed::{Armed, DO, DO_QUICK, ROUTER, is_named};
pub use awaited::{Awaited, AwaitedProof};
pub use begin::{ComesFirst, NextStep};
pub use bound::{ActiveStep, BoundPlan, Observation};
pub use brief::brief;
pub use circle::{Circles, Thrash};
pub use criteria::CriteriaChange;
pub use delegate::{
    AgentNews, Came, Claim, Conduct, Meant, REFACTOR, Run, TASK, TDD, TRIES, Turn, VET, is_of_tier,
};
pub use guardrails::Guardrails;
pub use limits::{ATTEMPTS as RUN_ATTEMPTS, MINUTES as RUN_MINUTES, TIERS, TOKENS as RUN_TOKENS, tiers};
pub use page::{is_page, page, shown, step_line, told, was_edited};
pub use preset::{FORM, PRESETS};
pub use quick::{Extent, QUICK_FILES, QUICK_LINES};
pub use read::{LARGEST, is_inside, read, text_of, unproved};
pub use red::RedLacks;
pub use replan::Replanned;
pub use report::Report;
pub use restored::Heir;
pub use review::{Opinion, PROMPT_WRITER, ROLES, Review, Reviewer, Reviewing, UNBRIEFED, differ, role};
pub use step::Moved;

/// The version of a delegated plan: an older engine would start its steps by itself.
pub const VERSION: u32 = 4;
/// That of a quick plan: an older engine would neither close nor halt it.
pub const QUICK: u32 = 3;
/// That of every other.
pub const ORDINARY: u32 = 2;

/// How often a step is tried before a person is asked.
pub const ATTEMPTS: u32 = 3;

/// What a work step must have left in git.
pub const COMMIT: Choice = Choice {
    name: "plan.commit",
    default: "off",
    of: &["off", "commit", "push"],
    about: "What a work step of a plan needs to be done: nothing, its changes committed, or HEAD at its upstream.",
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Plan {
    pub version: u32,
    pub name: String,
    pub created_at: String,
    /// The readable form, from the project's root. It is written from this and never read.
    pub page: String,
    /// The git worktree whose root that is; nothing for the main checkout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The agent session that works on it; nothing for a person's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// All agent sessions that did: what they ran is evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<String>,
    /// The task of session.md that is done with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    pub task_type: String,
    pub workflow: String,
    pub skills_to_invoke: Vec<String>,
    pub guardrails: Guardrails,
    pub enriched_context: String,
    /// In the order of work. A number stays with its step.
    pub steps: Vec<Step>,
    /// Numbered from one, by their place.
    pub criteria: Vec<Criterion>,
    /// Patterns of the files that are to change; none: any.
    pub scope: Vec<String>,
    pub warnings: Vec<String>,
    pub original_fragment: String,
    /// The main agent changes nothing itself.
    pub supervise: bool,
    /// Small work, locked at once: it closes itself, and halts when it grows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<Lock>,
    /// Who carries out its steps.
    #[serde(skip_serializing_if = "is_own")]
    pub conduct: Conduct,
    /// The tiers of models, the cheapest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<String>,
    /// The runbook that it is made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbook: Option<Source>,
    /// How things were when the quick plan was locked in whose place this one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outgrown: Option<Box<Start>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub halts: Vec<Halt>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// Definitions of checks that a person accepted after the lock: a fingerprint each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// What agents said that judge; the last of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
    /// Fields of another release survive a rewrite.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// The runbook that a plan is made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Its folder, from the root.
    pub folder: String,
    /// A fingerprint of its text.
    pub sum: String,
    /// When the files for the agents were written.
    pub prepared_at: String,
    /// What the engine wrote: a fingerprint by path. Anything else at these paths is somebody else's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_own(conduct: &Conduct) -> bool {
    *conduct == Conduct::Own
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    pub number: StepId,
    pub text: String,
    pub kind: Kind,
    /// What shows that it is done. A check has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Those that it is about, from the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    pub state: State,
    pub attempts: u32,
    /// Attempts that a person has looked at.
    #[serde(skip_serializing_if = "is_zero")]
    pub forgiven: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// The commit that was checked out then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_head: Option<String>,
    /// The content of the project's files then, where it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The tier of models that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The type of agent that does it; nothing where the main agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What that agent is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Where it reports, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// A fingerprint of what its file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What must be done before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<StepId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// A cycle whose test passes at once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub regression: bool,
    /// The engine put it in after the lock.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inserted: bool,
    /// Why a person left it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Work,
    /// Looks whether what was done holds; nothing that comes later starts before it.
    Check,
    /// A test that fails, then the code that makes it pass.
    Cycle,
    /// Work that the main agent of a delegated plan does itself.
    Inline,
    /// An agent reviews what a phase has changed.
    Review,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    #[default]
    Open,
    Active,
    Done,
    Failed,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Active => "active",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Criterion {
    pub text: String,
    /// What shows that it is met. Only plans of an earlier release have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CriterionVerdict>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CriterionVerdict {
    pub met: bool,
    /// What was found: `` `pytest -q` passed ``, `changed: docs/login.md (+3 −1)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// It was met before the work began, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before: bool,
    /// Who judged it, where nothing was looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judge>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The agent session, or `person`.
    pub by: String,
    pub at: String,
    /// The content of the project that was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lock {
    /// Of what must not change any more.
    pub hash: String,
    pub steps_at_lock: usize,
    /// How many steps growth is measured against: a person may have agreed to more.
    pub agreed: usize,
    pub at: String,
    #[serde(flatten)]
    pub start: Start,
}

/// How things were when the plan was locked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Start {
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The content of the project's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Checks that were red: they do not hold up what this plan is not about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<Red>,
    /// Commands of proofs that had passed, as [`crate::evidence::proof::Command::shown`] writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// What defined the check of each proof: a fingerprint by file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, BTreeMap<String, String>>,
    /// Fingerprints of the files that proofs name; nothing for one that was not there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halt {
    pub kind: HaltKind,
    pub reason: String,
    pub at: String,
    /// The step whose agent needs an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HaltKind {
    Growth,
    Thrash,
    Attempts,
    Manual,
    /// More was changed than a quick plan is for.
    Size,
    /// An agent needs a decision. What the user says next is the answer.
    Question,
    /// More was spent than the run may.
    Budget,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    pub reason: String,
    pub at: String,
}

/// What a person let pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub what: String,
    pub reason: String,
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    pub at: String,
    /// Why a person let it, though something was open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// The commit that was checked out then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Skills of the plan that nobody had called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncalled: Vec<String>,
}

/// Why a plan does not do what is asked, and the commands that help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub fixes: Vec<String>,
}

impl Refusal {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), fixes: Vec::new() }
    }

    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fixes.push(fix.into());
        self
    }
}

/// What an agent can do about a halt. A quick plan that grew too large may also give way to a full one.
pub fn ways_out(outgrown: bool) -> [&'static str; 2] {
    if outgrown {
        return [
            "engine plan new --lock with a full plan, which takes its place",
            "engine plan resume: engine asks the user; after their ok the same command goes on, and engine plan close ends the plan",
        ];
    }
    [
        "tell the user what happened and how you would go on; reading and asking stay free",
        "engine plan resume: engine asks the user, and after their ok the same command goes on",
    ]
}

impl Plan {
    pub fn parse(text: &str) -> Result<Self, Unusable> {
        let plan: Self = serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(plan.version, VERSION)?;
        match &plan.lock {
            Some(lock) if lock.hash != plan.hash() => {
                Err(Unusable::Damaged("its criteria are not those that were locked".to_owned()))
            }
            _ => Ok(plan),
        }
    }

    /// A name for what must not change after the lock. To hash something else is another version: plans that are locked would read as
    /// damaged.
    pub(crate) fn hash(&self) -> String {
        fingerprint(&self.fixed())
    }

    /// What must not change after the lock.
    pub fn fixed(&self) -> String {
        if self.version < 2 {
            let criteria: Vec<&str> = self.criteria.iter().map(|criterion| criterion.text.as_str()).collect();
            return serde_json::json!([criteria, self.guardrails, self.scope, self.supervise]).to_string();
        }
        let criteria: Vec<_> = self.criteria.iter().map(|one| (&one.text, &one.proof)).collect();
        if self.is_delegated() {
            let steps = self.steps.iter().map(|step| {
                let Step { number, text, kind, model, needs, files, proof, .. } = step;
                (number, text, kind, model, needs, files, proof)
            });
            let steps: Vec<_> = steps.collect();
            return serde_json::json!([criteria, self.guardrails, self.scope, self.tiers, steps]).to_string();
        }
        let steps = self.steps.iter().filter(|step| step.proof.is_some());
        let steps: Vec<_> = steps.map(|step| (step.number, &step.text, &step.proof)).collect();
        serde_json::json!([criteria, self.guardrails, self.scope, self.supervise, steps]).to_string()
    }

    /// Seals what must not change any more, after the engine itself has changed it.
    fn seal(&mut self) {
        self.version = self.version.max(if self.is_delegated() { VERSION } else { ORDINARY });
        let hash = self.hash();
        if let Some(lock) = &mut self.lock {
            lock.hash = hash;
        }
    }

    /// The commands of its proofs that nobody knows. Once locked they are checks: a person has agreed to them.
    pub fn check_lines(&self) -> Vec<String> {
        let scope = EditScope::new("/", &Dialect::NONE);
        let is_unknown = |command: &&Command| checks_of(command, &scope).is_none();
        let commands = self.proofs().filter_map(|(_, proof)| proof.command()).filter(is_unknown);
        let lines = commands.map(|command| command.line.clone());
        if self.lock.is_some() { lines.collect() } else { Vec::new() }
    }

    /// Every proof, with what it shows: `criterion 2`, `step 3`.
    pub fn proofs(&self) -> impl Iterator<Item = (String, &Proof)> {
        let criteria = self.criteria.iter().zip(1..);
        let criteria =
            criteria.filter_map(|(one, number)| Some((format!("criterion {number}"), one.proof.as_ref()?)));
        let steps = self.steps.iter();
        criteria.chain(steps.filter_map(|step| Some((format!("step {}", step.number), step.proof.as_ref()?))))
    }

    /// The halt that nobody has lifted yet.
    pub fn halted(&self) -> Option<&Halt> {
        self.halts.last().filter(|halt| halt.resumed.is_none())
    }

    pub fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// The skills that it names and that nobody had called when it was closed.
    pub fn uncalled(&self) -> Vec<String> {
        self.closed.as_ref().map(|closed| closed.uncalled.clone()).unwrap_or_default()
    }

    pub fn active(&self) -> Option<&Step> {
        self.steps.iter().find(|step| step.state == State::Active)
    }

    pub fn step(&self, number: impl Into<StepId>) -> Result<&Step, Refusal> {
        let number = number.into();
        self.steps.iter().find(|step| step.number == number).ok_or_else(|| self.no_step(number))
    }

    fn no_step(&self, number: StepId) -> Refusal {
        Refusal::new(format!("plan {} has no step {number}", self.name))
            .fix("engine plan show lists its steps")
    }

    /// Nothing moves in a plan that is closed or halted.
    pub fn moves(&self) -> Result<(), Refusal> {
        if !self.is_open() {
            return Err(Refusal::new(format!("plan {} is closed", self.name)));
        }
        let Some(halt) = self.halted() else { return Ok(()) };
        let refusal = Refusal::new(format!("plan {} is halted: {}", self.name, halt.reason));
        Err(ways_out(self.is_outgrown()).into_iter().fold(refusal, Refusal::fix))
    }

    /// Work begins when everybody knows what done means.
    pub fn works(&self) -> Result<(), Refusal> {
        self.moves()?;
        if self.lock.is_none() {
            return Err(Refusal::new(format!("plan {} is not locked yet", self.name))
                .fix("engine plan lock, once steps and criteria are right"));
        }
        Ok(())
    }

    /// Fixes the criteria and every proof.
    pub fn lock(&mut self, start: Start, now: &str) -> Result<(), Refusal> {
        self.moves()?;
        if self.lock.is_some() {
            return Err(Refusal::new(format!("plan {} is locked already", self.name)));
        }
        let steps = self.steps.len();
        let start = self.since_the_first_lock(start);
        self.lock = Some(Lock {
            hash: String::new(),
            steps_at_lock: steps,
            agreed: steps,
            at: now.to_owned(),
            start,
        });
        self.seal();
        Ok(())
    }

    /// Stops the work until a person has spoken.
    pub fn halt(&mut self, kind: HaltKind, reason: &str, now: &str) -> Result<(), Refusal> {
        self.moves()?;
        let (reason, at) = (reason.to_owned(), now.to_owned());
        self.halts.push(Halt { kind, reason, at, step: None, resumed: None });
        Ok(())
    }

    /// Goes on, by a person's word: what they saw is forgiven, and as many steps as there are count as agreed.
    pub fn resume(&mut self, reason: &str, now: &str) -> Result<(), Refusal> {
        let Some(halt) = self.halts.last_mut().filter(|halt| halt.resumed.is_none()) else {
            return Err(Refusal::new(format!("plan {} is not halted", self.name)));
        };
        halt.resumed = Some(Resumed { reason: reason.to_owned(), at: now.to_owned() });
        self.quick &= halt.kind != HaltKind::Size;
        for step in &mut self.steps {
            step.forgiven = step.attempts;
        }
        if let Some(lock) = &mut self.lock {
            lock.agreed = lock.agreed.max(self.steps.iter().filter(|step| !step.inserted).count());
        }
        Ok(())
    }

    /// Steps that were agreed on, and steps now, if there is a difference.
    pub fn growth(&self) -> Option<(usize, usize)> {
        let lock = self.lock.as_ref()?;
        let count = self.steps.iter().filter(|step| !step.inserted).count();
        (count > lock.steps_at_lock).then_some((lock.steps_at_lock, count))
    }

    /// Everything that keeps the plan from being closed; but for what evidence comes to by now.
    pub fn loose_ends(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.lock.is_none() {
            found.push("it was never locked".to_owned());
        }
        if let Some(halt) = self.halted() {
            found.push(format!("it is halted: {}", halt.reason));
        }
        let steps = self.steps.iter().filter(|step| step.state != State::Done);
        found.extend(
            steps.map(|step| format!("step {} is {}: {}", step.number, step.state.as_str(), step.text)),
        );
        for (index, criterion) in self.criteria.iter().enumerate() {
            let (number, text) = (index + 1, &criterion.text);
            match &criterion.verdict {
                None => found.push(format!("criterion {number} is not verified: {text}")),
                Some(CriterionVerdict { met: false, why, .. }) => {
                    let why = why.as_deref().unwrap_or("no reason was given");
                    found.push(format!("criterion {number} is rejected ({why}): {text}"));
                }
                Some(_) => {}
            }
        }
        found.extend(self.unapproved().filter(|_| self.lock.is_some()));
        found
    }

    /// Ends it. `approved`: why a person let it, though something was open; `head`: the commit that is checked out.
    pub fn close(
        &mut self,
        approved: Option<String>,
        head: Option<String>,
        now: &str,
    ) -> Result<(), Refusal> {
        if !self.is_open() {
            return Err(Refusal::new(format!("plan {} is closed", self.name)));
        }
        self.closed = Some(Closed { at: now.to_owned(), approved, head, uncalled: Vec::new() });
        Ok(())
    }

    /// Gives it to an agent session.
    pub fn give(&mut self, agent: &str) {
        self.owner = Some(agent.to_owned());
        if !self.owners.iter().any(|owner| owner == agent) {
            self.owners.push(agent.to_owned());
        }
    }
}

/// Whether a text can be the name of a plan: it is a folder, too. Letters of any script, small where there are small ones.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c == '-' || (is_word(c) && c.to_lowercase().eq([c]));
    (1..=60).contains(&text.len())
        && text.chars().all(plain)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// A name made from the first words of what was asked for.
pub fn name_for(fragment: &str) -> String {
    let words = fragment
        .split(|c: char| !is_word(c))
        .map(str::to_lowercase)
        .filter(|word| word.chars().all(is_word) && !word.is_empty() && word.len() <= 20);
    let name = words.take(5).collect::<Vec<_>>().join("-");
    let name = name[..name.floor_char_boundary(50)].trim_end_matches('-');
    if name.is_empty() { "plan".to_owned() } else { name.to_owned() }
}

/// Whether a scope's patterns cover a path from the root. Nothing in the scope covers everything; a folder covers what is below it.
pub fn covers(scope: &[String], path: &str) -> bool {
    use engine_text::glob::{alternatives, matches};
    let fits = |pattern: &String| {
        alternatives(pattern).iter().any(|pattern| {
            let pattern = pattern.trim_end_matches('/');
            matches(pattern, path) || matches(&format!("{pattern}/**"), path)
        })
    };
    scope.is_empty() || scope.iter().any(fits)
}

#[cfg(test)]
mod tests;
