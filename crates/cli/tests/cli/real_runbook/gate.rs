//! The gate behind each step with the real client: an agent that lies, strays, or writes no failing test first, is not done.

use engine_testkit::{Bench, Run, Scenario, Turn};

use super::{agent, as_shown, bash, done, main_agent, one, project, report, say, told, write};
use crate::real_client::{BYPASS, ask, bench, engine};

fn fail(step: &str, why: &str) -> Turn {
    bash(&format!("engine runbook fail {step} --why '{why}'"))
}

fn begin() -> Turn {
    bash("engine runbook next greet").prompt_contains("go")
}

fn played(bench: &Bench, scenario: Scenario) -> Run {
    engine(bench, &["runbook", "prepare", "greet"]);
    ask(bench, scenario, "go", BYPASS)
}

/// An agent that calls no tool is sent on once. Twice the same tier fails, then the next one is asked for.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_that_does_nothing_is_not_done() {
    let bench = project();
    let main = [
        begin(),
        as_shown(),
        done("1.1"),
        fail("1.1", "it did nothing"),
        as_shown(),
        done("1.1"),
        fail("1.1", "it did nothing again"),
        as_shown(),
        done("1.1"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let lies = [
        say("done: plans/greet/reports/step-1-1.md"),
        say("It is done."),
        say("done, too"),
        bash("true"),
        say("Done again."),
    ];
    let scenario = agent(main_agent(Scenario::new(), main), "plans/greet/steps/step-1-1.md", lies);
    let run = played(&bench, one(scenario));
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      its agent called no tool
      there is no report plans/greet/reports/step-1-1.md
      no file of it was changed, and its report has no line `No change: why`
      `make test-one` was not run since the step began: engine check -- make test-one
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook fail 1.1 --why 'it did nothing'
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: it did nothing")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      there is no report plans/greet/reports/step-1-1.md
      no file of it was changed, and its report has no line `No change: why`
      `make test-one` was not run since the step began: engine check -- make test-one
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook fail 1.1 --why 'it did nothing again'
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: it did nothing again")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; 3 attempts; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.

    agent (haiku): done: plans/greet/reports/step-1-1.md
      <SubagentStop> engine: step 1.1 of plan greet: no tool was called, so nothing is done. Read the step's file, do what it says, write its report, then answer.
    agent (haiku): It is done.
    agent (haiku): done, too
      <SubagentStop> engine: step 1.1 of plan greet: no tool was called, so nothing is done. Read the step's file, do what it says, write its report, then answer.
    agent (haiku): $ true
    agent (haiku): Done again.
    agent (sonnet): $ cat plans/greet/steps/step-1-1.md
      Execution Model: haiku
    agent (sonnet): $ echo hello > hello.txt
    agent (sonnet): $ make test-one
    agent (sonnet): Write plans/greet/reports/step-1-1.md
    agent (sonnet): done: plans/greet/reports/step-1-1.md
    "#);
}

/// All that is missing is named at once; what the next try mends is enough.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_stray_file_a_late_change_and_no_report_are_named_at_once() {
    let bench = project();
    let main = [
        begin(),
        as_shown(),
        done("1.1"),
        fail("1.1", "see above"),
        as_shown(),
        done("1.1"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let step = "plans/greet/steps/step-1-1.md";
    let strays = [
        bash("echo hello > hello.txt && echo x > other.txt"),
        bash("make test-one"),
        bash("printf 'hello\\n\\n' > hello.txt"),
        say("done"),
    ];
    let mends = [bash("rm other.txt"), bash("make test-one"), report("1-1"), say("done, all of it")];
    let scenario = agent(main_agent(Scenario::new(), main), step, strays);
    let run = played(&bench, agent(scenario, step, mends));
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      there is no report plans/greet/reports/step-1-1.md
      changed besides its files (hello.txt): other.txt
      changed since `make test-one` passed: hello.txt. Run it again: engine check -- make test-one
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook fail 1.1 --why 'see above'
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: see above")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; 2 attempts; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.

    agent (haiku): $ echo hello > hello.txt && echo x > other.txt
    agent (haiku): $ make test-one
    agent (haiku): $ printf 'hello\n\n' > hello.txt
    agent (haiku): done
    agent (haiku): $ rm other.txt
    agent (haiku): $ make test-one
    agent (haiku): Write plans/greet/reports/step-1-1.md
    agent (haiku): done, all of it
    "#);
}

const CYCLE: &str = "---
name: greet
model: haiku
type: tdd
---
# Common context
### Stop conditions
- A file is missing.
# Phase 1: Count
## Cycle 1.1: counts lines
Files: count.sh (new), test.sh (new)
Check: `sh test.sh`
### RED
test.sh says that two lines are 2.
### GREEN
count.sh counts.
";

/// A test that never failed shows nothing.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_cycle_whose_test_never_failed_is_refused() {
    const TEST: &str = "test \"$(printf 'a\\nb\\n' | sh count.sh)\" = 2\n";
    let bench = bench(&["--with", "skills=all"]);
    bench.write("plans/greet/runbook.md", CYCLE).unwrap();
    bench.commit_all("begin").unwrap();
    let main = [
        begin(),
        as_shown(),
        done("1.1"),
        fail("1.1", "no failing test"),
        as_shown(),
        done("1.1"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let green = "printf '%s\\n' 'wc -l' > count.sh";
    let report = || {
        let text = "---\nStatus: done\nCheck: seen\nQuality: none\n---\n";
        write("plans/greet/reports/cycle-1-1.md", text)
    };
    let cycle = "plans/greet/steps/cycle-1-1.md";
    let hasty = [write("test.sh", TEST), bash(green), bash("sh test.sh"), report(), say("done: without RED")];
    let careful = [
        bash("echo true > count.sh"),
        bash("sh test.sh"),
        bash(green),
        bash("sh test.sh; true"),
        bash("sh test.sh"),
        report(),
        say("done: with RED"),
    ];
    let scenario = agent(main_agent(Scenario::new(), main), cycle, hasty);
    let run = played(&bench, agent(scenario, cycle, careful));
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/2. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-tdd", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/cycle-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      `sh test.sh` was not seen failing after its test was written and before it passed
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook fail 1.1 --why 'no failing test'
      plan greet, running 0/2. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-tdd", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/cycle-1-1.md\nThe earlier attempt was refused: no failing test\nReport of the earlier run: plans/greet/reports/cycle-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. counts lines (count.sh, test.sh; 2 attempts; `sh test.sh` passed)
      plan greet, running 1/2. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/cycle-1-1.md")
      when its result has come: engine runbook done 1-vet
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 1 of 2 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.

    agent (haiku): Write test.sh
    agent (haiku): $ printf '%s\n' 'wc -l' > count.sh
    agent (haiku): $ sh test.sh
    agent (haiku): Write plans/greet/reports/cycle-1-1.md
    agent (haiku): done: without RED
    agent (haiku): $ echo true > count.sh
    agent (haiku): $ sh test.sh
      Exit code 1
    agent (haiku): $ printf '%s\n' 'wc -l' > count.sh
    agent (haiku): $ sh test.sh; true
      <PostToolUse:Bash> engine: plan greet: whether `sh test.sh` passed is not known (other commands run after it). A run that counts: engine check --tail 20 -- sh test.sh
    agent (haiku): $ sh test.sh
    agent (haiku): Write plans/greet/reports/cycle-1-1.md
    agent (haiku): done: with RED
    "#);
}
