//! The files of agents: `agents/**/*.md` of the project, the person and plugins.

use std::path::{Path, PathBuf};

use engine_core::skill::Found;

use super::{Place, loaded, scan, up_to_repository};
use crate::DIALECT;
use crate::documents::markdown;

/// What runs if none is named.
const ORDINARY: &str = "general-purpose";

/// The files that a name may stand for: by their own name, or by the one that they declare. A plugin's stands behind the plugin's.
pub(super) fn find(root: &Path, name: &str) -> Found {
    let name = if name.is_empty() { ORDINARY } else { name };
    let short = name.rsplit(':').next().unwrap_or(name);
    let mut all = Found::default();
    for folder in folders(root, name) {
        let Found { files, is_cut } = markdown(&folder);
        all.files.extend(files);
        all.is_cut |= is_cut;
    }
    all.files.retain(|file| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let is_it = |known: &str| known == name || known == short;
        is_it(&stem) || scan::read(file).name.as_deref().is_some_and(is_it)
    });
    all
}

fn folders(root: &Path, name: &str) -> Vec<PathBuf> {
    let place = Place::of(root);
    let above = up_to_repository(&place.folder).into_iter().map(|folder| folder.join(".claude"));
    let mut owners: Vec<PathBuf> = place.home.iter().cloned().chain(above).collect();
    if name.contains(':') {
        owners.extend(loaded(root).plugins);
    }
    owners.sort();
    owners.dedup();
    owners.into_iter().map(|owner| owner.join(DIALECT.agents)).collect()
}
