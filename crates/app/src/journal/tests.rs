use engine_core::journal::FindingLine;

use super::*;
use crate::stage::{AGENT, Stage};

fn entry(session: &str, event: &str, verdict: &str, rule: Option<&str>) -> Entry {
    let finding = |rule: &str| FindingLine { rule: rule.to_owned(), ..FindingLine::default() };
    Entry {
        session: session.to_owned(),
        event: event.to_owned(),
        verdict: verdict.to_owned(),
        findings: rule.map(finding).into_iter().collect(),
        ..Entry::default()
    }
}

#[test]
fn counts_and_the_last_decision_leave_the_doctor_out() {
    let stage = Stage::new();
    let now = clock::now();
    let at = |ms: u64| Stamp(now.0 + ms);
    stage.journal(at(0), entry(AGENT, "PreToolUse", "deny", Some("policy")));
    stage.journal(at(1), entry(AGENT, "Stop", "none", None));
    stage.journal(at(2), entry(&format!("{DOCTOR_SESSION}-1"), "Stop", "ask", Some("tail")));
    let project = stage.project();
    let today = since(&project, now).unwrap();
    assert_eq!((today.events, today.sessions, today.denied, today.asked), (2, 1, 1, 0));
    assert_eq!(last_decision(&project).unwrap().verdict, "deny");
    let fired = fired(&project).unwrap();
    assert_eq!(
        fired,
        BTreeMap::from([("policy".to_owned(), Fired { count: 1, last: Some(at(0).rfc3339()) })])
    );
}

#[test]
fn a_decision_is_found_by_the_beginning_of_its_id() {
    let stage = Stage::new();
    let project = stage.project();
    assert_eq!(last_decision(&project).unwrap_err().message, "the journal is empty: no event has come yet");
    let now = clock::now();
    stage.journal(now, entry(AGENT, "Stop", "none", None));
    let id = last_decision(&project).unwrap().id;
    assert_eq!(by_id(&project, &id[..id.len() - 1]).unwrap().id, id);
    assert_eq!(by_id(&project, "zzz").unwrap_err().message, "no decision zzz in the journal");
    stage.journal(now, entry(AGENT, "Stop", "none", None));
    assert!(
        by_id(&project, &id[..4])
            .unwrap_err()
            .message
            .starts_with(&format!("{} begins several ids: ", &id[..4]))
    );
}

#[test]
fn a_reader_goes_on_where_it_stopped() {
    let stage = Stage::new();
    let project = stage.project();
    let now = clock::now();
    let mut reader = Reader::new(&project, now.minus_days(1));
    let mut read = |filter: &Filter<'_>| {
        let mut events = Vec::new();
        let damaged = reader.read_new(filter, &mut |entry| events.push(entry.event)).unwrap();
        assert_eq!(damaged, []);
        events
    };
    stage.journal(now, entry(AGENT, "Stop", "none", None));
    assert_eq!(read(&Filter::default()), ["Stop"]);
    assert_eq!(read(&Filter::default()), Vec::<String>::new());
    stage.journal(now, entry(AGENT, "PreToolUse", "deny", None));
    stage.journal(now, entry("another", "PreToolUse", "deny", None));
    stage.journal(now, entry(AGENT, "Stop", "none", None));
    let filter = Filter { session: Some(&AGENT[..8]), event: Some("pretooluse"), denied: true };
    assert_eq!(read(&filter), ["PreToolUse"]);
}
