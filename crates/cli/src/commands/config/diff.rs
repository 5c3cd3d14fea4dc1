//! `engine config diff`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::trust::{is_kept, offer};
use engine_core::config::{Difference, Layer, value_or_none};
use engine_store::project::Project;
use serde_json::json;

use crate::commands::trust::offer::as_json;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// Show what differs from the configuration that you accepted
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine config diff\n  engine config diff --json")]
pub(crate) struct ConfigDiffArgs {}

pub(super) fn run(project: &Project, ui: &Ui) -> Outcome {
    let offer = offer(project);
    if ui.is_json() {
        let all = as_json(&offer);
        ui.object(&json!({"version": 1, "trusted": all["trusted"], "entries": all["entries"], "rules": all["rules"]}));
        return Ok(());
    }
    let differences = &offer.config.acceptance().differences;
    for (layer, file) in [(Layer::Project, ".engine/config.toml"), (Layer::User, "your own config.toml")] {
        let rows: Vec<_> = differences.iter().filter(|one| one.layer == layer).map(row).collect();
        print(ui, file, &rows);
    }
    let rules = offer.rules.iter().map(|rule| {
        let how = if is_kept(rule) { "counts as accepted, too" } else { "in force" };
        vec![rule.id.clone(), rule.words(), toned(Tone::Careful, how)]
    });
    print(ui, ".engine/policy.toml", &rules.collect::<Vec<_>>());
    if differences.is_empty() && offer.rules.is_empty() {
        ui.line("Nothing differs from what was accepted.");
    } else {
        let how = if offer.is_trusted { "Accept it: engine config accept" } else { "Trust it: engine trust" };
        ui.line(how);
    }
    Ok(())
}

fn row(one: &Difference) -> Vec<String> {
    let (from, to) = (value_or_none(one.accepted.as_ref()), value_or_none(one.now.as_ref()));
    let how = if one.held { "held" } else { "in force" };
    vec![one.name.clone(), format!("{from} → {to}"), toned(Tone::Careful, how)]
}

fn print(ui: &Ui, file: &str, rows: &[Vec<String>]) {
    if !rows.is_empty() {
        ui.line(file);
        ui.text(&aligned(rows, "  "));
    }
}
