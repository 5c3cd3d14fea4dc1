//! `engine journal`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::since::Since;
use engine_app::time;
use engine_core::journal::Entry;
use engine_rules::KEEP_DAYS;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, retention};
use engine_text::line::one_line;
use engine_text::stamp::Stamp;

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
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
    let now = clock::now();
    retention::apply(&project, now, config_file::load_fresh(&project).number(&KEEP_DAYS));
    let since = args.since.stamp(now);
    let mut reader = Reader { project: &project, since, read: HashMap::new() };
    let shown = reader.show_new(args, ui)?;
    if args.follow {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            reader.show_new(args, ui)?;
        }
    }
    if shown == 0 && !ui.is_json() {
        ui.talk("nothing in the journal fits");
    }
    Ok(())
}

/// Reads the days' files from where it stopped.
struct Reader<'p> {
    project: &'p Project,
    since: Stamp,
    read: HashMap<PathBuf, u64>,
}

impl Reader<'_> {
    fn show_new(&mut self, args: &JournalArgs, ui: &Ui) -> std::io::Result<usize> {
        let first_day = self.since.day();
        let since = self.since.rfc3339();
        let mut shown = 0;
        for (_, path) in journal_file::days(&self.project.journal_folder())
            .into_iter()
            .filter(|(day, _)| *day >= first_day)
        {
            let offset = self.read.get(&path).copied().unwrap_or(0);
            let (next, damage) = journal_file::read_from(&path, offset, &mut |entry| {
                if entry.at >= since && fits(&entry, args) {
                    shown += 1;
                    if ui.is_json() { ui.object(&entry) } else { ui.line(line(&entry)) }
                }
            })?;
            self.read.insert(path.clone(), next);
            if damage.lines > 0 {
                ui.talk(format!("{}: {} damaged lines were passed over", path.display(), damage.lines));
            }
        }
        Ok(shown)
    }
}

fn fits(entry: &Entry, args: &JournalArgs) -> bool {
    args.session.as_ref().is_none_or(|session| entry.session.starts_with(session.as_str()))
        && args.event.as_ref().is_none_or(|event| entry.event.eq_ignore_ascii_case(event))
        && (!args.denied || entry.verdict == "deny")
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
