//! The runbooks that pages and skills show can be prepared as they stand.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use engine_core::runbook::{Facts, Reading, Source, read};

const PAGE: &str = include_str!("../../../docs/runbooks.md");
const ADHOC: &str = include_str!("../../../plugin/skills/plan-adhoc/SKILL.md");
const TDD: &str = include_str!("../../../plugin/skills/plan-tdd/SKILL.md");

/// The first block of Markdown in a text, without the indentation that it has there.
fn block(text: &str) -> String {
    let from = text.find("```markdown\n").unwrap();
    let indent = from - text[..from].rfind('\n').unwrap() - 1;
    let lines = text[from..].lines().skip(1);
    let lines = lines.map(|line| line.get(indent..).unwrap_or_default());
    lines.take_while(|line| *line != "```").fold(String::new(), |text, line| text + line + "\n")
}

fn reading(name: &str, text: &str, design: Option<&str>) -> Reading {
    let folder = format!("plans/{name}");
    let path = format!("{folder}/runbook.md");
    let tiers = ["haiku", "sonnet", "opus"].map(str::to_owned);
    let exists = |path: &str| path == "src/a.rs";
    let facts = Facts { folder: &folder, tiers: &tiers, exists: &exists, design, recall: None };
    read(&[Source { path: &path, text }], &facts)
}

fn problems(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_example_of_the_page_is_sound() {
    let reading = reading("greet", &block(PAGE), None);
    assert_eq!(problems(&reading), Vec::<String>::new());
    let steps: Vec<String> = reading
        .runbook
        .steps
        .iter()
        .map(|step| format!("{} {}", step.id, step.model.as_deref().unwrap_or("–")))
        .collect();
    assert_eq!(steps, ["1.1 haiku", "1.2 sonnet", "1-vet sonnet", "2.1 haiku", "2-vet sonnet"]);
}

#[test]
fn the_forms_of_the_skills_are_sound() {
    for text in [ADHOC, TDD] {
        let form = block(text).replace("<name>", "foo");
        // One of them names a requirement of its design.
        let design = form.contains("R1").then_some("- R1: it works\n");
        assert_eq!(problems(&reading("foo", &form, design)), Vec::<String>::new(), "{form}");
    }
}
