//! `engine session dehydrate`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::{CommandContext, overflow};
use engine_app::stdin;
use engine_app::wording::counted;
use engine_core::work::payload::MOST_FILES;
use serde_json::{Map, Value, json};

use crate::ui::{Tone, Ui, toned};

/// Save what only this context knows, before it runs out
///
/// From options, or as JSON on stdin.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n  engine session dehydrate sessions/2026_02_07_AUTH --summary 'Parser done' --last-action 'cargo test passed' --next 'write the docs' --file src/parser.rs"
)]
pub(crate) struct DehydrateArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// What was done so far
    #[arg(long)]
    pub(crate) summary: Option<String>,
    /// What was done last
    #[arg(long)]
    pub(crate) last_action: Option<String>,
    /// A step that comes next; again for more
    #[arg(long)]
    pub(crate) next: Vec<String>,
    /// A file to read first; again for more, eight at most
    #[arg(long)]
    pub(crate) file: Vec<String>,
    /// What to do next
    #[arg(long)]
    pub(crate) instructions: Option<String>,
    /// What the user said that still counts
    #[arg(long)]
    pub(crate) user_history: Option<String>,
}

pub(super) fn run(args: &DehydrateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (work, dropped) = overflow::dehydrate(context, &args.path, from_options(args), &stdin::piped)?;
    if dropped > 0 {
        let text =
            format!("the first {MOST_FILES} files are kept, {} left out", counted(dropped as u64, "file"));
        ui.talk(format!("{} {text}", toned(Tone::Careful, "cut:")));
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "dropped": dropped}));
    } else {
        ui.line(format!(
            "{}: saved; the next context is told, with its age and what came after",
            work.shown()
        ));
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
