//! Whether the installed files are those of this version.

use std::collections::BTreeSet;

use engine_claude::install::{self, ShippedFile};
use engine_store::project::Project;

use super::{Health, Report, shown};
use crate::plugin::shipment;
use crate::wording::counted;

/// What the check is called.
const NAME: &str = "files";

pub(super) fn files(project: &Project, report: &mut Report) {
    let drift = install::drift(project, &shipment());
    if drift.is_bare() {
        return;
    }
    if drift.is_none() {
        report.add(Health::Ok, NAME, format!("{} up to date", counted(drift.current as u64, "file")));
    }
    if !drift.older.is_empty() {
        let are = if drift.older.len() == 1 { "is" } else { "are" };
        let text = format!("{} {are} of an older version. Run: engine init --refresh", units(&drift.older));
        report.add(Health::Note, NAME, text);
    }
    if !drift.missing.is_empty() {
        let count = counted(drift.missing.len() as u64, "file");
        let text = format!("{count} of installed skills missing. Run: engine init --refresh");
        report.add(Health::Note, NAME, text);
    }
    if !drift.retired.is_empty() {
        let text = format!("{} shipped no more. Run: engine init --refresh", units(&drift.retired));
        report.add(Health::Note, NAME, text);
    }
    for file in &drift.edited {
        let path = shown(project, &file.path);
        report.add(
            Health::Note,
            NAME,
            format!("{path} was edited. Compare: engine init --refresh --dry-run"),
        );
    }
}

/// `3 skills, 1 agent`: a skill counts once, however many of its files.
fn units(files: &[ShippedFile]) -> String {
    let mut parts = Vec::new();
    for (folder, word) in [("skills", "skill"), ("agents", "agent"), ("", "other file")] {
        let of = |file: &ShippedFile| match file.name.split_once('/') {
            Some(("skills", rest)) if folder == "skills" => Some(rest.split('/').next()?.to_owned()),
            Some(("agents", rest)) if folder == "agents" => Some(rest.to_owned()),
            Some(("skills" | "agents", _)) => None,
            _ if folder.is_empty() => Some(file.name.clone()),
            _ => None,
        };
        let named: BTreeSet<String> = files.iter().filter_map(of).collect();
        if !named.is_empty() {
            parts.push(counted(named.len() as u64, word));
        }
    }
    parts.join(", ")
}
