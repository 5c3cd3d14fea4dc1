//! Compares what ran with what was judged: another hook can change a call in between.
//!
//! What ran is judged again as if it were still to run, which undoes nothing; the person and the agent are told what the rules say of
//! it. Silent where the call was not seen before it ran (`engine coverage` has it), and where the person changed it.

use crate::{Judge, Mode, Rule, always, memory, plan, policy, protect, roles};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind, ToolCall};
use engine_core::journal::Entry;
use engine_core::ran;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::View;
use engine_text::field;

pub(crate) const RULE: Rule = Rule {
    id: "ran",
    about: "Reports a call that another hook changed after it was judged, and judges again what ran.",
    events: &[EventName::PostTool, EventName::PostToolFailure],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(judge),
};

/// The rules that judge what a call does. The others count calls, or ask a person before one.
const JUDGES: [Rule; 5] = [policy::RULE, protect::RULE, memory::RULE, roles::RULE, plan::RULE];

fn judge(event: &Event<'_>, view: &dyn View) -> Result<Finding, Broken> {
    let (call, response) = match &event.kind {
        Kind::PostTool { call, result, .. } => (call, result.response),
        Kind::PostToolFailure { call, .. } => (call, ""),
        _ => return Ok(Finding::default()),
    };
    if call.id.is_empty() {
        return Ok(Finding::default());
    }
    let Some(sum) = ran::sum(call) else { return Ok(Finding::default()) };
    let Some(judged) = view.judged(&call.id).filter(|judged| judged.sum != sum) else {
        return Ok(Finding::default());
    };
    if field::flag(response, view.dialect().changed_by_person) == Some(true) {
        return Ok(Finding::default());
    }
    let mut shown = Entry::of_event(event).shown_call();
    if shown == judged.shown {
        shown.push_str(" with another input");
    }
    let said = said(&before(event, call), view);
    let text = format!(
        "engine: another hook changed a call after it was judged. Judged: {}. Ran: {shown}. {said}",
        judged.shown
    );
    Ok(Finding {
        context: Some(text.clone()),
        lines: vec![UserLine::once(format!("ran:{}", call.id), text)],
        changes: vec![Change::Rewritten { judged: judged.shown }],
        ..Finding::default()
    }
    .because("the input of the call is not the one that was judged"))
}

/// The event as it would have come before the call.
fn before<'e>(event: &'e Event<'_>, call: &'e ToolCall<'_>) -> Event<'e> {
    let call = ToolCall {
        name: (&*call.name).into(),
        id: (&*call.id).into(),
        input: (&*call.input).into(),
        tool: call.tool.clone(),
    };
    let text = |text: &'e Option<std::borrow::Cow<'_, str>>| text.as_deref().map(Into::into);
    Event {
        name: (&*event.name).into(),
        session: (&*event.session).into(),
        actor: event.actor.clone(),
        cwd: (&*event.cwd).into(),
        transcript: text(&event.transcript),
        prompt_id: text(&event.prompt_id),
        permission_mode: text(&event.permission_mode),
        kind: Kind::PreTool(call),
    }
}

fn said(event: &Event<'_>, view: &dyn View) -> String {
    let said: Vec<String> = JUDGES.iter().filter_map(|rule| said_by(rule, event, view)).collect();
    if said.is_empty() { "No rule is against it".to_owned() } else { said.join(". ") }
}

fn said_by(rule: &Rule, event: &Event<'_>, view: &dyn View) -> Option<String> {
    if rule.mode(view.config()) != Mode::On {
        return None;
    }
    let finding = match rule.judge {
        Judge::Live(judge) => judge(event, view),
        Judge::Replays(judge) => judge(event, view),
    }
    .ok()?;
    if rule.id == policy::RULE.id {
        let matched = finding.because?;
        return Some(format!("The policy says: {}", matched.strip_prefix(policy::MATCHED)?));
    }
    let reason = finding.decision.as_ref()?.reason().trim_end_matches('.');
    Some(format!("The rule {} says: {reason}", rule.id))
}
