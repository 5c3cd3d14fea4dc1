//! `engine replay`: what the rules would have said in recorded sessions.
//!
//! The events are rebuilt from the transcripts, shell commands without one from the journal, and judged by the same function as the hook's, with the session's state in
//! memory. Nothing is written. A rule that looks at what has changed since (files, tasks, settings) is left out and named.

use engine_claude::replay::Rebuilt;
use engine_claude::skills::Claude;
use engine_core::config::Config;
use engine_rules::Rule;
use engine_store::memory_view::MemoryView;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file};

use super::project;
use crate::args::ReplayArgs;
use crate::error::{CommandError, Outcome};
use crate::ui::{Tone, Ui, toned};

mod judge;
mod report;
mod tally;
pub(super) mod transcripts;

use judge::Judge;
use report::Report;
use tally::Tally;
use transcripts::Found;

pub(super) fn run(args: &ReplayArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    let since = args.since.map(|since| since.stamp(clock::now()));
    let configs = configs(args, &project, ui)?;
    let found = transcripts::find(&args.paths, &project, since)?;
    let since = since.map_or_else(String::new, engine_text::stamp::Stamp::rfc3339);
    let replayed: Vec<Rule> = rules.iter().filter(|rule| rule.replays()).map(copy).collect();
    let judge = || {
        let view = |config: &Config| {
            MemoryView::new(&project, config.clone(), Box::new(Claude::around(project.root())))
        };
        Judge::new(&replayed, view(&configs.asked), configs.other.as_ref().map(view), &since)
    };
    let mut parts = transcripts::spread(&found.sessions, |queue| judge().run(queue));
    let calls = if args.paths.is_empty() { from_journal(&project, &found)? } else { Vec::new() };
    let of_journal = judge().run_journal(&calls);
    let journal_events = of_journal.events;
    parts.push(of_journal);
    let tally = Tally::merged(parts);
    for problem in &tally.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    let not_replayed = rules.iter().filter(|rule| !rule.replays()).map(|rule| rule.id).collect();
    let replayed = replayed.iter().map(|rule| rule.id).collect();
    Report { found: &found, journal_events, tally: &tally, replayed, not_replayed, diff: args.diff }.show(ui);
    Ok(())
}

/// Shell commands of sessions whose transcripts are gone, by session: the client deletes them after a month.
fn from_journal(project: &Project, found: &Found) -> std::io::Result<Vec<(String, Rebuilt)>> {
    let mut calls = Vec::new();
    for (_, path) in journal_file::days(&project.journal_folder()) {
        journal_file::read_day(&path, |entry| {
            if !found.sessions.iter().any(|session| session.name == entry.session)
                && let Some(rebuilt) = Rebuilt::of_journal(&entry, project.root())
            {
                calls.push((entry.session, rebuilt));
            }
        })?;
    }
    calls.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.at.cmp(&b.at)));
    Ok(calls)
}

/// What to judge by, and what to compare it with.
struct Configs {
    asked: Config,
    other: Option<Config>,
}

fn configs(args: &ReplayArgs, project: &Project, ui: &Ui) -> Result<Configs, CommandError> {
    let Some(file) = &args.config else {
        return Ok(Configs { asked: config_file::load_fresh(project), other: None });
    };
    if !file.is_file() {
        return Err(CommandError::refused(format!("{}: there is no such file", file.display())));
    }
    let asked = config_file::load_with(file);
    for problem in asked.problems() {
        let place = format!("{}:{}", file.display(), problem.line);
        ui.talk(format!("{} {place}: {}", toned(Tone::Careful, "ignored:"), problem.text));
    }
    let other = args.diff.then(|| config_file::load_fresh(project));
    Ok(Configs { asked, other })
}

/// The table's entries are not made to be copied, but a part of the table is a table too.
fn copy(rule: &Rule) -> Rule {
    Rule {
        id: rule.id,
        about: rule.about,
        events: rule.events,
        default: rule.default,
        fixed: rule.fixed,
        wanted: rule.wanted,
        judge: rule.judge,
    }
}
