//! The state of agent sessions: one file each, changed under the session's own lock.

use std::io;
use std::path::Path;
use std::time::Duration;

use engine_core::session::SessionState;
use engine_core::versioned::Unusable;
use engine_text::line::fingerprint;
use fs_err as fs;

use crate::atomic::Durability;
use crate::lock;
use crate::mark::{self, Mark};
use crate::process::{self, Life};
use crate::record::{Layout, Record, SetAside, Versioned};

impl Versioned for SessionState {
    const LAYOUT: Layout = Layout::Compact;
    const DURABILITY: Durability = Durability::Process;

    fn parse(text: &str) -> Result<Self, Unusable> {
        Self::parse(text)
    }
}

/// The file of one session.
pub struct SessionFile {
    record: Record<SessionState>,
}

impl SessionFile {
    pub fn new(sessions_folder: &Path, session: &str) -> Self {
        let name = file_name(session);
        let path = sessions_folder.join(&name);
        Self { record: Record::new(name, path, lock::HOOK) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.record.path()
    }

    /// The state as it is, without the lock: for rules, which only look. An unusable file reads as a new
    /// session; the next change sets it aside.
    pub fn peek(&self) -> SessionState {
        self.record.peek().and_then(Result::ok).unwrap_or_default()
    }

    /// Whether there is a file that cannot be read.
    pub fn is_damaged(&self) -> bool {
        matches!(self.record.peek(), Some(Err(_)))
    }

    /// Whether it is bound to a work session, by the mark beside the file.
    pub fn is_bound(&self) -> bool {
        Mark::Work.is_beside(self.record.path())
    }

    /// Whether it has an open plan or must make one, by the mark beside the file.
    pub fn has_plan(&self) -> bool {
        Mark::Plan.is_beside(self.record.path())
    }

    /// Whether it waits for a person's word or has used one, by the mark beside the file.
    pub fn has_approvals(&self) -> bool {
        Mark::Approval.is_beside(self.record.path())
    }

    /// How long ago it was changed; `None` if there is no file.
    pub fn age(&self) -> Option<Duration> {
        let changed = fs::metadata(self.record.path()).and_then(|data| data.modified()).ok()?;
        Some(changed.elapsed().unwrap_or_default())
    }

    /// Changes the state under the lock. Whatever `change` returns comes back, with a note if the file had to be
    /// set aside.
    pub fn update<T>(
        &self,
        change: impl FnOnce(&mut SessionState) -> T,
    ) -> io::Result<(T, Option<SetAside>)> {
        let held = self.record.hold()?;
        let (mut state, set_aside) = held.read_or_new()?;
        let answer = change(&mut state);
        held.replace(&state)?;
        mark::follow(self.record.path(), &state)?;
        Ok((answer, set_aside))
    }
}

/// A client that was killed never says that its session ended. Where its process cannot be looked up, the session is taken for dead after
/// so long without a change.
const QUIET: Duration = Duration::from_hours(12);

/// What is known of whether a session is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    /// Its client said that it ended.
    pub has_ended: bool,
    /// The client's process.
    pub process: Life,
    /// How long ago it was heard of.
    pub silent: Duration,
}

impl Presence {
    pub fn is_alive(&self) -> bool {
        !self.has_ended
            && match self.process {
                Life::Runs => true,
                Life::Gone => false,
                Life::Unknown => self.silent < QUIET,
            }
    }
}

impl SessionFile {
    /// Nothing if the session never began.
    pub fn presence(&self) -> Option<Presence> {
        let silent = self.age()?;
        let state = self.peek();
        let process = state.client.map_or(Life::Unknown, process::life);
        Some(Presence { has_ended: state.ended.is_some(), process, silent })
    }

    /// A session that has begun, not ended, and whose client runs; where that is not known, that was heard of not long ago.
    pub fn is_alive(&self) -> bool {
        self.presence().is_some_and(|presence| presence.is_alive())
    }
}

/// The ids of the sessions that are alive.
pub fn live(sessions_folder: &Path) -> Vec<String> {
    let is_alive = |id: &String| SessionFile::new(sessions_folder, id).is_alive();
    all(sessions_folder).into_iter().filter(is_alive).collect()
}

/// The ids of all sessions.
pub fn all(sessions_folder: &Path) -> Vec<String> {
    let files = fs::read_dir(sessions_folder).into_iter().flatten().flatten();
    let ids = files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        name.strip_suffix(".json").map(str::to_owned)
    });
    let mut all: Vec<String> = ids.collect();
    all.sort();
    all
}

/// Session ids are UUIDs, but the name of a file must not depend on a client's good manners.
fn file_name(session: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !session.is_empty() && session.len() <= 80 && session.chars().all(plain) {
        return format!("{session}.json");
    }
    format!("odd-{}.json", fingerprint(session))
}

#[cfg(test)]
mod tests {
    use engine_core::client::ClientProcess;
    use engine_core::session::Ended;
    use engine_text::stamp::Stamp;

    use super::*;

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(file_name("bd48f8aa-611e"), "bd48f8aa-611e.json");
        for odd in ["", "../../etc/passwd", "a/b", "a.b", &"x".repeat(300), "é"] {
            let name = file_name(odd);
            assert!(name.starts_with("odd-") && name.len() == 25, "{odd}: {name}");
        }
    }

    /// Its age counts only where nobody knows whether the client runs.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_session_lives_as_long_as_its_client() {
        let folder = tempfile::tempdir().unwrap();
        let own = process::kept(&process::process(std::process::id()).unwrap());
        let gone = ClientProcess { started: own.started + 1, ..own };
        let elsewhere = ClientProcess { table: own.table.map(|table| table ^ 1), ..gone };
        let ended = Ended { at: Stamp(1), reason: "exit".to_owned() };
        let (hour, day) = (Duration::from_hours(1), Duration::from_hours(24));
        for (client, end, age, is_alive, process) in [
            (Some(own), None, hour, true, Life::Runs),
            (Some(own), None, day, true, Life::Runs),
            (Some(own), Some(ended), hour, false, Life::Runs),
            (Some(gone), None, hour, false, Life::Gone),
            (Some(elsewhere), None, hour, true, Life::Unknown),
            (Some(elsewhere), None, day, false, Life::Unknown),
            (None, None, hour, true, Life::Unknown),
            (None, None, day, false, Life::Unknown),
        ] {
            let file = SessionFile::new(folder.path(), "s1");
            file.update(|state| (state.client, state.ended) = (client, end.clone())).unwrap();
            let written = fs::OpenOptions::new().write(true).open(file.path()).unwrap();
            written.file().set_modified(std::time::SystemTime::now() - age).unwrap();
            let presence = file.presence().unwrap();
            let case = format!("{client:?} {end:?} {age:?}");
            assert_eq!((file.is_alive(), presence.process), (is_alive, process), "{case}");
            assert!(presence.silent >= age, "{case}");
        }
        assert_eq!(SessionFile::new(folder.path(), "s2").presence(), None);
    }

    #[test]
    fn a_mark_tells_that_it_is_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::new(folder.path(), "s1");
        for bound in [true, true, false, false] {
            file.update(|state| state.work = bound.then(Default::default)).unwrap();
            assert_eq!((file.is_bound(), file.has_plan()), (bound, false));
            file.update(|state| state.plan = bound.then(Default::default)).unwrap();
            assert_eq!((file.is_bound(), file.has_plan()), (bound, bound));
            file.update(|state| state.plan = None).unwrap();
        }
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::new(folder.path(), "s1");
        fs::write(folder.path().join("s1.json"), "{\"version\":1,\"tu").unwrap();
        assert_eq!(file.peek(), SessionState::default());
        let (turn, aside) = file
            .update(|state| {
                state.turn += 1;
                state.turn
            })
            .unwrap();
        assert_eq!(turn, 1);
        assert!(aside.is_some());
        let kept: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        let bad = kept.iter().find(|path| path.to_string_lossy().contains("json.bad-")).unwrap();
        assert_eq!(fs::read_to_string(bad).unwrap(), "{\"version\":1,\"tu");
        assert_eq!(file.peek().turn, 1);
    }
}
