//! What is known from turn to turn, and from session to session: the plan's own agents, a step that was cut off, a message to an agent.

use std::fs;
use std::thread;
use std::time::Duration;

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::json;

use super::{
    as_shown, bash, done, main_agent, one, project, report, review, say, step, three, told, two, work,
};
use crate::real_client::{BYPASS, WAIT, ask, engine};
use crate::stage::until;

/// The client finds an agent file that was written in the turn before; until then the shipped agent gets what all steps have in common.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_plans_own_agent_is_named_from_the_next_turn_on() {
    let bench = project();
    let scenario = main_agent(
        Scenario::new(),
        [
            bash("engine runbook prepare greet").prompt_contains("go"),
            bash("engine runbook next greet"),
            as_shown(),
            done("1.1"),
            say("One is done."),
            say("One is done, yes."),
            bash("engine runbook next").prompt_contains("go on"),
            as_shown(),
            done("1.2"),
            say("Two are done."),
            say("Two are done, yes."),
        ],
    );
    let mut live = bench.live(two(one(scenario)), BYPASS).unwrap();
    for prompt in ["go", "go on"] {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
        // The client looks for new agents now and then, and a person takes some time to write.
        thread::sleep(Duration::from_secs(5));
    }
    let run = live.finish().unwrap();
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook prepare greet
      new       plans/greet/steps/step-1-1.md
      new       plans/greet/steps/step-1-2.md
      new       plans/greet/steps/step-1-3.md
      new       plans/greet/orchestrator-plan.md
      new       .claude/agents/greet-HASH-task.md
      plans/greet is prepared: 4 steps, agents greet-HASH-task
      recorded the task: Run greet
      then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): One is done.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): One is done, yes.
    main (opus): $ engine runbook next
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.2
      - [x] 1.2. says morning (morning.txt; `make test-two` passed)
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (opus): Two are done.
      <Stop> engine: plan greet is open:
    - 2 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Two are done, yes.

      <SubagentStart> engine: what all steps of plan greet have in common:

    All words are in lower case.
    ### Stop conditions
    - A file that a step names is missing.
    agent (haiku): $ cat plans/greet/steps/step-1-1.md
      Execution Model: haiku
    agent (haiku): $ echo hello > hello.txt
    agent (haiku): $ make test-one
    agent (haiku): Write plans/greet/reports/step-1-1.md
    agent (haiku): done: plans/greet/reports/step-1-1.md
    agent (sonnet): $ cat plans/greet/steps/step-1-2.md
      Execution Model: sonnet
    agent (sonnet): $ echo morning > morning.txt
    agent (sonnet): $ make test-two
    agent (sonnet): Write plans/greet/reports/step-1-2.md
    agent (sonnet): done: plans/greet/reports/step-1-2.md
    "#);
    let of_agents = run.record.of(Kind::Subagent);
    let systems: Vec<bool> = of_agents
        .iter()
        .map(|request| request.system_text().contains("All words are in lower case."))
        .collect();
    assert_eq!(systems, [[false; 5], [true; 5]].concat(), "in the agent's own file");
}

/// Where the client does not find the plan's own agent after all, the shipped one is named instead.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_plans_agent_whose_file_is_gone_is_replaced_by_the_shipped_one() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    for file in fs::read_dir(bench.project().join(".claude/agents")).unwrap().flatten() {
        if file.file_name().to_string_lossy().starts_with("greet-") {
            fs::remove_file(file.path()).unwrap();
        }
    }
    let main = [
        bash("engine runbook next greet").prompt_contains("go"),
        as_shown(),
        done("1.1"),
        say("One is done."),
        say("One is done, yes."),
    ];
    let run = ask(&bench, one(main_agent(Scenario::new(), main)), "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): One is done.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): One is done, yes.

      <SubagentStart> engine: what all steps of plan greet have in common:

    All words are in lower case.
    ### Stop conditions
    - A file that a step names is missing.
    agent (haiku): $ cat plans/greet/steps/step-1-1.md
      Execution Model: haiku
    agent (haiku): $ echo hello > hello.txt
    agent (haiku): $ make test-one
    agent (haiku): Write plans/greet/reports/step-1-1.md
    agent (haiku): done: plans/greet/reports/step-1-1.md
    "#);
}

/// The third step is cut off by the death of its client, with this much done.
fn killed_in_the_third_step(done_before: usize) -> Bench {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let begin = [
        bash("engine runbook next greet").prompt_contains("go"),
        as_shown(),
        done("1.1"),
        as_shown(),
        done("1.2"),
        as_shown(),
    ];
    let turns = work("1-3").into_iter().enumerate();
    let hangs = turns.take(done_before + 1).map(|(at, turn)| match at {
        at if at == done_before => Turn::new("hangs").text("…").held_until(|_| false),
        _ => turn,
    });
    let hangs: Vec<Turn> = hangs.collect();
    let scenario = step(two(one(main_agent(Scenario::new(), begin))), "1-3", hangs);
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("go").unwrap();
    until("the third step is under way", || {
        live.record().requests.iter().any(|request| request.turn == "hangs")
    });
    // With SIGKILL, and all that it has started.
    drop(live);
    bench
}

/// In the next session the step that was cut off is looked at before anything else, and given again if it is not done.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_step_that_was_cut_off_is_given_again() {
    let bench = killed_in_the_third_step(2);
    let again = [
        bash("engine runbook next greet").any_contains("/orchestrate plans/greet"),
        as_shown(),
        done("1.3"),
        say("Three are done."),
        say("Three are done, yes."),
    ];
    let run = ask(&bench, three(main_agent(Scenario::new(), again)), "r", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
      <SessionStart> engine: plan greet is open, its session has ended: engine runbook next greet
      <UserPromptSubmit> [SHORTCUT: #resume] The user typed r. Task: Run greet (in progress, resumed)
    Command: `/orchestrate plans/greet`
    Plan: greet, running 2/4
    Model: haiku | Restart: yes
    When it is done: engine task done 'Run greet'. The user expects this one task to be carried to its end, and no other to be started.
    main (opus): $ engine runbook next greet
      note: step 1.3 was cut off and is not done: there is no report plans/greet/reports/step-1-3.md; `make test-three` was not run since the step began: engine check -- make test-three
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.3
      - [x] 1.3. says evening (evening.txt; 2 attempts; `make test-three` passed)
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md\nCheck: make test")
      when its result has come: engine runbook done 1-vet
    main (opus): Three are done.
      <Stop> engine: plan greet is open:
    - 3 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Three are done, yes.

    agent (opus): $ cat plans/greet/steps/step-1-3.md
      Execution Model: opus
    agent (opus): $ echo evening > evening.txt
    agent (opus): $ make test-three
    agent (opus): Write plans/greet/reports/step-1-3.md
    agent (opus): done: plans/greet/reports/step-1-3.md
    "#);
}

/// One that left everything behind that shows it done is done, and the next one follows.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_step_that_was_cut_off_at_its_very_end_is_done() {
    let bench = killed_in_the_third_step(4);
    let again = [
        bash("engine runbook next greet").any_contains("/orchestrate plans/greet"),
        as_shown(),
        done("1-vet"),
        say("All is done."),
    ];
    let run = ask(&bench, review(main_agent(Scenario::new(), again)), "r", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
      <SessionStart> engine: plan greet is open, its session has ended: engine runbook next greet
      <UserPromptSubmit> [SHORTCUT: #resume] The user typed r. Task: Run greet (in progress, resumed)
    Command: `/orchestrate plans/greet`
    Plan: greet, running 2/4
    Model: haiku | Restart: yes
    When it is done: engine task done 'Run greet'. The user expects this one task to be carried to its end, and no other to be started.
    main (opus): $ engine runbook next greet
      note: step 1.3 was cut off, and everything shows that it is done
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md\nCheck: make test")
      when its result has come: engine runbook done 1-vet
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1-vet
      - [x] 1-vet. Review of phase 1: Words (`make test` passed)
      plan greet is done and closed: every step, every criterion
      Run greet: done
    main (opus): All is done.

    agent (sonnet): $ make test
    agent (sonnet): Write plans/greet/reports/phase-1.md
    agent (sonnet): done: plans/greet/reports/phase-1.md, 0 critical, 0 major, 0 minor
    "#);
}

/// A message to the agent of a step that is not looked at yet goes on with the same try; to one whose step is over it is refused.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_message_goes_on_with_the_same_try() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let load = Turn::new("load").tool_use("ToolSearch", json!({"query": "select:SendMessage"}));
    let message = |name: &str| {
        let input =
            json!({"to": "${agent}", "summary": "write the report", "message": "Write the report, too."});
        Turn::new(name).tool_use("SendMessage", input)
    };
    let main = [
        load.prompt_contains("go"),
        bash("engine runbook next greet"),
        as_shown(),
        done("1.1"),
        message("message"),
        say("It goes on."),
        done("1.1").last_contains("<task-notification>"),
        bash("engine runbook status greet"),
        message("late message"),
        say("One is done."),
        say("One is done, yes."),
    ];
    let forgets = [bash("echo hello > hello.txt"), bash("make test-one"), say("done, I think")];
    let reports = [report("1-1"), say("done: with a report")];
    let scenario = step(main_agent(Scenario::new(), main), "1-1", forgets);
    let scenario = step(scenario, "1-1", reports);
    let run = ask(&bench, scenario, "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): load
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      there is no report plans/greet/reports/step-1-1.md
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): message
    main (opus): It goes on.
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): $ engine runbook status greet
      plan greet: running 1/4
      1.1    done  says hello                claude-haiku-5-5
      1.2    open  says morning              sonnet
      1.3    open  says evening              opus
      1-vet  open  Review of phase 1: Words  sonnet
    main (opus): late message
      engine rule plan: plan greet gives its steps to agents: the try of agent ID at step 1.1 is over. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
    main (opus): One is done.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): One is done, yes.

    agent (haiku): $ echo hello > hello.txt
    agent (haiku): $ make test-one
    agent (haiku): done, I think
    agent (haiku): Write plans/greet/reports/step-1-1.md
    agent (haiku): done: with a report
    "#);
}
