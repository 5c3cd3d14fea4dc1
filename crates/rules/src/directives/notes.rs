//! Notes whose scope has a file that the agent works on: a line of data each, once per context like a directive.

use super::View;
use engine_core::directive::touch::Touch;
use engine_core::note::Scoped;
use engine_core::view::below_root;

/// All that may be told here, read once for an event that touches something, or for which something waits.
pub(super) fn all(view: &(impl View + ?Sized)) -> Vec<Scoped> {
    let mut notes = view.scoped_notes();
    if !notes.is_empty() && !view.is_trusted() {
        notes.retain(|note| note.mine);
    }
    notes
}

/// Those that are about what the call touched.
pub(super) fn of_call<'n>(
    notes: &'n [Scoped],
    touched: &[Touch],
    view: &(impl View + ?Sized),
) -> Vec<&'n Scoped> {
    if notes.is_empty() {
        return Vec::new();
    }
    let below: Vec<String> = touched
        .iter()
        .filter_map(|touch| below_root(&touch.path, view))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    notes.iter().filter(|note| below.iter().any(|path| note.is_about(path))).collect()
}
