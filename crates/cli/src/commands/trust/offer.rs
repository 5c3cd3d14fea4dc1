//! What trust in a project would put in force, for a person and as JSON.

use engine_app::trust::Offer;
use engine_app::wording::counted;
use engine_core::config::{Difference, value_or_none};
use engine_store::trust::TrustedText;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// Everything that trust would put in force.
pub(crate) fn show(offer: &Offer, ui: &Ui) {
    if ui.is_json() {
        ui.object(&as_json(offer));
        return;
    }
    ui.line(if offer.is_trusted { "This project is trusted." } else { "This project is not trusted." });
    if offer.is_empty() {
        ui.line("Nothing in it is held.");
        return;
    }
    let differences = || offer.config.acceptance().differences.iter();
    let entry = |one: &Difference| {
        let word = if offer.is_trusted { "accepted" } else { "without it" };
        let before = format!("{word}: {}", value_or_none(one.accepted.as_ref()));
        vec![one.entry(), toned(Tone::Quiet, &before)]
    };
    list(ui, "Held:", differences().filter(|one| one.held).map(entry));
    list(ui, "In force, because it is stricter:", differences().filter(|one| !one.held).map(entry));
    let rule = |(id, how): (&String, &str)| vec![id.clone(), toned(Tone::Quiet, how)];
    list(
        ui,
        "Rules of .engine/policy.toml:",
        offer.rules.iter().map(|one| rule((&one.id, one.kind.as_str()))),
    );
    let variables = offer.config.acceptance().variables.iter();
    let variable =
        variables.map(|one| vec![format!("{}={}", one.name, one.value), toned(Tone::Quiet, &one.file)]);
    list(ui, "Variables that do not count:", variable);
    if !offer.is_trusted {
        let size = |one: &TrustedText| vec![one.path.clone(), counted(one.text.len() as u64, "byte")];
        let (file, tasks) = &offer.tasks;
        let counts = [(file.as_str(), *tasks, "task"), (".engine/queue", offer.queue, "item")];
        let count =
            |(path, count, word): (&str, usize, &str)| vec![path.to_owned(), counted(count as u64, word)];
        let counts = counts.into_iter().filter(|(_, count, _)| *count > 0).map(count);
        list(ui, "Not told to the model:", offer.texts().map(size).chain(counts));
    }
    ui.line(if offer.is_trusted { "Accept it: engine config accept" } else { "Trust it: engine trust" });
}

fn list(ui: &Ui, heading: &str, rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        ui.line(heading);
        ui.text(&aligned(&rows, "  "));
    }
}

/// The differences and texts as one object.
pub(crate) fn as_json(offer: &Offer) -> Value {
    let acceptance = offer.config.acceptance();
    let entries: Vec<_> = acceptance
        .differences
        .iter()
        .map(|one| {
            let (now, accepted) = (one.now.as_ref().map(ToString::to_string), one.accepted.as_ref().map(ToString::to_string));
            json!({"layer": one.layer.as_str(), "key": one.name, "now": now, "accepted": accepted, "held": one.held})
        })
        .collect();
    let rules: Vec<_> = offer
        .rules
        .iter()
        .map(|one| json!({"id": one.id, "change": one.kind.as_str(), "how": one.how}))
        .collect();
    let variables: Vec<_> = acceptance
        .variables
        .iter()
        .map(|one| json!({"name": one.name, "value": one.value, "file": one.file}))
        .collect();
    let texts: Vec<_> = offer.texts().map(|one| json!({"path": one.path, "bytes": one.text.len()})).collect();
    json!({"version": 1, "trusted": offer.is_trusted, "entries": entries, "rules": rules, "variables": variables, "texts": texts,
        "tasks": offer.tasks.1, "queue": offer.queue})
}
