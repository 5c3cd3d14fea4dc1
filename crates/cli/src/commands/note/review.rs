//! `engine note review`.

use engine_app::error::{CommandError, Outcome};
use engine_app::note::CommandContext;
use engine_app::note::review::{Remark, Topic, review};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

const TOPICS: [Topic; 4] = [Topic::Stale, Topic::Contradicting, Topic::NeverRead, Topic::Damaged];

/// Of each topic.
const SHOWN: usize = 20;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let found = review(context)?;
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "remarks": rows}));
        return Ok(());
    }
    if found.is_empty() {
        return Err(CommandError::nothing("no note needs a look"));
    }
    for topic in TOPICS {
        let remarks: Vec<&Remark> = found.iter().filter(|remark| remark.topic == topic).collect();
        if !remarks.is_empty() {
            ui.line(toned(Tone::Strong, &format!("{}: {}", topic.as_str(), remarks.len())));
        }
        for remark in remarks.iter().take(SHOWN) {
            tell(remark, ui);
        }
        if remarks.len() > SHOWN {
            ui.line(format!("  and {} more: engine note review --json", remarks.len() - SHOWN));
        }
    }
    Ok(())
}

fn tell(remark: &Remark, ui: &Ui) {
    let other = remark.other.as_deref().map_or_else(String::new, |other| format!(" and {other}"));
    ui.line(format!("  {}{other}: {}", remark.id, remark.why));
    for text in &remark.texts {
        ui.line(format!("    {text}"));
    }
    for (meaning, command) in &remark.commands {
        ui.line(format!("    {meaning}: {command}"));
    }
}

fn row(remark: &Remark) -> Value {
    let commands: Vec<&str> = remark.commands.iter().map(|(_, command)| command.as_str()).collect();
    json!({"topic": remark.topic.as_str(), "id": remark.id, "other": remark.other, "why": remark.why, "commands": commands})
}
