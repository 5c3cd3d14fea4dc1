//! `engine explain`.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::{judging, stdin};
use engine_claude as claude;
use engine_core::event::{Actor, Event};
use engine_core::view::Project as _;
use engine_rules::Rule;
use engine_store::config_file;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

mod finding;

/// Show what each rule says about an event, without any effect
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine explain event.json\n  engine explain < event.json")]
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
    let off = judgement.not_asked(rules, &event);
    if ui.is_json() {
        let findings: Vec<Value> = judgement.judged.iter().map(finding::object).collect();
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
        finding::show(judged, ui);
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
