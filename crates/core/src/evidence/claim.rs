//! The checks that a message names, where somebody named something else.

use super::ledger::{Check, Line, Outcome};

/// How many commands a message names.
const SHOWN: usize = 5;

/// The known checks that ran, each once.
pub fn checks_that_ran(lines: &[Line]) -> Option<String> {
    listed(known(lines))
}

/// The known checks that failed, each once.
pub fn checks_that_failed(lines: &[Line]) -> Option<String> {
    listed(known(lines).filter(|check| matches!(check.outcome, Outcome::Failed { .. })))
}

fn known(lines: &[Line]) -> impl Iterator<Item = &Check> {
    lines.iter().filter_map(|line| match line {
        Line::Check(check) if check.known => Some(check),
        Line::Check(_) | Line::Edit { .. } => None,
    })
}

fn listed<'c>(checks: impl Iterator<Item = &'c Check>) -> Option<String> {
    let mut commands: Vec<String> = Vec::new();
    for check in checks {
        let shown = format!("`{}`", check.command);
        if !commands.contains(&shown) {
            commands.push(shown);
        }
    }
    let more = commands.len().saturating_sub(SHOWN);
    commands.truncate(SHOWN);
    if more > 0 {
        commands.push(format!("and {more} more"));
    }
    (!commands.is_empty()).then(|| commands.join(", "))
}
