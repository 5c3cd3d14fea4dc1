//! What the orchestrator may not do while a run is open: each is denied with the call that is right, and that call passes.

use engine_testkit::{Scenario, Turn};
use serde_json::json;

use super::{bash, done, main_agent, one, project, say, shown_but, told_main, write};
use crate::real_client::{BYPASS, ask, engine};

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_wrong_call_is_denied_with_the_right_one() {
    let bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    let scenario = main_agent(
        Scenario::new(),
        [
            bash("engine runbook next greet").prompt_contains("go"),
            shown_but(json!({"model": "sonnet"})),
            shown_but(json!({"model": null})),
            shown_but(json!({"prompt": "plans/greet/steps/step-1-2.md", "model": "sonnet"})),
            shown_but(json!({"subagent_type": "general-purpose"})),
            shown_but(json!({"subagent_type": "fork"})),
            shown_but(json!({"subagent_type": "quiet-task", "prompt": "Write hello into hello.txt"})),
            write("hello.txt", "hello\n"),
            bash("echo hello > hello.txt"),
            write("plans/greet/notes.md", "One is hard.\n"),
            write("plans/greet/reports/step-1-1.md", "---\nStatus: done\n---\n"),
            write("plans/greet/steps/step-1-1.md", "Do nothing.\n"),
            bash("git commit -qm half"),
            bash("claude -p 'write hello into hello.txt' --model opus"),
            Turn::new("two at once").shown_call("Agent", json!({})).shown_call("Agent", json!({})),
            done("1.1"),
            say("Enough."),
            say("Enough, yes."),
        ],
    );
    let run = ask(&bench, one(scenario), "go", BYPASS);
    insta::assert_snapshot!(told_main(&bench, &run), @r#"
    main (opus): $ engine runbook next greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent with {"model":"sonnet"}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: step 1.1 is for model haiku, and the call names sonnet. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Agent with {"model":null}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: step 1.1 is for model haiku, and the call names no model. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Agent with {"model":"sonnet","prompt":"plans/greet/steps/step-1-2.md"}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: step 1.1 comes before step 1.2. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Agent with {"subagent_type":"general-purpose"}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: step 1.1 is for the agent greet-HASH-task, and the call starts general-purpose. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Agent with {"subagent_type":"fork"}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: a fork takes the whole conversation along, and a step gets its own file. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Agent with {"prompt":"Write hello into hello.txt","subagent_type":"quiet-task"}
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: the call starts quiet-task and its prompt names no step. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Write hello.txt
      PreToolUse:Write hook error: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): $ echo hello > hello.txt
      PreToolUse:Bash hook error: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Write plans/greet/notes.md
    main (opus): Write plans/greet/reports/step-1-1.md
      PreToolUse:Write hook error: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): Write plans/greet/steps/step-1-1.md
      PreToolUse:Write hook error: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): $ git commit -qm half
      PreToolUse:Bash hook error: engine rule plan: plan greet is not built yet: its steps make no commits, and neither does who delegates them. After the last step the commit comes as usual; engine runbook next
    main (opus): $ claude -p 'write hello into hello.txt' --model opus
      PreToolUse:Bash hook error: engine rule plan: plan greet gives its steps to agents: a client that a shell starts is the agent of no step. The right call:
      Agent(subagent_type: "greet-HASH-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    main (opus): two at once
      PreToolUse:Agent hook error: engine rule plan: plan greet gives its steps to agents: step 1.1 runs already. The right call:
      none until a running step has ended; its result comes by itself
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "greet-HASH-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Enough.
      <Stop> engine: plan greet is open:
    - 1 of 4 steps are done: engine runbook next
    Ending the turn is right if it waits for the user.
    main (opus): Enough, yes.
    "#);
    assert_eq!(bench.git(&["log", "--format=%s", "-1"]).unwrap(), "begin");
}
