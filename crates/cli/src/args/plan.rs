//! The words of `engine plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use engine_app::since::Since;

#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(subcommand)]
    pub command: PlanCommand,
    /// The plan; nothing: that of this agent session, or the only open one
    #[arg(long, global = true, value_name = "NAME")]
    pub plan: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Make a plan from the intent router's YAML, also in a yaml fence
    ///
    /// Keys: `task_type`, `workflow`, `skills_to_invoke`, `guardrails` (all seven), `enriched_context`, `todo_items`, `acceptance_criteria`,
    /// `warnings`, `original_fragment`; `scope` and `supervise` may be left out. An entry of `todo_items` is a text or {text, kind: work|check, files};
    /// one that starts with CHECKPOINT: is a check. Everything that is wrong is told at once, with lines.
    #[command(
        after_long_help = "Examples:\n  engine plan new --from plan.yaml\n  engine plan new --name fix-login < plan.yaml"
    )]
    New(PlanNewArgs),
    /// Print the kinds of tasks that the intent router begins with, or the form of its answer
    ///
    /// TOML: `task_type`, workflow, guardrails and steps. Files in .engine/workflows/ add kinds, or replace those of the same name.
    #[command(
        after_long_help = "Examples:\n  engine plan presets\n  engine plan presets debug\n  engine plan presets --form"
    )]
    Presets {
        name: Option<String>,
        /// An example of the YAML that engine plan new reads
        #[arg(long, conflicts_with = "name")]
        form: bool,
    },
    /// Show a plan: criteria, steps, growth, edits outside of its scope, failed checks
    #[command(after_long_help = "Examples:\n  engine plan show\n  engine plan show fix-login --json")]
    Show { name: Option<String> },
    /// List the open plans
    #[command(after_long_help = "Examples:\n  engine plan list\n  engine plan list --all")]
    List {
        /// Closed ones too
        #[arg(long)]
        all: bool,
    },
    /// Take up a plan that no living agent session works on
    #[command(after_long_help = "Example:\n  engine plan take fix-login")]
    Take { name: String },
    /// Lock the criteria: from now on only a person changes them, and steps can start
    #[command(after_long_help = "Example:\n  engine plan lock")]
    Lock,
    /// Begin and end steps: one at a time
    #[command(subcommand)]
    Step(StepCommand),
    /// Add a step; growth by more than 20 % since the lock halts the plan
    #[command(
        after_long_help = "Examples:\n  engine plan add \"Update the docs\" --files docs/login.md\n  engine plan add \"The docs build\" --kind check --after 3"
    )]
    Add(PlanAddArgs),
    /// Change the acceptance criteria: freely before the lock, by a person's word after it
    #[command(subcommand)]
    Criteria(CriteriaCommand),
    /// Say that a criterion is met, with evidence that is looked up, or that it is not
    ///
    /// Evidence is a command that passed after the last edit, or `file:PATH`, `commit:NAME`, `push`.
    #[command(
        after_long_help = "Examples:\n  engine plan verify 1 --evidence \"cargo test\"\n  engine plan verify 2 --evidence file:docs/login.md --evidence push\n  engine plan verify 2 --rejected --why \"the page is empty\""
    )]
    Verify(PlanVerifyArgs),
    /// Stop the work until the user has spoken
    #[command(after_long_help = "Example:\n  engine plan halt \"the tests need a key that I do not have\"")]
    Halt { reason: String },
    /// Go on after a halt
    #[command(
        after_long_help = "Example:\n  engine plan resume --user-approved \"they said: try the other parser\""
    )]
    Resume {
        /// For an agent: what the person said; counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Report what was done: steps, commits since the lock, the verdict of each criterion
    #[command(after_long_help = "Examples:\n  engine plan report\n  engine plan report --json")]
    Report,
    /// Close the plan: all steps done, all criteria met; the task in progress is done with it
    #[command(
        after_long_help = "Examples:\n  engine plan close\n  engine plan close --user-approved \"they said: leave the docs\""
    )]
    Close(PlanCloseArgs),
}

#[derive(Debug, Args)]
pub struct PlanNewArgs {
    /// A file with the YAML; - or nothing: stdin
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Small letters, digits and hyphens; nothing: the first words of what was asked
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum StepCommand {
    /// Begin a step, or begin it again; the fourth attempt halts the plan
    #[command(after_long_help = "Example:\n  engine plan step start 2")]
    Start { number: u32 },
    /// End a step well; a check needs something that passed after the last edit
    #[command(
        after_long_help = "Examples:\n  engine plan step done 2\n  engine plan step done 3 --evidence \"cargo test\""
    )]
    Done {
        number: u32,
        /// What passed; nothing: the known checks since the last edit
        #[arg(long, value_name = "COMMAND")]
        evidence: Vec<String>,
    },
    /// End a step badly
    #[command(after_long_help = "Example:\n  engine plan step fail 2 --why \"the API is gone\"")]
    Fail {
        number: u32,
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindWord {
    Work,
    Check,
}

#[derive(Debug, Args)]
pub struct PlanAddArgs {
    /// One that starts with CHECKPOINT: is a check
    pub text: String,
    #[arg(long, value_enum)]
    pub kind: Option<KindWord>,
    /// Behind this step; nothing: at the end
    #[arg(long, value_name = "N")]
    pub after: Option<u32>,
    /// The files it is about, with commas between
    #[arg(long, value_delimiter = ',')]
    pub files: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum CriteriaCommand {
    /// Change a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria set 2 \"the login works with a key\"")]
    Set {
        number: usize,
        text: String,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Add a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria add \"the docs say so\"")]
    Add {
        text: String,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Remove a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria remove 2")]
    Remove {
        number: usize,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct PlanVerifyArgs {
    /// The criterion
    pub number: usize,
    /// What shows it; again for more
    #[arg(long, required_unless_present = "rejected")]
    pub evidence: Vec<String>,
    /// It is not met
    #[arg(long, requires = "why")]
    pub rejected: bool,
    /// Why, or what was looked at
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

#[derive(Debug, Args)]
pub struct PlanCloseArgs {
    /// Why the person wants it closed with open ends; from an agent it counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

/// A point in the past, or that of the open plan's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SinceOrPlan {
    Plan,
    Since(Since),
}

impl std::str::FromStr for SinceOrPlan {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if word == "plan" {
            return Ok(Self::Plan);
        }
        word.parse().map(Self::Since).map_err(|why: String| format!("{why}, or plan"))
    }
}
