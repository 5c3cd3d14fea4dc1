//! A hook that hangs is answered for before the client goes on without it: a tool call that nobody judged is asked about.
//!
//! Analysis and rules have budgets of their own. This is for what no budget ends: a file system that does not answer, a lock, a fault of
//! ours. The answer comes from a thread of its own, which opens nothing, and the process ends whatever the other thread waits for.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use engine_core::event::{Event, Kind};
use engine_core::verdict::{Decision, Verdict};
use engine_store::{clock, journal_file};

use super::HookProcess;
use crate::judging;

/// The client waits for ten seconds.
const PATIENCE: Duration = Duration::from_secs(8);
/// What the note in the journal may take: it may be the journal that hangs.
const FOR_THE_JOURNAL: Duration = Duration::from_secs(1);
/// The thread only waits and words an answer.
const STACK: usize = 256 << 10;

/// Why a call was not judged, for the model and the person.
const REASON: &str = "engine did not answer within 8 seconds, so this call was not judged: a file or a lock that it needs does not answer. \
                      See: engine doctor";

/// Answers in place of a hook that hangs. Only one of the two answers.
#[derive(Clone, Default)]
pub struct Watchdog {
    answered: Arc<AtomicBool>,
}

impl Watchdog {
    /// Watches over the event in `text` from now on. Where no thread can be had, nobody watches.
    pub fn watch(text: &Arc<String>, around: &HookProcess) -> Self {
        let watchdog = Self::default();
        let (own, text, around) = (watchdog.clone(), Arc::clone(text), around.clone());
        let deadline = around.started + PATIENCE;
        let wait = move || {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            if own.takes_the_word() {
                answer(&text, around);
            }
        };
        let _ = thread::Builder::new().stack_size(STACK).spawn(wait);
        watchdog
    }

    /// Whether the caller is the first to answer, and so the only one.
    pub fn takes_the_word(&self) -> bool {
        !self.answered.swap(true, Ordering::AcqRel)
    }
}

fn answer(text: &str, around: HookProcess) {
    if let Ok(event) = engine_claude::decode(text) {
        let verdict = Verdict { decision: decision(&event, &around), ..Verdict::default() };
        let stdout = engine_claude::encode(&event.name, &verdict, &[]).stdout;
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(stdout.as_bytes()).and_then(|()| out.flush());
        note(text.to_owned(), verdict, around);
    }
    std::process::exit(0);
}

fn decision(event: &Event<'_>, around: &HookProcess) -> Option<Decision> {
    let Kind::PreTool(_) = event.kind else { return None };
    Some(around.refusal(REASON.to_owned()))
}

/// Notes in the journal that an event was not judged, if that does not hang too.
fn note(text: String, verdict: Verdict, around: HookProcess) {
    let (done, ended) = mpsc::channel();
    let append = move || {
        if let Ok(event) = engine_claude::decode(&text)
            && let Some(project) = judging::project_of(&event, around.client_project.as_deref())
        {
            let now = around.now;
            let mut entry = verdict.entry(&clock::decision_id(now), now, &event, &[]);
            entry.trouble.push(format!("the event was not judged within {} s", PATIENCE.as_secs()));
            entry.us = around.micros();
            let _ = journal_file::append(&project.journal_folder(), now, &entry);
        }
        let _ = done.send(());
    };
    if thread::Builder::new().spawn(append).is_ok() {
        let _ = ended.recv_timeout(FOR_THE_JOURNAL);
    }
}
