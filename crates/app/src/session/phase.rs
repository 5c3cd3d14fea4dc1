//! Leaving one phase with proof, and entering the next.
//!
//! Every decision is made on the state as it is under its lock. Proof is looked up before, because git and a long journal take
//! their time and others wait for the lock; if the state has changed meanwhile, the look-up is done again.

use std::cell::{OnceCell, RefCell};
use std::path::Path;

use engine_core::approval::{Deed, Kind};
use engine_core::skill::protocol::{Label, Move, Phase, Refusal};
use engine_core::work::proof::Demand;
use engine_core::work::{Lifecycle, Passed, PhaseName, Run, WorkState};
use engine_store::binding::work::{self as binding, Kept};
use engine_store::work_file::WorkFile;
use engine_text::line::{one_line, seal};
use fs_err as fs;
use serde_json::{Map, Value};

use super::evidence::ProofQuery;
use super::{
    CommandContext, SkillFile, close, definition, form, must_hold, now, pairs, piped_object, schema_of,
};
use crate::approval;
use crate::error::CommandError;
use crate::evidence::Redefined;
use crate::stdin::Piped;

/// Of a phase that the skill does not declare.
const LONGEST_NAME: usize = 60;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a str,
    /// `2: Plan`.
    pub phase: &'a str,
    /// `NAME=VALUE`; without any, what is piped in.
    pub proof: &'a [String],
    /// Why a person wants it.
    pub approved: Option<&'a str>,
}

/// The phase that the work is in now.
pub struct Entered {
    pub work: WorkFile,
    pub run: Run,
    /// What leaving it will ask for.
    pub demand: Demand,
    /// What its steps mean.
    pub steps: Vec<String>,
}

/// Goes to a phase, or refuses with everything that is in the way.
pub fn enter(
    context: &CommandContext,
    request: &Request<'_>,
    piped: Piped<'_>,
) -> Result<Entered, CommandError> {
    let work = context.changeable(request.path)?;
    let to = read(request.phase)?;
    let step = Step { context, work: &work, request, to, piped, given: OnceCell::new() };
    let seen = work.peek().unwrap_or_default();
    let looked_up = step.look_up(&seen);
    let (state, kept, skill) = work.update(|state| {
        let looked_up = if *state == seen { looked_up } else { step.look_up(state) }?;
        let kept = step.decide(state, &looked_up)?;
        Ok::<_, CommandError>((state.clone(), kept, looked_up.skill))
    })?;
    binding::bind(&context.project, &work, &state, kept)?;
    let run = state.run().cloned().unwrap_or_default();
    let demand = demand(&run, skill.folder.as_deref());
    let steps = definition::steps(&run, skill.folder.as_deref());
    Ok(Entered { work, run, demand, steps })
}

type Proof = Option<Map<String, Value>>;

struct Step<'a> {
    context: &'a CommandContext,
    work: &'a WorkFile,
    request: &'a Request<'a>,
    to: PhaseName,
    piped: Piped<'a>,
    /// What was given as proof: stdin is read once.
    given: OnceCell<Proof>,
}

/// What was found out about a state.
struct LookedUp {
    skill: SkillFile,
    demand: Demand,
    proof: Proof,
    /// Everything that leaving the current phase asks for and does not get.
    unproved: Vec<String>,
    /// Checks that passed and do something else than they did.
    redefined: Vec<Redefined>,
}

impl Step<'_> {
    /// Looks up what a decision about this state rests on. Changes nothing.
    fn look_up(&self, state: &WorkState) -> Result<LookedUp, CommandError> {
        let (run, _) = self.current(state)?;
        let skill = SkillFile::find(&self.context.project, &run.skill)?;
        let demand = demand(run, skill.folder.as_deref());
        if matches!(run.transition(&self.to.label), Ok(Move::Stay | Move::Back)) {
            let (unproved, redefined) = (Vec::new(), Vec::new());
            return Ok(LookedUp { skill, demand, proof: None, unproved, redefined });
        }
        let proof = super::mode::with(self.given()?, &demand, run, &skill, self.context);
        let query = self.query(state, run, &skill);
        let unproved = unproved(&demand, proof.as_ref(), &query);
        let mut redefined = query.redefined.into_inner();
        redefined.extend(form::changed(run, &skill));
        Ok(LookedUp { skill, demand, proof, unproved, redefined })
    }

    fn query<'s>(&'s self, state: &'s WorkState, run: &'s Run, skill: &'s SkillFile) -> ProofQuery<'s> {
        let (work, context) = (self.work, self.context);
        let redefined = RefCell::default();
        ProofQuery { run, checklists: &state.checklists, skill, work, context, redefined }
    }

    /// The run and its phase, if this caller may move it.
    fn current<'s>(&self, state: &'s WorkState) -> Result<(&'s Run, &'s PhaseName), CommandError> {
        let shown = self.work.shown();
        let Some(run) = state.run().filter(|_| state.lifecycle == Lifecycle::Active) else {
            return Err(CommandError::refused(format!("{shown} is not active"))
                .hint(format!("engine session activate {shown} SKILL")));
        };
        must_hold(self.work, state, self.context)?;
        match &run.current_phase {
            Some(phase) => Ok((run, phase)),
            None => Err(CommandError::refused(format!("{} declares no phases", run.skill))),
        }
    }

    fn given(&self) -> Result<Proof, CommandError> {
        if let Some(given) = self.given.get() {
            return Ok(given.clone());
        }
        let given = given(self.request.proof, self.piped)?;
        Ok(self.given.get_or_init(|| given).clone())
    }

    /// Decides on the state under its lock, and changes it. What of the agent session's count still holds comes back.
    fn decide(&self, state: &mut WorkState, looked_up: &LookedUp) -> Result<Kept, CommandError> {
        let (run, from) = self.current(state)?;
        let step = run.transition(&self.to.label);
        let refused = step.as_ref().err();
        let reading = self.request.approved;
        let mut problems = Vec::new();
        if let Some(why) = refused.filter(|_| reading.is_none()) {
            problems.push(format!("phase: {why}"));
        }
        problems.extend(looked_up.unproved.iter().cloned());
        if reading.is_none() {
            problems.extend(looked_up.redefined.iter().map(|one| format!("evidence: {}", one.text)));
        }
        if !problems.is_empty() {
            let waivable = refused.is_some() || !looked_up.redefined.is_empty();
            return Err(self.refusal(&problems, &looked_up.demand, refused, waivable));
        }
        self.accepted(looked_up, reading)?;
        let is_gate = run.declared().is_some_and(|phase| phase.gate) && step == Ok(Move::Forward);
        let approved = match refused {
            Some(why) => Some(self.waived(state, &why.to_string(), reading)?),
            None if is_gate => Some(self.passed(state, from, looked_up, reading)?),
            None => None,
        };
        if let Some(run) = state.run_mut() {
            run.accepted.extend(looked_up.redefined.iter().map(|one| one.definition.clone()));
            let proof = looked_up.proof.clone().map(|proof| looked_up.demand.recorded(proof));
            super::mode::note(run, &looked_up.demand, proof.as_ref());
            let left = Passed { at: now(), approved, unproved: step == Ok(Move::Back), ..Passed::default() };
            put_into(run, &self.to, Passed { proof: proof.map(Value::Object), ..left });
        }
        Ok(if step == Ok(Move::Stay) { Kept::All } else { Kept::Context })
    }

    /// A person's word that a check which was changed still shows what it is to show.
    fn accepted(&self, looked_up: &LookedUp, reading: Option<&str>) -> Result<(), CommandError> {
        if looked_up.redefined.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = looked_up.redefined.iter().map(|one| one.text.as_str()).collect();
        let definitions: Vec<&str> = looked_up.redefined.iter().map(|one| one.definition.as_str()).collect();
        let what = format!("accept the proof of {} ({})", self.work.shown(), texts.join("; "));
        let deed = Deed::new(&what, &[&self.work.name, &definitions.join(" ")]).of(Kind::Proof);
        approval::require(&self.context.project, &self.context.caller, &deed, reading).map(drop)
    }

    fn waived(&self, state: &WorkState, why: &str, reading: Option<&str>) -> Result<String, CommandError> {
        let is_gate = state.run().and_then(Run::declared).is_some_and(|phase| phase.gate);
        let gate = if is_gate { ", past a gate" } else { "" };
        let what = format!("enter phase {} of {} ({why}{gate})", self.to.label, self.work.shown());
        let object = [&*self.work.name, &close::place_of(state), &self.to.label.to_string()];
        let deed = Deed::new(&what, &object).of(Kind::Phase);
        approval::require(&self.context.project, &self.context.caller, &deed, reading)
    }

    /// A gate is passed by a person's word, for what they have before them: the files that the phase made.
    fn passed(
        &self,
        state: &WorkState,
        from: &PhaseName,
        looked_up: &LookedUp,
        reading: Option<&str>,
    ) -> Result<String, CommandError> {
        let nothing = Map::new();
        let claims = looked_up.demand.claims(looked_up.proof.as_ref().unwrap_or(&nothing));
        let files = claims.into_iter().filter(|claim| claim.evidence.names() == "file");
        let files: Vec<String> = files.flat_map(|claim| claim.values).collect();
        let made = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
        let to = &self.to.label;
        let what = format!("pass the gate from phase {from} to {to} of {}{made}", self.work.shown());
        let run = state.run().cloned().unwrap_or_default();
        let query = self.query(state, &run, &looked_up.skill);
        let content = |file: &String| Some(seal(&fs::read(query.file(file)?).ok()?));
        let contents: Vec<String> = files.iter().filter_map(content).collect();
        let object = [&*self.work.name, &close::place_of(state), &contents.join(" ")];
        let deed = Deed::new(&what, &object).of(Kind::Gate);
        approval::require(&self.context.project, &self.context.caller, &deed, reading)
    }

    /// Where the move is refused, no proof helps alone.
    fn refusal(
        &self,
        problems: &[String],
        demand: &Demand,
        refused: Option<&Refusal>,
        waivable: bool,
    ) -> CommandError {
        let mut error = CommandError::refused(problems.join("\n"));
        let call = format!("engine session phase {} {:?}", self.work.shown(), self.request.phase);
        let call = format!("{call} {}", demand.options()).trim_end().to_owned();
        if !demand.is_empty() && refused.is_none() {
            error = error.hint(call.as_str());
        }
        if waivable {
            error = error
                .hint(format!("to do it all the same: {call} --user-approved \"why\"; engine asks the user"));
        }
        error
    }
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

/// Proof by options, or what is piped in.
fn given(options: &[String], piped: Piped<'_>) -> Result<Proof, CommandError> {
    let given = pairs(options, "proof")?;
    if given.is_empty() { piped_object(piped) } else { Ok(Some(given)) }
}

/// Everything that leaving the current phase asks for and does not get.
pub(super) fn unproved(
    demand: &Demand,
    proof: Option<&Map<String, Value>>,
    query: &ProofQuery<'_>,
) -> Vec<String> {
    if demand.is_empty() && proof.is_none() {
        return Vec::new();
    }
    let nothing = Map::new();
    let proof = proof.unwrap_or(&nothing);
    let mut problems: Vec<String> =
        demand.problems(proof).into_iter().map(|problem| format!("proof: {problem}")).collect();
    for claim in demand.claims(proof) {
        problems.extend(query.wrong(&claim).into_iter().map(|problem| format!("evidence: {problem}")));
    }
    problems
}

/// Puts a run into a phase. One that the skill does not declare is added to its phases. `left`: how the current one is left.
pub(super) fn put_into(run: &mut Run, to: &PhaseName, left: Passed) {
    if run.current_phase.as_ref().is_some_and(|current| current.label == to.label) {
        return;
    }
    if let Some(phase) = run.current_phase.take() {
        run.history.push(Passed { phase: phase.to_string(), ..left });
    }
    let declared = run.phases.iter().find(|phase| phase.label == to.label);
    let name = declared.map_or_else(|| to.name.clone(), |phase| phase.name.clone());
    if declared.is_none() {
        let (label, name) = (to.label.clone(), name.clone());
        run.phases.push(Phase { label, name, added: true, ..Phase::default() });
        run.phases.sort_by(|a, b| a.label.cmp(&b.label));
    }
    run.current_phase = Some(PhaseName { label: to.label.clone(), name });
}

/// What leaving the current phase asks for.
pub(super) fn demand(run: &Run, folder: Option<&Path>) -> Demand {
    run.declared().map(|phase| demand_of(phase, folder)).unwrap_or_default()
}

pub(super) fn demand_of(phase: &Phase, folder: Option<&Path>) -> Demand {
    Demand::of(phase, |command| schema_of(folder, command))
}

/// `, phase 2: Plan (2 of 5)`.
pub fn place(run: &Run) -> String {
    match (&run.current_phase, run.position()) {
        (Some(phase), Some(position)) => format!(", phase {phase} ({position} of {})", run.phases.len()),
        (Some(phase), None) => format!(", phase {phase}"),
        (None, _) => String::new(),
    }
}

/// The call that comes next; nothing for a skill without phases.
pub fn next_call(work: &WorkFile, run: &Run) -> Option<String> {
    run.current_phase.as_ref()?;
    if run.small {
        return Some(format!("engine session finish {}", work.shown()));
    }
    Some(match run.next_phase() {
        Some(next) => format!("engine session phase {} \"{next}\"", work.shown()),
        None => format!("engine session idle {} --description \"…\"", work.shown()),
    })
}

#[cfg(test)]
mod tests;
