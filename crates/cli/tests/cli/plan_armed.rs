//! From `/do` to the lock, and from the lock to the first step: what the hook refuses, keeps and begins by itself.

use serde_json::{Value, json};

use crate::plan::{ROUTER, edited, locked, new, plan, ran, stage, state, told};
use crate::stage::{SESSION, Stage, at_once, input};

/// What the hook says before a tool runs, of the main agent or of a subagent.
fn before(stage: &Stage, tool: &str, input: &Value, agent: Option<&str>) -> String {
    let mut event = stage
        .event_with("PreToolUse", &json!({"session_id": SESSION, "tool_name": tool, "tool_input": input}));
    if let Some(agent) = agent {
        event["agent_id"] = json!("a1");
        event["agent_type"] = json!(agent);
    }
    let output = stage.hook(&event);
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    let answer = output.json();
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or("note").to_owned()
}

fn edit(stage: &Stage) -> String {
    before(stage, "Edit", &json!({"file_path": stage.root().join("src/auth.rs")}), None)
}

fn bash(stage: &Stage, command: &str) -> String {
    before(stage, "Bash", &json!({"command": command}), None)
}

/// A person typed `/do`.
fn armed() -> Stage {
    let stage = stage();
    types(&stage, "/do fix the login");
    stage
}

fn types(stage: &Stage, text: &str) {
    stage.hook(&stage.prompt(text));
}

/// A subagent ends with an answer.
fn answers(stage: &Stage, agent: &str, text: &str) {
    let fields = json!({"session_id": SESSION, "agent_type": agent, "last_assistant_message": text});
    stage.hook(&stage.event_with("SubagentStop", &fields)).assert_silent();
}

/// What the agent is told with an edit.
fn told_with_edit(stage: &Stage, path: &str) -> String {
    let input = json!({"file_path": stage.root().join(path), "old_string": "a", "new_string": "b"});
    let event = stage.event_with(
        "PostToolUse.Write",
        &json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input}),
    );
    let output = stage.hook(&event);
    if output.stdout.is_empty() { "-".to_owned() } else { output.context() }
}

const NO_PLAN: &str = "engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new";
const NOT_LOCKED: &str = "engine rule plan: /do changes nothing before its plan is locked, and plan fix-the-login is not locked. Run: engine plan lock";

/// Finding A6.
#[test]
fn after_do_nothing_is_changed_before_a_plan_is_locked() {
    let stage = armed();
    assert_eq!(edit(&stage), NO_PLAN);
    for command in ["echo x > src/auth.rs", "cargo fmt", "git commit -am x", "git push"] {
        assert_eq!(bash(&stage, command), NO_PLAN, "{command}");
    }
    let input = json!({"file_path": stage.root().join("src/auth.rs")});
    assert_eq!(before(&stage, "Write", &input, Some("general-purpose")), NO_PLAN);
    for command in ["git status; cargo test 2>&1 | tail -3", "engine plan new", "rg login > /tmp/out"] {
        assert_eq!(bash(&stage, command), "-", "{command}");
    }
    for (tool, input) in [
        ("Read", json!({"file_path": stage.root().join("src/auth.rs")})),
        ("Agent", json!({"prompt": "User fragment: fix the login", "subagent_type": "intent-router"})),
        ("AskUserQuestion", json!({"questions": []})),
    ] {
        assert_eq!(before(&stage, tool, &input, None), "-", "{tool}");
    }
    // A refused YAML frees nothing, nor does a plan that is not locked, nor its end.
    let broken = ROUTER.replace("workflow: verify-first\n", "");
    for _ in 0..2 {
        assert_eq!(new(&stage, &broken).code, Some(1));
        assert_eq!(edit(&stage), NO_PLAN);
    }
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    assert_eq!(edit(&stage), NOT_LOCKED);
    assert_eq!(plan(&stage, &["close", "--user-approved", "no need"]).code, Some(1));
    stage.answer("ok 1");
    assert_eq!(plan(&stage, &["close", "--user-approved", "no need"]).code, Some(0));
    assert_eq!(edit(&stage), NO_PLAN);
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    stage.ok(&["plan", "lock"]);
    assert_eq!(edit(&stage), "-");
    // It is over: what comes after the plan is not held by it.
    assert_eq!(plan(&stage, &["close", "--user-approved", "enough"]).code, Some(1));
    stage.answer("ok 2");
    assert_eq!(plan(&stage, &["close", "--user-approved", "enough"]).code, Some(0));
    assert_eq!(edit(&stage), "-");
}

#[test]
fn the_next_message_disarms_unless_it_asks_for_nothing() {
    for (typed, frees) in [
        ("just edit it", true),
        ("/fix the login", true),
        ("x", true),
        ("ok", true),
        ("", true),
        ("s", false),
        ("next?", false),
        ("q: dark mode", false),
        ("p: write the changelog", false),
        ("d: why a plan?", false),
        ("ok 7", false),
        ("no 7", false),
        ("/do again", false),
        ("<task-notification>\n<task-id>b1</task-id>\n</task-notification>", false),
    ] {
        let stage = armed();
        types(&stage, typed);
        assert_eq!(edit(&stage), if frees { "-" } else { NO_PLAN }, "{typed:?}");
    }
}

#[test]
fn do_is_known_by_its_names_and_as_an_entry_of_a_chain() {
    for (typed, arms) in [
        ("/do", true),
        ("/engine:do fix it", true),
        ("/do --supervise fix it", true),
        ("/do fix it, /commit", true),
        ("do fix it", false),
        ("/other:do fix it", false),
        ("what does /do do?", false),
    ] {
        let stage = stage();
        types(&stage, typed);
        assert_eq!(edit(&stage) == NO_PLAN, arms, "{typed}");
    }
    let calls = |stage: &Stage, skill: &str, agent: Option<&str>| {
        let mut event = stage.event_with(
            "PostToolUse",
            &json!({"session_id": SESSION, "tool_name": "Skill", "tool_input": {"skill": skill}, "tool_response": {"success": true, "commandName": skill}}),
        );
        if let Some(agent) = agent {
            event["agent_id"] = json!(agent);
            event["agent_type"] = json!("general-purpose");
        }
        stage.hook(&event);
        edit(stage) == NO_PLAN
    };
    let stage = stage();
    assert!(!calls(&stage, "commit", None));
    assert!(!calls(&stage, "do", Some("a1")), "a subagent's own");
    assert!(calls(&stage, "do", None));
}

#[test]
fn a_locked_plan_holds_by_itself_and_one_that_answers_too() {
    let stage = locked();
    types(&stage, "/do more");
    assert_eq!(edit(&stage), "-");
    assert_eq!(stage.state().get("armed"), None);
    let stage = armed();
    assert_eq!(new(&stage, &ROUTER.replace("answer_only: false", "answer_only: true")).code, Some(0));
    let answers = "engine rule plan: plan fix-the-login only answers (answer_only): nothing is changed. Answer the question and end the turn.";
    assert_eq!(edit(&stage), answers);
    types(&stage, "/do it, then");
    assert_eq!(edit(&stage), NO_PLAN, "the answer is given, and another plan is asked for");
    types(&stage, "no, edit it");
    assert_eq!(edit(&stage), "-");
}

/// Without `/do` the hook reads no state before a tool runs; with it, until the session is free again.
#[test]
fn a_mark_tells_that_a_session_is_armed() {
    let stage = stage();
    let mark = format!(".engine/state/sessions/{SESSION}.plan");
    assert!(!stage.exists(&mark));
    types(&stage, "/do fix the login");
    assert!(stage.exists(&mark));
    types(&stage, "edit it");
    assert!(!stage.exists(&mark));
}

/// Finding C2.
#[test]
fn the_answer_of_the_router_is_taken() {
    let stage = armed();
    insta::assert_snapshot!(told(&plan(&stage, &["new"])), @"
    exit 1
    engine: nothing is piped in, and the answer of intent-router is not there
      after /do: start the agent intent-router, then: engine plan new
      or name a file: engine plan new --from FILE
    ");
    answers(&stage, "general-purpose", ROUTER);
    answers(&stage, "intent-router", "I could not find the login.");
    assert_eq!(
        edit(&stage),
        "engine rule plan: /do changes nothing before its plan is locked, and there is no plan. The answer of intent-router is kept. Run: engine plan new"
    );
    insta::assert_snapshot!(told(&plan(&stage, &["new"])), @"
    exit 1
    engine: the plan is not taken: 1 problem
    the answer of intent-router:1: not a mapping
      engine plan new --help tells its form
      start the agent intent-router again with these problems, then: engine plan new
    ");
    assert_eq!(edit(&stage), NO_PLAN, "what can be no plan is not kept");
    let broken = ROUTER.replace("workflow: verify-first\n", "").replace("scope:", "scopes:");
    answers(&stage, "engine:intent-router", &format!("Here it is:\n\n```yaml\n{broken}```\n"));
    insta::assert_snapshot!(told(&plan(&stage, &["new"])), @"
    exit 1
    engine: the plan is not taken: 2 problems
    the answer of intent-router:4: workflow is missing
    the answer of intent-router:23: the plan: scopes is not known; known: task_type, workflow, skills_to_invoke, guardrails, enriched_context, todo_items, acceptance_criteria, scope, warnings, original_fragment, supervise
      engine plan new --help tells its form
      start the agent intent-router again with these problems, then: engine plan new
    ");
    answers(&stage, "intent-router", &format!("Here it is:\n\n```yaml\n{ROUTER}```\n"));
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--name", "login"])), @"
    exit 0
    plan login: 3 steps, 2 criteria; plans/login/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    note: made from the answer of intent-router
    ");
    // It is a plan, and no other comes of it.
    assert_eq!(stage.state()["armed"], json!({"request": "fix the login"}));
    assert_eq!(edit(&stage), NOT_LOCKED.replace("fix-the-login", "login"));
}

#[test]
fn what_is_piped_in_counts_before_the_answer() {
    let stage = armed();
    answers(&stage, "intent-router", ROUTER);
    let other = ROUTER.replace("  Fix the login", "  Mend the page");
    insta::assert_snapshot!(told(&new(&stage, &other)), @"
    exit 0
    plan fix-the-login: 3 steps, 2 criteria; plans/fix-the-login/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    note: original_fragment is what the user typed
    ");
    // The page says that another plan than the router's was made, and quotes what was typed.
    let page = stage.read("plans/fix-the-login/PLAN.md");
    let said: Vec<&str> =
        page.lines().filter(|line| line.starts_with("> fix") || line.starts_with("- made")).collect();
    assert_eq!(said, ["> fix the login", "- made from stdin, not from the answer of intent-router"]);
    // What was typed by nobody is not kept.
    let idle = crate::plan::stage();
    answers(&idle, "intent-router", ROUTER);
    assert_eq!(idle.state().get("armed"), None);
    answers(&stage, "intent-router", ROUTER);
    answers(&stage, "intent-router", &"x".repeat((1 << 20) + 1));
    assert_eq!(stage.state()["armed"]["answer"].as_str().map(str::len), Some(ROUTER.trim().len()));
}

/// The person asked for supervised work: the plan is supervised, whatever its text says.
#[test]
fn supervision_is_the_persons_word() {
    for typed in ["/do --supervise fix the login", "/engine:do  --supervise\nfix the login"] {
        let stage = stage();
        types(&stage, typed);
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&new(&stage, ROUTER)), @"
            exit 0
            plan fix-the-login: 3 steps, 2 criteria; plans/fix-the-login/PLAN.md
            guardrails: verify_before_complete, require_acceptance_test
            then: start the agent critic; after its APPROVE: engine plan lock
            note: it is supervised: /do --supervise
            ");
            insta::assert_snapshot!(told(&plan(&stage, &["lock"])), @r#"
            exit 1
            engine: plan fix-the-login is supervised, and no critic has approved it
              start the agent critic; engine writes its prompt
              or engine plan lock --user-approved "why"; engine asks the user
            "#);
        }
    }
}

/// A second client is a session of its own, which no plan holds.
#[test]
fn another_agent_is_not_started_in_between() {
    let stage = armed();
    for command in ["claude -p 'edit src/auth.rs'", "nohup claude -p 'edit src/auth.rs' &"] {
        assert_eq!(bash(&stage, command), NO_PLAN, "{command}");
    }
    assert_eq!(bash(&stage, "claude --version; claude mcp list"), "-");
}

/// The tool Monitor runs a shell.
#[test]
fn a_monitor_is_judged_as_a_shell() {
    let stage = armed();
    let monitor = |command: &str| before(&stage, "Monitor", &json!({"command": command}), None);
    assert_eq!(monitor("sed -i s/a/b/ src/auth.rs"), NO_PLAN);
    assert_eq!(monitor("tail -f log.txt"), "-");
    types(&stage, "go on");
    for command in ["git reset --hard", "rm -rf .engine/state"] {
        assert_eq!(monitor(command), bash(&stage, command));
        assert_ne!(monitor(command), "-");
    }
}

/// Finding C1.
#[test]
fn a_step_with_a_colon_is_read() {
    let stage = stage();
    assert_eq!(
        new(&stage, &ROUTER.replace("\"Reproduce the issue\"", "Reproduce it: pytest -q")).code,
        Some(0)
    );
    assert_eq!(state(&stage)["steps"][0]["text"], "Reproduce it: pytest -q");
    let criterion = ROUTER.replace("{text: all tests pass, proof: cargo test}", "all tests pass: cargo test");
    let other = crate::plan::stage();
    insta::assert_snapshot!(told(&new(&other, &criterion)), @"
    exit 1
    engine: the plan is not taken: 2 problems
    stdin:19: acceptance_criteria is no text
    stdin:19: acceptance_criteria: a text with a colon stands in quotes
      engine plan new --help tells its form
    ");
}

/// Finding A6.
#[test]
fn the_first_change_begins_the_first_open_work_step() {
    let stage = locked();
    ran(&stage, "cargo test", 101);
    assert_eq!(state(&stage)["steps"][0]["state"], "open", "a check changes nothing");
    assert_eq!(told_with_edit(&stage, "src/auth.rs"), "-");
    let first = || state(&stage)["steps"][0].clone();
    assert_eq!((&first()["state"], &first()["attempts"]), (&json!("active"), &json!(1)));
    assert_eq!(stage.state()["plan"]["active"]["number"], 1);
    let page = stage.read("plans/fix-the-login/PLAN.md");
    assert!(page.contains("- [>] 1. Reproduce the issue"), "{page}");
    edited(&stage, "src/auth.rs");
    assert_eq!(first()["attempts"], 1);
    stage.ok(&["plan", "step", "done", "1"]);
    ran(&stage, "sed -i s/a/b/ src/auth.rs", 0);
    assert_eq!(state(&stage)["steps"][1]["state"], "active");
    stage.ok(&["plan", "step", "fail", "2"]);
    ran(&stage, "echo b > src/auth.rs; false", 1);
    let second = &state(&stage)["steps"][1];
    assert_eq!((&second["state"], &second["attempts"]), (&json!("active"), &json!(2)));
    // The fourth attempt halts, as with engine plan step start.
    stage.ok(&["plan", "step", "fail", "2"]);
    edited(&stage, "src/auth.rs");
    stage.ok(&["plan", "step", "fail", "2"]);
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login is halted: step 2 was tried 3 times: Fix it. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
}

#[test]
fn twenty_changes_at_once_begin_one_step_once() {
    let stage = locked();
    let change = json!({"file_path": stage.root().join("src/auth.rs"), "old_string": "a", "new_string": "b"});
    let fields = json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": change});
    let event = stage.event_with("PostToolUse.Write", &fields).to_string();
    let outputs = at_once(20, |_| {
        let mut command = stage.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.as_bytes()));
        command
    });
    assert!(outputs.iter().all(|output| output.stdout.is_empty()));
    let steps = state(&stage)["steps"].clone();
    assert_eq!((&steps[0]["state"], &steps[0]["attempts"]), (&json!("active"), &json!(1)));
    assert_eq!(steps[1]["state"], "open");
}

#[test]
fn a_check_that_comes_first_is_named_once_per_turn() {
    let stage = stage();
    let first = "  - {text: \"CHECKPOINT: it is reproduced\", fails: cargo test}\n  - \"Mend it\"";
    assert_eq!(new(&stage, &ROUTER.replace("  - \"Reproduce the issue\"", first)).code, Some(0));
    stage.ok(&["plan", "lock"]);
    types(&stage, "go");
    insta::assert_snapshot!(told_with_edit(&stage, "src/auth.rs"), @"engine: plan fix-the-login: step 1 comes first (check: it is reproduced): run `cargo test`, then engine plan step done 1");
    assert_eq!(told_with_edit(&stage, "src/auth.rs"), "-");
    assert_eq!(stage.state()["plan"].get("active"), None);
    types(&stage, "go on");
    let told_again = "engine: plan fix-the-login: step 1 comes first (check: it is reproduced): run `cargo test`, then engine plan step done 1";
    assert_eq!(told_with_edit(&stage, "src/auth.rs"), told_again);
    ran(&stage, "cargo test", 101);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 0
    - [x] 1. CHECKPOINT: it is reproduced (`cargo test` failed with 101)
    then: step 2 begins with its first change
    ");
    assert_eq!(told_with_edit(&stage, "src/auth.rs"), "-");
    assert_eq!(stage.state()["plan"]["active"]["number"], 2);
}

/// Finding C7.
#[test]
fn what_a_step_changed_besides_its_files_is_named() {
    let stage = locked();
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 0
    - [x] 1. Reproduce the issue (no edit was seen)
    then: step 2 begins with its first change
    ");
    for file in ["src/auth.rs", "src/b.rs", "docs/login.md"] {
        edited(&stage, file);
    }
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 0
    - [x] 2. Fix it (src/auth.rs)
    changed besides its files: docs/login.md, src/b.rs
    then: run `cargo test`, which ends step 3
    ");
    let shown = stage.ok(&["plan", "show"]);
    let shown: Vec<&str> = shown.lines().filter(|line| line.starts_with("- ")).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    - [x] 1. Reproduce the issue (no edit was seen)
    - [x] 2. Fix it (src/auth.rs)
    - [ ] 3. CHECKPOINT: the tests pass (`cargo test` passes)
    - verify_before_complete
    - require_acceptance_test
    - `src/**`
    - edited outside of the scope: docs/login.md
    - step 2 changed besides its files: docs/login.md, src/b.rs
    ");
    let report = stage.ok(&["plan", "report"]);
    let drift = report.split_once("Drift:").map_or("", |(_, drift)| drift.trim());
    insta::assert_snapshot!(drift, @"
    - edited outside of the scope: docs/login.md
    - step 2 changed besides its files: docs/login.md, src/b.rs
    ");
    let object = stage.engine(&["plan", "show", "--json"]).json();
    assert_eq!(object["drift"]["besidesFiles"], json!([{"step": 2, "files": ["docs/login.md", "src/b.rs"]}]));
}
