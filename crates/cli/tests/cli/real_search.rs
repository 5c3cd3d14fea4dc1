//! The real client searches by `engine search`, without a dialog.

use engine_testkit::{Scenario, Turn};
use serde_json::json;

use crate::real_client::{bench, last};

/// An agent may search in the usual mode of permissions, and reads places and lines.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_searches_without_a_dialog() {
    let bench = bench(&[]);
    bench
        .write("docs/decisions/001.md", "# 001 Zebras\n\n## Decision\n\nA zebra is counted by its stripes.\n")
        .unwrap();
    bench
        .write(
            "sessions/2026_02_07_ZOO/IMPLEMENT_LOG.md",
            "# Log\n\n## [2026-02-07 10:00:00] ⚖️ Count the stripes\nA zebra has many.\n",
        )
        .unwrap();
    let call = |line: &str| json!({"command": line, "description": "Search"});
    let scenario = Scenario::new()
        .turn(
            Turn::new("search")
                .prompt_contains("zebra")
                .tool_use("Bash", call("engine search zebra stripes")),
        )
        .turn(
            Turn::new("sessions")
                .tool_result_of("Bash")
                .tool_use("Bash", call("engine session-search query stripes --type decision --json")),
        )
        .turn(Turn::new("end").tool_result_of("Bash").text("Found."));
    let run = bench.run(scenario, &["-p", "what do we know of the zebra?"]).unwrap();
    let results = last(&run).tool_results();
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    let is_object = |text: &str| text.starts_with('{');
    let object = results.iter().find(|result| is_object(&result.text)).map(|result| result.text.as_str());
    let object: serde_json::Value = serde_json::from_str(object.unwrap()).unwrap();
    assert_eq!(object["hits"][0]["path"], "sessions/2026_02_07_ZOO/IMPLEMENT_LOG.md");
    assert_eq!((&object["hits"][0]["line"], &object["hits"][0]["type"]), (&json!(3), &json!("decision")));
    let said = last(&run).messages_text();
    assert!(said.contains("docs/decisions/001.md:"), "{said}");
    assert!(said.contains("A zebra is counted by its stripes."), "{said}");
}
