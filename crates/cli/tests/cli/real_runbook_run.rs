//! `engine runbook run` with the real client: the scripted model does a step, and nobody hands it out.

use std::path::Path;
use std::process::Command;

use engine_testkit::{Bench, Kind, Scenario, Turn, client};
use serde_json::json;

use crate::real_client::{BYPASS, bench, engine};
use crate::runbook_run::{kill, meanwhile, runs};
use crate::stage::{Output, at_terminal, until};

/// One step and its review.
const RUNBOOK: &str = "---\nname: greet\nmodel: haiku\ncheck: make test\n---\n\
    # Common context\nAll words are in lower case.\n### Stop conditions\nA decision is missing.\n\
    # Phase 1: Words\n\
    ## Step 1.1: say hello\nFiles: hello.txt (new)\nMax Turns: 9\nThe line hello.\n";

fn bash(name: &str, command: &str) -> Turn {
    Turn::new(name).tool_use("Bash", json!({"command": command}))
}

/// A prepared runbook that is run in the client's place.
fn prepared() -> Bench {
    let mut bench = bench(&[]);
    bench.write("Makefile", "test:\n\t@grep -qx hello hello.txt\n").unwrap();
    bench.write("plans/greet/runbook.md", RUNBOOK).unwrap();
    bench.commit_all("begin").unwrap();
    engine(&bench, &["runbook", "prepare", "greet"]);
    bench.through(Path::new(env!("CARGO_BIN_EXE_engine")), &["runbook", "run", "greet", "--json", "--"]);
    bench.env("ENGINE_RUN_AGENT", client::find().unwrap().to_str().unwrap());
    bench
}

/// The step is done, and reviewed.
fn well() -> Scenario {
    well_after(Scenario::new())
}

fn well_after(scenario: Scenario) -> Scenario {
    let report = "mkdir -p plans/greet/reports && printf -- '---\\nStatus: done\\nCheck: make test, 0\\n---\\n' > plans/greet/reports/step-1-1.md";
    let review =
        "printf -- '---\\nCritical: 0\\nMajor: 0\\nMinor: 0\\n---\\n' > plans/greet/reports/phase-1.md";
    scenario
        .turn(
            bash("writes", "echo hello > hello.txt")
                .prompt_contains("plans/greet/steps/step-1-1.md")
                .model_contains("haiku")
                .system_contains("All words are in lower case."),
        )
        .turn(bash("checks", "make test").tool_result_of("Bash").model_contains("haiku"))
        .turn(bash("reports", report).tool_result_of("Bash").model_contains("haiku"))
        .turn(Turn::new("ends").tool_result_of("Bash").model_contains("haiku").text("done"))
        .turn(
            bash("reviews", review)
                .prompt_contains("Review of phase 1, report: plans/greet/reports/phase-1.md")
                .model_contains("sonnet")
                .system_contains("An empty diff is a critical finding."),
        )
        .turn(Turn::new("reviewed").tool_result_of("Bash").model_contains("sonnet").text("done"))
}

/// What is told of each end, without times and tokens.
fn ends(output: &Output) -> String {
    let end = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let end = &line["ended"];
        format!("{} {} {} {} closed: {}", end["step"], end["came"], end["used"], end["why"], line["closed"])
    };
    output.stdout.lines().map(end).collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_step_and_its_review_are_done_by_clients_of_their_own() {
    let bench = prepared();
    let (output, record) = bench.run_by(well(), BYPASS, at_terminal).unwrap();
    assert_eq!(output.code, Some(0), "{:?} {} {}", record.turns(), output.stdout, output.stderr);
    insta::assert_snapshot!(ends(&output), @r#"
    "1.1" "done" "claude-haiku-5-5" null closed: null
    "1-vet" "done" "claude-sonnet-5-5" null closed: null
    null null null null closed: true
    "#);
    let mains = record.of(Kind::Main);
    assert!(
        mains.iter().all(|request| !request.tools().contains(&"Agent")),
        "an agent of a step starts none"
    );
    assert!(
        !mains.iter().any(|request| request.new_text().contains("engine:")),
        "a new session would be told of plans"
    );
    assert_eq!(bench.read("hello.txt").unwrap(), "hello\n");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_client_ends_with_the_process_that_is_killed_and_its_step_is_given_again() {
    let bench = prepared();
    let hang = "echo $PPID > ~/waits.new; mv ~/waits.new ~/waits; for i in $(seq 3000); do sleep 0.1; done";
    let scenario = Scenario::new().turn(bash("hangs", hang).prompt_contains("step-1-1.md"));
    let kill_it = |command: &Command| {
        meanwhile(command, bench.home(), |engine, client| {
            kill("-KILL", engine);
            if cfg!(target_os = "linux") {
                until("the client ends with it", || !runs(client));
            }
        })
    };
    bench.run_by(scenario, BYPASS, kill_it).unwrap();
    let (output, record) = bench.run_by(well(), BYPASS, at_terminal).unwrap();
    assert_eq!(output.code, Some(0), "{:?} {} {}", record.turns(), output.stdout, output.stderr);
    insta::assert_snapshot!(ends(&output), @r#"
    "1.1" "done" "claude-haiku-5-5" null closed: null
    "1-vet" "done" "claude-sonnet-5-5" null closed: null
    null null null null closed: true
    "#);
    assert!(output.stderr.contains("step 1.1 was cut off and is not done: "), "{}", output.stderr);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn turns_that_are_used_up_are_a_try() {
    let bench = prepared();
    // Nine turns that come to nothing; then the same tier does it.
    let idle = Scenario::new()
        .turn(bash("idle", "true").prompt_contains("step-1-1.md"))
        .turn(bash("idle", "true").tool_result_of("Bash").times(8));
    let (output, record) = bench.run_by(well_after(idle), BYPASS, at_terminal).unwrap();
    assert_eq!(output.code, Some(0), "{:?} {} {}", record.turns(), output.stdout, output.stderr);
    insta::assert_snapshot!(ends(&output), @r#"
    "1.1" "failed" "claude-haiku-5-5" "it used all of its 9 turns; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `make test` was not run since the step began: engine check -- make test" closed: null
    "1.1" "done" "claude-haiku-5-5" null closed: null
    "1-vet" "done" "claude-sonnet-5-5" null closed: null
    null null null null closed: true
    "#);
}
