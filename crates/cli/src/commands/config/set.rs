//! `engine config set`.

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::Outcome;
use engine_app::here;
use engine_app::settings::{self, Assigned, Assignment};
use engine_rules::Rule;
use engine_store::project::Project;
use serde_json::json;

use crate::ui::Ui;

/// Set one value; comments and layout of the file stay
///
/// Wires an event that a rule now wants to hear.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine config set inject.budget 4000\n  engine config set rules.title on --user"
)]
pub(crate) struct ConfigSetArgs {
    /// The key as docs/config.md names it, as in policy.fail
    pub(crate) key: String,
    /// Its new value
    pub(crate) value: String,
    /// Set it for you in every project
    #[arg(long)]
    pub(crate) user: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
    /// For a script, which has no terminal: it means it
    #[arg(long)]
    pub(crate) yes: bool,
}

pub(super) fn run(args: &ConfigSetArgs, project: &Project, rules: &[Rule], ui: &Ui) -> Outcome {
    let ConfigSetArgs { key, value, user, user_approved, yes } = args;
    let consent = Consent { reading: user_approved.as_deref(), yes: *yes };
    let wanted = Assignment { key, value, user: *user, consent };
    let caller = here::caller();
    let Assigned { value, path, rewired } =
        settings::set(project, &caller, rules, &here::program()?, &wanted)?;
    if ui.is_json() {
        ui.object(
            &json!({"version": 1, "key": key, "value": value.to_string(), "file": path, "rewired": rewired}),
        );
        return Ok(());
    }
    ui.line(format!("{key} = {value} in {}", path.display()));
    if rewired {
        ui.line("The hook entries were brought in line with the rules; running sessions pick it up within seconds.");
    }
    Ok(())
}
