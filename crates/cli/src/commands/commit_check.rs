//! `engine commit-check`: what must be right before a commit.

use std::process::Command;
use std::time::Instant;

use engine_app::error::{CommandError, Outcome};
use engine_app::task::Desk;
use engine_app::task::validate::flaws;
use engine_rules::COMMIT_CHECKS;
use engine_store::config_file;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn run(ui: &Ui) -> Outcome {
    let desk = Desk::open()?;
    let config = config_file::load_fresh(&desk.project);
    let flaws = flaws(&desk)?;
    let serious: Vec<String> = flaws
        .iter()
        .filter(|flaw| flaw.serious)
        .map(|flaw| format!("{}:{}: {}", desk.name(), flaw.line, flaw.text))
        .collect();
    let mut failed = usize::from(!serious.is_empty());
    let mut rows: Vec<Value> = Vec::new();
    if !ui.is_json() {
        tell(ui, serious.is_empty(), "tasks", &serious.join("\n  "));
    }
    for command in config.commands(&COMMIT_CHECKS) {
        let started = Instant::now();
        let output = Command::new("sh").args(["-c", command]).current_dir(desk.project.root()).output()?;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).trim().to_owned();
        let passed = output.status.success();
        failed += usize::from(!passed);
        let seconds = started.elapsed().as_secs_f64();
        rows.push(
            json!({"command": command, "exit": output.status.code(), "seconds": seconds, "output": printed}),
        );
        if !ui.is_json() {
            let detail = if passed { String::new() } else { last_lines(&printed) };
            tell(ui, passed, &format!("{command} ({seconds:.1} s)"), &detail);
        }
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "failed": failed, "tasks": serious, "checks": rows}));
    }
    match (failed, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!("{failed} of {} failed", rows.len() + 1))),
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
