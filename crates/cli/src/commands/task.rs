//! `engine task`: the tasks of session.md. The file is changed under a lock, line by line.

use std::path::PathBuf;

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_core::config::Config;
use engine_core::task::{Found, Task, TaskFile};
use engine_core::task::{SECTIONS, is_model};
use engine_store::approve::Caller;
use engine_store::config_file;
use engine_store::project::Project;
use engine_store::task_file::{self, Owners};
use serde_json::{Value, json};

use crate::ui::Ui;

mod add;
mod context;
mod edit;
mod look;
mod r#move;
mod note;
pub(super) mod state;
pub(crate) mod validate;

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
    let desk = Desk::open()?;
    match command {
        TaskCommand::List(args) => look::list(args, &desk, ui),
        TaskCommand::Show { name } => look::show(name, &desk, ui),
        TaskCommand::Next => look::next(&desk, ui),
        TaskCommand::Add(args) => add::run(args, &desk, ui),
        TaskCommand::Start { name, parallel } => state::start(name.as_deref(), *parallel, &desk, ui),
        TaskCommand::Done { name } => state::done(name.as_deref(), &desk, ui),
        TaskCommand::Block { name, reason } => state::block(name, reason, &desk, ui),
        TaskCommand::Fail { name, reason } => state::fail(name, reason, &desk, ui),
        TaskCommand::Cancel { name } => state::cancel(name, &desk, ui),
        TaskCommand::Reopen { name } => state::reopen(name, &desk, ui),
        TaskCommand::Edit(args) => edit::run(args, &desk, ui),
        TaskCommand::Move(args) => r#move::run(args, &desk, ui),
        TaskCommand::Note { name, text } => note::run(name, text, &desk, ui),
        TaskCommand::Validate { fix } => validate::run(*fix, &desk, ui),
        TaskCommand::Context { name } => context::run(name, &desk, ui),
    }
}

/// What every task command works on.
pub(crate) struct Desk {
    pub(super) project: Project,
    pub(super) path: PathBuf,
    pub(super) learnings: PathBuf,
    /// The agent session that asks; nothing for a person.
    pub(super) session: Option<String>,
}

impl Desk {
    pub(super) fn open() -> Result<Self, CommandError> {
        let project = project()?;
        let config: Config = config_file::load(&project);
        let session = match Caller::from_environment() {
            Caller::Agent { session } => Some(session).filter(|session| !session.is_empty()),
            Caller::Person => None,
        };
        let (path, learnings) = (task_file::path(&project, &config), task_file::learnings(&project, &config));
        Ok(Self { project, path, learnings, session })
    }

    pub(super) fn text(&self) -> Result<String, CommandError> {
        task_file::read(&self.path).map_err(|error| self.failed(&error))
    }

    pub(super) fn name(&self) -> String {
        self.path.strip_prefix(self.project.root()).unwrap_or(&self.path).display().to_string()
    }

    fn failed(&self, error: &std::io::Error) -> CommandError {
        CommandError::refused(format!("{}: {error}", self.name()))
    }

    /// Changes the file; `change` gets it as it is under the lock.
    fn edit<T>(
        &self,
        change: impl FnOnce(&TaskFile<'_>, &mut Owners) -> Result<(Option<String>, T), CommandError>,
    ) -> Result<T, CommandError> {
        task_file::edit(&self.project, &self.path, |text, owners| change(&TaskFile::parse(text), owners))
    }
}

/// The one task that is meant.
pub(super) fn one<'t>(file: &'t TaskFile<'_>, wanted: &str) -> Result<&'t Task, CommandError> {
    match file.find(wanted) {
        Found::One(task) => Ok(task),
        Found::Several(names) => {
            Err(CommandError::refused(format!("{wanted} could be: {}", names.join(", ")))
                .hint("give the whole name, or its id"))
        }
        Found::None => {
            Err(CommandError::refused(format!("no task {wanted}")).hint("list them: engine task list --all"))
        }
    }
}

pub(super) fn object(task: &Task) -> Value {
    let meta = &task.meta;
    json!({"name": meta.name, "state": task.state.as_str(), "command": meta.command, "model": meta.model_or_default(),
        "restart": meta.restart, "needs": meta.needs, "id": meta.id, "token": meta.token, "detail": meta.detail,
        "others": meta.others, "reason": task.reason, "section": task.section, "line": task.line})
}

/// What a change of one task ends with.
fn tell(ui: &Ui, object: &Value, line: &str) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": object}));
    } else {
        ui.line(line);
    }
}

/// The task of this name in a text that was just written.
fn written(text: &str, name: &str) -> Value {
    let file = TaskFile::parse(text);
    let task = file.tasks().filter(|task| task.meta.name == name).last();
    task.map(object).unwrap_or_default()
}
