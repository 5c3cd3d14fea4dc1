//! The command as a task has it: which plan it names, and whether it is the one that the stage asks for.

use crate::chain::same_skill;
use crate::plan::is_name;

use super::{FOLDER, Next, Stage, Standing};

pub(super) const DESIGN: &str = "design";
pub(super) const PLAN_ADHOC: &str = "plan-adhoc";
pub(super) const PLAN_TDD: &str = "plan-tdd";
pub(super) const ORCHESTRATE: &str = "orchestrate";
/// The skills that work on a plan.
const SKILLS: [&str; 5] = [DESIGN, PLAN_ADHOC, PLAN_TDD, ORCHESTRATE, "runbook"];
const ENGINE: &str = "engine runbook ";
/// The commands of `engine runbook` that go on with a plan.
const VERBS: [&str; 5] = ["check", "prepare", "new", "start", "run"];

/// A command that names a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    pub plan: &'a str,
    /// The first word: a skill, or the verb of `engine runbook`.
    starts: Starts<'a>,
    written: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Starts<'a> {
    Skill(&'a str),
    Verb(&'a str),
}

/// The plan that a command names, if it is one of those that work on a plan: `/design plans/foo`, `engine runbook prepare foo`.
pub fn plan_of(command: &str) -> Option<Named<'_>> {
    let written = command.trim();
    if let Some(rest) = written.strip_prefix(ENGINE) {
        let mut words = rest.split_whitespace();
        let verb = words.next().filter(|verb| VERBS.contains(verb))?;
        let word = words.find(|word| !word.starts_with('-'))?;
        let plan = paths(word).next().unwrap_or(word);
        return is_name(plan).then_some(Named { plan, starts: Starts::Verb(verb), written });
    }
    let (skill, rest) = written.strip_prefix('/')?.split_once(char::is_whitespace)?;
    let known = SKILLS.iter().any(|known| same_skill(skill, known));
    let plan = paths(rest).next().filter(|_| known)?;
    Some(Named { plan, starts: Starts::Skill(skill), written })
}

/// The plans whose folders a text names.
pub(super) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let begins = text.match_indices(FOLDER).filter_map(move |(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let before = text[..at].strip_suffix("./").unwrap_or(&text[..at]);
        let rest = text[at + FOLDER.len()..].strip_prefix('/')?;
        (!before.ends_with(|c: char| is_word(c) || c == '/')).then_some(rest)
    });
    begins.filter_map(|rest| {
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        Some(&rest[..end]).filter(|name| is_name(name))
    })
}

impl Named<'_> {
    /// Whether the written command is the one that goes on with the plan.
    pub(super) fn goes_on_with(&self, next: &Next, standing: &Standing) -> bool {
        match self.starts {
            Starts::Skill(skill) => wanted(next, standing).iter().any(|wanted| same_skill(skill, wanted)),
            // The checks are made by `prepare`, too, and `run` needs no skill.
            Starts::Verb("check" | "prepare") => next.command.starts_with(ENGINE),
            Starts::Verb("start" | "run") => {
                matches!(standing.stage, Stage::Ready | Stage::Running { .. })
            }
            Starts::Verb(_) => false,
        }
    }

    /// The command that goes on. Of a chain (`/design plans/foo, /plan-adhoc and /orchestrate`) the rest stays, with what it says.
    pub(super) fn rest_from(&self, next: &Next, standing: &Standing) -> Next {
        let rest = wanted(next, standing).into_iter().find_map(|skill| {
            let (at, name) = called(self.written, skill)?;
            let behind = &self.written[at + name.len()..];
            let has_plan = paths(behind.split(',').next().unwrap_or(behind)).next() == Some(self.plan);
            let plan = if has_plan { String::new() } else { format!(" {FOLDER}/{}", self.plan) };
            Some(format!("{name}{plan}{behind}"))
        });
        Next { command: rest.unwrap_or_else(|| next.command.clone()), ..next.clone() }
    }
}

/// The skills of which one goes on with the plan. Which way it is planned is the choice of who wrote the task, unless the design says it.
fn wanted<'n>(next: &'n Next, standing: &Standing) -> Vec<&'n str> {
    let skill = next.command.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    match (&standing.stage, skill) {
        (Stage::Designed, Some(PLAN_ADHOC)) => vec![PLAN_ADHOC, PLAN_TDD],
        (_, skill) => skill.into_iter().collect(),
    }
}

/// Where a command comes in the course of a plan.
pub(super) fn rank(command: &str) -> usize {
    match plan_of(command).map(|named| named.starts) {
        Some(Starts::Skill(skill)) if same_skill(skill, DESIGN) => 0,
        Some(Starts::Skill(skill)) if same_skill(skill, ORCHESTRATE) => 3,
        Some(Starts::Skill(_)) => 1,
        Some(Starts::Verb("start" | "run")) => 3,
        Some(Starts::Verb(_)) => 2,
        None => 4,
    }
}

/// Where a chain calls a skill, and the word that does it.
fn called<'w>(written: &'w str, skill: &str) -> Option<(usize, &'w str)> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '→');
    written.match_indices('/').find_map(|(at, _)| {
        let is_begin = written[..at].chars().next_back().is_none_or(ends);
        let word = &written[at..];
        let word = &word[..word.find(ends).unwrap_or(word.len())];
        (is_begin && same_skill(word, skill)).then_some((at, word))
    })
}
