//! Work that goes in circles: a file is edited and the same check fails, again and again.
//!
//! Each check has a circle of its own, by its program and folder: `pytest -k parse` and `pytest -q` in one folder are one circle. It ends
//! when nothing of that check is red any more. A pass of a part of the tests, or of another check, ends nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::evidence::known;
use crate::evidence::ledger::{Check, Red};
use engine_text::line::printable;

/// Cycles of edit and failed check on one file before a person is asked.
const CYCLES: u32 = 3;
/// Files and checks that are remembered at most: the state of a session stays small.
const MOST_FILES: usize = 200;
const MOST_CHECKS: usize = 10;

/// The circles of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Circles {
    /// The edits that the first failure of another check comes after.
    #[serde(skip_serializing_if = "Edits::is_empty")]
    edits: Edits,
    /// The one that failed last is the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<Circle>,
}

/// The circle of one check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Circle {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    /// Since it failed.
    #[serde(skip_serializing_if = "Edits::is_empty")]
    edits: Edits,
    /// How often it failed after an edit of a file, since it passed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    cycles: BTreeMap<String, u32>,
}

/// Files that were edited. A pass forgets them with the next edit: a check that fails right after another passed fails because of
/// what was edited before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Edits {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    files: BTreeSet<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    passed: bool,
}

/// A file on which the work goes in circles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrash {
    pub file: String,
    pub cycles: u32,
}

impl Thrash {
    pub fn reason(&self) -> String {
        let file = printable(&self.file);
        format!("{file} was edited and a check failed, {} times with no pass between", self.cycles)
    }
}

impl Edits {
    fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn add(&mut self, file: &str) {
        if std::mem::take(&mut self.passed) {
            self.files.clear();
        }
        if self.files.len() < MOST_FILES {
            self.files.insert(file.to_owned());
        }
    }

    fn settle(&mut self) {
        self.passed = !self.files.is_empty();
    }
}

impl Circle {
    fn is_of(&self, check: &known::Check) -> bool {
        self.name == check.name && self.folder == check.folder
    }

    /// The check failed: the file that has gone through too many cycles comes back.
    fn failed(&mut self) -> Option<Thrash> {
        let mut worst: Option<Thrash> = None;
        for file in std::mem::take(&mut self.edits).files {
            if self.cycles.len() >= MOST_FILES && !self.cycles.contains_key(&file) {
                continue;
            }
            let cycles = self.cycles.entry(file.clone()).or_default();
            *cycles += 1;
            if *cycles >= CYCLES && worst.as_ref().is_none_or(|worst| *cycles > worst.cycles) {
                worst = Some(Thrash { file, cycles: *cycles });
            }
        }
        worst
    }
}

impl Circles {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn edited(&mut self, file: &str) {
        self.edits.add(file);
        for circle in &mut self.checks {
            circle.edits.add(file);
        }
    }

    /// A check failed: the file on which the work goes in circles comes back.
    pub(super) fn failed(&mut self, check: &Check) -> Option<Thrash> {
        let mut worst = None;
        for one in &check.checks {
            let known = self.checks.iter().position(|circle| circle.is_of(one));
            let mut circle = match known {
                Some(at) => self.checks.remove(at),
                None => Circle {
                    name: one.name.clone(),
                    folder: one.folder.clone(),
                    edits: self.edits.clone(),
                    ..Circle::default()
                },
            };
            worst = worst.or(circle.failed());
            if self.checks.len() >= MOST_CHECKS {
                self.checks.remove(0);
            }
            self.checks.push(circle);
        }
        worst
    }

    /// A check passed. `red`: what is red after it.
    pub(super) fn passed(&mut self, red: &[Red]) {
        if red.is_empty() {
            self.edits.settle();
        }
        for circle in &mut self.checks {
            let is_red = red.iter().flat_map(|red| &red.checks).any(|one| circle.is_of(one));
            if !is_red {
                circle.cycles.clear();
                circle.edits.settle();
            }
        }
    }

    /// The check, the file and the count of every cycle.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<(&str, &str, u32)> {
        let circles = self
            .checks
            .iter()
            .flat_map(|circle| circle.cycles.iter().map(|(file, count)| (&*circle.name, &**file, *count)));
        circles.collect()
    }
}
