//! Rules `protect` and `inject` through the hook.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage};

fn wired(stage: &Stage) {
    stage.ok(&["init", "--team"]);
}

fn denied(stage: &Stage, event: &Value) -> bool {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0));
    out.stdout.contains(r#""permissionDecision":"deny""#)
}

#[test]
fn engines_own_files_are_denied_and_the_free_folders_are_not() {
    let stage = Stage::new();
    stage.write(".engine/context/AXIOMS.md", "x");
    fs::create_dir_all(stage.root().join("src")).unwrap();
    std::os::unix::fs::symlink(stage.root().join(".engine"), stage.root().join("src/link")).unwrap();
    let cases = [
        (".engine/config.toml", true),
        (".engine/policy.toml", true),
        (".engine/state/sessions/x.json", true),
        (".engine/journal/2026-01-01.jsonl", true),
        ("src/../.engine/config.toml", true),
        ("src/link/config.toml", true),
        (".engine/context/../config.toml", true),
        (".engine/new/folder/file", true),
        ("sub/.engine/config.toml", true),
        ("../home/.config/engine/config.toml", true),
        ("../home/.local/state/engine/install.json", true),
        (".engine/context/AXIOMS.md", false),
        (".engine/queue/idea.md", false),
        (".engine/notes/n.md", false),
        ("src/link/context/CORE.md", false),
        ("src/main.rs", false),
        (".engineer/config.toml", false),
    ];
    for (path, expected) in cases {
        assert_eq!(denied(&stage, &stage.write_tool(path, "x")), expected, "{path}");
    }
    let edit = stage.event_with("PreToolUse.Edit", &json!({"tool_input": {"file_path": stage.root().join(".engine/config.toml"), "old_string": "a", "new_string": "b"}}));
    assert!(denied(&stage, &edit));
    let notebook = stage.event_with(
        "PreToolUse",
        &json!({"tool_name": "NotebookEdit", "tool_input": {"notebook_path": ".engine/x.ipynb"}}),
    );
    assert!(denied(&stage, &notebook), "a relative path counts from the agent's folder");
    let read = stage.event_with(
        "PreToolUse.Read",
        &json!({"tool_input": {"file_path": stage.root().join(".engine/config.toml")}}),
    );
    stage.hook(&read).assert_silent();
}

#[test]
fn the_reason_names_the_rule_and_the_way() {
    let stage = Stage::new();
    let out = stage.hook(&stage.write_tool(".engine/config.toml", "x"));
    let reason = out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(stage.masked(&reason), @"engine rule protect: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.");
}

fn reason(stage: &Stage, event: &Value) -> String {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0));
    if out.stdout.is_empty() {
        return String::new();
    }
    stage.masked(out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default())
}

#[test]
fn transcripts_are_read_and_never_written() {
    let stage = Stage::new();
    let projects = stage.home().join(".claude/projects");
    fs::create_dir_all(projects.join("-p/memory")).unwrap();
    fs::write(projects.join("-p/5f1c.jsonl"), "").unwrap();
    std::os::unix::fs::symlink(projects.join("-p"), stage.root().join("link")).unwrap();
    let write = |path: &str| {
        stage.event_with("PreToolUse.Write", &json!({"tool_input": {"file_path": path, "content": "x"}}))
    };
    let own = projects.join("-p/5f1c.jsonl").display().to_string();
    insta::assert_snapshot!(reason(&stage, &write(&own)), @"engine rule protect: [TOP]/home/.claude/projects/-p/5f1c.jsonl is the client's record of a session. From it engine knows what the person said and what ran, so no agent changes it. Reading and copying it stay free: change a copy. Deleting it is left to the person.");
    let append = stage.bash("printf x >> ~/.claude/projects/-p/5f1c.jsonl");
    insta::assert_snapshot!(reason(&stage, &append), @"engine rule protect: `printf x` would change [TOP]/home/.claude/projects/-p/5f1c.jsonl, which is or holds the client's record of a session. From it engine knows what the person said and what ran, so no agent changes it. Reading and copying it stay free: change a copy. Deleting it is left to the person.");
    let linked = stage.bash("ln ~/.claude/projects/-p/5f1c.jsonl x");
    insta::assert_snapshot!(reason(&stage, &linked), @"engine rule protect: `ln [TOP]/home/.claude/projects/-p/5f1c.jsonl x` would make another name for [TOP]/home/.claude/projects/-p/5f1c.jsonl, which is or holds the client's record of a session. From it engine knows what the person said and what ran, so no agent changes it. Reading and copying it stay free: change a copy. Deleting it is left to the person.");
    for (path, expected) in [
        ("~/.claude/projects/-p/new.jsonl", true),
        ("~/.claude/projects/-p/5f1c/subagents/agent-1.jsonl", true),
        ("~/.claude/history.jsonl", true),
        ("link/5f1c.jsonl", true),
        ("~/.claude/projects/-p/memory/MEMORY.md", false),
        ("~/.claude/projects/-p/memory/x.jsonl", false),
        ("~/.claude/projects/x.jsonl", false),
        ("projects/p/x.jsonl", false),
        ("history.jsonl", false),
    ] {
        assert_eq!(denied(&stage, &write(path)), expected, "{path}");
    }
    for (command, expected) in [
        ("echo x > link/5f1c.jsonl", true),
        ("cd link && echo x > 5f1c.jsonl", true),
        ("cat link/5f1c.jsonl > said.jsonl", false),
        ("echo x > link/memory/MEMORY.md", false),
        ("rm link", false),
    ] {
        assert_eq!(denied(&stage, &stage.bash(command)), expected, "{command}");
    }
    let read = stage.event_with("PreToolUse.Read", &json!({"tool_input": {"file_path": own}}));
    stage.hook(&read).assert_silent();
}

#[test]
fn the_transcript_of_the_event_counts_wherever_it_is() {
    let mut stage = Stage::new();
    let elsewhere = stage.root().join("kept/5f1c.jsonl").display().to_string();
    let told = |stage: &Stage, command: &str| {
        let fields = json!({"tool_input": {"command": command}, "transcript_path": elsewhere});
        denied(stage, &stage.event_with("PreToolUse", &fields))
    };
    for (command, expected) in [
        ("echo x >> kept/5f1c.jsonl", true),
        ("rm kept/*", true),
        ("rm -rf kept", true),
        ("cd \"$D\" && echo x >> 5f1c.jsonl", true),
        ("cat kept/5f1c.jsonl", false),
        ("echo x >> kept/other.jsonl", false),
    ] {
        assert_eq!(told(&stage, command), expected, "{command}");
    }
    stage.set("CLAUDE_CONFIG_DIR", &stage.home().join("client").display().to_string());
    assert!(told(&stage, "echo x >> ~/client/projects/-p/5f1d.jsonl"));
    assert!(!told(&stage, "echo x >> ~/.claude/projects/-p/5f1d.jsonl"));
}

#[test]
fn case_19_settings_are_judged_by_what_they_would_become() {
    let stage = Stage::new();
    wired(&stage);
    let settings = stage.read(".claude/settings.json");
    let home_settings = stage.home().join(".claude/settings.json").display().to_string();
    let write = |path: &str, content: &str| {
        stage.event_with("PreToolUse.Write", &json!({"tool_input": {"file_path": path, "content": content}}))
    };
    let local = stage.root().join(".claude/settings.local.json").display().to_string();
    let project = stage.root().join(".claude/settings.json").display().to_string();
    let more = settings.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    let cases = [
        ("disable hooks, local", write(&local, "{\"disableAllHooks\": true}"), true),
        ("disable hooks, user", write(&home_settings, "{\"disableAllHooks\": true}"), true),
        ("switch off by environment", write(&local, "{\"env\": {\"ENGINE_OFF\": \"1\"}}"), true),
        ("drop our entries", write(&project, "{}"), true),
        ("break the file", write(&project, &settings.replacen('{', "{ // note\n", 1)), true),
        (
            "a key of the wrong kind",
            write(&project, &settings.replacen("{\n", "{\n  \"model\": 5,\n", 1)),
            true,
        ),
        ("a number only the client reads", write(&local, "{\"disableAllHooks\": true, \"x\": 1e999}"), true),
        ("another PATH", write(&local, "{\"env\": {\"PATH\": \"/bin\"}}"), true),
        ("another key, local", write(&local, "{\"model\": \"opus\"}"), false),
        ("another key, project", write(&project, &more), false),
        ("another environment variable", write(&local, "{\"env\": {\"RUST_LOG\": \"1\"}}"), false),
    ];
    for (name, event, expected) in &cases {
        assert_eq!(denied(&stage, event), *expected, "{name}");
    }
    let edit = |old: &str, new: &str| {
        stage.event_with("PreToolUse.Edit", &json!({"tool_input": {"file_path": project, "old_string": old, "new_string": new, "replace_all": true}}))
    };
    assert!(denied(&stage, &edit("\"engine\"", "\"true\"")));
    assert!(denied(&stage, &edit("\"hooks\": {", "\"disableAllHooks\": true, \"hooks\": {")));
    assert!(!denied(&stage, &edit("{\n  \"hooks\"", "{\n  \"model\": \"x\",\n  \"hooks\"")));
    // The client finds such texts all the same: other quotes, other line ends.
    assert!(denied(&stage, &edit("\u{201c}hooks\u{201d}", "\"disableAllHooks\": true, \"hooks\"")));
    assert!(denied(&stage, &edit("not in the file", "x")));
}

#[test]
fn case_19_a_change_that_came_another_way_is_blocked_when_the_client_reports_it() {
    let stage = Stage::new();
    wired(&stage);
    stage.hook(&stage.event("SessionStart")).assert_silent();
    let change = |path: &str| {
        let session = stage.event("SessionStart")["session_id"].clone();
        stage
            .event_with("ConfigChange", &json!({"session_id": session, "file_path": stage.root().join(path)}))
    };
    let before = stage.read(".claude/settings.local.json");
    stage.write(".claude/settings.local.json", &before.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1));
    stage.hook(&change(".claude/settings.local.json")).assert_silent();
    stage.write(".claude/settings.local.json", "{\"disableAllHooks\":true}");
    let out = stage.hook(&change(".claude/settings.local.json"));
    insta::assert_snapshot!(stage.masked(&out.stdout), @r#"{"decision":"block","reason":"engine rule protect: the change to [TOP]/project/.claude/settings.local.json was not applied: it would set disableAllHooks, which silences every hook of the session"}"#);
    // The client shows nothing of it, so the person is told with the next prompt.
    let told = stage.hook(&stage.prompt("go")).json()["systemMessage"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(stage.masked(&told), @"engine: the change to [TOP]/project/.claude/settings.local.json was not applied: it would set disableAllHooks, which silences every hook of the session. The file still holds it. To remove engine, run engine uninstall");
    stage.hook(&stage.prompt("go")).assert_silent();
    // Entries that are gone, a file that is gone.
    stage.write(".claude/settings.json", "{}");
    assert!(stage.hook(&change(".claude/settings.json")).stdout.starts_with(r#"{"decision":"block""#));
    fs::remove_file(stage.root().join(".claude/settings.json")).unwrap();
    assert!(stage.hook(&change(".claude/settings.json")).stdout.starts_with(r#"{"decision":"block""#));
    fs::write(stage.root().join(".claude/settings.json"), b"\xff\xfe{\0").unwrap();
    assert!(stage.hook(&change(".claude/settings.json")).stdout.starts_with(r#"{"decision":"block""#));
    // Not ours to judge.
    stage.hook(&change("elsewhere.json")).assert_silent();
}

#[test]
fn uninstalling_while_a_session_runs_is_not_blocked() {
    let stage = Stage::new();
    wired(&stage);
    stage.hook(&stage.event("SessionStart")).assert_silent();
    stage.ok(&["uninstall"]);
    let session = stage.event("SessionStart")["session_id"].clone();
    let change = stage.event_with(
        "ConfigChange",
        &json!({"session_id": session, "file_path": stage.root().join(".claude/settings.json")}),
    );
    stage.hook(&change).assert_silent();
}

#[test]
fn case_12_context_files_are_told_in_order_within_the_budget() {
    let stage = Stage::new();
    stage.hook(&stage.event("SessionStart")).assert_silent();
    for (name, text) in [
        ("CORE", "who"),
        ("AXIOMS", "what\n"),
        ("HEURISTICS", "how"),
        ("FRAMEWORK", "\u{feff}where\r\nelse\r\n"),
    ] {
        stage.write(&format!(".engine/context/{name}.md"), text);
    }
    let out = stage.hook(&stage.event("SessionStart"));
    insta::assert_snapshot!(out.context(), @r"
    Files loaded at session start: .engine/context/FRAMEWORK.md, .engine/context/AXIOMS.md, .engine/context/HEURISTICS.md, .engine/context/CORE.md

    ## FRAMEWORK.md

    where
    else

    ## AXIOMS.md

    what

    ## HEURISTICS.md

    how

    ## CORE.md

    who
    ");
    for source in ["clear", "compact"] {
        assert!(
            !stage.hook(&stage.event_with("SessionStart", &json!({"source": source}))).stdout.is_empty(),
            "{source}"
        );
    }
    for source in ["resume", "fork"] {
        stage.hook(&stage.event_with("SessionStart", &json!({"source": source}))).assert_silent();
    }
}

#[test]
fn case_12_a_listed_file_that_is_missing_is_named_and_strict_fails() {
    let stage = Stage::new();
    stage.write(".engine/context/CORE.md", "who");
    stage.write(".engine/config.toml", "[inject]\nfiles = [\"AXIOMS.md\", \"CORE.md\"]\n");
    let out = stage.hook(&stage.event("SessionStart"));
    assert_eq!(out.code, Some(0));
    insta::assert_snapshot!(out.stdout, @r#"{"systemMessage":"engine: .engine/context/AXIOMS.md is missing and was not told to the model (inject.files, inject.strict)","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Files loaded at session start: .engine/context/CORE.md\n\n## CORE.md\n\nwho"}}"#);
    stage.write(".engine/config.toml", "[inject]\nstrict = true\n");
    let out = stage.hook(&stage.event("SessionStart"));
    assert_eq!(out.code, Some(1));
    assert_eq!(
        out.stderr,
        "engine: inject.strict: missing .engine/context/FRAMEWORK.md, .engine/context/AXIOMS.md, .engine/context/HEURISTICS.md\n"
    );
    assert!(out.context().ends_with("## CORE.md\n\nwho"), "the JSON is printed too");
}

#[test]
fn case_13_variables_are_exported_once_and_quoted() {
    let mut stage = Stage::new();
    let file = stage.home().join("env.sh");
    stage.set("CLAUDE_ENV_FILE", &file.display().to_string());
    stage.hook(&stage.event("SessionStart")).assert_silent();
    stage.hook(&stage.event("SessionStart")).assert_silent();
    let text = stage.masked(&fs::read_to_string(file).unwrap());
    insta::assert_snapshot!(text, @r"
    export ENGINE_SESSION_ID='bd48f8aa-611e-4e64-b1f5-2e515a790906'
    export ENGINE_PROJECT='[TOP]/project'
    if { [ -e '[TOP]/project/.engine/state/sessions/bd48f8aa-611e-4e64-b1f5-2e515a790906.plan' ] || [ -e '[TOP]/project/.engine/state/sessions/bd48f8aa-611e-4e64-b1f5-2e515a790906.work' ]; } && [ -s '[TOP]/project/.engine/state/sessions/bd48f8aa-611e-4e64-b1f5-2e515a790906.sh' ]; then . '[TOP]/project/.engine/state/sessions/bd48f8aa-611e-4e64-b1f5-2e515a790906.sh'; fi
    ");
}

#[test]
fn the_recorder_lives_as_long_as_the_session() {
    let mut stage = Stage::new();
    let file = stage.home().join("env.sh");
    stage.set("CLAUDE_ENV_FILE", &file.display().to_string());
    let recorder = || {
        let ends = ["sh", "ran", "read"].into_iter();
        let path = |end: &&str| format!(".engine/state/sessions/{SESSION}.{end}");
        ends.filter(|end| stage.exists(&path(end))).collect::<Vec<_>>()
    };
    stage.hook(&stage.event("SessionStart")).assert_silent();
    assert_eq!(recorder(), ["sh", "ran"]);
    stage.hook(&stage.event("SessionEnd")).assert_silent();
    assert_eq!(recorder(), [""; 0]);
}

#[test]
fn prompt_file_goes_with_every_real_prompt() {
    let stage = Stage::new();
    stage.write(".engine/context/PROMPT.md", &format!("Answer in German.\n{}", "x".repeat(600)));
    assert_eq!(stage.hook(&stage.prompt("hello")).context(), "Answer in German.");
    stage.hook(&stage.event("UserPromptSubmit.task-notification")).assert_silent();
}

#[test]
fn the_title_is_off_until_switched_on() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[rules]\ntitle = \"on\"\n");
    let out = stage.hook(&stage.event("SessionStart"));
    assert_eq!(
        out.stdout,
        r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"project"}}"#
    );
}

#[test]
fn engines_own_commands_are_not_blocked_in_a_running_session() {
    let stage = Stage::new();
    wired(&stage);
    stage.hook(&stage.event("SessionStart")).assert_silent();
    let session = stage.event("SessionStart")["session_id"].clone();
    let settings = stage.root().join(".claude/settings.json");
    let change = stage.event_with("ConfigChange", &json!({"session_id": session, "file_path": settings}));
    stage.ok(&["config", "set", "rules.journal", "off"]);
    stage.hook(&change).assert_silent();
    // What somebody else takes out after that is blocked again.
    let text = stage.read(".claude/settings.json");
    let fewer: String =
        text.lines().filter(|line| !line.contains("PreToolUse")).map(|line| format!("{line}\n")).collect();
    stage.write(".claude/settings.json", &fewer);
    assert!(stage.hook(&change).stdout.starts_with(r#"{"decision":"block""#));
}

#[test]
fn a_shell_reaches_nothing_of_engine_through_links() {
    use std::os::unix::fs::symlink;
    let stage = Stage::new();
    wired(&stage);
    fs::create_dir_all(stage.root().join("src/deep")).unwrap();
    fs::create_dir_all(stage.root().join(".engine/notes")).unwrap();
    fs::create_dir_all(stage.home().join(".config/engine")).unwrap();
    for (target, link) in [
        (".engine", "x"),
        ("x", "y"),
        ("../.engine", "src/up"),
        (".engine/config.toml", "c.toml"),
        (".engine/new.toml", "dangling"),
        (".claude", "cl"),
        (".claude/settings.json", "s.json"),
        ("../home/.config/engine", "mine"),
        (".engine/notes", "free"),
        ("../../src", ".engine/notes/out"),
    ] {
        symlink(target, stage.root().join(link)).unwrap();
    }
    for (command, expected) in [
        ("echo > x/config.toml", true),
        ("echo a >> x/config.toml", true),
        ("ls | tee x/policy.toml", true),
        ("rm x/config.toml", true),
        ("rm -rf x/state", true),
        ("cp /dev/null x/config.toml", true),
        ("mv a x/policy.toml", true),
        ("sed -i s/a/b/ x/config.toml", true),
        ("touch y/config.toml", true),
        ("cd x && echo > config.toml", true),
        ("cd y; rm config.toml", true),
        ("cd src; echo > up/config.toml", true),
        ("echo > src/up/journal/2026-01-01.jsonl", true),
        ("echo > c.toml", true),
        ("echo > dangling", true),
        ("echo > cl/settings.json", true),
        ("echo '{}' > s.json", true),
        ("echo > mine/config.toml", true),
        ("ln -sf /dev/null x/config.toml", true),
        ("bash -c 'echo > x/config.toml'", true),
        ("cat x/config.toml", false),
        ("cp x/config.toml copy.toml", false),
        ("echo > x/notes/n.md", false),
        ("echo > y/context/CORE.md", false),
        ("echo > free/../config.toml", true),
        ("cd free && echo > ../config.toml", true),
        ("echo > config.toml; echo > free/../config.toml", true),
        ("touch src/../config.toml free/../config.toml", true),
        ("dd if=/dev/null of=free/../config.toml", true),
        ("cp config.toml free/..", true),
        ("echo > free/../notes/n.md", false),
        ("echo > free/out/../n.md", false),
        ("echo > src/../config.toml", false),
        // A link that the same line makes, and a hard link, which is the file itself.
        ("ln -s .engine z; echo > z/config.toml", true),
        ("ln -s $PWD/.engine z && rm z/config.toml", true),
        ("ln -s ../.engine src/z; echo > src/z/config.toml", true),
        ("cd src; ln -s ../.engine/config.toml .; echo > config.toml", true),
        ("ln .engine/config.toml z; echo > z", true),
        ("ln -s .claude/settings.json z; echo '{}' > z", true),
        ("ln -s x z", true),
        ("ln -s .engine/notes z", false),
        ("ln -s src z; echo > z/main.rs", false),
        ("echo > free/n.md", false),
        ("echo > free/out/main.rs", false),
        ("echo > cl/other.md", false),
        ("echo > src/main.rs", false),
    ] {
        assert_eq!(denied(&stage, &stage.bash(command)), expected, "{command}");
    }
    let reason = stage.hook(&stage.bash("echo > x/config.toml")).json();
    let reason = reason["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(stage.masked(&reason), @"engine rule protect: `echo` would change [TOP]/project/.engine/config.toml, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.");
}

fn refusal(stage: &Stage, command: &str) -> String {
    let answer = stage.hook(&stage.bash(command)).json();
    stage.masked(answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap())
}

/// A link over what is protected changes it. A link to it is another name for it.
#[test]
fn a_link_is_refused_for_what_it_does() {
    let stage = Stage::new();
    for (command, changed) in [
        ("ln -f foo .engine/config.toml", ".engine/config.toml"),
        ("ln -sf /tmp/x .engine/config.toml", ".engine/config.toml"),
        ("ln -b foo .engine/config.toml", ".engine/config.toml"),
        ("ln a b .engine", ".engine"),
        ("ln -t .engine foo", ".engine"),
    ] {
        let expected = format!(
            "engine rule protect: `{command}` would change [TOP]/project/{changed}, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/."
        );
        assert_eq!(refusal(&stage, command), expected);
    }
    for command in
        ["ln .engine/config.toml other", "ln -t . .engine/config.toml", "cd .engine && ln config.toml \"$X\""]
    {
        let run = command.strip_prefix("cd .engine && ").unwrap_or(command).replace('"', "");
        let expected = format!(
            "engine rule protect: `{run}` would make another name for [TOP]/project/.engine/config.toml, by which it could be changed. It belongs to engine or wires it into the client."
        );
        assert_eq!(refusal(&stage, command), expected);
    }
}

/// The root does not belong to engine; what is below it does.
#[test]
fn a_delete_of_everything_names_what_of_engine_goes_with_it() {
    let stage = Stage::new();
    insta::assert_snapshot!(refusal(&stage, "rm -rf /"), @"
    engine rule policy: files.delete-root: `rm -rf /` is refused: everything in it would be lost. Instead: naming the files or the folder below it that are meant.

    engine rule protect: `rm -rf /` would delete / and with it [TOP]/project/.engine, where engine keeps its files. Name the files or folders beside it that are meant.
    ");
}
