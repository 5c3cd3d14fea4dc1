//! A path or a link in a page leads somewhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::collect;
use crate::workspace;

/// The section of ARCHITECTURE.md whose paths are below `crates/`, unless they begin with one of [`TOP`].
const SECTION: &str = "## Where to change what";
const TOP: &[&str] = &["plugin/", "docs/"];

/// The pages for people: at the root and below `docs/`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(root).unwrap().flatten().map(|entry| entry.path()).collect();
    collect(&root.join("docs"), &mut found);
    found.retain(|path| path.extension().is_some_and(|end| end == "md"));
    found.sort();
    found
}

/// Links to files that do not exist.
fn dead_links(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for page in pages(root) {
        let place = page.strip_prefix(root).unwrap().display().to_string();
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            let is_file = !link.is_empty() && !link.contains("://") && link.contains(['.', '/']);
            if is_file && !page.parent().unwrap().join(link).exists() {
                found.push(format!("{place}: {link}"));
            }
        }
    }
    found
}

/// Paths in the section that do not exist.
fn dead_paths(root: &Path) -> Vec<String> {
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let section = page.split(SECTION).nth(1).unwrap_or_default().split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    let mut found = Vec::new();
    for path in rows.flat_map(|row| row.split('`').skip(1).step_by(2)).filter(|path| path.contains('/')) {
        let from =
            if TOP.iter().any(|top| path.starts_with(top)) { root.to_owned() } else { root.join("crates") };
        if !from.join(path).exists() {
            found.push(format!("ARCHITECTURE.md: {path}"));
        }
    }
    found
}

#[test]
fn every_path_in_a_page_leads_somewhere() {
    let root = workspace();
    let found = [dead_links(&root), dead_paths(&root)].concat();
    assert!(found.is_empty(), "these do not exist\n{}", found.join("\n"));
}

#[test]
fn a_path_that_leads_nowhere_is_found() {
    let root = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("crates/core/src/a.rs", "");
    write(
        "docs/a.md",
        "[up](../ARCHITECTURE.md#x), [web](https://example.org/a.md), [here](#y), [gone](decisions/b.md)",
    );
    let section = "| a | `core/src/a.rs`, `KNOBS`, `core/src/b.rs` |\n| b | `docs/a.md` and `plugin/c/` |";
    write(
        "ARCHITECTURE.md",
        &format!("`core/src/c.rs`\n\n{SECTION}\n\n{section}\n\n## Glossary\n\n| `core/src/d.rs` |\n"),
    );
    assert_eq!(dead_links(root.path()), ["docs/a.md: decisions/b.md"]);
    assert_eq!(dead_paths(root.path()), ["ARCHITECTURE.md: core/src/b.rs", "ARCHITECTURE.md: plugin/c/"]);
}
