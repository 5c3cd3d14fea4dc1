//! Shortcuts with the real client: what the model received, and what it never had to see.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, ask, bench, engine, last};

const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Fix the parser** — `/fix parser` | opus\n- [ ] **Tidy docs** — | sonnet\n";

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn s_gives_the_model_the_rendered_status() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let run =
        ask(&bench, Scenario::new().turn(Turn::new("status").prompt_contains("s").text("Shown.")), "s", &[]);
    let status = engine(&bench, &["status"]);
    assert_eq!(
        last(&run).contexts("UserPromptSubmit"),
        [format!(
            "[SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:\n\n{}",
            status.trim_end()
        )]
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn x_gives_the_model_the_resolved_task() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("work")
                .prompt_contains("x")
                .tool_use("Bash", json!({"command": "engine task done \"Fix the parser\""})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(false).text("Done."));
    let run = ask(&bench, scenario, "x", BYPASS);
    let told = run.record.of(Kind::Main)[0].contexts("UserPromptSubmit");
    assert!(told[0].starts_with("[SHORTCUT: #execute] The user typed x. Task: Fix the parser (pending, now marked as in progress)\nCommand: `/fix parser`\nModel: opus | Restart: no\n"), "{told:?}");
    assert_eq!(bench.read("session.md").unwrap(), FILE.replace("- [ ] **Fix", "- [x] **Fix"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn p_is_in_the_file_before_the_model_answers() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("look")
                .prompt_contains("p: fix login")
                .tool_use("Bash", json!({"command": "tail -1 session.md"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").text("It is there."));
    let run = ask(&bench, scenario, "p: fix login bug", BYPASS);
    assert_eq!(last(&run).tool_results()[0].text.trim(), "- [ ] **Fix login bug** — | sonnet");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_new_session_reads_the_handoff() {
    let bench = bench(&[]);
    bench.write("session.md", &format!("{FILE}\n## Notes\n\nThe lexer is half done.\n")).unwrap();
    let run =
        ask(&bench, Scenario::new().turn(Turn::new("hi").prompt_contains("hello").text("Hi.")), "hello", &[]);
    assert_eq!(
        last(&run).contexts("SessionStart"),
        ["Left by the last session in session.md:\n\n## Notes\n\nThe lexer is half done."]
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn status_in_the_terminal_asks_no_model_and_leaves_the_box_empty() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let scenario =
        Scenario::new().turn(Turn::new("answer").prompt_contains("hello there").text("Good morning."));
    let mut terminal = bench.terminal(scenario, &[]).unwrap();
    terminal.type_line("s").unwrap();
    assert!(terminal.wait_for("Next: Fix the parser", WAIT), "{}", terminal.screen_text());
    assert!(terminal.record().of(Kind::Main).is_empty(), "no request was made");
    terminal.type_line("hello there").unwrap();
    assert!(terminal.wait_for("Good morning.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let mains = run.record.of(Kind::Main);
    assert_eq!(mains.len(), 1);
    assert_eq!(mains[0].prompt_text().lines().last(), Some("hello there"), "{}", mains[0].prompt_text());
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn handoff_commit_writes_the_handoff_commits_and_shows_status() {
    let bench = bench(&["--with", "skills"]);
    bench.write("session.md", FILE).unwrap();
    bench.commit_all("set up").unwrap();
    bench.write("lexer.rs", "fn lex() {}\n").unwrap();
    let handoff =
        r"engine handoff --status 'It'\''s done: the lexer works.' --done lexer --note '`lex()` costs $5'";
    let commit = "engine commit-check && git add lexer.rs session.md && git commit -qm 'Add the lexer' && git log --oneline | wc -l";
    let scenario = Scenario::new()
        .turn(
            Turn::new("handoff")
                .any_contains("The next session knows only what session.md says.")
                .tool_use("Bash", json!({"command": handoff})),
        )
        .turn(
            Turn::new("to commit")
                .last_contains("wrote the handoff into session.md")
                .tool_use("Skill", json!({"skill": "commit"})),
        )
        .turn(
            Turn::new("commit")
                .last_contains("validates the tasks and runs the project's checks")
                .tool_use("Bash", json!({"command": commit})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(false).text("Committed."));
    let run = ask(&bench, scenario, "/handoff --commit", &["--permission-mode", "manual"]);
    assert_eq!(run.result_text().as_deref(), Some("Committed."));
    assert_eq!(bench.git(&["show", "-s", "--format=%s"]).unwrap(), "Add the lexer");
    assert_eq!(bench.git(&["status", "--porcelain"]).unwrap(), "");
    let text = bench.read("session.md").unwrap();
    let lines: Vec<&str> =
        text.lines().take(10).map(|line| line.split(" (session ").next().unwrap()).collect();
    assert_eq!(
        lines.join("\n"),
        "# Session\n\n## Status\n\nIt's done: the lexer works.\n\n## Done\n\n- lexer\n"
    );
    let stop = run.hook_responses().into_iter().rfind(|hook| hook.event == "Stop").unwrap();
    let said: serde_json::Value = serde_json::from_str(&stop.stdout).unwrap();
    assert_eq!(said["systemMessage"].as_str(), Some(engine(&bench, &["status"]).trim_end()));
}
