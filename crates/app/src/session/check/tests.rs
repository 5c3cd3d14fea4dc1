use serde_json::json;

use super::*;
use crate::stage::{AGENT, Stage, agent};

const WORK: &str = "sessions/2026_02_07_AUTH";

fn context(stage: &Stage) -> CommandContext {
    stage.work(WORK);
    CommandContext { project: stage.project(), caller: agent(AGENT) }
}

fn hand_in(context: &CommandContext, text: &str) -> (usize, Vec<String>) {
    let checked = check(context, WORK, &|| Ok(Some(text.to_owned()))).unwrap();
    (checked.passed, checked.wrong)
}

#[test]
fn the_usual_mistakes_each_have_their_answer() {
    let stage = Stage::new();
    let context = context(&stage);
    stage.write("CHECKLIST.md", "# Checklist\n\n- [ ] Tested\n");
    let path = stage.root().join("CHECKLIST.md").display().to_string();
    for (text, expected) in [
        ("[]", "stdin holds a list; an object with paths as keys is wanted".to_owned()),
        ("{}", "the object is empty".to_owned()),
        ("1", "stdin holds no object".to_owned()),
        ("- [x] Tested", "stdin holds Markdown; it goes into a JSON object, behind its path".to_owned()),
        ("{\"a\": \"b", "the JSON on stdin ends too early, in line 1: it was cut off".to_owned()),
        (
            &json!({"/nowhere/CHECKLIST.md": "x"}).to_string(),
            "/nowhere/CHECKLIST.md: there is no such file".to_owned(),
        ),
        (&json!({path.as_str(): 1}).to_string(), format!("{path}: its text is wanted, as a string")),
        (
            &json!({"CHECKLIST.md": "x"}).to_string(),
            format!(
                "CHECKLIST.md: the path is absolute: {}",
                std::env::current_dir().unwrap().join("CHECKLIST.md").display()
            ),
        ),
        (
            &json!({"/etc/hostname": "x"}).to_string(),
            "/etc/hostname: it is no checklist of this session".to_owned(),
        ),
    ] {
        assert_eq!(hand_in(&context, text), (0, vec![expected]), "{text}");
    }
}

#[test]
fn a_checklist_passes_ticked_and_is_open_again_when_its_file_changes() {
    let stage = Stage::new();
    let context = context(&stage);
    stage.write("CHECKLIST.md", "# Checklist\n\n- [ ] Tested\n");
    let path = stage.root().join("CHECKLIST.md").display().to_string();
    assert_eq!(
        hand_in(&context, &json!({path.as_str(): "# Checklist\n\n- [x] Tested\n"}).to_string()),
        (1, vec![])
    );
    let list = context.existing(WORK).unwrap().peek().unwrap().checklists.remove(0);
    assert!(!is_open(&list));
    stage.write("CHECKLIST.md", "# Checklist\n\n- [ ] Tested\n- [ ] Documented\n");
    assert!(is_open(&list));
    let checked = check(&context, WORK, &|| Ok(None)).unwrap();
    assert_eq!(checked.wrong, [format!("{path} is missing")]);
    assert_eq!(
        checked.refusal().unwrap().message,
        format!("{WORK} is not in order\nchecklist: {path} is missing")
    );
}
