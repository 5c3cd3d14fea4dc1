//! The engine's program on this machine, and files by their identity.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What the program is called where it is installed.
const NAME: &str = "engine";

/// The folders along PATH.
pub fn folders() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Where the program is: as it runs, as it was started, and everywhere along PATH.
pub fn places() -> Vec<PathBuf> {
    let started = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let found = folders().into_iter().map(|folder| folder.join(NAME)).filter(|path| path.is_file());
    let mut places: Vec<PathBuf> =
        std::env::current_exe().ok().into_iter().chain(started).chain(found).collect();
    places.sort();
    places.dedup();
    places
}

/// The program that a name starts in a folder: the first along PATH.
pub fn on_path(name: &str, folder: &Path) -> Option<PathBuf> {
    folders().into_iter().map(|place| folder.join(place).join(name)).find(|path| is_executable(path))
}

/// Whether a path is a program that somebody may run.
pub fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0)
}

/// The name under which it runs.
pub fn name() -> Option<OsString> {
    Some(std::env::current_exe().ok()?.file_name()?.to_owned())
}

pub fn has_other_names(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.nlink() > 1)
}

pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other, alone] = ["one", "other", "alone"].map(|name| folder.path().join(name));
        std::fs::write(&one, "x").unwrap();
        std::fs::write(&alone, "x").unwrap();
        std::fs::hard_link(&one, &other).unwrap();
        assert!(has_other_names(&one) && has_other_names(&other) && !has_other_names(&alone));
        assert!(!has_other_names(folder.path()) && !has_other_names(&folder.path().join("none")));
        assert!(is_same_file(&one, &other) && !is_same_file(&one, &alone));
        assert!(!is_same_file(&folder.path().join("none"), &folder.path().join("none")));
    }

    #[test]
    fn the_running_program_is_among_the_places() {
        assert!(places().contains(&std::env::current_exe().unwrap()));
        assert_eq!(name().as_deref(), std::env::current_exe().unwrap().file_name());
    }
}
