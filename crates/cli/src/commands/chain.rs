//! `engine chain parse | peel | show | next | drop | validate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_app::chain::{Parsed, Running, with_exits};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::registry::Skills;
use engine_app::stdin;
use engine_core::chain::{Entry, Note, Stored, explain, listed, marker, read, split, written};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

mod validate;

#[derive(Debug, Subcommand)]
pub(crate) enum ChainCommand {
    /// Read a prompt from stdin and show the chain that it is
    ///
    /// With --json: {"current", "continuation", "unknown"}, default exits included, or null.
    #[command(
        after_long_help = "Examples:\n  echo '/design plans/foo, /plan-adhoc and /orchestrate' | engine chain parse\n  engine chain parse --explain < prompt.txt"
    )]
    Parse {
        /// Tell what became of each name, and why
        #[arg(long)]
        explain: bool,
    },
    /// Take the first entry off the [CONTINUATION: …] suffix of arguments on stdin
    #[command(after_long_help = "Example:\n  echo 'x [CONTINUATION: /a y, /b]' | engine chain peel")]
    Peel,
    /// Show the chain of the session
    #[command(after_long_help = "Examples:\n  engine chain show\n  engine chain show --session 3f2a")]
    Show(ChainSession),
    /// Print the Skill call for the next entry
    #[command(after_long_help = "Example:\n  engine chain next")]
    Next(ChainSession),
    /// End the chain of the session
    #[command(after_long_help = "Example:\n  engine chain drop")]
    Drop(ChainSession),
    /// Run the parser over the prompts of recorded sessions
    ///
    /// Reads the transcripts (*.jsonl) in a folder and below it; without one, all that the client keeps.
    #[command(
        after_long_help = "Examples:\n  engine chain validate\n  engine chain validate transcripts/ --json"
    )]
    Validate { folder: Option<PathBuf> },
}

/// Whose chain.
#[derive(Debug, Args)]
pub(crate) struct ChainSession {
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one with a chain
    #[arg(long)]
    pub(crate) session: Option<String>,
}

pub(super) fn run(command: &ChainCommand, ui: &Ui) -> Outcome {
    match command {
        ChainCommand::Parse { explain } => parse(*explain, ui),
        ChainCommand::Peel => peel(ui),
        ChainCommand::Show(whose) => show(whose, ui),
        ChainCommand::Next(whose) => next(whose, ui),
        ChainCommand::Drop(whose) => end(whose, ui),
        ChainCommand::Validate { folder } => validate::run(folder.as_deref(), ui),
    }
}

fn input() -> Result<String, CommandError> {
    stdin::read(stdin::FOR_A_COMMAND).map_err(|error| CommandError::usage(error.to_string()))
}

fn entry_json(entry: &Entry) -> Value {
    json!({"skill": entry.skill, "args": entry.args})
}

fn parse(with_reasons: bool, ui: &Ui) -> Outcome {
    let prompt = input()?;
    let prompt = prompt.strip_suffix('\n').unwrap_or(&prompt);
    let skills = Skills::here()?;
    let stands = |name: &str| skills.standing(name);
    let reading = if with_reasons { explain(prompt, &stands) } else { read(prompt, &stands) };
    let parsed = with_exits(&reading, &skills);
    if ui.is_json() {
        let mut value = parsed.as_ref().map_or(Value::Null, parsed_json);
        if with_reasons {
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
    if with_reasons {
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

fn place(prompt: &str, at: usize) -> (usize, usize) {
    let before = &prompt[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn peel(ui: &Ui) -> Outcome {
    let text = input()?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let (args, mut entries) = split(text).unwrap_or((text.to_owned(), Vec::new()));
    let first = if entries.is_empty() { None } else { Some(entries.remove(0)) };
    let rest = (!entries.is_empty()).then(|| marker(&entries));
    if ui.is_json() {
        ui.object(&json!({"version": 1, "args": args, "next": first.as_ref().map(entry_json), "rest": rest}));
        return Ok(());
    }
    match first {
        None => return Err(CommandError::nothing("no continuation: the end of the chain")),
        Some(first) => ui.line(written(&first)),
    }
    if let Some(rest) = rest {
        ui.line(rest);
    }
    Ok(())
}

fn find(whose: &ChainSession) -> Result<Running, CommandError> {
    Running::find(&project()?, whose.session.as_deref())
}

fn show(whose: &ChainSession, ui: &Ui) -> Outcome {
    let Running { session: id, chain, .. } = find(whose)?;
    if ui.is_json() {
        let current = chain.as_ref().and_then(|chain| chain.current.as_ref()).map(entry_json);
        let left: Vec<Value> =
            chain.iter().flat_map(Stored::entries).map(|entry| entry_json(&entry)).collect();
        let call = chain.as_ref().and_then(|chain: &Stored| chain.call(&engine_claude::DIALECT));
        ui.object(
            &json!({"version": 1, "session": id, "current": current, "continuation": left, "call": call}),
        );
        return Ok(());
    }
    let Some(chain) = chain else {
        ui.talk("no chain");
        return Ok(());
    };
    if let Some(current) = &chain.current {
        ui.line(format!("{}  {}", toned(Tone::Quiet, "current"), written(current)));
    }
    let entries = chain.entries();
    if let Some((first, rest)) = entries.split_first() {
        ui.line(format!("{}     {}", toned(Tone::Strong, "next"), written(first)));
        if !rest.is_empty() {
            ui.line(format!("{}     {}", toned(Tone::Quiet, "then"), listed(rest)));
        }
    }
    Ok(())
}

fn next(whose: &ChainSession, ui: &Ui) -> Outcome {
    let Running { session: id, chain, .. } = find(whose)?;
    let call = chain.as_ref().and_then(|chain: &Stored| chain.call(&engine_claude::DIALECT));
    let (Some(chain), Some(call)) = (chain, call) else {
        return Err(CommandError::nothing("no chain: nothing comes next"));
    };
    if ui.is_json() {
        let next = chain.next().map(|link| entry_json(&link.entry));
        ui.object(&json!({"version": 1, "session": id, "next": next, "call": call}));
    } else {
        ui.line(call);
    }
    Ok(())
}

fn end(whose: &ChainSession, ui: &Ui) -> Outcome {
    let running = find(whose)?;
    let left = running.end()?;
    if ui.is_json() {
        let left: Vec<Value> = left.iter().map(entry_json).collect();
        ui.object(&json!({"version": 1, "session": running.session, "dropped": left}));
    } else {
        ui.line(format!("dropped: {}", listed(&left)));
    }
    Ok(())
}
