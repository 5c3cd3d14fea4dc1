//! Gives an agent session whose context is new the plan that it works on: its criteria with their proofs, the active step, a halt and the
//! next command. After a clear the session that follows in the same client owns the plan of the one before it: halt and lock go on.
//!
//! Another new session is told in one line which plans wait for somebody to take them up, and nothing while their own sessions live.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind, Source};
use engine_core::plan::{Heir, Plan};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{ClearedPlan, Plans, Project, Work};
use engine_text::line::one_line;
use engine_text::redact::redact;

/// Plans without a session that are named at most.
const MOST_NAMED: usize = 3;
/// Of the reason of a halt, in characters.
const REASON: usize = 100;

looks_at!(Plans + Project + Work);

pub(crate) const RULE: Rule = Rule {
    id: "open-plans",
    about: "In a new context: repeats the plan of the session, and names plans whose session has ended.",
    events: &[EventName::SessionStart],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::SessionStart { source, .. } = &event.kind else { return Ok(Finding::default()) };
    if !source.context_is_fresh() {
        return Ok(Finding::default());
    }
    if let Some(own) = view.plan() {
        let text = match view.open_plan(&own.name) {
            Some(plan) if plan.owner.as_deref() == Some(&*event.session) => plan.recalled(Heir::Owner),
            // Another session has taken it.
            Some(_) => return Ok(Finding::default()),
            None => format!(
                "engine: this session works on plan {}, which cannot be read: engine plan show {}",
                own.name, own.name
            ),
        };
        return Ok(Finding::note(text).because("the context is new, and the session has an open plan"));
    }
    if *source == Source::Compact {
        return Ok(Finding::default());
    }
    let cleared = if *source == Source::Clear { view.cleared_plan() } else { None };
    let inherited = cleared.as_ref().and_then(|cleared| {
        let plan = view.open_plan(&cleared.name)?;
        (plan.owner.as_ref() == Some(&cleared.session)).then_some((plan, cleared))
    });
    let mut parts: Vec<String> = inherited.iter().map(|(plan, _)| plan.recalled(Heir::Successor)).collect();
    parts.extend(orphans(inherited.as_ref().map(|(plan, _)| plan.name.as_str()), view));
    let mut finding = Finding::default();
    if !parts.is_empty() {
        finding = Finding::note(parts.join("\n")).because("a plan is open whose session has ended");
    }
    if let Some((_, cleared)) = inherited {
        let ClearedPlan { name, session } = cleared.clone();
        finding.changes.push(Change::PlanInherited { name, from: session });
    }
    if cleared.is_some() {
        finding.changes.push(Change::ClearedTold);
    }
    Ok(finding)
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
    match plan.halted() {
        None => format!("engine: plan {name} is open, its session has ended: engine plan take {name}"),
        Some(halt) => {
            let reason = one_line(&redact(&halt.reason), REASON);
            format!(
                "engine: plan {name} is halted ({reason}), its session has ended: engine plan take {name}, then engine plan resume, \
                 which asks the user"
            )
        }
    }
}
