//! ARCHITECTURE.md lists every module that exists and no other, and every decision page can be found.
//!
//! The map has a section per crate with the heading ``### `crates/text` ``. The first cells of its table name the
//! modules directly below `src/`. A decision page begins with `# 001 · Title` and has the sections Context, Decision and
//! Consequence. It has a row in the index (`docs/decisions/README.md`) and a link in ARCHITECTURE.md, both with its title.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::{code, word};
use crate::{fixture, workspace};

const PAGE: &str = "ARCHITECTURE.md";
const DECISIONS: &str = "docs/decisions";
const INDEX: &str = "README.md";

/// The crates, by their folders from the root.
pub(crate) fn crates(root: &Path) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        names(&root.join("crates")).into_iter().map(|name| format!("crates/{name}")).collect();
    if root.join("xtask").is_dir() {
        found.insert("xtask".to_owned());
    }
    found
}

/// The names of what is directly in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The modules directly below a crate's root: a file, a folder, or both, or inside the root's own file.
fn modules(src: &Path) -> BTreeSet<String> {
    let module = |name: &String| match name.strip_suffix(".rs") {
        Some("lib" | "main") => None,
        Some(module) => Some(module.to_owned()),
        None => src.join(name).is_dir().then(|| name.clone()),
    };
    let mut modules: BTreeSet<String> = names(src).iter().filter_map(module).collect();
    for root in ["lib.rs", "main.rs"].map(|name| src.join(name)).iter().filter(|file| file.is_file()) {
        let words: Vec<Option<String>> = code(root).iter().map(word).collect();
        let declared = words.windows(2).filter(|pair| pair[0].as_deref() == Some("mod"));
        modules.extend(declared.filter_map(|pair| pair[1].clone()));
    }
    modules
}

/// The sections of the map, and the rows of each: a module and what it holds.
fn sections(page: &str) -> BTreeMap<&str, Vec<(&str, &str)>> {
    let mut sections: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let mut current = None;
    for line in page.lines() {
        if line.starts_with('#') {
            current = line.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`'));
            if let Some(name) = current {
                sections.entry(name).or_default();
            }
        } else if let (Some(name), Some(row)) = (current, line.strip_prefix("| `")) {
            let (module, holds) = row.split_once('`').unwrap_or((row, ""));
            sections.entry(name).or_default().push((module, holds.trim_matches(['|', ' '])));
        }
    }
    sections
}

/// Every difference between the map and the crates.
fn differences(root: &Path) -> Vec<String> {
    let page = fs::read_to_string(root.join(PAGE)).unwrap();
    let sections = sections(&page);
    let crates = crates(root);
    let strays = sections.keys().filter(|name| !crates.contains(**name));
    let mut found: Vec<String> = strays.map(|name| format!("{name} does not exist")).collect();
    for name in &crates {
        let Some(rows) = sections.get(name.as_str()) else {
            found.push(format!("{name} has no section"));
            continue;
        };
        let listed: BTreeSet<String> = rows.iter().map(|(module, _)| (*module).to_owned()).collect();
        let modules = modules(&root.join(name).join("src"));
        for (at, (module, holds)) in rows.iter().enumerate() {
            if holds.is_empty() {
                found.push(format!("{name}: the row of {module} is empty"));
            }
            if rows[..at].iter().any(|(earlier, _)| earlier == module) {
                found.push(format!("{name}: {module} has two rows"));
            }
        }
        found.extend(modules.difference(&listed).map(|module| format!("{name}: {module} has no row")));
        found.extend(listed.difference(&modules).map(|module| format!("{name}: {module} does not exist")));
    }
    found
}

/// Every decision page that cannot be found, and every row of the index that leads nowhere.
fn unlisted(root: &Path) -> Vec<String> {
    let folder = root.join(DECISIONS);
    let page = fs::read_to_string(root.join(PAGE)).unwrap();
    let index = fs::read_to_string(folder.join(INDEX)).unwrap();
    let pages: BTreeSet<String> = names(&folder).into_iter().filter(|name| name != INDEX).collect();
    let mut found = Vec::new();
    for name in &pages {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let number = name.split('-').next().unwrap_or_default();
        let heading = text.lines().next().unwrap_or_default();
        let Some(title) = heading.strip_prefix(&format!("# {number} · ")) else {
            found.push(format!("{name} does not begin with its number and title"));
            continue;
        };
        let row = format!("| [{number}]({name}) | {title} |");
        if !index.lines().any(|line| line == row) {
            found.push(format!("{name} has no row in the index: {row}"));
        }
        let link = format!("- [{number} · {title}]({DECISIONS}/{name})");
        if !page.lines().any(|line| line == link) {
            found.push(format!("{name} has no link in {PAGE}: {link}"));
        }
        for section in ["## Context", "## Decision", "## Consequence"] {
            if !text.lines().any(|line| line == section) {
                found.push(format!("{name} has no section {section}"));
            }
        }
        let of_number = |other: &&String| other.split('-').next() == Some(number);
        if let Some(other) = pages.iter().filter(of_number).find(|other| *other < name) {
            found.push(format!("{name} has the number of {other}"));
        }
    }
    let rows = index.lines().filter(|line| line.starts_with("| ["));
    let linked = rows.filter_map(|row| row.split("](").nth(1)?.split(')').next());
    let strays = linked.filter(|name| !pages.contains(*name));
    found.extend(strays.map(|name| format!("{name} is in the index and does not exist")));
    found
}

#[test]
fn the_map_lists_every_module_and_no_other() {
    let found = differences(&workspace());
    assert!(found.is_empty(), "{PAGE} and the tree differ\n{}", found.join("\n"));
}

#[test]
fn every_decision_is_listed_and_linked() {
    let found = unlisted(&workspace());
    assert!(found.is_empty(), "a decision page cannot be found or is incomplete\n{}", found.join("\n"));
}

#[test]
fn a_module_that_is_not_on_the_map_is_found() {
    assert_eq!(
        differences(&fixture("map")),
        [
            "crates/gone does not exist",
            "crates/shell has no section",
            "crates/text: the row of glob is empty",
            "crates/text: glob has two rows",
            "crates/text: inner has no row",
            "crates/text: line has no row",
            "crates/text: yaml has no row",
            "crates/text: stamp does not exist",
        ]
    );
}

#[test]
fn a_decision_that_is_not_listed_is_found() {
    assert_eq!(
        unlisted(&fixture("map")),
        [
            "002-unlisted.md has no row in the index: | [002](002-unlisted.md) | Unlisted |",
            "002-unlisted.md has no link in ARCHITECTURE.md: - [002 · Unlisted](docs/decisions/002-unlisted.md)",
            "003-renamed.md has no row in the index: | [003](003-renamed.md) | A new title |",
            "003-renamed.md has no link in ARCHITECTURE.md: - [003 · A new title](docs/decisions/003-renamed.md)",
            "003-renamed.md has no section ## Decision",
            "003-twice.md has no row in the index: | [003](003-twice.md) | Twice |",
            "003-twice.md has no link in ARCHITECTURE.md: - [003 · Twice](docs/decisions/003-twice.md)",
            "003-twice.md has the number of 003-renamed.md",
            "004-untitled.md does not begin with its number and title",
            "005-gone.md is in the index and does not exist",
        ]
    );
}
