//! Keeps what people said while a work session is bound: prompts, and the questions of the agent with their answers, in `DIALOGUE.md`.
//! The last prompt is in the state, too, for a work session that begins in its turn.
//!
//! An empty answer means that the agent is to decide. It is told so, and the log says it.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::{Change, Record};
use engine_core::dialogue::{self, Question};
use engine_core::event::{Actor, Event, EventName, Kind};
use engine_core::log::PHASE;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Transcript, Work};
use engine_core::work::file_of;

looks_at!(Transcript + Work);

pub(crate) const RULE: Rule = Rule {
    id: "dialogue",
    about: "In a work session: keeps prompts, questions and answers in DIALOGUE.md; an empty answer means use your judgement.",
    events: &[EventName::Prompt, EventName::PostTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    if event.actor != Actor::Main {
        return Ok(Finding::default());
    }
    let kept = event.real_prompt().map(|prompt| Change::RequestKept { text: dialogue::kept(prompt) });
    let Some(work) = view.work() else {
        return Ok(Finding { changes: kept.into_iter().collect(), ..Finding::default() });
    };
    let recorded = |record: Record| Change::Recorded { work: work.name.clone(), record };
    match &event.kind {
        Kind::Prompt { .. } => {
            let prompt = event.real_prompt().map(|text| recorded(Record::Prompt(text.to_owned())));
            Ok(Finding { changes: kept.into_iter().chain(prompt).collect(), ..Finding::default() })
        }
        Kind::PostTool { result, .. } if !result.questions.is_empty() => {
            let asked = &result.questions;
            let log = file_of(&work.skill, "LOG");
            let mut finding = undecided(asked, &work.name, &log);
            let preamble =
                event.transcript.as_deref().and_then(|path| view.last_words(path)).unwrap_or_default();
            for question in asked.iter().filter(|question| is_empty(question)) {
                let title = "⚖️ Auto-Decision".to_owned();
                let phase = work.phase.as_ref().map(|phase| format!("{PHASE} {phase}\n")).unwrap_or_default();
                let body = format!("{phase}The user left this to the agent: {}", question.question);
                finding.changes.push(recorded(Record::Log { file: log.clone(), title, body }));
            }
            finding.changes.push(recorded(Record::Asked { preamble, questions: asked.clone() }));
            Ok(finding)
        }
        _ => Ok(Finding::default()),
    }
}

fn is_empty(question: &Question) -> bool {
    question.answer.as_ref().is_some_and(|answer| answer.trim().is_empty())
}

fn undecided(asked: &[Question], work: &str, log: &str) -> Finding {
    let open: Vec<&str> = asked
        .iter()
        .filter(|question| is_empty(question))
        .map(|question| question.question.as_str())
        .collect();
    if open.is_empty() {
        return Finding::default();
    }
    Finding::note(format!(
        "engine: an empty answer means: use your judgement. Left to you: {}. Say which option you take and why, go on, and add the choice with engine log sessions/{work}/{log}.",
        open.join("; ")
    ))
    .because("an answer was empty")
}
