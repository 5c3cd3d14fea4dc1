//! A memory for analyses.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::analysis::{Analysis, Problem};
use crate::budget::{Budget, OutOfTime};
use crate::surroundings::Surroundings;
use crate::walk::analyse_within;

/// Analyses command lines, and remembers the last analysis: several rules look at the same command of one event.
///
/// [`Analyser::new`] is for the command lines of one event, of which there are only so many. The default one is for a record of many
/// calls: each of them has a budget of its own.
#[derive(Default)]
pub struct Analyser {
    last: RefCell<Option<Last>>,
    too_large: Cell<Option<&'static str>>,
    count: Cell<usize>,
    out_of_time: Option<OutOfTime>,
}

/// Command lines of one event that are analysed: a call has one, a skill a few.
const MOST_COMMANDS: usize = 400;
const TOO_MANY: &str = "it has more than 400 command lines";

impl std::fmt::Debug for Analyser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyser").field("last", &self.last).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Last {
    command: String,
    around: Surroundings,
    analysis: Rc<Analysis>,
}

impl Analyser {
    /// For one event, with a clock of the caller, who has one time for all that is analysed.
    pub fn new(out_of_time: impl Fn() -> bool + 'static) -> Self {
        Self { out_of_time: Some(Rc::new(out_of_time)), ..Self::default() }
    }

    pub(crate) fn budget(&self) -> Rc<Budget> {
        Budget::new(self.out_of_time.clone())
    }

    /// Why something that was analysed was not judged to its end.
    pub fn too_large(&self) -> Option<&'static str> {
        self.too_large.get()
    }

    pub fn analyse(&self, command: &str, around: &Surroundings) -> Rc<Analysis> {
        self.analyse_within(command, around, &self.budget())
    }

    pub(crate) fn analyse_within(
        &self,
        command: &str,
        around: &Surroundings,
        budget: &Rc<Budget>,
    ) -> Rc<Analysis> {
        if let Some(last) = &*self.last.borrow()
            && last.command == command
            && last.around == *around
        {
            return Rc::clone(&last.analysis);
        }
        self.count.set(self.count.get() + 1);
        let analysis = if self.out_of_time.is_some() && self.count.get() > MOST_COMMANDS {
            let problem = Some(Problem::TooLarge(TOO_MANY));
            Rc::new(Analysis { problem, ..Analysis::default() })
        } else {
            analyse_within(command, around, budget)
        };
        if let Some(Problem::TooLarge(why)) = analysis.problem {
            self.too_large.set(Some(why));
        }
        let last =
            Last { command: command.to_owned(), around: around.clone(), analysis: Rc::clone(&analysis) };
        self.last.replace(Some(last));
        analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::Host;
    use crate::walk::analyse;

    fn at(cwd: &str) -> Surroundings {
        Surroundings { cwd: cwd.to_owned(), ..Surroundings::default() }
    }

    #[test]
    fn the_same_question_is_answered_once() {
        let analyser = Analyser::default();
        let first = analyser.analyse("rm x", &at("/p"));
        assert!(Rc::ptr_eq(&first, &analyser.analyse("rm x", &at("/p"))));
        assert_eq!(first, analyse("rm x", &at("/p")));
    }

    #[test]
    fn another_question_has_another_answer() {
        let analyser = Analyser::default();
        let first = analyser.analyse("X=1; rm x", &at("/p"));
        assert_eq!(first.effects[0].path(), "/p/x");
        assert_eq!(analyser.analyse("X=1; rm x", &at("/q")).effects[0].path(), "/q/x");
        assert_eq!(analyser.analyse("X=1; rm y", &at("/q")).effects[0].path(), "/q/y");
        let host = Host { exported: &["X"], ..Host::default() };
        assert_eq!(analyser.analyse("X=1; rm y", &Surroundings { host, ..at("/q") }).runs[0].env.len(), 1);
        // Only the last one is remembered.
        let again = analyser.analyse("X=1; rm x", &at("/p"));
        assert!(!Rc::ptr_eq(&first, &again));
        assert_eq!(first, again);
    }

    #[test]
    fn an_event_has_a_limit_and_a_record_has_none() {
        let last = |analyser: Analyser| {
            (0..=MOST_COMMANDS)
                .map(|number| analyser.analyse(&format!("rm {number}"), &at("/")))
                .last()
                .and_then(|analysis| analysis.problem.clone())
        };
        assert_eq!(last(Analyser::new(|| false)), Some(Problem::TooLarge(TOO_MANY)));
        assert_eq!(last(Analyser::default()), None);
    }

    /// A line of one command is analysed once, for its effects and for its status.
    #[test]
    fn a_status_is_read_from_the_last_analysis() {
        let around = at("/p");
        let analyser = Analyser::default();
        let last = Last { command: "t".into(), around: around.clone(), analysis: analyse("u", &around) };
        analyser.last.replace(Some(last));
        assert_eq!(analyser.statuses("t", &around)[0].runs[0].path.text, "u");
    }
}
