//! A hook that hangs is answered for before the client goes on without it: a tool call that nobody judged is asked about.
//!
//! Analysis and rules have budgets of their own. This is for what no budget ends: a file system that does not answer, a lock, a fault of
//! ours. At the deadline the process becomes `engine hook --late EVENT`, which opens nothing before it has answered. A thread that waits
//! would do the same, but costs more than the rules do.

use std::ffi::{CStr, CString};
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use engine_core::event::{Event, Kind};
use engine_core::verdict::{Decision, Verdict};
use engine_store::{clock, journal_file};
use engine_text::field;

use super::HookProcess;
use crate::judging;

/// The client waits for ten seconds.
const PATIENCE: Duration = Duration::from_secs(8);
/// What the note in the journal may take: it may be the journal that hangs.
const FOR_THE_JOURNAL: Duration = Duration::from_secs(1);
/// How much of an event the late hook gets; the kernel takes words of 128 KB at most.
const MOST_BYTES: usize = 100 << 10;

/// The word behind `hook` that makes it the late one.
pub const LATE: &str = "--late";
const LATE_WORD: &CStr = c"--late";
/// The word behind the event if tool calls are blocked when the engine fails.
const CLOSED: &str = "--closed";
const CLOSED_WORD: &CStr = c"--closed";

/// Why a call was not judged, for the model and the person.
const REASON: &str = "engine did not answer within 8 seconds, so this call was not judged: a file or a lock that it needs does not answer. \
                      See: engine doctor";

/// Watches over the event in `text` from now on. Where no timer can be had, nobody watches.
pub fn watch(text: &str, around: &HookProcess) {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    // A text with a null byte is no event; its beginning will do.
    let text = CString::new(text).unwrap_or_else(|error| {
        let end = error.nul_position();
        CString::new(&text[..end]).unwrap_or_default()
    });
    let words =
        vec![c"engine".to_owned(), c"hook".to_owned(), LATE_WORD.to_owned(), text, CLOSED_WORD.to_owned()];
    let left = PATIENCE.saturating_sub(around.started.elapsed());
    if let Some(program) = own_program() {
        let _ = engine_alarm::replace_after(left, program, words);
    }
}

/// The program that runs, also if its file was replaced meanwhile.
#[cfg(target_os = "linux")]
fn own_program() -> Option<CString> {
    Some(c"/proc/self/exe".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn own_program() -> Option<CString> {
    use std::os::unix::ffi::OsStringExt;
    CString::new(std::env::current_exe().ok()?.into_os_string().into_vec()).ok()
}

/// Tells what becomes of a tool call that the engine cannot judge.
pub(super) fn fails(closed: bool) {
    engine_alarm::with_last_word(closed);
}

/// Whether the hook may still answer. If not, the process is about to become the late hook.
pub fn may_answer() -> bool {
    engine_alarm::finish()
}

/// The late hook: answers the event in the words behind [`LATE`], then notes in the journal that it was not judged, if that does not hang too.
pub fn answer_late(words: &[String], around: HookProcess) {
    let Some((text, rest)) = words.split_first() else { return };
    let around =
        HookProcess { started: Instant::now().checked_sub(PATIENCE).unwrap_or(around.started), ..around };
    around.fails_closed.store(rest.iter().any(|word| word == CLOSED), Ordering::Release);
    // It may have been cut.
    let text = if engine_claude::decode(text).is_ok() { text.clone() } else { field::beginning(text) };
    let Ok(event) = engine_claude::decode(&text) else { return };
    let verdict = Verdict { decision: decision(&event, &around), ..Verdict::default() };
    let stdout = engine_claude::encode(&event.name, &verdict, &[]).stdout;
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(stdout.as_bytes()).and_then(|()| out.flush());
    note(text.clone(), verdict, around);
}

fn decision(event: &Event<'_>, around: &HookProcess) -> Option<Decision> {
    let Kind::PreTool(_) = event.kind else { return None };
    Some(around.refusal(REASON.to_owned()))
}

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
