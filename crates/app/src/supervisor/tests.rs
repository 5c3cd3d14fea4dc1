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
        let status = supervisor.run(&mut command).unwrap();
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
    let run = |script: &str| supervisor.run(&mut shell(script).0).unwrap();
    assert_eq!(run("exit 0").code(), Some(0));
    assert_eq!(run("exit 7").code(), Some(7));
    assert_eq!(run("kill -KILL $$").signal(), Some(9));
    assert!(!supervisor.is_told_to_end());
    let missing = supervisor.run(&mut Command::new("/nowhere/at/all")).unwrap_err();
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
