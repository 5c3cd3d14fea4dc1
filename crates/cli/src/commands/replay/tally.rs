//! What came of the judging, counted; one per worker, then one of all.

use std::collections::BTreeMap;

use engine_core::verdict::{Decision, Finding, Judged};
use engine_rules::Mode;
use serde::Serialize;

/// How often a rule spoke, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) denied: u64,
    pub(super) asked: u64,
    pub(super) noted: u64,
    /// It found something and had no effect: shadow mode, or a verdict that only counts.
    pub(super) silent: u64,
    /// Bytes of text that the model would have been given.
    pub(super) bytes: u64,
    pub(super) failed: u64,
}

impl Counts {
    fn add(&mut self, part: &Judged) {
        match &part.outcome {
            Err(_) => self.failed += 1,
            Ok(finding) if part.mode == Mode::On => self.add_finding(finding),
            Ok(finding) => self.silent += u64::from(!finding.is_silent() || finding.because.is_some()),
        }
    }

    fn add_finding(&mut self, finding: &Finding) {
        match &finding.decision {
            Some(Decision::Deny(_)) => self.denied += 1,
            Some(Decision::Ask(_)) => self.asked += 1,
            None => {}
        }
        if let Some(context) = &finding.context {
            self.noted += 1;
            self.bytes += context.len() as u64;
        }
        self.silent += u64::from(finding.is_silent() && finding.because.is_some());
    }

    fn join(&mut self, other: Self) {
        self.denied += other.denied;
        self.asked += other.asked;
        self.noted += other.noted;
        self.silent += other.silent;
        self.bytes += other.bytes;
        self.failed += other.failed;
    }
}

pub(super) type ByRule = BTreeMap<&'static str, Counts>;

/// One answer: `deny` by `policy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Answer {
    pub(super) verdict: &'static str,
    pub(super) rules: Vec<&'static str>,
}

/// One event, as it is listed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) at: String,
    pub(super) session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    pub(super) event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    pub(super) what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Answer>,
    #[serde(flatten)]
    pub(super) answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) because: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) events: u64,
    pub(super) sessions: u64,
    pub(super) damaged_lines: u64,
    /// Files, with the reason.
    pub(super) unread: Vec<String>,
    pub(super) rules: ByRule,
    /// The same by the configuration in force, with `--diff`.
    pub(super) rules_before: ByRule,
    pub(super) rows: Vec<Row>,
    /// Time of judging, in nanoseconds, an event each.
    pub(super) times: Vec<u32>,
}

impl Tally {
    pub(super) fn count(rules: &mut ByRule, judged: &[Judged]) {
        for part in judged {
            rules.entry(part.rule).or_default().add(part);
        }
    }

    /// All parts together; rows in the order of time.
    pub(super) fn merged(parts: Vec<Self>) -> Self {
        let mut whole = Self::default();
        for part in parts {
            whole.events += part.events;
            whole.sessions += part.sessions;
            whole.damaged_lines += part.damaged_lines;
            whole.unread.extend(part.unread);
            whole.rows.extend(part.rows);
            whole.times.extend(part.times);
            for (mine, others) in
                [(&mut whole.rules, part.rules), (&mut whole.rules_before, part.rules_before)]
            {
                for (rule, counts) in others {
                    mine.entry(rule).or_default().join(counts);
                }
            }
        }
        whole.unread.sort();
        whole.rows.sort_by(|a, b| (&a.at, &a.session).cmp(&(&b.at, &b.session)));
        whole.times.sort_unstable();
        whole
    }

    /// The time within which this share of the events was judged, in microseconds.
    pub(super) fn time(&self, percent: usize) -> f64 {
        let at = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(at).map_or(0.0, |&ns| f64::from(ns) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let tally = Tally { times: (1..=200).map(|n| n * 1000).collect(), ..Tally::default() };
        assert_eq!((tally.time(50), tally.time(99), tally.time(100)), (100.0, 198.0, 200.0));
        assert!(Tally::default().time(50).abs() < f64::EPSILON);
    }

    #[test]
    fn a_rule_in_shadow_mode_is_silent() {
        let mut rules = ByRule::new();
        let part = |mode, finding| Judged { rule: "a", mode, outcome: Ok(finding) };
        let parts = [
            part(Mode::Shadow, Finding::deny("no")),
            part(Mode::On, Finding::default().because("matched: x (shadow)")),
            part(Mode::On, Finding::note("four").because("x")),
            part(Mode::On, Finding::default()),
        ];
        Tally::count(&mut rules, &parts);
        assert_eq!(rules["a"], Counts { silent: 2, noted: 1, bytes: 4, ..Counts::default() });
    }
}
