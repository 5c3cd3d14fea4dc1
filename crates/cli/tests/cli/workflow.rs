//! Handoff, commit check, learnings, the fragment and the tail of a turn.

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage, run};

const FILE: &str =
    "# Session\n\n## Pending Tasks\n\n- [ ] **Fix the parser** — `/fix parser` | opus\n  - note\n";

fn with_tasks() -> Stage {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    stage
}

fn handoff(stage: &Stage, input: &str) -> crate::stage::Output {
    run(stage.command(&["handoff"]), Some(input.as_bytes()))
}

#[test]
fn handoff_rewrites_its_sections_and_keeps_tasks() {
    let stage = with_tasks();
    let out = handoff(&stage, r#"{"status": "Half done.", "done": ["lexer"], "notes": ["ask Ada"]}"#);
    assert_eq!((out.code, out.stdout.as_str()), (Some(0), "wrote the handoff into session.md\n"));
    let written = format!(
        "# Session\n\n## Status\n\nHalf done. (person, [MINUTE])\n\n## Done\n\n- lexer (person, [MINUTE])\n\n{}\n## Notes\n\n- ask Ada (person, [MINUTE])\n",
        FILE.trim_start_matches("# Session\n\n")
    );
    assert_eq!(stage.masked(&stage.read("session.md")), written);
    handoff(&stage, r#"{"status": "Done.", "done": ["parser"]}"#);
    let again = written.replace("Half done.", "Done.").replace("- lexer", "- parser");
    assert_eq!(stage.masked(&stage.read("session.md")), again);
}

#[test]
fn handoff_names_all_that_is_wrong_and_loses_no_task() {
    let stage = with_tasks();
    let cases = [
        (
            r#"{"done": "x", "notes": [1], "more": 1}"#,
            "engine: done takes a list of texts; unknown key more; notes takes a list of texts\n",
        ),
        ("{}", "engine: status, done or notes must be there\n"),
        (r#"{"status": " "}"#, "engine: status takes a text that is not empty\n"),
        ("nonsense", "engine: not JSON: expected ident at line 1 column 2\n"),
    ];
    for (input, expected) in cases {
        let out = handoff(&stage, input);
        assert_eq!(out.code, Some(2), "{input}");
        assert_eq!(
            out.stderr,
            format!(
                "{expected}  it reads: {{\"status\": \"...\", \"done\": [\"...\"], \"notes\": [\"...\"]}}\n"
            )
        );
    }
    assert_eq!(stage.read("session.md"), FILE);
    stage.write("session.md", "## Done\n\n### Pending Tasks\n- [ ] inside\n");
    let out = handoff(&stage, r#"{"status": "x", "notes": []}"#);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (
            Some(1),
            "engine: session.md: this line would be lost: - [ ] inside\n  move it into the section Pending Tasks first\n"
        )
    );
}

#[test]
fn handoff_takes_options_too() {
    let stage = with_tasks();
    stage.ok(&[
        "handoff",
        "--status",
        "Half done.",
        "--done",
        "lexer",
        "--done",
        "parser",
        "--note",
        "ask Ada",
    ]);
    let text = || stage.masked(&stage.read("session.md")).replace(" (person, [MINUTE])", "");
    assert!(text().contains("## Done\n\n- lexer\n- parser\n"));
    stage.ok(&["handoff", "--status", "Done."]);
    assert!(text().ends_with("## Notes\n\n- ask Ada\n"), "notes that are not given stay");
    stage.ok(&["handoff", "--status", "Done.", "--note", "- ask Bo", "--note", "-x is no option"]);
    assert!(text().ends_with("## Notes\n\n- ask Bo\n- -x is no option\n"));
    let before = text();
    stage.ok(&["handoff", "--note", "- and Cy"]);
    assert_eq!(text(), format!("{before}- and Cy\n"), "a note alone is added");
    let out = stage.engine(&["handoff", "--status", "fine\n## Notes"]);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (Some(2), "engine: a line of the status begins a heading, fence or comment: ## Notes\n")
    );
}

#[test]
fn commit_check_validates_tasks_and_runs_the_checks() {
    let stage = with_tasks();
    assert_eq!(stage.ok(&["commit-check"]), "ok tasks\n");
    stage.write(".engine/config.toml", "[commit]\nchecks = [\"true\", \"echo broken here; exit 3\"]\n");
    stage.write("session.md", &format!("{FILE}- [?] odd\n"));
    let out = stage.engine(&["commit-check"]);
    let text: String =
        out.stdout.lines().map(|line| format!("{}\n", line.split(" (0.").next().unwrap())).collect();
    insta::assert_snapshot!(text, @r"
    failed tasks
      session.md:7: unknown state in the box: [?] odd
    ok true
    failed echo broken here; exit 3
      broken here
    ");
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), "engine: 2 of 3 failed\n"));
    let json = stage.engine(&["commit-check", "--json"]).json();
    assert_eq!((&json["failed"], &json["checks"][1]["exit"]), (&json!(2), &json!(3)));
}

#[test]
fn learnings_are_kept_and_their_titles_are_no_task_names() {
    let stage = with_tasks();
    let add = |title: &str| {
        stage.engine(&["learn", "add", title, "--anti", "a", "--correct", "b", "--reason", "c"])
    };
    assert_eq!(add("Compare whole outputs").stdout, "added Compare whole outputs to learnings.md\n");
    assert_eq!(
        stage.read("learnings.md"),
        "# Learnings\n\n## Compare whole outputs\n- Anti-pattern: a\n- Correct pattern: b\n- Reason: c\n"
    );
    let twice = add("compare WHOLE outputs");
    assert_eq!(
        (twice.code, twice.stderr.as_str()),
        (Some(1), "engine: compare WHOLE outputs is there already, in line 3\n")
    );
    insta::assert_snapshot!(stage.ok(&["learn", "list"]), @r"
    Compare whole outputs
      not: a
      but: b
      why: c
    ");
    let taken = add("fix the PARSER");
    assert_eq!(
        (taken.code, taken.stderr.as_str()),
        (
            Some(1),
            "engine: fix the PARSER is the name of a task, pending, in line 5 of its file\n  give the learning another title\n"
        )
    );
    let taken = stage.engine(&["task", "add", "compare whole outputs"]);
    assert_eq!(
        (taken.code, taken.stderr.as_str()),
        (
            Some(1),
            "engine: compare whole outputs is the title of a learning, in line 3 of its file\n  take another name\n"
        )
    );
    // By hand it can be written all the same.
    let learnings = stage.read("learnings.md");
    stage.write("learnings.md", &format!("{learnings}\n## Fix the parser\n- Anti-pattern: a\n"));
    let out = stage.engine(&["task", "validate"]);
    assert_eq!(
        out.stdout,
        "session.md:5: error: the name Fix the parser is the title of a learning, in line 8 of its file\n"
    );
}

#[test]
fn the_fragment_is_one_line_in_claude_md_and_goes_again() {
    for text in [None, Some("# Mine\n"), Some("# Mine"), Some("# Mine\r\nx\r\n")] {
        let stage = Stage::bare();
        if let Some(text) = text {
            stage.write("CLAUDE.md", text);
        }
        let before = stage.tree();
        stage.ok(&["init", "--with", "fragment,skills"]);
        let imported = stage.read("CLAUDE.md");
        assert!(
            imported.starts_with(text.unwrap_or_default())
                && imported.trim_end().ends_with("@.claude/engine/execute-rule.md"),
            "{imported:?}"
        );
        assert_eq!(stage.read(".claude/engine/execute-rule.md"), engine_core::fragment::execute_rule());
        stage.ok(&["init", "--with", "fragment,skills"]);
        assert_eq!(stage.read("CLAUDE.md"), imported, "once");
        stage.ok(&["uninstall", "--purge"]);
        assert_eq!(stage.tree(), before);
        assert_eq!(text.map(str::to_owned), stage.exists("CLAUDE.md").then(|| stage.read("CLAUDE.md")));
    }
    // A file that was changed meanwhile loses our line and nothing else.
    let stage = Stage::bare();
    stage.write("CLAUDE.md", "# Mine\n");
    stage.ok(&["init", "--with", "fragment"]);
    stage.write("CLAUDE.md", &format!("{}more\n", stage.read("CLAUDE.md")));
    stage.ok(&["uninstall"]);
    assert_eq!(stage.read("CLAUDE.md"), "# Mine\nmore\n");
}

#[test]
fn status_is_the_tail_of_commit_and_handoff() {
    let stage = with_tasks();
    stage.git(&["init", "-q"]);
    let commit = || stage.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
    let stop =
        |active: bool| stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": active}));
    let skill = |name: &str, args: &str, success: bool| {
        let fields = json!({"session_id": SESSION, "tool_input": {"skill": name, "args": args}, "tool_response": {"success": success}});
        stage.event_with("PostToolUse.Skill", &fields)
    };
    let shown = |event: &Value| {
        let out = stage.hook(event);
        if out.stdout.is_empty() {
            String::new()
        } else {
            out.json()["systemMessage"].as_str().unwrap().to_owned()
        }
    };
    let status = "Next: Fix the parser\n  `/fix parser`\n  Model: opus | Restart: no";
    stage.hook(&stage.prompt("go")).assert_silent();
    for quiet in [skill("handoff", "--commit", true), skill("commit", "", false), skill("other", "", true)] {
        stage.hook(&quiet).assert_silent();
    }
    assert_eq!(shown(&stop(false)), "");
    stage.hook(&skill("commit", "", true)).assert_silent();
    commit();
    assert_eq!(shown(&stop(false)), status);
    assert_eq!(shown(&stop(false)), "", "once");
    // Without a commit nothing is to be shown as after one.
    stage.hook(&skill("commit", "", true)).assert_silent();
    assert_eq!(shown(&stop(false)), "engine: no commit was made in this turn");
    assert_eq!(shown(&stop(false)), "", "once");
    stage.hook(&skill("handoff", "", true)).assert_silent();
    stage.hook(&skill("commit", "", true)).assert_silent();
    assert_eq!(shown(&stop(false)), status, "the handoff asks for it");
    // Typed by the person; also at the end of a turn that a hook made longer.
    stage.hook(&stage.prompt("/handoff")).assert_silent();
    assert_eq!(shown(&stop(true)), status);
    // While a reminder makes the turn go on, STATUS waits for its end; a subagent's commit is not the turn's.
    stage.write(".engine/config.toml", "[reminder]\ntext = \"R\"\n");
    stage.hook(&stage.prompt("/commit")).assert_silent();
    commit();
    let committed = json!({"session_id": SESSION, "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "git commit -m work"}});
    stage.hook(&stage.event_with("PostToolUse", &committed)).assert_silent();
    assert_eq!(
        stage.hook(&stop(false)).stdout,
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"R"}}"#
    );
    assert_eq!(shown(&stop(true)), status);
    stage.hook(&stage.prompt("go")).assert_silent();
    let mut by_subagent = skill("commit", "", true);
    by_subagent["agent_id"] = "a1".into();
    stage.hook(&by_subagent).assert_silent();
    stage.hook(&stop(false));
    assert_eq!(shown(&stop(true)), "");
    stage.write(".engine/config.toml", "");
    stage.hook(&stage.prompt("/commit now")).assert_silent();
    stage.hook(&stage.prompt("something else")).assert_silent();
    assert_eq!(shown(&stop(false)), "", "another turn");
}
