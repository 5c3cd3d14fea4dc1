//! `engine session activate` and `continue`: binding an agent session to its work.

use engine_core::skill::protocol::Protocol;
use engine_core::work::{self, Activated, Activation, Lifecycle, NotGiven, Payload, Run, WorkState};
use engine_store::session_file::SessionFile;
use engine_store::work_file::WorkFile;
use serde_json::{Map, Value, json};

use super::{Desk, SkillFile, close, now, object_on_stdin, pairs, phase, skill_file, tell_set_aside};
use crate::approval;
use crate::args::ActivateArgs;
use crate::error::{CommandError, Outcome};
use crate::ui::Ui;

/// What a JSON object on stdin must say.
const REQUIRED: [&str; 6] =
    ["taskSummary", "scope", "directoriesOfInterest", "contextPaths", "requestFiles", "extraInfo"];

pub(super) fn run(args: &ActivateArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.work(&args.path)?;
    let skill = args.skill.trim_start_matches('/');
    let file = skill_file(&desk.project, skill)?;
    let params = parameters(args)?;
    leave_other(&work, args, desk, ui)?;
    let again = args.fast_track || (args.user_approved.is_some() && may_again(&work, skill, args, desk)?);
    work.make()?;
    let now = now();
    let ((state, activated), set_aside) = work.update(|state| {
        let activation = Activation {
            skill,
            phases: &file.protocol.phases,
            agent: desk.agent(),
            now: &now,
            params: Some(params),
            again,
        };
        let activated =
            state.activate(&activation, |id| alive(desk, id)).map_err(|why| not_given(&why, &work, args, desk))?;
        if let (Some(run), Some(mode)) = (state.run_mut(), &args.mode) {
            run.mode = Some(mode.clone());
        }
        Ok::<_, CommandError>((state.clone(), activated))
    })?;
    tell_set_aside(set_aside, ui);
    desk.rebind(&work.name, state.run())?;
    let word = match activated {
        Activated::Started => "started",
        Activated::Reactivated => "goes on",
        Activated::Unchanged => "is active",
    };
    show(&work, &state, word, &file, None, ui);
    Ok(())
}

fn alive(desk: &Desk, id: &str) -> bool {
    SessionFile::new(&desk.project.sessions_folder(), id).is_alive()
}

fn parameters(args: &ActivateArgs) -> Result<Map<String, Value>, CommandError> {
    let given = pairs(&args.param, "param")?;
    if !given.is_empty() {
        return Ok(given);
    }
    let Some(object) = object_on_stdin()? else { return Ok(given) };
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|key| !object.contains_key(*key)).collect();
    if missing.is_empty() {
        return Ok(object);
    }
    Err(CommandError::refused(format!("parameters: {} missing", missing.join(", ")))
        .hint(format!("the object has the keys {}", REQUIRED.join(", "))))
}

/// A work session that this agent session holds rests before another is begun.
fn leave_other(work: &WorkFile, args: &ActivateArgs, desk: &Desk, ui: &Ui) -> Result<(), CommandError> {
    let Some(bound) = desk.bound().filter(|bound| bound.name != work.name) else { return Ok(()) };
    let other = WorkFile::new(&desk.project, &bound.name);
    let Some(state) = other.peek().filter(|state| state.lifecycle == Lifecycle::Active) else { return Ok(()) };
    let closed = close::gates(&other, &state, "idle", state.description.is_some(), None, desk);
    if !closed.is_empty() {
        let what = format!("leaving {}", other.shown());
        let waived = approval::require(&desk.project, &desk.caller, &what, args.user_approved.as_deref());
        if args.user_approved.is_none() {
            return Err(close::refusal(&format!("{} is still open", other.shown()), &closed));
        }
        waived?;
    }
    let now = now();
    other.update(|state| {
        state.close(Lifecycle::Idle, &now);
        Ok::<(), CommandError>(())
    })?;
    ui.talk(format!("{} is idle now", other.shown()));
    Ok(())
}

fn may_again(work: &WorkFile, skill: &str, args: &ActivateArgs, desk: &Desk) -> Result<bool, CommandError> {
    let is_done = |run: &Run| run.skill == skill && run.ended_at.is_some();
    let done = work.peek().is_some_and(|state| state.runs.iter().any(is_done));
    if done {
        let what = again_what(work, skill);
        approval::require(&desk.project, &desk.caller, &what, args.user_approved.as_deref())?;
    }
    Ok(done)
}

fn again_what(work: &WorkFile, skill: &str) -> String {
    format!("running {skill} again in {}", work.shown())
}

fn not_given(why: &NotGiven, work: &WorkFile, args: &ActivateArgs, desk: &Desk) -> CommandError {
    match why {
        NotGiven::Held { by, since } => held(work, by, since),
        NotGiven::Done { skill } => {
            // Remembered, so that a person's word counts from now on.
            let _ = approval::require(&desk.project, &desk.caller, &again_what(work, skill), None);
            CommandError::refused(format!("session: {skill} is done in {}", work.shown())).hint(format!(
                "to run it again: engine session activate {} {} --fast-track",
                work.shown(),
                args.skill
            ))
        }
    }
}

fn held(work: &WorkFile, by: &str, since: &str) -> CommandError {
    CommandError::refused(format!("session: {} is held by the agent session {by}, since {since}", work.shown()))
        .hint("it is free when that session ends, idles or deactivates it")
}

/// What the agent needs to begin, and no more.
fn show(work: &WorkFile, state: &WorkState, word: &str, skill: &SkillFile, payload: Option<&Payload>, ui: &Ui) {
    let Some(run) = state.run() else { return };
    let folder = skill.folder.as_deref();
    let log = format!("{}/{}", work.shown(), work::file_of(&run.skill, "LOG"));
    if ui.is_json() {
        let mut object = json!({"version": 1, "path": work.shown(), "skill": run.skill, "word": word, "phase": run.current_phase,
            "phases": run.phases, "proof": phase::demand(run, folder).names(), "log": log});
        if let Some(payload) = payload {
            object["payload"] = json!(payload);
        }
        ui.object(&object);
        return;
    }
    ui.line(format!("{}: {} {word}{}", work.shown(), run.skill, phase::place(run)));
    phase::tell_demand(run, folder, ui);
    ui.line(format!("log: engine log {log}"));
    let wanted = [(&skill.protocol.plan_template, "PLAN"), (&skill.protocol.debrief_template, "")];
    let files: Vec<String> = wanted
        .iter()
        .filter_map(|(template, kind)| {
            let template = folder?.join(template.as_deref()?);
            Some(format!("{} (as {})", run.file(kind), template.display()))
        })
        .collect();
    if !files.is_empty() {
        ui.line(format!("files in it: {}", files.join(", ")));
    }
    phase::tell_next(work, run, ui);
}

pub(super) fn go_on(path: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.named_or_bound(path)?;
    let now = now();
    let (went_on, set_aside) = work.update(|state| {
        let Some(run) = state.run().cloned() else {
            return Err(CommandError::refused(format!("{}: no skill was ever started in it", work.shown()))
                .hint(format!("engine session activate {} SKILL", work.shown())));
        };
        if state.lifecycle == Lifecycle::Completed {
            return Err(completed(&work, &run, desk));
        }
        let activation = Activation {
            skill: &run.skill,
            phases: &run.phases,
            agent: desk.agent(),
            now: &now,
            params: None,
            again: true,
        };
        state.activate(&activation, |id| alive(desk, id)).map_err(|why| match why {
            NotGiven::Held { by, since } => held(&work, &by, &since),
            NotGiven::Done { skill } => CommandError::refused(format!("session: {skill} is done")),
        })?;
        if let Some(run) = state.run_mut() {
            run.loading = false;
        }
        // Who goes on is told here, and nobody after.
        Ok((state.clone(), state.overflow.payload.take()))
    })?;
    let (state, payload) = went_on;
    tell_set_aside(set_aside, ui);
    desk.bind(&work.name, state.run())?;
    if let Some(payload) = payload.as_ref().filter(|_| !ui.is_json()) {
        ui.text(&payload.told(|file| desk.project.root().join(file).exists()));
    }
    let skill = state.run().and_then(|run| skill_file(&desk.project, &run.skill).ok());
    let skill = skill.unwrap_or(SkillFile { protocol: Protocol::default(), folder: None });
    show(&work, &state, "goes on", &skill, payload.as_ref(), ui);
    Ok(())
}

fn completed(work: &WorkFile, run: &Run, desk: &Desk) -> CommandError {
    let refused = CommandError::refused(format!("{} is completed", work.shown()));
    let next = skill_file(&desk.project, &run.skill).map(|skill| skill.protocol.next_skills).unwrap_or_default();
    if next.is_empty() { refused } else { refused.hint(format!("next: {}", next.join(", "))) }
}
