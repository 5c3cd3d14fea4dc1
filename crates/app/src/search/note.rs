//! Notes as search has them: the text without the front matter, its kind as the type, and none that another one replaces.

use std::path::PathBuf;

use engine_core::note::{Entry, Note};
use engine_core::queue::body;
use engine_core::search::Kind;
use engine_search::{Chunk, Hit, markdown};
use engine_store::note_file;
use engine_text::stamp::Stamp;

use super::corpus::Corpus;
use super::cut::{Uncut, below};

/// The chunks of a note. A file that is none is not found: no other command tells it either.
pub(super) fn chunks(file: &Uncut<'_>) -> Vec<Chunk> {
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

/// The hits without notes that are not told: damaged ones, and those that another one replaces.
pub(super) fn live(corpus: &Corpus, mut hits: Vec<Hit>) -> Vec<Hit> {
    let is_note = |hit: &Hit| hit.kind == Kind::Notes.as_str();
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
