//! What is typed behind `p:` and `q:`, what becomes of it, and who is told; shortcuts that can do nothing.

use serde_json::json;

use crate::stage::{SESSION, Stage, at_once, input, run};

fn attended() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    stage
}

/// The whole answer to a prompt, and the lines that were added to the task file.
fn typed(stage: &Stage, prompt: &str) -> String {
    let lines = |stage: &Stage| -> Vec<String> {
        let text = if stage.exists("session.md") { stage.read("session.md") } else { String::new() };
        text.lines().map(str::to_owned).collect()
    };
    let before = lines(stage);
    let out = stage.hook(&stage.prompt(prompt));
    let new: Vec<String> = lines(stage).into_iter().filter(|line| !before.contains(line)).collect();
    format!("{}\n{}", out.stdout, new.join("\n"))
}

fn with_skills(stage: &Stage) {
    for name in ["design", "plan-adhoc", "handoff", "commit"] {
        let text = "---\ndescription: x\ncontinuation:\n  cooperative: true\n  default-exit: []\n---\n";
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
}

#[test]
fn where_a_person_sits_the_line_is_the_answer() {
    let stage = attended();
    insta::assert_snapshot!(typed(&stage, "p: fix login bug"), @r#"
    {"continue":false,"stopReason":"engine: kept: Fix login bug, as a pending task in session.md"}
    # Session

    ## Pending Tasks

    - [ ] **Fix login bug** — | sonnet
    "#);
    insta::assert_snapshot!(typed(&stage, "p: fix LOGIN bug\nonly on mobile"), @r#"
    {"continue":false,"stopReason":"engine: Fix login bug is in session.md already, pending; its other lines were added below it"}
      - only on mobile
    "#);
    insta::assert_snapshot!(typed(&stage, "p: fix login bug"), @r#"{"continue":false,"stopReason":"engine: Fix login bug is in session.md already, pending; nothing was added"}"#);
    insta::assert_snapshot!(typed(&stage, "p: - port the lexer | opus\n- [ ] tidy docs\n  - the README first"), @r#"
    {"continue":false,"stopReason":"engine: kept: 2 pending tasks in session.md: Port the lexer; Tidy docs"}
    - [ ] **Port the lexer** — | opus
    - [ ] **Tidy docs** — | sonnet
      - the README first
    "#);
    insta::assert_snapshot!(typed(&stage, " q: dark mode, some day"), @r#"{"continue":false,"stopReason":"engine: kept: dark mode, some day, in the queue; engine q list"}"#);
    assert_eq!(stage.engine(&["task", "validate"]).code, Some(0));
}

/// Nobody sits there: the model is told as before, and who reads the output sees the line.
#[test]
fn elsewhere_the_model_is_told_and_the_line_is_shown() {
    let stage = Stage::new();
    insta::assert_snapshot!(typed(&stage, "p: fix login bug"), @r#"
    {"systemMessage":"engine: kept: Fix login bug, as a pending task in session.md","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"[DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Fix login bug (sonnet). It is not to be executed now, and needs no edit of the file."}}
    # Session

    ## Pending Tasks

    - [ ] **Fix login bug** — | sonnet
    "#);
    insta::assert_snapshot!(typed(&stage, "p: * a | opus\n* b"), @r#"
    {"systemMessage":"engine: kept: 2 pending tasks in session.md: A; B","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"[DIRECTIVE: PENDING] Recorded by engine in session.md as pending tasks: A (opus); B (sonnet). They are not to be executed now, and need no edit of the file."}}
    - [ ] **A** — | opus
    - [ ] **B** — | sonnet
    "#);
    insta::assert_snapshot!(typed(&stage, "q: dark mode"), @r#"{"systemMessage":"engine: kept: dark mode, in the queue; engine q list","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"[DIRECTIVE: QUEUE] Kept by engine in the queue, for later: dark mode. It is not to be executed now, and needs no other record. engine q list shows the queue."}}"#);
}

#[test]
fn the_knob_leaves_the_answer_to_the_agent() {
    let stage = attended();
    stage.write(".engine/config.toml", "[shortcuts]\ncapture = \"agent\"\n");
    for prompt in ["p: fix login bug", "q: dark mode"] {
        let out = stage.hook(&stage.prompt(prompt)).json();
        assert_eq!(out["continue"], serde_json::Value::Null, "{prompt}");
        assert!(out["systemMessage"].as_str().unwrap().starts_with("engine: kept: "), "{prompt}");
    }
    // s has a knob of its own.
    assert_eq!(stage.hook(&stage.prompt("s")).json()["continue"], false);
}

#[test]
fn what_is_typed_as_the_file_has_it_is_read() {
    let stage = attended();
    with_skills(&stage);
    let line = |prompt: &str| typed(&stage, prompt).lines().skip(1).collect::<Vec<_>>().join("\n");
    line("p: first");
    let cases = [
        (
            "p: Refactor the parser — `/plan-adhoc plans/p` | haiku | restart",
            "- [ ] **Refactor the parser** — `/plan-adhoc plans/p` | haiku | restart",
        ),
        ("p: **Port it** — `/design plans/q` | opus", "- [ ] **Port it** — `/design plans/q` | opus"),
        ("p: `/design plans/x` | opus", "- [ ] **Design plans/x** — `/design plans/x` | opus"),
        (
            "p: /design foo, /plan-adhoc and /orchestrate",
            "- [ ] **Design foo** — `/design foo, /plan-adhoc and /orchestrate` | sonnet",
        ),
        ("p: /users returns 500", "- [ ] **/users returns 500** — | sonnet"),
        ("p: 🚀 ship \"it\" & $(touch x)", "- [ ] **🚀 ship \"it\" & $(touch x)** — | sonnet"),
        (
            "p: The login page is broken on mobile. When the keyboard opens, nobody can press the button any more",
            "- [ ] **The login page is broken on mobile** — | sonnet\n  - When the keyboard opens, nobody can press the button any more",
        ),
        (
            "p: release\n- [ ] a box\n## A heading\n```\n<!-- x",
            "- [ ] **Release** — | sonnet\n  - a box\n  - ## A heading\n  - ```\n  - <!-- x",
        ),
    ];
    for (prompt, expected) in cases {
        assert_eq!(line(prompt), expected, "{prompt}");
    }
    assert_eq!(stage.engine(&["task", "list", "--json"]).json()["tasks"].as_array().unwrap().len(), 9);
    assert!(!stage.exists("x"));
}

/// What is kept for later is word for word, with its lines and their indentation.
#[test]
fn several_lines_of_an_idea_stay_word_for_word() {
    let stage = attended();
    for typed in ["q: dark mode\n\n  - a switch\n\tand *tabs*", "q:\n    indented\n  less"] {
        stage.hook(&stage.prompt(typed));
    }
    let list = stage.engine(&["q", "list", "--json"]).json();
    let fragments: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let shown = stage.engine(&["q", "show", item["id"].as_str().unwrap(), "--json"]).json();
            shown["sections"]["Original fragment"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(fragments, ["dark mode\n\n  - a switch\n\tand *tabs*", "    indented\n  less"]);
}

/// A name that a task had which is over is not given twice.
#[test]
fn a_name_of_a_task_that_is_done_gets_a_number() {
    let stage = attended();
    stage.write("session.md", "## Pending Tasks\n- [x] **Fix login** —\n");
    insta::assert_snapshot!(typed(&stage, "p: fix login"), @r#"
    {"continue":false,"stopReason":"engine: kept: Fix login (2), as a pending task in session.md"}
    - [ ] **Fix login (2)** — | sonnet
    "#);
    assert_eq!(stage.engine(&["task", "validate"]).code, Some(0));
}

/// What could not be written is not told as kept.
#[test]
fn what_could_not_be_kept_is_told_with_its_words() {
    for attended in ["0", "1"] {
        let mut stage = Stage::new();
        stage.set("CLAUDE_CODE_SESSION_ATTENDED", attended);
        std::fs::create_dir(stage.root().join("session.md")).unwrap();
        stage.write(".engine/config.toml", "[tasks]\nfile = \"session.md\"\n");
        let out = stage.hook(&stage.prompt("p: call Ada | opus"));
        let told = "engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: not a file. It was: call Ada | opus";
        assert_eq!(stage.masked(&out.context()), told);
        assert_eq!(stage.masked(out.json()["systemMessage"].as_str().unwrap()), told);
        assert_eq!(out.json()["continue"], serde_json::Value::Null);
    }
}

#[test]
fn x_and_r_with_nothing_to_do_need_no_model_where_a_person_sits() {
    let stage = attended();
    let said = |prompt: &str| stage.hook(&stage.prompt(prompt)).stdout;
    insta::assert_snapshot!(said("x"), @r#"{"continue":false,"stopReason":"engine: No pending tasks."}"#);
    insta::assert_snapshot!(said("r"), @r#"{"continue":false,"stopReason":"engine: Nothing in progress. x starts the next task."}"#);
    stage.write("session.md", "## Pending Tasks\n- [ ] **B** — | needs: A\n- [!] **A** —\n");
    insta::assert_snapshot!(said("x"), @r#"{"continue":false,"stopReason":"engine: No task is free to start: B waits for A."}"#);
    stage.write("session.md", "## Pending Tasks\n- [>] **A** —\n");
    assert!(said("r").contains("Task: A (in progress, resumed)"));
    assert!(said("x").contains("Task: A (in progress, resumed)"));
}

#[test]
fn shortcuts_for_skills_that_are_not_installed_tell_how_to_install_them() {
    let mut stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **A** —\n");
    let context = |stage: &Stage, prompt: &str| stage.hook(&stage.prompt(prompt)).context();
    insta::assert_snapshot!(context(&stage, "h"), @"[SHORTCUT: /handoff] The user typed h, which stands for /handoff (Write the handoff, then status). /handoff is not installed here; the user installs it with engine init --with skills. Without it, engine handoff writes the handoff; engine handoff --help.");
    insta::assert_snapshot!(context(&stage, "ci"), @"[SHORTCUT: /commit] The user typed ci, which stands for /commit (Commit, then status). /commit is not installed here; the user installs it with engine init --with skills.");
    insta::assert_snapshot!(context(&stage, "xc"), @"
    [SHORTCUT: #execute --commit] The user typed xc. Task: A (pending, now marked as in progress)
    Model: sonnet | Restart: no
    When it is done: engine task done 'A'. Then the user expects a handoff and a commit, but /handoff and /commit are not installed here (engine init --with skills); engine handoff writes the handoff.
    ");
    stage.ok(&["task", "reopen", "A"]);
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let said = |stage: &Stage, prompt: &str| stage.hook(&stage.prompt(prompt)).json()["stopReason"].clone();
    assert_eq!(said(&stage, "h"), "engine: /handoff is not installed here: engine init --with skills");
    assert_eq!(
        said(&stage, "hc"),
        "engine: /handoff and /commit are not installed here: engine init --with skills"
    );
    assert_eq!(said(&stage, "ci"), "engine: /commit is not installed here: engine init --with skills");
    assert_eq!(
        said(&stage, "xc"),
        "engine: xc was not carried out: /handoff and /commit are not installed here: engine init --with skills; x carries out the task alone"
    );
    assert_eq!(stage.read("session.md"), "## Pending Tasks\n- [ ] **A** —\n");
    // A chain of such a task is not begun either.
    with_skills(&stage);
    std::fs::remove_dir_all(stage.root().join(".claude/skills/handoff")).unwrap();
    stage.write("session.md", "## Pending Tasks\n- [ ] **A** — `/design a, /plan-adhoc`\n");
    assert_eq!(
        said(&stage, "xc"),
        "engine: xc was not carried out: /handoff is not installed here: engine init --with skills; x carries out the task alone"
    );
    assert_eq!(stage.state()["chain"], serde_json::Value::Null);
}

#[test]
fn with_the_skills_nothing_is_missing() {
    let mut stage = Stage::bare();
    stage.ok(&["init", "--with", "skills"]);
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    for prompt in ["h", "hc", "ci"] {
        assert!(stage.hook(&stage.prompt(prompt)).context().starts_with("[SHORTCUT: /"), "{prompt}");
    }
    let doctor = stage.engine(&["doctor"]).stdout;
    assert!(!doctor.contains("h, hc, ci and xc"), "{doctor}");
}

#[test]
fn doctor_names_shortcuts_that_stand_for_nothing() {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    let doctor = stage.engine(&["doctor"]).stdout;
    let line = doctor.lines().find(|line| line.contains("shortcuts")).unwrap_or_default();
    assert!(
        line.ends_with("h, hc, ci and xc stand for /handoff and /commit, which are not installed. Run: engine init --with skills"),
        "{doctor}"
    );
}

/// The person is told where a task is meant for another model, or for a new session.
#[test]
fn x_tells_that_a_task_wants_another_session() {
    let stage = attended();
    let tasks = "## Pending Tasks\n- [ ] **A** — | opus | restart\n- [ ] **B** — | sonnet\n";
    stage.write("session.md", tasks);
    let start = |model: &str| {
        stage.hook(&stage.event_with("SessionStart", &json!({"session_id": SESSION, "model": model})));
    };
    let told = |prompt: &str| {
        let out = stage.hook(&stage.prompt(prompt));
        out.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
    };
    start("claude-sonnet-5-5");
    assert_eq!(told("x"), "engine: A is meant for opus, and this session began with claude-sonnet-5-5");
    assert_eq!(told("x"), "", "once");
    stage.ok(&["task", "done", "A"]);
    // Sonnet is what a task has that names no model.
    start("claude-opus-5-5");
    assert_eq!(told("x"), "");
    stage.write("session.md", &tasks.replace("**A**", "**C**"));
    assert_eq!(told("x"), "engine: C wants a new session, and this one has had 3 prompts");
}

/// A log that was pasted is a text, and costs no more than one.
#[test]
fn a_list_of_ten_thousand_lines_is_one_task() {
    let stage = attended();
    let lines: String = (0..10_000).map(|n| format!("- line {n}\n")).collect();
    let out = stage.hook(&stage.prompt(&format!("p: {lines}")));
    assert_eq!(out.json()["stopReason"], "engine: kept: Line 0, as a pending task in session.md");
    let text = stage.read("session.md");
    assert!(text.contains("- [ ] **Line 0** — | sonnet\n  - line 1\n"));
    assert_eq!(text.matches("\n  - line ").count(), 9_999);
    // Fifty are tasks.
    let lines: String = (0..50).map(|n| format!("- task {n}\n")).collect();
    stage.hook(&stage.prompt(&format!("p: {lines}")));
    assert_eq!(stage.read("session.md").matches("\n- [ ] **Task ").count(), 50);
}

#[test]
fn twenty_that_capture_at_once_lose_nothing() {
    let stage = attended();
    let outputs = at_once(20, |n| {
        let event = stage.event_with(
            "UserPromptSubmit",
            &json!({"session_id": format!("session-{n}"), "prompt": format!("p: parallel {n}\nnote {n}")}),
        );
        let mut command = stage.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
        command
    });
    for (n, out) in outputs.iter().enumerate() {
        assert_eq!(
            out.json()["stopReason"],
            format!("engine: kept: Parallel {n}, as a pending task in session.md")
        );
    }
    let text = stage.read("session.md");
    for n in 0..20 {
        let task = format!("- [ ] **Parallel {n}** — | sonnet\n  - note {n}\n");
        assert_eq!(text.matches(&task).count(), 1, "{text}");
    }
}

/// The command that a model is told for the end of a task is one that a shell understands, whatever the name.
#[test]
fn any_name_can_be_ended_by_the_command_that_is_told() {
    let stage = Stage::new();
    for name in
        ["It's \"quoted\"", "🚀 ship $(touch pwned)", "a `tick` | pipe", "-- --all", "a\\b", "**bold** x"]
    {
        stage.write("session.md", "## Pending Tasks\n");
        stage.hook(&stage.prompt(&format!("p: {name}")));
        let told = stage.hook(&stage.prompt("x")).context();
        let command = told.split_once("When it is done: ").unwrap().1.split_once(". The user").unwrap().0;
        let mut shell = stage.program_in(&stage.root(), "sh");
        shell.args(["-c", command]);
        let out = run(shell, None);
        assert_eq!(out.code, Some(0), "{name}: {command}: {}", out.stderr);
        assert!(stage.read("session.md").contains("- [x] **"), "{name}: {}", stage.read("session.md"));
        assert!(!stage.exists("pwned"));
    }
}
