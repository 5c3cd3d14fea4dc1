//! What came of the judging, counted; one per worker, then one of all.

use std::collections::BTreeMap;

use engine_core::verdict::{Decision, Finding, Judged};
use engine_rules::Mode;
use serde::Serialize;

/// How often a rule spoke, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub denied: u64,
    pub asked: u64,
    pub noted: u64,
    /// It found something and had no effect: shadow mode, or a verdict that only counts.
    pub silent: u64,
    /// Bytes of text that the model would have been given.
    pub bytes: u64,
    pub failed: u64,
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

pub type ByRule = BTreeMap<&'static str, Counts>;

/// One answer: `deny` by `policy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    pub verdict: &'static str,
    pub rules: Vec<&'static str>,
}

/// One event, as it is listed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub at: String,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Answer>,
    #[serde(flatten)]
    pub answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

#[derive(Debug, Default)]
pub struct Tally {
    pub events: u64,
    pub sessions: u64,
    pub damaged_lines: u64,
    /// Files, with the reason.
    pub unread: Vec<String>,
    pub rules: ByRule,
    /// The same by the configuration in force, with `--diff`.
    pub rules_before: ByRule,
    pub rows: Vec<Row>,
    /// Time of judging, in nanoseconds, an event each.
    pub times: Vec<u32>,
}

impl Tally {
    pub fn count(rules: &mut ByRule, judged: &[Judged]) {
        for part in judged {
            rules.entry(part.rule).or_default().add(part);
        }
    }

    /// All parts together; rows in the order of time.
    pub fn merged(parts: Vec<Self>) -> Self {
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
    pub fn time(&self, percent: usize) -> f64 {
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
