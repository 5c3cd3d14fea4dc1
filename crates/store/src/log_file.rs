//! A session's log on disk: entries appended whole, also by many processes at once.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_core::log;
use fs_err as fs;
use fs_err::{File, OpenOptions};

use crate::atomic::{self, Durability};
use crate::lock;
use crate::regular;

/// How much of the end tells whether a blank line is there.
const END: u64 = 4;

/// How the name of a log ends.
const ENDING: &str = "_LOG.md";

/// The logs in a work session's folder, by name.
pub fn all(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_log = |path: &PathBuf| path.to_string_lossy().ends_with(ENDING) && path.is_file();
    let mut logs: Vec<PathBuf> =
        fs::read_dir(folder)?.flatten().map(|entry| entry.path()).filter(is_log).collect();
    logs.sort();
    Ok(logs)
}

/// Adds an entry, with a blank line before it. One write, so that a killed process leaves all of it or nothing.
pub fn append(path: &Path, entry: &str) -> io::Result<()> {
    let mut file = locked(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let bytes = format!("{}{entry}", log::gap(&end_of(&mut file, length)?));
    let written = file.write_all(bytes.as_bytes());
    if written.is_err() {
        // A full disk must not leave a part of an entry behind.
        let _ = file.set_len(length);
    }
    written
}

/// Puts a text in the place of the whole file.
pub fn overwrite(path: &Path, text: &str) -> io::Result<()> {
    let held = locked(path)?;
    atomic::replace(path, text.as_bytes(), Durability::Disk)?;
    drop(held);
    Ok(())
}

/// The file, made if need be, and locked. Its folder may be a link, and whoever replaced the file meanwhile left us with
/// the old one: then it is opened again.
pub(crate) fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = regular::open(OpenOptions::new().read(true).append(true).create(true), path)?;
        lock::acquire(&file, lock::CROWD)?;
        if is_same(&file, path)? {
            return Ok(file);
        }
    }
}

fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn end_of(file: &mut File, length: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn entries_stand_apart_by_a_blank_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A_LOG.md");
        for (there, expected) in [
            ("", "## B\n"),
            ("# Log", "# Log\n\n## B\n"),
            ("# Log\n", "# Log\n\n## B\n"),
            ("# Log\r\n\r\n", "# Log\r\n\r\n## B\n"),
        ] {
            fs::write(&path, there).unwrap();
            append(&path, "## B\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{there:?}");
        }
        overwrite(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(append(&folder.path().join("no/x.md"), "").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn logs_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["B_LOG.md", "A_LOG.md", "LOG.md", "A_LOG.txt", "notes.md"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("C_LOG.md")).unwrap();
        assert_eq!(
            all(folder.path()).unwrap(),
            ["A_LOG.md", "B_LOG.md"].map(|name| folder.path().join(name))
        );
        assert_eq!(all(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn many_at_once_add_whole_entries() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A_LOG.md");
        std::thread::scope(|scope| {
            for writer in 0..6 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..5 {
                        append(path, &format!("## {writer}-{number}\ntext\n")).unwrap();
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        let mut entries: Vec<&str> = text.split("\n\n").map(str::trim_end).collect();
        entries.sort_unstable();
        let expected: Vec<String> = (0..6)
            .flat_map(|writer| (0..5).map(move |number| format!("## {writer}-{number}\ntext")))
            .collect();
        assert_eq!(entries, expected);
    }

    #[test]
    fn whoever_waited_for_a_file_that_was_replaced_writes_into_the_new_one() {
        use std::os::unix::fs::PermissionsExt;
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A_LOG.md");
        fs::write(&path, "old\n").unwrap();
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let held = locked(&path).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| append(&path, "## late\n"));
            atomic::replace(&path, b"new\n", Durability::Disk).unwrap();
            drop(held);
            waiting.join().unwrap().unwrap();
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n\n## late\n");
        overwrite(&path, "all new\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "all new\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        // A file that is gone while it is held is made again.
        let held = locked(&path).unwrap();
        fs::remove_file(&path).unwrap();
        append(&path, "## again\n").unwrap();
        drop(held);
        assert_eq!(fs::read_to_string(&path).unwrap(), "## again\n");
    }
}
