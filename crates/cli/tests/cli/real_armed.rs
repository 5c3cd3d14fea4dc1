//! From `/do` to the first step with the real client: what an agent receives that edits too early, whose YAML is refused, or that leaves
//! the router's answer and the start of steps to the engine.

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, ask, bench};
use crate::real_do::{Call, agent, bash, edit, play, received};

pub(crate) const PLAN: &str = r#"task_type: debug
workflow: verify-first
skills_to_invoke: []
guardrails:
  plan_mode: false
  answer_only: false
  require_skill: null
  verify_before_complete: true
  require_acceptance_test: true
  quote_errors_exactly: true
  fix_within_design: true
enriched_context: |
  The Makefile greps for b.
todo_items:
  - {text: Mend src.txt, files: [src.txt]}
  - {text: "CHECKPOINT: src.txt is mended", proof: make test}
acceptance_criteria:
  - {text: the test passes, proof: make test}
scope: ["src.txt", "log.txt"]
warnings: []
original_fragment: |
  fix the failing test
"#;

pub(crate) fn project() -> Bench {
    let bench = bench(&["--with", "skills"]);
    bench.write("Makefile", "test:\n\tgrep -q b src.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    bench.commit_all("begin").unwrap();
    bench
}

fn read() -> Call {
    ("Read", json!({"file_path": "${PROJECT}/src.txt"}))
}

pub(crate) fn route() -> Call {
    agent("intent-router", "User fragment: fix the failing test")
}

fn router(answer: &str) -> Turn {
    Turn::new("router").kind(Kind::Subagent).prompt_contains("User fragment").text(answer)
}

/// Finding A6: neither an early edit nor a refused YAML leads past the plan; the person's next message does.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_that_edits_first_or_sends_broken_yaml_is_refused() {
    let bench = project();
    let broken = PLAN.replace("workflow: verify-first\n", "");
    let first = [
        read(),
        edit("a", "b"),
        route(),
        bash("engine plan new"),
        edit("a", "b"),
        bash("sed -i s/a/b/ src.txt"),
        agent("general-purpose", "Step 1: mend src.txt"),
    ];
    let scenario = play(Scenario::new(), "The plan is the engine's", &first, "I may not.")
        .turn(router(&format!("Here:\n\n```yaml\n{broken}```\n")))
        .turn(
            Turn::new("worker")
                .kind(Kind::Subagent)
                .prompt_contains("Step 1")
                .tool_use("Bash", json!({"command": "echo b > src.txt"})),
        )
        .turn(Turn::new("worker ends").kind(Kind::Subagent).tool_result_of("Bash").text("I may not."));
    let scenario = play(scenario, "no plan, just mend it", &[edit("a", "b")], "Mended.");
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("/do fix the failing test").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert_eq!(bench.read("src.txt").unwrap(), "a\n");
    live.prompt("no plan, just mend it").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Read src.txt
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new
    $ Agent intent-router
    $ Bash engine plan new
    Exit code 1
    engine: the plan is not taken: 1 problem
    the answer of intent-router:4: workflow is missing
      engine plan new --help tells its form
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new
    $ Bash sed -i s/a/b/ src.txt
    PreToolUse:Bash hook error: engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new
    $ Agent general-purpose
    $ I may not.
    $ Edit b
    ");
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Subagent)), @"
    $ router
    $ worker
    PreToolUse:Bash hook error: engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new
    ");
    assert_eq!(bench.read("src.txt").unwrap(), "b\n");
}

/// Findings A6, C2, C7: nothing is typed again, and the first change begins the step.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_routers_answer_becomes_the_plan_and_the_first_change_begins_its_step() {
    let bench = project();
    let calls = [
        route(),
        bash("engine plan new"),
        bash("engine plan lock"),
        read(),
        edit("a", "b"),
        bash("echo mended > log.txt"),
        bash("make test"),
        bash("engine plan step done 1"),
        bash("engine plan step done 2"),
        bash("engine plan verify"),
        bash("engine plan show | tail -2"),
        bash("engine plan close"),
    ];
    let scenario = play(Scenario::new(), "The plan is the engine's", &calls, "Mended.").turn(router(PLAN));
    let run = ask(&bench, scenario, "/do fix the failing test", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Agent intent-router
    $ Bash engine plan new
    note: made from the answer of intent-router
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: engine plan lock
    $ Bash engine plan lock
    plan fix-the-failing-test is locked: 2 steps, 1 criterion
    1. the test passes (`make test` passes)
    then: step 1 begins with its first change
    $ Read src.txt
    $ Edit b
    $ Bash echo mended > log.txt
    $ Bash make test
    PostToolUse:Bash: engine: plan fix-the-failing-test: steps 1, 2 are done; step 1 changed besides its files: log.txt; next: engine plan close
    $ Bash engine plan step done 1
    - [x] 1. Mend src.txt (src.txt)
    all steps are done; then: engine plan close
    PostToolUse:Bash: engine: write down now what was decided and others must know, for the folder DIR that it is about: engine directives add AGENTS DIR --text 'the decision, and why'
    $ Bash engine plan step done 2
    - [x] 2. CHECKPOINT: src.txt is mended (`make test` passed)
    all steps are done; then: engine plan close
    $ Bash engine plan verify
    1. the test passes
       met [TIME] [TIME] `make test` passed
    $ Bash engine plan show | tail -2
    Drift:
    - step 1 changed besides its files: log.txt
    $ Bash engine plan close
    plan fix-the-failing-test is closed; plans/fix-the-failing-test/PLAN.md

    plan fix-the-failing-test: 2 of 2 steps done
    - [x] 1. Mend src.txt (src.txt)
    ");
}

/// Where a person sits, every subagent runs in the background.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_answer_of_a_router_in_the_background_is_kept() {
    let bench = project();
    let (tool, input) = route();
    let (shell, new) = bash("engine plan new");
    let scenario = Scenario::new()
        .turn(
            Turn::new("routes")
                .kind(Kind::Main)
                .any_contains("The plan is the engine's")
                .tool_use(tool, input),
        )
        .turn(Turn::new("waits").kind(Kind::Main).tool_result_of("Agent").text("The router works."))
        .turn(router(PLAN).after("waits"))
        .turn(Turn::new("makes").kind(Kind::Main).any_contains("<task-notification>").tool_use(shell, new))
        .turn(Turn::new("end").kind(Kind::Main).tool_result_of("Bash").text("It is made."));
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("/do fix the failing test").unwrap();
    assert!(terminal.wait_for("It is made.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let end = run.record.of(Kind::Main).into_iter().find(|request| request.turn == "end").unwrap();
    let made = end.tool_results().pop().map(|result| result.text.clone()).unwrap_or_default();
    insta::assert_snapshot!(made, @"
    note: made from the answer of intent-router
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: engine plan lock
    ");
}
