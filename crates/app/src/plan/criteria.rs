//! Acceptance criteria: changed before the lock, or by a person's word; met, with evidence that is looked up.

use engine_core::approval::Deed;
use engine_core::plan::{Approval, CriteriaChange, CriterionVerdict, text_of};
use engine_store::clock;
use engine_store::plan_file::Kept;

use super::{CommandContext, step};
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
        plan.clone().change_criteria(change.clone(), Some(any))?;
        let what = format!("change the locked criteria of plan {}: {}", plan.name, difference.join(" "));
        let deed = Deed::new(&what, &[&plan.name, &difference.join("\n")]);
        let reason = approval::require(&context.project, &context.caller, &deed, reason)?;
        agreed = Some(Approval { what: difference.join(" "), reason, at: now });
    }
    let kept = context.change_judged(&plan, |plan, _| plan.change_criteria(change, agreed))?;
    Ok((kept, difference))
}

/// What somebody says about a criterion.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub number: usize,
    pub evidence: &'a [String],
    pub rejected: bool,
    pub why: Option<&'a str>,
}

/// Records that a criterion is met, if its evidence holds, or that it is not.
pub fn verify(context: &CommandContext, claim: &Claim<'_>) -> Result<Kept<()>, CommandError> {
    let (_, plan) = context.own()?;
    let why = claim.why.map(|why| text_of("why", why)).transpose().map_err(CommandError::usage)?;
    let verdict = CriterionVerdict {
        met: !claim.rejected,
        evidence: step::kept(claim.evidence),
        why,
        by: context.agent().unwrap_or("person").to_owned(),
        at: clock::now().rfc3339(),
    };
    // What the plan itself refuses comes first.
    plan.clone().verify(claim.number, verdict.clone())?;
    let wrong = if claim.rejected { Vec::new() } else { step::unproven(claim.evidence, &plan, context) };
    if !wrong.is_empty() {
        let lines: Vec<String> =
            wrong.iter().map(|problem| format!("criterion {}: {problem}", claim.number)).collect();
        return Err(CommandError::refused(lines.join("\n")).hint("engine evidence lists what ran"));
    }
    context.change_judged(&plan, |plan, _| plan.verify(claim.number, verdict))
}

#[cfg(test)]
mod tests;
