//! `engine plan`: one piece of work with steps, locked criteria and verdicts.

use clap::{Args, Subcommand, ValueEnum};
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::{self, CommandContext, unless_halted};
use engine_app::wording::counted;
use engine_core::plan::{Kind, Moved, Plan, Step, step_line, ways_out};
use engine_store::plan_file::Kept;
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

mod close;
mod criteria;
mod look;
mod new;
mod presets;
mod step;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    pub(crate) command: PlanCommand,
    /// The plan; nothing: that of this agent session, or the only open one
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) plan: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Make a plan from the intent router's YAML, also in a yaml fence
    ///
    /// Keys: `task_type`, `workflow`, `skills_to_invoke`, `guardrails` (all seven), `enriched_context`, `todo_items`, `acceptance_criteria`,
    /// `warnings`, `original_fragment`; `scope` and `supervise` may be left out. An entry of `todo_items` is a text or {text, kind: work|check, files};
    /// one that starts with CHECKPOINT: is a check. Everything that is wrong is told at once, with lines.
    #[command(
        after_long_help = "Examples:\n  engine plan new --from plan.yaml\n  engine plan new --name fix-login < plan.yaml"
    )]
    New(new::PlanNewArgs),
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
    Step(step::StepCommand),
    /// Add a step; growth by more than 20 % since the lock halts the plan
    #[command(
        after_long_help = "Examples:\n  engine plan add \"Update the docs\" --files docs/login.md\n  engine plan add \"The docs build\" --kind check --after 3"
    )]
    Add(PlanAddArgs),
    /// Change the acceptance criteria: freely before the lock, by a person's word after it
    #[command(subcommand)]
    Criteria(criteria::CriteriaCommand),
    /// Say that a criterion is met, with evidence that is looked up, or that it is not
    ///
    /// Evidence is a command that passed after the last edit, or `file:PATH`, `commit:NAME`, `push`.
    #[command(
        after_long_help = "Examples:\n  engine plan verify 1 --evidence \"cargo test\"\n  engine plan verify 2 --evidence file:docs/login.md --evidence push\n  engine plan verify 2 --rejected --why \"the page is empty\""
    )]
    Verify(criteria::PlanVerifyArgs),
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
    Close(close::PlanCloseArgs),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindWord {
    Work,
    Check,
}

#[derive(Debug, Args)]
pub(crate) struct PlanAddArgs {
    /// One that starts with CHECKPOINT: is a check
    pub(crate) text: String,
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindWord>,
    /// Behind this step; nothing: at the end
    #[arg(long, value_name = "N")]
    pub(crate) after: Option<u32>,
    /// The files it is about, with commas between
    #[arg(long, value_delimiter = ',')]
    pub(crate) files: Vec<String>,
}

pub(super) fn run(args: &PlanArgs, ui: &Ui) -> Outcome {
    let context = CommandContext::open(args.plan.clone())?;
    match &args.command {
        PlanCommand::New(args) => new::run(args, &context, ui),
        PlanCommand::Presets { name, form } => presets::run(name.as_deref(), *form, &context, ui),
        PlanCommand::Show { name } => look::show(name.as_deref(), &context, ui),
        PlanCommand::List { all } => look::list(*all, &context, ui),
        PlanCommand::Take { name } => {
            tell(
                &plan::take(&context, name)?,
                &format!("plan {name} is this session's; engine plan show"),
                ui,
            );
            Ok(())
        }
        PlanCommand::Lock => lock(&context, ui),
        PlanCommand::Step(command) => step::run(command, &context, ui),
        PlanCommand::Add(args) => add(args, &context, ui),
        PlanCommand::Criteria(command) => criteria::change(command, &context, ui),
        PlanCommand::Verify(args) => criteria::verify(args, &context, ui),
        PlanCommand::Halt { reason } => halt(reason, &context, ui),
        PlanCommand::Resume { user_approved } => {
            let (kept, reason) = plan::resume(&context, user_approved.as_deref())?;
            tell(&kept, &format!("plan {} goes on: {reason}", kept.plan.name), ui);
            Ok(())
        }
        PlanCommand::Report => close::report(&context, ui),
        PlanCommand::Close(args) => close::run(args, &context, ui),
    }
}

fn tell_notes(notes: &[String], ui: &Ui) {
    for note in notes {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
}

/// What a change ends with: what a person should hear besides, and the plan as an object, or a line.
fn tell<T>(kept: &Kept<T>, line: &str, ui: &Ui) {
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan}));
    } else {
        ui.line(line);
    }
}

fn counts(plan: &Plan) -> String {
    let criteria = plan.criteria.len();
    let word = if criteria == 1 { "criterion" } else { "criteria" };
    format!("{}, {criteria} {word}", counted(plan.steps.len() as u64, "step"))
}

fn lock(context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::lock(context)?;
    let plan = &kept.plan;
    tell(&kept, &format!("plan {} is locked: {}", plan.name, counts(plan)), ui);
    if let Some(first) = plan.steps.first().filter(|_| !ui.is_json()) {
        ui.line(format!("then: engine plan step start {}", first.number));
    }
    Ok(())
}

fn add(args: &PlanAddArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let kind = args.kind.map(|kind| match kind {
        KindWord::Work => Kind::Work,
        KindWord::Check => Kind::Check,
    });
    let step = Step::added(&args.text, kind, &args.files).map_err(CommandError::usage)?;
    let kept = plan::add(context, step, args.after)?;
    let (number, moved) = kept.answer;
    if moved == Moved::Done || !ui.is_json() {
        tell(&kept, &format!("added {}", step_line(kept.plan.step(number)?)), ui);
    } else {
        tell_notes(&kept.notes, ui);
    }
    unless_halted(moved, &kept.plan)
}

fn halt(reason: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::halt(context, reason)?;
    let why = kept.plan.halted().map(|halt| halt.reason.clone()).unwrap_or_default();
    tell(&kept, &format!("plan {} is halted: {why}", kept.plan.name), ui);
    for way in ways_out().iter().filter(|_| !ui.is_json()) {
        ui.line(format!("  {way}"));
    }
    Ok(())
}
