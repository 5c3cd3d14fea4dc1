//! `engine tag find` and `engine tag list`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_core::tag;
use engine_store::{walk, work_file};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

/// A tag, its line, and whether it is in the Tags line.
type Place = (String, usize, bool);

pub(super) fn find(pattern: &str, paths: &[PathBuf], ui: &Ui) -> Outcome {
    let files = files(paths, ui)?;
    let found = places(&files, |text| tag::find(pattern, text), ui);
    if ui.is_json() {
        let row = |(file, (tag, line, of_file)): &(&Path, Place)| json!({"file": file.display().to_string(), "line": line, "tag": tag, "inTagsLine": of_file});
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "pattern": pattern, "found": rows}));
        return Ok(());
    }
    let mut lines = String::new();
    for (file, (tag, line, _)) in &found {
        lines.push_str(&format!("{}:{line} {tag}\n", file.display()));
    }
    ui.text(&lines);
    if found.is_empty() {
        ui.talk(format!("no {pattern} in {} files", files.len()));
    }
    Ok(())
}

pub(super) fn list(paths: &[PathBuf], ui: &Ui) -> Outcome {
    let files = files(paths, ui)?;
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut last: BTreeMap<String, &Path> = BTreeMap::new();
    for (file, (tag, _, _)) in places(&files, tag::bare, ui) {
        let count = counts.entry(tag.clone()).or_default();
        count.0 += 1;
        // Places come file by file.
        if last.insert(tag, file) != Some(file) {
            count.1 += 1;
        }
    }
    let mut rows: Vec<(String, (usize, usize))> = counts.into_iter().collect();
    rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    if ui.is_json() {
        let row = |(tag, (count, files)): &(String, (usize, usize))| json!({"tag": tag, "count": count, "files": files});
        ui.object(&json!({"version": 1, "tags": rows.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let row = |(tag, (count, files)): &(String, (usize, usize))| {
        vec![
            tag.clone(),
            count.to_string(),
            format!("in {}", engine_app::wording::counted(*files as u64, "file")),
        ]
    };
    ui.text(&aligned(&rows.iter().map(row).collect::<Vec<_>>(), ""));
    if rows.is_empty() {
        ui.talk(format!("no tags in {} files", files.len()));
    }
    Ok(())
}

/// What `look` finds in the files, in their order.
fn places<'f>(
    files: &'f [PathBuf],
    look: impl Fn(&str) -> Vec<tag::Found<'_>> + Sync,
    ui: &Ui,
) -> Vec<(&'f Path, Place)> {
    let look = |text: &str| -> Vec<Place> {
        look(text).into_iter().map(|found| (found.tag.to_owned(), found.line, found.of_file)).collect()
    };
    let mut all = Vec::new();
    for (file, read) in walk::read_all(files, look) {
        match read {
            Ok(places) => all.extend(places.into_iter().map(|place| (file, place))),
            Err(error) => ui.talk(format!("{} was not read: {error}", file.display())),
        }
    }
    all
}

/// The Markdown files below the paths, or below the project's sessions.
fn files(paths: &[PathBuf], ui: &Ui) -> Result<Vec<PathBuf>, CommandError> {
    let usual;
    let starts = if paths.is_empty() {
        usual = [sessions()?];
        &usual[..]
    } else {
        paths
    };
    for missing in paths.iter().filter(|path| !path.exists()) {
        ui.talk(format!("{} is not there", missing.display()));
    }
    let is_markdown = |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    let walked = walk::files(starts, usize::MAX, is_markdown);
    for (path, error) in &walked.unread {
        ui.talk(format!("{} was not read: {error}", path.display()));
    }
    Ok(walked.files)
}

/// `sessions/` of the project, from here if it is below.
fn sessions() -> Result<PathBuf, CommandError> {
    let folder = work_file::folder(&here::project()?);
    let here = std::env::current_dir()?;
    Ok(folder.strip_prefix(&here).map_or(folder.clone(), Path::to_owned))
}
