//! The gate before a Skill call: nothing is called before what comes first in the chain is done.

use engine_core::chain::{Condition, Entry, Link, Stored, same_skill};
use engine_core::verdict::Finding;

use super::{View, is_next};

/// The next entry is not called before the current one is done, by what its skill declares.
pub(super) fn before_skill(name: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    if !is_next(chain, name, None, view) {
        return out_of_turn(name, chain, view);
    }
    let (current, missing) = unmet(chain, view)?;
    let skill = &current.skill;
    let reason = format!(
        "/{} is not called yet, because /{skill} is not done: {missing}. If that cannot be done: engine chain fail WHY, which ends the \
         chain there and keeps the rest.",
        name.trim_start_matches('/')
    );
    Some(Finding::deny(reason).because("the current entry of the chain is not done by its done-when"))
}

/// A later entry of the chain, called before its turn: refused where something before it declares when it is done, or has failed.
fn out_of_turn(name: &str, chain: &Stored, view: &(impl View + ?Sized)) -> Option<Finding> {
    let name = name.trim_start_matches('/');
    let is_it = |link: &&Link| same_skill(&link.entry.skill, name);
    if let Some(failure) = &chain.failure {
        failure.left.iter().find(is_it)?;
        let (skill, why) = (&failure.failed.entry.skill, &failure.why);
        let reason = format!(
            "/{name} is not called, because the chain stopped at /{skill}: {why}. engine chain retry calls /{skill} again; going on without \
             it is the user's word: engine chain skip."
        );
        return Some(Finding::deny(reason).because("the chain has failed before this entry"));
    }
    let at = chain.left.iter().position(|link| is_it(&link))?;
    let declares = |link: &Link| !link.ending.done_when.is_empty();
    if !chain.left[..at].iter().any(declares) && unmet(chain, view).is_none() {
        return None;
    }
    let next = &chain.next()?.entry.skill;
    let reason = format!(
        "/{name} is not called yet: /{next} comes before it in the chain. engine chain show prints the chain."
    );
    Some(Finding::deny(reason).because("a later entry of the chain was called before its turn"))
}

/// The current entry and what is missing of it, if something is.
pub(super) fn unmet<'c>(chain: &'c Stored, view: &(impl View + ?Sized)) -> Option<(&'c Entry, String)> {
    let (current, began) = (chain.current.as_ref()?, chain.began.as_ref()?);
    if began.ending.done_when.is_empty() {
        return None;
    }
    let missing: Vec<String> = view.unmet(began).iter().map(Condition::missing).collect();
    (!missing.is_empty()).then(|| (current, missing.join("; ")))
}
