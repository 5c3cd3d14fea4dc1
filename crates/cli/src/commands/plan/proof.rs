//! The options that declare a proof.

use clap::Args;
use engine_app::error::CommandError;
use engine_core::evidence::proof::{Command, Judge, Proof};

/// What shows that it is done; one of these
#[derive(Debug, Clone, Default, Args)]
#[group(multiple = true)]
pub(crate) struct ProofArgs {
    /// A command that must pass; or `commit`, or `push`
    #[arg(long, value_name = "CMD", conflicts_with_all = ["fails", "file", "judge"])]
    pub(crate) proof: Option<String>,
    /// The folder that the command runs in, from the project's root
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) folder: Option<String>,
    /// A command that must fail once: a reproduction, or a test before its code
    #[arg(long, value_name = "CMD", conflicts_with_all = ["file", "judge"])]
    pub(crate) fails: Option<String>,
    /// A file that must change
    #[arg(long, value_name = "PATH", conflicts_with = "judge")]
    pub(crate) file: Option<String>,
    /// Who judges what no command can show
    #[arg(long, value_name = "qa|person", value_parser = ["qa", "person"])]
    pub(crate) judge: Option<String>,
}

impl ProofArgs {
    pub(super) fn read(&self) -> Option<Proof> {
        let folder = self.folder.as_deref().unwrap_or_default();
        match (&self.proof, &self.fails, &self.file, &self.judge) {
            (Some(word), ..) if word == "commit" => Some(Proof::Commit),
            (Some(word), ..) if word == "push" => Some(Proof::Push),
            (Some(line), ..) => Some(Proof::Passes(Command::new(line, folder))),
            (_, Some(line), ..) => Some(Proof::Fails(Command::new(line, folder))),
            (_, _, Some(path), _) => Some(Proof::File(path.clone())),
            (.., Some(judge)) => Judge::parse(judge).map(Proof::Judge),
            _ => None,
        }
    }

    pub(super) fn required(&self, text: &str) -> Result<Proof, CommandError> {
        self.read().ok_or_else(|| {
            CommandError::usage(format!("{text:?} has no proof"))
                .hint("--proof CMD [--in DIR], --fails CMD, --file PATH, --proof commit, --proof push, --judge qa|person")
        })
    }
}
