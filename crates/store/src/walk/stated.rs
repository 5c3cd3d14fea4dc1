//! The files below a folder with size and time, for an index that compares them with what it has.
//!
//! It differs from the walk for people: no link is followed (what it leads to within the folder is met by its own path), git is not
//! asked what it tracks although a pattern ignores it, and the walk may be stopped when it takes too long.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::SKIPPED;
use super::ignored::Patterns;
use crate::worktree;

/// A file and what a stat says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    pub path: PathBuf,
    pub size: u64,
    /// In nanoseconds since 1970.
    pub modified: i64,
    /// A pipe, a socket or a device is listed, so that it can be reported.
    pub is_file: bool,
}

/// Which files are wanted, by their paths below the start.
pub struct StatedBounds<'a> {
    /// Whether what git ignores is left out.
    pub unignored: bool,
    pub enters: &'a dyn Fn(&Path) -> bool,
    pub wanted: &'a dyn Fn(&Path) -> bool,
    /// Asked once for each folder.
    pub stops: &'a dyn Fn() -> bool,
}

/// What a walk came to.
#[derive(Debug, Default)]
pub struct Statement {
    pub files: Vec<Stated>,
    /// Folders that could not be read: what was known of them still counts.
    pub unread: Vec<PathBuf>,
    /// What was wanted and is not among the files, those folders included, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Why a link is left out.
pub const LINK: &str = "a link, which is not followed";
const NOT_UTF8: &str = "its name is not UTF-8";

/// The wanted files below a folder; nothing if the walk was stopped. A folder that does not exist has none.
pub fn stated(start: &Path, bounds: &StatedBounds<'_>) -> Option<Statement> {
    let mut found = Statement::default();
    let patterns = if bounds.unignored { Patterns::of(&real(start)) } else { Patterns::default() };
    let mut open = vec![(PathBuf::new(), patterns)];
    while let Some((below, patterns)) = open.pop() {
        if (bounds.stops)() {
            return None;
        }
        let folder = start.join(&below);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                found.left_out.push((folder.clone(), error.kind().to_string()));
                found.unread.push(folder);
                continue;
            }
        };
        let entries: Vec<fs::DirEntry> = entries.flatten().collect();
        // The project once more.
        let is_root = below.as_os_str().is_empty();
        if !is_root && entries.iter().any(|entry| entry.file_name() == ".git") && is_worktree(&folder) {
            continue;
        }
        for entry in entries {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if SKIPPED.iter().any(|skipped| name == *skipped) {
                continue;
            }
            let path = below.join(&name);
            // A name that is not UTF-8 is judged by what of it is.
            let told = path.to_string_lossy();
            let told = Path::new(told.as_ref());
            let is_folder = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
            let is_wanted = if is_folder { (bounds.enters)(told) } else { (bounds.wanted)(told) };
            if !is_wanted || patterns.ignore(&entry.path(), kind.is_dir()).is_some() {
                continue;
            }
            if kind.is_symlink() || path.to_str().is_none() {
                let why = if kind.is_symlink() { LINK } else { NOT_UTF8 };
                found.left_out.push((entry.path(), why.to_owned()));
            } else if kind.is_dir() {
                let inner =
                    if bounds.unignored { patterns.below(&entry.path()) } else { Patterns::default() };
                open.push((path, inner));
            } else if let Ok(data) = entry.metadata() {
                found.files.push(of(entry.path(), &data));
            }
        }
    }
    Some(found)
}

/// One file; nothing if there is none, or if it is a link.
pub fn stated_file(path: &Path) -> Option<Stated> {
    let data = fs::symlink_metadata(path).ok().filter(|data| !data.is_symlink() && !data.is_dir())?;
    Some(of(path.to_owned(), &data))
}

/// When the entries of some folders in a folder changed last; nothing for one that is no folder. Ten thousand take milliseconds.
pub fn folder_times<'n>(start: &Path, names: impl Iterator<Item = &'n str>) -> Vec<Option<i64>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(start) = rustix::fs::open(start, flags, Mode::empty()) else {
        return names.map(|_| None).collect();
    };
    let time = |name: &str| {
        let data = rustix::fs::statat(&start, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_folder = FileType::from_raw_mode(data.st_mode) == FileType::Directory;
        let nanoseconds = i64::try_from(data.st_mtime_nsec).ok()?;
        is_folder.then(|| data.st_mtime.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
    };
    names.map(time).collect()
}

fn of(path: PathBuf, data: &Metadata) -> Stated {
    let modified = data.mtime().saturating_mul(1_000_000_000).saturating_add(data.mtime_nsec());
    Stated { path, size: data.len(), modified, is_file: data.is_file() }
}

fn real(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Whether a folder is a linked worktree of a repository.
fn is_worktree(folder: &Path) -> bool {
    folder.join(".git").is_file() && worktree::main_checkout(folder).is_some_and(|main| main != folder)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(root: &Path, paths: &[&str]) {
        for path in paths {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
    }

    fn names(root: &Path, unignored: bool) -> Vec<String> {
        let enters = |path: &Path| path != Path::new("sessions");
        let wanted = |path: &Path| path.extension().is_some_and(|end| end == "md");
        let bounds = StatedBounds { unignored, enters: &enters, wanted: &wanted, stops: &|| false };
        let found = stated(root, &bounds).unwrap();
        assert!(found.unread.is_empty());
        let below = |file: &Stated| file.path.strip_prefix(root).unwrap().display().to_string();
        let mut names: Vec<String> = found.files.iter().map(below).collect();
        names.sort();
        names
    }

    #[test]
    fn links_and_what_git_ignores_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("p");
        write(
            &root,
            &["a.md", "b.txt", "d/c.md", "made/e.md", "node_modules/f.md", "sessions/g.md", "d/.h.md"],
        );
        write(folder.path(), &["out/x.md"]);
        symlink(folder.path().join("out"), root.join("out")).unwrap();
        symlink(root.join("a.md"), root.join("link.md")).unwrap();
        symlink(&root, root.join("d/loop")).unwrap();
        fs::write(root.join(".gitignore"), "made/\n").unwrap();
        assert_eq!(names(&root, true), ["a.md", "d/.h.md", "d/c.md", "made/e.md"], "without a repository");
        fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
        assert_eq!(names(&root, true), ["a.md", "d/.h.md", "d/c.md"]);
        assert_eq!(names(&root, false), ["a.md", "d/.h.md", "d/c.md", "made/e.md"]);
        // A linked worktree in the project is the project once more.
        write(&root, &["trees/w/y.md"]);
        fs::write(
            root.join("trees/w/.git"),
            format!("gitdir: {}\n", root.join(".git/worktrees/w").display()),
        )
        .unwrap();
        fs::write(root.join(".git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::write(root.join(".git/worktrees/w/gitdir"), format!("{}\n", root.join("trees/w/.git").display()))
            .unwrap();
        assert_eq!(names(&root, true), ["a.md", "d/.h.md", "d/c.md"]);
        assert_eq!(names(&root.join("none"), true), Vec::<String>::new());
    }

    #[test]
    fn what_is_left_out_is_told() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, &["p/a.md", "p/made/x.md", "out/x.md"]);
        for (target, link) in [
            ("a.md", "link.md"),
            ("nowhere", "lost.md"),
            ("a.md", "a.txt"),
            ("../out", "out"),
            ("../out", "made/out"),
        ] {
            symlink(target, root.join("p").join(link)).unwrap();
        }
        fs::write(root.join("p").join(OsStr::from_bytes(b"l\xe9.md")), "").unwrap();
        fs::create_dir(root.join("p").join(OsStr::from_bytes(b"d\xe9"))).unwrap();
        let wanted = |path: &Path| path.extension().is_some_and(|end| end == "md");
        let enters = |path: &Path| path != Path::new("made");
        let bounds = StatedBounds { unignored: false, enters: &enters, wanted: &wanted, stops: &|| false };
        let told = |start: &Path| {
            let found = stated(start, &bounds).unwrap();
            let line = |(path, why): &(PathBuf, String)| {
                format!("{}: {why}", path.strip_prefix(root).unwrap().to_string_lossy())
            };
            let mut lines: Vec<String> = found.left_out.iter().map(line).collect();
            lines.sort();
            (lines, found.files.len(), found.unread.len())
        };
        let link = |path: &str| format!("p/{path}: {LINK}");
        let name = |path: &str| format!("p/{path}: {NOT_UTF8}");
        let expected =
            [name("d\u{fffd}"), link("link.md"), link("lost.md"), name("l\u{fffd}.md"), link("out")];
        assert_eq!(told(&root.join("p")), (expected.to_vec(), 1, 0));
        assert_eq!(told(&root.join("p/a.md")), (vec!["p/a.md: not a directory".to_owned()], 0, 1));
    }

    #[test]
    fn a_walk_is_stopped_and_a_file_has_size_and_time() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &["a.md", "b/c.md", "d/e.md"]);
        let left = Cell::new(2);
        let stops = || left.replace(left.get() - 1) == 0;
        let bounds = StatedBounds { unignored: false, enters: &|_| true, wanted: &|_| true, stops: &stops };
        assert!(stated(folder.path(), &bounds).is_none());
        let file = stated_file(&folder.path().join("a.md")).unwrap();
        assert_eq!((file.size, file.is_file), (4, true));
        assert!(file.modified > 1_700_000_000_000_000_000);
        symlink(folder.path().join("a.md"), folder.path().join("l.md")).unwrap();
        assert_eq!(stated_file(&folder.path().join("l.md")), None);
        assert_eq!(stated_file(&folder.path().join("b")), None);
    }
}
