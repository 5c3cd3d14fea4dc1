//! What the engine remembers of one agent session between two events.
//!
//! Kept as one small JSON file per session. Changes are applied to the file as it is under the lock, never to
//! a copy that was read earlier, so parallel events of one session lose nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::{self, Answer, Request};
use crate::chain::{Began, Forbidden, Outcome, Stored};
use crate::change::Change;
use crate::client::{ClientProcess, ContextUse, Snapshot};
pub use crate::directive::context::ContextDirectives;
use crate::event::Source;
use crate::evidence::ledger::Line;
use crate::evidence::standing::LastCheck;
use crate::plan::{AgentNews, Armed, BoundPlan, StepAgent};
use crate::versioned::{self, Unusable};
use crate::work::BoundWork;
use engine_text::line::one_line;
use engine_text::redact::redact;
use engine_text::stamp::Stamp;

/// The version written now. Raise it when a reader of the old form would go wrong, and add a step to
/// [`SessionState::parse`].
pub const VERSION: u32 = 1;

/// The user's words are kept only to show later what an approval rested on.
const KEPT_INPUT: usize = 500;
/// Names and ids of agents that judge that are remembered at most.
const MOST_REVIEWERS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionState {
    pub version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Stamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The model that it began with, if the client told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientProcess>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// Counts real prompts. A rule that speaks once per turn compares it.
    pub turn: u64,
    /// The prompt that it began with, by the client's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// When the turn began. What is typed while the agent works belongs to its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_began: Option<Stamp>,
    /// The last thing a person typed or answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_input: Option<UserInput>,
    /// The last prompt, for the dialogue of a work session that begins behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<UserInput>,
    /// Rule → the turn in which it spoke last.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub spoken: BTreeMap<String, u64>,
    /// The task that the person asked for last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedTask>,
    /// The turn at whose end the person is to see STATUS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<u64>,
    /// Only if a commit was made since this one; an empty name stands for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail_before: Option<String>,
    /// The chain of skills that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Stored>,
    /// It was dropped, and the model does not know yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chain_dropped: bool,
    /// What the person forbade with the last chain and since then, until they say otherwise.
    #[serde(skip_serializing_if = "Forbidden::is_empty")]
    pub forbidden: Forbidden,
    /// The work session that this agent session is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<BoundWork>,
    /// Which directives are in whose context; the main agent has no name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub directives: BTreeMap<String, ContextDirectives>,
    /// Items of the project's notes that are in the main agent's context, by their keys.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub enriched: BTreeSet<u32>,
    /// The plan that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<BoundPlan>,
    /// It is to lock one before it changes anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub armed: Option<Armed>,
    /// A quick plan that is being closed, until the person has been told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<String>,
    /// Names and ids by which messages reach agents that judge.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub reviewers: BTreeSet<String>,
    /// How often engine log succeeded.
    #[serde(skip_serializing_if = "is_zero")]
    pub logs: u64,
    /// Causes of which the user has been told in this session.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub told: BTreeSet<String>,
    /// Lines for the user that came up in an event that cannot show any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<String>,
    /// What the agent may do only if a person says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Request>,
    /// What a person's yes was used for, in lines that the end of the turn shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<String>,
    /// What another agent session took from this one, in lines that it has not been told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The client has settings that stand in no file any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settings_held: bool,
    /// How each settings file stood at the start, by its path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub wiring: BTreeMap<String, Snapshot>,
    /// How full the model's window is, from the status line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUse>,
    /// Fields of another release survive a rewrite.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The one task that a person asked for in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedTask {
    pub turn: u64,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub at: Stamp,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserInput {
    pub at: Stamp,
    pub text: String,
}

impl Default for SessionState {
    fn default() -> Self {
        Self {
            version: VERSION,
            started: None,
            source: None,
            model: None,
            client: None,
            ended: None,
            turn: 0,
            prompt_id: None,
            turn_began: None,
            user_input: None,
            request: None,
            spoken: BTreeMap::new(),
            asked: None,
            tail: None,
            tail_before: None,
            chain: None,
            chain_dropped: false,
            forbidden: Forbidden::default(),
            work: None,
            directives: BTreeMap::new(),
            enriched: BTreeSet::new(),
            plan: None,
            armed: None,
            closing: None,
            reviewers: BTreeSet::new(),
            logs: 0,
            told: BTreeSet::new(),
            untold: Vec::new(),
            approvals: Vec::new(),
            spent: Vec::new(),
            lost: Vec::new(),
            settings_held: false,
            wiring: BTreeMap::new(),
            context: None,
            others: BTreeMap::new(),
        }
    }
}

/// The beginning of what somebody said, without secrets.
pub fn kept_words(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(20 * KEPT_INPUT)];
    one_line(&redact(start), KEPT_INPUT)
}

impl SessionState {
    pub fn parse(text: &str) -> Result<Self, Unusable> {
        let state: Self = serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(state.version, VERSION).map(|()| state)
    }

    /// The chain, as long as the session lives. It waits while the session has ended, for a resume. One that nobody has
    /// begun with does not outlive its turn.
    pub fn chain(&self) -> Option<&Stored> {
        let lives = |chain: &&Stored| self.ended.is_none() && (!chain.unbegun || chain.turn == self.turn);
        self.chain.as_ref().filter(lives)
    }

    /// The task that the person asked for in this turn.
    pub fn asked_for(&self) -> Option<&str> {
        self.asked.as_ref().filter(|asked| asked.turn == self.turn).map(|asked| asked.name.as_str())
    }

    /// Ends the chain at once; the model is told with the next word to it.
    pub fn drop_chain(&mut self) {
        self.chain = None;
        self.chain_dropped = true;
    }

    /// What was said to one client is not said to another.
    fn go_on_with(&mut self, client: ClientProcess) {
        if self.client != Some(client) {
            self.approvals.iter_mut().for_each(|request| request.answer = None);
            self.client = Some(client);
        }
    }

    /// Notes edits and checks for the line that tells the person how the work stands.
    pub fn saw(&mut self, lines: &[Line], now: Stamp) {
        if let Some(work) = &mut self.work {
            work.standing.see(lines, now);
        }
        if let Some(plan) = &mut self.plan {
            plan.last_check = LastCheck::among(lines, now).or(plan.last_check.take());
        }
    }

    pub fn spoke_this_turn(&self, rule: &str) -> bool {
        self.spoken.get(rule) == Some(&self.turn)
    }

    /// The agent of a step of the open plan.
    fn step_agent(&mut self, agent: &str) -> Option<&mut StepAgent> {
        self.plan.as_mut()?.delegated.as_mut()?.agent_mut(agent)
    }

    pub fn apply(&mut self, change: &Change, now: Stamp) {
        match change {
            Change::SessionStarted { source, model, client, wiring } => {
                self.started.get_or_insert(now);
                self.model = model.clone().or(self.model.take());
                self.source = Some((*source).to_owned());
                if let Some(client) = client {
                    self.go_on_with(*client);
                }
                self.ended = None;
                // What the status line said was of another context.
                self.context = None;
                self.wiring = wiring.iter().cloned().collect();
                if Source::parse(source).context_is_fresh() {
                    self.directives.remove("");
                    self.enriched.clear();
                }
            }
            Change::ClientChanged { client } => self.go_on_with(*client),
            Change::TurnStarted { prompt, id } => {
                self.turn += 1;
                if self.prompt_id != *id || id.is_none() {
                    self.turn_began = Some(now);
                }
                // The turn before was interrupted, or its end was not told: what was said in it is over. What is typed while the agent works
                // has the id of its turn.
                if self.prompt_id != *id {
                    let turn = self.turn;
                    self.approvals
                        .retain(|request| request.answer.as_ref().is_none_or(|said| said.waits_for(turn)));
                }
                self.prompt_id.clone_from(id);
                // A session that is open in two terminals goes on when one of them is closed.
                self.ended = None;
                self.user_input = Some(UserInput { at: now, text: prompt.clone() });
            }
            Change::RequestKept { text } => {
                self.request = Some(UserInput { at: now, text: text.clone() });
            }
            Change::UserAnswered { answer } => {
                self.user_input = Some(UserInput { at: now, text: answer.clone() });
            }
            Change::Answered { number, yes, words, by } => {
                let (words, by) = (words.clone(), by.clone());
                let answer = Answer { yes: *yes, words, at: now, turn: self.turn, by };
                approval::answer(&mut self.approvals, *number, answer);
            }
            Change::ApprovalsEnded { numbers } => {
                self.approvals.retain(|request| !numbers.contains(&request.number));
                self.spent.clear();
            }
            Change::LossTold => self.lost.clear(),
            Change::SettingsHeld => self.settings_held = true,
            Change::SessionEnded { reason } => {
                self.ended = Some(Ended { at: now, reason: reason.clone() });
                // After a clear this session is never resumed.
                if reason == "clear" {
                    self.chain = None;
                }
            }
            Change::SpokeThisTurn { rule } => {
                self.spoken.insert((*rule).to_owned(), self.turn);
            }
            Change::StartTask { name, .. } => {
                self.asked = Some(AskedTask { turn: self.turn, name: name.clone() });
            }
            // What is written down while the agent works changes nothing about its work.
            Change::AddTasks { .. } | Change::Capture { .. } | Change::Remember { .. } => {
                let (before, now) = (self.turn.saturating_sub(1), self.turn);
                self.asked.iter_mut().filter(|asked| asked.turn == before).for_each(|asked| asked.turn = now);
                self.tail = self.tail.map(|due| if due == before { now } else { due });
            }
            Change::TailDue { before } => {
                // What was due in this turn in any case stays due.
                let is_due = self.tail == Some(self.turn) && self.tail_before.is_none();
                self.tail_before = before.clone().filter(|_| !is_due);
                self.tail = Some(self.turn);
            }
            Change::TailShown => (self.tail, self.tail_before) = (None, None),
            Change::ChainStarted { chain } => {
                let mut chain = Stored { turn: self.turn, ..(**chain).clone() };
                chain.began.iter_mut().for_each(|began| began.at = now);
                self.chain = Some(chain);
                self.chain_dropped = false;
            }
            Change::ChainCalled { skill, args, began, outcome } => {
                let is_it = |chain: &&mut Stored| chain.next().is_some_and(|next| next.entry.skill == *skill);
                if let Some(chain) = self.chain.as_mut().filter(is_it) {
                    let began = began.clone().map(|began| Began { at: now, ..began });
                    chain.advance(Some(args), self.turn, began, outcome.clone());
                    if chain.is_over() {
                        self.chain = None;
                    }
                }
            }
            Change::ChainFailed { skill, why, began } => {
                let is_it = |chain: &&mut Stored| chain.next().is_some_and(|next| next.entry.skill == *skill);
                if let Some(chain) = self.chain.as_mut().filter(is_it) {
                    chain.advance(None, self.turn, began.clone(), Outcome::Done);
                    chain.fail(why);
                }
            }
            Change::ChainWaits => {
                if let Some(chain) = &mut self.chain {
                    chain.asked = true;
                }
            }
            Change::ChainForbidden { forbidden } => {
                self.chain.iter_mut().for_each(|chain| drop(chain.forbid(forbidden)));
                self.chain.take_if(|chain| chain.is_over());
            }
            Change::ExitsForbidden { forbidden } => self.forbidden.clone_from(forbidden),
            Change::ChainTaken { from, chain } => {
                let mut chain = (**chain).clone();
                chain.began.iter_mut().for_each(|began| began.sessions.push(from.clone()));
                chain.resume(self.turn);
                self.chain = Some(chain);
                self.chain_dropped = false;
            }
            Change::ChainSkipped => {
                self.chain.iter_mut().for_each(|chain| drop(chain.skip()));
            }
            Change::ChainArmed => {
                let turn = self.turn;
                self.chain.iter_mut().for_each(|chain| chain.arm(turn));
            }
            Change::ChainResumed => {
                let turn = self.turn;
                self.chain.iter_mut().for_each(|chain| chain.resume(turn));
            }
            Change::ChainNamed => {
                if let Some(chain) = &mut self.chain {
                    chain.was_named();
                }
            }
            Change::ChainDropped => self.chain = None,
            Change::ChainDropTold => self.chain_dropped = false,
            Change::SkillRead => {
                if let Some(work) = &mut self.work {
                    work.reading = work.reading.saturating_sub(1);
                }
            }
            Change::CallCounted { agent, edited, .. } => {
                if let Some(work) = &mut self.work {
                    work.reading = 0;
                    let calls = work.calls.entry(agent.clone()).or_default();
                    calls.count += 1;
                    calls.edited.clone_from(edited);
                }
            }
            Change::LogBegan { agent, logs } => {
                if let Some(work) = &mut self.work {
                    work.calls.entry(agent.clone()).or_default().logs_before = Some(*logs);
                }
            }
            Change::CallsReset { agent } => {
                if let Some(work) = &mut self.work {
                    work.calls.remove(agent);
                }
            }
            Change::DirectivesTold { agent, delivered, pending, queued, gone, .. } => {
                self.directives.entry(agent.clone()).or_default().take(delivered, pending, queued, gone);
            }
            Change::DirectiveShown { agent, path, lines, of } => {
                self.directives.entry(agent.clone()).or_default().show(path, *lines, *of);
            }
            Change::DirectiveAwaited { agent, .. } => {
                if let Some(told) = self.directives.get_mut(agent).filter(|told| !told.pending.is_empty()) {
                    told.waited += 1;
                }
            }
            Change::Enriched { items } => self.enriched.extend(items.iter().map(|item| item.0)),
            Change::ChecklistArmed { work, path } => {
                if let Some(bound) = self.work.as_mut().filter(|bound| bound.name == *work) {
                    bound.armed.insert(path.clone());
                }
            }
            Change::AgentEnded { agent } => {
                self.directives.remove(agent);
                if let Some(work) = &mut self.work {
                    work.calls.remove(agent);
                }
            }
            Change::OverflowTold => {
                if let Some(work) = &mut self.work {
                    work.overflow_told = true;
                }
            }
            Change::LogFailed { agent } => {
                let calls = self.work.as_mut().and_then(|work| work.calls.get_mut(agent));
                if let Some(calls) = calls {
                    calls.logs_before = None;
                }
            }
            Change::Restored { work } => {
                // A new context: nothing of it is full, nothing is saved.
                if let Some(bound) = self.work.as_mut().filter(|bound| bound.name == *work) {
                    bound.saved = false;
                    bound.overflow_told = false;
                }
            }
            Change::PlanSaw { observations } => {
                for observation in observations {
                    self.plan.as_mut().and_then(|plan| plan.see(observation));
                }
            }
            Change::ChecksSeen { lines } => self.saw(lines, now),
            Change::ReviewBriefed { by, call } => {
                if let Some(plan) = &mut self.plan {
                    plan.brief(*by, call);
                }
            }
            Change::ReviewerStarted { call, agent } => {
                if let Some(plan) = &mut self.plan {
                    plan.started(call, agent.as_deref());
                }
            }
            Change::BriefsForgotten => {
                if let Some(plan) = &mut self.plan {
                    plan.forget_briefs();
                }
            }
            Change::ReviewerKnown { name } => {
                if self.reviewers.len() < MOST_REVIEWERS {
                    self.reviewers.insert(name.clone());
                }
            }
            Change::ReviewerLooked { agent } => {
                let reviewing = self.plan.as_mut().and_then(|plan| plan.reviewing.get_mut(agent));
                if let Some(reviewing) = reviewing {
                    reviewing.looked = true;
                }
            }
            Change::Reviewed { agent, review, .. } => {
                if let Some(plan) = &mut self.plan {
                    plan.begin_review(agent, review.by, None);
                    plan.reviewing.get_mut(agent).into_iter().for_each(|agent| agent.ended = true);
                }
            }
            Change::StepAgent { news: AgentNews::Worked { agent }, .. } => {
                if let Some(agent) = self.step_agent(agent) {
                    agent.worked = true;
                }
            }
            Change::StepAgentSentOn { agent } => {
                if let Some(agent) = self.step_agent(agent) {
                    agent.sent_on = true;
                }
            }
            Change::PlanReminded => {
                if let Some(plan) = &mut self.plan {
                    plan.reminded = true;
                }
            }
            Change::Armed(armed) => self.armed.get_or_insert_default().take(armed),
            Change::Disarmed => self.armed = None,
            Change::PlanCloses { name, .. } => {
                if self.plan.as_ref().is_some_and(|plan| plan.name == *name) {
                    self.closing = Some(name.clone());
                }
            }
            Change::PlanSkillsTold => {
                if let Some(plan) = &mut self.plan {
                    plan.skills_told = true;
                }
            }
            Change::RouterAnswered { text } => {
                let is_outgrown = self.plan.as_ref().is_some_and(|plan| plan.outgrown);
                if self.armed.is_some() || is_outgrown {
                    self.armed.get_or_insert_default().answer = Some(text.clone());
                }
            }
            Change::Export { .. }
            | Change::StateRenewed
            | Change::OrphansTold { .. }
            | Change::NewsTold { .. }
            | Change::ContextSeen
            | Change::StepAgent { .. }
            | Change::PlanBegins { .. }
            | Change::PlanMoves { .. }
            | Change::PlanHalted { .. }
            | Change::ReviewBegan { .. }
            | Change::PlanAnswered { .. }
            | Change::AutoCommitBegan { .. }
            | Change::AutoCommit { .. }
            | Change::Ran { .. }
            | Change::TaskDone { .. }
            | Change::ClearedTold
            | Change::PlanInherited { .. }
            | Change::WorkInherited { .. }
            | Change::RestartReady { .. }
            | Change::Recorded { .. }
            | Change::Rewritten { .. }
            | Change::RunnersSeen { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_survive_and_newer_versions_are_refused() {
        let text = r#"{"version":1,"turn":3,"heartbeat":{"main":2}}"#;
        let state = SessionState::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(
            SessionState::parse(r#"{"version":2}"#),
            Err(Unusable::Newer { found: 2, known: VERSION })
        );
        assert!(matches!(SessionState::parse(r#"{"version":1,"tur"#), Err(Unusable::Damaged(_))));
    }

    #[test]
    fn a_prompt_starts_a_turn_and_lets_rules_speak_again() {
        let mut state = SessionState::default();
        state.apply(&Change::TurnStarted { prompt: "fix it".into(), id: None }, Stamp(5));
        state.apply(&Change::SpokeThisTurn { rule: "reminder" }, Stamp(6));
        assert!(state.spoke_this_turn("reminder"));
        state.apply(&Change::TurnStarted { prompt: "next".into(), id: None }, Stamp(7));
        assert!(!state.spoke_this_turn("reminder"));
        assert_eq!(state.user_input, Some(UserInput { at: Stamp(7), text: "next".into() }));
    }

    #[test]
    fn context_is_recorded_when_it_moved() {
        let at = |used, window| ContextUse { used, window, at: Stamp(0) };
        let cases = [
            (None, at(0, 1000), true),
            (Some(at(100, 1000)), at(109, 1000), false),
            (Some(at(100, 1000)), at(110, 1000), true),
            (Some(at(100, 1000)), at(90, 1000), true),
            (Some(at(100, 1000)), at(100, 2000), true),
        ];
        for (old, new, expected) in cases {
            assert_eq!(new.is_news(old.as_ref()), expected, "{old:?} {new:?}");
        }
    }
}
