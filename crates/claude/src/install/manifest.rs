//! The manifest of what was written, and what a file would be without it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_store::atomic::{self, Durability};
use engine_store::places;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_text::BYTE_ORDER_MARK;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::json_edit::EditError;
use crate::settings::{self, Kept};

/// What was written, so that it can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    pub(super) version: u32,
    pub(super) files: BTreeMap<PathBuf, Touched>,
    /// Folders that we made, outermost first.
    pub(super) folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touched {
    /// The text that the file would have without us; nothing if there would be none.
    pub(super) before: Option<String>,
    pub(super) after: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) kept: Kept,
    /// Entries that we added to `permissions.allow`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) permissions: Vec<String>,
    /// The line that we added to a file of the person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<String>,
}

const MANIFEST: &str = "install.json";

impl Manifest {
    pub(super) fn load(path: Option<PathBuf>) -> Self {
        let text = path.and_then(|path| read_string(&path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    pub(super) fn save(&mut self, path: &Path) -> io::Result<()> {
        if self.files.is_empty() {
            return if path.exists() { fs::remove_file(path) } else { Ok(()) };
        }
        self.version = 1;
        atomic::replace(path, &serde_json::to_vec(self)?, Durability::Process)
    }
}

/// Of this very checkout: worktrees share the other state, but not their files.
pub(super) fn project_manifest(project: &Project) -> PathBuf {
    project.own_state_folder().join(MANIFEST)
}

pub(super) fn user_manifest() -> Option<PathBuf> {
    Some(places::user_state()?.join(MANIFEST))
}

/// A settings text as it would be without us; nothing if the file came with us.
pub(super) fn without_us(text: &str, touched: Option<&Touched>) -> Result<Option<String>, EditError> {
    if let Some(touched) = touched.filter(|touched| touched.after == text) {
        return Ok(touched.before.clone());
    }
    let (mark, text) = without_mark(text);
    if text.trim().is_empty() || (touched.is_none() && !settings::has_ours(text)?) {
        return Ok(Some(format!("{mark}{text}")));
    }
    let nothing = Touched::default();
    let touched = touched.unwrap_or(&nothing);
    let after =
        settings::disallow(&settings::unwire(text, &touched.kept)?, &touched.permissions, &touched.kept)?;
    let ours_alone = !touched.after.is_empty() && touched.before.is_none() && after.trim() == "{}";
    Ok((!ours_alone).then_some(format!("{mark}{after}")))
}

/// A byte order mark, if there is one, and the text behind it.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len())
}
