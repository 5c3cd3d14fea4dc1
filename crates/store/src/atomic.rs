//! Replacing a file so that a reader sees the old bytes or the new ones, never a part.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::links::resolve;

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

/// Writes beside the file, then renames. The old file's permissions and, through a symbolic link, its place
/// are kept. A failure leaves no temporary file.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let target = followed(path);
    let temporary = beside(&target);
    let old = fs::metadata(&target).map(|data| data.permissions()).ok();
    // A private file is so while it is written, too: whoever is killed then leaves the temporary one.
    let is_private = old.is_some() || durability == Durability::Process;
    let written = write_new(&temporary, bytes, durability, is_private).and_then(|()| {
        if let Some(old) = old {
            fs::set_permissions(&temporary, old)?;
        }
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes a new file under the first name that is free, there as a whole or not at all, and tells how many names were taken.
/// Of several who make one at once each gets a name of its own.
pub fn create(name: impl Fn(usize) -> PathBuf, bytes: &[u8], durability: Durability) -> io::Result<usize> {
    let temporary = beside(&name(0));
    let is_private = durability == Durability::Process;
    let made = write_new(&temporary, bytes, durability, is_private).and_then(|()| {
        let mut taken = 0;
        loop {
            let path = name(taken);
            match fs::hard_link(&temporary, &path) {
                Ok(()) => return Ok(taken),
                Err(_) if path.symlink_metadata().is_ok() => taken += 1,
                // A file system without links.
                Err(_) => return fs::rename(&temporary, &path).map(|()| taken),
            }
        }
    });
    let _ = fs::remove_file(&temporary);
    made
}

/// The file that a symbolic link stands for, also if it is not there yet; renaming over the link itself would replace
/// the link.
fn followed(path: &Path) -> PathBuf {
    if path.is_symlink() { resolve(path) } else { path.to_owned() }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8], durability: Durability, is_private: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    if is_private {
        own_only(&mut options);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if durability == Durability::Disk {
        file.sync_all()?;
    }
    Ok(())
}

/// A new file is for its owner only: journal and state hold what was typed.
#[cfg(unix)]
pub(crate) fn own_only(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
pub(crate) fn own_only(_: &mut OpenOptions) {}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const ALL: [Durability; 3] = [Durability::Process, Durability::Disk, Durability::Soon];

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for durability in ALL {
            for mode in [0o600, 0o640, 0o644, 0o666, 0o755, 0o400] {
                fs::write(&path, "old").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                replace(&path, b"new", durability).unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"new");
                assert_eq!(mode_of(&path), mode, "{mode:o} {durability:?}");
                fs::remove_file(&path).unwrap();
            }
        }
    }

    #[test]
    fn a_new_file_of_state_is_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "").unwrap();
        let ordinary = mode_of(&ordinary);
        for (durability, expected) in
            [(Durability::Process, 0o600), (Durability::Disk, ordinary), (Durability::Soon, ordinary)]
        {
            let path = folder.path().join(format!("{durability:?}"));
            replace(&path, b"x", durability).unwrap();
            assert_eq!(mode_of(&path), expected, "replace, {durability:?}");
            fs::remove_file(&path).unwrap();
            assert_eq!(create(|_| path.clone(), b"x", durability).unwrap(), 0);
            assert_eq!(mode_of(&path), expected, "create, {durability:?}");
        }
    }

    #[test]
    fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("real/f"), "old").unwrap();
        fs::set_permissions(at("real/f"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real/f", at("link")).unwrap();
        symlink("link", at("link2")).unwrap();
        symlink("real/new", at("dangling")).unwrap();
        for (link, target, text) in
            [("link", "real/f", "1"), ("link2", "real/f", "2"), ("dangling", "real/new", "3")]
        {
            replace(&at(link), text.as_bytes(), Durability::Disk).unwrap();
            assert!(at(link).is_symlink(), "{link}");
            assert_eq!(fs::read_to_string(at(target)).unwrap(), text, "{link}");
        }
        assert_eq!(mode_of(&at("real/f")), 0o600);
        assert_eq!(names_in(&at("real")), ["f", "new"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // A folder stands where the file should be: the rename fails after the temporary file was written.
        fs::create_dir_all(at("taken/inside")).unwrap();
        assert_eq!(
            replace(&at("taken"), b"new", Durability::Disk).unwrap_err().kind(),
            io::ErrorKind::IsADirectory
        );
        assert_eq!(names_in(folder.path()), ["taken"]);
        // A folder stands where the temporary file should be: nothing can be written at all.
        fs::write(at("f"), "old").unwrap();
        fs::create_dir(beside(&at("f"))).unwrap();
        replace(&at("f"), b"new", Durability::Disk).unwrap_err();
        assert_eq!(fs::read(at("f")).unwrap(), b"old");
        fs::remove_dir(beside(&at("f"))).unwrap();
        for error in [
            replace(&at("none/f"), b"new", Durability::Disk).unwrap_err(),
            create(|_| at("none/f"), b"new", Durability::Disk).unwrap_err(),
        ] {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        // Where no link can be made and nothing is there, the next name is not tried for ever.
        let error = create(|taken| at(["f", "none/g"][taken.min(1)]), b"new", Durability::Disk).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(names_in(folder.path()), ["f", "taken"]);
    }

    #[test]
    fn a_longer_file_is_not_left_behind_a_shorter_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        // A process with the same number was killed while it wrote.
        fs::write(beside(&path), "a longer text").unwrap();
        fs::write(&path, "the old text").unwrap();
        replace(&path, b"new", Durability::Process).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names_in(folder.path()), ["f"]);
    }

    #[test]
    fn a_new_file_takes_the_first_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let name = |taken: usize| folder.path().join(format!("f{taken}"));
        fs::write(name(0), "zero").unwrap();
        symlink("nowhere", name(1)).unwrap();
        fs::create_dir(name(2)).unwrap();
        assert_eq!(create(name, b"mine", Durability::Soon).unwrap(), 3);
        assert_eq!(create(name, b"next", Durability::Soon).unwrap(), 4);
        let text = |number| fs::read_to_string(name(number)).unwrap();
        assert_eq!([text(0), text(3), text(4)], ["zero", "mine", "next"]);
        assert_eq!(fs::read_link(name(1)).unwrap(), Path::new("nowhere"));
        assert_eq!(names_in(folder.path()), ["f0", "f1", "f2", "f3", "f4"]);
    }
}
