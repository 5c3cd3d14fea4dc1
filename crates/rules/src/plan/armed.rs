//! From `/do` to the lock: nothing is changed until a plan is locked, or the person says something else.
//!
//! What only answers, asks or notes is no other request, so it leaves the session armed. The intent router's answer is kept for
//! `engine plan new`.

use engine_core::approval::reading;
use engine_core::change::Change;
use engine_core::config::Config;
use engine_core::event::{Actor, Event, Kind, Stop, Tool};
use engine_core::evidence::Touch;
use engine_core::plan::{Armed, BoundPlan, DO, LARGEST, QUICK_FILES, QUICK_LINES, ROUTER, is_named};
use engine_core::shortcut::{self, Act, Shortcut};
use engine_core::verdict::Finding;

use super::{View, guard};

pub(super) fn judge(event: &Event<'_>, plan: Option<&BoundPlan>, view: &(impl View + ?Sized)) -> Finding {
    match &event.kind {
        Kind::Prompt { .. } => {
            let text = event.real_prompt();
            if let Some(quick) = text.and_then(|text| quick(text, plan)) {
                return quick;
            }
            text.and_then(|text| at_prompt(text, plan, view))
        }
        Kind::PostTool { call, result, .. } if event.actor == Actor::Main && result.skill.is_some() => {
            let called = match &call.tool {
                Tool::Skill { name, args } if is_named(name, DO) => Some(Armed::called(args)),
                _ => None,
            };
            called.filter(|_| !holds(plan)).map(Change::Armed)
        }
        Kind::SubagentStop(stop) => answered(event, stop, view),
        Kind::PreTool(call) => {
            let Some(armed) = view.armed().filter(|_| !holds(plan)) else { return Finding::default() };
            if guard::touch_of(call, event, plan, view) == Touch::Nothing {
                return Finding::default();
            }
            let because =
                format!("the call changes something; {} was typed, and no plan is locked", armed.command());
            return Finding::deny(refusal(armed, plan, view)).because(because);
        }
        _ => None,
    }
    .map_or_else(Finding::default, |change| Finding { changes: vec![change], ..Finding::default() })
}

/// Whether a locked plan says what may be changed. One that only answers is over with its turn.
fn holds(plan: Option<&BoundPlan>) -> bool {
    plan.is_some_and(|plan| plan.locked && !plan.guardrails.answer_only)
}

fn at_prompt(text: &str, plan: Option<&BoundPlan>, view: &(impl View + ?Sized)) -> Option<Change> {
    if let Some(armed) = Armed::typed(text) {
        return (!holds(plan)).then_some(Change::Armed(armed));
    }
    let is_other = view.armed().is_some() && !is_aside(text, view.config());
    is_other.then_some(Change::Disarmed)
}

/// `/do!`: what the model needs to know, since the client tells it nothing. The hook adds the checks of the project.
fn quick(text: &str, plan: Option<&BoundPlan>) -> Option<Finding> {
    let armed = Armed::typed(text).filter(|armed| armed.quick)?;
    let command = armed.command();
    if armed.supervise {
        let line = format!(
            "engine: {command} makes a plan that closes itself, so nobody supervises it. Type {command} REQUEST, or /{DO} --supervise REQUEST"
        );
        return Some(
            Finding { stop: Some(line), ..Finding::default() }.because("two ways of work were asked for"),
        );
    }
    if holds(plan) {
        return None;
    }
    let note = format!(
        "engine: {command} asks for a quick plan. Until it is made nothing is changed: engine plan quick \"WHAT IS DONE\" --proof \"CMD\", where CMD is a check of this project. After that: the change, then CMD. At the end of the turn the plan closes itself if CMD passed after the last change; {QUICK_FILES} files and {QUICK_LINES} lines may change."
    );
    let changes = vec![Change::Armed(armed)];
    Some(Finding { changes, ..Finding::note(note) }.because(format!("{command} was typed")))
}

/// Whether a message asks for no work: an answer to a request for approval, or a shortcut that only shows, notes or discusses.
fn is_aside(text: &str, config: &Config) -> bool {
    let asks_nothing = |shortcut: &Shortcut<'_>| match shortcut {
        Shortcut::Command(command) => command.act == Act::Status,
        Shortcut::Prefix(..) | Shortcut::Question => true,
        Shortcut::Own { .. } => false,
    };
    reading(text).is_some() || shortcut::find(text, config).as_ref().is_some_and(asks_nothing)
}

/// The last answer of the intent router, while one is waited for.
fn answered(event: &Event<'_>, stop: &Stop<'_>, view: &(impl View + ?Sized)) -> Option<Change> {
    let Actor::Subagent { agent_type, .. } = &event.actor else { return None };
    let text = stop.last_message.trim();
    let is_plan = is_named(agent_type, ROUTER) && !text.is_empty() && text.len() <= LARGEST;
    let is_waited_for = view.armed().is_some() || view.plan().is_some_and(|plan| plan.outgrown);
    (is_plan && is_waited_for).then(|| Change::RouterAnswered { text: text.to_owned() })
}

/// What is refused, why, and the next command.
fn refusal(armed: &Armed, plan: Option<&BoundPlan>, view: &(impl View + ?Sized)) -> String {
    let next = match (plan, &armed.answer) {
        (None, None) if armed.quick => {
            "there is none. Run: engine plan quick \"WHAT IS DONE\" --proof \"CMD\", where CMD is a check of this project".to_owned()
        }
        (Some(plan), _) => format!("plan {} is not locked. Run: engine plan lock", plan.name),
        (None, Some(_)) => format!("there is no plan. The answer of {ROUTER} is kept. Run: engine plan new"),
        (None, None) => format!(
            "there is no plan. Start the agent {ROUTER} ({}) with the request, then run: engine plan new",
            view.dialect().agent_words
        ),
    };
    format!("{} changes nothing before its plan is locked, and {next}", armed.command())
}
