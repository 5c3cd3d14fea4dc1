//! Kill, full disk, read-only folders: nothing is lost or left half-written, and the agent's work goes on.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::stage::{Stage, run};

#[test]
fn case_12_killed_at_any_moment_state_and_journal_still_parse() {
    let stage = Stage::new();
    let event = stage.prompt(&"a prompt that is not short ".repeat(20)).to_string();
    let started = Instant::now();
    stage.hook_bytes(event.as_bytes()).assert_silent();
    let whole = started.elapsed();
    let mut killed = 0;
    // From its first moment to a little after its end, as this machine goes.
    for n in 0..200u32 {
        let mut child = stage.command(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let _ = std::io::Write::write_all(&mut pipe, event.as_bytes());
        drop(pipe);
        std::thread::sleep(whole * n / 160);
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
    }
    assert!(killed > 10, "only {killed} of 200 were killed before their end");
    // Every line parses, and no lock is left behind: the next event is handled at once.
    let before = stage.journal().len();
    let turns = stage.state()["turn"].as_u64().unwrap_or(0);
    stage.hook_bytes(event.as_bytes()).assert_silent();
    assert_eq!(stage.journal().len(), before + 1);
    assert_eq!(stage.state()["turn"].as_u64(), Some(turns + 1));
    assert!(turns <= 201 && turns >= before as u64, "a turn is saved before it is written down");
}

/// Runs a shell script in a mount namespace of its own, so that a file system of any kind can be made without
/// being seen from outside. `false`: this system does not let us.
pub(crate) fn in_namespace(stage: &Stage, script: &str, event: &str) -> Option<crate::stage::Output> {
    let possible = Command::new("unshare")
        .args(["-rm", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !possible {
        assert!(
            std::env::var_os("CI").is_none(),
            "unshare -rm does not work here, and CI must run this test"
        );
        eprintln!("skipped: unshare -rm does not work here");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-ec", script]).current_dir(stage.root()).env("EVENT", event);
    let engine = stage.command(&["hook"]);
    command
        .env("ENGINE", engine.get_program())
        .env("HOME", stage.home())
        .env("CLAUDE_PROJECT_DIR", stage.root())
        .env("TMPDIR", stage.home());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(run(command, None))
}

#[test]
fn case_13_a_read_only_project_costs_one_line() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[reminder]\ntext = \"R\"\n");
    let script = "mount --bind . . && mount -o remount,ro,bind . && cd . && printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo; printf '%s' \"$EVENT\" | \"$ENGINE\" hook";
    let Some(out) = in_namespace(&stage, script, &stage.prompt("go").to_string()) else { return };
    let mut lines = out.stdout.lines();
    let first: serde_json::Value = serde_json::from_str(lines.next().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {} {}", out.stdout, out.stderr));
    let told = first["systemMessage"].as_str().unwrap();
    assert!(told.contains("engine: the session's state was not saved: Read-only file system"), "{told}");
    assert_eq!(lines.next(), None, "told once: {}", out.stdout);
    assert_eq!(out.code, Some(0));
}

#[test]
fn case_13_a_full_disk_leaves_no_partial_file() {
    let stage = Stage::new();
    // Half a kilobyte is left when the hook comes.
    let script = "mkdir -p /tmp/full && mount -t tmpfs -o size=64k tmpfs .engine && mkdir -p .engine/state/sessions .engine/journal && dd if=/dev/zero of=.engine/fill bs=512 2>/dev/null || true
        printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo \"exit $?\"; find .engine -type f ! -name fill -size +0 ! -name .gitignore; printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo \"exit $?\"";
    let Some(out) = in_namespace(&stage, script, &stage.prompt("go").to_string()) else { return };
    let told = out.stdout.split("exit 0").next().unwrap();
    let answer: serde_json::Value =
        serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {} {}", out.stdout, out.stderr));
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("No space left on device"), "{message}");
    let rest: Vec<&str> = out.stdout.split("exit 0").skip(1).map(str::trim).collect();
    assert_eq!(rest, ["", ""], "no partial file, and told once: {}", out.stdout);
}

#[test]
fn a_lock_that_is_never_released_is_not_waited_for_long() {
    let stage = Stage::new();
    stage.hook(&stage.prompt("go")).assert_silent();
    let lock = stage.root().join(format!(".engine/state/sessions/{}.lock", crate::stage::SESSION));
    let held = fs::File::options().write(true).open(lock).unwrap();
    held.lock().unwrap();
    let started = std::time::Instant::now();
    let out = stage.hook(&stage.prompt("go"));
    assert!(started.elapsed() < Duration::from_secs(2));
    let told = out.json()["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(
        told,
        "engine: the session's state was not saved: another process holds the lock. The work goes on. See: engine doctor"
    );
    drop(held);
    stage.hook(&stage.prompt("go")).assert_silent();
    assert_eq!(stage.state()["turn"], 2);
}

#[test]
fn a_read_only_project_is_told_by_every_command_and_nothing_changes() {
    let stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **One** —\n");
    stage.write("notes.md", "# Notes\n#needs-review\n");
    stage.ok(&["task", "add", "two"]);
    let before = stage.tree();
    let commands = [
        "task add three",
        "config set inject.budget 700",
        "q add later",
        "session activate sessions/2026_02_07_AUTH build",
    ];
    let calls = commands.map(|command| {
        format!("code=0; said=$(\"$ENGINE\" {command} 2>&1) || code=$?; echo \"{command}: exit $code, $said\" | head -1")
    });
    let script = format!("mount --bind . . && mount -o remount,ro,bind . && cd .\n{}", calls.join("\n"));
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild.\n");
    let Some(out) = in_namespace(&stage, &script, "") else { return };
    insta::assert_snapshot!(stage.masked(&out.stdout), @"
    task add three: exit 1, engine: Read-only file system (os error 30)
    config set inject.budget 700: exit 1, engine: Read-only file system (os error 30)
    q add later: exit 1, engine: it was not kept: Read-only file system (os error 30)
    session activate sessions/2026_02_07_AUTH build: exit 1, engine: Read-only file system (os error 30)
    ");
    let mut after = stage.tree();
    after.retain(|line| !line.contains("SKILL.md"));
    assert_eq!(after, before);
}
