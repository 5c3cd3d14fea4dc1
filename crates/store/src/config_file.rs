//! Reading and changing `config.toml`, by layers: built in, the user's file, the project's file, environment. Of the files counts what the
//! person accepted, and what is stricter (see [`crate::accepted`]).
//!
//! Parsing TOML costs more than everything else a hook does, so the assignments of both files are kept in a
//! small cache that is valid while the files and the accepted copies are what they were. What a knob takes, and what is stricter, is
//! checked anew each time: the cache knows nothing of knobs and outlives releases. It is in the person's state folder, because whoever
//! writes it writes the configuration.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use engine_core::config::{Acceptance, Assignment, Config, Layer, Problem, Value, WHOLE_FILE};
use engine_rules::config::{self, Accepted, File};
use engine_text::line::fingerprint;
use fs_err as fs;
use serde::{Deserialize, Serialize};
use toml_edit::{Document, Item, Table, TableLike};

use crate::accepted::{self, Whose};
use crate::atomic::{self, Durability};
use crate::places;
use crate::project::Project;
use crate::read::{read_bytes, read_string};
use crate::reason::reason;
use crate::settings_variables;
use crate::told::{may_write_own, read_own};
use engine_core::view::Unread;

/// Variables that begin like knobs but are none.
const NOT_KNOBS: &[&str] =
    &["ENGINE_OFF", "ENGINE_SESSION_ID", "ENGINE_PROJECT", crate::restart_file::RUN, engine_rules::STEP];

/// The configuration in force for a project.
pub fn load(project: &Project) -> Config {
    let files = Files::of(project);
    let stamps = files.stamps();
    let read = if stamps == Stamps::default() {
        Read { is_untrusted: true, ..Read::default() }
    } else {
        cached(project, &stamps).unwrap_or_else(|| {
            let mut kept = stamps;
            let read = files.read(&mut kept);
            keep(project, &kept, &read);
            read
        })
    };
    let config = with_environment(read, Some(project));
    settings_variables::remember(project, &config.acceptance().variables);
    config
}

/// The same without looking into or writing the cache, for commands.
pub fn load_fresh(project: &Project) -> Config {
    with_environment(Files::of(project).read(&mut Stamps::default()), Some(project))
}

/// What would be in force with this file in the place of the project's, all of it accepted.
pub fn load_with(project_file: &Path) -> Config {
    let state = places::user_state();
    let files = Files {
        state: state.map(Cow::Owned),
        user: places::user_config(),
        file: project_file.to_owned(),
        project: None,
    };
    with_environment(files.read(&mut Stamps::default()), None)
}

/// What is in force where there is no project.
pub fn load_user() -> Config {
    load_with(Path::new(""))
}

fn with_environment(read: Read, project: Option<&Project>) -> Config {
    let Read { user, file, problems, is_untrusted, has_policy } = read;
    let mut environment = from_environment();
    let mut variables = Vec::new();
    let is_set = || !environment.is_empty() || std::env::var_os("ENGINE_OFF").is_some();
    if let Some(project) = project.filter(|_| is_untrusted && is_set()) {
        variables = settings_variables::set_by(project);
        let is_theirs = |assignment: &Assignment| {
            let name = config::variable_of(&assignment.name);
            variables.iter().any(|variable| variable.name == name)
        };
        environment.retain(|assignment| !is_theirs(assignment));
    }
    let layers = [(Layer::User, user), (Layer::Project, file)];
    let files = layers.map(|(layer, Side { now, accepted })| File {
        layer,
        now,
        accepted: accepted.map_or(Accepted::All, Accepted::Entries),
    });
    let acceptance = Acceptance { is_untrusted, has_policy, variables, ..Acceptance::default() };
    config::in_force(files.into(), environment, problems, acceptance)
}

/// Where the two files are, and what was accepted of them.
struct Files<'p> {
    state: Option<Cow<'p, Path>>,
    user: Option<PathBuf>,
    file: PathBuf,
    /// Whose file it is; `None` for one that counts as it is.
    project: Option<&'p Project>,
}

/// What the files say.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Read {
    #[serde(skip_serializing_if = "is_default")]
    user: Side,
    #[serde(skip_serializing_if = "is_default")]
    file: Side,
    #[serde(skip_serializing_if = "is_default")]
    problems: Vec<Problem>,
    #[serde(skip_serializing_if = "is_default")]
    is_untrusted: bool,
    #[serde(skip_serializing_if = "is_default")]
    has_policy: bool,
}

/// One file, and what was accepted of it; `None`: all of it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Side {
    #[serde(skip_serializing_if = "is_default")]
    now: Vec<Assignment>,
    #[serde(skip_serializing_if = "is_default")]
    accepted: Option<BTreeMap<String, Value>>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Size and time of change of all files, and which project file it is: each worktree has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Stamps {
    path: String,
    user: Option<(u64, u64)>,
    project: Option<(u64, u64)>,
    accepted: Option<accepted::Stamp>,
    accepted_user: Option<accepted::Stamp>,
}

impl Stamps {
    /// The first line of the cache. What was read follows it, and is parsed only if the line is this one.
    fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

impl<'p> Files<'p> {
    fn of(project: &'p Project) -> Self {
        Self {
            state: project.user_state().map(Cow::Borrowed),
            user: places::user_config(),
            file: project.config_file(),
            project: Some(project),
        }
    }

    fn stamps(&self) -> Stamps {
        let stamp = |path: &Path| {
            let data = path.metadata().ok()?;
            let time = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((data.len(), u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
        };
        let mut stamps = Stamps {
            path: String::new(),
            user: self.user.as_deref().and_then(stamp),
            project: stamp(&self.file),
            accepted: self.project.and_then(|project| accepted::stamp(Whose::Project(project))),
            accepted_user: self.whose_user().and_then(accepted::stamp),
        };
        if stamps != Stamps::default() {
            stamps.path = self.file.to_string_lossy().into_owned();
        }
        stamps
    }

    fn whose_user(&self) -> Option<Whose<'_>> {
        Some(Whose::User { state: self.state.as_deref()?, config: self.user.as_deref()? })
    }

    /// Reads all of it. What it does to the accepted copies is noted in their stamps.
    fn read(&self, stamps: &mut Stamps) -> Read {
        let mut read = Read::default();
        if let Some(user) = self.user.as_deref() {
            read.user.accepted = self.accepted_user(user, stamps, &mut read.problems);
            side(user, Layer::User, &mut read.user, &mut read.problems);
        }
        if let Some(project) = self.project {
            let known = accepted::read(Whose::Project(project));
            if let Some(text) = known.trouble {
                stamps.accepted = accepted::stamp(Whose::Project(project));
                read.problems.push(Problem { layer: Layer::Project, line: 0, text });
            }
            let accepted = known.accepted.unwrap_or_default();
            read.is_untrusted = !accepted.trusted;
            let files = accepted.into_files(Whose::Project(project));
            read.has_policy = !files.policy.is_empty();
            read.file.accepted = Some(files.config);
        }
        side(&self.file, Layer::Project, &mut read.file, &mut read.problems);
        read
    }

    /// What was accepted of the person's own file. The first that is seen is accepted.
    fn accepted_user(
        &self,
        user: &Path,
        stamps: &mut Stamps,
        problems: &mut Vec<Problem>,
    ) -> Option<BTreeMap<String, Value>> {
        let nothing = Some(BTreeMap::new());
        let trouble = |text: String| Problem { layer: Layer::User, line: 0, text };
        let Some(whose) = self.whose_user() else { return nothing };
        let known = accepted::read(whose);
        if let Some(accepted) = known.accepted {
            return Some(accepted.into_files(whose).config);
        }
        let is_theirs = self.project.is_some_and(|project| accepted::is_inside(user, project));
        if let Some(text) = known.trouble {
            stamps.accepted_user = accepted::stamp(whose);
            problems.push(trouble(text));
            return nothing;
        }
        if is_theirs || !user.exists() {
            return nothing;
        }
        let entries = entries(&read_own(user).unwrap_or_default());
        match accepted::change(whose, |accepted| accepted.files_mut(whose).config = entries.clone()) {
            Ok(()) => stamps.accepted_user = accepted::stamp(whose),
            Err(error) => {
                let text = format!("your own config.toml was not accepted: {error}");
                problems.push(trouble(text));
                return nothing;
            }
        }
        Some(entries)
    }
}

/// Reads one file. Of one that cannot be read counts what was accepted.
fn side(path: &Path, layer: Layer, side: &mut Side, problems: &mut Vec<Problem>) {
    let before = problems.len();
    match read_own(path) {
        Ok(text) => parse(&text, layer, &mut side.now, problems),
        Err(Unread::Missing) => {}
        Err(Unread::Unreadable(text)) => problems.push(Problem { layer, line: 0, text }),
    }
    if let Some(accepted) = side.accepted.as_ref().filter(|_| problems.len() > before) {
        let assign = |(name, value): (&String, &Value)| Assignment {
            name: name.clone(),
            value: value.clone(),
            layer,
            line: 0,
        };
        side.now = accepted.iter().map(assign).collect();
    }
    // In most projects they are the same, and the cache is the smaller.
    let is_same = |accepted: &BTreeMap<String, Value>| {
        accepted.len() == side.now.len()
            && side.now.iter().all(|one| accepted.get(&one.name) == Some(&one.value))
    };
    if side.accepted.as_ref().is_some_and(is_same) {
        side.accepted = None;
    }
}

/// The entries of a text; none of one that is not valid.
pub fn entries(text: &str) -> BTreeMap<String, Value> {
    let mut now = Vec::new();
    parse(text, Layer::Project, &mut now, &mut Vec::new());
    now.into_iter().map(|assignment| (assignment.name, assignment.value)).collect()
}

/// Where what was read of a project's files is kept.
pub(crate) fn cache(project: &Project, kind: &str) -> Option<PathBuf> {
    let name = fingerprint(&project.config_file().to_string_lossy());
    Some(project.user_state()?.join(format!("cache/{name}.{kind}.json")))
}

fn cached(project: &Project, stamps: &Stamps) -> Option<Read> {
    let text = read_bytes(&cache(project, "config")?).ok()?;
    serde_json::from_slice(text.strip_prefix(stamps.line().as_slice())?).ok()
}

/// Failing to keep it costs time, nothing else.
fn keep(project: &Project, stamps: &Stamps, read: &Read) {
    let Some(path) = cache(project, "config") else { return };
    if let Ok(read) = serde_json::to_vec(read) {
        atomic::put(&path, &[stamps.line(), read].concat());
    }
}

fn parse(text: &str, layer: Layer, out: &mut Vec<Assignment>, problems: &mut Vec<Problem>) {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let what = error.message().lines().next().unwrap_or("not valid TOML").to_owned();
            problems.push(Problem { layer, line, text: format!("not valid TOML: {what}; {WHOLE_FILE}") });
            return;
        }
    };
    collect(text, document.as_table(), "", layer, out);
}

fn collect(text: &str, table: &dyn TableLike, prefix: &str, layer: Layer, out: &mut Vec<Assignment>) {
    for (key, item) in table.iter() {
        let name = format!("{prefix}{key}");
        if let Some(below) = item.as_table_like() {
            collect(text, below, &format!("{name}."), layer, out);
            continue;
        }
        let line = item.span().map_or(0, |span| line_of(text, span.start));
        out.push(Assignment { name, value: value_of(item), layer, line });
    }
}

fn value_of(item: &Item) -> Value {
    let other = || Value::Other(item.to_string().trim().to_owned());
    match item.as_value() {
        Some(toml_edit::Value::Boolean(flag)) => Value::Flag(*flag.value()),
        Some(toml_edit::Value::Integer(number)) => Value::Number(*number.value()),
        Some(toml_edit::Value::String(text)) => Value::Text(text.value().clone()),
        Some(toml_edit::Value::Array(items)) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            texts.map_or_else(other, Value::List)
        }
        _ => other(),
    }
}

fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

fn from_environment() -> Vec<Assignment> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for (variable, value) in std::env::vars_os() {
        let Some(variable) = variable.to_str().filter(|name| name.starts_with("ENGINE_")) else { continue };
        if NOT_KNOBS.contains(&variable) {
            continue;
        }
        if names.is_empty() {
            names = config::names();
        }
        let Some(name) = names.iter().find(|name| config::variable_of(name) == variable) else { continue };
        let value = config::parse_word(name, &value.to_string_lossy());
        found.push(Assignment { name: name.clone(), value, layer: Layer::Environment, line: 0 });
    }
    found
}

/// Why a knob was not set.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("{0}")]
    Refused(String),
    #[error("{path}:{line}: not valid TOML: {what}")]
    Toml { path: String, line: u32, what: String },
    #[error("{path}: {}", reason(error))]
    Io { path: String, error: std::io::Error },
}

/// Sets one knob in a file; every other byte stays.
pub fn set(path: &Path, name: &str, word: &str) -> Result<Value, SetError> {
    let value = config::parse_word(name, word);
    config::check(name, &value).map_err(SetError::Refused)?;
    let shown = || path.display().to_string();
    may_write_own(path).map_err(|error| SetError::Io { path: shown(), error })?;
    let text = match read_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(SetError::Io { path: shown(), error }),
    };
    let new = spliced(&text, name, &value).map_err(|error| SetError::Toml {
        path: shown(),
        line: error.span().map_or(1, |span| line_of(&text, span.start)),
        what: error.message().lines().next().unwrap_or_default().to_owned(),
    })?;
    // Layouts that a splice cannot serve (dotted or inline tables) show when the result is read again.
    if value_in(&new, name).as_ref() != Some(&value) {
        let why =
            format!("{name} cannot be set in {} without changing its layout; set it there by hand", shown());
        return Err(SetError::Refused(why));
    }
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        atomic::replace(path, new.as_bytes(), Durability::Disk)
    };
    write().map_err(|error| SetError::Io { path: shown(), error })?;
    Ok(value)
}

/// The text with the value replaced where it stands, else added below its section's heading, else with a section more.
fn spliced(text: &str, name: &str, value: &Value) -> Result<String, toml_edit::TomlError> {
    let document = Document::parse(text)?;
    let (section, key) = name.rsplit_once('.').unwrap_or(("", name));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut parts = section.split('.');
    let first = parts.next().and_then(|part| document.as_table().get(part));
    let table = parts.fold(first, |table, part| table?.as_table_like()?.get(part));
    let old = table.and_then(Item::as_table_like).and_then(|table| table.get(key));
    if let Some(span) = old.and_then(Item::span) {
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    // A table that only its parts imply has no heading of its own.
    let named = table.and_then(Item::as_table).filter(|table| !table.is_implicit());
    if let Some(heading) = named.and_then(Table::span) {
        let line_end = text[heading.start..].find('\n').map(|end| heading.start + end + 1);
        return Ok(match line_end {
            Some(at) => format!("{}{key} = {value}{newline}{}", &text[..at], &text[at..]),
            None => format!("{text}{newline}{key} = {value}{newline}"),
        });
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    Ok(format!("{text}{gap}[{section}]{newline}{key} = {value}{newline}"))
}

fn value_in(text: &str, name: &str) -> Option<Value> {
    let mut found = Vec::new();
    parse(text, Layer::Project, &mut found, &mut Vec::new());
    found.into_iter().find(|assignment| assignment.name == name).map(|assignment| assignment.value)
}

#[cfg(test)]
mod tests;
