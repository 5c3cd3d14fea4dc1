//! No input and no file makes the hook miss its time: what is too large is asked about, what is no file is not opened, and what hangs all the
//! same is answered for.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::Value;

use crate::stage::{Output, Stage, input, output_of, until};

const RESET: &str = "engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.";

/// Hundredths of a second that a hook may have the processor for. The build for tests is ten times slower than what is shipped.
const MOST_TICKS: u64 = 500;

fn hook(stage: &Stage, event: &Value) -> Child {
    let mut command = stage.command(&["hook"]);
    command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
    command.spawn().unwrap()
}

/// The answer, and how long the processor worked for it, whatever else it did meanwhile.
fn timed(child: Child) -> (Output, u64) {
    let stat = format!("/proc/{}/stat", child.id());
    let mut ticks = 0;
    until("the hook ends", || {
        let line = fs::read_to_string(&stat).unwrap();
        // Behind the name: state, and eleven fields later the time in the program and in the system.
        let fields: Vec<&str> = line.rsplit(')').next().unwrap().split_whitespace().collect();
        ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        fields[0] == "Z"
    });
    (output_of(child), ticks)
}

fn reason(out: &Output) -> String {
    out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_of_anything_is_judged_in_time() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[policy]\nprotected = [\"*a*a*b\", \"src/**/gen/*\"]\n");
    let constructs: Vec<_> = engine_testkit::constructs().collect();
    assert!(constructs.len() >= 80);
    let judged = |part: &[engine_testkit::Construct]| {
        for construct in part {
            let (out, ticks) = timed(hook(&stage, &stage.bash(&construct.line(1000))));
            let name = construct.name;
            assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""), "{name}");
            assert!(out.stdout.is_empty() || out.json().is_object(), "{name}: {}", out.stdout);
            assert!(ticks <= MOST_TICKS, "{name}: {ticks} ticks");
        }
    };
    std::thread::scope(|scope| {
        constructs.chunks(constructs.len().div_ceil(2)).for_each(|part| drop(scope.spawn(|| judged(part))));
    });
}

#[test]
fn what_is_too_large_is_asked_about() {
    let stage = Stage::new();
    let large = "echo x; ".repeat(3000);
    insta::assert_snapshot!(stage.hook(&stage.bash(&large)).stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine rule size: the command is too large to judge: it has too many commands. Instead: several shorter commands, or the commands in a script file that is written first and then run."}}"#);
    let asked = |command: &str| reason(&stage.hook(&stage.bash(command)));
    for (command, why) in [
        ("( ".repeat(40) + "ls" + &" )".repeat(40), "it is nested too deep"),
        ("sudo ".repeat(40) + "ls", "it holds code within code, too deep"),
        ("ls ".to_owned() + &"{a,b}".repeat(20), "its braces make too many words"),
        ("ls".to_owned() + &" > a".repeat(70) + "; ls", ""),
        ("{ ls; } ".to_owned() + &"> a ".repeat(70), "it has too many redirections"),
        (
            "touch ".to_owned() + &(0..3000).map(|n| format!("d{n}/a/b/c/d/e/f/g/h/x ")).collect::<String>(),
            "it names too many paths",
        ),
        ("ls ".to_owned() + &"a ".repeat(110_000), "it takes too long to analyse"),
        ("echo '".to_owned() + &"a".repeat(4 << 20) + "'", "it is larger than 4 MB"),
        ("echo '".to_owned() + &"a".repeat(2 << 20) + "'", ""),
    ] {
        let expected = match why {
            "" => String::new(),
            why => format!(
                "engine rule size: the command is too large to judge: {why}. Instead: several shorter commands, or the commands in a script file that is written first and then run."
            ),
        };
        let out = stage.hook(&stage.bash(&command));
        let said = if out.stdout.is_empty() { String::new() } else { reason(&out) };
        assert_eq!(said, expected, "{command:.40}");
    }
    // What is refused in the part that was read stays refused.
    let find = format!("git reset --hard; false && {} rm {{}} \\;", "find . -exec ".repeat(1000));
    assert_eq!(
        asked(&find),
        format!(
            "{RESET}\n\nengine rule size: the command is too large to judge: it holds code within code, too deep. Instead: several shorter commands, or the commands in a script file that is written first and then run."
        )
    );
}

/// One rule asks, whoever looked at the command.
#[test]
fn what_is_too_large_is_asked_about_whoever_looks() {
    let large = "echo x; ".repeat(3000);
    for (off, is_asked) in [
        (&["policy"][..], true),
        (&["protect"], true),
        (&["policy", "protect", "memory", "directives", "autocommit", "tasks"], false),
        (&["size"], false),
    ] {
        let stage = Stage::new();
        let lines: String = off.iter().map(|rule| format!("{rule} = \"off\"\n")).collect();
        stage.write(".engine/config.toml", &format!("[rules]\n{lines}"));
        let out = stage.hook(&stage.bash(&large));
        assert_eq!(!out.stdout.is_empty(), is_asked, "{off:?}: {}", out.stdout);
    }
}

/// Folders, pipes, devices and sockets take the place of a file.
#[test]
fn what_takes_the_place_of_an_own_file_is_refused() {
    let stage = Stage::new();
    let refused = |command: &str| {
        let out = stage.hook(&stage.bash(command));
        if out.stdout.is_empty() { String::new() } else { stage.masked(&reason(&out)) }
    };
    for (command, path) in [
        ("mknod .engine/policy.toml p", ".engine/policy.toml"),
        ("mknod -m 600 .engine/policy.toml c 1 5", ".engine/policy.toml"),
        ("mkfifo -m 600 .engine/policy.toml", ".engine/policy.toml"),
        ("mkdir .engine/policy.toml", ".engine/policy.toml"),
        ("mkdir -p sub/.engine", "sub/.engine"),
        ("install -d sub/.engine/state", "sub/.engine/state"),
        ("touch -d yesterday .engine/config.toml", ".engine/config.toml"),
        ("socat - UNIX-LISTEN:.engine/policy.toml,fork", ".engine/policy.toml"),
        ("socat PTY,link=.engine/policy.toml -", ".engine/policy.toml"),
        ("nc -lU .engine/policy.toml", ".engine/policy.toml"),
    ] {
        assert_eq!(
            refused(command),
            format!(
                "engine rule protect: `{command}` would change [TOP]/project/{path}, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/."
            ),
        );
    }
    for command in [
        "mkdir -p .engine/notes/a src/b",
        "mknod -m 600 x p",
        "touch -r .engine/config.toml x",
        "socat - TCP:host:80",
        "nc -l 80",
    ] {
        assert_eq!(refused(command), "", "{command}");
    }
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Pipe,
    Socket,
    Folder,
    Zero,
}

fn take(path: &Path, place: Place) {
    fs::remove_file(path).unwrap();
    match place {
        Place::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        Place::Folder => fs::create_dir(path).unwrap(),
        Place::Zero => symlink("/dev/zero", path).unwrap(),
        // The name of a socket is short; that of a file here may not be.
        Place::Socket => {
            let short = tempfile::tempdir_in("/tmp").unwrap();
            drop(UnixListener::bind(short.path().join("s")).unwrap());
            fs::rename(short.path().join("s"), path).unwrap();
        }
    }
}

fn give_back(path: &Path, bytes: &[u8]) {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A session in which all that a hook reads and writes is there.
fn busy() -> Stage {
    let mut stage = Stage::new();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild it.\n");
    stage.write(".claude/settings.json", "{}");
    stage.write(".claude/settings.local.json", "{}");
    stage.write("../home/.claude/settings.json", "{}");
    stage.write("../home/.config/engine/config.toml", "");
    stage.write(".engine/policy.toml", "");
    stage.write(".engine/context/CORE.md", "Core.\n");
    stage.write(".engine/context/PROMPT.md", "Prompt.\n");
    stage.write(".directives/AGENTS.md", "# Agents\n");
    stage.write("session.md", "## Pending Tasks\n- [ ] **One** —\n");
    stage.write("env.sh", "");
    stage.write("transcript.jsonl", "{}\n");
    stage.set("CLAUDE_ENV_FILE", &stage.root().join("env.sh").display().to_string());
    stage.hook(&stage.event("SessionStart"));
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", crate::stage::SESSION);
    stage.ok(&["session", "activate", "sessions/2026_02_07_AUTH", "build"]);
    stage.ok(&["q", "add", "later"]);
    for event in events(&stage) {
        stage.hook(&event);
    }
    stage
}

fn events(stage: &Stage) -> Vec<Value> {
    let transcript = serde_json::json!({"transcript_path": stage.root().join("transcript.jsonl")});
    vec![
        stage.event_with("SessionStart", &transcript),
        stage.prompt("/build it, p: one more, q: later"),
        stage.bash("cat src/x; git commit -m x"),
        stage.event_with("PostToolUse", &transcript),
        stage.event_with("Stop", &transcript),
    ]
}

/// The files of a stage; of the repository, those that a hook reads.
fn files(stage: &Stage) -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() { below(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    below(stage.root().parent().unwrap(), &mut found);
    let in_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    found.retain(|path| !in_git(path) || path.ends_with("HEAD"));
    found.sort();
    found
}

/// Every file that is there after some events, one after the other.
#[test]
fn nothing_but_a_file_is_opened() {
    let stage = busy();
    let all = files(&stage);
    let names: Vec<String> = all.iter().map(|path| stage.masked(&path.display().to_string())).collect();
    for needed in [
        "project/.engine/config.toml",
        "project/.engine/policy.toml",
        "project/.engine/context/CORE.md",
        "project/sessions/2026_02_07_AUTH/DIALOGUE.md",
        "project/sessions/2026_02_07_AUTH/state.json",
        "project/session.md",
        "project/env.sh",
        "project/.git/HEAD",
    ] {
        assert!(names.contains(&format!("[TOP]/{needed}")), "{needed}: {names:#?}");
    }
    for ending in [".config.json", ".policy.json", ".jsonl", ".lock", ".ran", ".work"] {
        assert!(names.iter().any(|name| name.ends_with(ending)), "{ending}: {names:#?}");
    }
    for path in all {
        let Ok(bytes) = fs::read(&path) else { continue };
        for place in [Place::Pipe, Place::Socket, Place::Folder, Place::Zero] {
            take(&path, place);
            for event in events(&stage) {
                let out = output_of(hook(&stage, &event));
                assert_eq!(out.code, Some(0), "{place:?} as {}: {event}", path.display());
            }
            let out = output_of(hook(&stage, &stage.bash("git reset --hard")));
            let said = reason(&out);
            assert!(said.contains(RESET), "{place:?} as {}: {}", path.display(), out.stdout);
            give_back(&path, &bytes);
        }
    }
    assert!(fs::metadata("/dev/zero").unwrap().file_type().is_char_device());
    // Whoever hangs is answered for, and that stands in the journal.
    let troubles = stage.journal().iter().map(|entry| entry["trouble"].to_string()).collect::<String>();
    assert!(!troubles.contains("was not judged"), "{troubles}");
}

/// A rule that waits for a pipe in a system call: the answer comes, and the process ends.
#[test]
fn a_hook_that_hangs_is_answered_for() {
    let answered = |config: &str, event: fn(&Stage) -> Value| {
        let stage = Stage::with_test_rules();
        stage.write(".engine/config.toml", config);
        let pipe = stage.root().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let out = stage.hook(&event(&stage));
        assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""));
        let last = stage.journal().pop().unwrap();
        (out.stdout, format!("{} {} {}", last["event"], last["verdict"], last["trouble"]))
    };
    std::thread::scope(|scope| {
        let ask = scope.spawn(|| answered("", |stage| stage.bash("hanger")));
        let deny = scope.spawn(|| answered("[policy]\nfail = \"closed\"\n", |stage| stage.bash("hanger")));
        let silent = scope.spawn(|| answered("", |stage| stage.prompt("hanger")));
        let (told, noted) = ask.join().unwrap();
        insta::assert_snapshot!(told, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine did not answer within 8 seconds, so this call was not judged: a file or a lock that it needs does not answer. See: engine doctor"}}"#);
        insta::assert_snapshot!(noted, @r#""PreToolUse" "ask" ["the event was not judged within 8 s"]"#);
        let (told, _) = deny.join().unwrap();
        insta::assert_snapshot!(told, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine did not answer within 8 seconds, so this call was not judged: a file or a lock that it needs does not answer. See: engine doctor"}}"#);
        let (told, noted) = silent.join().unwrap();
        assert_eq!(
            (told.as_str(), noted.as_str()),
            ("", r#""UserPromptSubmit" "none" ["the event was not judged within 8 s"]"#)
        );
    });
}

/// What is larger than the hook reads is asked about by how it begins.
#[test]
fn an_event_beyond_all_size_is_asked_about() {
    const MARK: &str = "@";
    let answered = |closed: bool, event: fn(&Stage) -> String| {
        let stage = Stage::new();
        if closed {
            stage.write(".engine/config.toml", "[policy]\nfail = \"closed\"\n");
        }
        let text = event(&stage).replacen(MARK, &"a".repeat(33 << 20), 1);
        let mut command = stage.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(text.as_bytes()));
        let (out, ticks) = timed(command.spawn().unwrap());
        assert!(ticks <= MOST_TICKS, "{ticks} ticks");
        let last = stage.journal().pop().unwrap();
        format!("{:?} {} {} {} {}", out.code, out.stdout, out.stderr, last["verdict"], last["trouble"])
    };
    let call = |stage: &Stage| {
        let cwd = stage.root().display().to_string();
        format!(
            r#"{{"session_id":"s","cwd":"{cwd}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"git reset --hard # {MARK}"}}}}"#
        )
    };
    insta::assert_snapshot!(answered(false, call), @r#"Some(0) {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine did not judge this call: the input is larger than 32 MB: too large to judge"}}  "ask" ["the event was not judged: the input is larger than 32 MB: too large to judge"]"#);
    insta::assert_snapshot!(answered(true, call), @r#"Some(0) {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine did not judge this call: the input is larger than 32 MB: too large to judge"}}  "deny" ["the event was not judged: the input is larger than 32 MB: too large to judge"]"#);
    let prompt = |stage: &Stage| {
        let cwd = stage.root().display().to_string();
        format!(
            r#"{{"session_id":"s","cwd":"{cwd}","hook_event_name":"UserPromptSubmit","prompt":"{MARK}"}}"#
        )
    };
    insta::assert_snapshot!(answered(true, prompt), @r#"
    Some(0)  engine: the input is larger than 32 MB
     "none" ["an event could not be read: the input is larger than 32 MB"]
    "#);
    // A name within the input is none.
    let late = |_: &Stage| {
        format!(
            r#"{{"tool_input":{{"hook_event_name":"Stop","x":"{MARK}"}},"hook_event_name":"PreToolUse"}}"#
        )
    };
    insta::assert_snapshot!(answered(false, late), @r#"
    Some(1)  engine: the input is larger than 32 MB
     "none" ["an event could not be read: the input is larger than 32 MB"]
    "#);
}

/// A repository whose `.git` is a file without end.
#[test]
#[cfg(target_os = "linux")]
fn a_file_of_gigabytes_in_the_place_of_git_costs_nothing() {
    let stage = Stage::new();
    let _ = fs::remove_dir_all(stage.root().join(".git"));
    fs::File::create(stage.root().join(".git")).unwrap().set_len(3 << 30).unwrap();
    let (out, ticks) = timed(hook(&stage, &stage.bash("git reset --hard")));
    assert_eq!((reason(&out).as_str(), ticks < 100), (RESET, true), "{ticks} ticks");
}

/// Lists of a tool that nobody knows.
#[test]
#[cfg(target_os = "linux")]
fn a_million_of_anything_in_an_input_is_asked_about() {
    let stage = Stage::new();
    let asked = |input: Value| {
        let fields = serde_json::json!({"tool_name": "mcp__x__run", "tool_input": input});
        let (out, ticks) = timed(hook(&stage, &stage.event_with("PreToolUse", &fields)));
        assert!(ticks <= MOST_TICKS, "{ticks} ticks");
        reason(&out)
    };
    let many = |text: &str, last: &str| {
        let mut all = vec![text; 1_000_000];
        all.push(last);
        serde_json::json!(all)
    };
    let too_large = "engine rule size: the command is too large to judge: it names too many commands or files. Instead: several shorter commands, or the commands in a script file that is written first and then run.";
    for input in [
        serde_json::json!({"commands": many("echo x", "git reset --hard")}),
        serde_json::json!({"paths": many("a.md", ".env")}),
        serde_json::json!({"files": vec![serde_json::json!({"path": "a", "content": "x"}); 300_000]}),
        serde_json::json!({"steps": vec![serde_json::json!({"a": [1]}); 300_000]}),
    ] {
        assert_eq!(asked(input), too_large);
    }
}
