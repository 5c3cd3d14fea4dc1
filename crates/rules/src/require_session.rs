//! For teams that want all work in work sessions: without one, only what leads to one is let through, and questions.

use crate::engine_call::engine_call;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Event, EventName, Kind, Tool};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Shell, Work};

looks_at!(Shell + Work);

pub(crate) const RULE: Rule = Rule {
    id: "require-session",
    about: "Denies tools until a work session is active; only activating one and asking pass. Off unless switched on.",
    events: &[EventName::PreTool],
    default: Mode::Off,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreTool(call) = &event.kind else { return Ok(Finding::default()) };
    if view.work().is_some() {
        return Ok(Finding::default());
    }
    // Skills are what is activated, and reading them comes before.
    let reads_skill = call.reads().any(|path| path.split('/').any(|part| part == "skills"));
    let leads_there = matches!(call.tool, Tool::Skill { .. } | Tool::Ask | Tool::FindTools) || reads_skill;
    if leads_there || engine_call(call, &event.cwd, view).is_some_and(|engine| engine.alone) {
        return Ok(Finding::default());
    }
    Ok(Finding::deny(
        "no work session is active, and this project asks for one. Activate one: engine session activate sessions/YYYY_MM_DD_TOPIC SKILL",
    )
    .because("require-session is on and nothing is bound"))
}
