//! Policy with the real client: what was refused did not run, and the model read why.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, bench, engine, last};

const RESET: &str = "engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.";

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_reset_is_refused_also_where_everything_is_allowed() {
    let bench = bench(&[]);
    bench.write("work.txt", "committed\n").unwrap();
    bench.commit_all("start").unwrap();
    bench.write("work.txt", "not committed\n").unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("reset")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "cd . && git reset --hard"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(last(&run).tool_results()[0].text, format!("PreToolUse:Bash hook error: {RESET}"));
    assert_eq!(bench.read("work.txt").unwrap(), "not committed\n");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_subagent_is_refused_the_same() {
    let bench = bench(&[]);
    bench.write("work.txt", "committed\n").unwrap();
    bench.commit_all("start").unwrap();
    bench.write("work.txt", "not committed\n").unwrap();
    let agent = json!({"description": "Clean", "prompt": "Clean the tree.", "subagent_type": "general-purpose", "run_in_background": false});
    let scenario = Scenario::new()
        .turn(Turn::new("delegate").prompt_contains("go").tool_use("Agent", agent))
        .turn(
            Turn::new("reset")
                .kind(Kind::Subagent)
                .prompt_contains("Clean the tree.")
                .tool_use("Bash", json!({"command": "bash -c 'git reset --hard'"})),
        )
        .turn(
            Turn::new("told")
                .kind(Kind::Subagent)
                .tool_result_of("Bash")
                .tool_result_error(true)
                .text("I may not."),
        )
        .turn(Turn::new("end").tool_result_of("Agent").text("It could not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let told = run.record.of(Kind::Subagent)[1].tool_results();
    assert_eq!(told[0].text, format!("PreToolUse:Bash hook error: {RESET}"));
    assert_eq!(bench.read("work.txt").unwrap(), "not committed\n");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn where_nobody_can_be_asked_the_refusal_says_so() {
    let bench = bench(&[]);
    bench.write(".env", "TOKEN=x\n").unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("read").prompt_contains("go").tool_use("Bash", json!({"command": "cat .env"})))
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(
        last(&run).tool_results()[0].text,
        "engine rule policy: secrets.read-env-file: `cat .env` needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person."
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_protected_file_is_not_written_through_tee() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "policy.protected", "VERSION"]);
    bench.write("VERSION", "1\n").unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("tee")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "echo 2 | tee VERSION"})),
        )
        .turn(
            Turn::new("own")
                .tool_result_of("Bash")
                .tool_result_error(true)
                .tool_use("Bash", json!({"command": "echo '[rules]' | tee .engine/config.toml"})),
        )
        .turn(Turn::new("end").last_contains("belongs to engine").text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(bench.read("VERSION").unwrap(), "1\n");
    assert!(bench.read(".engine/config.toml").unwrap().contains("VERSION"));
    let refused = run.record.of(Kind::Main)[1].tool_results();
    assert_eq!(
        refused[0].text,
        format!(
            "PreToolUse:Bash hook error: engine rule policy: files.protected: `tee VERSION` on {} is refused: the project protects this file. Instead: asking the person to change it.",
            bench.project().join("VERSION").display()
        )
    );
}

/// A hook that cannot start lets tools run, unless it was wired to fail closed.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn failing_closed_blocks_when_the_engine_is_gone() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "policy.fail", "closed"]);
    let settings = bench.read(".claude/settings.json").unwrap();
    bench.write(".claude/settings.json", &settings.replace("\"engine\"", "\"/gone/engine\"")).unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("touch").prompt_contains("go").tool_use("Bash", json!({"command": "touch made"})))
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("It did not run."));
    ask(&bench, scenario, "go", BYPASS);
    assert!(!bench.project().join("made").exists());
}
