//! `engine config accept`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::{here, trust};
use engine_store::project::Project;
use serde_json::json;

use crate::ui::Ui;

/// Accept the configuration and the policy as they are now
///
/// What something else than engine changed in them is held until then.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine config diff\n  engine config accept")]
pub(crate) struct ConfigAcceptArgs {
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &ConfigAcceptArgs, project: &Project, ui: &Ui) -> Outcome {
    let offer = trust::accept(project, &here::caller(), args.user_approved.as_deref())?;
    let differences = &offer.config.acceptance().differences;
    if ui.is_json() {
        let keys: Vec<_> = differences.iter().map(|one| &one.name).collect();
        let rules: Vec<_> = offer.rules.iter().map(|one| &one.id).collect();
        ui.object(&json!({"version": 1, "accepted": keys, "rules": rules}));
        return Ok(());
    }
    for one in differences {
        ui.line(format!("accepted: {}", one.entry()));
    }
    for rule in &offer.rules {
        ui.line(format!("accepted: rule {} ({})", rule.id, rule.kind.as_str()));
    }
    Ok(())
}
