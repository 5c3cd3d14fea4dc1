//! Carries out what the rules want: state, exports, lines for the person. What cannot be written becomes a line
//! itself; it never stops the agent.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use engine_core::chain::{Failure, Stored};
use engine_core::change::{Change, Record};
use engine_core::client::CONTEXT_LIMIT;
use engine_core::config::Config;
use engine_core::dialogue;
use engine_core::event::Source;
use engine_core::plan::AgentNews;
use engine_core::task::{Hidden, NewTask, with_added};
use engine_core::verdict::UserLine;
use engine_text::line::cut_at_line;
use engine_text::redact::redact;
use engine_text::stamp::Stamp;
use fs_err::OpenOptions;

use crate::auto_commit;
use crate::binding;
use crate::chain_end;
use crate::claim::is_claimed;
use crate::cleared_file::{self, Cleared};
use crate::env_file;
use crate::git;
use crate::log_file;
use crate::note_file::{self, Added};
use crate::plan_file::{self, PlanFile};
use crate::plan_review;
use crate::project::Project;
use crate::queue_file::{self, Words};
use crate::recorder;
use crate::regular;
use crate::restart_file::{self, Ready};
use crate::seen_file;
use crate::session_file::SessionFile;
use crate::step_agent;
use crate::task_file;
use crate::told;
use crate::trust;
use crate::work_file::WorkFile;

/// The most that is told of words that could not be kept; the client takes no more, and has them all in its transcript.
const TOLD: usize = CONTEXT_LIMIT - 1000;

/// What there is to do after an event.
pub struct CommitJob<'a> {
    pub session: &'a str,
    pub file: &'a SessionFile,
    pub now: Stamp,
    pub changes: &'a [Change],
    pub lines: &'a [UserLine],
    /// Whether the person sees lines that come with this event.
    pub shown: bool,
    /// The file for variables of the agent's shell, if the client gave one.
    pub env_file: Option<&'a Path>,
    /// A moment in the person's own zone.
    pub local: fn(Stamp) -> String,
    /// The process of the client.
    pub client_pid: Option<u32>,
    pub project: &'a Project,
    pub config: &'a Config,
}

/// What the person is to see now, and what went wrong.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub lines: Vec<String>,
    pub trouble: Vec<String>,
    /// What the rule told the model did not come true: what is true instead.
    pub untrue: Option<String>,
}

impl Done {
    fn note(&mut self, outcome: io::Result<()>, what: &str) {
        if let Err(error) = outcome {
            self.trouble.push(format!("{what}: {error}"));
        }
    }
}

/// Does the work. Touches no file when there is none to do.
pub fn commit(work: &CommitJob<'_>) -> Done {
    let mut done = Done::default();
    let mut stateful = !work.lines.is_empty();
    let (mut halted, mut began, mut reviewed) = (Vec::new(), Vec::new(), Vec::new());
    // The commit that a step begins at is that before this event commits anything.
    let begins = work.changes.iter().find_map(|change| match change {
        Change::PlanBegins { name } => Some((name, git::head(work.project.root()))),
        _ => None,
    });
    for change in work.changes {
        match change {
            Change::Export { variables } => {
                let Some(file) = work.env_file else { continue };
                let mut lines: Vec<String> = variables.iter().map(env_file::export).collect();
                match recorder::open(work.project, work.session, work.config) {
                    Ok(line) => lines.push(line),
                    Err(error) => done.trouble.push(format!("checks in pipes are not recorded: {error}")),
                }
                done.note(env_file::add(file, &lines), "variables for the shell were not set");
            }
            // What a client that was killed left unclaimed belongs to none of the calls to come.
            Change::SessionStarted { source, .. } if *source != Source::Compact.as_str() => {
                stateful = true;
                recorder::take(work.project, work.session);
            }
            Change::AddTasks { tasks, typed } => {
                if let Err(error) = add_tasks(work, tasks) {
                    let typed = cut_at_line(typed, TOLD);
                    done.untrue = Some(format!("the task was not recorded: {error}. It was: {typed}"));
                }
            }
            Change::Capture { fragment } => {
                let words = Words { fragment, session: Some(work.session), ..Words::default() };
                if let Err(error) = queue_file::capture(work.project, work.config, &words, work.now) {
                    let typed = cut_at_line(fragment, TOLD);
                    done.untrue = Some(format!("it was not put into the queue: {error}. It was: {typed}"));
                }
            }
            Change::Remember { kind, text } => {
                let said = |id: String| format!("this text is kept already, as the note {id}");
                let kept = match note_file::remember(work.project, *kind, text, work.now) {
                    Ok(Added::New(_)) => Ok(()),
                    Ok(Added::Same(id)) => Err(said(id)),
                    Err(error) => Err(error.to_string()),
                };
                if let Err(why) = kept {
                    let typed = cut_at_line(text, TOLD);
                    done.untrue = Some(format!("it was not kept as a note: {why}. It was: {typed}"));
                }
            }
            Change::TaskDone { name } => {
                let path = task_file::path(work.project, work.config);
                let ended = task_file::end_own(work.project, &path, work.session, name);
                done.note(ended, "the task of the chain was not marked as done");
            }
            Change::ChainFailed { why, .. } => {
                stateful = true;
                let path = task_file::path(work.project, work.config);
                let failure = work.file.peek().chain.and_then(|chain| chain.failure_of_next(why));
                let block = |failure: Failure| {
                    task_file::block_own(work.project, &path, work.session, &failure.reason())
                };
                done.note(failure.map_or(Ok(()), block), "the task of the chain was not marked as blocked");
            }
            Change::ChainTaken { from, chain } => {
                stateful = true;
                let taken = chain_end::take(work.project, work.config, from, work.session, chain);
                done.note(taken, "the chain is still kept for the session before, too");
            }
            Change::ChainResumed | Change::ChainSkipped => {
                stateful = true;
                let path = task_file::path(work.project, work.config);
                let failure = work.file.peek().chain.and_then(|chain| chain.failure);
                let unblock = |failure: Failure| {
                    task_file::unblock(work.project, &path, work.session, &failure.reason())
                };
                done.note(
                    failure.map_or(Ok(()), unblock),
                    "the task of the chain is still marked as blocked",
                );
            }
            Change::Restored { work: name } => {
                stateful = true;
                let told = WorkFile::new(work.project, name).update(|state| {
                    if state.overflow.payload.is_some() {
                        state.overflow.told_at = Some(work.now.rfc3339());
                    }
                    Ok::<(), io::Error>(())
                });
                done.note(told, "what was saved may be told again");
            }
            Change::RestartReady { transcript } => {
                let ready = Ready { at: work.now, transcript: transcript.clone() };
                let noted = restart_file::ready(work.project, work.session, ready);
                done.note(noted, "engine run does not start the client again by itself");
            }
            Change::PlanHalted { name, kind, reason } => {
                halted.push((name, *kind, reason));
            }
            Change::ReviewBegan { agent, by } => began.push((agent, *by)),
            Change::Reviewed { name, agent, review } => {
                stateful = true;
                reviewed.push((name, agent, review));
            }
            Change::PlanAnswered { name } => {
                let over = PlanFile::new(work.project, name).update(|plan| {
                    plan.close(None, None, &work.now.rfc3339()).map_err(|why| io::Error::other(why.text))
                });
                if over.is_err() {
                    // Its turn is over, whatever became of its file.
                    let unbound = binding::plan::unbind(work.project, name, work.session);
                    done.note(unbound, "the plan that only answers stays open");
                }
            }
            Change::AutoCommitBegan { call, paths } => {
                if let Err(why) = auto_commit::begin(work.project, call, paths) {
                    done.trouble.push(format!("what this call changes is not committed, because {why}"));
                }
            }
            Change::AutoCommit { call, paths, file, message } => {
                let ended = auto_commit::Ended { call, pathspecs: paths, file: file.as_deref(), message };
                for why in auto_commit::commit(work.project, &ended) {
                    done.trouble.push(format!("not committed, because {why}: {message}"));
                }
            }
            Change::OrphansTold { sessions } => drop(chain_end::told(work.project, sessions)),
            // Where it cannot be kept it is told again in another session, which does no harm.
            Change::NewsTold { news } => drop(trust::told(work.project, news)),
            Change::ContextSeen => drop(trust::context_seen(work.project)),
            Change::RunnersSeen { seen } => {
                let what = "what the client runs by itself may be reported again";
                done.note(seen_file::keep(work.project, seen), what);
            }
            Change::StepAgent { news: AgentNews::Worked { .. }, .. } => stateful = true,
            // By `claim::claim`, by the hook in its line of the journal and after this, and below.
            Change::DirectivesTold { .. }
            | Change::DirectiveAwaited { .. }
            | Change::CallCounted { .. }
            | Change::Ran { .. }
            | Change::Rewritten { .. }
            | Change::StepAgent { .. }
            | Change::PlanBegins { .. }
            | Change::PlanMoves { .. }
            | Change::WorkInherited { .. }
            | Change::PlanInherited { .. } => {}
            Change::ChecklistArmed { work: name, path } => {
                stateful = true;
                let armed = WorkFile::new(work.project, name).update(|state| {
                    state.arm(path);
                    Ok::<(), io::Error>(())
                });
                done.note(armed, "a checklist will not be asked for");
            }
            Change::ClearedTold => {
                if let Some(client) = work.client_pid {
                    cleared_file::remove(work.project, client);
                }
            }
            Change::Recorded { work: name, record } => {
                let stamp = (work.local)(work.now);
                let (file, text) = match record {
                    Record::Prompt(prompt) => (dialogue::FILE, dialogue::prompted(&stamp, prompt)),
                    Record::Asked { preamble, questions } => {
                        (dialogue::FILE, dialogue::asked(&stamp, preamble, questions))
                    }
                    Record::Log { file, title, body } => {
                        (file.as_str(), format!("## [{stamp}] {title}\n{}\n", redact(body)))
                    }
                };
                let path = WorkFile::new(work.project, name).folder().join(file);
                let written =
                    told::may_write(work.project.root(), &path).and_then(|()| log_file::append(&path, &text));
                done.note(written, &format!("{file} was not written"));
            }
            Change::SessionEnded { reason } => {
                stateful = true;
                recorder::close(work.project, work.session);
                if let Some(client) = work.client_pid.filter(|_| reason == "clear") {
                    done.note(cleared(work, client), "the next context will not know of this one");
                }
            }
            _ => stateful = true,
        }
    }
    if stateful {
        match update_state(work) {
            Ok((lines, set_aside)) => {
                done.lines = lines;
                done.trouble.extend(set_aside);
            }
            Err(error) => {
                // Without the state only the temporary folder remembers what was told.
                let news = |line: &&UserLine| {
                    line.cause.as_ref().is_none_or(|cause| first_time(work.session, cause))
                };
                done.lines = work.lines.iter().filter(news).map(|line| line.text.clone()).collect();
                done.trouble.push(format!("the session's state was not saved: {error}"));
            }
        }
    }
    // Behind the state: a plan writes its copy into it, which must not be written over.
    for change in work.changes {
        match change {
            Change::StepAgent { name, news } => {
                let heard = step_agent::heard(work.project, work.session, name, news, work.now);
                done.note(heard, "what became of the agent of a step was not saved");
            }
            Change::PlanInherited { name, from } => {
                let inherited = plan_file::inherit(work.project, name, from, work.session);
                done.note(inherited, "the plan was not handed over");
            }
            Change::WorkInherited { name, from } => {
                let now = work.now.rfc3339();
                let inherited = binding::work::inherit(work.project, name, from, work.session, &now);
                done.note(inherited, "the work session was not handed over");
            }
            _ => {}
        }
    }
    for (name, kind, reason) in halted {
        let noted = plan_file::halt(work.project, work.session, name, kind, reason);
        done.note(noted, "the plan was not halted");
    }
    if let Some((name, head)) = begins {
        let started = plan_file::begin(work.project, name, head, &work.now.rfc3339());
        done.note(started, "no step was begun");
    }
    for (agent, by) in began {
        let noted = plan_review::began(work.project, work.file, agent, by);
        done.note(noted, "the start of the judging agent was not saved, so its verdict will not count");
    }
    for (name, agent, review) in reviewed {
        let kept = plan_review::keep(work.project, work.file, name, agent, review, work.now);
        done.note(kept, "the verdict of the judging agent was not saved");
    }
    done
}

fn add_tasks(work: &CommitJob<'_>, tasks: &[NewTask]) -> io::Result<()> {
    let path = task_file::path(work.project, work.config);
    task_file::edit(work.project, &path, |text, _| match with_added(text, tasks) {
        Ok((new, _)) => Ok((Some(new), ())),
        Err(Hidden) => {
            Err(io::Error::other("it would not be seen where it would stand; engine task validate tells why"))
        }
    })
}

/// Leaves a note of what was bound to the session that follows in the same client; one of an earlier clear must not stay.
fn cleared(work: &CommitJob<'_>, client: u32) -> io::Result<()> {
    let state = work.file.peek();
    let chain = state.chain().filter(|chain| !chain.is_over() && !chain.unbegun).map(Stored::line);
    let (bound, plan) = (state.work, state.plan.map(|plan| plan.name));
    if bound.is_none() && plan.is_none() && chain.is_none() {
        cleared_file::remove(work.project, client);
        return Ok(());
    }
    let session = work.session.to_owned();
    cleared_file::write(work.project, client, &Cleared { session, work: bound, plan, chain })
}

fn update_state(work: &CommitJob<'_>) -> io::Result<(Vec<String>, Option<String>)> {
    let (lines, set_aside) = work.file.update(|state| {
        for change in work.changes.iter().filter(|change| !is_claimed(change)) {
            state.apply(change, work.now);
        }
        let is_news =
            |line: &&UserLine| line.cause.as_ref().is_none_or(|cause| state.told.insert(cause.clone()));
        let news: Vec<String> = work.lines.iter().filter(is_news).map(|line| line.text.clone()).collect();
        if work.shown {
            let mut lines = std::mem::take(&mut state.untold);
            lines.extend(news);
            lines
        } else {
            state.untold.extend(news);
            Vec::new()
        }
    })?;
    Ok((lines, set_aside.map(|set_aside| set_aside.0)))
}

/// Whether the person should be told of this trouble now: once per session and kind of trouble. The session's
/// state may be the very thing that cannot be written, so this is remembered in the system's temporary folder.
pub fn first_time(session: &str, trouble: &str) -> bool {
    let kind = trouble.split(": ").next().unwrap_or(trouble);
    let mut hasher = DefaultHasher::new();
    (session, kind).hash(&mut hasher);
    let mark = std::env::temp_dir().join(format!("engine-told-{:016x}", hasher.finish()));
    match regular::open(OpenOptions::new().write(true).create_new(true), &mark) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::AlreadyExists,
    }
}
