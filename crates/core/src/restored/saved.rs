//! What the agent saved for itself, with its age, and what happened since.

use std::collections::BTreeMap;

use crate::evidence::ledger::{Check, Line, Outcome};
use crate::evidence::standing::short;
use crate::work::{Overflow, Payload, Run};
use engine_text::stamp::Stamp;

use super::quote::quoted;
use super::text::Part;
use super::{Facts, File};

/// In hours: of an older save the day is shown, too.
const A_DAY: u64 = 12;
const MS_PER_HOUR: u64 = 3_600_000;

/// A save that still says something.
pub(super) struct Save<'a> {
    overflow: &'a Overflow,
    payload: &'a Payload,
    at: &'a str,
    /// Calls since.
    calls: usize,
}

impl<'a> Save<'a> {
    /// Nothing of another run, nothing that the engine put together in an earlier release, and nothing that was told to a context which
    /// has worked since.
    pub(super) fn of(facts: &'a Facts<'_>) -> Option<Self> {
        let overflow = &facts.state?.overflow;
        let run = facts.run()?;
        let payload = overflow.payload.as_ref().filter(|payload| !payload.assembled)?;
        let at = overflow.saved_at.as_deref().filter(|at| *at >= run.started_at.as_str())?;
        let is_used = |told: &String| facts.deeds.calls_since(told) > 0;
        if overflow.told_at.as_ref().is_some_and(is_used) {
            return None;
        }
        Some(Self { overflow, payload, at, calls: facts.deeds.calls_since(at) })
    }

    /// How many entries the log had; nothing where only its end is known.
    pub(super) fn entries(&self, log: &File) -> usize {
        if log.partial { 0 } else { self.overflow.entries }
    }

    /// `since`: the entries of the log that matter and came after it.
    pub(super) fn parts(&self, facts: &Facts<'_>, since: &[String]) -> Vec<Part> {
        let clock = self.clock(facts.now);
        let told = self.told(facts);
        match self.calls {
            0 => vec![
                Part::list(format!("Summary, saved by the agent {clock}"), 2, 1500, told),
                Part::list("Since then", 3, 500, since.to_vec()),
            ],
            calls => {
                let calls = if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
                vec![
                    Part::list(format!("Saved by the agent {clock}, {calls} ago"), 4, 950, told),
                    Part::list("Since then", 3, 900, self.since(facts, since)),
                ]
            }
        }
    }

    /// `23:41`, of an older save with its day.
    fn clock(&self, now: Stamp) -> String {
        let age = Stamp::parse(self.at).map_or(0, |at| now.0.saturating_sub(at.0)) / MS_PER_HOUR;
        let (text, zone) = match &self.overflow.saved_local {
            Some(local) => (local.as_str(), ""),
            None => (self.at, " UTC"),
        };
        let day = text.get(..10).unwrap_or_default();
        let time = text.get(11..16).unwrap_or_default();
        if age < A_DAY { format!("{time}{zone}") } else { format!("{day} {time}{zone}") }
    }

    fn told(&self, facts: &Facts<'_>) -> Vec<String> {
        let Payload { summary, last_action, next_steps, required_files, .. } = self.payload;
        let room = if self.calls == 0 { 2 } else { 1 };
        let file = |file: &String| {
            let gone = if facts.missing.contains(file) { " (missing)" } else { "" };
            format!("{}{gone}", quoted(file, 80))
        };
        let files: Vec<String> = required_files.iter().map(file).collect();
        let steps: Vec<String> = next_steps.iter().map(|step| quoted(step, 140 * room)).collect();
        let titled = |title: &str, text: &str, bytes: usize| {
            if text.trim().is_empty() {
                String::new()
            } else {
                format!("{title}: {}", quoted(text, bytes * room))
            }
        };
        let optional = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![
            quoted(summary, 400 * room),
            titled("last", last_action, 150),
            titled(if self.calls == 0 { "next" } else { "meant to do next" }, &steps.join(", then "), 220),
            titled("instructions", &optional(&self.payload.handover_instructions), 150),
            titled("read first", &files.join(", "), 150),
            titled("the user had said", &optional(&self.payload.user_history), 120),
        ]
    }

    fn since(&self, facts: &Facts<'_>, logged: &[String]) -> Vec<String> {
        let mut since: Vec<String> = Vec::new();
        since.extend(facts.run().and_then(|run| self.moved(run)));
        since.extend(self.checks(&facts.deeds.lines));
        if !facts.changed_since.is_empty() {
            since.push(format!("changed: {}", named(&facts.changed_since, 120)));
        }
        since.extend_from_slice(logged);
        since
    }

    /// `phase 1: Setup → 3: Build`.
    fn moved(&self, run: &Run) -> Option<String> {
        let now = run.current_phase.as_ref()?.to_string();
        let then = self.overflow.phase.as_ref().filter(|then| **then != now)?;
        Some(format!("phase {} → {}", quoted(then, 50), quoted(&now, 50)))
    }

    /// What each check came to last.
    fn checks(&self, lines: &[Line]) -> Vec<String> {
        let mut last: BTreeMap<String, (&str, &Outcome)> = BTreeMap::new();
        for line in lines.iter().filter(|line| line.at() > self.at) {
            if let Line::Check(Check { at, command, outcome, known: true, .. }) = line {
                last.insert(short(command), (at, outcome));
            }
        }
        let mut last: Vec<_> = last.into_iter().collect();
        last.sort_by_key(|(_, (at, _))| std::cmp::Reverse(*at));
        let shown = |(command, (_, outcome)): (String, (&str, &Outcome))| match outcome {
            Outcome::Passed => format!("{command} passed"),
            Outcome::Failed { .. } => format!("{command} failed"),
            Outcome::Unknown { .. } => format!("{command} ran, outcome not known"),
        };
        last.into_iter().take(3).map(shown).collect()
    }
}

/// Names until there is no room, and how many more there are.
pub(super) fn named(names: &[String], bytes: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let name = quoted(name, 100);
        if index > 0 && text.len() + name.len() > bytes {
            return format!("{text} and {} more", names.len() - index);
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&name);
    }
    text
}
