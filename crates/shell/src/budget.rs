//! What one analysis may cost. Parser, walk, expansion, effects and statuses all spend from the same [`Budget`]; the analysis ends when
//! it is spent.
//!
//! A step is a tenth of a microsecond or two: a token, a word that is copied, 64 bytes that are looked at. Steps alone make the result depend on
//! nothing but the text. The time is for what steps do not foresee, and the caller brings the clock.

use std::cell::Cell;
use std::rc::Rc;

/// More than a command line of a person costs by far: a script of 1,000 commands costs about 20,000.
pub const MOST_STEPS: usize = 100_000;
/// So many bytes that are looked at are a step.
const BYTES: usize = 64;
/// The clock is asked after so many steps.
const BETWEEN_LOOKS: usize = 512;

/// Why an analysis ended early.
pub(crate) const SPENT: &str = "it takes too long to analyse";

/// Whether the time of the caller is over.
pub(crate) type OutOfTime = Rc<dyn Fn() -> bool>;

pub(crate) struct Budget {
    steps: Cell<usize>,
    next_look: Cell<usize>,
    late: Cell<bool>,
    out_of_time: Option<OutOfTime>,
}

impl Budget {
    pub(crate) fn new(out_of_time: Option<OutOfTime>) -> Rc<Self> {
        Rc::new(Self {
            steps: Cell::new(0),
            next_look: Cell::new(BETWEEN_LOOKS),
            late: Cell::new(false),
            out_of_time,
        })
    }

    /// Takes so many steps; whether any are left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let taken = self.steps.get().saturating_add(steps);
        self.steps.set(taken);
        if taken >= self.next_look.get() {
            self.next_look.set(taken.saturating_add(BETWEEN_LOOKS));
            let is_late = self.out_of_time.as_ref().is_some_and(|out_of_time| out_of_time());
            self.late.set(self.late.get() || is_late);
        }
        !self.is_spent()
    }

    /// The same for bytes that are looked at or copied.
    pub(crate) fn spend_bytes(&self, bytes: usize) -> bool {
        self.spend(bytes / BYTES)
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.late.get() || self.steps.get() > MOST_STEPS
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps.get()
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("steps", &self.steps).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_with_the_steps_or_with_the_time() {
        let steps = Budget::new(None);
        assert!(steps.spend(MOST_STEPS));
        assert!(!steps.spend(1));
        let asked = Rc::new(Cell::new(0));
        let counted = Rc::clone(&asked);
        let time = Budget::new(Some(Rc::new(move || {
            counted.set(counted.get() + 1);
            counted.get() > 2
        })));
        let taken = (0..MOST_STEPS).take_while(|_| time.spend(1)).count();
        assert_eq!((taken, asked.get()), (3 * BETWEEN_LOOKS - 1, 3));
        assert!(!time.spend_bytes(0), "once late, always late");
    }
}
