//! `engine session check`: checklists (cases 13 and 14 of the wanted behaviour) and bare tags.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::sessions::{WORK, piped, session, stage, state, told};
use crate::stage::Stage;

const LIST: &str = "# Checklist\n\n## Tests\n- [ ] unit tests\n- [ ] docs\n";

const SKILL: &str = "---\nname: build\ndescription: Builds something.\nengine:\n  phases:\n    - {label: \"1\", name: Setup}\n    - {label: \"2\", name: Build}\n---\n";

/// Work in its last phase with a checklist armed, as discovery does it; the checklist's path.
fn armed() -> (Stage, String) {
    let stage = stage();
    stage.write(".claude/skills/build/SKILL.md", SKILL);
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.write("CHECKLIST.md", LIST);
    let path = stage.root().join("CHECKLIST.md").display().to_string();
    let mut armed = state(&stage);
    armed["checklists"] = json!([{"path": path}]);
    stage.write_state(WORK, &armed.to_string());
    stage.ok(&["session", "phase", WORK, "2"]);
    (stage, path)
}

fn check(stage: &Stage, stdin: &str) -> String {
    stage.masked(&told(&piped(stage, &["check", WORK], stdin)))
}

#[test]
fn case_13_each_mistake_has_its_own_answer() {
    let (stage, path) = armed();
    let hand_in = |text: &str| check(&stage, &json!({path.as_str(): text}).to_string());
    insta::assert_snapshot!(check(&stage, LIST), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: stdin holds Markdown; it goes into a JSON object, behind its path
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(check(&stage, &format!("Done:\n\n{LIST}")).lines().nth(2).unwrap(), @"checklist: stdin holds Markdown; it goes into a JSON object, behind its path");
    insta::assert_snapshot!(check(&stage, "[]").lines().nth(2).unwrap(), @"checklist: stdin holds a list; an object with paths as keys is wanted");
    insta::assert_snapshot!(check(&stage, "{}").lines().nth(2).unwrap(), @"checklist: the object is empty");
    insta::assert_snapshot!(check(&stage, r##"{"/x/CHECKLIST.md": "# Check"##).lines().nth(2).unwrap(), @"checklist: the JSON on stdin ends too early, in line 1: it was cut off");
    insta::assert_snapshot!(check(&stage, ""), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md is missing
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(check(&stage, r#"{"~/CHECKLIST.md": ""}"#), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: ~/CHECKLIST.md: a path is written out, without ~: [TOP]/home/CHECKLIST.md
    checklist: [TOP]/project/CHECKLIST.md is missing
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(check(&stage, r#"{"CHECKLIST.md": "", "/none/CHECKLIST.md": ""}"#), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: /none/CHECKLIST.md: there is no such file
    checklist: CHECKLIST.md: the path is absolute: [TOP]/project/CHECKLIST.md
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(check(&stage, &json!({path.as_str(): ["x"]}).to_string()).lines().nth(2).unwrap(), @"checklist: [TOP]/project/CHECKLIST.md: its text is wanted, as a string");
    insta::assert_snapshot!(hand_in("# Checklist\n...\n- [x] docs\n"), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md: its text is abbreviated (`...`), and the whole file is handed in:
      - 
      - ## Tests
      - - [ ] unit tests
      + ...
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(hand_in("# Checklist\n\n## Tests\n- [x] unit tests\n"), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md: its text ends in line 4 of 5, and the whole file is handed in:
      - - [ ] docs
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(hand_in("- [x] unit tests\n- [x] docs\n"), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md: only boxes may change, and the whole file is handed in:
      - # Checklist
      - 
      - ## Tests
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    insta::assert_snapshot!(hand_in(&LIST.replace("[ ] unit", "[x] unit")), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md: Tests: docs is not ticked
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
    "#);
    assert!(state(&stage)["checklists"][0].get("passedHash").is_none());
}

#[test]
fn case_14_line_ends_and_the_case_of_a_tick_do_not_matter() {
    let (stage, path) = armed();
    let idle = || session(&stage, &["idle", WORK, "--description", "half"]);
    insta::assert_snapshot!(stage.masked(&told(&idle())), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    checklist: [TOP]/project/CHECKLIST.md has not passed
      engine session check sessions/2026_02_07_AUTH
    ");
    let ticked = LIST.replace("[ ]", "[X]").replace('\n', " \r\n");
    insta::assert_snapshot!(check(&stage, &json!({path.as_str(): ticked}).to_string()), @"
    exit 0
    sessions/2026_02_07_AUTH: 1 checklist passed
    ");
    insta::assert_snapshot!(check(&stage, ""), @"
    exit 0
    sessions/2026_02_07_AUTH: no checklist is open and no tag is bare
    ");
    // Changed after it passed: it must pass again.
    stage.write("CHECKLIST.md", &format!("{LIST}- [ ] changelog\n"));
    assert_eq!(idle().code, Some(1));
    stage.write("CHECKLIST.md", LIST);
    assert_eq!(idle().code, Some(0));
}

#[test]
fn lists_of_every_form_can_pass_and_must() {
    let cases = [
        ("\u{feff}# List\n- [ ] a\n", "# List\n- [x] a\n"),
        ("- Tests\n  - [ ] a\n  - [ ] b\n", "- Tests\n  - [x] a\n  - [x] b\n"),
        ("1. [ ] a\n2. [ ] b\n", "1. [x] a\n2. [x] b\n"),
        ("+ [ ] see [x] there\n", "+ [X] see [x] there\n"),
    ];
    for (list, ticked) in cases {
        let (stage, path) = armed();
        stage.write("CHECKLIST.md", list);
        let hand_in = |text: &str| piped(&stage, &["check", WORK], &json!({path.as_str(): text}).to_string());
        assert!(hand_in(list).stderr.contains("is not ticked"), "{list}");
        let done = hand_in(ticked);
        assert_eq!(done.code, Some(0), "{list}: {}", done.stderr);
    }
    // Bytes that are no text neither hide it nor hold it.
    let (stage, path) = armed();
    std::fs::write(&path, b"- [ ] a\xff\n").unwrap();
    assert_eq!(session(&stage, &["idle", WORK, "--description", "half"]).code, Some(1));
    let ticked = json!({path.as_str(): "- [x] a\u{fffd}\n"}).to_string();
    assert_eq!(piped(&stage, &["check", WORK], &ticked).code, Some(0));
}

#[test]
fn a_long_list_is_not_told_whole() {
    let (stage, path) = armed();
    let list = "- [ ] item\n".repeat(500);
    stage.write("CHECKLIST.md", &list);
    let said = check(&stage, &json!({path.as_str(): list}).to_string());
    assert_eq!(said.matches("item is not ticked").count(), 12, "{said}");
    assert!(said.contains("CHECKLIST.md: … and 488 more\n"), "{said}");
}

/// What a difference shows would get round the client's permissions.
#[test]
fn only_checklists_are_compared() {
    let (stage, path) = armed();
    stage.write("secret", "SECRET\n");
    std::fs::create_dir(stage.root().join("a")).unwrap();
    symlink("../secret", stage.root().join("a/CHECKLIST.md")).unwrap();
    for way in ["secret", "a/CHECKLIST.md"] {
        let named = stage.root().join(way).display().to_string();
        let said = check(&stage, &json!({named: "x", path.as_str(): ""}).to_string());
        let line = said.lines().find(|line| line.contains(way)).unwrap();
        assert_eq!(line, format!("checklist: [TOP]/project/{way}: it is no checklist of this session"));
        assert!(!said.contains("SECRET"), "{said}");
    }
}

#[test]
fn the_armed_file_counts_by_whatever_way_it_is_named() {
    for way in ["link/CHECKLIST.md", "sessions/../CHECKLIST.md", "linked.md"] {
        let (stage, path) = armed();
        symlink(stage.root(), stage.root().join("link")).unwrap();
        symlink(&path, stage.root().join("linked.md")).unwrap();
        let named = stage.root().join(way).display().to_string();
        let done = piped(&stage, &["check", WORK], &json!({named: LIST.replace("[ ]", "[x]")}).to_string());
        assert_eq!(done.code, Some(0), "{way}: {}", done.stderr);
        let known = state(&stage)["checklists"].clone();
        assert_eq!((known.as_array().unwrap().len(), &known[0]["path"]), (1, &json!(path)), "{way}");
    }
}

#[test]
fn bare_tags_are_named_beside_the_checklists() {
    let (stage, path) = armed();
    stage.write(
        &format!("{WORK}/BUILD_PLAN.md"),
        "# Plan\n**Tags**: #needs-review\n- one #needs-fix\n`#needs-x`\n",
    );
    stage.write(&format!("{WORK}/NOTES.md"), "later #needs-docs and #needs-fix\n");
    insta::assert_snapshot!(check(&stage, ""), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is not in order
    checklist: [TOP]/project/CHECKLIST.md is missing
    tags: sessions/2026_02_07_AUTH/BUILD_PLAN.md:3 #needs-fix is undecided
    tags: sessions/2026_02_07_AUTH/NOTES.md:1 #needs-docs is undecided
    tags: sessions/2026_02_07_AUTH/NOTES.md:1 #needs-fix is undecided
      engine session check sessions/2026_02_07_AUTH < FILE, which holds {"[TOP]/project/CHECKLIST.md":"the whole file, with only its boxes ticked"}
      do what a tag asks for and take it out, or make it a mention: engine tag escape sessions/2026_02_07_AUTH/BUILD_PLAN.md shows how, --write does it
      do what a tag asks for and take it out, or make it a mention: engine tag escape sessions/2026_02_07_AUTH/NOTES.md shows how, --write does it
    "#);
    // What passed is kept, whatever else is open.
    let ticked = json!({path.as_str(): LIST.replace("[ ]", "[x]")}).to_string();
    insta::assert_snapshot!(check(&stage, &ticked), @"
    exit 1
    sessions/2026_02_07_AUTH: 1 checklist passed
    engine: sessions/2026_02_07_AUTH is not in order
    tags: sessions/2026_02_07_AUTH/BUILD_PLAN.md:3 #needs-fix is undecided
    tags: sessions/2026_02_07_AUTH/NOTES.md:1 #needs-docs is undecided
    tags: sessions/2026_02_07_AUTH/NOTES.md:1 #needs-fix is undecided
      do what a tag asks for and take it out, or make it a mention: engine tag escape sessions/2026_02_07_AUTH/BUILD_PLAN.md shows how, --write does it
      do what a tag asks for and take it out, or make it a mention: engine tag escape sessions/2026_02_07_AUTH/NOTES.md shows how, --write does it
    ");
    insta::assert_snapshot!(session(&stage, &["check", WORK, "--json"]).stdout, @r##"{"bareTags":[{"file":"sessions/2026_02_07_AUTH/BUILD_PLAN.md","line":3,"tag":"#needs-fix"},{"file":"sessions/2026_02_07_AUTH/NOTES.md","line":1,"tag":"#needs-docs"},{"file":"sessions/2026_02_07_AUTH/NOTES.md","line":1,"tag":"#needs-fix"}],"passed":0,"path":"sessions/2026_02_07_AUTH","version":1,"wrong":[]}"##);
    stage.ok(&["tag", "escape", &format!("{WORK}/NOTES.md"), "--write"]);
    stage.ok(&["tag", "remove", &format!("{WORK}/BUILD_PLAN.md"), "#needs-fix", "--line", "3"]);
    insta::assert_snapshot!(check(&stage, ""), @"
    exit 0
    sessions/2026_02_07_AUTH: no checklist is open and no tag is bare
    ");
    insta::assert_snapshot!(session(&stage, &["check", WORK, "--json"]).stdout, @r#"{"bareTags":[],"passed":0,"path":"sessions/2026_02_07_AUTH","version":1,"wrong":[]}"#);
}
