//! The result of an analysis.

use crate::effect::{Effect, Find};
use crate::run::Run;

/// Everything that a command line does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    pub runs: Vec<Run>,
    /// What the runs on this machine do to files.
    pub effects: Vec<Effect>,
    /// Where a watched variable of the host is expanded: the next run at that point.
    pub watched: Vec<usize>,
    /// A run that starts itself again, beside itself, with nothing new: a fork bomb.
    pub multiplies: Option<usize>,
    /// Why it could not be read, or not to its end.
    pub problem: Option<Problem>,
    /// What it cost of [`crate::MOST_STEPS`].
    pub steps: usize,
}

impl Analysis {
    /// Whether an effect meets a path. What `find` leaves out by its tests, an effect on its findings does not meet.
    pub fn meets(&self, effect: &Effect, path: &str) -> bool {
        effect.meets(path) && self.may_find(effect, path)
    }

    fn may_find(&self, effect: &Effect, path: &str) -> bool {
        let Some(run) = self.runs.get(effect.run()).filter(|_| effect.is_pattern()) else { return true };
        let by_word = run.args.iter().filter_map(|word| match word.from.as_slice() {
            [from] if word.unknown => self.runs.get(*from),
            _ => None,
        });
        // Many words may stand for the findings of one.
        let mut runs: Vec<&Run> = Vec::new();
        for found in by_word.chain([run]) {
            if !runs.iter().any(|known| std::ptr::eq(*known, found)) {
                runs.push(found);
            }
        }
        let finds: Vec<Find<'_>> = runs.into_iter().filter_map(Find::of).collect();
        finds.is_empty() || finds.iter().any(|find| find.may_find(path))
    }
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
