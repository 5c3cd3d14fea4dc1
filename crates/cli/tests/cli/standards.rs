//! `engine show`, and the standards at session start.

use std::fs;
use std::path::{Path, PathBuf};

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

/// The texts below some folders of the plugin.
fn texts(folders: &[&str]) -> Vec<(String, String)> {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin");
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| plugin.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(next) = open.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(&plugin).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

const TOLD: &[&str] = &["standards", "skills", "agents", "fragments"];

/// What stands in code: spans, fences, indented lines.
fn code(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced || line.starts_with("    ") {
            found.push(line.trim().to_owned());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// Why a command line names something that does not exist.
fn unknown(line: &str, top: &clap::Command) -> Option<String> {
    let mut command = top;
    let mut words = line.split_whitespace().skip(1).peekable();
    while let Some(word) = words.peek().filter(|_| command.has_subcommands()) {
        let is_word = word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
        match command.find_subcommand(word) {
            Some(below) => command = below,
            None if is_word => return Some(format!("{word} is no command of {}", command.get_name())),
            None => break,
        }
        words.next();
    }
    let options = words.take_while(|word| !matches!(*word, "--" | "|" | "&&" | ";" | "<" | "<<'EOF'"));
    for option in options.filter_map(|word| word.strip_prefix("--")) {
        let name: String = option.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let is_known = command.get_arguments().any(|arg| arg.get_long() == Some(&name));
        if !is_known && !matches!(name.as_str(), "json" | "help" | "version") {
            return Some(format!("--{name} is no option of {}", command.get_name()));
        }
    }
    None
}

#[test]
fn every_command_that_a_model_reads_exists() {
    let mut top = engine_cli::command();
    top.build();
    let mut wrong = Vec::new();
    let mut read = 0;
    for (name, text) in texts(TOLD) {
        for line in code(&text).iter().filter(|line| line.starts_with("engine ")) {
            read += 1;
            wrong.extend(unknown(line, &top).map(|why| format!("{name}: `{line}`: {why}")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(read > 100, "{read}");
    for (line, why) in [
        ("engine dispatch start", "dispatch is no command of engine"),
        ("engine session fly S", "fly is no command of session"),
        ("engine log --loud X", "--loud is no option of log"),
    ] {
        assert_eq!(unknown(line, &top).as_deref(), Some(why));
    }
}

#[test]
fn every_reference_and_skill_that_a_model_reads_exists() {
    let standards: String = STANDARDS.map(|standard| standard.text).concat();
    let is_name = |c: &char| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_';
    let skills: Vec<&str> = engine_app::plugin::SKILLS
        .iter()
        .chain(engine_app::plugin::SESSION_SKILLS)
        .map(|skill| skill.name)
        .collect();
    let mut wrong = Vec::new();
    let mut read = 0;
    for (file, text) in texts(TOLD) {
        for (at, _) in text.match_indices('§') {
            let name: String = text[at + '§'.len_utf8()..].chars().take_while(is_name).collect();
            // `§CMD_X` stands for any.
            let is_any = name.len() < 3 || name.ends_with("_X") || name == "NAME";
            let defined = format!("¶{name}");
            if !is_any && !standards.contains(&defined) && !text.contains(&defined) {
                wrong.push(format!("{file}: §{name}"));
            }
            read += 1;
        }
        for span in code(&text) {
            let Some(name) = span.strip_prefix('/') else { continue };
            let name: String = name.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            let is_alone = span.len() == name.len() + 1;
            if is_alone && !name.is_empty() && !skills.contains(&&*name) && !EXAMPLES.contains(&&*name) {
                wrong.push(format!("{file}: /{name}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(read > 50, "{read}");
}

/// Skills of nobody, that only show how one is called, and commands of the client.
const EXAMPLES: &[&str] = &["name", "skill", "clear", "compact"];

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
    Files loaded at session start, not all of them whole:

    ## COMMANDS

    # Commands

    What a step `§CMD_X` of a skill means. `S` is the work session's folder, `sessions/YYYY_MM_DD_TOPIC`. Refusals name the command that helps.
    … 3,589 characters more: engine show COMMANDS

    ## SIGILS

    # Sigils and tags

    `¶NAME` defines, `§NAME` refers: one definition, any number of references. Kinds: `CMD_` commands, `INV_` rules, `FEED_` tag feeds, `TAG_` tags. … 1,197 characters more: engine show SIGILS
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
