//! Before the client sums up the conversation: keeps what the work needs, unless the agent has, and tells the summary to name it.

use crate::assemble;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Handover, Work};

looks_at!(assemble::View + Handover + Work);

pub(crate) const RULE: Rule = Rule {
    id: "precompact",
    about: "Before a compaction: keeps phase, log, tasks, chain and changed files of the work session for the next context.",
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
    let mut finding = Finding::note(format!(
        "Keep in the summary: the work session sessions/{}, the skill {}{phase}, decisions with their reasons, what failed, and what the user asked for in their words.",
        work.name, work.skill
    ));
    if view.payload(&work.name).is_none() {
        let payload = Box::new(assemble(view, work));
        finding.changes.push(Change::SavePayload { work: work.name.clone(), payload });
        finding = finding.because("no payload was kept, so one was put together");
    }
    Ok(finding)
}
