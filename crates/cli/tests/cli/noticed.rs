//! What something else than the engine did, and a person is told of: a call that another hook changed, and what the client runs by itself.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{Output, SESSION, Stage};

/// A call of the shell: as it is judged, and as it ends.
fn call(stage: &Stage, id: &str, judged: &str, ran: &str) -> Output {
    let fields = |command: &str| json!({"tool_use_id": id, "tool_input": {"command": command}});
    stage.hook(&stage.event_with("PreToolUse", &fields(judged)));
    stage.hook(&stage.event_with("PostToolUse", &fields(ran)))
}

fn wrote(stage: &Stage, event: &str, path: &str, content: &str) -> Output {
    let input = json!({"file_path": stage.root().join(path), "content": content});
    let fields = json!({"tool_use_id": "w1", "tool_name": "Write", "tool_input": input});
    stage.hook(&stage.event_with(event, &fields))
}

/// What both are told.
fn both(text: &str) -> String {
    let answer = json!({
        "systemMessage": text,
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text},
    });
    answer.to_string()
}

#[track_caller]
fn assert_told(stage: &Stage, output: &Output, expected: &str) {
    let told: Value = output.json();
    let masked = told.to_string().replace(&stage.root().display().to_string(), "[ROOT]");
    assert_eq!(masked, both(expected));
}

#[test]
fn a_call_that_another_hook_changed_is_judged_again_and_told() {
    let stage = Stage::new();
    let told = call(&stage, "t1", "ls", "git reset --hard");
    assert_told(
        &stage,
        &told,
        "engine: another hook changed a call after it was judged. Judged: ls. Ran: git reset --hard. The policy says: git.reset-hard (block)",
    );
    let entry = stage.journal().pop().unwrap();
    assert_eq!((&entry["rewritten"], &entry["verdict"]), (&json!("ls"), &json!("note")));
    let why = stage.masked(&stage.ok(&["why", entry["id"].as_str().unwrap()]));
    let why = why.split_inclusive('\n').filter(|line| !line.starts_with("  answer")).collect::<String>();
    insta::assert_snapshot!(why, @"
    [ID]  PostToolUse Bash  [DAY] [TIME]
      session   bd48f8aa-611e-4e64-b1f5-2e515a790906, main agent
      judged    ls
      command   git reset --hard
      exit      0
      rule      ran
                to the model:
                | engine: another hook changed a call after it was judged. Judged: ls. Ran: git reset --hard. The policy says: git.reset-hard (block)
                to the person: engine: another hook changed a call after it was judged. Judged: ls. Ran: git reset --hard. The policy says: git.reset-hard (block)
                because the input of the call is not the one that was judged
    ");
    let harmless = call(&stage, "t2", "ls", "ls -l");
    assert_told(
        &stage,
        &harmless,
        "engine: another hook changed a call after it was judged. Judged: ls. Ran: ls -l. No rule is against it",
    );
    let own = call(&stage, "t3", "ls", "rm -r .engine");
    assert_told(
        &stage,
        &own,
        "engine: another hook changed a call after it was judged. Judged: ls. Ran: rm -r .engine. The rule protect says: `rm -r .engine` would change [ROOT]/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/",
    );
}

#[test]
fn a_call_that_ran_as_it_was_judged_is_silent() {
    let stage = Stage::new();
    call(&stage, "t1", "ls", "ls").assert_silent();
    let post = |fields: &Value| stage.hook(&stage.event_with("PostToolUse", fields));
    // The hook did not see it before.
    post(&json!({"tool_use_id": "t2", "tool_input": {"command": "ls"}})).assert_silent();
    // What does not decide may differ.
    let input = json!({"command": "ls", "description": "look", "timeout": 5000});
    post(&json!({"tool_use_id": "t1", "tool_input": input})).assert_silent();
    // Two hooks of the engine, in two settings files.
    stage.hook(
        &stage.event_with("PreToolUse", &json!({"tool_use_id": "t1", "tool_input": {"command": "ls"}})),
    );
    post(&json!({"tool_use_id": "t1", "tool_input": {"command": "ls"}})).assert_silent();
    // A call that only reads, compared by what it reads.
    let read = |name: &str, path: &str| {
        let fields = json!({"tool_use_id": "r1", "tool_name": "Read", "tool_input": {"file_path": path}});
        stage.hook(&stage.event_with(name, &fields))
    };
    read("PreToolUse", "/a").assert_silent();
    read("PostToolUse", "/a").assert_silent();
    assert_told(
        &stage,
        &read("PostToolUse", "/b"),
        "engine: another hook changed a call after it was judged. Judged: /a. Ran: /b. No rule is against it",
    );
}

#[test]
fn a_write_is_compared_by_path_and_content() {
    let stage = Stage::new();
    wrote(&stage, "PreToolUse", "a.txt", "x").assert_silent();
    wrote(&stage, "PostToolUse", "a.txt", "x").assert_silent();
    assert_told(
        &stage,
        &wrote(&stage, "PostToolUse", "a.txt", "y"),
        "engine: another hook changed a call after it was judged. Judged: [ROOT]/a.txt. Ran: [ROOT]/a.txt with another input. No rule is against it",
    );
    // The person changed it in the dialog.
    let input = json!({"file_path": stage.root().join("a.txt"), "content": "z"});
    let fields = json!({"tool_use_id": "w1", "tool_name": "Write", "tool_input": input, "tool_response": {"userModified": true}});
    stage.hook(&stage.event_with("PostToolUse", &fields)).assert_silent();
}

#[test]
fn a_command_that_failed_is_compared_too_and_so_is_a_subagents() {
    let stage = Stage::new();
    let fields = |command: &str| json!({"tool_use_id": "f1", "agent_id": "a1", "agent_type": "qa", "tool_input": {"command": command}});
    stage.hook(&stage.event_with("PreToolUse", &fields("ls")));
    let told = stage.hook(&stage.event_with("PostToolUseFailure", &fields("git reset --hard"))).json();
    let text = "engine: another hook changed a call after it was judged. Judged: ls. Ran: git reset --hard. The policy says: git.reset-hard (block). The rule roles says: the agent qa changes nothing: it reads, runs checks and answers. What is to be changed belongs in its answer";
    let expected = json!({
        "systemMessage": text,
        "hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": text},
    });
    assert_eq!(told, expected);
}

#[test]
fn what_a_rule_of_ours_changed_is_what_was_judged() {
    let stage = Stage::with_test_rules();
    // The rule speaks after the call, too, where it cannot change anything.
    let told = call(&stage, "t1", "true changer", "echo changer").json();
    let cannot = "engine: input cannot be given with this event. The work goes on. See: engine doctor";
    assert_eq!(told, json!({"systemMessage": cannot}));
    let told = call(&stage, "t2", "true changer", "true changer").json();
    let text = "engine: another hook changed a call after it was judged. Judged: true changer. Ran: true changer with another input. No rule is against it";
    assert_eq!(told.to_string(), both(text));
}

#[test]
fn where_the_journal_or_the_rule_is_off_nothing_is_compared() {
    for rule in ["journal", "ran"] {
        let stage = Stage::new();
        stage.write(".engine/config.toml", &format!("[rules]\n{rule} = \"off\"\n"));
        call(&stage, "t1", "ls", "git reset --hard").assert_silent();
    }
}

#[test]
fn coverage_counts_a_changed_call_as_a_gap() {
    let stage = Stage::new();
    call(&stage, "t1", "ls", "git reset --hard");
    call(&stage, "t2", "ls", "ls");
    let line = |at: &str, id: &str| {
        let content = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]);
        let message = json!({"role": "assistant", "content": content});
        json!({"type": "assistant", "sessionId": "s1", "cwd": stage.root(), "timestamp": at, "message": message})
            .to_string()
    };
    let lines = [line("2099-01-01T10:00:00.000Z", "t1"), line("2099-01-01T10:00:01.000Z", "t2")];
    stage.write("transcripts/s1.jsonl", &format!("{}\n", lines.join("\n")));
    insta::assert_snapshot!(stage.engine(&["coverage", "transcripts"]).stdout, @"
    50 % covered: 1 of 2 tool calls in 1 transcript
      s1  main  1 of 2  50 %
    1 gap
      2099-01-01 10:00:00  s1  main  Bash  ls (another hook changed it; ran: git reset --hard)
    ");
    assert_eq!(stage.engine(&["coverage", "transcripts", "--min", "100"]).code, Some(1));
    let gaps = stage.engine(&["coverage", "transcripts", "--json"]).json()["gaps"].clone();
    assert_eq!(
        gaps,
        json!([{"at": "2099-01-01T10:00:00.000Z", "session": "s1", "tool": "Bash", "toolUse": "t1", "what": "ls", "ran": "git reset --hard"}])
    );
}

// What the client runs by itself.

fn start(stage: &Stage) -> Value {
    message(&stage.hook(&stage.event("SessionStart")))
}

fn prompt(stage: &Stage) -> Value {
    message(&stage.hook(&stage.prompt("go on")))
}

/// What the person sees; null where they see nothing.
fn message(output: &Output) -> Value {
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    if output.stdout.is_empty() { Value::Null } else { output.json()["systemMessage"].clone() }
}

/// The client is about to take up the project's settings.
fn config_change(stage: &Stage) -> Value {
    let path = stage.root().join(".claude/settings.json");
    stage.event_with("ConfigChange", &json!({"session_id": SESSION, "file_path": path}))
}

fn hook(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

fn servers(command: &str) -> String {
    json!({"mcpServers": {"db": {"command": "npx", "args": [command]}}}).to_string()
}

#[test]
fn what_is_new_or_changed_is_told_once() {
    let stage = Stage::new();
    stage.write(".claude/settings.json", &json!({"hooks": {"Stop": hook("old.sh")}}).to_string());
    assert_eq!(start(&stage), Value::Null, "the first look only records");
    assert_eq!(start(&stage), Value::Null);
    let hooks = json!({"Stop": hook("old.sh"), "PreToolUse": hook("fmt.sh")});
    stage.write(".claude/settings.json", &json!({"hooks": hooks}).to_string());
    stage.write(".mcp.json", &servers("db-server"));
    assert_eq!(
        start(&stage),
        "engine: new since the last session: hook PreToolUse `fmt.sh` in .claude/settings.json; MCP server db (npx db-server) in .mcp.json"
    );
    assert_eq!(start(&stage), Value::Null);
    assert_eq!(prompt(&stage), Value::Null);
    stage.write(".mcp.json", &servers("other"));
    assert_eq!(
        prompt(&stage),
        "engine: changed since the session began: MCP server db (npx other) in .mcp.json"
    );
    assert_eq!(prompt(&stage), Value::Null);
    stage.write(".mcp.json", &servers("other"));
    assert_eq!(prompt(&stage), Value::Null, "the same text");
    fs::remove_file(stage.root().join(".mcp.json")).unwrap();
    assert_eq!(start(&stage), Value::Null, "what is gone runs nothing");
}

#[test]
fn every_kind_is_named_with_its_file() {
    let stage = Stage::new();
    assert_eq!(start(&stage), Value::Null);
    let settings = json!({
        "statusLine": {"type": "command", "command": "line.sh\u{1b}[2J"},
        "apiKeyHelper": "key.sh --token=abcdefgh12345678",
        "enabledPlugins": {"fmt@market": true},
        "env": {"ENGINE_OFF": "1"},
        "disableAllHooks": true,
    });
    fs::create_dir_all(stage.home().join(".claude")).unwrap();
    fs::write(stage.home().join(".claude/settings.json"), settings.to_string()).unwrap();
    let project = json!({"mcpServers": {"mine": {"type": "http", "url": "http://localhost:7"}}});
    let own = json!({"numStartups": 3, "projects": {stage.root().display().to_string(): project}});
    fs::write(stage.home().join(".claude.json"), own.to_string()).unwrap();
    let settings = "~/.claude/settings.json";
    assert_eq!(
        prompt(&stage),
        format!(
            "engine: new since the session began: status line `line.sh\\u{{1b}}[2J` in {settings}; helper apiKeyHelper `key.sh --token=[redacted]` in {settings}; plugin fmt@market in {settings}; variable ENGINE_OFF (1) in {settings}; disableAllHooks in {settings}"
        ),
        "the client's own file is large: it waits for the next start"
    );
    assert_eq!(
        start(&stage),
        "engine: new since the last session: MCP server mine (http://localhost:7) in ~/.claude.json"
    );
    assert_eq!(start(&stage), Value::Null);
}

#[test]
fn what_is_seen_first_is_not_told_but_for_what_switches_hooks_off() {
    let stage = Stage::new();
    let settings = json!({"hooks": {"Stop": hook("a.sh")}, "disableAllHooks": true}).to_string();
    stage.write(".claude/settings.local.json", &settings);
    assert_eq!(start(&stage), "engine: new to you: disableAllHooks in .claude/settings.local.json");
    assert_eq!(start(&stage), Value::Null);
    let folder = stage.home().join(".local/state/engine/seen");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let records = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    assert_eq!(records.count(), 1);
}

#[test]
fn many_are_cut_and_a_change_while_the_client_reads_it_waits_for_the_next_event() {
    let stage = Stage::new();
    start(&stage);
    let many: Vec<Value> =
        (0..12).map(|number| json!({"type": "command", "command": format!("h{number}")})).collect();
    stage.write(".claude/settings.json", &json!({"hooks": {"Stop": [{"hooks": many}]}}).to_string());
    let change = config_change(&stage);
    stage.hook(&change).assert_silent();
    let named: Vec<String> =
        (0..10).map(|number| format!("hook Stop `h{number}` in .claude/settings.json")).collect();
    assert_eq!(
        prompt(&stage),
        format!("engine: new since the session began: {}; and 2 more", named.join("; "))
    );
}

#[test]
fn our_own_hooks_that_are_gone_are_told_once() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    assert_eq!(start(&stage), Value::Null);
    let wired = stage.read(".claude/settings.json");
    stage.write(".claude/settings.json", "{}");
    assert_eq!(
        start(&stage),
        "engine: engine's own hooks are gone from .claude/settings.json. Set them up again: engine init"
    );
    assert_eq!(prompt(&stage), Value::Null);
    stage.write(".claude/settings.json", &wired);
    assert_eq!(start(&stage), Value::Null);
    let mut part: Value = serde_json::from_str(&wired).unwrap();
    part["hooks"].as_object_mut().unwrap().remove("PreToolUse").unwrap();
    stage.write(".claude/settings.json", &part.to_string());
    assert_eq!(
        start(&stage),
        "engine: some of engine's own hooks are gone from .claude/settings.json. Set them up again: engine init"
    );
    stage.write(".claude/settings.json", &wired);
    assert_eq!(start(&stage), Value::Null);
    // Where protect keeps the client from the change, it tells of it.
    stage.write(".claude/settings.json", r#"{"disableAllHooks":true}"#);
    let change = config_change(&stage);
    assert_eq!(stage.hook(&change).json()["decision"], "block");
    assert_eq!(
        prompt(&stage),
        format!(
            "engine: the change to {} was not applied: it would set disableAllHooks, which silences every hook of the session. The file still holds it. To remove engine, run engine uninstall",
            stage.root().join(".claude/settings.json").display()
        )
    );
}

#[test]
fn what_a_command_of_engine_took_out_is_not_told() {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    assert_eq!(start(&stage), Value::Null);
    stage.ok(&["uninstall"]);
    stage.write(".engine/config.toml", "");
    assert_eq!(start(&stage), Value::Null);
}

#[test]
fn a_pipe_is_not_waited_for_and_a_damaged_record_begins_anew() {
    let stage = Stage::new();
    assert_eq!(start(&stage), Value::Null);
    let made = std::process::Command::new("mkfifo").arg(stage.root().join(".mcp.json")).status().unwrap();
    assert!(made.success());
    assert_eq!(
        start(&stage),
        "engine: .mcp.json is a pipe, a device or a folder and is not read, so nothing that stood in it counts"
    );
    fs::remove_file(stage.root().join(".mcp.json")).unwrap();
    let folder = stage.home().join(".local/state/engine/seen");
    let names = || {
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let mut ends: Vec<String> = files
            .filter_map(|path| Some(path.extension()?.to_str()?.split('-').next()?.to_owned()))
            .collect();
        ends.sort();
        ends
    };
    assert_eq!(names(), ["json", "lock"]);
    for file in fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|end| end == "json") {
            fs::write(file, "damaged").unwrap();
        }
    }
    stage.write(".mcp.json", &servers("db-server"));
    assert_eq!(start(&stage), Value::Null, "a first look again");
    assert_eq!(names(), ["bad", "json", "lock"]);
    stage.write(".mcp.json", &servers("other"));
    assert_eq!(
        start(&stage),
        "engine: changed since the last session: MCP server db (npx other) in .mcp.json"
    );
}

#[test]
fn what_a_clone_runs_is_told_at_the_first_look() {
    let stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "");
    let hook = json!({"type": "command", "command": "fmt.sh"});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    stage.write_from_elsewhere(".claude/settings.json", &settings.to_string());
    stage
        .write_from_elsewhere(".mcp.json", r#"{"mcpServers":{"db":{"command":"npx","args":["db-server"]}}}"#);
    assert_eq!(
        start(&stage),
        "engine: new to you: hook Stop `fmt.sh` in .claude/settings.json; MCP server db (npx db-server) in .mcp.json"
    );
    assert_eq!(start(&stage), Value::Null);
}

/// The client reads nothing but a file, and neither does the engine.
#[test]
fn what_takes_the_place_of_a_settings_file_is_told() {
    let pipe = |file: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
    };
    let folder = |file: &std::path::Path| fs::create_dir(file).unwrap();
    for (take, event) in [(&pipe as &dyn Fn(&std::path::Path), "UserPromptSubmit"), (&folder, "SessionStart")]
    {
        let stage = Stage::new();
        stage.ok(&["init", "--team"]);
        stage.hook(&stage.event("SessionStart"));
        let file = stage.root().join(".claude/settings.json");
        fs::remove_file(&file).unwrap();
        take(&file);
        let told = stage.hook(&stage.event(event)).json();
        let told = told["systemMessage"].as_str().unwrap();
        assert_eq!(
            told.lines().take(2).collect::<Vec<_>>(),
            [
                "engine: .claude/settings.json is a pipe, a device or a folder and is not read, so nothing that stood in it counts",
                "engine: engine's own hooks are gone from .claude/settings.json. Set them up again: engine init",
            ],
            "{event}"
        );
        let again = stage.hook(&stage.event(event)).stdout;
        assert!(!again.contains("not read"), "{again}");
    }
}
