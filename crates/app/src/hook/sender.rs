//! Whether a prompt is the person's. Its event is the same whoever sent it: the person, another agent through the client's socket, a timer, or
//! another client that has resumed the session.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use engine_claude::DIALECT;
use engine_claude::author::was_queued;
use engine_core::event::Event;
use engine_core::session::SessionState;
use engine_store::process;

/// The client writes its transcript a tenth of a second late, and no later where it was measured.
const BEHIND: Duration = Duration::from_millis(150);
const LOOK: Duration = Duration::from_millis(10);

/// Whether somebody else than the session's person sent a prompt, as far as it can be known now.
pub(super) fn is_stranger(event: &Event<'_>, state: &SessionState) -> bool {
    let Some(text) = event.real_prompt() else { return false };
    if is_other_client(state) {
        return true;
    }
    // A host queues what its person types.
    let is_typed = std::env::var(DIALECT.entrypoint_variable).is_ok_and(|value| value == DIALECT.interactive);
    let transcript = event.transcript.as_deref().filter(|_| is_typed && has_much_to_lose(state));
    transcript.is_some_and(|transcript| is_queued(Path::new(transcript), text, BEHIND))
}

/// Something else than the session's client sends it, which still runs: a forger, or another client that an agent has let resume the session. One
/// that the person has in another terminal is theirs, too.
fn is_other_client(state: &SessionState) -> bool {
    let sender = process::sender();
    let is_agents = |pid: u32| process::above(pid).iter().any(engine_claude::agents::is_agent);
    state.client.is_some_and(|client| sender != Some(client.pid) && process::runs(client))
        && sender.is_none_or(is_agents)
}

/// Where a prompt changes nothing that lasts, nobody waits for the transcript.
fn has_much_to_lose(state: &SessionState) -> bool {
    state.work.is_some()
        || state.plan.is_some()
        || state.armed.is_some()
        || state.chain.is_some()
        || !state.approvals.is_empty()
}

fn is_queued(transcript: &Path, text: &str, behind: Duration) -> bool {
    let started = Instant::now();
    loop {
        if was_queued(transcript, text) {
            return true;
        }
        if started.elapsed() >= behind {
            return false;
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_may_reach_the_transcript_late() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, "").unwrap();
        assert!(!is_queued(&path, "go on", Duration::ZERO));
        thread::scope(|scope| {
            let found = scope.spawn(|| is_queued(&path, "go on", Duration::from_mins(10)));
            let line = r#"{"type":"queue-operation","operation":"enqueue","content":"go on"}"#;
            std::fs::write(&path, format!("{line}\n")).unwrap();
            assert!(found.join().unwrap());
        });
    }
}
