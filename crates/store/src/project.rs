//! Which project an event belongs to, and where its files lie.

use std::path::{Path, PathBuf};

use fs_err as fs;

/// The folder that makes a project.
pub const FOLDER: &str = ".engine";

/// A project: the nearest folder with an `.engine/` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    /// Where state and journal are: in a linked git worktree, the main checkout's `.engine/`, so that all
    /// worktrees of a repository share what the engine knows.
    local: PathBuf,
}

impl Project {
    /// The agent's project folder comes first, because the agent's `cwd` may have wandered out of it.
    pub fn open(project_dir: Option<&Path>, cwd: &Path) -> Option<Self> {
        let found = |start: &Path| nearest(start).or_else(|| checkout_of_worktree(start));
        let root = project_dir.filter(|dir| dir.is_absolute()).and_then(found).or_else(|| found(cwd))?;
        let local = main_checkout(&root).filter(|main| main.join(FOLDER).is_dir());
        let local = local.unwrap_or_else(|| root.clone()).join(FOLDER);
        Some(Self { root, local })
    }

    /// The project that `engine init` makes or finds in exactly this folder.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), local: root.join(FOLDER) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    pub fn local_folder(&self) -> &Path {
        &self.local
    }

    pub fn config_file(&self) -> PathBuf {
        self.folder().join("config.toml")
    }

    pub fn state_folder(&self) -> PathBuf {
        self.local.join("state")
    }

    pub fn sessions_folder(&self) -> PathBuf {
        self.local.join("state/sessions")
    }

    /// What the engine knows of plans; beside it lies only what people read.
    pub fn plans_folder(&self) -> PathBuf {
        self.local.join("state/plans")
    }

    /// Texts that were too long for the client, by decision.
    pub fn full_text_folder(&self) -> PathBuf {
        self.local.join("state/full")
    }

    /// What was captured for later: one queue for all worktrees, so that nothing goes with one of them.
    pub fn queue_folder(&self) -> PathBuf {
        self.local.join("queue")
    }

    pub fn journal_folder(&self) -> PathBuf {
        self.local.join("journal")
    }

    /// Makes a folder for local files. It ignores itself, so that git never shows it, whoever makes it.
    pub fn make_local(folder: &Path) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let top = folder.ancestors().find(|up| up.parent().is_some_and(|above| above.ends_with(FOLDER)));
        let ignore = top.unwrap_or(folder).join(".gitignore");
        if ignore.exists() { Ok(()) } else { fs::write(ignore, "*\n") }
    }

    /// State of this very checkout, which worktrees do not share: what was installed into it.
    pub fn own_state_folder(&self) -> PathBuf {
        self.folder().join("state")
    }
}

fn nearest(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(FOLDER).is_dir()).map(Path::to_owned)
}

/// A worktree whose repository does not commit `.engine/` has none of its own: then the main checkout counts.
fn checkout_of_worktree(start: &Path) -> Option<PathBuf> {
    let worktree = start.ancestors().find(|folder| folder.join(".git").exists())?;
    main_checkout(worktree).filter(|main| main.join(FOLDER).is_dir())
}

/// The folder of the main checkout that corresponds to `folder` of a linked worktree; nothing elsewhere.
fn main_checkout(folder: &Path) -> Option<PathBuf> {
    for worktree in folder.ancestors() {
        // Most often it cannot be read as a file, and the error is not shown.
        let link = match std::fs::read_to_string(worktree.join(".git")) {
            Ok(link) => link,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            // A directory: an ordinary checkout.
            Err(_) => return None,
        };
        let git_dir = worktree.join(link.strip_prefix("gitdir:")?.trim());
        // Submodules have such a file too, but no `commondir`.
        let common = fs::read_to_string(git_dir.join("commondir")).ok()?;
        let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
        let main = common.parent().filter(|_| common.ends_with(".git"))?;
        return Some(main.join(folder.strip_prefix(worktree).ok()?));
    }
    None
}
