//! `engine policy check | explain | list | test`.

use clap::Subcommand;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::policy::{GUARD, PolicyContext, Tested, strictest};
use engine_app::wording::counted;
use engine_core::policy::{self, Level, Match};
use engine_shell::{Effect, Problem};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Tell what the policy says: exit 0 for nothing, 1 blocked, 4 ask
    #[command(
        after_long_help = "Examples:\n  engine policy check 'git push --force'\n  engine policy check --tool Write src/main.rs"
    )]
    Check {
        /// A command line; with --tool a path
        subject: String,
        /// Another tool than Bash: Read, Write, Edit, or any name
        #[arg(long)]
        tool: Option<String>,
    },
    /// Show how a command is read, its effects, and each rule's answer
    #[command(after_long_help = "Example:\n  engine policy explain 'sudo bash -c \"rm -rf build\"'")]
    Explain { command: String },
    /// List the rules with their verdicts
    #[command(after_long_help = "Examples:\n  engine policy list\n  engine policy list --json")]
    List,
    /// Run the tests of .engine/policy.tests.toml
    #[command(after_long_help = "Example:\n  engine policy test")]
    Test,
}

pub(super) fn run(command: &PolicyCommand, ui: &Ui) -> Outcome {
    match command {
        PolicyCommand::Check { subject, tool } => check(subject, tool.as_deref(), ui),
        PolicyCommand::Explain { command } => explain(command, ui),
        PolicyCommand::List => list(ui),
        PolicyCommand::Test => test(ui),
    }
}

/// A match as a line: the rule that guards engine says all in its reason.
fn message(found: &Match) -> String {
    if found.rule == GUARD { format!("{GUARD}: {}", found.reason) } else { found.message() }
}

fn match_json(found: &Match) -> Value {
    json!({"rule": found.rule, "verdict": found.verdict.as_str(), "what": found.what, "reason": found.reason,
        "instead": found.instead})
}

fn check(subject: &str, tool: Option<&str>, ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?;
    let facts = policies.facts(subject, tool)?;
    let found = policies.judge_all(&facts);
    let verdict = strictest(&found);
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(match_json).collect();
        let word = verdict.map_or("none", Level::as_str);
        ui.object(&json!({"version": 1, "verdict": word, "matches": rows}));
    } else if found.is_empty() {
        ui.line("nothing to say");
    } else {
        for found in &found {
            let tone = if found.verdict >= Level::Ask { Tone::Bad } else { Tone::Careful };
            ui.line(format!("{} {}", toned(tone, found.verdict.as_str()), message(found)));
        }
    }
    match verdict {
        Some(Level::Block) => Err(CommandError::already_told()),
        Some(Level::Ask) => Err(CommandError::already_told().of(Failure::Ask)),
        _ => Ok(()),
    }
}

fn explain(command: &str, ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?;
    let facts = policies.facts(command, None)?;
    let found = policies.judge_all(&facts);
    if ui.is_json() {
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
        ui.object(
            &json!({"version": 1, "runs": runs, "effects": effects, "problem": problem, "matches": rows}),
        );
        return Ok(());
    }
    ui.line(toned(Tone::Strong, "It runs"));
    for (index, run) in facts.analysis.runs.iter().enumerate() {
        let via = if run.via.is_empty() { String::new() } else { format!("   (by {})", run.via.join(", ")) };
        let remote = if run.remote { "   (elsewhere, not judged)" } else { "" };
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

fn effect_word(effect: &Effect) -> &'static str {
    match effect {
        Effect::Read { .. } => "reads",
        Effect::Write { .. } => "writes",
        Effect::Delete { recursive: true, .. } => "deletes with everything below",
        Effect::Delete { .. } => "deletes",
        Effect::Attributes { .. } => "changes owner or mode below",
    }
}

fn problem_text(problem: &Problem) -> String {
    match problem {
        Problem::Syntax(why) => why.clone(),
        Problem::Bound(what) => (*what).to_owned(),
    }
}

fn list(ui: &Ui) -> Outcome {
    let policies = PolicyContext::here()?;
    let own = &policies.loaded.policy.rules;
    if ui.is_json() {
        let built = policy::built_in().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict(&policies.config).as_str(), "default": rule.verdict.as_str(),
                "about": rule.about, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "built in"})
        });
        let own = own.iter().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "project"})
        });
        let rows: Vec<Value> = built.chain(own).collect();
        let problems: Vec<Value> = policies
            .loaded
            .problems
            .iter()
            .map(|problem| json!({"line": problem.line, "text": problem.text}))
            .collect();
        ui.object(&json!({"version": 1, "rules": rows, "problems": problems}));
        return Ok(());
    }
    let mut rows = vec![["RULE", "VERDICT", "MATCHES"].map(str::to_owned).to_vec()];
    for rule in policy::built_in() {
        rows.push(vec![
            rule.id.to_owned(),
            rule.verdict(&policies.config).as_str().to_owned(),
            rule.about.to_owned(),
        ]);
    }
    for rule in own {
        rows.push(vec![
            rule.id.clone(),
            rule.verdict.clone(),
            format!("{} (.engine/policy.toml)", rule.reason),
        ]);
    }
    ui.text(&aligned(&rows, ""));
    for problem in &policies.loaded.problems {
        ui.talk(format!(
            "{} .engine/policy.toml:{}: {}",
            toned(Tone::Bad, "not used:"),
            problem.line,
            problem.text
        ));
    }
    Ok(())
}

fn test(ui: &Ui) -> Outcome {
    let Tested { tests, failures } = PolicyContext::here()?.test()?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "tests": tests, "failures": failures}));
    } else {
        for failure in &failures {
            ui.line(failure);
        }
        ui.talk(format!("{}, {}", counted(tests as u64, "test"), counted(failures.len() as u64, "failure")));
    }
    if failures.is_empty() { Ok(()) } else { Err(CommandError::already_told()) }
}
