//! What the person says about a chain, with the real client: behind a prefix, in a dialog, against the model's own flag, and by `r`
//! after a client was killed.

use std::fs;
use std::process::Command;

use engine_testkit::{Bench, Kind, Run, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, bench};
use crate::stage::until;

const ONE: &str = "11111111-2222-4333-8444-555555555555";

fn skill(turn: &str, name: &str, args: &str) -> Turn {
    Turn::new(turn).tool_use("Skill", json!({"skill": name, "args": args}))
}

fn bash(turn: &str, command: &str) -> Turn {
    Turn::new(turn).tool_use("Bash", json!({"command": command}))
}

fn say(turn: &str, text: &str) -> Turn {
    Turn::new(turn).text(text)
}

fn scenario(turns: impl IntoIterator<Item = Turn>) -> Scenario {
    turns.into_iter().fold(Scenario::new(), |scenario, turn| scenario.turn(turn.kind(Kind::Main)))
}

/// The lines that the person was shown, by the event that showed them.
fn shown(run: &Run) -> String {
    let line = |hook: engine_testkit::HookResponse| {
        let said: Value = serde_json::from_str(&hook.stdout).ok()?;
        Some(format!("{}: {}", hook.name, said["systemMessage"].as_str()?))
    };
    run.hook_responses().into_iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn turns(run: &Run) -> Vec<&str> {
    run.record.turns().into_iter().map(|(_, turn)| turn).collect()
}

fn converse(bench: &Bench, prompts: &[&str], turns: impl IntoIterator<Item = Turn>) -> Run {
    let mut live = bench.live(scenario(turns), BYPASS).unwrap();
    for prompt in prompts {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    live.finish().unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_is_said_behind_a_prefix_holds() {
    let bench = bench(&["--with", "skills"]);
    let run = converse(
        &bench,
        &["/design plans/a", "d: B. And do not commit anything.", "go on"],
        [
            say("asks", "A or B?"),
            say("discusses", "B it is."),
            say("designs", "Designed."),
            skill("hands off", "handoff", ""),
            say("ends", "Handed off, nothing committed."),
        ],
    );
    insta::assert_snapshot!(shown(&run), @r#"
    UserPromptSubmit: engine: chain: /handoff --commit, /commit; engine chain drop cancels
    UserPromptSubmit: engine: chain: left out: /commit (you wrote "do not commit anything")
    Stop: No pending tasks.
    "#);
    assert_eq!(turns(&run), ["asks", "discusses", "designs", "hands off", "ends"]);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_answer_of_a_dialog_holds() {
    let bench = bench(&["--with", "skills"]);
    let options = json!([{"label": "Yes", "description": "At the end"}, {"label": "No, do not commit", "description": "Leave it"}]);
    let questions = json!([{"question": "Shall I commit at the end?", "header": "Commit", "multiSelect": false, "options": options}]);
    let turns_of = [
        Turn::new("asks").tool_use("AskUserQuestion", json!({"questions": questions})),
        say("answers", "As you say."),
        say("designs", "Designed."),
        skill("hands off", "handoff", ""),
        say("ends", "Handed off, nothing committed."),
    ];
    let mut live =
        bench.live(scenario(turns_of), &[BYPASS, &["--permission-prompt-tool", "stdio"]].concat()).unwrap();
    live.prompt("/design plans/a").unwrap();
    live.wait_for_line(WAIT, |line| line["request"]["tool_name"] == "AskUserQuestion").unwrap();
    let answers = json!({"Shall I commit at the end?": "No, do not commit"});
    live.permit("AskUserQuestion", &json!({"questions": questions, "answers": answers})).unwrap();
    live.wait_for_result(WAIT).unwrap();
    live.prompt("go on").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    assert_eq!(turns(&run), ["asks", "answers", "designs", "hands off", "ends"]);
    insta::assert_snapshot!(run.record.of(Kind::Main)[1].contexts("PostToolUse:AskUserQuestion").join("\n"), @r#"
    [CONTINUATION-PASSING]
    Current: /design plans/a
    Continuation: /handoff

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    assert!(
        shown(&run).contains(
            "PostToolUse:AskUserQuestion: engine: chain: left out: /commit (you wrote \"do not commit\")"
        ),
        "{}",
        shown(&run)
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn no_exit_holds_against_the_models_own_flag() {
    let bench = bench(&["--with", "skills"]);
    let run = converse(
        &bench,
        &["/design plans/a --no-exit", "go on"],
        [
            say("designs", "Designed."),
            skill("hands off", "handoff", "--commit"),
            say("ends", "Handed off, nothing committed."),
        ],
    );
    assert_eq!(turns(&run), ["designs", "hands off", "ends"], "nobody presses for /commit");
    assert!(
        shown(&run).contains("PostToolUse:Skill: engine: left out: /commit (you wrote \"--no-exit\")"),
        "{}",
        shown(&run)
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn r_takes_the_chain_of_the_task_of_a_killed_client_along() {
    let bench = bench(&["--with", "skills"]);
    // Its end by a runbook is another test's.
    let skill_file = ".claude/skills/orchestrate/SKILL.md";
    let text = bench.read(skill_file).unwrap().replace("  done-when:\n    - run: built\n", "");
    bench.write(skill_file, &text).unwrap();
    let tasks = "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/foo, /plan-adhoc and /orchestrate` | sonnet\n";
    bench.write("session.md", tasks).unwrap();
    let first = [
        skill("designs", "design", "plans/foo [CONTINUATION: /plan-adhoc, /orchestrate]"),
        skill("plans", "plan-adhoc", "[CONTINUATION: /orchestrate]"),
        say("asks", "A or B?"),
    ];
    let mut live = bench.live(scenario(first), &[BYPASS, &["--session-id", ONE]].concat()).unwrap();
    live.prompt("x").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let state = bench.read(&format!(".engine/state/sessions/{ONE}.json")).unwrap();
    let client = serde_json::from_str::<Value>(&state).unwrap()["client"]["pid"].as_u64().unwrap();
    assert!(Command::new("kill").args(["-9", &client.to_string()]).status().unwrap().success());
    drop(live);
    until("the client to be gone", || fs::metadata(format!("/proc/{client}/status")).is_err());
    let run = converse(
        &bench,
        &["r"],
        [
            bash("claims", "engine task done 'Build foo'"),
            skill("orchestrates", "orchestrate", ""),
            bash("is done", "engine task done 'Build foo'; engine status"),
            say("ends", "Built."),
        ],
    );
    let requests = run.record.of(Kind::Main);
    insta::assert_snapshot!(requests[0].contexts("UserPromptSubmit").join("\n"), @r#"
    [SHORTCUT: #resume] The user typed r. Task: Build foo (in progress, resumed)
    Command: `/design plans/foo, /plan-adhoc and /orchestrate`
    Model: sonnet | Restart: no
    Its chain goes on: design ✓ → plan-adhoc ? → orchestrate

    [CONTINUATION-PASSING]
    Current: /plan-adhoc
    Continuation: /orchestrate

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.

    When it is done: engine task done 'Build foo'. The user expects this one task to be carried to its end, and no other to be started.
    "#);
    assert!(
        requests[1].tool_results()[0].text.contains("Build foo is carried out by a chain that is not done"),
        "{}",
        requests[1].tool_results()[0].text
    );
    let status = &requests[3].tool_results()[0].text;
    assert!(!status.contains("Chain:"), "{status}");
    assert_eq!(bench.read("session.md").unwrap(), tasks.replace("[ ]", "[x]"));
}
