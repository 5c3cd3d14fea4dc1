//! Skills that the client knows once it has worked in a folder: those of any `.claude` below the project, and of folders that were added
//! to it.
//!
//! Which of them it knows is not known here, so all are looked for, and only for a name that is nowhere else. The look is bounded by the
//! entries that it meets; folders of generated and foreign files come last.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use engine_core::skill::Found;
use engine_text::field;
use fs_err as fs;

use super::scan::{Scan, SkillFile};
use super::{Origin, Place, Settings, plugins};

/// How many entries of folders are looked at.
const MOST: usize = 20_000;

/// Folders that hold much, and seldom what a person wrote.
const LAST: [&str; 5] = [".claude", ".git", "node_modules", "target", "vendor"];

pub(super) struct Below {
    files: Vec<SkillFile>,
    is_cut: bool,
}

impl Below {
    pub(super) fn look(place: &Place, root: &Path) -> Self {
        let mut scan = Scan::default();
        let mut walk = Walk::default();
        walk.first.extend([root.to_owned(), place.folder.clone()]);
        walk.last.extend(added(place, &mut scan));
        for folder in walk.client_folders() {
            scan.skills(&folder.join("skills"), &Origin::Project);
            scan.commands(&folder.join("commands"), &Origin::Project);
        }
        Self { files: scan.files, is_cut: walk.is_cut }
    }

    /// By its own name, by the one that it declares, and behind the name of a folder.
    pub(super) fn find(&self, name: &str) -> Found {
        let short = name.rsplit(':').next().unwrap_or(name);
        let is_it = |file: &&SkillFile| {
            let names = [Some(file.name.as_str()), file.name.rsplit(':').next(), file.alias()];
            names.into_iter().flatten().any(|known| known == name || known == short)
        };
        let files = self.files.iter().filter(is_it).map(|file| file.path.clone()).collect();
        Found { files, is_cut: self.is_cut }
    }
}

/// Folders that were added to the project at the start, or by the settings. What was added later, nobody tells.
fn added(place: &Place, scan: &mut Scan<'_>) -> Vec<PathBuf> {
    let mut folders = plugins::added();
    for text in Settings::read(place, scan).0 {
        let permissions = field::raw(&text, "permissions").map_or("", |raw| raw.get());
        let listed = field::raw(permissions, "additionalDirectories");
        folders.extend(
            listed.and_then(|raw| serde_json::from_str::<Vec<String>>(raw.get()).ok()).unwrap_or_default(),
        );
    }
    let home = engine_store::places::home().unwrap_or_default();
    let whole = |folder: String| match folder.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => place.folder.join(folder),
    };
    folders.into_iter().map(whole).collect()
}

#[derive(Default)]
struct Walk {
    first: VecDeque<PathBuf>,
    last: VecDeque<PathBuf>,
    /// Folders that were come to otherwise than from above.
    seen: HashSet<PathBuf>,
    is_cut: bool,
}

impl Walk {
    fn client_folders(&mut self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut left = MOST;
        let begun = self.first.iter().chain(&self.last).filter_map(|folder| folder.canonicalize().ok());
        self.seen.extend(begun);
        if let [root, started] = self.first.make_contiguous()
            && started.starts_with(root)
        {
            self.first.pop_back();
        }
        loop {
            let is_first = !self.first.is_empty();
            let Some(folder) = self.first.pop_front().or_else(|| self.last.pop_front()) else { break };
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if left == 0 {
                    // What is left out of the other folders is not worth a question.
                    self.is_cut = is_first;
                    return found;
                }
                left -= 1;
                let Ok(kind) = entry.file_type() else { continue };
                let (path, name) = (entry.path(), entry.file_name());
                let is_last = LAST.iter().any(|last| name == *last);
                if kind.is_symlink() {
                    // A link may lead in a circle.
                    let Ok(real) = path.canonicalize() else { continue };
                    if !real.is_dir() || (!self.seen.insert(real) && name != ".claude") {
                        continue;
                    }
                } else if !kind.is_dir() {
                    continue;
                }
                if name == ".claude" {
                    found.push(path.clone());
                }
                if is_first && !is_last && !kind.is_symlink() {
                    self.first.push_back(path);
                } else {
                    self.last.push_back(path);
                }
            }
        }
        found
    }
}
