//! The report of a replay: for a person, or as one JSON object.

use engine_app::replay::{Answer, ByRule, Replayed, Row};
use engine_app::time;
use engine_app::transcripts::FoundTranscripts;
use engine_app::wording::counted;
use engine_text::line::one_line;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// How many rows a person is shown.
const SHOWN: usize = 50;
/// How much of a command a row shows.
const WHAT: usize = 60;

pub(super) struct Report<'a> {
    pub(super) found: &'a FoundTranscripts,
    pub(super) replayed: &'a Replayed,
    pub(super) diff: bool,
}

impl Report<'_> {
    pub(super) fn show(&self, ui: &Ui) {
        if ui.is_json() {
            ui.object(&self.json());
        } else if self.found.sessions.is_empty() && self.replayed.journal_events == 0 {
            ui.line(format!("no transcripts in {}", self.found.shown_places()));
        } else {
            ui.text(&self.text());
        }
    }

    fn json(&self) -> Value {
        let tally = &self.replayed.tally;
        let rules = |counts: &ByRule| -> Vec<Value> {
            let row = |rule: &&str| {
                let mut row = json!(counts.get(rule).copied().unwrap_or_default());
                row["rule"] = json!(rule);
                row
            };
            self.replayed.rules.iter().map(row).collect()
        };
        let mut object = json!({
            "version": 1, "transcripts": self.found.transcripts(), "sessions": tally.sessions, "events": tally.events,
            "journalEvents": self.replayed.journal_events,
            "unreadable": tally.damaged_lines, "unread": tally.unread, "rules": rules(&tally.rules),
            "notReplayed": self.replayed.left_out, "judgingUs": {"median": tally.time(50), "p99": tally.time(99)},
        });
        if self.diff {
            object["rulesBefore"] = json!(rules(&tally.rules_before));
            object["differences"] = json!(tally.rows);
        } else {
            object["decisions"] = json!(tally.rows);
        }
        object
    }

    fn text(&self) -> String {
        let tally = &self.replayed.tally;
        let unreadable = match tally.damaged_lines {
            0 => String::new(),
            lines => format!(", {}", counted(lines, "unreadable line")),
        };
        let from_journal = match self.replayed.journal_events {
            0 => String::new(),
            events => format!(", {events} of them from the journal, without a transcript"),
        };
        let mut out = format!(
            "{} of {}: {}{from_journal}{unreadable}\n",
            counted(self.found.transcripts() as u64, "transcript"),
            counted(tally.sessions, "session"),
            counted(tally.events, "event")
        );
        out.push('\n');
        out.push_str(&aligned(&self.rules(), ""));
        out.push_str(&format!("not replayed: {}\n", self.replayed.left_out.join(", ")));
        out.push_str(&self.rows());
        out.push_str(&format!(
            "\njudging took {:.1} µs per event (median), {:.1} µs (99th percentile)\n",
            tally.time(50),
            tally.time(99)
        ));
        out
    }

    fn rules(&self) -> Vec<Vec<String>> {
        let head = ["rule", "denied", "asked", "noted", "silent match", "injected bytes"];
        let mut rows = vec![head.iter().map(|&word| toned(Tone::Quiet, word)).collect::<Vec<_>>()];
        let failed = self.replayed.tally.rules.values().any(|counts| counts.failed > 0);
        if failed {
            rows[0].push(toned(Tone::Bad, "failed"));
        }
        for rule in &self.replayed.rules {
            let after = self.replayed.tally.rules.get(rule).copied().unwrap_or_default();
            let before = self.replayed.tally.rules_before.get(rule).copied().unwrap_or_default();
            let cell = |before: u64, after: u64| {
                if self.diff && before != after { format!("{before} → {after}") } else { after.to_string() }
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
        rows
    }

    fn rows(&self) -> String {
        let rows = &self.replayed.tally.rows;
        let (word, nothing) = if self.diff {
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
