//! Notes as search has them: the text without the front matter, its kind as the type, and none that another one replaces.

use std::path::PathBuf;

use engine_core::note::{Entry, Note, is_slug};
use engine_core::queue::body;
use engine_core::search::Kind;
use engine_core::trust::untold_line;
use engine_search::{Chunk, Hit, markdown};
use engine_store::note_file;
use engine_text::stamp::Stamp;

use super::corpus::Corpus;
use super::cut::{Uncut, below};
use crate::{here, trust};

/// The chunks of a note. A file that is none is not found: no other command tells it either.
pub(super) fn chunks(file: &Uncut<'_>) -> Vec<Chunk> {
    // A name that is no slug would stand in every line that shows it.
    let name = file.key.rsplit('/').next().unwrap_or(file.key);
    if !is_slug(name.rsplit_once('.').map_or(name, |(slug, _)| slug)) {
        return Vec::new();
    }
    let Ok(note) = Note::read(file.text) else { return Vec::new() };
    let body = body(file.text);
    let above = &file.text[..file.text.len() - body.len()];
    let mut chunks = below(markdown::cut(body, file.head()), above.matches('\n').count());
    for chunk in &mut chunks {
        chunk.facts.what = Some(note.kind.as_str().to_owned());
        chunk.facts.at = Stamp::parse(&note.created).map(Stamp::rfc3339);
    }
    chunks
}

/// What is not told to a model before the project is trusted.
const UNTOLD: [Kind; 3] = [Kind::Notes, Kind::Learnings, Kind::Queue];

const MEMORY: &str = "the memory";

/// Why an agent is not shown what is written down in a project that is not trusted.
pub fn untold(corpus: &Corpus) -> Option<String> {
    let told = trust::may_tell(MEMORY, &corpus.project, &here::caller());
    told.is_err().then(|| untold_line(MEMORY))
}

/// The hits without notes that are not told (damaged ones, and those that another one replaces), and without what the caller is not told.
pub(super) fn live(corpus: &Corpus, mut hits: Vec<Hit>) -> Vec<Hit> {
    let is_note = |hit: &Hit| hit.kind == Kind::Notes.as_str();
    let may_be_untold = |hit: &Hit| {
        let is_of_project = corpus.file(&hit.path).starts_with(corpus.project.root());
        is_of_project && UNTOLD.iter().any(|kind| hit.kind == kind.as_str())
    };
    if hits.iter().any(may_be_untold) && untold(corpus).is_some() {
        hits.retain(|hit| !may_be_untold(hit));
    }
    if !hits.iter().any(is_note) {
        return hits;
    }
    let Ok(notes) = note_file::load(&corpus.project) else { return hits };
    let live: Vec<_> = notes.live().map(|(entry, _)| path(corpus, entry)).collect();
    hits.retain(|hit| !is_note(hit) || live.contains(&corpus.file(&hit.path)));
    hits
}

/// Files that should be notes and are none, and why.
pub(super) fn damaged(corpus: &Corpus) -> Vec<(PathBuf, String)> {
    let notes = note_file::load(&corpus.project).unwrap_or_default();
    let why = |entry: &Entry| Some((path(corpus, entry), entry.note.as_ref().err()?.clone()));
    notes.entries().iter().filter_map(why).collect()
}

fn path(corpus: &Corpus, entry: &Entry) -> PathBuf {
    note_file::path(&corpus.project, entry.place, &entry.slug)
}
