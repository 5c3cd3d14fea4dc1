//! `engine hook`: one event in, one answer out. It exits 0 whatever happens, because a hook that fails must not
//! hold up the agent; the one exception is strict injection, which asked for it.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use engine_claude::capability;
use engine_core::event::Event;
use engine_core::journal::Entry;
use engine_core::view::View;
use engine_rules::{Mode, Rule, journal};
use engine_store::commit::{Work, claim, commit, first_time};
use engine_store::project::Project;
use engine_store::{atomic, clock, config_file, journal_file};
use engine_text::stamp::Stamp;

use crate::judging::{self, Judgement, client_project};
use crate::stdin;

/// How often an event is judged anew because another of the same session was quicker.
const MOST_RIVALS: usize = 10;

pub fn run(rules: &[Rule], started: Instant) -> ExitCode {
    if std::env::var_os("ENGINE_OFF").is_some_and(|value| !value.is_empty() && value != "0") {
        return ExitCode::SUCCESS;
    }
    // A rule that panics is reported in its own words; the default report would cost more than the event.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(AssertUnwindSafe(|| answer(rules, started)));
    let outcome = outcome.unwrap_or_else(|_| Err("the engine itself failed; please report this".to_owned()));
    match outcome {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(failure)) => {
            complain(&failure);
            ExitCode::FAILURE
        }
        Err(trouble) => {
            complain(&trouble);
            ExitCode::SUCCESS
        }
    }
}

fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "engine: {text}");
}

/// Answers the event on stdin. A failure that was asked for comes back as `Some`.
fn answer(rules: &[Rule], started: Instant) -> Result<Option<String>, String> {
    let now = clock::now();
    let text =
        stdin::read(stdin::FOR_A_CLIENT).map_err(|error| unreadable(&error.to_string(), now, started))?;
    let event = engine_claude::decode(&text).map_err(|error| unreadable(&error.to_string(), now, started))?;
    let Some(project) = judging::project_of(&event) else { return Ok(None) };
    let mut judgement = judging::judge(rules, &event, &project, config_file::load(&project));
    for _ in 0..MOST_RIVALS {
        if claim(judgement.view.session_file(), &judgement.verdict.changes, now) {
            break;
        }
        judgement = judging::judge(rules, &event, &project, config_file::load(&project));
    }
    Ok(respond(rules, &event, &project, judgement, now, started))
}

fn respond(
    rules: &[Rule],
    event: &Event<'_>,
    project: &Project,
    judgement: Judgement<'_>,
    now: Stamp,
    started: Instant,
) -> Option<String> {
    let Judgement { view, judged, mut verdict } = judgement;
    let id = clock::decision_id(now);
    let shown = capability::of_name(event.known_name()).lines;
    let mut entry = verdict.entry(&id, now, event, &judged);
    if let Some(short) = verdict.context.as_ref().and_then(|context| engine_claude::fit(context, id.as_str()))
    {
        let whole = verdict.context.replace(short).unwrap_or_default();
        entry.cut = true;
        entry.bytes = verdict.context.as_ref().map_or(0, |text| text.len() as u64);
        if let Err(error) = keep_whole(project, id.as_str(), &whole) {
            entry.trouble.push(format!("the whole text was not kept: {error}"));
        }
    }
    let env_file = std::env::var_os("CLAUDE_ENV_FILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let done = commit(&Work {
        session: &event.session,
        file: view.session_file(),
        now,
        changes: &verdict.changes,
        lines: &verdict.lines,
        shown,
        env_file: env_file.as_deref(),
        local: crate::time::local,
        client_pid: std::env::var("CLAUDE_PID").ok().and_then(|pid| pid.parse().ok()),
        project,
        config: view.config(),
    });
    let mut lines = done.lines;
    if let Some(untrue) = done.untrue {
        // What the rule said would be untrue, and the words must reach somebody.
        verdict.context = Some(format!("engine: {untrue}"));
        lines.push(format!("engine: {untrue}"));
    }
    entry.trouble.extend(done.trouble);
    let mut answer = engine_claude::encode(event.known_name(), &verdict, &lines);
    let wants_journal = rules.iter().find(|rule| rule.id == journal::ID);
    if wants_journal.is_none_or(|rule| rule.mode(view.config()) != Mode::Off) {
        let undelivered = answer.undelivered.iter();
        entry.trouble.extend(undelivered.map(|part| format!("{part} cannot be given with this event")));
        entry.us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        if let Err(error) = journal_file::append(&project.journal_folder(), now, &entry) {
            entry.trouble.push(format!("the journal was not written: {error}"));
        }
    }
    if shown {
        let told = entry.trouble.iter().filter(|trouble| first_time(&event.session, trouble));
        let told: Vec<String> =
            told.map(|trouble| format!("engine: {trouble}. The work goes on. See: engine doctor")).collect();
        if !told.is_empty() {
            lines.extend(told);
            answer = engine_claude::encode(event.known_name(), &verdict, &lines);
        }
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(answer.stdout.as_bytes()).and_then(|()| out.flush());
    verdict.failure
}

fn keep_whole(project: &Project, id: &str, text: &str) -> std::io::Result<()> {
    let folder = project.full_text_folder();
    Project::make_local(&folder)?;
    atomic::replace(&folder.join(format!("{id}.txt")), text.as_bytes(), atomic::Durability::Process)
}

/// Writes an input that is no event into the journal of the project it seems to belong to, so that `engine
/// doctor` can tell of it: what a hook prints on stderr is shown to nobody.
fn unreadable(why: &str, now: Stamp, started: Instant) -> String {
    let project =
        std::env::current_dir().ok().and_then(|cwd| Project::open(client_project().as_deref(), &cwd));
    if let Some(project) = project.filter(writes_journal) {
        let entry = Entry {
            id: clock::decision_id(now).as_str().to_owned(),
            at: now.rfc3339(),
            verdict: "none".to_owned(),
            trouble: vec![format!("an event could not be read: {why}")],
            us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..Entry::default()
        };
        let _ = journal_file::append(&project.journal_folder(), now, &entry);
    }
    why.to_owned()
}

/// Whether the journal of a project is not switched off.
pub fn writes_journal(project: &Project) -> bool {
    let rule = engine_rules::RULES.iter().find(|rule| rule.id == journal::ID);
    rule.is_none_or(|rule| rule.mode(&config_file::load(project)) != Mode::Off)
}
