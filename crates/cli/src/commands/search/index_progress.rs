//! How far an index is, on a terminal.

use std::time::{Duration, Instant};

use crate::progress::Progress;

/// A bar that comes only if there is something to wait for.
pub(super) struct IndexProgress {
    began: Instant,
    what: &'static str,
    bar: Option<Progress>,
}

/// Faster than this, nothing is shown.
const SOON: Duration = Duration::from_millis(200);

impl IndexProgress {
    pub(super) fn new() -> Self {
        Self::of("files")
    }

    pub(super) fn of(what: &'static str) -> Self {
        Self { began: Instant::now(), what, bar: None }
    }

    pub(super) fn at(&mut self, done: usize, total: usize) {
        if self.bar.is_none() && self.began.elapsed() > SOON {
            self.bar = Some(Progress::of(total, self.what));
        }
        if let Some(bar) = &self.bar {
            bar.to(done, total);
        }
    }
}
