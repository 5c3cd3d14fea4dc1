//! `engine policy list`.

use engine_app::error::Outcome;
use engine_app::policy::PolicyContext;
use engine_core::policy;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?;
    let own = &policies.loaded.policy.rules;
    if ui.is_json() {
        let built = policy::built_in().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict(&policies.config).as_str(), "default": rule.verdict.as_str(),
                "about": rule.about, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "built in"})
        });
        let own = own.iter().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "project"})
        });
        let rows: Vec<Value> = built.chain(own).collect();
        let problems: Vec<Value> = policies
            .loaded
            .problems
            .iter()
            .map(|problem| json!({"line": problem.line, "text": problem.text}))
            .collect();
        ui.object(&json!({"version": 1, "rules": rows, "problems": problems}));
        return Ok(());
    }
    let mut rows = vec![["RULE", "VERDICT", "MATCHES"].map(str::to_owned).to_vec()];
    for rule in policy::built_in() {
        rows.push(vec![
            rule.id.to_owned(),
            rule.verdict(&policies.config).as_str().to_owned(),
            rule.about.to_owned(),
        ]);
    }
    for rule in own {
        rows.push(vec![
            rule.id.clone(),
            rule.verdict.clone(),
            format!("{} (.engine/policy.toml)", rule.reason),
        ]);
    }
    ui.text(&aligned(&rows, ""));
    for problem in &policies.loaded.problems {
        ui.talk(format!(
            "{} .engine/policy.toml:{}: {}",
            toned(Tone::Bad, "not used:"),
            problem.line,
            problem.text
        ));
    }
    Ok(())
}
