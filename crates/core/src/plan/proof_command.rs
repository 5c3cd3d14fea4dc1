//! The commands that the proofs of a plan want to pass, as the copy of an agent session has them: so that the end of a turn tells what was
//! changed since, and which red check matters most.

use serde::{Deserialize, Serialize};

use super::Plan;
use crate::dialect::Dialect;
use crate::evidence::known::Check as Known;
use crate::evidence::ledger::{Check, Red};
use crate::evidence::proof::{Command, Proof};
use crate::evidence::{EditScope, checks_of};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofCommand {
    pub line: String,
    /// Those that it runs, with their folders from the root.
    checks: Vec<Known>,
}

impl ProofCommand {
    /// Each once, those of the criteria first.
    pub(super) fn of(plan: &Plan) -> Vec<Self> {
        let lines = plan.check_lines();
        let mut found: Vec<Self> = Vec::new();
        for (_, proof) in plan.proofs() {
            let Proof::Passes(command) = proof else { continue };
            if !found.iter().any(|one| one.line == command.line) {
                found.extend(Self::of_command(command, &lines));
            }
        }
        found
    }

    /// One of them, if it is a check. `lines`: what counts besides the known ones.
    pub(super) fn of_command(command: &Command, lines: &[String]) -> Option<Self> {
        let configured: Vec<&str> = lines.iter().map(String::as_str).collect();
        let scope = EditScope { checks: &configured, ..EditScope::new("/", &Dialect::NONE) };
        let mut checks = checks_of(command, &scope)?;
        for check in &mut checks {
            check.folder = check.folder.take().map(|folder| folder.trim_matches('/').to_owned());
        }
        Some(Self { line: command.line.clone(), checks })
    }

    /// Whether a run that passed shows it.
    pub(super) fn is_shown_by(&self, ran: &Check) -> bool {
        let ran = placed(&ran.checks, ran.folder.as_deref());
        self.checks.iter().all(|wanted| ran.iter().any(|check| check.covers(wanted)))
    }

    /// Whether a red check is one that it runs.
    pub(super) fn is_of(&self, red: &Red) -> bool {
        let red = placed(&red.checks, red.folder.as_deref());
        self.checks.iter().any(|wanted| red.iter().any(|check| check.covers(wanted)))
    }
}

/// Checks with their folder from the root.
fn placed(checks: &[Known], folder: Option<&str>) -> Vec<Known> {
    let mut checks = checks.to_vec();
    for check in &mut checks {
        check.folder = folder.map(str::to_owned);
    }
    checks
}
