//! Directives that do not fit into one event: they come with the next ones, each once.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::directives::{after, at_work, before, on};
use crate::stage::{Output, SESSION, Stage, input, output_of};

/// A folder of five levels with three files each, of 0.7 KB.
pub(crate) const DEEP: &str = "apps/web/src/pages";

fn body(mark: &str) -> String {
    format!("{mark}\n{}", "A fact of this folder.\n".repeat(28))
}

/// The files of that folder and those above it, with their texts.
pub(crate) fn directives_of_levels() -> Vec<(String, String)> {
    let mut level = String::new();
    let mut files = Vec::new();
    for name in ["", "apps/", "web/", "src/", "pages/"] {
        level.push_str(name);
        for kind in ["AGENTS", "INVARIANTS", "ARCHITECTURE"] {
            let path = format!("{level}.directives/{kind}.md");
            files.push((path, body(&format!("{level}{kind} is here."))));
        }
    }
    files
}

fn monorepo(stage: &Stage) {
    for (path, text) in directives_of_levels() {
        stage.write(&path, &text);
    }
    stage.write(&format!("{DEEP}/x.rs"), "fn x() {}\n");
}

fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    monorepo(&stage);
    stage.hook(&stage.event("SessionStart"));
    stage
}

/// The files that a text tells, without the folders above `.directives`, and what it says besides.
fn files(text: &str) -> String {
    let is_fact =
        |line: &&str| !line.starts_with("A fact") && !line.ends_with("is here.") && !line.is_empty();
    text.lines().filter(is_fact).collect::<Vec<_>>().join("\n")
}

fn ls(stage: &Stage) -> String {
    after(stage, "Bash", &json!({"command": "true"}))
}

#[test]
fn what_does_not_fit_comes_with_the_next_calls() {
    let stage = stage();
    let read = format!("{DEEP}/x.rs");
    insta::assert_snapshot!(files(&on(&stage, "Read", &read)), @"
    Directives that count here, nearest first:
    ## apps/web/src/pages/.directives/AGENTS.md
    ## apps/web/src/pages/.directives/INVARIANTS.md
    ## apps/web/src/pages/.directives/ARCHITECTURE.md
    ## apps/web/src/.directives/AGENTS.md
    ## apps/web/src/.directives/INVARIANTS.md
    ## apps/web/src/.directives/ARCHITECTURE.md
    ## .directives/AGENTS.md
    ## .directives/INVARIANTS.md
    7 more come with the next calls.
    ");
    // Whatever the call is.
    insta::assert_snapshot!(files(&ls(&stage)), @"
    Directives that count where this agent worked, and did not fit before:
    ## apps/web/.directives/AGENTS.md
    ## apps/web/.directives/INVARIANTS.md
    ## apps/web/.directives/ARCHITECTURE.md
    ## apps/.directives/AGENTS.md
    ## apps/.directives/INVARIANTS.md
    ## apps/.directives/ARCHITECTURE.md
    ## .directives/ARCHITECTURE.md
    ");
    assert_eq!(ls(&stage), "-");
    assert_eq!(on(&stage, "Read", &read), "-");
    assert!(stage.state()["directives"][""]["queued"].is_null());
    // After a compaction again, what waited too.
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "compact"})));
    assert_eq!(ls(&stage), "-");
    assert!(on(&stage, "Read", &read).contains("7 more come"));
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "compact"})));
    assert_eq!(ls(&stage), "-", "what waited went with the context");
}

#[test]
fn nobody_is_held_for_what_waits() {
    let stage = at_work();
    monorepo(&stage);
    on(&stage, "Read", &format!("{DEEP}/x.rs"));
    let any = json!({"command": "cargo build"});
    assert!((0..20).all(|_| before(&stage, "Bash", &any) == "-"));
    assert!(ls(&stage).contains("AGENTS.md"));
}

#[test]
fn what_the_call_meets_goes_before_what_waits() {
    let stage = stage();
    stage.write("other/.directives/AGENTS.md", &body("other is here."));
    on(&stage, "Read", &format!("{DEEP}/x.rs"));
    let told = on(&stage, "Read", "other/x.rs");
    let (met, waited) =
        told.split_once("Directives that count where this agent worked, and did not fit before:").unwrap();
    assert!(met.contains("## other/.directives/AGENTS.md") && !met.contains("## web"), "{told}");
    assert!(waited.contains("## apps/"), "{told}");
}

#[test]
fn what_waits_is_told_as_it_is_then() {
    let stage = stage();
    on(&stage, "Read", &format!("{DEEP}/x.rs"));
    let waiting: Vec<String> = stage.state()["directives"][""]["queued"]
        .as_array()
        .unwrap()
        .iter()
        .map(|queued| queued["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(waiting.len(), 7, "{waiting:?}");
    let at = |index: usize| stage.root().join(&waiting[index]);
    fs::write(at(0), "Edited.\n").unwrap();
    fs::remove_file(at(1)).unwrap();
    fs::write(stage.home().join("secret.md"), "SECRET").unwrap();
    fs::remove_file(at(2)).unwrap();
    symlink(stage.home().join("secret.md"), at(2)).unwrap();
    fs::write(at(3), b"\xff\xfe").unwrap();
    fs::write(at(4), "A long line of facts.\n".repeat(400)).unwrap();
    fs::write(at(5), "").unwrap();
    let told = ls(&stage);
    assert!(told.contains("Edited.") && !told.contains("SECRET"), "{told}");
    assert!(
        told.contains(&format!("did not fit. Read them before the work goes on:\n- {} (", waiting[4])),
        "{told}"
    );
    assert!(told.contains(&format!("## {}", waiting[6])), "{told}");
    assert_eq!(ls(&stage), "-");
    let kept = stage.state()["directives"][""].clone();
    assert_eq!((kept["queued"].clone(), kept["pending"].clone()), (Value::Null, json!([waiting[4]])));
}

#[test]
fn each_agent_has_its_own_queue() {
    let stage = stage();
    let call = |agent: Option<&str>, command: &str| {
        let mut event = stage.event_with(
            "PostToolUse",
            &json!({"session_id": SESSION, "tool_use_id": command, "tool_name": "Bash", "tool_input": {"command": command}}),
        );
        if let Some(agent) = agent {
            event["agent_id"] = json!(agent);
            event["agent_type"] = json!("general-purpose");
        }
        let output = stage.hook(&event);
        if output.stdout.trim().is_empty() { 0 } else { output.context().matches("\n## ").count() }
    };
    let look = format!("cat {DEEP}/x.rs");
    assert_eq!(call(None, &look), 8);
    assert_eq!(call(Some("a1"), "true"), 0);
    assert_eq!(call(Some("a1"), &look), 8);
    assert_eq!((call(Some("a1"), "true"), call(Some("a1"), "true")), (7, 0));
    assert_eq!((call(None, "true"), call(None, "true")), (7, 0));
}

#[test]
fn an_untrusted_project_queues_nothing_and_trust_that_was_taken_back_holds_it() {
    let stage = Stage::new();
    monorepo(&stage);
    on(&stage, "Read", &format!("{DEEP}/x.rs"));
    stage.ok(&["trust", "--drop"]);
    assert_eq!(ls(&stage), "-");
    assert_eq!(on(&stage, "Read", &format!("{DEEP}/x.rs")), "-");
    stage.ok(&["trust"]);
    assert!(ls(&stage).contains("## apps/"));
}

#[test]
fn parallel_calls_get_what_waits_once() {
    let mut rounds = 0;
    while rounds < 3 {
        let stage = stage();
        let children: Vec<_> = (0..8)
            .map(|index| {
                let command = if index < 4 { format!("cat {DEEP}/x.rs") } else { "true".to_owned() };
                let event = stage.event_with(
                    "PostToolUse",
                    &json!({"session_id": SESSION, "tool_use_id": format!("t{index}"), "tool_name": "Bash", "tool_input": {"command": command}}),
                );
                let mut hook = stage.command(&["hook"]);
                hook.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
                hook.spawn().unwrap()
            })
            .collect();
        let outputs: Vec<_> = children.into_iter().map(output_of).collect();
        if outputs.iter().any(Output::is_refused_a_lock) {
            continue;
        }
        rounds += 1;
        let mut told: String = outputs.into_iter().map(|output| output.stdout).collect();
        told.push_str(&ls(&stage));
        for (path, _) in directives_of_levels() {
            assert_eq!(told.matches(&format!("## {path}")).count(), 1, "{path}");
        }
    }
}

#[test]
fn a_thousand_directives_come_in_the_end() {
    let stage = Stage::new();
    for index in 0..1000 {
        stage.write(
            &format!("p{index}/.directives/AGENTS.md"),
            &format!("Fact {index}.\n{}", "More.\n".repeat(100)),
        );
    }
    stage.hook(&stage.event("SessionStart"));
    let command: Vec<String> = (0..40).map(|index| format!("p{index}/x")).collect();
    let look = json!({"command": format!("cat {}", command.join(" "))});
    let first = after(&stage, "Bash", &look);
    assert!(first.encode_utf16().count() < 7000 && first.contains("Fact 0.") && first.contains("more come"));
    let mut told = first;
    let mut calls = 1;
    loop {
        let next = ls(&stage);
        if next == "-" {
            break;
        }
        told.push_str(&next);
        calls += 1;
    }
    assert!((0..40).all(|index| told.matches(&format!("Fact {index}.\n")).count() == 1));
    assert!(calls < 8, "{calls}");
    // The state stays small.
    for from in (0..1000).step_by(50) {
        let command: Vec<String> = (from..from + 50).map(|index| format!("p{index}/x")).collect();
        after(&stage, "Bash", &json!({"command": format!("cat {}", command.join(" "))}));
    }
    let kept = stage.state()["directives"][""].clone();
    assert!(kept["queued"].as_array().unwrap().len() <= 200);
}

#[test]
fn a_part_of_a_directive_is_not_the_whole() {
    let stage = at_work();
    let lines: String = (0..400).map(|line| format!("Fact {line} of many that are long enough.\n")).collect();
    stage.write("packages/a/.directives/ARCHITECTURE.md", &lines);
    let path = stage.root().join("packages/a/.directives/ARCHITECTURE.md");
    on(&stage, "Read", "packages/a/src/x.rs");
    let held = || {
        let mut kept = stage.state();
        kept["directives"][""]["waited"] = json!(10);
        stage.write(&format!(".engine/state/sessions/{SESSION}.json"), &kept.to_string());
        before(&stage, "WebFetch", &json!({"url": "x"})).starts_with("deny")
    };
    let read = |offset: u64, limit: u64| json!({"file_path": path, "offset": offset, "limit": limit});
    for (name, part) in [
        ("Read", read(1, 3)),
        ("Bash", json!({"command": "head -3 packages/a/.directives/ARCHITECTURE.md"})),
        ("Bash", json!({"command": "cat packages/a/.directives/ARCHITECTURE.md | head -5"})),
        ("Bash", json!({"command": "cat packages/a/.directives/ARCHITECTURE.md | wc -l"})),
        ("Bash", json!({"command": "tail -n 9 packages/a/.directives/ARCHITECTURE.md"})),
        ("Read", read(1, 200)),
    ] {
        after(&stage, name, &part);
        assert!(held(), "{name} {part}");
    }
    // Two halves are the whole.
    after(&stage, "Bash", &json!({"command": "sed -n '201,330p' packages/a/.directives/ARCHITECTURE.md"}));
    assert!(!held());
    // A part of what would fit is told all the same.
    stage.write("b/.directives/AGENTS.md", "One.\nTwo.\nThree.\n");
    let part = json!({"file_path": stage.root().join("b/.directives/AGENTS.md"), "limit": 1});
    assert!(after(&stage, "Read", &part).contains("Three."));
}

#[test]
fn a_form_that_nobody_filled_in_is_not_told() {
    let stage = at_work();
    stage.write("docs/x.md", "x");
    for kind in ["AGENTS", "ARCHITECTURE", "TESTING"] {
        stage.ok(&["directives", "new", kind, "docs"]);
    }
    let told = on(&stage, "Edit", "docs/x.md");
    assert!(!told.contains("## docs/"), "{told}");
    assert_eq!(on(&stage, "Edit", "docs/x.md"), "-");
    insta::assert_snapshot!(stage.ok(&["directives", "status", "docs"]), @"
    empty form  186 bytes  docs/.directives/AGENTS.md
    empty form  176 bytes  docs/.directives/ARCHITECTURE.md
    empty form  149 bytes  docs/.directives/TESTING.md
    told        26 bytes   .directives/AGENTS.md
    told        26 bytes   .directives/PITFALLS.md
    ");
    let form = stage.read("docs/.directives/AGENTS.md");
    stage.write("docs/.directives/AGENTS.md", &form.replace("here**:", "here**: the manual"));
    assert!(on(&stage, "Edit", "docs/x.md").contains("the manual"));
}
