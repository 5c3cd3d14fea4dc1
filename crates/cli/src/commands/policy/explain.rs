//! `engine policy explain`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::policy::PolicyContext;
use engine_core::policy::{CallFacts, Match};
use engine_shell::{Effect, Problem};
use serde_json::{Value, json};

use super::{match_json, message};
use crate::ui::{Tone, Ui, toned};

/// Show how a command is read, its effects, and each rule's answer
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine policy explain 'sudo bash -c \"rm -rf build\"'")]
pub(crate) struct PolicyExplainArgs {
    /// The command line to judge
    pub(crate) command: String,
}

pub(super) fn run(args: &PolicyExplainArgs, ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?.sound()?;
    let facts = policies.facts(&args.command, None)?;
    let found = policies.judge_all(&facts);
    if ui.is_json() {
        ui.object(&object(&facts, &found));
        return Ok(());
    }
    ui.line(toned(Tone::Strong, "It runs"));
    for (index, run) in facts.analysis.runs.iter().enumerate() {
        let via = if run.via.is_empty() { String::new() } else { format!("   (by {})", run.via.join(", ")) };
        let remote = if run.remote { "   (elsewhere, judged by the packs cloud and database)" } else { "" };
        ui.line(format!("  {} {}{via}{remote}", index + 1, run.shown()));
        for effect in facts.effects.iter().filter(|effect| effect.run() == index) {
            ui.line(format!("      {} {}", effect_word(effect), effect.path()));
        }
    }
    if facts.analysis.runs.is_empty() {
        ui.line("  nothing");
    }
    if let Some(problem) = &facts.analysis.problem {
        ui.line(format!("  {} {}", toned(Tone::Careful, "not read to its end:"), problem_text(problem)));
    }
    ui.line(toned(Tone::Strong, "The rules say"));
    for found in &found {
        ui.line(format!("  {} {}", found.verdict.as_str(), message(found)));
    }
    if found.is_empty() {
        ui.line("  nothing");
    }
    Ok(())
}

fn object(facts: &CallFacts, found: &[Match]) -> Value {
    let runs: Vec<Value> = facts
        .analysis
        .runs
        .iter()
        .map(|run| json!({"command": run.shown(), "program": run.program, "via": run.via, "cwd": run.cwd, "remote": run.remote}))
        .collect();
    let effects: Vec<Value> = facts
        .effects
        .iter()
        .map(|effect| json!({"run": effect.run(), "effect": effect_word(effect), "path": effect.path()}))
        .collect();
    let rows: Vec<Value> = found.iter().map(match_json).collect();
    let problem = facts.analysis.problem.as_ref().map(problem_text);
    json!({"version": 1, "runs": runs, "effects": effects, "problem": problem, "matches": rows})
}

fn effect_word(effect: &Effect) -> &'static str {
    match effect {
        Effect::Read { .. } => "reads",
        Effect::Write { .. } => "writes",
        Effect::Folder { .. } => "makes the folder",
        Effect::Delete { recursive: true, .. } => "deletes with everything below",
        Effect::Delete { .. } => "deletes",
        Effect::Attributes { recursive: true, .. } => "changes owner or mode below",
        Effect::Attributes { .. } => "changes owner or mode of",
    }
}

fn problem_text(problem: &Problem) -> String {
    match problem {
        Problem::Syntax(why) => why.clone(),
        Problem::Bound(what) | Problem::TooLarge(what) => (*what).to_owned(),
    }
}
