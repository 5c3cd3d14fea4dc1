//! Which project an event belongs to, and where its files lie.

use std::cell::{Cell, LazyCell};
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::inside;
use crate::links::resolve;
use crate::places;
use crate::regular;
use crate::worktree::{main_checkout, place, repository_root};

/// The folder that makes a project.
pub use crate::inside::FOLDER;

/// In the root.
const CONFIG: &str = ".engine/config.toml";

/// A project: the nearest folder with an `.engine/` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    /// Where state and journal are: in a linked git worktree, the main checkout's `.engine/`, so that all
    /// worktrees of a repository share what the engine knows.
    local: PathBuf,
    /// Where the person's state is, outside the project; looked up once.
    user_state: Option<PathBuf>,
    /// The root of the linked worktree at hand, where `root` is the main checkout because the worktree has no `.engine/`.
    linked: Option<PathBuf>,
    /// There is no `.engine/`, only what the person accepted of it.
    is_gone: bool,
    /// The root of the repository's main checkout, where that is not the root.
    repository: Option<PathBuf>,
}

impl Project {
    /// The agent's project folder comes first, because the agent's `cwd` may have wandered out of it.
    pub fn open(project_dir: Option<&Path>, cwd: &Path) -> Option<Self> {
        let found = Self::open_by(project_dir, cwd, &has_folder)?;
        Some(Self { user_state: places::user_state(), ..found })
    }

    /// The same, and a folder counts, too, whose `.engine/` was accepted and is gone.
    pub fn open_accepted(project_dir: Option<&Path>, cwd: &Path) -> Option<Self> {
        let user_state = places::user_state();
        let state = LazyCell::new(|| user_state.as_deref().filter(|state| places::accepted(state).is_dir()));
        let is_accepted = |root: &Path| state.is_some_and(|state| places::accepted_of(state, root).is_file());
        let is_gone = Cell::new(false);
        let is_project = |root: &Path| {
            let has_folder = has_folder(root);
            let is_accepted = !has_folder && is_accepted(root);
            is_gone.set(is_gone.get() || is_accepted);
            has_folder || is_accepted
        };
        let found = Self::open_by(project_dir, cwd, &is_project).or_else(|| {
            // What was accepted is known by the real path.
            (*state)?;
            let real = |folder: &Path| fs::canonicalize(folder).ok();
            Self::open_by(project_dir.and_then(real).as_deref(), &real(cwd)?, &is_project)
        })?;
        Some(Self { is_gone: is_gone.get(), user_state, ..found })
    }

    fn open_by(project_dir: Option<&Path>, cwd: &Path, is_project: &dyn Fn(&Path) -> bool) -> Option<Self> {
        let nearest = |start: &Path| start.ancestors().find(|folder| is_project(folder)).map(Path::to_owned);
        let found = |start: &Path| {
            let root = nearest(start).or_else(|| checkout_of_worktree(start, is_project))?;
            // Most often the client is started in the root, and no more files are looked at.
            let is_root = start.as_os_str() == root.as_os_str();
            let linked = if is_root { None } else { linked(start, &root) };
            Some((root, linked))
        };
        let (root, linked) =
            project_dir.filter(|dir| dir.is_absolute()).and_then(found).or_else(|| found(cwd))?;
        let place = place(&root);
        let local = place.main.filter(|main| is_project(main));
        let local = local.unwrap_or_else(|| root.clone()).join(FOLDER);
        let repository = place.repository.filter(|repository| *repository != root);
        Some(Self { root, local, linked, user_state: None, is_gone: false, repository })
    }

    /// The project that `engine init` makes or finds in exactly this folder.
    pub fn at(root: &Path) -> Self {
        let user_state = places::user_state();
        let repository = repository_root(root).filter(|repository| repository != root);
        let local = root.join(FOLDER);
        Self { root: root.to_owned(), local, linked: None, user_state, is_gone: false, repository }
    }

    /// The same with the person's state in another folder.
    #[must_use]
    pub fn with_user_state(self, folder: &Path) -> Self {
        Self { user_state: Some(folder.to_owned()), ..self }
    }

    /// The person's state, outside the project.
    pub fn user_state(&self) -> Option<&Path> {
        self.user_state.as_deref()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The main checkout, if this is a linked worktree of it; else the root.
    pub fn main_root(&self) -> &Path {
        self.local.parent().unwrap_or(&self.root)
    }

    /// The root, if this is a linked worktree that shares what the engine knows.
    pub fn worktree(&self) -> Option<&Path> {
        (self.main_root() != self.root).then_some(self.root.as_path())
    }

    /// The root of the worktree at hand, whether it has an `.engine/` or the main checkout's counts there.
    pub fn tree(&self) -> &Path {
        self.linked.as_deref().unwrap_or(&self.root)
    }

    /// The root of the checkout that a file of this project is in.
    pub fn checkout_of(&self, path: &Path) -> &Path {
        if path.starts_with(self.tree()) { self.tree() } else { &self.root }
    }

    /// The root of the repository's main checkout, where that is not the root: of a worktree, or of a project in a folder of a repository.
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// Whether there was no `.engine/` when it was opened.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    pub fn local_folder(&self) -> &Path {
        &self.local
    }

    pub fn config_file(&self) -> PathBuf {
        // Joined at once: a hook asks for it more than once.
        self.root.join(CONFIG)
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

    /// Notes: a folder of this checkout, committed with it.
    pub fn memory_folder(&self) -> PathBuf {
        self.folder().join("memory")
    }

    pub fn journal_folder(&self) -> PathBuf {
        self.local.join("journal")
    }

    /// Makes a folder for local files. It ignores itself, so that git never shows it, whoever makes it.
    pub fn make_local(folder: &Path) -> std::io::Result<()> {
        inside::keeps(folder)?;
        fs::create_dir_all(folder)?;
        let top = folder.ancestors().find(|up| up.parent().is_some_and(|above| above.ends_with(FOLDER)));
        let ignore = top.unwrap_or(folder).join(".gitignore");
        if ignore.exists() { Ok(()) } else { regular::write(&ignore, b"*\n") }
    }

    /// Whether the engine may write its own files here: `.engine/` may be a link that leads out of the project.
    pub fn keeps_local(&self) -> std::io::Result<()> {
        inside::keeps(&self.own_state_folder())
    }

    /// State of this very checkout, which worktrees do not share: what was installed into it.
    pub fn own_state_folder(&self) -> PathBuf {
        self.folder().join("state")
    }
}

fn has_folder(root: &Path) -> bool {
    root.join(FOLDER).is_dir()
}

/// A worktree whose repository does not commit `.engine/` has none of its own: then the main checkout counts.
fn checkout_of_worktree(start: &Path, is_project: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let worktree = start.ancestors().find(|folder| folder.join(".git").exists())?;
    main_checkout(worktree).filter(|main| is_project(main))
}

/// The linked worktree of a repository that a folder lies in, below its main checkout or elsewhere.
fn linked(start: &Path, root: &Path) -> Option<PathBuf> {
    let worktree = start.ancestors().take_while(|up| *up != root).find(|up| up.join(".git").exists())?;
    let main = main_checkout(worktree)?;
    (resolve(&main) == resolve(root)).then(|| worktree.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes folders below a new one, and files where a text is given.
    fn made(paths: &[(&str, Option<&str>)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        for (path, text) in paths {
            let path = top.join(path);
            fs::create_dir_all(if text.is_some() { path.parent().unwrap() } else { &path }).unwrap();
            if let Some(text) = text {
                fs::write(path, text.replace("TOP", &top.display().to_string())).unwrap();
            }
        }
        (folder, top)
    }

    #[test]
    fn the_nearest_folder_counts_and_the_agents_own_first() {
        let (_folder, top) = made(&[
            ("p/.engine", None),
            ("p/src/deep", None),
            ("p/sub/.engine", None),
            ("p/sub/src", None),
            ("q/.engine", None),
            ("none", None),
            ("file/.engine", Some("no folder")),
        ]);
        for (agent, cwd, expected) in [
            (None, "p", Some("p")),
            (None, "p/src/deep", Some("p")),
            (None, "p/sub/src", Some("p/sub")),
            (None, "none", None),
            (None, "file", None),
            (Some("q"), "p/src", Some("q")),
            (Some("p/src"), "q", Some("p")),
            (Some("none"), "q", Some("q")),
        ] {
            let agent = agent.map(|path| top.join(path));
            let found = Project::open(agent.as_deref(), &top.join(cwd));
            let expected = expected.map(|root| Project::at(&top.join(root)));
            assert_eq!(found, expected, "{agent:?} {cwd}");
        }
        let relative = Project::open(Some(Path::new("q")), &top.join("p"));
        assert_eq!(relative, Some(Project::at(&top.join("p"))), "a relative folder is no one's");
    }

    #[test]
    fn worktrees_share_what_the_engine_knows() {
        let (_folder, top) = made(&[
            ("main/.engine", None),
            ("main/.git/worktrees/w/commondir", Some("../..\n")),
            ("main/.git/worktrees/w/gitdir", Some("TOP/w/.git\n")),
            ("main/part/.engine", None),
            ("w/.git", Some("gitdir: TOP/main/.git/worktrees/w\n")),
            ("w/.engine", None),
            ("w/part/.engine", None),
            ("w/src", None),
            // Its branch has no folder of engine.
            ("main/.git/worktrees/bare/commondir", Some("../..\n")),
            ("main/.git/worktrees/bare/gitdir", Some("../../../../bare/.git\n")),
            ("bare/.git", Some("gitdir: ../main/.git/worktrees/bare\n")),
            ("bare/src", None),
            ("main/.git/worktrees/below/commondir", Some("../..\n")),
            ("main/.git/worktrees/below/gitdir", Some("TOP/main/.trees/below/.git\n")),
            ("main/.trees/below/.git", Some("gitdir: TOP/main/.git/worktrees/below\n")),
            ("main/.trees/below/src", None),
            ("main/plain/src", None),
            // A repository whose main checkout has none.
            ("plain/.git/worktrees/x/commondir", Some("../..\n")),
            ("plain/.git/worktrees/x/gitdir", Some("TOP/x/.git\n")),
            ("x/.git", Some("gitdir: TOP/plain/.git/worktrees/x\n")),
            ("x/.engine", None),
            // A submodule, a file that is none of git's, a bare repository.
            ("module/.git", Some("gitdir: TOP/main/.git/modules/m\n")),
            ("main/.git/modules/m", None),
            ("module/.engine", None),
            ("odd/.git", Some("nothing\n")),
            ("odd/.engine", None),
            ("store.git/worktrees/y/commondir", Some("../..\n")),
            ("store.git/worktrees/y/gitdir", Some("TOP/y/.git\n")),
            ("y/.git", Some("gitdir: TOP/store.git/worktrees/y\n")),
            ("y/.engine", None),
            // A file that names a worktree of a repository that does not know it.
            ("forged/.git", Some("gitdir: TOP/main/.git/worktrees/w\n")),
            ("forged/.engine", None),
        ]);
        for (cwd, root, local) in [
            ("main", "main", "main"),
            ("w", "w", "main"),
            ("w/src", "w", "main"),
            ("w/part", "w/part", "main/part"),
            ("bare", "main", "main"),
            ("bare/src", "main", "main"),
            ("main/plain/src", "main", "main"),
            ("x", "x", "x"),
            ("module", "module", "module"),
            ("odd", "odd", "odd"),
            ("y", "y", "y"),
            ("forged", "forged", "forged"),
        ] {
            let project = Project::open(None, &top.join(cwd)).unwrap();
            let expected = (top.join(root), top.join(local).join(FOLDER));
            assert_eq!((project.root().to_owned(), project.local_folder().to_owned()), expected, "{cwd}");
            let tree = cwd.split('/').next().filter(|tree| *tree == "bare").unwrap_or(root);
            assert_eq!(project.tree(), top.join(tree), "{cwd}");
            let local = top.join(local).join(FOLDER);
            assert_eq!(
                [project.folder(), project.config_file(), project.own_state_folder()],
                [".engine", ".engine/config.toml", ".engine/state"].map(|path| top.join(root).join(path)),
                "{cwd}: its own"
            );
            assert_eq!(
                [
                    project.state_folder(),
                    project.sessions_folder(),
                    project.plans_folder(),
                    project.full_text_folder(),
                    project.queue_folder(),
                    project.journal_folder(),
                ],
                ["state", "state/sessions", "state/plans", "state/full", "queue", "journal"]
                    .map(|path| local.join(path)),
                "{cwd}: shared"
            );
        }
        let below = top.join("main/.trees/below");
        let project = Project::open(Some(&below), &below.join("src")).unwrap();
        assert_eq!((project.root(), project.tree()), (top.join("main").as_path(), below.as_path()));
    }

    #[test]
    fn local_folders_ignore_themselves() {
        let (_folder, top) = made(&[("p/.engine", None), ("kept/.engine/state/.gitignore", Some("mine\n"))]);
        for (folder, ignore) in [
            ("p/.engine/state/sessions", "p/.engine/state/.gitignore"),
            ("p/.engine/journal", "p/.engine/journal/.gitignore"),
            ("elsewhere/a", "elsewhere/a/.gitignore"),
        ] {
            Project::make_local(&top.join(folder)).unwrap();
            assert!(top.join(folder).is_dir());
            assert_eq!(fs::read_to_string(top.join(ignore)).unwrap(), "*\n", "{folder}");
        }
        assert!(!top.join("p/.engine/state/sessions/.gitignore").exists());
        Project::make_local(&top.join("kept/.engine/state/plans")).unwrap();
        assert_eq!(fs::read_to_string(top.join("kept/.engine/state/.gitignore")).unwrap(), "mine\n");
    }
}
