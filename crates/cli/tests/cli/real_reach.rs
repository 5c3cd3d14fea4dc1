//! From where the hooks of each scope are reached, with the real Claude Code: every start place, every scope and the plugin, and each event
//! exactly once. `docs/install.md` shows the same table.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine_testkit::{Bench, Kind, Run, STREAM, Scenario, Turn, client};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, engine, journal};

/// Where a client is started, or goes.
pub(crate) const PLACES: [(&str, &str); 7] = [
    ("root", "the project's root"),
    ("sub", "a subfolder, in a git repository"),
    ("sub without git", "a subfolder, without git"),
    ("--worktree", "`claude --worktree`"),
    ("worktree", "a worktree by `git worktree add`"),
    ("EnterWorktree", "the tool EnterWorktree, from the root"),
    ("Agent", "a subagent with a worktree of its own, from the root"),
];

/// What wires the engine, and the places that it does not reach.
pub(crate) const SCOPES: [(&str, &[&str]); 5] = [
    ("local", &["sub without git"]),
    ("team", &["sub", "sub without git"]),
    ("user", &[]),
    ("local + team", &["sub without git"]),
    ("plugin", &[]),
];

/// More than one at once: each event is still handled once.
const TOGETHER: [&str; 4] = ["user + team", "plugin + local", "plugin + team", "plugin + local + team"];

/// A bench whose PATH has the binary under test.
fn bare() -> Bench {
    client::require();
    let mut bench = Bench::new().unwrap();
    bench.path_first(Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap());
    bench
}

/// A project in which these wire the engine, in this order.
fn project(scopes: &str) -> Bench {
    let bench = bare();
    bench.write("sub/deep/file", "x\n").unwrap();
    for scope in scopes.split(" + ") {
        match scope {
            "local" => drop(engine(&bench, &["init", "--scope", "local"])),
            "user" => drop(engine(&bench, &["init", "--scope", "user"])),
            "team" => drop(engine(&bench, &["init", "--team"])),
            _ => {
                with_plugin(&bench);
                drop(engine(&bench, &["init"]));
            }
        }
    }
    bench.commit_all("all of it").unwrap();
    bench
}

/// The client's own commands, offline, from this checkout.
fn with_plugin(bench: &Bench) {
    let checkout = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    for words in [
        &["plugin", "marketplace", "add", checkout.to_str().unwrap()][..],
        &["plugin", "install", "engine@engine"],
    ] {
        let run = bench.run(Scenario::new(), words).unwrap();
        assert_eq!(run.code, Some(0), "{words:?}: {}{}", run.stdout, run.stderr);
    }
}

fn tool(name: &str, tool: &str, input: Value) -> Turn {
    Turn::new(name).kind(Kind::Main).tool_use(tool, input)
}

fn bash(name: &str) -> Turn {
    tool(name, "Bash", json!({"command": "true", "description": "Do nothing"}))
}

/// One prompt and one command at the place.
fn visit(bench: &Bench, place: &str) -> Run {
    let args = [&["-p", "go"][..], STREAM, BYPASS].concat();
    let plain = || Scenario::new().turn(bash("bash").prompt_contains("go"));
    let end = |scenario: Scenario| scenario.fallback(Turn::new("end").text("Done."));
    let root = bench.project().to_owned();
    let (folder, scenario, more): (PathBuf, Scenario, &[&str]) = match place {
        "root" => (root, plain(), &[]),
        "sub" => (root.join("sub/deep"), plain(), &[]),
        "sub without git" => {
            fs::remove_dir_all(root.join(".git")).unwrap();
            (root.join("sub/deep"), plain(), &[])
        }
        "--worktree" => (root, plain(), &["--worktree", "tree"]),
        "worktree" => {
            bench.git(&["worktree", "add", "-q", "../tree"]).unwrap();
            (root.with_file_name("tree"), plain(), &[])
        }
        "EnterWorktree" => {
            let load = json!({"query": "select:EnterWorktree", "max_results": 5});
            let scenario = Scenario::new()
                .turn(tool("load", "ToolSearch", load).prompt_contains("go"))
                .turn(tool("enter", "EnterWorktree", json!({"name": "tree"})).tool_result_of("ToolSearch"))
                .turn(bash("bash").tool_result_of("EnterWorktree"));
            (root, scenario, &[])
        }
        _ => {
            let agent = json!({"description": "Look", "prompt": "look", "subagent_type": "general-purpose",
                "isolation": "worktree", "run_in_background": false});
            let scenario = Scenario::new()
                .turn(tool("agent", "Agent", agent).prompt_contains("go"))
                .turn(Turn::new("sub").kind(Kind::Subagent).tool_use("Bash", json!({"command": "true"})))
                .turn(Turn::new("sub end").kind(Kind::Subagent).text("Looked."));
            (root, scenario, &[])
        }
    };
    let run = bench.run_in(&folder, end(scenario), &[&args[..], more].concat()).unwrap();
    assert_eq!((run.code, run.result_text().as_deref()), (Some(0), Some("Done.")), "{place}: {}", run.stdout);
    run
}

/// How often each event stands in the journal.
fn counted(bench: &Bench) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in journal(bench) {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let whose = if entry["agent"].is_string() { " of the subagent" } else { "" };
        *counts.entry(format!("{} {}{whose}", text("event"), text("tool"))).or_default() += 1;
    }
    counts
}

/// Each of these once.
fn expected(place: &str) -> BTreeMap<String, usize> {
    let mut events: Vec<&str> = vec!["SessionStart ", "UserPromptSubmit ", "Stop ", "SessionEnd "];
    events.extend(match place {
        "EnterWorktree" => &[
            "PreToolUse ToolSearch",
            "PostToolUse ToolSearch",
            "PreToolUse EnterWorktree",
            "PostToolUse EnterWorktree",
            "PreToolUse Bash",
            "PostToolUse Bash",
        ][..],
        "Agent" => &[
            "PreToolUse Agent",
            "PreToolUse Bash of the subagent",
            "PostToolUse Bash of the subagent",
            "SubagentStart  of the subagent",
            "SubagentStop  of the subagent",
            "PostToolUse Agent",
        ],
        _ => &["PreToolUse Bash", "PostToolUse Bash"],
    });
    events.into_iter().map(|event| (event.to_owned(), 1)).collect()
}

fn check(place: &str, scopes: &str, is_reached: bool) {
    let bench = project(scopes);
    visit(&bench, place);
    let wanted = if is_reached { expected(place) } else { BTreeMap::new() };
    assert_eq!(counted(&bench), wanted, "{scopes}, {place}");
}

fn check_place(place: &str) {
    for (scope, unreached) in SCOPES {
        check(place, scope, !unreached.contains(&place));
    }
}

macro_rules! places {
    ($($name:ident: $place:literal),* $(,)?) => {$(
        #[test]
        #[ignore = "needs the real client: cargo xtask test"]
        fn $name() {
            check_place($place);
        }
    )*};
}

places! {
    from_the_root: "root",
    from_a_subfolder: "sub",
    from_a_subfolder_without_git: "sub without git",
    with_the_flag_for_a_worktree: "--worktree",
    from_a_worktree: "worktree",
    after_entering_a_worktree: "EnterWorktree",
    in_the_worktree_of_a_subagent: "Agent",
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn several_at_once_handle_each_event_once() {
    for scopes in TOGETHER {
        check("root", scopes, true);
    }
    check("sub", "user + team", true);
    check("worktree", "plugin + local + team", true);
}

/// A client that does not read a person's own file is still guarded by the committed one.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_committed_entry_stands_back_only_for_what_the_client_has_loaded() {
    let bench = project("local + team");
    let scenario =
        Scenario::new().turn(bash("bash").prompt_contains("go")).fallback(Turn::new("end").text("Done."));
    let args = [&["-p", "go", "--setting-sources", "project"][..], STREAM, BYPASS].concat();
    bench.run(scenario, &args).unwrap();
    assert_eq!(counted(&bench), expected("root"));
}

/// PATH without any folder that has an `engine`.
fn path_without_engine() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("engine").exists());
    std::env::join_paths(folders).unwrap().into_string().unwrap()
}

/// The committed entry, seen by somebody who has no engine.
fn colleague() -> Bench {
    let mut bench = project("team");
    bench.env("PATH", &path_without_engine());
    bench
}

fn one_command() -> Scenario {
    Scenario::new()
        .turn(
            tool("bash", "Bash", json!({"command": "echo hi", "description": "Say hi"}))
                .prompt_contains("go"),
        )
        .turn(
            Turn::new("end").tool_result_of("Bash").tool_result_error(false).text("It said ${tool_result}."),
        )
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_colleague_without_the_program_sees_no_error() {
    let bench = colleague();
    let run = bench.run(one_command(), &[&["-p", "go"][..], STREAM, BYPASS].concat()).unwrap();
    assert_eq!(run.result_text().as_deref(), Some("It said hi."));
    let called: Vec<(String, Option<i64>, String)> = run
        .hook_responses()
        .into_iter()
        .map(|hook| (hook.event, hook.exit_code, format!("{}{}{}", hook.outcome, hook.stdout, hook.stderr)))
        .collect();
    let fine = |event: &str| (event.to_owned(), Some(0), "success".to_owned());
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
    assert_eq!(called, events.map(fine), "each hook ran, and said nothing");
    for trace in ["hook error", "hook_non_blocking_error", "hook_no_verdict", "stop-hook-error"] {
        assert!(!run.stdout.contains(trace), "{trace}: {}", run.stdout);
    }
    assert!(counted(&bench).is_empty(), "there was no engine");

    // A client of its own: one that ran before asks about the mode.
    let other = colleague();
    let mut terminal = other.terminal(one_command(), BYPASS).unwrap();
    terminal.type_line("go").unwrap();
    assert!(terminal.wait_for("It said hi.", WAIT), "{}", terminal.screen_text());
    let screen = terminal.finish().unwrap().stdout;
    let dense: String = screen.to_lowercase().split_whitespace().collect();
    for trace in ["hookerror", "engine", "notfound", "ctrl+otosee"] {
        assert!(!dense.contains(trace), "{trace}: {screen}");
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn who_uses_engine_elsewhere_is_told_once_that_it_is_missing() {
    let bench = colleague();
    fs::create_dir_all(bench.home().join(".config/engine")).unwrap();
    let mut terminal = bench.terminal(one_command(), BYPASS).unwrap();
    let told = "engine: this project uses engine, and the program is not on PATH: nothing is checked in this session";
    assert!(terminal.wait_for(told, WAIT), "{}", terminal.screen_text());
    terminal.forget();
    terminal.type_line("go").unwrap();
    assert!(terminal.wait_for("It said hi.", WAIT), "{}", terminal.screen_text());
    terminal.finish().unwrap();
    let run = bench.run(one_command(), &[&["-p", "go"][..], STREAM, BYPASS].concat()).unwrap();
    let said: Vec<String> = run
        .hook_responses()
        .iter()
        .filter(|hook| !hook.stdout.is_empty() || !hook.stderr.is_empty())
        .map(|hook| hook.event.clone())
        .collect();
    assert_eq!(said, ["SessionStart"]);
}

/// A project that fails closed blocks the calls of whoever has no engine, and says why.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_team_that_fails_closed_blocks_without_the_program() {
    let mut bench = project("team");
    engine(&bench, &["config", "set", "policy.fail", "closed"]);
    bench.env("PATH", &path_without_engine());
    let scenario = Scenario::new()
        .turn(
            tool("bash", "Bash", json!({"command": "touch made", "description": "Touch"}))
                .prompt_contains("go"),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("Blocked."));
    let run = bench.run(scenario, &[&["-p", "go"][..], STREAM, BYPASS].concat()).unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Blocked."));
    assert!(!bench.project().join("made").exists());
    let sightings = run.record.model_saw("engine is not on PATH, and this project blocks calls");
    assert!(!sightings.is_empty(), "the reason reaches the model");
}

/// The plugin carries its program: nothing has to be on PATH.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_plugin_starts_the_program_that_it_carries() {
    let bench = bare();
    let out = bench.home().join("engine plugin");
    let chore = std::process::Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--", "plugin"])
        .arg(&out)
        .args(["--program", env!("CARGO_BIN_EXE_engine")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(chore.status.success(), "{}", String::from_utf8_lossy(&chore.stderr));
    let mut bench = bench;
    bench.env("PATH", &path_without_engine());
    for words in [
        &["plugin", "marketplace", "add", out.to_str().unwrap()][..],
        &["plugin", "install", "engine@engine"],
    ] {
        assert_eq!(bench.run(Scenario::new(), words).unwrap().code, Some(0), "{words:?}");
    }
    // Outside of a project: one line, once.
    let told = |run: &Run| -> Vec<String> {
        run.hook_responses()
            .into_iter()
            .map(|hook| format!("{} {}", hook.event, hook.stdout.trim()))
            .collect()
    };
    let args = [&["-p", "go"][..], STREAM, BYPASS].concat();
    let first = told(&bench.run(one_command(), &args).unwrap());
    let line = r#"SessionStart {"systemMessage":"engine: this folder is not a project of engine, so nothing is checked here. Switch it on: engine init"}"#;
    let silent = ["UserPromptSubmit ", "PreToolUse ", "PostToolUse ", "Stop "];
    assert_eq!(first, [&[line][..], &silent].concat());
    let second = told(&bench.run(one_command(), &args).unwrap());
    assert_eq!(second, [&["SessionStart "][..], &silent].concat());
    // The agent's shell has the plugin's program, so it can be switched on from within the client.
    let init = Scenario::new()
        .turn(
            tool("init", "Bash", json!({"command": "engine init", "description": "Init"}))
                .prompt_contains("go"),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(false).text("${tool_result}"));
    let said = bench.run(init, &args).unwrap().result_text().unwrap_or_default();
    assert!(said.contains("Its hooks are wired by the plugin engine@engine"), "{said}");
    assert!(!bench.project().join(".claude/settings.json").exists());
    fs::remove_dir_all(bench.project().join(".engine/journal")).ok();
    bench.run(one_command(), &args).unwrap();
    assert_eq!(counted(&bench), expected("root"));
}

/// What validates for the client's own eyes: the plugin and the marketplace.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn plugin_and_marketplace_are_valid() {
    let bench = bare();
    let checkout = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    for folder in [checkout.clone(), checkout.join("plugin")] {
        let run = bench.run(Scenario::new(), &["plugin", "validate", folder.to_str().unwrap()]).unwrap();
        assert_eq!(run.code, Some(0), "{}: {}{}", folder.display(), run.stdout, run.stderr);
        assert!(run.stdout.contains("Validation passed"), "{}", run.stdout);
    }
}

/// In a subfolder that a committed entry does not reach, the status line says so.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_status_line_says_that_hooks_do_not_reach_a_folder() {
    let mut bench = project("team");
    let status =
        json!({"type": "command", "command": format!("{} statusline", env!("CARGO_BIN_EXE_engine"))});
    fs::create_dir_all(bench.home().join(".claude")).unwrap();
    fs::write(bench.home().join(".claude/settings.json"), json!({"statusLine": status}).to_string()).unwrap();
    let folder = bench.project().join("sub/deep");
    // The terminal starts in the project; the client is started below it by a shell.
    let start = bench.home().join("start");
    let client = client::find().unwrap();
    fs::write(
        &start,
        format!("#!/bin/sh\ncd '{}' && exec '{}' \"$@\"\n", folder.display(), client.display()),
    )
    .unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&start).status().unwrap();
    bench.through(&start, &[]);
    let known = bench.home().join(".claude.json");
    bench.trust().unwrap();
    let mut trusted: Value = serde_json::from_str(&fs::read_to_string(&known).unwrap()).unwrap();
    trusted["projects"][folder.to_string_lossy().as_ref()] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    fs::write(&known, trusted.to_string()).unwrap();
    let terminal = bench.terminal(one_command(), BYPASS).unwrap();
    assert!(terminal.wait_for("○ hooks do not reach this folder", WAIT), "{}", terminal.screen_text());
    terminal.finish().unwrap();
}
