//! A verdict as a line of the journal: what happened, what each rule found, what was answered.

use engine_text::stamp::{DecisionId, Stamp};

use super::{Decision, Finding, Judged, Mode, Verdict};
use crate::event::Event;
use crate::journal::{Entry, FindingLine, shortened};

impl Verdict {
    /// The line of the journal for an event that was judged.
    pub fn entry(&self, id: &DecisionId, at: Stamp, event: &Event<'_>, judged: &[Judged]) -> Entry {
        Entry {
            id: id.as_str().to_owned(),
            at: at.rfc3339(),
            findings: judged.iter().filter_map(line).collect(),
            verdict: self.word().to_owned(),
            bytes: self.context.as_ref().map_or(0, |text| text.len() as u64),
            ..Entry::of_event(event)
        }
    }
}

fn line(judged: &Judged) -> Option<FindingLine> {
    let line = FindingLine {
        rule: judged.rule.to_owned(),
        shadow: judged.mode == Mode::Shadow,
        ..FindingLine::default()
    };
    match &judged.outcome {
        Err(broken) => Some(FindingLine { error: Some(shortened(&broken.0)), ..line }),
        // A reason without a word is a match in shadow: counted, nothing else.
        Ok(finding) if finding.is_silent() && (finding.because.is_none() || !finding.changes.is_empty()) => {
            None
        }
        Ok(finding) => Some(described(line, finding)),
    }
}

fn described(line: FindingLine, finding: &Finding) -> FindingLine {
    let word = |decision: &Decision| if decision.is_deny() { "deny" } else { "ask" };
    FindingLine {
        decision: finding.decision.as_ref().map(|decision| word(decision).to_owned()),
        reason: finding.decision.as_ref().map(|decision| shortened(decision.reason())),
        context: finding.context.as_deref().map(shortened),
        lines: finding.lines.iter().map(|line| shortened(&line.text)).collect(),
        because: finding.because.as_deref().map(shortened),
        ..line
    }
}
