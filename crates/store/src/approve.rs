//! Requests for a person's approval, in the state of the agent session that asks; see `engine_core::approval`.

use std::io;
use std::path::PathBuf;

use engine_core::approval::{self, Answer, Deed, Request};
use engine_core::client::Process;
use engine_core::session::SessionState;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_string;
use crate::session_file::{self, SessionFile};
use crate::{clock, lock, process};

/// Who runs this command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// It has a terminal, and no coding agent is above it.
    Person,
    /// The agent of this session, by the variables that the client puts into its shell; an agent without them has no session.
    Agent { session: String },
    /// A script, a timer, another program: no terminal, and nothing that says whose it is.
    Program,
}

impl Caller {
    /// `is_agent` tells a coding agent. What a variable says makes nobody a person.
    pub fn of_this_process(is_agent: impl Fn(&Process) -> bool) -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let session =
            set("CLAUDECODE").and(set("CLAUDE_CODE_SESSION_ID").or_else(|| set("ENGINE_SESSION_ID")));
        let is_agents = process::above(std::process::id()).iter().any(is_agent);
        match session {
            _ if !is_agents && process::has_terminal() && process::knows_itself() => Self::Person,
            Some(session) => Self::Agent { session },
            None if is_agents || set("CLAUDECODE").is_some() => Self::Agent { session: String::new() },
            None => Self::Program,
        }
    }

    /// The agent session; nothing for a person, or where it is not known.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Agent { session } if !session.is_empty() => Some(session),
            _ => None,
        }
    }
}

/// An agent session, with its requests.
pub fn state(project: &Project, session: &str) -> SessionState {
    file(project, session).peek()
}

/// The requests of an agent session.
pub fn requests(project: &Project, session: &str) -> Vec<Request> {
    state(project, session).approvals
}

/// Whether this command runs below the client of an agent session of the project, whatever that client is called.
pub fn is_below_client(project: &Project) -> bool {
    let sessions = session_file::live(&project.sessions_folder()).into_iter();
    sessions.filter_map(|session| state(project, &session).client).any(process::is_above)
}

/// A folder of the engine's state that is a link to another place: whoever works there has other sessions than are seen here.
pub fn led_out(project: &Project) -> Option<PathBuf> {
    let state = project.state_folder();
    let above = state.parent().map(PathBuf::from);
    let folders = [Some(project.sessions_folder()), Some(state.join("plans")), Some(state), above];
    folders.into_iter().flatten().find(|folder| folder.is_symlink())
}

/// Whether an agent session of the project is alive.
pub fn is_anybody_here(project: &Project) -> bool {
    !session_file::live(&project.sessions_folder()).is_empty()
}

/// Shows a line at the end of the turn, in this agent session and in every other that is alive: one of them may be nobody's.
pub fn tell_all(project: &Project, session: &str, line: &str) -> io::Result<()> {
    let mut sessions = session_file::live(&project.sessions_folder());
    sessions.extend(Some(session.to_owned()).filter(|own| !own.is_empty() && !sessions.contains(own)));
    for session in sessions {
        file(project, &session).update(|state| state.spent.push(line.to_owned()))?;
    }
    Ok(())
}

/// Asks for a deed, unless that is done. The request comes back as it stands.
pub fn ask(project: &Project, session: &str, deed: &Deed) -> io::Result<Request> {
    let open = |requests: &[Request]| requests.iter().find(|request| request.is_for(deed)).cloned();
    if let Some(request) = open(&requests(project, session)) {
        return Ok(request);
    }
    let number = next_number(project)?;
    let (request, _) = file(project, session).update(|state| {
        approval::ask(&mut state.approvals, number, deed, clock::now());
        open(&state.approvals)
    })?;
    request.ok_or_else(|| io::Error::other("the request was not kept"))
}

/// Takes a yes, so that it counts once. Whether it was still there.
pub fn spend(project: &Project, session: &str, request: &Request, line: &str) -> io::Result<bool> {
    let (taken, _) = file(project, session).update(|state| {
        let before = state.approvals.len();
        state.approvals.retain(|open| open != request);
        state.approvals.len() < before
    })?;
    if taken {
        tell_all(project, session, line)?;
    }
    Ok(taken)
}

/// Notes an answer that a person gave at a terminal. Whether the request was still open.
pub fn answer(project: &Project, session: &str, number: u32, answer: Answer) -> io::Result<bool> {
    let note = |state: &mut SessionState| {
        let answer = Answer { turn: state.turn, ..answer };
        approval::answer(&mut state.approvals, number, answer)
    };
    Ok(file(project, session).update(note)?.0)
}

fn file(project: &Project, session: &str) -> SessionFile {
    SessionFile::new(&project.sessions_folder(), session)
}

/// The next number of the project. A number is never given twice: an old message must not answer a new request.
fn next_number(project: &Project) -> io::Result<u32> {
    let path = project.state_folder().join("approval.number");
    let _held = lock::hold_local(&path.with_extension("lock"), lock::RARE)?;
    let last: u32 = read_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let in_use = session_file::all(&project.sessions_folder())
        .into_iter()
        .flat_map(|session| requests(project, &session));
    let last = in_use.map(|request| request.number).fold(last, u32::max);
    // A message answers with nine digits at most.
    let number = if last < 999_999_999 { last + 1 } else { 1 };
    atomic::replace(&path, number.to_string().as_bytes(), Durability::Process)?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use engine_core::approval::By;
    use engine_text::stamp::Stamp;

    use super::*;

    #[test]
    fn only_an_agent_has_a_session() {
        assert_eq!(Caller::Person.session(), None);
        assert_eq!(Caller::Agent { session: "s1".into() }.session(), Some("s1"));
        assert_eq!(Caller::Agent { session: String::new() }.session(), None);
    }

    #[test]
    fn a_yes_is_taken_once_and_numbers_are_not_given_twice() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let (one, two) = (Deed::new("x", &["a"]), Deed::new("y", &["a"]));
        let asked = ask(&project, "s1", &one).unwrap();
        assert_eq!((asked.number, asked.what.as_str(), &asked.answer), (1, "x", &None));
        assert_eq!(ask(&project, "s1", &one).unwrap(), asked, "it waits already");
        assert_eq!(ask(&project, "s1", &two).unwrap().number, 2);
        assert_eq!(ask(&project, "s2", &one).unwrap().number, 3, "another session, another word");
        let yes = || Answer { yes: true, words: "ok 1".into(), at: Stamp(5), turn: 0, by: By::Terminal };
        assert!(!answer(&project, "s2", 1, yes()).unwrap(), "it is not its request");
        assert!(answer(&project, "s1", 1, yes()).unwrap());
        let given = ask(&project, "s1", &one).unwrap();
        assert_eq!(given.answer, Some(yes()));
        assert!(!spend(&project, "s1", &asked, "used").unwrap(), "what was looked at had no answer");
        assert!(spend(&project, "s1", &given, "used").unwrap());
        assert!(!spend(&project, "s1", &given, "used").unwrap());
        assert_eq!(file(&project, "s1").peek().spent, ["used"]);
        assert_eq!(ask(&project, "s1", &one).unwrap().number, 4);
    }

    #[test]
    fn a_request_that_cannot_be_kept_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        std::fs::create_dir_all(project.state_folder()).unwrap();
        std::fs::write(project.sessions_folder(), "a file in the folder's place").unwrap();
        let refused = ask(&project, "s1", &Deed::new("x", &[])).unwrap_err().to_string();
        let lock = project.sessions_folder().join("s1.lock");
        assert_eq!(
            refused,
            format!("failed to open file `{}`: Not a directory (os error 20)", lock.display())
        );
    }
}
