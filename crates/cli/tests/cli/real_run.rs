//! `engine run` around the real client, on a terminal.

use std::fs;
use std::path::Path;

use engine_testkit::{Kind, Scenario, Turn, client};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, bench};
use crate::real_sessions::{BEGIN, SKILL, bash};

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_session_goes_on_in_a_new_client() {
    let mut bench = bench(&[]);
    bench.through(Path::new(env!("CARGO_BIN_EXE_engine")), &["run"]);
    bench.env("ENGINE_RUN_AGENT", client::find().unwrap().to_str().unwrap());
    bench.write(".claude/skills/build/SKILL.md", SKILL).unwrap();
    let save =
        "engine session dehydrate sessions/2026_02_07_AUTH --summary 'Half done' --last-action l --next n";
    let restart = format!("{BEGIN} && {save} && engine session restart");
    let scenario = Scenario::new()
        .turn(Turn::new("first").prompt_contains("begin here").tool_use("Bash", json!({"command": restart})))
        .turn(Turn::new("wrote").last_contains("engine run starts the client again").text("Half done."))
        .turn(bash("engine session continue sessions/2026_02_07_AUTH").prompt_contains(
            "Go on with the work session sessions/2026_02_07_AUTH: run engine session continue sessions/2026_02_07_AUTH first.",
        ))
        .turn(Turn::new("second").last_contains("Summary: Half done").text("All done."));
    let mut terminal = bench.terminal(scenario, &[BYPASS, &["begin here"]].concat()).unwrap();
    assert!(terminal.wait_for("Half done.", WAIT), "{}", terminal.screen_text());
    let again = "starting again with: Go on with the work session";
    terminal.leave(|terminal, limit| Ok(terminal.wait_for(again, limit))).unwrap();
    assert!(terminal.wait_for(again, WAIT), "{}", terminal.screen_text());
    assert!(terminal.wait_for("All done.", WAIT), "{}", terminal.screen_text());
    let left = fs::read_dir(bench.project().join(".engine/state")).unwrap().flatten();
    assert!(!left.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("restart-")));
    let run = terminal.finish().unwrap();
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let main = run.record.turns().into_iter().filter(|(kind, _)| *kind == Kind::Main);
    assert_eq!(main.count(), 4, "{:?}", run.record.turns());
}
