//! With the real client: no command and no file makes it go on without an answer.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use engine_testkit::{Bench, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, bench, last};

const RESET: &str = "engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.";

/// A file with work that no commit holds.
fn with_work() -> Bench {
    let bench = bench(&[]);
    bench.write("work.txt", "committed\n").unwrap();
    bench.commit_all("start").unwrap();
    bench.write("work.txt", "not committed\n").unwrap();
    bench
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_command_that_is_too_large_to_judge_does_not_run() {
    let bench = with_work();
    let find = format!("{} rm {{}} \\;", "find . -exec ".repeat(1000));
    let scenario = Scenario::new()
        .turn(
            Turn::new("reset")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": format!("git reset --hard; false && {find}")})),
        )
        .turn(
            Turn::new("alone")
                .tool_result_of("Bash")
                .tool_result_error(true)
                .last_contains("git.reset-hard")
                .tool_use("Bash", json!({"command": format!("touch made; false && {find}")})),
        )
        .turn(Turn::new("end").tool_result_error(true).last_contains("rule size").text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(
        last(&run).tool_results()[0].text,
        "engine rule size: the command is too large to judge: it holds code within code, too deep. Instead: several shorter commands, or the commands in a script file that is written first and then run."
    );
    assert_eq!(bench.read("work.txt").unwrap(), "not committed\n");
    assert!(!bench.project().join("made").exists());
}

/// What a script does cannot be seen before; the hooks after it are answered all the same.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_pipe_in_the_place_of_the_policy_holds_nothing_up() {
    let bench = with_work();
    bench.write("make.sh", "rm -f .engine/policy.toml; mkfifo .engine/policy.toml\n").unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("make").prompt_contains("go").tool_use("Bash", json!({"command": "sh make.sh"})))
        .turn(
            Turn::new("reset")
                .tool_result_of("Bash")
                .tool_result_error(false)
                .tool_use("Bash", json!({"command": "git reset --hard"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(last(&run).tool_results()[0].text, format!("PreToolUse:Bash hook error: {RESET}"));
    let policy = fs::metadata(bench.project().join(".engine/policy.toml")).unwrap();
    assert!(policy.file_type().is_fifo());
    assert_eq!(bench.read("work.txt").unwrap(), "not committed\n");
}
