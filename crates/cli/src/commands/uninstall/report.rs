//! What `engine uninstall` took out, and what stays.

use std::collections::BTreeMap;

use engine_app::install::Uninstalled;
use engine_app::wording::counted;
use engine_claude::install::FileChange;
use engine_text::line::printable;
use serde_json::{Value, json};

use super::{PurgeWord, UninstallArgs};
use crate::commands::init::summary;
use crate::ui::{Tone, Ui, toned};

/// How many files that stay for one reason are named.
const NAMED: usize = 5;
/// Why a file of `.engine/` stays.
const WORDS: &str = "you wrote it, and git does not have it as it is";

pub(super) fn tell(done: &Uninstalled, args: &UninstallArgs, ui: &Ui) {
    let word = |change: &FileChange| {
        let word = if change.after.is_none() { ("remove", "removed") } else { ("restore", "restored") };
        if args.dry_run { format!("would {}", word.0) } else { word.1.to_owned() }
    };
    for line in summary::lines(&done.root, &done.changes, args.verbose, word, |_| String::new()) {
        ui.line(line);
    }
    if args.purge.is_some() && done.purged.is_any {
        let removed = toned(Tone::Good, if args.dry_run { "would remove" } else { "removed" });
        let rest = if done.purged.words.is_empty() { "" } else { ", but for what you wrote" };
        ui.line(format!("{removed} .engine/{rest}"));
    }
    if done.has_driver {
        let removed = toned(Tone::Good, if args.dry_run { "would remove" } else { "removed" });
        ui.line(format!("{removed} merge.engine from git's configuration of this clone"));
    }
    left(done, args, ui);
    if args.dry_run {
        ui.line("Nothing was written.");
    }
}

/// What stays.
pub(super) fn left(done: &Uninstalled, args: &UninstallArgs, ui: &Ui) {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let kept = done.kept.iter().map(|kept| (kept.why.as_str(), summary::shown(&done.root, &kept.path)));
    let words = done.purged.words.iter().map(|path| (WORDS, path.display().to_string()));
    for (why, path) in kept.chain(words) {
        reasons.entry(why).or_default().push(printable(&path));
    }
    for (why, paths) in reasons {
        let named = if args.verbose || paths.len() <= NAMED + 1 { paths.len() } else { NAMED };
        for path in &paths[..named] {
            ui.line(format!("{} {path}: {why}", toned(Tone::Careful, "kept")));
        }
        if named < paths.len() {
            let more = paths.len() - named;
            ui.line(format!(
                "{} {more} more, for the same reason; -v lists them",
                toned(Tone::Careful, "kept")
            ));
        }
    }
    for note in &done.notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    let saved = done.purged.saved.len() as u64;
    if saved > 0 {
        let (files, go) = (counted(saved, "file"), if args.dry_run { "would go" } else { "went" });
        ui.line(format!("{files} of yours {go} with it; git has them: git restore --source HEAD -- .engine"));
    }
    if !done.purged.words.is_empty() {
        ui.line("To remove what you wrote there, too: engine uninstall --purge=all");
    }
    let with = if done.has_journal { " with the journal" } else { "" };
    if !done.failures.is_empty() && done.has_folder {
        ui.line(format!("Kept: .engine/{with}. It is needed to go on"));
    } else if args.purge.is_none() && args.scope.is_none() && done.has_folder {
        ui.line(format!("Kept: .engine/{with}. To remove it too: engine uninstall --purge"));
    }
    if !done.work.is_empty() && !done.is_nothing() {
        ui.line(format!("Your work stays: {}", done.work.join(", ")));
    }
}

pub(super) fn object(done: &Uninstalled, args: &UninstallArgs) -> Value {
    let files = done.changes.iter();
    let files: Vec<Value> =
        files.map(|change| json!({"path": change.path, "removed": change.after.is_none()})).collect();
    let kept = done.kept.iter().map(|kept| json!({"path": kept.path, "why": kept.why}));
    let words = done.purged.words.iter().map(|path| json!({"path": done.root.join(path), "why": WORDS}));
    let kept: Vec<Value> = kept.chain(words).collect();
    let saved: Vec<_> = done.purged.saved.iter().map(|path| done.root.join(path)).collect();
    json!({"version": 1, "project": done.root, "dryRun": args.dry_run, "files": files, "kept": kept,
        "saved": saved, "failures": done.failures, "work": done.work, "notes": done.notes, "purged": args.purge.is_some(),
        "all": args.purge == Some(PurgeWord::All), "mergeDriver": done.has_driver})
}
