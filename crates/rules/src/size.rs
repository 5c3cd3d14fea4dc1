//! Asks about a call that is too large to judge. The analysis of a command and the paths that it names have one budget per event
//! ([`engine_shell::MOST_STEPS`], time, system calls). What lies beyond it may be anything, whatever the part before it does.
//!
//! The rule looks at nothing itself: it speaks if the input could not be read to its end, or if another rule has come to the end of the budget, so it is the last in the table. A
//! refusal of what was seen stands.

use crate::skill_lines::as_typed;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Event, EventName, ToolCall, Unread};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::Shell;

looks_at!(Shell);

pub(crate) const RULE: Rule = Rule {
    id: "size",
    about: "Asks about a call that is too large to judge.",
    events: &[EventName::PreTool, EventName::PromptExpansion],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let why = match event.tool_call().and_then(ToolCall::unread) {
        Some(Unread::NoObject) => {
            return Ok(Finding::ask(
                "the input of the call cannot be read, so it was not judged. Instead: the call with an object as its input.",
            )
            .because("the input is no JSON object"));
        }
        Some(Unread::TooMany) => Some("it names too many commands or files"),
        None => view.too_large(),
    };
    let Some(why) = why else { return Ok(Finding::default()) };
    let finding = Finding::ask(format!(
        "the command is too large to judge: {why}. Instead: several shorter commands, or the commands in a script file that is written \
         first and then run."
    ))
    .because("the budget for judging a call was spent");
    Ok(as_typed(event, finding))
}
