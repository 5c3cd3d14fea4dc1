//! `engine session activate` and `continue`: binding an agent session to its work.

use std::path::Path;

use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_core::work::{self, Activated, Activation, Holder, Lifecycle, NotGiven, Payload, Run, WorkState};
use engine_store::work_file::WorkFile;
use serde_json::{Map, Value, json};

use super::delegate::Requests;
use super::{
    Desk, Kept, SkillFile, close, delegate, now, object_on_stdin, pairs, phase, skill_file, tell_set_aside,
};
use crate::args::{ActivateArgs, ContinueArgs};
use crate::ui::Ui;

/// What a JSON object on stdin must say.
const REQUIRED: [&str; 6] =
    ["taskSummary", "scope", "directoriesOfInterest", "contextPaths", "requestFiles", "extraInfo"];
/// Those of them that are lists of paths.
const LISTS: [&str; 3] = ["directoriesOfInterest", "contextPaths", "requestFiles"];

pub(super) fn run(args: &ActivateArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.work(&args.path)?;
    let skill = args.skill.trim_start_matches('/');
    let file = skill_file(&desk.project, skill)?;
    check_mode(args, &file)?;
    let params = parameters(args)?;
    let approved = args.user_approved.as_deref();
    let takes_over = may_take_over(&work, approved, desk)?;
    let again = args.fast_track || (approved.is_some() && may_again(&work, skill, approved, desk)?);
    leave_other(&work, approved, desk, ui)?;
    desk.show_life()?;
    work.make()?;
    let now = now();
    let (done, set_aside) = work.begin(|state| {
        let holder = state.agent_session.clone();
        let activation = Activation {
            skill,
            phases: &file.protocol.phases,
            directives: &file.protocol.directives,
            agent: desk.agent(),
            now: &now,
            params: Some(params),
            again,
        };
        let alive = |id: &str| !takes_over && desk.is_alive(id);
        let activated =
            state.activate(&activation, alive).map_err(|why| not_given(&why, &work, args, desk))?;
        if let (Some(run), Some(mode)) = (state.run_mut(), &args.mode) {
            run.mode = Some(mode.clone());
        }
        let payload = waiting(state, holder.as_ref(), desk);
        Ok::<_, CommandError>((state.clone(), activated, holder, payload))
    })?;
    let (state, activated, holder, payload) = done;
    tell_set_aside(set_aside, ui);
    let stays = holder.as_ref().is_some_and(|holder| state.is_held_by(&holder.id));
    if !stays {
        desk.unbind(&work.name, holder.as_ref())?;
    }
    desk.bind(&work, &state, if stays { Kept::All } else { Kept::Nothing })?;
    let outcome = match activated {
        Activated::Started => "started",
        Activated::Reactivated => "goes on",
        Activated::Unchanged => "is active",
    };
    let requests = delegate::open_requests(&file, &state, &desk.project, ui);
    let shown =
        Shown { work: &work, state: &state, outcome, skill: &file, payload: payload.as_ref(), requests };
    shown.show(desk, ui);
    Ok(())
}

fn check_mode(args: &ActivateArgs, file: &SkillFile) -> Outcome {
    let modes = &file.protocol.modes;
    match &args.mode {
        Some(mode) if !modes.contains_key(mode) => {
            let known: Vec<&str> = modes.keys().map(String::as_str).collect();
            let text = format!("{} has no mode {mode}", args.skill);
            let hint = if known.is_empty() {
                "it has none".to_owned()
            } else {
                format!("modes: {}", known.join(", "))
            };
            Err(CommandError::refused(text).hint(hint))
        }
        _ => Ok(()),
    }
}

fn parameters(args: &ActivateArgs) -> Result<Map<String, Value>, CommandError> {
    let given = pairs(&args.param, "param")?;
    let (object, required) =
        if given.is_empty() { (object_on_stdin()?.unwrap_or_default(), true) } else { (given, false) };
    let mut wrong: Vec<String> = Vec::new();
    if required && !object.is_empty() {
        let missing = REQUIRED.into_iter().filter(|key| !object.contains_key(*key));
        wrong.extend(missing.map(|key| format!("{key} is missing")));
    }
    let is_list = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let no_list = LISTS.into_iter().filter(|key| object.get(*key).is_some_and(|value| !is_list(value)));
    wrong.extend(no_list.map(|key| format!("{key} takes a list of paths")));
    if wrong.is_empty() {
        return Ok(object);
    }
    Err(CommandError::refused(format!("parameters: {}", wrong.join("; ")))
        .hint(format!("the object has the keys {}", REQUIRED.join(", "))))
}

/// Whether a person lets an agent take what another live one holds: a client that crashed never says that it ended.
fn may_take_over(work: &WorkFile, approved: Option<&str>, desk: &Desk) -> Result<bool, CommandError> {
    let state = work.peek().unwrap_or_default();
    let Some(holder) =
        state.agent_session.filter(|holder| desk.agent() != Some(&holder.id) && desk.is_alive(&holder.id))
    else {
        return Ok(false);
    };
    let what = format!("taking over {}", work.shown());
    if approved.is_none() {
        // Remembered, so that a person's word counts from now on.
        let _ = approval::require(&desk.project, &desk.caller, &what, None);
        return Err(held(work, &holder));
    }
    approval::require(&desk.project, &desk.caller, &what, approved)?;
    Ok(true)
}

fn held(work: &WorkFile, holder: &Holder) -> CommandError {
    let Holder { id, bound_at } = holder;
    CommandError::refused(format!(
        "session: {} is held by the agent session {id}, since {bound_at}",
        work.shown()
    ))
    .hint("it is free when that session ends, idles or deactivates it")
    .hint("if it crashed: ask the user; then the same command with --user-approved \"what they said\"")
}

/// A work session that this agent session holds rests before another is begun.
fn leave_other(work: &WorkFile, approved: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let Some(bound) = desk.bound().filter(|bound| bound.name != work.name) else { return Ok(()) };
    let other = WorkFile::new(&desk.project, &bound.name);
    let Some(state) = other.peek().filter(|state| state.lifecycle == Lifecycle::Active) else {
        return Ok(());
    };
    let closed = close::gates(&other, &state, "idle", state.description.is_some(), None, desk)?;
    if !closed.is_empty() {
        let what = format!("leaving {}", other.shown());
        let waived = approval::require(&desk.project, &desk.caller, &what, approved);
        if approved.is_none() {
            return Err(close::refusal(&format!("{} is still open", other.shown()), &closed));
        }
        waived?;
    }
    let now = now();
    other.update(|state| {
        state.close(Lifecycle::Idle, &now, approved);
        Ok::<(), CommandError>(())
    })?;
    desk.unbind(&other.name, state.agent_session.as_ref())?;
    ui.talk(format!("{} is idle now", other.shown()));
    Ok(())
}

fn may_again(
    work: &WorkFile,
    skill: &str,
    approved: Option<&str>,
    desk: &Desk,
) -> Result<bool, CommandError> {
    let is_done = |run: &Run| run.skill == skill && run.ended_at.is_some();
    let done = work.peek().is_some_and(|state| state.runs.iter().any(is_done));
    if done {
        approval::require(&desk.project, &desk.caller, &again_what(work, skill), approved)?;
    }
    Ok(done)
}

fn again_what(work: &WorkFile, skill: &str) -> String {
    format!("running {skill} again in {}", work.shown())
}

fn not_given(why: &NotGiven, work: &WorkFile, args: &ActivateArgs, desk: &Desk) -> CommandError {
    match why {
        NotGiven::Held(holder) => held(work, holder),
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

/// What was kept for an agent session that begins here: told to it, and to nobody after.
fn waiting(state: &mut WorkState, before: Option<&Holder>, desk: &Desk) -> Option<Payload> {
    let agent = desk.agent()?;
    let is_new = before.is_none_or(|holder| holder.id != agent);
    if is_new { state.overflow.payload.take() } else { None }
}

/// What the agent needs to begin, and no more.
struct Shown<'a> {
    work: &'a WorkFile,
    state: &'a WorkState,
    outcome: &'a str,
    skill: &'a SkillFile,
    payload: Option<&'a Payload>,
    requests: Requests,
}

impl Shown<'_> {
    fn show(&self, desk: &Desk, ui: &Ui) {
        let Self { work, outcome, skill, payload, requests, .. } = self;
        let Some(run) = self.state.run() else { return };
        let folder = skill.folder.as_deref();
        let log = format!("{}/{}", work.shown(), work::file_of(&run.skill, "LOG"));
        if ui.is_json() {
            ui.object(&json!({"version": 1, "path": work.shown(), "skill": run.skill, "outcome": outcome, "phase": run.current_phase,
                "phases": run.phases, "proof": phase::demand(run, folder).names(), "log": log, "payload": payload,
                "requests": requests.rows(), "moreRequests": requests.more}));
            return;
        }
        if let Some(payload) = payload {
            ui.text(&payload.told(|file| desk.project.root().join(file).exists()));
        }
        ui.line(format!("{}: {} {outcome}{}", work.shown(), run.skill, phase::place(run)));
        phase::tell_demand(run, folder, ui);
        ui.line(format!("log: engine log {log}"));
        tell_files(run, skill, folder, ui);
        requests.tell(run, ui);
        phase::tell_next(work, run, ui);
    }
}

fn tell_files(run: &Run, skill: &SkillFile, folder: Option<&Path>, ui: &Ui) {
    let wanted = [(&skill.protocol.plan_template, "PLAN"), (&skill.protocol.debrief_template, "")];
    let file = |(template, kind): &(&Option<String>, &str)| {
        let template = folder?.join(template.as_deref()?);
        Some(format!("{} (as {})", run.file(kind), template.display()))
    };
    let files: Vec<String> = wanted.iter().filter_map(file).collect();
    if !files.is_empty() {
        ui.line(format!("files in it: {}", files.join(", ")));
    }
}

pub(super) fn go_on(args: &ContinueArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.named_or_bound(args.path.as_deref())?;
    let approved = args.user_approved.as_deref();
    let takes_over = may_take_over(&work, approved, desk)?;
    leave_other(&work, approved, desk, ui)?;
    desk.show_life()?;
    let now = now();
    let (state, payload, holder) = work.update(|state| {
        let holder = state.agent_session.clone();
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
            directives: &run.directives,
            agent: desk.agent(),
            now: &now,
            params: None,
            again: true,
        };
        let alive = |id: &str| !takes_over && desk.is_alive(id);
        state.activate(&activation, alive).map_err(|why| match why {
            NotGiven::Held(holder) => held(&work, &holder),
            NotGiven::Done { skill } => CommandError::refused(format!("session: {skill} is done")),
        })?;
        if let Some(run) = state.run_mut() {
            run.loading = false;
        }
        let payload = desk.agent().and_then(|_| state.overflow.payload.take());
        Ok((state.clone(), payload, holder))
    })?;
    if !holder.as_ref().is_some_and(|holder| state.is_held_by(&holder.id)) {
        desk.unbind(&work.name, holder.as_ref())?;
    }
    desk.bind(&work, &state, Kept::Nothing)?;
    let skill = state.run().and_then(|run| skill_file(&desk.project, &run.skill).ok()).unwrap_or_default();
    let (outcome, requests) = ("goes on", Requests::default());
    let shown =
        Shown { work: &work, state: &state, outcome, skill: &skill, payload: payload.as_ref(), requests };
    shown.show(desk, ui);
    Ok(())
}

fn completed(work: &WorkFile, run: &Run, desk: &Desk) -> CommandError {
    let refused = CommandError::refused(format!("{} is completed", work.shown()));
    let next =
        skill_file(&desk.project, &run.skill).map(|skill| skill.protocol.next_skills).unwrap_or_default();
    if next.is_empty() { refused } else { refused.hint(format!("next: {}", next.join(", "))) }
}
