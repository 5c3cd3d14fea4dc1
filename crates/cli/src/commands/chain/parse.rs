//! `engine chain parse`.

use clap::Args;
use engine_app::chain::{Parsed, place, with_exits};
use engine_app::error::Outcome;
use engine_app::registry::Skills;
use engine_core::chain::{Note, explain, read, written};
use serde_json::{Value, json};

use super::{entry_json, input};
use crate::ui::Ui;

/// Read a prompt from stdin and show the chain that it is
///
/// With --json: {"current", "continuation", "unknown"}, default exits included, or null.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  echo '/design plans/foo, /plan-adhoc and /orchestrate' | engine chain parse\n  engine chain parse --explain < prompt.txt"
)]
pub(crate) struct ChainParseArgs {
    /// Tell what became of each name, and why
    #[arg(long)]
    pub(crate) explain: bool,
}

pub(super) fn run(args: &ChainParseArgs, ui: &Ui) -> Outcome {
    let prompt = input()?;
    let prompt = prompt.strip_suffix('\n').unwrap_or(&prompt);
    let skills = Skills::here()?;
    let stands = |name: &str| skills.standing(name);
    let reading = if args.explain { explain(prompt, &stands) } else { read(prompt, &stands) };
    let parsed = with_exits(&reading, &skills);
    if ui.is_json() {
        let mut value = parsed.as_ref().map_or(Value::Null, parsed_json);
        if args.explain {
            let notes: Vec<Value> = reading.notes.iter().map(|note| note_json(prompt, note)).collect();
            value = json!({"chain": value, "notes": notes});
        }
        ui.object(&value);
        return Ok(());
    }
    match &parsed {
        None => ui.line("no chain"),
        Some(parsed) => {
            let typed = parsed.entries.len() - parsed.exits;
            for (index, entry) in parsed.entries.iter().enumerate() {
                let exit = if index < typed { "" } else { "   (default exit)" };
                ui.line(format!("{}{exit}", written(entry)));
            }
            for name in &parsed.unknown {
                ui.line(format!("unknown: /{name}"));
            }
        }
    }
    if args.explain {
        for note in &reading.notes {
            let (line, column) = place(prompt, note.at);
            ui.line(format!("{line}:{column} /{}: {}", note.name, note.why.text()));
        }
    }
    Ok(())
}

fn parsed_json(parsed: &Parsed) -> Value {
    let rest: Vec<Value> = parsed.entries[1..].iter().map(entry_json).collect();
    json!({"current": entry_json(&parsed.entries[0]), "continuation": rest, "unknown": parsed.unknown})
}

fn note_json(prompt: &str, note: &Note) -> Value {
    let (line, column) = place(prompt, note.at);
    json!({"line": line, "column": column, "name": note.name, "entry": note.why.is_entry(), "why": note.why.text()})
}
