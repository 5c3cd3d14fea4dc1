//! While a plan or a work session is open: notes what a command came to, besides its status: what the recorder saw of each program in
//! it, what its output says, and, where a check passed, that the content is to be kept.
//!
//! An event that something else than the session's client sent is marked, and is no evidence.
//!
//! It refuses nothing and tells nothing. What it notes is what `engine plan verify` and `engine session phase` look up.

use crate::approval::is_foreign;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind, ToolCall};
use engine_core::evidence::ledger::{self, Check, Line, Outcome};
use engine_core::evidence::{EditScope, known, output};
use engine_core::journal::Entry;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Session, Shell, Skills, Work};
use engine_text::field;

/// The variable that `engine runbook run` gives the client of a step, with the name of its plan: nobody's session has that plan.
pub const STEP: &str = "ENGINE_STEP";

looks_at!(Project + Session + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: "evidence",
    about: "With an open plan or work session: notes what checks came to, also in pipes, and the content that they passed on.",
    events: &[EventName::PreTool, EventName::PostTool, EventName::PostToolFailure],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let (call, begins) = match &event.kind {
        // The line that calls `engine check` vouches for it.
        Kind::PreTool(call) => (call, true),
        Kind::PostTool { call, .. } | Kind::PostToolFailure { call, .. } => (call, false),
        _ => return Ok(Finding::default()),
    };
    let is_for_work = view.plan().is_some() || view.work().is_some() || view.variable(STEP).is_some();
    if !call.is_shell() || !is_for_work {
        return Ok(Finding::default());
    }
    let noted = if begins { before(event, call, view) } else { after(event, view) };
    Ok(Finding { changes: noted.into_iter().collect(), ..Finding::default() })
}

/// A call begins that runs a check: the content before it is kept, so that what is changed meanwhile shows.
fn before(event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) -> Option<Change> {
    let command = call.commands().next()?;
    runs_check(command, &event.cwd, view).then(|| Change::Ran {
        ran: Vec::new(),
        said: None,
        passed: true,
        forged: is_foreign(view),
    })
}

/// A call has ended.
fn after(event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<Change> {
    let entry = entry(event, view);
    let lines = in_scope(&[], view, |scope| ledger::read_one(&entry, scope));
    // Whether another program changed something after it is told by the content.
    let ended = |line: &Line| matches!(line, Line::Check(_)) && entry.exit == Some(0);
    let passed = lines.iter().any(|line| is_pass(line) || ended(line));
    if !passed && entry.ran.is_empty() && entry.said.is_none() {
        return None;
    }
    let forged = passed && is_foreign(view);
    Some(Change::Ran { ran: entry.ran, said: entry.said, passed, forged })
}

fn is_pass(line: &Line) -> bool {
    matches!(line, Line::Check(Check { outcome: Outcome::Passed, .. }))
}

/// What the journal will have of an event, as far as evidence goes.
pub(crate) fn entry(event: &Event<'_>, view: &(impl Project + Shell + Skills + Work + ?Sized)) -> Entry {
    let mut entry = Entry::of_event(event);
    if let Some(command) = &entry.command {
        // A line that changes the folder ends elsewhere than it began.
        if command.contains("cd") || command.contains("pushd") {
            let began = entry.tool_use.as_deref().and_then(|call| view.began_in(call));
            entry.cwd = began.or(entry.cwd);
        }
        entry.ran = view.recorded().to_vec();
        if let Kind::PostTool { result, .. } = &event.kind
            && runs_check(command, &event.cwd, view)
        {
            let outputs = view.dialect().outputs.iter();
            let mut printed = outputs.filter_map(|name| field::string(result.response, name));
            entry.said = printed.find_map(|text| output::said(&text));
        }
        if let Kind::PostToolFailure { error, .. } = &event.kind
            && runs_check(command, &event.cwd, view)
        {
            entry.said = output::said(error);
        }
    }
    entry
}

/// What counts besides the table: what the project adds, and the proofs of the plan.
fn checks(view: &(impl Project + Work + ?Sized)) -> Vec<&str> {
    let mut checks = view.config().commands(&known::CHECKS);
    checks.extend(view.plan().into_iter().flat_map(|plan| &plan.checks).map(String::as_str));
    checks
}

fn runs_check(command: &str, cwd: &str, view: &(impl Project + Shell + Work + ?Sized)) -> bool {
    let checks = checks(view);
    view.analysis(command, cwd).runs.iter().any(|run| known::check_of(run, &checks).is_some())
}

/// Where edits count; `free`: files, absolute, whose edits do not.
pub(crate) fn in_scope<T>(
    free: &[&str],
    view: &(impl Project + Skills + Work + ?Sized),
    ask: impl FnOnce(&EditScope<'_>) -> T,
) -> T {
    let root = view.root().to_string_lossy();
    let (home, temporary) = (view.variable("HOME"), view.variable("TMPDIR"));
    ask(&EditScope {
        root: &root,
        home: home.as_deref(),
        temporary: temporary.as_deref(),
        free,
        checks: &checks(view),
        dialect: view.dialect(),
    })
}
