//! The domain and its rules name no client: no tool, event, variable, field or folder of one.

use std::path::Path;

use crate::sources::{code, files, is_test};
use crate::{fixture, workspace};

/// Crates that know no client.
const NEUTRAL: &[&str] = &["text", "shell", "core", "rules"];

/// Words of a client, as they would stand in code: in quotes where the bare word is an ordinary one.
const WORDS: &[&str] = &[
    "Claude",
    "claude",
    "CLAUDE",
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreCompact\"",
    "\"Bash\"",
    "\"Edit\"",
    "\"Write\"",
    "\"MultiEdit\"",
    "\"NotebookEdit\"",
    "\"Read\"",
    "\"Grep\"",
    "\"Glob\"",
    "\"Skill\"",
    "\"Agent\"",
    "\"Task\"",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "AskUserQuestion",
    "ToolSearch",
    "WebFetch",
    "SendMessage",
    "mcp__",
    "file_path",
    "notebook_path",
    "old_string",
    "new_string",
    "run_in_background",
    "tool_input",
    "disableAllHooks",
    "Skill(skill:",
    "Agent tool",
    "Edit or Write tool",
];

/// Where a word stands all the same, and why that is right.
const EXCEPTIONS: &[(&str, &str)] = &[
    // A task line may name a model by its full id; the user's task format has these names.
    ("crates/core/src/task/line.rs", "claude"),
    // The program that `engine run` starts unless the configuration names another.
    ("crates/rules/src/registry.rs", "claude"),
];

fn named(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in NEUTRAL {
        let src = root.join("crates").join(name).join("src");
        if !src.is_dir() {
            continue;
        }
        for file in files(&src).into_iter().filter(|file| !is_test(&src, file)) {
            let place = file.strip_prefix(root).unwrap().display().to_string();
            let code = code(&file);
            for word in WORDS.iter().filter(|word| code.contains(**word)) {
                if !EXCEPTIONS.contains(&(place.as_str(), word)) {
                    found.push(format!("{place}: {word}"));
                }
            }
        }
    }
    found
}

#[test]
fn no_client_is_named() {
    let found = named(&workspace());
    assert_eq!(found, Vec::<String>::new(), "{}", found.join("\n"));
}

#[test]
fn a_clients_name_is_found() {
    assert_eq!(
        named(&fixture("names")),
        ["crates/core/src/lib.rs: \"Bash\"", "crates/core/src/lib.rs: file_path"]
    );
}
