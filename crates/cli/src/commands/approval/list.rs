//! `engine approval list`.

use clap::Args;
use engine_app::approval::answer::list;
use engine_app::error::Outcome;
use engine_app::here::project;
use serde_json::{Value, json};

use super::{asked_at, kind, object, state};
use crate::table::aligned;
use crate::ui::Ui;

/// List what agents ask for, with its state: waiting, given, refused
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine approval list\n  engine approval list --json")]
pub(crate) struct ApprovalListArgs {}

pub(super) fn run(_: &ApprovalListArgs, ui: &Ui) -> Outcome {
    let asked = list(&project()?);
    if ui.is_json() {
        let rows: Vec<Value> = asked.iter().map(object).collect();
        ui.object(&json!({"version": 1, "approvals": rows}));
        return Ok(());
    }
    if asked.is_empty() {
        ui.talk("no approval is wanted");
    }
    let rows: Vec<Vec<String>> = asked
        .iter()
        .map(|asked| {
            let number = asked.request.number.to_string();
            let what = asked.request.what.clone();
            let state = state(asked).to_owned();
            vec![number, kind(asked), state, asked_at(asked), asked.session.clone(), what]
        })
        .collect();
    ui.text(&aligned(&rows, ""));
    Ok(())
}
