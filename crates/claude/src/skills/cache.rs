//! The registry for the hook: what a name stands for, without reading a thousand files.
//!
//! The last look is kept in a file. Folders and settings that decide which skills there are are checked at every use, and
//! of the skills only those that are asked for; all of them only for a name that is not known. A change leads to a new
//! look, which reads only what changed.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_core::skill::Known;
use engine_store::atomic::{self, Durability};
use engine_store::project::Project;
use engine_store::read::read_string;
use serde::{Deserialize, Serialize};

use super::scan::{Content, Scan, Stamp};
use super::{BUILT_IN_SKILLS, Located, Origin, Place, is_built_in, look};

/// Raised when what is kept of a file changes.
const VERSION: u32 = 4;

/// A file system may give two changes within this time the same stamp.
const COARSE: i64 = 100_000_000;

/// The first line of the file. Behind it stands one line for each skill: the names that call it, a tab, and [`KeptFile`] as
/// JSON. Of a thousand lines a prompt needs three, so only these are parsed.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    watched: Vec<(PathBuf, Option<Stamp>)>,
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

    fn is_unchanged(&self) -> bool {
        Stamp::at(&self.path) == Some(self.stamp)
    }
}

fn ordinary() -> Known {
    Known { callable: true, ..Known::default() }
}

pub(super) struct Registry {
    place: Place,
    /// Where it is kept, if anywhere.
    file: Option<PathBuf>,
    /// The lines of the skills.
    lines: RefCell<String>,
    /// Everything was compared with the disk, or read from it.
    verified: Cell<bool>,
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
        let kept = file.as_deref().and_then(|file| read_string(file).ok());
        let registry = Self { place, file, lines: RefCell::default(), verified: Cell::new(false) };
        let fresh = kept.as_deref().and_then(|text| text.split_once('\n')).is_some_and(|(header, lines)| {
            let Ok(header) = serde_json::from_str::<Header>(header) else { return false };
            if header.version != VERSION || !lines.is_empty() && !lines.ends_with('\n') {
                return false;
            }
            lines.clone_into(&mut registry.lines.borrow_mut());
            header.watched.iter().all(|(path, stamp)| Stamp::at(path) == *stamp)
        });
        if !fresh {
            registry.renew();
        }
        registry
    }

    pub(super) fn find(&self, name: &str) -> Option<Known> {
        let built_in =
            || BUILT_IN_SKILLS.contains(&name).then(|| Known { name: name.to_owned(), ..ordinary() });
        self.current(name).map(|file| file.known()).or_else(built_in)
    }

    pub(super) fn locate(&self, name: &str) -> Option<Located> {
        let built_in = || BUILT_IN_SKILLS.contains(&name).then_some(Located::BuiltIn);
        self.current(name).map(|file| Located::File(file.path)).or_else(built_in)
    }

    /// The skill that a name calls, as it is on the disk.
    fn current(&self, name: &str) -> Option<KeptFile> {
        if let Some(file) = self.file_of(name)
            && (self.verified.get() || file.is_unchanged())
        {
            return Some(file);
        }
        if !self.verified.get() {
            let is_stale = self.files().iter().any(|file| !file.is_unchanged());
            if is_stale {
                self.renew();
            }
            self.verified.set(true);
        }
        self.file_of(name)
    }

    /// The skill that a name calls, as it was kept.
    fn file_of(&self, name: &str) -> Option<KeptFile> {
        let lines = self.lines.borrow();
        let line = lines.lines().filter_map(|line| line.split_once('\t'));
        let (_, json) = line.into_iter().find(|(names, _)| names.split(' ').any(|known| known == name))?;
        serde_json::from_str(json).ok()
    }

    fn files(&self) -> Vec<KeptFile> {
        let lines = self.lines.borrow();
        lines.lines().filter_map(|line| serde_json::from_str(line.split_once('\t')?.1).ok()).collect()
    }

    /// Looks anew, and keeps what was found.
    fn renew(&self) {
        let old = self.files();
        let earlier: HashMap<&Path, (Stamp, Content)> = old
            .iter()
            .map(|file| {
                let content = Content::Known { alias: file.alias.clone(), known: file.declared() };
                (file.path.as_path(), (file.stamp, content))
            })
            .collect();
        let scan = look(&self.place, Scan { earlier, ..Scan::default() });
        let settled = is_settled(&scan);
        let (header, lines) = kept_of(scan);
        self.verified.set(true);
        if let Some(file) = self.file.as_deref().filter(|_| settled) {
            keep(file, &header, &lines);
        }
        self.lines.replace(lines);
    }
}

fn kept_of(scan: Scan<'_>) -> (Header, String) {
    let mut owner: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<Vec<String>> = vec![Vec::new(); scan.files.len()];
    let mut give = |name: String, index: usize| {
        // Names with blanks cannot be typed; they would break the line.
        if !name.contains(char::is_whitespace) && !owner.contains_key(&name) {
            owner.insert(name.clone(), index);
            names[index].push(name);
        }
    };
    for (index, file) in scan.files.iter().enumerate() {
        give(file.called(), index);
    }
    // Names that a file declares come behind the names of folders, and those of plugins behind the client's own.
    for (index, file) in scan.files.iter().enumerate() {
        let is_plugin = matches!(file.origin, Origin::Plugin(_));
        if let Some(alias) = file.alias().filter(|alias| !(is_plugin && is_built_in(alias))) {
            give(alias.to_owned(), index);
        }
    }
    let mut lines = String::new();
    for (file, names) in scan.files.into_iter().zip(names) {
        let known = file.content.known();
        let kept = KeptFile {
            name: file.called(),
            hidden: file.hidden,
            alias: file.content.alias().map(str::to_owned),
            path: file.path,
            stamp: file.stamp,
            known: (known != ordinary()).then_some(known),
        };
        if let Ok(json) = serde_json::to_string(&kept) {
            lines.push_str(&format!("{}\t{json}\n", names.join(" ")));
        }
    }
    (Header { version: VERSION, watched: scan.watched }, lines)
}

/// Whether nothing changed so recently that a further change could go unseen.
fn is_settled(scan: &Scan<'_>) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let stamps =
        scan.watched.iter().filter_map(|(_, stamp)| *stamp).chain(scan.files.iter().map(|file| file.stamp));
    stamps.into_iter().all(|stamp| stamp.changed() < now - COARSE)
}

/// Failing to keep it costs time, nothing else.
fn keep(file: &Path, header: &Header, lines: &str) {
    let Ok(header) = serde_json::to_string(header) else { return };
    let folder = file.parent().unwrap_or(Path::new("."));
    if !folder.is_dir() && Project::make_local(folder).is_err() {
        return;
    }
    let _ = atomic::replace(file, format!("{header}\n{lines}").as_bytes(), Durability::Process);
}
