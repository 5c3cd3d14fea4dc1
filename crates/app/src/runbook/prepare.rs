//! Cuts a runbook into what agents work from: step files, agents, the order of steps, and the plan of it.

use engine_core::approval::{Deed, Kind};
use engine_core::plan::{Approval, Plan, Replanned};
use engine_core::runbook::{
    Agents, Baselines, Change, Difference, Problem, Rendered, Runbook, Severity, agents as agents_of,
    difference, files,
};
use engine_core::task::{Meta, Place};
use engine_store::atomic::Durability;
use engine_store::plan_file::{self, PlanFile};
use engine_store::{clock, config_file, lock, told};
use engine_text::diff;
use engine_text::line::fingerprint;
use serde::Serialize;

use super::{files_of, find, problems};
use crate::approval;
use crate::error::CommandError;
use crate::plan::CommandContext;
use crate::plugin::AGENT_FOLDER;
use crate::wording::counted;
use crate::{plugin, task};

/// What is wanted besides.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Nothing is written.
    pub dry_run: bool,
    /// What changes is wanted line by line, and nothing is written.
    pub diff: bool,
    /// A plan that is locked takes up what has changed, if a person agrees.
    pub replan: bool,
    /// Why, by a person.
    pub approved: Option<&'a str>,
}

/// What was written, or would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prepared {
    pub name: String,
    pub steps: usize,
    /// Each file with what becomes of it: `new`, `changed`, `refreshed`, `unchanged`, `vanished`, `replaced`.
    pub files: Vec<(String, &'static str)>,
    pub agents: Vec<String>,
    pub warnings: Vec<String>,
    /// Steps of a plan that is locked, and what became of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replanned: Vec<String>,
    /// The task that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Prepared {
    /// Whether a file was written, or would be.
    pub fn changes(&self) -> bool {
        self.files.iter().any(|(_, what)| !matches!(*what, "unchanged" | "vanished"))
    }
}

/// The agents that a runbook's steps need.
pub fn agents(runbook: &Runbook) -> Agents {
    agents_of(runbook, &baselines())
}

fn baselines() -> Baselines<'static> {
    let text =
        |name: &str| plugin::AGENTS.iter().find(|agent| agent.name == name).map_or("", |agent| agent.text);
    Baselines { task: text(engine_core::plan::TASK), tdd: text(engine_core::plan::TDD), folder: AGENT_FOLDER }
}

/// Prepares plans/NAME. Nothing is written before everything is known to hold.
pub fn prepare(context: &CommandContext, name: &str, wanted: &Wanted<'_>) -> Result<Prepared, CommandError> {
    let project = &context.project;
    super::is_here(project)?;
    let found = find(project, name)?;
    // Two that run at once would mix what they write.
    let _one = lock::hold_folder(&project.root().join(&found.reading.runbook.folder))?;
    let found = find(project, name)?;
    let (errors, warnings): (Vec<Problem>, Vec<Problem>) =
        problems(&found, context)?.into_iter().partition(|problem| problem.severity == Severity::Error);
    let told = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (errors, warnings) = (told(errors), told(warnings));
    if !errors.is_empty() {
        let count = counted(errors.len() as u64, "error");
        return Err(CommandError::refused(format!(
            "the runbook is not taken: {count}\n{}",
            errors.join("\n")
        )));
    }
    let (runbook, before) = (found.reading.runbook, found.plan);
    let now = clock::now().rfc3339();
    let agents = agents(&runbook);
    let tiers = engine_core::plan::tiers(&config_file::load(project));
    let mut plan = runbook.plan(&agents, &tiers, &now);
    let root = project.root();
    let mut rendered = files(&runbook, &baselines());
    rendered.extend(shipped(&plan, context));
    if let Some(source) = &mut plan.runbook {
        source.files = rendered.iter().map(|file| (file.path.clone(), fingerprint(&file.text))).collect();
    }
    let ours = before.as_ref().and_then(|before| before.runbook.as_ref()).map(|source| &source.files);
    let is_ours = |path: &str, text: &str| {
        ours.and_then(|ours| ours.get(path)).is_some_and(|sum| *sum == fingerprint(text))
    };
    let present: Vec<Option<String>> = rendered
        .iter()
        .map(|file| told::read_if_there(root, &root.join(&file.path)))
        .collect::<Result<_, _>>()?;
    let mut differences = difference(&runbook, &rendered, &present, &left_over(&runbook, context));
    // What the engine did not write is nobody's to report or to remove.
    differences.retain(|one| {
        !matches!(one.change, Change::Vanished | Change::Replaced)
            || ours.is_some_and(|ours| ours.contains_key(&one.path))
    });
    let mut prepared = Prepared {
        name: name.to_owned(),
        steps: runbook.steps.len(),
        files: differences.iter().map(|one| (one.path.clone(), word(one.change))).collect(),
        agents: agents.all().map(|agent| agent.name.clone()).collect(),
        warnings,
        replanned: Vec::new(),
        task: None,
        diff: String::new(),
        notes: Vec::new(),
    };
    let dry = wanted.dry_run || wanted.diff;
    if wanted.diff {
        prepared.diff = shown_diff(&rendered, &present);
    }
    let replanned = replan(context, before.as_ref(), plan, wanted, dry)?;
    prepared.replanned.clone_from(&replanned.told);
    if dry {
        return Ok(prepared);
    }
    for (at, (file, difference)) in rendered.iter().zip(&differences).enumerate() {
        if matches!(difference.change, Change::New | Change::Changed | Change::Refreshed) {
            let before = present.get(at).and_then(Option::as_deref);
            if let Some(before) = before.filter(|before| !is_ours(&file.path, before)) {
                prepared.notes.push(set_aside(&file.path, before, context)?);
            }
            // They can be made again: a hundred steps do not wait for the disk a hundred times.
            told::replace(root, &root.join(&file.path), file.text.as_bytes(), Durability::Soon)?;
        }
    }
    prepared.notes.extend(keep(context, replanned.plan)?);
    prepared.notes.extend(remove_replaced(&differences, &is_ours, context));
    prepared.task = record(context, name, &mut prepared.notes);
    Ok(prepared)
}

fn word(change: Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Changed => "changed",
        Change::Refreshed => "refreshed",
        Change::Unchanged => "unchanged",
        Change::Vanished => "vanished",
        Change::Replaced => "replaced",
    }
}

/// The shipped agents that its steps may need, where neither the project nor the person has them.
fn shipped(plan: &Plan, context: &CommandContext) -> Vec<Rendered> {
    let needs = |name: &str| match name {
        engine_core::plan::TDD => plan.steps.iter().any(|step| step.shipped_agent() == Some(name)),
        engine_core::plan::VET => plan.steps.iter().any(|step| step.agent.as_deref() == Some(name)),
        engine_core::plan::TASK | engine_core::plan::REFACTOR => true,
        _ => false,
    };
    let root = context.project.root();
    let home = engine_claude::sources::client_home().map(|home| home.join("agents"));
    let is_there = |name: &str| {
        let file = format!("{name}.md");
        home.as_ref().is_some_and(|home| home.join(&file).is_file())
            || root.join(AGENT_FOLDER).join(file).is_file()
    };
    let agents = plugin::AGENTS.iter().filter(|agent| needs(agent.name) && !is_there(agent.name));
    agents
        .map(|agent| Rendered {
            path: format!("{AGENT_FOLDER}/{}.md", agent.name),
            text: agent.text.to_owned(),
        })
        .collect()
}

/// Files among those of the steps and of the agents that may be left over.
fn left_over(runbook: &Runbook, context: &CommandContext) -> Vec<String> {
    let root = context.project.root();
    let folders = [format!("{}/steps", runbook.folder), AGENT_FOLDER.to_owned()];
    let below = |folder: &String| {
        files_of(&root.join(folder)).into_iter().map(|file| format!("{folder}/{file}")).collect::<Vec<_>>()
    };
    folders.iter().flat_map(below).collect()
}

fn shown_diff(rendered: &[Rendered], present: &[Option<String>]) -> String {
    let mut shown = String::new();
    for (file, before) in rendered.iter().zip(present) {
        let before = before.as_deref().unwrap_or_default();
        if before != file.text {
            shown.push_str(&diff::unified(before, &file.text, &file.path, &file.path));
        }
    }
    shown
}

/// The plan as it is to be, and what became of the steps of one that is locked.
fn replan(
    context: &CommandContext,
    before: Option<&Plan>,
    new: Plan,
    wanted: &Wanted<'_>,
    dry: bool,
) -> Result<Replanned, CommandError> {
    if let Some(closed) = before.filter(|before| !before.is_open()) {
        return again(context, closed, new, wanted, dry);
    }
    let Some(before) = before.filter(|before| before.lock.is_some()) else {
        return Ok(Replanned { plan: new, told: Vec::new() });
    };
    let replanned = before.replanned(&new)?;
    if replanned.told.is_empty() || dry {
        return Ok(replanned);
    }
    let name = &before.name;
    let listed = replanned.told.join("\n");
    if !wanted.replan {
        return Err(CommandError::refused(format!(
            "plan {name} is running, and its steps would change\n{listed}"
        ))
        .hint(format!("engine runbook prepare {name} --replan; engine asks the user")));
    }
    let deed = Deed::new(
        &format!("replan {name} while it runs: {}", replanned.told.join("; ")),
        &[name, &replanned.plan.fixed()],
    )
    .of(Kind::Lock);
    let reason = approval::require(&context.project, &context.caller, &deed, wanted.approved)?;
    let mut replanned = replanned;
    replanned.plan.approvals.push(Approval {
        what: format!("other steps: {}", replanned.told.join("; ")),
        reason,
        at: clock::now().rfc3339(),
    });
    Ok(replanned)
}

/// A plan that has ended is not begun anew by itself: what is done is not repeated, and what a person gave up stays so.
fn again(
    context: &CommandContext,
    closed: &Plan,
    new: Plan,
    wanted: &Wanted<'_>,
    dry: bool,
) -> Result<Replanned, CommandError> {
    let name = &closed.name;
    let ended = closed.closed.as_ref().and_then(|closed| closed.approved.as_deref());
    let ended =
        ended.map_or("every step was done".to_owned(), |why| format!("it ended with open ends: {why}"));
    let told = vec![format!("all steps of {name} are to be done again; {ended}")];
    if !dry && !wanted.replan {
        return Err(CommandError::refused(format!("plan {name} is closed: {ended}"))
            .hint(format!("to run it anew: engine runbook prepare {name} --replan; engine asks the user")));
    }
    if !dry {
        let deed = Deed::new(&format!("run {name} anew; {ended}"), &[name, &new.fixed()]).of(Kind::Lock);
        approval::require(&context.project, &context.caller, &deed, wanted.approved)?;
    }
    Ok(Replanned { plan: new, told })
}

/// Keeps the plan. One of the same name that is open and not of a runbook stays as it is.
fn keep(context: &CommandContext, plan: Plan) -> Result<Vec<String>, CommandError> {
    let name = plan.name.clone();
    let page = format!("{}/{name}/PLAN.md", super::FOLDER);
    let worktree = context.worktree();
    let plan = Plan { page, worktree, ..plan };
    let file = PlanFile::new(&context.project, &name);
    if !file.exists() {
        return Ok(plan_file::create(&context.project, || Ok::<_, CommandError>(plan))?.notes);
    }
    let kept = file.update(|old| {
        if !old.is_delegated() {
            return Err(CommandError::refused(format!(
                "there is a plan {name} already that is of no runbook"
            ))
            .hint("give the runbook another name: its folder below plans/"));
        }
        // What has not changed keeps its moment: the files are as old as they were.
        let sum = |plan: &Plan| plan.runbook.as_ref().map(|source| source.sum.clone());
        let agents = |plan: &Plan| -> Vec<_> {
            let own = plan.steps.iter().filter(|step| !step.inserted);
            own.map(|step| (step.number, step.agent.clone())).collect()
        };
        // A later release may write other agents.
        let is_same = old.is_open()
            && sum(old) == sum(&plan)
            && old.tiers == plan.tiers
            && agents(old) == agents(&plan);
        if !is_same {
            *old = plan;
        }
        Ok(())
    })?;
    Ok(kept.notes)
}

/// Keeps a file that somebody else wrote or changed, under another name.
fn set_aside(path: &str, text: &str, context: &CommandContext) -> Result<String, CommandError> {
    let aside = format!("{path}.edited-{}", clock::now().0);
    let root = context.project.root();
    told::replace(root, &root.join(&aside), text.as_bytes(), Durability::Disk)?;
    Ok(format!("{path} was not as engine wrote it; it is kept as {aside}"))
}

/// Removes agents of the runbook as it was before; the client would offer them to every session. One that somebody changed stays.
fn remove_replaced(
    differences: &[Difference],
    is_ours: &dyn Fn(&str, &str) -> bool,
    context: &CommandContext,
) -> Vec<String> {
    let replaced = differences.iter().filter(|one| one.change == Change::Replaced);
    let remove = |one: &Difference| {
        let path = context.project.root().join(&one.path);
        let text = told::read_if_there(context.project.root(), &path).ok()??;
        if !is_ours(&one.path, &text) {
            return Some(format!("{} was changed by hand, and stays", one.path));
        }
        let removed = fs_err::remove_file(path);
        removed.err().map(|error| format!("{} was not removed: {error}", one.path))
    };
    replaced.filter_map(remove).collect()
}

/// Records the task that runs it, if there is none. A task that cannot be recorded is no reason to stop.
fn record(context: &CommandContext, name: &str, notes: &mut Vec<String>) -> Option<String> {
    let command = format!("/orchestrate {}/{name}", super::FOLDER);
    let tasks = task::CommandContext::of(context.project.clone(), &context.caller);
    let text = tasks.text().ok()?;
    let file = engine_core::task::TaskFile::parse(&text);
    let is_of_plan =
        |command: &String| engine_core::stage::plan_of(command).is_some_and(|named| named.plan == name);
    if file.tasks().any(|task| task.is_open() && task.meta.command.as_ref().is_some_and(is_of_plan)) {
        return None;
    }
    let meta = Meta {
        name: format!("Run {name}"),
        command: Some(command),
        model: Some("haiku".to_owned()),
        restart: true,
        ..Meta::default()
    };
    match task::add(&tasks, meta, None, Place::Last) {
        Ok(added) => Some(added.name),
        Err(error) => {
            notes.push(format!("no task was recorded: {}", error.message));
            None
        }
    }
}
