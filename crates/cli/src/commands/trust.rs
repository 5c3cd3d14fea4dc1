//! `engine trust`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::{self, project};
use engine_app::trust;
use serde_json::json;

use crate::ui::Ui;

pub(super) mod offer;

/// Trust this project: its configuration counts and its texts are told to the model
///
/// Accepts everything as it is now. Later changes of the configuration are held until you accept them.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine trust --show\n  engine trust\n  engine trust --drop")]
pub(crate) struct TrustArgs {
    /// List what trust would put in force, and change nothing
    #[arg(long, conflicts_with = "drop")]
    pub(crate) show: bool,
    /// Take it back: only what is stricter counts again
    #[arg(long)]
    pub(crate) drop: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &TrustArgs, ui: &Ui) -> Outcome {
    let (project, caller) = (project()?, here::caller());
    let reading = args.user_approved.as_deref();
    if args.drop {
        trust::drop_trust(&project, &caller, reading)?;
        return told(ui, false, "This project is not trusted any more: only what is stricter counts.");
    }
    if args.show {
        offer::show(&trust::offer(&project), ui);
        return Ok(());
    }
    trust::trust(&project, &caller, reading)?;
    told(ui, true, "This project is trusted. Take it back: engine trust --drop")
}

fn told(ui: &Ui, trusted: bool, text: &str) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "trusted": trusted}));
    } else {
        ui.line(text);
    }
    Ok(())
}
