//! Notes as search has them: the text without the front matter, its kind as the type, and none that another one replaces.

use engine_core::note::{Kind as NoteKind, Note, is_slug};
use engine_core::queue::body;
use engine_core::search::Kind;
use engine_core::trust::untold_line;
use engine_search::{Chunk, Hit, markdown};
use engine_store::note_file;
use engine_text::stamp::Stamp;

use super::corpus::Corpus;
use super::cut::Uncut;
use crate::{here, trust};

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

/// What is not told to a model before the project is trusted.
const UNTOLD: [Kind; 3] = [Kind::Notes, Kind::Learnings, Kind::Queue];

const MEMORY: &str = "the memory";

/// Why an agent is not shown what is written down in a project that is not trusted.
pub fn untold(corpus: &Corpus) -> Option<String> {
    let told = trust::may_tell(MEMORY, &corpus.project, &here::caller());
    told.is_err().then(|| untold_line(MEMORY))
}

/// The hits without notes that another one replaces, and without what the caller is not told.
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
    let replaced = notes.notes().map(|(entry, _)| entry).filter(|entry| notes.successor(entry).is_some());
    let path = |entry: &engine_core::note::Entry| note_file::path(&corpus.project, entry.place, &entry.slug);
    let replaced: Vec<_> = replaced.map(path).collect();
    hits.retain(|hit| !is_note(hit) || !replaced.contains(&corpus.file(&hit.path)));
    hits
}
