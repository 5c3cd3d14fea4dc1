//! What the rules would have said in recorded sessions.
//!
//! The events are rebuilt from the transcripts, shell commands without one from the journal, and judged by the same function as
//! the hook's, with the session's state in memory. Nothing is written. A rule that looks at what has changed since (files, tasks,
//! settings) is left out and named.

use engine_claude::replay::Rebuilt;
use engine_claude::skills::Claude;
use engine_core::config::Config;
use engine_rules::Rule;
use engine_store::journal_file;
use engine_store::memory_view::MemoryView;
use engine_store::project::Project;
use engine_text::stamp::Stamp;

use crate::transcripts::{self, FoundTranscripts};

mod judge;
mod tally;

use judge::Judge;
pub use tally::{Answer, ByRule, Counts, Row, Tally};

/// What to judge by, and what to compare it with.
#[derive(Debug)]
pub struct Configs {
    pub asked: Config,
    pub other: Option<Config>,
}

/// What came of a replay.
#[derive(Debug)]
pub struct Replayed {
    pub tally: Tally,
    /// Of the events, those that only the journal still knew.
    pub journal_events: u64,
    pub rules: Vec<&'static str>,
    pub left_out: Vec<&'static str>,
}

/// Which events are judged.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    pub found: &'a FoundTranscripts,
    pub since: Option<Stamp>,
    /// Also shell commands of sessions whose transcripts are gone.
    pub with_journal: bool,
}

/// Judges the events. `taken` hears of each session that a worker takes.
pub fn replay(
    rules: &[Rule],
    project: &Project,
    configs: &Configs,
    extent: Extent<'_>,
    taken: &(dyn Fn() + Sync),
) -> std::io::Result<Replayed> {
    let since = extent.since.map_or_else(String::new, Stamp::rfc3339);
    let replayed: Vec<Rule> = rules.iter().filter(|rule| rule.replays()).map(copy).collect();
    let judge = || {
        let view = |config: &Config| {
            MemoryView::new(project, config.clone(), Box::new(Claude::around(project.root())))
        };
        Judge::new(&replayed, view(&configs.asked), configs.other.as_ref().map(view), &since)
    };
    let mut parts = transcripts::spread(&extent.found.sessions, taken, |queue| judge().run(queue));
    let calls = if extent.with_journal { from_journal(project, extent.found)? } else { Vec::new() };
    let of_journal = judge().run_journal(&calls);
    let journal_events = of_journal.events;
    parts.push(of_journal);
    Ok(Replayed {
        tally: Tally::merged(parts),
        journal_events,
        rules: replayed.iter().map(|rule| rule.id).collect(),
        left_out: rules.iter().filter(|rule| !rule.replays()).map(|rule| rule.id).collect(),
    })
}

/// Shell commands of sessions whose transcripts are gone, by session: the client deletes them after a month.
fn from_journal(project: &Project, found: &FoundTranscripts) -> std::io::Result<Vec<(String, Rebuilt)>> {
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
