//! `engine explain`.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::{judging, stdin};
use engine_claude as claude;
use engine_core::event::{Actor, Event};
use engine_core::verdict::{Decision, Judged};
use engine_core::view::Project as _;
use engine_rules::Rule;
use engine_store::config_file;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A file with one event as JSON; - or nothing: stdin
    pub(crate) file: Option<PathBuf>,
}

pub(super) fn run(args: &ExplainArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let (name, text) = match args.file.as_deref().filter(|file| *file != Path::new("-")) {
        None => (
            "stdin".to_owned(),
            stdin::read(stdin::FOR_A_COMMAND).map_err(|error| {
                CommandError::usage(error.to_string()).hint("give a file, or an event on stdin")
            })?,
        ),
        Some(file) => (file.display().to_string(), read(file)?),
    };
    let event = claude::decode(&text)
        .map_err(|error| CommandError::refused(format!("{name}: {error}")).caused_by(error))?;
    // A recorded event names folders of another machine; then the project here is meant.
    let project = match judging::project_of(&event, judging::client_project().as_deref()) {
        Some(project) => project,
        None => here::project()?,
    };
    let judgement = judging::judge(rules, &event, &project, config_file::load_fresh(&project));
    let lines: Vec<String> = judgement.verdict.lines.iter().map(|line| line.text.clone()).collect();
    let answer = claude::encode(&event.name, &judgement.verdict, &lines);
    let listening =
        rules.iter().filter(|rule| event.kind.name().is_some_and(|name| rule.events.contains(&name)));
    let off: Vec<&str> = listening
        .filter(|rule| judgement.judged.iter().all(|judged| judged.rule != rule.id))
        .map(|rule| rule.id)
        .collect();
    if ui.is_json() {
        let findings: Vec<Value> = judgement.judged.iter().map(finding_json).collect();
        let stdout: Value = serde_json::from_str(&answer.stdout).unwrap_or(Value::String(answer.stdout));
        ui.object(&json!({"version": 1, "event": event.name, "project": judgement.view.root(), "findings": findings,
            "notAsked": off, "verdict": judgement.verdict.word(), "stdout": stdout, "undelivered": answer.undelivered}));
        return Ok(());
    }
    ui.line(format!("{} in {}", toned(Tone::Strong, &title(&event)), judgement.view.root().display()));
    if event.is_client_internal() {
        ui.line("  made by the client itself; written down, not judged");
    }
    for judged in &judgement.judged {
        show(judged, ui);
    }
    for rule in off {
        ui.line(format!("  {rule}: not asked"));
    }
    ui.line(format!("answer: {}", if answer.stdout.is_empty() { "nothing" } else { &answer.stdout }));
    Ok(())
}

fn read(file: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(file).map_err(|error| CommandError::at(file.display(), error))
}

fn title(event: &Event<'_>) -> String {
    let mut title =
        if event.name.is_empty() { "an event without a name".to_owned() } else { event.name.to_string() };
    if let Some(call) = event.tool_call() {
        title.push_str(&format!(" {}", call.name));
    }
    if let Actor::Subagent { agent_type, id } = &event.actor {
        title.push_str(&format!(" by subagent {agent_type} {id}"));
    }
    title
}

fn show(judged: &Judged, ui: &Ui) {
    let shadow = if judged.mode == engine_rules::Mode::Shadow { " (shadow)" } else { "" };
    let rule = format!("  {}{shadow}:", judged.rule);
    let finding = match &judged.outcome {
        Err(broken) => return ui.line(format!("{rule} {} {}", toned(Tone::Bad, "failed:"), broken.0)),
        Ok(finding) => finding,
    };
    match &finding.decision {
        Some(Decision::Deny(reason)) => ui.line(format!("{rule} {} {reason}", toned(Tone::Bad, "deny:"))),
        Some(Decision::Ask(reason)) => ui.line(format!("{rule} {} {reason}", toned(Tone::Careful, "ask:"))),
        None if finding.is_silent() && finding.changes.is_empty() => ui.line(format!("{rule} silent")),
        None => ui.line(format!("{rule} no decision")),
    }
    if let Some(context) = &finding.context {
        ui.line(format!("    to the model ({} bytes):", context.len()));
        for line in context.lines() {
            ui.line(format!("    | {line}"));
        }
    }
    for line in &finding.lines {
        ui.line(format!("    to the person: {}", line.text));
    }
    for change in &finding.changes {
        ui.line(format!("    would change: {change:?}"));
    }
    if let Some(because) = &finding.because {
        ui.line(format!("    because {because}"));
    }
}

fn finding_json(judged: &Judged) -> Value {
    match &judged.outcome {
        Err(broken) => json!({"rule": judged.rule, "mode": judged.mode.as_str(), "error": broken.0}),
        Ok(finding) => {
            let decision = finding.decision.as_ref().map(|decision| match decision {
                Decision::Deny(reason) => json!({"deny": reason}),
                Decision::Ask(reason) => json!({"ask": reason}),
            });
            let lines: Vec<&str> = finding.lines.iter().map(|line| line.text.as_str()).collect();
            json!({"rule": judged.rule, "mode": judged.mode.as_str(), "decision": decision, "context": finding.context,
                "lines": lines, "because": finding.because})
        }
    }
}
