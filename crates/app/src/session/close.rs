//! Work rests or ends when everything is in order.
//!
//! As with a phase, the decision is made on the state as it is under its lock, and what it rests on is looked up before.

use std::cell::RefCell;

use engine_core::approval::Deed;
use engine_core::evidence::ledger::Red;
use engine_core::work::gate::{self, Closed, Facts};
use engine_core::work::{Lifecycle, Passed, Run, WorkState};
use engine_store::binding::work as binding;
use engine_store::read::read_string;
use engine_store::work_file::WorkFile;
use fs_err as fs;
use serde_json::{Map, Value};

use super::evidence::ProofQuery;
use super::{CommandContext, SkillFile, check, debrief, must_hold, now, pairs, phase};
use crate::approval;
use crate::error::{CommandError, Outcome};
use crate::stdin::Piped;

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
    /// Skills that may follow.
    pub next: Vec<String>,
}

/// Lets the work rest, if everything is in order.
pub fn idle(
    context: &CommandContext,
    request: &Request<'_>,
    piped: Piped<'_>,
) -> Result<Rested, CommandError> {
    close(context, request, Lifecycle::Idle, "idle", piped)
}

/// Ends the work, if everything is in order.
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
    let work = context.existing(request.path)?;
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
    let description = description.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let keywords: Vec<String> =
        request.keywords.iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect();
    let look_up = |state: &WorkState| {
        // What rests was described when it was laid down.
        let described =
            description.is_some() || (state.lifecycle == Lifecycle::Idle && state.description.is_some());
        let closed = gates(&work, state, verb, described, Some(&proof), context)?;
        Ok::<_, CommandError>((described, closed))
    };
    let looked_up = look_up(&seen);
    let now = now();
    let before = work.update(|state| {
        may_close(&work, state, context)?;
        let (described, closed) = if *state == seen { looked_up } else { look_up(state) }?;
        let mut waived = None;
        if !closed.is_empty() {
            let refused =
                || refusal(&format!("{} stays {}", work.shown(), state.lifecycle.as_str()), &closed);
            let open = open_ends(&closed);
            let what = format!("session {verb} {} with open ends: {open}", work.shown());
            let deed = Deed::new(&what, &[verb, &work.name, &place_of(state), &open]);
            // No word makes up for a description, so it is not used up where there is none.
            let reading = request.approved.filter(|_| described);
            waived = Some(approval::waive(&context.project, &context.caller, &deed, reading, refused)?);
        }
        let before = state.clone();
        if let Some(text) = &description {
            state.description = Some(text.clone());
        }
        for keyword in keywords {
            if !state.keywords.contains(&keyword) {
                state.keywords.push(keyword);
            }
        }
        if let Some(run) = state.run_mut()
            && let Some(last) = &run.current_phase
        {
            let folder = SkillFile::find(&context.project, &run.skill).ok().and_then(|skill| skill.folder);
            let proof = phase::demand(run, folder.as_deref()).recorded(proof.clone());
            let (phase, at) = (last.to_string(), now.clone());
            if !proof.is_empty() {
                let proof = Some(Value::Object(proof));
                run.history.push(Passed { phase, at, proof, ..Passed::default() });
            }
        }
        state.close(lifecycle, &now, waived.as_deref());
        Ok::<_, CommandError>(before)
    })?;
    binding::unbind(&context.project, &work.name, before.agent_session.as_ref())?;
    let next = before.run().map(|run| SkillFile::next_of(&context.project, &run.skill)).unwrap_or_default();
    Ok(Rested { work, next })
}

/// Work that is over stays so, and what another agent holds is not ended under it.
fn may_close(work: &WorkFile, state: &WorkState, context: &CommandContext) -> Outcome {
    match state.lifecycle {
        Lifecycle::Completed => Err(CommandError::nothing(format!("{} is completed already", work.shown()))),
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
) -> Result<Vec<Closed>, CommandError> {
    let mut facts = Facts { described, ..Facts::default() };
    if let Some(run) = state.run().filter(|run| !run.has_barely_begun()) {
        of_skill(&mut facts, state, run, work, verb, proof, context)?;
    }
    let open = state.checklists.iter().filter(|list| check::is_open(list));
    facts.open_checklists = open.map(|list| list.path.clone()).collect();
    facts.bare_tags = debrief::bare_tags(work);
    facts.unanswered = unanswered(state, context);
    Ok(gate::closed(state.run(), &facts, &work.shown(), verb))
}

/// What the skill asks for: its debrief, and proof of the phase that is left. Work that rests in the middle owes none yet.
fn of_skill(
    facts: &mut Facts,
    state: &WorkState,
    run: &Run,
    work: &WorkFile,
    verb: &str,
    proof: Option<&Map<String, Value>>,
    context: &CommandContext,
) -> Outcome {
    let skill = SkillFile::find(&context.project, &run.skill)?;
    let debrief = run.file("");
    let written =
        fs::metadata(work.folder().join(&debrief)).is_ok_and(|data| data.is_file() && data.len() > 0);
    facts.missing_debrief = (skill.protocol.debrief_template.is_some() && !written).then_some(debrief);
    let demand = phase::demand(run, skill.folder.as_deref());
    let is_last = run.position() == Some(run.phases.len());
    let redefined = RefCell::default();
    let query = ProofQuery { run, checklists: &state.checklists, skill: &skill, work, context, redefined };
    if (is_last || verb == "deactivate") && !demand.is_empty() {
        let unproved = phase::unproved(&demand, proof.filter(|proof| !proof.is_empty()), &query);
        facts.unproved = unproved.iter().map(|why| why.trim_start_matches("proof: ").to_owned()).collect();
        facts.unproved.extend(query.redefined.take().into_iter().map(|one| one.text));
    }
    if is_last || verb == "deactivate" {
        facts.red = query.reds().iter().map(Red::shown).collect();
    }
    Ok(())
}

/// Request files that the work was started with and that have no answer.
fn unanswered(state: &WorkState, context: &CommandContext) -> Vec<String> {
    let files = state.params.get("requestFiles").and_then(Value::as_array).into_iter().flatten();
    let answered = |file: &str| {
        let text = read_string(&context.project.root().join(file)).unwrap_or_default();
        text.lines().any(|line| line.trim_end() == "## Response")
    };
    files.filter_map(Value::as_str).filter(|file| !answered(file)).map(str::to_owned).collect()
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
