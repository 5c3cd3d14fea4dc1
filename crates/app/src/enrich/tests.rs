use engine_core::journal::{Entry, FindingLine};
use engine_store::clock;
use engine_text::stamp::Stamp;

use super::*;
use crate::stage::{AGENT, Stage};

fn note(text: &str) -> String {
    format!("---\nkind: fact\ncreated: 2026-11-19T21:00:00.000Z\n---\n\n{text}\n")
}

fn stage() -> Stage {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[rules]\nenrich = \"on\"\n");
    stage.write(".engine/memory/token.md", &note("The registry token is on the build server only."));
    stage.write(".engine/memory/locks.md", &note("The journal and the queue lock a file each."));
    stage
}

/// A prompt for which the rule spoke.
fn prompt(shadow: bool, because: &str, context: Option<&str>) -> Entry {
    let finding = FindingLine {
        rule: "enrich".into(),
        shadow,
        because: Some(because.into()),
        context: context.map(str::to_owned),
        ..FindingLine::default()
    };
    Entry {
        session: AGENT.into(),
        event: "UserPromptSubmit".into(),
        input: Some("a prompt".into()),
        findings: vec![finding],
        ..Entry::default()
    }
}

fn call(command: &str) -> Entry {
    Entry {
        session: AGENT.into(),
        event: "PreToolUse".into(),
        command: Some(command.into()),
        ..Entry::default()
    }
}

fn key(stage: &Stage, path: &str) -> Key {
    let bytes = enrich_file::read(&stage.project()).unwrap();
    Index::open(&bytes).unwrap().rows().find(|row| row.path == path).unwrap().key
}

#[test]
fn what_is_told_often_and_never_read_is_retired_until_it_is_edited() {
    let stage = stage();
    let project = stage.project();
    let made = index(&project).unwrap();
    assert_eq!(
        (made.counts, made.retired, made.file.as_str()),
        (vec![(Kind::Note, 2)], 0, ".engine/state/enrich.idx")
    );
    let path = ".engine/memory/token.md";
    let told = format!("told from 1.00 on (4 words, 2 items): {path}:6 1.20 {}", key(&stage, path));
    let now = clock::now();
    let mut at = 0;
    let mut journal = |entry: Entry| {
        at += 1;
        stage.journal(Stamp(now.0 + at), entry);
    };
    for _ in 0..5 {
        journal(prompt(false, &told, Some("text")));
        journal(call("cat other.md"));
        journal(prompt(true, &told, Some("text")));
        journal(call(&format!("cat {path}")));
    }
    journal(prompt(false, "nothing fits (4 words, 2 items)", None));
    journal(prompt(false, "there is no index: engine enrich index", None));
    let used = report(&project).unwrap();
    let item = ItemUse { path: path.into(), line: 6, told: 5, read: 0, shadow_told: 5, shadow_read: 5 };
    assert_eq!(used.report.items.values().collect::<Vec<_>>(), [&item]);
    assert_eq!((used.report.looked, used.report.silent, used.report.passed), (11, 1, 1));
    assert_eq!(used.retired, []);

    assert_eq!(index(&project).unwrap().retired, 1);
    assert_eq!(report(&project).unwrap().retired, [item]);
    let asked = ask(&project, "where is the registry token of the build server").unwrap();
    assert!(asked.found.hits[0].is_retired);
    follow(&project);
    assert_eq!(index(&project).unwrap().retired, 1, "it stays so");

    stage.write(path, &note("The registry token is on the build server and in the vault."));
    follow(&project);
    assert_eq!(index(&project).unwrap().retired, 0);
    let asked = ask(&project, "where is the registry token of the build server").unwrap();
    assert!(!asked.found.hits[0].is_retired && asked.found.hits[0].score >= 1.0);
}

#[test]
fn a_rule_that_is_off_makes_no_index() {
    let stage = stage();
    stage.write(".engine/config.toml", "");
    follow(&stage.project());
    assert!(!stage.exists(".engine/state/enrich.idx"));
    assert_eq!(fault(&stage.project(), &config_file::load(&stage.project())), None);
}

#[test]
fn doctor_names_what_is_wrong() {
    let stage = stage();
    let project = stage.project();
    let said = || fault(&project, &config_file::load(&project));
    let again = "Make it anew: engine enrich index";
    assert_eq!(said(), Some(format!("there is no index, so nothing is found. {again}")));
    index(&project).unwrap();
    assert_eq!(said(), None);
    stage.write(".engine/memory/more.md", &note("More."));
    assert_eq!(said(), Some(format!("the index is older than what it was made from. {again}")));
    stage.write(".engine/state/enrich.idx", "garbage");
    assert_eq!(said(), Some(format!("the index is damaged, so nothing is found. {again}")));
    stage.write(".engine/state/enrich.idx", "ENRICH\r\n\u{7}\0\0\0");
    assert_eq!(said(), Some(format!("the index is of another release, so nothing is found. {again}")));
    assert_eq!(
        ask(&project, "where is the registry token").unwrap_err().message,
        "nothing can be found: it has version 7, this engine reads 1"
    );
}
