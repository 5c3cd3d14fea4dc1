//! The order of two lists that come from one.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The order of what is kept of two lists: that of the side that moved something. What only the other side has stays behind what it
/// follows there. Of what both add in one place, ours comes first.
pub(super) fn order<K: Copy + Eq + Hash>(
    base: &[K],
    ours: &[K],
    theirs: &[K],
    is_kept: impl Fn(K) -> bool,
) -> Vec<K> {
    let kept = |list: &[K]| list.iter().copied().filter(|key| is_kept(*key)).collect::<Vec<_>>();
    let set = |list: &[K]| list.iter().copied().collect::<HashSet<_>>();
    let (ours, theirs) = (kept(ours), kept(theirs));
    let (in_base, in_ours, in_theirs) = (set(base), set(&ours), set(&theirs));
    let common = |list: &[K]| -> Vec<K> {
        let is_common = |key: &K| in_ours.contains(key) && in_theirs.contains(key) && in_base.contains(key);
        list.iter().copied().filter(is_common).collect()
    };
    let is_moved_by_ours = common(&ours) != common(base);
    let (first, second, in_second) =
        if is_moved_by_ours { (&ours, &theirs, &in_theirs) } else { (&theirs, &ours, &in_ours) };
    let in_first = set(first);
    // What only the second side has, by what it follows there.
    let mut added: HashMap<Option<K>, Vec<K>> = HashMap::new();
    let mut before = None;
    for key in second {
        if in_first.contains(key) {
            before = Some(*key);
        } else {
            added.entry(before).or_default().push(*key);
        }
    }
    let mut result = Vec::with_capacity(first.len() + second.len());
    let mut waiting: Vec<K> = added.remove(&None).unwrap_or_default();
    for key in first {
        // The first side is ours: what it has added in the same place comes before.
        let is_own = !in_second.contains(key);
        if !(is_moved_by_ours && is_own) {
            result.append(&mut waiting);
        }
        result.push(*key);
        waiting.extend(added.remove(&Some(*key)).unwrap_or_default());
    }
    result.append(&mut waiting);
    result
}

/// Lines with how many such stand above them, so that each is another one.
pub(super) fn counted<'l>(lines: &[&'l str]) -> Vec<(&'l str, usize)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let count = |line: &&'l str| {
        let times = seen.entry(line).or_default();
        *times += 1;
        (*line, *times)
    };
    lines.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_of_whoever_moved_and_puts_ours_first() {
        for (base, ours, theirs, expected) in [
            ("abc", "abc", "abc", "abc"),
            ("ab", "a1b", "a2b", "a12b"),
            ("ab", "1ab", "2ab", "12ab"),
            ("ab", "ab1", "ab2", "ab12"),
            ("abc", "cab", "abc2", "c2ab"),
            ("abc", "ca1b", "abc", "ca1b"),
            ("abc", "ca1b", "a2bc", "ca12b"),
            ("abc", "a1bc", "c2ab", "c2a1b"),
            ("abc", "1", "abc", "1"),
            ("", "12", "34", "1234"),
        ] {
            let list = |text: &str| text.chars().collect::<Vec<_>>();
            let kept = |key: char| {
                let (base, ours, theirs) = (base.contains(key), ours.contains(key), theirs.contains(key));
                (ours && theirs) || (!base && (ours || theirs))
            };
            let found: String = order(&list(base), &list(ours), &list(theirs), kept).into_iter().collect();
            assert_eq!(found, expected, "{base} {ours} {theirs}");
        }
    }
}
