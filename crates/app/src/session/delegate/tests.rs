use std::fs::File;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::stage::{AGENT, Stage, agent, refusal};

fn skill(stage: &Stage, name: &str, tags: &str, with_response: bool) {
    let folder = format!(".claude/skills/{name}");
    stage.write(
        &format!("{folder}/SKILL.md"),
        &format!(
            "---\nname: {name}\ndescription: x\nengine:\n  phases:\n    - {{label: \"1\", name: Do}}\n  requestTemplate: request.md\n  responseTemplate: response.md\n---\n"
        ),
    );
    stage.write(&format!("{folder}/request.md"), &format!("# Request: T\n**Tags**: {tags}\n"));
    if with_response {
        stage.write(&format!("{folder}/response.md"), "# Response\n");
    }
}

fn context(stage: &Stage) -> CommandContext {
    CommandContext { project: stage.project(), caller: agent(AGENT) }
}

/// What the engine itself ships or the person has is left out of the hints.
fn asked(stage: &Stage, tag: &str, skill: Option<&str>) -> String {
    match request_template(&context(stage), tag, skill) {
        Ok(found) => format!("{} {}", found.skill, stage.shown(&found.file)),
        error => refusal(error),
    }
}

#[test]
fn a_tag_is_answered_by_the_skill_with_both_templates() {
    let stage = Stage::new();
    skill(&stage, "fixer", "#needs-zz-fix #P1", true);
    skill(&stage, "halfway", "#needs-zz-half", false);
    skill(&stage, "silent", "#P1", true);
    assert_eq!(asked(&stage, "#needs-zz-fix", None), "fixer .claude/skills/fixer/request.md");
    assert_eq!(asked(&stage, "#needs-zz-fix", Some("/fixer")), "fixer .claude/skills/fixer/request.md");
    for (tag, skill, expected) in [
        ("#needs-zz-half", None, "Refused: no skill answers #needs-zz-half"),
        ("#P1", None, "Refused: no skill answers #P1"),
        ("#needs-zz-fix", Some("silent"), "Refused: silent is no skill that answers #needs-zz-fix"),
    ] {
        let told = asked(&stage, tag, skill);
        let mut lines = told.lines();
        assert_eq!(lines.next(), Some(expected));
        assert!(lines.any(|line| line == "→ #needs-zz-fix: fixer"), "what can be asked is named: {told}");
    }
}

#[test]
fn where_two_answer_one_must_be_named() {
    let stage = Stage::new();
    skill(&stage, "second", "#needs-zz-fix", true);
    skill(&stage, "first", "#needs-zz-fix", true);
    let file =
        |name: &str| stage.root().join(format!(".claude/skills/{name}/request.md")).display().to_string();
    assert_eq!(
        asked(&stage, "#needs-zz-fix", None),
        format!(
            "Refused: #needs-zz-fix is answered by first and second; say which: --skill NAME\n→ first: {}\n→ second: {}",
            file("first"),
            file("second")
        )
    );
    assert_eq!(asked(&stage, "#needs-zz-fix", Some("second")), "second .claude/skills/second/request.md");
}

fn open(stage: &Stage, taken: &[&str]) -> Requests {
    let skill = SkillFile::find(&stage.project(), "fixer").unwrap();
    let mut work = WorkState::default();
    work.params.insert("requestFiles".to_owned(), json!(taken));
    open_requests(&skill, &work, &stage.project())
}

#[test]
fn the_most_urgent_come_first_then_the_newest_then_by_name() {
    let stage = Stage::new();
    skill(&stage, "fixer", "#needs-zz-fix", true);
    let write = |name: &str, tags: &str, age: u64| {
        let path = format!("sessions/2026_02_07_A/{name}.md");
        stage.write(&path, &format!("# Request: {name}\n**Tags**: {tags}\n"));
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
        File::open(stage.root().join(path)).unwrap().set_modified(at).unwrap();
    };
    write("FIX_REQUEST_OLD", "#needs-zz-fix", 900);
    write("FIX_REQUEST_NEW", "#needs-zz-fix", 1);
    write("FIX_REQUEST_B", "#needs-zz-fix", 500);
    write("FIX_REQUEST_A", "#needs-zz-fix", 500);
    write("FIX_REQUEST_URGENT", "#needs-zz-fix #P0", 999);
    write("FIX_REQUEST_SOON", "#P1 #needs-zz-fix", 999);
    write("FIX_REQUEST_DONE", "#done-zz-fix", 1);
    write("FIX_REQUEST_MINE", "#needs-zz-fix #P0", 1);
    write("NOTES", "#needs-zz-fix", 1);
    let found = open(&stage, &["sessions/2026_02_07_A/FIX_REQUEST_MINE.md"]);
    let topics: Vec<_> =
        found.shown.iter().map(|(_, request)| (request.topic.as_str(), request.priority)).collect();
    assert_eq!(
        topics,
        [
            ("FIX_REQUEST_URGENT", 0),
            ("FIX_REQUEST_SOON", 1),
            ("FIX_REQUEST_NEW", 2),
            ("FIX_REQUEST_A", 2),
            ("FIX_REQUEST_B", 2)
        ]
    );
    assert_eq!((found.more, found.tags), (1, vec!["#needs-zz-fix".to_owned()]));
    assert_eq!(found.response, Some(stage.root().join(".claude/skills/fixer/response.md")));
    assert_eq!(found.unread, Vec::<String>::new());
}

#[test]
fn a_skill_that_cannot_be_asked_has_no_requests() {
    let stage = Stage::new();
    stage.write("sessions/2026_02_07_A/FIX_REQUEST_A.md", "# R\n**Tags**: #needs-zz-fix\n");
    skill(&stage, "fixer", "#needs-zz-fix", false);
    let found = open(&stage, &[]);
    assert_eq!((found.shown.len(), found.more, found.tags.len(), found.response), (0, 0, 0, None));
    skill(&stage, "fixer", "#P1", true);
    assert_eq!(open(&stage, &[]).shown, []);
    skill(&stage, "fixer", "#needs-zz-fix", true);
    assert_eq!(open(&stage, &[]).shown.len(), 1);
}
