//! How far something long is, on stderr of a terminal.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(sessions: usize) -> Self {
        Self::of(sessions, "sessions")
    }

    pub(crate) fn of(count: usize, what: &str) -> Self {
        let bar = ProgressBar::new(count as u64);
        let template = format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// So many of so many.
    pub(crate) fn to(&self, done: usize, count: usize) {
        self.0.set_length(count as u64);
        self.0.set_position(done as u64);
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

/// What is waited for, and for how long already. Nothing where nobody looks.
pub(crate) struct Waiting(ProgressBar);

impl Waiting {
    const TICK: Duration = Duration::from_millis(250);

    pub(crate) fn begin(what: &str) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(engine_text::undecoded::shown(what).to_string());
        bar.enable_steady_tick(Self::TICK);
        Some(Self(bar))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
