//! At the end of a turn, a text of the user's own: "record what you decided", "update the changelog".
//!
//! Said once per turn and only if a text is set. Stop text makes the turn go on, once; the guard against loops
//! is in [`crate::judge`].

use crate::{Judge, Mode, Rule, looks_at};
use engine_core::change::Change;
use engine_core::config::{Config, Text};
use engine_core::event::{Event, EventName};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Session};

looks_at!(Project + Session);

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "Adds the text of reminder.text once at the end of each turn, if there is one.",
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
    about: "What the agent is told once at the end of each turn. Empty: nothing, and Stop stays silent.",
};

fn wanted(config: &Config) -> bool {
    !config.text(&TEXT).trim().is_empty()
}

fn judge(_: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let text = view.config().text(&TEXT).trim();
    if text.is_empty() || view.session().spoke_this_turn(ID) {
        return Ok(Finding::default());
    }
    let mut finding = Finding::note(text).because("reminder.text is set and was not said in this turn");
    finding.changes.push(Change::SpokeThisTurn { rule: ID });
    Ok(finding)
}
