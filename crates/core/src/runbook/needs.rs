//! Which step comes before which.
//!
//! A step needs all steps before it, unless it names those that it needs. Phases follow each other whole.

use std::collections::{BTreeMap, BTreeSet};

/// What a step asks for, by places of steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// The place of its phase; phases come in order.
    pub(super) phase: usize,
    /// The steps that it names; nothing: all before it.
    pub(super) named: Option<Vec<usize>>,
}

/// What must be done before something. What those need is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    Step(usize),
    /// The review of a phase.
    Review(usize),
}

#[derive(Debug, Default)]
pub(super) struct Order {
    /// For each step.
    pub(super) before: Vec<Vec<Node>>,
    /// For the review of each phase.
    pub(super) before_review: Vec<Vec<Node>>,
}

/// Puts the steps in order. `is_inline`: whether a phase is, and has no review.
pub(super) fn order(steps: &[Wanted], is_inline: &[bool]) -> Order {
    let mut order = Order { before: vec![Vec::new(); steps.len()], before_review: Vec::new() };
    // What the next phase waits for.
    let mut entry: Vec<Node> = Vec::new();
    let mut index = 0;
    for (phase, inline) in is_inline.iter().enumerate() {
        // Steps of this phase that no later one needs yet.
        let mut open: BTreeSet<usize> = BTreeSet::new();
        while index < steps.len() && steps[index].phase <= phase {
            let needs: BTreeSet<usize> = match &steps[index].named {
                None => open.clone(),
                Some(named) => named.iter().copied().filter(|other| steps[*other].phase == phase).collect(),
            };
            open.retain(|other| !needs.contains(other));
            open.insert(index);
            order.before[index] =
                if needs.is_empty() { entry.clone() } else { needs.into_iter().map(Node::Step).collect() };
            index += 1;
        }
        let last: Vec<Node> =
            if open.is_empty() { entry.clone() } else { open.into_iter().map(Node::Step).collect() };
        order.before_review.push(last.clone());
        entry = if *inline { last } else { vec![Node::Review(phase)] };
    }
    order
}

/// The circles among the steps, each from its first step on.
pub(super) fn circles(before: &[Vec<Node>]) -> Vec<Vec<usize>> {
    let mut waits: Vec<usize> = before.iter().map(|needs| steps(needs).count()).collect();
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    for (index, needs) in before.iter().enumerate() {
        steps(needs).for_each(|need| behind[need].push(index));
    }
    let mut is_done = vec![false; before.len()];
    let mut ready: Vec<usize> = (0..before.len()).filter(|index| waits[*index] == 0).collect();
    let mut found = Vec::new();
    let mut from = 0;
    loop {
        while let Some(index) = ready.pop() {
            if std::mem::replace(&mut is_done[index], true) {
                continue;
            }
            for next in &behind[index] {
                waits[*next] = waits[*next].saturating_sub(1);
                if waits[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        let Some(stuck) = (from..before.len()).find(|index| !is_done[*index]) else { return found };
        from = stuck;
        // Everything that is stuck needs something that is stuck, and so the way comes back to itself.
        let mut way: Vec<usize> = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut at = stuck;
        while !places.contains_key(&at) {
            places.insert(at, way.len());
            way.push(at);
            at = steps(&before[at]).find(|need| !is_done[*need]).unwrap_or(at);
        }
        let mut circle = way.split_off(places[&at]);
        let first = circle.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(place, _)| place);
        circle.rotate_left(first);
        // Counted as done, so that the next circle is found.
        ready.extend(&circle);
        found.push(circle);
    }
}

fn steps(needs: &[Node]) -> impl Iterator<Item = usize> {
    needs.iter().filter_map(|need| match need {
        Node::Step(index) => Some(*index),
        Node::Review(_) => None,
    })
}

/// Whether one step comes before another, for the steps of one phase.
pub(super) struct Before(Vec<Vec<u64>>);

impl Before {
    pub(super) fn new(before: &[Vec<Node>]) -> Self {
        let words = before.len().div_ceil(64);
        let mut sets: Vec<Option<Vec<u64>>> = vec![None; before.len()];
        // What is being looked at: a circle is not walked twice.
        let mut is_open = vec![false; before.len()];
        for start in 0..before.len() {
            let mut stack = vec![(start, false)];
            while let Some((index, is_ready)) = stack.pop() {
                if !is_ready {
                    if !std::mem::replace(&mut is_open[index], true) {
                        stack.push((index, true));
                        stack.extend(steps(&before[index]).map(|need| (need, false)));
                    }
                    continue;
                }
                let mut set = vec![0; words];
                for need in steps(&before[index]) {
                    set[need / 64] |= 1 << (need % 64);
                    for (word, other) in set.iter_mut().zip(sets[need].iter().flatten()) {
                        *word |= other;
                    }
                }
                sets[index] = Some(set);
            }
        }
        Self(sets.into_iter().map(Option::unwrap_or_default).collect())
    }

    pub(super) fn holds(&self, first: usize, second: usize) -> bool {
        self.0[second].get(first / 64).is_some_and(|word| word >> (first % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(needs: &[Node]) -> String {
        let one = |need: &Node| match need {
            Node::Step(index) => index.to_string(),
            Node::Review(phase) => format!("review {phase}"),
        };
        needs.iter().map(one).collect::<Vec<_>>().join("+")
    }

    fn wanted(phase: usize, named: Option<&[usize]>) -> Wanted {
        Wanted { phase, named: named.map(<[usize]>::to_vec) }
    }

    #[test]
    fn steps_wait_for_those_before_them_or_for_those_they_name() {
        let steps = [
            wanted(0, None),
            wanted(0, Some(&[0])),
            wanted(0, Some(&[0])),
            wanted(0, None),
            wanted(1, Some(&[1])),
            wanted(1, Some(&[])),
            wanted(2, None),
            wanted(2, None),
            wanted(3, None),
        ];
        let order = order(&steps, &[false, false, true, false]);
        let before: Vec<String> = order.before.iter().map(|needs| shown(needs)).collect();
        assert_eq!(before, ["", "0", "0", "1+2", "review 0", "review 0", "review 1", "6", "7"]);
        let reviews: Vec<String> = order.before_review.iter().map(|needs| shown(needs)).collect();
        assert_eq!(reviews, ["3", "4+5", "7", "8"]);
        let before = Before::new(&order.before);
        let pairs: Vec<(usize, usize)> = (0..9)
            .flat_map(|one| (0..9).map(move |other| (one, other)))
            .filter(|(a, b)| before.holds(*a, *b))
            .collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (6, 7), (6, 8), (7, 8)]);
    }

    #[test]
    fn every_circle_is_found() {
        let steps = [
            wanted(0, Some(&[2])),
            wanted(0, None),
            wanted(0, None),
            wanted(0, Some(&[])),
            wanted(0, Some(&[4])),
            wanted(0, Some(&[5, 0])),
            wanted(0, Some(&[5])),
        ];
        let order = order(&steps, &[false]);
        assert_eq!(circles(&order.before), [vec![0, 2, 1], vec![4], vec![5]]);
        assert_eq!(circles(&[]), Vec::<Vec<usize>>::new());
    }
}
