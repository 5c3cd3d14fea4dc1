//! What the status line knows. The client asks after each message, so it must be quick and never fail: what cannot be found out is
//! left out.

use engine_claude::{Report, reach, transcript};
use engine_core::chain::Stored;
use engine_core::client::ContextUse;
use engine_core::config::Config;
use engine_core::file_link::Protocol;
use engine_core::session::SessionState;
use engine_core::status::Status;
use engine_core::statusline::{self, Known, Lamp, PARTS, Part, Phase, PlanFacts, WorkFacts};
use engine_core::task::{Task, TaskFile};
use engine_core::work::name;
use engine_rules::{Mode, RULES, journal};
use engine_store::journal_file::Heard;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::task_file;
use engine_store::task_owners::Owners;
use engine_store::work_file::WorkFile;
use engine_store::{clock, config_file, journal_file};
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::judging::client_project;

/// The parts that are shown, and what is known for them.
pub struct Facts {
    pub parts: Vec<Part>,
    pub known: Known,
}

/// Looks up what the client's report leads to. `only` is the one part that is wanted.
pub fn facts(report: &Report, only: Option<Part>, now: Stamp) -> Facts {
    facts_in(project_of(report).as_ref(), report, only, now)
}

fn facts_in(project: Option<&Project>, report: &Report, only: Option<Part>, now: Stamp) -> Facts {
    let config = project.map_or_else(config_file::load_user, config_file::load);
    let parts = only.map_or_else(|| chosen(&config), |part| vec![part]);
    let known = known(report, project, &config, &parts, now);
    Facts { parts, known }
}

fn chosen(config: &Config) -> Vec<Part> {
    let chosen: Vec<Part> = config.names(&PARTS).into_iter().filter_map(Part::parse).collect();
    if chosen.is_empty() { Part::ALL.to_vec() } else { chosen }
}

fn project_of(report: &Report) -> Option<Project> {
    let started_in = report.project.clone().or_else(client_project);
    let cwd = report.cwd.clone().filter(|cwd| cwd.is_absolute());
    Project::open(started_in.as_deref(), &cwd.or_else(|| std::env::current_dir().ok())?)
}

fn known(report: &Report, project: Option<&Project>, config: &Config, parts: &[Part], now: Stamp) -> Known {
    let context = report.context.map(|(used, window)| ContextUse { used, window, at: now });
    let mut known = Known { context, cost: report.cost, links: Protocol::of(config), ..Known::default() };
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
    known.plan = state.plan.as_ref().map(|plan| PlanFacts {
        name: plan.name.clone(),
        done: plan.steps_done,
        steps: plan.steps,
        halted: plan.halted.is_some(),
    });
    known.chain = state.chain().filter(|chain| !chain.unbegun).map(Stored::line);
    if wants(Part::Task) {
        known.task = task(project, config, &report.session);
    }
    if wants(Part::Lamp) {
        known.lamp = lamp(project, config, &state, report, now);
    }
    known
}

/// The work session that the agent session is bound to. It is opened by its name: there may be thousands.
fn work(project: &Project, state: &SessionState) -> Option<WorkFacts> {
    let bound = state.work.as_ref().filter(|bound| name::check(&bound.name).is_ok())?;
    let file = WorkFile::new(project, &bound.name);
    let stored = file.peek();
    let phase = stored.as_ref().and_then(|stored| stored.run()).and_then(|run| {
        let name = run.current_phase.as_ref()?.name.clone();
        Some(Phase { index: run.position()?, count: run.phases.len(), name })
    });
    let folder = file.folder().to_string_lossy().into_owned();
    Some(WorkFacts { name: bound.name.clone(), folder, skill: Some(bound.skill.clone()), phase })
}

/// The task in progress: the session's own, else one that nobody else works on.
fn task(project: &Project, config: &Config, session: &str) -> Option<String> {
    let path = task_file::path(project, config);
    let text = task_file::read(project, &path).ok()?;
    // Most often there is none, which need not be parsed.
    if !text.contains("[>]") {
        return None;
    }
    let owners = Owners::load(project, &path);
    let session = Some(session).filter(|session| !session.is_empty());
    let file = TaskFile::parse(&text);
    let status = Status::of(&file, |task| owners.holder(task, session));
    let own = |task: &&&Task| session.is_some() && owners.owner(&task.meta.name) == session;
    let task = status.in_progress.iter().find(own).or(status.in_progress.first())?;
    Some(task.meta.name.clone())
}

/// Nothing where it cannot be told: no transcript yet, or no journal. That hooks do not reach the client is told at once, where none was
/// heard.
fn lamp(
    project: &Project,
    config: &Config,
    state: &SessionState,
    report: &Report,
    now: Stamp,
) -> Option<Lamp> {
    let started_in = report.project.as_deref().filter(|_| state.started.is_none());
    if started_in.is_some_and(|folder| reach::unreached(project.root(), folder).is_some()) {
        return Some(Lamp::Unreached);
    }
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

#[cfg(test)]
mod tests;
