//! Folders of the person: where user-wide configuration and state live, by the XDG rules.

use std::path::{Path, PathBuf};

use engine_text::line::fingerprint;

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A relative XDG path is to be ignored, says the specification.
fn xdg(name: &str, below_home: &str) -> Option<PathBuf> {
    variable(name).filter(|path| path.is_absolute()).or_else(|| Some(home()?.join(below_home)))
}

pub fn home() -> Option<PathBuf> {
    variable("HOME")
}

/// `$XDG_CONFIG_HOME/engine/config.toml`.
pub fn user_config() -> Option<PathBuf> {
    Some(xdg("XDG_CONFIG_HOME", ".config")?.join("engine/config.toml"))
}

/// `$XDG_CONFIG_HOME/engine/directives`: the person's own, for every project.
pub fn user_directives() -> Option<PathBuf> {
    Some(xdg("XDG_CONFIG_HOME", ".config")?.join("engine/directives"))
}

/// `$XDG_CONFIG_HOME/engine/context`: what the person wants every model to know.
pub fn user_context() -> Option<PathBuf> {
    Some(xdg("XDG_CONFIG_HOME", ".config")?.join("engine/context"))
}

/// `$XDG_CONFIG_HOME/engine/memory`: the person's own notes, for every project.
pub fn user_memory() -> Option<PathBuf> {
    Some(xdg("XDG_CONFIG_HOME", ".config")?.join("engine/memory"))
}

/// The Markdown files in a folder, by their names.
pub(crate) fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<PathBuf> =
        listed.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    files.sort();
    files
}

/// `$XDG_STATE_HOME/engine`: what was installed into the user's own settings.
pub fn user_state() -> Option<PathBuf> {
    Some(xdg("XDG_STATE_HOME", ".local/state")?.join("engine"))
}

/// `$XDG_DATA_HOME/engine/models`: language models for search, for every project.
pub fn user_models() -> Option<PathBuf> {
    Some(xdg("XDG_DATA_HOME", ".local/share")?.join("engine/models"))
}

const ACCEPTED: &str = "accepted";

/// What the person accepted, in their state folder.
pub(crate) fn accepted(state: &Path) -> PathBuf {
    state.join(ACCEPTED)
}

/// The record of the user-wide configuration.
pub(crate) fn accepted_of_user(state: &Path) -> PathBuf {
    state.join("accepted/user.json")
}

/// The same of the project in a folder.
pub(crate) fn accepted_of(state: &Path, root: &Path) -> PathBuf {
    // Joined at once: a hook asks for it.
    state.join(format!("{ACCEPTED}/{}.json", fingerprint(&root.to_string_lossy())))
}
