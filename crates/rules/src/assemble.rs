//! Gathers what a new context must know of the work: what the rule `restore` tells and `engine session continue` prints, always as it is
//! at that moment. How it is worded and cut is in [`engine_core::restored`].

use std::collections::HashSet;
use std::path::Path;

use crate::looks_at;
use engine_core::dialogue;
use engine_core::evidence::ledger::Line;
use engine_core::plan::{Heir, Plan};
use engine_core::restored::{Deeds, Facts, File};
use engine_core::skill::protocol::{Evidence, Phase};
use engine_core::standard;
use engine_core::task::{State, TaskFile};
use engine_core::view::{
    Approvals, Clock, Files, Handover, Project, Session, Skills, Tasks, Telling, Unread,
};
use engine_core::work::proof::{Demand, declared_in, last_proved};
use engine_core::work::request::unanswered;
use engine_core::work::{BoundWork, Run, WorkState, file_of, name};
use engine_text::stamp::Stamp;
use serde_json::Value;

looks_at!(pub Approvals + Clock + Files + Handover + Project + Session + Skills + Tasks + Telling);

/// Of a log and a dialogue, in bytes: what is read of their ends.
const END: u64 = 256 << 10;
/// The parameter that names the requests which the work answers.
const REQUESTS: &str = "requestFiles";
/// The folder of the engine, which is no part of the work.
const OWN: &str = ".engine/";

/// Whose work it is.
#[derive(Debug, Clone, Copy)]
pub struct Whose<'a> {
    /// The agent session that is told.
    pub session: &'a str,
    /// The one before it, in the same client.
    pub before: Option<&'a str>,
    pub transcript: Option<&'a str>,
    pub work: Option<&'a BoundWork>,
    pub state: Option<&'a WorkState>,
    /// Why the state cannot be used.
    pub damaged: Option<&'a str>,
    pub plan: Option<(&'a Plan, Heir)>,
    /// Why the plan cannot be told.
    pub plan_unread: Option<&'a str>,
}

impl Whose<'_> {
    fn run(&self) -> Option<&Run> {
        self.state.and_then(WorkState::run)
    }

    /// The agent sessions that did the work, each once.
    fn sessions(&self) -> Vec<String> {
        let of_run = self.run().into_iter().flat_map(|run| run.holders.iter().map(String::as_str));
        let holder =
            self.state.and_then(|state| state.agent_session.as_ref()).map(|holder| holder.id.as_str());
        let of_plan = self.plan.into_iter().flat_map(|(plan, _)| plan.owners.iter().chain(&plan.owner));
        let all = [self.session].into_iter().chain(self.before).chain(of_run).chain(holder);
        let mut seen = HashSet::new();
        let all = all.chain(of_plan.map(String::as_str)).filter(|id| !id.is_empty());
        all.filter(|id| seen.insert(*id)).map(str::to_owned).collect()
    }

    /// When it began.
    fn began(&self) -> Option<Stamp> {
        let plan = self.plan.map(|(plan, _)| plan.lock.as_ref().map_or(&plan.created_at, |lock| &lock.at));
        let all = self.run().map(|run| &run.started_at).into_iter().chain(plan);
        all.filter_map(|at| Stamp::parse(at)).min()
    }

    /// Of a session that nobody holds it cannot be said.
    fn is_bound(&self) -> bool {
        let holder = self.state.and_then(|state| state.agent_session.as_ref());
        holder.is_none_or(|holder| holder.id == self.session || Some(holder.id.as_str()) == self.before)
    }
}

/// The whole text; nothing where there is nothing to tell of.
pub fn assemble(view: &(impl View + ?Sized), whose: &Whose<'_>) -> String {
    let sessions = whose.sessions();
    let deeds = whose.began().map(|began| view.deeds(&sessions, began)).unwrap_or_default();
    let saved_at = whose.state.and_then(|state| state.overflow.saved_at.as_deref()).unwrap_or_default();
    let changed = |since: &str| changed_files(view, &deeds, since, whose.plan.map(|(plan, _)| plan));
    let mut facts = Facts {
        now: view.now(),
        work: whose.work,
        state: whose.state,
        damaged: whose.damaged.map(str::to_owned),
        bound: whose.is_bound(),
        plan: whose.plan,
        plan_unread: whose.plan_unread.map(str::to_owned),
        words: view.words(whose.transcript, &sessions),
        changed: changed(""),
        changed_since: changed(saved_at),
        approvals: approvals(view),
        chain: chain(view),
        ..Facts::default()
    };
    if let Some(run) = whose.run() {
        let demand_of = |phase: &Phase| Demand::of(phase, |command| schema_of(view, &run.skill, command));
        facts.demand = run.declared().map(demand_of).unwrap_or_default();
        facts.missing = missing(view, whose.state);
    }
    // What a clone brought along is not told to a model.
    if view.is_trusted() {
        files(view, whose, &mut facts);
        facts.task = task(view, whose);
    }
    facts.deeds = deeds;
    facts.text()
}

/// The log, the plan, the dialogue and the requests of the work.
fn files(view: &(impl View + ?Sized), whose: &Whose<'_>, facts: &mut Facts<'_>) {
    let Some(work) = whose.work else { return };
    let place = format!("{}/{}", name::FOLDER, work.name);
    let at = |file: &str| format!("{place}/{file}");
    let own_plan = || vec![at(&file_of(&work.skill, "PLAN"))];
    let plans = whose.run().map(|run| {
        let demand_of = |phase: &Phase| Demand::of(phase, |command| schema_of(view, &run.skill, command));
        last_proved(run, Evidence::Plan, demand_of)
    });
    let plans = plans.filter(|plans| !plans.is_empty()).unwrap_or_else(own_plan);
    facts.plan_file = plans.iter().find_map(|plan| {
        let in_work = at(plan);
        let path = [plan, &in_work].into_iter().find(|path| view.exists(&view.root().join(path)))?;
        let text = view.told(&view.root().join(path)).ok()?.text;
        Some(File { path: path.clone(), text, ..File::default() })
    });
    let log = at(&file_of(&work.skill, "LOG"));
    facts.log = match view.told_end(&view.root().join(&log), END) {
        Ok((text, is_all)) => Some(File { path: log, text, partial: !is_all, unread: None }),
        Err(Unread::Missing) => None,
        Err(Unread::Unreadable(why)) => Some(File { path: log, unread: Some(why), ..File::default() }),
    };
    let dialogue = view.told_end(&view.root().join(at(dialogue::FILE)), END);
    facts.answers = dialogue.map(|(text, _)| dialogue::answers(&text)).unwrap_or_default();
    let requests = whose.state.and_then(|state| state.params.get(REQUESTS)?.as_array());
    for request in requests.into_iter().flatten().filter_map(Value::as_str) {
        let text = view.told(&view.root().join(request)).ok().map(|told| told.text);
        let has = |file: &str| view.exists(&view.root().join(at(file)));
        let lacks = unanswered(request, text.as_deref(), has);
        facts.requests.extend(lacks.iter().map(|lack| lack.text(&place)));
    }
}

/// The schema that a step's command declares: in the skill's folder, or in the standards.
fn schema_of(view: &(impl View + ?Sized), skill: &str, command: &str) -> Option<Value> {
    let files = view.skill_files(skill).files;
    let folder = files.first().and_then(|file| file.parent());
    let in_skill = folder.and_then(|folder| {
        let file = format!("{command}.md");
        let places = [folder.join("commands").join(&file), folder.join(file)];
        places.iter().find_map(|place| declared_in(&view.told(place).ok()?.text, command))
    });
    in_skill.or_else(|| declared_in(standard::find("COMMANDS")?.text, command))
}

/// The files of the project that the work changed since a moment, the newest first: none of the client's, the engine's or the work
/// session's own, and no folders.
fn changed_files(
    view: &(impl View + ?Sized),
    deeds: &Deeds,
    since: &str,
    plan: Option<&Plan>,
) -> Vec<String> {
    let dialect = view.dialect();
    let client = dialect.worktrees.split('/').next().unwrap_or_default();
    let sessions = format!("{}/", name::FOLDER);
    let is_within = |file: &str, folder: &str| {
        let folder = folder.trim_end_matches('/');
        !folder.is_empty()
            && file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_own = |file: &str| {
        [client, OWN, &sessions].into_iter().any(|folder| is_within(file, folder))
            || plan.is_some_and(|plan| plan.page == file)
    };
    let is_folder = |file: &str| {
        let path = view.root().join(file);
        file.ends_with('/') || (view.exists(&path) && view.beginning(&path, 0).is_none())
    };
    let mut seen = HashSet::new();
    let edits = deeds.lines.iter().rev().filter_map(|line| match line {
        Line::Edit { at, file } if at.as_str() > since => Some(file.as_str()),
        _ => None,
    });
    let files = edits.filter(|file| seen.insert(*file) && !is_own(file) && !is_folder(file));
    files.map(str::to_owned).collect()
}

fn missing(view: &(impl View + ?Sized), state: Option<&WorkState>) -> Vec<String> {
    let payload = state.and_then(|state| state.overflow.payload.as_ref());
    let files = payload.into_iter().flat_map(|payload| &payload.required_files);
    files.filter(|file| !view.exists(&view.root().join(Path::new(file)))).cloned().collect()
}

fn approvals(view: &(impl View + ?Sized)) -> Vec<String> {
    let open = view.approvals().iter().filter(|request| request.answer.is_none());
    open.map(|request| format!("approval {}: {}", request.number, request.what)).collect()
}

fn chain(view: &(impl View + ?Sized)) -> Vec<String> {
    let left = view.session().chain().map(|chain| chain.left.as_slice()).unwrap_or_default();
    let shown = |skill: &str, args: &str| format!("/{skill} {args}").trim().to_owned();
    left.iter().map(|link| shown(&link.entry.skill, &link.entry.args)).collect()
}

/// The task in progress that the plan is for, or that the person asked this agent session for.
fn task(view: &(impl View + ?Sized), whose: &Whose<'_>) -> Option<String> {
    let of_plan = whose.plan.and_then(|(plan, _)| plan.task.as_deref());
    let asked = view.session().asked.as_ref().map(|asked| asked.name.as_str());
    let name = of_plan.or(asked)?;
    let told = view.tasks().ok()?;
    let file = TaskFile::parse(&told.text);
    let is_it = file.tasks().any(|task| task.state == State::InProgress && task.meta.name == name);
    is_it.then(|| name.to_owned())
}
