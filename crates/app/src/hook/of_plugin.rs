//! The hook of the plugin, which a person enables for every folder: outside of a project it says once how to make one, and is silent after
//! that.

use std::path::{Path, PathBuf};

use engine_core::event::{Kind, Source};
use engine_core::verdict::Verdict;
use engine_rules::Rule;
use engine_store::{atomic, places, worktree};
use engine_text::line::fingerprint;
use fs_err as fs;

use super::{HookProcess, Reply};
use crate::judging;

/// What is told once for a folder.
const HOW: &str =
    "engine: this folder is not a project of engine, so nothing is checked here. Switch it on: engine init";

/// Answers one event.
pub fn reply(rules: &[Rule], text: &str, around: &HookProcess) -> Reply {
    first_time(text, around).unwrap_or_else(|| super::reply(rules, text, around))
}

/// The line for a folder outside of any project, the first time that a client starts there.
fn first_time(text: &str, around: &HookProcess) -> Option<Reply> {
    let event = engine_claude::decode(text).ok()?;
    let Kind::SessionStart { source: Source::Startup, .. } = event.kind else { return None };
    if judging::project_of(&event, around.client_project.as_deref()).is_some() {
        return None;
    }
    let started = around.client_project.clone().unwrap_or_else(|| PathBuf::from(&*event.cwd));
    let folder = worktree::repository_root(&started).unwrap_or(started);
    // In the home folder there is nothing to switch on.
    if places::home().is_some_and(|home| home == folder) || !is_first_time(&folder) {
        return None;
    }
    let stdout = engine_claude::encode(&event.name, &Verdict::default(), &[HOW.to_owned()]).stdout;
    Some(Reply { stdout, ..Reply::default() })
}

/// Whether a folder was not told before; from now on it was. Where nothing can be remembered, nothing is told.
fn is_first_time(folder: &Path) -> bool {
    let Some(told) = places::user_state().map(|state| state.join("offered")) else { return false };
    let mark = told.join(fingerprint(&folder.to_string_lossy()));
    let is_new = !mark.exists();
    let keep = || {
        fs::create_dir_all(&told)?;
        atomic::replace(&mark, folder.to_string_lossy().as_bytes(), atomic::Durability::Process)
    };
    is_new && keep().is_ok()
}
