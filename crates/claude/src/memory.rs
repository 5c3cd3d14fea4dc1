//! Where the client keeps its built-in memory of a project, as seen by experiment: `projects/NAME/memory/` in its own folder, where the name is
//! made of the path of the repository (of its main worktree, wherever in it the client was started), or of the folder where there is none.

use std::path::{Path, PathBuf};

use engine_store::git;
use fs_err as fs;

use crate::transcript;

/// Longer names are cut, and end with a number that only the client makes.
const LONGEST: usize = 200;

/// The file that every conversation begins with. It need not be there.
pub fn index(root: &Path) -> Option<PathBuf> {
    let projects = transcript::folder()?;
    let name = name(&repository(root).unwrap_or_else(|| root.to_owned()));
    let folder = match name.get(..LONGEST).filter(|_| name.len() > LONGEST) {
        None => projects.join(&name),
        Some(begin) => fs::read_dir(&projects).ok()?.flatten().map(|entry| entry.path()).find(|path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begin))
        })?,
    };
    Some(folder.join("memory/MEMORY.md"))
}

/// The main worktree of the repository that a folder is in.
fn repository(folder: &Path) -> Option<PathBuf> {
    let common = git::text(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    Some(Path::new(common.trim_end()).parent()?.to_owned())
}

/// Every UTF-16 unit but ASCII letters and digits is a hyphen.
fn name(path: &Path) -> String {
    let unit = |unit: u16| {
        let letter = u8::try_from(unit).map(char::from).ok();
        letter.filter(char::is_ascii_alphanumeric).unwrap_or('-')
    };
    path.to_string_lossy().encode_utf16().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders() {
        for (path, expected) in
            [("/home/dev/my_app.rs", "-home-dev-my-app-rs"), ("/é/x y", "---x-y"), ("/🦀", "---")]
        {
            assert_eq!(name(Path::new(path)), expected, "{path}");
        }
    }
}
