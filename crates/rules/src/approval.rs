//! Requests for a person's approval: tells the person of them, takes `ok 7` and `no 7`, and lets answers end with their turn.
//!
//! What an answer is worth is decided when it is used, because the event does not say who sent it.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::approval::{By, Request, reading};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind};
use engine_core::session::kept_words;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Approvals, Project, Session, Skills};

looks_at!(Approvals + Project + Session + Skills);

pub(crate) const RULE: Rule = Rule {
    id: "approval",
    about: "Tells you what the agent may do only with your word, and takes your answer: ok 7, or no 7.",
    events: &[
        EventName::SessionStart,
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
    ],
    default: Mode::On,
    fixed: true,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let mut finding = match &event.kind {
        Kind::Prompt { .. } => match event.real_prompt().and_then(|text| Some((text, reading(text)?))) {
            Some((text, (number, yes))) => at_answer(event, text, number, yes, view),
            None => Finding::default(),
        },
        Kind::Stop(stop) if event.actor == Actor::Main && !stop.background_running => at_end(view),
        _ => Finding::default(),
    };
    // Told once, by the first event that can show it.
    let news = view.approvals().iter().filter(|request| request.answer.is_none());
    let news = news.filter(|request| !view.session().told.contains(&cause(request)));
    finding.lines.extend(news.map(|request| UserLine::once(cause(request), request.told())));
    Ok(finding)
}

fn cause(request: &Request) -> String {
    format!("approval {}", request.number)
}

fn at_answer(event: &Event<'_>, text: &str, number: u32, yes: bool, view: &(impl View + ?Sized)) -> Finding {
    let line = |text: String| {
        let mut finding = Finding::note(text.clone());
        finding.lines.push(UserLine { text, cause: None });
        finding
    };
    let Some(request) = view.approvals().iter().find(|request| request.number == number) else {
        return line(format!("engine: no approval {number} is wanted in this session."));
    };
    let what = &request.what;
    if let Some(answer) = &request.answer {
        let before = &answer.words;
        return line(format!(
            "engine: approval {number} has its answer: {before}. A new one takes a new request."
        ));
    }
    if let Some(why) = view.forged() {
        return line(format!("engine: this answer to approval {number} does not count: {why}."));
    }
    let words = kept_words(text.trim());
    let by = By::Message {
        transcript: event.transcript.as_deref().unwrap_or_default().to_owned(),
        attended: view.variable(view.dialect().attended_variable).is_some_and(|value| value == "1"),
    };
    let said = if yes {
        format!(
            "engine: {words} answers approval {number}: {what}. Run the same command again; it counts once, and until this turn ends."
        )
    } else {
        format!(
            "engine: the person refuses approval {number}: {what}. Do not do it and do not ask for it again."
        )
    };
    let mut finding = Finding::note(said).because("the whole message answers a request");
    finding.changes.push(Change::Answered { number, yes, words, by });
    finding
}

fn at_end(view: &(impl View + ?Sized)) -> Finding {
    let mut finding = Finding::default();
    let spent = view.spent();
    finding.lines.extend(spent.iter().map(|text| UserLine { text: text.clone(), cause: None }));
    if !spent.is_empty() || view.approvals().iter().any(|request| request.answer.is_some()) {
        finding.changes.push(Change::ApprovalsEnded);
    }
    finding
}
