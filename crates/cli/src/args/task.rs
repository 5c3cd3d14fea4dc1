//! The words of `engine task`.

use clap::{Args, Subcommand};
use engine_core::task::{SECTIONS, State, is_model};

#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// List the open tasks
    #[command(
        after_long_help = "Examples:\n  engine task list\n  engine task list --state blocked\n  engine task list --all --json"
    )]
    List(TaskListArgs),
    /// Add a task
    #[command(
        after_long_help = "Examples:\n  engine task add \"Fix login bug\"\n  engine task add \"Port the lexer\" --command \"/plan-adhoc plans/lexer.md\" --model opus"
    )]
    Add(TaskAddArgs),
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
    Edit(TaskEditArgs),
    /// Put a task somewhere else; without a place to the end of its section
    #[command(
        after_long_help = "Examples:\n  engine task move \"Fix login\" --first\n  engine task move \"Fix login\" --after \"Write docs\""
    )]
    Move(TaskMoveArgs),
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

#[derive(Debug, Args)]
pub struct TaskListArgs {
    /// Done and cancelled ones too
    #[arg(long)]
    pub all: bool,
    /// Only those in this state
    #[arg(long, value_parser = state)]
    pub state: Option<State>,
}

#[derive(Debug, Args)]
pub struct TaskAddArgs {
    pub name: String,
    /// What starts it
    #[arg(long)]
    pub command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = model)]
    pub model: Option<String>,
    /// It wants a new session
    #[arg(long)]
    pub restart: bool,
    /// Names of tasks that must be done before, with commas between them
    #[arg(long, value_delimiter = ',')]
    pub needs: Vec<String>,
    /// Pending Tasks, In-tree Tasks or Worktree Tasks
    #[arg(long, value_parser = section)]
    pub section: Option<String>,
    /// In front of the others
    #[arg(long)]
    pub first: bool,
}

#[derive(Debug, Args)]
pub struct TaskEditArgs {
    pub name: String,
    /// Another name
    #[arg(long)]
    pub rename: Option<String>,
    /// What starts it; empty: nothing
    #[arg(long)]
    pub command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = model)]
    pub model: Option<String>,
    /// Whether it wants a new session
    #[arg(long)]
    pub restart: Option<bool>,
    /// Names of tasks that must be done before, with commas between them; empty: none
    #[arg(long)]
    pub needs: Option<String>,
}

#[derive(Debug, Args)]
pub struct TaskMoveArgs {
    pub name: String,
    /// In front of the others
    #[arg(long, conflicts_with_all = ["before", "after"])]
    pub first: bool,
    /// In front of this task
    #[arg(long, conflicts_with = "after")]
    pub before: Option<String>,
    /// Behind this task
    #[arg(long)]
    pub after: Option<String>,
    /// Into this section
    #[arg(long, value_parser = section, conflicts_with_all = ["before", "after"])]
    pub section: Option<String>,
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
