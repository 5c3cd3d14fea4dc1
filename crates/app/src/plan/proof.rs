//! Looks up the proofs of a plan, as they were fixed at its lock.

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::known::skips_tests;
use engine_core::evidence::proof::{Command, Judge, Proof, QA};
use engine_core::evidence::{checks_of, is_steered, touch, unprovable};
use engine_core::journal::Entry;
use engine_core::plan::{Plan, Start, State, StepId, role};
use engine_store::links::resolve;
use engine_text::path::join;

use super::CommandContext;
use crate::approval;
use crate::error::CommandError;
use crate::evidence::{EvidenceQuery, Lookup};
use crate::open_call;

/// Why a proof does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lacks {
    Evidence(String),
    /// What defines its check is not what it was at the lock. A person may accept it.
    Redefined {
        text: String,
        definition: String,
    },
}

impl Lacks {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Evidence(text) | Self::Redefined { text, .. } => text,
        }
    }
}

/// What a proof comes to.
pub(super) fn prove(proof: &Proof, plan: &Plan, lookup: &Lookup<'_>) -> Result<String, Lacks> {
    if let Proof::Steps(steps) = proof {
        return of_steps(steps, plan).map_err(Lacks::Evidence);
    }
    let nothing = Start::default();
    let start = plan.lock.as_ref().map_or(&nothing, |lock| &lock.start);
    let found = lookup.prove(proof, start).map_err(Lacks::Evidence)?;
    if let Proof::Passes(command) = proof {
        is_as_locked(command, plan, start, lookup)?;
    }
    Ok(found)
}

/// Each of them is done, and none was left out.
fn of_steps(steps: &[StepId], plan: &Plan) -> Result<String, String> {
    let is_shown = |number: &&StepId| {
        plan.step(**number).is_ok_and(|step| step.state == State::Done && step.skipped.is_none())
    };
    match steps.iter().find(|number| !is_shown(number)) {
        None => Ok(Proof::Steps(steps.to_vec()).shown()),
        Some(number) => match plan.step(*number).ok().and_then(|step| step.skipped.as_deref()) {
            Some(why) => Err(format!("step {number} was skipped: {why}")),
            None => Err(format!("step {number} is not done")),
        },
    }
}

/// Whether the check is the one that was locked: a script that says `true` passes, too. A runbook names the files of each step before the
/// lock, and a step that writes a test changes what its check does: that is known, and the review of its phase looks at it.
fn is_as_locked(command: &Command, plan: &Plan, start: &Start, lookup: &Lookup<'_>) -> Result<(), Lacks> {
    let Some(then) = start.definitions.get(&command.shown()) else { return Ok(()) };
    let is_meant = |file: &str| {
        plan.runbook.is_some() && plan.steps.iter().any(|step| !step.files.is_empty() && step.covers(file))
    };
    let Some(change) = lookup.redefined(command, then, &plan.accepted, is_meant) else { return Ok(()) };
    Err(Lacks::Redefined { text: change.text, definition: change.definition })
}

/// Asks a person whether a check that was redefined still proves what it is to prove. The definition they accept comes back.
pub(super) fn accept(
    lacks: Lacks,
    what: &str,
    plan: &Plan,
    context: &CommandContext,
    approved: Option<&str>,
) -> Result<String, CommandError> {
    match (lacks, approved) {
        (Lacks::Redefined { text, definition }, Some(reading)) => {
            let deed = Deed::new(
                &format!("accept the proof of {what} of plan {}: {text}", plan.name),
                &[&plan.name, &definition],
            )
            .of(Kind::Proof);
            approval::require(&context.project, &context.caller, &deed, Some(reading))?;
            Ok(definition)
        }
        (Lacks::Redefined { text, .. }, None) => Err(CommandError::refused(format!("{what}: {text}"))
            .hint("put it back as it was; or add --user-approved \"why\", and engine asks the user")),
        (Lacks::Evidence(text), _) => {
            Err(CommandError::refused(format!("{what}: {text}")).hint("engine evidence lists what ran"))
        }
    }
}

/// What is wrong with the proofs of a plan before anything has run.
pub(super) fn impossible(plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let trail = context.trail(plan);
    let lookup = trail.look()?;
    let root = context.project.root();
    let wrong = |proof: &Proof| {
        if let Proof::File(path) = proof {
            let is_free = lookup.in_scope(|scope| touch::free_folder(path, scope.root, scope).is_some());
            return (is_free || is_written(path, plan))
                .then(|| format!("{path}: engine, git or a build writes it, so it proves nothing"));
        }
        let command = proof.command()?;
        let place = root.join(&command.folder);
        if !place.is_dir() {
            return Some(format!("there is no folder {}", command.folder));
        }
        if !resolve(&place).starts_with(resolve(root)) {
            return Some(format!("{} is a link that leads out of the project", command.folder));
        }
        lookup.in_scope(|scope| unprovable(command, scope)).map(|why| format!("{}: {why}", command.shown()))
    };
    Ok(plan.proofs().filter_map(|(what, proof)| Some(format!("{what}: {}", wrong(proof)?))).collect())
}

/// Whether git writes a file, or the engine as the page of a plan.
fn is_written(path: &str, plan: &Plan) -> bool {
    let path = join("/", path);
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    path.strip_prefix('/') == Some(plan.page.as_str())
        || parts.first() == Some(&".git")
        || matches!(parts.as_slice(), ["plans", _, "PLAN.md"])
}

/// Why a person must agree to the proofs of a plan.
pub(super) fn doubtful(plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let trail = context.trail(plan);
    let lookup = trail.look()?;
    let mut doubts: Vec<String> = plan
        .proofs()
        .filter_map(|(what, proof)| {
            let command = proof.command()?;
            let is_known = lookup.in_scope(|scope| checks_of(command, scope).is_some());
            let is_steered = lookup.in_scope(|scope| is_steered(command, scope));
            let doubt = match (is_known, skips_tests(&command.line)) {
                (false, _) => "is not a known check",
                _ if is_steered => "passes whatever fails",
                (true, true) => "leaves tests out",
                (true, false) => return None,
            };
            Some(format!("{what}: {} {doubt}", command.shown()))
        })
        .collect();
    let judged = plan.criteria.iter().filter(|one| one.proof == Some(Proof::Judge(Judge::Qa))).count();
    if judged * 2 > plan.criteria.len() {
        doubts.push(format!("{judged} of {} criteria are judged by {QA}", plan.criteria.len()));
    }
    Ok(doubts)
}

/// The call by which an agent `qa` runs this command. `words`: `plan verify 2`.
pub(super) fn qa_call(words: &str, trail: &EvidenceQuery<'_>) -> std::io::Result<Option<Entry>> {
    let is_it =
        |call: &Entry| call.agent_type.as_deref().and_then(role) == Some(QA) && open_call::runs(call, words);
    Ok(trail.open_calls()?.pop().filter(is_it))
}
