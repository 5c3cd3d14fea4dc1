//! A new plan, from the intent router's YAML.

use std::io::Read;
use std::path::Path;

use engine_core::plan::{self, Armed, DO, LARGEST, Plan, ROUTER};
use engine_core::work::{file_of, name as work_name};
use engine_store::approve::Caller;
use engine_store::clock;
use engine_store::plan_file::{self, Kept, PlanFile};
use engine_store::read::read_string;

use super::lost::{Look, Lost};
use super::{CommandContext, MEANWHILE};
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

/// What came, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    text: String,
    name: String,
    /// The engine kept it of the intent router.
    is_answer: bool,
}

/// Makes a plan of what was given. An answer of the intent router is forgotten when it is one, and when it can be none.
pub fn make_given(
    context: &CommandContext,
    name: Option<&str>,
    given: &Given,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    let source = Source { text: &given.text, name: &given.name };
    if !given.is_answer {
        return make(context, name, source, notes);
    }
    let read = match read(context, source) {
        Ok(read) => read,
        Err(refused) => {
            forget_answer(context)?;
            return Err(refused
                .hint(format!("start the agent {ROUTER} again with these problems, then: engine plan new")));
        }
    };
    let kept = create(context, name, read, notes)?;
    notes.push(format!("made from {}", given.name));
    forget_answer(context)?;
    Ok(kept)
}

/// Makes a plan, by the wanted name or one of its own. What happened on the way is added to `notes`.
pub fn make(
    context: &CommandContext,
    name: Option<&str>,
    source: Source<'_>,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    let mut read = read(context, source)?;
    let is_passed_over = answer(context).is_some();
    if is_passed_over {
        read.warnings.push(format!("made from {}, not from the answer of {ROUTER}", source.name));
    }
    let kept = create(context, name, read, notes)?;
    if is_passed_over {
        forget_answer(context)?;
    }
    Ok(kept)
}

/// The plan that a text is; else everything that is wrong with it.
fn read(context: &CommandContext, source: Source<'_>) -> Result<Plan, CommandError> {
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
    Ok(read)
}

fn create(
    context: &CommandContext,
    name: Option<&str>,
    mut read: Plan,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    notes.extend(hold(context, &mut read));
    if let Some(kept) = revised(context, name, &read)? {
        notes.push(match kept.plan.outgrown {
            Some(_) => "in place of the quick plan; what the user asked for stays as it was".to_owned(),
            None => {
                "revised; what the user asked for, guardrails and supervision stay as they were".to_owned()
            }
        });
        return Ok(kept);
    }
    let base = read.original_fragment.clone();
    create_named(context, name, &base, read, notes)
}

/// Holds a plan to what the person typed, where `/do` waits for it. What was changed comes back, in words.
pub(super) fn hold(context: &CommandContext, plan: &mut Plan) -> Vec<String> {
    let state = context.agent().map(|agent| context.session(agent).peek());
    let Some((armed, chain)) = state.and_then(|state| Some((state.armed?, state.chain))) else {
        return Vec::new();
    };
    // In a chain the request is only a part of what was typed.
    let request = armed.request.clone().filter(|_| chain.is_none());
    Armed { request, ..armed }.hold(plan)
}

/// Makes it, by the wanted name or one made from the words in `base`.
pub(super) fn create_named(
    context: &CommandContext,
    name: Option<&str>,
    base: &str,
    read: Plan,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    plan_file::create(&context.project, || {
        let mut lost: Vec<Lost<'_>> = not_busy(context)?.into_iter().collect();
        let name = free_name(name, base, context, &mut lost)?;
        // Last: a refusal leaves everything as it was.
        for lost in lost {
            lost.give_way(context, notes)?;
        }
        made(read, name, context)
    })
}

/// What the intent router answered, if `/do` waits for a plan of this agent session.
fn answer(context: &CommandContext) -> Option<String> {
    context.session(context.agent()?).peek().armed?.answer
}

/// It is a plan now.
fn forget_answer(context: &CommandContext) -> std::io::Result<()> {
    if let Some(agent) = context.agent() {
        context.session(agent).update(|state| {
            if let Some(armed) = &mut state.armed {
                armed.answer = None;
            }
        })?;
    }
    Ok(())
}

/// A plan that a critic does not approve is replaced, under its own name.
fn revised(
    context: &CommandContext,
    name: Option<&str>,
    read: &Plan,
) -> Result<Option<Kept<()>>, CommandError> {
    let Some(agent) = context.agent() else { return Ok(None) };
    let Some(bound) =
        context.session(agent).peek().plan.filter(|bound| name.is_none_or(|name| name == bound.name))
    else {
        return Ok(None);
    };
    let file = PlanFile::new(&context.project, &bound.name);
    let is_it = |plan: &Plan| plan_file::is_owned(plan, agent) && plan.is_to_be_revised();
    if !file.peek().and_then(Result::ok).is_some_and(|plan| is_it(&plan)) {
        return Ok(None);
    }
    let kept = file.update(|plan| {
        if !is_it(plan) {
            let text = format!("plan {} {MEANWHILE}", plan.name);
            return Err(CommandError::refused(text).hint("look at it again: engine plan show"));
        }
        plan.revise(read.clone(), &clock::now().rfc3339()).map_err(CommandError::from)
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

/// The text that was named or piped in; else, for an agent, what the intent router answered.
pub fn given(from: Option<&Path>, context: &CommandContext) -> Result<Given, CommandError> {
    const FILE: &str = "or name a file: engine plan new --from FILE";
    is_free(context)?;
    let given = |text: String, name: &str| Given { text, name: name.to_owned(), is_answer: false };
    if from.is_none() && context.agent().is_some() {
        let piped = stdin::piped().map_err(|error| CommandError::from_error(error).hint(FILE))?;
        if let Some(text) = piped {
            return Ok(given(text, "stdin"));
        }
        let what = format!("the answer of {ROUTER}");
        let Some(text) = answer(context) else {
            return Err(CommandError::refused(format!("nothing is piped in, and {what} is not there"))
                .hint(format!("after /{DO}: start the agent {ROUTER}, then: engine plan new"))
                .hint(FILE));
        };
        return Ok(Given { is_answer: true, ..given(text, &what) });
    }
    let Some(path) = from.filter(|path| *path != Path::new("-")) else {
        // An agent's shell may hold its stdin open and say nothing.
        let patience = match context.caller {
            Caller::Agent { .. } => stdin::FOR_A_CLIENT,
            Caller::Person | Caller::Program => stdin::FOR_A_COMMAND,
        };
        let text = stdin::read(patience).map_err(|error| CommandError::from_error(error).hint(FILE))?;
        return Ok(given(text, "stdin"));
    };
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(LARGEST as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| CommandError::at(&name, error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| CommandError::refused(format!("{name}: it is not UTF-8")).caused_by(error))?;
    Ok(given(text, &name))
}

/// Refuses a quick plan while any other is open.
pub(super) fn is_unbound(context: &CommandContext) -> Result<(), CommandError> {
    let Some(agent) = context.agent() else { return Ok(()) };
    let Some(bound) = context.session(agent).peek().plan else { return Ok(()) };
    match context.look(&bound.name)? {
        Look::Plan(_, plan) if plan_file::is_owned(&plan, agent) => Err(busy(&plan)),
        _ => Ok(()),
    }
}

/// Refuses another plan before anything is asked for, unless the open one is to give way.
fn is_free(context: &CommandContext) -> Result<(), CommandError> {
    let Some(agent) = context.agent() else { return Ok(()) };
    let Some(bound) = context.session(agent).peek().plan else { return Ok(()) };
    match context.look(&bound.name)? {
        Look::Plan(_, plan) if plan_file::is_owned(&plan, agent) && !plan.is_to_be_revised() => {
            Err(busy(&plan))
        }
        _ => Ok(()),
    }
}

fn busy(plan: &Plan) -> CommandError {
    CommandError::refused(format!("this agent session has the open plan {}", plan.name))
        .hint("engine plan show")
        .hint("engine plan close, first")
}

/// One open plan per agent session. One that cannot be used any more comes back.
fn not_busy(context: &CommandContext) -> Result<Option<Lost<'_>>, CommandError> {
    let Some(agent) = context.agent() else { return Ok(None) };
    let busy = |plan: &Plan| Err(busy(plan));
    let Some(bound) = context.session(agent).peek().plan else {
        return plan_file::owned_by(&context.project, agent).map_or(Ok(None), |(_, plan)| busy(&plan));
    };
    match context.look(&bound.name)? {
        Look::Plan(_, plan) if plan_file::is_owned(&plan, agent) => busy(&plan),
        Look::Lost(lost) => Ok(Some(lost)),
        _ => Ok(None),
    }
}

/// A name that no plan has: the wanted one, or one with a number behind it. A plan that cannot be used has no name; it is added to `lost`.
fn free_name<'c>(
    wanted: Option<&str>,
    base: &str,
    context: &'c CommandContext,
    lost: &mut Vec<Lost<'c>>,
) -> Result<String, CommandError> {
    // A file of somebody else's is not written over.
    let is_page_free = |name: &str| match read_string(&context.project.root().join(page(name, context))) {
        Ok(text) => !plan::was_edited(&text),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if let Some(wanted) = wanted {
        let taken = |what: String| CommandError::refused(what).hint("give another name: --name NAME");
        match context.look(wanted)? {
            Look::Plan(..) => return Err(taken(format!("there is a plan {wanted} already"))),
            Look::Lost(other) if !lost.iter().any(|lost| lost.is(wanted)) => lost.push(other),
            Look::Lost(_) | Look::Nothing => {}
        }
        if !is_page_free(wanted) {
            return Err(taken(format!("{} is a file of somebody else's", page(wanted, context))));
        }
        return Ok(wanted.to_owned());
    }
    let base = plan::name_for(base);
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    let is_lost = |name: &String| lost.iter().any(|lost| lost.is(name));
    let is_free = |name: &String| {
        (is_lost(name) || !PlanFile::new(&context.project, name).exists()) && is_page_free(name)
    };
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
    let worktree = context.worktree();
    let mut plan = Plan { name, page, worktree, created_at: clock::now().rfc3339(), ..read };
    // It is done with the plan.
    plan.task = task::state::take(&task::CommandContext::of(context.project.clone(), &context.caller))?;
    if let Some(agent) = context.agent() {
        plan.give(agent);
    }
    Ok(plan)
}

#[cfg(test)]
mod tests;
