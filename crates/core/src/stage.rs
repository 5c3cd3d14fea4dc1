//! The stage of the work on `plans/NAME`, derived from what is there, and the command that goes on with it.
//!
//! A task names the command that was right when it was written. The files say what is right now:
//!
//! ```text
//! - [ ] **Run foo** — `/plan-adhoc plans/foo`      plans/foo/steps are prepared: ready, `/orchestrate plans/foo`
//! ```
//!
//! Nothing of this is stored. A folder that has none of the files below is no plan.

use std::fmt;

use engine_text::markdown::Lines;
use engine_text::stamp::Stamp;
use engine_text::yaml::{self, Value};

use crate::plan::is_name;
use crate::task::{Meta, Task, TaskFile};

mod written;

pub use written::{Named, plan_of};

/// The folder that holds the folders of plans.
pub const FOLDER: &str = "plans";
/// What is to be done, before there is a design.
pub const BRIEFS: [&str; 2] = ["brief.md", "requirements.md"];
pub const DESIGN: &str = "design.md";
/// The review of the design, from the plan's folder.
pub const REVIEW: &str = "reports/design-review.md";

/// What there is of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// One of [`BRIEFS`].
    pub brief: bool,
    pub design: Option<Design>,
    pub runbook: Option<Runbook>,
    /// The plan object that was made from the runbook.
    pub run: Option<Run>,
    /// The first of its files that cannot be read, and why: `design.md: not a file`.
    pub unread: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    pub written: Stamp,
    pub review: Option<Review>,
    /// Its front matter says `tests: first`.
    pub tests_first: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub written: Stamp,
    /// Critical findings that it counts; nothing if it does not say, or says two things.
    pub critical: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runbook {
    pub errors: usize,
    pub steps: Steps,
}

/// What was made from a runbook: step files, the order of them, agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    Missing,
    /// Made from another text of the runbook, or no longer whole.
    Stale,
    Fresh,
}

/// How far the plan object is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "four facts, each looked up by itself")]
pub struct Run {
    pub done: usize,
    pub all: usize,
    /// Some step was begun.
    pub begun: bool,
    /// Reviews are among its steps.
    pub has_reviews: bool,
    /// What it waits for, in the words of the halt.
    pub halted: Option<String>,
    /// Why it cannot be used.
    pub damaged: Option<String>,
    pub closed: bool,
    /// What its steps changed is in a commit.
    pub committed: bool,
}

impl Run {
    fn is_done(&self) -> bool {
        self.all > 0 && self.done == self.all
    }
}

/// How far the work on a plan is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    Briefed,
    /// One of the files that say what it is cannot be read.
    Unread(String),
    NotReviewed,
    Designed,
    /// The runbook has so many errors.
    Faulty(usize),
    Planned,
    /// Prepared from another text of the runbook, or what was made of it is gone in part.
    Stale,
    Ready,
    Running {
        done: usize,
        all: usize,
    },
    Halted(String),
    /// Its plan object cannot be used.
    Damaged(String),
    /// All steps are done, and none of them is a review.
    Built,
    /// All steps are done, reviews among them.
    Reviewed,
    Delivered,
    /// Closed with steps that are not done.
    Abandoned,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Briefed => f.write_str("briefed"),
            Self::Unread(why) => write!(f, "cannot be read: {why}"),
            Self::NotReviewed => f.write_str("designed, not reviewed"),
            Self::Designed => f.write_str("designed"),
            Self::Faulty(1) => f.write_str("planned (1 error)"),
            Self::Faulty(errors) => write!(f, "planned ({errors} errors)"),
            Self::Planned => f.write_str("planned"),
            Self::Stale => f.write_str("planned, stale"),
            Self::Ready => f.write_str("ready"),
            Self::Running { done, all } => write!(f, "running {done}/{all}"),
            Self::Halted(why) | Self::Damaged(why) => write!(f, "halted: {why}"),
            Self::Built => f.write_str("built"),
            Self::Reviewed => f.write_str("reviewed"),
            Self::Delivered => f.write_str("delivered"),
            Self::Abandoned => f.write_str("abandoned"),
        }
    }
}

impl Stage {
    /// The stage by the facts; nothing where they make no plan. What was run counts more than what was written.
    pub fn of(facts: &Facts) -> Option<Self> {
        let by_run = facts.run.as_ref().and_then(Self::of_run);
        let unread = || facts.unread.clone().map(Self::Unread);
        by_run.or_else(unread).or_else(|| Self::of_files(facts))
    }

    /// Nothing while no step was begun: the files say then whether it can be.
    fn of_run(run: &Run) -> Option<Self> {
        if let Some(why) = &run.damaged {
            return Some(Self::Damaged(why.clone()));
        }
        let done = || if run.has_reviews { Self::Reviewed } else { Self::Built };
        match (&run.halted, run.is_done()) {
            (_, false) if run.closed => Some(Self::Abandoned),
            (_, true) if run.closed && run.committed => Some(Self::Delivered),
            (Some(why), _) if !run.closed => Some(Self::Halted(why.clone())),
            (_, true) => Some(done()),
            _ if run.begun || run.done > 0 => Some(Self::Running { done: run.done, all: run.all }),
            _ => None,
        }
    }

    fn of_files(facts: &Facts) -> Option<Self> {
        let Some(runbook) = &facts.runbook else {
            let by_brief = || facts.brief.then_some(Self::Briefed);
            return facts.design.as_ref().map(Self::of_design).or_else(by_brief);
        };
        Some(match (runbook.errors, runbook.steps) {
            // Without the plan object, which stays in the clone in which it was made, no step can be run.
            (0, Steps::Fresh) if facts.run.is_some() => Self::Ready,
            (0, Steps::Fresh | Steps::Missing) => Self::Planned,
            (0, Steps::Stale) => Self::Stale,
            (errors, _) => Self::Faulty(errors),
        })
    }

    fn of_design(design: &Design) -> Self {
        // A checkout may write both at once.
        let is_passed = |review: &Review| review.written >= design.written && review.critical == Some(0);
        if design.review.as_ref().is_some_and(is_passed) { Self::Designed } else { Self::NotReviewed }
    }

    /// Whether there is nothing more to do.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Delivered | Self::Abandoned)
    }
}

/// A field at the beginning of a file that the engine wrote: the first line that begins with its name, letters' case aside.
pub fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let value = |line: &'t str| {
        let line = line.trim_start_matches(['-', '*', ' ']);
        let (key, value) = line.split_once(':')?;
        key.trim_end_matches('*')
            .eq_ignore_ascii_case(name)
            .then(|| value.trim_matches(['*', '`', ' ', '\r']))
    };
    text.lines().take(MOST_LINES).find_map(value)
}

/// How far from its beginning a text is searched for a field.
const MOST_LINES: usize = 40;

/// How many critical findings a review counts, by its front matter alone: what is quoted below it counts nothing.
pub fn critical(review: &str) -> Option<u32> {
    let counts = values(review, "critical");
    let count = counts.first()?.parse().ok()?;
    counts.iter().all(|other| other.parse() == Ok(count)).then_some(count)
}

/// Whether a design asks for its tests to be written first.
pub fn is_tests_first(design: &str) -> bool {
    let values = values(design, "tests");
    !values.is_empty() && values.iter().all(|value| value.eq_ignore_ascii_case("first"))
}

/// What the front matter has for a key, as often as it is there.
fn values(text: &str, name: &str) -> Vec<String> {
    let text = text.trim_start_matches(['\u{feff}', '\r', '\n']);
    let front = Lines::new(text).front_matter();
    let block: Vec<&str> = text.lines().take(front.saturating_sub(1)).skip(1).collect();
    let block = block.join("\n");
    let fields = yaml::read(&block).or_else(|_| yaml::read(&yaml::quoted(&block))).unwrap_or_default();
    let value = |value: Value| match value {
        // Where another line is no YAML, a comment is a part of the value.
        Value::Text { text } => {
            text.split(" #").next().unwrap_or_default().trim_matches(['`', ' ']).to_owned()
        }
        Value::List(_) | Value::Map(_) | Value::Empty => String::new(),
    };
    let named = fields.into_iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
    named.map(|(_, node)| value(node.value)).collect()
}

/// A command, and the session that it is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    pub command: String,
    pub model: String,
    pub restart: bool,
}

impl Next {
    /// Whether the agent calls a skill with it; else it is a command of the engine.
    fn is_skill(&self) -> bool {
        self.command.starts_with('/')
    }
}

/// A plan, its stage, and what goes on with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub plan: String,
    pub stage: Stage,
    /// Nothing where it is over.
    pub next: Option<Next>,
    /// The tests are written first: one planning skill fits and the other does not.
    pub tests_first: bool,
    /// Its plan object is closed: what it built may still be to be committed, which needs no task.
    pub closed: bool,
}

impl Standing {
    /// `tiers`: the models, the cheapest first.
    pub fn of(plan: &str, facts: &Facts, tiers: &[String]) -> Option<Self> {
        let stage = Stage::of(facts)?;
        let tests_first = facts.design.as_ref().is_some_and(|design| design.tests_first);
        let next = next(plan, &stage, facts, tiers);
        let closed = facts.run.as_ref().is_some_and(|run| run.closed);
        Some(Self { plan: plan.to_owned(), stage, next, tests_first, closed })
    }

    /// `foo, running 2/5`.
    pub fn shown(&self) -> String {
        format!("{}, {}", self.plan, self.stage)
    }

    /// What to do next, in a list of plans.
    pub fn next_shown(&self) -> String {
        match (&self.stage, &self.next) {
            (Stage::Halted(_), _) => format!("answer, then: {}", self.resume()),
            (_, Some(next)) => next.command.clone(),
            (_, None) => String::new(),
        }
    }

    /// The command by which a halted plan goes on.
    pub fn resume(&self) -> String {
        format!("engine runbook resume {}", self.plan)
    }
}

fn next(plan: &str, stage: &Stage, facts: &Facts, tiers: &[String]) -> Option<Next> {
    // By what a command asks of a model: it designs, it plans, it only hands on.
    let tier = |at: usize| tiers.get(at).cloned().unwrap_or_default();
    let (hands_on, plans, designs) = (tier(0), tier(tiers.len() / 2), tier(tiers.len().saturating_sub(1)));
    let skill = |skill: &str, model: &str, restart| {
        Some(Next { command: format!("/{skill} {FOLDER}/{plan}"), model: model.to_owned(), restart })
    };
    let line = |command: String| Some(Next { command, model: plans.clone(), restart: false });
    let is_tests_first = facts.design.as_ref().is_some_and(|design| design.tests_first);
    match stage {
        Stage::Unread(_) if facts.runbook.is_some() => line(format!("engine runbook check {plan}")),
        Stage::Briefed | Stage::NotReviewed | Stage::Unread(_) => skill(written::DESIGN, &designs, false),
        Stage::Designed if is_tests_first => skill(written::PLAN_TDD, &plans, false),
        Stage::Designed => skill(written::PLAN_ADHOC, &plans, false),
        Stage::Faulty(_) | Stage::Planned | Stage::Stale => line(format!("engine runbook prepare {plan}")),
        Stage::Ready => skill(written::ORCHESTRATE, &hands_on, true),
        // What is halted goes on with the same command, once the question is answered.
        Stage::Running { .. } | Stage::Halted(_) => skill(written::ORCHESTRATE, &hands_on, false),
        Stage::Damaged(_) => line("engine doctor".to_owned()),
        Stage::Built | Stage::Reviewed => {
            let is_open = facts.run.as_ref().is_some_and(|run| run.committed && !run.closed);
            if is_open {
                line(format!("engine plan close --plan {plan}"))
            } else {
                line("/handoff --commit".to_owned())
            }
        }
        Stage::Delivered | Stage::Abandoned => None,
    }
}

/// The plans of a project, read when asked for. The default is a project that has none.
pub trait Stages {
    /// How far the work in `plans/NAME` is; nothing if that is no plan.
    fn standing(&self, plan: &str) -> Option<Standing> {
        let _ = plan;
        None
    }

    /// The plans that are not closed, by their names.
    fn unfinished(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Stages for () {}

/// What a task comes to by the plan that its command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    pub standing: Standing,
    pub lead: Lead,
}

/// The command of a task, beside the one that the plan's stage asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// It is that one.
    AsWritten,
    /// Another one is; of the written one, `then` follows.
    Instead { next: Next, then: Option<String> },
    /// The plan is over.
    Over,
}

impl Guide {
    /// The guide of a task; nothing if its command names no plan.
    pub fn of(meta: &Meta, plans: &(impl Stages + ?Sized)) -> Option<Self> {
        let written = meta.command.as_deref()?;
        let named = plan_of(written)?;
        let standing = plans.standing(named.plan)?;
        let lead = match &standing.next {
            None => Lead::Over,
            Some(next) if named.goes_on_with(next, &standing) => Lead::AsWritten,
            Some(next) => named.instead(next, &standing),
        };
        Some(Self { standing, lead })
    }

    /// The command as STATUS and `x` show it, marked where it is not the written one.
    pub fn command(&self, written: &str) -> String {
        match &self.lead {
            Lead::AsWritten => format!("`{written}`"),
            Lead::Instead { next, then } => {
                let then = then.as_deref().filter(|then| *then != written);
                let then = then.map(|then| format!(", then `{then}`")).unwrap_or_default();
                format!("`{}`{then} (written: `{written}`)", next.command)
            }
            Lead::Over => format!("none is left (written: `{written}`)"),
        }
    }

    /// Whether all that is left is to hand over what was built.
    pub fn is_after_work(&self) -> bool {
        matches!(self.lead, Lead::Instead { .. })
            && matches!(self.standing.stage, Stage::Built | Stage::Reviewed)
    }

    /// What of the written command follows the one that counts.
    pub fn then(&self) -> Option<&str> {
        match &self.lead {
            Lead::Instead { then, .. } => then.as_deref(),
            Lead::AsWritten | Lead::Over => None,
        }
    }

    /// The same where the one that counts is no skill: it is all that the skills are called for.
    pub fn then_alone(&self) -> Option<&str> {
        self.then().filter(|_| matches!(&self.lead, Lead::Instead { next, .. } if !next.is_skill()))
    }

    /// The task with the command that counts. Where that is the written one, the model that the task names stays, and so does its wish for
    /// a new session.
    pub fn applied(&self, meta: &Meta) -> Meta {
        let meta = meta.clone();
        match (&self.lead, &self.standing.next) {
            (Lead::AsWritten, Some(next)) if next.is_skill() && is_skill(&meta) => Meta {
                model: meta.model.or_else(|| Some(next.model.clone())),
                restart: meta.restart || next.restart,
                ..meta
            },
            (Lead::AsWritten, _) => meta,
            (Lead::Instead { next, .. }, _) => Meta {
                command: Some(next.command.clone()),
                model: Some(next.model.clone()),
                restart: next.restart,
                ..meta
            },
            (Lead::Over, _) => Meta { command: None, restart: false, ..meta },
        }
    }
}

fn is_skill(meta: &Meta) -> bool {
    meta.command.as_deref().is_some_and(|command| command.trim_start().starts_with('/'))
}

/// Plans that are not closed and that no open task of the file names.
pub fn without_task(file: &TaskFile<'_>, plans: &(impl Stages + ?Sized)) -> Vec<String> {
    let mut names = plans.unfinished();
    if names.is_empty() {
        return names;
    }
    let tasks = file.tasks().filter(|task| task.is_open()).flat_map(|task| file.lines_of(task));
    let lines: Vec<&str> = tasks.collect();
    names.retain(|name| !lines.iter().any(|line| names_plan(line, name)));
    names
}

/// The name of the open task that names a plan.
pub fn task_of<'t>(file: &'t TaskFile<'_>, plan: &str) -> Option<&'t Task> {
    let names = |task: &&Task| file.lines_of(task).iter().any(|line| names_plan(line, plan));
    file.tasks().filter(|task| task.is_open()).find(names)
}

fn names_plan(line: &str, name: &str) -> bool {
    written::paths(line).any(|found| found == name) || runs_plan(line, name)
}

/// Whether a line holds `engine runbook VERB NAME`.
fn runs_plan(line: &str, name: &str) -> bool {
    line.split('`').any(|part| plan_of(part).is_some_and(|named| named.plan == name))
}

/// The line of STATUS for plans without a task; nothing if there are none.
pub fn without_task_line(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("Plans without a task: {}; list them: engine plans", names.len()))
}

/// Whether the name of a folder can be that of a plan.
pub fn is_folder(name: &str) -> bool {
    is_name(name)
}

#[cfg(test)]
mod tests;
