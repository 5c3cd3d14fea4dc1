//! Tells a new session what the last one left in the task file: its status, what was done, its notes.
//!
//! On startup and after `/clear`, where nothing of it is in the context. Long ones are named by their path instead. Silent in a project
//! that is not trusted.

use crate::{Judge, Mode, Rule, always, inject, looks_at};
use engine_core::event::{Event, EventName, Kind, Source};
use engine_core::handoff::sections;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Tasks, Told, Unread};
use engine_text::line::units;

looks_at!(Project + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "handoff",
    about: "Tells a new session the status, done and notes sections of session.md.",
    events: &[EventName::SessionStart],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

const LIMIT: usize = 1500;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let fresh = matches!(&event.kind, Kind::SessionStart { source: Source::Startup | Source::Clear, .. });
    if !(fresh && view.is_trusted()) {
        return Ok(Finding::default());
    }
    let Told { text, remark } = match view.tasks() {
        Ok(told) => told,
        Err(Unread::Missing) => return Ok(Finding::default()),
        Err(Unread::Unreadable(why)) => {
            let lines = vec![inject::refused(&view.task_file(), &why)];
            return Ok(Finding { lines, ..Finding::default() });
        }
    };
    let sections = sections(&text);
    if sections.is_empty() {
        return Ok(Finding::default());
    }
    let file = view.task_file();
    let lines = remark.map(|remark| inject::remarked(&file, remark)).into_iter().collect();
    let told = format!("Left by the last session in {file}:\n\n{}", sections.join("\n\n"));
    let told = if units(&told) <= LIMIT {
        told
    } else {
        format!("The last session left its status, done and notes in {file} ({} bytes).", text.len())
    };
    Ok(Finding { lines, ..Finding::note(told).because(format!("{file} has a handoff")) })
}
