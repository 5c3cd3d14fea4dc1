//! Chains: skills that run one after the other, each handing the rest on to the next.
//!
//! The user types one (`/design plans/foo, /plan-adhoc and /orchestrate`), [`read`] reads it, the default exits of its
//! last skill follow it, and the session's state keeps what is left ([`Stored`]). The text form `[CONTINUATION: …]`
//! travels with the Skill calls; what is stored wins over it.

use serde::{Deserialize, Serialize};

mod carried;
mod exits;
mod explain;
mod forbid;
mod outcome;
mod parse;
mod reading;
mod returned;
mod shield;
mod stored;
mod talk;
mod token;
mod transport;

pub use carried::{may_carry, without_continuation};
pub use exits::{ExitMode, Exits, Forbidden};
pub use explain::explain;
pub use outcome::{Began, Condition, Ending, Failure, Outcome, Past};
pub use parse::{is_run, read};
pub use reading::{Form, Note, Reading, Standing, Typed, Why};
pub use returned::{PLAN, Returned};
pub use stored::{Link, State, Stored, brief};
pub use token::is_name;
pub use transport::{listed, marker, split, unquoted, with_suffix, written};

/// What every cooperative skill ends with.
pub const PROTOCOL: &str = include_str!("chain/protocol.md");

/// A skill and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub skill: String,
    #[serde(default)]
    pub args: String,
}

impl Entry {
    /// Reads `/handoff --commit`, as front matter names an exit.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().strip_prefix('/')?;
        let (skill, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        is_name(skill).then(|| Self { skill: skill.to_owned(), args: args.trim().to_owned() })
    }
}

/// Whether two names call the same skill: the prefix of a plugin may be left out.
pub fn same_skill(one: &str, other: &str) -> bool {
    let one = one.trim_start_matches('/');
    let other = other.trim_start_matches('/');
    let last = |name: &str| name.rsplit(':').next() == Some(name);
    one == other
        || (last(one) && other.rsplit(':').next() == Some(one))
        || (last(other) && one.rsplit(':').next() == Some(other))
}

#[cfg(test)]
mod tests;
