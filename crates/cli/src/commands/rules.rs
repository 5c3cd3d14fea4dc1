//! `engine rules`: the table as it runs, with what the journal knows of each rule.

use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::journal::{Fired, fired};
use engine_app::time;
use engine_claude::EventName;
use engine_rules::Rule;
use engine_store::config_file;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    let config = config_file::load_fresh(&project);
    let fired = fired(&project)?;
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
        let events: Vec<&str> = rule.events.iter().map(|&event| EventName::from(event).as_str()).collect();
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
