//! The report of a replay: for a person, or as one JSON object.

use engine_app::replay::{ByRule, Replayed};
use engine_app::transcripts::FoundTranscripts;
use engine_app::wording::counted;
use serde_json::{Value, json};

use crate::ui::Ui;

mod decisions;
mod rules;

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
        out.push_str(&rules::table(self.replayed, self.diff));
        out.push_str(&format!("not replayed: {}\n", self.replayed.left_out.join(", ")));
        out.push_str(&decisions::table(&tally.rows, self.diff));
        out.push_str(&format!(
            "\njudging took {:.1} µs per event (median), {:.1} µs (99th percentile)\n",
            tally.time(50),
            tally.time(99)
        ));
        out
    }
}
