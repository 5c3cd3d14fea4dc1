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
fn the_content_is_looked_at_only_where_a_plan_is_open() {
    let stage = Stage::new();
    stage.write("a.txt", "a\n");
    let kept = || {
        stage.ok(&["check", "--", "true"]);
        stage.journal().last().unwrap()["content"].is_string()
    };
    assert_eq!((kept(), stage.exists(".engine/state/content")), (false, false));
    let router = crate::plan_proofs::router(&["text: it is said, file: a.txt"], &[]);
    assert_eq!(run(stage.command(&["plan", "new"]), Some(router.as_bytes())).code, Some(0));
    assert!(kept());
    stage.ok(&["plan", "close", "--user-approved", "enough"]);
    assert!(!kept());
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

/// The lines that are shown, with the name of the file that has all of them in place of its number.
fn shown(stage: &Stage, out: &str) -> String {
    let masked = stage.masked(out);
    match masked.split_once("/check-").and_then(|(head, rest)| Some((head, rest.split_once(".txt")?.1))) {
        Some((head, rest)) => format!("{head}/check-N.txt{rest}"),
        None => masked,
    }
}

#[test]
fn the_last_lines_are_shown_and_all_are_kept() {
    let stage = for_an_agent();
    let code = "echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 3";
    let out = stage.engine(&["check", "--tail", "2", "--", "sh", "-c", code]);
    let file = "[TOP]/project/.engine/state/full/check-N.txt";
    let expected = format!("[lines before: 2; whole output: {file}]\n3\n4\n");
    assert_eq!((out.code, shown(&stage, &out.stdout), out.stderr.as_str()), (Some(3), expected, ""));
    let path = out.stdout.split("whole output: ").nth(1).and_then(|rest| rest.split("]\n").next()).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "1\n2\n3\n4\n");
    let out = stage.engine(&["check", "--tail=4", "--", "sh", "-c", code]);
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(3), "1\n2\n3\n4\n", ""));
    let out = run(stage.command(&["check", "--tail", "1", "--", "cat"]), Some(b"a\xff\nlast"));
    assert_eq!((out.code, out.stdout.ends_with("]\nlast")), (Some(0), true), "{}", out.stdout);
    assert_eq!(stage.engine(&["check", "--tail", "1", "--", "sh", "-c", "kill -9 $$"]).code, Some(137));
    let out = stage.engine(&["check", "--tail", "1", "--", "no-such-program"]);
    assert_eq!((out.code, out.stdout.as_str()), (Some(127), ""));
    let told: Vec<_> = stage.journal().iter().map(|entry| json!([entry["command"], entry["exit"]])).collect();
    let line = format!("sh -c '{code}'");
    assert_eq!(
        told,
        [
            json!([line, 3]),
            json!([line, 3]),
            json!(["cat", 0]),
            json!(["sh -c 'kill -9 $$'", 137]),
            json!(["no-such-program", 127])
        ]
    );
}

#[test]
fn outside_of_a_project_no_output_is_kept() {
    let stage = Stage::bare();
    assert_eq!(stage.ok(&["check", "--tail", "1", "--", "printf", "a\nb\n"]), "[lines before: 1]\nb\n");
    assert_eq!(stage.tree(), Vec::<String>::new());
}

#[test]
fn a_check_runs_in_the_folder_that_is_named() {
    let stage = for_an_agent();
    stage.write("web dir/run.sh", "#!/bin/sh\npwd -P; echo \"$PWD\"\n");
    let out = stage.engine(&["check", "--in", "web dir", "--", "sh", "./run.sh"]);
    let folder = stage.masked(&out.stdout);
    assert_eq!(
        (out.code, folder.as_str()),
        (Some(0), "[TOP]/project/web dir\n[TOP]/project/web dir\n"),
        "{}",
        out.stderr
    );
    for (folder, complaint) in [
        ("none", "engine: none is no folder; nothing was run\n"),
        ("web dir/run.sh", "engine: web dir/run.sh is no folder; nothing was run\n"),
    ] {
        let out = stage.engine(&["check", "--in", folder, "--", "touch", "made"]);
        assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(2), "", complaint));
    }
    assert!(!stage.exists("made"));
    let told: Vec<_> = stage.journal().iter().map(|entry| entry["command"].clone()).collect();
    assert_eq!(told, ["sh ./run.sh"]);
}

/// The policy finds the command behind `check --`, so no other form may run one.
#[test]
fn other_words_run_nothing() {
    let stage = Stage::new();
    for args in [
        &["check", "touch", "made"][..],
        &["--json", "check", "--", "touch", "made"],
        &["check", "--tail", "--", "touch", "made"],
        &["check", "--in", "--", "touch", "made"],
        &["check", "--tail", "0", "--", "touch", "made"],
        &["check", "--tail", "x", "--", "touch", "made"],
        &["check", "--tail", "5", "touch", "made"],
        &["check"],
        &["check", "--"],
    ] {
        assert_eq!(stage.engine(args).code, Some(2), "{args:?}");
    }
    assert!(!stage.exists("made") && stage.journal().is_empty());
    for before in ["", "--tail 5 ", "--tail=5 ", "--in . ", "--in=web --tail 5 "] {
        for command in ["git push --force origin main", "rm -rf /"] {
            let alone = stage.engine(&["policy", "check", command]);
            let line = format!("engine check {before}-- {command}");
            let denied = stage.engine(&["policy", "check", &line]);
            assert_eq!((alone.code, denied.code), (Some(1), Some(1)), "{line}: {}", denied.stdout);
        }
    }
}
