//! Who must have judged a plan and its work. A person at a terminal is held by none of this.

use engine_core::evidence::proof::{Judge, Proof, QA};
use engine_core::plan::{CriterionVerdict, Opinion, Plan, Reviewer, UNBRIEFED, differ};
use engine_store::approve::Caller;
use engine_store::session_file::SessionFile;
use engine_store::{content, plan_review};
use engine_text::line::printable;

use super::{CommandContext, proof};
use crate::error::{CommandError, Outcome};

/// Files that a message names at most.
const MOST_NAMED: usize = 5;

fn is_person(context: &CommandContext) -> bool {
    context.caller == Caller::Person
}

/// What a person must agree to in place of a critic; an agent that does not ask them is refused.
pub(super) fn unreviewed(
    plan: &Plan,
    context: &CommandContext,
    approved: Option<&str>,
) -> Result<Option<String>, CommandError> {
    match plan.unreviewed().filter(|_| !is_person(context)) {
        None => Ok(None),
        Some(refusal) if approved.is_some() => Ok(Some(refusal.text)),
        Some(refusal) => Err(CommandError::from(refusal)
            .hint("or engine plan lock --user-approved \"why\"; engine asks the user")),
    }
}

/// Whether the agent that judges calls this command. One that the engine has not briefed is refused. `words`: `plan verify`.
pub(super) fn is_qa(words: &str, plan: &Plan, context: &CommandContext) -> Result<bool, CommandError> {
    let Some(agent) = context.agent() else { return Ok(false) };
    let Some(call) = proof::qa_call(words, &context.trail(plan))? else { return Ok(false) };
    let bound = context.session(agent).peek().plan.filter(|bound| bound.name == plan.name);
    let reviewing = bound.and_then(|mut bound| bound.reviewing.remove(call.agent.as_deref()?));
    if reviewing.is_some_and(|reviewing| reviewing.by == Reviewer::Qa && !reviewing.plan.is_empty()) {
        return Ok(true);
    }
    Err(CommandError::refused(format!("this agent {QA} does not judge plan {}: {UNBRIEFED}", plan.name))
        .hint(format!("start the agent {QA} with the {}", engine_claude::DIALECT.agent_words)))
}

/// The criteria of a supervised plan are verified by `qa` only; one that a person judges asks them, whoever calls.
pub(super) fn may_verify(
    number: Option<usize>,
    plan: &Plan,
    is_qa: bool,
    context: &CommandContext,
) -> Outcome {
    let proof = number.and_then(|number| plan.criterion(number).ok()?.proof.as_ref());
    let asks_person = proof == Some(&Proof::Judge(Judge::Person));
    if !plan.supervise || is_qa || asks_person || is_person(context) {
        return Ok(());
    }
    let text = format!("plan {} is supervised: its criteria are verified by the agent qa only", plan.name);
    Err(CommandError::refused(text)
        .hint("start the agent qa; engine writes its prompt, and it runs: engine plan verify N"))
}

/// The content of the project now.
pub(super) fn content_now(plan: &Plan, context: &CommandContext) -> String {
    let owner = plan.owner.as_deref().unwrap_or_default();
    plan_review::content(&context.project, &SessionFile::new(&context.project.sessions_folder(), owner))
}

/// Why a criterion that was rejected stays so: nothing has changed since.
pub(super) fn still_rejected(
    number: usize,
    plan: &Plan,
    context: &CommandContext,
) -> Result<Option<String>, CommandError> {
    let rejected = plan.criterion(number)?.verdict.as_ref().filter(|verdict| !verdict.met);
    let Some((verdict, then)) = rejected.and_then(|verdict| Some((verdict, verdict.content.as_ref()?)))
    else {
        return Ok(None);
    };
    if is_person(context) || differ(then, &content_now(plan, context)) != Some(false) {
        return Ok(None);
    }
    Ok(Some(format!("nothing has changed since {} rejected criterion {number}", judge_of(verdict))))
}

fn judge_of(verdict: &CriterionVerdict) -> &'static str {
    match verdict.judged {
        Some(Judge::Qa) => "qa",
        Some(Judge::Person) => "a person",
        None => "the agent",
    }
}

/// What brings a plan with open ends to its end.
pub(super) fn ways_on(plan: &Plan) -> Vec<&'static str> {
    let judge = (plan.supervise || plan.unapproved().is_some()).then_some(
        "the agent qa judges the work, after a change if it was rejected; engine writes its prompt",
    );
    judge.into_iter().collect()
}

/// What has changed since `qa` approved the work of a supervised plan.
pub(super) fn changed_since_approval(plan: &Plan, context: &CommandContext) -> Option<String> {
    let verdict = plan.verdict_of(Reviewer::Qa).filter(|review| review.opinion == Opinion::Approved)?;
    let then = verdict.content.as_deref().filter(|_| plan.supervise)?;
    let now = content_now(plan, context);
    if differ(then, &now) == Some(false) {
        return None;
    }
    let changed = content::changed(&context.project, then, &now).unwrap_or_default();
    let named: Vec<String> = changed.iter().take(MOST_NAMED).map(|file| printable(&file.path)).collect();
    let named = if named.is_empty() { "something".to_owned() } else { named.join(", ") };
    Some(format!("{named} changed after qa approved the work"))
}
