//! Runbooks: a plan that a person or a model writes as Markdown, cut into steps that agents carry out one by one.
//!
//! [`read`] never fails: it gives a [`Runbook`] and everything that is wrong with it, each with its line. [`files`] renders what the
//! agents read. Both are pure, and every value of a step is resolved once: the step file, the order of steps and the plan show the same.

use std::fmt;

use serde::Serialize;

use crate::evidence::proof::{Command, Proof};
use crate::plan::{Part, StepId};

mod body;
mod compile;
mod difference;
mod field;
mod file_list;
mod front;
mod nearly;
mod needs;
mod outline;
mod read;
mod render;
mod requirement;
mod resolve;
mod template;
mod unfilled;

pub use difference::{Change, Difference, difference, is_agent};
pub use read::{Facts, Reading, Source, read};
pub use render::{Agents, Baselines, Rendered, agent_of, agents, files, sum};
pub use requirement::Requirement;
pub use template::template;

/// The agent that reviews a phase, as its file is named.
pub const REVIEWER: &str = "vet-agent";

/// More steps are no runbook but a mistake.
pub const MOST_STEPS: usize = 200;

/// A fault in a runbook or beside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// From the project's root.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub severity: Severity,
    pub text: String,
}

/// Whether a runbook can be prepared all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Warning { "warning: " } else { "" };
        write!(out, "{}:{}: {severity}{}", self.path, self.line, self.text)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runbook {
    /// The name of its folder.
    pub name: String,
    /// From the project's root: `plans/foo`.
    pub folder: String,
    /// A name for the text of all its sources, as 12 digits.
    pub fingerprint: String,
    /// What every agent is given.
    pub common: String,
    /// What takes the place of the order of steps.
    pub instructions: Option<String>,
    /// What shows that all of it works: the default of its steps.
    pub check: Option<String>,
    pub phases: Vec<Phase>,
    /// In the order of work, with a review at the end of each phase that is not inline.
    pub steps: Vec<Step>,
    /// What design.md asks for.
    pub requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phase {
    pub number: u32,
    pub title: String,
    /// The session that runs the plan does it itself.
    pub inline: bool,
    /// What all its steps are given.
    pub preamble: String,
    pub path: String,
    pub line: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    pub id: StepId,
    pub kind: Kind,
    pub title: String,
    pub phase: u32,
    /// Only inline steps may have none.
    pub model: Option<String>,
    pub turns: Option<u32>,
    pub files: Vec<File>,
    /// What must be done before it. What those need is left out.
    pub needs: Vec<StepId>,
    /// The command whose exit status shows that it is done.
    pub check: Option<String>,
    /// The test of the cycle passes at once.
    pub regression: bool,
    /// `R1`, `R2` … of the design, that it is for.
    pub requirements: Vec<String>,
    /// As it is written, without the field lines.
    pub body: String,
    /// The name of its report, and of its step file if it has one, without the ending.
    pub stem: String,
    /// Where it is written.
    pub path: String,
    pub line: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A general step, or what the test of a cycle needs to compile.
    #[default]
    Work,
    /// A cycle, or its test or its code where those are steps of their own.
    Cycle,
    Inline,
    /// The review of a phase.
    Review,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// The step makes it.
    pub new: bool,
}

impl fmt::Display for File {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.path, if self.new { " (new)" } else { "" })
    }
}

impl Runbook {
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    pub fn phase(&self, number: u32) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.number == number)
    }

    /// Where the file of a step is, if an agent carries it out by one.
    pub fn step_file(&self, step: &Step) -> Option<String> {
        let has_one = matches!(step.kind, Kind::Work | Kind::Cycle);
        has_one.then(|| format!("{}/steps/{}.md", self.folder, step.stem))
    }

    /// Where its report goes.
    pub fn report(&self, step: &Step) -> String {
        format!("{}/reports/{}.md", self.folder, step.stem)
    }
}

impl Step {
    /// What shows that it is done. The test of a cycle has to fail first.
    pub fn proof(&self) -> Option<Proof> {
        let command = Command::new(self.check.as_deref()?, "");
        Some(if self.id.part == Some(Part::Test) && !self.regression {
            Proof::Fails(command)
        } else {
            Proof::Passes(command)
        })
    }
}

#[cfg(test)]
mod tests;
