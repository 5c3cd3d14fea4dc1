//! What agents are told about the folders they work in. The numbers are those of cases/sessions.md.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::stage::{Output, SESSION, Stage, input, output_of, run};

const WORK: &str = "sessions/2026_02_07_AUTH";

const SKILL: &str = r#"---
name: mend
description: Mends something.
engine:
  phases:
    - {label: "1", name: Setup}
    - {label: "2", name: Mend}
  directives: [PITFALLS.md, CHECKLIST.md]
---
Mend it.
"#;

const CHECKLIST: &str = "# Checklist\n\n## Tests\n- [ ] unit tests\n";

/// A project with directives at two levels.
pub(crate) fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.write(".directives/AGENTS.md", "# The project\nRoot facts.\n");
    stage.write(".directives/PITFALLS.md", "# Pitfalls\nNever at noon.\n");
    stage.write("packages/a/.directives/AGENTS.md", "\u{feff}# Package a\r\nFacts of a.\r\n");
    stage.write("packages/a/.directives/CHECKLIST.md", CHECKLIST);
    stage.write("packages/a/src/x.rs", "fn x() {}\n");
    stage.write(".claude/skills/mend/SKILL.md", SKILL);
    // Its reminders would come between.
    stage.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n");
    stage.hook(&stage.event("SessionStart"));
    stage
}

pub(crate) fn at_work() -> Stage {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "mend"]);
    stage.ok(&["session", "phase", WORK, "2: Mend"]);
    stage
}

/// Another input is another call.
fn tool(stage: &Stage, event: &str, tool: &str, input: &Value) -> Value {
    let id = format!("{tool} {input}");
    let fields = json!({"session_id": SESSION, "tool_use_id": id, "tool_name": tool, "tool_input": input});
    stage.event_with(event, &fields)
}

/// What comes back after a tool has run.
pub(crate) fn after(stage: &Stage, name: &str, input: &Value) -> String {
    let output = stage.hook(&tool(stage, "PostToolUse", name, input));
    if output.stdout.trim().is_empty() { "-".to_owned() } else { stage.masked(&output.context()) }
}

pub(crate) fn on(stage: &Stage, name: &str, path: &str) -> String {
    after(stage, name, &json!({"file_path": stage.root().join(path)}))
}

fn ran(stage: &Stage, command: &str) -> String {
    after(stage, "Bash", &json!({"command": command}))
}

pub(crate) fn before(stage: &Stage, name: &str, input: &Value) -> String {
    let output = stage.hook(&tool(stage, "PreToolUse", name, input));
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    let answer = &output.json()["hookSpecificOutput"];
    let refused = answer["permissionDecisionReason"].as_str().map(|reason| format!("deny: {reason}"));
    refused.unwrap_or_else(|| output.context())
}

fn told(output: &Output) -> String {
    format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr)
}

#[test]
fn case_23_core_directives_come_with_the_first_look_and_once() {
    let stage = stage();
    insta::assert_snapshot!(on(&stage, "Read", "packages/a/src/x.rs"), @"
    Directives that count here, nearest first:

    ## packages/a/.directives/AGENTS.md

    # Package a
    Facts of a.

    ## .directives/AGENTS.md

    # The project
    Root facts.
    ");
    assert_eq!(on(&stage, "Read", "packages/a/src/x.rs"), "-");
    assert_eq!(on(&stage, "Edit", "packages/a/src/x.rs"), "-", "no skill asks for more");
    // A compaction takes them out of the context, a resume does not.
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "resume"})));
    assert_eq!(on(&stage, "Read", "packages/a/src/x.rs"), "-");
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "compact"})));
    insta::assert_snapshot!(on(&stage, "Read", "README.md"), @"
    Directives that count here, nearest first:

    ## .directives/AGENTS.md

    # The project
    Root facts.
    ");
}

#[test]
fn case_23_a_later_edit_brings_what_the_skill_declares() {
    let stage = at_work();
    on(&stage, "Read", "packages/a/src/x.rs");
    insta::assert_snapshot!(on(&stage, "Edit", "packages/a/src/x.rs"), @"
    Directives that count here, nearest first:

    ## packages/a/.directives/CHECKLIST.md (handed in by: engine session check sessions/2026_02_07_AUTH)

    # Checklist

    ## Tests
    - [ ] unit tests

    ## .directives/PITFALLS.md

    # Pitfalls
    Never at noon.
    ");
    assert_eq!(on(&stage, "Write", "packages/a/src/y.rs"), "-");
}

#[test]
fn case_23_a_subagent_gets_them_itself() {
    let stage = stage();
    on(&stage, "Read", "README.md");
    let path = stage.root().join("README.md");
    let read = |agent: &str| {
        let mut event = tool(&stage, "PostToolUse", "Read", &json!({"file_path": path}));
        event["agent_id"] = json!(agent);
        event["agent_type"] = json!("general-purpose");
        stage.hook(&event).stdout.is_empty()
    };
    assert_eq!([read("a1"), read("a1"), read("a2"), read("a1")], [false, true, false, true]);
    assert_eq!(on(&stage, "Read", "README.md"), "-");
    // What it was told goes with it.
    let mut stop = stage.event_with("SubagentStop", &json!({"session_id": SESSION, "agent_id": "a1"}));
    stop["agent_type"] = json!("general-purpose");
    stage.hook(&stop);
    let known: Vec<String> = stage.state()["directives"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(known, ["", "a2"]);
}

/// What the first call in the package brings.
const BOTH: &str = "Directives that count here, nearest first:\n\n## packages/a/.directives/AGENTS.md\n\n# Package a\nFacts of a.\n\n## .directives/AGENTS.md\n\n# The project\nRoot facts.";

#[test]
fn every_way_of_touching_a_folder_counts() {
    let ways: [(&str, Value); 12] = [
        ("Glob", json!({"pattern": "packages/a/**/*.rs"})),
        ("Grep", json!({"pattern": "x", "path": "packages/a"})),
        ("NotebookEdit", json!({"notebook_path": "packages/a/n.ipynb"})),
        ("Write", json!({"file_path": "packages/a/new/deep/x.rs"})),
        ("Bash", json!({"command": "cat packages/a/src/x.rs"})),
        ("Bash", json!({"command": "sed -i s/x/y/ packages/a/src/x.rs"})),
        ("Bash", json!({"command": "cd packages/a && cargo test"})),
        ("Bash", json!({"command": "ls packages/a"})),
        ("Bash", json!({"command": "rg foo packages/a | head"})),
        ("Bash", json!({"command": "echo x > packages/a/y"})),
        ("Bash", json!({"command": "timeout 5 bash -c 'head -3 packages/a/src/x.rs'"})),
        ("Bash", json!({"command": "cat packages/a/src/*.rs"})),
    ];
    for (name, input) in ways {
        let stage = stage();
        let told = after(&stage, name, &input);
        assert_eq!(told, BOTH, "{name} {input}");
    }
    let nothing: [(&str, Value); 4] = [
        ("Bash", json!({"command": "cargo test"})),
        ("Bash", json!({"command": "cat /etc/hostname"})),
        ("Read", json!({"file_path": "/etc/hostname"})),
        ("WebFetch", json!({"url": "https://example.org/packages/a"})),
    ];
    for (name, input) in nothing {
        let stage = stage();
        assert_eq!(after(&stage, name, &input), "-", "{name} {input}");
    }
    let failed = stage();
    let output = failed.hook(&failed.event_with(
        "PostToolUseFailure",
        &json!({"session_id": SESSION, "tool_name": "Read", "tool_input": {"file_path": "packages/a/none"}}),
    ));
    assert_eq!(output.context(), BOTH, "looking for a file is looking, too");
}

#[test]
fn what_the_agent_reads_itself_is_not_told_again() {
    let stage = stage();
    insta::assert_snapshot!(on(&stage, "Read", "packages/a/.directives/AGENTS.md"), @"
    Directives that count here, nearest first:

    ## .directives/AGENTS.md

    # The project
    Root facts.
    ");
    let other = self::stage();
    assert_eq!(ran(&other, "cat .directives/AGENTS.md packages/a/.directives/AGENTS.md"), "-");
    assert_eq!(on(&other, "Read", "packages/a/src/x.rs"), "-");
}

#[test]
fn parallel_calls_are_told_once() {
    let mut rounds = 0;
    while rounds < 5 {
        let stage = stage();
        let paths =
            ["packages/a/src/x.rs", "packages/a/y", "README.md", "packages/b/z", "packages/a/src/w.rs", "q"];
        let children: Vec<_> = paths
            .iter()
            .map(|path| {
                let event =
                    tool(&stage, "PostToolUse", "Read", &json!({"file_path": stage.root().join(path)}));
                let mut command = stage.command(&["hook"]);
                command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
                command.spawn().unwrap()
            })
            .collect();
        let outputs: Vec<_> = children.into_iter().map(output_of).collect();
        // On a very busy machine a hook may not get the lock within its second; it says so, and cannot know what was told.
        if outputs.iter().any(Output::is_refused_a_lock) {
            continue;
        }
        rounds += 1;
        let answers: String = outputs.into_iter().map(|output| output.stdout).collect();
        assert_eq!(
            (answers.matches("Root facts.").count(), answers.matches("Facts of a.").count()),
            (1, 1),
            "{answers}"
        );
    }
}

#[test]
fn case_25_what_they_refer_to_comes_with_them() {
    let stage = stage();
    stage.write(
        ".directives/AGENTS.md",
        "Log by §CMD_LOG, never as in `§CMD_PLAN`. §INV_NOWHERE is unknown.\n",
    );
    stage.write(
        ".directives/PITFALLS.md",
        "- **¶INV_NOON** Not at noon, see §INV_NIGHT and §INV_NOON.\n- **¶INV_NIGHT** See §INV_NOON.\n",
    );
    stage.write(
        "packages/a/.directives/AGENTS.md",
        "§INV_NOON counts here. **¶INV_HERE** Here, see §INV_HERE.\n",
    );
    insta::assert_snapshot!(on(&stage, "Read", "packages/a/src/x.rs"), @"
    Directives that count here, nearest first:

    ## packages/a/.directives/AGENTS.md

    §INV_NOON counts here. **¶INV_HERE** Here, see §INV_HERE.

    ## .directives/AGENTS.md

    Log by §CMD_LOG, never as in `§CMD_PLAN`. §INV_NOWHERE is unknown.

    Referred to there:

    ### §INV_NOON (.directives/PITFALLS.md:1)

    - **¶INV_NOON** Not at noon, see §INV_NIGHT and §INV_NOON.

    ### §CMD_LOG (COMMANDS:9)

    **¶CMD_LOG** An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF

    ### §INV_NIGHT (.directives/PITFALLS.md:2)

    - **¶INV_NIGHT** See §INV_NOON.
    ");
    stage.write("packages/b/.directives/AGENTS.md", "§INV_NOON counts here, too.\n");
    insta::assert_snapshot!(on(&stage, "Read", "packages/b/x.rs"), @"
    Directives that count here, nearest first:

    ## packages/b/.directives/AGENTS.md

    §INV_NOON counts here, too.
    ");
    // What is read brings it, too; what does not fit is named.
    let small = self::stage();
    small.write(".engine/config.toml", "[directives]\nbudget = 500\n");
    small.write(".directives/TESTING.md", "By §CMD_PLAN and §CMD_PHASE.\n");
    insta::assert_snapshot!(on(&small, "Read", ".directives/TESTING.md"), @"
    Directives that count here, nearest first:

    ## .directives/AGENTS.md

    # The project
    Root facts.

    Referred to there:

    ### §CMD_PLAN (COMMANDS:22)

    **¶CMD_PLAN** The plan, from the skill's template, on stdin of `engine log --overwrite S/SKILL_PLAN.md`. Each heading is filled. Steps are `- [ ]` lines, ticked as they are done; dropped: `- [x] ~~text~~: reason`. Steps that come up are added, not hidden.

    Also referred to, and did not fit: engine sigil show CMD_PHASE
    ");
    // What was told at the start is known.
    let injected = self::stage();
    injected.write(".engine/config.toml", "[inject]\nstandards = [\"COMMANDS\"]\n");
    injected.write(".directives/AGENTS.md", "By §CMD_PLAN.\n");
    insta::assert_snapshot!(on(&injected, "Read", "x"), @"
    Directives that count here, nearest first:

    ## .directives/AGENTS.md

    By §CMD_PLAN.
    ");
}

/// A directive that does not fit is named.
pub(crate) fn with_long(stage: &Stage) -> Value {
    stage.write(
        "packages/a/.directives/ARCHITECTURE.md",
        &format!("# Parts\n{}", "A long line of facts.\n".repeat(400)),
    );
    json!({"file_path": stage.root().join("packages/a/.directives/ARCHITECTURE.md")})
}

#[test]
fn case_24_what_is_too_long_is_named_and_must_be_read() {
    let stage = at_work();
    let reads_it = with_long(&stage);
    insta::assert_snapshot!(on(&stage, "Read", "packages/a/src/x.rs"), @"
    Directives that count here, nearest first:

    ## packages/a/.directives/AGENTS.md

    # Package a
    Facts of a.

    ## .directives/AGENTS.md

    # The project
    Root facts.

    Directives that count here and did not fit. Read them whole within 6 calls, after which other calls are held:
    - packages/a/.directives/ARCHITECTURE.md (8807 characters)
    ");
    let any = json!({"command": "cargo build"});
    let calls: Vec<String> = (0..8).map(|_| before(&stage, "Bash", &any)).collect();
    insta::assert_snapshot!(calls.join("\n"), @"
    -
    -
    engine: directives that count here are not read yet: packages/a/.directives/ARCHITECTURE.md. After 3 more calls, other calls are held until they are read.
    -
    -
    -
    deny: engine rule directives: directives that count here are not read yet: packages/a/.directives/ARCHITECTURE.md. Read them whole (Read, or cat), then go on.
    deny: engine rule directives: directives that count here are not read yet: packages/a/.directives/ARCHITECTURE.md. Read them whole (Read, or cat), then go on.
    ");
    // What reads it, asks or logs is never held; a look elsewhere is.
    for (name, input) in [
        ("Read", reads_it.clone()),
        ("Bash", json!({"command": "head -50 packages/a/.directives/ARCHITECTURE.md"})),
        ("Bash", json!({"command": "sed -n 1,400p packages/a/.directives/ARCHITECTURE.md | less"})),
        ("AskUserQuestion", json!({"questions": []})),
        ("Bash", json!({"command": format!("engine log {WORK}/MEND_LOG.md")})),
    ] {
        assert_eq!(before(&stage, name, &input), "-", "{name} {input}");
    }
    assert!(before(&stage, "Read", &json!({"file_path": "packages/a/src/x.rs"})).starts_with("deny"));
    assert!(
        before(&stage, "Bash", &json!({"command": "wc packages/a/.directives/ARCHITECTURE.md"}))
            .starts_with("deny")
    );
    // A failed attempt frees nobody.
    stage.hook(&tool(&stage, "PostToolUseFailure", "Read", &reads_it));
    assert!(before(&stage, "Bash", &any).starts_with("deny"));
    stage.hook(&tool(&stage, "PostToolUse", "Read", &reads_it));
    assert_eq!(before(&stage, "Bash", &any), "-");
    assert_eq!(on(&stage, "Read", "packages/a/src/x.rs"), "-");
}

#[test]
fn case_24_a_shell_command_reads_too_and_a_removed_file_holds_nobody() {
    let hold = |stage: &Stage| {
        with_long(stage);
        on(stage, "Read", "packages/a/src/x.rs");
        let any = json!({"command": "cargo build"});
        let calls: Vec<String> = (0..7).map(|_| before(stage, "Bash", &any)).collect();
        calls[6].clone()
    };
    let stage = at_work();
    assert!(hold(&stage).starts_with("deny"));
    ran(&stage, "sed -n '1,500p' packages/a/.directives/ARCHITECTURE.md");
    assert_eq!(before(&stage, "Bash", &json!({"command": "cargo build"})), "-");
    let stage = at_work();
    assert!(hold(&stage).starts_with("deny"));
    std::fs::remove_file(stage.root().join("packages/a/.directives/ARCHITECTURE.md")).unwrap();
    assert_eq!(before(&stage, "Bash", &json!({"command": "cargo build"})), "-");
    let stage = at_work();
    assert!(hold(&stage).starts_with("deny"));
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "compact"})));
    assert_eq!(
        before(&stage, "Bash", &json!({"command": "cargo build"})),
        "-",
        "nobody remembers that it was named"
    );
}

#[test]
fn case_24_without_a_work_session_nobody_is_held() {
    let stage = stage();
    with_long(&stage);
    let named = on(&stage, "Read", "packages/a/src/x.rs");
    insta::assert_snapshot!(named.split("\n\n").last().unwrap(), @"
    Directives that count here and did not fit. Read them before the work goes on:
    - packages/a/.directives/ARCHITECTURE.md (8807 characters)
    ");
    let any = json!({"command": "cargo build"});
    assert!((0..20).all(|_| before(&stage, "Bash", &any) == "-"));
}

fn idle(stage: &Stage) -> String {
    let output = stage.engine(&["session", "idle", WORK, "--description", "half"]);
    stage.masked(&told(&output))
}

fn hand_in(stage: &Stage) -> Output {
    let path = stage.root().join("packages/a/.directives/CHECKLIST.md");
    let ticked = json!({path.display().to_string(): CHECKLIST.replace("[ ]", "[x]")}).to_string();
    run(stage.command(&["session", "check", WORK]), Some(ticked.as_bytes()))
}

#[test]
fn case_15_a_checklist_that_an_edit_met_blocks_until_it_passed() {
    let stage = at_work();
    on(&stage, "Read", "packages/a/src/x.rs");
    insta::assert_snapshot!(idle(&stage), @"
    exit 0
    sessions/2026_02_07_AUTH is idle
    ");
    stage.ok(&["session", "activate", WORK, "mend", "--fast-track"]);
    stage.ok(&["session", "phase", WORK, "2"]);
    on(&stage, "Edit", "packages/a/src/x.rs");
    insta::assert_snapshot!(idle(&stage), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    checklist: [TOP]/project/packages/a/.directives/CHECKLIST.md has not passed
      engine session check sessions/2026_02_07_AUTH
    ");
    assert_eq!(hand_in(&stage).code, Some(0));
    // The next change asks for it again; what the work writes about itself does not.
    on(&stage, "Write", &format!("{WORK}/MEND_PLAN.md"));
    ran(&stage, "cat packages/a/src/x.rs");
    assert_eq!(stage.ok(&["session", "show", WORK]).matches("CHECKLIST").count(), 0);
    ran(&stage, "sed -i s/x/y/ packages/a/src/x.rs");
    assert!(idle(&stage).contains("CHECKLIST.md has not passed"));
    assert_eq!(hand_in(&stage).code, Some(0));
    insta::assert_snapshot!(idle(&stage), @"
    exit 0
    sessions/2026_02_07_AUTH is idle
    ");
}

#[test]
fn a_checklist_that_two_folders_share_is_handed_in_once() {
    let stage = at_work();
    symlink("a", stage.root().join("packages/b")).unwrap();
    on(&stage, "Edit", "packages/b/src/x.rs");
    on(&stage, "Edit", "packages/a/src/x.rs");
    assert_eq!(hand_in(&stage).code, Some(0));
    assert!(idle(&stage).starts_with("exit 0"));
}

#[test]
fn another_skill_does_not_make_a_checklist_go_away() {
    let stage = at_work();
    on(&stage, "Edit", "packages/a/src/x.rs");
    stage.write(".claude/skills/other/SKILL.md", &SKILL.replace("name: mend", "name: other"));
    stage.ok(&["session", "activate", WORK, "other"]);
    stage.ok(&["session", "phase", WORK, "2"]);
    insta::assert_snapshot!(idle(&stage), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: mend: 2: Mend was not passed
    checklist: [TOP]/project/packages/a/.directives/CHECKLIST.md has not passed
      engine session activate sessions/2026_02_07_AUTH mend --fast-track
      engine session check sessions/2026_02_07_AUTH
      to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    assert_eq!(hand_in(&stage).code, Some(0));
    insta::assert_snapshot!(idle(&stage), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: mend: 2: Mend was not passed
      engine session activate sessions/2026_02_07_AUTH mend --fast-track
      to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
}

#[test]
fn a_command_that_failed_after_a_change_arms_its_checklist() {
    let stage = at_work();
    let failed = |name: &str, input: &Value| {
        let mut event = tool(&stage, "PostToolUseFailure", name, input);
        event["error"] = json!("Exit code 101");
        stage.hook(&event);
    };
    // An edit that failed changed nothing.
    failed("Edit", &json!({"file_path": stage.root().join("packages/a/src/x.rs")}));
    assert!(stage.ok(&["session", "check", WORK]).contains("no checklist is open"));
    failed("Bash", &json!({"command": "sed -i s/x/y/ packages/a/src/x.rs && cargo test"}));
    assert!(idle(&stage).contains("CHECKLIST.md has not passed"));
}

#[test]
fn case_22_discovery() {
    let stage = stage();
    stage.write("packages/a/node_modules/m/.directives/AGENTS.md", "no");
    stage.write("packages/a/ARCHITECTURE.md", "bare");
    std::fs::create_dir_all(stage.home().join(".config/engine/directives")).unwrap();
    std::fs::write(stage.home().join(".config/engine/directives/INVARIANTS.md"), "mine").unwrap();
    symlink(stage.root().join("packages/a/.directives"), stage.root().join("packages/.directives")).unwrap();
    let discover = |args: &[&str]| {
        let output = stage.engine(&[&["discover-directives"], args].concat());
        stage.masked(&told(&output))
    };
    insta::assert_snapshot!(discover(&["packages/a/src/x.rs"]), @"
    exit 0
    [TOP]/project/packages/a/.directives/AGENTS.md
    [TOP]/project/packages/a/.directives/CHECKLIST.md
    [TOP]/project/.directives/AGENTS.md
    [TOP]/project/.directives/PITFALLS.md
    [TOP]/home/.config/engine/directives/INVARIANTS.md
    ");
    insta::assert_snapshot!(discover(&["packages/a/node_modules/m", "--type", "agents"]), @"
    exit 0
    [TOP]/project/packages/a/.directives/AGENTS.md
    [TOP]/project/.directives/AGENTS.md
    ");
    insta::assert_snapshot!(discover(&["packages/a", "--skill", "mend"]), @"
    exit 0
    [TOP]/project/packages/a/.directives/AGENTS.md
    [TOP]/project/packages/a/.directives/CHECKLIST.md
    [TOP]/project/.directives/AGENTS.md
    [TOP]/project/.directives/PITFALLS.md
    [TOP]/home/.config/engine/directives/INVARIANTS.md
    ");
    insta::assert_snapshot!(discover(&["packages/a", "--root", "packages", "--type", "AGENTS.md,testing"]), @"
    exit 0
    [TOP]/project/packages/a/.directives/AGENTS.md
    ");
    insta::assert_snapshot!(discover(&[".", "--type", "TESTING"]), @"
    exit 1
    engine: no directives count in .
    ");
    insta::assert_snapshot!(discover(&[".", "--type", "NOTES"]), @"
    exit 2
    error: invalid value 'NOTES' for '--type <TYPE>': there are AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE, CHECKLIST

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(discover(&["nowhere"]), @"
    exit 1
    engine: nowhere: No such file or directory (os error 2)
    ");
    insta::assert_snapshot!(discover(&["/etc"]), @"
    exit 1
    engine: /etc is not below [TOP]/project
      --root DIR names where the way up ends
    ");
    insta::assert_snapshot!(discover(&["packages/a", "--skill", "nobody"]), @"
    exit 1
    engine: there is no skill nobody
      engine skill list shows all
    ");
    insta::assert_snapshot!(discover(&["packages/a", "--type", "AGENTS", "--json"]), @r#"
    exit 0
    {"directives":[{"bytes":29,"core":true,"path":"[TOP]/project/packages/a/.directives/AGENTS.md","type":"AGENTS"},{"bytes":26,"core":true,"path":"[TOP]/project/.directives/AGENTS.md","type":"AGENTS"}],"version":1}
    "#);
    stage.write(".engine/config.toml", "[directives]\nbare = true\nskip = [\"packages\"]\n");
    insta::assert_snapshot!(discover(&["packages/a"]), @"
    exit 0
    [TOP]/project/.directives/AGENTS.md
    [TOP]/project/.directives/PITFALLS.md
    [TOP]/home/.config/engine/directives/INVARIANTS.md
    ");
}

#[test]
fn status_shows_what_was_told() {
    let stage = at_work();
    with_long(&stage);
    stage.write("packages/a/.directives/TESTING.md", "run it\n");
    on(&stage, "Read", "packages/a/src/x.rs");
    insta::assert_snapshot!(stage.ok(&["directives", "status", "packages/a"]), @"
    told              29 bytes    packages/a/.directives/AGENTS.md
    unread            8808 bytes  packages/a/.directives/ARCHITECTURE.md
    for other skills  7 bytes     packages/a/.directives/TESTING.md
    not met yet       39 bytes    packages/a/.directives/CHECKLIST.md
    told              26 bytes    .directives/AGENTS.md
    not met yet       26 bytes    .directives/PITFALLS.md
    ");
    insta::assert_snapshot!(stage.ok(&["directives", "status"]), @"
    told         26 bytes    .directives/AGENTS.md
    not met yet  26 bytes    .directives/PITFALLS.md
    told         29 bytes    packages/a/.directives/AGENTS.md
    unread       8808 bytes  packages/a/.directives/ARCHITECTURE.md
    ");
    insta::assert_snapshot!(stage.ok(&["directives", "status", "--json"]), @r#"{"directives":[{"bytes":26,"path":".directives/AGENTS.md","state":"told","type":"AGENTS"},{"bytes":26,"path":".directives/PITFALLS.md","state":"not met yet","type":"PITFALLS"},{"bytes":29,"path":"packages/a/.directives/AGENTS.md","state":"told","type":"AGENTS"},{"bytes":8808,"path":"packages/a/.directives/ARCHITECTURE.md","state":"unread","type":"ARCHITECTURE"}],"session":"bd48f8aa-611e-4e64-b1f5-2e515a790906","subagents":[],"version":1}"#);
    let empty = Stage::new();
    insta::assert_snapshot!(told(&empty.engine(&["directives", "status"])), @"
    exit 0
    no directives count here; engine directives new AGENTS makes one
    ");
}
