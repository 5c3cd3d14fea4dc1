//! The name of a step: `3` in a plan of `/do`, `1.2` in a runbook, `1.2-test` and `1-vet` where the engine makes several of one.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number stays with its step, whatever is put before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId {
    /// The number of the step, or of its phase where there is a `minor`.
    pub major: u32,
    pub minor: Option<u32>,
    pub part: Option<Part>,
}

/// What of a step or phase it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// What the test of a cycle needs to compile.
    Bootstrap,
    /// The test of a cycle that has a bootstrap.
    Test,
    /// The code that makes it pass.
    Impl,
    /// Quality warnings of a step, put right.
    Refactor,
    /// The review of a phase.
    Vet,
    /// Findings of a review, put right.
    Mend,
}

const PARTS: [Part; 6] = [Part::Bootstrap, Part::Test, Part::Impl, Part::Refactor, Part::Vet, Part::Mend];

impl Part {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::Test => "test",
            Self::Impl => "impl",
            Self::Refactor => "refactor",
            Self::Vet => "vet",
            Self::Mend => "mend",
        }
    }
}

impl StepId {
    pub fn of(major: u32, minor: u32) -> Self {
        Self { major, minor: Some(minor), part: None }
    }

    pub fn with(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }

    /// Without its part.
    pub fn whole(self) -> Self {
        Self { part: None, ..self }
    }

    /// As a part of a file's name: `1-2-test`.
    pub fn slug(self) -> String {
        self.to_string().replace('.', "-")
    }
}

impl From<u32> for StepId {
    fn from(major: u32) -> Self {
        Self { major, minor: None, part: None }
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.major)?;
        if let Some(minor) = self.minor {
            write!(out, ".{minor}")?;
        }
        match self.part {
            Some(part) => write!(out, "-{}", part.as_str()),
            None => Ok(()),
        }
    }
}

impl FromStr for StepId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let odd = || format!("{text:?} is no step: 3, 1.2 or 1.2-test");
        let (numbers, part) = match text.split_once('-') {
            Some((numbers, part)) => {
                let part = PARTS.into_iter().find(|known| known.as_str() == part);
                (numbers, Some(part.ok_or_else(odd)?))
            }
            None => (text, None),
        };
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_plain).ok_or_else(odd)
        };
        let (major, minor) = match numbers.split_once('.') {
            Some((major, minor)) => (number(major)?, Some(number(minor)?)),
            None => (number(numbers)?, None),
        };
        Ok(Self { major, minor, part })
    }
}

/// A plain number stays one in a file: what an earlier release locked keeps its hash.
impl Serialize for StepId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self { major, minor: None, part: None } => out.serialize_u32(*major),
            _ => out.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for StepId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadStepId)
    }
}

struct ReadStepId;

impl Visitor<'_> for ReadStepId {
    type Value = StepId;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a step")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<StepId, E> {
        u32::try_from(number).map(StepId::from).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<StepId, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_as_it_is_written() {
        for text in ["3", "1.2", "0.1", "1.2-test", "1-vet", "1.10-refactor"] {
            let id: StepId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(json, if text == "3" { "3".to_owned() } else { format!("\"{text}\"") });
            assert_eq!(serde_json::from_str::<StepId>(&json).unwrap(), id);
        }
        for text in ["", "x", "1.", ".1", "1.2.3", "1-", "1-foo", "+1", "-1", "1.x", "99999999999"] {
            assert_eq!(text.parse::<StepId>(), Err(format!("{text:?} is no step: 3, 1.2 or 1.2-test")));
        }
    }

    #[test]
    fn steps_have_an_order() {
        let order = ["1.1", "1.2-bootstrap", "1.2-test", "1.2-impl", "1.10", "2"];
        let ids: Vec<StepId> = order.iter().map(|text| text.parse().unwrap()).collect();
        let mut sorted = ids.clone();
        sorted.reverse();
        sorted.sort_unstable();
        assert_eq!(sorted, ids);
        assert_eq!(StepId::of(1, 2).with(Part::Test).slug(), "1-2-test");
    }
}
