//! `engine policy check`.

use clap::Args;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::policy::{PolicyContext, strictest};
use engine_core::policy::Level;
use serde_json::{Value, json};

use super::{match_json, message};
use crate::ui::{Tone, Ui, toned};

/// Tell what the policy says: exit 0 for nothing, 1 blocked, 4 ask
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine policy check 'git push --force'\n  engine policy check --tool Write src/main.rs"
)]
pub(crate) struct PolicyCheckArgs {
    /// A command line; with --tool a path
    pub(crate) subject: String,
    /// Another tool than Bash: Read, Write, Edit, or any name
    #[arg(long)]
    pub(crate) tool: Option<String>,
}

pub(super) fn run(args: &PolicyCheckArgs, ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?.sound()?;
    let facts = policies.facts(&args.subject, args.tool.as_deref())?;
    let found = policies.judge_all(&facts);
    let verdict = strictest(&found);
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(match_json).collect();
        let word = verdict.map_or("none", Level::as_str);
        ui.object(&json!({"version": 1, "verdict": word, "matches": rows}));
    } else if found.is_empty() {
        ui.line("nothing to say");
    } else {
        for found in &found {
            let tone = if found.verdict >= Level::Ask { Tone::Bad } else { Tone::Careful };
            ui.line(format!("{} {}", toned(tone, found.verdict.as_str()), message(found)));
        }
    }
    match verdict {
        Some(Level::Block) => Err(CommandError::already_told()),
        Some(Level::Ask) => Err(CommandError::already_told().of(Failure::Ask)),
        _ => Ok(()),
    }
}
