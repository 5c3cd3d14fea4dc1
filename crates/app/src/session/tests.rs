use super::*;
use crate::stage::{AGENT, Stage, agent};

const WORK: &str = "sessions/2026_02_07_AUTH";

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let stage = Stage::new();
    stage.write("sessions", "a file where the folder belongs");
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    let error = init(&context, WORK).err().unwrap();
    assert!(error.message.contains(&stage.root().join(WORK).display().to_string()), "{}", error.message);
    assert!(error.message.ends_with("Not a directory (os error 20)"), "{}", error.message);
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    assert_eq!(cause.map(std::io::Error::kind), Some(std::io::ErrorKind::NotADirectory));
}

#[test]
fn a_parameter_is_json_if_it_reads_as_json() {
    for (value, expected) in
        [("2", Value::from(2)), ("[\"a\"]", Value::from(vec!["a"])), ("a b", Value::from("a b"))]
    {
        assert_eq!(json_or_text(value), expected);
    }
    let wrong = pairs(&["depth".to_owned()], "proof").unwrap_err();
    assert_eq!(wrong.message, "--proof takes NAME=VALUE, not depth");
}

#[test]
fn only_a_person_changes_what_the_work_was_asked_for() {
    let stage = Stage::new();
    stage.work(WORK);
    let as_agent = CommandContext { project: stage.project(), caller: agent(AGENT) };
    let as_person = CommandContext { project: stage.project(), caller: Caller::Person };
    let set = |context: &CommandContext| {
        update(context, WORK, "requestFiles", "[]").map(|_| ()).map_err(|error| error.message)
    };
    assert_eq!(
        set(&as_agent),
        Err("requestFiles is what the work was asked for; only a person changes it".to_owned())
    );
    assert_eq!(set(&as_person), Ok(()));
}

#[test]
fn a_skill_is_found_by_its_name() {
    let stage = Stage::new();
    stage.write(
        ".claude/skills/build/SKILL.md",
        "---\nname: build\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Do}\n  directives: [TESTING.md]\n---\n",
    );
    let project = stage.project();
    assert_eq!(skill_directives(&project, "/build").unwrap(), ["TESTING.md"]);
    assert_eq!(skill_directives(&project, "batch").unwrap(), Vec::<String>::new(), "one of the client's own");
    let unknown = skill_directives(&project, "nosuch").unwrap_err();
    assert_eq!(
        (unknown.message.as_str(), unknown.hints.as_slice()),
        ("there is no skill nosuch", &["engine skill list shows all".to_owned()][..])
    );
}
