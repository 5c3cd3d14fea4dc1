//! Less usual ways of a run: steps side by side, another model than was asked for, warnings, findings, and a step of the main agent's own.

use engine_testkit::{Bench, Scenario, Turn};
use serde_json::json;

use super::{
    agent, as_shown, bash, done, main_agent, one, project, say, shown_but, step, told, two, work, write,
};
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
    let main = [begin(), both, done("1.2"), done("1.1")].into_iter().chain(end());
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
    insta::assert_snapshot!(told(&bench, &run), @"");
}

/// A setting of the person's that makes all agents use one model.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_on_another_model_than_asked_for_is_refused() {
    let mut bench = project();
    engine(&bench, &["runbook", "prepare", "greet"]);
    bench.env("CLAUDE_CODE_SUBAGENT_MODEL", "opus");
    let main = [begin(), as_shown(), done("1.1")].into_iter().chain(end());
    let run = ask(&bench, one(main_agent(Scenario::new(), main)), "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @"");
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
    let finds =
        [bash("make test"), report("phase-1.md", "Critical: 1\nMajor: 0\nMinor: 0"), say("done: 1 critical")];
    let mends = [
        bash("echo hello > hello.txt"),
        bash("make test-one"),
        report("step-1-mend.md", "Status: done\nQuality: none"),
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
    insta::assert_snapshot!(told(&bench, &run), @"");
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
    let run = ask(&bench, two(main_agent(Scenario::new(), main.into_iter().chain(end()))), "go", BYPASS);
    insta::assert_snapshot!(told(&bench, &run), @"");
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
    insta::assert_snapshot!(told(&bench, &run), @"");
    let _ = shown_but;
}
