//! `engine task list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::CommandContext;
use engine_core::task::{State, Task, TaskFile};
use serde_json::{Value, json};

use super::object;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List the open tasks
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine task list\n  engine task list --state blocked\n  engine task list --all --json"
)]
pub(crate) struct TaskListArgs {
    /// Done and cancelled ones too
    #[arg(long)]
    pub(crate) all: bool,
    /// Only those in this state
    #[arg(long, value_parser = state)]
    pub(crate) state: Option<State>,
}

fn state(word: &str) -> Result<State, String> {
    let spelt = |state: &State| state.as_str().replace(' ', "-");
    let all: Vec<String> = State::ALL.iter().map(spelt).collect();
    State::ALL
        .iter()
        .copied()
        .find(|state| spelt(state) == word)
        .ok_or_else(|| format!("use {}", all.join(", ")))
}

pub(super) fn run(args: &TaskListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let wanted = |task: &Task| args.all || args.state.map_or(task.is_open(), |wanted| task.state == wanted);
    let tasks: Vec<_> = file.tasks().filter(|task| wanted(task)).collect();
    let damaged: Vec<_> = file.damaged().collect();
    if ui.is_json() {
        let tasks: Vec<Value> = tasks.iter().map(|task| object(task)).collect();
        let damaged: Vec<Value> = damaged
            .iter()
            .map(|line| json!({"line": line.line, "text": line.text, "why": line.why}))
            .collect();
        ui.object(&json!({"version": 1, "file": context.name(), "tasks": tasks, "damaged": damaged}));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = tasks
        .iter()
        .map(|task| {
            let command =
                task.meta.command.as_ref().map(|command| format!("`{command}`")).unwrap_or_default();
            vec![tone(task.state), task.meta.name.clone(), task.meta.model_or_default().to_owned(), command]
        })
        .collect();
    ui.text(&aligned(&rows, ""));
    for line in damaged {
        ui.talk(format!("{}:{}: {}: {}", context.name(), line.line, line.why, line.text));
    }
    if rows.is_empty() {
        ui.talk("no task fits");
    }
    Ok(())
}

fn tone(state: State) -> String {
    let tone = match state {
        State::InProgress => Tone::Strong,
        State::Blocked => Tone::Careful,
        State::Failed => Tone::Bad,
        State::Done => Tone::Good,
        State::Pending | State::Cancelled => Tone::Quiet,
    };
    toned(tone, state.as_str())
}
