//! How far a long look is, on stderr of a terminal.

use indicatif::{ProgressBar, ProgressStyle};

pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(sessions: usize) -> Self {
        let bar = ProgressBar::new(sessions as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} sessions, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

/// The bar goes also where the look ends in an error.
impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
