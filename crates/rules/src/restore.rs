//! Gives an agent session whose context is new what its work session kept for it: after a compaction the session itself, after a clear
//! the one that follows in the same client. Once, and nobody else.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind, Source};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Handover, Project, Work};
use engine_core::work::BoundWork;

looks_at!(Files + Handover + Project + Work);

pub(crate) const RULE: Rule = Rule {
    id: "restore",
    about: "After a compaction or clear, gives back what the work session kept for the next context.",
    events: &[EventName::SessionStart],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::SessionStart { source, .. } = &event.kind else { return Ok(Finding::default()) };
    match source {
        Source::Compact => {
            let finding = view.work().map(|work| told(work, view));
            Ok(finding.unwrap_or_default())
        }
        Source::Clear => {
            let Some(work) = view.cleared_work() else { return Ok(Finding::default()) };
            let mut finding = told(&work, view);
            finding.changes.push(Change::ClearedTold);
            Ok(finding)
        }
        _ => Ok(Finding::default()),
    }
}

fn told(work: &BoundWork, view: &(impl View + ?Sized)) -> Finding {
    let place =
        work.phase.as_ref().map(|phase| format!(", {} in phase {phase}", work.skill)).unwrap_or_default();
    let Some(payload) = view.payload(&work.name) else {
        return Finding::note(format!(
            "engine: this goes on with the work session sessions/{}{place}. Before anything else: engine session continue sessions/{}",
            work.name, work.name
        ));
    };
    let text = payload.text(&work.name, &place, |file| view.exists(&view.root().join(file)));
    let mut finding = Finding::note(text).because("a payload was kept for the next context");
    finding.changes.push(Change::PayloadTold { work: work.name.clone() });
    finding
}
