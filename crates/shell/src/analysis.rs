//! The result of an analysis.

use crate::effect::Effect;
use crate::run::Run;

/// Everything that a command line does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    pub runs: Vec<Run>,
    /// What the runs on this machine do to files.
    pub effects: Vec<Effect>,
    /// Where a watched variable of the host is expanded: the next run at that point.
    pub watched: Vec<usize>,
    /// Why it could not be read, or not to its end.
    pub problem: Option<Problem>,
    /// What it cost of [`crate::MOST_STEPS`].
    pub steps: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// bash would not take it either, or our parser does not know it.
    Syntax(String),
    /// More values of a loop than are looked at: what was seen so far counts.
    Bound(&'static str),
    /// Too large, too deep or too much to be judged: what was seen so far counts, and the rest may be anything.
    TooLarge(&'static str),
}
