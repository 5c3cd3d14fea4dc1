//! `engine statusline`: called by the client after each message. It must be quick and never fail: what cannot be found
//! out is left out.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::statusline::{Facts, facts};
use engine_app::stdin;
use engine_claude::Report;
use engine_core::statusline::{self, Known, Look, Part};
use engine_store::clock;
use serde_json::{Map, Value};

use crate::ui::Ui;

/// Print the status line of a coding agent: its JSON on stdin, one line on stdout
///
/// Called by the agent, see `engine init --with statusline`. Shows the work session, skill, phase and task, how full
/// the context is, the cost, and a lamp that is red when hooks do not fire. Which of them, and in which order:
/// `engine config set statusline.parts`.
#[derive(Debug, Default, Args)]
#[command(
    after_long_help = "Examples:\n  engine statusline < status.json\n  engine statusline --part context --plain < status.json"
)]
pub(crate) struct StatuslineArgs {
    /// Only this part, for a status line of your own: session, skill, phase, plan, task, context, cost or lamp
    #[arg(long, value_name = "NAME", value_parser = part)]
    pub(crate) part: Option<Part>,
    /// Without colours and links; also with the variable `NO_COLOR`
    #[arg(long)]
    pub(crate) plain: bool,
}

fn part(word: &str) -> Result<Part, String> {
    Part::parse(word).ok_or_else(|| format!("use {}", Part::ALL.map(Part::as_str).join(", ")))
}

pub(super) fn run(args: &StatuslineArgs, ui: &Ui) -> Outcome {
    let now = clock::now();
    let report = Report::read(&stdin::read(stdin::FOR_A_CLIENT).unwrap_or_default());
    let Facts { parts, known } = facts(&report, args.part, now);
    if ui.is_json() {
        ui.object(&object(&known, &parts));
        return Ok(());
    }
    let line = statusline::line(&known, &parts, look(args));
    if !line.is_empty() {
        ui.coloured_line(&line);
    }
    Ok(())
}

/// The client reads from a pipe and shows colours, so the pipe says nothing.
fn look(args: &StatuslineArgs) -> Look {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if args.plain || no_colour { Look::Plain } else { Look::Coloured }
}

/// Each part as plain text; null where nothing is known.
fn object(known: &Known, parts: &[Part]) -> Value {
    let shown = parts.iter().map(|part| {
        let text = statusline::render(known, *part, Look::Plain);
        (part.as_str().to_owned(), text.into())
    });
    let version = ("version".to_owned(), Value::from(1));
    Value::Object(std::iter::once(version).chain(shown).collect::<Map<String, Value>>())
}
