//! Replay and coverage over a session of the real client, subagent included.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, ask, bench, engine};

fn said(bench: &engine_testkit::Bench, args: &[&str]) -> Value {
    serde_json::from_str(&engine(bench, args)).unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_real_session_is_covered_and_replays_as_it_was_judged() {
    let bench = bench(&["--team"]);
    bench.commit_all("set up").unwrap();
    let launch = json!({"description": "Look", "prompt": "look around", "subagent_type": "general-purpose",
        "run_in_background": false});
    let bash = |command: &str| json!({"command": command});
    let scenario = Scenario::new()
        .turn(
            Turn::new("first")
                .kind(Kind::Main)
                .prompt_contains("go")
                .tool_use("Bash", bash("git status --short")),
        )
        .turn(
            Turn::new("second")
                .kind(Kind::Main)
                .tool_result_of("Bash")
                .tool_result_error(false)
                .tool_use("Bash", bash("git reset --hard")),
        )
        .turn(
            Turn::new("launch")
                .kind(Kind::Main)
                .tool_result_of("Bash")
                .tool_result_error(true)
                .tool_use("Agent", launch),
        )
        .turn(
            Turn::new("sub")
                .kind(Kind::Subagent)
                .prompt_contains("look around")
                .tool_use("Bash", bash("echo looked")),
        )
        .turn(Turn::new("sub end").kind(Kind::Subagent).tool_result_of("Bash").text("Nothing there."))
        .turn(
            Turn::new("unknown")
                .kind(Kind::Main)
                .tool_result_of("Agent")
                .tool_use("Skill", json!({"skill": "no-such-skill"})),
        )
        .turn(Turn::new("end").kind(Kind::Main).tool_result_of("Skill").text("Done."));
    ask(&bench, scenario, "go", BYPASS);

    let coverage = said(&bench, &["coverage", "--min", "100", "--json"]);
    let journal: Vec<Value> = engine(&bench, &["journal", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let calls: Vec<&Value> = journal.iter().filter(|entry| entry["event"] == "PreToolUse").collect();
    assert_eq!(coverage["calls"], calls.len(), "{coverage}");
    assert_eq!(coverage["covered"], coverage["calls"]);
    let agents: Vec<&Value> =
        coverage["by"].as_array().unwrap().iter().map(|row| &row["agentType"]).collect();
    assert_eq!(agents, [&Value::Null, &json!("general-purpose")], "{coverage}");
    assert!(engine(&bench, &["coverage", "--min", "100"]).starts_with("100 % covered"));

    let replay = said(&bench, &["replay", "--json"]);
    let denied = |entries: &[Value], what: &str| -> Vec<(Value, Value)> {
        let denied = entries.iter().filter(|entry| entry["verdict"] == "deny");
        denied.map(|entry| (entry["tool"].clone(), entry[what].clone())).collect()
    };
    let live = denied(&journal, "command");
    assert_eq!(live, [(json!("Bash"), json!("git reset --hard"))]);
    assert_eq!(denied(replay["decisions"].as_array().unwrap(), "what"), live);
    assert_eq!(
        (&replay["sessions"], &replay["transcripts"], &replay["unreadable"]),
        (&json!(1), &json!(2), &json!(0))
    );
    let names = |name: &str| journal.iter().filter(|entry| entry["event"] == name).count();
    let heard: usize =
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"]
            .into_iter()
            .map(names)
            .sum();
    assert_eq!(coverage["refusedByClient"], 1, "no hook hears of a skill that is not there");
    assert_eq!(replay["events"], heard + 1, "but it is judged");
}
