//! `engine session`: work sessions, their phases, proof and endings.

use engine_agents::claude::skills;
use engine_core::session::BoundWork;
use engine_core::skill::protocol::Protocol;
use engine_core::standard;
use engine_core::work::{Run, WorkState, name, proof};
use engine_store::approve::Caller;
use engine_store::clock;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::work_file::{SetAside, WorkFile};
use serde_json::{Map, Value, json};

use super::project;
use crate::args::{SessionCommand, SessionListArgs};
use crate::error::{CommandError, Outcome};
use crate::stdin;
use crate::ui::{Tone, Ui, toned};

mod activate;
mod close;
mod debrief;
mod evidence;
mod look;
mod overflow;
mod phase;

pub(super) fn run(command: &SessionCommand, ui: &Ui) -> Outcome {
    let desk = Desk::open()?;
    match command {
        SessionCommand::Init { path } => init(path, &desk, ui),
        SessionCommand::Activate(args) => activate::run(args, &desk, ui),
        SessionCommand::Phase(args) => phase::run(args, &desk, ui),
        SessionCommand::Continue { path } => activate::go_on(path.as_deref(), &desk, ui),
        SessionCommand::Idle(args) => close::idle(args, &desk, ui),
        SessionCommand::Deactivate(args) => close::deactivate(args, &desk, ui),
        SessionCommand::Debrief { path } => debrief::run(path, &desk, ui),
        SessionCommand::Dehydrate(args) => overflow::dehydrate(args, &desk, ui),
        SessionCommand::Restart { path } => overflow::restart(path.as_deref(), &desk, ui),
        SessionCommand::Clear { path } => overflow::clear(path.as_deref(), &desk, ui),
        SessionCommand::Target { path, file } => target(path, file, &desk, ui),
        SessionCommand::Update { path, key, value } => update(path, key, value, &desk, ui),
        SessionCommand::Find => look::find(&desk, ui),
        SessionCommand::List(args) => look::list(args, &desk, ui),
        SessionCommand::Show { path } => look::show(path, &desk, ui),
    }
}

pub(super) fn find_sessions(args: &SessionListArgs, ui: &Ui) -> Outcome {
    look::list(args, &Desk::open()?, ui)
}

/// What every command works on.
struct Desk {
    project: Project,
    caller: Caller,
}

impl Desk {
    fn open() -> Result<Self, CommandError> {
        Ok(Self { project: project()?, caller: Caller::from_environment() })
    }

    /// The agent session that asks; nothing for a person.
    fn agent(&self) -> Option<&str> {
        match &self.caller {
            Caller::Agent { session } if !session.is_empty() => Some(session),
            _ => None,
        }
    }

    fn agent_file(&self) -> Option<SessionFile> {
        self.agent().map(|agent| SessionFile::new(&self.project.sessions_folder(), agent))
    }

    /// The work session that the agent session is bound to.
    fn bound(&self) -> Option<BoundWork> {
        self.agent_file().and_then(|file| file.peek().work)
    }

    /// The work session that an argument names.
    fn work(&self, path: &str) -> Result<WorkFile, CommandError> {
        let name = name::of_argument(path).map_err(CommandError::usage)?;
        Ok(WorkFile::new(&self.project, name))
    }

    /// The same, where it must be there.
    fn existing(&self, path: &str) -> Result<WorkFile, CommandError> {
        let work = self.work(path)?;
        if work.exists() {
            return Ok(work);
        }
        let known = engine_store::work_file::names(&self.project);
        let refused = CommandError::refused(format!("{}: there is no such work session", work.shown()));
        Err(match known.first() {
            Some(newest) => refused.hint(format!("the newest is sessions/{newest}; engine session list shows all")),
            None => refused.hint(format!("engine session activate {} SKILL makes it", work.shown())),
        })
    }

    /// The one that is named, or the bound one.
    fn named_or_bound(&self, path: Option<&str>) -> Result<WorkFile, CommandError> {
        match (path, self.bound()) {
            (Some(path), _) => self.existing(path),
            (None, Some(bound)) => self.existing(&bound.name),
            (None, None) => Err(CommandError::refused("no work session is bound to this agent session")
                .hint("name it: engine session list shows all")),
        }
    }

    /// Binds the agent session's own state to what the work session says, with all counters at zero.
    fn bind(&self, name: &str, run: Option<&Run>) -> Result<(), CommandError> {
        let Some(file) = self.agent_file() else { return Ok(()) };
        let bound = run.map(|run| bound(name, run));
        file.update(|state| state.work = bound)?;
        Ok(())
    }

    /// Binds it on the way, in a context that goes on: what was told and saved of that context still holds.
    fn rebind(&self, name: &str, run: Option<&Run>) -> Result<(), CommandError> {
        let Some(file) = self.agent_file() else { return Ok(()) };
        let bound = run.map(|run| bound(name, run));
        file.update(|state| {
            let before = state.work.take().filter(|work| work.name == name).unwrap_or_default();
            let BoundWork { overflow_told, saved, .. } = before;
            state.work = bound.map(|bound| BoundWork { overflow_told, saved, ..bound });
        })?;
        Ok(())
    }

    /// Unbinds it, if it is bound to this work session.
    fn unbind(&self, name: &str) -> Result<(), CommandError> {
        let Some(file) = self.agent_file() else { return Ok(()) };
        file.update(|state| {
            if state.work.as_ref().is_some_and(|work| work.name == name) {
                state.work = None;
            }
        })?;
        Ok(())
    }
}

/// What an agent session remembers of the work that it is bound to.
fn bound(name: &str, run: &Run) -> BoundWork {
    BoundWork {
        name: name.to_owned(),
        skill: run.skill.clone(),
        phase: run.current_phase.as_ref().map(ToString::to_string),
        loading: run.loading,
        ..BoundWork::default()
    }
}

fn tell_set_aside(set_aside: Option<SetAside>, ui: &Ui) {
    if let Some(SetAside(text)) = set_aside {
        ui.talk(format!("{} {text}", toned(Tone::Careful, "set aside:")));
    }
}

fn now() -> String {
    clock::now().rfc3339()
}

/// The folder of a skill and what it declares.
struct SkillFile {
    protocol: Protocol,
    folder: Option<std::path::PathBuf>,
}

/// What a skill declares. One without a protocol has no phases; one with a broken one is not started.
fn skill_file(project: &Project, skill: &str) -> Result<SkillFile, CommandError> {
    let all = skills::all(project.root());
    let is_it = |found: &&skills::Found| {
        found.hidden_by.is_none() && (found.name == skill || found.alias.as_deref() == Some(skill))
    };
    let Some(found) = all.iter().find(is_it) else {
        return Err(CommandError::refused(format!("there is no skill {skill}")).hint("engine skill list shows all"));
    };
    let Some(path) = &found.path else { return Ok(SkillFile { protocol: Protocol::default(), folder: None }) };
    let text = std::fs::read_to_string(path)?;
    let protocol = Protocol::of_skill(&text).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|problem| problem.text.clone()).collect();
        CommandError::refused(format!("{}: {}", path.display(), lines.join("; ")))
            .hint(format!("engine skill check {skill}"))
    })?;
    let folder = path.parent().map(std::path::Path::to_owned);
    Ok(SkillFile { protocol: protocol.unwrap_or_default(), folder })
}

/// The schema that a step's command declares: in the skill's folder, or in the standards.
fn schema_of(folder: Option<&std::path::Path>, command: &str) -> Option<Value> {
    let in_skill = folder.and_then(|folder| {
        let files = [folder.join("commands").join(format!("{command}.md")), folder.join(format!("{command}.md"))];
        files.iter().find_map(|file| proof::declared_in(&std::fs::read_to_string(file).ok()?, command))
    });
    in_skill.or_else(|| proof::declared_in(standard::find("COMMANDS")?.text, command))
}

/// `NAME=VALUE` options as an object; a value that reads as JSON is taken as such.
fn pairs(options: &[String], what: &str) -> Result<Map<String, Value>, CommandError> {
    let pair = |option: &String| {
        let (name, value) = option.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            CommandError::usage(format!("--{what} takes NAME=VALUE, not {option}"))
        })?;
        Ok((name.to_owned(), json_or_text(value)))
    };
    options.iter().map(pair).collect()
}

fn json_or_text(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))
}

/// A JSON object on stdin, if anything is piped in at all.
fn object_on_stdin() -> Result<Option<Map<String, Value>>, CommandError> {
    let Some(text) = stdin::piped() else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(Some(object)),
        Ok(_) => Err(CommandError::refused("stdin holds no JSON object")),
        Err(error) => Err(CommandError::refused(format!("stdin is not JSON: {error}"))),
    }
}

fn init(path: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.work(path)?;
    work.make()?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("made {}", work.shown()));
    }
    Ok(())
}

fn target(path: &str, file: &str, desk: &Desk, ui: &Ui) -> Outcome {
    changed(path, desk, ui, |state| state.target_file = Some(file.to_owned()))
}

fn update(path: &str, key: &str, value: &str, desk: &Desk, ui: &Ui) -> Outcome {
    if key.is_empty() {
        return Err(CommandError::usage("a key is needed"));
    }
    changed(path, desk, ui, |state| {
        state.params.insert(key.to_owned(), json_or_text(value));
    })
}

fn changed(path: &str, desk: &Desk, ui: &Ui, change: impl FnOnce(&mut WorkState)) -> Outcome {
    let work = desk.existing(path)?;
    let ((), set_aside) = work.update(|state| {
        change(state);
        Ok::<(), CommandError>(())
    })?;
    tell_set_aside(set_aside, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("{}: saved", work.shown()));
    }
    Ok(())
}
