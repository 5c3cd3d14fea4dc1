//! The report of `engine coverage`: for a person, or as one JSON object.

use engine_app::coverage::{Measured, Share, Who, not_understood};
use engine_app::transcripts::FoundTranscripts;
use engine_app::wording::counted;
use serde_json::{Value, json};

use super::gaps::{self, short};
use crate::table::aligned;
use crate::ui::{Tone, toned};

/// How many sessions a person is shown.
const SHOWN: usize = 20;

pub(super) struct Report<'a> {
    pub(super) measured: &'a Measured,
    pub(super) found: &'a FoundTranscripts,
    pub(super) min: u8,
}

impl Report<'_> {
    pub(super) fn json(&self) -> Value {
        let Self { measured, found, min } = self;
        let coverage = &measured.coverage;
        let all = coverage.all();
        let row = |((session, agent), share): (&Who, &Share)| {
            let (agent, kind) = agent.clone().unzip();
            json!({"session": session, "agent": agent, "agentType": kind, "calls": share.calls, "covered": share.covered})
        };
        json!({"version": 1, "transcripts": found.transcripts(), "calls": all.calls, "covered": all.covered, "min": min,
            "enough": coverage.reaches(*min), "refusedByClient": coverage.refused, "by": coverage.by.iter().map(row).collect::<Vec<_>>(),
            "gaps": coverage.gaps, "notUnderstood": coverage.opaque, "unreadable": coverage.damaged_lines, "unread": coverage.unread})
    }

    pub(super) fn text(&self) -> String {
        let Self { measured, found, min } = self;
        let coverage = &measured.coverage;
        let all = coverage.all();
        if all.calls == 0 {
            return format!("no tool calls in {}\n", found.shown_places());
        }
        let tone =
            if coverage.gaps.is_empty() && coverage.opaque.is_empty() { Tone::Good } else { Tone::Careful };
        let mut out = format!(
            "{} covered: {} of {} in {}\n",
            toned(tone, &all.shown()),
            all.covered,
            counted(all.calls, "tool call"),
            counted(found.transcripts() as u64, "transcript")
        );
        if coverage.refused > 0 {
            let calls = counted(coverage.refused, "call");
            out.push_str(&format!("not counted: {calls} that the client refused before any hook\n"));
        }
        if coverage.damaged_lines > 0 {
            out.push_str(&format!("{} passed over\n", counted(coverage.damaged_lines, "unreadable line")));
        }
        if !coverage.opaque.is_empty() {
            out.push_str(&format!("{}\n", not_understood(&coverage.opaque)));
        }
        out.push_str(&self.shown_sessions());
        out.push_str(&gaps::table(measured));
        if !coverage.reaches(*min) {
            out.push_str(&format!("{} --min {min}\n", toned(Tone::Bad, "below")));
        }
        out
    }

    /// All of them while they are few; of many those with gaps.
    fn shown_sessions(&self) -> String {
        let by = &self.measured.coverage.by;
        let few = by.len() <= SHOWN;
        let matters = |(_, share): &(&Who, &Share)| few || share.covered < share.calls;
        let row = |((session, agent), share): (&Who, &Share)| {
            let agent = agent.as_ref().map_or_else(|| "main".to_owned(), |(id, kind)| format!("{kind} {id}"));
            let count = format!("{} of {}", share.covered, share.calls);
            vec![short(session), agent.trim().to_owned(), count, share.shown()]
        };
        let rows: Vec<Vec<String>> = by.iter().filter(matters).take(SHOWN).map(row).collect();
        let mut out = aligned(&rows, "  ");
        if rows.len() < by.len() {
            out.push_str(&format!("  … {} more with --json\n", by.len() - rows.len()));
        }
        out
    }
}
