//! A plan with the real client: its YAML in a here-document, its commands without a dialog, its evidence from real events.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::plan::ROUTER;
use crate::real_client::{ask, bench, last};

fn bash(name: &str, command: &str) -> Turn {
    Turn::new(name).tool_use("Bash", json!({"command": command}))
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_plan_is_made_locked_and_verified() {
    let bench = bench(&[]);
    bench.write("Makefile", "test:\n\tgrep -q b src.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    let edit = json!({"file_path": bench.project().join("src.txt"), "old_string": "a", "new_string": "b"});
    let make = format!("engine plan new <<'EOF'\n{ROUTER}EOF");
    let broken = make.replace("workflow: verify-first\n", "");
    let scenario = Scenario::new()
        .turn(bash("broken", &broken).prompt_contains("go"))
        .turn(bash("new", &make).last_contains("stdin:1: workflow is missing"))
        .turn(bash("lock", "engine plan lock").last_contains("plan fix-the-login: 3 steps"))
        .turn(bash("soften", "engine plan criteria set 1 'it compiles'").last_contains("is locked: 3 steps"))
        .turn(bash("fails", "make test").last_contains("+ 1. it compiles"))
        .turn(
            Turn::new("reads")
                .last_contains("Exit code 2")
                .tool_use("Read", json!({"file_path": bench.project().join("src.txt")})),
        )
        .turn(Turn::new("edits").tool_result_of("Read").tool_use("Edit", edit))
        .turn(bash("hides", "make test | tail -1").tool_result_of("Edit").tool_result_error(false))
        .turn(bash("unknown", "engine plan verify 1 --evidence 'make test'").last_contains("grep"))
        .turn(bash("passes", "make test").last_contains("engine check -- make test"))
        .turn(bash("verifies", "engine plan verify 1 --evidence 'make test'").last_contains("grep"))
        .turn(bash("lists", "engine evidence --since plan").last_contains("met "))
        .turn(Turn::new("end").last_contains("make test").text("Done."))
        .turn(Turn::new("named").last_contains("is open:").text("It waits."));
    let allowed = [
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash(engine plan:*)",
        "Bash(engine evidence:*)",
        "Bash(make test:*)",
        "Bash(tail:*)",
    ];
    let run = ask(&bench, scenario, "go", &allowed);
    insta::assert_snapshot!(last(&run).contexts("Stop").join("\n"), @"
    engine: plan fix-the-login is open:
    - step 1 is open: Reproduce the issue
    - step 2 is open: Fix it
    - step 3 is open: the tests pass
    - criterion 2 is not verified: the login works
    Ending the turn is right if it waits for the user.
    ");
    let requests = run.record.of(Kind::Main);
    let end = requests.iter().find(|request| request.turn == "end").unwrap();
    let ledger = end.tool_results().last().unwrap().text.clone();
    let told: Vec<&str> = ledger.lines().map(|line| line.get(21..).unwrap_or(line)).collect();
    assert_eq!(
        told,
        [
            "failed   make test (exit 2)",
            "  1 edit: src.txt",
            "unknown  make test (a pipe hides its status; engine check -- make test)",
            "passed   make test"
        ],
        "{ledger}"
    );
}
