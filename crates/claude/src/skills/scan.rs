//! Reading the folders that skills lie in, and remembering what was looked at.
//!
//! Every folder and file that decides what skills there are is written down with its size and time, so that a later look
//! can tell whether anything changed without reading it again.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_core::skill::{Declared, Known};
use engine_store::read::{open, read_string};
use engine_store::reason::reason;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::Origin;

/// Size, time of change of the content, and of the entry: replacing a file by one of the same size and time changes the
/// last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp(u64, i64, i64);

impl Stamp {
    fn of(data: &Metadata) -> Self {
        let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        // The size of a folder says nothing, and differs between file systems.
        let size = if data.is_dir() { 0 } else { data.len() };
        Self(size, nanos(data.mtime(), data.mtime_nsec()), nanos(data.ctime(), data.ctime_nsec()))
    }

    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|data| Self::of(&data))
    }

    /// When the entry itself last changed. That is the system's time; a content may claim any.
    pub(super) fn changed(self) -> i64 {
        self.2
    }
}

/// A file that is a skill.
#[derive(Debug)]
pub(super) struct SkillFile {
    pub(super) origin: Origin,
    /// The folder's name, or the file's for a command.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// A command, as they were before skills: it has no other name.
    pub(super) is_command: bool,
    /// The settings take it away from the model.
    pub(super) hidden: bool,
    pub(super) content: Content,
}

/// What a file holds: read now, or known from an earlier look at the same bytes.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Read(Box<Declared>),
    Known { alias: Option<String>, known: Known },
}

impl Content {
    pub(super) fn known(&self) -> Known {
        match self {
            Self::Read(declared) => Known::of(declared),
            Self::Known { known, .. } => known.clone(),
        }
    }

    pub(super) fn alias(&self) -> Option<&str> {
        match self {
            Self::Read(declared) => declared.name.as_deref(),
            Self::Known { alias, .. } => alias.as_deref(),
        }
    }
}

/// What a look found.
#[derive(Default)]
pub(super) struct Scan<'c> {
    pub(super) files: Vec<SkillFile>,
    /// The folders of plugins.
    pub(super) plugins: Vec<PathBuf>,
    /// What decides which files there are, and how it stood; nothing where there was nothing.
    pub(super) watched: Vec<(PathBuf, Option<Stamp>)>,
    /// What earlier looks found in files that have not changed since.
    pub(super) earlier: HashMap<&'c Path, (Stamp, Content)>,
}

impl Scan<'_> {
    /// Writes down how a path stands.
    pub(super) fn watch(&mut self, path: &Path) -> Option<Stamp> {
        let stamp = Stamp::at(path);
        self.watched.push((path.to_owned(), stamp));
        stamp
    }

    /// The text of a small file that decides something.
    pub(super) fn text(&mut self, path: &Path) -> Option<String> {
        self.watch(path)?;
        read_string(path).ok()
    }

    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        if self.watch(folder).is_none() {
            return Vec::new();
        }
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries
    }

    /// `folder/*/SKILL.md`.
    pub(super) fn skills(&mut self, folder: &Path, origin: &Origin) {
        for entry in self.entries(folder) {
            let name = name_of(&entry);
            let path = entry.join("SKILL.md");
            match Stamp::at(&path) {
                Some(stamp) => self.file(origin, name, path, stamp, false),
                // It may come, also behind a link to nowhere; a plain file beside the folders cannot hold one.
                None if entry.is_dir() || entry.is_symlink() => self.watched.push((path, None)),
                None => {}
            }
        }
    }

    /// `folder/**/*.md`: commands, as they were before skills.
    pub(super) fn commands(&mut self, folder: &Path, origin: &Origin) {
        self.commands_below(folder, "", origin, 0);
    }

    fn commands_below(&mut self, folder: &Path, prefix: &str, origin: &Origin, depth: usize) {
        for entry in self.entries(folder) {
            if entry.is_dir() {
                let skill = entry.join("SKILL.md");
                if let Some(stamp) = Stamp::at(&skill) {
                    self.file(origin, format!("{prefix}{}", name_of(&entry)), skill, stamp, true);
                } else if depth < 8 {
                    let prefix = format!("{prefix}{}:", name_of(&entry));
                    self.commands_below(&entry, &prefix, origin, depth + 1);
                }
            } else if entry.extension().is_some_and(|end| end == "md")
                && let Some(stamp) = Stamp::at(&entry)
            {
                let name = format!("{prefix}{}", entry.file_stem().unwrap_or_default().to_string_lossy());
                self.file(origin, name, entry, stamp, true);
            }
        }
    }

    pub(super) fn file(
        &mut self,
        origin: &Origin,
        name: String,
        path: PathBuf,
        stamp: Stamp,
        is_command: bool,
    ) {
        let content = match self.earlier.get(path.as_path()) {
            Some((then, content)) if *then == stamp => content.clone(),
            _ => Content::Read(Box::new(read(&path))),
        };
        self.files.push(SkillFile {
            origin: origin.clone(),
            name,
            path,
            stamp,
            is_command,
            hidden: false,
            content,
        });
    }
}

/// How much of a file is read for what its front matter declares.
const LONGEST: u64 = 1 << 20;

pub(super) fn read(path: &Path) -> Declared {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Declared::read(&String::from_utf8_lossy(&bytes)),
        Err(error) => {
            let problem =
                engine_text::Problem { line: 0, text: format!("cannot be read: {}", reason(&error)) };
            Declared { callable: true, typable: true, problems: vec![problem], ..Declared::default() }
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
