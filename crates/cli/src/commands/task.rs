//! `engine task`: the tasks of session.md. The file is changed under a lock, line by line.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::task::{self, Changed, CommandContext, state};
use engine_core::task::{SECTIONS, Task, is_model};
use serde_json::{Value, json};

use crate::ui::Ui;

mod add;
mod context;
mod edit;
mod look;
mod r#move;
mod validate;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// List the open tasks
    #[command(
        after_long_help = "Examples:\n  engine task list\n  engine task list --state blocked\n  engine task list --all --json"
    )]
    List(look::TaskListArgs),
    /// Add a task
    #[command(
        after_long_help = "Examples:\n  engine task add \"Fix login bug\"\n  engine task add \"Port the lexer\" --command \"/plan-adhoc plans/lexer.md\" --model opus"
    )]
    Add(add::TaskAddArgs),
    /// Show a task as it stands in the file
    #[command(after_long_help = "Example:\n  engine task show \"Fix login\"")]
    Show { name: String },
    /// Mark a task as in progress; without a name the next one
    #[command(after_long_help = "Examples:\n  engine task start\n  engine task start \"Fix login\"")]
    Start {
        name: Option<String>,
        /// Also if another task of yours is in progress
        #[arg(long)]
        parallel: bool,
    },
    /// Mark a task as done; without a name the one in progress
    #[command(after_long_help = "Examples:\n  engine task done\n  engine task done \"Fix login\"")]
    Done { name: Option<String> },
    /// Mark a task as blocked, with the reason
    #[command(after_long_help = "Example:\n  engine task block \"Publish crate\" \"waiting for the key\"")]
    Block { name: String, reason: String },
    /// Mark a task as failed, with the reason
    #[command(after_long_help = "Example:\n  engine task fail \"Port it\" \"the API is gone\"")]
    Fail { name: String, reason: String },
    /// Mark a task as cancelled
    #[command(after_long_help = "Example:\n  engine task cancel \"Old idea\"")]
    Cancel { name: String },
    /// Make a task pending again
    #[command(after_long_help = "Example:\n  engine task reopen \"Fix login\"")]
    Reopen { name: String },
    /// Change what a task's line says
    #[command(
        after_long_help = "Examples:\n  engine task edit \"Fix login\" --model opus\n  engine task edit \"Fix login\" --rename \"Fix the login page\""
    )]
    Edit(edit::TaskEditArgs),
    /// Put a task somewhere else; without a place to the end of its section
    #[command(
        after_long_help = "Examples:\n  engine task move \"Fix login\" --first\n  engine task move \"Fix login\" --after \"Write docs\""
    )]
    Move(r#move::TaskMoveArgs),
    /// Add a line below a task
    #[command(after_long_help = "Example:\n  engine task note \"Fix login\" \"seen on mobile only\"")]
    Note { name: String, text: String },
    /// Print the name of the next task
    #[command(after_long_help = "Example:\n  engine task next")]
    Next,
    /// Check the file: unreadable lines, doubled names, names of earlier tasks
    #[command(after_long_help = "Examples:\n  engine task validate\n  engine task validate --fix")]
    Validate {
        /// Replace #PNDNG by a token of its own
        #[arg(long)]
        fix: bool,
    },
    /// Print the file as it was in the commit that brought a task
    #[command(after_long_help = "Example:\n  engine task context \"Fix login\"")]
    Context { name: String },
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
        TaskCommand::List(args) => look::list(args, &context, ui),
        TaskCommand::Show { name } => look::show(name, &context, ui),
        TaskCommand::Next => look::next(&context, ui),
        TaskCommand::Add(args) => add::run(args, &context, ui),
        TaskCommand::Start { name, parallel } => {
            tell_state(&state::start(&context, name.as_deref(), *parallel)?, ui)
        }
        TaskCommand::Done { name } => tell_state(&state::done(&context, name.as_deref())?, ui),
        TaskCommand::Block { name, reason } => tell_state(&state::block(&context, name, reason)?, ui),
        TaskCommand::Fail { name, reason } => tell_state(&state::fail(&context, name, reason)?, ui),
        TaskCommand::Cancel { name } => tell_state(&state::cancel(&context, name)?, ui),
        TaskCommand::Reopen { name } => tell_state(&state::reopen(&context, name)?, ui),
        TaskCommand::Edit(args) => edit::run(args, &context, ui),
        TaskCommand::Move(args) => r#move::run(args, &context, ui),
        TaskCommand::Note { name, text } => {
            let changed = task::note(&context, name, text)?;
            tell(&changed, &format!("noted at {}", changed.name), ui)
        }
        TaskCommand::Validate { fix } => validate::run(*fix, &context, ui),
        TaskCommand::Context { name } => context::run(name, &context, ui),
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

/// The state that a task is in now.
fn tell_state(changed: &Changed, ui: &Ui) -> Outcome {
    let state = changed.task.as_ref().map(|task| task.state.as_str()).unwrap_or_default();
    tell(changed, &format!("{}: {state}", changed.name), ui)
}
