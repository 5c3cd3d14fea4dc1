//! One event in, one answer out. The hook ends well whatever happens, because one that fails must not hold up the agent; the one
//! exception is strict injection, which asked for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use engine_claude::capability;
use engine_core::change::Change;
use engine_core::config::Config;
use engine_core::event::{Event, Kind, Source};
use engine_core::journal::Entry;
use engine_core::plan::AgentNews;
use engine_core::policy;
use engine_core::ran;
use engine_core::verdict::{Decision, Judged, UserLine, Verdict};
use engine_core::view::Project as _;
use engine_rules::{Mode, Rule, journal};
use engine_store::claim::{self, Claimant, Claimed, claim};
use engine_store::commit::{CommitJob, commit, first_time};
use engine_store::live_view::LiveView;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{atomic, clock, config_file, content, journal_file, task_file, task_keep};
use engine_text::field;
use engine_text::stamp::Stamp;

use crate::judging::{self, Judgement, client_project};
use crate::trust;

mod of_plan;
pub mod of_plugin;
mod sender;
pub mod standby;
pub mod watchdog;

/// How often an event is judged anew because another of the same session was quicker. Each round means that another event was
/// finished, so there are never more rounds than parallel calls.
const MOST_RIVALS: usize = 100;

/// What the hook prints, and how it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// One JSON object, or nothing.
    pub stdout: String,
    /// What went wrong, for stderr.
    pub complaint: Option<String>,
    /// Strict injection asked for a failing exit, or nobody can tell what event it was.
    pub fails: bool,
}

impl Reply {
    fn complaint(text: String) -> Self {
        Self { complaint: Some(text), ..Self::default() }
    }
}

/// Where and when the hook runs, apart from what the event says.
#[derive(Debug, Clone)]
pub struct HookProcess {
    pub started: Instant,
    pub now: Stamp,
    /// The folder in which the client was started.
    pub client_project: Option<PathBuf>,
    /// The file for variables of the agent's shell, if the client gave one.
    pub env_file: Option<PathBuf>,
    pub client_pid: Option<u32>,
    /// Whether a tool call is blocked when the engine fails, once the configuration is known.
    fails_closed: Arc<AtomicBool>,
}

impl HookProcess {
    pub fn from_environment(started: Instant) -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        Self {
            started,
            now: clock::now(),
            client_project: client_project(),
            env_file: path("CLAUDE_ENV_FILE"),
            client_pid: std::env::var("CLAUDE_PID").ok().and_then(|pid| pid.parse().ok()),
            fails_closed: Arc::default(),
        }
    }

    /// Notes what becomes of a tool call that the engine cannot judge.
    fn learn(&self, config: &Config) {
        let is_closed = config.choice(&policy::FAIL) == "closed";
        self.fails_closed.store(is_closed, Ordering::Release);
        watchdog::fails(is_closed);
    }

    /// What becomes of one.
    fn refusal(&self, reason: String) -> Decision {
        if self.fails_closed.load(Ordering::Acquire) { Decision::Deny(reason) } else { Decision::Ask(reason) }
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Whether every hook is to be silent. A project that is not trusted cannot have it so.
pub fn is_off() -> bool {
    let is_set = std::env::var_os("ENGINE_OFF").is_some_and(|value| !value.is_empty() && value != "0");
    let project =
        || Project::open_accepted(client_project().as_deref(), &std::env::current_dir().unwrap_or_default());
    is_set && !project().is_some_and(|project| trust::is_switched_off_by(&project))
}

/// Answers one event, as the client writes it.
pub fn reply(rules: &[Rule], text: &str, around: &HookProcess) -> Reply {
    let mut event = match engine_claude::decode(text) {
        Ok(event) => event,
        Err(error) => {
            let why = error.to_string();
            let head = field::beginning(text);
            let named = engine_claude::decode(&head).ok();
            let answered = named.and_then(|event| unjudged(&event, "it cannot be read", around));
            return answered.unwrap_or_else(|| unreadable(&why, around));
        }
    };
    let Some(project) = judging::project_of(&event, around.client_project.as_deref()) else {
        return Reply::default();
    };
    // What a prompt is taken for depends on the session's state, which its rules read, too.
    let state = event
        .real_prompt()
        .is_some()
        .then(|| SessionFile::new(&project.sessions_folder(), &event.session).peek());
    if state.as_ref().is_some_and(|state| sender::is_stranger(&event, state)) {
        event.disown_prompt();
    }
    let live = || {
        let config = config_file::load(&project);
        around.learn(&config);
        judging::view(&event, &project, config).claiming()
    };
    let mut judgement = judging::judge_in(rules, &event, &project, live().with_state(state));
    let mut claimed = Claimed::Lost;
    for _ in 0..MOST_RIVALS {
        drop_void_claims(&mut judgement);
        claimed = claim(
            &Claimant {
                session: &event.session,
                file: judgement.view.session_file(),
                project: &project,
                config: judgement.view.config(),
                now: around.now,
            },
            &judgement.verdict.changes,
        );
        if claimed != Claimed::Lost {
            break;
        }
        let view = live().with_recorded(judgement.view.into_recorded());
        judgement = judging::judge_in(rules, &event, &project, view);
    }
    respond(rules, &event, &project, judgement, claimed, around)
}

/// A call that another rule refuses starts no agent, so it claims no step.
fn drop_void_claims(judgement: &mut Judgement<'_>) {
    if matches!(judgement.verdict.decision, Some(Decision::Deny(_))) {
        let is_claim =
            |change: &Change| matches!(change, Change::StepAgent { news: AgentNews::Claimed(_), .. });
        judgement.verdict.changes.retain(|change| !is_claim(change));
    }
}

/// Carries a judgement out and words the answer. The order matters: the text is made to fit before anything is written, changes
/// are committed before they are told, the journal knows what was told, and trouble with the journal is told last.
fn respond(
    rules: &[Rule],
    event: &Event<'_>,
    project: &Project,
    judgement: Judgement<'_>,
    claimed: Claimed,
    around: &HookProcess,
) -> Reply {
    let now = around.now;
    let Judgement { view, judged, mut verdict } = judgement;
    let (unsaved, not_started) = unclaimed(claimed, &mut verdict);
    let id = clock::decision_id(now);
    let shown = capability::of_name(&event.name).lines;
    let mut entry = verdict.entry(&id, now, event, &judged);
    keep_evidence(&mut entry, &verdict.changes, project);
    keep_judged(&mut entry, event, &verdict);
    if let Some(short) = verdict.context.as_ref().and_then(|context| engine_claude::fit(context, id.as_str()))
    {
        let whole = verdict.context.replace(short).unwrap_or_default();
        entry.cut = true;
        entry.bytes = verdict.context.as_ref().map_or(0, |text| text.len() as u64);
        if let Err(error) = keep_whole(project, id.as_str(), &whole) {
            entry.trouble.push(format!("the whole text was not kept: {error}"));
        }
    }
    let done = commit(&CommitJob {
        session: &event.session,
        file: view.session_file(),
        now,
        changes: &verdict.changes,
        lines: &verdict.lines,
        shown,
        env_file: around.env_file.as_deref(),
        local: crate::time::local,
        client_pid: around.client_pid,
        project,
        config: view.config(),
    });
    let mut lines = done.lines;
    lines.extend(lost_tasks(rules, event, project, &view));
    if let Some(untrue) = not_started.or(done.untrue) {
        // What the rule said would be untrue, and the words must reach somebody.
        verdict.stop = None;
        verdict.context = Some(format!("engine: {untrue}"));
        let told: Vec<&String> = promised(&judged).map(|line| &line.text).collect();
        lines.retain(|line| !told.contains(&line));
        lines.push(format!("engine: {untrue}"));
    }
    if !verdict.changes.is_empty() {
        let followed = of_plan::follow(event, project, &entry, &verdict.changes);
        if let Some(text) = followed.context {
            tell(text, &mut verdict, &mut entry);
        }
        lines.extend(followed.line);
        entry.trouble.extend(followed.trouble);
    }
    entry.trouble.extend(unsaved.filter(|unsaved| !done.trouble.contains(unsaved)));
    entry.trouble.extend(done.trouble);
    let mut answer = engine_claude::encode(&event.name, &verdict, &lines);
    let wants_journal = rules.iter().find(|rule| rule.id == journal::ID);
    if wants_journal.is_none_or(|rule| rule.mode(view.config()) != Mode::Off) {
        let undelivered = answer.undelivered.iter();
        entry.trouble.extend(undelivered.map(|part| format!("{part} cannot be given with this event")));
        entry.us = around.micros();
        if let Err(error) = journal_file::append(&project.journal_folder(), now, &entry) {
            entry.trouble.push(format!("the journal was not written: {error}"));
        }
    }
    // Without the folder nothing can be written, and the person is told that it is gone.
    if shown && !project.is_gone() {
        let told = entry.trouble.iter().filter(|trouble| first_time(&event.session, trouble));
        let told: Vec<String> =
            told.map(|trouble| format!("engine: {trouble}. The work goes on. See: engine doctor")).collect();
        if !told.is_empty() {
            lines.extend(told);
            answer = engine_claude::encode(&event.name, &verdict, &lines);
        }
    }
    let reply =
        Reply { stdout: answer.stdout, fails: verdict.failure.is_some(), complaint: verdict.failure.take() };
    crate::enrich::at_session(event, rules, project, view.config());
    // The process ends now, and with it all of its memory.
    std::mem::forget((view, judged, verdict, entry, lines));
    reply
}

/// A text of the engine's own behind those of the rules.
fn tell(text: String, verdict: &mut Verdict, entry: &mut Entry) {
    verdict.context = Some(match verdict.context.take() {
        Some(before) => format!("{before}\n{text}"),
        None => text,
    });
    entry.bytes = verdict.context.as_ref().map_or(0, |text| text.len() as u64);
    verdict.word().clone_into(&mut entry.verdict);
}

/// Keeps the task file when a session begins, and at the end of a turn tells of the tasks that went by a way that no rule saw.
fn lost_tasks(rules: &[Rule], event: &Event<'_>, project: &Project, view: &LiveView<'_>) -> Option<String> {
    let begins = match &event.kind {
        // One that was compacted goes on in the middle of a turn.
        Kind::SessionStart { source, .. } if *source != Source::Compact => true,
        Kind::Stop(_) => false,
        _ => return None,
    };
    let config = view.config();
    let is_off =
        rules.iter().find(|rule| rule.id == "tasks").is_none_or(|rule| rule.mode(config) == Mode::Off);
    if is_off || project.is_gone() || !view.is_trusted() {
        return None;
    }
    let path = task_file::path(project, config);
    // It is a copy, and without it the work goes on.
    if begins {
        let _ = task_keep::begin(project, &path);
        return None;
    }
    let told = task_keep::report(project, &path, &task_file::name(project, config)).ok().flatten();
    told.map(|told| format!("engine: {told}"))
}

/// What was not claimed: a state that is not saved, and a task that was not started, which is not told as one then. What others
/// had claimed each time is told once more, but for a task.
fn unclaimed(claimed: Claimed, verdict: &mut Verdict) -> (Option<String>, Option<String>) {
    let (unsaved, not_started) = match claimed {
        Claimed::All => return (None, None),
        Claimed::Unsaved(unsaved) => return (Some(unsaved), None),
        Claimed::NotStarted(why) => (None, Some(why)),
        Claimed::Lost => {
            let wanted = verdict.changes.iter().find_map(|change| match change {
                Change::StartTask { name, .. } => Some(name),
                _ => None,
            });
            (None, wanted.map(|name| claim::not_started(name, "other sessions were quicker each time")))
        }
    };
    let is_of_task =
        |change: &Change| matches!(change, Change::StartTask { .. } | Change::ChainStarted { .. });
    verdict.changes.retain(|change| not_started.is_none() || !is_of_task(change));
    (unsaved, not_started)
}

/// The lines with which a rule tells the person of something that is written for its answer to be true.
fn promised(judged: &[Judged]) -> impl Iterator<Item = &UserLine> {
    let promises = |change: &Change| {
        matches!(
            change,
            Change::AddTasks { .. }
                | Change::Capture { .. }
                | Change::Remember { .. }
                | Change::StartTask { .. }
        )
    };
    let findings = judged.iter().filter_map(|part| part.outcome.as_ref().ok());
    findings.filter(move |finding| finding.changes.iter().any(promises)).flat_map(|finding| &finding.lines)
}

/// What evidence needs of a command besides its status.
fn keep_evidence(entry: &mut Entry, changes: &[Change], project: &Project) {
    let noted = changes.iter().find_map(|change| match change {
        Change::Ran { ran, said, passed, forged } => Some((ran, said, *passed, *forged)),
        _ => None,
    });
    let is_forged = |change: &Change| matches!(change, Change::Ran { forged: true, .. });
    entry.forged = changes.iter().any(is_forged);
    let Some((ran, said, passed, _)) = noted else { return };
    entry.ran.clone_from(ran);
    entry.said.clone_from(said);
    if passed && !entry.forged {
        match content::take(project, content::PATIENCE) {
            Ok(id) => entry.content = Some(id),
            Err(why) => entry.trouble.push(format!("the content that a check passed on was not kept: {why}")),
        }
    }
}

/// What is known of a call by its input: where a rule changed that, what is to run; where another hook did, what was judged.
fn keep_judged(entry: &mut Entry, event: &Event<'_>, verdict: &Verdict) {
    if let (Some(input), Kind::PreTool(call)) = (&verdict.updated_input, &event.kind) {
        entry.judged = ran::sum(&engine_claude::with_input(call, input));
    }
    entry.rewritten = verdict.changes.iter().find_map(|change| match change {
        Change::Rewritten { judged } => Some(judged.clone()),
        _ => None,
    });
}

fn keep_whole(project: &Project, id: &str, text: &str) -> std::io::Result<()> {
    let folder = project.full_text_folder();
    Project::make_local(&folder)?;
    atomic::replace(&folder.join(format!("{id}.txt")), text.as_bytes(), atomic::Durability::Process)
}

/// Answers an event that is larger than what is read, by how it begins: a tool call is asked about, or refused where calls are blocked
/// without the engine. Where not even its name is found the hook fails, so that the client can block.
pub fn too_large(head: &str, why: &str, around: &HookProcess) -> Reply {
    let head = field::beginning(head);
    let Some(event) = engine_claude::decode(&head).ok().filter(|event| !event.name.is_empty()) else {
        return Reply { fails: true, ..unreadable(why, around) };
    };
    unjudged(&event, &format!("{why}: too large to judge"), around).unwrap_or_else(|| unreadable(why, around))
}

/// The answer to a tool call that could not be judged; nothing for other events.
fn unjudged(event: &Event<'_>, why: &str, around: &HookProcess) -> Option<Reply> {
    let Kind::PreTool(_) = event.kind else { return None };
    let Some(project) = judging::project_of(event, around.client_project.as_deref()) else {
        return Some(Reply::default());
    };
    around.learn(&config_file::load(&project));
    let decision = around.refusal(format!("engine did not judge this call: {why}"));
    let verdict = Verdict { decision: Some(decision), ..Verdict::default() };
    if writes_journal(&project) {
        let mut entry = verdict.entry(&clock::decision_id(around.now), around.now, event, &[]);
        entry.trouble.push(format!("the event was not judged: {why}"));
        entry.us = around.micros();
        let _ = journal_file::append(&project.journal_folder(), around.now, &entry);
    }
    let stdout = engine_claude::encode(&event.name, &verdict, &[]).stdout;
    Some(Reply { stdout, ..Reply::default() })
}

/// Writes an input that is no event into the journal of the project it seems to belong to, so that `engine
/// doctor` can tell of it: what a hook prints on stderr is shown to nobody.
pub fn unreadable(why: &str, around: &HookProcess) -> Reply {
    let now = around.now;
    let project = std::env::current_dir()
        .ok()
        .and_then(|cwd| Project::open_accepted(around.client_project.as_deref(), &cwd));
    if let Some(project) = project.filter(writes_journal) {
        let entry = Entry {
            id: clock::decision_id(now).as_str().to_owned(),
            at: now.rfc3339(),
            verdict: "none".to_owned(),
            trouble: vec![format!("an event could not be read: {why}")],
            us: around.micros(),
            ..Entry::default()
        };
        let _ = journal_file::append(&project.journal_folder(), now, &entry);
    }
    Reply::complaint(why.to_owned())
}

/// Whether the journal of a project is not switched off.
pub fn writes_journal(project: &Project) -> bool {
    let rule = engine_rules::RULES.iter().find(|rule| rule.id == journal::ID);
    rule.is_none_or(|rule| rule.mode(&config_file::load(project)) != Mode::Off)
}

#[cfg(test)]
mod tests;
