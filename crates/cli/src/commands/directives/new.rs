//! `engine directives new`.

use std::path::PathBuf;

use clap::Args;
use engine_app::approval::Consent;
use engine_app::directives;
use engine_app::error::Outcome;
use engine_app::here::{self, project};
use engine_core::directive::Type;
use serde_json::json;

use super::given;
use crate::ui::Ui;

/// Make a directive file from its template; one that is there stays
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine directives new AGENTS\n  engine directives new PITFALLS packages/api\n  engine directives new TESTING packages/api --text '- **Run all**: npm test'"
)]
pub(crate) struct DirectivesNewArgs {
    /// AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE or CHECKLIST
    #[arg(value_name = "TYPE", value_parser = super::kind)]
    pub(crate) kind: &'static Type,
    /// The folder; nothing: the project's root
    #[arg(conflicts_with = "user")]
    pub(crate) dir: Option<PathBuf>,
    /// What stands below the title instead of the template; -: stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// For you in every project
    #[arg(long)]
    pub(crate) user: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON", requires = "user")]
    pub(crate) user_approved: Option<String>,
    /// For a script, which has no terminal: it means it
    #[arg(long, requires = "user")]
    pub(crate) yes: bool,
}

pub(super) fn run(args: &DirectivesNewArgs, ui: &Ui) -> Outcome {
    let kind = args.kind;
    if args.user {
        return for_every_project(args, ui);
    }
    let text = || args.text.as_deref().map(given).transpose();
    let written = directives::new(project()?, kind, args.dir.as_deref(), text)?;
    if ui.is_json() {
        let names: Vec<String> = written.missing.iter().map(|kind| kind.file()).collect();
        ui.object(&json!({"version": 1, "type": kind.name, "file": written.file, "unmentioned": names}));
        return Ok(());
    }
    ui.line(format!("made {}", written.file));
    if let Some(line) = written.place.unmentioned_line(&written.missing) {
        ui.line(line);
    }
    Ok(())
}

fn for_every_project(args: &DirectivesNewArgs, ui: &Ui) -> Outcome {
    let text = || args.text.as_deref().map(given).transpose();
    let (kind, caller) = (args.kind, here::caller());
    let consent = Consent { reading: args.user_approved.as_deref(), yes: args.yes };
    let file = directives::new_for_every_project(project, &caller, kind, text, consent)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "type": kind.name, "file": file}));
    } else {
        ui.line(format!("made {}", file.display()));
    }
    Ok(())
}
