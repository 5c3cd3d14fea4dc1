//! `engine run` around the real client, on a terminal.

use std::fs;
use std::path::Path;
use std::time::Duration;

use engine_testkit::{Kind, Scenario, Turn, client};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, bench};

#[test]
fn a_session_goes_on_in_a_new_client() {
    let Some(mut bench) = bench("a_session_goes_on_in_a_new_client", &[]) else { return };
    bench.through(Path::new(env!("CARGO_BIN_EXE_engine")), &["run"]);
    bench.env("ENGINE_RUN_AGENT", client::find().unwrap().to_str().unwrap());
    let scenario = Scenario::new()
        .turn(
            Turn::new("first")
                .prompt_contains("begin here")
                .tool_use("Bash", json!({"command": "printf %s \"$ENGINE_RUN\" > run.txt"})),
        )
        .turn(Turn::new("wrote").tool_result_of("Bash").tool_result_error(false).text("Half done."))
        .turn(Turn::new("second").prompt_contains("go on with the lexer").text("All done."));
    let mut terminal = bench.terminal(scenario, &[BYPASS, &["begin here"]].concat()).unwrap();
    assert!(terminal.wait_for("Half done.", WAIT), "{}", terminal.screen_text());
    // As a command in the agent's shell leaves it, which knows the run by its variable.
    let run = bench.read("run.txt").unwrap();
    let request = json!({"version": 1, "session": "s", "prompt": "go on with the lexer"}).to_string();
    let file = bench.project().join(format!(".engine/state/restart-{run}.json"));
    fs::write(&file, request).unwrap();
    for _ in 0..3 {
        terminal.forget();
        terminal.send("\u{3}").unwrap();
        if terminal.wait_for("again to exit", Duration::from_secs(2)) {
            terminal.send("\u{3}").unwrap();
            break;
        }
    }
    assert!(
        terminal.wait_for("starting again with: go on with the lexer", WAIT),
        "{}",
        terminal.screen_text()
    );
    assert!(terminal.wait_for("All done.", WAIT), "{}", terminal.screen_text());
    assert!(!file.exists());
    let run = terminal.finish().unwrap();
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let main = run.record.turns().into_iter().filter(|(kind, _)| *kind == Kind::Main);
    assert_eq!(main.map(|(_, turn)| turn).collect::<Vec<_>>(), ["first", "wrote", "second"]);
}
