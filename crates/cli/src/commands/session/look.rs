//! `engine session find`, `list` and `show`.

use std::fs;

use engine_app::error::{CommandError, Outcome};
use engine_app::time;
use engine_core::tag;
use engine_core::work::{Lifecycle, WorkState, name};
use engine_store::clock;
use engine_store::session_file::SessionFile;
use engine_store::work_file::{self, WorkFile};
use engine_text::stamp::Stamp;
use serde_json::{Value, json};

use super::{Desk, phase};
use crate::args::SessionListArgs;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn find(desk: &Desk, ui: &Ui) -> Outcome {
    let Some(bound) = desk.bound() else {
        return Err(CommandError::nothing("no work session is bound to this agent session"));
    };
    show(&bound.name, desk, ui)
}

pub(super) fn show(path: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(path)?;
    let Some(state) = work.peek() else {
        return Err(CommandError::refused(format!("{}/state.json cannot be read", work.shown()))
            .hint("the next change sets it aside and begins anew"));
    };
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "state": state}));
        return Ok(());
    }
    ui.line(format!("{}: {}", work.shown(), state.lifecycle.as_str()));
    if let Some(holder) = &state.agent_session {
        let alive = SessionFile::new(&desk.project.sessions_folder(), &holder.id).is_alive();
        ui.line(format!("held by {}{}", holder.id, if alive { "" } else { " (ended)" }));
    }
    for run in &state.runs {
        let ended = if run.ended_at.is_some() { ", done" } else { "" };
        ui.line(format!("{}{}{ended}", run.skill, phase::place(run)));
        for passed in &run.history {
            let approved =
                passed.approved.as_ref().map(|why| format!(" (approved: {why})")).unwrap_or_default();
            let at = time::parse(&passed.at).map_or_else(|| passed.at.clone(), time::local);
            ui.line(format!("  {at}  {}{approved}", passed.phase));
        }
    }
    if let Some(description) = &state.description {
        ui.line(format!("description: {description}"));
    }
    if !state.keywords.is_empty() {
        ui.line(format!("keywords: {}", state.keywords.join(", ")));
    }
    if state.overflow.payload.is_some() {
        ui.line("a payload waits for the next agent session");
    }
    Ok(())
}

pub(super) fn list(args: &SessionListArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let days = days(args)?;
    let mut rows: Vec<(WorkFile, Option<WorkState>)> = Vec::new();
    for found in work_file::names(&desk.project) {
        if !days
            .as_ref()
            .is_none_or(|(from, to)| (from.as_str()..=to.as_str()).contains(&name::day(&found).as_str()))
        {
            continue;
        }
        let work = WorkFile::new(&desk.project, &found);
        let state = work.peek();
        if fits(args, &work, state.as_ref()) {
            rows.push((work, state));
        }
    }
    if ui.is_json() {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(work, state)| {
                let run = state.as_ref().and_then(WorkState::run);
                json!({"path": work.shown(), "lifecycle": state.as_ref().map(|state| state.lifecycle),
                    "skill": run.map(|run| &run.skill), "phase": run.and_then(|run| run.current_phase.as_ref()),
                    "description": state.as_ref().and_then(|state| state.description.as_ref()),
                    "keywords": state.as_ref().map(|state| &state.keywords)})
            })
            .collect();
        ui.object(&json!({"version": 1, "sessions": rows}));
        return Ok(());
    }
    if rows.is_empty() {
        ui.line("no work sessions");
        return Ok(());
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|(work, state)| row(work, state.as_ref())).collect();
    ui.text(&aligned(&cells, ""));
    Ok(())
}

fn row(work: &WorkFile, state: Option<&WorkState>) -> Vec<String> {
    let Some(state) = state else { return vec![work.shown(), toned(Tone::Quiet, "empty")] };
    let tone = if state.lifecycle == Lifecycle::Active { Tone::Good } else { Tone::Quiet };
    let run = state.run();
    let skill = run.map(|run| run.skill.clone()).unwrap_or_default();
    let phase = run.and_then(|run| run.current_phase.as_ref()).map(ToString::to_string).unwrap_or_default();
    let description = state.description.clone().unwrap_or_default();
    vec![
        work.shown(),
        toned(tone, state.lifecycle.as_str()),
        skill,
        phase,
        engine_text::line::one_line(&description, 60),
    ]
}

/// The first and the last day that are asked for.
fn days(args: &SessionListArgs) -> Result<Option<(String, String)>, CommandError> {
    const LAST: &str = "9999-12-31";
    let day = |at: Stamp| time::local(at).get(..10).unwrap_or_default().to_owned();
    let now = clock::now();
    if args.today {
        return Ok(Some((day(now), LAST.to_owned())));
    }
    if args.yesterday {
        let yesterday = day(now.minus_days(1));
        return Ok(Some((yesterday.clone(), yesterday)));
    }
    if let Some(since) = &args.since {
        return Ok(Some((day(since.stamp(now)), LAST.to_owned())));
    }
    let Some(range) = &args.range else { return Ok(None) };
    let is_day = |text: &str| text.len() == 10 && time::parse(&format!("{text}T00:00:00Z")).is_some();
    match range.split_once("..") {
        Some((from, to)) if is_day(from) && is_day(to) => Ok(Some((from.to_owned(), to.to_owned()))),
        _ => Err(CommandError::usage(format!("{range} is no range of days: 2026-02-01..2026-02-07"))),
    }
}

fn fits(args: &SessionListArgs, work: &WorkFile, state: Option<&WorkState>) -> bool {
    let active = !args.active
        || state.is_some_and(|state| state.lifecycle == Lifecycle::Active && state.agent_session.is_some());
    let topic = args.topic.as_deref().is_none_or(|wanted| {
        let wanted = wanted.to_lowercase();
        let keywords = state.map(|state| state.keywords.as_slice()).unwrap_or_default();
        name::topic(&work.name).to_lowercase().contains(&wanted)
            || keywords.iter().any(|word| word.to_lowercase().contains(&wanted))
    });
    active && topic && args.tag.as_deref().is_none_or(|tag| has_tag(work, tag))
}

/// Whether a file of the session carries a tag outside of code.
fn has_tag(work: &WorkFile, wanted: &str) -> bool {
    let wanted = format!("#{}", wanted.trim_start_matches('#'));
    let files = fs::read_dir(work.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "md")).any(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        tag::bare(&text).iter().any(|found| found.tag == wanted)
    })
}
