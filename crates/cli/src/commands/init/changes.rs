//! What `engine init` changes, for a person.

use std::path::Path;

use engine_app::install::Installed;
use engine_app::install::scope::Wired;
use engine_app::wording::counted;
use engine_claude::install::FileChange;
use engine_claude::settings::allowed;
use serde_json::{Value, json};

use super::{difference, summary};
use crate::ui::{Tone, Ui, toned};

/// The settings of one person in this project.
const LOCAL: &str = ".claude/settings.local.json";

pub(super) fn tell(root: &Path, installed: &Installed, verbose: bool, ui: &Ui) {
    let Installed { wired, events, changes, notes, .. } = installed;
    for line in summary::lines(root, changes, verbose, |change| past(change).to_owned(), |_| String::new()) {
        ui.line(line);
    }
    tell_notes(notes, ui);
    let hooks = match wired {
        Wired::Here => format!("{} events wired.", events.len()),
        Wired::Elsewhere(how) => format!("hooks are wired {how}."),
    };
    if changes.is_empty() {
        ui.line(format!("{} is set up already: {hooks}", root.display()));
        return;
    }
    match wired {
        Wired::Here => ui.line(format!("{hooks} Running sessions pick it up within seconds.")),
        Wired::Elsewhere(how) => ui.line(format!("Set up. Its hooks are wired {how}.")),
    }
    if let Some(permitted) = permitted(root, changes) {
        ui.line(permitted);
    }
}

/// What to do with an engine that is new here.
pub(super) fn tell_next(installed: &Installed, ui: &Ui) {
    if installed.trusted && installed.changes.iter().any(|change| change.before.is_none()) {
        ui.line("Next:");
        ui.line("  engine doctor              checks that each hook fires");
        ui.line("  claude                     start it in this folder and type s: it lists the tasks");
        ui.line("  p: write the changelog     typed there, keeps a task; engine --help has the rest");
    }
}

/// The same of a dry run.
pub(super) fn tell_dry_run(root: &Path, installed: &Installed, verbose: bool, ui: &Ui) {
    let word = |change: &FileChange| format!("would {}", action(change));
    if verbose {
        for change in &installed.changes {
            ui.line(format!("{} {}", toned(Tone::Good, &word(change)), summary::shown(root, &change.path)));
            difference::show(&difference::of(root, change), ui);
        }
    } else {
        for line in summary::lines(root, &installed.changes, false, word, difference::size) {
            ui.line(line);
        }
    }
    tell_notes(&installed.notes, ui);
    if installed.changes.is_empty() || verbose {
        ui.line("Nothing was written.");
    } else {
        ui.line("Nothing was written. With every line: the same with -v");
    }
}

fn tell_notes(notes: &[String], ui: &Ui) {
    for note in notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
}

/// What a session does without a dialog from now on: the client shows it to whoever opens the folder first.
fn permitted(root: &Path, changes: &[FileChange]) -> Option<String> {
    let change = changes.iter().find(|change| change.path == root.join(LOCAL))?;
    let entries = |text: &Option<String>| allowed(text.as_deref()?).ok();
    let before = entries(&change.before).unwrap_or_default();
    let mut added = entries(&change.after)?;
    added.retain(|entry| !before.contains(entry));
    let skills = added.iter().filter(|entry| entry.starts_with("Skill(")).count();
    let commands = counted((added.len() - skills) as u64, "command");
    let skills = if skills > 0 { format!(" and {}", counted(skills as u64, "skill")) } else { String::new() };
    (!added.is_empty()).then(|| {
        format!(
            "{LOCAL} permits {commands} of engine{skills} without a dialog. The client lists these entries when it asks whether you trust this folder."
        )
    })
}

/// The events and the files for JSON.
pub(super) fn objects(installed: &Installed) -> (Vec<&str>, Vec<Value>) {
    let file = |change: &FileChange| json!({"path": change.path, "action": action(change)});
    let events = installed.events.iter().map(|event| event.as_str()).collect();
    (events, installed.changes.iter().map(file).collect())
}

fn action(change: &FileChange) -> &'static str {
    if change.before.is_none() { "create" } else { "change" }
}

fn past(change: &FileChange) -> &'static str {
    if change.before.is_none() { "created" } else { "changed" }
}
