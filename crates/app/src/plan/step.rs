//! Beginning and ending steps, one at a time.

use engine_core::evidence::ledger::{Line, Standing, standing};
use engine_core::evidence::{FREE, named};
use engine_core::plan::{COMMIT, Kind, Moved, Plan, Step};
use engine_core::session::kept_words;
use engine_store::plan_file::Kept;
use engine_store::{config_file, git, task_file};
use engine_text::redact::redact;

use super::CommandContext;
use crate::error::CommandError;

/// Begins a step, or begins it again. Whether the plan was halted by it comes back.
pub fn start(context: &CommandContext, number: u32) -> Result<Kept<Moved>, CommandError> {
    let head = context.head();
    context.change(|plan, now| plan.start(number, head, now))
}

/// Ends a step badly.
pub fn fail(context: &CommandContext, number: u32, why: Option<&str>) -> Result<Kept<()>, CommandError> {
    let why = why.map(kept_words);
    context.change(|plan, now| plan.fail(number, why.as_deref(), now))
}

/// Ends a step well. A check needs something that passed after the last edit: what is `given`, or the known checks.
pub fn finish(context: &CommandContext, number: u32, given: &[String]) -> Result<Kept<()>, CommandError> {
    let (_, plan) = context.own()?;
    // What the plan itself refuses comes first.
    plan.clone().finish(number, vec![String::new()], "")?;
    let step = plan.step(number)?;
    let refused = |problems: &[String]| {
        let lines: Vec<String> = problems.iter().map(|problem| format!("step {number}: {problem}")).collect();
        CommandError::refused(lines.join("\n"))
    };
    let unproven = unproven(given, &plan, context);
    if !unproven.is_empty() {
        return Err(refused(&unproven).hint("engine evidence lists what ran"));
    }
    let mut evidence = kept(given);
    if step.kind == Kind::Check && given.is_empty() {
        let ledger = context.trail(&plan).ledger()?;
        evidence = passed(standing(&ledger))
            .map_err(|problems| refused(&problems).hint("engine evidence lists what ran"))?;
    }
    if let Some(why) = uncommitted(step, &plan, context)? {
        return Err(refused(&[why]));
    }
    context.change_judged(&plan, |plan, now| plan.finish(number, evidence, now))
}

/// Evidence as it is kept: the journal has no secrets either, so it is found again.
pub(super) fn kept(given: &[String]) -> Vec<String> {
    given.iter().map(|text| redact(text.trim()).into_owned()).collect()
}

/// What is wrong with evidence that was named.
pub(super) fn unproven(given: &[String], plan: &Plan, context: &CommandContext) -> Vec<String> {
    let trail = context.trail(plan);
    let wrong = |text: &String| {
        let (kind, value) = named(text);
        trail.wrong(kind, value)
    };
    given.iter().filter_map(wrong).collect()
}

/// The checks that passed since the last edit, or why there is none.
fn passed(standing: Standing) -> Result<Vec<String>, Vec<String>> {
    if standing.is_verified() {
        return Ok(standing.passed);
    }
    if !standing.failed.is_empty() {
        return Err(standing.failed.iter().map(|command| format!("`{command}` failed")).collect());
    }
    if !standing.unknown.is_empty() {
        let unknown = |(command, why): &(String, String)| {
            format!("whether `{command}` passed cannot be told ({why}): engine check -- {command}")
        };
        return Err(standing.unknown.iter().map(unknown).collect());
    }
    let since = standing.edited.map_or("the lock".to_owned(), |file| format!("{file} was edited"));
    Err(vec![format!("no check has passed since {since}: engine check -- CMD")])
}

/// What a work step still owes to git, by `plan.commit`.
fn uncommitted(step: &Step, plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    let config = config_file::load(&context.project);
    let wanted = config.choice(&COMMIT);
    if wanted == "off" || step.kind == Kind::Check {
        return Ok(None);
    }
    let Some(dirty) = dirty(step, plan, context) else {
        return Ok(Some(format!("plan.commit is {wanted}, and git does not answer here")));
    };
    if !dirty.is_empty() {
        return Ok(Some(format!("not committed: {}", dirty.join(", "))));
    }
    let head = context.head();
    let ledger = context.trail(plan).ledger()?;
    let since = step.started_at.as_deref().unwrap_or_default();
    let edited = ledger.iter().rev().find_map(|line| match line {
        Line::Edit { file, .. } if line.at() >= since => Some(file),
        _ => None,
    });
    if let Some(file) = edited.filter(|_| head == step.started_head) {
        return Ok(Some(format!("{file} was edited, and nothing was committed since the step began")));
    }
    Ok(if wanted == "push" { unpushed(head.as_deref(), context) } else { None })
}

/// By what git knows of the other side: nothing is fetched.
fn unpushed(head: Option<&str>, context: &CommandContext) -> Option<String> {
    let upstream = git::text(context.project.root(), &["rev-parse", "--verify", "--quiet", "@{upstream}"]);
    match upstream.as_deref().map(str::trim) {
        None => Some("the branch has no upstream: git push --set-upstream origin HEAD".to_owned()),
        upstream if upstream == head => None,
        Some(_) => Some("HEAD is not at its upstream: git push".to_owned()),
    }
}

/// Changed files of the step, or of the project where it names none; what is written about the work does not count.
fn dirty(step: &Step, plan: &Plan, context: &CommandContext) -> Option<Vec<String>> {
    let root = context.project.root();
    let tasks = task_file::path(&context.project, &config_file::load(&context.project));
    let tasks = tasks.strip_prefix(root).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let about = FREE.iter().copied().chain([plan.page.as_str(), &tasks]).filter(|name| !name.is_empty());
    let about: Vec<String> = about.map(|name| format!(":(exclude){name}")).collect();
    let files: Vec<String> = step.files.iter().map(|file| format!(":(glob){file}")).collect();
    let mut args = vec!["status", "--porcelain", "--untracked-files=all", "--"];
    if files.is_empty() {
        args.push(".");
    }
    args.extend(files.iter().chain(&about).map(String::as_str));
    let text = git::text(root, &args)?;
    Some(text.lines().filter_map(|line| line.get(3..)).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
