//! Which transcripts, and all cores at work on them. Shared by replay and coverage.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use engine_claude::replay::{self, Session};
use engine_store::project::Project;
use engine_store::reason::reason;
use engine_text::stamp::Stamp;

use crate::error::CommandError;

/// The sessions that were asked for.
#[derive(Debug)]
pub struct FoundTranscripts {
    pub sessions: Vec<Session>,
    /// Where was looked.
    pub places: Vec<PathBuf>,
}

impl FoundTranscripts {
    pub fn transcripts(&self) -> usize {
        self.sessions.iter().map(|session| session.files.len()).sum()
    }

    pub fn shown_places(&self) -> String {
        self.places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// The sessions at the paths; without paths those of this project. Files that were not touched since then are left out.
pub fn find(
    paths: &[PathBuf],
    project: &Project,
    since: Option<Stamp>,
) -> Result<FoundTranscripts, CommandError> {
    let mut sessions = Vec::new();
    let mut places = paths.to_vec();
    if places.is_empty() {
        let folder = replay::folder_of(project.root());
        places.push(folder.ok_or_else(|| CommandError::refused("no home folder: HOME is not set"))?);
        // A project that the client never ran in has no folder, and that is no mistake of the caller.
        if !places[0].exists() {
            return Ok(FoundTranscripts { sessions, places });
        }
    }
    for place in &places {
        sessions.extend(replay::sessions(place).map_err(|error| unreadable(place, &error))?);
    }
    sessions.sort_by(|a, b| a.files.cmp(&b.files));
    sessions.dedup();
    if let Some(since) = since {
        let since = UNIX_EPOCH + Duration::from_millis(since.0);
        sessions.retain(|session| session.is_newer(since));
    }
    Ok(FoundTranscripts { sessions, places })
}

fn unreadable(place: &Path, error: &std::io::Error) -> CommandError {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        _ => reason(error),
    };
    CommandError::refused(format!("{}: {why}", place.display()))
}

/// Gives the sessions to as many workers as there are cores; each takes the next one when it is done, and `taken` hears of it.
pub fn spread<R: Send>(
    sessions: &[Session],
    taken: &(dyn Fn() + Sync),
    work: impl Fn(&mut dyn Iterator<Item = &Session>) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one = || {
        let mut queue = std::iter::from_fn(|| {
            let session = sessions.get(next.fetch_add(1, Ordering::Relaxed))?;
            taken();
            Some(session)
        });
        work(&mut queue)
    };
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(sessions.len().max(1))).map(|_| scope.spawn(one)).collect();
        let joined = |worker: thread::ScopedJoinHandle<'_, R>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(joined).collect()
    })
}

#[cfg(test)]
mod tests;
