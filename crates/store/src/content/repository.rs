//! A git repository of the engine's own over the person's files.
//!
//! It has its own index, objects and configuration; the person's objects are its alternate, so that what is committed is not stored
//! twice. Hooks, filters, `info/attributes` and the switches that make git overlook changes are settings of a repository or a person,
//! and neither is read. A few values that decide how names and line ends are read are copied once, when it is made. A file that a
//! filter would rewrite (`git lfs`) is compared as it is.
//!
//! Whoever uses it holds the lock of the content, and git inherits it. So an `index.lock` that is found was left by a process that
//! was killed.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_text::line::seal;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::index::{self, Needs, Since};
use super::{Changed, ChangedKind, GitId, LIMIT, LOOK, Limit, MADE, MADE_AT_ROOT};
use crate::atomic::{self, Durability};
use crate::git::{Call, Failure, Own, Raw};
use crate::read::{self, read_bytes};
use crate::regular;

/// The layout of the folder; another one is made anew.
const VERSION: u32 = 1;
/// How the person's git reads names, line ends and modes.
const COPIED: &str = r"^core\.(autocrlf|eol|filemode|ignorecase|precomposeunicode|symlinks)$";
/// What else the configuration holds.
const CONFIG: &str = "\
	bare = false
	logAllRefUpdates = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	fsmonitor = false
	untrackedCache = false
	trustctime = true
	checkStat = default
	ignoreStat = false
	preloadIndex = true
	splitIndex = false
	sparseCheckout = false
	safecrlf = false
[index]
	sparse = false
	threads = true
	skipHash = true
[diff]
	ignoreSubmodules = dirty
[advice]
	addEmbeddedRepo = false
	addIgnoredFile = false
[gc]
	auto = 0
";
/// The objects are many files, so they are looked at after so many changes only,
const MEASURED_EVERY: u64 = 32;
/// or when files of so many bytes may have been written to them.
const MUCH: u64 = LIMIT / 10;
/// How git begins the list of ignored paths that were named to it, even as exceptions.
const IGNORED: &str = "The following paths are ignored by one of your .gitignore files:";
/// How much of a seal is in an id.
const SHORT: usize = 16;
/// The names of a tree without files, by the kind of hash.
const EMPTY: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/// Where the repository is, and what it is for.
pub(super) struct Repository<'a> {
    pub(super) root: &'a Path,
    /// The top of the person's repository.
    pub(super) top: &'a Path,
    /// What does not count, from the root.
    pub(super) own: &'a [String],
    pub(super) folder: PathBuf,
}

/// Why there is no id.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    /// Git ignores the whole project, or it is empty.
    #[error("git sees no file")]
    NothingToSee,
    #[error(transparent)]
    Git(#[from] Failure),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// What the person's repository is, found out once.
#[derive(Debug, Serialize, Deserialize)]
struct Origin {
    version: u32,
    top: PathBuf,
    own: Vec<String>,
    /// The person's index.
    index: PathBuf,
    /// Files outside of the project that name what git ignores: the repository's and the person's.
    excludes: [PathBuf; 2],
    /// The length of a hash, in bytes.
    hash: usize,
}

/// What was found the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Taken {
    tree: String,
    /// The index from which the tree was written.
    stamp: String,
    /// How large the objects were when they were last looked at, and the size of the files that were changed since then.
    size: u64,
    since: u64,
    /// The second before it began.
    second: u64,
    /// How often the content had changed.
    changes: u64,
}

impl Repository<'_> {
    /// Finds the id. After a failure the next one begins with the person's index.
    pub(super) fn take(&self, lock: &File, limit: &Limit) -> Result<GitId, Trouble> {
        let taken = self.take_with(&self.origin(limit)?, lock, limit);
        match taken {
            Err(Trouble::Git(Failure::Refused { .. })) if !self.is_usable(limit) => {
                self.take_with(&self.begin(limit)?, lock, limit)
            }
            taken => taken,
        }
    }

    fn take_with(&self, origin: &Origin, lock: &File, limit: &Limit) -> Result<GitId, Trouble> {
        let taking = Taking { repository: self, origin, lock, limit };
        let found = taking.ignore().and_then(|ignored| Ok(GitId { tree: taking.tree()?, ignored }));
        if found.is_err() {
            let _ = fs::remove_file(self.index());
            sweep(&self.folder.join("objects"));
        }
        found.and_then(
            |id| if EMPTY.contains(&id.tree.as_str()) { Err(Trouble::NothingToSee) } else { Ok(id) },
        )
    }

    /// Whether git takes the folder for a repository.
    fn is_usable(&self, limit: &Limit) -> bool {
        let asked = Call::new(self.root, &["rev-parse", "--git-dir"]).alone(self.own_calls());
        !matches!(asked.within(limit.left()).raw(&[0]), Err(Failure::Refused { .. }))
    }

    fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn own_calls(&self) -> Own<'_> {
        Own { folder: &self.folder, files: self.top }
    }

    /// The repository as it was left, or a new one.
    fn origin(&self, limit: &Limit) -> Result<Origin, Trouble> {
        let found: Option<Origin> = read_json(&self.folder.join("origin.json"));
        let is_full = || self.taken().size > LIMIT;
        match found.filter(|origin| origin.version == VERSION && origin.top == self.top && !is_full()) {
            Some(origin) if origin.own == self.own => Ok(origin),
            // Its objects are as good as ever.
            Some(origin) => {
                remove_if_there(&self.index())?;
                let origin = Origin { own: self.own.to_vec(), ..origin };
                write_json(&self.folder.join("origin.json"), &origin)?;
                Ok(origin)
            }
            None => self.begin(limit),
        }
    }

    fn begin(&self, limit: &Limit) -> Result<Origin, Trouble> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let asked =
            |args: &[&str], answers: &[i32]| Call::new(self.top, args).within(limit.left()).raw(answers);
        let paths = ["objects", "index", "info/exclude"].map(|path| ["--git-path", path]).concat();
        let args = [&["rev-parse", "--path-format=absolute"], &paths[..], &["--show-object-format"]].concat();
        let found = String::from_utf8_lossy(&asked(&args, &[0])?.stdout).into_owned();
        let lines: Vec<&str> = found.lines().collect();
        let [objects, index, exclude, format] = lines[..] else {
            let odd =
                io::Error::other(format!("git rev-parse: unexpected answer for {}", self.top.display()));
            return Err(odd.into());
        };
        let copied = asked(&["config", "--null", "--get-regexp", COPIED], &[0, 1])?;
        let persons = asked(&["config", "--type=path", "--get", "core.excludesFile"], &[0, 1])?;
        let persons = match String::from_utf8_lossy(&persons.stdout).trim_end_matches('\n') {
            "" => usual_exclude(),
            path => PathBuf::from(path),
        };
        for below in ["objects/info", "refs", "info"] {
            fs::create_dir_all(self.folder.join(below))?;
        }
        regular::write(&self.folder.join("HEAD"), b"ref: refs/heads/none\n")?;
        regular::write(&self.folder.join("objects/info/alternates"), format!("{objects}\n").as_bytes())?;
        regular::write(&self.folder.join("config"), config(&copied, &persons, format).as_bytes())?;
        let origin = Origin {
            version: VERSION,
            top: self.top.to_owned(),
            own: self.own.to_vec(),
            index: index.into(),
            excludes: [exclude.into(), persons],
            hash: if format == "sha256" { 32 } else { 20 },
        };
        // The last: without it, everything is made anew.
        write_json(&self.folder.join("origin.json"), &origin)?;
        Ok(origin)
    }

    fn taken(&self) -> Taken {
        read_json(&self.folder.join("taken.json")).unwrap_or_default()
    }
}

/// One search for the id.
struct Taking<'a> {
    repository: &'a Repository<'a>,
    origin: &'a Origin,
    lock: &'a File,
    limit: &'a Limit,
}

impl Taking<'_> {
    fn git<'c>(&'c self, args: &'c [&'c str]) -> Call<'c> {
        let Repository { root, .. } = self.repository;
        Call::new(root, args).alone(self.repository.own_calls()).keeping(self.lock).within(self.limit.left())
    }

    /// Has the same ignored as in the person's repository, and what was made. Short names of what is ignored there.
    fn ignore(&self) -> Result<[String; 2], Trouble> {
        let [theirs, persons] =
            self.origin.excludes.each_ref().map(|path| read_bytes(path).unwrap_or_default());
        let mut all = String::new();
        for name in MADE {
            all.push_str(&format!("{name}/\n"));
        }
        for name in MADE_AT_ROOT {
            all.push_str(&format!("/{}{name}/\n", literal(&self.prefix())));
        }
        let mut all = all.into_bytes();
        all.extend_from_slice(&theirs);
        let path = self.repository.folder.join("info/exclude");
        if read_bytes(&path).ok().as_ref() != Some(&all) {
            atomic::replace(&path, &all, Durability::Process)?;
        }
        Ok([theirs, persons].map(|bytes| name_of(&bytes)))
    }

    /// The root from the top, with a slash behind it if it is not the top.
    fn prefix(&self) -> String {
        let below = self.repository.root.strip_prefix(self.repository.top).unwrap_or(Path::new(""));
        if below.as_os_str().is_empty() { String::new() } else { format!("{}/", below.display()) }
    }

    fn tree(&self) -> Result<String, Trouble> {
        let index = self.repository.index();
        let before = self.repository.taken();
        remove_if_there(&index.with_extension("lock"))?;
        let is_kept = index::stamp(&index) == before.stamp && !before.stamp.is_empty();
        if !is_kept {
            // New, or not as it was left.
            self.copy_index()?;
        }
        // The clock of the files is a little behind.
        let began = index::second(SystemTime::now()).saturating_sub(1);
        match self.add() {
            // A damaged index.
            Err(Trouble::Git(Failure::Refused { .. })) if is_kept => {
                self.copy_index()?;
                self.add()?;
            }
            added => added?,
        }
        if index::stamp(&index) == before.stamp {
            return Ok(before.tree);
        }
        let tree = self.write_tree()?;
        let mut since = before.since;
        if index.exists() {
            let seconds = Since { unsure: began, new: before.second };
            since += index::clean(&index, self.origin.hash, seconds)?.new;
        }
        let changes = before.changes + 1;
        let (size, since) = if changes.is_multiple_of(MEASURED_EVERY) || since > MUCH {
            (sweep(&self.repository.folder.join("objects")), 0)
        } else {
            (before.size, since)
        };
        let taken = Taken { tree, stamp: index::stamp(&index), size, since, second: began, changes };
        write_json(&self.repository.folder.join("taken.json"), &taken)?;
        Ok(taken.tree)
    }

    /// Begins with the person's index, or with none where there is none that can be used.
    fn copy_index(&self) -> Result<(), Trouble> {
        let index = self.repository.index();
        remove_if_there(&index)?;
        remove_if_there(&index.with_extension("lock"))?;
        let Ok(mut theirs) = read::open(&self.origin.index) else { return Ok(()) };
        let written = theirs.metadata()?.modified()?;
        io::copy(&mut theirs, &mut regular::create(&index)?)?;
        // Git compares the time of the index with those of the files.
        regular::open(fs::OpenOptions::new().write(true), &index)?.file().set_modified(written)?;
        let seconds = Since { unsure: index::second(written), new: u64::MAX };
        let clean = || index::clean(&index, self.origin.hash, seconds);
        let cleaned = clean()
            .and_then(|found| self.make_whole(&found.needs))
            .and_then(|is_new| if is_new { clean().map(drop) } else { Ok(()) });
        match cleaned {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(remove_if_there(&index)?),
            Err(error) => Err(error.into()),
            Ok(()) if index.exists() => self.forget_own(),
            Ok(()) => Ok(()),
        }
    }

    /// Has git write all entries into one file, if they are not; whether it did.
    fn make_whole(&self, needs: &Needs) -> io::Result<bool> {
        if needs.whole() {
            return Ok(false);
        }
        let folder = &self.repository.folder;
        let beside =
            needs.shared.as_ref().map(|name| (self.origin.index.with_file_name(name), folder.join(name)));
        if let Some((theirs, ours)) = &beside {
            regular::write(ours, &read_bytes(theirs)?)?;
        }
        let written = self.git(&["update-index", "--force-write-index"]).raw(&[0]);
        if let Some((_, ours)) = &beside {
            remove_if_there(ours)?;
        }
        // It is begun without an index then.
        written
            .map(|_| true)
            .map_err(|failure| io::Error::new(io::ErrorKind::InvalidData, failure.to_string()))
    }

    /// What does not count may be tracked by the person.
    fn forget_own(&self) -> Result<(), Trouble> {
        let mut args =
            vec!["--literal-pathspecs", "rm", "-r", "-q", "-f", "--cached", "--ignore-unmatch", "--"];
        args.extend(self.repository.own.iter().map(String::as_str));
        self.git(&args).raw(&[0])?;
        Ok(())
    }

    fn pathspecs(&self) -> Vec<String> {
        let excluded = self.repository.own.iter().map(|path| format!(":(exclude,literal){path}"));
        [".".to_owned()].into_iter().chain(excluded).collect()
    }

    fn add(&self) -> Result<(), Trouble> {
        let specs = self.pathspecs();
        let mut args = vec!["add", "-A", "--ignore-errors", "--"];
        args.extend(specs.iter().map(String::as_str));
        let added = self.git(&args).raw(&[0, 1])?;
        let is_odd = |line: &&str| !line.starts_with("warning: ");
        let odd: Vec<&str> = added.stderr.lines().filter(is_odd).collect();
        if self.is_only_own(&odd) || (added.code == Some(0) && odd.is_empty()) {
            return Ok(());
        }
        self.forget_unreadable(&added)
    }

    /// Whether git complains only that it ignores what does not count anyway. It adds the other files all the same.
    fn is_only_own(&self, said: &[&str]) -> bool {
        let Some((&IGNORED, paths)) = said.split_first() else { return false };
        let is_own = |path: &&str| {
            let below = path.strip_prefix(self.prefix().as_str());
            self.repository.own.iter().any(|own| *path == own || below == Some(own))
        };
        !paths.is_empty() && paths.iter().all(is_own)
    }

    /// Looks at what git could not add. What cannot be read, and what is no file any more, is taken out of the index: else it would
    /// count as it was. That a file could be read and was not added is a failure.
    fn forget_unreadable(&self, added: &Raw) -> Result<(), Trouble> {
        if !self.prefix().is_empty() && self.git(&["check-ignore", "-q", "."]).raw(&[0, 1])?.code == Some(0) {
            return Err(Trouble::NothingToSee);
        }
        let specs = self.pathspecs();
        let mut args = vec!["ls-files", "-z", "-t", "--modified", "--others", "--exclude-standard", "--"];
        args.extend(specs.iter().map(String::as_str));
        let listed = self.git(&args).raw(&[0])?.stdout;
        let mut forgotten = Vec::new();
        for entry in listed.split(|byte| *byte == 0).filter(|entry| entry.len() > 2) {
            let (tag, path) = entry.split_at(2);
            let file = self.repository.root.join(std::ffi::OsStr::from_bytes(path));
            if is_readable(&file) {
                return Err(Failure::refused("add", &added.stderr).into());
            }
            if tag != b"? " {
                forgotten.extend_from_slice(path);
                forgotten.push(0);
            }
        }
        if !forgotten.is_empty() {
            self.git(&["update-index", "-z", "--force-remove", "--stdin"]).fed(&forgotten).raw(&[0])?;
        }
        Ok(())
    }

    fn write_tree(&self) -> Result<String, Trouble> {
        let prefix = format!("--prefix={}", self.prefix());
        // Objects that a partial clone has not fetched are missed by nobody here.
        let mut args = vec!["write-tree", "--missing-ok"];
        if !self.prefix().is_empty() {
            args.push(&prefix);
        }
        match self.git(&args).text() {
            Ok(tree) => Ok(tree.trim().to_owned()),
            Err(Failure::Refused { reason, .. }) if reason.ends_with(" not found") => Ok(EMPTY[0].to_owned()),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// Whether git could have added a file. Nothing is opened that could block.
fn is_readable(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_file() => read::open(path).is_ok(),
        Ok(data) => data.is_symlink(),
        Err(_) => false,
    }
}

/// The files that differ between two trees.
pub(super) fn changed(folder: &Path, from: &GitId, to: &GitId) -> Option<Vec<Changed>> {
    let origin: Origin = read_json(&folder.join("origin.json"))?;
    let diff = |also: &[&str]| {
        let args = [
            &["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff"],
            also,
            &[&from.tree, &to.tree],
        ];
        Some(look(folder, &args.concat())?.stdout)
    };
    // The text of a file may be gone from the person's objects.
    let found = diff(&["--numstat"]).or_else(|| diff(&[]))?;
    let mut all = read_diff(&found)?;
    let outside = origin.excludes.iter().zip(from.ignored.iter().zip(&to.ignored));
    all.extend(outside.filter(|(_, (from, to))| from != to).map(|(path, _)| Changed {
        path: path.strip_prefix(&origin.top).unwrap_or(path).display().to_string(),
        kind: ChangedKind::Modified,
        lines: None,
    }));
    all.sort();
    Some(all)
}

/// Reads what changed, then the counts of lines in the same order.
fn read_diff(bytes: &[u8]) -> Option<Vec<Changed>> {
    let mut fields =
        bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy).filter(|field| !field.is_empty());
    let mut all = Vec::new();
    let mut counted = 0;
    while let Some(field) = fields.next() {
        if let Some(header) = field.strip_prefix(':') {
            let kind = match header.rsplit(' ').next()? {
                "A" => ChangedKind::Added,
                "D" => ChangedKind::Deleted,
                _ => ChangedKind::Modified,
            };
            all.push(Changed { path: fields.next()?.into_owned(), kind, lines: None });
        } else {
            let mut counts = field.splitn(3, '\t').map(|count| count.parse().ok());
            all.get_mut(counted)?.lines = counts.next()?.zip(counts.next()?);
            counted += 1;
        }
    }
    Some(all)
}

/// The text of a file in a tree.
pub(super) fn text_at(folder: &Path, id: &GitId, path: &str) -> Option<String> {
    String::from_utf8(look(folder, &["cat-file", "blob", &format!("{}:{path}", id.tree)])?.stdout).ok()
}

fn look(folder: &Path, args: &[&str]) -> Option<Raw> {
    Call::new(folder, args).alone(Own { folder, files: folder }).within(LOOK).raw(&[0]).ok()
}

/// The configuration of a new repository.
fn config(copied: &Raw, excludes: &Path, format: &str) -> String {
    let is_new = format != "sha1";
    let mut text = format!("[core]\n\trepositoryformatversion = {}\n", u8::from(is_new));
    let copied = String::from_utf8_lossy(&copied.stdout);
    for entry in copied.split('\0').filter(|entry| !entry.is_empty()) {
        let (name, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        let name = name.strip_prefix("core.").unwrap_or(name);
        text.push_str(&format!("\t{name} = {}\n", quoted(value)));
    }
    text.push_str(&format!("\texcludesFile = {}\n{CONFIG}", quoted(&excludes.display().to_string())));
    if is_new {
        text.push_str(&format!("[extensions]\n\tobjectFormat = {format}\n"));
    }
    text
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n"))
}

/// Where git looks for the person's ignored files if no setting names a file.
fn usual_exclude() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")));
    config.unwrap_or_default().join("git/ignore")
}

/// A pattern that means the path itself.
fn literal(path: &str) -> String {
    let escaped = |letter: char| if r"*?[\".contains(letter) { vec!['\\', letter] } else { vec![letter] };
    path.chars().flat_map(escaped).collect()
}

/// A short name for the patterns in a file; none if there are none.
fn name_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let patterns: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
    if patterns.is_empty() { String::new() } else { seal(patterns.join("\n").as_bytes())[..SHORT].to_owned() }
}

/// Removes what a git that was stopped left behind. How large the rest is.
fn sweep(objects: &Path) -> u64 {
    let mut size = 0;
    for folder in fs::read_dir(objects).into_iter().flatten().flatten() {
        for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            if entry.file_name().as_bytes().starts_with(b"tmp_") {
                let _ = fs::remove_file(entry.path());
            } else {
                size += entry.metadata().map_or(0, |data| data.len());
            }
        }
    }
    size
}

fn read_json<T: for<'d> Deserialize<'d>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_bytes(path).ok()?).ok()
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    atomic::replace(path, &serde_json::to_vec(value)?, Durability::Process)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
