//! A hook opens regular files only: whoever opens a pipe waits for its other end, and a device never ends. All that a hook uses opens
//! files in the modules that see to that.

use std::path::Path;

use proc_macro2::TokenTree;

use crate::sources::{code, each, is, shipped, word};
use crate::{fixture, workspace};

/// Where the code of a hook is.
const HOOK: &[&str] = &["crates/store/src", "crates/claude/src", "crates/app/src/hook"];

/// The modules that open files, and what else they see to. `/proc` and the terminal are no files of a project.
const DOORS: &[&str] = &[
    "crates/store/src/read.rs",
    "crates/store/src/regular.rs",
    "crates/store/src/atomic.rs",
    "crates/store/src/process.rs",
    "crates/claude/src/skills/plugins.rs",
];

/// Functions of `fs` and `File` that open.
const OPENING: &[(&str, &[&str])] = &[
    ("fs", &["read", "read_to_string", "write", "copy"]),
    ("File", &["open", "create", "create_new", "options"]),
];

/// Calls that open a file elsewhere.
fn violations(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let files = HOOK.iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir());
    for file in files.flat_map(|folder| shipped(&folder)) {
        let place = file.strip_prefix(root).unwrap().display().to_string();
        if DOORS.contains(&place.as_str()) {
            continue;
        }
        each(&code(&file), &mut |trees| {
            if let Some(call) = opens(trees) {
                found.push(format!("{place}: {call}"));
            }
        });
    }
    found
}

/// `fs::read`, `File::open`, `.open(path)`.
fn opens(trees: &[TokenTree]) -> Option<String> {
    let [first, second, third, rest @ ..] = trees else { return None };
    if is(first, '.') && word(second).is_some_and(|name| name == "open") {
        return matches!(third, TokenTree::Group(_)).then(|| ".open".to_owned());
    }
    let (name, called) = (word(first)?, rest.first().and_then(word)?);
    let is_path = is(second, ':') && is(third, ':');
    let opens = OPENING.iter().any(|(module, names)| *module == name && names.contains(&called.as_str()));
    (is_path && opens).then(|| format!("{name}::{called}"))
}

#[test]
fn a_hook_opens_files_by_few_doors() {
    let found = violations(&workspace());
    assert!(found.is_empty(), "open them by store::read or store::regular:\n{}", found.join("\n"));
}

#[test]
fn another_door_is_found() {
    assert_eq!(
        violations(&fixture("doors")),
        [
            "crates/store/src/other.rs: fs::read_to_string",
            "crates/store/src/other.rs: File::open",
            "crates/store/src/other.rs: .open",
        ]
    );
}
