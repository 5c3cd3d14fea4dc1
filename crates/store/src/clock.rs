//! The one place that asks what time it is.

use std::cell::Cell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine_text::stamp::{DecisionId, Stamp};
use rustix::time::{ClockId, clock_gettime};

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
/// Whether this thread has worked for so long since it was first asked. The time of a thread stands still while others have the processor,
/// so a busy machine changes no answer.
pub(crate) fn runs_out_after(time: Duration) -> impl Fn() -> bool {
    let began: Cell<Option<Duration>> = Cell::new(None);
    move || {
        let worked = Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
        let start = began.get().unwrap_or(worked);
        began.set(Some(start));
        worked.saturating_sub(start) > time
    }
}
