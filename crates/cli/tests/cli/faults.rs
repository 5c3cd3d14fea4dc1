//! Kill, full disk, read-only folders: nothing is lost or left half-written, and the agent's work goes on.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::queue::timeless;
use crate::stage::{Kills, Stage, ended, filled_pipe, input, output_of, run};

#[test]
fn case_12_killed_at_any_moment_state_and_journal_still_parse() {
    let stage = Stage::new();
    let event = stage.prompt(&"a prompt that is not short ".repeat(20)).to_string();
    stage.hook_bytes(event.as_bytes()).assert_silent();
    let (mut kills, mut started) = (Kills::new(), 1);
    while kills.killed < 150 {
        kills.kill(stage.command(&["hook"]).stdin(input(event.as_bytes())).spawn().unwrap());
        started += 1;
    }
    // Every line parses, and no lock is left behind: the next event is handled at once.
    let before = stage.journal().len();
    let turns = stage.state()["turn"].as_u64().unwrap_or(0);
    stage.hook_bytes(event.as_bytes()).assert_silent();
    assert_eq!(stage.journal().len(), before + 1);
    assert_eq!(stage.state()["turn"].as_u64(), Some(turns + 1));
    assert!(turns <= started && turns >= before as u64, "a turn is saved before it is written down");
}

/// A limit on the size of files kills the process at its first byte: the temporary file is there, and nobody removes it.
#[test]
fn what_killed_processes_leave_beside_the_state_of_work_is_swept() {
    let stage = Stage::new();
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild it.\n");
    let work = "sessions/2026_02_07_AUTH";
    stage.ok(&["session", "activate", work, "build"]);
    // The state is longer than a process may write, the seal before it is not.
    stage.ok(&["session", "update", work, "notes", &"x".repeat(2000)]);
    let before = stage.read(&format!("{work}/state.json"));
    let left = || {
        let files = fs::read_dir(stage.root().join(work)).unwrap().flatten().map(|entry| entry.path());
        files.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect::<Vec<_>>()
    };
    for number in 1..=3 {
        let update = stage.command(&["session", "update", work, "keywords", "x"]);
        let mut limited = stage.program_in(&stage.root(), "sh");
        limited
            .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""])
            .arg(update.get_program())
            .args(update.get_args());
        assert_eq!(run(limited, None).code, None, "it was killed");
        assert_eq!(left().len(), number);
    }
    assert_eq!(stage.read(&format!("{work}/state.json")), before);
    let named = || {
        let report = stage.engine(&["doctor", "--json"]).json();
        let checks = report["checks"].as_array().unwrap().clone();
        let is_it = |check: &&serde_json::Value| check["detail"].as_str().unwrap().contains("temporary");
        checks
            .iter()
            .filter(is_it)
            .map(|check| check["detail"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let detail = "sessions/2026_02_07_AUTH has 3 temporary files of a running or killed process; those of a process that is gone are removed after a minute, by the next change of the work session or engine doctor";
    assert_eq!(named(), [detail]);
    // One may belong to a process of another machine that shares the folder.
    let age = |path: &std::path::Path| {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_mins(61)).unwrap();
    };
    age(&left()[0]);
    stage.ok(&["session", "update", work, "keywords", "y"]);
    assert_eq!(left().len(), 2);
    age(&left()[0]);
    assert_eq!(named(), [detail.replace("3 temporary files", "1 temporary file")]);
    age(&left()[0]);
    assert_eq!(named(), [""; 0]);
    assert_eq!(left().len(), 0);
}

/// Runs a shell script in a mount namespace of its own, so that a file system of any kind can be made without
/// being seen from outside. It panics where the system does not allow that.
pub(crate) fn in_namespace(stage: &Stage, script: &str, event: &str) -> crate::stage::Output {
    let possible = Command::new("unshare")
        .args(["-rm", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    assert!(possible, "needs mount namespaces: `unshare -rm true` does not work here");
    let mut command = stage.program_in(&stage.root(), "unshare");
    command.args(["-rm", "sh", "-ec", script]).env("EVENT", event);
    let engine = stage.command(&["hook"]);
    command
        .env("ENGINE", engine.get_program())
        .env("CLAUDE_PROJECT_DIR", stage.root())
        .env("TMPDIR", stage.home());
    run(command, None)
}

#[test]
#[ignore = "needs mount namespaces: cargo xtask test"]
fn case_13_a_read_only_project_costs_one_line() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[reminder]\ntext = \"R\"\n");
    let script = "mount --bind . . && mount -o remount,ro,bind . && cd . && printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo; printf '%s' \"$EVENT\" | \"$ENGINE\" hook";
    let out = in_namespace(&stage, script, &stage.prompt("go").to_string());
    let mut lines = out.stdout.lines();
    let first: serde_json::Value = serde_json::from_str(lines.next().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {} {}", out.stdout, out.stderr));
    let told = first["systemMessage"].as_str().unwrap();
    let failed = format!(
        "engine: the session's state was not saved: failed to create directory `{}`: Read-only file system",
        stage.root().join(".engine/state/sessions").display()
    );
    assert!(told.contains(&failed), "{told}");
    assert_eq!(lines.next(), None, "told once: {}", out.stdout);
    assert_eq!(out.code, Some(0));
}

#[test]
#[ignore = "needs mount namespaces: cargo xtask test"]
fn case_13_a_full_disk_leaves_no_partial_file() {
    let stage = Stage::new();
    // Half a kilobyte is left when the hook comes.
    let script = "mkdir -p /tmp/full && mount -t tmpfs -o size=64k tmpfs .engine && mkdir -p .engine/state/sessions .engine/journal && dd if=/dev/zero of=.engine/fill bs=512 2>/dev/null || true
        printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo \"exit $?\"; find .engine -type f ! -name fill -size +0 ! -name .gitignore; printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo \"exit $?\"";
    let out = in_namespace(&stage, script, &stage.prompt("go").to_string());
    let told = out.stdout.split("exit 0").next().unwrap();
    let answer: serde_json::Value =
        serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {} {}", out.stdout, out.stderr));
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("No space left on device"), "{message}");
    let rest: Vec<&str> = out.stdout.split("exit 0").skip(1).map(str::trim).collect();
    assert_eq!(rest, ["", ""], "no partial file, and told once: {}", out.stdout);
}

#[test]
#[ignore = "needs mount namespaces: cargo xtask test"]
fn a_merge_on_a_full_disk_leaves_our_version() {
    let stage = Stage::new();
    let script = "mkdir full && mount -t tmpfs -o size=64k tmpfs full && cd full && printf '## Notes\\n- a\\n' > o && printf '## Notes\\n- a\\n- b\\n' > a && printf '## Notes\\n- a\\n- c\\n' > b
        dd if=/dev/zero of=fill bs=512 2>/dev/null || true
        code=0; \"$ENGINE\" merge-driver o a b 7 session.md || code=$?; echo \"exit $code\"; cat a; ls";
    let out = in_namespace(&stage, script, "");
    assert_eq!(out.stdout, "exit 129\n## Notes\n- a\n- b\na\nb\nfill\no\n", "{}", out.stderr);
    assert_eq!(
        out.stderr,
        "engine: session.md was not merged: failed to replace file `a`: No space left on device (os error 28)\n"
    );
}

#[test]
fn a_lock_that_is_never_released_is_not_waited_for() {
    let stage = Stage::new();
    stage.hook(&stage.prompt("go")).assert_silent();
    let lock = stage.root().join(format!(".engine/state/sessions/{}.lock", crate::stage::SESSION));
    let held = fs::File::options().write(true).open(&lock).unwrap();
    held.lock().unwrap();
    let (input, _) = filled_pipe(stage.prompt("go").to_string().as_bytes());
    let mut child = stage.command(&["hook"]).stdin(input).spawn().unwrap();
    // The lock is still held.
    ended(&mut child);
    let out = output_of(child);
    let told = out.json()["systemMessage"].as_str().unwrap().to_owned();
    let lock = lock.display();
    assert_eq!(
        told,
        format!(
            "engine: the session's state was not saved: failed to lock `{lock}`: another process holds the lock. The work goes on. See: engine doctor"
        )
    );
    drop(held);
    stage.hook(&stage.prompt("go")).assert_silent();
    assert_eq!(stage.state()["turn"], 2);
}

/// Many who write at once each get their turn.
#[test]
fn a_command_waits_longer_for_a_lock_than_a_hook_does() {
    let stage = Stage::new();
    stage.ok(&["task", "add", "one"]);
    let held = fs::File::options().write(true).open(stage.root().join(".engine/state/tasks.lock")).unwrap();
    held.lock().unwrap();
    let mut child = stage.command(&["task", "add", "two"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    drop(held);
    assert!(ended(&mut child).success());
}

#[test]
#[ignore = "needs mount namespaces: cargo xtask test"]
fn a_read_only_project_is_told_by_every_command_and_nothing_changes() {
    let stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **One** —\n");
    stage.write("notes.md", "# Notes\n#needs-review\n");
    stage.ok(&["task", "add", "two"]);
    let before = stage.tree();
    let commands = [
        "task add three",
        "config set inject.budget 700 --yes",
        "q add later",
        "session activate sessions/2026_02_07_AUTH build",
    ];
    let calls = commands.map(|command| {
        format!("code=0; said=$(\"$ENGINE\" {command} 2>&1) || code=$?; echo \"{command}: exit $code, $said\" | head -1")
    });
    let script = format!("mount --bind . . && mount -o remount,ro,bind . && cd .\n{}", calls.join("\n"));
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild.\n");
    let out = in_namespace(&stage, &script, "");
    insta::assert_snapshot!(timeless(&stage.masked(&out.stdout)), @"
    task add three: exit 1, engine: failed to open file `[TOP]/project/.engine/state/tasks.lock`: Read-only file system (os error 30)
    config set inject.budget 700 --yes: exit 1, engine: failed to create directory `[TOP]/project/.engine/journal`: Read-only file system (os error 30)
    q add later: exit 1, engine: it was not kept: failed to create directory `[TOP]/project/.engine/queue`: Read-only file system (os error 30)
    session activate sessions/2026_02_07_AUTH build: exit 1, engine: [TOP]/project/sessions/2026_02_07_AUTH: Read-only file system (os error 30)
    ");
    let mut after = stage.tree();
    after.retain(|line| !line.contains("SKILL.md"));
    assert_eq!(after, before);
}

/// Whoever opens a pipe waits for its other end. No file that the hook reads is waited for.
#[test]
fn a_pipe_in_the_place_of_any_file_is_not_waited_for() {
    let files = [
        ".engine/config.toml",
        ".engine/policy.toml",
        ".engine/context/CORE.md",
        ".engine/context/PROMPT.md",
        ".engine/state/wiring.json",
        ".engine/queue/20261115-120000-idea.md",
        "session.md",
        "AGENTS.md",
        ".directives/AGENTS.md",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/skills/fix/SKILL.md",
        ".git",
        "transcript.jsonl",
        "../home/.claude/settings.json",
        "../home/.config/engine/config.toml",
        "../home/.local/state/engine/accepted/user.json",
    ];
    for file in files {
        let stage = Stage::new();
        let path = stage.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let transcript = json!({"transcript_path": stage.root().join("transcript.jsonl")});
        let events = [
            stage.event_with("SessionStart", &transcript),
            stage.prompt("/fix it, /commit"),
            stage.prompt("s"),
            stage.bash("cat session.md; git push; rm -rf src"),
            stage.write_tool(".claude/settings.json", "{}"),
            stage.event_with("Stop", &transcript),
        ];
        for event in events {
            let mut child =
                stage.command(&["hook"]).stdin(input(event.to_string().as_bytes())).spawn().unwrap();
            assert!(ended(&mut child).success(), "{file}: {event}");
        }
    }
}

/// It is told in one line.
#[test]
fn a_pipe_in_the_place_of_a_file_is_named() {
    let told = |file: &str, args: &[&str]| {
        let stage = Stage::new();
        let path = stage.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let mut child = stage.command(args).spawn().unwrap();
        ended(&mut child);
        let out = output_of(child);
        stage.masked(&format!("{}{}", out.stdout, out.stderr))
    };
    insta::assert_snapshot!(told("session.md", &["status"]), @"engine: session.md: not a file");
    insta::assert_snapshot!(told(".engine/policy.toml", &["policy", "test"]), @"
    policy.toml:0: not a file
    0 tests, 1 failure
    ");
    insta::assert_snapshot!(told(".engine/config.toml", &["config", "set", "inject.budget", "700", "--yes"]), @"engine: [TOP]/project/.engine/config.toml: not a file");
    insta::assert_snapshot!(told(".claude/settings.json", &["init", "--team"]), @"engine: [TOP]/project/.claude/settings.json: not a file");
    insta::assert_snapshot!(told(".engine/queue/20261115-120000-idea.md", &["q", "list"]), @"20261115-120000-idea  damaged  not a file");
}
