//! `engine session idle` and `deactivate`: work rests or ends when everything is in order.

use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::work::gate::{self, Closed, Facts};
use engine_core::work::{Lifecycle, Passed, Run, WorkState};
use engine_store::work_file::WorkFile;
use serde_json::{Map, Value, json};

use super::{Desk, check, debrief, now, pairs, phase, skill_file};
use crate::args::CloseArgs;
use crate::ui::Ui;

pub(super) fn idle(args: &CloseArgs, desk: &Desk, ui: &Ui) -> Outcome {
    close(args, Lifecycle::Idle, "idle", desk, ui)
}

pub(super) fn deactivate(args: &CloseArgs, desk: &Desk, ui: &Ui) -> Outcome {
    close(args, Lifecycle::Completed, "deactivate", desk, ui)
}

fn close(args: &CloseArgs, lifecycle: Lifecycle, verb: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(&args.path)?;
    let state = work.peek().unwrap_or_default();
    if state.lifecycle == Lifecycle::Completed {
        return Err(CommandError::nothing(format!("{} is completed already", work.shown())));
    }
    if state.lifecycle == Lifecycle::Active {
        phase::held(&work, &state, desk)?;
    }
    let mut proof = pairs(&args.proof, "proof")?;
    let mut description = args.description.clone();
    if description.is_none() {
        match piped(state.lifecycle)? {
            Some(Piped::Description(text)) => description = Some(text),
            Some(Piped::Proof(object)) => proof.extend(object),
            None => {}
        }
    }
    let description = description.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    // What rests was described when it was laid down.
    let described =
        description.is_some() || (state.lifecycle == Lifecycle::Idle && state.description.is_some());
    let closed = gates(&work, &state, verb, described, Some(&proof), desk)?;
    if !closed.is_empty() {
        let what = format!("engine session {verb} {}", work.shown());
        let waived = approval::require(&desk.project, &desk.caller, &what, args.user_approved.as_deref());
        let refused = || refusal(&format!("{} stays {}", work.shown(), state.lifecycle.as_str()), &closed);
        match waived {
            _ if args.user_approved.is_none() || !described => return Err(refused()),
            Err(why) => return Err(refused().hint(why.message)),
            Ok(()) => {}
        }
    }
    let approved = args.user_approved.as_deref().filter(|_| !closed.is_empty());
    let keywords: Vec<String> =
        args.keywords.iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect();
    let now = now();
    let before = state.lifecycle;
    work.update(|state| {
        if state.lifecycle != before {
            return Err(CommandError::refused(format!("{}: another call was quicker", work.shown())));
        }
        if let Some(text) = description {
            state.description = Some(text);
        }
        for keyword in keywords {
            if !state.keywords.contains(&keyword) {
                state.keywords.push(keyword);
            }
        }
        if let Some(run) = state.run_mut()
            && let Some(last) = run.current_phase.as_ref().filter(|_| !proof.is_empty())
        {
            let (phase, at) = (last.to_string(), now.clone());
            run.history.push(Passed { phase, at, proof: Some(Value::Object(proof)), ..Passed::default() });
        }
        state.close(lifecycle, &now, approved);
        Ok::<(), CommandError>(())
    })?;
    desk.unbind(&work.name, state.agent_session.as_ref())?;
    tell(&work, &state, lifecycle, desk, ui);
    Ok(())
}

fn tell(work: &WorkFile, state: &WorkState, lifecycle: Lifecycle, desk: &Desk, ui: &Ui) {
    let next = state.run().and_then(|run| skill_file(&desk.project, &run.skill).ok());
    let next = next.map(|skill| skill.protocol.next_skills).unwrap_or_default();
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "lifecycle": lifecycle, "nextSkills": next}));
        return;
    }
    ui.line(format!("{} is {}", work.shown(), lifecycle.as_str()));
    if !next.is_empty() {
        ui.line(format!("next: {}", next.join(", ")));
    }
}

enum Piped {
    Description(String),
    Proof(Map<String, Value>),
}

/// What is piped in: a description; for work that rests, also the proof of its last phase.
fn piped(lifecycle: Lifecycle) -> Result<Option<Piped>, CommandError> {
    let Some(text) = stdin::piped().map_err(|error| CommandError::refused(error.to_string()))? else {
        return Ok(None);
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) if lifecycle == Lifecycle::Idle => Ok(Some(Piped::Proof(object))),
        Ok(Value::Object(_)) => Err(CommandError::refused("stdin takes the description as plain text here")
            .hint("proof goes into --proof NAME=VALUE")),
        _ => Ok(Some(Piped::Description(text))),
    }
}

/// Every gate that is closed.
pub(super) fn gates(
    work: &WorkFile,
    state: &WorkState,
    verb: &str,
    described: bool,
    proof: Option<&Map<String, Value>>,
    desk: &Desk,
) -> Result<Vec<Closed>, CommandError> {
    let mut facts = Facts { described, ..Facts::default() };
    if let Some(run) = state.run().filter(|run| !run.has_barely_begun()) {
        of_skill(&mut facts, run, work, verb, proof, desk)?;
    }
    let open = state.checklists.iter().filter(|list| check::is_open(list));
    facts.open_checklists = open.map(|list| list.path.clone()).collect();
    facts.bare_tags = debrief::bare_tags(work);
    facts.unanswered = unanswered(state, desk);
    Ok(gate::closed(state.run(), &facts, &work.shown(), verb))
}

/// What the skill asks for: its debrief, and proof of the phase that is left. Work that rests in the middle owes none yet.
fn of_skill(
    facts: &mut Facts,
    run: &Run,
    work: &WorkFile,
    verb: &str,
    proof: Option<&Map<String, Value>>,
    desk: &Desk,
) -> Outcome {
    let skill = skill_file(&desk.project, &run.skill)?;
    let debrief = run.file("");
    let written =
        std::fs::metadata(work.folder().join(&debrief)).is_ok_and(|data| data.is_file() && data.len() > 0);
    facts.missing_debrief = (skill.protocol.debrief_template.is_some() && !written).then_some(debrief);
    let demand = phase::demand(run, skill.folder.as_deref());
    let is_last = run.position() == Some(run.phases.len());
    if (is_last || verb == "deactivate") && !demand.is_empty() {
        let unproved = phase::unproved(&demand, proof.filter(|proof| !proof.is_empty()), run, work, desk);
        facts.unproved = unproved.iter().map(|why| why.trim_start_matches("proof: ").to_owned()).collect();
    }
    Ok(())
}

/// Request files that the work was started with and that have no answer.
fn unanswered(state: &WorkState, desk: &Desk) -> Vec<String> {
    let files = state.params.get("requestFiles").and_then(Value::as_array).into_iter().flatten();
    let answered = |file: &str| {
        let text = std::fs::read_to_string(desk.project.root().join(file)).unwrap_or_default();
        text.lines().any(|line| line.trim_end() == "## Response")
    };
    files.filter_map(Value::as_str).filter(|file| !answered(file)).map(str::to_owned).collect()
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
