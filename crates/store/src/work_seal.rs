//! Tells whether the state of a work session is the one that the engine wrote last. People keep `sessions/` under git, and git takes files away
//! (`git stash -u`) or puts old ones back (`git restore --source`).
//!
//! The seal, `NAME.PLACE.seal` beside the lock, is local, and worktrees that share the state have one each. It has a line for each content that is accepted: the
//! one written last; while that is being written, and after a kill, also the one before it.

use std::io;
use std::path::{Path, PathBuf};

use engine_text::line::{fingerprint, seal};
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::{read_bytes, read_string};

/// Stands for a state that does not exist.
const NONE: &str = "none";

/// A state that the engine did not write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// What is there in its place: a fingerprint, or [`NONE`].
    found: String,
}

impl Breach {
    pub fn is_missing(&self) -> bool {
        self.found == NONE
    }

    /// What a person agrees to who goes on with it.
    pub fn found(&self) -> &str {
        &self.found
    }

    /// What happened to `file`.
    pub fn told(&self, file: &str) -> String {
        if self.is_missing() {
            format!("{file} is gone, and engine did not remove it")
        } else {
            format!("{file} is not what engine wrote last; git or another program has changed it")
        }
    }
}

/// The seal of one state. Whoever uses it holds the lock of the state.
pub(crate) struct Seal {
    path: PathBuf,
    file: PathBuf,
    /// What lies elsewhere is out of git's reach, and other machines may write it.
    is_linked: bool,
}

impl Seal {
    pub(crate) fn new(project: &Project, name: &str, folder: &Path) -> Self {
        let place = fingerprint(&folder.to_string_lossy());
        let path = project.state_folder().join("work").join(format!("{name}.{place}.seal"));
        let is_linked = folder.is_symlink() || folder.parent().is_some_and(Path::is_symlink);
        Self { path, file: folder.join("state.json"), is_linked }
    }

    fn accepted(&self) -> Vec<String> {
        read_string(&self.path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// `None` for a file that cannot be read.
    fn found(&self) -> Option<String> {
        match read_bytes(&self.file) {
            Ok(bytes) => Some(seal(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(NONE.to_owned()),
            Err(_) => None,
        }
    }

    /// What something else than the engine has done. Where nothing was sealed, nothing is known.
    pub(crate) fn breach(&self) -> Option<Breach> {
        let accepted = self.accepted();
        let found = self.found().filter(|found| !accepted.is_empty() && !accepted.contains(found))?;
        Some(Breach { found })
    }

    /// Writes a state by `write`. Whatever a kill leaves is accepted.
    pub(crate) fn around(&self, bytes: &[u8], write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if self.is_linked && !self.path.exists() {
            return write();
        }
        let new = seal(bytes);
        let before = self.found().unwrap_or_default();
        self.put(&format!("{new}\n{before}\n"), Durability::Disk)?;
        write()?;
        self.put(&format!("{new}\n"), Durability::Process)
    }

    /// From now on what was found counts. What came after it does not.
    pub(crate) fn accept(&self, breach: &Breach) -> io::Result<()> {
        if self.is_linked {
            return fs::remove_file(&self.path);
        }
        self.put(&format!("{}\n", breach.found), Durability::Disk)
    }

    fn put(&self, accepted: &str, durability: Durability) -> io::Result<()> {
        atomic::replace(&self.path, accepted.as_bytes(), durability)
    }
}

#[cfg(test)]
mod tests {
    use engine_core::work::WorkState;

    use super::*;
    use crate::work_file::WorkFile;

    const NAME: &str = "2026_01_01_LEXER";

    fn described(work: &WorkFile, text: &str) -> io::Result<()> {
        let change = |state: &mut WorkState| {
            state.description = Some(text.to_owned());
            Ok(())
        };
        work.begin(change).map(drop)
    }

    #[test]
    fn what_git_puts_back_or_takes_away_is_a_breach() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let work = WorkFile::new(&project, NAME);
        work.make().unwrap();
        let file = work.folder().join("state.json");
        assert_eq!(work.breach().unwrap(), None, "nothing was sealed");
        described(&work, "one").unwrap();
        let old = fs::read(&file).unwrap();
        described(&work, "two").unwrap();
        let new = fs::read(&file).unwrap();
        assert_eq!(work.breach().unwrap(), None);
        let changed = "sessions/2026_01_01_LEXER/state.json is not what engine wrote last; git or another program has changed it";
        let gone = "sessions/2026_01_01_LEXER/state.json is gone, and engine did not remove it";
        for (bytes, why) in [(Some(&old), changed), (None, gone)] {
            match bytes {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            let breach = work.breach().unwrap().unwrap();
            assert_eq!(
                (breach.is_missing(), breach.told(&work.state_file())),
                (bytes.is_none(), why.to_owned())
            );
            assert_eq!(described(&work, "x").unwrap_err().to_string(), why);
            assert_eq!(work.update(|_| io::Result::Ok(())).unwrap_err().to_string(), why);
            assert_eq!(fs::read(&file).ok().as_ref(), bytes, "nothing was written");
            // Another than the one that was looked at is not accepted.
            fs::write(&file, "{}").unwrap();
            work.accept(&breach).unwrap();
            assert!(work.breach().unwrap().is_some());
            if let Some(bytes) = bytes {
                fs::write(&file, bytes).unwrap();
            } else {
                fs::remove_file(&file).unwrap();
            }
            assert_eq!(work.breach().unwrap(), None);
            // Back again.
            fs::write(&file, &new).unwrap();
            let breach = work.breach().unwrap().unwrap();
            work.accept(&breach).unwrap();
            described(&work, "two").unwrap();
        }
    }

    #[test]
    fn a_kill_between_the_writes_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let work = WorkFile::new(&project, NAME);
        work.make().unwrap();
        let seal = Seal::new(&project, NAME, work.folder());
        Project::make_local(&project.state_folder().join("work")).unwrap();
        let killed = || Err(io::Error::other("killed"));
        seal.around(b"never written", killed).unwrap_err();
        assert_eq!(work.breach().unwrap(), None, "before the first state");
        described(&work, "one").unwrap();
        seal.around(b"never written", killed).unwrap_err();
        assert_eq!(work.breach().unwrap(), None, "the state before it");
        fs::write(work.folder().join("state.json"), "never written").unwrap();
        assert_eq!(work.breach().unwrap(), None, "killed after the state was written");
    }

    #[test]
    fn what_lies_elsewhere_is_not_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        fs::create_dir(folder.path().join("disk")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("disk"), folder.path().join("sessions")).unwrap();
        let work = WorkFile::new(&project, NAME);
        work.make().unwrap();
        described(&work, "one").unwrap();
        fs::write(work.folder().join("state.json"), "{\"version\": 1}").unwrap();
        assert_eq!(work.breach().unwrap(), None);
    }
}
