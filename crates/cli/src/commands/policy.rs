//! `engine policy check | explain | list | test`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::policy::GUARD;
use engine_core::policy::Match;
use serde_json::{Value, json};

use crate::ui::Ui;

mod check;
mod explain;
mod list;
mod test;

/// Ask the policy about a command
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    Check(check::PolicyCheckArgs),
    Explain(explain::PolicyExplainArgs),
    /// List the rules with their verdicts
    #[command(after_long_help = "Examples:\n  engine policy list\n  engine policy list --json")]
    List,
    /// Run the tests of .engine/policy.tests.toml
    #[command(after_long_help = "Example:\n  engine policy test")]
    Test,
}

pub(super) fn run(command: &PolicyCommand, ui: &Ui) -> Outcome {
    match command {
        PolicyCommand::Check(args) => check::run(args, ui),
        PolicyCommand::Explain(args) => explain::run(args, ui),
        PolicyCommand::List => list::run(ui),
        PolicyCommand::Test => test::run(ui),
    }
}

/// A match as a line: the rule that guards engine says all in its reason.
fn message(found: &Match) -> String {
    if found.rule == GUARD { format!("{GUARD}: {}", found.reason) } else { found.message() }
}

fn match_json(found: &Match) -> Value {
    json!({"rule": found.rule, "verdict": found.verdict.as_str(), "what": found.what, "reason": found.reason,
        "instead": found.instead})
}
