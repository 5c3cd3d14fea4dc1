//! `engine session phase`: leaving one phase with proof, and entering the next.

use std::path::Path;

use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_core::skill::protocol::{Label, Phase, transition};
use engine_core::work::proof::Demand;
use engine_core::work::{Lifecycle, Passed, PhaseName, Run, WorkState};
use engine_store::work_file::WorkFile;
use engine_text::line::one_line;
use serde_json::{Map, Value, json};

use super::{Desk, Kept, evidence, now, object_on_stdin, pairs, schema_of, skill_file};
use crate::args::PhaseArgs;
use crate::ui::Ui;

/// Of a phase that the skill does not declare.
const LONGEST_NAME: usize = 60;

pub(super) fn run(args: &PhaseArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(&args.path)?;
    let to = read(&args.phase)?;
    let state = work.peek().unwrap_or_default();
    let Some(run) = state.run().filter(|_| state.lifecycle == Lifecycle::Active) else {
        return Err(CommandError::refused(format!("{} is not active", work.shown()))
            .hint(format!("engine session activate {} SKILL", work.shown())));
    };
    held(&work, &state, desk)?;
    let Some(from) = run.current_phase.clone() else {
        return Err(CommandError::refused(format!("{} declares no phases", run.skill)));
    };
    let is_same = from.label == to.label;
    // The first phase is entered when the skill has been read.
    let begins = run.loading;
    let folder = skill_file(&desk.project, &run.skill)?.folder;
    let demand = demand(run, folder.as_deref());
    let proof = if is_same { None } else { given(&args.proof)? };
    let refused = transition(&run.phases, &from.label, &to.label).err();
    let mut problems = Vec::new();
    if let Some(why) = &refused
        && args.user_approved.is_none()
    {
        problems.push(format!("phase: {why}"));
        // Remembered, so that a person's word counts from now on.
        let _ = approval::require(&desk.project, &desk.caller, &waiver(&work, &to), None);
    }
    if !is_same {
        problems.extend(unproved(&demand, proof.as_ref(), run, &work, desk));
    }
    if !problems.is_empty() {
        return Err(refusal(&work, &args.phase, &problems, &demand, refused.is_some()));
    }
    let mut approved = None;
    if refused.is_some() {
        approval::require(&desk.project, &desk.caller, &waiver(&work, &to), args.user_approved.as_deref())?;
        approved.clone_from(&args.user_approved);
    }
    let state = work.update(|state| {
        held(&work, state, desk)?;
        let is_active = state.lifecycle == Lifecycle::Active;
        let same = |run: &&mut Run| is_active && run.current_phase.as_ref() == Some(&from);
        let Some(run) = state.run_mut().filter(same) else {
            return Err(CommandError::refused(format!("{}: another call was quicker", work.shown())));
        };
        enter(run, to, is_same, proof, approved);
        Ok(state.clone())
    })?;
    desk.bind(&work, &state, if is_same && !begins { Kept::All } else { Kept::Context })?;
    if let Some(run) = state.run() {
        show(&work, run, folder.as_deref(), ui);
    }
    Ok(())
}

fn show(work: &WorkFile, run: &Run, folder: Option<&Path>, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "phase": run.current_phase,
            "proof": demand(run, folder).names(), "steps": run.declared().map(|phase| &phase.steps)}));
        return;
    }
    ui.line(format!("{}: {}{}", work.shown(), run.skill, place(run)));
    if let Some(phase) = run.declared().filter(|phase| !phase.steps.is_empty()) {
        ui.line(format!("steps: {}", phase.steps.join(", ")));
    }
    tell_demand(run, folder, ui);
    tell_next(work, run, ui);
}

/// `2: Plan`.
fn read(text: &str) -> Result<PhaseName, CommandError> {
    let (label, name) = text.split_once(':').unwrap_or((text, ""));
    let Some(label) = Label::parse(label.trim()) else {
        let label = label.trim();
        return Err(CommandError::refused(format!("phase: {label:?} is no label; 2, 2.1, 2.1A and 2.A are"))
            .hint("a phase is written as \"2: Plan\""));
    };
    // A name is shown to the model and on a terminal.
    let name: String = one_line(name.trim(), LONGEST_NAME).chars().filter(|c| !c.is_control()).collect();
    Ok(PhaseName { label, name })
}

/// Only who holds a work session moves it.
pub(super) fn held(work: &WorkFile, state: &WorkState, desk: &Desk) -> Result<(), CommandError> {
    let Some(agent) = desk.agent().filter(|agent| !state.is_held_by(agent)) else { return Ok(()) };
    let bound = format!("session: {} is not bound to this agent session ({agent})", work.shown());
    Err(CommandError::refused(bound).hint(format!("engine session continue {}", work.shown())))
}

fn waiver(work: &WorkFile, to: &PhaseName) -> String {
    format!("going to phase {} of {}", to.label, work.shown())
}

/// Proof by options, or on stdin.
pub(super) fn given(options: &[String]) -> Result<Option<Map<String, Value>>, CommandError> {
    let given = pairs(options, "proof")?;
    if given.is_empty() { object_on_stdin() } else { Ok(Some(given)) }
}

/// Everything that leaving the current phase asks for and does not get.
pub(super) fn unproved(
    demand: &Demand,
    proof: Option<&Map<String, Value>>,
    run: &Run,
    work: &WorkFile,
    desk: &Desk,
) -> Vec<String> {
    if demand.is_empty() && proof.is_none() {
        return Vec::new();
    }
    let nothing = Map::new();
    let proof = proof.unwrap_or(&nothing);
    let mut problems: Vec<String> =
        demand.problems(proof).into_iter().map(|problem| format!("proof: {problem}")).collect();
    for claim in demand.claims(proof) {
        let found = evidence::check(&claim, run, work, desk);
        problems.extend(found.into_iter().map(|problem| format!("evidence: {problem}")));
    }
    problems
}

fn refusal(work: &WorkFile, phase: &str, problems: &[String], demand: &Demand, moves: bool) -> CommandError {
    let mut error = CommandError::refused(problems.join("\n"));
    let call = format!("engine session phase {} {phase:?}", work.shown());
    if !demand.is_empty() {
        error = error.hint(format!("{call} {}", demand.options()));
    }
    if moves {
        error = error.hint(format!("ask the user; then {call} --user-approved \"what they said\""));
    }
    error
}

/// Puts the run into a phase.
fn enter(
    run: &mut Run,
    to: PhaseName,
    is_same: bool,
    proof: Option<Map<String, Value>>,
    approved: Option<String>,
) {
    run.loading = false;
    if is_same {
        return;
    }
    if let Some(left) = run.current_phase.take() {
        run.history.push(Passed {
            phase: left.to_string(),
            at: now(),
            proof: proof.map(Value::Object),
            approved,
            ..Passed::default()
        });
    }
    let declared = run.phases.iter().find(|phase| phase.label == to.label);
    let name = declared.map_or(to.name, |phase| phase.name.clone());
    if declared.is_none() {
        run.phases.push(Phase { label: to.label.clone(), name: name.clone(), ..Phase::default() });
        run.phases.sort_by(|a, b| a.label.cmp(&b.label));
    }
    run.current_phase = Some(PhaseName { label: to.label, name });
}

/// What leaving the current phase asks for.
pub(super) fn demand(run: &Run, folder: Option<&Path>) -> Demand {
    run.declared().map(|phase| Demand::of(phase, |command| schema_of(folder, command))).unwrap_or_default()
}

/// `, phase 2: Plan (2 of 5)`.
pub(super) fn place(run: &Run) -> String {
    match (&run.current_phase, run.position()) {
        (Some(phase), Some(position)) => format!(", phase {phase} ({position} of {})", run.phases.len()),
        (Some(phase), None) => format!(", phase {phase}"),
        (None, _) => String::new(),
    }
}

pub(super) fn tell_demand(run: &Run, folder: Option<&Path>, ui: &Ui) {
    let names = demand(run, folder).names();
    if !names.is_empty() {
        ui.line(format!("proof to leave it: {}", names.join(", ")));
    }
    if run.declared().is_some_and(|phase| phase.gate) {
        ui.line("gate: the user decides whether it goes on");
    }
}

/// The call that comes next.
pub(super) fn tell_next(work: &WorkFile, run: &Run, ui: &Ui) {
    let Some(current) = &run.current_phase else { return };
    match run.phases.iter().find(|phase| phase.label > current.label) {
        Some(Phase { label, name, .. }) => {
            ui.line(format!("then: engine session phase {} \"{label}: {name}\"", work.shown()));
        }
        None => ui.line(format!("then: engine session idle {} --description \"…\"", work.shown())),
    }
}
