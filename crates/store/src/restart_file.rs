//! A request that the agent be started again when it has ended: written by a command in its shell, carried out by the
//! `engine run` that started it.
//!
//! Each run has a file of its own, named by the variable that it gives its client, so that two runs in one project do not
//! take each other's requests.

use std::io;
use std::path::PathBuf;

pub use engine_rules::restart::RUN;
use engine_text::stamp::Stamp;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_string;

/// What the names of the files begin with.
pub(crate) const PREFIX: &str = "restart-";

/// The version written now.
const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    pub version: u32,
    /// The agent session that asks.
    pub session: String,
    /// What the next one is to begin with.
    pub prompt: String,
    /// The turn in which it was asked for has ended, and nothing runs in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Ready>,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    pub at: Stamp,
    /// The client's transcript of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// The run that this process descends from; nothing if the client was started without `engine run`.
fn current_run() -> Option<String> {
    std::env::var(RUN).ok().filter(|run| is_name(run))
}

/// A name becomes part of a file's name.
fn is_name(run: &str) -> bool {
    !run.is_empty() && run.len() <= 40 && run.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn path(project: &Project, run: &str) -> PathBuf {
    project.state_folder().join(format!("{PREFIX}{run}.json"))
}

/// Asks the run that this process descends from to start the client again. Whether there is one: else a person must do
/// it.
pub fn write(project: &Project, session: &str, prompt: &str) -> io::Result<bool> {
    let Some(run) = current_run() else { return Ok(false) };
    write_for(project, &run, session, prompt)?;
    Ok(true)
}

/// A second request takes the place of the first.
fn write_for(project: &Project, run: &str, session: &str, prompt: &str) -> io::Result<()> {
    let (session, prompt) = (session.to_owned(), prompt.to_owned());
    put(project, run, &Restart { version: VERSION, session, prompt, ready: None })
}

fn put(project: &Project, run: &str, restart: &Restart) -> io::Result<()> {
    Project::make_local(&project.state_folder())?;
    atomic::replace(&path(project, run), &serde_json::to_vec(restart)?, Durability::Process)
}

/// Notes for the run that this process descends from that the client may be ended, if this agent session asked for it.
pub fn ready(project: &Project, session: &str, ready: Ready) -> io::Result<()> {
    let Some(run) = current_run() else { return Ok(()) };
    match peek(project, &run) {
        Some(restart) if restart.session == session => {
            put(project, &run, &Restart { ready: Some(ready), ..restart })
        }
        _ => Ok(()),
    }
}

/// The request for a run, which stays where it is; nothing where none can be read.
pub fn peek(project: &Project, run: &str) -> Option<Restart> {
    let restart: Restart = serde_json::from_str(&read_string(&path(project, run)).ok()?).ok()?;
    (restart.version <= VERSION).then_some(restart)
}

/// The request for a run, which is gone then: each is carried out once. One that cannot be read stays where it is.
pub fn take(project: &Project, run: &str) -> io::Result<Option<Restart>> {
    let path = path(project, run);
    let text = match read_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
    let restart: Restart = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    if restart.version > VERSION {
        return Err(failed(format!("written by a newer engine (format {})", restart.version)));
    }
    fs::remove_file(&path)?;
    Ok(Some(restart))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_for_one_run_and_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        assert_eq!(take(&project, "r1").unwrap(), None);
        write_for(&project, "r1", "s1", "first").unwrap();
        write_for(&project, "r1", "s1", "go on").unwrap();
        assert_eq!(take(&project, "r2").unwrap(), None);
        let restart = Restart { version: 1, session: "s1".into(), prompt: "go on".into(), ready: None };
        assert_eq!(take(&project, "r1").unwrap(), Some(restart));
        assert_eq!(take(&project, "r1").unwrap(), None);
        for text in ["", "{}", r#"{"version":2,"session":"s","prompt":"p"}"#] {
            fs::write(path(&project, "r1"), text).unwrap();
            assert!(take(&project, "r1").is_err(), "{text}");
            assert_eq!(fs::read_to_string(path(&project, "r1")).unwrap(), text, "nothing is lost");
        }
    }

    #[test]
    fn names_stay_in_the_folder() {
        for (name, expected) in [("01kb2q3m9xyz", true), ("", false), ("../x", false), ("a b", false)] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }
}
