//! A payload put together by the engine, when the agent did not write one: from the phase, the log, the tasks, the chain, what
//! the person said and which files have changed.

use crate::looks_at;
use engine_core::log::PHASE;
use engine_core::task::{State, TaskFile};
use engine_core::view::{Changes, Files, Project, Session, Tasks, Telling, Told};
use engine_core::work::BoundWork;
use engine_core::work::payload::MOST_FILES;
use engine_core::work::{Payload, file_of, name};
use engine_text::line::one_line;
use engine_text::markdown::Lines;

looks_at!(pub Changes + Files + Project + Session + Tasks + Telling);

/// Headings of the log that are told.
const HEADINGS: usize = 6;
/// Of the last log entry, in characters.
const LAST: usize = 600;
/// Tasks that are told.
const TASKS: usize = 5;

pub fn assemble(view: &(impl View + ?Sized), work: &BoundWork) -> Payload {
    let place = format!("{}/{}", name::FOLDER, work.name);
    let log_name = format!("{place}/{}", file_of(&work.skill, "LOG"));
    let log = view.told(&view.root().join(&log_name)).unwrap_or_default().text;
    let entries = entries(&log);
    let phase = work.phase.as_deref().map(|phase| format!(", phase {phase}")).unwrap_or_default();
    let titles: Vec<&str> = entries.iter().rev().take(HEADINGS).rev().map(|entry| entry.0).collect();
    let summary = if titles.is_empty() {
        format!("{} in {place}{phase}; nothing is logged yet", work.skill)
    } else {
        format!("{} in {place}{phase}; the log ends with: {}", work.skill, titles.join(" · "))
    };
    let last_action = entries.last().map(|(title, body)| {
        // The phase is told above.
        let told = |line: &&str| !line.trim_start().starts_with(PHASE);
        let body = body.lines().filter(told).collect::<Vec<_>>().join(" ");
        one_line(&format!("{title} {body}"), LAST)
    });
    let session = view.session();
    Payload {
        summary,
        last_action: last_action.unwrap_or_else(|| "not known: the log is empty".to_owned()),
        next_steps: next_steps(view, work),
        required_files: required_files(view, &place, &log_name, work),
        handover_instructions: None,
        user_history: session.user_input.as_ref().map(|input| input.text.clone()),
        assembled: true,
    }
}

/// The entries of a log: title and body.
fn entries(log: &str) -> Vec<(&str, &str)> {
    let lines = Lines::new(log);
    let headings: Vec<usize> =
        (0..lines.all.len()).filter(|at| lines.heading(*at).is_some_and(|(level, _)| level == 2)).collect();
    let ends = headings.iter().skip(1).map(|next| lines.all[*next].start).chain([log.len()]);
    let entry = |(at, end): (&usize, usize)| {
        let (_, title) = lines.heading(*at)?;
        Some((title, log.get(lines.all[*at].end..end).unwrap_or_default().trim()))
    };
    headings.iter().zip(ends).filter_map(entry).collect()
}

fn next_steps(view: &(impl View + ?Sized), work: &BoundWork) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    if let Some(chain) = view.session().chain() {
        steps.extend(
            chain
                .left
                .iter()
                .map(|left| format!("/{} {}", left.entry.skill, left.entry.args).trim().to_owned()),
        );
    }
    if view.is_trusted()
        && let Ok(Told { text, .. }) = view.tasks()
    {
        let file = TaskFile::parse(&text);
        let open = file.tasks().filter(|task| matches!(task.state, State::InProgress | State::Pending));
        steps.extend(open.take(TASKS).map(|task| format!("task {}", task.meta.name)));
    }
    if steps.is_empty() {
        let phase = work.phase.as_deref().unwrap_or(&work.skill);
        steps.push(format!("go on with {phase}"));
    }
    steps
}

fn required_files(view: &(impl View + ?Sized), place: &str, log: &str, work: &BoundWork) -> Vec<String> {
    let plan = format!("{place}/{}", file_of(&work.skill, "PLAN"));
    let own = [plan, log.to_owned()].into_iter().filter(|file| view.exists(&view.root().join(file)));
    let mut files: Vec<String> = own.collect();
    for changed in view.changed_files() {
        if files.len() < MOST_FILES && !changed.starts_with(name::FOLDER) {
            files.push(changed);
        }
    }
    files
}
