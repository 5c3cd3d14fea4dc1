//! `engine chain parse`.

use clap::Args;
use engine_app::chain::{Parsed, place, with_exits};
use engine_app::error::Outcome;
use engine_app::registry::Skills;
use engine_core::chain::{Entry, Note, explain, read, written};
use engine_text::line::one_line;
use serde_json::{Value, json};

use super::{entry_json, input};
use crate::ui::Ui;

/// Read a prompt and show the chain that it is
///
/// With --json: {"current", "continuation", "unknown", "leftOut", "offered"}, exits included, or null.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine chain parse '/design plans/foo, but do not commit'\n  echo '/design plans/foo, /plan-adhoc and /orchestrate' | engine chain parse\n  engine chain parse --explain < prompt.txt"
)]
pub(crate) struct ChainParseArgs {
    /// Tell what became of each name, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// The prompt; without it, stdin
    pub(crate) prompt: Option<String>,
}

pub(super) fn run(args: &ChainParseArgs, ui: &Ui) -> Outcome {
    let prompt = &input(args.prompt.as_deref())?;
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
                let exit = if index < typed { "" } else { "   (exit)" };
                ui.line(format!("{}{exit}", written(entry)));
            }
            for (exit, words) in &parsed.left_out {
                ui.line(format!("left out: {} (the prompt says \"{}\")", written(exit), one_line(words, 60)));
            }
            for exit in &parsed.offered {
                ui.line(format!("offered when the chain is done: {}", written(exit)));
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
    let left_out =
        |(exit, words): &(Entry, String)| json!({"skill": exit.skill, "args": exit.args, "words": words});
    let left_out: Vec<Value> = parsed.left_out.iter().map(left_out).collect();
    let offered: Vec<Value> = parsed.offered.iter().map(entry_json).collect();
    json!({"current": entry_json(&parsed.entries[0]), "continuation": rest, "unknown": parsed.unknown,
        "leftOut": left_out, "offered": offered})
}

fn note_json(prompt: &str, note: &Note) -> Value {
    let (line, column) = place(prompt, note.at);
    json!({"line": line, "column": column, "name": note.name, "entry": note.why.is_entry(), "why": note.why.text()})
}
