use super::*;
use crate::plan::tests::{edited, locked, ran, stored};
use crate::plan::{add, close, halt};
use crate::stage::AGENT;
use engine_core::plan::{Observation, Step};
use engine_core::session::SessionState;

fn todo(text: &str, status: &str) -> Todo {
    Todo { text: text.to_owned(), status: status.to_owned(), ..Todo::default() }
}

fn of(context: &CommandContext) -> Drift {
    Drift::of(&stored(context), context).unwrap()
}

#[test]
fn nothing_to_tell_is_no_line() {
    let (stage, context) = locked();
    edited(&stage, "src/auth.rs");
    ran(&stage, "cargo test", 0);
    assert_eq!(of(&context).lines(), ["skills that were not called: fix"]);
    let called =
        |state: &mut SessionState| state.plan.as_mut().unwrap().see(&Observation::Skill("/fix".to_owned()));
    stage.session(AGENT).update(called).unwrap();
    assert_eq!(of(&context).lines(), Vec::<String>::new());
    assert_eq!(standing(&stored(&context)), "locked");
}

#[test]
fn growth_edits_outside_failed_checks_and_the_agents_own_list() {
    let (stage, context) = locked();
    for file in ["docs/z.md", "src/auth.rs", "docs/a.md", "docs/z.md"] {
        edited(&stage, file);
    }
    ran(&stage, "cargo test", 1);
    ran(&stage, "./unknown.sh", 1);
    ran(&stage, "cargo test", 2);
    let todos =
        vec![todo("Reproduce it", "completed"), todo("Buy milk", "pending"), todo("Fix it", "pending")];
    stage.session(AGENT).update(|state| state.plan.as_mut().unwrap().todos = todos.clone()).unwrap();
    add(&context, Step { text: "More".to_owned(), ..Step::default() }, None).unwrap();
    let drift = of(&context);
    assert_eq!(drift.todos, todos);
    assert_eq!(
        drift.lines(),
        [
            "growth: 3 steps at the lock, 4 now",
            "edited outside of the scope: docs/a.md, docs/z.md",
            "failed checks: 2",
            "skills that were not called: fix",
            "the agent's own list: 1 of 3 done; not in the plan: Buy milk"
        ]
    );
    assert_eq!(standing(&stored(&context)), "halted");
}

#[test]
fn what_came_after_its_end_is_not_its_own() {
    let (stage, context) = locked();
    edited(&stage, "docs/a.md");
    halt(&context, "stop").unwrap();
    let person = CommandContext::of(
        stage.project(),
        engine_store::approve::Caller::Person,
        Some("fix-the-login".to_owned()),
    );
    let closed = close::close(&person, Some("enough")).unwrap().kept.plan;
    assert_eq!(standing(&closed), "closed", "also if it was halted");
    let after = crate::time::parse(&closed.closed.as_ref().unwrap().at).unwrap();
    let entry = engine_core::journal::Entry {
        session: AGENT.to_owned(),
        event: "PostToolUse".to_owned(),
        tool: Some("Edit".to_owned()),
        input: Some("docs/later.md".to_owned()),
        verdict: "none".to_owned(),
        ..engine_core::journal::Entry::default()
    };
    stage.journal(engine_text::stamp::Stamp(after.0 + 1), entry);
    assert_eq!(
        of(&person).lines(),
        ["edited outside of the scope: docs/a.md", "skills that were not called: fix"]
    );
}

#[test]
fn a_plan_is_a_draft_until_it_is_locked() {
    let (_stage, context) = crate::plan::tests::drafted();
    assert_eq!(standing(&stored(&context)), "draft");
}
