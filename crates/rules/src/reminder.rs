//! At the end of a turn that changed something, a text of the user's own: "record what you decided", "update the changelog".
//!
//! Said once per turn and only if a text is set. For the agent it makes the turn go on, once, which costs a turn of the model; the guard
//! against loops is in [`crate::judge`]. For the person it is a line that costs nothing.

use crate::{Judge, Mode, Rule, looks_at};
use engine_core::change::Change;
use engine_core::config::{Choice, Config, Text};
use engine_core::event::{Event, EventName};
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Outcomes, Project, Session};

looks_at!(Outcomes + Project + Session);

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "Adds the text of reminder.text once at the end of each turn that changed something, if there is one.",
    events: &[EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

const ID: &str = "reminder";

pub const TEXT: Text = Text {
    name: "reminder.text",
    default: "",
    about: "What is said once at the end of each turn that changed a file or made a commit. Empty: nothing, and Stop stays silent.",
};

pub const FOR: Choice = Choice {
    name: "reminder.for",
    default: "agent",
    of: &["agent", "person"],
    about: "Who gets reminder.text: agent, whose turn goes on, which costs a turn of the model; person, in a line that costs nothing.",
};

fn wanted(config: &Config) -> bool {
    !config.text(&TEXT).trim().is_empty()
}

fn judge(_: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let text = view.config().text(&TEXT).trim();
    if text.is_empty() || view.session().spoke_this_turn(ID) || !view.changed_in_turn() {
        return Ok(Finding::default());
    }
    let mut finding = if view.config().choice(&FOR) == "person" {
        let line = UserLine { text: format!("engine: {text}"), cause: None };
        Finding { lines: vec![line], ..Finding::default() }
    } else {
        Finding::note(text)
    };
    finding.changes.push(Change::SpokeThisTurn { rule: ID });
    Ok(finding.because("reminder.text is set, and this turn changed something"))
}
