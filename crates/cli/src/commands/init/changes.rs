//! What `engine init` changes, for a person.

use std::path::Path;

use engine_app::install::Installed;
use engine_claude::install::FileChange;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn tell(root: &Path, installed: &Installed, dry_run: bool, ui: &Ui) {
    let Installed { events, changes, notes, .. } = installed;
    for change in changes {
        let path = change.path.strip_prefix(root).unwrap_or(&change.path);
        let word = if dry_run { format!("would {}", action(change)) } else { past(change).to_owned() };
        ui.line(format!("{} {}", toned(Tone::Good, &word), path.display()));
        if dry_run {
            show_added(change, ui);
        }
    }
    for note in notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    if dry_run {
        ui.line("Nothing was written.");
        return;
    }
    if changes.is_empty() {
        ui.line(format!("{} is set up already: {} events wired.", root.display(), events.len()));
    } else {
        ui.line(format!(
            "{} events wired. Running sessions pick it up within seconds. Check: engine doctor",
            events.len()
        ));
    }
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

/// The lines that come with the change.
fn show_added(change: &FileChange, ui: &Ui) {
    let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
    for line in change.after.as_deref().unwrap_or_default().lines().filter(|line| !before.contains(line)) {
        ui.line(toned(Tone::Good, &format!("  + {line}")));
    }
}
