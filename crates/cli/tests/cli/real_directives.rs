//! Directives and checklists with the real client: what the model received at each step.

use std::fs;

use engine_testkit::{Bench, Kind, Request, Scenario, Turn};
use serde_json::{Value, json};

use crate::directives_queue::{DEEP, directives_of_levels};
use crate::real_client::{BYPASS, WAIT, accept, ask, bench};

const WORK: &str = "sessions/2026_02_07_AUTH";

const CHECKLIST: &str = "# Checklist\n\n## Tests\n- [ ] unit tests\n- [ ] docs\n";

/// A project with directives at two levels.
fn project() -> Bench {
    let bench = bench(&["--with", "skills=all"]);
    let files = [
        (".directives/AGENTS.md", "# The project\nRoot facts. §INV_NOON counts, `§INV_CODE` does not.\n"),
        (".directives/PITFALLS.md", "# Pitfalls\n- **¶INV_NOON** Never at noon.\n"),
        ("packages/a/.directives/AGENTS.md", "# Package a\nFacts of a.\n"),
        ("packages/a/.directives/CHECKLIST.md", CHECKLIST),
        ("packages/a/x.txt", "off\n"),
    ];
    for (path, text) in files {
        bench.write(path, text).unwrap();
    }
    bench
}

fn turn(tool: &str, input: &Value) -> Turn {
    Turn::new(&format!("{tool} {}", input.to_string().replace("${PROJECT}/", "")))
        .tool_use(tool, input.clone())
}

fn read(path: &str) -> (&'static str, Value) {
    ("Read", json!({"file_path": format!("${{PROJECT}}/{path}")}))
}

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": command}))
}

/// What each call brought the model: the result of the engine's own commands, refusals, and notes of the hooks.
fn received(bench: &Bench, requests: &[&Request]) -> String {
    let mut text = String::new();
    for pair in requests.windows(2) {
        let [call, answer] = pair else { continue };
        text.push_str(&format!("$ {}\n", call.turn));
        for result in answer.tool_results() {
            if result.is_error || call.turn.contains("engine ") {
                text.push_str(&format!("{}\n", result.text.trim_end()));
            }
        }
        for tool in ["Read", "Edit", "Write", "Bash", "Agent"] {
            for hook in ["PreToolUse", "PostToolUse", "PostToolUseFailure"] {
                let hook = format!("{hook}:{tool}");
                text.extend(answer.contexts(&hook).iter().map(|note| format!("{hook}: {note}\n")));
            }
        }
    }
    let text = text.replace(&bench.project().display().to_string(), "[PROJECT]");
    text.replace(&bench.home().display().to_string(), "[HOME]")
}

fn script(calls: &[(&'static str, Value)]) -> Scenario {
    let mut scenario = Scenario::new();
    for (index, (tool, input)) in calls.iter().enumerate() {
        let turn = turn(tool, input);
        let turn =
            if index == 0 { turn.prompt_contains("go") } else { turn.tool_result_of(calls[index - 1].0) };
        scenario = scenario.turn(turn);
    }
    scenario.turn(Turn::new("end").tool_result_of(calls[calls.len() - 1].0).text("Done."))
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_model_receives_the_directives_of_the_folders_it_works_in() {
    let bench = project();
    let edit = |old: &str, new: &str| {
        let file = "${PROJECT}/packages/a/x.txt";
        ("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))
    };
    let mut calls = vec![
        read("packages/a/x.txt"),
        read("packages/a/x.txt"),
        bash(&format!("engine session activate {WORK} fix")),
        bash(&format!("engine session phase {WORK} \"1: Setup\"")),
        edit("off", "on"),
        edit("on", "on and on"),
        read("packages/b/none.txt"),
    ];
    calls.extend((1..=7).map(|number| bash(&format!("echo {number}"))));
    calls.push(read("packages/b/.directives/ARCHITECTURE.md"));
    calls.push(bash("echo free"));
    bench.write("packages/b/.directives/ARCHITECTURE.md", &"A long line of facts.\n".repeat(400)).unwrap();
    // Its reminders would come between.
    bench.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n").unwrap();
    accept(&bench);
    let run = ask(&bench, script(&calls), "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @r#"
    $ Read {"file_path":"packages/a/x.txt"}
    PostToolUse:Read: Directives that count here, nearest first:

    ## packages/a/.directives/AGENTS.md

    # Package a
    Facts of a.

    ## .directives/AGENTS.md

    # The project
    Root facts. §INV_NOON counts, `§INV_CODE` does not.

    Referred to there:

    ### §INV_NOON (.directives/PITFALLS.md:2)

    - **¶INV_NOON** Never at noon.
    $ Read {"file_path":"packages/a/x.txt"}
    $ Bash {"command":"engine session activate sessions/2026_02_07_AUTH fix"}
    sessions/2026_02_07_AUTH: fix started, phase 1: Setup (1 of 7)
    §CMD_MODE If none is set, one question (§CMD_ASK): the skill's three modes and custom. The file of the chosen one is read. Custom: all three are read, then mixed by what the user says.
    mode: none is set, so the user is asked: bisect, hotfix, trace, custom
    proof to leave it: mode (mode)
    log: engine log sessions/2026_02_07_AUTH/FIX_LOG.md
    files in it: FIX_PLAN.md (as [PROJECT]/.claude/skills/fix/templates/plan.md), FIX.md (as [PROJECT]/.claude/skills/fix/templates/debrief.md)
    then: engine session phase sessions/2026_02_07_AUTH "2: Reproduce"
    $ Bash {"command":"engine session phase sessions/2026_02_07_AUTH \"1: Setup\""}
    sessions/2026_02_07_AUTH: fix, phase 1: Setup (1 of 7)
    §CMD_MODE If none is set, one question (§CMD_ASK): the skill's three modes and custom. The file of the chosen one is read. Custom: all three are read, then mixed by what the user says.
    proof to leave it: mode (mode)
    then: engine session phase sessions/2026_02_07_AUTH "2: Reproduce"
    $ Edit {"file_path":"packages/a/x.txt","new_string":"on","old_string":"off"}
    PostToolUse:Edit: Directives that count here, nearest first:

    ## packages/a/.directives/CHECKLIST.md (handed in by: engine session check sessions/2026_02_07_AUTH)

    # Checklist

    ## Tests
    - [ ] unit tests
    - [ ] docs

    ## .directives/PITFALLS.md

    # Pitfalls
    - **¶INV_NOON** Never at noon.
    $ Edit {"file_path":"packages/a/x.txt","new_string":"on and on","old_string":"on"}
    $ Read {"file_path":"packages/b/none.txt"}
    File does not exist. Note: your current working directory is [PROJECT].
    PostToolUseFailure:Read: Directives that count here and did not fit. Read them whole within 6 calls, after which other calls are held:
    - packages/b/.directives/ARCHITECTURE.md (8799 characters)
    $ Bash {"command":"echo 1"}
    $ Bash {"command":"echo 2"}
    $ Bash {"command":"echo 3"}
    PreToolUse:Bash: engine: directives that count here are not read yet: packages/b/.directives/ARCHITECTURE.md. After 3 more calls, other calls are held until they are read.
    $ Bash {"command":"echo 4"}
    $ Bash {"command":"echo 5"}
    $ Bash {"command":"echo 6"}
    $ Bash {"command":"echo 7"}
    PreToolUse:Bash hook error: engine rule directives: directives that count here are not read yet: packages/b/.directives/ARCHITECTURE.md. Read them whole (Read, or cat), then go on.
    $ Read {"file_path":"packages/b/.directives/ARCHITECTURE.md"}
    $ Bash {"command":"echo free"}
    "#);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_checklist_blocks_until_it_is_handed_in_right() {
    let bench = project();
    let write = |path: &str, content: &str| {
        ("Write", json!({"file_path": format!("${{PROJECT}}/{path}"), "content": content}))
    };
    let list = format!("{}/packages/a/.directives/CHECKLIST.md", bench.project().display());
    let ticked = CHECKLIST.replace("[ ]", "[x]");
    let check = bash(&format!("engine session check {WORK} < {WORK}/checklists.json"));
    let hand_in = |content: &str| [write(&format!("{WORK}/checklists.json"), content), check.clone()];
    let idle = bash(&format!("engine session idle {WORK} --description \"it is on\""));
    bench
        .write(
            ".claude/skills/mend/SKILL.md",
            "---\nname: mend\ndescription: Mends.\nengine:\n  phases:\n    - {label: \"1\", name: Setup}\n    - {label: \"2\", name: Mend}\n  directives: [CHECKLIST.md]\n---\nMend it.\n",
        )
        .unwrap();
    let mut calls = vec![
        bash(&format!("engine session activate {WORK} mend && engine session phase {WORK} 2")),
        bash("sed -i s/off/on/ packages/a/x.txt"),
        idle.clone(),
    ];
    calls.extend(hand_in(&ticked));
    calls.extend(hand_in(&json!({"~/packages/a/.directives/CHECKLIST.md": ticked}).to_string()));
    calls.extend(hand_in(&json!({list.as_str(): "## Tests\n- [x] unit tests\n…\n"}).to_string()));
    calls.extend(hand_in(&json!({list.as_str(): ticked}).to_string()));
    calls.push(idle);
    bench.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n").unwrap();
    accept(&bench);
    let run = ask(&bench, script(&calls), "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @r###"
    $ Bash {"command":"engine session activate sessions/2026_02_07_AUTH mend && engine session phase sessions/2026_02_07_AUTH 2"}
    sessions/2026_02_07_AUTH: mend started, phase 1: Setup (1 of 2)
    log: engine log sessions/2026_02_07_AUTH/MEND_LOG.md
    then: engine session phase sessions/2026_02_07_AUTH "2: Mend"
    sessions/2026_02_07_AUTH: mend, phase 2: Mend (2 of 2)
    then: engine session idle sessions/2026_02_07_AUTH --description "…"
    $ Bash {"command":"sed -i s/off/on/ packages/a/x.txt"}
    PostToolUse:Bash: Directives that count here, nearest first:

    ## packages/a/.directives/AGENTS.md

    # Package a
    Facts of a.

    ## packages/a/.directives/CHECKLIST.md (handed in by: engine session check sessions/2026_02_07_AUTH)

    # Checklist

    ## Tests
    - [ ] unit tests
    - [ ] docs

    ## .directives/AGENTS.md

    # The project
    Root facts. §INV_NOON counts, `§INV_CODE` does not.

    Referred to there:

    ### §INV_NOON (.directives/PITFALLS.md:2)

    - **¶INV_NOON** Never at noon.
    $ Bash {"command":"engine session idle sessions/2026_02_07_AUTH --description \"it is on\""}
    Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    checklist: [PROJECT]/packages/a/.directives/CHECKLIST.md has not passed
      engine session check sessions/2026_02_07_AUTH
    $ Write {"content":"# Checklist\n\n## Tests\n- [x] unit tests\n- [x] docs\n","file_path":"sessions/2026_02_07_AUTH/checklists.json"}
    $ Bash {"command":"engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json"}
    Exit code 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: stdin holds Markdown; it goes into a JSON object, behind its path
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[PROJECT]/packages/a/.directives/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    $ Write {"content":"{\"~/packages/a/.directives/CHECKLIST.md\":\"# Checklist\\n\\n## Tests\\n- [x] unit tests\\n- [x] docs\\n\"}","file_path":"sessions/2026_02_07_AUTH/checklists.json"}
    $ Bash {"command":"engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json"}
    Exit code 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: ~/packages/a/.directives/CHECKLIST.md: a path is written out, without ~: [HOME]/packages/a/.directives/CHECKLIST.md
    checklist: [PROJECT]/packages/a/.directives/CHECKLIST.md is missing
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[PROJECT]/packages/a/.directives/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    $ Write {"content":"{\"[PROJECT]/packages/a/.directives/CHECKLIST.md\":\"## Tests\\n- [x] unit tests\\n…\\n\"}","file_path":"sessions/2026_02_07_AUTH/checklists.json"}
    $ Bash {"command":"engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json"}
    Exit code 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [PROJECT]/packages/a/.directives/CHECKLIST.md: its text is abbreviated (`…`), and the whole file is handed in:
      - # Checklist
      - 
      - - [ ] docs
      + …
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[PROJECT]/packages/a/.directives/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    $ Write {"content":"{\"[PROJECT]/packages/a/.directives/CHECKLIST.md\":\"# Checklist\\n\\n## Tests\\n- [x] unit tests\\n- [x] docs\\n\"}","file_path":"sessions/2026_02_07_AUTH/checklists.json"}
    $ Bash {"command":"engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json"}
    sessions/2026_02_07_AUTH: 1 checklist passed
    $ Bash {"command":"engine session idle sessions/2026_02_07_AUTH --description \"it is on\""}
    sessions/2026_02_07_AUTH is idle
    "###);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_subagent_and_a_compacted_context_are_told_again() {
    let bench = project();
    let launch = json!({"description": "Look", "prompt": "look at a", "subagent_type": "general-purpose", "run_in_background": false});
    let (tool, file) = read("packages/a/x.txt");
    let scenario = Scenario::new()
        .turn(turn(tool, &file).prompt_contains("begin"))
        .turn(Turn::new("launch").tool_result_of("Read").tool_use("Agent", launch))
        .turn(Turn::new("sub").kind(Kind::Subagent).prompt_contains("look at a").tool_use(tool, file.clone()))
        .turn(Turn::new("sub end").kind(Kind::Subagent).tool_result_of("Read").text("It is off."))
        .turn(Turn::new("looked").tool_result_of("Agent").text("Looked."))
        .turn(Turn::new("again").prompt_contains("look again").tool_use(tool, file))
        .turn(Turn::new("end").tool_result_of("Read").text("Done."));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    for prompt in ["begin", "/compact", "look again"] {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Done."), "{:?}", run.record.turns());
    let both = "Directives that count here, nearest first:\n\n## packages/a/.directives/AGENTS.md\n\n# Package a\nFacts of a.\n\n## .directives/AGENTS.md\n\n# The project\nRoot facts. §INV_NOON counts, `§INV_CODE` does not.\n\nReferred to there:\n\n### §INV_NOON (.directives/PITFALLS.md:2)\n\n- **¶INV_NOON** Never at noon.";
    let told: Vec<(Kind, String, Vec<String>)> = run
        .record
        .requests
        .iter()
        .map(|request| (request.kind, request.turn.clone(), request.contexts("PostToolUse:Read")))
        .filter(|(_, _, texts)| !texts.is_empty())
        .collect();
    let expected = [(Kind::Main, "launch"), (Kind::Subagent, "sub end"), (Kind::Main, "end")];
    assert_eq!(told, expected.map(|(kind, turn)| (kind, turn.to_owned(), vec![both.to_owned()])));
}

/// What of directives came with which request, by their paths.
fn told_paths(request: &Request) -> Vec<String> {
    let hooks = ["PostToolUse:Read", "PostToolUse:Bash", "PostToolUseFailure:Bash"];
    let texts = hooks.iter().flat_map(|hook| request.contexts(hook)).collect::<Vec<_>>().join("\n");
    texts.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_does_not_fit_comes_with_the_next_requests() {
    let bench = bench(&[]);
    for (path, text) in directives_of_levels() {
        bench.write(&path, &text).unwrap();
    }
    bench.write(&format!("{DEEP}/x.rs"), "fn x() {}\n").unwrap();
    let (tool, file) = read(&format!("{DEEP}/x.rs"));
    let echo = |name: &str| Turn::new(name).tool_use("Bash", json!({"command": format!("echo {name}")}));
    let scenario = Scenario::new()
        .turn(turn(tool, &file).prompt_contains("begin"))
        .turn(echo("second").tool_result_of("Read"))
        .turn(echo("third").tool_result_of("Bash"))
        .turn(Turn::new("rest").tool_result_of("Bash").text("Seen."))
        .turn(Turn::new("again").prompt_contains("look again").tool_use(tool, file.clone()))
        .turn(echo("fifth").tool_result_of("Read"))
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    for prompt in ["begin", "/compact", "look again"] {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Done."), "{:?}", run.record.turns());
    let told: Vec<(&str, Vec<String>)> = run
        .record
        .of(Kind::Main)
        .into_iter()
        .map(|request| (request.turn.as_str(), told_paths(request)))
        .filter(|(_, paths)| !paths.is_empty())
        .collect();
    let turns: Vec<&str> = told.iter().map(|(turn, _)| *turn).collect();
    assert_eq!(turns, ["second", "third", "fifth", "end"], "{told:?}");
    let mut all: Vec<String> = directives_of_levels().into_iter().map(|(path, _)| path).collect();
    all.sort();
    for context in [&told[..2], &told[2..]] {
        let mut paths: Vec<String> = context.iter().flat_map(|(_, paths)| paths.clone()).collect();
        assert!(paths[..8].contains(&".directives/INVARIANTS.md".to_owned()), "{paths:?}");
        paths.sort();
        assert_eq!(paths, all, "each once");
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_session_starts_with_files_within_their_budget_and_the_protocol_of_links() {
    let bench = bench(&[]);
    let own = bench.home().join(".config/engine/context");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("CORE.md"), "I am Ada.\n").unwrap();
    bench.write(".engine/context/FRAMEWORK.md", "Work in ${PROJECT}.\n").unwrap();
    bench.write(".engine/context/AXIOMS.md", &"An axiom of this project.\n".repeat(1000)).unwrap();
    bench.write(".engine/config.toml", "[inject]\nbudget = 700\n\n[links]\nprotocol = \"cursor\"\n").unwrap();
    accept(&bench);
    let run =
        ask(&bench, Scenario::new().turn(Turn::new("end").prompt_contains("go").text("Done.")), "go", &[]);
    let requests = run.record.of(Kind::Main);
    let told = requests[0].contexts("SessionStart").join("\n");
    let told = told.replace(&bench.project().display().to_string(), "[PROJECT]");
    let told = told.replace(&bench.home().display().to_string(), "[HOME]");
    insta::assert_snapshot!(told.replace(&"An axiom of this project.\n".repeat(5), "<5 axioms>\n"), @"
    Files loaded at session start, not all of them whole:

    ## CORE.md (of the user, for all projects)

    I am Ada.

    ## FRAMEWORK.md

    Work in [PROJECT].

    ## AXIOMS.md

    <5 axioms>
    <5 axioms>
    <5 axioms>
    An axiom of this project.
    An axiom of this project.
    An axiom of this project.
    … 25,532 characters more: .engine/context/AXIOMS.md

    Terminal link protocol: cursor (cursor://file/ABSOLUTE/PATH:LINE)
    ");
}
