//! How chains end, with the real client: a question in the middle, a skill that failed, a client that was killed.

use std::fs;
use std::process::Command;

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, ask, bench, engine};
use crate::stage::until;

const LEFT: &str = "The chain has entries left";

fn skill(name: &str, args: &str) -> Value {
    json!({"skill": name, "args": args})
}

fn designs(text: &str) -> Turn {
    Turn::new("design").any_contains("No code is changed here.").text(text)
}

/// The session that has a chain, and the process of its client.
fn chained(bench: &Bench) -> (String, u64) {
    let folder = bench.project().join(".engine/state");
    let chain = fs::read_dir(folder.join("chains")).unwrap().next().unwrap().unwrap();
    let session = chain.file_name().into_string().unwrap();
    let state = fs::read_to_string(folder.join(format!("sessions/{session}.json"))).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    (session, state["client"]["pid"].as_u64().unwrap())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_question_in_the_middle_costs_nothing_and_forgets_nothing() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(designs("Two ways are open. A or B?"))
        .turn(Turn::new("answered").prompt_contains("take B").text("The design is written."))
        .turn(
            Turn::new("reminded")
                .last_contains(LEFT)
                .tool_use("Skill", skill("handoff", "--commit [CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff")
                .last_contains("The next session knows only")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("/design plans/foo").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert!(
        engine(&bench, &["status"]).ends_with("Chain: design ? → handoff → commit; waits for your answer\n"),
        "{}",
        engine(&bench, &["status"])
    );
    live.prompt("take B").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    let turns: Vec<&str> = run.record.turns().into_iter().map(|(_, turn)| turn).collect();
    assert_eq!(turns, ["design", "answered", "reminded", "handoff", "commit"]);
    assert_eq!(run.result_text().as_deref(), Some("Committed."));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_skill_that_failed_is_not_pressed_on() {
    let bench = bench(&["--with", "skills"]);
    bench
        .write(
            "session.md",
            "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/foo, /plan-adhoc` | sonnet\n",
        )
        .unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("x")
                .prompt_contains("x")
                .tool_use("Skill", skill("design", "plans/foo [CONTINUATION: /plan-adhoc]")),
        )
        .turn(
            Turn::new("design")
                .last_contains("No code is changed here.")
                .tool_use("Bash", json!({"command": "engine chain fail 'the request contradicts itself'"})),
        )
        .turn(
            Turn::new("stops").tool_result_of("Bash").tool_result_error(false).text("I could not design it."),
        );
    let run = ask(&bench, scenario, "x", BYPASS);
    assert_eq!(run.record.turns().len(), 3, "nobody presses for /plan-adhoc: {:?}", run.record.turns());
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        requests[2].tool_results()[0].text,
        "failed: design ✗ → (plan-adhoc); /design failed: the request contradicts itself"
    );
    assert_eq!(
        bench.read("session.md").unwrap(),
        "## Pending Tasks\n\n- [!] **Build foo** — `/design plans/foo, /plan-adhoc` | sonnet\n  Blocked: chain at /design: the request contradicts itself; left: /plan-adhoc\n"
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_chain_of_a_killed_client_is_taken_over() {
    let bench = bench(&["--with", "skills"]);
    let mut live = bench.live(Scenario::new().turn(designs("A or B?")), BYPASS).unwrap();
    live.prompt("/design plans/foo").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let (session, client) = chained(&bench);
    assert!(Command::new("kill").args(["-9", &client.to_string()]).status().unwrap().success());
    drop(live);
    until("the client to be gone", || !std::path::Path::new(&format!("/proc/{client}/status")).exists());
    let short = &session[..8];
    let scenario = Scenario::new()
        .turn(
            Turn::new("take")
                .prompt_contains("go on with it")
                .tool_use("Bash", json!({"command": format!("engine chain take {short}")})),
        )
        .turn(
            Turn::new("next")
                .tool_result_of("Bash")
                .tool_result_error(false)
                .tool_use("Skill", skill("handoff", "--commit [CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff")
                .last_contains("The next session knows only")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let run = ask(&bench, scenario, "go on with it", BYPASS);
    let requests = run.record.of(Kind::Main);
    let told = requests[0].contexts("SessionStart").join("\n");
    let expected = format!(
        "engine: a chain was left by a client that is gone: design ? → handoff → commit; engine chain take {short}"
    );
    assert!(told.lines().any(|told| told == expected), "{told}");
    assert_eq!(
        requests[1].tool_results()[0].text,
        format!(
            "taken from {session}: design … → handoff → commit\nnext: Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")"
        )
    );
    assert_eq!(run.result_text().as_deref(), Some("Committed."));
}
