//! `engine learn add | list`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::learn::Learnings;
use engine_core::learning::Learning;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

/// Keep what went wrong once and how it is done right: learnings.md
///
/// A fact, a decision, a preference or a pitfall, with the files that it is about, is a note: engine remember TEXT.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Add a learning
    #[command(
        after_long_help = "Example:\n  engine learn add \"Compare whole outputs\" --anti \"assert on a substring\" --correct \"compare the whole output\" --reason \"wrong under green tests\""
    )]
    Add {
        /// What was learned, in a line
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
    let learnings = Learnings::of(project()?);
    let name = learnings.name();
    let LearnCommand::Add { title, anti, correct, reason } = command else {
        return list(&learnings.list()?, &name, ui);
    };
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let new = Learning {
        title: title.clone(),
        anti_pattern: anti.clone(),
        correct_pattern: correct.clone(),
        reason: reason.clone(),
        line: 0,
    };
    learnings.add(&new)?;
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
