//! Tells the person at the end of each turn how the open plan or the work session stands, unless all is done and shown: a model may say
//! that everything passes, and this line says what the engine saw. It is no text for the model, and costs it nothing.
//!
//! `plan login: 1 of 3 steps, criterion 1 not shown; last check: pytest -q failed 2 min ago`
//!
//! Where a subagent still works in the background, the line waits for the end.

use crate::approval::is_foreign;
use crate::{Judge, Mode, Rule, always, evidence, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind};
use engine_core::evidence::ledger::{self, Line};
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Clock, Project, Session, Shell, Skills, Work};

pub(crate) const ID: &str = "standing";

looks_at!(Clock + Project + Session + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "With an open plan or work session: tells you at the end of a turn what is red, unproved or halted.",
    events: &[EventName::PostTool, EventName::PostToolFailure, EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    if view.plan().is_none() && view.work().is_none() {
        return Ok(Finding::default());
    }
    Ok(match &event.kind {
        Kind::PostTool { .. } | Kind::PostToolFailure { .. } => after(event, view),
        Kind::Stop(_) => at_stop(view),
        _ => Finding::default(),
    })
}

/// Notes checks, and the first edit after one.
fn after(event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    let page = view.plan().map(|plan| view.root().join(&plan.page).to_string_lossy().into_owned());
    let free: Vec<&str> = page.as_deref().into_iter().collect();
    let lines =
        evidence::in_scope(&free, view, |scope| ledger::read_one(&evidence::entry(event, view), scope));
    let is_changed = view.work().is_none_or(|work| work.standing.changed);
    let is_news = |line: &Line| match line {
        Line::Check(check) => check.known,
        Line::Edit { .. } => !is_changed,
    };
    // What something else than the client sends is no news of the work.
    let is_seen = lines.iter().any(is_news) && !is_foreign(view);
    let changes = if is_seen { vec![Change::ChecksSeen { lines }] } else { Vec::new() };
    Finding { changes, ..Finding::default() }
}

/// The plan is about the same checks as the work session that it is made in.
fn at_stop(view: &(impl View + ?Sized)) -> Finding {
    let now = view.now();
    let of_plan = view.plan().and_then(|plan| plan.told(now));
    let told = of_plan.or_else(|| view.work().and_then(|work| work.told(now)));
    let lines = told.map(|text| UserLine { text, cause: None }).into_iter().collect();
    Finding { lines, ..Finding::default() }
}
