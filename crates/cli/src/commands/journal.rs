//! `engine journal`.

use std::time::Duration;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::journal::{Filter, Reader};
use engine_app::since::Since;
use engine_app::time;
use engine_core::journal::Entry;
use engine_store::clock;
use engine_text::line::one_line;

use crate::ui::{Tone, Ui, toned};

/// Show what happened
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine journal --since 2h\n  engine journal --denied --since 7d\n  engine journal --follow"
)]
pub(crate) struct JournalArgs {
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day or a moment
    #[arg(long, default_value = "24h")]
    pub(crate) since: Since,
    /// Only this agent session (the beginning of its id is enough)
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only this event
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Only what was denied
    #[arg(long)]
    pub(crate) denied: bool,
    /// Go on showing what comes
    #[arg(long)]
    pub(crate) follow: bool,
}

pub(super) fn run(args: &JournalArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let mut reader = Reader::new(&project, args.since.stamp(clock::now()));
    let shown = show_new(&mut reader, args, ui)?;
    if args.follow {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            show_new(&mut reader, args, ui)?;
        }
    }
    if shown == 0 && !ui.is_json() {
        ui.talk("nothing in the journal fits");
    }
    Ok(())
}

fn show_new(reader: &mut Reader<'_>, args: &JournalArgs, ui: &Ui) -> std::io::Result<usize> {
    let filter =
        Filter { session: args.session.as_deref(), event: args.event.as_deref(), denied: args.denied };
    let mut shown = 0;
    let damaged = reader.read_new(&filter, &mut |entry| {
        shown += 1;
        if ui.is_json() { ui.object(&entry) } else { ui.line(line(&entry)) }
    })?;
    for (path, lines) in damaged {
        ui.talk(format!("{}: {lines} damaged lines were passed over", path.display()));
    }
    Ok(shown)
}

/// Time, id, session, event, what, answer.
fn line(entry: &Entry) -> String {
    let at = time::shown(&entry.at);
    let session: String = entry.session.chars().take(8).collect();
    let who = entry.agent_type.as_deref().map_or_else(String::new, |kind| format!("/{kind}"));
    let what = entry.command.as_deref().or(entry.input.as_deref()).unwrap_or_default();
    let tool = entry.tool.as_deref().map_or_else(String::new, |tool| format!(" {tool}"));
    let exit =
        entry.exit.filter(|exit| *exit != 0).map_or_else(String::new, |exit| format!(" (exit {exit})"));
    let verdict = match entry.verdict.as_str() {
        "deny" => toned(Tone::Bad, "deny"),
        "ask" => toned(Tone::Careful, "ask "),
        "note" => toned(Tone::Good, "note"),
        _ => toned(Tone::Quiet, "  · "),
    };
    let trouble = if entry.trouble.is_empty() {
        String::new()
    } else {
        toned(Tone::Careful, &format!(" [{}]", entry.trouble.join("; ")))
    };
    let event = if entry.event.is_empty() { "?" } else { &entry.event };
    format!(
        "{at}  {}  {session}{who}  {verdict}  {event}{tool}  {}{exit}{trouble}",
        toned(Tone::Quiet, &entry.id),
        one_line(what, 80)
    )
}
