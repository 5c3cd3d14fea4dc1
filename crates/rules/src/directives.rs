//! Tells an agent the directives of the folders that it works in: with the call that touched the folder, and what does not fit with
//! the next calls. A file that is larger than all that one event may tell is named by its path. With a work session, what was only
//! named is to be read soon: a reminder, then other calls are held.
//!
//! Notes whose scope has a file that the agent works on come with them, a line each.
//!
//! Each file once per context and agent; after a compaction again. The types that only some skills want come with the first change
//! to a folder, whether or not it was looked at before.

use std::path::{Path, PathBuf};

use crate::engine_call::engine_call;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::config::Number;
use engine_core::directive::context::{Queued, Shown, covers};
use engine_core::directive::touch::{Touch, touches};
use engine_core::directive::{
    BARE, CHECKLIST, Disk, FOLDER, FoundDirective, Places, SKIP, Type, discover, shown,
};
use engine_core::event::{Actor, Event, EventName, Kind, Tool, ToolCall};
use engine_core::plan::Reviewer;
use engine_core::session::ContextDirectives;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Notes, Own, Project, Session, Shell, Skills, Telling, Work, below_root};
use engine_core::work::{BoundWork, name};
use engine_text::line::units;

mod notes;
mod refer;
mod tell;

looks_at!(Files + Notes + Own + Project + Session + Shell + Skills + Telling + Work);

pub(crate) const RULE: Rule = Rule {
    id: "directives",
    about: "Tells an agent the .directives/ of the folders it works in, and the notes of the files; in a work session one that is too long must be read.",
    events: &[EventName::PreTool, EventName::PostTool, EventName::PostToolFailure, EventName::SubagentStop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const BUDGET: Number = Number {
    name: "directives.budget",
    default: 6000,
    range: (0, 9000),
    about: "How much of directives one event may tell, in characters; what does not fit comes with the next events, and a file that is larger is named by its path.",
};

pub const WARN: Number = Number {
    name: "directives.warn",
    default: 3,
    range: (0, 1000),
    about: "Calls after which an agent in a work session is reminded of a directive that it has not read; 0: never.",
};

pub const BLOCK: Number = Number {
    name: "directives.block",
    default: 6,
    range: (0, 1000),
    about: "Calls after which an agent in a work session is held until it reads a directive; 0: never.",
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    Ok(match &event.kind {
        Kind::PreTool(call) => before(call, event, view),
        Kind::PostTool { call, .. } => after(call, true, event, view),
        Kind::PostToolFailure { call, .. } => after(call, false, event, view),
        Kind::SubagentStop(_) => ended(event, view),
        _ => Finding::default(),
    })
}

/// What a subagent was told is forgotten with its context.
fn ended(event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    let agent = event.actor.id();
    if agent.is_empty() || !view.session().directives.contains_key(agent) {
        return Finding::default();
    }
    Finding { changes: vec![Change::AgentEnded { agent: agent.to_owned() }], ..Finding::default() }
}

/// Holds an agent that leaves a directive unread.
fn before(call: &ToolCall<'_>, event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    if view.work().is_none() {
        return Finding::default();
    }
    let agent = event.actor.id();
    let Some(told) = view.session().directives.get(agent).filter(|told| !told.pending.is_empty()) else {
        return Finding::default();
    };
    // A person who is asked sees what is going on; what only logs must always be possible.
    let is_free =
        call.tool == Tool::Ask || engine_call(call, &event.cwd, view).is_some_and(|engine| engine.alone);
    if is_free || reads_pending(call, event, told, view) {
        return Finding::default();
    }
    let waited = u64::from(told.waited) + 1;
    let (warn, block) = (view.config().number(&WARN), view.config().number(&BLOCK));
    let count = Change::DirectiveAwaited { agent: agent.to_owned(), seen: told.waited };
    let (is_held, is_warned) = (block > 0 && waited > block, warn > 0 && waited == warn);
    if !is_held && !is_warned {
        return Finding { changes: vec![count], ..Finding::default() };
    }
    // What was removed or spoilt meanwhile cannot be read.
    let is_there = |path: &&str| view.read(&view.root().join(path)).is_ok();
    let left: Vec<&str> = told.pending.iter().map(String::as_str).filter(is_there).collect();
    if left.is_empty() {
        return Finding::default();
    }
    let list = left.join(", ");
    if is_held {
        return Finding::deny(format!(
            "directives that count here are not read yet: {list}. Read them whole ({}, or cat), then go on.",
            view.dialect().read_words
        ))
        .because(format!("{waited} calls reached directives.block ({block})"));
    }
    let held = match block.saturating_sub(waited) {
        _ if block == 0 => String::new(),
        left => format!(" After {left} more calls, other calls are held until they are read."),
    };
    let text = format!("engine: directives that count here are not read yet: {list}.{held}");
    let because = format!("{waited} calls reached directives.warn ({warn})");
    Finding { changes: vec![count], ..Finding::note(text).because(because) }
}

/// Whether a call shows the agent something that it has to read. Such a call is never held.
pub(crate) fn reads_pending(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    told: &ContextDirectives,
    view: &(impl View + ?Sized),
) -> bool {
    !told.pending.is_empty()
        && touched(call, event, view)
            .iter()
            .any(|touch| touch.shows != Shown::Nothing && is_pending(touch, told, view))
}

/// By the file itself: agents are told where a link leads, and may read it there.
fn is_pending(touch: &Touch, told: &ContextDirectives, view: &(impl View + ?Sized)) -> bool {
    !told.pending.is_empty() && told.pending.contains(&identity(&view.resolve("/", &touch.path), view))
}

/// Whether a call changes a file, as far as its words tell.
pub(crate) fn changes(call: &ToolCall<'_>, event: &Event<'_>, view: &(impl View + ?Sized)) -> bool {
    touched(call, event, view).iter().any(|touch| touch.changes)
}

fn touched(call: &ToolCall<'_>, event: &Event<'_>, view: &(impl View + ?Sized)) -> Vec<Touch> {
    let analysis = |command: &str| view.analysis(command, &event.cwd);
    touches(call, &event.cwd, view.variable("HOME").as_deref(), &analysis)
}

/// Tells what counts where the call worked, then what did not fit before, and arms checklists where it changed something.
fn after(call: &ToolCall<'_>, succeeded: bool, event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    let touched = touched(call, event, view);
    if touched.is_empty() && !view.has_queued_directives() {
        return Finding::default();
    }
    let work = view.work();
    let agent = event.actor.id();
    // Only who works in a session is held; for others the state is not opened before there is something to tell.
    let held = work.and_then(|_| view.session().directives.get(agent));
    let mut met = Met::default();
    for touch in &touched {
        met.show(touch, held, succeeded, view);
        // A command that failed may well have changed something before.
        met.look(touch, work, succeeded || call.commands().next().is_some(), view);
    }
    let is_queued = view.has_queued_directives()
        && view.session().directives.get(agent).is_some_and(|told| !told.queued.is_empty());
    // Who judges the work of another agent is told nothing that this one may have written.
    let judges =
        matches!(&event.actor, Actor::Subagent { agent_type, .. } if Reviewer::of(agent_type).is_some());
    let all_notes = if judges { Vec::new() } else { notes::all(view) };
    let of_call = notes::of_call(&all_notes, &touched, view, || view.session().directives.get(agent));
    if met.found.is_empty()
        && of_call.is_empty()
        && met.shown.is_empty()
        && met.parts.is_empty()
        && !is_queued
    {
        return Finding::default();
    }
    let told = view.session().directives.get(agent);
    let is_known = |path: &String| told.is_some_and(|told| told.delivered.contains(path));
    let is_pending = |path: &String| told.is_some_and(|told| told.pending.contains(path));
    let mut news = News { seen: told.map_or(0, ContextDirectives::seen), ..News::default() };
    news.delivered = met.shown.iter().filter(|path| !is_known(path)).cloned().collect();
    let own: String =
        news.delivered.iter().filter_map(|path| view.read(&view.root().join(path)).ok()).collect();
    let is_new = |path: &String| !is_known(path) && !is_pending(path) && !news.delivered.contains(path);
    let fresh = met.found.iter().map(|found| tell::Candidate::fresh(found, view));
    let fresh = fresh.chain(of_call.notes.iter().map(|note| tell::Candidate::note(note, view)));
    let mut candidates: Vec<tell::Candidate> = fresh.filter(|one| is_new(&one.path)).collect();
    for queued in told.into_iter().flat_map(|told| &told.queued).filter(|queued| is_new(&queued.path)) {
        if candidates.iter().all(|one| one.path != queued.path) {
            candidates.push(tell::Candidate::queued(queued, &all_notes));
        }
    }
    let mut finding = tell::tell(&candidates, work, &mut news, view);
    let told_now = finding.context.take().unwrap_or_default();
    if let Some((line, name)) = of_call.rest() {
        news.notes.push(line);
        news.delivered.push(name);
    }
    let note_lines = news.notes.join("\n");
    let left = budget(view).saturating_sub(units(&told_now) + units(&note_lines));
    met.paths.append(&mut news.elsewhere);
    let referred = refer::tell(&format!("{told_now}\n\n{own}"), left, &met, told, &mut news, view);
    let parts = [Some(told_now), referred, Some(note_lines)].into_iter().flatten();
    let parts: Vec<String> = parts.filter(|text| !text.is_empty()).collect();
    finding.context = (!parts.is_empty()).then(|| parts.join("\n\n"));
    let agent = agent.to_owned();
    for (path, lines, of) in met.parts {
        finding.changes.push(Change::DirectiveShown { agent: agent.clone(), path, lines, of });
    }
    if !news.is_empty() {
        let News { seen, delivered, pending, queued, gone, .. } = news;
        finding.changes.push(Change::DirectivesTold { agent, seen, delivered, pending, queued, gone });
    }
    if let Some(work) = work {
        let arm = |path: String| Change::ChecklistArmed { work: work.name.clone(), path };
        finding.changes.extend(met.checklists.into_iter().filter(|path| !work.armed.contains(path)).map(arm));
    }
    finding
}

/// What comes into an agent's context with this event.
#[derive(Default)]
struct News {
    seen: usize,
    delivered: Vec<String>,
    pending: Vec<String>,
    queued: Vec<Queued>,
    gone: Vec<String>,
    /// The lines of notes. What they refer to is not looked up: they are data.
    notes: Vec<String>,
    /// Where files are that were told now and that the call did not touch.
    elsewhere: Vec<PathBuf>,
}

impl News {
    fn is_empty(&self) -> bool {
        let Self { delivered, pending, queued, gone, .. } = self;
        delivered.is_empty() && pending.is_empty() && queued.is_empty() && gone.is_empty()
    }
}

/// What was met on the way up from the touched paths.
#[derive(Default)]
struct Met {
    /// Where the way up began.
    paths: Vec<PathBuf>,
    found: Vec<FoundDirective>,
    /// Directives that the call itself showed or wrote.
    shown: Vec<String>,
    /// Parts that it showed of directives that are to be read: from one line to another, of so many.
    parts: Vec<(String, (u64, u64), u64)>,
    /// Checklists of what was changed, by their absolute paths without links.
    checklists: Vec<String>,
}

impl Met {
    fn show(
        &mut self,
        touch: &Touch,
        held: Option<&ContextDirectives>,
        succeeded: bool,
        view: &(impl View + ?Sized),
    ) {
        if (touch.shows == Shown::Nothing && !touch.changes) || !succeeded {
            return;
        }
        let is_pending = held.is_some_and(|told| is_pending(touch, told, view));
        let is_placed = || placed(&touch.path, view).is_some_and(|path| is_directive(&path, view));
        if !is_pending && !is_placed() {
            return;
        }
        let real = view.resolve("/", &touch.path);
        let path = identity(&real, view);
        // Who writes one knows it, too.
        if !touch.changes && touch.shows != Shown::ALL {
            let of = view.read(&real).map_or(0, |text| text.lines().count() as u64);
            let Some(lines) = touch.shows.of(of) else { return };
            if !covers(&[lines], of) {
                if is_pending {
                    self.parts.push((path, lines, of));
                }
                return;
            }
        }
        if !self.shown.contains(&path) {
            self.shown.push(path);
        }
    }

    fn look(
        &mut self,
        touch: &Touch,
        work: Option<&BoundWork>,
        may_change: bool,
        view: &(impl View + ?Sized),
    ) {
        let Some(path) = placed(&touch.path, view) else { return };
        let declared =
            |kind: &Type| work.is_some_and(|work| work.directives.iter().any(|name| *name == kind.file()));
        let wanted = |kind: &Type| kind.core || (touch.changes && declared(kind));
        for found in found_at(&path, &wanted, view) {
            // Logs and plans of the work are not what a checklist is about.
            let is_checked = touch.changes && may_change && !path.starts_with(view.root().join(name::FOLDER));
            if found.kind.name == CHECKLIST && is_checked {
                let checklist = found.real.to_string_lossy().into_owned();
                if !self.checklists.contains(&checklist) {
                    self.checklists.push(checklist);
                }
            }
            if self.found.iter().all(|other| other.real != found.real) {
                self.found.push(found);
            }
        }
        self.paths.push(path);
    }
}

fn found_at(path: &Path, wanted: &dyn Fn(&Type) -> bool, view: &(impl View + ?Sized)) -> Vec<FoundDirective> {
    let (own, skipped) = (view.own_directives(), view.config().names(&SKIP));
    let bare = view.config().flag(&BARE);
    let places = Places {
        root: view.root(),
        user: own.as_deref(),
        skipped: &skipped,
        bare,
        worktrees: view.dialect().worktrees,
    };
    let mut found = discover(path, &places, wanted, &OnDisk(view));
    // Of a project that is not trusted nothing is told but the person's own.
    if !found.is_empty() && !view.is_trusted() {
        found.retain(|found| own.as_deref().is_some_and(|own| found.path.starts_with(own)));
    }
    found
}

struct OnDisk<'v, V: ?Sized>(&'v V);

impl<V: Files + ?Sized> Disk for OnDisk<'_, V> {
    fn exists(&self, path: &Path) -> bool {
        self.0.exists(path)
    }

    fn real(&self, path: &Path) -> PathBuf {
        self.0.resolve("/", &path.to_string_lossy())
    }
}

/// A path in the project, or among the person's own directives.
fn placed(path: &str, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    if view.own_directives().is_some_and(|own| Path::new(path).starts_with(own)) {
        return Some(PathBuf::from(path));
    }
    below_root(path, view).map(|below| view.root().join(below))
}

fn is_directive(path: &Path, view: &(impl View + ?Sized)) -> bool {
    let parent = path.parent();
    let is_place = parent.and_then(Path::file_name).is_some_and(|name| name == FOLDER)
        || parent == view.own_directives().as_deref()
        || view.config().flag(&BARE);
    is_place && path.file_name().is_some_and(|name| Type::find(&name.to_string_lossy()).is_some())
}

fn identity(real: &Path, view: &(impl View + ?Sized)) -> String {
    shown(real, &view.resolve("/", &view.root().to_string_lossy()))
}

fn budget(view: &(impl View + ?Sized)) -> usize {
    usize::try_from(view.config().number(&BUDGET)).unwrap_or(usize::MAX)
}
