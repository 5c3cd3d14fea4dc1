//! How a use case ends badly: one sentence that says what and where, hints that say how to go on, the kind of the failure, and
//! the errors below it.

use engine_store::reason::reason;
use std::error::Error;
use std::io;

use engine_core::plan::Refusal;

/// What kind of failure it is. Each has an exit code of its own, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Refused or failed.
    Refused,
    /// The words of the call are off.
    Usage,
    /// There was nothing to do.
    Nothing,
    /// A person is to be asked.
    Ask,
    /// A fault in the engine itself.
    Internal,
}

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    pub failure: Failure,
    pub message: String,
    pub hints: Vec<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl CommandError {
    pub fn refused(message: impl Into<String>) -> Self {
        Self { failure: Failure::Refused, message: message.into(), hints: Vec::new(), source: None }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::refused(message).of(Failure::Usage)
    }

    pub fn nothing(message: impl Into<String>) -> Self {
        Self::refused(message).of(Failure::Nothing)
    }

    /// For a command whose output has said it all.
    pub fn already_told() -> Self {
        Self::refused("")
    }

    /// An error that says it all itself.
    pub fn from_error(error: impl Error + Send + Sync + 'static) -> Self {
        Self::refused(error.to_string()).caused_by(error)
    }

    /// What the disk says about a path, with the path as the caller wrote it.
    pub fn at(path: impl std::fmt::Display, error: io::Error) -> Self {
        Self::refused(format!("{path}: {}", reason(&error))).caused_by(error)
    }

    pub fn of(self, failure: Failure) -> Self {
        Self { failure, ..self }
    }

    pub fn caused_by(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// An input or output error names its path itself: files are opened through `fs_err`.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::from_error(error)
    }
}

/// What a plan refuses by itself.
impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        refusal.fixes.into_iter().fold(Self::refused(refusal.text), Self::hint)
    }
}

pub type Outcome = Result<(), CommandError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_of_causes_is_kept_and_the_path_named() {
        let io = fs_err::read("/nowhere/at/all").unwrap_err();
        let error = CommandError::from(io);
        assert_eq!(
            error.to_string(),
            "failed to open file `/nowhere/at/all`: No such file or directory (os error 2)"
        );
        let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::NotFound));
        assert_eq!(error.failure, Failure::Refused);
    }

    #[test]
    fn a_path_is_named_once() {
        let plain = std::fs::read("/nowhere").unwrap_err();
        assert_eq!(
            CommandError::at("here.md", plain).message,
            "here.md: No such file or directory (os error 2)"
        );
        let named = fs_err::read("/nowhere/here.md").unwrap_err();
        assert_eq!(
            CommandError::at("here.md", named).message,
            "here.md: No such file or directory (os error 2)"
        );
    }

    #[test]
    fn a_kind_and_hints_are_added_to_any_error() {
        let error = CommandError::usage("a key is needed").hint("one").hint("two");
        assert_eq!((error.failure, error.message.as_str()), (Failure::Usage, "a key is needed"));
        assert_eq!(error.hints, ["one", "two"]);
        assert!(error.source().is_none());
    }
}
