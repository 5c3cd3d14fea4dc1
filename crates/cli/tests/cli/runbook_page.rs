//! The page about runbooks, held to the program: its example is checked, prepared and begun, and prints what the page says.

use serde_json::json;

use crate::orchestra::masked;
use crate::plan::stage;
use crate::stage::SESSION;

/// The text of the first block of this language after a heading.
fn block<'p>(page: &'p str, heading: &str, language: &str) -> &'p str {
    let at = page.find(heading).unwrap_or_else(|| panic!("{heading} is not on the page"));
    let fence = format!("```{language}\n");
    let start = at + page[at..].find(&fence).unwrap() + fence.len();
    &page[start..start + page[start..].find("```\n").unwrap()]
}

#[test]
fn the_example_of_the_page_runs_as_it_says() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/runbooks.md")).unwrap();
    let heading = "## A whole example";
    let stage = stage();
    stage.write("Makefile", "test:\n\tpython3 -m unittest\n");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.ok(&["init", "--with", "skills"]);
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "first"]);
    stage.write("plans/greet/runbook.md", block(&page, heading, "markdown"));
    stage.hook(&stage.event_with("UserPromptSubmit", &json!({"session_id": SESSION, "prompt": "go on"})));
    let console = block(&page, heading, "console");
    let commands: Vec<&str> = console.lines().filter_map(|line| line.strip_prefix("$ engine ")).collect();
    let ran: String = commands
        .iter()
        .map(|command| {
            let words: Vec<&str> = command.split(' ').collect();
            format!("$ engine {command}\n{}", stage.ok(&words))
        })
        .collect();
    assert_eq!(masked(&ran).replace("[SUM]", "HASH"), console);
}
