//! Beginning and ending steps, one at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use engine_core::approval::Deed;
use engine_core::evidence::FREE;
use engine_core::evidence::ledger::{self, Line};
use engine_core::evidence::proof::{Judge, Proof};
use engine_core::plan::{COMMIT, Came, Kind, Moved, Plan, State, Step, StepId, covers};
use engine_core::session::kept_words;
use engine_store::plan_file::Kept;
use engine_store::{clock, config_file, content, git, task_file};

use super::drift::named;
use super::{CommandContext, delegate, proof, review, unless_halted};
use crate::approval;
use crate::error::CommandError;

/// What is written beside a work step that left no trace of work. Scripts may have changed files all the same.
const UNSEEN: &str = "no edit was seen";

/// How long a look at the content may take when a step ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// Begins a step, or begins it again. Whether the plan was halted by it comes back.
pub fn start(context: &CommandContext, number: impl Into<StepId>) -> Result<Kept<Moved>, CommandError> {
    let number = number.into();
    let head = context.head();
    let owes = config_file::load(&context.project).choice(&COMMIT) != "off";
    let files = owes.then(|| content::take(&context.project, content::PATIENCE).ok()).flatten();
    context.change(|plan, now| {
        let moved = plan.start(number, head, now)?;
        plan.began_on(files);
        Ok(moved)
    })
}

/// Ends a step badly.
pub fn fail(
    context: &CommandContext,
    number: impl Into<StepId>,
    why: Option<&str>,
) -> Result<Kept<()>, CommandError> {
    let number = number.into();
    let why = why.map(kept_words);
    context.change(|plan, now| {
        if plan.is_delegated() {
            return plan.fail_run(number, Came::Failed, why.as_deref(), now).map(drop);
        }
        plan.fail(number, why.as_deref(), now)
    })
}

/// Ends a step well, also one that is open: it begins and ends at once. Its proof is looked up, if it has one. `approved`: why a check
/// that was redefined counts all the same. What was edited besides its files comes back.
pub fn finish(
    context: &CommandContext,
    number: impl Into<StepId>,
    approved: Option<&str>,
) -> Result<Kept<Vec<String>>, CommandError> {
    let number = number.into();
    let (_, before) = context.own()?;
    if before.is_delegated() {
        return delegate::finish(context, number, approved);
    }
    if before.step(number)?.state == State::Done && before.works().is_ok() {
        return Ok(Kept { answer: Vec::new(), plan: before, notes: Vec::new() });
    }
    let begins = matches!(before.step(number)?.state, State::Open | State::Failed);
    let head = if begins { context.head() } else { None };
    // What the plan itself refuses comes first.
    let mut plan = before.clone();
    if begins && plan.start(number, head.clone(), &clock::now().rfc3339())? == Moved::Halted {
        let kept = start(context, number)?;
        unless_halted(kept.answer, &kept.plan)?;
    }
    plan.clone().finish(number, None, "")?;
    let step = plan.step(number)?;
    let what = format!("step {number}");
    let (mut found, mut accepted) = (None, None);
    match &step.proof {
        Some(Proof::Judge(judge)) => found = Some(judged(*judge, step, &plan, context)?),
        Some(wanted) => {
            let trail = context.trail(&plan);
            match proof::prove(wanted, &plan, &trail.look()?) {
                Ok(shown) => found = Some(shown),
                Err(lacks) => {
                    accepted = Some(proof::accept(lacks, &what, &plan, context, approved)?);
                    found = Some(wanted.shown());
                }
            }
        }
        None if step.kind == Kind::Check => {
            return Err(CommandError::refused(format!("{what} is a check without a proof"))
                .hint(format!("engine plan add \"…\" --kind check --proof CMD --after {number}")));
        }
        None => {}
    }
    if let Some(why) = uncommitted(step, &plan, context)? {
        return Err(CommandError::refused(format!("{what}: {why}")));
    }
    let ledger = context.trail(&plan).ledger()?;
    if step.kind == Kind::Work && context.agent().is_some() && step.edits(&ledger).is_empty() {
        found = Some(found.map_or_else(|| UNSEEN.to_owned(), |found| format!("{found}; {UNSEEN}")));
    }
    let besides = step.besides(&ledger).into_iter().map(str::to_owned).collect();
    context.change_judged(&before, |plan, now| {
        if begins {
            plan.start(number, head, now)?;
        }
        plan.accepted.extend(accepted);
        plan.finish(number, found, now)?;
        Ok(besides)
    })
}

/// What somebody else than this agent says of a step.
fn judged(judge: Judge, step: &Step, plan: &Plan, context: &CommandContext) -> Result<String, CommandError> {
    let is_person = match judge {
        Judge::Qa if review::is_qa("plan step done", plan, context)? => {
            return Ok(Proof::Judge(Judge::Qa).shown());
        }
        Judge::Qa => context.agent().is_none(),
        Judge::Person => true,
    };
    if !is_person {
        let text = format!("step {} is judged by the agent qa: {}", step.number, step.text);
        return Err(CommandError::refused(text)
            .hint(format!("start the agent qa; it runs: engine plan step done {}", step.number)));
    }
    let what = format!("accept step {} of plan {} as done: {}", step.number, plan.name, step.text);
    let deed = Deed::new(&what, &[&plan.name, &step.number.to_string(), &step.text])
        .of(engine_core::approval::Kind::Judge);
    approval::require(&context.project, &context.caller, &deed, None)?;
    Ok(Proof::Judge(Judge::Person).shown())
}

/// What a work step still owes to git, by `plan.commit`.
fn uncommitted(step: &Step, plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    let config = config_file::load(&context.project);
    let wanted = config.choice(&COMMIT);
    if wanted == "off" || step.kind == Kind::Check {
        return Ok(None);
    }
    let Some(dirty) = dirty(plan, context) else {
        return Ok(Some(format!("plan.commit is {wanted}, and git does not answer here")));
    };
    let lines = context.trail(plan).ledger()?;
    let dirty: BTreeSet<String> = of_plan(dirty, step, plan, &lines, context).into_iter().collect();
    if !dirty.is_empty() {
        let dirty: Vec<String> = dirty.into_iter().collect();
        return Ok(Some(format!("not committed: {}", named(&dirty))));
    }
    let head = context.head();
    let since = step.started_at.as_deref().unwrap_or_default();
    let edited = lines.iter().rev().find_map(|line| match line {
        Line::Edit { file, .. } if line.at() >= since => Some(file),
        _ => None,
    });
    if let Some(file) = edited.filter(|_| head == step.started_head) {
        let happened = ledger::happened(file, "edited");
        return Ok(Some(format!("{happened}, and nothing was committed since the step began")));
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

/// Those of the changed files that the plan changed: those of the step, or any where it names none, and what a call of the agent edited.
/// What a person had changed before the lock is theirs; so is what they changed before the step, unless a call edited it, too. Where that
/// is not known, all count.
fn of_plan(
    mut dirty: Vec<String>,
    step: &Step,
    plan: &Plan,
    ledger: &[Line],
    context: &CommandContext,
) -> Vec<String> {
    let is_edited = |file: &String| {
        ledger.iter().any(|line| matches!(line, Line::Edit { file: edited, .. } if edited == file))
    };
    dirty.retain(|file| covers(&step.files, file) || is_edited(file));
    let Some(now) = (!dirty.is_empty()).then(|| content::take(&context.project, PATIENCE).ok()).flatten()
    else {
        return dirty;
    };
    let changed = |since: Option<&String>| -> Option<BTreeSet<String>> {
        let files = content::changed(&context.project, since?, &now)?;
        Some(files.into_iter().map(|file| file.path).collect())
    };
    let Some(since_lock) = changed(plan.lock.as_ref().and_then(|lock| lock.start.content.as_ref())) else {
        return dirty;
    };
    let since_start = changed(step.started_content.as_ref());
    let is_its = |file: &String| {
        since_lock.contains(file)
            && (since_start.as_ref().is_none_or(|files| files.contains(file)) || is_edited(file))
    };
    dirty.into_iter().filter(is_its).collect()
}

/// Changed files of the project; what is written about the work does not count.
fn dirty(plan: &Plan, context: &CommandContext) -> Option<Vec<String>> {
    let root = context.project.root();
    let tasks = task_file::path(&context.project, &config_file::load(&context.project));
    let tasks = tasks.strip_prefix(root).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let about = FREE.iter().copied().chain([plan.page.as_str(), &tasks]).filter(|name| !name.is_empty());
    let about: Vec<String> = about.map(|name| format!(":(exclude){name}")).collect();
    let mut args = vec!["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", "."];
    args.extend(about.iter().map(String::as_str));
    let text = git::text(root, &args)?;
    // Git names them from the top of the repository.
    let above = git::text(root, &["rev-parse", "--show-prefix"])?;
    let names = text.split('\0').filter_map(|entry| entry.get(3..)?.strip_prefix(above.trim_end()));
    Some(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
