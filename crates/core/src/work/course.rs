//! The way of a run through the phases of its skill: which it has passed, where it may go, and what is still to come.
//!
//! A phase is passed when it was left forward, which takes its proof. Going back reopens the phase that is entered and all after it.

use std::collections::BTreeSet;

use super::{Run, WorkState};
use crate::skill::protocol::{Label, Move, Phase, Refusal, transition};

impl Run {
    /// The phases that it was in, the oldest first. The current one is the last.
    fn visited(&self) -> Vec<Label> {
        let left = self.history.iter().filter_map(|passed| Label::parse(passed.phase.split(':').next()?));
        left.chain(self.current_phase.iter().map(|current| current.label.clone())).collect()
    }

    /// The phases that it has passed.
    pub fn passed(&self) -> BTreeSet<Label> {
        let mut passed = BTreeSet::new();
        for pair in self.visited().windows(2) {
            let [from, to] = pair else { continue };
            if from < to {
                passed.insert(from.clone());
            } else if to < from {
                passed.retain(|label| label < to);
            }
        }
        passed
    }

    /// The declared phases that it has not passed and is not in, in order; also the one that it was left in. Of branches one is enough.
    pub fn unpassed(&self) -> Vec<&Phase> {
        let mut taken = self.passed();
        taken.extend(self.current_phase.iter().map(|current| current.label.clone()));
        let open = self.left_in().map(|phase| &phase.label);
        let is_done = |label: &Label| {
            open != Some(label) && taken.iter().any(|one| one == label || one.is_other_branch(label))
        };
        self.phases.iter().filter(|phase| !phase.added && !is_done(&phase.label)).collect()
    }

    /// The declared phase that comes next, on the branch that was taken.
    pub fn next_phase(&self) -> Option<&Phase> {
        let current = &self.current_phase.as_ref()?.label;
        let follows = |label: &Label| label > current && !label.is_other_branch(current);
        self.phases.iter().find(|phase| !phase.added && follows(&phase.label))
    }

    /// Whether it may go to a phase. A branch that was given up is another branch, also after going back.
    pub fn transition(&self, to: &Label) -> Result<Move, Refusal> {
        let visited = self.visited();
        let Some(from) = visited.last() else { return Ok(Move::Stay) };
        let step = transition(&self.phases, from, to)?;
        let is_related = |label: &&Label| label.is_other_branch(to) || label.is_same_branch(to);
        match visited.iter().rev().find(is_related) {
            Some(from) if from.is_other_branch(to) => {
                Err(Refusal::OtherBranch { from: from.clone(), to: to.clone() })
            }
            _ => Ok(step),
        }
    }
}

impl WorkState {
    /// Runs of other skills before the current one that were left in the middle, each if it is the last of its skill.
    pub fn left_open(&self) -> Vec<&Run> {
        let is_last =
            |index: usize, run: &Run| !self.runs[index + 1..].iter().any(|later| later.skill == run.skill);
        let earlier = self.runs.iter().enumerate().take(self.runs.len().saturating_sub(1));
        let open =
            earlier.filter(|(index, run)| is_last(*index, run) && !run.stopped && !run.unpassed().is_empty());
        open.map(|(_, run)| run).collect()
    }

    /// Whether the current run is in its last phase, and no other was left in the middle.
    pub fn is_at_end(&self) -> bool {
        self.run().is_none_or(|run| run.next_phase().is_none()) && self.left_open().is_empty()
    }
}

/// `4: Verify, 5.A: Build or 5.B: Buy`.
pub fn listed(phases: &[&Phase]) -> String {
    let mut text = String::new();
    for (index, phase) in phases.iter().enumerate() {
        match index.checked_sub(1).map(|before| phases[before]) {
            None => {}
            Some(before) if before.label.is_other_branch(&phase.label) => text.push_str(" or "),
            Some(_) => text.push_str(", "),
        }
        text.push_str(&phase.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Passed, PhaseName};

    const DECLARED: &str = "1 2 3.A 3.B 4.2 4.10 5";

    fn label(text: &str) -> Label {
        Label::parse(text).unwrap()
    }

    /// A run that was in these phases.
    fn run(visited: &str) -> Run {
        let phase = |text: &str| Phase { label: label(text), name: "x".to_owned(), ..Phase::default() };
        let mut visited: Vec<&str> = visited.split_whitespace().collect();
        let current = visited.pop().map(|text| PhaseName { label: label(text), name: "x".to_owned() });
        let history =
            visited.into_iter().map(|text| Passed { phase: format!("{text}: x"), ..Passed::default() });
        Run {
            phases: DECLARED.split(' ').map(phase).collect(),
            history: history.collect(),
            current_phase: current,
            ..Run::default()
        }
    }

    #[test]
    fn which_phases_are_to_be_passed() {
        let cases = [
            ("1", "2: x, 3.A: x or 3.B: x, 4.2: x, 4.10: x, 5: x"),
            ("1 2 3.A", "4.2: x, 4.10: x, 5: x"),
            ("1 2 3.B", "4.2: x, 4.10: x, 5: x"),
            // Skipped with a person's word, or within a number.
            ("1 3.A 4.10 5", "2: x, 4.2: x"),
            ("1 2 3.A 4.2 4.10 5", ""),
            // It rested in a phase, with or without proof.
            ("1 1 2 2 2", "3.A: x or 3.B: x, 4.2: x, 4.10: x, 5: x"),
            // Going back reopens what comes after it.
            ("1 2 3.A 4.2 3.A", "4.2: x, 4.10: x, 5: x"),
            ("1 2 3.A 4.2 2", "3.A: x or 3.B: x, 4.2: x, 4.10: x, 5: x"),
            ("1 2 3.A 4.2 3.A 4.2 4.10 5", ""),
            ("1 2 3.A 4.2 2 5", "3.A: x or 3.B: x, 4.2: x, 4.10: x"),
        ];
        for (visited, expected) in cases {
            assert_eq!(listed(&run(visited).unpassed()), expected, "{visited}");
        }
        let mut more = run("1 2 3.A 3.A.1 3.A");
        more.phases.push(Phase { label: label("3.A.1"), added: true, ..Phase::default() });
        assert_eq!(listed(&more.unpassed()), "4.2: x, 4.10: x, 5: x", "nobody declared it");
        let left = |visited| listed(&Run { left: true, ..run(visited) }.unpassed());
        assert_eq!(left("1 2 3.A 4.2 4.10 5"), "5: x");
        assert_eq!(left("1 2 3.B"), "3.B: x, 4.2: x, 4.10: x, 5: x", "the branch that was taken");
    }

    #[test]
    fn a_branch_is_not_changed_on_the_way_back() {
        let answer = |visited: &str, to: &str| match run(visited).transition(&label(to)) {
            Ok(step) => format!("{step:?}"),
            Err(refusal) => refusal.to_string(),
        };
        let changes = |from: &str, to: &str| format!("phase {from} was taken, and {to} is another branch");
        assert_eq!(answer("1 2", "3.B"), "Forward");
        assert_eq!(answer("1 2 3.A", "2"), "Back");
        assert_eq!(answer("1 2 3.A 2", "3.B"), changes("3.A", "3.B"));
        assert_eq!(answer("1 2 3.A 2", "3.A"), "Forward");
        assert_eq!(answer("1 2 3.A 4.2", "3.B"), changes("3.A", "3.B"));
        assert_eq!(answer("1 2 3.A 3.B 2", "3.B"), "Forward", "the change was allowed");
        assert_eq!(answer("1 2 3.A 3.B 2", "3.A"), changes("3.B", "3.A"));
        assert_eq!(answer("1 2 3.A 4.2", "5"), "Forward");
    }

    #[test]
    fn what_comes_next_is_on_the_branch_that_was_taken() {
        let next = |visited: &str| run(visited).next_phase().map(ToString::to_string);
        assert_eq!(next("1 2").as_deref(), Some("3.A: x"));
        assert_eq!(next("1 2 3.A").as_deref(), Some("4.2: x"));
        assert_eq!(next("1 2 3.A 4.2 4.10 5"), None);
    }

    #[test]
    fn work_is_at_its_end_when_no_run_was_left_in_the_middle() {
        let named = |skill: &str, visited| Run { skill: skill.to_owned(), ..run(visited) };
        let whole = "1 2 3.A 4.2 4.10 5";
        let ends = |runs: Vec<Run>| {
            let state = WorkState { runs, ..WorkState::default() };
            let open: Vec<String> = state.left_open().iter().map(|run| run.skill.clone()).collect();
            (state.is_at_end(), open.join(" "))
        };
        let at_end = |is: bool, open: &str| (is, open.to_owned());
        assert_eq!(ends(vec![]), at_end(true, ""));
        assert_eq!(ends(vec![Run::default()]), at_end(true, ""));
        assert_eq!(ends(vec![named("a", "1 2")]), at_end(false, ""));
        assert_eq!(ends(vec![named("a", "1 2"), named("b", whole)]), at_end(false, "a"));
        assert_eq!(ends(vec![named("a", "1 2"), named("a", whole)]), at_end(true, ""));
        let stopped = Run { stopped: true, ..named("a", "1 2") };
        assert_eq!(ends(vec![stopped, named("b", whole)]), at_end(true, ""));
        let left = Run { left: true, ..named("a", whole) };
        assert_eq!(ends(vec![left, named("b", whole)]), at_end(false, "a"));
    }
}
