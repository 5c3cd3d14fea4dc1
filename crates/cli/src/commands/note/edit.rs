//! `engine note edit`.

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::{CommandError, Outcome};
use engine_app::note::CommandContext;
use engine_app::note::edit::{Edit, edit};
use engine_app::stdin;
use engine_core::note::Kind;
use serde_json::json;

use super::{kind, object};
use crate::ui::Ui;

/// Change a note: its text, kind, scope, or the commit at which it was found true
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine note edit locks-per-file --checked\n  engine note edit locks-per-file --scope 'crates/store/**' --scope 'crates/app/**'\n  engine note edit locks-per-file --text -"
)]
pub(crate) struct NoteEditArgs {
    /// The slug, or the beginning of it
    #[arg(value_name = "SLUG")]
    pub(crate) slug: String,
    /// The new text; -: from stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// decision, fact, preference or pitfall
    #[arg(long, value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Files that it is about, in place of the old ones; several times; '': none
    #[arg(long, value_name = "GLOB")]
    pub(crate) scope: Vec<String>,
    /// From where it is known
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// It was found true at this commit; alone: at the one that is checked out
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "")]
    pub(crate) checked: Option<String>,
    /// A note that is not told any more, in place of the old ones; several times; '': none
    #[arg(long, value_name = "SLUG")]
    pub(crate) supersedes: Vec<String>,
    /// For an agent, and a note of --mine or of a person: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &NoteEditArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let typed = match args.text.as_deref() {
        Some("-") => Some(stdin::read(stdin::FOR_A_COMMAND).map_err(CommandError::from_error)?),
        text => text.map(str::to_owned),
    };
    let change = Edit {
        text: typed.as_deref(),
        kind: args.kind,
        scope: &args.scope,
        source: args.source.as_deref(),
        checked: args.checked.as_deref(),
        supersedes: &args.supersedes,
    };
    let consent = Consent { reading: args.user_approved.as_deref(), yes: false };
    let edited = edit(context, &args.slug, &change, consent)?;
    if ui.is_json() {
        let note = object(&edited.entry, &context.notes()?, context);
        ui.object(&json!({"version": 1, "note": note, "redacted": edited.redacted}));
        return Ok(());
    }
    ui.line(format!("changed {}", edited.entry.id()));
    if edited.redacted {
        ui.line("something in it looked like a secret, and was left out: [redacted]");
    }
    Ok(())
}
