//! `engine show [NAME]`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::standard::{STANDARDS, find};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

/// Print a standard: commands, rules and tags that skills refer to
///
/// Without a name: which there are.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine show\n  engine show COMMANDS")]
pub(crate) struct ShowArgs {
    /// COMMANDS, INVARIANTS or SIGILS
    pub(crate) name: Option<String>,
}

pub(super) fn run(args: &ShowArgs, ui: &Ui) -> Outcome {
    let Some(name) = args.name.as_deref() else {
        list(ui);
        return Ok(());
    };
    let Some(standard) = find(name) else {
        let names: Vec<&str> = STANDARDS.iter().map(|standard| standard.name).collect();
        return Err(CommandError::usage(format!("{name} is no standard; there are {}", names.join(", "))));
    };
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": standard.name, "text": standard.text}));
    } else {
        ui.text(standard.text);
    }
    Ok(())
}

fn list(ui: &Ui) {
    if ui.is_json() {
        let rows: Vec<Value> = STANDARDS
            .iter()
            .map(|standard| json!({"name": standard.name, "about": standard.about}))
            .collect();
        ui.object(&json!({"version": 1, "standards": rows}));
        return;
    }
    let rows: Vec<Vec<String>> =
        STANDARDS.iter().map(|standard| vec![standard.name.to_owned(), standard.about.to_owned()]).collect();
    ui.text(&aligned(&rows, ""));
    ui.talk("told at session start if listed: engine config set inject.standards COMMANDS,INVARIANTS,SIGILS");
}
