//! Other ways through a runbook: cycles, steps of the main agent, steps side by side, another session, small work that is delegated.

use serde_json::json;

use crate::orchestra::{Orchestra, RUNBOOK};
use crate::plan::told;
use crate::plan_proofs::shell;
use crate::stage::SESSION;

const CYCLE: &str = "plans/greet/steps/cycle-1-1.md";

fn cycle() -> Orchestra {
    Orchestra::of(
        "---\nname: greet\nmodel: haiku\ncheck: pytest\ntype: tdd\n---\n# Common context\nx\n## Stop conditions\nx\n# Phase 1: Words\n## Cycle 1.1: say hello\nFiles: hello.py (new), tests/test_hello.py (new)\n### RED\nfails\n### GREEN\npasses\n",
    )
}

#[test]
fn a_cycle_is_done_when_its_test_failed_before_the_code_was_written() {
    let play = cycle();
    let tdd = play.agent("tdd");
    play.told(&["next", "greet"]);
    let hasty = play.starts(&tdd, "haiku", CYCLE);
    play.writes(&hasty, "tests/test_hello.py", "fine\n");
    play.writes(&hasty, "hello.py", "print('.')\n");
    assert_eq!(play.runs(&hasty, "pytest"), Some(0));
    play.reports(&hasty, "cycle-1-1", "Quality: none\n");
    play.ends(&hasty);
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    `pytest` was not seen failing after its test was written and before it passed
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
    play.told(&["fail", "1.1", "--why", "no RED"]);
    let honest = play.starts(&tdd, "haiku", CYCLE);
    play.writes(&honest, "tests/test_hello.py", "broken\n");
    assert_eq!(play.runs(&honest, "pytest"), Some(1));
    play.writes(&honest, "tests/test_hello.py", "fine\n");
    play.writes(&honest, "hello.py", "print('!')\n");
    assert_eq!(play.runs(&honest, "pytest"), Some(0));
    play.reports(&honest, "cycle-1-1", "Quality: none\n");
    play.ends(&honest);
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 0
    - [x] 1.1. say hello (hello.py, tests/test_hello.py; 2 attempts; `pytest` passed)
    plan greet, running 1/2. Step 1-vet: make this call exactly
    Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/cycle-1-1.md\nCheck: pytest")
    when its result has come: engine runbook done 1-vet
    "#);
    // What had to fail counts as no failure of the plan.
    let state: serde_json::Value =
        serde_json::from_str(&play.stage.read(&format!(".engine/state/sessions/{SESSION}.json"))).unwrap();
    assert_eq!((&state["plan"]["failedChecks"], &state["plan"]["red"]), (&json!(0), &json!(null)));
}

#[test]
fn the_main_agent_does_an_inline_step_and_nothing_else() {
    let play = Orchestra::of(
        "---\nname: greet\nmodel: haiku\ncheck: pytest\n---\n# Common context\nx\n## Stop conditions\nx\n# Phase 1: By hand {type: inline}\n## Step 1.1: note it\nFiles: NOTES.md (new)\nWrite it.\n# Phase 2: Words\n## Step 2.1: say hello\nFiles: hello.py (new)\nWrite it.\n",
    );
    insta::assert_snapshot!(play.told(&["next", "greet"]), @"
    exit 0
    plan greet, running 0/3. Step 1.1 is done here, by you: note it
    files: NOTES.md
    what to do: plans/greet/runbook*.md; then: engine runbook done 1.1
    ");
    insta::assert_snapshot!(play.edits("a.txt"), @"denied: engine rule plan: step 1.1 of plan greet changes NOTES.md: anything else is the work of another step. engine runbook next");
    assert_eq!(play.edits("NOTES.md"), "-");
    play.stage.write("NOTES.md", "noted\n");
    play.stage.write("b.txt", "stray\n");
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 1
    engine: step 1.1 is not done
    changed besides its files (NOTES.md): b.txt
    `pytest` was not run since the step began: engine check -- pytest
      put it right, then: engine runbook done 1.1
    ");
    std::fs::remove_file(play.stage.root().join("b.txt")).unwrap();
    assert_eq!(shell(&play.stage, "pytest").code, Some(0));
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 0
    - [x] 1.1. note it (NOTES.md; `pytest` passed)
    plan greet, running 1/3. Step 2.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 2.1", run_in_background: false, prompt: "plans/greet/steps/step-2-1.md")
    when its result has come: engine runbook done 2.1
    "#);
    assert!(play.edits("NOTES.md").starts_with("denied"));
}

#[test]
fn steps_without_an_order_run_side_by_side_and_each_once() {
    let play = Orchestra::of(&RUNBOOK.replace("Max Turns: 12\n", "Max Turns: 12\nNeeds: none\n"));
    let task = play.agent("task");
    insta::assert_snapshot!(play.told(&["next", "greet"]), @r#"
    exit 0
    plan greet, running 0/4. Step 1.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    when its result has come: engine runbook done 1.1
    plan greet, running 0/4. Step 1.2: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
    when its result has come: engine runbook done 1.2
    "#);
    let (one, two) = ("plans/greet/steps/step-1-1.md", "plans/greet/steps/step-1-2.md");
    // Two calls of one message both ask before either starts.
    let ask = |model: &str, prompt: &str| {
        play.asks(&json!({"description": "x", "subagent_type": task, "model": model, "prompt": prompt}))
    };
    let ((first, said), (second, also)) = (ask("haiku", one), ask("sonnet", two));
    assert_eq!((said.as_str(), also.as_str()), ("-", "-"));
    insta::assert_snapshot!(ask("haiku", one).1, @"
    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 runs already. The right call:
    none until a running step has ended; its result comes by itself
    ");
    let (first, second) = (play.player(&task, &first), play.player(&task, &second));
    // They start in the other order; the client says which is which.
    play.begins(&second);
    play.begins(&first);
    play.launched(&second, "claude-sonnet-5");
    play.launched(&first, "claude-haiku-5");
    play.does(&second, "step-1-2", "bye.py");
    insta::assert_snapshot!(play.told(&["done", "1.2"]), @"
    exit 0
    - [x] 1.2. say goodbye (bye.py; `pytest` passed)
    plan greet, running 1/4. Step 1.1 runs; its result comes by itself: end the turn
    ");
    play.does(&first, "step-1-1", "hello.py");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 0
    - [x] 1.1. say hello (hello.py; `pytest` passed)
    plan greet, running 2/4. Step 1.3: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
    when its result has come: engine runbook done 1.3
    "#);
}

#[test]
fn another_session_looks_first_at_what_the_dead_one_left() {
    for is_done in [false, true] {
        let mut play = Orchestra::new();
        let task = play.agent("task");
        play.told(&["next", "greet"]);
        let player = play.starts(&task, "haiku", "plans/greet/steps/step-1-1.md");
        if is_done {
            play.writes(&player, "hello.py", "print('.')\n");
            assert_eq!(play.runs(&player, "pytest"), Some(0));
            play.reports(&player, "step-1-1", "Quality: none\n");
        }
        // The client is killed; nothing tells of its end but the one that follows.
        play.stage
            .hook(&play.stage.event_with("SessionEnd", &json!({"session_id": SESSION, "reason": "other"})));
        let other = "11111111-2222-3333-4444-555555555555";
        play.stage.set("CLAUDE_CODE_SESSION_ID", other);
        let begins =
            play.stage.event_with("SessionStart", &json!({"session_id": other, "source": "startup"}));
        let told_at_start = play.stage.hook(&begins).json();
        let context =
            told_at_start["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("-").to_owned();
        insta::allow_duplicates! {
            insta::assert_snapshot!(context, @"engine: plan greet is open, its session has ended: engine runbook next greet");
        }
        let resumed = told(&play.stage.hook(&play.stage.message(other, "r")));
        insta::allow_duplicates! {
            insta::assert_snapshot!(resumed, @r#"
            exit 0
            {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"[SHORTCUT: #resume] The user typed r. Task: Run greet (in progress, resumed)\nCommand: `/orchestrate plans/greet`\nPlan: greet, running 0/4\nModel: haiku | Restart: yes\nWhen it is done: engine task done 'Run greet'. The user expects this one task to be carried to its end, and no other to be started."}}
            "#);
        }
        let next = play.told(&["next", "greet"]);
        if is_done {
            insta::assert_snapshot!(next, @r#"
            exit 0
            plan greet, running 1/4. Step 1.2: make this call exactly
            Agent(subagent_type: "greet-[SUM]-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
            when its result has come: engine runbook done 1.2
            note: step 1.1 was cut off, and everything shows that it is done
            "#);
        } else {
            insta::assert_snapshot!(next, @r#"
            exit 0
            plan greet, running 0/4. Step 1.1: make this call exactly
            Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
            when its result has come: engine runbook done 1.1
            note: step 1.1 was cut off and is not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest
            "#);
        }
    }
}

#[test]
fn a_step_is_left_out_by_the_user_only() {
    let play = Orchestra::new();
    play.told(&["next", "greet"]);
    insta::assert_snapshot!(play.told(&["skip", "1.1", "--why", "later"]), @"
    exit 1
    engine: skip step 1.1 of plan greet: say hello (later) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(play.told(&["abandon", "--why", "another way"]), @"
    exit 1
    engine: plan greet stays open
    step 1.1 is open: say hello
    step 1.2 is open: say goodbye
    step 1.3 is open: say both
    step 1-vet is open: Review of phase 1: Words
    criterion 1: `pytest` was not run since the lock: engine check -- pytest
      close plan greet with open ends: step 1.1 is open: say hello; step 1.2 is open: say goodbye; step 1.3 is open: say both; step 1-vet is open: Review of phase 1: Words; criterion 1: `pytest` was not run since the lock: engine check -- pytest needs a person: approval 2
      engine asks the person, who types ok 2 or no 2; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(play.told(&["escalate", "1.1", "--to", "user", "--question", "Which dot?"]), @"
    exit 0
    plan greet is halted: Which dot?
    then: ask the user, end the turn; after the answer: engine runbook resume
    ");
    // What every plan has, this one has too.
    insta::assert_snapshot!(told(&play.stage.engine(&["plan", "step", "start", "1.1"])), @"
    exit 1
    engine: plan greet is halted: step 1.1 needs a decision: Which dot?
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    insta::assert_snapshot!(told(&play.stage.engine(&["plan", "add", "one more"])), @"
    exit 1
    engine: plan greet is halted: step 1.1 needs a decision: Which dot?
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
}

/// The user is asked once: their next words are the answer.
#[test]
fn a_question_is_answered_by_what_the_user_says_next() {
    let play = Orchestra::new();
    play.told(&["next", "greet"]);
    play.told(&["escalate", "1.1", "--to", "user", "--question", "Which dot?"]);
    insta::assert_snapshot!(play.told(&["resume"]), @"
    exit 1
    engine: the user has not answered yet: step 1.1 needs a decision: Which dot?
      ask them and end the turn; what they say next is the answer
    ");
    insta::assert_snapshot!(play.stage.ok(&["status"]), @"
    In progress: Run greet
      `/orchestrate plans/greet`
      Plan: greet, halted: step 1.1 needs a decision: Which dot?
      Model: haiku | Restart: yes

    Plan: greet, 0 of 4 steps, halted: step 1.1 needs a decision: Which dot?
    ");
    play.stage.answer_in(SESSION, "the round one");
    insta::assert_snapshot!(play.told(&["resume"]), @r#"
    exit 0
    plan greet goes on: the round one
    plan greet, running 0/4. Step 1.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nstep 1.1 needs a decision: Which dot?. The user: the round one")
    when its result has come: engine runbook done 1.1
    "#);
}

#[test]
fn small_work_is_delegated_with_the_same_evidence() {
    let stage = crate::plan_proofs::project();
    stage.hook(&stage.event_with("UserPromptSubmit", &json!({"session_id": SESSION, "prompt": "rename it"})));
    let play = Orchestra::around(stage);
    let made = told(&play.stage.engine(&[
        "plan",
        "quick",
        "say hello",
        "--proof",
        "pytest",
        "--delegate",
        "--files",
        "hello.py",
        "--details",
        "With a dot.",
    ]));
    insta::assert_snapshot!(made, @r#"
    exit 0
    plan say-hello is locked: it is done when `pytest` passes
    plan say-hello, running 0/1. Step 1: make this call exactly
    Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1", run_in_background: false, prompt: "plans/say-hello/steps/step-1.md")
    when its result has come: engine runbook done 1
    "#);
    insta::assert_snapshot!(play.stage.read("plans/say-hello/steps/step-1.md"), @"
    ---
    Execution Model: haiku
    Files: hello.py
    Check: pytest
    Report: plans/say-hello/reports/step-1.md
    ---
    # Step 1: say hello

    With a dot.
    ");
    assert!(play.edits("a.txt").starts_with("denied"));
    let player = play.starts("quiet-task", "haiku", "plans/say-hello/steps/step-1.md");
    play.writes(&player, "hello.py", "print('.')\n");
    assert_eq!(play.runs(&player, "pytest"), Some(0));
    play.writes(&player, "plans/say-hello/reports/step-1.md", "---\nStatus: done\n---\n");
    play.ends(&player);
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 0
    - [x] 1. say hello (hello.py; `pytest` passed)
    plan say-hello is done and closed: every step, every criterion
    ");
    assert_eq!(play.edits("a.txt"), "-");
}

#[test]
fn a_budget_halts_the_run() {
    let play = Orchestra::new();
    play.stage.write(".engine/config.toml", "[runbook]\nattempts = 1\n");
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let player = play.starts(&task, "haiku", "plans/greet/steps/step-1-1.md");
    play.does(&player, "step-1-1", "hello.py");
    play.told(&["done"]);
    insta::assert_snapshot!(play.refused(&task, "sonnet", "plans/greet/steps/step-1-2.md"), @"denied: engine rule plan: plan greet is halted: 1 agent was started, and runbook.attempts is 1. Ways out: engine plan resume (engine asks the user)");
    insta::assert_snapshot!(play.told(&["next"]), @"
    exit 0
    plan greet is halted: 1 agent was started, and runbook.attempts is 1
    then: engine runbook resume; engine asks the user
    ");
}
