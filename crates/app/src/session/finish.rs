//! The end of a run in one call: phases whose proof is given or found are left, the debrief is drafted, and the work rests.
//!
//! Nothing is written down while a gate is closed, but the draft. A phase with `gate: true` is left by `engine session phase`, which
//! asks a person; here it is only named.

use std::cell::RefCell;

use engine_core::skill::protocol::{Evidence, Move};
use engine_core::work::gate::Closed;
use engine_core::work::proof::Demand;
use engine_core::work::{Lifecycle, Passed, PhaseName, Run, WorkState, draft as drafts};
use engine_store::work_file::WorkFile;
use serde_json::{Map, Value};

use super::close::{self, Ending, LookedUp, Rested};
use super::draft::{self, Stands};
use super::evidence::ProofQuery;
use super::{CommandContext, SkillFile, mode, must_hold, now, pairs, phase};
use crate::error::CommandError;

const VERB: &str = "finish";
/// Loose ends and lines of a draft that a refusal names.
const NAMED: usize = 10;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a str,
    /// What was done; of a small run its goal, if nothing is said.
    pub description: Option<&'a str>,
    pub keywords: &'a [String],
    /// `NAME=VALUE`, of any phase that is left on the way.
    pub proof: &'a [String],
}

/// Work that rests, and the debrief that the engine wrote for it.
pub struct Finished {
    pub rested: Rested,
    /// From the project's root.
    pub drafted: Option<String>,
}

/// Ends the run, or refuses with everything that is open.
pub fn finish(context: &CommandContext, request: &Request<'_>) -> Result<Finished, CommandError> {
    let work = context.changeable(request.path)?;
    let state = work.peek().unwrap_or_default();
    let run = may_finish(&work, &state, context)?.clone();
    let given = pairs(request.proof, "proof")?;
    let keywords: Vec<String> = request.keywords.iter().filter_map(|word| close::kept(word)).collect();
    let goal = run.goal.as_deref().filter(|_| run.small);
    let description = request.description.or(goal).and_then(close::kept);
    let described = description.is_some();
    let skill = SkillFile::find(&context.project, &run.skill)?;
    let stood = draft::stands(&work, &state, &skill);
    let wants_draft = matches!(stood, Stands::Missing | Stands::Draft);
    let fields = fields(&run, &skill, Evidence::Debrief);
    let look_up = |state: &WorkState| {
        let mut looked_up = look_up(&work, state, described, &given, context);
        let closed = &mut looked_up.closed;
        // The engine writes it as soon as nothing else is open.
        if run.small && wants_draft && closed.iter().any(|one| !is_of_debrief(one, &fields)) {
            closed.retain(|one| !is_of_debrief(one, &fields));
        }
        looked_up
    };
    // The draft of a small run is written when nothing else is open: until then it would be out of date.
    let but_debrief = |mut closed: Vec<Closed>| {
        closed.retain(|one| !is_of_debrief(one, &fields) && !is_own_phase(one, &work));
        closed
    };
    let open = but_debrief(look_up(&state).closed);
    let mut drafted = None;
    if wants_draft && (open.is_empty() || !run.small) {
        let text = draft::draft(context, &work, &state, &skill, description.as_deref())?;
        let file = format!("{}/{}", work.shown(), run.file(""));
        let undecided = drafts::undecided(&text);
        if stood == Stands::Missing && !(run.small && undecided.is_empty()) {
            return Err(to_decide(&work, &file, &undecided, open));
        }
        drafted = Some(file);
    }
    let lifecycle = if run.small { Lifecycle::Completed } else { Lifecycle::Idle };
    let ending = Ending { verb: VERB, lifecycle, description: description.as_deref(), keywords: &keywords };
    let rested = close::end(context, &work, &ending, None, look_up)?;
    Ok(Finished { rested, drafted })
}

/// The run that is under way, if this caller may end it.
fn may_finish<'s>(
    work: &WorkFile,
    state: &'s WorkState,
    context: &CommandContext,
) -> Result<&'s Run, CommandError> {
    let shown = work.shown();
    if state.lifecycle != Lifecycle::Active {
        return Err(CommandError::nothing(format!("{shown} is {} already", state.shown())));
    }
    must_hold(work, state, context)?;
    let none = || CommandError::refused(format!("{shown}: no skill was ever started in it"));
    state.run().ok_or_else(none)
}

fn look_up(
    work: &WorkFile,
    state: &WorkState,
    described: bool,
    given: &Map<String, Value>,
    context: &CommandContext,
) -> LookedUp {
    let Walk { state: walked, gate, proof, coming } = walk(work, state, given, context);
    let mut closed = close::gates(work, &walked, VERB, described, Some(&coming), context);
    // The phases that come are left by this very call, once what is open is not.
    let is_own = |one: &Closed| is_own_phase(one, work);
    if let Some(gate) = gate {
        closed.retain(|one| !is_own(one));
        closed.insert(0, gate);
    } else if closed.iter().any(|one| !is_own(one)) {
        closed.retain(|one| !is_own(one));
    }
    for one in closed.iter_mut().filter(|one| one.rule == "proof") {
        for name in test_fields(&walked, context) {
            let found = format!("{name}: no run of tests was found that passed on the content as it is");
            one.text = one.text.replace(&format!("{name} is missing"), &found);
        }
    }
    LookedUp { described, closed, proof, walked: Some(walked) }
}

/// The fields of proof that are a run of tests.
fn test_fields(state: &WorkState, context: &CommandContext) -> Vec<String> {
    let Some(run) = state.run() else { return Vec::new() };
    let skill = SkillFile::find(&context.project, &run.skill).unwrap_or_default();
    fields(run, &skill, Evidence::Tests)
}

/// Whether a gate is closed because phases of this run are still to come.
fn is_own_phase(one: &Closed, work: &WorkFile) -> bool {
    one.rule == "phase" && one.fix.starts_with(&format!("engine session phase {} ", work.shown()))
}

/// The fields of proof of a kind.
fn fields(run: &Run, skill: &SkillFile, evidence: Evidence) -> Vec<String> {
    let field = |one| {
        let demand = phase::demand_of(one, skill.folder.as_deref());
        demand.field(evidence).map(|field| field.name.clone())
    };
    run.phases.iter().filter_map(field).collect()
}

/// Whether a gate is closed for the sake of the debrief.
fn is_of_debrief(one: &Closed, fields: &[String]) -> bool {
    let names = |field: &String| {
        one.text.contains(&format!(" {field} is missing")) || one.text.contains(&format!(" {field}: "))
    };
    one.rule == "debrief" || (one.rule == "proof" && fields.iter().any(names))
}

/// How far a run comes with the proof that there is.
struct Walk {
    state: WorkState,
    /// A phase on the way that a person decides about.
    gate: Option<Closed>,
    /// Of the phase that it came to.
    proof: Map<String, Value>,
    /// The same with what is found for the phases that come.
    coming: Map<String, Value>,
}

fn walk(work: &WorkFile, state: &WorkState, given: &Map<String, Value>, context: &CommandContext) -> Walk {
    let mut state = state.clone();
    let at = now();
    loop {
        let run = state.run().cloned().unwrap_or_default();
        let skill = SkillFile::find(&context.project, &run.skill).unwrap_or_default();
        let redefined = RefCell::default();
        let query =
            ProofQuery { run: &run, checklists: &state.checklists, skill: &skill, work, context, redefined };
        let demand = phase::demand(&run, skill.folder.as_deref());
        let proof = found(&demand, given, &query);
        let next =
            run.next_phase().map(|next| PhaseName { label: next.label.clone(), name: next.name.clone() });
        let Some(next) = next.filter(|next| run.transition(&next.label) == Ok(Move::Forward)) else {
            let coming = proof.clone();
            return Walk { state, gate: None, proof, coming };
        };
        let coming = || {
            let folder = skill.folder.as_deref();
            let demands = run.unpassed().into_iter().map(|phase| phase::demand_of(phase, folder));
            let found = demands.flat_map(|demand| found(&demand, given, &query));
            found.chain(proof.clone()).collect::<Map<String, Value>>()
        };
        if let Some(gate) = run.declared().filter(|phase| phase.gate) {
            let text = format!("{gate} is left by a person's word");
            let fix = format!("engine session phase {} \"{next}\" {}", work.shown(), demand.options());
            let gate = Closed { rule: "gate", text, fix: fix.trim_end().to_owned() };
            let coming = coming();
            return Walk { state, gate: Some(gate), proof, coming };
        }
        let is_open = !phase::unproved(&demand, Some(&proof), &query).is_empty();
        if is_open || !query.redefined.take().is_empty() {
            let coming = coming();
            return Walk { state, gate: None, proof, coming };
        }
        let recorded = Some(demand.recorded(proof)).filter(|proof| !proof.is_empty());
        if let Some(run) = state.run_mut() {
            mode::note(run, &demand, recorded.as_ref());
            let left = Passed { at: at.clone(), proof: recorded.map(Value::Object), ..Passed::default() };
            phase::put_into(run, &next, left);
        }
    }
}

/// The proof of a phase: what was given for it, and what can be found without asking.
fn found(demand: &Demand, given: &Map<String, Value>, query: &ProofQuery<'_>) -> Map<String, Value> {
    let mut proof = demand.own(given.clone());
    for field in &demand.fields {
        if proof.contains_key(&field.name) {
            continue;
        }
        let file = |kind: &str| {
            let file = format!("{}/{}", query.work.shown(), query.run.file(kind));
            query.file(&file).is_some().then_some(file)
        };
        let value = match field.evidence {
            Some(Evidence::Tests) => query.last_proof(true),
            Some(Evidence::Command) => query.last_proof(false),
            Some(Evidence::Plan) => file("PLAN"),
            Some(Evidence::Debrief) => file(""),
            Some(Evidence::Mode) => mode::set(query.run, query.skill, query.context),
            _ => None,
        };
        if let Some(value) = value {
            proof.insert(field.name.clone(), Value::String(value));
        }
    }
    proof
}

/// The draft is written, and what of it the agent decides, with whatever else is open.
fn to_decide(work: &WorkFile, file: &str, undecided: &[(usize, &str)], open: Vec<Closed>) -> CommandError {
    let mut lines =
        vec![format!("{file} is drafted: correct it, and decide each line with {}", drafts::MARK)];
    lines.extend(undecided.iter().take(NAMED).map(|(line, text)| format!("draft: line {line}: {text}")));
    let more = undecided.len().saturating_sub(NAMED);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines.extend(open.iter().map(|gate| format!("{}: {}", gate.rule, gate.text)));
    let mut error = CommandError::refused(lines.join("\n"));
    for gate in open {
        if !error.hints.contains(&gate.fix) {
            error = error.hint(gate.fix);
        }
    }
    error.hint(format!("then: engine session finish {}", work.shown()))
}
