//! A plan with the real client: its YAML in a here-document, its commands without a dialog, its evidence from real events.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::plan::ROUTER;
use crate::real_client::{BYPASS, ask, bench, last};

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
    let router = ROUTER.replace("proof: cargo test", "proof: make test");
    let make = format!("engine plan new <<'EOF'\n{router}EOF");
    let broken = make.replace("workflow: verify-first\n", "");
    let scenario = Scenario::new()
        .turn(bash("broken", &broken).prompt_contains("go"))
        .turn(bash("new", &make).last_contains("stdin:1: workflow is missing"))
        .turn(bash("lock", "engine plan lock").last_contains("plan fix-the-login: 3 steps"))
        .turn(
            bash("soften", "engine plan criteria set 1 'it compiles' --proof 'make'")
                .last_contains("is locked: 3 steps"),
        )
        .turn(bash("fails", "make test").last_contains("+ 1. it compiles"))
        .turn(
            Turn::new("reads")
                .last_contains("Exit code 2")
                .tool_use("Read", json!({"file_path": bench.project().join("src.txt")})),
        )
        .turn(Turn::new("edits").tool_result_of("Read").tool_use("Edit", edit))
        .turn(bash("piped", "make test | tail -1").tool_result_of("Edit").tool_result_error(false))
        .turn(bash("verifies", "engine plan verify 1").last_contains("grep"))
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
    - step 1 is active: Reproduce the issue
    - step 2 is open: Fix it
    - step 3 is open: the tests pass
    - criterion 2 is not verified: the login is documented
    Ending the turn is right if it waits for the user.
    ");
    let requests = run.record.of(Kind::Main);
    let end = requests.iter().find(|request| request.turn == "end").unwrap();
    let ledger = end.tool_results().last().unwrap().text.clone();
    let told: Vec<&str> = ledger.lines().map(|line| line.get(21..).unwrap_or(line)).collect();
    assert_eq!(told, ["failed   make test (exit 2)", "  1 edit: src.txt", "passed   make test"], "{ledger}");
}

/// While a plan is open, what a pipe hides is recorded, and the model sees the same.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_check_in_a_pipe_is_recorded() {
    const CHECK: &str = "(cd 'a b' && make test 2>&1) | tail -2";
    let bench = bench(&[]);
    bench.write("a b/Makefile", "test:\n\t@echo ran; exit 1\n").unwrap();
    let make = format!("engine plan new <<'EOF'\n{ROUTER}EOF");
    let log = "cat ${PROJECT}/.engine/state/sessions/*.ran; echo \"shell $$\"";
    let scenario = Scenario::new()
        .turn(bash("before", CHECK).prompt_contains("go"))
        .turn(bash("new", &make).last_contains("Error 1"))
        .turn(bash("after", CHECK).last_contains("plan fix-the-login: 3 steps"))
        .turn(bash("log", log).last_contains("Error 1"))
        .turn(Turn::new("end").last_contains("shell ").text("Done."))
        .turn(Turn::new("named").last_contains("is open:").text("It waits."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let requests = run.record.of(Kind::Main);
    let told = |turn: &str| {
        let request = requests.iter().find(|request| request.turn == turn).unwrap();
        request.tool_results().last().unwrap().text.clone()
    };
    assert_eq!(told("new"), "ran\nmake: *** [Makefile:2: test] Error 1");
    assert_eq!(told("log"), told("new"));
    let log = told("end");
    let runs = engine_core::evidence::recorder::parse(log.split("shell ").next().unwrap());
    let folder = bench.project().join("a b").display().to_string();
    let told: Vec<_> = runs.iter().map(|ran| (ran.exit, ran.folder.as_str(), ran.words.join(" "))).collect();
    assert_eq!(told, [(2, folder.as_str(), "make test".to_owned())]);
}

/// The client begins the second call of a message when the first has ended: `engine check` is called by the line that is open.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn engine_check_counts_among_several_calls_of_one_message() {
    let bench = bench(&[]);
    bench.write("Makefile", "test:\n\tgrep -q a src.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    let router = ROUTER.replace("proof: cargo test", "proof: make test");
    let several = bash("checks", "engine check -- make test | tail -1")
        .tool_use("Bash", json!({"command": "ls"}))
        .tool_use("Read", json!({"file_path": bench.project().join("src.txt")}));
    let scenario = Scenario::new()
        .turn(bash("new", &format!("engine plan new <<'EOF'\n{router}EOF")).prompt_contains("go"))
        .turn(bash("lock", "engine plan lock").last_contains("plan fix-the-login: 3 steps"))
        .turn(several.last_contains("is locked: 3 steps"))
        .turn(bash("verifies", "engine plan verify 1").tool_result_of("Read"))
        .turn(Turn::new("end").last_contains("met ").text("Done."))
        .turn(Turn::new("named").last_contains("is open:").text("It waits."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("It waits."), "{:?}", run.record.turns());
}
