//! `engine commit-check`: what must be right before a commit.

use engine_app::commit_check::{self, Ran};
use engine_app::error::{CommandError, Outcome};
use engine_app::task::CommandContext;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn run(ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    let serious = commit_check::of_tasks(&context)?;
    let mut failed = usize::from(!serious.is_empty());
    let mut rows: Vec<Value> = Vec::new();
    if !ui.is_json() {
        tell(ui, serious.is_empty(), "tasks", &serious.join("\n  "));
    }
    let (commands, held) = commit_check::commands(&context);
    if let Some(held) = &held {
        failed += 1;
        if !ui.is_json() {
            tell(ui, false, "checks", held);
        }
    }
    for command in commands {
        let Ran { exit, passed, seconds, output } = commit_check::run(&command, context.project.root())?;
        failed += usize::from(!passed);
        rows.push(json!({"command": command, "exit": exit, "seconds": seconds, "output": output}));
        if !ui.is_json() {
            let detail = if passed { String::new() } else { last_lines(&output) };
            tell(ui, passed, &format!("{command} ({seconds:.1} s)"), &detail);
        }
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "failed": failed, "tasks": serious, "checks": rows, "held": held}));
    }
    match (failed, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!(
            "{failed} of {} failed",
            rows.len() + 1 + usize::from(held.is_some())
        ))),
    }
}

fn tell(ui: &Ui, passed: bool, what: &str, detail: &str) {
    let word = if passed { toned(Tone::Good, "ok") } else { toned(Tone::Bad, "failed") };
    ui.line(format!("{word} {what}"));
    if !detail.is_empty() {
        ui.line(format!("  {detail}"));
    }
}

/// The end of a long output is where it says what went wrong.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n  ")
}
