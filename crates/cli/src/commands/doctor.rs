//! `engine doctor`.

use engine_app::doctor::{Health, examine};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_rules::Rule;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    let report = examine(&project, rules);
    let broken = report.broken();
    if ui.is_json() {
        ui.object(
            &json!({"version": 1, "project": project.root(), "broken": broken, "checks": report.checks()}),
        );
    } else {
        let checks = report.checks().iter();
        let rows: Vec<Vec<String>> =
            checks.map(|check| vec![word(check.health), check.name.clone(), check.detail.clone()]).collect();
        ui.text(&aligned(&rows, ""));
    }
    match (broken, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!("{broken} broken"))),
    }
}

fn word(health: Health) -> String {
    match health {
        Health::Ok => toned(Tone::Good, "ok"),
        Health::Note => toned(Tone::Careful, "note"),
        Health::Broken => toned(Tone::Bad, "broken"),
    }
}
