//! `engine session`: calls that come between another's first look and its lock.
#![cfg(target_os = "linux")]

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::sessions::{WORK, session, stage, state};
use crate::stage::{SESSION, Stage};

/// Starts a command that changes the work, lets the state become another one between its first look and its lock, and
/// gives what the command then says.
fn overtaken(stage: &Stage, args: &[&str], meanwhile: &str) -> String {
    let lock = stage.root().join(".engine/state/work/2026_02_07_AUTH.lock");
    let held = fs::File::options().write(true).create(true).truncate(false).open(&lock).unwrap();
    held.lock().unwrap();
    let child = stage.command(args).spawn().unwrap();
    // It opens the lock after its first look, and waits.
    let files = format!("/proc/{}/fd", child.id());
    let has_opened = || {
        let open = fs::read_dir(&files).into_iter().flatten().flatten();
        open.filter_map(|file| fs::read_link(file.path()).ok()).any(|path| path == lock)
    };
    let end = Instant::now() + Duration::from_mins(1);
    while !has_opened() {
        assert!(Instant::now() < end, "{args:?} never came to its lock");
        std::thread::yield_now();
    }
    stage.write_state(WORK, meanwhile);
    drop(held);
    let output = child.wait_with_output().unwrap();
    let code = output.status.code().unwrap();
    format!(
        "exit {code}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A person lets one agent session take the work from another, and a third one was quicker.
#[test]
fn work_is_taken_from_the_one_it_was_allowed_from() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    let own = stage.read(&format!("{WORK}/state.json"));
    for id in ["s-first", "s-third"] {
        stage.hook(&stage.event_with("SessionStart", &json!({"session_id": id})));
    }
    let (first, third) = (own.replace(SESSION, "s-first"), own.replace(SESSION, "s-third"));
    let since = state(&stage)["agentSession"]["boundAt"].as_str().unwrap().to_owned();
    for verb in [&["activate", WORK, "build"][..], &["continue", WORK]] {
        stage.write_state(WORK, &first);
        let args = [&["session"], verb, &["--user-approved", "they said so"]].concat();
        assert_eq!(session(&stage, &args[1..]).code, Some(1));
        stage.answer(&format!("ok {}", stage.state()["approvals"][0]["number"]));
        assert_eq!(
            overtaken(&stage, &args, &third).replace(&since, "[SINCE]"),
            "exit 1\nengine: session: sessions/2026_02_07_AUTH is held by the agent session s-third, since [SINCE]\n  \
             it is free when that session ends, idles or deactivates it\n  \
             if it crashed: the same command with --user-approved \"why\"; engine asks the user\n"
        );
        assert_eq!(stage.read(&format!("{WORK}/state.json")), third, "{verb:?}");
    }
}

#[test]
fn of_two_calls_at_once_the_slower_one_is_decided_by_the_newer_state() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    let first = stage.read(&format!("{WORK}/state.json"));
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    let second = stage.read(&format!("{WORK}/state.json"));
    let taken = first.replace(SESSION, "s-other");
    let resting = first.replace("\"active\"", "\"idle\"");
    assert!(taken != first && resting != first);
    let proof = ["--proof", "depth=2", "--proof", "files=[\"a\"]"];
    stage.ok(&[&["session", "phase", WORK, "3.B: Buy"], &proof[..]].concat());
    for phase in ["4.2: Verify", "4.10: Polish", "5: Close"] {
        stage.ok(&["session", "phase", WORK, phase]);
    }
    stage.write(&format!("{WORK}/BUILD.md"), "# Debrief\nBought.\n");
    let ending = stage.read(&format!("{WORK}/state.json"));
    let (ending_taken, ending_resting) =
        (ending.replace(SESSION, "s-other"), ending.replace("\"active\"", "\"idle\""));
    let idled = "exit 0\nsessions/2026_02_07_AUTH is idle\nnext: /commit\n";
    let unpassed = "exit 1\nengine: sessions/2026_02_07_AUTH stays active\nphase: 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed\nproof: 2: Plan: depth is missing; files is missing\nproof: 3.A: Build: testsPass is missing\n  engine session phase sessions/2026_02_07_AUTH \"3.A: Build\"\n  engine session idle sessions/2026_02_07_AUTH --proof NAME=VALUE\n  to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description \"…\" --user-approved \"why\"; engine asks the user\n";
    // A phase is decided by the state under the lock, and to be in it already is not an error.
    let again = "exit 0\nsessions/2026_02_07_AUTH: build, phase 2: Plan (2 of 7)\nproof to leave it: depth, files\nthen: engine session phase sessions/2026_02_07_AUTH \"3.A: Build\"\n";
    let laid_down = "exit 1\nengine: sessions/2026_02_07_AUTH is not active\n  engine session activate sessions/2026_02_07_AUTH SKILL\n";
    let lost = format!(
        "exit 1\nengine: session: sessions/2026_02_07_AUTH is not bound to this agent session ({SESSION})\n  engine session continue sessions/2026_02_07_AUTH\n"
    );
    let phase = &["session", "phase", WORK, "2: Plan"][..];
    let idle = &["session", "idle", WORK, "--description", "later"][..];
    for (name, args, before, meanwhile, expected) in [
        ("the same phase", phase, &first, &second, again),
        ("laid down", phase, &first, &resting, laid_down),
        ("taken by another", phase, &first, &taken, &lost),
        ("laid down by who lost it", idle, &ending, &ending_taken, &lost),
        ("laid down in a phase that asks for more", idle, &ending, &second, unpassed),
    ] {
        stage.write_state(WORK, before);
        assert_eq!(overtaken(&stage, args, meanwhile), expected, "{name}");
        assert_eq!(&stage.read(&format!("{WORK}/state.json")), meanwhile, "{name}: nothing is written");
    }
    stage.write_state(WORK, &ending);
    assert_eq!(overtaken(&stage, idle, &ending_resting), idled, "laid down twice");
    // Nobody came between.
    stage.write_state(WORK, &first);
    assert_eq!(overtaken(&stage, phase, &first).lines().next(), Some("exit 0"));
    assert_eq!(state(&stage)["runs"][0]["currentPhase"]["label"], "2");
}
