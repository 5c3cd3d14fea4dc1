//! The behaviour of the hook: one test per case of the router's list, numbered as there.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage, ended, filled_pipe, input, output_of, run};

#[test]
fn case_01_notes_are_joined_in_registry_order() {
    let stage = Stage::with_test_rules();
    let out = stage.hook(&stage.prompt("note-c note-a note-b"));
    insta::assert_snapshot!(out.stdout, @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"A\n\nB\n\nC"}}"#);
    let out = stage.hook(&stage.bash("note-b then note-a"));
    insta::assert_snapshot!(out.stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"A\n\nB"}}"#);
}

#[test]
fn case_02_no_opinion_is_silence_on_every_event() {
    let stage = Stage::new();
    let mut count = 0;
    for (file, _) in engine_testkit::event_fixtures() {
        let name = file.trim_end_matches(".json");
        let out = stage.hook(&stage.event(name));
        assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(0), "", ""), "{file}");
        count += 1;
    }
    assert_eq!(stage.journal().len(), count);
    assert!(stage.journal().iter().all(|entry| entry["verdict"] == "none"));
}

#[test]
fn case_03_deny_wins_and_both_texts_and_the_note_are_kept() {
    let stage = Stage::with_test_rules();
    let out = stage.hook(&stage.bash("asker note-a denier"));
    insta::assert_snapshot!(out.stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule denier: this must not be\n\nengine rule asker: is this wanted?","additionalContext":"A"}}"#);
    let out = stage.hook(&stage.bash("asker note-b"));
    insta::assert_snapshot!(out.stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine rule asker: is this wanted?","additionalContext":"B"}}"#);
    let out = stage.hook(&stage.bash("other-changer changer"));
    insta::assert_snapshot!(out.stdout, @r#"{"systemMessage":"engine: rules changer and other-changer both changed the input; changer counts","hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo changer"}}}"#);
}

#[test]
fn case_04_a_broken_rule_is_named_once_and_the_others_count() {
    let stage = Stage::with_test_rules();
    let event = stage.bash("panicker denier breaker");
    let first = stage.hook(&event);
    insta::assert_snapshot!(first.stdout, @r#"{"systemMessage":"engine: rule breaker failed and was skipped: its file is gone. See: engine doctor\nengine: rule panicker failed and was skipped: index 7 of 3. See: engine doctor","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule denier: this must not be"}}"#);
    let again = stage.hook(&event);
    insta::assert_snapshot!(again.stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule denier: this must not be"}}"#);
    let findings: Vec<Value> = stage.journal()[0]["findings"].as_array().unwrap().clone();
    insta::assert_snapshot!(serde_json::to_string(&findings).unwrap(), @r#"[{"error":"its file is gone","rule":"breaker"},{"error":"index 7 of 3","rule":"panicker"},{"decision":"deny","reason":"this must not be","rule":"denier"}]"#);
    let doctor = stage.engine(&["doctor", "--json"]).json();
    let broken: Vec<&Value> = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["name"].as_str().unwrap().starts_with("rule "))
        .collect();
    assert_eq!(broken.len(), 2, "{doctor}");
    assert_eq!(
        broken[1]["detail"],
        "failed 2 times, last: index 7 of 3. Switch it off until it is mended: engine config set rules.panicker off"
    );
}

#[test]
fn case_05_odd_events_are_written_down_and_silent() {
    let stage = Stage::new();
    let root = stage.root();
    let odd = [
        json!({"hook_event_name": "BrandNewEvent", "session_id": "s", "cwd": root, "future": {"a": [1]}}),
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": root, "tool_name": "Bash", "tool_input": "{\"command\":\"ls\"}"}),
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": root, "tool_name": "Write"}),
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": root, "tool_name": "Edit", "tool_input": null}),
        json!({"hook_event_name": 12, "session_id": null}),
        json!({}),
    ];
    for event in &odd {
        stage.hook(event).assert_silent();
    }
    let journal = stage.journal();
    assert_eq!(journal.len(), odd.len());
    assert_eq!(journal[0]["event"], "BrandNewEvent");
    assert_eq!(journal[1]["command"], "ls");
    // An input that nobody can read is not judged, and so it does not pass.
    let unread = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": root, "tool_name": 7, "tool_input": [1, 2]});
    insta::assert_snapshot!(stage.hook(&unread).stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine rule size: the input of the call cannot be read, so it was not judged. Instead: the call with an object as its input."}}"#);
}

#[test]
fn case_06_garbage_on_stdin_ends_soon_and_harms_nothing() {
    let stage = Stage::new();
    let huge = format!("{{\"hook_event_name\":\"PreToolUse\",\"x\":\"{}\"}}", "y".repeat(50 << 20));
    let cases: [(&str, &[u8], &str); 4] = [
        ("empty", b"", "engine: not a JSON object: EOF while parsing a value at line 1 column 0\n"),
        (
            "invalid",
            b"{\"hook_event_name\": ",
            "engine: not a JSON object: EOF while parsing a value at line 1 column 20\n",
        ),
        ("two objects", b"{} {}", "engine: not a JSON object: trailing characters at line 1 column 4\n"),
        ("not UTF-8", b"{\"a\":\"\xff\xfe\"}", "engine: the input is not UTF-8\n"),
    ];
    for (name, bytes, expected) in cases {
        let out = stage.hook_bytes(bytes);
        assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(0), "", expected), "{name}");
    }
    insta::assert_snapshot!(stage.hook_bytes(huge.as_bytes()).stdout, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"engine did not judge this call: the input is larger than 32 MB: too large to judge"}}"#);
    let journal = stage.journal();
    assert_eq!(journal.len(), 5);
    assert_eq!(journal[3]["trouble"], json!(["an event could not be read: the input is not UTF-8"]));
}

#[test]
fn case_06_stdin_held_open_is_not_waited_for() {
    let stage = Stage::new();
    let mut child = stage.command(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
    let held = child.stdin.take();
    ended(&mut child);
    let out = output_of(child);
    out.assert_silent();
    assert_eq!(out.stderr, "engine: no input came within 1500 ms\n");
    drop(held);
}

#[test]
fn case_06_an_event_counts_although_its_writer_holds_the_pipe() {
    let stage = Stage::with_test_rules();
    let (input, held) = filled_pipe(stage.bash("denier").to_string().as_bytes());
    let mut child = stage.command(&["hook"]).stdin(input).spawn().unwrap();
    ended(&mut child);
    assert!(output_of(child).stdout.contains("this must not be"));
    drop(held);
}

#[test]
fn case_07_the_right_project_wherever_the_agent_is() {
    let stage = Stage::with_test_rules();
    let other = Stage::bare();
    let deny = |folder: &std::path::Path, cwd: &std::path::Path, project_dir: Option<&std::path::Path>| {
        let mut command = stage.command_in(folder, &["hook"]);
        if let Some(dir) = project_dir {
            command.env("CLAUDE_PROJECT_DIR", dir);
        }
        let event = stage.event_with("PreToolUse", &json!({"cwd": cwd, "tool_input": {"command": "denier"}}));
        run(command, Some(event.to_string().as_bytes())).stdout.contains("this must not be")
    };
    let root = stage.root();
    let odd = root.join("sub dir/日本 é");
    fs::create_dir_all(&odd).unwrap();
    assert!(deny(&other.root(), &odd, None), "a subdirectory, with blanks and other letters");
    assert!(deny(&root, &other.root(), Some(&root)), "gone out of the project, which the client still names");
    assert!(!deny(&root, &other.root(), None), "gone out, and nobody names a project");
    assert!(
        deny(&other.root(), &root, Some(&other.root())),
        "the client was started outside, the agent went in"
    );
}

#[test]
fn case_07_worktrees_share_the_main_checkouts_state() {
    let stage = Stage::new();
    let root = stage.root();
    let git = |args: &[&str]| stage.git(args);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "start"]);
    git(&["worktree", "add", "-q", "../tree"]);
    let tree = root.with_file_name("tree");
    let prompt = |cwd: &std::path::Path| {
        let event = stage.event_with("UserPromptSubmit", &json!({"cwd": cwd}));
        run(stage.command_in(&tree, &["hook"]), Some(event.to_string().as_bytes())).assert_silent();
    };
    prompt(&tree);
    assert_eq!(stage.state()["turn"], 1);
    assert!(
        !tree.join(".engine/state").exists(),
        "the worktree has its own configuration, not its own state"
    );
    // A repository that does not commit .engine/ has none in its worktrees.
    fs::remove_dir_all(tree.join(".engine")).unwrap();
    prompt(&tree);
    assert_eq!(stage.state()["turn"], 2);
    assert_eq!(stage.journal().len(), 2);
}

#[test]
fn case_08_without_a_project_nothing_is_said_or_written() {
    let stage = Stage::bare();
    let before = stage.tree();
    for (file, _) in engine_testkit::event_fixtures() {
        stage.hook(&stage.event(file.trim_end_matches(".json"))).assert_silent();
    }
    stage.hook_bytes(b"garbage").assert_silent();
    assert_eq!(stage.tree(), before);
}

#[test]
fn case_09_engine_off_touches_nothing() {
    let mut stage = Stage::with_test_rules();
    stage.set("ENGINE_OFF", "1");
    let before = stage.tree();
    stage.hook(&stage.bash("denier")).assert_silent();
    assert_eq!(stage.tree(), before);
    stage.set("ENGINE_OFF", "0");
    assert!(stage.hook(&stage.bash("denier")).stdout.contains("this must not be"));
}

#[test]
fn case_10_stop_speaks_once_per_turn_and_never_loops() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[reminder]\ntext = \"Write the changelog.\"\n");
    let stop_with = |fields: Value| {
        let mut event = stage.event_with("Stop", &fields);
        event["session_id"] = SESSION.into();
        event
    };
    let stop = stop_with(json!({}));
    let said =
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Write the changelog."}}"#;
    let write = || {
        let input = json!({"file_path": stage.root().join("a.txt"), "content": "x"});
        let event = json!({"session_id": SESSION, "tool_name": "Write", "tool_input": input});
        stage.hook(&stage.event_with("PostToolUse.Write", &event)).assert_silent();
    };
    // A turn that changes nothing needs no reminder.
    stage.hook(&stage.prompt("zero")).assert_silent();
    stage.hook(&stop).assert_silent();
    stage.hook(&stage.prompt("one")).assert_silent();
    write();
    let running = json!({"background_tasks": [{"id": "a", "type": "subagent", "status": "running"}]});
    stage.hook(&stop_with(running)).assert_silent();
    stage.hook(&stop_with(json!({"stop_hook_active": true}))).assert_silent();
    assert_eq!(stage.hook(&stop).stdout, said);
    stage.hook(&stop).assert_silent();
    // A notification of the client's is not a new turn.
    stage
        .hook(&stage.event_with("UserPromptSubmit.task-notification", &json!({"session_id": SESSION})))
        .assert_silent();
    stage.hook(&stop).assert_silent();
    stage.hook(&stage.prompt("two")).assert_silent();
    write();
    // A shell that runs in the background is no reason to wait.
    assert_eq!(stage.hook(&stage.event("Stop.background-task")).stdout, said);
    stage.hook(&stop).assert_silent();
}

#[test]
fn case_10_subagent_stop_that_a_hook_caused_is_left_alone() {
    let stage = Stage::with_test_rules();
    let stop = |active: bool| {
        stage.event_with(
            "SubagentStop",
            &json!({"stop_hook_active": active, "last_assistant_message": "note-a"}),
        )
    };
    assert_eq!(
        stage.hook(&stop(false)).stdout,
        r#"{"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"A"}}"#
    );
    stage.hook(&stop(true)).assert_silent();
    let compaction =
        stage.event_with("SubagentStop.compaction", &json!({"last_assistant_message": "note-a"}));
    stage.hook(&compaction).assert_silent();
}

#[test]
fn case_11_parallel_events_are_all_counted() {
    let stage = Stage::new();
    let event = stage.event("PostToolUse").to_string();
    let prompt = stage.prompt("go").to_string();
    let started = (0..40).map(|n| {
        let text = if n % 2 == 0 { &event } else { &prompt };
        stage.command(&["hook"]).stdin(input(text.as_bytes())).spawn().unwrap()
    });
    let started: Vec<_> = started.collect();
    // A hook waits one second for a lock. On a very busy machine that is not enough for all: then it is said, in the
    // journal each time and to the person once, and every event is either counted or refused.
    let (mut counted, mut unwritten) = (0, 0);
    for output in started.into_iter().map(output_of) {
        assert!(output.stdout.is_empty() || output.is_refused_a_lock(), "{}", output.stdout);
        unwritten += usize::from(output.stdout.contains("the journal was not written"));
    }
    let journal = stage.journal();
    for entry in journal.iter().filter(|entry| entry["event"] == "UserPromptSubmit") {
        let trouble = entry["trouble"].to_string();
        counted += usize::from(!trouble.contains("state was not saved: another process holds the lock"));
    }
    let of = |name: &str| journal.iter().filter(|entry| entry["event"] == name).count();
    if unwritten == 0 {
        assert_eq!((of("PostToolUse"), of("UserPromptSubmit")), (20, 20));
        assert_eq!(stage.state()["turn"], counted);
    }
    let ids: std::collections::BTreeSet<&str> =
        journal.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), journal.len(), "every decision has an id of its own");
}

#[test]
fn case_14_a_task_notification_is_only_written_down() {
    let stage = Stage::with_test_rules();
    let event = stage.event_with(
        "UserPromptSubmit.task-notification",
        &json!({"prompt": "<task-notification>\nnote-a denier</task-notification>"}),
    );
    stage.hook(&event).assert_silent();
    assert_eq!(stage.journal().len(), 1);
    assert!(!stage.exists(".engine/state/sessions"), "no turn was started");
}

#[test]
fn case_15_an_unusable_state_file_is_set_aside() {
    for (bad, why) in [
        ("{\"version\":1,\"turn\":4", "damaged (EOF while parsing an object at line 1 column 21)"),
        ("{\"version\":99}", "written by a newer engine (format 99, this one knows 1)"),
        ("\u{0}\u{1}", "damaged (expected value at line 1 column 1)"),
    ] {
        let stage = Stage::new();
        stage.write(&format!(".engine/state/sessions/{SESSION}.json"), bad);
        let out = stage.hook(&stage.prompt("go"));
        let told = out.json()["systemMessage"].as_str().unwrap().to_owned();
        assert!(
            told.starts_with(&format!("engine: {SESSION}.json was {why}; it is kept as {SESSION}.json.bad-")),
            "{told}"
        );
        stage.hook(&stage.prompt("go on")).assert_silent();
        assert_eq!(stage.state()["turn"], 2);
        let kept = stage.tree().into_iter().find(|name| name.contains(".json.bad-")).unwrap();
        let kept = kept.split(' ').next().unwrap().trim_start_matches("project/").to_owned();
        assert_eq!(stage.read(&kept), bad);
        let doctor = stage.engine(&["doctor"]).stdout;
        assert!(doctor.contains("set aside because they could not be read: "), "{doctor}");
    }
}

#[test]
fn case_16_an_unknown_tool_is_allowed_and_listed() {
    let stage = Stage::new();
    for tool in ["TimeTravel", "mcp__files__write", "Read"] {
        let fields = json!({"tool_name": tool, "tool_input": {}});
        stage.hook(&stage.event_with("PreToolUse", &fields)).assert_silent();
    }
    let checks = stage.engine(&["doctor", "--json"]).json();
    let tools = checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == "tools").unwrap();
    assert_eq!(
        tools["detail"],
        "passed the hook, but engine does not know what they do: Read (1), TimeTravel (1), mcp__files__write (1)"
    );
}

#[test]
fn case_17_secrets_do_not_reach_the_journal() {
    let stage = Stage::new();
    let secrets = [
        "curl -H 'Authorization: Bearer abcdef0123456789' https://x",
        "git clone https://bob:hunter2@example.com/r.git",
        "export OPENAI_API_KEY=topsecretvalue && run",
        "echo '-----BEGIN PRIVATE KEY-----\nMIIEsecretbody\n-----END PRIVATE KEY-----' > k",
    ];
    for command in secrets {
        stage.hook(&stage.bash(command)).assert_silent();
        stage
            .hook(&stage.event_with("PostToolUse", &json!({"tool_input": {"command": command}})))
            .assert_silent();
        stage.hook(&stage.prompt(command)).assert_silent();
        stage
            .hook(&stage.event_with(
                "PreToolUse",
                &json!({"tool_name": "mcp__x__y", "tool_input": {"body": command}}),
            ))
            .assert_silent();
    }
    let text = serde_json::to_string(&stage.journal()).unwrap();
    for word in ["abcdef0123456789", "hunter2", "topsecretvalue", "MIIEsecretbody"] {
        assert!(!text.contains(word), "{word} is in the journal");
    }
    assert_eq!(stage.journal()[0]["command"], "curl -H 'Authorization: Bearer [redacted]' https://x");
}

#[test]
fn a_long_context_is_cut_and_kept_whole() {
    let stage = Stage::with_test_rules();
    let out = stage.hook(&stage.prompt("long"));
    let context = out.context();
    let id = stage.journal()[0]["id"].as_str().unwrap().to_owned();
    assert!(
        context.len() <= 10_000
            && context.ends_with(&format!("\n\n(cut here; the whole text, 24000 bytes: engine why {id})"))
    );
    let why = stage.ok(&["why", &id]);
    assert_eq!(
        why.matches("a line of the long text\n").count(),
        1000 + 83,
        "the whole, and the beginning in the finding: {}",
        why.len()
    );
}

#[test]
fn pre_compact_instructions_are_plain_text() {
    let stage = Stage::with_test_rules();
    let event = stage.event_with("PreCompact", &json!({"custom_instructions": "note-a note-b"}));
    assert_eq!(stage.hook(&event).stdout, "A\n\nB");
}

#[test]
fn what_an_event_cannot_carry_is_written_down() {
    let stage = Stage::with_test_rules();
    stage.hook(&stage.event_with("SessionEnd", &json!({"reason": "note-a denier"}))).assert_silent();
    assert_eq!(
        stage.journal()[0]["trouble"],
        json!(["decision cannot be given with this event", "context cannot be given with this event"])
    );
}

#[test]
fn shadow_and_off_have_no_effect_but_shadow_is_counted() {
    let stage = Stage::new();
    let event = stage.write_tool(".engine/config.toml", "x");
    stage.write(".engine/config.toml", "[rules]\nprotect = \"shadow\"\n");
    stage.hook(&event).assert_silent();
    stage.write(".engine/config.toml", "[rules]\nprotect = \"off\"  # now\n");
    stage.hook(&event).assert_silent();
    let journal = stage.journal();
    assert_eq!(journal[0]["findings"][0]["shadow"], true);
    assert_eq!(journal[0]["findings"][0]["decision"], "deny");
    assert!(journal[1].get("findings").is_none());
    stage.write(".engine/config.toml", "[rules]\njournal = \"off\"\n");
    stage.hook(&event);
    assert_eq!(stage.journal().len(), 2, "the journal is off");
}

#[test]
fn a_slip_in_the_configuration_is_told_once_and_the_rest_counts() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[inject]\nbugdet = 3\n[reminder]\ntext = \"R\"\n");
    let told = stage.hook(&stage.prompt("go")).json()["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(
        told,
        "engine: project config, line 2: unknown key inject.bugdet; did you mean inject.budget?; the default counts. See: engine doctor"
    );
    stage.hook(&stage.prompt("go")).assert_silent();
    assert_eq!(stage.hook(&stage.event("Stop")).context(), "R");
    stage.write(".engine/config.toml", "[inject\n");
    let told = stage.hook(&stage.prompt("go")).json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(told.starts_with("engine: project config, line 1: not valid TOML: "), "{told}");
}

#[test]
fn other_words_behind_hook_never_end_in_a_usage_error() {
    let stage = Stage::with_test_rules();
    for words in [&["hook", "x"][..], &["hook", "--json"], &["hook", "-x", "y"], &["--json", "hook"]] {
        let out = run(stage.command(words), Some(stage.bash("denier").to_string().as_bytes()));
        assert_eq!(out.code, Some(0), "{words:?} {}", out.stderr);
        assert!(out.stdout.contains("this must not be"), "{words:?}");
    }
}

#[test]
fn a_writer_that_drips_is_not_waited_for() {
    let stage = Stage::new();
    let mut child = stage.command(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let dripping = std::thread::spawn(move || {
        while std::io::Write::write_all(&mut pipe, b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    // It would go on for ever.
    assert!(ended(&mut child).success());
    dripping.join().unwrap();
}

#[test]
fn what_is_kept_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    stage.hook(&stage.prompt("export TOKEN=abcdef")).assert_silent();
    assert!(!serde_json::to_string(&stage.state()).unwrap().contains("abcdef"));
    for entry in
        stage.tree().iter().filter(|name| name.contains(".engine/journal/2") || name.contains("sessions/bd"))
    {
        let path = stage.root().with_file_name(entry.split(' ').next().unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert!(mode == 0o600 || entry.contains(".lock"), "{entry} {mode:o}");
    }
}

#[test]
fn a_fifo_in_place_of_the_configuration_does_not_hang() {
    let stage = Stage::new();
    fs::remove_file(stage.root().join(".engine/config.toml")).unwrap();
    assert!(Command::new("mkfifo").arg(stage.root().join(".engine/config.toml")).status().unwrap().success());
    // Nobody ever writes into it.
    let (input, _) = filled_pipe(stage.bash("ls").to_string().as_bytes());
    let mut child = stage.command(&["hook"]).stdin(input).spawn().unwrap();
    ended(&mut child);
    output_of(child).assert_silent();
}
