//! Agents that do not end by themselves: an error of the model's, one that is stopped.

use engine_testkit::{Scenario, Terminal, Turn};
use serde_json::json;

use super::{as_shown, bash, done, main_agent, one, project, say, step, told_main};
use crate::real_client::{BYPASS, ask, engine};
use crate::stage::until;

fn begin() -> Turn {
    bash("engine runbook next greet").prompt_contains("go")
}

fn has_said(terminal: &Terminal, turn: &str) -> bool {
    terminal.record().requests.iter().any(|request| request.turn == turn)
}

fn fails() -> Turn {
    Turn::new("fails").error(400, "invalid_request_error", "no such thing").always()
}

/// The model refuses the agent's request: the call brings an error, and the step is free again.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_whose_model_fails_leaves_the_step_free() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let main = [
        begin(),
        as_shown(),
        bash("engine runbook status"),
        done("1.1"),
        bash("engine runbook next"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let run = ask(&bench, step(main_agent(Scenario::new(), main), "1-1", [fails()]), "go", BYPASS);
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
      Agent terminated early due to an API error: API Error: 400 no such thing (error type unknown, HTTP 400, request id req_test_00000009, model sent to the API: claude-haiku-5-5)
    main (opus): $ engine runbook status
      plan greet: running 0/4
      1.1    ended, not looked at  says hello                haiku
      1.2    open                  says morning              sonnet
      1.3    open                  says evening              opus
      1-vet  open                  Review of phase 1: Words  sonnet
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      its agent called no tool
      there is no report plans/greet/reports/step-1-1.md
      no file of it was changed, and its report has no line `No change: why`
      `make test-one` was not run since the step began: engine check -- make test-one
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook next
      note: step 1.1 was cut off and is not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `make test-one` was not run since the step began: engine check -- make test-one
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 0 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.
    "#);
}

/// The same in the background: the message that brings the end frees the step.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_in_the_background_whose_model_fails_is_not_waited_for() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let main = [
        begin(),
        as_shown(),
        say("The first works."),
        bash("engine runbook next"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let turns = [bash("true").after("The first works."), fails()];
    let scenario = step(main_agent(Scenario::new(), main), "1-1", turns);
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("go").unwrap();
    until("the turn is over", || has_said(&terminal, "Enough, yes."));
    let run = terminal.finish().unwrap();
    for request in run.record.requests.iter().filter(|r| r.turn.contains("runbook next")) {
        eprintln!("NEW {}", request.new_text());
    }
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): The first works.
    main (opus): $ engine runbook next
      note: step 1.1 was cut off and is not done: there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `make test-one` was not run since the step began: engine check -- make test-one
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 0 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.
    "#);
}

/// An agent that the main agent stops has ended.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_that_is_stopped_is_not_waited_for() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let load = Turn::new("load").tool_use("ToolSearch", json!({"query": "select:TaskStop"}));
    let main = [
        load.prompt_contains("go"),
        bash("engine runbook next greet"),
        as_shown(),
        Turn::new("stops it").after("never").tool_use("TaskStop", json!({"task_id": "${agent}"})),
        bash("engine runbook next"),
        as_shown(),
        say("It works again."),
        done("1.1"),
        say("One is done."),
        say("One is done, yes."),
    ];
    let hangs = [bash("true"), say("never").held_until(|_| false)];
    let scenario = step(main_agent(Scenario::new(), main), "1-1", hangs);
    let mut terminal = bench.terminal(one(scenario), BYPASS).unwrap();
    terminal.type_line("go").unwrap();
    until("the turn is over", || has_said(&terminal, "One is done, yes."));
    let run = terminal.finish().unwrap();
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
    main (opus): load
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): stops it
    main (opus): $ engine runbook next
      note: step 1.1 was cut off and is not done: there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `make test-one` was not run since the step began: engine check -- make test-one
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): It works again.
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; 2 attempts; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): One is done.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): One is done, yes.
    "#);
}
