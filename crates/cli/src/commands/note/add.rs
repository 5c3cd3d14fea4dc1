//! `engine remember` and `engine note add`.

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::note::CommandContext;
use engine_app::note::remember::{Remembered, Words, remember};
use engine_app::stdin::{self, NoInput};
use engine_core::note::{Entry, Kind, Place};
use serde_json::{Value, json};

use super::{kind, object};
use crate::ui::Ui;

pub(super) const EXAMPLES: &str = "Examples:\n  engine remember 'decision: locks are per file, because one for the folder made twenty sessions wait'\n  engine remember 'the journal is cut off at 8 MB' --scope 'crates/store/**'\n  engine remember --into locks-per-file 'decision: locks are per file and last 5 s at most'\n  engine remember - <<'EOF'\n  pitfall: …\n  EOF";

/// Remember one fact: a note in .engine/memory/, told to whoever works on the files of its scope, and found by recall
///
/// What went wrong once, and how it is done right, is a learning: engine learn add.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RememberArgs {
    /// One fact, of at most 200 words; -: from stdin
    pub(crate) text: Vec<String>,
    /// decision, fact, preference or pitfall; without it what the text begins with (decision: …), else fact
    #[arg(long, value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Files that it is about: a glob or a folder from the root, several times; without it, it is found by recall only
    #[arg(long, value_name = "GLOB")]
    pub(crate) scope: Vec<String>,
    /// From where it is known; without it the open plan, the work session or who typed it
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Put the text into this note, in place of its own
    #[arg(long, value_name = "SLUG")]
    pub(crate) into: Option<String>,
    /// A note that is not told any more, because this one is true; several times
    #[arg(long, value_name = "SLUG")]
    pub(crate) supersedes: Vec<String>,
    /// For you in every project; an agent needs your approval
    #[arg(long)]
    pub(crate) mine: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
    /// For a script, which has no terminal: it means it
    #[arg(long, requires = "mine")]
    pub(crate) yes: bool,
}

pub(super) fn run(args: &RememberArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let text = match &args.text[..] {
        [one] if one == "-" => read_stdin()?,
        // Without a word: an agent's shell may hold its stdin open and say nothing.
        [] => stdin::piped().map_err(CommandError::from_error)?.unwrap_or_default(),
        words => words.join(" "),
    };
    let consent = Consent { reading: args.user_approved.as_deref(), yes: args.yes };
    let words = Words {
        text: &text,
        kind: args.kind,
        scope: &args.scope,
        source: args.source.as_deref(),
        into: args.into.as_deref(),
        supersedes: &args.supersedes,
        mine: args.mine,
        consent,
    };
    tell(&remember(context, &words)?, context, ui)
}

fn tell(kept: &Remembered, context: &CommandContext, ui: &Ui) -> Outcome {
    let near = |one: &engine_app::note::remember::Near| json!({"id": one.id, "title": one.title, "near": f64::from(one.hundredths) / 100.0, "command": one.command});
    if ui.is_json() {
        let near: Vec<Value> = kept.near.iter().map(near).collect();
        let slug = kept.id.trim_start_matches("mine/").to_owned();
        let place = if slug == kept.id { Place::Project } else { Place::Person };
        let note = object(&Entry { place, slug, note: Ok(kept.note.clone()) }, &context.notes()?, context);
        ui.object(&json!({"version": 1, "note": note, "redacted": kept.redacted, "near": near, "put_away": kept.put_away}));
        return Ok(());
    }
    ui.line(format!("kept as {} ({}): {}", kept.id, kept.note.kind.as_str(), kept.file));
    if kept.redacted {
        ui.line("something in it looked like a secret, and was left out: [redacted]");
    }
    for file in &kept.put_away {
        ui.line(format!("what was there before: {file}"));
    }
    for one in &kept.near {
        ui.line(format!("near it: {}: {}", one.id, one.title));
        ui.line(format!("  if that is the same fact, put this text there: {}", one.command));
    }
    Ok(())
}

fn read_stdin() -> Result<String, CommandError> {
    stdin::read(stdin::FOR_A_COMMAND).map_err(|error| match error {
        NoInput::Terminal => CommandError::from_error(error).of(Failure::Usage),
        _ => CommandError::from_error(error),
    })
}
