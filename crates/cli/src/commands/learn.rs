//! `engine learn add | list`.

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_core::learning::{self, Learning};
use engine_store::{config_file, task_file};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Add a learning
    #[command(
        after_long_help = "Example:\n  engine learn add \"Compare whole outputs\" --anti \"assert on a substring\" --correct \"compare the whole output\" --reason \"wrong under green tests\""
    )]
    Add {
        title: String,
        /// What was done wrong
        #[arg(long)]
        anti: String,
        /// What is right
        #[arg(long)]
        correct: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// List the learnings
    #[command(after_long_help = "Example:\n  engine learn list")]
    List,
}

pub(super) fn run(command: &LearnCommand, ui: &Ui) -> Outcome {
    let project = project()?;
    let path = task_file::learnings(&project, &config_file::load(&project));
    let name = path.strip_prefix(project.root()).unwrap_or(&path).display().to_string();
    let LearnCommand::Add { title, anti, correct, reason } = command else {
        return list(&learning::parse(&task_file::read(&path)?), &name, ui);
    };
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(CommandError::usage("a learning needs a title"));
    }
    let new = Learning {
        title: title.clone(),
        anti_pattern: anti.clone(),
        correct_pattern: correct.clone(),
        reason: reason.clone(),
        line: 0,
    };
    task_file::edit(&project, &path, |text, _| {
        let twin =
            learning::parse(text).into_iter().find(|old| old.title.to_lowercase() == title.to_lowercase());
        match twin {
            Some(twin) => {
                Err(CommandError::refused(format!("{title} is there already, in line {}", twin.line)))
            }
            None => Ok((Some(learning::with(text, &new)), ())),
        }
    })?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "title": title, "file": name}));
    } else {
        ui.line(format!("added {title} to {name}"));
    }
    Ok(())
}

fn list(learnings: &[Learning], file: &str, ui: &Ui) -> Outcome {
    if ui.is_json() {
        let rows: Vec<Value> = learnings
            .iter()
            .map(|one| {
                json!({"title": one.title, "antiPattern": one.anti_pattern, "correctPattern": one.correct_pattern,
                    "reason": one.reason, "line": one.line})
            })
            .collect();
        ui.object(&json!({"version": 1, "file": file, "learnings": rows}));
        return Ok(());
    }
    for one in learnings {
        ui.line(toned(Tone::Strong, &one.title));
        ui.line(format!("  not: {}", one.anti_pattern));
        ui.line(format!("  but: {}", one.correct_pattern));
        ui.line(format!("  why: {}", one.reason));
    }
    if learnings.is_empty() {
        ui.talk("no learnings yet");
    }
    Ok(())
}
