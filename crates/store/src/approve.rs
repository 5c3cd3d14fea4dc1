//! Asks whether a person stands behind what an agent is about to do; see `engine_core::approval`.

use engine_core::approval::{Standing, standing};
use engine_core::session::UserInput;

use crate::clock;
use crate::project::Project;
use crate::session_file::SessionFile;

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

/// Why an agent may not go on.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{0} needs a person's word")]
    NotApproved(String),
    #[error("{0} was refused and no person has spoken since")]
    NobodySpoke(String),
    #[error("the refusal could not be remembered: {0}")]
    Io(#[from] std::io::Error),
}

/// Passes a person; passes an agent that says why, after a person spoke following the first refusal. What the
/// person said comes back, to be kept with the waiver.
pub fn require(
    project: &Project,
    caller: &Caller,
    what: &str,
    reason: Option<&str>,
) -> Result<Option<UserInput>, Refusal> {
    let Caller::Agent { session } = caller else { return Ok(None) };
    let file = SessionFile::new(&project.sessions_folder(), session);
    match (standing(&file.peek(), what), reason) {
        (Standing::Lifted(input), Some(_)) => {
            // One waiver, one deed.
            file.update(|state| state.refused.remove(what))?;
            Ok(Some(input))
        }
        (Standing::Waiting, Some(_)) => Err(Refusal::NobodySpoke(what.to_owned())),
        (Standing::Lifted(_) | Standing::Waiting, None) => Err(Refusal::NotApproved(what.to_owned())),
        (Standing::NotAsked, _) => {
            file.update(|state| state.refused.insert(what.to_owned(), clock::now()))?;
            Err(Refusal::NotApproved(what.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_text::stamp::Stamp;

    use super::*;

    fn agent() -> Caller {
        Caller::Agent { session: "s1".into() }
    }

    #[test]
    fn only_an_agent_has_a_session() {
        assert_eq!(Caller::Person.session(), None);
        assert_eq!(agent().session(), Some("s1"));
        assert_eq!(Caller::Agent { session: String::new() }.session(), None);
    }

    #[test]
    fn a_person_needs_nobodys_word() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        assert_eq!(require(&project, &Caller::Person, "x", None).unwrap(), None);
        assert!(!project.folder().exists(), "and nothing is remembered");
    }

    #[test]
    fn an_agent_passes_once_with_a_reason_after_a_person_spoke() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let file = SessionFile::new(&project.sessions_folder(), "s1");
        let speaks = |at| {
            let input = UserInput { at: Stamp(at), text: "yes".into() };
            file.update(|state| state.user_input = Some(input.clone())).unwrap();
            input
        };
        let asked = |what: &str, reason: Option<&str>| {
            require(&project, &agent(), what, reason).map_err(|refusal| refusal.to_string())
        };
        let not_approved = |what: &str| Err(format!("{what} needs a person's word"));
        let nobody_spoke = Err("x was refused and no person has spoken since".to_owned());
        speaks(1);
        assert_eq!(asked("x", Some("they said so")), not_approved("x"), "a claim proves nothing");
        let refused = file.peek().refused["x"];
        assert!(refused.0 > 1, "{refused:?}");
        assert_eq!(asked("x", Some("again")), nobody_spoke);
        assert_eq!(asked("x", None), not_approved("x"));
        assert_eq!(file.peek().refused["x"], refused, "the first refusal counts");
        speaks(refused.0);
        assert_eq!(asked("x", Some("again")), nobody_spoke, "at the same moment is not after");
        let input = speaks(refused.0 + 1);
        assert_eq!(asked("x", None), not_approved("x"), "without a reason it never counts");
        assert_eq!(asked("y", Some("again")), not_approved("y"), "the word was about something else");
        assert_eq!(asked("x", Some("again")), Ok(Some(input)));
        assert_eq!(asked("x", Some("again")), not_approved("x"), "one waiver, one deed");
        let other = Caller::Agent { session: "s2".into() };
        let other = require(&project, &other, "x", Some("r")).unwrap_err().to_string();
        assert_eq!(other, "x needs a person's word", "another session, another word");
    }

    #[test]
    fn a_refusal_that_cannot_be_remembered_is_still_one() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        std::fs::create_dir_all(project.state_folder()).unwrap();
        std::fs::write(project.sessions_folder(), "a file in the folder's place").unwrap();
        let refused = require(&project, &agent(), "x", Some("r")).unwrap_err().to_string();
        let lock = project.sessions_folder().join("s1.lock");
        assert_eq!(
            refused,
            format!(
                "the refusal could not be remembered: failed to open file `{}`: Not a directory (os error 20)",
                lock.display()
            )
        );
    }
}
