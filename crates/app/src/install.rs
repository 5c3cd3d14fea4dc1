//! Putting engine into a project, and taking it out again.

use std::path::{Path, PathBuf};

use engine_claude::install::{
    self, FileChange, Hooks, InstallError, InstallOptions, Scope, Shipment, Shipped,
};
use engine_claude::json_edit::EditError;
use engine_claude::{EventName, event_names, reach};
use engine_core::evidence::known::CHECKS;
use engine_core::fragment::execute_rule;
use engine_rules::{KEEP_DAYS, Rule, wanted_events};
use engine_store::project::{FOLDER, Project};
use engine_store::reason::reason;
use engine_store::{atomic, clock, config_file, places, retention, task_file, trust};

use crate::error::CommandError;
use crate::here;
use crate::plugin::{AGENTS, SESSION_SKILLS, SKILLS, shipment};
use scope::{Choice, Wired};

mod purge;
mod refresh;
pub mod scope;
mod uninstall;

pub use purge::{Purge, Purged};
pub use refresh::{Refreshed, refresh};
pub use uninstall::{Uninstall, Uninstalled, uninstall};

/// Parts that are installed on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// The skills that work without sessions.
    Skills,
    /// All that come with engine.
    AllSkills,
    /// The vocabulary of the shortcuts.
    Fragment,
    Statusline,
    /// Git merges the task file by its tasks.
    Merge,
}

/// What follows where the hooks cannot start the program.
const MISSING: &str = "if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: \
                       engine config set policy.fail closed (with --user: for every project)";

/// The skills that are asked for.
fn skills(with: &[Extra]) -> Vec<Shipped> {
    if with.contains(&Extra::AllSkills) {
        SKILLS.iter().chain(SESSION_SKILLS).copied().collect()
    } else if with.contains(&Extra::Skills) {
        SKILLS.to_vec()
    } else {
        Vec::new()
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Init<'a> {
    /// The scope that was asked for, if one was.
    pub scope: Option<Scope>,
    pub with: &'a [Extra],
    /// Entries for engine's own everyday commands.
    pub permissions: bool,
    /// Edit a settings file also if the client ignores it.
    pub force: bool,
    /// Write nothing.
    pub dry_run: bool,
}

/// What was, or would be, written.
#[derive(Debug)]
pub struct Installed {
    pub scope: Scope,
    pub wired: Wired,
    pub events: Vec<EventName>,
    /// What the agent may do without a dialog, by entries that engine made.
    pub permitted: Vec<String>,
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
    /// The person trusts the project, or a dry run asks nobody.
    pub trusted: bool,
}

/// Puts engine into the project at `root`. `program` is what the hooks call.
pub fn init(root: &Path, rules: &[Rule], program: &Path, init: &Init<'_>) -> Result<Installed, CommandError> {
    let project = Project::open(None, root)
        .filter(|project| project.root() == root)
        .unwrap_or_else(|| Project::at(root));
    let Choice { scope, wired, mut notes } = scope::choose(&project, init.scope)?;
    let settings = config_file::load_fresh(&project);
    let events = event_names(wanted_events(rules, &settings));
    let fragment = execute_rule();
    let skills = skills(init.with);
    let shipment = shipment();
    let closed = scope::is_closed(&project, &settings, scope);
    let task_file = task_file::name(&project, &settings);
    let options = InstallOptions {
        scope,
        hooks: if wired == Wired::Here { Hooks::Wire } else { Hooks::Leave },
        hides: true,
        events: &events,
        program,
        permissions: init.permissions,
        checks: &settings.commands(&CHECKS),
        skills: &skills,
        with_plugin: reach::plugin(root).is_some(),
        agents: if skills.is_empty() { &[] } else { AGENTS },
        closed,
        fragment: init.with.contains(&Extra::Fragment).then_some(fragment.as_str()),
        statusline: init.with.contains(&Extra::Statusline),
        config: &shipment.config,
        merged: init.with.contains(&Extra::Merge).then_some(task_file.as_str()),
        shipment: &shipment,
        force: init.force,
    };
    let plan = || install::plan_init(&project, &options).map_err(|error| explain(error, init.force));
    // A refusal and a dry run leave no trace: what cannot be done is found before anything is.
    let first = plan()?;
    let checked = |plan: &install::Plan| plan.check(&project).map_err(|error| explain(error, init.force));
    checked(&first)?;
    let begins = trust::is_new(&project) && crate::trust::offer(&project).is_empty();
    if begins {
        may_remember()?;
    }
    let (_held, plan) = if init.dry_run {
        (None, first)
    } else {
        let held = install::lock(&project)?;
        // Nothing is taken over from a manifest that came with a clone: it counts from the next line on, and ours takes its place.
        let plan = plan()?;
        if begins {
            trust::begin(&project)?;
        }
        (Some(held), plan)
    };
    let (changes, permitted) = (plan.changes.clone(), plan.permitted.clone());
    notes.extend(plan.notes.iter().cloned());
    if !skills.is_empty()
        && let Some(plugin) = reach::plugin(root)
    {
        notes.push(format!(
            "the plugin {} brings these skills, too: each is listed twice now, as /NAME and as /engine:NAME",
            plugin.name
        ));
    }
    let is_news = wired == Wired::Here && !closed && !changes.is_empty();
    notes.extend(is_news.then(|| MISSING.to_owned()));
    if !init.dry_run {
        plan.apply(&project).map_err(|error| explain(error, init.force))?;
        retention::apply(&project, clock::now(), settings.number(&KEEP_DAYS));
    }
    let trusted = init.dry_run || !config_file::load_fresh(&project).acceptance().is_untrusted;
    Ok(Installed { scope, wired, events, permitted, changes, notes, trusted })
}

/// Whether there is a place for what a person accepts.
fn may_remember() -> Result<(), CommandError> {
    let Some(state) = places::user_state() else {
        return Err(CommandError::refused("no home folder: HOME is not set; nothing was written").hint(
            "engine keeps there what you trust: set HOME, or XDG_STATE_HOME, and then the same again",
        ));
    };
    atomic::may_write_below(&state).map_err(|(path, error)| {
        CommandError::refused(format!("{}: {}; nothing was written", path.display(), reason(&error)))
            .hint("engine keeps there what you trust: make it writable, and then the same again")
    })
}

/// The project around us, else the repository, else this folder; or this folder, where it is to be a project of its own.
pub fn root(is_here: bool) -> Result<PathBuf, CommandError> {
    let cwd = here::folder()?;
    let around = cwd
        .ancestors()
        .find(|folder| folder.join(FOLDER).is_dir())
        .or_else(|| cwd.ancestors().find(|folder| folder.join(".git").exists()))
        .unwrap_or(&cwd);
    let root = if is_here { cwd.as_path() } else { around };
    if places::home().is_some_and(|home| home == root) {
        return Err(CommandError::refused(
            "the home folder is not a project: every session below it would be part of it",
        )
        .hint("go to the project's folder first"));
    }
    Ok(root.to_owned())
}

/// What tells a person in a folder of a larger project that it has no project of its own.
pub fn part_of(root: &Path) -> Option<String> {
    let cwd = here::folder().ok()?;
    let below = cwd.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty())?;
    Some(format!(
        "{} is a part of this project; to make it a project of its own: engine init --here",
        below.display()
    ))
}

fn explain(error: InstallError, force: bool) -> CommandError {
    let refused = CommandError::refused(error.to_string());
    let refused = match &error {
        InstallError::WiredElsewhere { scope: "project", .. } => refused
            .hint("two entries would run engine twice on each event")
            .hint("let the committed entry stand back for yours: engine init --team, then the same again; or move it: engine uninstall, then engine init"),
        InstallError::WiredElsewhere { scope, .. } => refused
            .hint("two entries would run engine twice on each event")
            .hint(format!("keep it there: engine init --scope {scope}; or move it: engine uninstall, then engine init")),
        InstallError::Settings { error: EditError::Shape(_), .. } => refused
            .hint("the client expects it in another form, and engine has nowhere to put its entries; nothing was changed")
            .hint("mend the file, and then the same again"),
        InstallError::Unwritable { .. } => refused.hint("mend that, and then the same again"),
        InstallError::Settings { .. } if !force => refused
            .hint("the client ignores a settings file that is not plain JSON, hooks and permissions included; nothing was changed")
            .hint("mend the file, or edit it all the same: engine init --force"),
        _ => refused,
    };
    refused.caused_by(error)
}

/// Wires the events that the rules want now, where engine is wired at all. Whether anything changed.
pub fn rewire(project: &Project, rules: &[Rule], program: &Path) -> Result<bool, InstallError> {
    let config = config_file::load_fresh(project);
    let events = event_names(wanted_events(rules, &config));
    let shipment = shipment();
    let mut changed = false;
    for scope in Scope::ALL.into_iter().filter(|scope| reach::is_wired(project.root(), *scope)) {
        let closed = scope::is_closed(project, &config, scope);
        let options = wiring_alone(scope, Hooks::Rewire, &events, program, closed, &shipment);
        let plan = install::plan_init(project, &options)?;
        if !plan.changes.is_empty() {
            changed = true;
            plan.apply(project)?;
        }
    }
    Ok(changed)
}

/// What `init` is asked for where only the hook entries are to be brought in line.
fn wiring_alone<'a>(
    scope: Scope,
    hooks: Hooks,
    events: &'a [EventName],
    program: &'a Path,
    closed: bool,
    shipment: &'a Shipment,
) -> InstallOptions<'a> {
    InstallOptions {
        scope,
        hooks,
        hides: false,
        events,
        program,
        permissions: false,
        checks: &[],
        skills: &[],
        with_plugin: false,
        agents: &[],
        closed,
        fragment: None,
        statusline: false,
        config: "",
        merged: None,
        shipment,
        force: false,
    }
}

#[cfg(test)]
mod tests;
