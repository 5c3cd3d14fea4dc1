//! `engine task`: the tasks of session.md. The file is changed under a lock, line by line.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::task::{Changed, CommandContext};
use engine_core::task::{SECTIONS, Task, is_model};
use serde_json::{Value, json};

use crate::ui::Ui;

mod add;
mod context;
mod edit;
mod list;
mod r#move;
mod next;
mod note;
mod recover;
mod show;
mod state;
mod validate;

/// List and change the tasks of session.md
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    List(list::TaskListArgs),
    Add(add::TaskAddArgs),
    Show(show::TaskShowArgs),
    #[command(flatten)]
    State(state::TaskStateCommand),
    Edit(edit::TaskEditArgs),
    Move(r#move::TaskMoveArgs),
    Note(note::TaskNoteArgs),
    /// Print the name of the next task
    #[command(after_long_help = "Example:\n  engine task next")]
    Next,
    /// Bring back the open tasks that the file has lost since the session began
    #[command(after_long_help = "Example:\n  engine task recover")]
    Recover,
    Validate(validate::TaskValidateArgs),
    Context(context::TaskContextArgs),
}

fn model(word: &str) -> Result<String, String> {
    if is_model(word) {
        Ok(word.to_owned())
    } else {
        Err("use sonnet, opus, haiku, fable or a name that begins with claude-".into())
    }
}

fn section(word: &str) -> Result<String, String> {
    let known = SECTIONS.iter().find(|known| known.eq_ignore_ascii_case(word));
    known.map(|known| (*known).to_owned()).ok_or_else(|| format!("use {}", SECTIONS.join(", ")))
}

pub(super) fn run(command: &TaskCommand, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    match command {
        TaskCommand::List(args) => list::run(args, &context, ui),
        TaskCommand::Add(args) => add::run(args, &context, ui),
        TaskCommand::Show(args) => show::run(args, &context, ui),
        TaskCommand::State(command) => state::run(command, &context, ui),
        TaskCommand::Edit(args) => edit::run(args, &context, ui),
        TaskCommand::Move(args) => r#move::run(args, &context, ui),
        TaskCommand::Note(args) => note::run(args, &context, ui),
        TaskCommand::Next => next::run(&context, ui),
        TaskCommand::Recover => recover::run(&context, ui),
        TaskCommand::Validate(args) => validate::run(args, &context, ui),
        TaskCommand::Context(args) => context::run(args, &context, ui),
    }
}

pub(super) fn object(task: &Task) -> Value {
    let meta = &task.meta;
    json!({"name": meta.name, "state": task.state.as_str(), "command": meta.command, "model": meta.model_or_default(),
        "restart": meta.restart, "needs": meta.needs, "id": meta.id, "token": meta.token, "detail": meta.detail,
        "others": meta.others, "reason": task.reason, "section": task.section, "line": task.line})
}

/// What a change of one task ends with.
fn tell(changed: &Changed, line: &str, ui: &Ui) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": changed.task.as_ref().map(object)}));
    } else {
        ui.line(line);
    }
    Ok(())
}
