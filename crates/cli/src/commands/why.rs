//! `engine why`.

use std::path::Path;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::journal::{by_id, last_decision};
use engine_app::time;
use engine_core::file_link::Protocol;
use engine_core::journal::{Entry, FindingLine};
use engine_store::config_file;
use engine_store::read::read_string;
use engine_store::reason::reason;

use crate::ui::{Tone, Ui, linked, toned};

/// Tell why a decision was made
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine why\n  engine why 01kb2q3m9xyz")]
pub(crate) struct WhyArgs {
    /// The decision's id, or the beginning of it; nothing: the last decision
    pub(crate) id: Option<String>,
}

pub(super) fn run(args: &WhyArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let entry = match &args.id {
        None => last_decision(&project)?,
        Some(id) => by_id(&project, id)?,
    };
    let whole = entry.cut.then(|| {
        let path = project.full_text_folder().join(format!("{}.txt", entry.id));
        read_string(&path).map_err(|error| format!("{}: {}", path.display(), reason(&error)))
    });
    if ui.is_json() {
        let mut object = serde_json::to_value(&entry).unwrap_or_default();
        object["version"] = 1.into();
        if let Some(Ok(whole)) = whole {
            object["wholeText"] = whole.into();
        }
        ui.object(&object);
        return Ok(());
    }
    show(&entry, Protocol::of(&config_file::load(&project)), ui);
    match whole {
        Some(Ok(text)) => ui.line(format!("\n{}\n{text}", toned(Tone::Strong, "The whole text:"))),
        Some(Err(why)) => ui.line(format!("  The whole text is not there any more: {why}")),
        None => {}
    }
    Ok(())
}

fn show(entry: &Entry, links: Protocol, ui: &Ui) {
    let at = time::shown(&entry.at);
    let what = [Some(entry.event.as_str()), entry.tool.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let who = match (&entry.agent, &entry.agent_type) {
        (Some(id), kind) => format!("subagent {} {id}", kind.as_deref().unwrap_or_default()),
        (None, _) => "main agent".to_owned(),
    };
    ui.line(format!("{}  {what}  {at}", toned(Tone::Strong, &entry.id)));
    ui.line(format!("  session   {}, {who}", entry.session));
    if let Some(judged) = &entry.rewritten {
        ui.line(format!("  judged    {judged}"));
    }
    if let Some(command) = &entry.command {
        ui.line(format!("  command   {command}"));
    }
    if let Some(input) = &entry.input {
        ui.line(format!("  input     {}", linked(input, Path::new(input), links)));
    }
    if let Some(exit) = entry.exit {
        ui.line(format!("  exit      {exit}"));
    }
    for finding in &entry.findings {
        show_finding(finding, ui);
    }
    for trouble in &entry.trouble {
        ui.line(format!("  {}   {trouble}", toned(Tone::Careful, "trouble")));
    }
    ui.line(format!("  answer    {}, {} bytes to the model, {} µs", entry.verdict, entry.bytes, entry.us));
}

fn show_finding(finding: &FindingLine, ui: &Ui) {
    let shadow = if finding.shadow { " (shadow)" } else { "" };
    ui.line(format!("  rule      {}{shadow}", finding.rule));
    if let Some(error) = &finding.error {
        ui.line(format!("            {} {error}", toned(Tone::Bad, "failed:")));
    }
    if let Some(reason) = &finding.reason {
        let word = finding.decision.as_deref().unwrap_or("said");
        ui.line(format!("            {} {reason}", toned(Tone::Bad, &format!("{word}:"))));
    }
    if let Some(context) = &finding.context {
        ui.line("            to the model:");
        for line in context.lines() {
            ui.line(format!("            | {line}"));
        }
    }
    for line in &finding.lines {
        ui.line(format!("            to the person: {line}"));
    }
    if let Some(because) = &finding.because {
        ui.line(format!("            because {because}"));
    }
}
