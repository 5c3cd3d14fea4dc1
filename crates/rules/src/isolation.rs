//! Keeps continuations out of subagents: a subagent that reads one starts the user's next skill by itself.
//!
//! Only while a chain is stored, and in every spelling: the suffix of a call, the block that the model was told, a line of
//! it, the word with a skill after it in any brackets, a call of an entry that is left. In a code span it is text about chains. The reason holds the prompt without it, so
//! that the next call is a copy.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::chain::{may_carry, without_continuation};
use engine_core::event::{Event, EventName, Kind, Tool};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Session, Skills};

looks_at!(Session + Skills);

pub(crate) const RULE: Rule = Rule {
    id: "isolation",
    about: "Denies a subagent whose prompt carries the continuation of the stored chain.",
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
    let dialect = view.dialect();
    if !may_carry(prompt, dialect.skill_tool) {
        return Ok(Finding::default());
    }
    let Some(chain) = view.session().chain() else {
        return Ok(Finding::default());
    };
    let skills: Vec<&str> = chain.left.iter().map(|link| link.entry.skill.as_str()).collect();
    let Some(clean) = without_continuation(prompt, dialect.skill_tool, &skills) else {
        return Ok(Finding::default());
    };
    let reason = format!(
        "The prompt of a subagent carries a continuation, which belongs in Skill calls only. The same prompt without it:\n\n{clean}"
    );
    Ok(Finding::deny(reason).because("a chain is stored and the prompt carries a continuation"))
}
