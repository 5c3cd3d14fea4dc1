//! Tasks and handoffs of several real clients, and what is typed while the agent works.

use std::process::Command;

use engine_testkit::{Bench, Kind, Run, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, ask, bench, engine, journal};
use crate::stage::until;

const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Alpha** — | sonnet\n- [ ] **Beta** — | sonnet\n";

/// What the model was told with the first prompt.
fn told(run: &Run) -> String {
    run.record.of(Kind::Main)[0].contexts("UserPromptSubmit").join("\n")
}

fn answered(bench: &Bench, prompt: &str) -> String {
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains(prompt).text("Understood."));
    told(&ask(bench, scenario, prompt, &[]))
}

/// The process of the client that sent the last event.
fn client(bench: &Bench) -> u32 {
    let session = journal(bench).last().unwrap()["session"].as_str().unwrap().to_owned();
    let state = bench.read(&format!(".engine/state/sessions/{session}.json")).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    u32::try_from(state["client"]["pid"].as_u64().unwrap()).unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn after_kill_9_r_resumes_the_task_and_x_takes_it_up() {
    for key in ["r", "x"] {
        let bench = bench(&[]);
        bench.write("session.md", FILE).unwrap();
        let scenario = Scenario::new().turn(Turn::new("work").prompt_contains("x").text("I am at it."));
        let mut live = bench.live(scenario, BYPASS).unwrap();
        live.prompt("x").unwrap();
        live.wait_for_result(WAIT).unwrap();
        let client = client(&bench);
        // While it lives, the task is its own.
        let before = answered(&bench, "r");
        assert!(before.contains("Nothing in progress here; elsewhere: Alpha (session "), "{before}");
        assert!(Command::new("kill").args(["-9", &client.to_string()]).status().unwrap().success());
        drop(live);
        until("the client to be gone", || !std::path::Path::new(&format!("/proc/{client}/status")).exists());
        let after = answered(&bench, key);
        assert!(
            after.contains(&format!("The user typed {key}. Task: Alpha (in progress, resumed)\n")),
            "{after}"
        );
        assert_eq!(bench.read("session.md").unwrap(), FILE.replace("- [ ] **Alpha", "- [>] **Alpha"));
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn two_clients_that_ask_at_once_get_two_tasks() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let scenario = || {
        Scenario::new()
            .turn(Turn::new("hello").prompt_contains("hello").text("Hi."))
            .turn(Turn::new("work").any_contains("The user typed x.").text("I am at it."))
    };
    // Both live until the end: the task of a client that is gone is free.
    let mut clients = [(); 2].map(|()| bench.live(scenario(), BYPASS).unwrap());
    for live in &mut clients {
        live.prompt("hello").unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    for live in &mut clients {
        live.prompt("x").unwrap();
    }
    for live in &mut clients {
        assert_eq!(live.wait_for_result(WAIT).unwrap()["result"], "I am at it.");
    }
    let told = clients.map(|live| {
        let run = live.finish().unwrap();
        run.record.of(Kind::Main).last().unwrap().contexts("UserPromptSubmit").join("\n")
    });
    for name in ["Alpha", "Beta"] {
        let task = format!("Task: {name} (pending, now marked as in progress)");
        assert_eq!(told.iter().filter(|told| told.contains(&task)).count(), 1, "{told:#?}");
    }
    assert_eq!(bench.read("session.md").unwrap(), FILE.replace("- [ ]", "- [>]"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn two_clients_that_hand_off_keep_both_notes() {
    let bench = bench(&["--with", "skills"]);
    bench.write("session.md", &format!("{FILE}\n## Notes\n\nBy hand.\n")).unwrap();
    let scenario = |name: &str| {
        let handoff =
            format!("engine handoff --status '{name} works.' --done '{name}' --note 'never touch {name}.rs'");
        Scenario::new()
            .turn(Turn::new("hello").prompt_contains("hello").text("Hi."))
            .turn(
                Turn::new("handoff")
                    .any_contains("The next session knows only what session.md says.")
                    .tool_use("Bash", json!({"command": handoff})),
            )
            .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(false).text("Handed off."))
    };
    let manual = &["--permission-mode", "manual"];
    let mut clients: Vec<_> =
        ["lexer", "parser"].into_iter().map(|name| bench.live(scenario(name), manual).unwrap()).collect();
    for live in &mut clients {
        live.prompt("hello").unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    for live in &mut clients {
        live.prompt("/handoff").unwrap();
    }
    for live in &mut clients {
        let result = live.wait_for_result(WAIT).unwrap();
        assert_eq!(result["result"], "Handed off.");
    }
    let text = bench.read("session.md").unwrap();
    for name in ["lexer", "parser"] {
        for part in [
            format!("{name} works. (session "),
            format!("- {name} (session "),
            format!("- never touch {name}.rs (session "),
        ] {
            assert_eq!(text.matches(&part).count(), 1, "{part}: {text}");
        }
    }
    assert!(text.contains("## Notes\n\nBy hand.\n\n- never touch "), "{text}");
    assert!(text.contains("- [ ] **Alpha** — | sonnet\n- [ ] **Beta** — | sonnet\n"), "{text}");
}

/// What is typed while the agent works is kept, and the agent works on.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_is_captured_in_the_middle_of_a_turn_does_not_end_it() {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("work").prompt_contains("work on it").tool_use(
            "Bash",
            json!({"command": "touch began; while [ ! -e go ]; do sleep 0.1; done; echo worked"}),
        ))
        .turn(Turn::new("more").tool_result_of("Bash").tool_use("Bash", json!({"command": "echo more"})))
        .turn(Turn::new("end").tool_result_of("Bash").text("All work is done."));
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("work on it").unwrap();
    until("the agent works", || bench.project().join("began").exists());
    terminal.type_line("p: fix login bug").unwrap();
    until("it is recorded", || bench.read("session.md").unwrap().contains("Fix login bug"));
    terminal.type_line("q: dark mode").unwrap();
    until("it is kept", || engine(&bench, &["q", "list"]).ends_with("  open  dark mode\n"));
    assert_eq!(terminal.record().of(Kind::Main).len(), 1);
    bench.write("go", "").unwrap();
    for shown in [
        "All work is done.",
        "engine: kept: Fix login bug, as a pending task in session.md",
        "engine: kept: dark mode, in the queue; engine q list",
    ] {
        assert!(terminal.wait_for(shown, WAIT), "{shown}: {}", terminal.screen_text());
    }
    let run = terminal.finish().unwrap();
    // The turn went to its end, and neither made a request.
    assert_eq!(run.record.turns(), [(Kind::Main, "work"), (Kind::Main, "more"), (Kind::Main, "end")]);
}

/// Typed into the interactive client: no request, the line on the screen, and an empty box.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn captures_in_the_terminal_ask_no_model_and_leave_the_box_empty() {
    let bench = bench(&[]);
    let scenario =
        Scenario::new().turn(Turn::new("answer").prompt_contains("hello there").text("Good morning."));
    let mut terminal = bench.terminal(scenario, &[]).unwrap();
    for (typed, shown) in [
        ("x", "engine: No pending tasks."),
        ("p: **Port it** | opus", "engine: kept: Port it, as a pending task in session.md"),
        ("p: port it", "engine: Port it is in session.md already, pending; nothing was added"),
        ("q: dark mode, some day", "engine: kept: dark mode, some day, in the queue; engine q list"),
        ("r", "engine: Nothing in progress. x starts the next task."),
        (
            "xc",
            "engine: xc was not carried out: /handoff and /commit are not installed here: engine init --with skills",
        ),
        ("hc", "engine: /handoff and /commit are not installed here: engine init --with skills"),
    ] {
        terminal.forget();
        terminal.type_line(typed).unwrap();
        assert!(terminal.wait_for(shown, WAIT), "{typed}: {}", terminal.screen_text());
        assert!(terminal.record().of(Kind::Main).is_empty(), "{typed} made a request");
    }
    assert_eq!(
        bench.read("session.md").unwrap(),
        "# Session\n\n## Pending Tasks\n\n- [ ] **Port it** — | opus\n"
    );
    // What was typed was not put back: the next line stands alone.
    terminal.type_line("hello there").unwrap();
    assert!(terminal.wait_for("Good morning.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let mains = run.record.of(Kind::Main);
    assert_eq!(mains.len(), 1);
    assert_eq!(mains[0].prompt_text().lines().last(), Some("hello there"), "{}", mains[0].prompt_text());
}

/// The person at the terminal is told that a task is meant for another model.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn x_in_the_terminal_tells_which_model_a_task_is_meant_for() {
    let bench = bench(&[]);
    bench.write("session.md", "## Pending Tasks\n\n- [ ] **Alpha** — | haiku\n").unwrap();
    let scenario = Scenario::new().turn(Turn::new("work").prompt_contains("x").text("I am at it."));
    let mut terminal = bench.terminal(scenario, &[]).unwrap();
    terminal.type_line("x").unwrap();
    let told = "engine: Alpha is meant for haiku, and this session began with claude-opus-5-5";
    assert!(terminal.wait_for(told, WAIT), "{}", terminal.screen_text());
    assert!(terminal.wait_for("I am at it.", WAIT), "{}", terminal.screen_text());
    terminal.finish().unwrap();
}
