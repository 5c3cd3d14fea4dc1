//! The heartbeat with the real client, which runs calls side by side.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, ask, bench, last};
use crate::real_sessions::{BEGIN, SKILL, bash};

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn of_calls_at_once_one_is_noted_and_denied_ones_do_not_count() {
    let bench = bench(&[]);
    bench.write(".claude/skills/build/SKILL.md", SKILL).unwrap();
    let mut many = Turn::new("many").tool_result_of("Bash");
    for number in 1..=6 {
        many = many.tool_use("Read", json!({"file_path": format!("${{PROJECT}}/{number}.txt")}));
        bench.write(&format!("{number}.txt"), "x\n").unwrap();
    }
    let scenario = Scenario::new()
        .turn(bash(BEGIN).prompt_contains("go"))
        .turn(many)
        .turn(bash("git reset --hard").tool_result_of("Read"))
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        requests.iter().flat_map(|request| request.contexts("PreToolUse:Read")).collect::<Vec<_>>(),
        [
            "engine: 3 calls without a log entry; at 10 calls are held. engine log sessions/2026_02_07_AUTH/BUILD_LOG.md takes one on stdin, beginning with ##."
        ]
    );
    assert!(last(&run).tool_results().last().unwrap().text.contains("engine rule policy:"));
    let folder = std::fs::read_dir(bench.project().join(".engine/state/sessions")).unwrap();
    let states: Vec<Value> = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    let counts: Vec<&Value> = states.iter().map(|state| &state["work"]["calls"][""]["count"]).collect();
    assert_eq!(counts, [&json!(6)]);
}
