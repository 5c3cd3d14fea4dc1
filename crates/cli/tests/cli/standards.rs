//! `engine show`, and the standards at session start.

use engine_core::standard::STANDARDS;
use serde_json::json;

use crate::stage::Stage;

#[test]
fn show_prints_a_standard_and_lists_them() {
    let stage = Stage::bare();
    for standard in STANDARDS {
        assert_eq!(stage.ok(&["show", standard.name]), standard.text);
        assert_eq!(stage.ok(&["show", &standard.name.to_lowercase()]), standard.text);
        let json = stage.engine(&["show", standard.name, "--json"]).json();
        assert_eq!(json, json!({"version": 1, "name": standard.name, "text": standard.text}));
    }
    let out = stage.engine(&["show"]);
    insta::assert_snapshot!(format!("{}{}", out.stdout, out.stderr), @"
    COMMANDS    what the steps of a skill mean (¶CMD_)
    INVARIANTS  rules of conduct (¶INV_)
    SIGILS      definitions, references, tags and feeds
    told at session start if listed: engine config set inject.standards COMMANDS,INVARIANTS,SIGILS
    ");
    insta::assert_snapshot!(stage.ok(&["show", "--json"]), @r#"{"standards":[{"about":"what the steps of a skill mean (¶CMD_)","name":"COMMANDS"},{"about":"rules of conduct (¶INV_)","name":"INVARIANTS"},{"about":"definitions, references, tags and feeds","name":"SIGILS"}],"version":1}"#);
    let out = stage.engine(&["show", "RULES"]);
    assert_eq!(out.code, Some(2));
    insta::assert_snapshot!(out.stderr, @"engine: RULES is no standard; there are COMMANDS, INVARIANTS, SIGILS");
}

/// There is no process that hands work out: what a model reads names none.
#[test]
fn nothing_that_a_model_reads_names_a_dispatcher() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin");
    let mut open = vec![folder];
    let mut read = 0;
    while let Some(next) = open.pop() {
        for path in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
                let named = ["daemon", "dispatch"].into_iter().find(|word| text.contains(word));
                assert_eq!(named, None, "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 50, "{read}");
}

#[test]
fn a_project_that_asks_for_standards_is_told_them_when_the_context_is_empty() {
    let stage = Stage::new();
    stage.hook(&stage.event("SessionStart")).assert_silent();
    stage.write(
        ".engine/config.toml",
        "[inject]\nstandards = [\"INVARIANTS\", \"SIGILS\", \"COMMANDS\", \"SIGILS\"]\n",
    );
    stage.write(".engine/context/CORE.md", "who");
    let [commands, invariants, sigils] = STANDARDS.map(|standard| standard.text.trim());
    for source in ["startup", "clear", "compact"] {
        let out = stage.hook(&stage.event_with("SessionStart", &json!({"source": source})));
        assert_eq!(
            out.context(),
            format!(
                "Files loaded at session start: .engine/context/CORE.md, engine show INVARIANTS, engine show SIGILS, engine show COMMANDS\n\n\
                 ## CORE.md\n\nwho\n\n## INVARIANTS\n\n{invariants}\n\n## SIGILS\n\n{sigils}\n\n## COMMANDS\n\n{commands}"
            )
        );
    }
    for source in ["resume", "fork"] {
        stage.hook(&stage.event_with("SessionStart", &json!({"source": source}))).assert_silent();
    }
}

#[test]
fn past_the_budget_the_command_is_named() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[inject]\nbudget = 500\nstandards = [\"COMMANDS\", \"SIGILS\"]\n");
    let told = stage.hook(&stage.event("SessionStart")).context();
    assert!(told.encode_utf16().count() <= 500);
    insta::assert_snapshot!(told, @"
    Files loaded at session start: none whole

    ## COMMANDS

    # Commands

    What a step `§CMD_X` of a skill means. `S` is the work session's folder, `sessions/YYYY_MM_DD_TOPIC`. Refusals name the command that helps.


    Not whole here (budget 500); the whole text: engine show COMMANDS, engine show SIGILS
    ");
}

#[test]
fn a_name_that_is_no_standard_is_refused() {
    let stage = Stage::new();
    let out = stage.engine(&["config", "set", "inject.standards", "COMMANDS,RULES"]);
    assert_eq!(out.code, Some(1));
    insta::assert_snapshot!(out.stderr, @r#"engine: inject.standards takes a list of standards: COMMANDS, INVARIANTS, SIGILS, not ["COMMANDS", "RULES"]"#);
    stage.ok(&["config", "set", "inject.standards", "COMMANDS,SIGILS"]);
    assert_eq!(stage.ok(&["config", "get", "inject.standards"]), "[\"COMMANDS\", \"SIGILS\"]\n");
}
