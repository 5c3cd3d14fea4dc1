//! Where engine is wired for a client that is started in a folder, and whether it is wired there at all.

use std::path::{Path, PathBuf};

use engine_store::own_program::{is_same_file, on_path};
use engine_store::read::read_string;
use serde_json::Value;

use crate::entry::{Entry, Form, is_whole};
use crate::skills;
use crate::sources::{Scope, Source, read_in, settings_file};
use crate::wiring::{Settings, wired_events};

/// Where our entries stand now.
#[derive(Debug, Clone)]
pub struct Wiring {
    pub scope: Scope,
    pub path: PathBuf,
    pub events: Vec<String>,
    /// The commands of our entries, with their arguments.
    pub commands: Vec<(String, Vec<String>)>,
    pub form: Form,
    /// What the entries start, if it is there.
    program: Option<PathBuf>,
    /// The path that they name.
    named: String,
    /// The client runs the entries for every event, and waits for them.
    is_whole: bool,
}

/// The settings files that wire engine for a client that is started in a folder, as far as they can be read.
pub fn wirings(folder: &Path) -> Vec<Wiring> {
    let found = read_in(folder).into_iter();
    found.filter_map(|source| wiring(source.scope, source.path, folder)).collect()
}

fn wiring(scope: Scope, path: PathBuf, folder: &Path) -> Option<Wiring> {
    let text = read_string(&path).ok()?;
    let hooks = Settings::read(&text)?.hooks();
    let events = wired_events(&hooks);
    let ours: Vec<(&Value, &Value, Entry<'_>)> =
        events.iter().filter_map(|event| ours(&hooks, event).next()).collect();
    let (_, _, first) = ours.first()?;
    let (form, named) = (first.form, first.program.to_owned());
    let program = program(&named, folder);
    let is_whole = ours.iter().all(|(group, hook, _)| is_whole(group, hook));
    let commands = ours.iter().map(|(_, hook, _)| command(hook)).collect();
    Some(Wiring { scope, path, events, commands, form, program, named, is_whole })
}

/// Our entries under an event, with the hook and its group.
pub(crate) fn ours<'h>(
    hooks: &'h Value,
    event: &str,
) -> impl Iterator<Item = (&'h Value, &'h Value, Entry<'h>)> {
    let groups = hooks[event].as_array().into_iter().flatten();
    let hooks = groups.flat_map(|group| {
        let hooks = group["hooks"].as_array().into_iter().flatten();
        hooks.map(move |hook| (group, hook))
    });
    hooks.filter_map(|(group, hook)| Some((group, hook, Entry::read(hook)?)))
}

/// The file that an entry starts.
pub(crate) fn program(program: &str, folder: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(folder.join(program)).filter(|path| path.is_file());
    }
    on_path(program, folder)
}

fn command(hook: &Value) -> (String, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match hook["args"].as_array() {
        Some(args) => (text(&hook["command"]), args.iter().map(text).collect()),
        None => ("sh".to_owned(), vec!["-c".to_owned(), text(&hook["command"])]),
    }
}

impl Wiring {
    /// The path that the entries start, where there is no program at it: they fail at each event.
    pub fn gone(&self) -> Option<&str> {
        (self.program.is_none() && Path::new(&self.named).is_absolute()).then_some(self.named.as_str())
    }

    /// What writes the entries anew.
    pub fn mended_by(&self) -> &'static str {
        match self.scope {
            Scope::Project => "engine init --team",
            Scope::Local => "engine init --scope local",
            Scope::User => "engine init --scope user",
        }
    }

    /// Whether the entries are those of a person's own for this program. The client runs one command once, wherever it stands.
    pub fn starts(&self, program: &str) -> bool {
        let is_it =
            |(command, args): &(String, Vec<String>)| command == program && args.as_slice() == ["hook"];
        self.form == Form::Direct && self.commands.iter().all(is_it)
    }

    /// Whether this one is silent because another one answers.
    fn stands_back_for(&self, other: &Self) -> bool {
        other.answers_for(self.form, self.program.as_deref())
    }

    /// Whether this one answers in the place of another that starts a program.
    fn answers_for(&self, form: Form, program: Option<&Path>) -> bool {
        let both = self.program.as_deref().zip(program);
        self.form > form && self.is_whole && both.is_some_and(|(one, other)| is_same_file(one, other))
    }
}

/// Those of several that answer: the client runs one command once, and a committed entry stands back for a person's own.
pub fn answering(wirings: &[Wiring]) -> Vec<&Wiring> {
    let mut found: Vec<&Wiring> = Vec::new();
    for wiring in wirings.iter().filter(|one| !wirings.iter().any(|other| one.stands_back_for(other))) {
        if found.iter().all(|other| other.commands != wiring.commands) {
            found.push(wiring);
        }
    }
    found
}

/// Our plugin, as it is enabled for a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// As the settings name it: `engine@market`.
    pub name: String,
    pub folder: PathBuf,
}

impl Plugin {
    /// The program that it starts: its own, else what PATH has.
    pub fn program(&self) -> Option<PathBuf> {
        let own = self.folder.join("bin/engine");
        if own.is_file() { Some(own) } else { on_path("engine", &self.folder) }
    }

    /// Whether its hooks are silent because a settings file wires the same program.
    pub fn stands_back(&self, wirings: &[Wiring]) -> bool {
        let program = self.program();
        wirings.iter().any(|wiring| wiring.answers_for(Form::Plugin, program.as_deref()))
    }
}

/// Our plugin, if a client that is started in a folder loads it. Its name alone says nothing: a clone may name any plugin so.
pub fn plugin(folder: &Path) -> Option<Plugin> {
    let name = enabled_plugin(folder).map_or_else(|| "engine".to_owned(), |(name, _)| name);
    let folder = skills::plugin_folders(folder).into_iter().find(|folder| is_our_plugin(folder))?;
    Some(Plugin { name, folder })
}

/// What calls itself our plugin in a settings file, and the file.
pub(crate) fn enabled_plugin(folder: &Path) -> Option<(String, PathBuf)> {
    read_in(folder).into_iter().find_map(|source| {
        let text = read_string(&source.path).ok()?;
        Some((Settings::read(&text)?.plugin()?, source.path))
    })
}

/// Whether a plugin's hooks are ours and nothing else.
fn is_our_plugin(folder: &Path) -> bool {
    let read =
        |path: &str| -> Option<Value> { serde_json::from_str(&read_string(&folder.join(path)).ok()?).ok() };
    let manifest = read(".claude-plugin/plugin.json").unwrap_or_default();
    let hooks = read("hooks/hooks.json").unwrap_or_default()["hooks"].take();
    let groups = hooks.as_object().into_iter().flatten().filter_map(|(_, groups)| groups.as_array());
    let mut hooks = groups.flatten().flat_map(|group| {
        let hooks = group["hooks"].as_array().into_iter().flatten();
        hooks.map(move |hook| (group, hook))
    });
    let is_ours = |(group, hook): (&Value, &Value)| {
        Entry::read(hook).is_some_and(|entry| entry.form == Form::Plugin) && is_whole(group, hook)
    };
    manifest["name"] == "engine" && manifest.get("hooks").is_none() && {
        let mut any = false;
        hooks.all(|hook| {
            any = true;
            is_ours(hook)
        }) && any
    }
}

/// Why no hook fires for a client that is started in a folder of a project, if none does.
pub fn unreached(root: &Path, folder: &Path) -> Option<String> {
    let is_off = |source: &Source| {
        let text = read_string(&source.path).unwrap_or_default();
        Settings::read(&text).is_some_and(|settings| settings.disables_hooks())
    };
    if let Some(source) = read_in(folder).into_iter().find(is_off) {
        let file = source.path.display();
        return Some(format!("no hook fires: disableAllHooks is set in {file}. Take it out there"));
    }
    if !wirings(folder).is_empty() || plugin(folder).is_some() {
        return None;
    }
    let of_root = wirings(root);
    let Some(wiring) = of_root.first() else {
        return Some("no hook fires: none is wired for this project. Run: engine init".to_owned());
    };
    let file = wiring.path.strip_prefix(root).unwrap_or(&wiring.path).display();
    let is_repository = engine_store::worktree::repository_root(folder).is_some_and(|found| found == root);
    let everywhere = if wiring.scope == Scope::Project && is_repository {
        "engine init, which reaches all folders of this repository"
    } else {
        "engine init --scope user, which reaches every folder"
    };
    Some(format!(
        "hooks do not reach this folder: a client that is started here does not read {file}. Start it in {}, or run there: {everywhere}",
        root.display()
    ))
}

/// Whether a settings file of a scope wires engine.
pub fn is_wired(root: &Path, scope: Scope) -> bool {
    settings_file(root, scope).is_some_and(|path| wiring(scope, path, root).is_some())
}
