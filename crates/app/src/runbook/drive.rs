//! Driving the plan of a runbook: what comes next, and how a step ends.

use engine_core::approval::{Deed, Kind};
use engine_core::dialect::AgentCall;
use engine_core::plan::{AgentNews, Came, Moved, Plan, Step, StepId, Turn};
use engine_core::session::kept_words;
use engine_store::plan_file::{self, Kept, PlanFile};
use engine_store::{clock, content, told};
use engine_text::line::fingerprint;
use serde::Serialize;

use super::{left_behind, list, name_of};
use crate::approval;
use crate::error::{CommandError, Failure, Outcome};
use crate::evidence::PATIENCE;
use crate::plan::close::{self, Closed};
use crate::plan::{self, CommandContext, delegate, step};
use crate::plugin::AGENT_FOLDER;
use crate::task;

/// How a run goes on.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Next {
    pub plan: String,
    pub state: String,
    #[serde(flatten)]
    pub turn: NextTurn,
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What comes next, with what is needed for it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase", tag = "next")]
pub enum NextTurn {
    /// An agent is started for each of these steps.
    Call {
        calls: Vec<Call>,
    },
    /// An agent has ended, and nobody has looked.
    Done {
        step: StepId,
    },
    /// Agents are at work.
    Wait {
        steps: Vec<StepId>,
    },
    /// The main agent does it.
    Inline {
        step: StepId,
        text: String,
        files: Vec<String>,
        source: String,
    },
    Halted {
        reason: String,
    },
    /// Every step is done.
    Close {
        open: Vec<String>,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub step: StepId,
    #[serde(flatten)]
    pub call: AgentCall,
    /// As the model writes it.
    pub shown: String,
}

/// Takes up and locks the plan of a runbook, if that is still to be done. `written`: its name; none: the plan of this agent session.
pub fn start(context: &mut CommandContext, written: Option<&str>) -> Result<Vec<String>, CommandError> {
    let mut notes = Vec::new();
    let only = if written.is_none() { only_left(context) } else { None };
    if let Some(written) = written.or(only.as_deref()) {
        let name = name_of(written)?;
        context.named = Some(name.clone());
        let plan = opened(context, &name)?;
        unless_run(context, &plan)?;
        if context.agent().is_some() && plan.owner.as_deref() != context.agent() {
            notes.extend(plan::take(context, &name)?.notes);
        }
    }
    let (_, plan) = context.found()?;
    unless_run(context, &plan)?;
    notes.extend(lock(context)?);
    Ok(notes)
}

/// The plan of a runbook, which must be open.
pub(super) fn opened(context: &CommandContext, name: &str) -> Result<Plan, CommandError> {
    let (_, plan) = prepared(context, name)?;
    if plan.is_open() {
        return Ok(plan);
    }
    Err(CommandError::nothing(format!("plan {name} is closed"))
        .hint(format!("to run it anew: engine runbook prepare {name} --replan; engine asks the user")))
}

/// Locks the plan that is meant, if that is still to be done.
pub(super) fn lock(context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let (_, plan) = context.found()?;
    must_be_delegated(&plan)?;
    if plan.lock.is_some() {
        return Ok(Vec::new());
    }
    is_as_written(context, &plan)?;
    let notes = plan::lock(context, None)?.notes;
    begin_task(context)?;
    Ok(notes)
}

/// A plan that a process runs by itself is left to it. Where that process is gone, the clients of the steps go too.
fn unless_run(context: &CommandContext, plan: &Plan) -> Outcome {
    plan::unless_run(context, &plan.name)?;
    if plan.live().any(|(_, run)| run.is_client()) {
        left_behind::end(context, plan)?;
        // Who takes it up hears it then.
        if context.agent().is_none_or(|agent| plan.owner.as_deref() == Some(agent)) {
            context.change(|plan, now| Ok(plan.heard(&AgentNews::Lost, "", now)))?;
        }
    }
    Ok(())
}

/// The only run whose agent session is gone, for one that runs none.
fn only_left(context: &CommandContext) -> Option<String> {
    context.agent()?;
    if context.found().is_ok() {
        return None;
    }
    let is_left = |name: &String| {
        let plan = PlanFile::new(&context.project, name).peek_open();
        plan.is_some_and(|plan| {
            plan.is_delegated() && plan.lock.is_some() && plan_file::is_orphaned(&context.project, &plan)
        })
    };
    let mut left = plan_file::names(&context.project).into_iter().filter(is_left);
    left.next().filter(|_| left.next().is_none())
}

/// The task that runs it is in progress from now on, and done with the plan.
fn begin_task(context: &CommandContext) -> Outcome {
    let (_, plan) = context.found()?;
    let (Some(source), None) = (&plan.runbook, &plan.task) else { return Ok(()) };
    let tasks = task::CommandContext::of(context.project.clone(), &context.caller);
    let command = format!("/orchestrate {}", source.folder);
    let text = tasks.text().unwrap_or_default();
    let file = engine_core::task::TaskFile::parse(&text);
    let is_it = |task: &&engine_core::task::Task| {
        task.is_open() && task.meta.command.as_deref() == Some(command.as_str())
    };
    let Some(name) = file.tasks().find(is_it).map(|task| task.meta.name.clone()) else { return Ok(()) };
    // A task that cannot be started holds nothing up: it is somebody else's, or waits.
    if task::state::start(&tasks, Some(&name), true).is_ok() {
        context.change(|plan, _| {
            plan.task = Some(name);
            Ok(())
        })?;
    }
    Ok(())
}

/// The plan of a runbook.
fn prepared<'c>(
    context: &'c CommandContext,
    name: &str,
) -> Result<(engine_store::plan_file::PlanFile<'c>, Plan), CommandError> {
    context.existing(name).map_err(|error| match error.failure {
        Failure::Refused => CommandError::refused(format!("{}/{name} is not prepared", super::FOLDER))
            .hint(format!("engine runbook prepare {name}")),
        _ => error,
    })
}

fn must_be_delegated(plan: &Plan) -> Outcome {
    if plan.is_delegated() {
        return Ok(());
    }
    Err(CommandError::refused(format!("plan {} is of no runbook: its steps are done here", plan.name))
        .hint("engine plan show"))
}

/// A runbook that was changed since is cut again before it begins.
fn is_as_written(context: &CommandContext, plan: &Plan) -> Outcome {
    let Some(source) = &plan.runbook else { return Ok(()) };
    let Ok(found) = super::find(&context.project, &plan.name) else { return Ok(()) };
    if found.reading.runbook.fingerprint == source.sum {
        return Ok(());
    }
    Err(CommandError::refused(format!("the runbook of {} was changed since it was prepared", plan.name))
        .hint(format!("engine runbook prepare {}", plan.name)))
}

/// What comes next. A step that a client left running is looked at before anything else.
pub fn next(context: &mut CommandContext, written: Option<&str>) -> Result<Next, CommandError> {
    let mut notes = start(context, written)?;
    recheck(context, &mut notes)?;
    let (_, plan) = context.found()?;
    if let Turn::Inline(step) = plan.turn(&clock::now().rfc3339()) {
        let (number, head) = (step.number, context.head());
        let files = content::take(&context.project, PATIENCE).ok();
        context.change(|plan, now| plan.begin_inline(number, head, files, now))?;
    }
    let (_, plan) = context.found()?;
    let turn = turn(&plan, context)?;
    Ok(Next { plan: plan.name.clone(), state: list::state(&plan), turn, notes })
}

/// Looks at the steps whose client has ended before their agents did: done, or to be given again.
pub(super) fn recheck(context: &CommandContext, notes: &mut Vec<String>) -> Outcome {
    let (_, plan) = context.found()?;
    // A plan that stands still refuses every end: that says nothing of the step.
    if plan.halted().is_some() {
        return Ok(());
    }
    let cut_off = plan.steps.iter().filter(|step| step.run().is_some_and(engine_core::plan::Run::is_cut_off));
    let numbers: Vec<StepId> = cut_off.map(|step| step.number).collect();
    for number in numbers {
        match step::finish(context, number, None) {
            Ok(_) => notes.push(format!("step {number} was cut off, and everything shows that it is done")),
            Err(error) if error.failure == Failure::Refused => {
                let why = error.message.lines().skip(1).collect::<Vec<_>>().join("; ");
                context.change(|plan, now| plan.fail_run(number, Came::Lost, Some(&why), now))?;
                notes.push(format!("step {number} was cut off and is not done: {why}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn turn(plan: &Plan, context: &CommandContext) -> Result<NextTurn, CommandError> {
    let numbers = |steps: &[&Step]| steps.iter().map(|step| step.number).collect();
    Ok(match plan.turn(&clock::now().rfc3339()) {
        Turn::Halted => {
            NextTurn::Halted { reason: plan.halted().map(|halt| halt.reason.clone()).unwrap_or_default() }
        }
        Turn::Reports(step) => NextTurn::Done { step: step.number },
        Turn::Waits(steps) => NextTurn::Wait { steps: numbers(&steps) },
        Turn::Inline(step) => NextTurn::Inline {
            step: step.number,
            text: step.text.clone(),
            files: step.files.clone(),
            source: plan.runbook.as_ref().map(|source| source.folder.clone()).unwrap_or_default(),
        },
        Turn::Built => NextTurn::Close { open: plan.loose_ends() },
        Turn::Starts(steps) => {
            let prompted = context
                .agent()
                .and_then(|agent| context.session(agent).peek().user_input.map(|input| input.at));
            let is_fresh = context.agent().is_some() && plan.is_fresh(prompted);
            are_there(plan, &steps, context)?;
            let call = |step: &&Step| {
                let call = plan.call(step, is_fresh || lacks_agent(step, context))?;
                let shown = (engine_claude::DIALECT.agent_call)(&call);
                Some(Call { step: step.number, call, shown })
            };
            NextTurn::Call { calls: steps.iter().filter_map(call).collect() }
        }
    })
}

/// The files that agents are told to read, and from which the gate knows what they were told.
fn are_there(plan: &Plan, steps: &[&Step], context: &CommandContext) -> Outcome {
    let root = context.project.root();
    let is_missing = |step: &&&Step| {
        let file = step.prompt.as_deref().and_then(|prompt| prompt.lines().next());
        file.is_some_and(|file| file.starts_with("plans/") && !root.join(file).is_file())
    };
    let sums = plan.runbook.as_ref().map(|source| &source.files);
    for step in steps {
        let Some(file) = step.prompt.as_deref().and_then(|prompt| prompt.lines().next()) else { continue };
        let text = told::read_if_there(root, &root.join(file)).ok().flatten();
        let sum = sums.and_then(|sums| sums.get(file));
        if text.zip(sum).is_some_and(|(text, sum)| fingerprint(&text) != *sum) {
            return Err(CommandError::refused(format!("{file} is not what was prepared"))
                .hint(format!("engine runbook prepare {} writes it again", plan.name)));
        }
    }
    match steps.iter().find(is_missing) {
        None => Ok(()),
        Some(step) => {
            let file = step.prompt.as_deref().and_then(|prompt| prompt.lines().next()).unwrap_or_default();
            Err(CommandError::refused(format!("{file} is gone"))
                .hint(format!("engine runbook prepare {} writes it again", plan.name)))
        }
    }
}

/// Whether the file of a plan's own agent is gone: the shipped one does its work.
fn lacks_agent(step: &Step, context: &CommandContext) -> bool {
    let own = step.agent.as_deref().filter(|agent| step.shipped_agent() != Some(agent));
    own.is_some_and(|own| !context.project.root().join(AGENT_FOLDER).join(format!("{own}.md")).is_file())
}

/// A step that has ended, and whether the plan has ended with it.
pub struct Ended {
    pub kept: Kept<()>,
    pub number: StepId,
    /// The plan was closed, too.
    pub closed: Option<Closed>,
    /// Why it was not, where every step is done.
    pub open: Option<CommandError>,
}

/// Ends a step whose agent has ended; the last one closes the plan. `number`: none: the one that waits to be looked at.
pub fn done(
    context: &CommandContext,
    number: Option<StepId>,
    approved: Option<&str>,
) -> Result<Ended, CommandError> {
    let (_, plan) = context.found()?;
    must_be_delegated(&plan)?;
    let number = match number {
        Some(number) => number,
        None => waiting(&plan)?,
    };
    let kept = step::finish(context, number, approved)?;
    let kept = Kept { answer: (), plan: kept.plan, notes: kept.notes };
    let (mut closed, mut open) = (None, None);
    if kept.plan.is_built() && kept.plan.is_open() {
        match close::close(context, None) {
            Ok(done) => closed = Some(done),
            Err(error) => open = Some(error),
        }
    }
    Ok(Ended { kept, number, closed, open })
}

/// The only step that waits to be looked at.
fn waiting(plan: &Plan) -> Result<StepId, CommandError> {
    match plan.turn(&clock::now().rfc3339()) {
        Turn::Reports(step) | Turn::Inline(step) => Ok(step.number),
        Turn::Waits(steps) => {
            let running: Vec<String> = steps.iter().map(|step| step.number.to_string()).collect();
            Err(CommandError::refused(format!("step {} still runs", running.join(", ")))
                .hint("end the turn, its result comes by itself"))
        }
        _ => Err(CommandError::refused(format!("no step of plan {} waits to be looked at", plan.name))
            .hint("engine runbook next")),
    }
}

/// A try has failed. Whether the plan halted comes back.
pub fn fail(
    context: &CommandContext,
    number: StepId,
    came: Came,
    why: Option<&str>,
) -> Result<Kept<Moved>, CommandError> {
    let (_, plan) = context.found()?;
    must_be_delegated(&plan)?;
    let why = why.map(kept_words);
    delegate::fail(context, number, came, why.as_deref())
}

/// Halts the plan with a question for the user.
pub fn ask(context: &CommandContext, number: StepId, question: &str) -> Result<Kept<()>, CommandError> {
    let question = kept_words(question);
    if question.is_empty() {
        return Err(CommandError::usage("a question is needed: --question TEXT"));
    }
    context.change(|plan, now| plan.ask(number, &question, now))
}

/// Leaves a step out, by a person.
pub fn skip(context: &CommandContext, number: StepId, why: &str) -> Result<Kept<()>, CommandError> {
    let (_, plan) = context.found()?;
    must_be_delegated(&plan)?;
    let why = kept_words(why);
    if why.is_empty() {
        return Err(CommandError::usage("a reason is needed: --why TEXT"));
    }
    let step = plan.step(number)?;
    plan.clone().skip(number, &why, "")?;
    let what = format!("skip step {number} of plan {}: {} ({why})", plan.name, step.text);
    let deed = Deed::new(&what, &[&plan.name, &number.to_string(), &step.text]).of(Kind::Judge);
    let reason = approval::require(&context.project, &context.caller, &deed, Some(&why))?;
    context.change_judged(&plan, |plan, now| plan.skip(number, &reason, now))
}
