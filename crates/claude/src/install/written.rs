//! The files that init writes in a project. A manifest comes with a clone and may name any file, so uninstall restores only these.

use std::path::{Component, Path, PathBuf};

use engine_store::git;
use engine_store::links::resolve;
use engine_store::project::Project;

use super::merge::ATTRIBUTES;
use super::{Scope, client_home, settings_file};

/// The client's folder in a project. In the person's home it is [`client_home`].
pub(super) const CLIENT_FOLDER: &str = ".claude";
/// Below the client's folder.
pub(super) const SKILLS: &str = "skills";
pub(super) const AGENTS: &str = "agents";
pub(super) const FRAGMENT: &str = "engine/execute-rule.md";
/// The file that imports the fragment.
pub(super) const INSTRUCTIONS: &str = "CLAUDE.md";

/// Why a file of a manifest is not restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unrestorable {
    NotOurs,
    LeadsOut,
}

impl Unrestorable {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::NotOurs => "which engine init does not write",
            Self::LeadsOut => "which is behind a link that leads out of the project",
        }
    }
}

/// Why a file must not be restored from the project's manifest, if it must not.
pub(super) fn unrestorable(project: &Project, path: &Path) -> Option<Unrestorable> {
    let root = project.root();
    if !path.starts_with(root) {
        return Some(Unrestorable::NotOurs);
    }
    // The repository may begin above the project, so this path alone may have a `..`, and git says where it is.
    if path.ends_with("info/exclude") && exclude_file(root).as_deref() == Some(path) {
        return None;
    }
    if !is_written(project, path) {
        return Some(Unrestorable::NotOurs);
    }
    (!resolve(path).starts_with(resolve(root))).then_some(Unrestorable::LeadsOut)
}

/// Whether a path is one of the settings files of a project, or that of the person.
pub(super) fn is_settings(project: &Project, path: &Path) -> bool {
    Scope::ALL.iter().any(|scope| settings_file(project.root(), *scope).as_deref() == Some(path))
}

fn is_written(project: &Project, path: &Path) -> bool {
    let root = project.root();
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let is_settings = is_settings(project, path);
    let is_below = |folder: &Path| {
        let is_skill = path.strip_prefix(folder.join(SKILLS)).is_ok_and(|rest| rest.components().count() > 1);
        let is_agent = path.parent() == Some(&folder.join(AGENTS));
        is_skill || is_agent || path == folder.join(FRAGMENT)
    };
    let home = client_home();
    let instructions = [Some(root), home.as_deref()].into_iter().flatten();
    !goes_up
        && (is_settings
            || path == project.config_file()
            || path == root.join(ATTRIBUTES)
            || is_below(&root.join(CLIENT_FOLDER))
            || home.as_deref().is_some_and(is_below)
            || instructions.map(|folder| folder.join(INSTRUCTIONS)).any(|file| file == path))
}

/// The repository's private ignore list.
pub(super) fn exclude_file(root: &Path) -> Option<PathBuf> {
    let exclude = git::text(root, &["rev-parse", "--git-path", "info/exclude"])?;
    Some(root.join(exclude.trim()))
}

#[cfg(test)]
mod tests {
    use fs_err as fs;

    use super::*;

    #[test]
    fn only_what_init_writes_is_restored_and_not_through_a_link_that_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let root = top.join("project");
        fs::create_dir_all(root.join(".claude/agents")).unwrap();
        fs::create_dir_all(top.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), root.join(".claude/skills")).unwrap();
        std::os::unix::fs::symlink("agents", root.join(".claude/engine")).unwrap();
        let project = Project::at(&root);
        let ours = [
            ".engine/config.toml",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/agents/reviewer.md",
            ".claude/engine/execute-rule.md",
            "CLAUDE.md",
            ".gitattributes",
        ];
        for path in ours {
            assert_eq!(unrestorable(&project, &root.join(path)), None, "{path}");
        }
        let foreign = [
            "",
            "README.md",
            "src/CLAUDE.md",
            "sub/.gitattributes",
            ".git/config",
            ".git/info/exclude",
            ".git/hooks/pre-commit",
            ".engine/policy.toml",
            ".claude/skills/SKILL.md",
            ".claude/agents/deep/x.md",
            ".claude/agents/../../Makefile",
            ".claude/skills/x/../../../Makefile",
            "../project/CLAUDE.md",
            "../home/.bashrc",
            "/etc/passwd",
        ];
        for path in foreign {
            let found = unrestorable(&project, &root.join(path));
            assert_eq!(found, Some(Unrestorable::NotOurs), "{path}");
        }
        assert_eq!(unrestorable(&project, Path::new("CLAUDE.md")), Some(Unrestorable::NotOurs));
        let skill = root.join(".claude/skills/x/SKILL.md");
        assert_eq!(unrestorable(&project, &skill), Some(Unrestorable::LeadsOut));
    }
}
