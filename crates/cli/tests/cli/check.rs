//! `engine check -- CMD…`.

use serde_json::json;

use crate::stage::{SESSION, Stage, run};

fn for_an_agent() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage
}

#[test]
fn the_command_is_run_as_it_stands_and_recorded() {
    let stage = for_an_agent();
    let code = "cat; echo \"$0 $1\" >&2; exit 3";
    let out = run(stage.command(&["check", "--", "sh", "-c", code, "a b", "*"]), Some(b"in\n"));
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(3), "in\n", "a b *\n"));
    let out = stage.engine(&["check", "--", "true", "--json", "--help", "--"]);
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(0), "", ""));
    let journal = stage.journal();
    let told: Vec<_> = journal
        .iter()
        .map(|entry| {
            json!([entry["event"], entry["session"], entry["command"], entry["exit"], entry["verdict"]])
        })
        .collect();
    let first = "sh -c 'cat; echo \"$0 $1\" >&2; exit 3' 'a b' '*'";
    assert_eq!(
        told,
        [
            json!(["Check", SESSION, first, 3, "none"]),
            json!(["Check", SESSION, "true --json --help --", 0, "none"])
        ]
    );
    let shown = stage.masked(&stage.ok(&["journal"]));
    assert!(shown.ends_with("bd48f8aa    ·   Check  true --json --help --\n"), "{shown}");
}

#[test]
fn signals_and_programs_that_are_not_there_have_their_numbers() {
    let stage = for_an_agent();
    assert_eq!(stage.engine(&["check", "--", "sh", "-c", "kill -9 $$"]).code, Some(137));
    let out = stage.engine(&["check", "--", "no-such-program", "x"]);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (Some(127), "engine: no-such-program could not be started: No such file or directory (os error 2)\n")
    );
    let exits: Vec<_> = stage.journal().iter().map(|entry| entry["exit"].clone()).collect();
    assert_eq!(exits, [137, 127]);
}

#[test]
fn secrets_are_not_kept_and_a_person_has_no_session() {
    let stage = Stage::new();
    stage.ok(&["check", "--", "true", "--password=hunter2"]);
    let entry = &stage.journal()[0];
    assert_eq!((&entry["session"], &entry["command"]), (&json!(""), &json!("true --password=[redacted]")));
}

#[test]
fn without_a_project_or_a_journal_it_only_runs() {
    let stage = Stage::bare();
    assert_eq!(stage.ok(&["check", "--", "echo", "x"]), "x\n");
    assert_eq!(stage.tree(), Vec::<String>::new());
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[rules]\njournal = \"off\"\n");
    assert_eq!(stage.ok(&["check", "--", "echo", "x"]), "x\n");
    assert_eq!(stage.journal(), Vec::<serde_json::Value>::new());
}

#[test]
fn an_agents_check_belongs_to_the_project_of_its_session() {
    let mut stage = for_an_agent();
    stage.set("ENGINE_PROJECT", &stage.root().display().to_string());
    let out = run(stage.command_in(&stage.home(), &["check", "--", "true"]), None);
    assert_eq!((out.code, stage.journal().len()), (Some(0), 1), "{}", out.stderr);
}

/// The policy finds the command behind `check --`, so no other form may run one.
#[test]
fn other_words_run_nothing() {
    let stage = Stage::new();
    for args in [
        &["check", "touch", "made"][..],
        &["--json", "check", "--", "touch", "made"],
        &["check"],
        &["check", "--"],
    ] {
        assert_eq!(stage.engine(args).code, Some(2), "{args:?}");
    }
    assert!(!stage.exists("made") && stage.journal().is_empty());
    let denied = stage.engine(&["policy", "check", "engine check -- git push --force origin main"]);
    assert_eq!(denied.code, Some(1), "{}", denied.stdout);
}
