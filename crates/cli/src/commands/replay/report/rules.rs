//! What each rule did, as a table.

use engine_app::replay::Replayed;

use crate::table::aligned;
use crate::ui::{Tone, toned};

pub(super) fn table(replayed: &Replayed, diff: bool) -> String {
    let head = ["rule", "denied", "asked", "noted", "silent match", "injected bytes"];
    let mut rows = vec![head.iter().map(|&word| toned(Tone::Quiet, word)).collect::<Vec<_>>()];
    let failed = replayed.tally.rules.values().any(|counts| counts.failed > 0);
    if failed {
        rows[0].push(toned(Tone::Bad, "failed"));
    }
    for rule in &replayed.rules {
        let after = replayed.tally.rules.get(rule).copied().unwrap_or_default();
        let before = replayed.tally.rules_before.get(rule).copied().unwrap_or_default();
        let cell = |before: u64, after: u64| {
            if diff && before != after { format!("{before} → {after}") } else { after.to_string() }
        };
        let mut row = vec![
            (*rule).to_owned(),
            cell(before.denied, after.denied),
            cell(before.asked, after.asked),
            cell(before.noted, after.noted),
            cell(before.silent, after.silent),
            cell(before.bytes, after.bytes),
        ];
        if failed {
            row.push(cell(before.failed, after.failed));
        }
        rows.push(row);
    }
    aligned(&rows, "")
}
