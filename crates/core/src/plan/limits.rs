//! What a run of a delegated plan may spend, and by which models.

use super::{Plan, Run};
use crate::config::{Config, Names, Number};
use engine_text::stamp::Stamp;

/// The tiers of models, the cheapest first.
pub const TIERS: Names = Names {
    name: "models.tiers",
    about: "Tiers of models for the steps of runbooks, the cheapest first; none: haiku, sonnet, opus.",
    of: "names of models",
    fits: |name| !name.is_empty() && !name.contains(char::is_whitespace),
};

const USUAL: [&str; 3] = ["haiku", "sonnet", "opus"];

pub const ATTEMPTS: Number = Number {
    name: "runbook.attempts",
    default: 0,
    range: (0, 10_000),
    about: "So many agents are started for one runbook, then its plan halts; 0: any number.",
};

pub const TOKENS: Number = Number {
    name: "runbook.tokens",
    default: 0,
    range: (0, 10_000_000_000),
    about: "So many tokens are spent by the agents of one runbook, then its plan halts; 0: any number.",
};

pub const MINUTES: Number = Number {
    name: "runbook.minutes",
    default: 0,
    range: (0, 1_000_000),
    about: "So many minutes after its start the plan of a runbook halts; 0: never.",
};

/// The tiers that are configured.
pub fn tiers(config: &Config) -> Vec<String> {
    let own = config.names(&TIERS);
    let tiers = if own.is_empty() { USUAL.to_vec() } else { own };
    tiers.into_iter().map(str::to_lowercase).collect()
}

impl Plan {
    /// Why no more agents are started, by what was spent since the lock, or since a person let the plan go on.
    pub fn over_budget(&self, config: &Config, now: Stamp) -> Option<String> {
        let resumed =
            self.halts.iter().filter_map(|halt| halt.resumed.as_ref()).map(|one| one.at.as_str()).max();
        let since = resumed.or(self.lock.as_ref().map(|lock| lock.at.as_str())).unwrap_or_default();
        let runs =
            || self.steps.iter().flat_map(|step| &step.runs).filter(|run: &&Run| run.at.as_str() >= since);
        let limit = |knob| Some(config.number(knob)).filter(|limit| *limit > 0);
        let attempts = runs().count() as u64;
        if let Some(limit) = limit(&ATTEMPTS).filter(|limit| attempts >= *limit) {
            return Some(format!("{attempts} agents were started, and runbook.attempts is {limit}"));
        }
        let tokens: u64 = runs().filter_map(|run| run.tokens).sum();
        if let Some(limit) = limit(&TOKENS).filter(|limit| tokens >= *limit) {
            return Some(format!("{tokens} tokens were spent, and runbook.tokens is {limit}"));
        }
        let minutes = Stamp::parse(since).map_or(0, |since| now.0.saturating_sub(since.0) / 60_000);
        let limit = limit(&MINUTES).filter(|limit| minutes >= *limit)?;
        Some(format!("{minutes} minutes have passed, and runbook.minutes is {limit}"))
    }

    /// Whether the client does not know the plan's own agents yet: their files were written after the last prompt of a person.
    pub fn is_fresh(&self, prompted: Option<Stamp>) -> bool {
        let written = self.runbook.as_ref().and_then(|source| Stamp::parse(&source.prepared_at));
        written.is_some_and(|written| prompted.is_none_or(|prompted| prompted <= written))
    }
}
