//! `engine init --refresh`: what an earlier version installed is brought to this one.

use std::path::{Path, PathBuf};

use engine_claude::install::{self, Drift, FileChange, Hooks, InstallOptions, Scope, settings_file};
use engine_claude::{event_names, reach, settings};
use engine_rules::{Rule, wanted_events};
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::{config_file, lock};

use super::scope::is_closed;
use super::{explain, wiring_alone};
use crate::error::CommandError;
use crate::plugin::shipment;

/// What was, or would be, refreshed.
#[derive(Debug)]
pub struct Refreshed {
    pub changes: Vec<FileChange>,
    /// Files that somebody changed, and how they differ from ours.
    pub edited: Vec<Edited>,
    /// How many files were as this version ships them before.
    pub current: usize,
    pub notes: Vec<String>,
}

/// A file of ours that somebody changed.
#[derive(Debug)]
pub struct Edited {
    pub path: PathBuf,
    pub diff: String,
}

/// Brings what is installed in the project at `root` to this version; `version` is what it is called.
pub fn refresh(
    root: &Path,
    rules: &[Rule],
    program: &Path,
    version: &str,
    dry_run: bool,
) -> Result<Refreshed, CommandError> {
    let project = Project::open(None, root)
        .filter(|project| project.root() == root)
        .unwrap_or_else(|| Project::at(root));
    let shipment = shipment();
    let config = config_file::load_fresh(&project);
    let events = event_names(wanted_events(rules, &config));
    let wired = Scope::ALL.into_iter().filter(|scope| has_ours(root, *scope));
    let options = wired.map(|scope| {
        let closed = is_closed(&project, &config, scope);
        let hooks = if reach::is_wired(root, scope) { Hooks::Wire } else { Hooks::Leave };
        wiring_alone(scope, hooks, &events, program, closed, &shipment)
    });
    let scopes: Vec<InstallOptions<'_>> = options.collect();
    let plan = || -> Result<(Drift, install::Plan), CommandError> {
        let drift = install::drift(&project, &shipment);
        let plan = install::plan_refresh(&project, &scopes, &shipment, &drift)
            .map_err(|error| explain(error, false))?;
        Ok((drift, plan))
    };
    let (drift, first) = plan()?;
    if drift.is_bare() && scopes.is_empty() {
        return Err(CommandError::nothing(format!("nothing of engine's is installed in {}", root.display()))
            .hint("install it: engine init, or engine init --with skills"));
    }
    // What needs no write leaves no trace.
    let (drift, changes, notes) = if dry_run || first.changes.is_empty() {
        (drift, first.changes, first.notes)
    } else {
        let is_made = project.folder().is_dir();
        let _one = lock::hold_folder(root)?;
        let _held = is_made.then(|| install::lock(&project)).transpose()?;
        let (drift, plan) = plan()?;
        let (changes, notes) = (plan.changes.clone(), plan.notes.clone());
        let applied = if is_made { plan.apply(&project) } else { plan.apply_without_manifest() };
        applied.map_err(|error| explain(error, false))?;
        (drift, changes, notes)
    };
    let edited = drift.edited.iter();
    let edited =
        edited.map(|file| Edited { path: file.path.clone(), diff: file.compared(&shipment, version) });
    Ok(Refreshed { edited: edited.collect(), current: drift.current, changes, notes })
}

/// Whether a settings file has hook entries or a status line of ours.
fn has_ours(root: &Path, scope: Scope) -> bool {
    let text = settings_file(root, scope).and_then(|path| read_string(&path).ok());
    text.is_some_and(|text| settings::has_ours(&text).unwrap_or_default())
}
