//! What engine's own commands left in the settings files, so that a running session does not take a change by `engine
//! init`, `config set` or `uninstall` for an attack on its hooks.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::client::Snapshot;

use crate::atomic::{self, Durability};
use crate::links::resolve;
use crate::project::Project;
use crate::read::read_string;

fn path(project: &Project) -> PathBuf {
    project.own_state_folder().join("wiring.json")
}

/// By the real path of the settings file.
pub fn read(project: &Project) -> BTreeMap<PathBuf, Snapshot> {
    let text = read_string(&path(project)).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Notes how a settings file is about to be written.
pub fn note(project: &Project, settings: &Path, snapshot: Snapshot) -> io::Result<()> {
    let mut wiring = read(project);
    wiring.insert(resolve(settings), snapshot);
    Project::make_local(&project.own_state_folder())?;
    atomic::replace(&path(project), &serde_json::to_vec(&wiring)?, Durability::Process)
}

#[cfg(test)]
mod tests {
    use fs_err as fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_was_left_is_noted_by_the_real_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let project = Project::at(&root);
        assert_eq!(read(&project), BTreeMap::new());
        assert!(!project.folder().exists(), "who looks makes nothing");
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        let wired =
            Snapshot { entries: Vec::new(), env: [("ENGINE_OFF".to_owned(), "\"1\"".to_owned())].into() };
        note(&project, &root.join("link/settings.json"), wired.clone()).unwrap();
        note(&project, &root.join("other.json"), Snapshot::default()).unwrap();
        let expected: BTreeMap<PathBuf, Snapshot> =
            [(root.join("real/settings.json"), wired), (root.join("other.json"), Snapshot::default())].into();
        assert_eq!(read(&project), expected);
        // The last one counts.
        note(&project, &root.join("real/settings.json"), Snapshot::default()).unwrap();
        assert_eq!(read(&project)[&root.join("real/settings.json")], Snapshot::default());
        assert_eq!(fs::metadata(path(&project)).unwrap().permissions().mode() & 0o7777, 0o600);
    }

    #[test]
    fn what_is_damaged_tells_nothing_and_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        note(&project, Path::new("/a.json"), Snapshot::default()).unwrap();
        for text in [&b"{"[..], b"", b"[1]", b"\xff"] {
            fs::write(path(&project), text).unwrap();
            assert_eq!(read(&project), BTreeMap::new());
        }
        note(&project, Path::new("/b.json"), Snapshot::default()).unwrap();
        assert_eq!(read(&project).into_keys().collect::<Vec<_>>(), [PathBuf::from("/b.json")]);
        fs::remove_dir_all(project.folder()).unwrap();
        fs::write(project.folder(), "a file in the folder's place").unwrap();
        note(&project, Path::new("/a.json"), Snapshot::default()).unwrap_err();
        assert_eq!(fs::read_to_string(project.folder()).unwrap(), "a file in the folder's place");
    }
}
