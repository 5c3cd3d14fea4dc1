//! `engine status`: STATUS as the seed lays it out.

use engine_app::chain::{line_of, lines};
use engine_app::error::Outcome;
use engine_app::task::CommandContext;
use engine_app::unfinished;
use engine_core::stage::{Guide, without_task, without_task_line};
use engine_core::status::{Held, Status};
use engine_core::task::{Task, TaskFile, conflict};
use engine_store::config_file;
use engine_store::stage_file::StageFiles;
use serde_json::{Value, json};

use super::task::object;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let owners = context.owners();
    let status = Status::of(&file, |task| context.holder(&owners, task));
    let conflicts = conflict::report(&context.name(), &text);
    let config = config_file::load(&context.project);
    let files = StageFiles::new(&context.project, &config);
    let apart = without_task(&file, &files);
    let rendered: Vec<String> =
        conflicts.iter().cloned().chain([status.render(&files)]).chain(without_task_line(&apart)).collect();
    let rendered = rendered.join("\n\n");
    let plans = unfinished::plans(&context.project);
    let chains = chains(&context);
    if ui.is_json() {
        let all = |tasks: &[&Task]| -> Vec<Value> { tasks.iter().map(|task| object(task)).collect() };
        let staged = |task: &Task| with_stage(task, &files);
        let at_work: Vec<Value> = status.in_progress.iter().map(|task| staged(task)).collect();
        let held = |tasks: &[Held<'_>]| -> Vec<Value> { tasks.iter().map(held).collect() };
        let mut object = json!({"version": 1, "file": context.name(), "inProgress": at_work,
            "elsewhere": held(&status.elsewhere), "doneElsewhere": held(&status.over_elsewhere), "next": status.next.map(staged), "pending": status.pending,
            "blocked": all(&status.blocked), "failed": all(&status.failed), "done": status.done,
            "cancelled": status.cancelled, "plans": plans, "chains": chains, "conflicts": conflicts, "text": rendered});
        if !apart.is_empty() {
            object["plansWithoutTask"] = json!(apart);
        }
        ui.object(&object);
        return Ok(());
    }
    let text: Vec<String> = rendered.lines().map(coloured).collect();
    ui.line(text.join("\n"));
    if !plans.is_empty() || !chains.is_empty() {
        ui.line("");
    }
    for line in &chains {
        ui.line(format!("{} {line}", toned(Tone::Strong, "Chain:")));
    }
    for line in unfinished::plan_lines(&plans) {
        ui.line(format!("{} {line}", toned(Tone::Strong, "Plan:")));
    }
    Ok(())
}

/// The task, and where its command names a plan the stage of that and the command that counts.
fn with_stage(task: &Task, files: &StageFiles<'_>) -> Value {
    let mut object = object(task);
    if let Some(guide) = Guide::of(&task.meta, files) {
        let meta = guide.applied(&task.meta);
        let stage = guide.standing.stage.to_string();
        object["plan"] = json!({"name": guide.standing.plan, "stage": stage, "command": meta.command,
            "model": meta.model_or_default(), "restart": meta.restart});
    }
    object
}

fn held(held: &Held<'_>) -> Value {
    let mut task = object(held.task);
    task["by"] = held.by.as_str().into();
    task
}

/// The chain of the agent session that asks; for a person all of them.
fn chains(context: &CommandContext) -> Vec<String> {
    match &context.session {
        Some(session) => line_of(&context.project, session).into_iter().collect(),
        None => lines(&context.project),
    }
}

/// The words that open a part stand out.
fn coloured(line: &str) -> String {
    let tone = match line.split(':').next() {
        Some("In progress" | "Next") => Tone::Strong,
        Some("Blocked") => Tone::Careful,
        Some("Failed") => Tone::Bad,
        Some(
            "Pending" | "In progress elsewhere" | "Done elsewhere, not merged here" | "Plans without a task",
        ) => Tone::Quiet,
        _ => return line.to_owned(),
    };
    match line.split_once(':') {
        Some((word, rest)) => format!("{}{rest}", toned(tone, &format!("{word}:"))),
        None => line.to_owned(),
    }
}
