//! `engine tag find` and `engine tag list`.

use std::path::PathBuf;

use engine_app::error::Outcome;
use engine_app::tag::find::{self, Count, Place};
use engine_app::wording::counted;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

pub(super) fn find(pattern: &str, paths: &[PathBuf], ui: &Ui) -> Outcome {
    let (found, looked) = find::find(pattern, paths)?;
    ui.talk_all(&looked.unread);
    if ui.is_json() {
        let row = |place: &Place| json!({"file": place.file.display().to_string(), "line": place.line, "tag": place.tag, "inTagsLine": place.of_file});
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "pattern": pattern, "found": rows}));
        return Ok(());
    }
    let mut lines = String::new();
    for Place { file, tag, line, .. } in &found {
        lines.push_str(&format!("{}:{line} {tag}\n", file.display()));
    }
    ui.text(&lines);
    if found.is_empty() {
        ui.talk(format!("no {pattern} in {} files", looked.files));
    }
    Ok(())
}

pub(super) fn list(paths: &[PathBuf], ui: &Ui) -> Outcome {
    let (rows, looked) = find::list(paths)?;
    ui.talk_all(&looked.unread);
    if ui.is_json() {
        let row = |Count { tag, count, files }: &Count| json!({"tag": tag, "count": count, "files": files});
        ui.object(&json!({"version": 1, "tags": rows.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let row = |Count { tag, count, files }: &Count| {
        vec![tag.clone(), count.to_string(), format!("in {}", counted(*files as u64, "file"))]
    };
    ui.text(&aligned(&rows.iter().map(row).collect::<Vec<_>>(), ""));
    if rows.is_empty() {
        ui.talk(format!("no tags in {} files", looked.files));
    }
    Ok(())
}
