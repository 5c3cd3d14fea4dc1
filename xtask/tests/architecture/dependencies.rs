//! Dependencies point one way: a crate may use only crates of lower layers.

use std::fs;
use std::path::Path;

use crate::{fixture, workspace};

/// The layers, lowest first. Crates of one layer do not use each other.
const LAYERS: &[&[&str]] =
    &[&["text"], &["shell"], &["core"], &["rules"], &["store"], &["claude"], &["app"], &["cli"]];

/// Crates that no shipped crate may use.
const TOOLS: &[&str] = &["testkit"];

/// What the pure crates may use besides each other: nothing that touches the world.
const PURE: &[(&str, &[&str])] = &[
    ("text", &["saphyr-parser", "serde", "serde_json"]),
    ("shell", &[]),
    ("core", &["serde", "serde_json", "strsim"]),
    ("rules", &["serde_json", "strsim"]),
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The names under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty()).collect()
}

/// Every edge of the workspace that does not point downwards, and every impure dependency of a pure crate.
fn violations(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders: Vec<_> =
        fs::read_dir(root.join("crates")).unwrap().flatten().map(|e| e.path()).collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if TOOLS.contains(&name.as_str()) {
            continue;
        }
        let Some(own) = layer(&name) else {
            found.push(format!("{name} is on no layer"));
            continue;
        };
        let pure = PURE.iter().find(|(pure, _)| *pure == name).map(|(_, allowed)| *allowed);
        for dependency in dependencies(&manifest) {
            match dependency.strip_prefix("engine-") {
                Some(ours) if layer(ours).is_none_or(|other| other >= own) => {
                    found.push(format!("{name} uses {ours}"));
                }
                None if pure.is_some_and(|allowed| !allowed.contains(&dependency)) => {
                    found.push(format!("{name} is pure and uses {dependency}"));
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn dependencies_point_one_way() {
    assert_eq!(violations(&workspace()), Vec::<String>::new());
}

#[test]
fn a_dependency_upwards_is_found() {
    assert_eq!(
        violations(&fixture("upwards")),
        ["core uses store", "core is pure and uses rustix", "shell uses testkit", "stray is on no layer"]
    );
}
