//! The plugin folder is made from the same tables as the binary.

use std::fs;
use std::path::PathBuf;

use engine_core::config::Config;
use engine_core::rules::{RULES, wanted_events};
use serde_json::{Value, json};

fn plugin(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugin").join(path)
}

#[test]
fn hooks_json_wires_what_init_wires() {
    let written: Value =
        serde_json::from_str(&fs::read_to_string(plugin("hooks/hooks.json")).unwrap()).unwrap();
    let entry =
        json!([{"hooks": [{"type": "command", "command": "engine", "args": ["hook"], "timeout": 10}]}]);
    let events = wanted_events(RULES, &Config::default());
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| (event.as_str().to_owned(), entry.clone())).collect();
    assert_eq!(written["hooks"], Value::Object(hooks));
}

#[test]
fn skills_are_small_and_named_after_their_folder() {
    for skill in fs::read_dir(plugin("skills")).unwrap().flatten() {
        let text = fs::read_to_string(skill.path().join("SKILL.md")).unwrap();
        assert!(text.contains(&format!("\nname: {}\n", skill.file_name().display())));
        assert!(text.len() < 3600, "{} bytes", text.len());
        assert!(!text.contains("$ARGUMENTS"));
    }
}
