//! The notes that have a scope, from their cache.

use engine_core::note::Scoped;
use engine_core::view::Notes;

use super::LiveView;
use crate::note_cache;

impl Notes for LiveView<'_> {
    fn scoped_notes(&self) -> Vec<Scoped> {
        note_cache::load(self.project)
    }
}
