//! `engine evidence learn`, and the permissions for the checks that a project names.

use serde_json::{Value, json};

use crate::approval::as_agent;
use crate::plan::told;
use crate::stage::Stage;

/// Two checks that the table does not know, and two that it does.
fn project(stage: &Stage) {
    stage.write("Makefile", "ci:\n\t./ci\nsmoke:\n\tpytest -m smoke\nclean:\n\trm -rf out\n");
    stage.write("Cargo.toml", "[workspace]\nmembers = []\n");
    stage.write("scripts/runtests.sh", "pytest\n");
}

/// The entries for checks.
fn permitted(stage: &Stage) -> Vec<String> {
    let settings: Value = serde_json::from_str(&stage.read(".claude/settings.local.json")).unwrap();
    let entries = settings["permissions"]["allow"].as_array().unwrap().iter();
    let entries = entries.map(|entry| entry.as_str().unwrap().to_owned());
    entries.filter(|entry| entry.starts_with("Bash(engine check")).collect()
}

#[test]
fn checks_are_found_and_counted() {
    let stage = Stage::new();
    project(&stage);
    insta::assert_snapshot!(told(&stage.engine(&["evidence", "learn"])), @"
    exit 0
    cargo test --workspace  Cargo.toml           counts
    ./scripts/runtests.sh   scripts/runtests.sh  does not count
    make ci                 Makefile: ci         counts
    make smoke              Makefile: smoke      does not count
    count the others too: engine evidence learn --set
    ");
    insta::assert_snapshot!(stage.ok(&["evidence", "learn", "--json"]), @r#"{"checks":[{"command":"cargo test --workspace","counts":true,"from":"Cargo.toml"},{"command":"./scripts/runtests.sh","counts":false,"from":"scripts/runtests.sh"},{"command":"make ci","counts":true,"from":"Makefile: ci"},{"command":"make smoke","counts":false,"from":"Makefile: smoke"}],"version":1}"#);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["evidence", "learn", "--set", "make smoke"])), @r#"
    evidence.checks = ["make smoke"] in [TOP]/project/.engine/config.toml
    The agent may run them by engine check -- COMMAND without a dialog after: engine init
    "#);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["evidence", "learn", "--set"])), @r#"
    evidence.checks = ["make smoke", "./scripts/runtests.sh"] in [TOP]/project/.engine/config.toml
    The agent may run them by engine check -- COMMAND without a dialog after: engine init
    "#);
    assert_eq!(
        stage.ok(&["evidence", "learn", "--set"]),
        "nothing to add: every check that was found counts already\n"
    );
    insta::assert_snapshot!(stage.ok(&["evidence", "learn"]), @"
    cargo test --workspace  Cargo.toml           counts
    ./scripts/runtests.sh   scripts/runtests.sh  counts
    make ci                 Makefile: ci         counts
    make smoke              Makefile: smoke      counts
    ");
    assert_eq!(told(&stage.engine(&["evidence"])), "exit 0\nno check and no edit since then\n");
}

#[test]
fn a_project_without_checks_is_told_how_to_add_one() {
    let stage = Stage::new();
    insta::assert_snapshot!(told(&stage.engine(&["evidence", "learn"])), @"
    exit 0
    no file of this project names a check; add one: engine evidence learn --set COMMAND
    ");
    insta::assert_snapshot!(told(&stage.engine(&["evidence", "learn", "--since", "2h"])), @"
    exit 2
    error: unexpected argument '--since' found

    Usage: engine evidence learn [OPTIONS]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(told(&stage.engine(&["evidence", "learn", "--user-approved", "x"])), @"
    exit 2
    error: the following required arguments were not provided:
      --set [<COMMAND>...]

    Usage: engine evidence learn --set [<COMMAND>...] --user-approved <REASON>

    For more information, try '--help'.
    ");
}

#[test]
fn an_agent_needs_a_person_for_it() {
    let stage = as_agent();
    project(&stage);
    let set = || told(&stage.engine(&["evidence", "learn", "--set", "make smoke"]));
    insta::assert_snapshot!(set(), @r#"
    exit 1
    engine: config set evidence.checks ["make smoke"] needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    "#);
    assert_eq!(stage.ok(&["config", "get", "evidence.checks"]), "[]\n");
    stage.answer("ok 1");
    insta::assert_snapshot!(stage.masked(&set()), @r#"
    exit 0
    evidence.checks = ["make smoke"] in [TOP]/project/.engine/config.toml
    The agent may run them by engine check -- COMMAND without a dialog after: engine init
    "#);
}

#[test]
fn init_says_which_checks_do_not_count_yet() {
    let stage = Stage::bare();
    project(&stage);
    let expected = "checks found: ./scripts/runtests.sh, make smoke; count them: engine evidence learn --set";
    assert_eq!(stage.ok(&["init", "--dry-run"]).lines().last(), Some(expected));
    insta::assert_snapshot!(stage.masked(&stage.ok(&["init"])), @"
    created .engine/config.toml
    created .claude/settings.local.json
    note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
    14 events wired. Running sessions pick it up within seconds.
    .claude/settings.local.json permits 20 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
    checks found: ./scripts/runtests.sh, make smoke; count them: engine evidence learn --set
    Next:
      engine doctor              checks that each hook fires
      claude                     start it in this folder and type s: it lists the tasks
      p: write the changelog     typed there, keeps a task; engine --help has the rest
    ");
    let report: Value = serde_json::from_str(&stage.ok(&["init", "--json"])).unwrap();
    assert_eq!(report["checksFound"], json!(["./scripts/runtests.sh", "make smoke"]));
    stage.ok(&["evidence", "learn", "--set"]);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["init"])), @"
    changed .claude/settings.local.json
    note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
    14 events wired. Running sessions pick it up within seconds.
    .claude/settings.local.json permits 2 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
    ");
}

#[test]
fn the_checks_of_the_project_need_no_dialog() {
    let stage = Stage::bare();
    let text = "{\n  \"permissions\": { \"allow\": [\"Bash(engine check -- mine)\"] }\n}\n";
    stage.write(".claude/settings.local.json", text);
    stage.ok(&["init"]);
    assert_eq!(permitted(&stage), ["Bash(engine check -- mine)"]);
    stage.ok(&[
        "evidence",
        "learn",
        "--set",
        "make smoke",
        "./run.sh --fast",
        "npm run x:*",
        "a && b",
        "rm $(x)",
    ]);
    assert_eq!(permitted(&stage), ["Bash(engine check -- mine)"], "a value alone permits nothing");
    stage.ok(&["init", "--no-permissions"]);
    assert_eq!(permitted(&stage), ["Bash(engine check -- mine)"]);
    // What would permit more than one line is left out.
    let both = [
        "Bash(engine check -- mine)",
        "Bash(engine check -- make smoke)",
        "Bash(engine check -- ./run.sh --fast)",
    ];
    stage.ok(&["init"]);
    assert_eq!(permitted(&stage), both);
    let doctor = stage.engine(&["doctor"]).stdout;
    let told: Vec<&str> = doctor.lines().filter(|line| line[6..].starts_with("permissions ")).collect();
    assert_eq!(told, ["ok    permissions                  engine's everyday commands need no dialog"]);
    stage.ok(&["init"]);
    assert_eq!(permitted(&stage), both, "a second init changes nothing");
    // A check that is named no more is permitted no more; what the person wrote stays.
    stage.ok(&["config", "set", "evidence.checks", "make smoke"]);
    stage.ok(&["init"]);
    assert_eq!(permitted(&stage), &both[..2]);
    stage.ok(&["uninstall"]);
    assert_eq!(stage.read(".claude/settings.local.json"), text);
}
