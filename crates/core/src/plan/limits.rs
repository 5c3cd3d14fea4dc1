//! What a run of a delegated plan may spend, and by which models.

use super::{Came, Plan, Run, Step, is_named};
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
            let agents =
                if attempts == 1 { "1 agent was".to_owned() } else { format!("{attempts} agents were") };
            return Some(format!("{agents} started, and runbook.attempts is {limit}"));
        }
        let tokens: u64 = runs().filter_map(|run| run.tokens).sum();
        if let Some(limit) = limit(&TOKENS).filter(|limit| tokens >= *limit) {
            return Some(format!("{tokens} tokens were spent, and runbook.tokens is {limit}"));
        }
        let minutes = Stamp::parse(since).map_or(0, |since| now.0.saturating_sub(since.0) / 60_000);
        let limit = limit(&MINUTES).filter(|limit| minutes >= *limit)?;
        Some(format!("{minutes} minutes have passed, and runbook.minutes is {limit}"))
    }

    /// Whether the client does not know the plan's own agents: their files were written after the last prompt of a person, or it has
    /// started none of them for a call of this session.
    pub fn is_fresh(&self, prompted: Option<Stamp>) -> bool {
        let written = self.runbook.as_ref().and_then(|source| Stamp::parse(&source.prepared_at));
        written.is_some_and(|written| prompted.is_none_or(|prompted| prompted <= written))
            || self.found_none()
    }

    fn found_none(&self) -> bool {
        let is_own =
            |step: &Step, run: &Run| step.agent.as_deref().is_some_and(|own| is_named(&run.agent_type, own));
        let started_none = |run: &Run| run.came == Some(Came::Lost) && run.agent.is_none();
        let is_here = |run: &Run| self.owner.as_deref() == Some(run.session.as_str());
        self.steps
            .iter()
            .any(|step| step.runs.iter().any(|run| started_none(run) && is_here(run) && is_own(step, run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Source;

    #[test]
    fn agents_are_unknown_until_the_next_prompt_or_where_a_call_has_started_none() {
        let plan = |session: &str, agent: Option<&str>, came: Came| {
            let run = Run {
                session: session.to_owned(),
                agent_type: "x-task".to_owned(),
                agent: agent.map(str::to_owned),
                came: Some(came),
                ..Run::default()
            };
            let step = Step { agent: Some("x-task".to_owned()), runs: vec![run], ..Step::default() };
            let source = Source { prepared_at: "2026-02-07T10:00:00.000Z".to_owned(), ..Source::default() };
            Plan {
                owner: Some("here".to_owned()),
                runbook: Some(source),
                steps: vec![step],
                ..Plan::default()
            }
        };
        let at = |text: &str| Stamp::parse(text);
        let (before, after) = ("2026-02-07T09:00:00.000Z", "2026-02-07T11:00:00.000Z");
        let cases = [
            (plan("here", Some("a"), Came::Done), at(before), true),
            (plan("here", Some("a"), Came::Done), at(after), false),
            (plan("here", None, Came::Lost), at(after), true),
            (plan("gone", None, Came::Lost), at(after), false),
            (plan("here", Some("a"), Came::Lost), at(after), false),
        ];
        for (at, (plan, prompted, expected)) in cases.into_iter().enumerate() {
            assert_eq!(plan.is_fresh(prompted), expected, "case {at}");
        }
    }
}
