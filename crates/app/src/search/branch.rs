//! Documentation on other branches, read from git without checking it out.

use engine_core::search::Kind;
use engine_search::{Document, Index, Seen};
use engine_store::git::tree::{self, Blob};

use super::corpus::{Corpus, has_secret};
use super::cut::{Uncut, chunks};
use super::failed;
use super::progress::Progress;
use super::refresh::{UNREAD, sum};
use crate::error::CommandError;

/// How many contents git is asked for at once.
const BATCH: usize = 200;
/// As large as a file in the working tree may be.
const LARGEST: usize = 4 << 20;

/// The branches that are asked for, of those that are there.
pub(super) fn named(corpus: &Corpus, wanted: &[String]) -> Result<Vec<String>, CommandError> {
    let there = all(corpus)?;
    match wanted.iter().find(|branch| !there.contains(branch)) {
        None => Ok(wanted.to_vec()),
        Some(branch) => {
            let choices = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
            Err(CommandError::usage(format!("there is no local branch {branch}; there are: {choices}")))
        }
    }
}

pub(super) fn all(corpus: &Corpus) -> Result<Vec<String>, CommandError> {
    let unread = |why| CommandError::refused(format!("branches cannot be read: {why}"));
    tree::branches(corpus.project.tree()).map_err(unread)
}

/// Brings a branch up to date: only what the index does not have in this version is read.
pub(super) fn refresh(
    corpus: &Corpus,
    index: &mut Index,
    branch: &str,
    progress: &mut dyn Progress,
) -> Result<bool, CommandError> {
    let folder = corpus.project.tree();
    let known = index.known(branch).map_err(failed)?;
    let blobs = tree::blobs(folder, branch).map_err(CommandError::refused)?;
    let docs: Vec<(Kind, &Blob)> = blobs
        .iter()
        .filter(|blob| !has_secret(&blob.path))
        .filter_map(|blob| Some((corpus.doc(&blob.path)?, blob)))
        .collect();
    let is_known =
        |(_, blob): &&(Kind, &Blob)| known.get(&blob.path).is_some_and(|known| known.seen == seen(blob));
    let new: Vec<&(Kind, &Blob)> = docs.iter().filter(|doc| !is_known(doc)).collect();
    let gone = known.keys().filter(|key| !docs.iter().any(|(_, blob)| blob.path == **key));
    let gone: Vec<&String> = gone.collect();
    if new.is_empty() && gone.is_empty() {
        return Ok(true);
    }
    let total = new.len();
    let mut done = 0;
    for part in new.chunks(BATCH) {
        progress.at(done, total);
        let ids: Vec<&str> = part.iter().map(|(_, blob)| blob.id.as_str()).collect();
        let contents = tree::contents(folder, &ids).map_err(CommandError::refused)?;
        let Some(mut writer) = index.writer().map_err(failed)? else { return Ok(false) };
        for ((kind, blob), content) in part.iter().copied().zip(contents) {
            let text = content
                .filter(|bytes| bytes.len() <= LARGEST)
                .and_then(|bytes| String::from_utf8(bytes).ok());
            let sum = text.as_ref().map_or(UNREAD, |text| sum(*kind, text.as_bytes()));
            let document =
                Document { space: branch, kind: kind.as_str(), path: &blob.path, seen: seen(blob), sum };
            let file = |text: &String| chunks(&Uncut { kind: *kind, key: &blob.path, text, changed: None });
            writer.put(&document, &text.as_ref().map(file).unwrap_or_default()).map_err(failed)?;
            done += 1;
            progress.at(done, total);
        }
        writer.commit().map_err(failed)?;
    }
    let Some(mut writer) = index.writer().map_err(failed)? else { return Ok(false) };
    for key in gone {
        writer.remove(branch, key).map_err(failed)?;
    }
    writer.commit().map_err(failed)?;
    Ok(true)
}

/// A blob has no size and time that are cheap to ask for. Its id is as good: the first digits stand for both.
fn seen(blob: &Blob) -> Seen {
    let digits =
        |from: usize| blob.id.get(from..from + 15).and_then(|part| u64::from_str_radix(part, 16).ok());
    let modified = digits(15).and_then(|number| i64::try_from(number).ok());
    Seen { size: digits(0).unwrap_or_default(), modified: modified.unwrap_or_default() }
}
