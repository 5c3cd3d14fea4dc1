//! `engine directives review`: what a work session could leave for the next agents.

use clap::Args;
use engine_app::directives::AGENTS;
use engine_app::directives::review::{First, Mention, Proposed, Review, review};
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_core::directive::candidate::Candidate;
use engine_core::directive::{FOLDER, Type};
use serde_json::{Value, json};

use crate::ui::Ui;

/// Propose what a work session leaves for the next agents: mentions, invariants, pitfalls
///
/// Directive files that are new or changed since the work session began, and that the AGENTS.md beside them does not mention; all of
/// them, if what the project held then is not known. And what the session's logs mark: entries, and lines in them, that
/// begin with `INV:` or `PTF:`. Each for the folder that the entry names, else for the root; at most five of each. Nothing is
/// written: the user decides, then `engine directives add` and `mention` do it.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine directives review\n  engine directives review sessions/2026_02_07_AUTH --json"
)]
pub(crate) struct DirectivesReviewArgs {
    /// The work session; nothing: the one that this agent session is bound to
    pub(crate) session: Option<String>,
}

pub(super) fn run(args: &DirectivesReviewArgs, ui: &Ui) -> Outcome {
    let Review { work, mentions, invariants, pitfalls, unread } =
        review(&CommandContext::open()?, args.session.as_deref())?;
    ui.talk_all(&unread);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "mentions": object(&mentions, mention_row),
            "invariants": object(&invariants, proposed_row), "pitfalls": object(&pitfalls, proposed_row)}));
        return Ok(());
    }
    if mentions.is_empty() && invariants.is_empty() && pitfalls.is_empty() {
        ui.line(format!("{}: nothing to propose", work.shown()));
        return Ok(());
    }
    ui.line(format!("{}: proposals for {FOLDER}/; the user decides which are taken", work.shown()));
    let lead = "not mentioned in the AGENTS.md beside it (engine directives mention DIR):";
    tell(&mentions, lead, Mention::line, ui);
    let lead = "invariants (engine directives add INVARIANTS DIR --text '…'):";
    tell(&invariants, lead, Proposed::line, ui);
    tell(&pitfalls, "pitfalls (engine directives add PITFALLS DIR --text '…'):", Proposed::line, ui);
    Ok(())
}

fn object<T>(first: &First<T>, row: impl Fn(&T) -> Value) -> Value {
    json!({"found": first.found.iter().map(row).collect::<Vec<_>>(), "more": first.more})
}

fn tell<T>(first: &First<T>, lead: &str, line: impl Fn(&T) -> String, ui: &Ui) {
    if first.is_empty() {
        return;
    }
    ui.line(lead);
    for found in &first.found {
        ui.line(format!("  {}", line(found)));
    }
    if first.more > 0 {
        ui.line(format!("  and {} more", first.more));
    }
}

fn mention_row(mention: &Mention) -> Value {
    let agents = Type::find(AGENTS).map(|agents| mention.place.shown_file(agents));
    json!({"file": mention.line(), "dir": mention.place.dir(), "agents": agents})
}

fn proposed_row(proposed: &Proposed) -> Value {
    let Candidate { line, kind, text, .. } = &proposed.candidate;
    json!({"file": proposed.log, "line": line, "text": text, "type": kind.name, "dir": proposed.place.dir(),
        "target": proposed.place.shown_file(kind)})
}
