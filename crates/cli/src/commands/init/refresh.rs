//! `engine init --refresh`.

use std::path::Path;

use engine_app::error::Outcome;
use engine_app::here;
use engine_app::install::{self, Refreshed};
use engine_app::wording::counted;
use engine_claude::install::FileChange;
use engine_rules::Rule;
use serde_json::{Value, json};

use super::{InitArgs, difference, summary};
use crate::ui::{Tone, Ui, toned};
use crate::version::NAME_AND_VERSION;

pub(super) fn run(args: &InitArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let root = install::root(false)?;
    let done = install::refresh(&root, rules, &here::program()?, NAME_AND_VERSION, args.dry_run)?;
    if ui.is_json() {
        ui.object(&object(&root, &done, args.dry_run));
    } else {
        tell(&root, &done, args, ui);
    }
    Ok(())
}

fn tell(root: &Path, done: &Refreshed, args: &InitArgs, ui: &Ui) {
    let word = |change: &FileChange| {
        if args.dry_run { format!("would {}", action(change)) } else { format!("{}d", action(change)) }
    };
    for line in summary::lines(root, &done.changes, args.verbose, word, |_| String::new()) {
        ui.line(line);
    }
    for edited in &done.edited {
        let path = summary::shown(root, &edited.path);
        ui.line(format!(
            "{} {path}: you changed it; {NAME_AND_VERSION} ships this",
            toned(Tone::Careful, "kept")
        ));
        difference::show(&edited.diff, ui);
    }
    for note in &done.notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    ui.line(counts(done, args.dry_run));
}

/// `2 files updated, 1 file removed, 1 file kept that you changed, 64 up to date.`
fn counts(done: &Refreshed, dry_run: bool) -> String {
    let of = |wanted: &str| done.changes.iter().filter(|change| action(change) == wanted).count();
    let mut parts = Vec::new();
    for wanted in ["update", "create", "remove"] {
        if of(wanted) > 0 {
            parts.push(format!("{} {wanted}d", counted(of(wanted) as u64, "file")));
        }
    }
    if !done.edited.is_empty() {
        parts.push(format!("{} kept that you changed", counted(done.edited.len() as u64, "file")));
    }
    if parts.is_empty() {
        return format!("{} up to date, nothing to do.", counted(done.current as u64, "file"));
    }
    if done.current > 0 {
        parts.push(format!("{} up to date", done.current));
    }
    let end = if dry_run { " Nothing was written." } else { "" };
    format!("{}.{end}", parts.join(", "))
}

fn action(change: &FileChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "create",
        (_, None) => "remove",
        _ => "update",
    }
}

fn object(root: &Path, done: &Refreshed, dry_run: bool) -> Value {
    let files: Vec<Value> =
        done.changes.iter().map(|change| json!({"path": change.path, "action": action(change)})).collect();
    let edited: Vec<Value> =
        done.edited.iter().map(|edited| json!({"path": edited.path, "diff": edited.diff})).collect();
    json!({"version": 1, "project": root, "dryRun": dry_run, "files": files, "edited": edited,
        "current": done.current, "notes": done.notes})
}
