//! Keeps an agent logging: after a few calls without a log entry it is reminded, after more it is held until it logs.
//!
//! Only while a work session is active. The first calls of a run are the reading of its skill, and are not counted; the first change
//! ends that. Each agent has its own count: a subagent never holds its parent up, and its log frees only itself. Edits of one file in a row are one call; starting a subagent is none, nor is a call that another rule
//! denies. What logs is never held.

use crate::engine_call::engine_call;
use crate::{Judge, Mode, Rule, always, directives, looks_at};
use engine_core::change::Change;
use engine_core::config::Number;
use engine_core::event::{Event, EventName, Kind, Tool, ToolCall};
use engine_core::verdict::{Broken, Finding};
use engine_core::work::BoundWork;
use engine_core::work::{file_of, name};

looks_at!(directives::View);

pub(crate) const RULE: Rule = Rule {
    id: "heartbeat",
    about: "In a work session: reminds an agent to log after heartbeat.warn calls, and holds it after heartbeat.block.",
    events: &[EventName::PreTool, EventName::PostTool, EventName::PostToolFailure],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const WARN: Number = Number {
    name: "heartbeat.warn",
    default: 3,
    range: (0, 1000),
    about: "Calls without a log entry after which an agent in a work session is reminded; 0: never.",
};

pub const BLOCK: Number = Number {
    name: "heartbeat.block",
    default: 10,
    range: (0, 1000),
    about: "Calls without a log entry after which an agent in a work session is held until it logs; 0: never.",
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Some(work) = view.work() else {
        return Ok(Finding::default());
    };
    let agent = event.actor.id().to_owned();
    Ok(match &event.kind {
        Kind::PreTool(call) => before(call, event, work, agent, view),
        Kind::PostTool { call, .. } | Kind::PostToolFailure { call, .. } => {
            after(call, event, work, agent, view)
        }
        _ => Finding::default(),
    })
}

fn before(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    work: &BoundWork,
    agent: String,
    view: &(impl View + ?Sized),
) -> Finding {
    // Questions wait for a person, who sees what is going on.
    if matches!(call.tool, Tool::Agent { .. } | Tool::Ask) {
        return Finding::default();
    }
    // Nor is held what another rule holds the agent for.
    let told = view.session().directives.get(&agent);
    if told.is_some_and(|told| directives::reads_pending(call, event, told, view)) {
        return Finding::default();
    }
    let mut changes = Vec::new();
    if let Some(engine) = engine_call(call, &event.cwd, view) {
        if engine.logs {
            changes.push(Change::LogBegan { agent: agent.clone(), logs: view.session().logs });
        }
        if engine.alone {
            return Finding { changes, ..Finding::default() };
        }
    }
    if work.reading > 0 && !directives::changes(call, event, view) {
        return Finding { changes: vec![Change::SkillRead], ..Finding::default() };
    }
    let calls = work.calls.get(&agent);
    let edited = call.writes().next().map(str::to_owned);
    if edited.is_some() && calls.is_some_and(|calls| calls.edited == edited) {
        return Finding::default();
    }
    let seen = calls.map_or(0, |calls| calls.count);
    let count = u64::from(seen) + 1;
    let (warn, block) = (view.config().number(&WARN), view.config().number(&BLOCK));
    let log = format!("{}/{}/{}", name::FOLDER, work.name, file_of(&work.skill, "LOG"));
    if block > 0 && count >= block {
        return Finding::deny(format!(
            "{count} calls of this agent without a log entry. Log what was done, then go on:\nengine log {log} <<'EOF'\n## what was done\nwhy, and what comes next\nEOF",
        ))
        .because(format!("the count reached heartbeat.block ({block})"));
    }
    let mut finding = if warn > 0 && count == warn {
        Finding::note(format!(
            "engine: {count} calls without a log entry; at {block} calls are held. engine log {log} takes one on stdin, beginning with ##."
        ))
        .because(format!("the count reached heartbeat.warn ({warn})"))
    } else {
        Finding::default()
    };
    changes.push(Change::CallCounted { agent, seen, edited });
    finding.changes = changes;
    finding
}

/// Only a log entry that was really written counts, and only for the call that wrote it.
fn after(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    work: &BoundWork,
    agent: String,
    view: &(impl View + ?Sized),
) -> Finding {
    let Some(before) = work.calls.get(&agent).and_then(|calls| calls.logs_before) else {
        return Finding::default();
    };
    if !engine_call(call, &event.cwd, view).is_some_and(|engine| engine.logs) {
        return Finding::default();
    }
    let change =
        if view.session().logs > before { Change::CallsReset { agent } } else { Change::LogFailed { agent } };
    Finding { changes: vec![change], ..Finding::default() }
}
