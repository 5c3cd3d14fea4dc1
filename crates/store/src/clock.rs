//! The one place that asks what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use engine_text::stamp::{DecisionId, Stamp};

pub fn now() -> Stamp {
    stamp(SystemTime::now())
}

/// A moment as the file system tells it.
pub fn stamp(time: SystemTime) -> Stamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A new id for a decision made now. Two processes cannot share a pid and a nanosecond.
pub fn decision_id(at: Stamp) -> DecisionId {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    DecisionId::new(at, u64::from(std::process::id()) << 32 | u64::from(nanos))
}
