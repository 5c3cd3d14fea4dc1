//! `engine plan new`.

use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::plan::{self, LARGEST, Plan};
use engine_core::task::TaskFile;
use engine_core::work::{file_of, name as work_name};
use engine_store::approve::Caller;
use engine_store::plan_file::{self, PlanFile};
use engine_store::task_file::Owners;
use engine_store::{clock, project::Project};

use super::{Desk, counts, tell, tell_notes};
use crate::commands::task;
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct PlanNewArgs {
    /// A file with the YAML; - or nothing: stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Small letters, digits and hyphens; nothing: the first words of what was asked
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

pub(super) fn run(args: &PlanNewArgs, desk: &Desk, ui: &Ui) -> Outcome {
    if let Some(name) = args.name.as_ref().filter(|name| !plan::is_name(name)) {
        return Err(CommandError::usage(format!(
            "{name:?} is no name of a plan: small letters, digits and hyphens, at most 60"
        )));
    }
    let (text, source) = given(args.from.as_deref(), &desk.caller)?;
    let read = plan::read(&text).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().map(|problem| format!("{source}:{}: {}", problem.line, problem.text)).collect();
        let count = engine_app::wording::counted(lines.len() as u64, "problem");
        CommandError::refused(format!("the plan is not taken: {count}\n{}", lines.join("\n")))
            .hint("engine plan new --help tells its form")
    })?;
    let kept = plan_file::create(&desk.project, || {
        let mut notes = not_busy(desk)?;
        let name = free_name(args.name.as_deref(), &read, desk, &mut notes)?;
        tell_notes(&notes, ui);
        made(read, name, desk)
    })?;
    tell_notes(&kept.notes, ui);
    let plan = &kept.plan;
    tell(plan, &format!("plan {}: {}; {}", plan.name, counts(plan), plan.page), ui);
    if !ui.is_json() {
        let guardrails = plan.guardrails.shown();
        if !guardrails.is_empty() {
            ui.line(format!("guardrails: {}", guardrails.join(", ")));
        }
        ui.line(if plan.guardrails.answer_only {
            "then: answer, and end the turn; nothing is changed in it"
        } else {
            "then: engine plan lock"
        });
    }
    Ok(())
}

/// The text, and what it is called in messages.
fn given(from: Option<&Path>, caller: &Caller) -> Result<(String, String), CommandError> {
    let Some(path) = from.filter(|path| *path != Path::new("-")) else {
        // An agent's shell may hold its stdin open and say nothing.
        let patience = match caller {
            Caller::Agent { .. } => stdin::FOR_A_CLIENT,
            Caller::Person => stdin::FOR_A_COMMAND,
        };
        let text = stdin::read(patience).map_err(|error| {
            CommandError::refused(error.to_string()).hint("or name a file: engine plan new --from FILE")
        })?;
        return Ok((text, "stdin".to_owned()));
    };
    let name = path.display().to_string();
    let failed = |why: String| CommandError::refused(format!("{name}: {why}"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    Ok((text, name))
}

/// One open plan per agent session. One that cannot be used any more is set aside, and told.
fn not_busy(desk: &Desk) -> Result<Vec<String>, CommandError> {
    let Some(agent) = desk.agent() else { return Ok(Vec::new()) };
    let busy = |plan: &Plan| {
        Err(CommandError::refused(format!("this agent session has the open plan {}", plan.name))
            .hint("engine plan show")
            .hint("engine plan close, first"))
    };
    let Some(bound) = desk.session(agent).peek().plan else {
        return desk.owned(agent).map_or(Ok(Vec::new()), |(_, plan)| busy(&plan));
    };
    let file = PlanFile::new(&desk.project, &bound.name);
    match file.peek() {
        Some(Ok(plan)) if plan.is_open() && plan.owner.as_deref() == Some(agent) => busy(&plan),
        Some(Err(why)) => Ok(vec![file.set_aside(&why)?]),
        _ => Ok(Vec::new()),
    }
}

/// A name that no plan has: the wanted one, or one with a number behind it.
fn free_name(
    wanted: Option<&str>,
    plan: &Plan,
    desk: &Desk,
    notes: &mut Vec<String>,
) -> Result<String, CommandError> {
    // A file of somebody else's is not written over.
    let is_page_free = |name: &str| match std::fs::read_to_string(desk.project.root().join(page(name, desk)))
    {
        Ok(text) => !plan::was_edited(&text),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if let Some(wanted) = wanted {
        let file = PlanFile::new(&desk.project, wanted);
        let taken = |what: String| CommandError::refused(what).hint("give another name: --name NAME");
        match file.peek() {
            None => {}
            Some(Err(why)) => notes.push(file.set_aside(&why)?),
            Some(Ok(_)) => return Err(taken(format!("there is a plan {wanted} already"))),
        }
        if !is_page_free(wanted) {
            return Err(taken(format!("{} is a file of somebody else's", page(wanted, desk))));
        }
        return Ok(wanted.to_owned());
    }
    let base = plan::name_for(&plan.original_fragment);
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    let is_free = |name: &String| !PlanFile::new(&desk.project, name).exists() && is_page_free(name);
    Ok(names.find(is_free).unwrap_or(base))
}

/// Where the readable form lies: beside the work, if there is a work session.
fn page(name: &str, desk: &Desk) -> String {
    let work = desk.agent().and_then(|agent| desk.session(agent).peek().work);
    match work.filter(|work| work_name::check(&work.name).is_ok()) {
        // Not the name of what a skill writes: /fix has a FIX_PLAN.md.
        Some(work) => {
            format!("{}/{}/{}", work_name::FOLDER, work.name, file_of(&format!("do-{name}"), "PLAN"))
        }
        None => format!("plans/{name}/PLAN.md"),
    }
}

fn made(read: Plan, name: String, desk: &Desk) -> Result<Plan, CommandError> {
    let page = page(&name, desk);
    let mut plan = Plan { name, page, created_at: clock::now().rfc3339(), ..read };
    plan.task = task_in_progress(&desk.project)?;
    if let Some(agent) = desk.agent() {
        plan.give(agent);
    }
    Ok(plan)
}

/// The task that the session works on is done with the plan.
fn task_in_progress(project: &Project) -> Result<Option<String>, CommandError> {
    let desk = task::Desk::open()?;
    let text = desk.text()?;
    let owners = Owners::load(project, &desk.path);
    let file = TaskFile::parse(&text);
    let task = task::state::of_session(&file, &owners, desk.session.as_deref());
    Ok(task.map(|task| task.meta.name.clone()))
}
