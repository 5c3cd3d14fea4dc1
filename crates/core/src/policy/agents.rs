//! Pack agents: agents that are started so that nobody judges what they do. Which words do that, the client's [`Dialect`] knows.
//!
//! [`Dialect`]: crate::dialect::Dialect

use super::{Built, Level};
use engine_shell::Run;

pub(super) const AGENTS: &[Built] = &[Built {
    id: "agents.unguarded",
    since: "0.1.0",
    verdict: Level::Ask,
    about: "starting an agent whose hooks are switched off, outside of the project's root, or another agent that asks nobody",
    reason: "what that agent does is neither judged nor recorded",
    instead: "the same start in the project's root without what switches the hooks off, or a subagent of this session",
    matches: |facts| {
        let settings = |index: usize| facts.settings.iter().find(|(run, _)| *run == index);
        let is_it = |(index, run): &(usize, &Run)| {
            let settings = settings(*index).map(|(_, text)| text.as_str());
            // The hooks of a project's settings run only in its root.
            let is_elsewhere = || {
                let root = facts.places.root.as_str();
                !root.is_empty() && run.cwd.as_deref().is_some_and(|cwd| cwd != root)
            };
            (facts.dialect.is_unguarded)(facts.dialect, run, settings)
                || (facts.dialect.starts_agent(run) && is_elsewhere())
        };
        facts.runs().find(is_it).map(|(index, _)| index)
    },
}];
