//! Where tags stand, and how often.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_core::tag;
use engine_store::reason::reason;
use engine_store::walk::{self, Walked};
use engine_store::work_file;

use crate::error::CommandError;
use crate::here;

/// A tag in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub tag: String,
    pub line: usize,
    /// Whether it is in the Tags line.
    pub of_file: bool,
}

/// Which files were looked at, and what could not be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Looked {
    pub files: usize,
    /// A sentence each.
    pub unread: Vec<String>,
    /// Where no tag is found: files with one that are left out because git ignores them.
    pub ignored: Vec<PathBuf>,
}

/// The places of the tags that fit a pattern.
pub fn find(pattern: &str, paths: &[PathBuf]) -> Result<(Vec<Place>, Looked), CommandError> {
    search(paths, |text| tag::find(pattern, text))
}

/// How often a tag stands, and in how many files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub tag: String,
    pub count: usize,
    pub files: usize,
}

/// All tags, the most frequent first.
pub fn list(paths: &[PathBuf]) -> Result<(Vec<Count>, Looked), CommandError> {
    let (found, looked) = search(paths, tag::bare)?;
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut last: BTreeMap<String, PathBuf> = BTreeMap::new();
    for Place { file, tag, .. } in found {
        let count = counts.entry(tag.clone()).or_default();
        count.0 += 1;
        // Places come file by file.
        if last.insert(tag, file.clone()) != Some(file) {
            count.1 += 1;
        }
    }
    let mut rows: Vec<Count> =
        counts.into_iter().map(|(tag, (count, files))| Count { tag, count, files }).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    Ok((rows, looked))
}

/// What `look` finds in the Markdown files below the paths, or below the project's sessions.
fn search(
    paths: &[PathBuf],
    look: impl Fn(&str) -> Vec<tag::FoundTag<'_>> + Sync,
) -> Result<(Vec<Place>, Looked), CommandError> {
    let walked = walked(paths)?;
    let missing = paths.iter().filter(|path| !path.exists());
    let unread = missing.map(|path| format!("{} is not there", path.display())).chain(
        walked
            .unread
            .iter()
            .map(|(path, error)| format!("{} was not read: {}", path.display(), reason(error))),
    );
    let mut looked = Looked { files: walked.files.len(), unread: unread.collect(), ignored: Vec::new() };
    let found = places(&walked.files, &look, &mut looked);
    if found.is_empty() && walked.left_out {
        let all = walk::files(paths, usize::MAX, is_markdown);
        let ignored = places(&all.files, &look, &mut Looked::default());
        looked.ignored = ignored.into_iter().map(|place| place.file).collect();
        looked.ignored.dedup();
    }
    Ok((found, looked))
}

/// What `look` finds in the files, in their order.
fn places(
    files: &[PathBuf],
    look: &(impl Fn(&str) -> Vec<tag::FoundTag<'_>> + Sync),
    looked: &mut Looked,
) -> Vec<Place> {
    type Bare = (String, usize, bool);
    let look = |text: &str| -> Vec<Bare> {
        look(text).into_iter().map(|found| (found.tag.to_owned(), found.line, found.of_file)).collect()
    };
    let mut all = Vec::new();
    for (file, read) in walk::read_all(files, look) {
        let place = |(tag, line, of_file): Bare| Place { file: file.to_owned(), tag, line, of_file };
        match read {
            Ok(places) => all.extend(places.into_iter().map(place)),
            Err(error) => looked.unread.push(format!("{} was not read: {}", file.display(), reason(&error))),
        }
    }
    all
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"))
}

/// The Markdown files below the paths, or below the project's sessions.
fn walked(paths: &[PathBuf]) -> Result<Walked, CommandError> {
    Ok(if paths.is_empty() {
        walk::files(&[sessions()?], usize::MAX, is_markdown)
    } else {
        walk::files_unignored(paths, here::sessions().as_deref(), usize::MAX, is_markdown)
    })
}

/// `sessions/` of the project, from here if it is below.
fn sessions() -> Result<PathBuf, CommandError> {
    let folder = work_file::folder(&here::project()?);
    let here = here::folder()?;
    Ok(folder.strip_prefix(&here).map_or(folder.clone(), Path::to_owned))
}

#[cfg(test)]
mod tests;
