//! `engine skill list`.

use engine_app::error::Outcome;
use engine_app::registry::Skills;
use engine_app::skill::{self, why_not};
use engine_claude::skills::{self, SkillEntry};
use engine_core::chain::{Entry, listed};
use engine_core::skill::Exits;
use serde_json::{Map, Value, json};

use crate::table::aligned;
use crate::ui::Ui;

pub(super) fn run(ui: &Ui) -> Outcome {
    let root = skill::root()?;
    let skills = Skills::here()?;
    let found = skills::all(&root);
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(|found| row(found, &skills)).collect();
        ui.object(&json!({"version": 1, "skills": rows}));
        return Ok(());
    }
    let mut rows = vec![["SKILL", "FROM", "CHAINS", "EXITS"].map(str::to_owned).to_vec()];
    for found in &found {
        let chains = match why_not(found, &skills) {
            None if !found.declared.cooperative => "entry (wrapped)".to_owned(),
            None => "entry".to_owned(),
            Some(why) => format!("no: {why}"),
        };
        rows.push(vec![called(found), found.origin.describe(), chains, exits(&found.declared.exits)]);
    }
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn called(found: &SkillEntry) -> String {
    match &found.alias {
        Some(alias) => format!("/{} (/{alias})", found.name),
        None => format!("/{}", found.name),
    }
}

fn exits(exits: &Exits) -> String {
    let mut parts = Vec::new();
    if !exits.always.is_empty() {
        parts.push(listed(&exits.always));
    }
    for (flag, entries) in &exits.when {
        parts.push(format!("with {flag}: {}", listed(entries)));
    }
    parts.join("; ")
}

fn row(found: &SkillEntry, skills: &Skills) -> Value {
    let written = |entries: &[Entry]| entries.iter().map(engine_core::chain::written).collect::<Vec<_>>();
    let when: Map<String, Value> =
        found.declared.exits.when.iter().map(|(flag, exits)| (flag.clone(), json!(written(exits)))).collect();
    let why = why_not(found, skills);
    let problems: Vec<Value> = found
        .declared
        .problems
        .iter()
        .map(|problem| json!({"line": problem.line, "text": problem.text}))
        .collect();
    json!({"name": found.name, "alias": found.alias, "source": found.origin.describe(), "path": found.path,
        "description": found.declared.description, "cooperative": found.declared.cooperative,
        "modelCanCall": found.declared.callable, "wrapped": skills.is_wrapped(&found.name), "entry": why.is_none(),
        "whyNot": why, "defaultExit": written(&found.declared.exits.always), "defaultExitWhen": when,
        "problems": problems})
}
