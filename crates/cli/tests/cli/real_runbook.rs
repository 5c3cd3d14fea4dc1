//! Runbooks with the real client: the scripted model delegates, and its agents work, lie and stray. What each received counts, and the
//! model by which each request was answered.

mod chain;
mod denied;
mod ends;
mod gate;
mod screen;
mod turns;
mod ways;

use engine_testkit::{Bench, Kind, Request, Run, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, ask, bench};

/// One phase of three steps, each for another tier of models.
pub(crate) const RUNBOOK: &str = "---
name: greet
model: haiku
check: make test
---
# Common context
All words are in lower case.
### Stop conditions
- A file that a step names is missing.
# Phase 1: Words
## Step 1.1: says hello
Files: hello.txt
Check: `make test-one`
The line hello.
## Step 1.2: says morning
Execution Model: sonnet
Files: morning.txt (new)
Check: `make test-two`
The line morning.
## Step 1.3: says evening
Execution Model: opus
Files: evening.txt (new)
Check: `make test-three`
The line evening.
";

const MAKEFILE: &str = "test: test-one test-two test-three
test-one:
\t@grep -qx hello hello.txt
test-two:
\t@grep -qx morning morning.txt
test-three:
\t@grep -qx evening evening.txt
";

/// A project with the runbook; nothing is prepared.
pub(crate) fn project() -> Bench {
    let bench = bench(&["--with", "skills=all"]);
    bench.write("Makefile", MAKEFILE).unwrap();
    bench.write("hello.txt", "helo\n").unwrap();
    bench.write("plans/greet/runbook.md", RUNBOOK).unwrap();
    bench.commit_all("begin").unwrap();
    bench
}

pub(crate) fn bash(command: &str) -> Turn {
    Turn::new(&format!("$ {}", command.lines().next().unwrap_or_default()))
        .tool_use("Bash", json!({"command": command}))
}

pub(crate) fn write(path: &str, text: &str) -> Turn {
    let input = json!({"file_path": format!("${{PROJECT}}/{path}"), "content": text});
    Turn::new(&format!("Write {path}")).tool_use("Write", input)
}

/// Makes the call that was shown last.
pub(crate) fn as_shown() -> Turn {
    shown_but(json!({}))
}

/// Makes the call that was shown last, but for these arguments.
pub(crate) fn shown_but(other: Value) -> Turn {
    let name = if other == json!({}) { "Agent as shown".to_owned() } else { format!("Agent with {other}") };
    Turn::new(&name).shown_call("Agent", other)
}

pub(crate) fn say(text: &str) -> Turn {
    Turn::new(text).text(text)
}

pub(crate) fn done(step: &str) -> Turn {
    bash(&format!("engine runbook done {step}"))
}

/// The answers of the main agent, in this order; the first follows the prompt.
pub(crate) fn main_agent(scenario: Scenario, turns: impl IntoIterator<Item = Turn>) -> Scenario {
    turns.into_iter().fold(scenario, |scenario, turn| scenario.turn(turn.kind(Kind::Main)))
}

/// The answers of the agents whose prompt says this, in this order.
pub(crate) fn agent(scenario: Scenario, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> Scenario {
    let add = |scenario: Scenario, turn: Turn| scenario.turn(turn.kind(Kind::Subagent).any_contains(prompt));
    turns.into_iter().fold(scenario, add)
}

pub(crate) fn report(step: &str) -> Turn {
    let text = format!("---\nStatus: done\nCheck: seen\nQuality: none\n---\n{step} is done.\n");
    write(&format!("plans/greet/reports/step-{step}.md"), &text)
}

/// What the agent of a step does that does what is asked.
pub(crate) fn work(step: &str) -> Vec<Turn> {
    let (file, word, check) = match step {
        "1-1" => ("hello.txt", "hello", "make test-one"),
        "1-2" => ("morning.txt", "morning", "make test-two"),
        _ => ("evening.txt", "evening", "make test-three"),
    };
    vec![
        bash(&format!("cat plans/greet/steps/step-{step}.md")),
        bash(&format!("echo {word} > {file}")),
        bash(check),
        report(step),
        say(&format!("done: plans/greet/reports/step-{step}.md")),
    ]
}

/// The answers of the agent of a step.
pub(crate) fn step(scenario: Scenario, step: &str, turns: impl IntoIterator<Item = Turn>) -> Scenario {
    agent(scenario, &format!("plans/greet/steps/step-{step}.md"), turns)
}

pub(crate) fn one(scenario: Scenario) -> Scenario {
    step(scenario, "1-1", work("1-1"))
}

pub(crate) fn two(scenario: Scenario) -> Scenario {
    step(scenario, "1-2", work("1-2"))
}

pub(crate) fn three(scenario: Scenario) -> Scenario {
    step(scenario, "1-3", work("1-3"))
}

/// The review of the phase. Its prompt names the files of the steps, too: it comes first.
pub(crate) fn review(scenario: Scenario) -> Scenario {
    let text = "---\nCritical: 0\nMajor: 0\nMinor: 0\n---\nLooked at all.\n";
    let turns = [
        bash("make test"),
        write("plans/greet/reports/phase-1.md", text),
        say("done: plans/greet/reports/phase-1.md, 0 critical, 0 major, 0 minor"),
    ];
    agent(scenario, "Review of phase 1", turns)
}

/// What each request of the main agent brought, then those of the agents: results that are engine's or errors, contexts of hooks, and the
/// model that answers.
pub(crate) fn told(bench: &Bench, run: &Run) -> String {
    let of = |kind| run.record.of(kind).into_iter().map(of_request).collect::<String>();
    masked(bench, &format!("{}\n{}", of(Kind::Main), of(Kind::Subagent)))
}

/// The same of the main agent alone.
pub(crate) fn told_main(bench: &Bench, run: &Run) -> String {
    masked(bench, &run.record.of(Kind::Main).into_iter().map(of_request).collect::<String>())
}

fn of_request(request: &Request) -> String {
    let mut text = String::new();
    for result in request.tool_results() {
        let is_file = result.text.starts_with("---\n");
        let is_ours = result.text.contains("plan greet") || result.text.contains("plans/greet");
        // What an agent has answered is known from its own turns.
        let is_shown = result.is_error || (is_ours && !matches!(&*result.name, "Agent" | "Read" | "Write"));
        let is_head = |line: &&str| !is_file || line.starts_with("Execution Model");
        let lines = result.text.lines().filter(|line| is_shown && is_head(line));
        text.extend(lines.map(|line| format!("  {line}\n")));
    }
    let hooks = [
        "SessionStart",
        "SubagentStart",
        "UserPromptSubmit",
        "PreToolUse:Agent",
        "PreToolUse:Bash",
        "PostToolUse:Agent",
        "PostToolUse:Bash",
        "PostToolUseFailure:Bash",
        "PostToolUse:Write",
        "PostToolUse:Edit",
        "PostToolUse:Skill",
        "SubagentStop",
        "Stop",
    ];
    for hook in hooks {
        text.extend(request.contexts(hook).iter().map(|context| format!("  <{hook}> {context}\n")));
    }
    let who = if request.kind == Kind::Main { "main" } else { "agent" };
    let tier = ["haiku", "sonnet", "opus"].into_iter().find(|tier| request.model().contains(tier));
    text + &format!("{who} ({}): {}\n", tier.unwrap_or(request.model()), request.turn)
}

/// Without what differs from run to run: the folder, the hash in the names of agents, ids of agents and sessions.
fn masked(bench: &Bench, text: &str) -> String {
    let text = text.replace(&bench.project().display().to_string(), "[PROJECT]");
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("greet-") {
        masked.push_str(before);
        let hash = after.get(..6).filter(|hash| hash.chars().all(|c| c.is_ascii_hexdigit()));
        masked.push_str(if hash.is_some() { "greet-HASH" } else { "greet-" });
        rest = &after[hash.map_or(0, str::len)..];
    }
    let is_id = |word: &&str| word.len() == 17 && word.chars().all(|c| c.is_ascii_hexdigit());
    let whole = masked + rest;
    let mut ids: Vec<String> =
        whole.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_id).map(str::to_owned).collect();
    ids.dedup();
    let text = ids.iter().fold(whole, |text, id| text.replace(id, "ID"));
    let bare = |line: &str| match line.split_once(" (session ") {
        Some((line, _)) => format!("{line} (SESSION)\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(bare).collect()
}

/// Prepare, delegate, review, commit: the agents run on the models that the runbook names.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_runbook_is_carried_out_by_three_models_and_committed() {
    let bench = project();
    let scenario = main_agent(
        Scenario::new(),
        [
            bash("engine runbook prepare plans/greet").prompt_contains("go"),
            bash("engine runbook next plans/greet"),
            as_shown(),
            done("1.1"),
            as_shown(),
            done("1.2"),
            as_shown(),
            done("1.3"),
            as_shown(),
            done("1-vet"),
            bash("git add -A && git commit -qm 'Say more' && git log --format=%s -1"),
            say("Committed."),
            say("Yes."),
        ],
    );
    let scenario = three(two(one(review(scenario))));
    let run = ask(&bench, scenario, "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @r#"
    main (opus): $ engine runbook prepare plans/greet
      new       plans/greet/steps/step-1-1.md
      new       plans/greet/steps/step-1-2.md
      new       plans/greet/steps/step-1-3.md
      new       plans/greet/orchestrator-plan.md
      new       .claude/agents/greet-HASH-task.md
      plans/greet is prepared: 4 steps, agents greet-HASH-task
      recorded the task: Run greet
      then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    main (opus): $ engine runbook next plans/greet
      plan greet, running 0/4. Step 1.1: make this call exactly
      Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
      when its result has come: engine runbook done 1.1
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.1
      - [x] 1.1. says hello (hello.txt; `make test-one` passed)
      plan greet, running 1/4. Step 1.2: make this call exactly
      Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md")
      when its result has come: engine runbook done 1.2
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.2
      - [x] 1.2. says morning (morning.txt; `make test-two` passed)
      plan greet, running 2/4. Step 1.3: make this call exactly
      Agent(subagent_type: "quiet-task", model: "opus", description: "Step 1.3", run_in_background: false, prompt: "plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1.3
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1.3
      - [x] 1.3. says evening (evening.txt; `make test-three` passed)
      plan greet, running 3/4. Step 1-vet: make this call exactly
      Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md")
      when its result has come: engine runbook done 1-vet
    main (opus): Agent as shown
    main (opus): $ engine runbook done 1-vet
      - [x] 1-vet. Review of phase 1: Words
      plan greet is done and closed: every step, every criterion
      Run greet: done
    main (opus): $ git add -A && git commit -qm 'Say more' && git log --format=%s -1
    main (opus): Committed.

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
      <SubagentStart> engine: what all steps of plan greet have in common:

    All words are in lower case.
    ### Stop conditions
    - A file that a step names is missing.
    agent (sonnet): $ cat plans/greet/steps/step-1-2.md
      Execution Model: sonnet
    agent (sonnet): $ echo morning > morning.txt
    agent (sonnet): $ make test-two
    agent (sonnet): Write plans/greet/reports/step-1-2.md
    agent (sonnet): done: plans/greet/reports/step-1-2.md
      <SubagentStart> engine: what all steps of plan greet have in common:

    All words are in lower case.
    ### Stop conditions
    - A file that a step names is missing.
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
    assert_eq!(bench.git(&["log", "--format=%s", "-1"]).unwrap(), "Say more");
}
