//! The registry for the hook: what a name stands for, without reading a thousand files.
//!
//! The last look is kept in a file. Folders and settings that decide which skills there are are checked at every use, and
//! of the skills only those that are asked for; all of them only for a name that is not known. A change leads to a new
//! look, which reads only what changed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_core::skill::Known;
use engine_store::atomic::{self, Durability};
use engine_store::project::Project;
use serde::{Deserialize, Serialize};

use super::scan::{Content, Scan, Stamp};
use super::{BUILT_IN_SKILLS, Origin, Place, is_built_in, look};

/// Raised when what is kept of a file changes.
const VERSION: u32 = 2;

/// A file system may give two changes within this time the same stamp.
const COARSE: i64 = 100_000_000;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    watched: Vec<(PathBuf, Option<Stamp>)>,
    files: Vec<KeptFile>,
    /// Every name that calls a skill → its place in `files`.
    names: BTreeMap<String, usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptFile {
    /// The name that always calls it.
    name: String,
    path: PathBuf,
    stamp: Stamp,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    /// Nothing for the many that are ordinary: not cooperative, and callable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<Known>,
}

impl KeptFile {
    /// What its text says.
    fn declared(&self) -> Known {
        self.known.clone().unwrap_or_else(ordinary)
    }

    /// What counts here.
    fn known(&self) -> Known {
        let declared = self.declared();
        Known { name: self.name.clone(), callable: declared.callable && !self.hidden, ..declared }
    }
}

fn ordinary() -> Known {
    Known { callable: true, ..Known::default() }
}

pub(super) struct Registry {
    place: Place,
    /// Where it is kept, if anywhere.
    file: Option<PathBuf>,
    kept: RefCell<Kept>,
    /// Everything was compared with the disk, or read from it.
    verified: RefCell<bool>,
}

impl Registry {
    /// `folder`: where to keep it.
    pub(super) fn open(place: Place, folder: Option<PathBuf>) -> Self {
        let file = folder.map(|folder| {
            // Worktrees and differently started clients share the folder.
            let mut hasher = DefaultHasher::new();
            (&place.folder, &place.home, &place.plugin_folders).hash(&mut hasher);
            folder.join(format!("{:016x}.json", hasher.finish()))
        });
        let kept = file
            .as_deref()
            .and_then(|file| fs::read(file).ok())
            .and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok())
            .filter(|kept| kept.version == VERSION);
        let registry = Self {
            place,
            file,
            kept: RefCell::new(Kept {
                version: VERSION,
                watched: Vec::new(),
                files: Vec::new(),
                names: BTreeMap::new(),
            }),
            verified: RefCell::new(false),
        };
        match kept {
            Some(kept) => {
                let fresh = kept.watched.iter().all(|(path, stamp)| Stamp::at(path) == *stamp);
                registry.kept.replace(kept);
                if !fresh {
                    registry.renew();
                }
            }
            None => registry.renew(),
        }
        registry
    }

    pub(super) fn find(&self, name: &str) -> Option<Known> {
        let known = self.known(name);
        // Found and unchanged, or looked everywhere.
        if *self.verified.borrow() || (known.is_some() && self.is_unchanged(name)) {
            return known;
        }
        let is_stale = self.kept.borrow().files.iter().any(|file| Stamp::at(&file.path) != Some(file.stamp));
        if is_stale {
            self.renew();
        }
        self.verified.replace(true);
        self.known(name)
    }

    fn known(&self, name: &str) -> Option<Known> {
        let kept = self.kept.borrow();
        let file = kept.names.get(name).and_then(|index| kept.files.get(*index));
        file.map(KeptFile::known).or_else(|| {
            BUILT_IN_SKILLS.contains(&name).then(|| Known { name: name.to_owned(), ..ordinary() })
        })
    }

    fn is_unchanged(&self, name: &str) -> bool {
        let kept = self.kept.borrow();
        let file = kept.names.get(name).and_then(|index| kept.files.get(*index));
        file.is_none_or(|file| Stamp::at(&file.path) == Some(file.stamp))
    }

    /// Looks anew, and keeps what was found.
    fn renew(&self) {
        let kept = {
            let old = self.kept.borrow();
            let earlier: HashMap<&Path, (Stamp, Content)> = old
                .files
                .iter()
                .map(|file| {
                    let content = Content::Known { alias: file.alias.clone(), known: file.declared() };
                    (file.path.as_path(), (file.stamp, content))
                })
                .collect();
            kept_of(look(&self.place, Scan { earlier, ..Scan::default() }))
        };
        self.verified.replace(true);
        if let Some(file) = self.file.as_deref().filter(|_| is_settled(&kept)) {
            keep(file, &kept);
        }
        self.kept.replace(kept);
    }
}

fn kept_of(scan: Scan<'_>) -> Kept {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let is_plugin = |origin: &Origin| matches!(origin, Origin::Plugin(_));
    for (index, file) in scan.files.iter().enumerate() {
        names.entry(file.called()).or_insert(index);
    }
    // Names that a file declares come behind the names of folders, and those of plugins behind the client's own.
    for (index, file) in scan.files.iter().enumerate() {
        if let Some(alias) = file.alias()
            && !(is_plugin(&file.origin) && is_built_in(alias))
        {
            names.entry(alias.to_owned()).or_insert(index);
        }
    }
    let files = scan.files.into_iter().map(|file| {
        let known = file.content.known();
        KeptFile {
            name: file.called(),
            hidden: file.hidden,
            alias: file.content.alias().map(str::to_owned),
            path: file.path,
            stamp: file.stamp,
            known: (known != ordinary()).then_some(known),
        }
    });
    Kept { version: VERSION, files: files.collect(), watched: scan.watched, names }
}

/// Whether nothing changed so recently that a further change could go unseen.
fn is_settled(kept: &Kept) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let stamps =
        kept.watched.iter().filter_map(|(_, stamp)| *stamp).chain(kept.files.iter().map(|file| file.stamp));
    stamps.into_iter().all(|stamp| stamp.changed() < now - COARSE)
}

/// Failing to keep it costs time, nothing else.
fn keep(file: &Path, kept: &Kept) {
    let Ok(bytes) = serde_json::to_vec(kept) else { return };
    let folder = file.parent().unwrap_or(Path::new("."));
    if !folder.is_dir() && Project::make_local(folder).is_err() {
        return;
    }
    let _ = atomic::replace(file, &bytes, Durability::Process);
}
