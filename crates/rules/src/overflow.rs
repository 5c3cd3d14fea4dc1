//! Watches how full the context is while a work session is bound: a note when it gets close, and, where the project wants it, a stop until
//! what the next context needs is saved. What saves is never held.

use crate::engine_call::engine_call;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::client::ContextUse;
use engine_core::config::{Flag, Number};
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Session, Shell, Transcript, Work};
use engine_core::work::{BoundWork, file_of};

looks_at!(Project + Session + Shell + Transcript + Work);

pub(crate) const RULE: Rule = Rule {
    id: "overflow",
    about: "In a work session: says when the context is nearly full, and how to save what only it knows.",
    events: &[EventName::PreTool, EventName::PostTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const NOTE: Number = Number {
    name: "overflow.note",
    default: 80,
    range: (1, 100),
    about: "Percentage of the context from which an agent in a work session is told, once, how to save what only it knows.",
};

pub const GATE: Flag = Flag {
    name: "overflow.gate",
    default: false,
    about: "Whether tools are denied in a work session when the context is nearly full, until that is saved.",
};

/// The client sums up this far before the end; the model needs as much again to save.
const RESERVE: u64 = 66_000;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Some(work) = view.work().filter(|work| !work.saved) else {
        return Ok(Finding::default());
    };
    Ok(match &event.kind {
        Kind::PreTool(call) if view.config().flag(&GATE) => {
            let is_full =
                |context: &ContextUse| gate(context.window).is_some_and(|gate| context.used >= gate);
            let full = context(event, view).filter(is_full);
            match full {
                Some(_) if engine_call(call, &event.cwd, view).is_some_and(|engine| engine.alone) => {
                    Finding::default()
                }
                Some(context) => Finding::deny(format!(
                    "the context is {} % full. Save what the next one needs, then go on: {}",
                    context.percent(),
                    save(work)
                ))
                .because("overflow.gate is on and nothing is saved"),
                None => Finding::default(),
            }
        }
        Kind::PostTool { .. } if !work.overflow_told => note(event, work, view),
        _ => Finding::default(),
    })
}

fn note(event: &Event<'_>, work: &BoundWork, view: &(impl View + ?Sized)) -> Finding {
    let Some(context) = context(event, view) else { return Finding::default() };
    let threshold = view.config().number(&NOTE);
    if context.percent() < threshold {
        return Finding::default();
    }
    let mut finding = Finding::note(format!(
        "engine: the context is {} % full. After a compaction or clear engine tells phase, open steps, log, checks, changed files and the user's words as they are then. What only this context knows: an entry of sessions/{}/{}, or {}. A save is shown with its age and with what came after it; a later one replaces it.",
        context.percent(),
        work.name,
        file_of(&work.skill, "LOG"),
        save(work)
    ))
    .because(format!("the context reached overflow.note ({threshold} %)"));
    finding.changes.push(Change::OverflowTold);
    finding
}

fn save(work: &BoundWork) -> String {
    format!(
        "engine session dehydrate sessions/{} --summary '…' --last-action '…' --next '…' --file PATH",
        work.name
    )
}

/// By the status line where there is one, else by the transcript.
fn context(event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<ContextUse> {
    let by_transcript = || view.context_use(event.transcript.as_deref()?);
    view.session().context.or_else(by_transcript).filter(|context| context.window > 0)
}

/// Nothing for a window that is hardly larger than what saving needs.
fn gate(window: u64) -> Option<u64> {
    Some((window / 10 * 9).min(window.checked_sub(RESERVE)?)).filter(|gate| *gate > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_leaves_room_to_save() {
        assert_eq!(gate(1_000_000), Some(900_000));
        assert_eq!(gate(200_000), Some(134_000));
        assert_eq!(gate(50_000), None);
    }
}
