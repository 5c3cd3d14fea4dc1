//! Dependencies point one way: a crate may use only crates of lower layers.
//!
//! Cargo is asked for the dependencies: it knows every way to write one.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{fixture, workspace};

/// The layers, lowest first. Crates of one layer do not use each other.
const LAYERS: &[&[&str]] = &[
    &["alarm", "text"],
    &["shell"],
    &["core"],
    &["rules"],
    &["store"],
    &["claude", "search"],
    &["app"],
    &["cli"],
];

/// Crates that use fewer of ours than their layer would let them: they know nothing of the product.
const NARROW: &[(&str, &[&str])] = &[("search", &["text"])];

/// For tests: a crate may have it as a dev-dependency, and it uses no crate of ours.
const TESTKIT: &str = "testkit";

/// The chores. No crate uses it, and it may use every crate.
const CHORES: &str = "xtask";

/// What the pure crates may use besides each other: nothing that touches the world.
const PURE: &[(&str, &[&str])] = &[
    ("text", &["saphyr-parser", "serde", "serde_json", "sha2"]),
    ("shell", &[]),
    ("core", &["serde", "serde_json", "strsim"]),
    ("rules", &["serde_json", "strsim"]),
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The packages of a workspace, as cargo reads their manifests.
fn packages(root: &Path) -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--offline"]).current_dir(root);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().clone();
    packages.sort_by_key(|package| name(package).to_owned());
    packages
}

fn name(value: &Value) -> &str {
    let name = value["name"].as_str().unwrap();
    name.strip_prefix("engine-").unwrap_or(name)
}

/// Every edge of the workspace that does not point downwards, and every impure dependency of a pure crate.
fn violations(root: &Path) -> Vec<String> {
    let packages = packages(root);
    let is_ours = |dependency: &Value| packages.iter().any(|package| package["name"] == dependency["name"]);
    let mut found = Vec::new();
    for package in packages.iter().filter(|package| name(package) != CHORES) {
        let own = name(package);
        let layer_of_own = layer(own);
        if layer_of_own.is_none() && own != TESTKIT {
            found.push(format!("{own} is on no layer"));
            continue;
        }
        let pure = PURE.iter().find(|(pure, _)| *pure == own).map(|(_, allowed)| *allowed);
        let scripts = package["targets"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|target| target["kind"][0] == "custom-build");
        if pure.is_some() && scripts.count() > 0 {
            found.push(format!("{own} is pure and has a build script"));
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = name(dependency);
            let kind = dependency["kind"].as_str();
            let is_dev = kind == Some("dev");
            let sort = kind.map_or(String::new(), |kind| format!(" ({kind}-dependency)"));
            if is_ours(dependency) {
                let points_down = layer(other).is_some_and(|other| Some(other) < layer_of_own);
                let narrow = NARROW.iter().find(|(narrow, _)| *narrow == own);
                let points_down = points_down && narrow.is_none_or(|(_, allowed)| allowed.contains(&other));
                let is_for_tests = other == TESTKIT && is_dev;
                if !points_down && !is_for_tests {
                    found.push(format!("{own} uses {other}{sort}"));
                }
            } else if dependency["path"].is_string() {
                found.push(format!("{own} uses {other}{sort}, a folder outside the workspace"));
            } else if !is_dev && pure.is_some_and(|allowed| !allowed.contains(&other)) {
                found.push(format!("{own} is pure and uses {other}{sort}"));
            }
        }
    }
    found
}

#[test]
fn dependencies_point_one_way() {
    let found = violations(&workspace());
    assert!(
        found.is_empty(),
        "a crate uses lower layers only, a pure one only the libraries in `PURE`\n{}",
        found.join("\n")
    );
}

#[test]
fn a_dependency_upwards_is_found_in_every_form() {
    assert_eq!(
        violations(&fixture("upwards")),
        [
            "core uses store",
            "core is pure and uses rustix",
            "rules uses claude",
            "rules uses store",
            "search uses core",
            "shell is pure and has a build script",
            "shell uses testkit",
            "shell uses store (dev-dependency)",
            "shell uses store (build-dependency)",
            "shell is pure and uses libc",
            "store uses outside, a folder outside the workspace",
            "store uses xtask",
            "stray is on no layer",
            "testkit uses core",
        ]
    );
}
