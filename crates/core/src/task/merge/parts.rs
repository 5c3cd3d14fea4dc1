//! The lines of one task, and two versions of them merged.

use std::collections::HashSet;

use super::check::merged_state;
use super::order::{counted, order};
use super::taken;
use crate::task::State;

pub(super) struct TaskParts<'t> {
    /// In front of the box.
    head: &'t str,
    state: Option<State>,
    /// Behind the box, with the line's end.
    words: &'t str,
    below: Vec<&'t str>,
    has_code: bool,
}

impl<'t> TaskParts<'t> {
    pub(super) fn of(body: &'t str) -> Self {
        let end = body.find('\n').map_or(body.len(), |at| at + 1);
        let (own, below) = body.split_at(end);
        let open = own.find('[').unwrap_or(0);
        let close = own[open..].find(']').map_or(own.len(), |at| open + at);
        let state = own.get(open + 1..close).and_then(|mark| mark.chars().next()).and_then(State::from_mark);
        let below: Vec<&str> = below.split_inclusive('\n').collect();
        let has_code = below.iter().any(|line| line.contains("```") || line.contains("~~~"));
        Self { head: &own[..open], state, words: own.get(close + 1..).unwrap_or_default(), below, has_code }
    }

    /// The lines with another state in the box.
    pub(super) fn with_state(&self, state: State) -> String {
        format!("{}[{}]{}{}", self.head, state.mark(), self.words, self.below.concat())
    }
}

/// The state of both versions.
pub(super) fn state(
    base: Option<&TaskParts<'_>>,
    ours: &TaskParts<'_>,
    theirs: &TaskParts<'_>,
) -> Option<State> {
    Some(merged_state(base.and_then(|base| base.state), ours.state?, theirs.state?))
}

/// The merged lines; nothing if both sides changed the words, or if what is below holds code, whose lines are not taken apart.
pub(super) fn merge(
    base: Option<&TaskParts<'_>>,
    ours: &TaskParts<'_>,
    theirs: &TaskParts<'_>,
) -> Option<String> {
    if ours.has_code || theirs.has_code {
        return None;
    }
    let words = taken(base.map(|base| base.words), ours.words, theirs.words)?;
    let head = taken(base.map(|base| base.head), ours.head, theirs.head).unwrap_or(ours.head);
    let state = state(base, ours, theirs)?;
    // The reason of the state that won is the first that a reader finds.
    let (first, second) = if Some(state) == ours.state { (ours, theirs) } else { (theirs, ours) };
    let old = counted(base.map_or(&[], |base| &base.below));
    let (one, two) = (counted(&first.below), counted(&second.below));
    let [in_old, in_one, in_two] =
        [&old, &one, &two].map(|lines| lines.iter().copied().collect::<HashSet<_>>());
    let below = order(&old, &one, &two, |line| {
        let (was, one, two) = (in_old.contains(&line), in_one.contains(&line), in_two.contains(&line));
        (one && two) || (!was && (one || two))
    });
    let below: String = below.into_iter().map(|(line, _)| line).collect();
    Some(format!("{head}[{}]{words}{below}", state.mark()))
}
