//! The label of a phase, `4.2` or `3.1A`, and which phase may follow which.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Phase;

/// `N(.N | .N[A-Z] | .[A-Z]+)*`: numbers follow each other, letters exclude each other.
///
/// Compared part by part, numbers as numbers: `4.2` comes before `4.10`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Label {
    major: u32,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Number(u32, Option<char>),
    Letters(String),
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let is_letter = |c: char| c.is_ascii_uppercase();
        if !text.is_empty() && text.chars().all(is_letter) {
            return Some(Self::Letters(text.to_owned()));
        }
        let digits = text.trim_end_matches(is_letter);
        let mut letters = text[digits.len()..].chars();
        let letter = letters.next();
        letters.next().is_none().then_some(())?;
        Some(Self::Number(number(digits)?, letter))
    }

    /// Whether two parts at the same place are branches of which only one is taken.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Letters(one), Self::Letters(other)) => one != other,
            (Self::Number(one, Some(a)), Self::Number(other, Some(b))) => one == other && a != b,
            _ => false,
        }
    }
}

/// One way to write each number, so that equal labels are equal texts.
fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    plain.then(|| digits.parse().ok()).flatten()
}

impl Label {
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let major = number(parts.next()?)?;
        Some(Self { major, parts: parts.map(Part::parse).collect::<Option<_>>()? })
    }

    /// The number in front.
    pub fn major(&self) -> u32 {
        self.major
    }

    /// `3.A` and `3.B`, and all that is below them.
    pub fn is_other_branch(&self, other: &Self) -> bool {
        let differing = self.parts.iter().zip(&other.parts).find(|(one, other)| one != other);
        self.major == other.major && differing.is_some_and(|(one, other)| one.excludes(other))
    }

    /// The same, or one below the other: `3.A` and `3.A.1`. A bare number is on no branch.
    pub fn is_same_branch(&self, other: &Self) -> bool {
        let shared = self.parts.len().min(other.parts.len());
        self.major == other.major && shared > 0 && self.parts[..shared] == other.parts[..shared]
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.major)?;
        for part in &self.parts {
            match part {
                Part::Number(number, None) => write!(out, ".{number}")?,
                Part::Number(number, Some(letter)) => write!(out, ".{number}{letter}")?,
                Part::Letters(letters) => write!(out, ".{letters}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Label {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| not_a_label(&text))
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.to_string()
    }
}

pub(super) fn not_a_label(text: &str) -> String {
    format!("\"{text}\" is no label of a phase: 2, 2.1, 2.1A and 2.A are")
}

/// Why a phase cannot follow another without a person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Phases lie between, of which the first is named.
    Skips {
        from: Label,
        to: Label,
        next: Label,
    },
    OtherBranch {
        from: Label,
        to: Label,
    },
    /// The skill has no such phase, and it is no sub-phase of the current one's number.
    Undeclared {
        to: Label,
        declared: Vec<Label>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skips { from, to, next } => write!(out, "from phase {from} to {to} skips {next}"),
            Self::OtherBranch { from, to } => {
                write!(out, "phase {from} was taken, and {to} is another branch")
            }
            Self::Undeclared { to, declared } => {
                let declared: Vec<String> = declared.iter().map(Label::to_string).collect();
                write!(out, "phase {to} is not declared; declared: {}", declared.join(", "))
            }
        }
    }
}

/// A step from one phase to another that nobody needs to allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Stay,
    Forward,
    /// To a declared phase before the current one: what was found out there is reason enough.
    Back,
}

/// Whether a phase may follow the current one; the order of `phases` does not matter.
pub fn transition(phases: &[Phase], current: &Label, to: &Label) -> Result<Move, Refusal> {
    let (from, to) = (current.clone(), to.clone());
    if from == to {
        return Ok(Move::Stay);
    }
    if from.is_other_branch(&to) {
        return Err(Refusal::OtherBranch { from, to });
    }
    // After the current one within its number everything goes, also what the work turned out to need.
    if to > from && to.major == from.major {
        return Ok(Move::Forward);
    }
    if !phases.iter().any(|phase| phase.label == to) {
        let mut declared: Vec<Label> = phases.iter().map(|phase| phase.label.clone()).collect();
        declared.sort();
        return Err(Refusal::Undeclared { to, declared });
    }
    if to < from {
        return Ok(Move::Back);
    }
    let next = phases.iter().map(|phase| &phase.label).filter(|label| label.major > from.major).min();
    match next {
        Some(next) if next.major < to.major => Err(Refusal::Skips { next: next.clone(), from, to }),
        _ => Ok(Move::Forward),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn label(text: &str) -> Label {
        Label::parse(text).unwrap()
    }

    fn answer(declared: &str, from: &str, to: &str) -> String {
        let phases: Vec<Phase> = declared
            .split_whitespace()
            .map(|text| Phase { label: label(text), name: "x".to_owned(), ..Phase::default() })
            .collect();
        match transition(&phases, &label(from), &label(to)) {
            Ok(Move::Stay) => "stay".to_owned(),
            Ok(Move::Forward) => "ok".to_owned(),
            Ok(Move::Back) => "back".to_owned(),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[test]
    fn what_is_a_label() {
        for text in ["0", "1", "3.1A", "3.A", "2.3.A", "3.AB", "4.10", "3.1A.2", "10.0"] {
            assert_eq!(label(text).to_string(), text);
        }
        for text in [
            "",
            "1a",
            "5.",
            ".1",
            "5_1",
            "3.1a",
            "A",
            "1A",
            "3.1AB",
            "3.A1",
            "01",
            "1.01",
            "1..2",
            "-1",
            "+1",
            " 1",
            "1.²",
            "99999999999",
        ] {
            assert_eq!(Label::parse(text), None, "{text}");
        }
    }

    #[test]
    fn which_phase_may_follow() {
        let plain = "1 2 3 4 5";
        let branched = "1 2 2.3.A 2.3.B 3 3.A 3.B 4 4.1 4.2 4.10";
        let cases = [
            (plain, "1", "2", "ok"),
            (plain, "1", "1", "stay"),
            (plain, "1", "3", "from phase 1 to 3 skips 2"),
            (plain, "4", "2", "back"),
            (plain, "3", "3.1", "ok"),
            (plain, "3.2", "3.1", "phase 3.1 is not declared; declared: 1, 2, 3, 4, 5"),
            (plain, "3.2", "3", "back"),
            (plain, "3.2", "4", "ok"),
            (plain, "3", "4.1", "phase 4.1 is not declared; declared: 1, 2, 3, 4, 5"),
            (plain, "5", "6", "phase 6 is not declared; declared: 1, 2, 3, 4, 5"),
            (branched, "3.A", "3.B", "phase 3.A was taken, and 3.B is another branch"),
            (branched, "3.B", "3.A", "phase 3.B was taken, and 3.A is another branch"),
            (branched, "2.3.A", "2.3.B", "phase 2.3.A was taken, and 2.3.B is another branch"),
            (branched, "3.A.1", "3.B.2", "phase 3.A.1 was taken, and 3.B.2 is another branch"),
            (branched, "3.1A", "3.1B", "phase 3.1A was taken, and 3.1B is another branch"),
            (branched, "3.1A", "3.2B", "ok"),
            (branched, "3", "3.B", "ok"),
            (branched, "3.A", "4", "ok"),
            (branched, "3.A", "4.10", "ok"),
            (branched, "4.2", "4.10", "ok"),
            (branched, "4.10", "4.2", "back"),
            (branched, "2.3.A", "4", "from phase 2.3.A to 4 skips 3"),
            ("1 4 9", "1", "4", "ok"),
            ("1 4 9", "1", "9", "from phase 1 to 9 skips 4"),
            ("5 1 3", "1", "3", "ok"),
        ];
        for (declared, from, to, expected) in cases {
            assert_eq!(answer(declared, from, to), expected, "{from} → {to}");
        }
    }

    #[test]
    fn order_is_numeric_by_part() {
        let mut labels: Vec<Label> =
            ["10", "4.10", "4.2", "4", "3.1B", "3.1A", "3.A", "3.1", "3.2", "0"].map(label).to_vec();
        labels.sort();
        let sorted: Vec<String> = labels.iter().map(Label::to_string).collect();
        assert_eq!(sorted, ["0", "3.1", "3.1A", "3.1B", "3.2", "3.A", "4", "4.2", "4.10", "10"]);
    }

    proptest! {
        #[test]
        fn a_label_is_written_as_it_was_read(text in "(0|[1-9][0-9]{0,4})(\\.(0|[1-9][0-9]{0,3})[A-Z]?|\\.[A-Z]{1,3}){0,4}") {
            prop_assert_eq!(label(&text).to_string(), text);
        }

        #[test]
        fn any_text_is_read_or_not(text in "[0-9A-Za-z._]{0,8}|.{0,8}") {
            if let Some(label) = Label::parse(&text) {
                prop_assert_eq!(label.to_string(), text);
            }
        }

        #[test]
        fn numbers_are_compared_as_numbers(major in 0u32..50, a in 0u32..2000, b in 0u32..2000) {
            let order = label(&format!("{major}.{a}")).cmp(&label(&format!("{major}.{b}")));
            prop_assert_eq!(order, a.cmp(&b));
        }

        #[test]
        fn what_goes_forward_never_goes_back(a in "[1-3](\\.([1-3][AB]?|[AB])){0,2}", b in "[1-3](\\.([1-3][AB]?|[AB])){0,2}") {
            let both = answer("1 2 3", &a, &b) == "ok" && answer("1 2 3", &b, &a) == "ok";
            prop_assert!(!both, "{a} {b}");
        }
    }
}
