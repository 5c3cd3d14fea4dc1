//! Requests between work sessions: templates, and what `activate` lists.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine_core::skill::protocol::Protocol;
use engine_core::work::request;
use serde_json::json;

use crate::stage::{Output, SESSION, Stage};

const WORK: &str = "sessions/2026_02_07_AUTH";

fn shown(stage: &Stage, out: &Output) -> String {
    stage.masked(&format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr))
}

fn template(stage: &Stage, args: &[&str]) -> String {
    shown(stage, &stage.engine(&[&["session", "request-template"], args].concat()))
}

/// A skill with these templates, each by its text.
fn skill(stage: &Stage, folder: &str, request: Option<&str>, response: Option<&str>) {
    let name = Path::new(folder).file_name().unwrap().to_str().unwrap();
    let mut text = format!(
        "---\nname: {name}\ndescription: Does {name}.\nengine:\n  phases:\n    - {{label: \"1\", name: Setup}}\n"
    );
    for (key, template) in [("request", request), ("response", response)] {
        if let Some(template) = template {
            text.push_str(&format!("  {key}Template: {key}.md\n"));
            stage.write(&format!("{folder}/{key}.md"), template);
        }
    }
    stage.write(&format!("{folder}/SKILL.md"), &format!("{text}---\nDo it.\n"));
}

const MEND: &str =
    "# Request: TOPIC\n**Tags**: #needs-mending #P2\n\n## Topic\nAlso for `#needs-fix`, not #needs-glue.\n";

fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.event("SessionStart"));
    skill(&stage, ".claude/skills/mend", Some(MEND), Some("# Response\n"));
    stage
}

#[test]
fn templates_are_those_of_the_skills_that_are_there() {
    let stage = stage();
    assert_eq!(template(&stage, &["#needs-mending"]), format!("0 {MEND}"));
    assert_eq!(template(&stage, &["needs-mending"]), format!("0 {MEND}"));
    insta::assert_snapshot!(template(&stage, &["#needs-mending", "--json"]), @r##"0 {"file":"[TOP]/project/.claude/skills/mend/request.md","skill":"mend","tag":"#needs-mending","text":"# Request: TOPIC\n**Tags**: #needs-mending #P2\n\n## Topic\nAlso for `#needs-fix`, not #needs-glue.\n","version":1}"##);
    // Only one of the templates, no tags, or a skill that another hides: none of them can be asked.
    skill(&stage, ".claude/skills/half", Some("# R\n**Tags**: #needs-half\n"), None);
    skill(&stage, ".claude/skills/mute", Some("# R\n\n#needs-muting\n"), Some("# R\n"));
    skill(&stage, ".claude/skills/twice", Some("# R\n**Tags**: #needs-hidden\n"), Some("# R\n"));
    skill(
        &stage,
        "../home/.claude/skills/twice",
        Some("# R\n**Tags**: #needs-seen #needs-looks\n"),
        Some("# R\n"),
    );
    insta::assert_snapshot!(template(&stage, &["#needs-hidden"]), @"
    1 engine: no skill answers #needs-hidden
      #needs-seen #needs-looks: twice
      #needs-mending: mend
    ");
    for tag in ["#needs-half", "#needs-muting", "#needs-fix", "#needs-glue", "#P2"] {
        assert!(
            template(&stage, &[tag]).starts_with(&format!("1 engine: no skill answers {tag}\n")),
            "{tag}"
        );
    }
    insta::assert_snapshot!(template(&stage, &["#needs-x", "--json"]), @r##"1 {"error":"no skill answers #needs-x","hints":["#needs-seen #needs-looks: twice","#needs-mending: mend"],"version":1}"##);
    skill(&stage, ".claude/skills/repair", Some(&MEND.replace("TOPIC", "X")), Some("# R\n"));
    insta::assert_snapshot!(template(&stage, &["#needs-mending"]), @"
    1 engine: #needs-mending is answered by mend and repair; say which: --skill NAME
      mend: [TOP]/project/.claude/skills/mend/request.md
      repair: [TOP]/project/.claude/skills/repair/request.md
    ");
    assert!(template(&stage, &["#needs-mending", "--skill", "/repair"]).starts_with("0 # Request: X\n"));
    insta::assert_snapshot!(template(&stage, &["#needs-seen", "--skill", "mend"]), @"
    1 engine: mend is no skill that answers #needs-seen
      #needs-seen #needs-looks: twice
      #needs-mending: mend
      #needs-mending: repair
    ");
    assert_eq!(stage.engine(&["session", "request-template", "#"]).code, Some(2));
}

#[test]
fn without_skills_nobody_can_be_asked() {
    insta::assert_snapshot!(template(&Stage::new(), &["#needs-fix"]), @"
    1 engine: no skill answers #needs-fix
      none can be asked: a skill needs requestTemplate and responseTemplate, the first with a Tags line
    ");
}

/// What ships: each noun of the feed that a skill is for.
#[test]
fn shipped_skills_can_be_asked() {
    let stage = Stage::new();
    stage.ok(&["init", "--with", "skills=all"]);
    for (tag, skill) in [
        ("#needs-implementation", "implement"),
        ("#needs-fix", "fix"),
        ("#needs-research", "analyze"),
        ("#needs-brainstorm", "brainstorm"),
    ] {
        let json = stage.engine(&["session", "request-template", tag, "--json"]).json();
        assert_eq!(json["skill"], skill);
        let text = json["text"].as_str().unwrap();
        assert_eq!(request::tags(text), [tag]);
        for section in ["Topic", "Context", "Expectations", "Acceptance criteria", "Requesting session"] {
            assert!(text.contains(&format!("\n## {section}\n")), "{skill}: {section}");
        }
        let declared =
            Protocol::of_skill(&stage.read(&format!(".claude/skills/{skill}/SKILL.md"))).unwrap().unwrap();
        let response = stage.read(&format!(".claude/skills/{skill}/{}", declared.response_template.unwrap()));
        assert!(response.starts_with("# Response: TOPIC\n"));
    }
}

/// A request of this age, in hours.
fn request(stage: &Stage, path: &str, title: &str, tags: &str, hours: u64) {
    stage.write(path, &format!("# Request: {title}\n**Tags**: {tags}\n\n## Topic\nx\n"));
    let file = File::options().write(true).open(stage.root().join(path)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_hours(hours)).unwrap();
}

#[test]
fn activate_lists_open_requests() {
    let stage = stage();
    let activate = |name: &str, more: &[&str]| {
        let path = format!("sessions/{name}");
        shown(&stage, &stage.engine(&[&["session", "activate", &path, "mend"], more].concat()))
    };
    insta::assert_snapshot!(activate("2026_02_07_AUTH", &[]), @r#"
    0 sessions/2026_02_07_AUTH: mend started, phase 1: Setup (1 of 1)
    log: engine log sessions/2026_02_07_AUTH/MEND_LOG.md
    then: engine session idle sessions/2026_02_07_AUTH --description "…"
    "#);
    let old = "sessions/2026_01_01_OLD";
    request(&stage, &format!("{old}/MEND_REQUEST_LATE.md"), "late", "#needs-mending", 1);
    request(&stage, &format!("{old}/MEND_REQUEST_EARLY.md"), "early", "#needs-mending #P2", 9);
    request(&stage, &format!("{old}/deep/MEND_REQUEST_URGENT.md"), "urgent", "#P0 #needs-mending", 20);
    // Answered, for another skill, a mention, no request.
    request(&stage, &format!("{old}/MEND_REQUEST_DONE.md"), "done", "#done-mending", 1);
    request(&stage, &format!("{old}/FIX_REQUEST_OTHER.md"), "other", "#needs-fix", 1);
    request(&stage, &format!("{old}/MEND_REQUEST_TOLD.md"), "told", "`#needs-mending`", 1);
    request(&stage, &format!("{old}/MEND_RESPONSE_LATE.md"), "response", "#needs-mending", 1);
    stage.write(&format!("{old}/MEND_REQUEST_TEXT.md"), "# Request: text\n\n#needs-mending\n");
    insta::assert_snapshot!(activate("2026_02_07_AUTH", &[]), @r#"
    0 sessions/2026_02_07_AUTH: mend is active, phase 1: Setup (1 of 1)
    log: engine log sessions/2026_02_07_AUTH/MEND_LOG.md
    open requests; the user decides which are taken up:
      P0 sessions/2026_01_01_OLD/deep/MEND_REQUEST_URGENT.md: urgent
      P2 sessions/2026_01_01_OLD/MEND_REQUEST_LATE.md: late
      P2 sessions/2026_01_01_OLD/MEND_REQUEST_EARLY.md: early
      an answer is a section ## Response in it, and MEND_RESPONSE_TOPIC.md (as [TOP]/project/.claude/skills/mend/response.md)
    then: engine session idle sessions/2026_02_07_AUTH --description "…"
    "#);
    let taken = format!("requestFiles=[\"{old}/MEND_REQUEST_LATE.md\"]");
    insta::assert_snapshot!(activate("2026_02_07_AUTH", &["--param", &taken, "--json"]), @r##"0 {"goal":null,"log":"sessions/2026_02_07_AUTH/MEND_LOG.md","mode":null,"moreRequests":0,"outcome":"is active","path":"sessions/2026_02_07_AUTH","phase":{"label":"1","name":"Setup"},"phases":[{"gate":false,"label":"1","name":"Setup"}],"proof":[],"recall":null,"related":{"docs":[],"sessions":[]},"requests":[{"file":"sessions/2026_01_01_OLD/deep/MEND_REQUEST_URGENT.md","priority":"P0","tag":"#needs-mending","topic":"urgent"},{"file":"sessions/2026_01_01_OLD/MEND_REQUEST_EARLY.md","priority":"P2","tag":"#needs-mending","topic":"early"}],"skill":"mend","version":1}"##);
    for number in 1..=4 {
        request(&stage, &format!("{old}/MEND_REQUEST_{number}.md"), "more", "#needs-mending #P1", number);
    }
    let all = stage.engine(&["session", "activate", WORK, "mend", "--json"]).json();
    let files: Vec<&str> =
        all["requests"].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap()).collect();
    let expected = [
        "deep/MEND_REQUEST_URGENT.md",
        "MEND_REQUEST_1.md",
        "MEND_REQUEST_2.md",
        "MEND_REQUEST_3.md",
        "MEND_REQUEST_4.md",
    ];
    assert_eq!(files, expected.map(|name| format!("{old}/{name}")));
    assert_eq!(all["moreRequests"], json!(1));
    insta::assert_snapshot!(activate("2026_02_07_AUTH", &[]), @r#"
    0 sessions/2026_02_07_AUTH: mend is active, phase 1: Setup (1 of 1)
    log: engine log sessions/2026_02_07_AUTH/MEND_LOG.md
    open requests; the user decides which are taken up:
      P0 sessions/2026_01_01_OLD/deep/MEND_REQUEST_URGENT.md: urgent
      P1 sessions/2026_01_01_OLD/MEND_REQUEST_1.md: more
      P1 sessions/2026_01_01_OLD/MEND_REQUEST_2.md: more
      P1 sessions/2026_01_01_OLD/MEND_REQUEST_3.md: more
      P1 sessions/2026_01_01_OLD/MEND_REQUEST_4.md: more
      and 1 more: engine tag find '#needs-mending'
      an answer is a section ## Response in it, and MEND_RESPONSE_TOPIC.md (as [TOP]/project/.claude/skills/mend/response.md)
    then: engine session idle sessions/2026_02_07_AUTH --description "…"
    "#);
    // After a compaction they are known; what the session took is told until it is answered.
    let told = stage.ok(&["session", "continue"]);
    let requests: Vec<&str> = told.lines().filter(|line| line.contains("REQUEST")).collect();
    insta::assert_snapshot!(requests.join("\n"), @"Requests to answer: sessions/2026_01_01_OLD/MEND_REQUEST_LATE.md has no section ## Response; sessions/2026_01_01_OLD/MEND_REQUEST_LATE.md still has #needs-mending in its Tags line; 1 more");
}
