//! What the hook does while a plan is open. The numbers are those of cases/policy.md.

use serde_json::{Value, json};

use crate::plan::{ROUTER, edited, locked, new, plan, ran, stage};
use crate::plan_review::judges;
use crate::stage::{SESSION, Stage, run};

/// What the hook says before a tool runs.
fn before(stage: &Stage, tool: &str, input: &Value, agent: Option<&str>) -> String {
    let mut event = stage
        .event_with("PreToolUse", &json!({"session_id": SESSION, "tool_name": tool, "tool_input": input}));
    if let Some(agent) = agent {
        event["agent_id"] = json!(agent);
        event["agent_type"] = json!("general-purpose");
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

/// The plan of the router with some lines changed, not locked.
fn made(changes: &[(&str, &str)]) -> Stage {
    let stage = stage();
    let text = changes.iter().fold(ROUTER.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    let output = new(&stage, &text);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    stage
}

const FREE: [(&str, &str); 7] = [
    ("Read", r#"{"file_path": "src/auth.rs"}"#),
    ("Grep", r#"{"pattern": "x"}"#),
    ("AskUserQuestion", r#"{"questions": []}"#),
    ("Skill", r#"{"skill": "fix"}"#),
    ("Agent", r#"{"prompt": "look"}"#),
    ("Bash", r#"{"command": "git status; cargo test 2>&1 | tail -3"}"#),
    ("Bash", r#"{"command": "engine plan show && engine plan lock"}"#),
];

fn all_free(stage: &Stage) {
    for (tool, input) in FREE {
        assert_eq!(before(stage, tool, &serde_json::from_str(input).unwrap(), None), "-", "{tool} {input}");
    }
}

#[test]
fn case_17_plan_mode_waits_for_the_lock() {
    let stage = made(&[("plan_mode: false", "plan_mode: true")]);
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login is not locked (plan_mode): nothing is changed before a person agrees to its steps and criteria. engine plan lock asks them");
    assert!(bash(&stage, "echo x > src/auth.rs").contains("plan_mode"));
    assert!(bash(&stage, "cargo fmt").contains("plan_mode"));
    assert!(bash(&stage, "git commit -am x").contains("plan_mode"));
    all_free(&stage);
    insta::assert_snapshot!(stage.engine(&["plan", "lock"]).stderr, @"
    engine: lock plan fix-the-login, criteria: 1. all tests pass (`cargo test` passes) 2. the login is documented (docs/login.md changes); steps: 1. Reproduce the issue 2. Fix it 3. the tests pass (`cargo test` passes) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    // Words are no agreement.
    for words in ["why?", "yes, lock it", "ok"] {
        stage.answer(words);
        assert_eq!(stage.engine(&["plan", "lock"]).code, Some(1), "{words}");
    }
    assert!(edit(&stage).contains("plan_mode"));
    stage.answer("ok 1");
    stage.ok(&["plan", "lock"]);
    assert_eq!(edit(&stage), "-");
    let page = stage.masked(&stage.ok(&["plan", "show"]));
    let approved = page.split_once("## Approved by a person").map_or("", |(_, behind)| behind.trim());
    insta::assert_snapshot!(approved, @"- [DAY] [TIME] steps, criteria and proofs: the person's words: ok 1 ([DAY] [TIME], approval 1)");
}

#[test]
fn case_17_answer_only_changes_nothing_in_its_turn() {
    let stage = made(&[("answer_only: false", "answer_only: true")]);
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login only answers (answer_only): nothing is changed. Answer the question and end the turn.");
    assert!(bash(&stage, "sed -i s/a/b/ src/auth.rs").contains("answer_only"));
    assert!(bash(&stage, "git push").contains("answer_only"));
    let subagent = before(&stage, "Write", &json!({"file_path": "/p/x"}), Some("a1"));
    assert!(subagent.contains("answer_only"), "{subagent}");
    all_free(&stage);
    // It ends without a word, and is over when the user speaks again.
    assert_eq!(stop(&stage), "-");
    stage.hook(&stage.prompt("now mend it"));
    assert_eq!(edit(&stage), "-");
    insta::assert_snapshot!(stage.ok(&["plan", "list", "--all"]), @"fix-the-login  closed  0 of 3 steps  plans/fix-the-login/PLAN.md");
}

#[test]
fn case_17_a_required_skill_comes_first() {
    let stage = made(&[("require_skill: null", "require_skill: fix")]);
    insta::assert_snapshot!(edit(&stage), @r#"engine rule plan: plan fix-the-login begins with a skill (require_skill): call Skill(skill: "fix") before anything is changed. Where there is no such skill: engine plan close --user-approved "why"; engine asks the user whether the plan ends."#);
    all_free(&stage);
    let skill = |name: &str| {
        stage.hook(&stage.event_with(
            "PostToolUse",
            &json!({"session_id": SESSION, "tool_name": "Skill", "tool_input": {"skill": name}, "tool_response": {"success": true}}),
        ));
    };
    skill("commit");
    assert!(edit(&stage).contains("require_skill"));
    skill("fix");
    assert_eq!(edit(&stage), "-");
    let typed = made(&[("require_skill: null", "require_skill: fix")]);
    typed.hook(&typed.prompt("/fix the login"));
    assert_eq!(edit(&typed), "-");
}

fn stop(stage: &Stage) -> String {
    let output =
        stage.hook(&stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": false})));
    // What the person is told is looked at elsewhere.
    if output.stdout.contains("additionalContext") { output.context() } else { "-".to_owned() }
}

#[test]
fn case_17_stop_names_once_what_is_open() {
    let stage = locked();
    stage.hook(&stage.prompt("go"));
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(stop(&stage), @"
    engine: plan fix-the-login is open:
    - nothing was verified since the last edit (run the check; engine evidence lists what counts)
    - step 1 is active: Reproduce the issue
    - step 2 is open: Fix it
    - step 3 is open: the tests pass
    - criterion 1 is not verified: all tests pass
    - criterion 2 is not verified: the login is documented
    Ending the turn is right if it waits for the user.
    ");
    assert_eq!(stop(&stage), "-", "once in a turn");
    stage.hook(&stage.prompt("go on"));
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(stop(&stage).lines().take(2).collect::<Vec<_>>().join("\n"), @"
    engine: plan fix-the-login is open:
    - step 1 is active: Reproduce the issue
    ");
    // While it is halted, it waits for the user.
    stage.hook(&stage.prompt("and on"));
    stage.ok(&["plan", "halt", "a key is missing"]);
    assert_eq!(stop(&stage), "-");
}

#[test]
fn case_16_the_third_cycle_on_one_file_halts() {
    let stage = locked();
    let cycle = |stage: &Stage| {
        for _ in 0..5 {
            edited(stage, "src/auth.rs");
        }
        ran(stage, "cargo test", 101);
        edit(stage)
    };
    assert_eq!([cycle(&stage), cycle(&stage)], ["-", "-"]);
    ran(&stage, "cargo test", 0);
    assert_eq!([cycle(&stage), cycle(&stage)], ["-", "-"], "a pass between");
    // Other files, checks that say nothing, edits by the shell.
    edited(&stage, "src/other.rs");
    ran(&stage, "cargo test | tail", 0);
    assert_eq!(edit(&stage), "-");
    ran(&stage, "sed -i s/a/b/ src/auth.rs", 0);
    let failed = stage.event_with(
        "PostToolUseFailure",
        &json!({"session_id": SESSION, "tool_input": {"command": "cargo test"}, "error": "Exit code 101\nno"}),
    );
    insta::assert_snapshot!(stage.hook(&failed).context(), @"engine: plan fix-the-login is halted: src/auth.rs was edited and a check failed, 3 times with no pass between. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login is halted: src/auth.rs was edited and a check failed, 3 times with no pass between. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
    assert!(bash(&stage, "echo x > src/x").contains("is halted"));
    assert!(before(&stage, "Edit", &json!({"file_path": "src/x"}), Some("a1")).contains("is halted"));
    all_free(&stage);
    // From an agent only with a person's word for it.
    assert_eq!(plan(&stage, &["resume", "--user-approved", "they said go on"]).code, Some(1));
    stage.hook(&stage.prompt("try the other parser"));
    assert_eq!(plan(&stage, &["resume", "--user-approved", "they said go on"]).code, Some(1));
    stage.answer("ok 1");
    assert_eq!(plan(&stage, &["resume"]).code, Some(0));
    assert_eq!(edit(&stage), "-");
    assert_eq!([cycle(&stage), cycle(&stage)], ["-", "-"], "counted anew");
}

#[test]
fn case_16_what_engine_check_ran_counts_too() {
    let stage = locked();
    stage.write(".engine/config.toml", "[evidence]\nchecks = [\"false\", \"true\"]\n");
    let check = |program: &str| run(stage.command(&["check", "--", program]), None).code;
    for _ in 0..3 {
        assert_eq!(edit(&stage), "-");
        edited(&stage, "src/auth.rs");
        assert_eq!(check("false"), Some(1));
    }
    assert!(edit(&stage).contains("src/auth.rs was edited and a check failed, 3 times"), "{}", edit(&stage));
}

#[test]
fn a_supervisor_changes_nothing_itself() {
    let stage = made(&[("warnings: []", "supervise: true\nwarnings: []")]);
    judges(&stage, "critic", "c1", "APPROVE");
    stage.ok(&["plan", "lock"]);
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login is supervised: the main agent changes no files. Give the step to a subagent (Agent tool), and check what it did.");
    assert!(bash(&stage, "echo x > src/auth.rs").contains("supervised"));
    assert_eq!(bash(&stage, "git add -A && git commit -m x"), "-", "what subagents did is committed by it");
    all_free(&stage);
    let input = json!({"file_path": stage.root().join("src/auth.rs")});
    assert_eq!(before(&stage, "Edit", &input, Some("a1")), "-");
}

#[test]
fn a_step_that_is_done_tells_what_strays() {
    let stage = locked();
    let done = |number: &str| {
        edited(&stage, "src/auth.rs");
        stage.ok(&["plan", "step", "done", number]);
        let event = stage.event_with(
            "PostToolUse",
            &json!({"session_id": SESSION, "tool_input": {"command": format!("engine plan step done {number}")}}),
        );
        let output = stage.hook(&event);
        if output.stdout.is_empty() { "-".to_owned() } else { output.context() }
    };
    insta::assert_snapshot!(done("1"), @"engine: write down now what was decided and others must know, for the folder DIR that it is about: engine directives add AGENTS DIR --text 'the decision, and why'");
    edited(&stage, "docs/x.md");
    ran(&stage, "cargo test", 101);
    insta::assert_snapshot!(done("2"), @"engine: plan fix-the-login: outside of its scope 1 file changed: docs/x.md; 1 failed check.");
    insta::assert_snapshot!(stage.ok(&["plan", "show"]).lines().filter(|line| line.contains("scope") || line.contains("failed")).collect::<Vec<_>>().join("\n"), @"
    - edited outside of the scope: docs/x.md
    - failed checks: 1
    ");
}

#[test]
fn the_agents_own_list_is_seen_beside_the_plan() {
    let stage = locked();
    let todos = json!([
        {"content": "Reproduce the issue", "status": "completed", "activeForm": "x"},
        {"content": "Rewrite everything", "status": "pending", "activeForm": "x"},
    ]);
    stage.hook(&stage.event_with(
        "PostToolUse.TodoWrite",
        &json!({"session_id": SESSION, "tool_input": {"todos": todos}}),
    ));
    for name in ["PostToolUse.TaskCreate", "PostToolUse.TaskUpdate"] {
        stage.hook(&stage.event_with(name, &json!({"session_id": SESSION}))).assert_silent();
    }
    let shown = stage.ok(&["plan", "show"]);
    insta::assert_snapshot!(shown.lines().last().unwrap(), @"- the agent's own list: 2 of 3 done; not in the plan: Rewrite everything, Write parser");
}

#[test]
fn without_a_plan_nothing_is_said() {
    let stage = stage();
    assert_eq!(edit(&stage), "-");
    assert_eq!(stop(&stage), "-");
    let locked = locked();
    let mut other = locked.event_with("PreToolUse.Write", &json!({"session_id": "another-session"}));
    other["tool_input"]["file_path"] = json!(locked.root().join("src/x"));
    locked.hook(&other).assert_silent();
}

#[test]
fn presets_are_plans_in_the_making() {
    let stage = stage();
    let form = stage.ok(&["plan", "presets", "--form"]);
    assert_eq!(new(&stage, &form).code, Some(0), "the form is a plan");
    let router = include_str!("../../../../plugin/agents/intent-router.md");
    assert!(router.contains(&format!("```yaml\n{form}```")), "the router's example is the form");
    let keys = |text: &str| text.parse::<toml_edit::DocumentMut>().unwrap();
    for name in ["debug", "feature", "question", "simple"] {
        let preset = keys(&stage.ok(&["plan", "presets", name]));
        assert_eq!(preset["task_type"].as_str(), Some(name));
        let mut guardrails: Vec<String> =
            preset["guardrails"].as_table().unwrap().iter().map(|(key, _)| key.to_owned()).collect();
        guardrails.sort();
        let all = "answer_only fix_within_design plan_mode quote_errors_exactly require_acceptance_test require_skill verify_before_complete";
        assert_eq!(guardrails.join(" "), all);
        let items = preset["todo_items"].as_array().unwrap();
        let has_check = items.iter().any(|item| item.as_str().unwrap().starts_with("CHECKPOINT:"));
        assert_eq!(has_check, preset["guardrails"]["require_acceptance_test"].as_bool().unwrap(), "{name}");
    }
    stage.write(".engine/workflows/debug.toml", "task_type = \"ours\"\n");
    stage.write(".engine/workflows/migration.toml", "task_type = \"migration\"\n");
    assert_eq!(stage.ok(&["plan", "presets", "debug"]), "task_type = \"ours\"\n");
    insta::assert_snapshot!(stage.engine(&["plan", "presets", "x"]).stderr, @"engine: there is no preset x; there are debug, feature, migration, question, simple, tdd");
}

#[test]
fn no_other_spelling_of_a_change_gets_by() {
    let stage = made(&[("plan_mode: false", "plan_mode: true")]);
    for command in [
        "git -C . commit -m x",
        "git -c user.name=x commit -m x",
        "git -C sub stash",
        "rg -l a | xargs sed -i s/a/b/",
        "find . -name '*.rs' -exec sed -i s/a/b/ {} +",
        "perl -pi -e s/a/b/ $(git ls-files)",
        "npx eslint . --fix",
        "cargo clippy --fix --allow-dirty",
        "git checkout -b new",
        "git reset HEAD~1",
    ] {
        assert!(bash(&stage, command).contains("plan_mode"), "{command}: {}", bash(&stage, command));
    }
    // To look at what git keeps is reading.
    for command in [
        "git branch --contains HEAD",
        "git branch -r --merged main",
        "git tag -l 'v*'",
        "git remote get-url origin",
        "git push --dry-run",
    ] {
        assert_eq!(bash(&stage, command), "-", "{command}");
    }
}

#[test]
fn what_is_no_work_stays_free() {
    let stage = made(&[]);
    stage.ok(&["plan", "halt", "a key is missing"]);
    let write = |path: String| before(&stage, "Write", &json!({"file_path": path}), None);
    let home = stage.home().display().to_string();
    for path in ["/tmp/claude/notes.md".to_owned(), format!("{home}/.claude/plans/brave-fox.md")] {
        assert_eq!(write(path.clone()), "-", "{path}");
    }
    assert!(write("/etc/hosts".to_owned()).contains("is halted"));
    for command in ["cargo test > target/out.txt 2>&1", "git diff > $TMPDIR/x", "cargo test | tee target/out"]
    {
        assert_eq!(bash(&stage, command), "-", "{command}");
    }
}

#[test]
fn case_16_a_build_that_passes_does_not_hide_a_circle() {
    let stage = locked();
    for _ in 0..3 {
        assert_eq!(edit(&stage), "-");
        edited(&stage, "src/auth.rs");
        ran(&stage, "cargo build", 0);
        ran(&stage, "cargo test", 101);
        ran(&stage, "cargo fmt --check", 0);
    }
    assert!(edit(&stage).contains("src/auth.rs was edited and a check failed, 3 times"), "{}", edit(&stage));
}

#[test]
fn what_checks_nothing_is_no_check() {
    let stage = locked();
    for number in ["1", "2"] {
        stage.ok(&["plan", "step", "start", number]);
        stage.ok(&["plan", "step", "done", number]);
    }
    stage.ok(&["plan", "step", "start", "3"]);
    for command in ["cargo test --no-run", "cargo test --help", "cargo test login", "make -n test", "true"] {
        ran(&stage, command, 0);
        insta::allow_duplicates! {
            insta::assert_snapshot!(plan(&stage, &["step", "done", "3"]).stderr, @"
            engine: step 3: `cargo test` was not run since the lock: engine check -- cargo test
              engine evidence lists what ran
            ");
        }
    }
    ran(&stage, "cargo test", 0);
    stage.ok(&["plan", "step", "done", "3"]);
}

#[test]
fn checks_are_known_with_options_and_counted_once() {
    let stage = locked();
    let commands = [
        "npm --prefix web test",
        "make -C sub check",
        "cargo --manifest-path x/Cargo.toml t",
        "npx tsc -p .",
    ];
    for command in commands {
        ran(&stage, command, 0);
    }
    let told = stage.ok(&["evidence"]);
    let lines: Vec<&str> = told.lines().filter_map(|line| line.get(21..)).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    passed   npm --prefix web test
    passed   make -C sub check
    passed   cargo --manifest-path x/Cargo.toml t
    passed   npx tsc -p .
    ");
}

#[test]
fn a_plan_that_is_gone_refuses_what_it_refused() {
    let stage = made(&[("plan_mode: false", "plan_mode: true")]);
    let file = stage.root().join(".engine/state/plans/fix-the-login.json");
    std::fs::remove_file(&file).unwrap();
    assert!(edit(&stage).contains("engine plan lock"));
    insta::assert_snapshot!(plan(&stage, &["lock"]).stderr, @r"
    engine: plan fix-the-login is gone; it was a draft under plan_mode
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new asks the person whether another plan takes its place
    ");
    assert!(edit(&stage).contains("engine plan lock"));
    // A draft that held nobody to anything is forgotten.
    let draft = made(&[]);
    std::fs::remove_file(draft.root().join(".engine/state/plans/fix-the-login.json")).unwrap();
    insta::assert_snapshot!(plan(&draft, &["lock"]).stderr, @r"
    engine: no plan is open here
      make one: engine plan new --from FILE
    ");
    // One that only answers ends with its turn, also where its file cannot be read.
    let answers = made(&[("answer_only: false", "answer_only: true")]);
    answers.write(".engine/state/plans/fix-the-login.json", "{");
    assert!(edit(&answers).contains("answer_only"));
    answers.hook(&answers.prompt("now mend it"));
    assert_eq!(edit(&answers), "-");
}

#[test]
fn after_a_clear_the_plan_is_named() {
    let mut stage = locked();
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION, "reason": "clear"})));
    stage.set("CLAUDE_CODE_SESSION_ID", "another-session");
    insta::assert_snapshot!(plan(&stage, &["show"]).stderr, @"
    engine: no plan is open here
      take up the open one: engine plan take fix-the-login
      make one: engine plan new --from FILE
    ");
    stage.ok(&["plan", "take", "fix-the-login"]);
    stage.ok(&["plan", "step", "start", "1"]);
}

#[test]
fn an_empty_word_for_no_skill_is_taken() {
    let stage = made(&[("require_skill: null", "require_skill: \"\"")]);
    assert!(!stage.ok(&["plan", "show"]).contains("require_skill"));
}

#[test]
fn where_a_check_keeps_its_output_is_no_edit() {
    let stage = locked();
    for _ in 0..4 {
        ran(&stage, "timeout 60 cargo test > out.txt 2>&1", 101);
    }
    assert_eq!(edit(&stage), "-", "nothing was edited");
    let told = stage.ok(&["evidence"]);
    let lines: Vec<&str> = told.lines().filter_map(|line| line.get(21..)).collect();
    assert_eq!(lines, ["failed   cargo test (exit 101)"; 4], "{told}");
}

#[test]
fn a_session_whose_state_was_lost_keeps_its_plan() {
    let stage = locked();
    stage.ok(&["plan", "halt", "a key is missing"]);
    std::fs::remove_dir_all(stage.root().join(".engine/state/sessions")).unwrap();
    assert!(new(&stage, ROUTER).stderr.contains("this agent session has the open plan fix-the-login"));
    std::fs::remove_dir_all(stage.root().join(".engine/state/sessions")).unwrap();
    assert!(stage.ok(&["plan", "show"]).contains("a key is missing"));
    assert!(edit(&stage).contains("is halted"));
}

#[test]
fn no_secret_is_written_on_the_page() {
    let stage = locked();
    let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let why = format!("the server took {key}");
    stage.ok(&["plan", "verify", "1", "--rejected", "--why", &why]);
    let page = stage.read("plans/fix-the-login/PLAN.md");
    assert!(page.contains("the server took [redacted]") && !page.contains(key), "{page}");
    // What was redacted is not taken for an edit.
    assert_eq!(plan(&stage, &["step", "start", "1"]).stderr, "");
}
