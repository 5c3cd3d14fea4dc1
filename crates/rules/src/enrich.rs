//! Names notes, learnings, decisions and closed plans of the project that fit what the person asks for: at most three, one line each.
//!
//! Only for a prompt in the person's own words ([`enrich::asked`]), only where an item fits better than chance would, and each item once
//! per context. Everything else is silence. A prompt that begins with a dot goes as it is. Off until somebody switches it on; in shadow the
//! journal has what would have been told.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::enrich::{self, Hit, MOST_TOLD, noted, silent, told};
use engine_core::event::{Actor, Event, EventName};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Enrich, Project, Session};

looks_at!(Project + Enrich + Session);

/// By which the journal names what it told.
pub const ID: &str = "enrich";

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "Names at most three notes, learnings, decisions or closed plans that fit a prompt; a dot before the prompt switches it off.",
    events: &[EventName::Prompt],
    default: Mode::Off,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Some(prompt) = event.real_prompt().filter(|_| event.actor == Actor::Main) else {
        return Ok(Finding::default());
    };
    if !view.is_trusted() {
        return Ok(Finding::default());
    }
    let Ok(words) = enrich::asked(prompt, view.config()) else { return Ok(Finding::default()) };
    let found = match view.fitting(&words) {
        Ok(found) => found,
        Err(why) => return Ok(Finding::default().because(format!("{why}: engine enrich index"))),
    };
    let in_context = &view.session().enriched;
    let fits = |hit: &&Hit| hit.score >= 1.0 && !hit.is_retired;
    let is_new = |hit: &&Hit| !in_context.contains(&hit.key.0);
    let fitting = found.hits.iter().filter(fits);
    let fresh: Vec<Hit> = fitting.clone().filter(is_new).take(MOST_TOLD).cloned().collect();
    let Some((text, told)) = told(&fresh) else {
        let why = if fitting.count() == 0 { "nothing fits" } else { "what fits is in the context" };
        return Ok(Finding::default().because(silent(&found, why)));
    };
    let because = noted(&found, &told);
    let items = told.iter().map(|hit| hit.key).collect();
    Ok(Finding { changes: vec![Change::Enriched { items }], ..Finding::note(text).because(because) })
}

#[cfg(test)]
mod tests;
