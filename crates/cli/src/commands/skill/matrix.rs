//! `engine skill check --matrix`.

use std::path::PathBuf;

use engine_app::error::Outcome;
use engine_app::skill::{Featured, matrix};
use engine_core::skill::FEATURES;
use serde_json::{Map, Value, json};

use crate::table::aligned;
use crate::ui::Ui;

pub(super) fn show(files: &[PathBuf], ui: &Ui) -> Outcome {
    let all = matrix(files)?;
    if ui.is_json() {
        let row = |Featured { skill, has, follow_up }: &Featured| {
            let has: Map<String, Value> =
                FEATURES.iter().zip(has).map(|(feature, has)| ((*feature).to_owned(), json!(has))).collect();
            json!({"skill": skill, "features": has, "followUp": follow_up})
        };
        ui.object(&json!({"version": 1, "skills": all.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let some = |feature: usize| all.iter().any(|one| one.has[feature]);
    let mut rows = vec![std::iter::once("SKILL").chain(FEATURES).map(str::to_owned).collect::<Vec<_>>()];
    for Featured { skill, has, follow_up } in &all {
        let cell = |(feature, has): (usize, &bool)| match (has, follow_up) {
            (true, _) => "yes".to_owned(),
            (false, true) if some(feature) => "to come".to_owned(),
            (false, _) if some(feature) => "-".to_owned(),
            _ => String::new(),
        };
        rows.push(std::iter::once(skill.clone()).chain(has.iter().enumerate().map(cell)).collect());
    }
    ui.text(&aligned(&rows, ""));
    Ok(())
}
