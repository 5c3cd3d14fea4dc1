//! Which files are the project's own. A repository can ship symbolic links, and an agent makes links of both kinds, so a name below
//! the root may be a person's key:
//!
//! ```text
//! .engine/context/CORE.md -> ~/.ssh/id_rsa
//! session.md -> .env
//! .engine/state -> ~/.docker
//! ```
//!
//! A path stays inside if its real path is below the project's root, or below the corresponding folder of another worktree of the same
//! repository. `sessions/` may be a link to another disk: what is in a work session there stays inside as long as it does not lead out
//! of that folder. What is inside and has the name of a secret (policy pack secrets) is refused all the same, and so is a hard link to
//! a known secret.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_core::policy::{ENV_FILES, SHADOW, is_secret, secrets_of_home};
use engine_core::work::name;

use crate::links::resolve;
use crate::places;
use crate::worktree;

/// The folder that makes a project.
pub const FOLDER: &str = ".engine";

/// Why a file is neither injected nor written. `real` is where `path` leads; `data` belongs to what is there, if anything is. Where a
/// link leads is not said: whoever ships the link chose the words, and a model reads them.
pub(crate) fn refusal(root: &Path, path: &Path, real: &Path, data: Option<&Metadata>) -> Option<String> {
    let instead = "put a file of its own in its place";
    if !is_inside(root, path, real) {
        return Some(format!("it is a link that leads out of the project; {instead}"));
    }
    let home = places::home().map(|home| resolve(&home));
    if is_secret(&real.to_string_lossy(), home.as_deref().and_then(Path::to_str)) {
        let lead = if real == path { "it" } else { "it is a link to a file that" };
        return Some(format!("{lead} has the name of a file with secrets; {instead}"));
    }
    let data = data.filter(|data| has_other_names(data))?;
    if let Some(secret) = secret_with(root, home.as_deref(), data) {
        return Some(format!("it is a hard link to {}, a file with secrets; {instead}", secret.display()));
    }
    let is_ours = |uid: u32| data.uid() == uid;
    let is_known = is_ours(rustix::process::geteuid().as_raw())
        || fs::metadata(root).is_ok_and(|root| is_ours(root.uid()));
    (!is_known).then(|| format!("it is a hard link to a file of another user; {instead}"))
}

/// Whether a file has more than one name on its disk.
pub(crate) fn has_other_names(data: &Metadata) -> bool {
    data.is_file() && data.nlink() > 1
}

fn is_inside(root: &Path, path: &Path, real: &Path) -> bool {
    // The root as it is written is most often its real path.
    real.starts_with(root)
        || real.starts_with(resolve(root))
        || is_in_work(root, path, real)
        || worktree::is_in_another(root, real)
}

/// Whether a path names something in a work session, and leads to it wherever `sessions/` is.
fn is_in_work(root: &Path, path: &Path, real: &Path) -> bool {
    let sessions = root.join(name::FOLDER);
    let Ok(below) = path.strip_prefix(&sessions) else { return false };
    let work = below.components().next().and_then(|work| work.as_os_str().to_str());
    let is_work = work.is_some_and(|work| name::check(work).is_ok());
    is_work && work.is_some_and(|work| real.starts_with(resolve(&sessions).join(work)))
}

/// The known secret that is the same file.
fn secret_with(root: &Path, home: Option<&Path>, data: &Metadata) -> Option<PathBuf> {
    let of_home = home.into_iter().flat_map(|home| secrets_of_home().map(|name| home.join(name)));
    let keys = home.and_then(|home| fs::read_dir(home.join(".ssh")).ok()).into_iter().flatten().flatten();
    let is_key = |path: &PathBuf| is_secret(&path.to_string_lossy(), home.and_then(Path::to_str));
    let keys = keys.map(|key| key.path()).filter(is_key);
    let of_project = ENV_FILES.iter().map(|name| root.join(name));
    let is_same = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|secret| (secret.dev(), secret.ino()) == (data.dev(), data.ino()))
    };
    of_home.chain(keys).chain(of_project).chain([PathBuf::from(SHADOW)]).find(is_same)
}

/// The root of the project whose `.engine/` a path lies in.
pub(crate) fn project_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|up| up.file_name().is_some_and(|name| name == FOLDER))?.parent()
}

/// Refuses a folder of the engine's own files that leads out of the project: what is written there by name may replace a person's file.
/// Folders that belong to no project are the person's.
pub(crate) fn keeps(folder: &Path) -> io::Result<()> {
    let Some(root) = project_of(folder) else { return Ok(()) };
    let below = folder.ancestors().take_while(|up| *up != root);
    let Some(link) = below.filter(|up| up.is_symlink()).last() else { return Ok(()) };
    let real = resolve(folder);
    if is_inside(root, folder, &real) {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{} is a link that leads out of the project; put a folder in its place",
        link.display()
    )))
}

/// The same for the folder of a file.
pub(crate) fn keeps_file(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), keeps)
}
