//! Which work sessions there are.

use engine_core::tag;
use engine_core::work::{Lifecycle, WorkState, name};
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::work_file::{self, WorkFile};
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::error::CommandError;
use crate::since::Since;
use crate::time;

/// Of which days.
#[derive(Debug, Clone, Copy)]
pub enum Period<'a> {
    Today,
    Yesterday,
    Since(Since),
    /// `2026-02-01..2026-02-07`.
    Range(&'a str),
}

/// Which are wanted; nothing said: all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    pub period: Option<Period<'a>>,
    /// In the topic, the keywords or the description.
    pub topic: Option<&'a str>,
    /// In one of its files, outside of code.
    pub tag: Option<&'a str>,
    /// Only those that an agent session works on.
    pub active: bool,
}

/// The work sessions that fit, newest first, each with its state if it has one.
pub fn list(
    project: &Project,
    filter: &Filter<'_>,
    now: Stamp,
) -> Result<Vec<(WorkFile, Option<WorkState>)>, CommandError> {
    let days = filter.period.map(|period| days(period, now)).transpose()?;
    let is_wanted = |found: &String| {
        days.as_ref()
            .is_none_or(|(from, to)| (from.as_str()..=to.as_str()).contains(&name::day(found).as_str()))
    };
    let mut rows = Vec::new();
    for found in work_file::names(project).into_iter().filter(is_wanted) {
        let work = WorkFile::new(project, &found);
        let state = work.peek();
        if fits(filter, &work, state.as_ref()) {
            rows.push((work, state));
        }
    }
    Ok(rows)
}

/// The first and the last day of a period.
fn days(period: Period<'_>, now: Stamp) -> Result<(String, String), CommandError> {
    const LAST: &str = "9999-12-31";
    let day = |at: Stamp| time::local(at).get(..10).unwrap_or_default().to_owned();
    let is_day = |text: &str| text.len() == 10 && time::parse(&format!("{text}T00:00:00Z")).is_some();
    match period {
        Period::Today => Ok((day(now), LAST.to_owned())),
        Period::Yesterday => {
            let yesterday = day(now.minus_days(1));
            Ok((yesterday.clone(), yesterday))
        }
        Period::Since(since) => Ok((day(since.stamp(now)), LAST.to_owned())),
        Period::Range(range) => match range.split_once("..") {
            Some((from, to)) if is_day(from) && is_day(to) => Ok((from.to_owned(), to.to_owned())),
            _ => Err(CommandError::usage(format!("{range} is no range of days: 2026-02-01..2026-02-07"))),
        },
    }
}

fn fits(filter: &Filter<'_>, work: &WorkFile, state: Option<&WorkState>) -> bool {
    let active = !filter.active
        || state.is_some_and(|state| state.lifecycle == Lifecycle::Active && state.agent_session.is_some());
    let topic = filter.topic.is_none_or(|wanted| {
        let wanted = wanted.to_lowercase();
        let told = state.into_iter().flat_map(|state| state.keywords.iter().chain(&state.description));
        name::topic(&work.name).to_lowercase().contains(&wanted)
            || told.into_iter().any(|text| text.to_lowercase().contains(&wanted))
    });
    active && topic && filter.tag.is_none_or(|tag| has_tag(work, tag))
}

/// Whether a file of the session carries a tag outside of code.
fn has_tag(work: &WorkFile, wanted: &str) -> bool {
    let wanted = format!("#{}", wanted.trim_start_matches('#'));
    let files = fs::read_dir(work.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "md")).any(|path| {
        let text = read_string(&path).unwrap_or_default();
        tag::bare(&text).iter().any(|found| found.tag == wanted)
    })
}

#[cfg(test)]
mod tests;
