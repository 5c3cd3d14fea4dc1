//! What a call came to: edits and checks are counted, circles halt, the end of a step is answered.

use engine_core::change::Change;
use engine_core::event::{Event, Kind, Tool, ToolCall};
use engine_core::evidence::ledger::{self, Check, Outcome};
use engine_core::plan::{BoundPlan, HaltKind, Kind as StepKind, NextStep, Observation, ways_out};
use engine_core::verdict::Finding;
use engine_core::work::BoundWork;
use engine_shell::Run;
use engine_text::line::printable;

use super::{View, decision, in_scope};
use crate::evidence;

pub(super) fn after(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    if let Tool::Skill { name, .. } = &call.tool {
        return saw(plan, vec![Observation::Skill(name.clone().into_owned())]);
    }
    if let Kind::PostTool { result, .. } = &event.kind
        && let Some(noted) = &result.listed
    {
        return saw(plan, vec![Observation::Todo(noted.clone())]);
    }
    let mut finding = ran(event, plan, view);
    if finding.context.is_none() && is_step_done(call, &event.cwd, view) {
        step_done(plan, view.work(), &mut finding);
    }
    tell_skills(plan, view, &mut finding);
    finding
}

/// Names the skills that the plan wants called, once, when its first work step has begun.
fn tell_skills(plan: &BoundPlan, view: &(impl View + ?Sized), finding: &mut Finding) {
    let begins = finding.changes.iter().any(|change| matches!(change, Change::PlanBegins { .. }));
    let works = plan.active.as_ref().is_some_and(|step| step.kind == StepKind::Work);
    let skills = plan.uncalled();
    if plan.skills_told || skills.is_empty() || plan.halted.is_some() || !(begins || works) {
        return;
    }
    let calls: Vec<String> = skills.iter().map(|skill| (view.dialect().skill_call)(skill, None)).collect();
    let told = format!("engine: plan {} names skills for its work: {}", plan.name, calls.join(", "));
    add_context(finding, told);
    finding.because.get_or_insert_with(|| "the first work step has begun".to_owned());
    finding.changes.push(Change::PlanSkillsTold);
}

fn add_context(finding: &mut Finding, told: String) {
    finding.context = Some(match finding.context.take() {
        Some(before) => format!("{before}\n{told}"),
        None => told,
    });
}

/// Edits and checks that an event tells of. The first edit begins a step, if none is active.
pub(super) fn ran(event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Finding {
    let lines = in_scope(Some(plan), view, |scope| ledger::read_one(&evidence::entry(event, view), scope));
    let observations: Vec<Observation> = lines.into_iter().filter_map(Observation::of).collect();
    let is_edited = observations.iter().any(|seen| matches!(seen, Observation::Edit(_)));
    let is_awaited = |seen: &Observation| match (seen, &plan.awaits) {
        (Observation::Checked(check), Some(proof)) => proof.may_be_shown_by(check),
        _ => false,
    };
    let ran = observations.iter().any(is_awaited);
    let is_checked = observations.iter().any(|seen| matches!(seen, Observation::Checked(_)));
    let mut finding = saw(plan, observations);
    if plan.halted.is_some() {
        return finding;
    }
    if is_edited {
        begins(plan, view, &mut finding);
    }
    let is_halted = finding.changes.iter().any(|change| matches!(change, Change::PlanHalted { .. }));
    let measures = plan.quick && (is_edited || is_checked);
    if plan.locked && !is_halted && (ran || measures) {
        finding.changes.push(Change::PlanMoves { name: plan.name.clone(), ran });
    }
    finding
}

/// By which the line about a check that comes first is told once per turn.
const COMES_FIRST: &str = "plan: a check comes first";

/// Something was changed: the next work step begins, or the agent is told what comes before it.
fn begins(plan: &BoundPlan, view: &(impl View + ?Sized), finding: &mut Finding) {
    match &plan.next {
        Some(NextStep::Work) => finding.changes.push(Change::PlanBegins { name: plan.name.clone() }),
        Some(NextStep::Check(check)) if !view.session().spoke_this_turn(COMES_FIRST) => {
            add_context(finding, check.told(&plan.name));
            finding.because.get_or_insert_with(|| "something was changed before a check".to_owned());
            finding.changes.push(Change::SpokeThisTurn { rule: COMES_FIRST });
        }
        _ => {}
    }
}

/// Notes what was seen; where the work goes in circles the plan halts.
pub(super) fn saw(plan: &BoundPlan, observations: Vec<Observation>) -> Finding {
    let mut after = plan.clone();
    let circle = observations.iter().filter_map(|observation| after.see(observation)).last();
    if after == *plan {
        return Finding::default();
    }
    let mut finding = Finding { changes: vec![Change::PlanSaw { observations }], ..Finding::default() };
    if after.doubted && !plan.doubted {
        let doubt = doubted_check(&finding.changes);
        finding.context = doubt.map(|(command, why)| {
            format!("engine: plan {}: whether `{command}` passed is not known ({why}). A run that counts: engine check --tail 20 -- {command}", plan.name)
        });
        finding.because = Some("the outcome of a check is not known".to_owned());
    }
    if let Some(circle) = circle.filter(|_| plan.halted.is_none()) {
        let reason = circle.reason();
        finding.context = Some(format!(
            "engine: plan {} is halted: {reason}. Ways out: {}",
            plan.name,
            ways_out(false).join("; ")
        ));
        finding.because = Some(format!("{} cycles of edit and failed check", circle.cycles));
        finding.changes.push(Change::PlanHalted { name: plan.name.clone(), kind: HaltKind::Thrash, reason });
    }
    finding
}

/// The first check whose outcome is not known, and why.
fn doubted_check(changes: &[Change]) -> Option<(String, String)> {
    let observations = changes.iter().find_map(|change| match change {
        Change::PlanSaw { observations } => Some(observations),
        _ => None,
    })?;
    observations.iter().find_map(|observation| match observation {
        Observation::Checked(Check { command, outcome: Outcome::Unknown { why }, .. }) => {
            Some((command.clone(), why.clone()))
        }
        _ => None,
    })
}

/// Whether a command ended a step; the engine let it, or the call had failed.
fn is_step_done(call: &ToolCall<'_>, cwd: &str, view: &(impl View + ?Sized)) -> bool {
    let Some(command) = call.commands().find(|command| command.contains("plan")) else { return false };
    let words = |run: &Run| run.args.iter().take(3).map(|arg| arg.text.clone()).collect::<Vec<_>>();
    view.analysis(command, cwd)
        .runs
        .iter()
        .any(|run| run.is(&["engine"]) && words(run) == ["plan", "step", "done"])
}

/// What is worth a word when a step is done: what strays from the plan, and, the first time, where decisions go.
fn step_done(plan: &BoundPlan, work: Option<&BoundWork>, finding: &mut Finding) {
    let mut strays = Vec::new();
    if !plan.outside.is_empty() {
        let files: Vec<String> = plan.outside.iter().take(5).map(|file| printable(file)).collect();
        strays.push(format!(
            "outside of its scope {} changed: {}",
            counted(plan.outside.len(), "file"),
            files.join(", ")
        ));
    }
    if plan.locked && plan.steps > plan.steps_at_lock {
        strays.push(format!("{} steps where {} were agreed on", plan.steps, plan.steps_at_lock));
    }
    if plan.failed_checks > 0 {
        strays.push(counted(plan.failed_checks as usize, "failed check"));
    }
    let mut parts = Vec::new();
    if !strays.is_empty() {
        parts.push(format!("engine: plan {}: {}.", plan.name, strays.join("; ")));
    }
    if !plan.reminded {
        parts.push(decision::reminder(work));
        finding.changes.push(Change::PlanReminded);
    }
    if !parts.is_empty() {
        finding.context = Some(parts.join("\n"));
        finding.because = Some("a step was done".to_owned());
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
