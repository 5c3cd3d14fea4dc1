//! The tail of every workflow: when a commit, or a handoff without one, ran in this turn, the person sees STATUS at its
//! end. As a line, without a model turn; the skills print none themselves.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Tool};
use engine_core::status;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Session, Tasks};

looks_at!(Session + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "tail",
    about: "Shows STATUS to you at the end of a turn in which the commit or handoff skill ran.",
    events: &[EventName::Prompt, EventName::PostTool, EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let due = match &event.kind {
        Kind::Prompt { .. } => event.real_prompt().is_some_and(typed),
        Kind::PostTool { call, result, .. } if event.actor == Actor::Main => match &call.tool {
            Tool::Skill { name, args } => {
                result.skill.is_some() && ends_in_status(name.trim_start_matches('/'), args)
            }
            _ => false,
        },
        Kind::Stop(_) => return Ok(at_stop(view)),
        _ => false,
    };
    let changes = if due { vec![Change::TailDue] } else { Vec::new() };
    Ok(Finding { changes, ..Finding::default() })
}

/// Whether a prompt is one of the skills that end in STATUS.
fn typed(prompt: &str) -> bool {
    let Some(words) = prompt.trim_start().strip_prefix('/') else { return false };
    let (skill, arguments) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    ends_in_status(skill, arguments)
}

/// A handoff that goes on to a commit leaves STATUS to the commit.
fn ends_in_status(skill: &str, arguments: &str) -> bool {
    match skill.strip_prefix("engine:").unwrap_or(skill) {
        "commit" => true,
        "handoff" | "handoff-haiku" => !arguments.split_whitespace().any(|word| word == "--commit"),
        _ => false,
    }
}

fn at_stop(view: &(impl View + ?Sized)) -> Finding {
    if view.session().tail != Some(view.session().turn) {
        return Finding::default();
    }
    let text = view.tasks().unwrap_or_default().text;
    let status = status::render(&view.task_file(), &text, |task| view.holder(task));
    let mut finding = Finding::default().because("the commit or handoff skill ran in this turn");
    finding.lines.push(UserLine { text: status, cause: None });
    finding.changes.push(Change::TailShown);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_skills_that_end_in_status() {
        let cases = [
            ("/commit", true),
            ("/commit fix the lexer", true),
            ("/engine:commit", true),
            ("/handoff", true),
            ("/handoff --commit", false),
            ("/handoff-haiku", true),
            ("/committee", false),
            ("please /commit", false),
            ("commit", false),
        ];
        for (prompt, expected) in cases {
            assert_eq!(typed(prompt), expected, "{prompt}");
        }
    }
}
