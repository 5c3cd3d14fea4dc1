//! Work sessions: their phases, proof and endings.

use std::path::{Path, PathBuf};

use engine_claude::DIALECT;
use engine_claude::skills::{Claude, Located};
use engine_core::skill::protocol::Protocol;
use engine_core::standard;
use engine_core::versioned::Unusable;
use engine_core::work::BoundWork;
use engine_core::work::{WorkState, name, proof};
use engine_store::approve::Caller;
use engine_store::binding::work as binding;
use engine_store::cleared_file;
use engine_store::clock;
use engine_store::links::resolve;
use engine_store::process;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::session_file::{Presence, SessionFile};
use engine_store::work_file::{self, WorkFile};
use serde_json::{Map, Value};

use crate::error::{CommandError, Outcome};
use crate::here;
use crate::stdin::Piped;

pub mod activate;
pub mod check;
pub mod close;
pub mod debrief;
pub mod definition;
pub mod delegate;
mod dialogue;
pub mod draft;
mod evidence;
pub mod finish;
mod form;
pub mod list;
pub mod main_agent;
mod mode;
pub mod overflow;
pub mod phase;
mod seal;

/// The parameter that names the requests which the work answers.
const REQUESTS: &str = "requestFiles";
const ONLY_A_PERSON: &str = "requestFiles is what the work was asked for; only a person changes it";

/// What every use case works on.
pub struct CommandContext {
    pub project: Project,
    pub caller: Caller,
}

impl CommandContext {
    pub fn open() -> Result<Self, CommandError> {
        let context = Self { project: here::project()?, caller: here::caller() };
        context.repair();
        Ok(context)
    }

    /// An earlier command may have been killed before it wrote the agent session's copy. Where that cannot be written
    /// either, commands that only read still work.
    fn repair(&self) {
        let _ = self.agent().map(|agent| binding::repair(&self.project, agent));
    }

    /// The agent session that asks; nothing for a person.
    pub fn agent(&self) -> Option<&str> {
        self.caller.session()
    }

    fn agent_file(&self) -> Option<SessionFile> {
        self.agent().map(|agent| SessionFile::new(&self.project.sessions_folder(), agent))
    }

    /// What is known of whether an agent session is alive.
    pub fn presence(&self, agent: &str) -> Option<Presence> {
        SessionFile::new(&self.project.sessions_folder(), agent).presence()
    }

    pub fn is_alive(&self, agent: &str) -> bool {
        self.presence(agent).is_some_and(|presence| presence.is_alive())
    }

    /// Makes the agent session known before it takes anything: one of which no hook has told would be taken for ended.
    fn show_life(&self) -> Outcome {
        if let Some(file) = self.agent_file().filter(|file| !file.is_alive()) {
            file.update(|state| {
                state.ended = None;
                // It goes on in a client of which no hook has told.
                state.client.take_if(|client| !process::runs(*client));
            })?;
        }
        Ok(())
    }

    /// The work session that the agent session is bound to.
    pub fn bound(&self) -> Option<BoundWork> {
        self.agent_file().and_then(|file| file.peek().work)
    }

    /// The work session that an argument names.
    pub fn work(&self, path: &str) -> Result<WorkFile, CommandError> {
        let name = name::of_argument(path).map_err(CommandError::usage)?;
        let work = WorkFile::new(&self.project, name);
        if path.starts_with('/') && resolve(Path::new(path)) != resolve(work.folder()) {
            let text = format!("{path} is in another project; this one's would be {}", work.shown());
            return Err(CommandError::refused(text));
        }
        Ok(work)
    }

    /// The same, where it must be there.
    pub fn existing(&self, path: &str) -> Result<WorkFile, CommandError> {
        let work = self.work(path)?;
        if let Some(unusable) = work.unusable() {
            return Err(self.unused(&work, &unusable));
        }
        if work.exists() {
            let _ = self.agent().map(|agent| binding::restore(&self.project, &work, agent));
            return Ok(work);
        }
        if let Some(breach) = work.breach()? {
            return Err(seal::broken(&work, &breach));
        }
        let known = work_file::names(&self.project);
        let refused = CommandError::refused(format!("{}: there is no such work session", work.shown()));
        Err(match known.first() {
            Some(newest) => {
                refused.hint(format!("the newest is sessions/{newest}; engine session list shows all"))
            }
            None => refused.hint(format!("engine session activate {} SKILL makes it", work.shown())),
        })
    }

    /// A state that this engine is too old for is whole: only a person sets it aside.
    fn may_set_aside(&self, work: &WorkFile) -> Outcome {
        match work.unusable() {
            Some(unusable) if self.is_kept(&unusable) => Err(self.unused(work, &unusable)),
            _ => Ok(()),
        }
    }

    fn is_kept(&self, unusable: &Unusable) -> bool {
        matches!(unusable, Unusable::Newer { .. }) && self.caller != Caller::Person
    }

    fn unused(&self, work: &WorkFile, unusable: &Unusable) -> CommandError {
        let shown = work.shown();
        let who = if self.is_kept(unusable) { "update engine; or a person, in a terminal: " } else { "" };
        CommandError::refused(format!("{shown}/state.json is {unusable}"))
            .hint(format!("{who}engine session activate {shown} SKILL sets it aside and begins anew"))
    }

    /// The one that is named, or the bound one.
    pub fn named_or_bound(&self, path: Option<&str>) -> Result<WorkFile, CommandError> {
        match (path, self.bound()) {
            (Some(path), _) => self.existing(path),
            (None, Some(bound)) => self.existing(&bound.name),
            (None, None) => Err(CommandError::refused("no work session is bound to this agent session")
                .hint("name it: engine session list shows all")),
        }
    }
}

impl CommandContext {
    /// The same; where none is bound, the one that was when the person cleared the context of this client, if nobody has taken it since.
    fn named_or_left(&self, path: Option<&str>) -> Result<WorkFile, CommandError> {
        let left = || {
            let client = std::env::var(DIALECT.pid_variable).ok()?.parse().ok()?;
            let cleared = cleared_file::read(&self.project, client)?;
            let work = self.existing(&cleared.work?.name).ok()?;
            work.peek()?.is_held_by(&cleared.session).then_some(work)
        };
        match self.named_or_bound(path) {
            Err(error) if path.is_none() && self.agent().is_some() => left().ok_or(error),
            found => found,
        }
    }
}

/// Only who holds a work session changes it, unless nobody alive does.
fn may_change(work: &WorkFile, state: &WorkState, context: &CommandContext) -> Outcome {
    let Some(holder) = &state.agent_session else { return Ok(()) };
    match context.agent() {
        Some(agent) if holder.id != agent && context.is_alive(&holder.id) => Err(CommandError::refused(
            format!("session: {} is held by the agent session {}", work.shown(), holder.id),
        )),
        _ => Ok(()),
    }
}

/// Only who holds a work session moves it.
fn must_hold(work: &WorkFile, state: &WorkState, context: &CommandContext) -> Outcome {
    let Some(agent) = context.agent().filter(|agent| !state.is_held_by(agent)) else { return Ok(()) };
    let bound = format!("session: {} is not bound to this agent session ({agent})", work.shown());
    Err(CommandError::refused(bound).hint(format!("engine session continue {}", work.shown())))
}

fn now() -> String {
    clock::now().rfc3339()
}

/// The directives that a skill declares.
pub fn skill_directives(project: &Project, skill: &str) -> Result<Vec<String>, CommandError> {
    Ok(SkillFile::find(project, skill.trim_start_matches('/'))?.protocol.directives)
}

/// The folder of a skill and what it declares.
#[derive(Debug, Default)]
pub struct SkillFile {
    pub protocol: Protocol,
    pub folder: Option<PathBuf>,
}

impl SkillFile {
    /// What a skill declares. One without a protocol has no phases; one with a broken one is not started.
    fn find(project: &Project, skill: &str) -> Result<Self, CommandError> {
        let path = match Claude::new(project).locate(skill) {
            Some(Located::File(path)) => path,
            Some(Located::BuiltIn) => return Ok(Self::default()),
            None => {
                return Err(CommandError::refused(format!("there is no skill {skill}"))
                    .hint("engine skill list shows all"));
            }
        };
        let protocol = Protocol::of_skill(&read_string(&path)?).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(|problem| problem.text.clone()).collect();
            CommandError::refused(format!("{}: {}", path.display(), lines.join("; ")))
                .hint(format!("engine skill check {skill}"))
        })?;
        let folder = path.parent().map(Path::to_owned);
        Ok(Self { protocol: protocol.unwrap_or_default(), folder })
    }

    /// The skills that may follow; nothing where it cannot be read.
    fn next_of(project: &Project, skill: &str) -> Vec<String> {
        Self::find(project, skill).map(|file| file.protocol.next_skills).unwrap_or_default()
    }
}

/// The schema that a step's command declares: in the skill's folder, or in the standards.
fn schema_of(folder: Option<&Path>, command: &str) -> Option<Value> {
    let in_skill = folder.and_then(|folder| {
        let files =
            [folder.join("commands").join(format!("{command}.md")), folder.join(format!("{command}.md"))];
        files.iter().find_map(|file| proof::declared_in(&read_string(file).ok()?, command))
    });
    in_skill.or_else(|| proof::declared_in(standard::find("COMMANDS")?.text, command))
}

/// `NAME=VALUE` options as an object; a value that reads as JSON is taken as such.
fn pairs(options: &[String], what: &str) -> Result<Map<String, Value>, CommandError> {
    let pair = |option: &String| {
        let (name, value) = option
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| CommandError::usage(format!("--{what} takes NAME=VALUE, not {option}")))?;
        Ok((name.to_owned(), json_or_text(value)))
    };
    options.iter().map(pair).collect()
}

fn json_or_text(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))
}

/// A JSON object, if anything is piped in at all.
fn piped_object(piped: Piped<'_>) -> Result<Option<Map<String, Value>>, CommandError> {
    let Some(text) = piped().map_err(CommandError::from_error)? else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(Some(object)),
        Ok(_) => Err(CommandError::refused("stdin holds no JSON object")),
        Err(error) => Err(CommandError::refused(format!("stdin is not JSON: {error}")).caused_by(error)),
    }
}

/// Makes the folder of a work session.
pub fn init(context: &CommandContext, path: &str) -> Result<WorkFile, CommandError> {
    let work = context.work(path)?;
    make_folder(&work)?;
    Ok(work)
}

fn make_folder(work: &WorkFile) -> Outcome {
    work.make().map_err(|error| CommandError::at(work.folder().display(), error))
}

/// Names the file that the work is about.
pub fn target(context: &CommandContext, path: &str, file: &str) -> Result<WorkFile, CommandError> {
    changed(context, path, |state| state.target_file = Some(file.to_owned()))
}

/// Sets a parameter.
pub fn update(
    context: &CommandContext,
    path: &str,
    key: &str,
    value: &str,
) -> Result<WorkFile, CommandError> {
    if key.is_empty() {
        return Err(CommandError::usage("a key is needed"));
    }
    if key == REQUESTS && context.agent().is_some() {
        return Err(CommandError::refused(ONLY_A_PERSON));
    }
    changed(context, path, |state| {
        state.params.insert(key.to_owned(), json_or_text(value));
    })
}

fn changed(
    context: &CommandContext,
    path: &str,
    change: impl FnOnce(&mut WorkState),
) -> Result<WorkFile, CommandError> {
    let work = context.changeable(path)?;
    work.update(|state| {
        may_change(&work, state, context)?;
        change(state);
        Ok::<(), CommandError>(())
    })?;
    Ok(work)
}

#[cfg(test)]
mod tests;
