//! Requests for a person's approval, in the state of the agent session that asks; see `engine_core::approval`.

use std::io;

use engine_core::approval::{self, Answer, Deed, Request};
use engine_core::session::SessionState;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::session_file::SessionFile;
use crate::{clock, lock};

/// Who is typing this command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    Person,
    /// The agent of this session, by the variables that the client puts into its shell.
    Agent {
        session: String,
    },
}

impl Caller {
    pub fn from_environment() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if set("CLAUDECODE").is_none() {
            return Self::Person;
        }
        let session = set("CLAUDE_CODE_SESSION_ID").or_else(|| set("ENGINE_SESSION_ID"));
        Self::Agent { session: session.unwrap_or_default() }
    }

    /// The agent session; nothing for a person, or where it is not known.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Agent { session } if !session.is_empty() => Some(session),
            _ => None,
        }
    }
}

/// The requests of an agent session.
pub fn requests(project: &Project, session: &str) -> Vec<Request> {
    file(project, session).peek().approvals
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
        let taken = state.approvals.len() < before;
        if taken {
            state.spent.push(line.to_owned());
        }
        taken
    })?;
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
    let last: u32 = fs_err::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let number = last + 1;
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
