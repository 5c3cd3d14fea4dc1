//! Keeps continuations out of subagents: a subagent that reads one starts the user's next skill by itself.
//!
//! Only while a chain is stored; text about markers in a code span is no marker. The reason holds the prompt without
//! it, so that the next call is a copy.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::chain::{MARK, without_markers};
use engine_core::event::{Event, EventName, Kind, Tool};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::Session;

looks_at!(Session);

pub(crate) const RULE: Rule = Rule {
    id: "isolation",
    about: "Denies a subagent whose prompt carries a [CONTINUATION while a chain is stored.",
    events: &[EventName::PreTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreTool(call) = &event.kind else { return Ok(Finding::default()) };
    let (Tool::Agent { prompt, .. } | Tool::Message { text: prompt, .. }) = &call.tool else {
        return Ok(Finding::default());
    };
    if !prompt.contains(MARK) {
        return Ok(Finding::default());
    }
    if view.session().chain().is_none() {
        return Ok(Finding::default());
    }
    let Some(clean) = without_markers(prompt) else {
        return Ok(Finding::default());
    };
    let reason = format!(
        "The prompt of a subagent carries a continuation, which belongs in Skill calls only. The same prompt without it:\n\n{clean}"
    );
    Ok(Finding::deny(reason).because("a chain is stored and the prompt holds its mark"))
}
