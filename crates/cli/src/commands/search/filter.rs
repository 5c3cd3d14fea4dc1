//! The words behind the options that narrow a query.

use engine_app::since::Since;
use engine_core::search::{type_named, types};

pub(super) fn what(word: &str) -> Result<String, String> {
    let choices = || types().collect::<Vec<_>>().join(", ");
    type_named(word).map(str::to_owned).ok_or_else(|| format!("the types are {}", choices()))
}

pub(super) fn name(word: &str) -> Result<String, String> {
    let is_empty = word.trim_start_matches(['#', '/']).trim().is_empty();
    if is_empty { Err("a name with at least one letter".to_owned()) } else { Ok(word.to_owned()) }
}

pub(super) fn since(word: &str) -> Result<Since, String> {
    match word.parse()? {
        Since::Ago { ms: 0 } => Err("nothing is newer than now".to_owned()),
        since => Ok(since),
    }
}

/// Nobody reads more.
const MOST: usize = 1000;

pub(super) fn limit(word: &str) -> Result<usize, String> {
    let limit = word.parse().ok().filter(|limit| (1..=MOST).contains(limit));
    limit.ok_or_else(|| format!("a number from 1 to {MOST}"))
}
