//! `engine rules`: the table as it runs, with what the journal knows of each rule.

use std::collections::BTreeMap;

use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::journal::DOCTOR_SESSION;
use engine_app::time;
use engine_rules::Rule;
use engine_store::{config_file, journal_file};
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Default, Clone)]
struct Fired {
    count: u64,
    last: Option<String>,
}

pub(super) fn run(rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    let config = config_file::load_fresh(&project);
    let mut fired: BTreeMap<String, Fired> = BTreeMap::new();
    for (_, path) in journal_file::days(&project.journal_folder()) {
        journal_file::read_day(&path, |entry| {
            if entry.session.starts_with(DOCTOR_SESSION) {
                return;
            }
            for finding in &entry.findings {
                let fired = fired.entry(finding.rule.clone()).or_default();
                fired.count += 1;
                fired.last = Some(entry.at.clone());
            }
        })?;
    }
    let mut rows = vec![["RULE", "MODE", "FROM", "SPOKE", "LAST", "EVENTS"].map(str::to_owned).to_vec()];
    let mut objects = Vec::new();
    for rule in rules {
        let mode = rule.mode(&config).as_str();
        let from = if rule.fixed {
            "fixed"
        } else {
            engine_rules::config::show(&config, &format!("rules.{}", rule.id))
                .map_or("default", |(_, layer, _)| layer.as_str())
        };
        let events: Vec<&str> = rule.events.iter().map(|event| event.as_str()).collect();
        let Fired { count, last } = fired.get(rule.id).cloned().unwrap_or_default();
        objects
            .push(json!({"id": rule.id, "about": rule.about, "events": events, "mode": mode, "from": from,
            "fired": count, "lastFired": last}));
        let last = last.and_then(|at| time::parse(&at)).map_or("-".to_owned(), time::local);
        rows.push(vec![
            rule.id.to_owned(),
            mode.to_owned(),
            from.to_owned(),
            count.to_string(),
            last,
            events.join(" "),
        ]);
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "rules": objects}));
        return Ok(());
    }
    ui.text(&aligned(&rows, ""));
    ui.line(toned(
        Tone::Quiet,
        "Counted over the journal that is kept. Modes: engine config set rules.RULE on|shadow|off",
    ));
    Ok(())
}
