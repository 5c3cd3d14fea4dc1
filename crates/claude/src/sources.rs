//! The client's settings files: whose each is, and which of them a client reads.
//!
//! Found by experiment (2.1.325). A client reads the project's file of the folder in which it is started, and of no folder above it. It reads
//! the local file of that folder and that of the repository's root, for a linked worktree the root of the main checkout. It reads the
//! person's own file everywhere. So a committed file does not reach a client that is started in a subfolder, and a local one does, if the
//! project is the root of a repository.

use std::path::{Path, PathBuf};

use engine_store::places;
use engine_store::worktree::repository_root;
use serde::{Deserialize, Serialize};

/// Which of the client's settings files holds our hook entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// `.claude/settings.json`, committed: for the whole team.
    Project,
    /// `.claude/settings.local.json`: for you, in this project.
    Local,
    /// `~/.claude/settings.json`: for you, in every project that has an `.engine/`.
    User,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// The client's own folder in the person's home.
pub fn client_home() -> Option<PathBuf> {
    let configured =
        std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    configured.or_else(|| Some(places::home()?.join(".claude")))
}

/// The settings file of a scope.
pub fn settings_file(root: &Path, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(root.join(".claude/settings.json")),
        Scope::Local => Some(root.join(".claude/settings.local.json")),
        Scope::User => Some(client_home()?.join("settings.json")),
    }
}

/// All settings files that can hold hooks for this project. The client may have been started below the
/// project's root and then reads those of its own folder. `repository`: the root of the main checkout, where that is another folder.
pub fn settings_files(root: &Path, repository: Option<&Path>) -> Vec<PathBuf> {
    let client_project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let mut roots = vec![root];
    roots.extend(client_project.as_deref().filter(|folder| folder.is_absolute() && *folder != root));
    let mut files: Vec<PathBuf> = Vec::new();
    for root in roots {
        files.extend([Scope::Project, Scope::Local].iter().filter_map(|scope| settings_file(root, *scope)));
    }
    files.extend(repository.and_then(|repository| settings_file(repository, Scope::Local)));
    files.extend(settings_file(root, Scope::User));
    files
}

/// A settings file that a client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub scope: Scope,
    pub path: PathBuf,
}

/// The settings files that a client reads which is started in a folder, if it is not told otherwise.
pub fn read_in(folder: &Path) -> Vec<Source> {
    let source = |root: &Path, scope| settings_file(root, scope).map(|path| Source { scope, path });
    let repository = repository_root(folder).filter(|repository| repository != folder);
    let mut found: Vec<Source> = Vec::new();
    found.extend(source(folder, Scope::Project));
    found.extend(source(folder, Scope::Local));
    found.extend(repository.and_then(|repository| source(&repository, Scope::Local)));
    found.extend(source(folder, Scope::User));
    found
}

#[cfg(test)]
mod tests {
    use fs_err as fs;

    use super::*;

    #[test]
    fn a_client_reads_the_local_file_of_the_repository_and_the_projects_file_of_its_own_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        for path in ["main/.git/worktrees/w", "main/sub/deep", "w/sub", "none/sub"] {
            fs::create_dir_all(top.join(path)).unwrap();
        }
        fs::write(top.join("main/.git/worktrees/w/commondir"), "../..\n").unwrap();
        let back = format!("{}/w/.git\n", top.display());
        fs::write(top.join("main/.git/worktrees/w/gitdir"), back).unwrap();
        let link = format!("gitdir: {}/main/.git/worktrees/w\n", top.display());
        fs::write(top.join("w/.git"), link).unwrap();
        let read = |folder: &str| -> Vec<String> {
            let sources = read_in(&top.join(folder)).into_iter().filter(|source| source.scope != Scope::User);
            sources.map(|source| source.path.strip_prefix(&top).unwrap().display().to_string()).collect()
        };
        let own = |folder: &str| {
            vec![format!("{folder}/.claude/settings.json"), format!("{folder}/.claude/settings.local.json")]
        };
        let with_main = |folder: &str| {
            let mut files = own(folder);
            files.push("main/.claude/settings.local.json".to_owned());
            files
        };
        assert_eq!(read("main"), own("main"));
        assert_eq!(read("main/sub/deep"), with_main("main/sub/deep"));
        assert_eq!(read("w"), with_main("w"));
        assert_eq!(read("w/sub"), with_main("w/sub"));
        assert_eq!(read("none/sub"), own("none/sub"));
    }
}
