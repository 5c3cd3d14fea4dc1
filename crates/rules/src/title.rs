//! Names the session, and with it the terminal, after the project. Off until switched on.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::Project;

looks_at!(Project);

pub(crate) const RULE: Rule = Rule {
    id: "title",
    about: "Names the session and the terminal after the project's folder when a session starts.",
    events: &[EventName::SessionStart],
    default: Mode::Off,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let named = matches!(&event.kind, Kind::SessionStart { source, .. } if source.context_is_fresh());
    let folder = view.root().file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Finding { title: folder.filter(|_| named), ..Finding::default() })
}
