use super::*;
use crate::stage::Stage;

fn names(stage: &Stage, filter: &Filter<'_>) -> Vec<String> {
    let now = time::parse("2026-02-09T12:00:00Z").unwrap();
    list(&stage.project(), filter, now).unwrap().into_iter().map(|(work, _)| work.name).collect()
}

#[test]
fn by_day_topic_tag_and_holder() {
    let stage = Stage::new();
    let json = |extra: &str| format!("{{\"version\": 1, \"lifecycle\": \"active\", \"runs\": []{extra}}}");
    stage.write("sessions/2026_02_01_OLD/state.json", &json(", \"description\": \"The Lexer was slow\""));
    stage.write(
        "sessions/2026_02_07_AUTH/state.json",
        &json(", \"keywords\": [\"Login\"], \"agentSession\": {\"id\": \"a\", \"boundAt\": \"x\"}"),
    );
    stage
        .write("sessions/2026_02_08_DOCS/IMPLEMENT.md", "# Docs\n\n#needs-review here, `#needs-fix` there\n");
    let range = |range| Filter { period: Some(Period::Range(range)), ..Filter::default() };
    let cases: Vec<(Filter<'_>, &[&str])> = vec![
        (Filter::default(), &["2026_02_08_DOCS", "2026_02_07_AUTH", "2026_02_01_OLD"]),
        (range("2026-02-01..2026-02-07"), &["2026_02_07_AUTH", "2026_02_01_OLD"]),
        (Filter { topic: Some("auth"), ..Filter::default() }, &["2026_02_07_AUTH"]),
        (Filter { topic: Some("login"), ..Filter::default() }, &["2026_02_07_AUTH"]),
        (Filter { topic: Some("lexer was"), ..Filter::default() }, &["2026_02_01_OLD"]),
        (Filter { tag: Some("needs-review"), ..Filter::default() }, &["2026_02_08_DOCS"]),
        (Filter { tag: Some("#needs-fix"), ..Filter::default() }, &[]),
        (Filter { active: true, ..Filter::default() }, &["2026_02_07_AUTH"]),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(&stage, &filter), *expected, "{filter:?}");
    }
    let wrong = list(&stage.project(), &range("february"), Stamp(0)).err().unwrap();
    assert_eq!(wrong.message, "february is no range of days: 2026-02-01..2026-02-07");
}
