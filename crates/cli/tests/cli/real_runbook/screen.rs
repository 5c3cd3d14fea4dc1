//! Runs on the interactive screen: there every agent works in the background.

use std::fs;
use std::path::PathBuf;

use engine_testkit::{Bench, Record, Scenario};

use super::{as_shown, bash, done, main_agent, project, review, say, step, three, told, work};
use crate::real_client::{BYPASS, WAIT, engine};

/// Whether so many turns of the main agent have ended.
pub(crate) fn has_stopped(bench: &Bench, times: usize) -> impl Fn(&Record) -> bool + Send + Sync + use<> {
    let folder: PathBuf = bench.project().join(".engine/journal");
    move |_| {
        let days = fs::read_dir(&folder).into_iter().flatten().flatten();
        let texts = days.filter_map(|day| fs::read_to_string(day.path()).ok()).collect::<String>();
        let is_stop = |line: &&str| line.ends_with('\n') && line.contains("\"event\":\"Stop\"");
        texts.split_inclusive('\n').filter(is_stop).count() >= times
    }
}

/// Each result comes as a message of its own after the turn has ended; the end of that turn is silent, and so is `done` before it refused.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn agents_in_the_background_are_waited_for() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let notified = |step: &str| done(step).last_contains("<task-notification>");
    let scenario = main_agent(
        Scenario::new(),
        [
            bash("engine runbook next greet").prompt_contains("go"),
            as_shown(),
            done("1.1"),
            say("The first works."),
            notified("1.1"),
            as_shown(),
            say("The second works."),
            notified(""),
            as_shown(),
            say("The third works."),
            notified("1.3"),
            as_shown(),
            say("It is looked at."),
            notified("1-vet"),
            say("All is done."),
        ],
    );
    // An agent goes on when the turn of the main agent is over.
    let later = |name: &str, times: usize| {
        let mut turns = work(name).into_iter();
        let first = turns.next().map(|turn| turn.held_until(has_stopped(&bench, times)));
        first.into_iter().chain(turns).collect::<Vec<_>>()
    };
    let scenario = review(scenario);
    let scenario = step(scenario, "1-1", later("1-1", 1));
    let scenario = three(step(scenario, "1-2", later("1-2", 2)));
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("go").unwrap();
    assert!(terminal.wait_for("All is done.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 still runs: its agent (ID) has not ended
        end the turn, its result comes by itself; engine runbook status tells whether it ended
    main (opus): The first works.
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Agent as shown
    main (opus): The second works.
    main (opus): $ engine runbook done 
      - [x] 1.2. says morning (morning.txt; `make test-two` passed)
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (opus): Agent as shown
    main (opus): The third works.
    main (opus): $ engine runbook done 1.3
      - [x] 1.3. says evening (evening.txt; `make test-three` passed)
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md\nCheck: make test")
      when its result has come: engine runbook done 1-vet
    main (opus): Agent as shown
    main (opus): It is looked at.
    main (opus): $ engine runbook done 1-vet
      - [x] 1-vet. Review of phase 1: Words (`make test` passed)
      plan greet is done and closed: every step, every criterion
      Run greet: done
    main (opus): All is done.

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
    agent (opus): $ cat plans/greet/steps/step-1-3.md
      Execution Model: opus
    agent (opus): $ echo evening > evening.txt
    agent (opus): $ make test-three
    agent (opus): Write plans/greet/reports/step-1-3.md
    agent (opus): done: plans/greet/reports/step-1-3.md
    agent (sonnet): $ make test
    agent (sonnet): Write plans/greet/reports/phase-1.md
    agent (sonnet): done: plans/greet/reports/phase-1.md, 0 critical, 0 major, 0 minor
    "#);
}
