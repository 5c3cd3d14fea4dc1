use engine_core::client::ClientProcess;

use super::*;
use crate::stage::{AGENT, Stage, agent, record as said, refusal, wanted};

fn deed() -> Deed {
    Deed::new("paint it red", &["the wall", "red"])
}

fn asks(stage: &Stage, deed: &Deed, reading: Option<&str>) -> Result<String, CommandError> {
    require(&stage.project(), &agent(AGENT), deed, reading)
}

/// A person's message that answers request 1, as the hook notes it.
fn noted(stage: &Stage, transcript: &str, attended: bool) {
    let transcript = stage.root().join(transcript).display().to_string();
    let by = By::Message { transcript, attended };
    let answer = Answer { yes: true, words: "ok 1".to_owned(), at: Stamp(0), turn: 0, by };
    assert!(approve::answer(&stage.project(), AGENT, 1, answer).unwrap());
}

/// A line of a transcript, written now or at some other moment.
fn line(at: Stamp, rest: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"timestamp\":\"{}\",{rest}\"message\":{{\"role\":\"user\",\"content\":\"ok 1\"}}}}\n",
        at.rfc3339()
    )
}

const TYPED: &str = r#""origin":{"kind":"human"},"promptSource":"typed","#;

fn entries(stage: &Stage) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (_, day) in journal_file::days(&stage.project().journal_folder()) {
        journal_file::read_day(&day, |entry| entries.push(entry)).unwrap();
    }
    entries
}

#[test]
fn a_person_is_asked_by_nobody_and_whoever_works_here_is_shown_it() {
    let stage = Stage::new();
    let project = stage.project();
    for session in ["one", "two", "gone"] {
        stage.session(session).update(|_| ()).unwrap();
    }
    stage.ends("gone");
    assert_eq!(require(&project, &Caller::Person, &deed(), None).unwrap(), "a person typed it");
    assert_eq!(require(&project, &Caller::Person, &deed(), Some("it is\nmine")).unwrap(), "it is mine");
    let shown = |session: &str| {
        let lines = stage.session(session).peek().spent;
        lines.iter().map(|line| line.split(" (").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let line = "engine: typed in a terminal: paint it red";
    assert_eq!((shown("one"), shown("two")), (vec![line.to_owned(); 2], vec![line.to_owned(); 2]));
    assert_eq!(shown("gone"), [""; 0]);
    let because =
        |entry: &Entry| (entry.session.clone(), entry.findings[0].because.clone().unwrap_or_default());
    let noted: Vec<_> = entries(&stage).iter().map(because).collect();
    let entry = |said: &str| (String::new(), said.to_owned());
    assert_eq!(noted, [entry("in a terminal: a person typed it"), entry("in a terminal: it is mine")]);
}

#[test]
fn below_a_client_of_any_name_nobody_is_a_person() {
    let stage = Stage::new();
    let here = engine_store::process::above(std::process::id());
    let above = here.first().map(process::kept);
    stage.session("one").update(|state| state.client = above).unwrap();
    let refused = "Refused: paint it red needs a person, and this command runs below a coding agent\n\
                   → `! command` in the client counts as the agent's\n\
                   → the person runs it in a terminal of their own";
    assert_eq!(refusal(require(&stage.project(), &Caller::Person, &deed(), None)), refused);
    let later = above.map(|client| ClientProcess { started: client.started + 1, ..client });
    stage.session("one").update(|state| state.client = later).unwrap();
    assert_eq!(require(&stage.project(), &Caller::Person, &deed(), None).unwrap(), "a person typed it");
    // An agent that lost its variables has nobody to ask.
    assert_eq!(refusal(require(&stage.project(), &agent(""), &deed(), Some("they agreed"))), refused);
}

#[test]
fn a_script_does_what_loosens_nothing_where_no_agent_works() {
    let stage = Stage::new();
    let project = stage.project();
    let scripted = |deed: &Deed| refusal(require(&project, &Caller::Program, deed, Some("they agreed")));
    let refused = "Refused: paint it red needs a person, and this command has no terminal\n\
                   → the person runs it in a terminal of their own";
    assert_eq!(scripted(&deed()), refused);
    let hint = "\n→ a script may do it, too: the same with --yes";
    assert_eq!(scripted(&deed().by_script(false)), format!("{refused}{hint}"));
    let yes = deed().by_script(true);
    assert_eq!(require(&project, &Caller::Program, &yes, None).unwrap(), "a script did it, with --yes");
    assert_eq!(entries(&stage).len(), 1);
    stage.session("one").update(|_| ()).unwrap();
    assert_eq!(
        scripted(&yes),
        "Refused: paint it red needs a person, and this command has no terminal, and an agent session is open here that may have \
         started it\n→ the person runs it in a terminal of their own"
    );
    stage.ends("one");
    require(&project, &Caller::Program, &yes, None).unwrap();
}

#[test]
fn a_yes_to_one_client_is_none_to_another() {
    let stage = Stage::new();
    assert_eq!(refusal(asks(&stage, &deed(), None)), wanted("paint it red", 1));
    stage.answers(AGENT, true);
    // One that runs, and not above this process.
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let known = engine_store::process::process(other.id()).unwrap();
    let client = process::kept(&known);
    stage.session(AGENT).update(|state| state.client = Some(client)).unwrap();
    let refused = refusal(asks(&stage, &deed(), None));
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(
        refused,
        format!(
            "Refused: paint it red needs a person: ok 1 does not count, because it was given to another client of this session (process {})\n\
             → a person in a terminal of their own: engine approval grant 1",
            client.pid
        )
    );
    assert_eq!(asks(&stage, &deed(), None).unwrap(), said(1, None), "that client is gone");
}

#[test]
fn a_request_waits_under_one_number() {
    let stage = Stage::new();
    assert_eq!(refusal(asks(&stage, &deed(), None)), wanted("paint it red", 1));
    let first = stage.session(AGENT).peek().approvals;
    assert_eq!(refusal(asks(&stage, &deed(), None)), wanted("paint it red", 1));
    assert_eq!(refusal(asks(&stage, &deed(), Some("they agreed"))), wanted("paint it red", 1));
    assert_eq!(stage.session(AGENT).peek().approvals, first);
    let other = Deed::new("paint it blue", &["the wall", "blue"]);
    assert_eq!(refusal(asks(&stage, &other, None)), wanted("paint it blue", 2));
    assert_eq!(
        refusal(require(&stage.project(), &agent("another"), &deed(), None)),
        wanted("paint it red", 3),
        "another agent session, another request"
    );
    assert_eq!(entries(&stage), [], "a request is no approval");
}

#[test]
fn a_request_that_cannot_be_kept_is_refused_all_the_same() {
    let stage = Stage::new();
    stage.write(".engine/state/sessions", "a file in the folder's place");
    let lock = stage.project().sessions_folder().join(format!("{AGENT}.lock"));
    assert_eq!(
        refusal(asks(&stage, &deed(), None)),
        format!(
            "Refused: paint it red needs a person, who was not asked: failed to open file `{}`: Not a directory (os error 20)",
            lock.display()
        )
    );
}

#[test]
fn a_no_is_answered_with_their_words() {
    let stage = Stage::new();
    asks(&stage, &deed(), None).unwrap_err();
    stage.answers(AGENT, false);
    let refused = format!(
        "Refused: the person refused approval 1: paint it red\n→ their words: no 1 ({})",
        local(Stamp(0))
    );
    assert_eq!(refusal(asks(&stage, &deed(), None)), refused);
    assert_eq!(refusal(asks(&stage, &deed(), Some("they agreed"))), refused);
    assert_eq!((entries(&stage), stage.session(AGENT).peek().spent), (vec![], vec![]));
}

#[test]
fn a_yes_is_used_once_and_written_down() {
    let stage = Stage::new();
    asks(&stage, &deed(), None).unwrap_err();
    stage.answers(AGENT, true);
    assert_eq!(asks(&stage, &deed(), None).unwrap(), said(1, None));
    assert_eq!(refusal(asks(&stage, &deed(), None)), wanted("paint it red", 2), "one word, one deed");
    stage.answers(AGENT, true);
    let record = said(2, Some("red is fine"));
    assert_eq!(asks(&stage, &deed(), Some("red\nis fine")).unwrap(), record);
    let used =
        |number: u32, record: &str| format!("engine: approval {number} was used: paint it red; {record}");
    assert_eq!(stage.session(AGENT).peek().spent, [used(1, &said(1, None)), used(2, &record)]);
    let written: Vec<_> = entries(&stage)
        .into_iter()
        .map(|entry| {
            let [finding] = entry.findings.as_slice() else { panic!("{entry:?}") };
            let because = (finding.rule.clone(), finding.reason.clone(), finding.because.clone());
            (entry.session, entry.event, entry.input, entry.verdict, because)
        })
        .collect();
    let line = |record: String| {
        let texts = [AGENT, "Approval", "paint it red", "none"].map(str::to_owned);
        let [session, event, input, verdict] = texts;
        (session, event, Some(input), verdict, ("approval".to_owned(), None, Some(record)))
    };
    assert_eq!(written, [line(said(1, None)), line(record)]);
}

#[test]
fn another_object_takes_another_word() {
    let stage = Stage::new();
    asks(&stage, &deed(), None).unwrap_err();
    stage.answers(AGENT, true);
    let changed = Deed::new("paint it red", &["the door", "red"]);
    assert_eq!(refusal(asks(&stage, &changed, None)), wanted("paint it red", 2));
    assert_eq!(refusal(asks(&stage, &deed(), None)), wanted("paint it red", 3), "the old word is void");
}

#[test]
fn a_message_counts_if_the_transcript_has_it_from_a_person() {
    let past = Stamp(1);
    let refused = |why: &str| {
        format!(
            "Refused: paint it red needs a person: ok 1 does not count, because {why}\n\
             → a person in a terminal of their own: engine approval grant 1"
        )
    };
    let record = format!("the person's words: ok 1 ({}, approval 1)", local(Stamp(0)));
    let program = refused("it did not come from a person");
    let none = refused("the transcript has no such message");
    let unattended = refused("a program sent it and nobody attends the session");
    let host = r#""promptSource":"sdk","turnOrigin":"sdk","#;
    let peer = r#""origin":{"kind":"peer"},"promptSource":"typed","#;
    let system = r#""origin":{"kind":"human"},"promptSource":"system","#;
    for (written, at, attended, expected) in [
        (TYPED, None, false, &record),
        (TYPED, Some(past), false, &none),
        (peer, None, true, &program),
        (system, None, true, &program),
        ("", None, true, &program),
        (host, None, false, &unattended),
        (host, None, true, &record),
    ] {
        let stage = Stage::new();
        asks(&stage, &deed(), None).unwrap_err();
        stage.write("t.jsonl", &line(at.unwrap_or_else(clock::now), written));
        noted(&stage, "t.jsonl", attended);
        let used = asks(&stage, &deed(), None);
        let found = used.unwrap_or_else(|error| refusal::<()>(Err(error)));
        assert_eq!(&found, expected, "{written} {attended}");
        let is_used = expected == &record;
        assert_eq!(stage.session(AGENT).peek().approvals.is_empty(), is_used, "what does not count stays");
    }
}

#[test]
fn a_message_without_a_transcript_counts_for_nothing() {
    let stage = Stage::new();
    asks(&stage, &deed(), None).unwrap_err();
    noted(&stage, "none.jsonl", true);
    let path = stage.root().join("none.jsonl");
    assert_eq!(
        refusal(asks(&stage, &deed(), None)),
        format!(
            "Refused: paint it red needs a person: ok 1 does not count, because the transcript cannot be read: failed to open file `{}`: No such file or directory (os error 2)\n\
             → a person in a terminal of their own: engine approval grant 1",
            path.display()
        )
    );
}

#[test]
fn what_is_refused_by_itself_bothers_a_person_only_with_a_reason() {
    let stage = Stage::new();
    let waived = |reading| {
        let refused = || CommandError::refused("the wall is wet").hint("wait");
        waive(&stage.project(), &agent(AGENT), &deed(), reading, refused)
    };
    assert_eq!(refusal(waived(None)), "Refused: the wall is wet\n→ wait");
    assert_eq!(stage.session(AGENT).peek().approvals, []);
    assert_eq!(
        refusal(waived(Some("they agreed"))),
        format!("Refused: the wall is wet\n→ wait\n→ {}", &wanted("paint it red", 1)["Refused: ".len()..])
    );
    stage.answers(AGENT, true);
    assert_eq!(refusal(waived(None)), "Refused: the wall is wet\n→ wait", "not without the reason");
    assert_eq!(waived(Some("they agreed")).unwrap(), said(1, Some("they agreed")));
    let person = waive(&stage.project(), &Caller::Person, &deed(), None, || CommandError::refused("wet"));
    assert_eq!(refusal(person), "Refused: wet", "a person gives a reason, too");
}

#[test]
fn a_transcript_may_be_behind_the_event() {
    let stage = Stage::new();
    stage.write("t.jsonl", "");
    let transcript = stage.root().join("t.jsonl");
    let request = Request::new(1, &deed(), clock::now());
    let answer = Answer { yes: true, words: "ok 1".to_owned(), at: clock::now(), turn: 0, by: By::Terminal };
    let look = |behind| written(&transcript, &request, &answer, behind).unwrap();
    assert_eq!(look(Duration::ZERO), Author::Nobody);
    thread::scope(|scope| {
        let used = scope.spawn(|| look(Duration::from_mins(10)));
        stage.write("t.jsonl", &line(clock::now(), TYPED));
        assert_eq!(used.join().unwrap(), Author::Person);
    });
    // Typed while a tool ran for long: it is written when the tool has ended.
    stage.write("t.jsonl", "");
    let early = Answer { at: Stamp(0), ..answer };
    thread::scope(|scope| {
        let used = scope.spawn(|| written(&transcript, &request, &early, Duration::from_mins(10)).unwrap());
        stage.write("t.jsonl", &line(clock::now(), TYPED));
        assert_eq!(used.join().unwrap(), Author::Person);
    });
}
