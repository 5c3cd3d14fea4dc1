//! The domain and its rules name no client: no tool, event, variable, field or folder of one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenTree;

use crate::sources::{code, collect, each, is, shipped, without_test_lines, word};
use crate::{fixture, workspace};

/// Crates that know no client.
const NEUTRAL: &[&str] = &["text", "shell", "core", "rules"];

/// Clients and who makes them, in small letters. They occur nowhere, not even in a comment.
const CLIENTS: &[&str] = &["claude", "anthropic", "codex", "gemini", "copilot", "opencode"];

/// Words of a client that occur in no name and in no text of the code.
const WORDS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "pre_tool_use",
    "post_tool_use",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "mcp__",
    "file_path",
    "notebook_path",
    "old_string",
    "new_string",
    "run_in_background",
    "tool_input",
    "tool_response",
    "stop_hook_active",
    "transcript_path",
    "hookSpecificOutput",
    "permissionDecision",
    "additionalContext",
    "disableAllHooks",
    "MultiEdit",
    "BashOutput",
    "SlashCommand",
    "Skill(skill:",
    "Agent tool",
    "Edit or Write tool",
];

/// The adapter's tables, with the names of tools and events.
const TABLES: &[&str] = &["crates/claude/src/tool.rs", "crates/claude/src/event_name.rs"];

/// Where a word stands all the same, and why that is right.
const EXCEPTIONS: &[(&str, &str)] = &[
    // A task line may name a model by its full id; the user's task format has these names.
    ("crates/core/src/task/line.rs", "claude"),
    // The program that `engine run` starts unless the configuration names another.
    ("crates/rules/src/registry.rs", "claude"),
];

/// The names in the adapter's tables: `Bash`, `ExitPlanMode`, `SessionStart`.
fn names(root: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for table in TABLES {
        each(&code(&root.join(table)), &mut |trees| match &trees[0] {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let name = text.trim_matches('"');
                if name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric) {
                    names.insert(name.to_owned());
                }
            }
            TokenTree::Ident(ident) if ident == "event_names" && trees.len() > 2 && is(&trees[1], '!') => {
                if let TokenTree::Group(group) = &trees[2] {
                    names.extend(group.stream().into_iter().filter_map(|tree| word(&tree)));
                }
            }
            _ => {}
        });
    }
    names
}

/// Whether a text has the name. `Stop` and `Task` are also plain words: they count if the text is the name, or a call such as
/// `Task(…)`.
fn has_name(text: &str, name: &str) -> bool {
    let is_plain = name.chars().filter(|c| c.is_uppercase()).count() == 1;
    text == name || text.contains(&format!("{name}(")) || !is_plain && text.contains(name)
}

/// The files whose text a file embeds with `include_str!`: the one that it names, or all of the folder that a macro takes them from.
fn embedded(file: &Path, code: &[TokenTree]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    each(code, &mut |trees| {
        let is_include = matches!(word(&trees[0]).as_deref(), Some("include_str" | "include_bytes"));
        let (true, Some(TokenTree::Group(arguments))) = (is_include, trees.get(2)) else { return };
        let text = arguments.stream().to_string();
        let path = file.parent().unwrap().join(text.split('"').nth(1).unwrap_or_default());
        if path.is_dir() { collect(&path, &mut found) } else { found.push(path) }
    });
    found
}

fn named(root: &Path) -> Vec<String> {
    let names = names(root);
    let mut found = BTreeSet::new();
    for name in NEUTRAL {
        let src = root.join("crates").join(name).join("src");
        if !src.is_dir() {
            continue;
        }
        for file in shipped(&src) {
            let code = code(&file);
            let mut look = |file: &Path, words: Vec<String>| {
                let top = fs::canonicalize(root).unwrap();
                let place = fs::canonicalize(file).unwrap().strip_prefix(top).unwrap().display().to_string();
                for word in words {
                    if !EXCEPTIONS.contains(&(place.as_str(), word.as_str())) {
                        found.insert(format!("{place}: {word}"));
                    }
                }
            };
            look(&file, clients_in(&without_test_lines(&fs::read_to_string(&file).unwrap())));
            each(&code, &mut |trees| match &trees[0] {
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let inner = text.trim_start_matches(['b', 'c', 'r', '#']).trim_matches(['"', '#']);
                    look(
                        &file,
                        names
                            .iter()
                            .filter(|name| has_name(inner, name))
                            .map(|name| format!("\"{name}\""))
                            .collect(),
                    );
                    look(&file, words_in(&text));
                }
                TokenTree::Ident(ident) => look(&file, words_in(&ident.to_string())),
                _ => {}
            });
            for text in embedded(&file, &code) {
                let inner = fs::read_to_string(&text).unwrap();
                look(&text, [clients_in(&inner), words_in(&inner)].concat());
            }
        }
    }
    found.into_iter().collect()
}

fn clients_in(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    CLIENTS.iter().filter(|client| text.contains(**client)).map(|client| (*client).to_owned()).collect()
}

fn words_in(text: &str) -> Vec<String> {
    WORDS.iter().filter(|word| text.contains(**word)).map(|word| (*word).to_owned()).collect()
}

#[test]
fn no_client_is_named() {
    let found = named(&workspace());
    assert!(
        found.is_empty(),
        "these crates know no client; a name for a text is a field of `core::dialect`\n{}",
        found.join("\n")
    );
}

#[test]
fn the_adapters_tables_are_read() {
    let names = names(&workspace());
    for name in ["Bash", "ExitPlanMode", "AskUserQuestion", "SessionStart", "SubagentStop", "Stop"] {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
}

#[test]
fn a_clients_name_is_found() {
    assert_eq!(
        named(&fixture("names")),
        [
            "crates/core/src/lib.rs: \"Bash\"",
            "crates/core/src/lib.rs: \"ExitPlanMode\"",
            "crates/core/src/lib.rs: \"SessionStart\"",
            "crates/core/src/lib.rs: anthropic",
            "crates/core/src/lib.rs: claude",
            "crates/core/src/lib.rs: file_path",
            "crates/core/src/lib.rs: hookSpecificOutput",
            "crates/core/src/lib.rs: pre_tool_use",
            "crates/core/src/page.md: claude",
            "crates/rules/src/lib.rs: \"Bash\"",
            "plugin/texts/a.md: PreToolUse",
        ]
    );
}
