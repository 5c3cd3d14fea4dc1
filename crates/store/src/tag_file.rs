//! Tags of a file on disk, changed under a lock: of many who swap one tag, one wins.

use std::io;
use std::path::Path;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_if_there;
use crate::reason::at;
use crate::{lock, log_file, task_file, told};

/// The text of a file that must be there.
pub fn read(path: &Path) -> io::Result<String> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "there is no such file");
    read_if_there(path)?.ok_or_else(|| at("read file", path)(missing()))
}

/// Changes the file. `change` gets the text as it is then, and gives the new one, if there is one.
pub fn edit<T, E: From<io::Error>>(
    project: &Project,
    path: &Path,
    change: impl FnOnce(&str) -> Result<(Option<String>, T), E>,
) -> Result<T, E> {
    let held = task_file::hold(project, lock::CROWD)?;
    read(path)?;
    if path.starts_with(project.root()) {
        told::may_write(project.root(), path)?;
    }
    // Whoever logs holds the file itself, and must not be overwritten.
    let appending = log_file::locked(path)?;
    let text = read(path)?;
    let (new, answer) = change(&text)?;
    if let Some(new) = new.filter(|new| *new != text) {
        atomic::replace(path, new.as_bytes(), Durability::Disk)?;
    }
    drop((appending, held));
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn made(text: &str) -> (tempfile::TempDir, Project, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let path = folder.path().join("a.md");
        fs::write(&path, text).unwrap();
        (folder, project, path)
    }

    #[test]
    fn a_file_that_is_not_there_is_not_made() {
        let (folder, project, path) = made("x");
        fs::remove_file(&path).unwrap();
        let missing = edit(&project, &path, |_| Ok::<_, io::Error>((Some("new".into()), ()))).unwrap_err();
        assert_eq!(
            (missing.kind(), missing.to_string()),
            (
                io::ErrorKind::NotFound,
                format!("failed to read file `{}`: there is no such file", path.display())
            )
        );
        assert!(!path.exists());
        assert_eq!(read(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        let odd = read(folder.path()).unwrap_err();
        let folder = folder.path().display();
        assert_eq!(
            (odd.kind(), odd.to_string()),
            (io::ErrorKind::Other, format!("failed to read file `{folder}`: not a file"))
        );
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(
            read(&path).unwrap_err().to_string(),
            format!("failed to read file `{}`: stream did not contain valid UTF-8", path.display())
        );
    }

    #[test]
    fn a_change_is_written_whole_or_not_at_all() {
        let (_folder, project, path) = made("old");
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let inode = || fs::metadata(&path).unwrap().ino();
        let first = inode();
        let answer = edit(&project, &path, |text| Ok::<_, io::Error>((None, text.to_owned()))).unwrap();
        assert_eq!(answer, "old");
        edit(&project, &path, |text| Ok::<_, io::Error>((Some(text.to_owned()), ()))).unwrap();
        let failed = edit(&project, &path, |_| Err::<(_, ()), _>(io::Error::other("no"))).unwrap_err();
        assert_eq!((failed.to_string(), inode()), ("no".to_owned(), first), "the very file is left");
        edit(&project, &path, |_| Ok::<_, io::Error>((Some("new".into()), ()))).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    }

    #[test]
    fn of_many_who_swap_one_tag_one_wins() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let (_folder, project, path) = made("#open");
        let swap = || {
            edit(&project, &path, |text| {
                Ok::<_, io::Error>(if text == "#open" { (Some("#taken".into()), 1) } else { (None, 0) })
            })
        };
        let won: usize = std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| swap().unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!((won, fs::read_to_string(&path).unwrap()), (1, "#taken".to_owned()));
    }

    #[test]
    fn who_logs_and_who_tags_lose_nothing_of_each_other() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let (_folder, project, path) = made("# Log\n");
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let (project, path) = (&project, &path);
                scope.spawn(move || log_file::append(path, &format!("## entry {writer}\n")).unwrap());
                scope.spawn(move || {
                    let mark = |text: &str| Ok::<_, io::Error>((Some(format!("#tag{writer} {text}")), ()));
                    edit(project, path, mark).unwrap();
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        let mut words: Vec<&str> =
            text.split_whitespace().filter(|word| *word != "##" && *word != "entry").collect();
        words.sort_unstable();
        assert_eq!(words, ["#", "#tag0", "#tag1", "#tag2", "0", "1", "2", "Log"]);
    }
}
