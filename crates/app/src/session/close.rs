//! Work rests or ends when everything is in order.
//!
//! It is in order when every declared phase was passed. Before that a person lets it rest or stop, and reads what is open. As with a
//! phase, the decision is made on the state as it is under its lock, and what it rests on is looked up before.

use std::cell::RefCell;

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::ledger::Red;
use engine_core::work::gate::{self, Closed, Facts};
use engine_core::work::request::{self, Unanswered};
use engine_core::work::{Lifecycle, Passed, PhaseName, Run, WorkState};
use engine_store::binding::work as binding;
use engine_store::read::read_string;
use engine_store::work_file::WorkFile;
use fs_err as fs;
use serde_json::{Map, Value};

use super::evidence::ProofQuery;
use super::{CommandContext, REQUESTS, SkillFile, check, debrief, form, must_hold, now, pairs, phase};
use crate::approval;
use crate::error::{CommandError, Outcome};
use crate::search::{AllRelated, earlier};
use crate::stdin::Piped;
use crate::wording::counted;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a str,
    /// What was done; nothing: what is piped in.
    pub description: Option<&'a str>,
    pub keywords: &'a [String],
    /// `NAME=VALUE`.
    pub proof: &'a [String],
    /// Why a person wants it in spite of open gates.
    pub approved: Option<&'a str>,
}

/// Work that rests or is over.
pub struct Rested {
    pub work: WorkFile,
    pub state: WorkState,
    /// Skills that may follow; none if anything was open.
    pub next: Vec<String>,
    /// How it was left, if anything was open.
    pub left: Option<Left>,
    /// Earlier work on the same.
    pub related: AllRelated,
}

/// How work was left before everything was in order.
pub struct Left {
    pub phase: Option<PhaseName>,
    /// Boxes of its plan.
    pub open_steps: usize,
    /// `pytest -q failed`.
    pub last_check: Option<String>,
}

impl Left {
    /// `3: Build; 2 plan steps open; last check: pytest -q failed`.
    pub fn shown(&self) -> String {
        let steps = Some(self.open_steps).filter(|open| *open > 0);
        let parts = [
            self.phase.as_ref().map(ToString::to_string),
            steps.map(|open| format!("{} open", counted(open as u64, "plan step"))),
            self.last_check.as_ref().map(|check| format!("last check: {check}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// Lets the work rest, if everything is in order.
pub fn idle(
    context: &CommandContext,
    request: &Request<'_>,
    piped: Piped<'_>,
) -> Result<Rested, CommandError> {
    close(context, request, Lifecycle::Idle, "idle", piped)
}

/// Ends the work, if everything is in order. By a person's word it stops before its last phase.
pub fn deactivate(
    context: &CommandContext,
    request: &Request<'_>,
    piped: Piped<'_>,
) -> Result<Rested, CommandError> {
    close(context, request, Lifecycle::Completed, "deactivate", piped)
}

fn close(
    context: &CommandContext,
    request: &Request<'_>,
    lifecycle: Lifecycle,
    verb: &str,
    piped: Piped<'_>,
) -> Result<Rested, CommandError> {
    let work = context.changeable(request.path)?;
    let seen = work.peek().unwrap_or_default();
    may_close(&work, &seen, context)?;
    let mut proof = pairs(request.proof, "proof")?;
    let mut description = request.description.map(str::to_owned);
    if description.is_none() {
        match given(seen.lifecycle, piped)? {
            Some(Given::Description(text)) => description = Some(text),
            Some(Given::Proof(object)) => proof.extend(object),
            None => {}
        }
    }
    let description = description.and_then(|text| kept(&text));
    let keywords: Vec<String> = request.keywords.iter().filter_map(|word| kept(word)).collect();
    let look_up = |state: &WorkState| {
        // What rests was described when it was laid down.
        let described =
            description.is_some() || (state.lifecycle == Lifecycle::Idle && state.description.is_some());
        let closed = gates(&work, state, verb, described, Some(&proof), context);
        LookedUp { described, closed, proof: proof.clone(), walked: None }
    };
    let ending = Ending { verb, lifecycle, description: description.as_deref(), keywords: &keywords };
    end(context, &work, &ending, request.approved, look_up)
}

/// How work is ended.
pub(super) struct Ending<'a> {
    pub(super) verb: &'a str,
    pub(super) lifecycle: Lifecycle,
    pub(super) description: Option<&'a str>,
    pub(super) keywords: &'a [String],
}

/// What an ending of a state rests on.
pub(super) struct LookedUp {
    pub(super) described: bool,
    pub(super) closed: Vec<Closed>,
    /// Of the last phase.
    pub(super) proof: Map<String, Value>,
    /// The state behind the phases that were left on the way, if any were.
    pub(super) walked: Option<WorkState>,
}

/// Ends the work by what a look-up of its state comes to.
pub(super) fn end(
    context: &CommandContext,
    work: &WorkFile,
    ending: &Ending<'_>,
    approved: Option<&str>,
    look_up: impl Fn(&WorkState) -> LookedUp,
) -> Result<Rested, CommandError> {
    let &Ending { verb, lifecycle, description, keywords } = ending;
    let seen = work.peek().unwrap_or_default();
    let looked_up = look_up(&seen);
    let now = now();
    let closed = work.update(|state| {
        may_close(work, state, context)?;
        let LookedUp { described, closed, proof, walked } =
            if *state == seen { looked_up } else { look_up(state) };
        let was_open = !closed.is_empty();
        let approved = if was_open {
            let refused = || {
                waivable(&format!("{} stays {}", work.shown(), state.lifecycle.as_str()), &closed, work, verb)
            };
            let open = open_ends(&closed);
            let what = format!("session {verb} {} with open ends: {open}", work.shown());
            let deed = Deed::new(&what, &[verb, &work.name, &place_of(state), &open]).of(Kind::Close);
            // No word makes up for a description, so it is not used up where there is none.
            let reading = approved.filter(|_| described);
            Some(approval::waive(&context.project, &context.caller, &deed, reading, refused)?)
        } else {
            if let Some(walked) = walked {
                *state = walked;
            }
            last_gate(work, state, approved, context)?
        };
        let holder = state.agent_session.clone();
        if let Some(text) = description {
            state.description = Some(text.to_owned());
        }
        for keyword in keywords {
            if !state.keywords.contains(keyword) {
                state.keywords.push(keyword.clone());
            }
        }
        if let Some(run) = state.run_mut()
            && let Some(last) = &run.current_phase
        {
            let folder = SkillFile::find(&context.project, &run.skill).ok().and_then(|skill| skill.folder);
            let proof = phase::demand(run, folder.as_deref()).recorded(proof.clone());
            let (phase, at) = (last.to_string(), now.clone());
            // What does not hold is not written down as if it did.
            if !proof.is_empty() && !closed.iter().any(|gate| gate.is_about(last)) {
                let proof = Some(Value::Object(proof));
                run.history.push(Passed { phase, at, proof, ..Passed::default() });
            }
        }
        let stops = lifecycle == Lifecycle::Completed && !state.is_at_end();
        state.close(if stops { Lifecycle::Stopped } else { lifecycle }, &now, approved.as_deref());
        Ok::<_, CommandError>((holder, state.clone(), was_open))
    })?;
    let (holder, state, was_open) = closed;
    binding::unbind(&context.project, &work.name, holder.as_ref())?;
    let left = was_open.then(|| left(work, &state, context));
    let run = state.run().filter(|_| !was_open);
    let next = run.map(|run| SkillFile::next_of(&context.project, &run.skill)).unwrap_or_default();
    let work = WorkFile::new(&context.project, &work.name);
    let related = on_the_same(&work, &state, context);
    Ok(Rested { work, state, next, left, related })
}

/// Earlier work on what was done. One that is over is not gone on with.
fn on_the_same(work: &WorkFile, state: &WorkState, context: &CommandContext) -> AllRelated {
    let about = state.description.iter().chain(&state.keywords).cloned().collect::<Vec<_>>().join(" ");
    match state.lifecycle {
        Lifecycle::Idle => earlier(&context.project, &about, Some(&work.shown())),
        _ => AllRelated::default(),
    }
}

/// A last phase with a gate is left by a person's word, also if everything is in order.
pub(super) fn last_gate(
    work: &WorkFile,
    state: &WorkState,
    reading: Option<&str>,
    context: &CommandContext,
) -> Result<Option<String>, CommandError> {
    let Some(phase) = state.run().and_then(Run::declared).filter(|phase| phase.gate) else { return Ok(None) };
    let what = format!("pass the gate from phase {phase} to the end of {}", work.shown());
    let deed = Deed::new(&what, &[&work.name, &place_of(state)]).of(Kind::Gate);
    approval::require(&context.project, &context.caller, &deed, reading).map(Some)
}

/// How work is left that is not in order.
pub(super) fn left(work: &WorkFile, state: &WorkState, context: &CommandContext) -> Left {
    let nothing = Run::default();
    let run = state.run().unwrap_or(&nothing);
    let skill = SkillFile::find(&context.project, &run.skill).unwrap_or_default();
    let redefined = RefCell::default();
    let query = ProofQuery { run, checklists: &state.checklists, skill: &skill, work, context, redefined };
    Left { phase: run.current_phase.clone(), open_steps: query.open_steps(), last_check: query.last_check() }
}

/// A description or a keyword as it is kept.
pub(super) fn kept(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Work that is over stays so, and what another agent holds is not ended under it.
fn may_close(work: &WorkFile, state: &WorkState, context: &CommandContext) -> Outcome {
    match state.lifecycle {
        Lifecycle::Completed | Lifecycle::Stopped => {
            Err(CommandError::nothing(format!("{} is {} already", work.shown(), state.shown())))
        }
        Lifecycle::Active => must_hold(work, state, context),
        Lifecycle::Idle => Ok(()),
    }
}

enum Given {
    Description(String),
    Proof(Map<String, Value>),
}

/// What is piped in: a description; for work that rests, also the proof of its last phase.
fn given(lifecycle: Lifecycle, piped: Piped<'_>) -> Result<Option<Given>, CommandError> {
    let Some(text) = piped().map_err(CommandError::from_error)? else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) if lifecycle == Lifecycle::Idle => Ok(Some(Given::Proof(object))),
        Ok(Value::Object(_)) => Err(CommandError::refused("stdin takes the description as plain text here")
            .hint("proof goes into --proof NAME=VALUE")),
        _ => Ok(Some(Given::Description(text))),
    }
}

/// Every gate that is closed.
pub(super) fn gates(
    work: &WorkFile,
    state: &WorkState,
    verb: &str,
    described: bool,
    proof: Option<&Map<String, Value>>,
    context: &CommandContext,
) -> Vec<Closed> {
    let mut facts = Facts { described, ..Facts::default() };
    if let Some(run) = state.run() {
        of_skill(&mut facts, state, run, work, proof, context);
    }
    let open = state.checklists.iter().filter(|list| check::is_open(list));
    facts.open_checklists = open.map(|list| list.path.clone()).collect();
    facts.bare_tags = debrief::bare_tags(work);
    facts.unanswered = unanswered(state, work, context);
    gate::closed(state, &facts, &work.shown(), verb)
}

/// What the skill asks for: its debrief, and proof of the current phase and of each that was not passed.
fn of_skill(
    facts: &mut Facts,
    state: &WorkState,
    run: &Run,
    work: &WorkFile,
    proof: Option<&Map<String, Value>>,
    context: &CommandContext,
) {
    let skill = SkillFile::find(&context.project, &run.skill);
    // One that is gone or broken asks for less than it did.
    facts.changed_skill = skill.as_ref().err().map(|error| error.message.clone());
    let skill = skill.unwrap_or_default();
    let redefined = RefCell::default();
    let query = ProofQuery { run, checklists: &state.checklists, skill: &skill, work, context, redefined };
    if skill.protocol.debrief_template.is_some() {
        let file = run.file("");
        facts.debrief = wrong_debrief(&file, &query).map(|wrong| (file, wrong));
    }
    if facts.changed_skill.is_none() {
        facts.changed_skill = form::changed(run, &skill).map(|change| change.text);
    }
    for phase in run.declared().into_iter().chain(run.unpassed()) {
        let demand = phase::demand_of(phase, skill.folder.as_deref());
        if demand.is_empty() {
            continue;
        }
        let unproved = phase::unproved(&demand, proof.filter(|proof| !proof.is_empty()), &query);
        let plain = |why: &String| why.split_once(": ").map_or(why.as_str(), |(_, why)| why).to_owned();
        let mut unproved: Vec<String> = unproved.iter().map(plain).collect();
        unproved.extend(query.redefined.take().into_iter().map(|one| one.text));
        if !unproved.is_empty() {
            facts.unproved.push((phase.to_string(), unproved));
        }
    }
    facts.red = query.reds().iter().map(Red::shown).collect();
    // A check that fails now says more than one that passed.
    if facts.red.is_empty() && run.next_phase().is_none() {
        facts.lapsed = query.lapsed(proof);
    }
}

fn wrong_debrief(file: &str, query: &ProofQuery<'_>) -> Option<String> {
    let place = query.work.folder().join(file);
    if !fs::metadata(&place).is_ok_and(|data| data.is_file() && data.len() > 0) {
        return Some("is not written".to_owned());
    }
    let wrong = query.debrief(&format!("{}/{file}", query.work.shown()))?;
    let wrong = wrong.split_once(": ").map_or(wrong.as_str(), |(_, wrong)| wrong);
    Some(format!("is not filled in: {wrong}"))
}

/// What the request files that the work was started with lack of an answer.
fn unanswered(state: &WorkState, work: &WorkFile, context: &CommandContext) -> Vec<Unanswered> {
    let files = state.params.get(REQUESTS).and_then(Value::as_array).into_iter().flatten();
    let has = |file: &str| work.folder().join(file).is_file();
    let lacks = |file: &str| {
        let text = read_string(&context.project.root().join(file)).ok();
        request::unanswered(file, text.as_deref(), has)
    };
    files.filter_map(Value::as_str).flat_map(lacks).collect()
}

/// Closed gates in one line.
pub(super) fn open_ends(closed: &[Closed]) -> String {
    let lines: Vec<String> = closed.iter().map(|gate| format!("{}: {}", gate.rule, gate.text)).collect();
    lines.join("; ")
}

/// Where the work stands: who allows an ending allows it there.
pub(super) fn place_of(state: &WorkState) -> String {
    let run = state.run();
    let phase = run.and_then(|run| run.current_phase.as_ref()).map(ToString::to_string).unwrap_or_default();
    format!("{} {phase}", run.map(|run| run.started_at.as_str()).unwrap_or_default())
}

/// All closed gates in one error, and how a person is asked to let it rest or stop where it is.
pub(super) fn waivable(lead: &str, closed: &[Closed], work: &WorkFile, verb: &str) -> CommandError {
    let error = refusal(lead, closed);
    if !closed.iter().any(Closed::is_for_a_person) {
        return error;
    }
    // Only these take a person's word for what is open.
    let verb = if verb == "deactivate" { verb } else { "idle" };
    let how = if verb == "idle" { "let it rest here" } else { "stop here" };
    let call = format!("engine session {verb} {} --description \"…\" --user-approved \"why\"", work.shown());
    error.hint(format!("to {how} all the same: {call}; engine asks the user"))
}

/// All closed gates in one error.
pub(super) fn refusal(lead: &str, closed: &[Closed]) -> CommandError {
    let lines: Vec<String> = closed.iter().map(|gate| format!("{}: {}", gate.rule, gate.text)).collect();
    let mut error = CommandError::refused(format!("{lead}\n{}", lines.join("\n")));
    let mut fixes: Vec<&str> = Vec::new();
    for gate in closed {
        if !fixes.contains(&gate.fix.as_str()) {
            fixes.push(&gate.fix);
        }
    }
    for fix in fixes {
        error = error.hint(fix);
    }
    error
}

#[cfg(test)]
mod tests;
