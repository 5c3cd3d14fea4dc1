//! The command as a task has it: which plan it names, and whether it is the one that the stage asks for.

use crate::chain::{is_name as is_skill_name, same_skill};
use crate::plan::is_name;

use super::{FOLDER, Lead, Next, Stage, Standing};

pub(super) const DESIGN: &str = "design";
pub(super) const PLAN_ADHOC: &str = "plan-adhoc";
pub(super) const PLAN_TDD: &str = "plan-tdd";
pub(super) const ORCHESTRATE: &str = "orchestrate";
/// The skills that work on a plan.
const SKILLS: [&str; 5] = [DESIGN, PLAN_ADHOC, PLAN_TDD, ORCHESTRATE, "runbook"];
const ENGINE: &str = "engine runbook ";
/// The commands of `engine runbook` that are given a plan, and those that are given a step of it, with the plan as an option.
const VERBS: [&str; 9] = ["check", "prepare", "new", "start", "run", "next", "resume", "status", "abandon"];
const OF_STEPS: [&str; 4] = ["done", "fail", "escalate", "skip"];

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
        let verb = words.next()?;
        let word = if OF_STEPS.contains(&verb) {
            let option = words.find_map(|word| word.strip_prefix("--plan"))?;
            option.strip_prefix('=').or_else(|| words.next().filter(|_| option.is_empty()))?
        } else {
            words.find(|word| !word.starts_with('-')).filter(|_| VERBS.contains(&verb))?
        };
        let plan = paths(word).next().unwrap_or(word);
        return is_name(plan).then_some(Named { plan, starts: Starts::Verb(verb), written });
    }
    let (skill, rest) = written.strip_prefix('/')?.split_once(char::is_whitespace)?;
    let plan = paths(rest).next().filter(|_| is_of_plans(skill))?;
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
            Starts::Verb("start" | "run" | "next") => {
                matches!(standing.stage, Stage::Ready | Stage::Running { .. })
            }
            Starts::Verb("resume" | "done" | "fail" | "escalate" | "skip") => {
                matches!(standing.stage, Stage::Ready | Stage::Running { .. } | Stage::Halted(_))
            }
            // They go on with nothing, and whoever writes them knows that.
            Starts::Verb("status" | "abandon") => true,
            Starts::Verb(_) => false,
        }
    }

    /// The command that goes on. Of a chain (`/design plans/foo, /plan-adhoc and /orchestrate`) the rest stays, with what it says.
    pub(super) fn instead(&self, next: &Next, standing: &Standing) -> Lead {
        let only = |command: String| Lead::Instead { next: Next { command, ..next.clone() }, then: None };
        let calls = calls(self.written);
        let call = |skill: &str| calls.iter().position(|(_, word)| same_skill(word, skill));
        let fitting = wanted(next, standing).into_iter().find_map(call);
        if let Some(at) = self.handing_over(&calls, standing).or(fitting) {
            return only(self.from(&calls, at));
        }
        let here = rank(&next.command);
        // What is mended first is no part of the task.
        let is_mended = matches!(standing.stage, Stage::Damaged(_) | Stage::Unread(_));
        if is_mended || rank(self.written) > here {
            return Lead::Instead { next: next.clone(), then: Some(self.written.to_owned()) };
        }
        let later = calls.iter().position(|(_, word)| rank_of_skill(word) > here);
        match later.map(|at| self.from(&calls, at)) {
            // Skills are one chain.
            Some(rest) if next.is_skill() => only(format!("{}, {rest}", next.command)),
            then => Lead::Instead { next: next.clone(), then },
        }
    }

    /// Of a plan whose steps are done, the call behind /orchestrate, if the chain hands over by itself.
    fn handing_over(&self, calls: &[(usize, &str)], standing: &Standing) -> Option<usize> {
        let is_built = matches!(standing.stage, Stage::Built | Stage::Reviewed);
        let is_open = standing.next.as_ref().is_some_and(Next::is_skill);
        let at = calls.iter().position(|(_, word)| same_skill(word, ORCHESTRATE))? + 1;
        let hands_over = |(_, word): &(usize, &str)| HAND_OVER.iter().any(|skill| same_skill(word, skill));
        (is_built && is_open && calls[at..].iter().any(hands_over)).then_some(at)
    }

    /// The chain from a call on. The first one gets the plan where it has none.
    fn from(&self, calls: &[(usize, &str)], at: usize) -> String {
        let (start, name) = calls[at];
        let behind = &self.written[start + name.len()..];
        let end = calls.get(at + 1).map_or(self.written.len(), |(next, _)| *next);
        let own = &self.written[start + name.len()..end];
        let has_plan = !is_of_plans(name) || paths(own).next() == Some(self.plan);
        let plan = if has_plan { String::new() } else { format!(" {FOLDER}/{}", self.plan) };
        format!("{name}{plan}{behind}")
    }
}

/// The skills by which work is handed over.
const HAND_OVER: [&str; 2] = ["handoff", "commit"];

fn is_of_plans(skill: &str) -> bool {
    SKILLS.iter().any(|known| same_skill(skill, known))
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
        Some(Starts::Skill(skill)) => rank_of_skill(skill),
        Some(Starts::Verb("check" | "prepare" | "new")) => 2,
        Some(Starts::Verb(_)) => 3,
        None => 4,
    }
}

fn rank_of_skill(skill: &str) -> usize {
    if same_skill(skill, DESIGN) {
        0
    } else if same_skill(skill, ORCHESTRATE) {
        3
    } else if is_of_plans(skill) {
        1
    } else {
        4
    }
}

/// The skills that a chain calls, each with its place and the slash.
fn calls(written: &str) -> Vec<(usize, &str)> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '→');
    let call = |(at, _)| {
        let is_begin = written[..at].chars().next_back().is_none_or(ends);
        let word: &str = &written[at..];
        let word = &word[..word.find(ends).unwrap_or(word.len())];
        (is_begin && is_skill_name(&word[1..])).then_some((at, word))
    };
    written.match_indices('/').filter_map(call).collect()
}
