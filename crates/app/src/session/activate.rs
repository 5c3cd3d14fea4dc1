//! Binding an agent session to its work: a skill is started, or goes on.

use engine_core::approval::{Deed, Kind};
use engine_core::skill::protocol::{Evidence, Phase};
use engine_core::work::proof::Demand;
use engine_core::work::small;
use engine_core::work::{self, Activated, Activation, Holder, Lifecycle, NotGiven, Run, WorkState};
use engine_store::binding::work::{self as binding, Kept};
use engine_store::content;
use engine_store::record::SetAside;
use engine_store::work_file::WorkFile;
use serde_json::{Map, Value};

use super::delegate::{self, Requests};
use super::{
    CommandContext, REQUESTS, SkillFile, close, definition, dialogue, form, make_folder, mode, now, overflow,
    pairs, phase, piped_object,
};
use crate::approval;
use crate::error::{CommandError, Outcome};
use crate::search::{AllRelated, related};
use crate::stdin::Piped;

/// What a JSON object on stdin must say.
const REQUIRED: [&str; 6] =
    ["taskSummary", "scope", "directoriesOfInterest", "contextPaths", REQUESTS, "extraInfo"];
/// Those of them that are lists of paths.
const LISTS: [&str; 3] = ["directoriesOfInterest", "contextPaths", REQUESTS];

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a str,
    /// With or without its slash.
    pub skill: &'a str,
    pub mode: Option<&'a str>,
    /// `NAME=VALUE`; without any, what is piped in.
    pub params: &'a [String],
    /// `NAME=VALUE`: proof of the first phase, which is left at once if it holds.
    pub proof: &'a [String],
    /// A small run, and its goal.
    pub small: Option<Option<&'a str>>,
    /// Start a skill again that is done here.
    pub fast_track: bool,
    /// Why a person wants it.
    pub approved: Option<&'a str>,
}

/// Work that an agent session is bound to now, with what it needs to begin.
pub struct Begun {
    pub work: WorkFile,
    pub state: WorkState,
    /// `started`, `goes on` or `is active`.
    pub outcome: &'static str,
    pub skill: SkillFile,
    /// What a new context is told of it.
    pub recall: Option<String>,
    pub requests: Requests,
    pub set_aside: Option<SetAside>,
    /// Why the proof that was given does not leave the first phase.
    pub stays: Option<CommandError>,
    /// Whether the user is asked for the mode.
    pub mode: Option<String>,
    /// Earlier work on the same, and pages about it; for a run that begins.
    pub related: AllRelated,
}

impl Begun {
    /// What leaving the current phase will ask for.
    pub fn demand(&self, run: &Run) -> Demand {
        phase::demand(run, self.skill.folder.as_deref())
    }

    /// What the steps of the current phase mean.
    pub fn steps(&self, run: &Run) -> Vec<String> {
        definition::steps(run, self.skill.folder.as_deref())
    }

    /// The log of a run, from the project's root.
    pub fn log(&self, run: &Run) -> String {
        format!("{}/{}", self.work.shown(), work::file_of(&run.skill, "LOG"))
    }

    /// The files that the skill writes, each with its template.
    pub fn files(&self, run: &Run) -> Vec<String> {
        // The engine writes what a small run has to tell.
        if run.small {
            return Vec::new();
        }
        let protocol = &self.skill.protocol;
        let wanted = [(&protocol.plan_template, "PLAN"), (&protocol.debrief_template, "")];
        let file = |(template, kind): &(&Option<String>, &str)| {
            let template = self.skill.folder.as_deref()?.join(template.as_deref()?);
            Some(format!("{} (as {})", run.file(kind), template.display()))
        };
        wanted.iter().filter_map(file).collect()
    }
}

/// Starts a skill in a work session. What happened on the way is added to `notes`, also if the rest is refused.
pub fn activate(
    context: &CommandContext,
    request: &Request<'_>,
    piped: Piped<'_>,
    notes: &mut Vec<String>,
) -> Result<Begun, CommandError> {
    let work = context.work(request.path)?;
    context.sealed(&work, request.approved)?;
    context.may_set_aside(&work)?;
    let name = request.skill.trim_start_matches('/');
    let skill = SkillFile::find(&context.project, name)?;
    check_mode(request, &skill)?;
    let (phases, goal) = small_run(request, &skill, &work)?;
    let given = pairs(request.proof, "proof")?;
    let params = parameters(request.params, piped)?;
    let approved = request.approved;
    let from = may_take_over(&work, approved, context)?;
    notes.extend(leave_other(&work, approved, context)?);
    context.show_life()?;
    make_folder(&work)?;
    let now = now();
    // Before the lock: git takes its time.
    let has_phases = !phases.is_empty();
    let began_on = has_phases.then(|| content::take(&context.project, content::PATIENCE).ok()).flatten();
    let asked = dialogue::asked(context);
    let (done, set_aside) = work.begin(|state| {
        let holder = state.agent_session.clone();
        keeps_requests(state, &params, context)?;
        let before = state.overflow.clone();
        let is_new =
            |run: &Run| !context.agent().is_some_and(|agent| run.holders.iter().any(|one| one == agent));
        let is_news = context.agent().is_some() && state.run().is_some_and(is_new);
        let activation = Activation {
            skill: name,
            phases: &phases,
            directives: &skill.protocol.directives,
            agent: context.agent(),
            now: &now,
            params: Some(params.clone()),
            again: request.fast_track,
            small: request.small.map(|_| goal.as_deref()),
        };
        let alive = |id: &str| from.as_deref() != Some(id) && context.is_alive(id);
        let activated = state.activate(&activation, alive).map_err(|why| not_given(&why, &work, request))?;
        if let Some(run) = state.run_mut().filter(|_| activated == Activated::Started) {
            run.content = began_on;
            run.request = asked;
            run.form = form::of(&skill, &run.phases);
        }
        if let (Some(run), Some(mode)) = (state.run_mut(), request.mode) {
            run.mode = Some(mode.to_owned());
        }
        let is_news = is_news && activated != Activated::Started;
        if is_news {
            overflow::note_told(state, &now);
        }
        Ok::<_, CommandError>((state.clone(), activated, holder, is_news.then_some(before)))
    })?;
    let (state, activated, holder, news) = done;
    let stays = holder.as_ref().is_some_and(|holder| state.is_held_by(&holder.id));
    if let Some(holder) = holder.as_ref().filter(|_| !stays) {
        binding::unbind_loser(&context.project, &work, holder, context.agent())?;
    }
    let kept = match activated {
        Activated::Started => Kept::Beginning,
        _ if stays => Kept::All,
        _ => Kept::Nothing,
    };
    binding::bind(&context.project, &work, &state, kept)?;
    if let Err(error) = dialogue::add_request(context, &work) {
        notes.push(format!("the request is not in the dialogue of {}: {error}", work.shown()));
    }
    let outcome = match activated {
        Activated::Started => "started",
        Activated::Reactivated => "goes on",
        Activated::Unchanged => "is active",
    };
    let requests = delegate::open_requests(&skill, &state, &context.project);
    let (stays, mode) = (None, None);
    let recall = news.map(|before| overflow::restored(context, &work, &state, before));
    let related = match activated {
        Activated::Started => on_the_same(&work, &state, context),
        _ => AllRelated::default(),
    };
    let mut begun = Begun { work, state, outcome, skill, recall, requests, set_aside, stays, mode, related };
    leave_first(&mut begun, request, &given, context, notes);
    Ok(begun)
}

/// The phases of the run, and the goal of a small one.
fn small_run(
    request: &Request<'_>,
    skill: &SkillFile,
    work: &WorkFile,
) -> Result<(Vec<Phase>, Option<String>), CommandError> {
    let protocol = &skill.protocol;
    let Some(goal) = request.small else { return Ok((protocol.phases.clone(), None)) };
    let name = request.skill.trim_start_matches('/');
    if protocol.small.is_empty() {
        return Err(CommandError::refused(format!(
            "{name} has no small runs: its front matter names no phases as small"
        ))
        .hint(format!("engine session activate {} {name}", work.shown())));
    }
    let goal = goal.map(small::goal).transpose().map_err(CommandError::refused)?;
    let asks =
        |phase: &Phase, evidence| phase::demand_of(phase, skill.folder.as_deref()).field(evidence).is_some();
    Ok((small::phases(&protocol.phases, &protocol.small, asks), goal))
}

/// Leaves the first phase, if its proof is given or set. What is wrong with a proof that was given is told.
fn leave_first(
    begun: &mut Begun,
    request: &Request<'_>,
    given: &Map<String, Value>,
    context: &CommandContext,
    notes: &mut Vec<String>,
) {
    let Some(run) = begun.state.run().cloned() else { return };
    let demand = begun.demand(&run);
    begun.mode = mode::told(&run, &demand, &begun.skill, context);
    let is_first = run.position() == Some(1);
    if !is_first && !given.is_empty() {
        let place = run.current_phase.as_ref().map_or_else(|| "no phase".to_owned(), ToString::to_string);
        notes.push(format!("--proof is for the first phase; the work is in {place}"));
    }
    let Some(next) = run.next_phase().filter(|_| is_first) else { return };
    let is_set = demand.field(Evidence::Mode).is_some() && mode::set(&run, &begun.skill, context).is_some();
    let is_gate = run.declared().is_some_and(|phase| phase.gate);
    if given.is_empty() && (!is_set || is_gate) {
        return;
    }
    let next = next.to_string();
    let step = phase::Request { path: &begun.work.name, phase: &next, proof: request.proof, approved: None };
    match phase::enter(context, &step, &|| Ok(None)) {
        Ok(entered) => {
            begun.state = entered.work.peek().unwrap_or_default();
            begun.mode = entered.run.mode.map(|mode| format!("mode: {mode}"));
        }
        Err(error) if !given.is_empty() => begun.stays = Some(error),
        Err(_) => {}
    }
}

fn check_mode(request: &Request<'_>, file: &SkillFile) -> Outcome {
    let modes = &file.protocol.modes;
    match request.mode {
        Some(mode) if !modes.contains_key(mode) => {
            let known: Vec<&str> = modes.keys().map(String::as_str).collect();
            let text = format!("{} has no mode {mode}", request.skill);
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

fn parameters(options: &[String], piped: Piped<'_>) -> Result<Map<String, Value>, CommandError> {
    let given = pairs(options, "param")?;
    let (object, required) =
        if given.is_empty() { (piped_object(piped)?.unwrap_or_default(), true) } else { (given, false) };
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

/// An agent does not put down requests that the work was started with.
fn keeps_requests(state: &WorkState, params: &Map<String, Value>, context: &CommandContext) -> Outcome {
    let files = |params: &Map<String, Value>| params.get(REQUESTS).and_then(Value::as_array).cloned();
    let (Some(was), Some(is)) = (files(&state.params), files(params)) else { return Ok(()) };
    if context.agent().is_none() || was.iter().all(|file| is.contains(file)) {
        return Ok(());
    }
    Err(CommandError::refused(super::ONLY_A_PERSON))
}

/// The live agent session from which a person lets another take the work: a client that crashed never says that it ended.
/// Whoever took it meanwhile is another, from which nobody allowed it.
fn may_take_over(
    work: &WorkFile,
    approved: Option<&str>,
    context: &CommandContext,
) -> Result<Option<String>, CommandError> {
    let state = work.peek().unwrap_or_default();
    let Some(holder) = state
        .agent_session
        .filter(|holder| context.agent() != Some(&holder.id) && context.is_alive(&holder.id))
    else {
        return Ok(None);
    };
    let Holder { id, bound_at } = &holder;
    let what = format!("take {} from the agent session {id}, which is alive", work.shown());
    let deed = Deed::new(&what, &[&work.name, id, bound_at]).of(Kind::Takeover);
    approval::waive(&context.project, &context.caller, &deed, approved, || held(work, &holder))?;
    Ok(Some(holder.id))
}

fn held(work: &WorkFile, holder: &Holder) -> CommandError {
    let Holder { id, bound_at } = holder;
    CommandError::refused(format!(
        "session: {} is held by the agent session {id}, since {bound_at}",
        work.shown()
    ))
    .hint("it is free when that session ends, idles or deactivates it")
    .hint("if it crashed: the same command with --user-approved \"why\"; engine asks the user")
}

/// A work session that this agent session holds rests before another is begun; which one is told.
fn leave_other(
    work: &WorkFile,
    approved: Option<&str>,
    context: &CommandContext,
) -> Result<Option<String>, CommandError> {
    let Some(bound) = context.bound().filter(|bound| bound.name != work.name) else { return Ok(None) };
    let other = WorkFile::new(&context.project, &bound.name);
    context.sealed(&other, None)?;
    let Some(seen) = other.peek().filter(|state| state.lifecycle == Lifecycle::Active) else {
        return Ok(None);
    };
    let gates =
        |state: &WorkState| close::gates(&other, state, "idle", state.description.is_some(), None, context);
    let looked_up = gates(&seen);
    let now = now();
    let left = other.update(|state| {
        if state.lifecycle != Lifecycle::Active || state.agent_session != seen.agent_session {
            return Ok::<_, CommandError>(None);
        }
        let closed = if *state == seen { looked_up } else { gates(state) };
        let was_open = !closed.is_empty();
        let allowed = if was_open {
            let open = close::open_ends(&closed);
            let what = format!("leave {} with open ends: {open}", other.shown());
            let deed = Deed::new(&what, &[&other.name, &close::place_of(state), &open]).of(Kind::Close);
            let refused = || {
                let error = close::refusal(&format!("{} is still open", other.shown()), &closed);
                error.hint("to leave it here all the same: the same command with --user-approved \"why\"; engine asks the user")
            };
            Some(approval::waive(&context.project, &context.caller, &deed, approved, refused)?)
        } else {
            close::last_gate(&other, state, approved, context)?
        };
        state.close(Lifecycle::Idle, &now, allowed.as_deref());
        Ok(Some((state.clone(), was_open)))
    })?;
    binding::unbind(&context.project, &other.name, seen.agent_session.as_ref())?;
    Ok(left.map(|(state, was_open)| match was_open.then(|| close::left(&other, &state, context)) {
        Some(left) => format!("{} rests in {}", other.shown(), left.shown()),
        None => format!("{} is idle now", other.shown()),
    }))
}

fn not_given(why: &NotGiven, work: &WorkFile, request: &Request<'_>) -> CommandError {
    match why {
        NotGiven::Held(holder) => held(work, holder),
        NotGiven::Done { skill, left } => {
            let text = match left {
                Some(phase) => format!("session: {skill} was left in {phase} in {}", work.shown()),
                None => format!("session: {skill} is done in {}", work.shown()),
            };
            CommandError::refused(text).hint(again(work, request.skill))
        }
        NotGiven::Ordinary { skill, phase } => {
            let place = phase.as_ref().map(|phase| format!(" in {phase}")).unwrap_or_default();
            let shown = work.shown();
            CommandError::refused(format!(
                "session: {skill} is under way{place} in {shown}; a small run does not take the place of an ordinary one"
            ))
            .hint(format!("go on with it: engine session activate {shown} {skill}"))
            .hint(format!(
                "or let the user stop it: engine session deactivate {shown} --description \"…\" --user-approved \"why\""
            ))
        }
        NotGiven::OtherGoal(goal) => {
            let shown = work.shown();
            CommandError::refused(format!("session: a small run is under way in {shown}: {goal}"))
                .hint(format!("end it first: engine session finish {shown}"))
        }
    }
}

fn again(work: &WorkFile, skill: &str) -> String {
    format!("to run it again: engine session activate {} {skill} --fast-track", work.shown())
}

/// Goes on with a work session: the named one, or the bound one. What happened on the way is added to `notes`.
pub fn resume(
    context: &CommandContext,
    path: Option<&str>,
    approved: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Begun, CommandError> {
    let work = context.named_or_left(path)?;
    context.sealed(&work, approved)?;
    let from = may_take_over(&work, approved, context)?;
    notes.extend(leave_other(&work, approved, context)?);
    context.show_life()?;
    let now = now();
    let (state, before, holder) = work.update(|state| {
        let holder = state.agent_session.clone();
        let Some(run) = state.run().cloned() else {
            return Err(CommandError::refused(format!("{}: no skill was ever started in it", work.shown()))
                .hint(format!("engine session activate {} SKILL", work.shown())));
        };
        if state.lifecycle.is_over() {
            return Err(over(&work, state, &run, context));
        }
        let activation = Activation {
            skill: &run.skill,
            phases: &run.phases,
            directives: &run.directives,
            agent: context.agent(),
            now: &now,
            params: None,
            again: true,
            small: None,
        };
        let alive = |id: &str| from.as_deref() != Some(id) && context.is_alive(id);
        state.activate(&activation, alive).map_err(|why| match why {
            NotGiven::Held(holder) => held(&work, &holder),
            NotGiven::Done { skill, .. } => CommandError::refused(format!("session: {skill} is done")),
            NotGiven::Ordinary { skill, .. } | NotGiven::OtherGoal(skill) => {
                CommandError::refused(format!("session: {skill} is under way"))
            }
        })?;
        let before = state.overflow.clone();
        if context.agent().is_some() {
            overflow::note_told(state, &now);
        }
        Ok((state.clone(), before, holder))
    })?;
    if let Some(holder) = holder.as_ref().filter(|holder| !state.is_held_by(&holder.id)) {
        binding::unbind_loser(&context.project, &work, holder, context.agent())?;
    }
    binding::bind(&context.project, &work, &state, Kept::Nothing)?;
    let skill =
        state.run().and_then(|run| SkillFile::find(&context.project, &run.skill).ok()).unwrap_or_default();
    let (outcome, requests) = ("goes on", Requests::default());
    let run = state.run().cloned().unwrap_or_default();
    let mode = mode::told(&run, &phase::demand(&run, skill.folder.as_deref()), &skill, context);
    let recall = context.agent().map(|_| overflow::restored(context, &work, &state, before));
    let (set_aside, stays, related) = (None, None, AllRelated::default());
    Ok(Begun { work, state, outcome, skill, recall, requests, set_aside, stays, mode, related })
}

/// What there is already on what a run is about: its goal, else what the person had asked for.
fn on_the_same(work: &WorkFile, state: &WorkState, context: &CommandContext) -> AllRelated {
    let about = state.run().and_then(|run| run.goal.as_deref().or(run.request.as_deref()));
    let found = |about| related(&context.project, about, Some(&work.shown()));
    about.map_or_else(AllRelated::default, found)
}

fn over(work: &WorkFile, state: &WorkState, run: &Run, context: &CommandContext) -> CommandError {
    let refused = CommandError::refused(format!("{} is {}", work.shown(), state.shown()));
    if state.lifecycle == Lifecycle::Stopped {
        return refused.hint(again(work, &run.skill));
    }
    let next = SkillFile::next_of(&context.project, &run.skill);
    if next.is_empty() { refused } else { refused.hint(format!("next: {}", next.join(", "))) }
}
