//! What must be right before a commit: the tasks, and the checks of `commit.checks`.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use engine_core::config::{Assignment, Layer};
use engine_rules::COMMIT_CHECKS;
use engine_store::config_file;

use crate::error::CommandError;
use crate::task::CommandContext;
use crate::task::validate::flaws;

/// What is seriously wrong with the tasks, a line each.
pub fn of_tasks(context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let flaws = flaws(context)?;
    let serious = flaws.iter().filter(|flaw| flaw.serious);
    Ok(serious.map(|flaw| format!("{}:{}: {}", context.name(), flaw.line, flaw.text)).collect())
}

/// The commands of `commit.checks`, and why others of the file are not among them.
pub fn commands(context: &CommandContext) -> (Vec<String>, Option<String>) {
    let config = config_file::load_fresh(&context.project);
    let commands = config.commands(&COMMIT_CHECKS).into_iter().map(ToString::to_string).collect();
    // What the person's own variable sets takes the place of the file's, held or not.
    let is_named = |one: &Assignment| one.layer == Layer::Environment && one.name == COMMIT_CHECKS.name;
    let is_set = config.assignments().iter().any(is_named);
    let held = config.held().find(|one| !is_set && one.name == COMMIT_CHECKS.name).map(|one| {
        let accept = if config.acceptance().is_untrusted { "engine trust" } else { "engine config accept" };
        format!("{} is held and was not run; a person accepts it: {accept}", one.entry())
    });
    (commands, held)
}

/// A check that ran to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    pub exit: Option<i32>,
    pub passed: bool,
    pub seconds: f64,
    /// Both streams.
    pub output: String,
}

/// Runs one of them in the project's root.
pub fn run(command: &str, root: &Path) -> Result<Ran, CommandError> {
    let started = Instant::now();
    let output = Command::new("sh").args(["-c", command]).current_dir(root).output().map_err(|error| {
        CommandError::refused(format!("sh could not be started in {}: {error}", root.display()))
            .caused_by(error)
    })?;
    let printed = [output.stdout, output.stderr].concat();
    Ok(Ran {
        exit: output.status.code(),
        passed: output.status.success(),
        seconds: started.elapsed().as_secs_f64(),
        output: String::from_utf8_lossy(&printed).trim().to_owned(),
    })
}
