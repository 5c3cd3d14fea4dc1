//! The status line under the real client's prompt, on a terminal.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use engine_testkit::{Bench, Scenario, Turn};
use serde_json::Value;

use crate::real_client::{WAIT, bench};

/// The state of the only session.
fn state(bench: &Bench) -> Value {
    let folder = bench.project().join(".engine/state/sessions");
    let mut files = fs::read_dir(folder).unwrap().flatten().map(|file| file.path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_interactive_client_shows_our_status_line() {
    let bench = bench(&["--with", "statusline"]);
    bench.write("session.md", "## Pending Tasks\n\n- [ ] **Fix the parser** — `/fix parser`\n").unwrap();
    let answer = Turn::new("work").prompt_contains("x").usage_input_tokens(700_000).text("At work.");
    let mut terminal = bench.terminal(Scenario::new().turn(answer), &["--model", "opus"]).unwrap();
    assert!(terminal.wait_for("$0.00", WAIT), "{}", terminal.screen_text());
    terminal.type_line("x").unwrap();
    assert!(terminal.wait_for("At work.", WAIT), "{}", terminal.screen_text());
    assert!(terminal.wait_for("Fix the parser · ███████░░░ 70% · $", WAIT), "{}", terminal.screen_text());
    assert!(terminal.wait_for("● hooks", WAIT), "{}", terminal.screen_text());
    assert!(!terminal.screen_text().contains("hooks silent"), "{}", terminal.screen_text());
    terminal.finish().unwrap();
    let context = &state(&bench)["context"];
    assert_eq!(
        (context["used"].as_u64(), context["window"].as_u64()),
        (Some(700_000), Some(1_000_000)),
        "the rules know it too"
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn hooks_that_do_not_fire_are_seen_on_the_screen() {
    let bench = bench(&["--with", "statusline"]);
    let settings = bench.read(".claude/settings.local.json").unwrap();
    // It starts, and does nothing.
    let idle = bench.home().join("idle/engine");
    fs::create_dir_all(idle.parent().unwrap()).unwrap();
    fs::write(&idle, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&idle, Permissions::from_mode(0o755)).unwrap();
    let command = |program: &str| format!("{program}\", \"args\"");
    let broken = settings.replace(&command(env!("CARGO_BIN_EXE_engine")), &command(idle.to_str().unwrap()));
    assert_ne!(broken, settings);
    bench.write(".claude/settings.local.json", &broken).unwrap();
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Good morning."));
    let mut terminal = bench.terminal(scenario, &[]).unwrap();
    terminal.type_line("hello").unwrap();
    assert!(terminal.wait_for("○ hooks silent", WAIT), "{}", terminal.screen_text());
    terminal.finish().unwrap();
}
