//! The decisions of a replay, or what differs between two.

use engine_app::replay::{Answer, Row};
use engine_app::time;
use engine_app::wording::counted;
use engine_text::line::one_line;

use crate::table::aligned;
use crate::ui::{Tone, toned};

/// How many rows a person is shown.
const SHOWN: usize = 50;
/// How much of a command a row shows.
const WHAT: usize = 60;

pub(super) fn table(rows: &[Row], diff: bool) -> String {
    let (word, nothing) = if diff {
        ("difference", "no event is decided differently")
    } else {
        ("decision", "no decision on a tool call")
    };
    if rows.is_empty() {
        return format!("\n{nothing}\n");
    }
    let hidden = rows.len().saturating_sub(SHOWN);
    let more = match hidden {
        0 => String::new(),
        hidden => format!(", the last {SHOWN} of them; {hidden} more with --json"),
    };
    let cells: Vec<Vec<String>> = rows[hidden..].iter().map(cells).collect();
    format!("\n{}{more}\n{}", counted(rows.len() as u64, word), aligned(&cells, "  "))
}

fn cells(row: &Row) -> Vec<String> {
    let at = time::parse(&row.at).map_or_else(|| row.at.clone(), time::local);
    let session: String = row.session.chars().take(8).collect();
    let who = if row.agent.is_some() { format!("{session}/sub") } else { session };
    let rules = |answer: &Answer| match answer.rules.as_slice() {
        [] => String::new(),
        rules => format!(" ({})", rules.join(", ")),
    };
    let verdict = match &row.before {
        Some(before) => format!(
            "{}{} → {}{}",
            shown(before.verdict),
            rules(before),
            shown(row.answer.verdict),
            rules(&row.answer)
        ),
        None => format!("{}{}", shown(row.answer.verdict), rules(&row.answer)),
    };
    let what = row.tool.as_deref().unwrap_or(&row.event).to_owned();
    let mut cells = vec![at, who, verdict, what, one_line(&row.what, WHAT)];
    cells.extend(row.because.as_deref().map(|because| toned(Tone::Quiet, because)));
    cells
}

fn shown(verdict: &str) -> String {
    match verdict {
        "deny" => toned(Tone::Bad, verdict),
        "ask" => toned(Tone::Careful, verdict),
        "note" | "answer" => toned(Tone::Good, verdict),
        _ => toned(Tone::Quiet, verdict),
    }
}
