//! A plan that others carry out: each step is given to an agent of its own, with a model of its own, and nothing that an agent says of
//! itself counts.
//!
//! The agent session that owns the plan only delegates. A step is claimed before its agent starts, so that it is started once; it runs
//! until that agent has ended; it is done when what the events and the disk show is enough. What failed is tried once more, then by the next
//! tier of models, then a person is asked.

use serde::{Deserialize, Serialize};

use super::{HaltKind, Kind, Plan, Refusal, State, Step, StepId, covers, is_named};
use engine_text::stamp::Stamp;

mod call;

pub use call::Meant;

/// Of the reason of a failure that the next agent is told, in characters.
const LONGEST_WHY: usize = 300;

/// How often one tier of models tries a step.
pub const TRIES: usize = 2;

/// A claim whose agent has not started for so long may be taken: the call was refused by something else.
const UNSTARTED: u64 = 30_000;

/// Who carries out the steps of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Conduct {
    /// The agent that has the plan.
    #[default]
    #[serde(rename = "self")]
    Own,
    /// An agent for each step.
    Delegate,
}

/// One try at a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Run {
    /// The agent session that delegated.
    pub session: String,
    pub agent_type: String,
    /// The tier that was asked for.
    pub model: String,
    /// The call that starts the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The agent, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model that the client used, by its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The content of the project's files when its agent ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The content of the project's files when it was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// It left a report.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reported: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came: Option<Came>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a try came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Came {
    Done,
    Failed,
    /// It failed, and a better model is to go on.
    Escalated,
    /// Nobody knows what it came to, and it counts as no try: its client is gone, or it never started.
    Lost,
}

/// What a call wants to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    pub step: StepId,
    pub session: String,
    pub agent_type: String,
    pub model: String,
    pub call: String,
}

/// What events tell of the agents of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentNews {
    Claimed(Box<Claim>),
    /// The call has failed, and why: it has started no agent, or its agent has ended with it.
    Freed {
        call: String,
        why: String,
    },
    /// An agent of this type has started.
    Started {
        agent_type: String,
        agent: String,
    },
    /// What the client says of the agent that a call has started.
    Resolved {
        call: String,
        agent: Option<String>,
        model: Option<String>,
        tokens: Option<u64>,
    },
    /// An agent has called a tool.
    Worked {
        agent: String,
    },
    /// An agent got a message and goes on.
    Woken {
        agent: String,
    },
    Ended {
        agent: String,
    },
    /// An agent has ended without an answer: it was stopped, or its model failed.
    CutOff {
        agent: String,
        why: String,
    },
    /// A client that was started for a step alone has ended.
    Returned {
        session: String,
        model: Option<String>,
        tokens: Option<u64>,
        /// Why it ended before its work did, if that is so.
        cut: Option<String>,
    },
    /// The client was started again: no agent of it runs any more.
    Lost,
}

/// How a delegated plan goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn<'p> {
    /// A person is asked first.
    Halted,
    /// The agent of this step has ended, and nobody has looked.
    Reports(&'p Step),
    /// These can be given to agents now.
    Starts(Vec<&'p Step>),
    /// The agents of these are at work, and nothing else can begin.
    Waits(Vec<&'p Step>),
    /// The main agent does this one itself.
    Inline(&'p Step),
    /// Every step is done.
    Built,
}

impl Run {
    pub fn is_over(&self) -> bool {
        self.came.is_some()
    }

    /// Its agent is at work, or is about to be.
    pub fn is_live(&self) -> bool {
        self.came.is_none() && self.ended_at.is_none()
    }

    /// It is a client of its own, which no call has started: whoever started it knows whether it runs.
    pub fn is_client(&self) -> bool {
        self.call.is_empty()
    }

    /// Nothing has been heard of its agent, and too much time has passed.
    fn is_stale(&self, now: &str) -> bool {
        let since = Stamp::parse(&self.at).zip(Stamp::parse(now));
        self.is_live()
            && self.agent.is_none()
            && !self.is_client()
            && since.is_some_and(|(at, now)| at.0 + UNSTARTED < now.0)
    }

    /// It is this claim, and nothing has been heard of its agent.
    fn is_of(&self, claim: &Claim) -> bool {
        let is_same = self.call == claim.call && self.session == claim.session;
        is_same && !self.is_client() && self.agent.is_none() && self.is_live()
    }

    fn cut_off(&mut self, why: &str, now: &str) {
        (self.ended_at, self.why) = (Some(now.to_owned()), Some(why.to_owned()));
    }

    /// It ended without an answer, or its client did before it: what it left is looked at before anything else.
    pub fn is_cut_off(&self) -> bool {
        self.came.is_none() && self.ended_at.is_some() && self.why.is_some()
    }

    /// Whether the client used the model that was asked for; true while it has not said.
    pub fn is_as_asked(&self) -> bool {
        self.resolved.as_ref().is_none_or(|resolved| is_of_tier(resolved, &self.model))
    }
}

/// Whether a model's full name is of a tier: `vendor-haiku-4-5` is of `haiku`.
pub fn is_of_tier(model: &str, tier: &str) -> bool {
    let (model, tier) = (model.to_lowercase(), tier.to_lowercase());
    model == tier || model.split(['-', '/', '.', ':', '[', '@']).any(|part| part == tier)
}

impl Step {
    /// The try that is not over.
    pub fn run(&self) -> Option<&Run> {
        self.runs.last().filter(|run| !run.is_over())
    }

    fn run_mut(&mut self) -> Option<&mut Run> {
        self.runs.last_mut().filter(|run| !run.is_over())
    }

    /// Whether an agent does it.
    pub fn is_delegated(&self) -> bool {
        self.agent.is_some()
    }

    /// Whether an agent of this type may do it: its own, or the shipped one that it is made from.
    fn takes(&self, agent_type: &str) -> bool {
        let shipped = self.shipped_agent().is_some_and(|shipped| is_named(agent_type, shipped));
        shipped || self.agent.as_deref().is_some_and(|own| is_named(agent_type, own))
    }

    /// The shipped agent that can do it, by its file's name.
    pub fn shipped_agent(&self) -> Option<&'static str> {
        let own = self.agent.as_deref()?;
        Some(match (self.kind, own) {
            (Kind::Review, _) => VET,
            (_, REFACTOR) => REFACTOR,
            _ if own == TDD || own.ends_with("-tdd") => TDD,
            _ => TASK,
        })
    }
}

/// Shipped agents that do steps, by their files' names.
pub const TASK: &str = "quiet-task";
pub const TDD: &str = "tdd-task";
pub const REFACTOR: &str = "refactor";
pub const VET: &str = "vet-agent";
const SHIPPED: [&str; 4] = [TASK, TDD, REFACTOR, VET];

impl Plan {
    pub fn is_delegated(&self) -> bool {
        self.conduct == Conduct::Delegate
    }

    /// Every step is done.
    pub fn is_built(&self) -> bool {
        !self.steps.is_empty() && self.steps.iter().all(|step| step.state == State::Done)
    }

    /// What comes next.
    pub fn turn(&self, now: &str) -> Turn<'_> {
        if self.halted().is_some() {
            return Turn::Halted;
        }
        let active = || self.steps.iter().filter(|step| step.state == State::Active);
        if let Some(step) = active().find(|step| step.run().is_some_and(|run| run.ended_at.is_some())) {
            return Turn::Reports(step);
        }
        if let Some(step) = active().find(|step| !step.is_delegated()) {
            return Turn::Inline(step);
        }
        let ready: Vec<&Step> =
            (0..self.steps.len()).filter(|at| self.is_ready(*at, now)).map(|at| &self.steps[at]).collect();
        // What the main agent does itself waits until no agent is at work beside it.
        let waits: Vec<&Step> = active().filter(|step| !is_free(step, now)).collect();
        match ready.as_slice() {
            [] if waits.is_empty() => Turn::Built,
            [step, ..] if !step.is_delegated() && waits.is_empty() => Turn::Inline(step),
            _ => {
                let agents: Vec<&Step> = ready.into_iter().filter(|step| step.is_delegated()).collect();
                if agents.is_empty() { Turn::Waits(waits) } else { Turn::Starts(agents) }
            }
        }
    }

    /// The agents that are at work.
    pub fn live(&self) -> impl Iterator<Item = (&Step, &Run)> {
        let active = self.steps.iter().filter(|step| step.state == State::Active);
        active.filter_map(|step| Some((step, step.run().filter(|run| run.is_live())?)))
    }

    /// Whether a step can begin: what it needs is done, and what the engine has put before it.
    fn is_ready(&self, at: usize, now: &str) -> bool {
        let step = &self.steps[at];
        let is_open = match step.state {
            State::Open | State::Failed => true,
            State::Active => is_free(step, now) && step.is_delegated(),
            State::Done => false,
        };
        is_open && self.holds_up(at).is_none()
    }

    /// What must be done before a step and is not.
    fn holds_up(&self, at: usize) -> Option<&Step> {
        let step = &self.steps[at];
        let is_needed = |(place, other): &(usize, &Step)| {
            other.state != State::Done
                && *place != at
                && (step.needs.contains(&other.number) || (other.inserted && *place < at))
        };
        self.steps.iter().enumerate().find(is_needed).map(|(_, other)| other)
    }

    /// The tier that tries a step next; nothing when all have.
    pub fn tier(&self, step: &Step) -> Option<String> {
        let asked = step.model.as_deref()?;
        let from = self.tiers.iter().position(|tier| tier.eq_ignore_ascii_case(asked));
        let above = from.map_or(&[][..], |from| &self.tiers[from + 1..]);
        let seen = step.runs.iter().skip(step.forgiven as usize);
        let tries = |tier: &str| -> usize {
            let of_tier = seen.clone().filter(|run| run.model.eq_ignore_ascii_case(tier));
            of_tier
                .map(|run| match run.came {
                    Some(Came::Failed) => 1,
                    Some(Came::Escalated) => TRIES,
                    _ => 0,
                })
                .sum()
        };
        let mut tiers = std::iter::once(asked).chain(above.iter().map(String::as_str));
        tiers.find(|tier| tries(tier) < TRIES).map(str::to_owned)
    }

    /// Why a step is not started by a call.
    pub fn refuses(&self, claim: &Claim, now: &str) -> Result<usize, Refusal> {
        self.works()?;
        let at = self.place(claim.step)?;
        let step = &self.steps[at];
        let number = step.number;
        match step.state {
            State::Done => return Err(Refusal::new(format!("step {number} is done"))),
            // The rules may judge a call again that has its claim already.
            State::Active if step.run().is_some_and(|run| run.is_of(claim)) => return Ok(at),
            State::Active if !is_free(step, now) => {
                let what = if step.run().is_some_and(|run| run.ended_at.is_some()) {
                    format!("the agent of step {number} has ended: engine runbook done {number}")
                } else {
                    format!("step {number} runs already")
                };
                return Err(Refusal::new(what));
            }
            _ => {}
        }
        if let Some(first) = self.holds_up(at) {
            return Err(Refusal::new(format!("step {} comes before step {number}", first.number)));
        }
        let Some(model) = self.tier(step) else {
            return Err(Refusal::new(format!("every tier of models has tried step {number}")));
        };
        if !claim.model.eq_ignore_ascii_case(&model) {
            let asked = if claim.model.is_empty() { "no model" } else { &claim.model };
            return Err(Refusal::new(format!(
                "step {number} is for model {model}, and the call names {asked}"
            )));
        }
        if !step.takes(&claim.agent_type) {
            let agent = step.agent.as_deref().unwrap_or_default();
            return Err(Refusal::new(format!(
                "step {number} is for the agent {agent}, and the call starts {}",
                claim.agent_type
            )));
        }
        Ok(at)
    }

    /// Gives a step to the agent that a call is about to start. `content`: that of the project's files.
    pub fn claim(
        &mut self,
        claim: &Claim,
        head: Option<String>,
        content: Option<String>,
        now: &str,
    ) -> Result<(), Refusal> {
        let at = self.refuses(claim, now)?;
        let step = &mut self.steps[at];
        if step.run().is_some_and(|run| run.is_of(claim)) {
            return Ok(());
        }
        if let Some(stale) = step.run_mut() {
            (stale.came, stale.why) = (Some(Came::Lost), Some("its agent never started".to_owned()));
        }
        step.begin(head, content.clone(), now);
        step.runs.push(Run {
            session: claim.session.clone(),
            agent_type: claim.agent_type.clone(),
            model: claim.model.to_lowercase(),
            call: claim.call.clone(),
            at: now.to_owned(),
            content,
            ..Run::default()
        });
        Ok(())
    }

    /// Begins a step that the main agent does itself.
    pub fn begin_inline(
        &mut self,
        number: StepId,
        head: Option<String>,
        content: Option<String>,
        now: &str,
    ) -> Result<(), Refusal> {
        self.works()?;
        let at = self.place(number)?;
        if self.steps[at].state == State::Active {
            return Ok(());
        }
        if let Some(first) = self.holds_up(at) {
            return Err(Refusal::new(format!("step {} comes before step {number}", first.number)));
        }
        self.steps[at].begin(head, content, now);
        Ok(())
    }

    /// Notes the content that an agent left, which has ended: what changes later is not its work.
    pub fn left(&mut self, agent: &str, content: Option<&str>) {
        let place = self.of_run(|run| run.agent.as_deref() == Some(agent) && run.ended_at.is_some());
        let run = place.and_then(|at| self.steps[at].run_mut());
        if let Some(run) = run {
            run.left = content.map(str::to_owned);
        }
    }

    /// Takes in what an event tells of an agent. Whether it was one of this plan's comes back.
    pub fn heard(&mut self, news: &AgentNews, session: &str, now: &str) -> bool {
        match news {
            AgentNews::Claimed(_) | AgentNews::Worked { .. } => false,
            AgentNews::Freed { call, why } => {
                let Some(at) = self.of_run(|run| run.is_live() && run.call == *call) else { return false };
                match self.steps[at].run_mut().filter(|run| run.agent.is_some()) {
                    Some(run) => run.cut_off(why, now),
                    None => self.steps[at].lose(why),
                }
                true
            }
            AgentNews::Started { agent_type, agent } => {
                if self.of_run(|run| run.agent.as_deref() == Some(agent)).is_some() {
                    return false;
                }
                let is_it = |run: &Run| {
                    run.is_live()
                        && run.agent.is_none()
                        && run.session == session
                        && is_named(agent_type, run.agent_type.rsplit(':').next().unwrap_or_default())
                };
                let Some(at) = self.of_run(is_it) else { return false };
                self.steps[at].run_mut().into_iter().for_each(|run| run.agent = Some(agent.clone()));
                true
            }
            AgentNews::Resolved { call, agent, model, tokens } => {
                let Some(at) = self.of_run(|run| !run.is_over() && run.call == *call) else { return false };
                // Of two that started at once each gets its own.
                if let Some(agent) = agent {
                    let other = self.of_run(|run| {
                        run.is_live() && run.call != *call && run.agent.as_deref() == Some(agent)
                    });
                    let mine = self.steps[at].run_mut().and_then(|run| run.agent.replace(agent.clone()));
                    if let Some(other) = other {
                        self.steps[other].run_mut().into_iter().for_each(|run| run.agent.clone_from(&mine));
                    }
                }
                let Some(run) = self.steps[at].run_mut() else { return false };
                run.resolved = model.clone().or(run.resolved.take());
                run.tokens = tokens.or(run.tokens);
                // Only a call that waited for its agent knows what it spent.
                if tokens.is_some() {
                    run.ended_at.get_or_insert_with(|| now.to_owned());
                }
                true
            }
            AgentNews::Returned { session, model, tokens, cut } => {
                let is_it = |run: &Run| run.is_live() && run.is_client() && run.session == *session;
                let Some(at) = self.of_run(is_it) else { return false };
                let Some(run) = self.steps[at].run_mut() else { return false };
                run.resolved.clone_from(model);
                run.tokens = *tokens;
                run.ended_at = Some(now.to_owned());
                run.why.clone_from(cut);
                true
            }
            AgentNews::Woken { agent } => self.set_end(agent, None),
            AgentNews::Ended { agent } => self.set_end(agent, Some(now)),
            AgentNews::CutOff { agent, why } => {
                let is_it = |run: &Run| run.is_live() && run.agent.as_deref() == Some(agent);
                let Some(at) = self.of_run(is_it) else { return false };
                self.steps[at].run_mut().into_iter().for_each(|run| run.cut_off(why, now));
                true
            }
            AgentNews::Lost => {
                let mut any = false;
                for step in self.steps.iter_mut().filter(|step| step.state == State::Active) {
                    if let Some(run) = step.run_mut() {
                        if run.is_live() {
                            run.cut_off("the client ended before its agent did", now);
                            any = true;
                        } else if run.resolved.is_none() && run.why.is_none() {
                            run.why = Some("the client ended before it answered the call".to_owned());
                            any = true;
                        }
                    }
                }
                any
            }
        }
    }

    /// An agent has ended, or goes on.
    fn set_end(&mut self, agent: &str, at: Option<&str>) -> bool {
        let Some(place) = self.of_run(|run| !run.is_over() && run.agent.as_deref() == Some(agent)) else {
            return false;
        };
        if let Some(run) = self.steps[place].run_mut() {
            run.ended_at = at.map(str::to_owned);
            run.why = run.why.take().filter(|_| at.is_some());
        }
        true
    }

    /// The place of the active step whose try is like that.
    fn of_run(&self, is_it: impl Fn(&Run) -> bool) -> Option<usize> {
        let is_active = |step: &Step| step.state == State::Active;
        self.steps.iter().position(|step| is_active(step) && step.run().is_some_and(&is_it))
    }

    /// A try has failed. The next one is by the tier that comes next; when none is left a person is asked.
    pub fn fail_run(
        &mut self,
        number: StepId,
        came: Came,
        why: Option<&str>,
        now: &str,
    ) -> Result<super::Moved, Refusal> {
        let at = self.active_place(number)?;
        let step = &mut self.steps[at];
        if step.run().is_some_and(Run::is_live) && came != Came::Lost {
            return Err(Refusal::new(format!("step {number} still runs"))
                .fix("end the turn: its result comes by itself"));
        }
        if let Some(run) = step.run_mut() {
            (run.came, run.why) = (Some(came), why.map(str::to_owned).or(run.why.take()));
            run.ended_at.get_or_insert_with(|| now.to_owned());
        }
        step.state = if came == Came::Lost { State::Open } else { State::Failed };
        step.ended_at = Some(now.to_owned());
        step.why = why.map(str::to_owned);
        let step = &self.steps[at];
        if step.is_delegated() && self.tier(step).is_none() {
            let count = step.runs.iter().skip(step.forgiven as usize).filter(|run| run.is_try()).count();
            let last = step.why.as_deref().map(|why| format!("; the last time: {why}")).unwrap_or_default();
            let reason = format!(
                "step {number} was tried {count} times, up to the last tier of models: {}{last}",
                step.text
            );
            self.halt(HaltKind::Attempts, &reason, now)?;
            return Ok(super::Moved::Halted);
        }
        Ok(super::Moved::Done)
    }

    /// Notes that the try which is not over has left a report.
    pub fn reported(&mut self, number: StepId) {
        let step = self.steps.iter_mut().find(|step| step.number == number);
        step.and_then(Step::run_mut).into_iter().for_each(|run| run.reported = true);
    }

    /// Puts a step of the engine's own before another, or behind it. It is no growth.
    pub fn insert(&mut self, step: Step, beside: StepId, behind: bool) -> Result<(), Refusal> {
        self.moves()?;
        let at = self.place(beside)? + usize::from(behind);
        self.steps.insert(at, Step { inserted: true, ..step });
        if self.lock.is_some() {
            self.seal();
        }
        Ok(())
    }

    /// Opens a step again whose review found something.
    pub fn reopen(&mut self, number: StepId, now: &str) -> Result<(), Refusal> {
        let at = self.active_place(number)?;
        let step = &mut self.steps[at];
        if let Some(run) = step.run_mut() {
            run.came = Some(Came::Done);
            run.ended_at.get_or_insert_with(|| now.to_owned());
        }
        step.state = State::Open;
        Ok(())
    }

    /// Halts with a question of a step's agent. What the user answers goes to the next one.
    pub fn ask(&mut self, number: StepId, question: &str, now: &str) -> Result<(), Refusal> {
        let at = self.place(number)?;
        let reason = format!("step {number} needs a decision: {question}");
        let ended = self.steps[at].run().is_some_and(|run| !run.is_live());
        if ended {
            self.fail_run(number, Came::Lost, Some(&reason), now)?;
        }
        self.halt(HaltKind::Question, &reason, now)?;
        self.halts.last_mut().into_iter().for_each(|halt| halt.step = Some(number));
        Ok(())
    }

    /// Leaves a step out, by a person's word.
    pub fn skip(&mut self, number: StepId, why: &str, now: &str) -> Result<(), Refusal> {
        self.works()?;
        let at = self.place(number)?;
        let step = &mut self.steps[at];
        match step.state {
            State::Done => return Err(Refusal::new(format!("step {number} is done"))),
            State::Active if step.run().is_some_and(Run::is_live) => {
                return Err(Refusal::new(format!("step {number} still runs")));
            }
            _ => {}
        }
        if let Some(run) = step.run_mut() {
            run.came = Some(Came::Lost);
        }
        step.state = State::Done;
        step.skipped = Some(why.to_owned());
        step.ended_at = Some(now.to_owned());
        step.evidence = vec![format!("skipped by the user: {why}")];
        Ok(())
    }
}

impl Run {
    fn is_try(&self) -> bool {
        matches!(self.came, Some(Came::Failed | Came::Escalated))
    }
}

/// Whether nobody works on a step that is active: its claim came to nothing.
fn is_free(step: &Step, now: &str) -> bool {
    step.run().is_some_and(|run| run.is_stale(now))
}

impl Step {
    fn begin(&mut self, head: Option<String>, content: Option<String>, now: &str) {
        self.state = State::Active;
        self.attempts += 1;
        self.started_at = Some(now.to_owned());
        // A commit of an earlier try is one of this step.
        if self.runs.is_empty() {
            self.started_head = head;
        }
        self.started_content = content;
        self.ended_at = None;
        self.why = None;
        self.evidence.clear();
    }

    /// Its agent never started, so it was not attempted.
    fn lose(&mut self, why: &str) {
        self.attempts = self.attempts.saturating_sub(1);
        if let Some(run) = self.run_mut() {
            (run.came, run.why) = (Some(Came::Lost), Some(why.to_owned()));
        }
        self.state = State::Open;
    }

    /// Whether a path from the root is among its files. One that names none is about any.
    pub fn covers(&self, path: &str) -> bool {
        covers(&self.files, path)
    }
}

#[cfg(test)]
mod tests;
