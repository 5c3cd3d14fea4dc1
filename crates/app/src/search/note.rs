//! Notes as search has them: the text without the front matter, its kind as the type, and none that another one replaces.

use engine_core::note::{Kind as NoteKind, Note, is_slug};
use engine_core::queue::body;
use engine_core::search::Kind;
use engine_search::{Chunk, Hit, markdown};
use engine_store::note_file;
use engine_text::stamp::Stamp;

use super::corpus::Corpus;
use super::cut::Uncut;

/// The chunks of a note. A file that is none is found by its words all the same, unless its name is no slug.
pub(super) fn chunks(file: &Uncut<'_>) -> Vec<Chunk> {
    // Its name would stand in every line that shows it.
    let name = file.key.rsplit('/').next().unwrap_or(file.key);
    if !is_slug(name.rsplit_once('.').map_or(name, |(slug, _)| slug)) {
        return Vec::new();
    }
    let note = Note::read(file.text).ok();
    let body = body(file.text);
    let above = &file.text[..file.text.len() - body.len()];
    let before = u32::try_from(above.matches('\n').count()).unwrap_or(u32::MAX);
    let mut chunks = markdown::cut(body, file.head());
    for chunk in &mut chunks {
        chunk.line = chunk.line.saturating_add(before);
        chunk.end_line = chunk.end_line.saturating_add(before);
        chunk.facts.what = note.as_ref().map(|note| NoteKind::as_str(note.kind).to_owned());
        chunk.facts.at = note.as_ref().and_then(|note| Stamp::parse(&note.created)).map(Stamp::rfc3339);
    }
    chunks
}

/// The hits without notes that another one replaces.
pub(super) fn live(corpus: &Corpus, mut hits: Vec<Hit>) -> Vec<Hit> {
    let is_note = |hit: &Hit| hit.kind == Kind::Notes.as_str();
    if !hits.iter().any(is_note) {
        return hits;
    }
    let Ok(notes) = note_file::load(&corpus.project) else { return hits };
    let replaced = notes.notes().map(|(entry, _)| entry).filter(|entry| notes.successor(entry).is_some());
    let path = |entry: &engine_core::note::Entry| note_file::path(&corpus.project, entry.place, &entry.slug);
    let replaced: Vec<_> = replaced.map(path).collect();
    hits.retain(|hit| !is_note(hit) || !replaced.contains(&corpus.file(&hit.path)));
    hits
}
