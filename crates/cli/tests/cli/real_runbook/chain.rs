//! From the design to the commit, with a restart between: the chain waits for the run, and the run for its steps.

use std::fs;
use std::time::Duration;

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::json;

use super::{
    RUNBOOK, as_shown, bash, done, main_agent, one, project, review, say, three, told_main, two, write,
};
use crate::real_client::{BYPASS, ask};

const DESIGN: &str = "# Greetings
## Requirements
- R1: hello.txt says hello
- R2: morning.txt says morning
- R3: evening.txt says evening
";

fn skill(name: &str, args: &str) -> Turn {
    Turn::new(&format!("/{name} {args}")).tool_use("Skill", json!({"skill": name, "args": args}))
}

/// The project without a runbook.
fn empty() -> Bench {
    let bench = project();
    bench.git(&["rm", "-rq", "plans"]).unwrap();
    bench.git(&["commit", "-qm", "no plan"]).unwrap();
    bench
}

fn runbook() -> String {
    let mut text = RUNBOOK.to_owned();
    for (file, number) in [("hello.txt", 1), ("morning.txt (new)", 2), ("evening.txt (new)", 3)] {
        text =
            text.replace(&format!("Files: {file}\n"), &format!("Files: {file}\nRequirements: R{number}\n"));
    }
    text
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_design_is_planned_and_carried_out_after_a_restart() {
    let bench = empty();
    let first = [
        write("plans/greet/design.md", DESIGN).any_contains("/design plans/greet"),
        skill("plan-adhoc", "plans/greet [CONTINUATION: /handoff --commit, /commit]"),
        write("plans/greet/runbook.md", &runbook()),
        bash("engine runbook prepare greet"),
        skill("handoff", "--commit [CONTINUATION: /commit]"),
        bash("engine handoff --status 'The greetings are planned.' --done 'the runbook'"),
        skill("commit", ""),
        bash("git add -A && git commit -qm 'Plan the greetings' && git log --format=%s -1"),
        say("Planned."),
    ];
    let planned = ask(
        &bench,
        main_agent(Scenario::new(), first),
        "/design plans/greet, /plan-adhoc plans/greet",
        BYPASS,
    );
    insta::assert_snapshot!(told_main(&bench, &planned), @r#"
      <UserPromptSubmit> [CONTINUATION-PASSING]
    Current: /design plans/greet
    Continuation: /plan-adhoc plans/greet, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "plans/greet [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (opus): Write plans/greet/design.md
    main (opus): /plan-adhoc plans/greet [CONTINUATION: /handoff --commit, /commit]
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /plan-adhoc plans/greet
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (opus): Write plans/greet/runbook.md
    main (opus): $ engine runbook prepare greet
      new       plans/greet/steps/step-1-1.md
      new       plans/greet/steps/step-1-2.md
      new       plans/greet/steps/step-1-3.md
      new       plans/greet/orchestrator-plan.md
      new       .claude/agents/greet-HASH-task.md
      plans/greet is prepared: 4 steps, agents greet-HASH-task
      recorded the task: Run greet
      then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    main (opus): /handoff --commit [CONTINUATION: /commit]
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /handoff --commit
    Continuation: /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "commit", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (opus): $ engine handoff --status 'The greetings are planned.' --done 'the runbook'
    main (opus): /commit 
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /commit
    Continuation: none; the chain ends with the current skill.
    main (opus): $ git add -A && git commit -qm 'Plan the greetings' && git log --format=%s -1
    main (opus): Planned.
    "#);

    let notified = |step: &str| done(step).last_contains("<task-notification>");
    let second = [
        Turn::new("Skill as shown").prompt_contains("xc").shown_call("Skill", json!({})),
        bash("engine runbook next plans/greet"),
        as_shown(),
        say("The first works."),
        notified("1.1"),
        skill("handoff", "--commit [CONTINUATION: /commit]"),
        bash("engine runbook next"),
        as_shown(),
        say("The second works."),
        notified("1.2"),
        as_shown(),
        say("The third works."),
        notified("1.3"),
        as_shown(),
        say("It is looked at."),
        notified("1-vet"),
        skill("handoff", "--commit [CONTINUATION: /commit]"),
        bash("engine handoff --status 'The greetings are there.' --done 'the greetings'"),
        skill("commit", ""),
        bash("git add -A && git commit -qm 'Say more' && git log --format=%s -1"),
        say("Committed."),
    ];
    let scenario = three(two(one(review(main_agent(Scenario::new(), second)))));
    // The client forgets what was agreed to in the form of an older one, once it has run.
    let settings = bench.home().join(".claude/settings.json");
    fs::write(settings, json!({"skipDangerousModePermissionPrompt": true}).to_string()).unwrap();
    let mut terminal = bench.terminal(scenario, &[BYPASS, &["--model", "haiku"]].concat()).unwrap();
    terminal.type_line("xc").unwrap();
    assert!(terminal.wait_for("Committed.", Duration::from_mins(1)), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
      <SessionStart> Left by the last session in session.md:

    ## Status

    The greetings are planned. (SESSION)

    ## Done

    - the runbook (SESSION)
      <UserPromptSubmit> [SHORTCUT: #execute --commit] The user typed xc. Task: Run greet (pending, now marked as in progress)
    Command: `/orchestrate plans/greet`
    Plan: greet, ready
    Model: haiku | Restart: yes
    Its command is the task: engine marks it as done when /handoff is called after /orchestrate. Then the user expects /handoff --commit, which ends in a commit and STATUS.

    [CONTINUATION-PASSING]
    Continuation: /orchestrate plans/greet, /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "plans/greet [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (haiku): Skill as shown
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /orchestrate plans/greet
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (haiku): $ engine runbook next plans/greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (haiku): Agent as shown
    main (haiku): The first works.
    main (haiku): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (haiku): /handoff --commit [CONTINUATION: /commit]
      PreToolUse:Skill hook error: engine rule chain: /handoff is not called yet, because /orchestrate is not done: not every step of plans/greet is done; engine runbook next prints the call of the next one. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest.
    main (haiku): $ engine runbook next
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (haiku): Agent as shown
    main (haiku): The second works.
    main (haiku): $ engine runbook done 1.2
      - [x] 1.2. says morning (morning.txt; `make test-two` passed)
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (haiku): Agent as shown
    main (haiku): The third works.
    main (haiku): $ engine runbook done 1.3
      - [x] 1.3. says evening (evening.txt; `make test-three` passed)
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1-vet
    main (haiku): Agent as shown
    main (haiku): It is looked at.
    main (haiku): $ engine runbook done 1-vet
      - [x] 1-vet. Review of phase 1: Words
      plan greet is done and closed: every step, every criterion
      Run greet: done
    main (haiku): /handoff --commit [CONTINUATION: /commit]
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /handoff --commit
    Continuation: /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "commit", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    main (haiku): $ engine handoff --status 'The greetings are there.' --done 'the greetings'
    main (haiku): /commit 
      <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /commit
    Continuation: none; the chain ends with the current skill.
    main (haiku): $ git add -A && git commit -qm 'Say more' && git log --format=%s -1
    main (haiku): Committed.
    "#);
    let mut models: Vec<&str> = run.record.of(Kind::Subagent).iter().map(|request| request.model()).collect();
    models.dedup();
    assert_eq!(models, ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-sonnet-5-5"]);
    assert_eq!(bench.git(&["log", "--format=%s", "-1"]).unwrap(), "Say more");
    assert_eq!(bench.git(&["status", "--short"]).unwrap(), "");
}
