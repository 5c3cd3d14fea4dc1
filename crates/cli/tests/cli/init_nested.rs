//! `engine init` in a package of a larger project says what it is a part of, and makes a project of it where that is wanted.

use std::fs;

use crate::stage::{Stage, run};

fn init(stage: &Stage, folder: &str, args: &[&str]) -> String {
    let folder = stage.root().join(folder);
    let out = run(stage.command_in(&folder, &[&["init"], args].concat()), None);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    out.stdout
}

const NOTE: &str =
    "note: packages/a is a part of this project; to make it a project of its own: engine init --here\n";

#[test]
fn a_package_belongs_to_the_project_around_it_unless_it_is_made_one() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    fs::create_dir_all(stage.root().join("packages/a/src")).unwrap();
    fs::create_dir_all(stage.root().join("packages/b")).unwrap();
    let first = init(&stage, "packages/a", &[]);
    assert!(first.contains(NOTE) && stage.exists(".engine/config.toml"), "{first}");
    let again = init(&stage, "packages/a", &[]);
    let end = "project is set up already: 14 events wired.\n";
    assert!(again.starts_with(NOTE) && again.ends_with(end), "{again}");
    assert!(!init(&stage, ".", &[]).contains("a part of"));
    // A project of its own: its tasks are its own, and so are its hooks.
    let own = init(&stage, "packages/a", &["--here"]);
    assert!(own.contains("created .engine/config.toml") && !own.contains("a part of"), "{own}");
    assert!(
        stage.exists("packages/a/.engine/config.toml")
            && stage.exists("packages/a/.claude/settings.local.json")
    );
    let add = |folder: &str, name: &str| {
        let out = run(stage.command_in(&stage.root().join(folder), &["task", "add", name]), None);
        assert_eq!(out.code, Some(0), "{}", out.stderr);
    };
    add("packages/a/src", "of the package");
    add("packages/b", "of the whole");
    assert!(stage.read("packages/a/session.md").contains("of the package"));
    assert!(stage.read("session.md").contains("of the whole"));
    // The nearest project counts from now on.
    assert!(init(&stage, "packages/a/src", &["--dry-run"]).contains("note: src is a part of this project"));
}
