//! `engine enrich report`.

use engine_app::enrich::{self, Used};
use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_core::enrich::{ItemUse, Report};
use engine_store::project::Project;
use serde_json::{Value, json};

use super::tell_mode;
use crate::table::aligned;
use crate::ui::Ui;

pub(super) fn run(project: &Project, ui: &Ui) -> Outcome {
    let Used { report, retired, mode } = enrich::report(project)?;
    let mut items: Vec<&ItemUse> = report.items.values().collect();
    items.sort_by_key(|item| (std::cmp::Reverse(item.told + item.shadow_told), &item.path, item.line));
    if ui.is_json() {
        let object = |item: &&ItemUse| {
            json!({"path": item.path, "line": item.line, "told": item.told, "read": item.read,
                "shadowTold": item.shadow_told, "shadowRead": item.shadow_read})
        };
        let all: Vec<Value> = items.iter().map(object).collect();
        let retired: Vec<Value> =
            retired.iter().map(|item| json!({"path": item.path, "line": item.line})).collect();
        ui.object(
            &json!({"version": 1, "mode": mode.as_str(), "lookedUp": report.looked, "silent": report.silent,
            "notLookedUp": report.passed, "told": report.told(), "read": report.read(),
            "tokens": report.characters.div_ceil(3), "tokensPerRead": report.tokens_per_read(), "items": all,
            "retired": retired}),
        );
        return Ok(());
    }
    if report.looked == 0 {
        ui.line("no prompt has been looked up yet");
    } else {
        ui.text(&summary(&report));
        let row = |item: &&ItemUse| {
            let place = format!("{}:{}", item.path, item.line);
            let count = |told: u32, read: u32, word: &str| {
                if told == 0 { String::new() } else { format!("{word} {told}, read {read}") }
            };
            vec![
                place,
                count(item.told, item.read, "told"),
                count(item.shadow_told, item.shadow_read, "in shadow"),
            ]
        };
        ui.text(&aligned(&items.iter().map(row).collect::<Vec<_>>(), "  "));
    }
    for item in &retired {
        ui.line(format!("retired: {}:{}; an edit of it brings it back", item.path, item.line));
    }
    tell_mode(mode, ui);
    Ok(())
}

fn summary(report: &Report) -> String {
    let (told, read) = (report.told(), report.read());
    let share = |part: u32, of: u32| (100 * part).checked_div(of).unwrap_or(0);
    let per_read = match report.tokens_per_read() {
        Some(tokens) => format!("about {tokens} tokens for each that was read"),
        None => format!("about {} tokens, none of it read", report.characters.div_ceil(3)),
    };
    format!(
        "{} looked up, {} of them silent ({} %); {} not\n{} told, {read} read within the turn ({} %); {per_read}\n",
        counted(report.looked, "prompt"),
        report.silent,
        share(report.silent, report.looked),
        report.passed,
        counted(told, "item"),
        share(read, told),
    )
}
