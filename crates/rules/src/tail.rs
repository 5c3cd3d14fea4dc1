//! The tail of every workflow: when a commit was made by its skill in this turn, or a handoff without one ran, the person sees STATUS at
//! its end; where the skill made no commit, they are told that. As a line, without a model turn; the skills print none themselves.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Tool};
use engine_core::stage::Stages;
use engine_core::status;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Outcomes, Session, Tasks};

looks_at!(Outcomes + Session + Stages + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "tail",
    about: "Shows STATUS to you at the end of a turn in which the commit skill made a commit, or the handoff skill ran.",
    events: &[EventName::Prompt, EventName::PostTool, EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let ends = match &event.kind {
        Kind::Prompt { .. } => event.real_prompt().and_then(typed),
        Kind::PostTool { call, result, .. } if event.actor == Actor::Main => match &call.tool {
            Tool::Skill { name, args } if result.skill.is_some() => {
                ending(name.trim_start_matches('/'), args)
            }
            _ => None,
        },
        Kind::Stop(_) => return Ok(at_stop(view)),
        _ => None,
    };
    let due = |ends| {
        let before = (ends == Ending::Commit).then(|| view.head().unwrap_or_default());
        Change::TailDue { before }
    };
    Ok(Finding { changes: ends.map(due).into_iter().collect(), ..Finding::default() })
}

/// What a skill ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// A commit, and STATUS if there was one.
    Commit,
    Status,
}

/// How a prompt ends that is one of the skills.
fn typed(prompt: &str) -> Option<Ending> {
    let words = prompt.trim_start().strip_prefix('/')?;
    let (skill, arguments) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    ending(skill, arguments)
}

/// A handoff that goes on to a commit leaves STATUS to the commit.
fn ending(skill: &str, arguments: &str) -> Option<Ending> {
    match skill.strip_prefix("engine:").unwrap_or(skill) {
        "commit" => Some(Ending::Commit),
        "handoff" | "handoff-haiku" => {
            let goes_on = arguments.split_whitespace().any(|word| word == "--commit");
            (!goes_on).then_some(Ending::Status)
        }
        _ => None,
    }
}

fn at_stop(view: &(impl View + ?Sized)) -> Finding {
    let session = view.session();
    if session.tail != Some(session.turn) {
        return Finding::default();
    }
    let is_uncommitted =
        session.tail_before.as_ref().is_some_and(|before| view.head().unwrap_or_default() == *before);
    let text = if is_uncommitted {
        "engine: no commit was made in this turn".to_owned()
    } else {
        let text = view.tasks().unwrap_or_default().text;
        status::render(&view.task_file(), &text, |task| view.holder(task), view)
    };
    let mut finding = Finding::default().because("the commit or handoff skill ran in this turn");
    finding.lines.push(UserLine { text, cause: None });
    finding.changes.push(Change::TailShown);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_skills_that_end_in_status() {
        let cases = [
            ("/commit", Some(Ending::Commit)),
            ("/commit fix the lexer", Some(Ending::Commit)),
            ("/engine:commit", Some(Ending::Commit)),
            ("/handoff", Some(Ending::Status)),
            ("/handoff --commit", None),
            ("/handoff-haiku", Some(Ending::Status)),
            ("/committee", None),
            ("please /commit", None),
            ("commit", None),
        ];
        for (prompt, expected) in cases {
            assert_eq!(typed(prompt), expected, "{prompt}");
        }
    }
}
