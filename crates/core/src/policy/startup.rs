//! Files that a person's machine runs or obeys later: shells, logins, git and ssh read them. What is written there acts when nobody
//! judges it any more. Reading them is free, and so is a file of such a name in the project.

use super::facts::{CallFacts, below_other_home};
use engine_shell::Effect;
use engine_text::glob;

/// Files of a home folder.
const FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".config/fish/config.fish",
    ".ssh/authorized_keys",
    ".ssh/authorized_keys2",
    ".ssh/config",
    ".ssh/environment",
    ".ssh/rc",
    ".gitconfig",
    ".config/git/config",
];

/// Folders of a home folder in which every file counts.
const FOLDERS: &[&str] = &[
    ".config/autostart",
    ".config/environment.d",
    ".config/fish/conf.d",
    ".config/systemd/user",
    "Library/LaunchAgents",
];

/// A run that writes one of them, by any tool. A link may lead elsewhere, so the name that was given counts beside the real path.
pub(super) fn written(facts: &CallFacts) -> Option<usize> {
    let mut all = facts.effects.iter().chain(&facts.analysis.effects);
    all.find(|effect| is_startup(facts, effect)).map(Effect::run)
}

/// `touch` leaves what is in a file.
fn is_startup(facts: &CallFacts, effect: &Effect) -> bool {
    let Effect::Write { run, path, pattern } = effect else { return false };
    let of_other = || effect.tail().and_then(|tail| Some(tail.strip_prefix('~')?.split_once('/')?.1));
    let below = facts.places.below_home(path).or_else(|| below_other_home(path)).or_else(of_other);
    let Some(below) = below else { return false };
    let is_one = || {
        let is_in = |folder: &str| {
            below.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        FILES.contains(&below) || FOLDERS.iter().any(|folder| is_in(folder))
    };
    // From a folder of its own, a pattern is read as one of the whole disk.
    let expands = || FILES.iter().any(|file| glob::expands_to(&format!("/{below}"), &format!("/{file}")));
    (is_one() || (*pattern && expands()))
        && !facts.places.is_inside(path)
        && facts.analysis.runs.get(*run).is_none_or(|run| !run.is(&["touch"]))
}
