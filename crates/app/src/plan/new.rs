//! A new plan, from the intent router's YAML.

use std::io::Read;
use std::path::Path;

use engine_core::plan::{self, LARGEST, Plan};
use engine_core::task::TaskFile;
use engine_core::work::{file_of, name as work_name};
use engine_store::approve::Caller;
use engine_store::clock;
use engine_store::plan_file::{self, Kept, PlanFile};
use engine_store::read::read_string;
use engine_store::task_file::Owners;

use super::CommandContext;
use crate::error::CommandError;
use crate::evidence::learn;
use crate::wording::counted;
use crate::{stdin, task};

/// What a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub text: &'a str,
    /// What it is called in messages.
    pub name: &'a str,
}

/// Makes a plan, by the wanted name or one of its own. What happened on the way is added to `notes`.
pub fn make(
    context: &CommandContext,
    name: Option<&str>,
    source: Source<'_>,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    let read = plan::read(source.text, &proposals(context)).map_err(|problems| {
        let name = source.name;
        let lines: Vec<String> =
            problems.iter().map(|problem| format!("{name}:{}: {}", problem.line, problem.text)).collect();
        let count = counted(lines.len() as u64, "problem");
        CommandError::refused(format!("the plan is not taken: {count}\n{}", lines.join("\n")))
            .hint("engine plan new --help tells its form")
    })?;
    let wrong = super::proof::impossible(&read, context)?;
    if !wrong.is_empty() {
        let count = counted(wrong.len() as u64, "problem");
        return Err(CommandError::refused(format!("the plan is not taken: {count}\n{}", wrong.join("\n"))));
    }
    if let Some(kept) = revised(context, name, &read)? {
        return Ok(kept);
    }
    plan_file::create(&context.project, || {
        notes.extend(not_busy(context)?);
        let name = free_name(name, &read, context, notes)?;
        made(read, name, context)
    })
}

/// A plan that a critic does not approve is replaced, under its own name.
fn revised(
    context: &CommandContext,
    name: Option<&str>,
    read: &Plan,
) -> Result<Option<Kept<()>>, CommandError> {
    let Some(agent) = context.agent().filter(|_| name.is_none()) else { return Ok(None) };
    let Some(bound) = context.session(agent).peek().plan else { return Ok(None) };
    let file = PlanFile::new(&context.project, &bound.name);
    let is_it = |plan: &Plan| plan_file::is_owned(plan, agent) && plan.is_to_be_revised();
    if !file.peek().and_then(Result::ok).is_some_and(|plan| is_it(&plan)) {
        return Ok(None);
    }
    let kept = file.update(|plan| {
        if !is_it(plan) {
            let text = format!("plan {} was changed by another call meanwhile", plan.name);
            return Err(CommandError::refused(text).hint("look at it again: engine plan show"));
        }
        plan.revise(read.clone()).map_err(CommandError::from)
    })?;
    Ok(Some(kept))
}

/// Commands that check this project.
fn proposals(context: &CommandContext) -> Vec<String> {
    learn::found(&context.project).into_iter().map(|learned| learned.command).collect()
}

/// Refuses what cannot be the name of a plan.
pub fn check_name(name: &str) -> Result<(), CommandError> {
    if plan::is_name(name) {
        return Ok(());
    }
    Err(CommandError::usage(format!(
        "{name:?} is no name of a plan: small letters, digits and hyphens, at most 60"
    )))
}

/// The text, and what it is called in messages.
pub fn given(from: Option<&Path>, caller: &Caller) -> Result<(String, String), CommandError> {
    let Some(path) = from.filter(|path| *path != Path::new("-")) else {
        // An agent's shell may hold its stdin open and say nothing.
        let patience = match caller {
            Caller::Agent { .. } => stdin::FOR_A_CLIENT,
            Caller::Person | Caller::Program => stdin::FOR_A_COMMAND,
        };
        let text = stdin::read(patience).map_err(|error| {
            CommandError::from_error(error).hint("or name a file: engine plan new --from FILE")
        })?;
        return Ok((text, "stdin".to_owned()));
    };
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(LARGEST as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| CommandError::at(&name, error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| CommandError::refused(format!("{name}: it is not UTF-8")).caused_by(error))?;
    Ok((text, name))
}

/// One open plan per agent session. One that cannot be used any more is set aside, and told.
fn not_busy(context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let Some(agent) = context.agent() else { return Ok(Vec::new()) };
    let busy = |plan: &Plan| {
        Err(CommandError::refused(format!("this agent session has the open plan {}", plan.name))
            .hint("engine plan show")
            .hint("engine plan close, first"))
    };
    let Some(bound) = context.session(agent).peek().plan else {
        return plan_file::owned_by(&context.project, agent).map_or(Ok(Vec::new()), |(_, plan)| busy(&plan));
    };
    let file = PlanFile::new(&context.project, &bound.name);
    match file.peek() {
        Some(Ok(plan)) if plan_file::is_owned(&plan, agent) => busy(&plan),
        Some(Err(why)) => Ok(vec![file.set_aside(&why)?]),
        _ => Ok(Vec::new()),
    }
}

/// A name that no plan has: the wanted one, or one with a number behind it.
fn free_name(
    wanted: Option<&str>,
    plan: &Plan,
    context: &CommandContext,
    notes: &mut Vec<String>,
) -> Result<String, CommandError> {
    // A file of somebody else's is not written over.
    let is_page_free = |name: &str| match read_string(&context.project.root().join(page(name, context))) {
        Ok(text) => !plan::was_edited(&text),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if let Some(wanted) = wanted {
        let file = PlanFile::new(&context.project, wanted);
        let taken = |what: String| CommandError::refused(what).hint("give another name: --name NAME");
        let found = file.peek();
        if let Some(Ok(_)) = found {
            return Err(taken(format!("there is a plan {wanted} already")));
        }
        if !is_page_free(wanted) {
            return Err(taken(format!("{} is a file of somebody else's", page(wanted, context))));
        }
        // Last: a refusal leaves everything as it was.
        if let Some(Err(why)) = found {
            notes.push(file.set_aside(&why)?);
        }
        return Ok(wanted.to_owned());
    }
    let base = plan::name_for(&plan.original_fragment);
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    let is_free = |name: &String| !PlanFile::new(&context.project, name).exists() && is_page_free(name);
    Ok(names.find(is_free).unwrap_or(base))
}

/// Where the readable form lies: beside the work, if there is a work session.
fn page(name: &str, context: &CommandContext) -> String {
    let work = context.agent().and_then(|agent| context.session(agent).peek().work);
    match work.filter(|work| work_name::check(&work.name).is_ok()) {
        // Not the name of what a skill writes: /fix has a FIX_PLAN.md.
        Some(work) => {
            format!("{}/{}/{}", work_name::FOLDER, work.name, file_of(&format!("do-{name}"), "PLAN"))
        }
        None => format!("plans/{name}/PLAN.md"),
    }
}

fn made(read: Plan, name: String, context: &CommandContext) -> Result<Plan, CommandError> {
    let page = page(&name, context);
    let mut plan = Plan { name, page, created_at: clock::now().rfc3339(), ..read };
    plan.task = task_in_progress(context)?;
    if let Some(agent) = context.agent() {
        plan.give(agent);
    }
    Ok(plan)
}

/// The task that the session works on is done with the plan.
fn task_in_progress(context: &CommandContext) -> Result<Option<String>, CommandError> {
    let context = task::CommandContext::of(context.project.clone(), &context.caller);
    let text = context.text()?;
    let owners = Owners::load(&context.project, &context.path);
    let file = TaskFile::parse(&text);
    let task = task::state::of_session(&file, &owners, context.session.as_deref());
    Ok(task.map(|task| task.meta.name.clone()))
}

#[cfg(test)]
mod tests;
