//! No modules of a crate import each other in a circle.
//!
//! Looked at are the modules directly below the crate's root, with everything inside them: a module and its submodules are one
//! thing to a reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::{code, files, is_test};
use crate::{fixture, workspace};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Which module names which, by `crate::…` in its code.
fn graph(src: &Path) -> Graph {
    let mut graph = Graph::new();
    for file in files(src).into_iter().filter(|file| !is_test(src, file)) {
        let inside = file.strip_prefix(src).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let code = code(&file);
        let named = code.split("crate::").skip(1).flat_map(first_names);
        let others: BTreeSet<String> = named.filter(|name| *name != module).collect();
        graph.entry(module).or_default().extend(others);
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for edges in graph.values_mut() {
        edges.retain(|name| modules.contains(name));
    }
    graph
}

/// The names that follow `crate::`: one, or those of a braced list.
fn first_names(rest: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    match rest.strip_prefix('{') {
        None => vec![word(rest)],
        Some(list) => {
            let mut depth = 0_usize;
            let mut names = vec![String::new()];
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(String::new()),
                    c => names.last_mut().unwrap().push(c),
                }
            }
            names.iter().map(|name| word(name.trim())).collect()
        }
    }
}

/// The modules that can reach themselves.
fn in_cycles(graph: &Graph) -> Vec<String> {
    let reaches_itself = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = graph[start].iter().collect();
        while let Some(next) = open.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                open.extend(&graph[next]);
            }
        }
        false
    };
    let edges = |module: &String| graph[module].iter().cloned().collect::<Vec<_>>().join(", ");
    graph.keys().filter(|m| reaches_itself(m)).map(|m| format!("{m} → {}", edges(m))).collect()
}

#[test]
fn no_crate_has_a_cycle_of_modules() {
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace().join("crates")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let cycles = in_cycles(&graph(&entry.path().join("src")));
        found.extend(cycles.into_iter().map(|cycle| format!("{name}: {cycle}")));
    }
    found.sort();
    assert_eq!(found, Vec::<String>::new(), "{}", found.join("\n"));
}

#[test]
fn a_cycle_is_found_also_through_braces_submodules_and_paths_in_code() {
    assert_eq!(
        in_cycles(&graph(&fixture("cycle/src"))),
        ["chain → plan, status", "plan → task", "task → chain, status"],
        "status uses none and is in no circle; the test module of log does not count"
    );
}
