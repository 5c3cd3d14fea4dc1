//! An open plan in a few lines, for an agent whose context has lost it.

use super::{Criterion, Kind, Plan, State, Step};
use crate::evidence::proof::Proof;
use engine_text::line::one_line;
use engine_text::redact::redact;

/// Of the whole text, in characters.
const LONGEST: usize = 600;
/// Of each criterion, its proof, a step and a halt.
const CRITERION: usize = 60;
const PROOF: usize = 50;
const STEP: usize = 80;
const REASON: usize = 100;

/// Whose plan it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heir {
    /// The agent session owns it.
    Owner,
    /// It owns it from now on: the session before it in the same client did, until the person cleared the context.
    Successor,
}

impl Plan {
    /// The command by which an agent session takes it up.
    pub fn take_command(&self) -> String {
        match (self.is_delegated(), self.halted()) {
            (true, None) => format!("engine runbook next {}", self.name),
            (true, Some(_)) => format!("engine runbook resume {}, which asks the user", self.name),
            (false, None) => format!("engine plan take {}", self.name),
            (false, Some(_)) => {
                format!("engine plan take {}, then engine plan resume, which asks the user", self.name)
            }
        }
    }

    /// The command that comes next.
    pub fn next_command(&self) -> String {
        if self.halted().is_some() {
            return "engine plan resume (engine asks the user; until then nothing is changed)".to_owned();
        }
        if self.lock.is_none() {
            return "engine plan lock".to_owned();
        }
        if let Some(proof) =
            self.steps.first().and_then(|step| step.proof.as_ref()?.command()).filter(|_| self.quick)
        {
            return format!(
                "make {} pass; then the plan closes itself at the end of the turn",
                proof.shown()
            );
        }
        if self.is_delegated() {
            return if self.is_built() {
                "engine plan close".to_owned()
            } else {
                "engine runbook next".to_owned()
            };
        }
        if let Some(step) = self.active() {
            return format!("engine plan step done {}", step.number);
        }
        match self.steps.iter().find(|step| step.state != State::Done) {
            Some(step) => step.begins(),
            None => "engine plan close".to_owned(),
        }
    }

    /// Name, criteria with their proofs, active step, halt and next command.
    pub fn restored(&self, heir: Heir) -> String {
        let done = self.steps.iter().filter(|step| step.state == State::Done).count();
        let whose = match heir {
            Heir::Owner => "this session works on",
            Heir::Successor => "after the clear this session works on",
        };
        let lock = if self.lock.is_some() { "" } else { ", not locked" };
        let head =
            format!("engine: {whose} plan {}: {done} of {} steps done{lock}.", self.name, self.steps.len());
        let step = self.active().map(|step| format!("Active: step {}, {}", step.number, step.text));
        let halt = self.halted().map(|halt| format!("Halted: {}", one_line(&redact(&halt.reason), REASON)));
        let mut tail: Vec<String> = step.map(|step| one_line(&redact(&step), STEP)).into_iter().collect();
        tail.extend(halt);
        tail.push(format!("Next: {}. All of it: engine plan show {}", self.next_command(), self.name));
        let fixed = [head.as_str()].into_iter().chain(tail.iter().map(String::as_str));
        let room = LONGEST.saturating_sub(fixed.map(|line| line.chars().count() + 1).sum());
        let mut lines = vec![head];
        lines.extend(self.restored_criteria(room));
        lines.extend(tail);
        lines.join("\n")
    }

    /// As many criteria as there is room for, and how many more there are.
    fn restored_criteria(&self, room: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut used = 0;
        for (criterion, number) in self.criteria.iter().zip(1_usize..) {
            let line = format!("Criterion {number}{}", restored(criterion));
            let left = self.criteria.len() - number;
            let rest = if left > 0 { more(left).chars().count() + 1 } else { 0 };
            if used + line.chars().count() + 1 + rest > room {
                lines.push(more(left + 1));
                break;
            }
            used += line.chars().count() + 1;
            lines.push(line);
        }
        lines
    }
}

impl Step {
    /// How it begins, or begins and ends at once.
    pub fn begins(&self) -> String {
        let number = self.number;
        match (self.kind, self.proof.as_ref().map(Proof::command)) {
            (Kind::Work | Kind::Cycle | Kind::Inline | Kind::Review, _) => {
                format!("step {number} begins with its first change")
            }
            (Kind::Check, Some(Some(command))) => {
                format!("run {}, which ends step {number}", command.shown())
            }
            (Kind::Check, _) => format!("engine plan step done {number}"),
        }
    }
}

fn more(count: usize) -> String {
    let what = if count == 1 { "criterion" } else { "criteria" };
    format!("and {count} more {what}")
}

/// `, met: text (proof)`. Of a long one the proof still shows.
fn restored(criterion: &Criterion) -> String {
    let state = match &criterion.verdict {
        None => "not shown",
        Some(verdict) if verdict.met => "met",
        Some(_) => "rejected",
    };
    let text = one_line(&redact(&criterion.text), CRITERION);
    let proof = criterion.proof.as_ref().map(|proof| format!(" ({})", one_line(&proof.shown(), PROOF)));
    format!(", {state}: {text}{}", proof.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::proof::Command;
    use crate::plan::{HaltKind, Start};

    fn plan(criteria: usize, text: &str) -> Plan {
        let command = Command { line: format!("pytest -q {text}"), folder: String::new() };
        let criterion =
            |number: usize| Criterion::new(format!("{text} {number}"), Proof::Passes(command.clone()));
        let step =
            |number: u32| Step { number: number.into(), text: format!("Do {number}"), ..Step::default() };
        Plan {
            name: "login".into(),
            steps: vec![step(1), step(2)],
            criteria: (1..=criteria).map(criterion).collect(),
            ..Plan::default()
        }
    }

    #[test]
    fn the_next_command_follows_the_plan() {
        let mut plan = plan(1, "it works");
        let mut next = vec![plan.next_command()];
        plan.lock(Start::default(), "").unwrap();
        next.push(plan.next_command());
        plan.steps[0].state = State::Active;
        next.push(plan.next_command());
        for step in &mut plan.steps {
            step.state = State::Done;
        }
        next.push(plan.next_command());
        plan.halt(HaltKind::Manual, "a key is missing", "").unwrap();
        next.push(plan.next_command());
        insta::assert_snapshot!(next.join("\n"), @"
        engine plan lock
        step 1 begins with its first change
        engine plan step done 1
        engine plan close
        engine plan resume (engine asks the user; until then nothing is changed)
        ");
    }

    #[test]
    fn the_text_is_bounded_whatever_the_plan_says() {
        for criteria in 0..30 {
            for length in [1, 30, 400] {
                let mut plan = plan(criteria, &"word ".repeat(length));
                plan.name = "n".repeat(60);
                plan.steps[0].text = "x".repeat(900);
                plan.steps[0].state = State::Active;
                plan.halt(HaltKind::Manual, &"y".repeat(900), "").unwrap();
                for heir in [Heir::Owner, Heir::Successor] {
                    let text = plan.restored(heir);
                    assert!(
                        text.chars().count() <= LONGEST,
                        "{criteria} {length}: {}\n{text}",
                        text.chars().count()
                    );
                }
            }
        }
        assert!(plan(7, "short").restored(Heir::Owner).contains("Criterion 7"));
    }
}
