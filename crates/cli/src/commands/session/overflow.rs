//! `engine session dehydrate`, `restart` and `clear`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::overflow::{self, Saved};
use engine_app::stdin;
use engine_app::wording::counted;
use engine_core::work::payload::MOST_FILES;
use serde_json::{Map, Value, json};

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct DehydrateArgs {
    pub(crate) path: String,
    #[arg(long)]
    pub(crate) summary: Option<String>,
    #[arg(long)]
    pub(crate) last_action: Option<String>,
    /// A step that comes next; again for more
    #[arg(long)]
    pub(crate) next: Vec<String>,
    /// A file to read first; again for more, eight at most
    #[arg(long)]
    pub(crate) file: Vec<String>,
    #[arg(long)]
    pub(crate) instructions: Option<String>,
    /// What the user said that still counts
    #[arg(long)]
    pub(crate) user_history: Option<String>,
}

pub(super) fn dehydrate(args: &DehydrateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (work, dropped) = overflow::dehydrate(context, &args.path, from_options(args), &stdin::piped)?;
    if dropped > 0 {
        let text =
            format!("the first {MOST_FILES} files are kept, {} left out", counted(dropped as u64, "file"));
        ui.talk(format!("{} {text}", toned(Tone::Careful, "cut:")));
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "dropped": dropped}));
    } else {
        ui.line(format!("{}: saved; the next agent session of this work is told once", work.shown()));
    }
    Ok(())
}

fn from_options(args: &DehydrateArgs) -> Map<String, Value> {
    let mut object = Map::new();
    let texts = [
        ("summary", &args.summary),
        ("lastAction", &args.last_action),
        ("handoverInstructions", &args.instructions),
        ("userHistory", &args.user_history),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            object.insert(key.to_owned(), json!(text));
        }
    }
    for (key, list) in [("nextSteps", &args.next), ("requiredFiles", &args.file)] {
        if !list.is_empty() {
            object.insert(key.to_owned(), json!(list));
        }
    }
    object
}

pub(super) fn restart(path: Option<&str>, context: &CommandContext, ui: &Ui) -> Outcome {
    let saved = overflow::restart(context, path)?;
    let how = if saved.restarts {
        "end this session, and engine run starts the client again with"
    } else {
        "start a new client with"
    };
    told(&saved, how, ui);
    Ok(())
}

pub(super) fn clear(path: Option<&str>, context: &CommandContext, ui: &Ui) -> Outcome {
    told(&overflow::clear(context, path)?, "after /clear go on with", ui);
    Ok(())
}

fn told(Saved { work, prompt, .. }: &Saved, how: &str, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "prompt": prompt}));
    } else {
        ui.line(format!("{}: saved; {how}:", work.shown()));
        ui.line(prompt);
    }
}
