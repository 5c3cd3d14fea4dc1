//! `engine statusline`: called by the client after each message. It must be quick and never fail: what cannot be found
//! out is left out.

use std::fs;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::judging::client_project;
use engine_app::stdin;
use engine_claude::{Report, transcript};
use engine_core::client::ContextUse;
use engine_core::config::Config;
use engine_core::session::SessionState;
use engine_core::status::Status;
use engine_core::statusline::{self, Known, Lamp, Look, PARTS, Part, Phase, Work};
use engine_core::task::{Task, TaskFile};
use engine_core::work::name;
use engine_rules::{Mode, RULES, journal};
use engine_store::journal_file::Heard;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::task_file::{self, Owners};
use engine_store::work_file::WorkFile;
use engine_store::{clock, config_file, journal_file};
use engine_text::stamp::Stamp;
use serde_json::{Map, Value};

use crate::ui::Ui;

#[derive(Debug, Default, Args)]
pub(crate) struct StatuslineArgs {
    /// Only this part, for a status line of your own: session, skill, phase, task, context, cost or lamp
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
    let project = project_of(&report);
    let config = project.as_ref().map_or_else(config_file::load_user, config_file::load);
    let parts = parts(args, &config);
    let known = known(&report, project.as_ref(), &config, &parts, now);
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

fn parts(args: &StatuslineArgs, config: &Config) -> Vec<Part> {
    if let Some(part) = args.part {
        return vec![part];
    }
    let chosen: Vec<Part> = config.names(&PARTS).into_iter().filter_map(Part::parse).collect();
    if chosen.is_empty() { Part::ALL.to_vec() } else { chosen }
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

fn project_of(report: &Report) -> Option<Project> {
    let started_in = report.project.clone().or_else(client_project);
    let cwd = report.cwd.clone().filter(|cwd| cwd.is_absolute());
    Project::open(started_in.as_deref(), &cwd.or_else(|| std::env::current_dir().ok())?)
}

fn known(report: &Report, project: Option<&Project>, config: &Config, parts: &[Part], now: Stamp) -> Known {
    let context = report.context.map(|(used, window)| ContextUse { used, window, at: now });
    let mut known = Known { context, cost: report.cost, ..Known::default() };
    let Some(project) = project else { return known };
    let file = SessionFile::new(&project.sessions_folder(), &report.session);
    let state = file.peek();
    let is_known = state.started.is_some() || state.turn > 0;
    if let Some(context) = context.filter(|context| is_known && context.is_news(state.context.as_ref())) {
        // The rules that want it live without it.
        let _ = file.update(|state| state.context = Some(context));
    }
    let wants = |part: Part| parts.contains(&part);
    if wants(Part::Session) || wants(Part::Skill) || wants(Part::Phase) {
        known.work = work(project, &state);
    }
    if wants(Part::Task) {
        known.task = task(project, config, &report.session);
    }
    if wants(Part::Lamp) {
        known.lamp = lamp(project, config, &state, report, now);
    }
    known
}

/// The work session that the agent session is bound to. It is opened by its name: there may be thousands.
fn work(project: &Project, state: &SessionState) -> Option<Work> {
    let bound = state.work.as_ref().filter(|bound| name::check(&bound.name).is_ok())?;
    let file = WorkFile::new(project, &bound.name);
    let stored = file.peek();
    let phase = stored.as_ref().and_then(|stored| stored.run()).and_then(|run| {
        let name = run.current_phase.as_ref()?.name.clone();
        Some(Phase { index: run.position()?, count: run.phases.len(), name })
    });
    let folder = file.folder().to_string_lossy().into_owned();
    Some(Work { name: bound.name.clone(), folder, skill: Some(bound.skill.clone()), phase })
}

/// The task in progress: the session's own, else one that nobody else works on.
fn task(project: &Project, config: &Config, session: &str) -> Option<String> {
    let path = task_file::path(project, config);
    let text = task_file::read(&path).ok()?;
    // Most often there is none, which need not be parsed.
    if !text.contains("[>]") {
        return None;
    }
    let owners = Owners::load(project, &path);
    let session = Some(session).filter(|session| !session.is_empty());
    let file = TaskFile::parse(&text);
    let status = Status::of(&file, |task| owners.holder(project, task, session));
    let own = |task: &&&Task| session.is_some() && owners.owner(&task.meta.name) == session;
    let task = status.in_progress.iter().find(own).or(status.in_progress.first())?;
    Some(task.meta.name.clone())
}

/// Nothing where it cannot be told: no transcript yet, or no journal.
fn lamp(
    project: &Project,
    config: &Config,
    state: &SessionState,
    report: &Report,
    now: Stamp,
) -> Option<Lamp> {
    let path = report.transcript.as_deref()?;
    let data = fs::metadata(path).ok().filter(|data| data.len() > 0)?;
    let grown = clock::stamp(data.modified().ok()?);
    let journal = RULES.iter().find(|rule| rule.id == journal::ID)?;
    if journal.mode(config) == Mode::Off {
        return None;
    }
    let ended = state.ended.as_ref().map(|ended| ended.at);
    let input = state.user_input.as_ref().map(|input| input.at);
    let known = state.started.max(input).max(ended);
    let heard = match journal_file::heard(&project.journal_folder(), now, &report.session) {
        Heard::At(at) => known.max(Some(at)),
        // It may have been just before that.
        Heard::NotSince(at) => known.map(|known| known.max(at)),
    };
    Some(statusline::lamp(heard, grown, now, |from, to| transcript::acted_between(path, from, to)))
}
