//! `engine enrich index`.

use engine_app::enrich::{self, Made};
use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_store::project::Project;
use serde_json::{Map, Value, json};

use super::tell_mode;
use crate::ui::Ui;

pub(super) fn run(project: &Project, ui: &Ui) -> Outcome {
    let Made { counts, left_out, retired, file, bytes, mode } = enrich::index(project)?;
    if ui.is_json() {
        let kinds: Map<String, Value> =
            counts.iter().map(|(kind, count)| (kind.as_str().to_owned(), (*count).into())).collect();
        ui.object(&json!({"version": 1, "file": file, "bytes": bytes, "items": kinds, "leftOut": left_out,
            "retired": retired, "mode": mode.as_str()}));
        return Ok(());
    }
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let kinds: Vec<String> =
        counts.iter().map(|(kind, count)| counted(*count as u64, kind.as_str())).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    ui.line(format!("{}{kinds}, in {file} ({bytes} bytes)", counted(all as u64, "item")));
    if retired > 0 {
        ui.line(format!(
            "{} retired: told often, never read. See: engine enrich report",
            counted(retired as u64, "item")
        ));
    }
    if left_out > 0 {
        ui.line(format!("{} left out: the oldest", counted(left_out as u64, "item")));
    }
    tell_mode(mode, ui);
    Ok(())
}
