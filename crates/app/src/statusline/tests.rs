use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use engine_core::journal::Entry;
use engine_core::work::BoundWork;

use super::*;
use crate::stage::{AGENT, Stage, agent};
use crate::task::{self, CommandContext};

const NOW: Stamp = Stamp(1_794_740_400_000);

fn report(stage: &Stage) -> Report {
    Report {
        session: AGENT.to_owned(),
        cwd: Some(stage.root()),
        project: Some(stage.root()),
        ..Report::default()
    }
}

fn only(report: &Report, part: Part) -> Known {
    let facts = facts(report, Some(part), NOW);
    assert_eq!(facts.parts, [part]);
    facts.known
}

#[test]
fn outside_of_a_project_only_what_the_client_says_is_known() {
    let stage = Stage::bare();
    let report = Report { context: Some((50, 200)), cost: Some(1.5), ..report(&stage) };
    let context = Some(ContextUse { used: 50, window: 200, at: NOW });
    assert_eq!(only(&report, Part::Lamp), Known { context, cost: Some(1.5), ..Known::default() });
    assert_eq!(stage.files().len(), 0, "and nothing is written");
}

#[test]
fn the_parts_are_those_of_the_project_in_its_order() {
    let stage = Stage::new();
    assert_eq!(facts(&report(&stage), None, NOW).parts, Part::ALL);
    stage.write(".engine/config.toml", "[statusline]\nparts = [\"cost\", \"task\"]\n");
    assert_eq!(facts_in(Some(&stage.project()), &report(&stage), None, NOW).parts, [Part::Cost, Part::Task]);
}

#[test]
fn the_work_session_is_looked_up_by_its_name_alone() {
    let stage = Stage::new();
    let bind = |name: &str| {
        let work = BoundWork { name: name.to_owned(), skill: "build".to_owned(), ..BoundWork::default() };
        stage.session(AGENT).update(|state| state.work = Some(work)).unwrap();
        only(&report(&stage), Part::Phase).work
    };
    assert_eq!(only(&report(&stage), Part::Session).work, None);
    assert_eq!(bind("../../etc"), None);
    let facts = |phase| {
        Some(WorkFacts {
            name: "2026_02_07_AUTH".to_owned(),
            folder: stage.root().join("sessions/2026_02_07_AUTH").display().to_string(),
            skill: Some("build".to_owned()),
            phase,
        })
    };
    assert_eq!(bind("2026_02_07_AUTH"), facts(None), "also if its folder is gone");
    stage.write("sessions/2026_02_07_AUTH/state.json", "{");
    assert_eq!(bind("2026_02_07_AUTH"), facts(None), "or damaged");
    assert_eq!(only(&report(&stage), Part::Cost).work, None, "and only if it is wanted");
}

#[test]
fn the_task_is_the_sessions_own_else_one_that_nobody_works_on() {
    let stage = Stage::new();
    let shown = || only(&report(&stage), Part::Task).task;
    assert_eq!(shown(), None);
    stage.write(
        "session.md",
        "# S\n\n## Pending Tasks\n\n- [ ] **Theirs**\n- [>] **Nobodys**\n- [ ] **Mine**\n",
    );
    assert_eq!(shown().as_deref(), Some("Nobodys"));
    stage.session("another").update(|_| ()).unwrap();
    let start = |session: &str, name: &str| {
        task::state::start(&CommandContext::of(stage.project(), &agent(session)), Some(name), false).unwrap();
    };
    start("another", "Theirs");
    assert_eq!(shown().as_deref(), Some("Nobodys"), "not what another works on");
    stage.session(AGENT).update(|_| ()).unwrap();
    start(AGENT, "Mine");
    assert_eq!(shown().as_deref(), Some("Mine"));
    assert_eq!(only(&report(&stage), Part::Lamp).task, None);
}

#[test]
fn context_is_recorded_for_a_session_that_is_known_when_it_moves() {
    let stage = Stage::new();
    let recorded = |used: u64| {
        facts(&Report { context: Some((used, 1000)), ..report(&stage) }, Some(Part::Context), NOW);
        stage.session(AGENT).peek().context.map(|context| context.used)
    };
    assert_eq!(recorded(100), None, "of a session that no hook told of");
    stage.session(AGENT).update(|state| state.started = Some(NOW)).unwrap();
    assert_eq!(recorded(100), Some(100));
    assert_eq!(recorded(109), Some(100), "less than a hundredth");
    assert_eq!(recorded(110), Some(110));
}

#[test]
fn the_lamp_needs_a_transcript_and_a_journal() {
    let stage = Stage::new();
    // Without an entry that can fire, that is said at once.
    assert_eq!(only(&report(&stage), Part::Lamp).lamp, Some(Lamp::Unreached));
    let hook = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"engine","args":["hook"]}]}]}}"#;
    stage.write(".claude/settings.local.json", hook);
    let transcript = stage.root().join("t.jsonl");
    let with = |path: &std::path::Path| Report { transcript: Some(path.to_owned()), ..report(&stage) };
    let lamp = |report: &Report| only(report, Part::Lamp).lamp;
    assert_eq!(lamp(&report(&stage)), None);
    assert_eq!(lamp(&with(&transcript)), None, "not there yet");
    stage.write("t.jsonl", "");
    assert_eq!(lamp(&with(&transcript)), None, "empty");
    stage.write("t.jsonl", "{}\n");
    File::open(&transcript).unwrap().set_modified(UNIX_EPOCH + Duration::from_millis(NOW.0)).unwrap();
    assert_eq!(lamp(&with(&transcript)), Some(Lamp::Silent), "nothing was ever heard");
    let entry = Entry {
        session: AGENT.to_owned(),
        event: "Stop".to_owned(),
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    stage.journal(Stamp(NOW.0 - 1000), entry);
    assert_eq!(lamp(&with(&transcript)), Some(Lamp::Firing));
    let other = Report { session: "another".to_owned(), ..with(&transcript) };
    assert_eq!(lamp(&other), Some(Lamp::Silent), "of this session");
    stage.write(".engine/config.toml", "[rules]\njournal = \"off\"\n");
    let facts = facts_in(Some(&stage.project()), &with(&transcript), Some(Part::Lamp), NOW);
    assert_eq!(facts.known.lamp, None);
}
