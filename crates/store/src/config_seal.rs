//! How the configuration stood when the engine's own commands wrote it last, or when a person was last told of a change. What changes it otherwise
//! (an editor, git, a program of the agent) is told once.
//!
//! `state/seals/` has one file per configuration: worktrees share the state and have a `config.toml` each. It holds size and time of change of
//! each file, which cost little to compare, and the sum of their texts.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use engine_text::line::{fingerprint, seal};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_string;
use crate::{places, policy_file};

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sealed {
    stamps: Vec<Option<(u64, i64, i64)>>,
    sum: String,
}

fn files(project: &Project) -> Vec<PathBuf> {
    let mut files = vec![project.config_file(), policy_file::path(project)];
    files.extend(places::user_config());
    files
}

fn stamps(files: &[PathBuf]) -> Vec<Option<(u64, i64, i64)>> {
    let stamp =
        |file: &PathBuf| fs::metadata(file).ok().map(|data| (data.len(), data.ctime(), data.ctime_nsec()));
    files.iter().map(stamp).collect()
}

fn sum(files: &[PathBuf]) -> String {
    let texts: Vec<String> = files.iter().map(|file| read_string(file).unwrap_or_default()).collect();
    seal(texts.join("\0").as_bytes())
}

fn path(project: &Project) -> PathBuf {
    let name = fingerprint(&project.config_file().to_string_lossy());
    project.state_folder().join("seals").join(name)
}

/// Whether something else than the engine's commands has changed the configuration since it was sealed. Where nothing was, nothing is known.
pub fn is_broken(project: &Project) -> bool {
    let Some(kept) =
        read_string(&path(project)).ok().and_then(|text| serde_json::from_str::<Sealed>(&text).ok())
    else {
        return false;
    };
    let files = files(project);
    kept.stamps != stamps(&files) && kept.sum != sum(&files)
}

/// Seals the configuration as it is. A seal that cannot be written is none: nothing rests on it.
pub fn renew(project: &Project) {
    let files = files(project);
    let sealed = Sealed { stamps: stamps(&files), sum: sum(&files) };
    let text = serde_json::to_string(&sealed).unwrap_or_default();
    let _ = Project::make_local(&project.state_folder().join("seals"))
        .and_then(|()| atomic::replace(&path(project), text.as_bytes(), Durability::Process));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_changes_breaks_the_seal() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        std::fs::create_dir_all(project.folder()).unwrap();
        assert!(!is_broken(&project), "nothing was sealed");
        std::fs::write(project.config_file(), "a = 1\n").unwrap();
        renew(&project);
        assert!(!is_broken(&project));
        std::fs::write(project.config_file(), "a = 1\n").unwrap();
        assert!(!is_broken(&project), "the same text");
        std::fs::write(project.config_file(), "a = 2\n").unwrap();
        assert!(is_broken(&project));
        renew(&project);
        std::fs::write(policy_file::path(&project), "[[rule]]\n").unwrap();
        assert!(is_broken(&project));
        std::fs::remove_file(policy_file::path(&project)).unwrap();
        assert!(!is_broken(&project));
        std::fs::remove_file(project.config_file()).unwrap();
        assert!(is_broken(&project));
        std::fs::write(path(&project), "damaged").unwrap();
        assert!(!is_broken(&project));
    }
}
