use std::io::{BufRead, BufReader, PipeReader, PipeWriter, pipe};
use std::os::unix::process::ExitStatusExt;

use super::*;

/// A shell that says on its stdout when it is ready.
fn shell(script: &str) -> (Command, PipeReader) {
    let (reader, writer): (PipeReader, PipeWriter) = pipe().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdout(writer);
    (command, reader)
}

/// Runs a script, and gives it a signal once it has said a line.
fn signalled(script: &str, signal: i32) -> (ExitStatus, bool) {
    let supervisor = Supervisor::default();
    let (mut command, reader) = shell(script);
    let relay = supervisor.clone();
    let status = thread::scope(|scope| {
        scope.spawn(move || {
            let mut line = String::new();
            BufReader::new(reader).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            relay.pass_on(signal);
        });
        let (status, was_ended) = supervisor.run(&mut command, || false).unwrap();
        assert!(!was_ended);
        // Or the reader would wait for another writer.
        drop(command);
        status
    });
    assert!(supervisor.child().is_none(), "nobody is signalled any more");
    (status, supervisor.is_told_to_end())
}

#[test]
fn the_end_of_the_child_is_ours() {
    let supervisor = Supervisor::default();
    let run = |script: &str| supervisor.run(&mut shell(script).0, || false).unwrap().0;
    assert_eq!(run("exit 0").code(), Some(0));
    assert_eq!(run("exit 7").code(), Some(7));
    assert_eq!(run("kill -KILL $$").signal(), Some(9));
    assert!(!supervisor.is_told_to_end());
    let missing = supervisor.run(&mut Command::new("/nowhere/at/all"), || true).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(supervisor.child().is_none());
}

#[test]
fn a_signal_to_end_reaches_the_child_and_is_remembered() {
    // It ends by itself after a while, so that a signal that is lost fails the test and does not hang it.
    let wait = "echo ready; for i in $(seq 3000); do sleep 0.01; done";
    let (status, told) = signalled(&format!("trap 'exit 5' TERM; {wait}"), SIGTERM);
    assert_eq!((status.code(), told), (Some(5), true));
    let (status, told) = signalled(wait, SIGHUP);
    assert_eq!((status.signal(), told), (Some(SIGHUP), true));
}

#[test]
fn a_signal_without_a_child_is_remembered_unless_it_is_a_changed_size() {
    let supervisor = Supervisor::default();
    supervisor.pass_on(SIGWINCH);
    assert!(!supervisor.is_told_to_end());
    supervisor.pass_on(SIGINT);
    assert!(supervisor.is_told_to_end());
}

/// Runs a script that says when it is ready, and is due from then on.
fn due(script: &str) -> (ExitStatus, bool) {
    let supervisor = Supervisor::default();
    let (mut command, reader) = shell(script);
    let is_ready = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut line = String::new();
            BufReader::new(reader).read_line(&mut line).unwrap();
            is_ready.store(true, Ordering::SeqCst);
        });
        let ended = supervisor.run(&mut command, || is_ready.load(Ordering::SeqCst)).unwrap();
        drop(command);
        assert!(!supervisor.is_told_to_end(), "it was not ours to end");
        ended
    })
}

#[test]
fn a_child_that_is_due_is_asked_once_and_killed_if_it_does_not_follow() {
    let wait = "echo ready; for i in $(seq 3000); do sleep 0.01; done";
    let (status, was_ended) = due(&format!("trap 'exit 5' TERM; {wait}"));
    assert_eq!((status.code(), was_ended), (Some(5), true));
    let (status, was_ended) = due(wait);
    assert_eq!((status.signal(), was_ended), (Some(SIGTERM), true));
    let (status, was_ended) = due(&format!("trap '' TERM; {wait}"));
    assert_eq!((status.signal(), was_ended), (Some(9), true));
    let (status, was_ended) = due("echo ready; exit 3");
    assert_eq!((status.code(), was_ended), (Some(3), false), "it ended before");
}
