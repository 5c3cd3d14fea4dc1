//! The end of a turn with an open plan.

use engine_core::change::Change;
use engine_core::plan::BoundPlan;
use engine_core::verdict::Finding;

use super::{ID, View};

/// Names once per turn what keeps a plan open, and what was not verified.
pub(super) fn at_stop(plan: &BoundPlan, view: &(impl View + ?Sized)) -> Finding {
    let waits = plan.halted.is_some() || !plan.locked || plan.guardrails.answer_only;
    let spoke = view.session().spoke_this_turn(ID);
    if plan.closes() {
        let closes = Change::PlanCloses { name: plan.name.clone(), reminds: !spoke };
        let changes = vec![closes, Change::SpokeThisTurn { rule: ID }];
        let because = Some("the proof of a quick plan passed after the last edit".to_owned());
        return Finding { changes, because, ..Finding::default() };
    }
    let runs = plan.delegated.as_ref().is_some_and(|delegated| !delegated.agents.is_empty());
    if waits || spoke || runs {
        return Finding::default();
    }
    let mut open = Vec::new();
    if plan.delegated.is_some() {
        open.push(format!("{} of {} steps are done: engine runbook next", plan.steps_done, plan.steps));
    }
    if plan.guardrails.verify_before_complete && plan.changed {
        open.push(
            "nothing was verified since the last edit (run the check; engine evidence lists what counts)"
                .to_owned(),
        );
    }
    match plan.not_passed() {
        Some(lacks) => open = vec![format!("{lacks}; once it has, the plan closes itself")],
        None if plan.delegated.as_ref().is_some_and(|delegated| !delegated.built) => {}
        None => open.extend(plan.open.iter().cloned()),
    }
    let more_open = if plan.delegated.is_some() { 0 } else { plan.open_count };
    if open.is_empty() && plan.open_count == 0 {
        open.push(end(plan));
    }
    let more = if plan.quick { 0 } else { more_open.saturating_sub(plan.open.len()) };
    let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
    let text = format!(
        "engine: plan {} is open:\n- {}{more}\nEnding the turn is right if it waits for the user.",
        plan.name,
        open.join("\n- ")
    );
    let mut finding = Finding::note(text).because("a locked plan is open at the end of the turn");
    finding.changes.push(Change::SpokeThisTurn { rule: ID });
    finding
}

/// What is left of a plan whose steps are done and whose criteria were shown. Its close looks again.
fn end(plan: &BoundPlan) -> String {
    match (plan.red.first(), plan.unproved.first()) {
        (Some(red), _) => format!("{} failed, and no run of it has passed since", red.shown()),
        (None, Some(line)) => format!("changed since `{line}` passed: engine check -- {line}"),
        (None, None) => "every step is done and every criterion was shown: engine plan close".to_owned(),
    }
}
