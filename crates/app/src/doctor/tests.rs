use engine_core::journal::{Entry, FindingLine};

use super::*;
use crate::stage::{AGENT, Stage};

pub(super) fn report(look: impl FnOnce(&mut Report)) -> Vec<(Health, String, String)> {
    let mut report = Report::default();
    look(&mut report);
    report.0.into_iter().map(|check| (check.health, check.name, check.detail)).collect()
}

pub(super) fn row(health: Health, name: &str, detail: &str) -> (Health, String, String) {
    (health, name.to_owned(), detail.to_owned())
}

#[test]
fn a_rule_that_failed_within_a_day_is_broken_and_later_a_note() {
    let failing = || Entry {
        session: AGENT.to_owned(),
        findings: vec![FindingLine {
            rule: "tail".to_owned(),
            error: Some("boom".to_owned()),
            ..FindingLine::default()
        }],
        ..Entry::default()
    };
    let text =
        "failed 1 times, last: boom. Switch it off until it is mended: engine config set rules.tail off";
    for (days, health) in [(0, Health::Broken), (2, Health::Note)] {
        let stage = Stage::new();
        stage.journal(clock::now().minus_days(days), failing());
        assert_eq!(
            report(|report| journal(&stage.project(), report)),
            [row(Health::Ok, "journal", "1 event kept"), row(health, "rule tail", text)]
        );
    }
}

#[test]
fn the_journal_tells_trouble_damage_and_unknown_tools_but_not_of_the_doctor_itself() {
    let stage = Stage::new();
    let now = clock::now();
    let entry = |session: &str| Entry {
        session: session.to_owned(),
        event: "PreToolUse".to_owned(),
        tool: Some("mcp__odd\n__tool".to_owned()),
        opaque: true,
        trouble: vec!["the disk is full".to_owned()],
        ..Entry::default()
    };
    stage.journal(now, entry(AGENT));
    stage.journal(now, entry(AGENT));
    stage.journal(now, entry(&format!("{DOCTOR_SESSION}-1")));
    let path = stage.project().journal_folder().join(format!("{}.jsonl", now.day()));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("not JSON\n{text}")).unwrap();
    let found = report(|report| journal(&stage.project(), report));
    assert_eq!(found[0], row(Health::Ok, "journal", "2 events kept"));
    assert_eq!(found[1], row(Health::Note, "journal", "1 damaged lines are passed over"));
    assert_eq!(found[2], row(Health::Note, "trouble", "the disk is full (2 times)"));
    let odd = "passed the hook, but engine does not know what they do: mcp__odd\\n__tool (2)";
    assert_eq!(found[3], row(Health::Note, "tools", odd));
    assert_eq!(found.len(), 4);
}

#[test]
fn settings_files_are_judged_as_the_client_reads_them() {
    let cases = [
        ("{}", row(Health::Ok, ".claude/settings.json", "read by the client (project scope)")),
        (
            r#"{"disableAllHooks": true}"#,
            row(Health::Broken, ".claude/settings.json", "disableAllHooks is set: no hook runs. Remove it"),
        ),
        (r#"{"env": {"ENGINE_OFF": "1"}}"#, row(Health::Note, ".claude/settings.json", "sets ENGINE_OFF")),
    ];
    for (text, expected) in cases {
        let stage = Stage::new();
        stage.write(".claude/settings.json", text);
        let found = report(|report| settings_files(&stage.project(), report));
        assert!(found.contains(&expected), "{text}: {found:?}");
    }
}

#[test]
fn states_that_were_set_aside_are_named() {
    let stage = Stage::new();
    stage.write(".engine/state/sessions/a.json", "{}");
    stage.write(".engine/state/sessions/b.json.bad-1", "x");
    assert_eq!(
        report(|report| state(&stage.project(), report)),
        [
            row(Health::Ok, "state", "1 session kept"),
            row(
                Health::Note,
                "state",
                "set aside because they could not be read: b.json.bad-1. Delete them when you no longer need them"
            ),
        ]
    );
}

#[test]
fn slips_in_the_configuration_and_the_policy_are_broken() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "nosuch = 1\n");
    let config = config_file::load_fresh(&stage.project());
    let found = report(|report| configuration(&config, report));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (Health::Broken, "config"));
    assert!(found[0].2.starts_with("project config, line 1: "), "{}", found[0].2);
    stage.write(".engine/policy.toml", "[[rule]]\nid = \"x\"\n");
    let found = report(|report| policy(&stage.project(), report));
    assert!(
        found.iter().any(|(health, name, detail)| *health == Health::Broken
            && name == "policy"
            && detail.starts_with(".engine/policy.toml:")),
        "{found:?}"
    );
}

#[test]
fn a_report_counts_what_is_broken() {
    let mut report = Report::default();
    report.add(Health::Ok, "a", "");
    report.add(Health::Broken, "b", "");
    report.add(Health::Note, "c", "");
    assert_eq!((report.broken(), report.checks().len()), (1, 3));
}
