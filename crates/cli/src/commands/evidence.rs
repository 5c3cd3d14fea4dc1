//! `engine evidence`: the ledger of checks and edits; `engine evidence learn`.

use clap::{Args, Subcommand};
use engine_app::error::Outcome;
use engine_app::ledger::{self, From};
use engine_app::plan::CommandContext;
use engine_app::time;
use engine_app::wording::counted;
use engine_core::evidence::ledger::{Check, Line, Outcome as Came};
use engine_rules::Rule;
use engine_store::clock;
use engine_text::line::{one_line, printable};
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

mod learn;
mod since;

use since::SinceOrPlan;

/// List the checks that ran, what they came to, and the edits between them
///
/// Test runners, builds and linters are known; `evidence.checks` adds others. While a plan or a work session is open, a check is also
/// seen in a pipe. What stays unknown (a script, the background): engine check -- CMD gives a run that counts.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine evidence\n  engine evidence --since 2h\n  engine evidence --since plan --json"
)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EvidenceArgs {
    #[command(subcommand)]
    pub(crate) command: Option<EvidenceCommand>,
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day, a moment, or plan: since the open plan was locked; nothing: that, or a day
    #[arg(long, value_name = "TIME|plan")]
    pub(crate) since: Option<SinceOrPlan>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvidenceCommand {
    Learn(learn::EvidenceLearnArgs),
}

/// Files that one line names.
const NAMED: usize = 4;

pub(super) fn run(args: &EvidenceArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    if let Some(EvidenceCommand::Learn(args)) = &args.command {
        return learn::run(args, rules, ui);
    }
    let from = match args.since {
        Some(SinceOrPlan::Since(since)) => From::Since(since),
        Some(SinceOrPlan::Plan) => From::Plan,
        None => From::Usual,
    };
    let (since, ledger) = ledger::read(&CommandContext::open(None)?, from, clock::now())?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "since": since, "ledger": ledger}));
        return Ok(());
    }
    if ledger.is_empty() {
        ui.talk("no check and no edit since then");
        return Ok(());
    }
    let mut edits: Vec<&str> = Vec::new();
    for line in &ledger {
        match line {
            Line::Edit { file, .. } => edits.push(file),
            Line::Check(check) => {
                tell_edits(&mut edits, ui);
                ui.line(shown(check));
            }
        }
    }
    tell_edits(&mut edits, ui);
    Ok(())
}

/// The files that were edited between two checks, each once.
fn tell_edits(edits: &mut Vec<&str>, ui: &Ui) {
    if edits.is_empty() {
        return;
    }
    let count = edits.len() as u64;
    let mut files = std::mem::take(edits);
    files.sort_unstable();
    files.dedup();
    let more = files.len().saturating_sub(NAMED);
    files.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let files: Vec<String> = files.into_iter().map(printable).collect();
    ui.line(toned(Tone::Quiet, &format!("  {}: {}{more}", counted(count, "edit"), files.join(", "))));
}

fn shown(check: &Check) -> String {
    let at = time::shown(&check.at);
    let outcome = match &check.outcome {
        Came::Passed => toned(Tone::Good, "passed "),
        Came::Failed { .. } => toned(Tone::Bad, "failed "),
        Came::Unknown { .. } => toned(Tone::Careful, "unknown"),
    };
    let why = match &check.outcome {
        Came::Passed => String::new(),
        Came::Failed { exit } => format!(" (exit {exit})"),
        Came::Unknown { why } => format!(" ({why}; engine check -- {})", check.command),
    };
    format!("{at}  {outcome}  {}{why}", one_line(&check.command, 120))
}
