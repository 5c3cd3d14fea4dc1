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
