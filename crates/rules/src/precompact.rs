//! Before the client sums up the conversation: tells the summary what to name. Nothing is saved here: what the new context is told is
//! put together when it begins, so a process that is killed in between loses nothing.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::Work;

looks_at!(Work);

pub(crate) const RULE: Rule = Rule {
    id: "precompact",
    about: "Before a compaction: has the summary name the work session, decisions, failures and the words of the user.",
    events: &[EventName::PreCompact],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreCompact { .. } = &event.kind else { return Ok(Finding::default()) };
    let Some(work) = view.work() else { return Ok(Finding::default()) };
    let phase = work.phase.as_ref().map(|phase| format!(", phase {phase}")).unwrap_or_default();
    Ok(Finding::note(format!(
        "Keep in the summary: the work session sessions/{}, the skill {}{phase}, decisions with their reasons, what failed, and what the user asked for in their words.",
        work.name, work.skill
    )))
}
