//! `engine plan criteria set | add | remove`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::criteria::{self, text as text_of};
use engine_core::plan::CriteriaChange;

use super::proof::ProofArgs;
use super::tell;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum CriteriaCommand {
    /// Change a criterion
    #[command(
        after_long_help = "Example:\n  engine plan criteria set 2 \"the login works with a key\" --proof \"cargo test login\""
    )]
    Set {
        /// The number that engine plan show gives it
        number: usize,
        /// The criterion, in a sentence
        text: String,
        #[command(flatten)]
        proof: ProofArgs,
        /// Of a locked plan: the reason, kept beside the person's answer; it approves nothing
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Add a criterion
    #[command(
        after_long_help = "Example:\n  engine plan criteria add \"the docs say so\" --file docs/login.md"
    )]
    Add {
        /// The criterion, in a sentence
        text: String,
        #[command(flatten)]
        proof: ProofArgs,
        /// Of a locked plan: the reason, kept beside the person's answer; it approves nothing
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Remove a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria remove 2")]
    Remove {
        /// The number that engine plan show gives it
        number: usize,
        /// Of a locked plan: the reason, kept beside the person's answer; it approves nothing
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}

pub(super) fn run(command: &CriteriaCommand, context: &CommandContext, ui: &Ui) -> Outcome {
    let (change, reason) = match command {
        CriteriaCommand::Set { number, text, proof, user_approved } => {
            let (number, text, proof) = (*number, text_of(text)?, proof.required(text)?);
            (CriteriaChange::Set { number, text, proof }, user_approved)
        }
        CriteriaCommand::Add { text, proof, user_approved } => {
            (CriteriaChange::Add { text: text_of(text)?, proof: proof.required(text)? }, user_approved)
        }
        CriteriaCommand::Remove { number, user_approved } => {
            (CriteriaChange::Remove { number: *number }, user_approved)
        }
    };
    let (kept, difference) = criteria::change(context, change, reason.as_deref())?;
    tell(&kept, &difference.join("\n"), ui);
    Ok(())
}
