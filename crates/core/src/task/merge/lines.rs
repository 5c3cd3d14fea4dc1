//! Merging two versions of some lines with the version that both come from. What one side changed is taken; where both changed the same
//! place differently, both are kept between markers.

/// What came of it.
pub(super) struct MergedLines {
    pub(super) text: String,
    pub(super) has_conflict: bool,
}

/// The most comparisons of lines.
const MOST: usize = 4_000_000;

/// Merges, line by line. `conflict` puts two versions of a place between markers. Nothing where too many lines differ to compare them all.
pub(super) fn merge(
    base: &str,
    ours: &str,
    theirs: &str,
    conflict: impl Fn(&str, &str) -> String,
) -> Option<MergedLines> {
    let [base, ours, theirs] =
        [base, ours, theirs].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let (in_ours, in_theirs) = (matches(&base, &ours)?, matches(&base, &theirs)?);
    let mut merged = MergedLines { text: String::new(), has_conflict: false };
    let (mut o, mut a, mut b) = (0, 0, 0);
    loop {
        // The next line of the base that both sides kept, or the end.
        let next = (o..base.len()).find(|at| in_ours[*at].is_some() && in_theirs[*at].is_some());
        let (to_o, to_a, to_b) = match next {
            Some(at) => (at, in_ours[at].unwrap_or(a), in_theirs[at].unwrap_or(b)),
            None => (base.len(), ours.len(), theirs.len()),
        };
        let (was, mine, other) = (base[o..to_o].concat(), ours[a..to_a].concat(), theirs[b..to_b].concat());
        if mine == other || other == was {
            merged.text.push_str(&mine);
        } else if mine == was {
            merged.text.push_str(&other);
        } else {
            merged.text.push_str(&conflict(&mine, &other));
            merged.has_conflict = true;
        }
        let Some(at) = next else { return Some(merged) };
        merged.text.push_str(base[at]);
        (o, a, b) = (to_o + 1, to_a + 1, to_b + 1);
    }
}

/// For each line of the base, which line of the other text it is, in a longest common sequence.
fn matches(base: &[&str], other: &[&str]) -> Option<Vec<Option<usize>>> {
    let mut found = vec![None; base.len()];
    let head = base.iter().zip(other).take_while(|(one, two)| one == two).count();
    let (rest, others) = (&base[head..], &other[head..]);
    let tail = rest.iter().rev().zip(others.iter().rev()).take_while(|(one, two)| one == two).count();
    for (at, place) in found.iter_mut().take(head).enumerate() {
        *place = Some(at);
    }
    for at in 0..tail {
        found[base.len() - 1 - at] = Some(other.len() - 1 - at);
    }
    let (rest, others) = (&rest[..rest.len() - tail], &others[..others.len() - tail]);
    if rest.len().saturating_mul(others.len()) > MOST {
        return None;
    }
    let width = others.len() + 1;
    let mut length = vec![0_u32; (rest.len() + 1) * width];
    for one in (0..rest.len()).rev() {
        for two in (0..others.len()).rev() {
            length[one * width + two] = if rest[one] == others[two] {
                length[(one + 1) * width + two + 1] + 1
            } else {
                length[(one + 1) * width + two].max(length[one * width + two + 1])
            };
        }
    }
    let (mut one, mut two) = (0, 0);
    while one < rest.len() && two < others.len() {
        if rest[one] == others[two] {
            found[head + one] = Some(head + two);
            (one, two) = (one + 1, two + 1);
        } else if length[(one + 1) * width + two] >= length[one * width + two + 1] {
            one += 1;
        } else {
            two += 1;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_by_itself() {
        let both = |mine: &str, other: &str| format!("<{mine}={other}>");
        let cases = [
            ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", "a\n<B\nc\n=b\nC\n>"),
            ("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"),
            ("a\nb\n", "a\nb\nc\n", "a\nb\n", "a\nb\nc\n"),
            ("a\nb\nc\n", "a\nc\n", "a\nb\nc\n", "a\nc\n"),
            ("a\n", "b\n", "c\n", "<b\n=c\n>"),
            ("a\n", "b\n", "b\n", "b\n"),
            ("", "x\n", "", "x\n"),
            ("", "", "", ""),
        ];
        for (base, ours, theirs, expected) in cases {
            let merged = merge(base, ours, theirs, both).unwrap();
            assert_eq!(merged.text, expected, "{base:?} {ours:?} {theirs:?}");
            assert_eq!(merged.has_conflict, expected.contains('<'));
        }
        let many =
            |from: u32| (from..from + 2001).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat();
        assert!(merge(&many(0), &many(10_000), &many(20_000), both).is_none());
        assert!(merge(&many(0), &(many(0) + "x\n"), &many(0), both).is_some());
    }
}
