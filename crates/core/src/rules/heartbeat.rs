//! Keeps an agent logging: after a few calls without a log entry it is reminded, after more it is held until it logs.
//!
//! Only while a work session is active and past loading. Each agent has its own count: a subagent never holds its parent up, and
//! its log frees only itself. Edits of one file in a row are one call; starting a subagent is none. What logs is never held.

use super::{Mode, Rule, always, directives};
use crate::change::Change;
use crate::config::Number;
use crate::event::{Event, EventName, Kind, ToolCall};
use crate::host::surroundings;
use crate::session::BoundWork;
use crate::verdict::{Broken, Finding};
use crate::view::View;
use crate::work::{file_of, name};
use engine_shell::{Run, analyse};

pub(super) const RULE: Rule = Rule {
    id: "heartbeat",
    about: "In a work session: reminds an agent to log after heartbeat.warn calls, and holds it after heartbeat.block.",
    events: &[EventName::PreToolUse, EventName::PostToolUse, EventName::PostToolUseFailure],
    default: Mode::On,
    fixed: false,
    replays: false,
    wanted: always,
    judge,
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

fn judge(event: &Event<'_>, view: &dyn View) -> Result<Finding, Broken> {
    let Some(work) = view.work().filter(|work| !work.loading) else {
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
    view: &dyn View,
) -> Finding {
    // Questions wait for a person, who sees what is going on.
    if matches!(&*call.tool, "Agent" | "Task" | "AskUserQuestion") {
        return Finding::default();
    }
    // Nor is held what another rule holds the agent for.
    let told = view.session().directives.get(&agent);
    if told.is_some_and(|told| directives::reads_pending(call, event, told, view)) {
        return Finding::default();
    }
    let mut changes = Vec::new();
    if let Some(engine) = engine_call(call, &event.cwd) {
        if engine.logs {
            changes.push(Change::LogBegan { agent: agent.clone(), logs: view.session().logs });
        }
        if engine.alone {
            return Finding { changes, ..Finding::default() };
        }
    }
    let calls = work.calls.get(&agent);
    let edited = call.is_edit().then(|| call.path().map(std::borrow::Cow::into_owned)).flatten();
    if edited.is_some() && calls.is_some_and(|calls| calls.edited == edited) {
        return Finding::default();
    }
    let count = u64::from(calls.map_or(0, |calls| calls.count)) + 1;
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
    changes.push(Change::CallCounted { agent, edited });
    finding.changes = changes;
    finding
}

/// Only a log entry that was really written counts, and only for the call that wrote it.
fn after(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    work: &BoundWork,
    agent: String,
    view: &dyn View,
) -> Finding {
    let Some(before) = work.calls.get(&agent).and_then(|calls| calls.logs_before) else {
        return Finding::default();
    };
    if !engine_call(call, &event.cwd).is_some_and(|engine| engine.logs) {
        return Finding::default();
    }
    let change =
        if view.session().logs > before { Change::CallsReset { agent } } else { Change::LogFailed { agent } };
    Finding { changes: vec![change], ..Finding::default() }
}

/// A shell command that calls the engine.
pub(super) struct EngineCall {
    /// It writes a log entry.
    logs: bool,
    /// It does nothing but log and move a work session on.
    pub(super) alone: bool,
}

/// What of the engine's session commands a shell command runs; nothing if it runs none.
pub(super) fn engine_call(call: &ToolCall<'_>, cwd: &str) -> Option<EngineCall> {
    // The raw input first: most commands are none of this.
    if call.tool != "Bash" || !call.input.contains("engine") {
        return None;
    }
    let command = call.string("command")?;
    let analysis = analyse(&command, &surroundings(cwd, None, None));
    let word = |run: &Run, at: usize| run.args.get(at).map(|arg| arg.text.clone()).unwrap_or_default();
    let is_log = |run: &Run| run.is(&["engine"]) && word(run, 0) == "log" && word(run, 1) != "show";
    let is_session =
        |run: &Run| run.is(&["engine"]) && matches!(word(run, 0).as_str(), "session" | "status" | "task");
    let harmless = |run: &Run| run.is(&["cat", "echo", "printf", "cd", "true"]);
    if !analysis.runs.iter().any(|run| is_log(run) || is_session(run)) {
        return None;
    }
    // The log's own file is all that may be written.
    let only = |run: &Run| is_log(run) || is_session(run) || (harmless(run) && run.files.is_empty());
    Some(EngineCall {
        logs: analysis.runs.iter().any(is_log),
        alone: analysis.problem.is_none() && analysis.runs.iter().all(only),
    })
}
