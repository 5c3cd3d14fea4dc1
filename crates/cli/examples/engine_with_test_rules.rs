//! `engine` with rules that speak on command: the router is tested with them through the same front door.
//!
//! Each rule reads the event's text (prompt, or the tool's `command`) and acts if its own name is a word in it.

use std::process::ExitCode;

use engine_core::config::Config;
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::View;
use engine_rules::{Mode, Rule};

const EVENTS: &[EventName] = &[
    EventName::SessionStart,
    EventName::Prompt,
    EventName::PreTool,
    EventName::PostTool,
    EventName::Stop,
    EventName::SubagentStop,
    EventName::PreCompact,
    EventName::SessionEnd,
];

type Judge = fn(&Event<'_>, &dyn View) -> Result<Finding, Broken>;

const fn rule(id: &'static str, judge: Judge) -> Rule {
    const fn always(_: &Config) -> bool {
        true
    }
    Rule {
        id,
        about: "For tests.",
        events: EVENTS,
        default: Mode::On,
        fixed: false,
        wanted: always,
        judge: engine_rules::Judge::Live(judge),
    }
}

static RULES: &[Rule] = &[
    rule("note-a", |event, _| said(event, "note-a", || Ok(Finding::note("A")))),
    rule("asker", |event, _| said(event, "asker", || Ok(Finding::ask("is this wanted?")))),
    rule("breaker", |event, _| said(event, "breaker", || Err(Broken("its file is gone".into())))),
    rule("panicker", |event, _| said(event, "panicker", || panic!("index 7 of 3"))),
    rule("note-b", |event, _| said(event, "note-b", || Ok(Finding::note("B")))),
    rule("denier", |event, _| said(event, "denier", || Ok(Finding::deny("this must not be")))),
    rule("changer", |event, _| said(event, "changer", || Ok(changed("changer")))),
    rule("other-changer", |event, _| said(event, "other-changer", || Ok(changed("other-changer")))),
    rule("note-c", |event, _| said(event, "note-c", || Ok(Finding::note("C")))),
    // A pipe that nobody writes to: the system call does not return.
    rule("hanger", |event, view| {
        said(event, "hanger", || {
            let _ = std::fs::File::open(view.root().join("pipe"));
            Ok(Finding::deny("the pipe was opened"))
        })
    }),
    rule("long", |event, _| {
        said(event, "long", || Ok(Finding::note("a line of the long text\n".repeat(1000))))
    }),
];

fn changed(by: &str) -> Finding {
    Finding { updated_input: Some(format!("{{\"command\":\"echo {by}\"}}")), ..Finding::default() }
}

fn said(
    event: &Event<'_>,
    word: &str,
    find: impl FnOnce() -> Result<Finding, Broken>,
) -> Result<Finding, Broken> {
    let text = match &event.kind {
        Kind::Prompt { text, .. } => text.as_ref().to_owned(),
        Kind::Stop(stop) | Kind::SubagentStop(stop) => stop.last_message.as_ref().to_owned(),
        Kind::PreCompact { instructions, .. } => instructions.as_ref().to_owned(),
        Kind::SessionEnd { reason } => reason.as_ref().to_owned(),
        _ => event.tool_call().and_then(|call| call.commands().next()).unwrap_or_default().to_owned(),
    };
    if text.split_whitespace().any(|found| found == word) { find() } else { Ok(Finding::default()) }
}

fn main() -> ExitCode {
    // The table of a process that runs once and ends.
    let all: Vec<Rule> = engine_rules::RULES.iter().chain(RULES).map(copy).collect();
    engine_cli::main_with(Vec::leak(all))
}

fn copy(rule: &Rule) -> Rule {
    Rule { ..*rule }
}
