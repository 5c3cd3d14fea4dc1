//! A memory for analyses.

use std::cell::RefCell;
use std::rc::Rc;

use crate::analysis::Analysis;
use crate::surroundings::Surroundings;
use crate::walk::analyse;

/// Analyses command lines, and remembers the last analysis: several rules look at the same command of one event.
#[derive(Debug, Default)]
pub struct Analyser {
    last: RefCell<Option<Last>>,
}

#[derive(Debug)]
struct Last {
    command: String,
    around: Surroundings,
    analysis: Rc<Analysis>,
}

impl Analyser {
    pub fn analyse(&self, command: &str, around: &Surroundings) -> Rc<Analysis> {
        if let Some(last) = &*self.last.borrow()
            && last.command == command
            && last.around == *around
        {
            return Rc::clone(&last.analysis);
        }
        let analysis = analyse(command, around);
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
