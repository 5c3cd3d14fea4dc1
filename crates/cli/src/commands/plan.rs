//! `engine plan`: one piece of work with steps, locked criteria and verdicts.

use clap::{Args, Subcommand, ValueEnum};
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::evidence::Trail;
use engine_app::here::project;
use engine_app::wording::counted;
use engine_core::plan::{BoundPlan, HaltKind, Moved, Plan, Refusal, Step, step_line};
use engine_core::session::kept_words;
use engine_store::approve::Caller;
use engine_store::plan_file::{self, Kept, PlanFile};
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{clock, git};
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
    let desk = Desk::open(args.plan.clone())?;
    match &args.command {
        PlanCommand::New(args) => new::run(args, &desk, ui),
        PlanCommand::Presets { name, form } => presets::run(name.as_deref(), *form, &desk, ui),
        PlanCommand::Show { name } => look::show(name.as_deref(), &desk, ui),
        PlanCommand::List { all } => look::list(*all, &desk, ui),
        PlanCommand::Take { name } => take(name, &desk, ui),
        PlanCommand::Lock => lock(&desk, ui),
        PlanCommand::Step(command) => step::run(command, &desk, ui),
        PlanCommand::Add(args) => add(args, &desk, ui),
        PlanCommand::Criteria(command) => criteria::change(command, &desk, ui),
        PlanCommand::Verify(args) => criteria::verify(args, &desk, ui),
        PlanCommand::Halt { reason } => halt(reason, &desk, ui),
        PlanCommand::Resume { user_approved } => resume(user_approved.as_deref(), &desk, ui),
        PlanCommand::Report => close::report(&desk, ui),
        PlanCommand::Close(args) => close::run(args, &desk, ui),
    }
}

/// Plans that an error names at most.
const MOST_NAMED: usize = 3;

/// What every command works on.
pub(super) struct Desk {
    project: Project,
    caller: Caller,
    /// The plan that was named.
    named: Option<String>,
}

impl Desk {
    pub(super) fn open(named: Option<String>) -> Result<Self, CommandError> {
        Ok(Self { project: project()?, caller: Caller::from_environment(), named })
    }

    /// The agent session that asks; nothing for a person.
    fn agent(&self) -> Option<&str> {
        self.caller.session()
    }

    fn session(&self, agent: &str) -> SessionFile {
        SessionFile::new(&self.project.sessions_folder(), agent)
    }

    /// A plan by its name.
    fn existing(&self, name: &str) -> Result<(PlanFile<'_>, Plan), CommandError> {
        let file = engine_core::plan::is_name(name).then(|| PlanFile::new(&self.project, name));
        let found = file.and_then(|file| Some((file.peek()?, file)));
        match found {
            Some((Ok(plan), file)) => Ok((file, plan)),
            Some((Err(why), _)) => Err(CommandError::refused(format!("plan {name} is {why}"))
                .hint("engine plan new sets it aside and begins anew")),
            None => Err(CommandError::refused(format!("there is no plan {name}"))
                .hint("engine plan list --all shows all")),
        }
    }

    /// The plan to look at: the named one, that of the session, or the only open one.
    pub(super) fn found(&self) -> Result<(PlanFile<'_>, Plan), CommandError> {
        if let Some(name) = &self.named {
            return self.existing(name);
        }
        if let Some(agent) = self.agent() {
            let copy = self.session(agent).peek().plan;
            let Some(copy) = copy else { return self.owned(agent).ok_or_else(|| self.no_plan()) };
            if PlanFile::new(&self.project, &copy.name).peek().is_none() {
                // A plan that is gone cannot be locked, resumed or closed: it must not refuse anything either.
                self.forget(&copy.name, agent)?;
                return Err(self.no_plan());
            }
            let (file, plan) = self.existing(&copy.name)?;
            self.heal(&file, &plan, &copy, agent)?;
            let is_its = plan.is_open() && plan.owner.as_deref() == Some(agent);
            return if is_its { Ok((file, plan)) } else { Err(self.no_plan()) };
        }
        let mut open: Vec<String> = plan_file::names(&self.project);
        open.retain(|name| self.existing(name).is_ok_and(|(_, plan)| plan.is_open()));
        match open.as_slice() {
            [] => Err(self.no_plan()),
            [only] => self.existing(only),
            several => Err(CommandError::refused(format!("several plans are open: {}", several.join(", ")))
                .hint("name one: --plan NAME")),
        }
    }

    /// The open plan of a session whose copy was lost, with its state; it gets another.
    fn owned(&self, agent: &str) -> Option<(PlanFile<'_>, Plan)> {
        let found = plan_file::names(&self.project).into_iter().find_map(|name| {
            let (file, plan) = self.existing(&name).ok()?;
            (plan.is_open() && plan.owner.as_deref() == Some(agent)).then_some((file, plan))
        })?;
        found.0.tell_owner().ok()?;
        Some(found)
    }

    /// A process that was killed may have left the session's copy behind.
    fn heal(&self, file: &PlanFile<'_>, plan: &Plan, copy: &BoundPlan, agent: &str) -> Outcome {
        let is_its = plan.is_open() && plan.owner.as_deref() == Some(agent);
        if !is_its || BoundPlan::of(plan, Some(copy)) != *copy {
            file.tell_owner()?;
        }
        if !is_its {
            self.forget(&plan.name, agent)?;
        }
        Ok(())
    }

    fn forget(&self, name: &str, agent: &str) -> Outcome {
        self.session(agent).update(|state| {
            state.plan.take_if(|stale| stale.name == name);
        })?;
        Ok(())
    }

    /// Those whose session has ended wait for somebody to take them up: after a clear, the next one is the same person's.
    fn no_plan(&self) -> CommandError {
        let nothing = CommandError::refused("no plan is open here");
        let names = plan_file::names(&self.project).into_iter().filter(|_| self.agent().is_some());
        let is_free = |name: &String| {
            let plan = PlanFile::new(&self.project, name).peek().and_then(Result::ok);
            plan.filter(Plan::is_open)
                .is_some_and(|plan| plan.owner.is_none_or(|owner| !self.session(&owner).is_alive()))
        };
        names
            .filter(is_free)
            .take(MOST_NAMED)
            .fold(nothing, |error, name| error.hint(format!("take up the open one: engine plan take {name}")))
            .hint("make one: engine plan new --from FILE")
    }

    /// The plan to change: an agent's own.
    fn own(&self) -> Result<(PlanFile<'_>, Plan), CommandError> {
        let (file, plan) = self.found()?;
        if let Some(agent) = self.agent().filter(|agent| plan.owner.as_deref() != Some(agent)) {
            let text = format!("plan {} is not that of this agent session ({agent})", plan.name);
            return Err(CommandError::refused(text).hint(format!("engine plan take {}", plan.name)));
        }
        Ok((file, plan))
    }

    /// Changes it, and tells what a person should hear.
    fn change<T>(
        &self,
        ui: &Ui,
        change: impl FnOnce(&mut Plan, &str) -> Result<T, Refusal>,
    ) -> Result<Kept<T>, CommandError> {
        let (file, _) = self.own()?;
        let now = clock::now().rfc3339();
        let kept = file.update(|plan| change(plan, &now).map_err(CommandError::from))?;
        tell_notes(&kept.notes, ui);
        Ok(kept)
    }

    /// Where evidence for a plan is looked for: since its lock, among the doings of those who worked on it.
    pub(super) fn trail<'a>(&'a self, plan: &'a Plan) -> Trail<'a> {
        let since = plan.lock.as_ref().map_or(&plan.created_at, |lock| &lock.at);
        let of_agents = || plan.owners.iter().map(String::as_str).collect();
        Trail {
            project: &self.project,
            since,
            what: format!("the lock of plan {}", plan.name),
            within: "since the lock",
            sessions: self.agent().map(|_| of_agents()),
            folder: None,
        }
    }

    fn head(&self) -> Option<String> {
        git::text(self.project.root(), &["rev-parse", "--verify", "--quiet", "HEAD"])
            .map(|head| head.trim().to_owned())
    }
}

fn tell_notes(notes: &[String], ui: &Ui) {
    for note in notes {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
}

/// What a change ends with: the plan as an object, or a line.
fn tell(plan: &Plan, line: &str, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": plan}));
    } else {
        ui.line(line);
    }
}

/// The plan was halted by the very command that asked: kept, and told as a refusal.
fn unless_halted(moved: Moved, plan: &Plan) -> Outcome {
    if moved == Moved::Halted { plan.moves().map_err(CommandError::from) } else { Ok(()) }
}

fn take(name: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let Some(agent) = desk.agent() else {
        return Err(CommandError::refused("only an agent session takes up a plan")
            .hint(format!("a person works on it with --plan {name}")));
    };
    let (file, _) = desk.existing(name)?;
    let mine = desk.session(agent).peek().plan.filter(|mine| mine.name != name);
    if let Some(mine) = mine.filter(|mine| desk.existing(&mine.name).is_ok_and(|(_, plan)| plan.is_open())) {
        return Err(CommandError::refused(format!("this agent session has the open plan {}", mine.name))
            .hint("engine plan close, first"));
    }
    let kept = file.update(|plan| {
        if !plan.is_open() {
            return Err(CommandError::refused(format!("plan {name} is closed")));
        }
        match plan.owner.clone().filter(|owner| owner != agent) {
            Some(owner) if desk.session(&owner).is_alive() => {
                Err(CommandError::refused(format!("plan {name} belongs to the agent session {owner}"))
                    .hint("it is free when that session ends"))
            }
            _ => {
                plan.give(agent);
                Ok(())
            }
        }
    })?;
    // Also where nothing changed: a kill may have come between a plan and its copy.
    file.tell_owner()?;
    tell_notes(&kept.notes, ui);
    tell(&kept.plan, &format!("plan {name} is this session's; engine plan show"), ui);
    Ok(())
}

fn counts(plan: &Plan) -> String {
    let criteria = plan.criteria.len();
    let word = if criteria == 1 { "criterion" } else { "criteria" };
    format!("{}, {criteria} {word}", counted(plan.steps.len() as u64, "step"))
}

fn lock(desk: &Desk, ui: &Ui) -> Outcome {
    let head = desk.head();
    let kept = desk.change(ui, |plan, now| plan.lock(head, now))?;
    let plan = &kept.plan;
    tell(plan, &format!("plan {} is locked: {}", plan.name, counts(plan)), ui);
    if let Some(first) = plan.steps.first().filter(|_| !ui.is_json()) {
        ui.line(format!("then: engine plan step start {}", first.number));
    }
    Ok(())
}

fn add(args: &PlanAddArgs, desk: &Desk, ui: &Ui) -> Outcome {
    use engine_core::plan::Kind;
    let kind = args.kind.map(|kind| match kind {
        KindWord::Work => Kind::Work,
        KindWord::Check => Kind::Check,
    });
    let step = Step::added(&args.text, kind, &args.files).map_err(CommandError::usage)?;
    let kept = desk.change(ui, |plan, now| plan.add(step, args.after, now))?;
    let (number, moved) = kept.answer;
    if moved == Moved::Done || !ui.is_json() {
        tell(&kept.plan, &format!("added {}", step_line(kept.plan.step(number)?)), ui);
    }
    unless_halted(moved, &kept.plan)
}

fn halt(reason: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let reason = kept_words(reason);
    if reason.is_empty() {
        return Err(CommandError::usage("a reason is needed"));
    }
    let kept = desk.change(ui, |plan, now| plan.halt(HaltKind::Manual, &reason, now))?;
    tell(&kept.plan, &format!("plan {} is halted: {reason}", kept.plan.name), ui);
    for way in engine_core::plan::ways_out().iter().filter(|_| !ui.is_json()) {
        ui.line(format!("  {way}"));
    }
    Ok(())
}

fn resume(approved: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let (file, plan) = desk.own()?;
    plan.clone().resume("", "")?;
    approval::require(&desk.project, &desk.caller, &plan_file::resuming(&plan.name), approved)?;
    let reason = kept_words(approved.unwrap_or("a person typed it"));
    let now = clock::now().rfc3339();
    let kept = file.update(|plan| plan.resume(&reason, &now).map_err(CommandError::from))?;
    tell_notes(&kept.notes, ui);
    tell(&kept.plan, &format!("plan {} goes on: {reason}", kept.plan.name), ui);
    Ok(())
}
