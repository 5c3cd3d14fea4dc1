//! Less usual ways of a run: steps side by side, another model than was asked for, warnings, findings, and a step of the main agent's own.

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::json;

use super::{agent, as_shown, bash, done, main_agent, project, say, step, told, told_main, work, write};
use crate::real_client::{BYPASS, ask, bench, engine};

fn begin() -> Turn {
    bash("engine runbook next greet").prompt_contains("go")
}

fn end() -> [Turn; 2] {
    [say("Enough."), say("Enough, yes.")]
}

/// Two steps that need nothing of each other are given to agents by one message; what each did is told apart.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn two_steps_run_side_by_side() {
    let bench = project();
    let text = bench.read("plans/greet/runbook.md").unwrap();
    let text = text.replace("Files: morning.txt (new)\n", "Files: morning.txt (new)\nNeeds: none\n");
    bench.write("plans/greet/runbook.md", &text).unwrap();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let both = Turn::new("both")
        .shown_call("Agent", json!({"prompt": "plans/greet/steps/step-1-1.md", "model": "haiku"}))
        .shown_call("Agent", json!({}));
    // They share one tree: what one changes after the other's check makes that check stale, so both run again here.
    let main = [
        begin(),
        both,
        bash("engine check -- make test-two"),
        bash("engine check -- make test-one"),
        done("1.2"),
        done("1.1"),
    ];
    let main = main.into_iter().chain(end());
    // Each goes on when the other has begun.
    let beside = |name: &str, other: &str| {
        let mut turns = work(name).into_iter();
        let first = turns.next().map(|turn| turn.after(other));
        first.into_iter().chain(turns).collect::<Vec<_>>()
    };
    let scenario = main_agent(Scenario::new(), main);
    let scenario = step(scenario, "1-1", beside("1-1", "$ cat plans/greet/steps/step-1-2.md"));
    let scenario = step(scenario, "1-2", beside("1-2", "$ cat plans/greet/steps/step-1-1.md"));
    let run = ask(&bench, scenario, "go", BYPASS);
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
      plan greet, running 0/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): both
    main (opus): $ engine check -- make test-two
    main (opus): $ engine check -- make test-one
    main (opus): $ engine runbook done 1.2
      - [x] 1.2. says morning (morning.txt; `make test-two` passed)
      plan greet, running 1/4. Next: engine runbook done 1.1
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 2 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.
    "#);
    for (model, name) in [("haiku", "1-1"), ("sonnet", "1-2")] {
        let of_agents = run.record.of(Kind::Subagent).into_iter();
        let turns: Vec<&str> = of_agents
            .filter(|request| request.model().contains(model))
            .map(|request| &*request.turn)
            .collect();
        assert_eq!(turns.len(), work(name).len(), "{turns:?}");
        assert!(turns[0].ends_with(&format!("step-{name}.md")), "{turns:?}");
    }
}

/// Warnings of a step are put right by an agent for that, once; findings of a review are mended and reviewed again.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn warnings_and_findings_are_put_right_first() {
    let bench = project();
    let text = bench.read("plans/greet/runbook.md").unwrap();
    let short =
        text.split("## Step 1.2").next().unwrap().replace("check: make test\n", "check: make test-one\n");
    bench.write("plans/greet/runbook.md", &short).unwrap();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let report = |path: &str, head: &str| {
        write(&format!("plans/greet/reports/{path}"), &format!("---\n{head}\n---\nSeen.\n"))
    };
    let main = [
        begin(),
        as_shown(),
        done("1.1"),
        as_shown(),
        done("1.1-refactor"),
        as_shown(),
        done("1-vet"),
        as_shown(),
        done("1-mend"),
        as_shown(),
        done("1-vet"),
        say("All is done."),
    ];
    let warned = [
        bash("printf 'hello\\nhello \\n' > hello.txt"),
        bash("make test-one"),
        report("step-1-1.md", "Status: done\nQuality: trailing space in hello.txt"),
        say("done: with a warning"),
    ];
    let tidied = [
        bash("printf 'hello\\nhello\\n' > hello.txt"),
        bash("make test-one"),
        report("step-1-1-refactor.md", "Status: done\nQuality: none"),
        say("done: no warning"),
    ];
    let finds = [
        bash("make test-one"),
        report("phase-1.md", "Critical: 1\nMajor: 0\nMinor: 0"),
        say("done: 1 critical"),
    ];
    let mends = [
        bash("echo hello > hello.txt"),
        bash("make test-one"),
        report("1-mend.md", "Status: done\nQuality: none"),
        say("done: mended"),
    ];
    let finds_nothing = [
        bash("make test-one"),
        report("phase-1.md", "Critical: 0\nMajor: 0\nMinor: 0"),
        say("done: 0 critical"),
    ];
    let scenario = agent(main_agent(Scenario::new(), main), "Review of phase 1", finds);
    let scenario = agent(scenario, "Review of phase 1", finds_nothing);
    let scenario = agent(scenario, "Mend the critical", mends);
    let scenario = agent(scenario, "Quality warnings:", tidied);
    let run = ask(&bench, step(scenario, "1-1", warned), "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/2. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/3. Step 1.1-refactor: make this call exactly
      Agent(subagent_type: "refactor", model: "sonnet", description: "Step 1.1-refactor", run_in_background: false, prompt: "Quality warnings: plans/greet/reports/step-1-1.md\nReport: plans/greet/reports/step-1-1-refactor.md\nFiles: hello.txt\nCheck: `make test-one`")
      when its result has come: engine runbook done 1.1-refactor
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1-refactor
      - [x] 1.1-refactor. put right: trailing space in hello.txt (hello.txt; `make test-one` passed)
      plan greet, running 2/3. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md\nCheck: make test-one")
      when its result has come: engine runbook done 1-vet
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1-vet
      step 1-vet was looked at; what it found comes first
      plan greet, running 2/4. Step 1-mend: make this call exactly
      Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1-mend", run_in_background: false, prompt: "Mend the critical and major findings of plans/greet/reports/phase-1.md\nReport: plans/greet/reports/1-mend.md\nFiles: hello.txt\nCheck: `make test-one`")
      when its result has come: engine runbook done 1-mend
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1-mend
      - [x] 1-mend. mend the findings of plans/greet/reports/phase-1.md (hello.txt; `make test-one` passed)
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md\nCheck: make test-one")
      when its result has come: engine runbook done 1-vet
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1-vet
      - [x] 1-vet. Review of phase 1: Words (2 attempts; `make test-one` passed)
      plan greet is done and closed: every step, every criterion
      Run greet: done
    main (opus): All is done.

    agent (haiku): $ printf 'hello\nhello \n' > hello.txt
    agent (haiku): $ make test-one
    agent (haiku): Write plans/greet/reports/step-1-1.md
    agent (haiku): done: with a warning
    agent (sonnet): $ printf 'hello\nhello\n' > hello.txt
    agent (sonnet): $ make test-one
    agent (sonnet): Write plans/greet/reports/step-1-1-refactor.md
    agent (sonnet): done: no warning
    agent (sonnet): $ make test-one
    agent (sonnet): Write plans/greet/reports/phase-1.md
    agent (sonnet): done: 1 critical
    agent (sonnet): $ echo hello > hello.txt
    agent (sonnet): $ make test-one
    agent (sonnet): Write plans/greet/reports/1-mend.md
    agent (sonnet): done: mended
    agent (sonnet): $ make test-one
    agent (sonnet): Write plans/greet/reports/phase-1.md
    agent (sonnet): done: 0 critical
    "#);
}

/// The main agent does an inline step itself, within its files and nowhere else.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_inline_step_lifts_the_rule_within_its_files() {
    let bench = inline();
    let main = [
        begin(),
        write("other.txt", "x\n"),
        write("hello.txt", "hello\n"),
        bash("make test-one"),
        done("1.1"),
        as_shown(),
    ];
    let second = [bash("make test-one"), say("done: without work")];
    let scenario = step(main_agent(Scenario::new(), main.into_iter().chain(end())), "2-1", second);
    let run = ask(&bench, scenario, "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1 is done here, by you: says hello
      files: hello.txt
      what to do: plans/greet/runbook*.md; then: engine runbook done 1.1
    main (opus): Write other.txt
      PreToolUse:Write hook error: engine rule plan: step 1.1 of plan greet changes hello.txt: anything else is the work of another step. engine runbook next
    main (opus): Write hello.txt
    main (opus): $ make test-one
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 2.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 2.1", run_in_background: false, prompt: "plans/greet/steps/step-2-1.md")
      when its result has come: engine runbook done 2.1
    main (opus): Agent as shown
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.

    agent (sonnet): $ make test-one
    agent (sonnet): done: without work
    "#);
}

fn inline() -> Bench {
    let bench = project();
    let text = bench.read("plans/greet/runbook.md").unwrap();
    let (head, rest) = text.split_once("# Phase 1: Words\n## Step 1.1: says hello\n").unwrap();
    let (hello, rest) = rest.split_once("## Step 1.2").unwrap();
    let rest = format!("## Step 2.1{rest}").replace("## Step 1.3", "## Step 2.2");
    let text = format!(
        "{head}# Phase 1: By hand {{type: inline}}\n## Step 1.1: says hello\n{hello}# Phase 2: Words\n{rest}"
    );
    bench.write("plans/greet/runbook.md", &text).unwrap();
    engine(&bench, &["runbook", "prepare", "greet"]);
    bench
}

/// With what `engine init` allows, the commands of a run ask for nothing.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_commands_of_a_run_need_no_leave() {
    let bench = bench(&["--with", "skills=all"]);
    bench.write("Makefile", "test-one:\n\t@grep -qx hello hello.txt\n").unwrap();
    bench.write("hello.txt", "helo\n").unwrap();
    let text = super::RUNBOOK.split("## Step 1.2").next().unwrap().replace("check: make test\n", "");
    bench.write("plans/greet/runbook.md", &text).unwrap();
    bench.commit_all("begin").unwrap();
    let main = [
        bash("engine runbook check greet").prompt_contains("go"),
        bash("engine runbook prepare greet"),
        bash("engine runbook next greet"),
        as_shown(),
        bash("engine runbook status"),
        done("1.1"),
        bash("engine runbook fail 1.1 --why 'no check'"),
        say("Enough."),
        say("Enough, yes."),
    ];
    let nothing = [bash("true"), say("nothing done")];
    let manual = &["--permission-mode", "manual"];
    let run = ask(&bench, step(main_agent(Scenario::new(), main), "1-1", nothing), "go", manual);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook check greet
      plans/greet: 2 steps; then: engine runbook prepare greet
    main (opus): $ engine runbook prepare greet
      new       plans/greet/steps/step-1-1.md
      new       plans/greet/orchestrator-plan.md
      new       .claude/agents/greet-HASH-task.md
      plans/greet is prepared: 2 steps, agents greet-HASH-task
      recorded the task: Run greet
      then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    main (opus): $ engine runbook next greet
      plan greet, running 0/2. Step 1.1: make this call exactly
      Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook status
      plan greet: running 0/2
      1.1    ended, not looked at  says hello                claude-haiku-5-5
      1-vet  open                  Review of phase 1: Words  sonnet
    main (opus): $ engine runbook done 1.1
      Exit code 1
      engine: step 1.1 is not done
      there is no report plans/greet/reports/step-1-1.md
      no file of it was changed, and its report has no line `No change: why`
      `make test-one` was not run since the step began: engine check -- make test-one
        let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    main (opus): $ engine runbook fail 1.1 --why 'no check'
      plan greet, running 0/2. Step 1.1: make this call exactly
      Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: no check")
      when its result has come: engine runbook done 1.1
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 0 of 2 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.

      <SubagentStart> engine: what all steps of plan greet have in common:

    All words are in lower case.
    ### Stop conditions
    - A file that a step names is missing.
    agent (haiku): $ true
    agent (haiku): nothing done
    "#);
}
