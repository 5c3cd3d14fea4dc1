//! Acceptance criteria: changed before the lock, or by a person's word; met, with evidence that is looked up.

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::proof::{Judge, Proof};
use engine_core::plan::{Approval, CriteriaChange, Criterion, CriterionVerdict, Plan, text_of};
use engine_store::clock;
use engine_store::plan_file::Kept;

use super::{CommandContext, has_proofs, learn, proof, review, start};
use crate::approval;
use crate::error::CommandError;

/// A criterion as it was typed.
pub fn text(typed: &str) -> Result<String, CommandError> {
    text_of("a criterion", typed).map_err(CommandError::usage)
}

/// Changes the criteria. What is different comes back, a line each.
pub fn change(
    context: &CommandContext,
    change: CriteriaChange,
    reason: Option<&str>,
) -> Result<(Kept<()>, Vec<String>), CommandError> {
    let (_, plan) = context.own()?;
    plan.moves()?;
    let difference = plan.difference(&change)?;
    let now = clock::now().rfc3339();
    let mut agreed = None;
    if plan.lock.is_some() {
        // A person is not asked about what the plan refuses with their word, too.
        let any = Approval { what: String::new(), reason: String::new(), at: String::new() };
        let mut changed = plan.clone();
        changed.change_criteria(change.clone(), Some(any))?;
        has_proofs(&changed, context)?;
        let (short, full) = (plan.short_difference(&change)?.join(" "), difference.join(" "));
        let full = if short == full { String::new() } else { format!("; in full: {full}") };
        let what = format!("change the locked criteria of plan {}: {short}{full}", plan.name);
        let deed = Deed::new(&what, &[&plan.name, &difference.join("\n")]).of(Kind::Criteria);
        let reason = approval::require(&context.project, &context.caller, &deed, reason)?;
        agreed = Some(Approval { what: difference.join(" "), reason, at: now });
    }
    let mut changed = plan.clone();
    let any = Approval { what: String::new(), reason: String::new(), at: String::new() };
    changed.change_criteria(change.clone(), Some(any))?;
    let before = proof::impossible(&plan, context)?;
    if let Some(wrong) =
        proof::impossible(&changed, context)?.into_iter().find(|wrong| !before.contains(wrong))
    {
        return Err(CommandError::refused(wrong));
    }
    let new = start(&changed, context)?;
    let kept = context.change_judged(&plan, |plan, _| {
        plan.change_criteria(change, agreed)?;
        learn(plan, new);
        Ok(())
    })?;
    Ok((kept, difference))
}

/// What is asked of a criterion.
#[derive(Debug, Clone, Copy, Default)]
pub struct Verify<'a> {
    /// All that a look-up can decide, if none is named.
    pub number: Option<usize>,
    pub rejected: bool,
    pub why: Option<&'a str>,
    /// Why a check that was redefined counts all the same.
    pub approved: Option<&'a str>,
    /// Only those that have no verdict.
    pub only_open: bool,
}

/// What became of the criteria: those that have a verdict now, and why the others have none.
pub struct Verified {
    pub kept: Kept<()>,
    pub verdicts: Vec<usize>,
    pub lacking: Vec<String>,
}

/// Looks the proof of a criterion up and records what it comes to. Nobody says what shows it: that is fixed since the lock.
pub fn verify(context: &CommandContext, asked: &Verify<'_>) -> Result<Verified, CommandError> {
    let (_, plan) = context.own()?;
    plan.works()?;
    let is_qa = review::is_qa("plan verify", &plan, context)?;
    review::may_verify(asked.number, &plan, is_qa, context)?;
    let why = asked.why.map(|why| text_of("why", why)).transpose().map_err(CommandError::usage)?;
    let numbers: Vec<usize> = match asked.number {
        Some(number) => vec![number],
        None => (1..=plan.criteria.len())
            .filter(|number| !matches!(plan.criteria[number - 1].proof, Some(Proof::Judge(_))))
            .filter(|number| !asked.only_open || plan.criteria[number - 1].verdict.is_none())
            .collect(),
    };
    if numbers.is_empty() {
        return Err(CommandError::refused(format!("every criterion of plan {} is judged", plan.name))
            .hint("engine plan verify N --why \"what was looked at\""));
    }
    let trail = context.trail(&plan);
    let lookup = trail.look()?;
    let (mut verdicts, mut lacking, mut accepted) = (Vec::new(), Vec::new(), None);
    for number in numbers {
        let criterion = plan.criterion(number)?;
        let mut verdict = CriterionVerdict {
            met: !asked.rejected,
            why: why.clone(),
            by: context.agent().unwrap_or("person").to_owned(),
            at: clock::now().rfc3339(),
            ..CriterionVerdict::default()
        };
        let what = format!("criterion {number}");
        let stays = if asked.rejected { None } else { review::still_rejected(number, &plan, context)? };
        match (stays, asked.number) {
            (Some(stays), Some(_)) => {
                return Err(CommandError::refused(stays).hint("mend what was rejected, then verify it again"));
            }
            (Some(stays), None) => {
                lacking.push(stays);
                continue;
            }
            (None, _) => {}
        }
        match &criterion.proof {
            _ if asked.rejected => {
                verdict.content = Some(review::content_now(&plan, context));
                verdict.judged = match context.agent() {
                    Some(_) => is_qa.then_some(Judge::Qa),
                    None => Some(Judge::Person),
                };
            }
            None => {
                return Err(CommandError::refused(format!("{what} has no proof: {}", criterion.text))
                    .hint(format!("engine plan criteria set {number} \"…\" --proof CMD")));
            }
            Some(Proof::Judge(judge)) => {
                verdict.judged = Some(judged(*judge, number, &plan, is_qa, context, why.as_deref())?);
            }
            Some(wanted) => match proof::prove(wanted, &plan, &lookup) {
                Ok(found) => verdict.found = Some(found),
                Err(lacks) if asked.number.is_some() => {
                    accepted = Some(proof::accept(lacks, &what, &plan, context, asked.approved)?);
                    verdict.found = Some(format!("{}, as a person accepted", wanted.shown()));
                }
                Err(lacks) => {
                    lacking.push(format!("{what}: {}", lacks.text()));
                    continue;
                }
            },
        }
        verdict.before = is_old(criterion, &plan) && !asked.rejected;
        verdicts.push((number, verdict));
    }
    let numbers = verdicts.iter().map(|(number, _)| *number).collect();
    let kept = context.change_judged(&plan, |plan, _| {
        plan.accepted.extend(accepted);
        verdicts.into_iter().try_for_each(|(number, verdict)| plan.verify(number, verdict))
    })?;
    Ok(Verified { kept, verdicts: numbers, lacking })
}

/// Whether its command had passed before the work began.
fn is_old(criterion: &Criterion, plan: &Plan) -> bool {
    let Some(Proof::Passes(command)) = &criterion.proof else { return false };
    plan.lock.as_ref().is_some_and(|lock| lock.start.passed.contains(&command.shown()))
}

/// Who judges a criterion that no command shows.
fn judged(
    judge: Judge,
    number: usize,
    plan: &Plan,
    is_qa: bool,
    context: &CommandContext,
    why: Option<&str>,
) -> Result<Judge, CommandError> {
    let criterion = plan.criterion(number)?;
    if judge == Judge::Qa && context.agent().is_some() {
        if !is_qa {
            let text = format!("criterion {number} is judged by the agent qa: {}", criterion.text);
            return Err(CommandError::refused(text).hint(format!(
                "start the agent qa; it runs: engine plan verify {number} --why \"what was seen\""
            )));
        }
        if why.is_none() {
            return Err(CommandError::usage(format!(
                "what was looked at is missing: engine plan verify {number} --why \"…\""
            )));
        }
        return Ok(Judge::Qa);
    }
    let what = format!("accept criterion {number} of plan {} as met: {}", plan.name, criterion.text);
    let deed = Deed::new(&what, &[&plan.name, &number.to_string(), &criterion.text]).of(Kind::Judge);
    approval::require(&context.project, &context.caller, &deed, why)?;
    Ok(Judge::Person)
}

#[cfg(test)]
mod tests;
