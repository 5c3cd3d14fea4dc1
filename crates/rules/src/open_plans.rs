//! Tells a new agent session in one line each which plans wait for somebody to take them up, and nothing while their own sessions live.
//! A session that has a plan itself is told of that one, by the rule `restore`.

use crate::restore::inherited_plan;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Event, EventName, Kind, Source};
use engine_core::plan::Plan;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Plans, Project, Work};
use engine_text::line::one_line;
use engine_text::redact::redact;

/// Plans without a session that are named at most.
const MOST_NAMED: usize = 3;
/// Of the reason of a halt, in characters.
const REASON: usize = 100;

looks_at!(Plans + Project + Work);

pub(crate) const RULE: Rule = Rule {
    id: "open-plans",
    about: "In a new session: names plans whose session has ended.",
    events: &[EventName::SessionStart],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::SessionStart { source, .. } = &event.kind else { return Ok(Finding::default()) };
    if !source.context_is_fresh() || *source == Source::Compact || view.plan().is_some() {
        return Ok(Finding::default());
    }
    let inherited = inherited_plan(event, view);
    let lines = orphans(inherited.as_ref().map(|(plan, _)| plan.name.as_str()), view);
    if lines.is_empty() {
        return Ok(Finding::default());
    }
    Ok(Finding::note(lines.join("\n")).because("a plan is open whose session has ended"))
}

/// One line for each plan that nobody works on. A clone may bring plans, whose words are somebody else's.
fn orphans(told: Option<&str>, view: &(impl View + ?Sized)) -> Vec<String> {
    if !view.is_trusted() {
        return Vec::new();
    }
    let plans: Vec<Plan> =
        view.orphaned_plans().into_iter().filter(|plan| Some(plan.name.as_str()) != told).collect();
    let mut lines: Vec<String> = plans.iter().take(MOST_NAMED).map(orphan).collect();
    let more = plans.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        lines.push(format!("engine: {more} more: engine plan list"));
    }
    lines
}

fn orphan(plan: &Plan) -> String {
    let name = &plan.name;
    let take = plan.take_command();
    match plan.halted() {
        None => format!("engine: plan {name} is open, its session has ended: {take}"),
        Some(halt) => {
            let reason = one_line(&redact(&halt.reason), REASON);
            format!("engine: plan {name} is halted ({reason}), its session has ended: {take}")
        }
    }
}
