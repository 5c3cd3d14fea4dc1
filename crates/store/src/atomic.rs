//! Replacing a file so that a reader sees the old bytes or the new ones, never a part.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::Access;
use tempfile::{Builder, NamedTempFile, PersistError};

use crate::inside;
use crate::links::resolve;
use crate::process;
use crate::read::NO_FILE;
use crate::reason::at;

/// How much the loss of the newest bytes in a power cut would matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// State that can be made anew: a crash of the process loses nothing, a power cut may. A new file is for its owner
    /// only: state holds what was typed, and copies of settings may hold keys.
    Process,
    /// The person's own files.
    Disk,
    /// A person's own file that they wait for: a busy disk would take longer than they do. The system writes it within seconds.
    Soon,
}

/// Only the owner reads and writes.
const OWN: u32 = 0o600;
/// Everybody reads and writes whom the umask lets.
const SHARED: u32 = 0o666;
/// How the names of temporary files end. What a killed process left is recognised by it and removed later.
pub(crate) const TEMPORARY: &str = "tmp";
/// A temporary file of that age was left by a process that was killed while it wrote, whatever process that was. A younger one may
/// belong to a process of another machine that shares the folder.
const ABANDONED: Duration = Duration::from_hours(1);
/// The same where the file names its process, and that does not run here: no write takes so long.
const WRITTEN: Duration = Duration::from_mins(1);

/// Writes beside the file, then renames. The old file's permissions and, through a symbolic link, its place
/// are kept; but a link in the place of a state file is replaced itself. A failure leaves no temporary file.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let target = match durability {
        Durability::Process => {
            inside::keeps_file(path)?;
            path.to_owned()
        }
        Durability::Disk | Durability::Soon => followed(path),
    };
    let old = fs::symlink_metadata(&target).ok();
    // A device is never replaced: the link alone is ours.
    if old.as_ref().is_some_and(|old| !old.is_file()) && target != path {
        return Err(at("replace file", &target)(io::Error::other(NO_FILE)));
    }
    let old = old.filter(Metadata::is_file).map(|old| old.permissions());
    // The temporary file's own name would tell nobody anything.
    written_beside(&target, bytes, durability, old)
        .and_then(|temporary| temporary.persist(&target).map(drop).map_err(|failed| failed.error))
        .map_err(at("replace file", &target))
}

/// Whether files can be made below a folder that may not be there yet; if not, where and why not.
pub fn may_write_below(folder: &Path) -> Result<(), (PathBuf, io::Error)> {
    let folder = resolve(folder);
    let nearest = folder.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(&folder);
    if !nearest.is_dir() {
        return Err((nearest.to_owned(), io::ErrorKind::NotADirectory.into()));
    }
    let may = rustix::fs::access(nearest, Access::WRITE_OK | Access::EXEC_OK);
    may.map_err(|error| (nearest.to_owned(), error.into()))
}

/// The temporary files beside a file, from which it is or was to be replaced.
pub fn temporaries(path: &Path) -> Vec<PathBuf> {
    let target = followed(path);
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let is_temporary = |entry: &fs::DirEntry| {
        let entry = entry.file_name();
        let middle = entry.to_str().and_then(|entry| entry.strip_prefix(name)?.strip_suffix(TEMPORARY));
        middle
            .and_then(|middle| middle.strip_prefix('.')?.strip_suffix('.'))
            .is_some_and(|random| !random.contains('.'))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_temporary).map(|entry| entry.path()).collect()
}

/// Whether a temporary file was left by a process that was killed while it wrote.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    let written = fs::symlink_metadata(path).and_then(|data| data.modified()).ok();
    let Some(age) = written.and_then(|time| time.elapsed().ok()) else { return false };
    let is_gone = || writer(path).is_some_and(|pid| process::process(pid).is_none());
    age > ABANDONED || (age > WRITTEN && is_gone())
}

/// The process that a temporary file names: `state.json.4711-abcdef.tmp`.
fn writer(path: &Path) -> Option<u32> {
    let middle =
        path.file_name()?.to_str()?.strip_suffix(TEMPORARY)?.strip_suffix('.')?.rsplit('.').next()?;
    middle.split('-').next()?.parse().ok()
}

/// Removes the temporary files that killed processes left beside a file.
pub(crate) fn sweep(path: &Path) {
    for abandoned in temporaries(path).into_iter().filter(|path| is_abandoned(path)) {
        let _ = fs::remove_file(abandoned);
    }
}

/// The same for all files of a folder.
pub(crate) fn sweep_folder(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        if file.extension().is_some_and(|end| end == TEMPORARY) && is_abandoned(&file) {
            let _ = fs::remove_file(file);
        }
    }
}

/// Makes a file that is not there yet, as a whole or not at all. `false`: something is there, and stays.
pub fn create_new(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let temporary = written_beside(path, bytes, Durability::Disk, None).map_err(at("create file", path))?;
    match temporary.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(_) if path.symlink_metadata().is_ok() => Ok(false),
        Err(failed) => Err(at("create file", path)(failed.error)),
    }
}

/// Makes a new file under the first name that is free, there as a whole or not at all, and tells how many names were taken.
/// Of several who make one at once each gets a name of its own.
pub fn create(name: impl Fn(usize) -> PathBuf, bytes: &[u8], durability: Durability) -> io::Result<usize> {
    let first = name(0);
    inside::keeps_file(&first)?;
    let mut temporary = written_beside(&first, bytes, durability, None).map_err(at("create file", &first))?;
    let mut taken = 0;
    loop {
        let path = name(taken);
        match temporary.persist_noclobber(&path) {
            Ok(_) => return Ok(taken),
            Err(PersistError { file, .. }) if path.symlink_metadata().is_ok() => {
                temporary = file;
                taken += 1;
            }
            // A file system that has neither a rename without overwriting nor links.
            Err(PersistError { file, .. }) => {
                file.persist(&path).map_err(|failed| at("create file", &path)(failed.error))?;
                return Ok(taken);
            }
        }
    }
}

/// The file that a symbolic link stands for, also if it is not there yet; renaming over the link itself would replace
/// the link.
fn followed(path: &Path) -> PathBuf {
    if path.is_symlink() { resolve(path) } else { path.to_owned() }
}

/// A new file in the same folder, with a random name that nothing has yet. `old` is what the replaced file allowed.
fn written_beside(
    path: &Path,
    bytes: &[u8],
    durability: Durability,
    old: Option<Permissions>,
) -> io::Result<NamedTempFile<File>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(format!(".{}-", std::process::id()));
    // The bytes of a private file are private from the start.
    let mode = if old.is_some() || durability == Durability::Process { OWN } else { SHARED };
    let mut temporary = Builder::new()
        .prefix(&prefix)
        .suffix(&format!(".{TEMPORARY}"))
        .make_in(folder, |path| open_new(path, mode))?;
    let file = temporary.as_file_mut();
    file.write_all(bytes)?;
    if let Some(old) = old.filter(|old| old.mode() & 0o7777 != mode) {
        file.set_permissions(old)?;
    }
    if durability == Durability::Disk {
        file.sync_all()?;
    }
    Ok(temporary)
}

/// Opens a file that must not exist, not even as a link.
fn open_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// A new file is for its owner only: journal and state hold what was typed.
pub(crate) fn own_only(options: &mut fs_err::OpenOptions) {
    fs_err::os::unix::fs::OpenOptionsExt::mode(options, OWN);
}

/// Replaces a file that nothing breaks without. Its folder is made if need be.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    let Some(folder) = path.parent() else { return };
    if folder.is_dir() || fs::create_dir_all(folder).is_ok() {
        let _ = replace(path, bytes, Durability::Process);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    const ALL: [Durability; 3] = [Durability::Process, Durability::Disk, Durability::Soon];

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// What took the place of a file is replaced; what a link leads to is not, unless it is a file.
    #[test]
    fn a_pipe_is_replaced_and_nothing_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let link = folder.path().join("link");
        symlink(&pipe, &link).unwrap();
        let refused = replace(&link, b"new", Durability::Disk).unwrap_err();
        assert_eq!(refused.to_string(), format!("failed to replace file `{}`: not a file", pipe.display()));
        replace(&pipe, b"new", Durability::Process).unwrap();
        assert_eq!(fs::read(&pipe).unwrap(), b"new");
    }

    #[test]
    fn permissions_of_the_replaced_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for durability in ALL {
            for old in [0o600, 0o644, 0o640, 0o444, 0o755] {
                fs::write(&path, "old").unwrap();
                fs::set_permissions(&path, Permissions::from_mode(old)).unwrap();
                replace(&path, b"new", durability).unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"new");
                assert_eq!(mode(&path), old, "{durability:?}");
                fs::remove_file(&path).unwrap();
            }
        }
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn new_state_is_for_its_owner_and_new_documents_are_shared() {
        let folder = tempfile::tempdir().unwrap();
        // What the umask of this process makes of a new file.
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "").unwrap();
        for (durability, expected) in [(ALL[0], 0o600), (ALL[1], mode(&ordinary)), (ALL[2], mode(&ordinary))]
        {
            let replaced = folder.path().join(format!("{durability:?}"));
            replace(&replaced, b"", durability).unwrap();
            assert_eq!(mode(&replaced), expected, "{durability:?}");
            let created = folder.path().join(format!("{durability:?} created"));
            assert_eq!(create(|_| created.clone(), b"", durability).unwrap(), 0);
            assert_eq!(mode(&created), expected, "{durability:?}");
        }
    }

    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (there, target) = (folder.path().join("there"), folder.path().join("there/target"));
        fs::create_dir(&there).unwrap();
        let link = folder.path().join("link");
        symlink("there/target", &link).unwrap();
        for text in ["new", "newer"] {
            replace(&link, text.as_bytes(), Durability::Disk).unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        assert_eq!(names(&there), ["target"]);
    }

    #[test]
    fn a_link_in_the_place_of_state_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "mine").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, b"new", Durability::Process).unwrap();
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read(&link).unwrap()),
            (b"mine".to_vec(), b"new".to_vec())
        );
        assert!(!link.is_symlink());
    }

    /// Writers that cannot see each other's process ids, in containers that share a checkout, shared a name once.
    #[test]
    fn writers_at_once_never_share_a_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let texts: Vec<String> = (0..8).map(|number| number.to_string().repeat(10_000)).collect();
        thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| {
                    for _ in 0..50 {
                        replace(&path, text.as_bytes(), Durability::Process).unwrap();
                        assert!(texts.contains(&fs::read_to_string(&path).unwrap()));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["f"]);
        let mut kept: Vec<NamedTempFile<File>> = Vec::new();
        for _ in 0..100 {
            kept.push(written_beside(&path, b"", Durability::Process, None).unwrap());
        }
        let mut beside = names(folder.path());
        beside.retain(|name| Path::new(name).extension().is_some_and(|end| end == TEMPORARY));
        assert_eq!(beside.len(), 100);
        assert!(beside.iter().all(|name| name.starts_with("f.")), "{beside:?}");
    }

    #[test]
    fn a_link_that_was_planted_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        // At the name that earlier versions used, and at whatever name is tried.
        let foreseen = folder.path().join(format!("f.{}.tmp", std::process::id()));
        symlink(&victim, &foreseen).unwrap();
        replace(&folder.path().join("f"), b"new", Durability::Process).unwrap();
        let planted = folder.path().join("f.abcdef.tmp");
        symlink(&victim, &planted).unwrap();
        assert_eq!(open_new(&planted, OWN).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    }

    #[test]
    fn a_failure_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("by a folder")).unwrap();
        assert!(replace(&taken, b"new", Durability::Process).is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        let missing = folder.path().join("missing/f");
        let refused = replace(&missing, b"new", Durability::Process).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn only_what_was_left_of_this_file_long_ago_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (ABANDONED + Duration::from_mins(1), ABANDONED / 2);
        for (name, age) in [
            ("f.json.abcdef.tmp", old),
            ("f.json.4711.tmp", old),
            ("f.json.ghijkl.tmp", new),
            // Of a process that does not run, and of one that does.
            ("f.json.4194305-abcdef.tmp", WRITTEN + Duration::from_secs(1)),
            ("f.json.4194305-ghijkl.tmp", WRITTEN / 2),
            (&format!("f.json.{}-abcdef.tmp", std::process::id()), new),
            ("f.json", old),
            ("f.json.tmp", old),
            ("f.json.old.copy.tmp", old),
            ("g.json.abcdef.tmp", old),
            ("f.json.bad-1", old),
        ] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        sweep(&folder.path().join("f.json"));
        let own = format!("f.json.{}-abcdef.tmp", std::process::id());
        let mut left = names(folder.path());
        left.retain(|name| *name != own);
        assert_eq!(
            left,
            [
                "f.json",
                "f.json.4194305-ghijkl.tmp",
                "f.json.bad-1",
                "f.json.ghijkl.tmp",
                "f.json.old.copy.tmp",
                "f.json.tmp",
                "g.json.abcdef.tmp"
            ]
        );
        assert!(folder.path().join(own).exists());
        assert_eq!(temporaries(&folder.path().join("f.json")).len(), 3);
        assert!(temporaries(&folder.path().join("missing/f.json")).is_empty());
    }

    #[test]
    fn of_several_that_are_made_at_once_each_gets_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let name = |taken: usize| folder.path().join(format!("item-{taken}"));
        let mut taken: Vec<usize> = thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|number: usize| {
                    scope.spawn(move || create(name, number.to_string().as_bytes(), Durability::Soon))
                })
                .collect();
            makers.into_iter().map(|maker| maker.join().unwrap().unwrap()).collect()
        });
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(names(folder.path()).len(), 8);
    }
}
