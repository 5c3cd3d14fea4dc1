//! The end of a turn: the next entry is named once, the last one is held to what it declares, and exits are offered.

use engine_core::chain::{Entry, Stored, brief};
use engine_core::change::Change;
use engine_core::event::Stop;
use engine_core::verdict::Finding;

use super::gate::unmet;
use super::{View, line, task_done};

pub(super) fn at_stop(stop: &Stop<'_>, view: &(impl View + ?Sized)) -> Option<Finding> {
    let session = view.session();
    let chain = session.chain()?;
    let quiet = |changes: Vec<Change>| Some(Finding { changes, ..Finding::default() });
    if chain.left.is_empty() {
        return at_last(stop, chain, view);
    }
    if chain.unbegun {
        return None;
    }
    let waits = if chain.asked { Vec::new() } else { vec![Change::ChainWaits] };
    // A turn that goes on only because of a hook goes on again only if something moved.
    let stuck = stop.active && chain.called == 0;
    if stuck || !chain.is_due(session.turn) || asks(stop, view) {
        return quiet(waits);
    }
    let (left, next) = (brief(&chain.entries()), chain.next()?);
    if view.skill(&next.entry.skill).is_none() {
        let gone = format!(
            "the next entry of the chain, /{}, is no skill any more; engine chain skip or drop",
            next.entry.skill
        );
        let mut finding = Finding { lines: vec![line(&gone)], ..Finding::default() };
        finding.changes.extend([Change::ChainNamed, Change::ChainWaits]);
        return Some(finding.because("the skill of the next entry is gone"));
    }
    let text = match unmet(chain, view) {
        Some((current, missing)) => format!(
            "The chain has entries left ({left}), and /{} is not done: {missing}.\n\
             If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain \
             fail WHY.",
            current.skill
        ),
        None => format!(
            "The chain has entries left ({left}). The next one is called with the Skill tool:\n  {}\n\
             If the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain \
             fail WHY. engine chain drop ends the chain.",
            chain.shown_call(view.dialect())?
        ),
    };
    let mut finding = Finding::note(text);
    finding.moved = true;
    finding.changes.push(Change::ChainNamed);
    Some(finding.because("the next entry of the chain was not called in this turn"))
}

/// The end of a turn in which the last entry is at work: the chain ends when that is done.
fn at_last(stop: &Stop<'_>, chain: &Stored, view: &(impl View + ?Sized)) -> Option<Finding> {
    if chain.failure.is_some() {
        return None;
    }
    let missing = unmet(chain, view);
    let is_told = chain.named == Some(chain.called);
    match missing {
        Some(_) if is_told || (stop.active && chain.called == 0) || asks(stop, view) => None,
        Some((current, missing)) => {
            let mut finding = Finding::note(format!(
                "/{} is the last entry of the chain and is not done: {missing}.\nIf it waits for the user, ending the turn is right. If it \
                 cannot be done: engine chain fail WHY.",
                current.skill
            ));
            finding.moved = true;
            finding.changes.push(Change::ChainNamed);
            Some(finding.because("the last entry of the chain is not done by its done-when"))
        }
        None if chain.offered.is_empty() => {
            // Without a declaration the end of a turn shows nothing.
            let is_shown = chain.began.as_ref().is_some_and(|began| !began.ending.done_when.is_empty());
            let done = task_done(chain).filter(|_| is_shown);
            let changes = done.into_iter().chain([Change::ChainDropped]).collect();
            Some(Finding { changes, ..Finding::default() })
        }
        None if is_told || asks(stop, view) => None,
        None => {
            let exits: Vec<Entry> = chain.offered.iter().map(|link| link.entry.clone()).collect();
            let offer =
                format!("the chain is done; r calls {}, engine chain drop forgets them", brief(&exits));
            let changes = vec![Change::ChainNamed];
            let finding = Finding { lines: vec![line(&offer)], changes, ..Finding::default() };
            Some(finding.because("the exits of the chain are offered"))
        }
    }
}

/// Whether a turn ends with a question to the person: in its last words, or by its last call.
fn asks(stop: &Stop<'_>, view: &(impl View + ?Sized)) -> bool {
    let last = stop.last_message.trim_end().trim_end_matches(['*', '_', '`', '"', ')', '”', '’']);
    last.ends_with(['?', '？', '؟']) || view.last_tool().is_some_and(|tool| tool == view.dialect().ask_tool)
}
