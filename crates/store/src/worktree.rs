//! The worktrees of a git repository, by the files that git keeps: no git is run.

use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::links::resolve;
use crate::read::read_small;

/// Where a folder is in its repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The root of the repository's main checkout; of a submodule, its own root.
    pub(crate) repository: Option<PathBuf>,
    /// The folder of the main checkout that corresponds to this one of a linked worktree.
    pub(crate) main: Option<PathBuf>,
}

/// Where a folder is in its repository.
pub(crate) fn place(folder: &Path) -> Place {
    for worktree in folder.ancestors() {
        let here = || Some(worktree.to_owned());
        // Most often it cannot be read as a file, and the error is not shown.
        let link = match read_small(&worktree.join(".git")) {
            Ok(link) => link,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            // A directory: an ordinary checkout.
            Err(_) => return Place { repository: here(), main: None },
        };
        let common = common_of(worktree, &link);
        let main = common.as_deref().filter(|common| common.ends_with(".git")).and_then(Path::parent);
        let Some(main) = main else { return Place { repository: here(), main: None } };
        let repository = main.to_owned();
        let below = folder.strip_prefix(worktree).ok().filter(|below| !below.as_os_str().is_empty());
        let main = below.map_or_else(|| repository.clone(), |below| repository.join(below));
        return Place { repository: Some(repository), main: Some(main) };
    }
    Place::default()
}

/// The folder of the main checkout that corresponds to `folder` of a linked worktree; nothing elsewhere.
pub fn main_checkout(folder: &Path) -> Option<PathBuf> {
    place(folder).main
}

/// The root of the main checkout of the repository around a folder; in a submodule, its own root.
pub fn repository_root(folder: &Path) -> Option<PathBuf> {
    place(folder).repository
}

/// Whether a real path lies in the folder of another worktree that corresponds to `folder` of this one.
pub(crate) fn is_in_another(folder: &Path, path: &Path) -> bool {
    counterpart(folder, path).is_some()
}

/// The folder of another worktree that corresponds to `folder` of this one, if a real path lies in it.
pub(crate) fn counterpart(folder: &Path, path: &Path) -> Option<PathBuf> {
    let folder = resolve(folder);
    let ((own, ours), (other, theirs)) = top(&folder).zip(path.parent().and_then(top))?;
    let other_folder = other.join(folder.strip_prefix(&own).ok()?);
    (own != other && ours == theirs && path.starts_with(&other_folder)).then_some(other_folder)
}

/// Whether the repository of a main checkout has linked worktrees.
pub(crate) fn has_linked(main: &Path) -> bool {
    let git = main.ancestors().map(|up| up.join(".git")).find(|git| git.exists());
    git.is_some_and(|git| fs::read_dir(git.join("worktrees")).is_ok_and(|mut names| names.next().is_some()))
}

/// The worktree that a folder lies in, and where git keeps what is common to all of them.
fn top(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = folder.ancestors().find(|up| up.join(".git").exists())?;
    let git = top.join(".git");
    let common =
        if git.is_dir() { fs::canonicalize(git).ok()? } else { common_of(top, &read_small(&git).ok()?)? };
    Some((top.to_owned(), common))
}

/// Where the `.git` of a linked worktree, which is a file, leads. The repository must know the worktree in its turn: anybody can
/// write such a file, and what belongs to one worktree counts in all.
fn common_of(worktree: &Path, link: &str) -> Option<PathBuf> {
    let git_dir = worktree.join(link.strip_prefix("gitdir:")?.trim());
    // Submodules have such a file too, but no `commondir`.
    let common = read_small(&git_dir.join("commondir")).ok()?;
    let back = read_small(&git_dir.join("gitdir")).ok()?;
    let is_known = resolve(&git_dir.join(back.trim())) == resolve(&worktree.join(".git"));
    if is_known { fs::canonicalize(git_dir.join(common.trim())).ok() } else { None }
}
