//! How a command ends badly: one line that says what and where, hints that say how to go on, and a documented
//! exit code.

use std::process::ExitCode;

/// Exit codes, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Refused or failed.
    Refused = 1,
    /// The words of the call are off.
    Usage = 2,
    /// There was nothing to do.
    Nothing = 3,
    /// A person is to be asked.
    Ask = 4,
}

#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) failure: Failure,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
}

impl CommandError {
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { failure: Failure::Refused, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { failure: Failure::Usage, ..Self::refused(message) }
    }

    pub(crate) fn nothing(message: impl Into<String>) -> Self {
        Self { failure: Failure::Nothing, ..Self::refused(message) }
    }

    /// For a command whose output has said it all.
    pub(crate) fn already_told() -> Self {
        Self::refused("")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.failure as u8)
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> Self {
        Self::refused(error.to_string())
    }
}

pub(crate) type Outcome = Result<(), CommandError>;
