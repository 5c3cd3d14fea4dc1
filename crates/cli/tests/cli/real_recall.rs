//! `/do` with the real client: what is known reaches the agent that plans, as facts and without a dialog.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::real_armed::{PLAN, project, route};
use crate::real_client::{ask, engine};
use crate::real_do::{bash, play, received};

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_router_is_told_what_is_known() {
    let bench = project();
    engine(
        &bench,
        &["remember", "pitfall: the failing test greps for b in src.txt", "--source", "plan greeting"],
    );
    let calls = [route(), bash("engine plan new")];
    let scenario = play(Scenario::new(), "The plan is the engine's", &calls, "Planned.")
        .turn(
            Turn::new("router asks")
                .kind(Kind::Subagent)
                .prompt_contains("User fragment")
                .tool_use("Bash", json!({"command": "engine recall the failing test"})),
        )
        .turn(Turn::new("router answers").kind(Kind::Subagent).tool_result_of("Bash").text(PLAN));
    let run = ask(&bench, scenario, "/do fix the failing test", &[]);
    let asked = run.record.of(Kind::Subagent);
    let results = asked.last().map(|request| request.tool_results()).unwrap_or_default();
    let told: Vec<&str> =
        results.iter().filter_map(|result| result.text.rsplit_once(", ")).map(|(fact, _)| fact).collect();
    assert_eq!(
        told,
        [".engine/memory/failing-test-greps-b-src-txt.md:8 – the failing test greps for b in src.txt"],
        "{results:?}"
    );
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Agent intent-router
    $ Bash engine plan new
    note: made from the answer of intent-router
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: engine plan lock
    ");
}
