use super::*;
use crate::plan::tests::{NAME, drafted, edited, locked, ran, steps, stored};
use crate::stage::{AGENT, Stage, refusal};

fn begun(number: u32) -> (Stage, CommandContext) {
    let (stage, context) = locked();
    for before in 1..number {
        start(&context, before).unwrap();
        finish(&context, before, None).unwrap();
    }
    start(&context, number).unwrap();
    (stage, context)
}

#[test]
fn what_the_plan_refuses_comes_before_what_the_proof_lacks() {
    let (stage, context) = drafted();
    let not_locked = "Refused: plan fix-the-login is not locked yet\n→ engine plan lock, once steps and criteria are right";
    assert_eq!(refusal(start(&context, 1)), not_locked);
    assert_eq!(refusal(finish(&context, 1, None)), not_locked);
    crate::plan::lock(&context, None).unwrap();
    let before = stage.files();
    assert_eq!(
        refusal(finish(&context, 3, None)),
        "Refused: step 1 comes before step 3 and is open: Reproduce it\n→ engine plan step start 1"
    );
    assert_eq!(
        refusal(finish(&context, 7, None)),
        "Refused: plan fix-the-login has no step 7\n→ engine plan show lists its steps"
    );
    assert_eq!(
        refusal(start(&context, 3)),
        "Refused: step 1 comes before step 3 and is open: Reproduce it\n→ engine plan step start 1"
    );
    assert_eq!(
        refusal(fail(&context, 1, None)),
        "Refused: step 1 is open, not active\n→ engine plan step start 1"
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn a_step_that_failed_is_begun_again_three_times_then_a_person_is_asked() {
    let (_stage, context) = locked();
    for _ in 0..3 {
        assert_eq!(start(&context, 1).unwrap().answer, Moved::Done);
        fail(&context, 1, Some("no\naccess")).unwrap();
    }
    assert_eq!(steps(&context)[0], "- [†] 1. Reproduce it (3 attempts; no access)");
    let kept = start(&context, 1).unwrap();
    assert_eq!(kept.answer, Moved::Halted);
    assert_eq!(
        stored(&context).halted().map(|halt| halt.reason.clone()).as_deref(),
        Some("step 1 was tried 3 times: Reproduce it")
    );
}

#[test]
fn a_check_is_done_when_its_proof_passed_on_what_is_there_now() {
    let (stage, context) = begun(3);
    stage.write("src/auth.rs", "one");
    let no = |why: &str| format!("Refused: step 3: {why}\n→ engine evidence lists what ran");
    let done = || refusal(finish(&context, 3, None));
    assert_eq!(done(), no("`cargo test` was not run since the lock: engine check -- cargo test"));
    ran(&stage, "cargo clippy", 0);
    assert_eq!(done(), no("`cargo test` was not run since the lock: engine check -- cargo test"));
    ran(&stage, "cargo test", 1);
    assert_eq!(done(), no("`cargo test` ended with 1 when it ran last"));
    ran(&stage, "cargo test", 0);
    stage.write("src/auth.rs", "three");
    let before = stage.files();
    assert_eq!(
        done(),
        no("changed since `cargo test` passed: src/auth.rs. Run it again: engine check -- cargo test")
    );
    assert_eq!(stage.files(), before);
    ran(&stage, "cargo test", 0);
    assert_eq!(done(), "not refused");
    assert_eq!(steps(&context)[2], "- [x] 3. CHECKPOINT: the tests pass (`cargo test` passed)");
}

#[test]
fn a_check_is_not_done_while_another_is_red() {
    let (stage, context) = begun(3);
    ran(&stage, "cargo clippy", 1);
    ran(&stage, "cargo test", 0);
    assert_eq!(
        refusal(finish(&context, 3, None)),
        "Refused: step 3: `cargo clippy` failed, and no run of it has passed since\n→ engine evidence lists what ran"
    );
    ran(&stage, "cargo clippy", 0);
    assert_eq!(refusal(finish(&context, 3, None)), "not refused");
}

#[test]
fn a_check_of_an_earlier_release_has_no_proof_and_is_not_done() {
    let (stage, context) = begun(3);
    let bare = |plan: &mut Plan| {
        plan.steps[2].proof = None;
        plan.version = 1;
        plan.lock = None;
        plan.lock(engine_core::plan::Start::default(), "T").map_err(CommandError::from)
    };
    engine_store::plan_file::PlanFile::new(&stage.project(), NAME).update(bare).unwrap();
    assert_eq!(
        refusal(finish(&context, 3, None)),
        "Refused: step 3 is a check without a proof\n→ engine plan add \"…\" --kind check --proof CMD --after 3"
    );
}

#[test]
fn a_work_step_owes_what_the_project_wants() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[plan]\ncommit = \"commit\"\n");
    stage.write(".gitignore", ".engine\n");
    let context = crate::plan::tests::of_agent(&stage, AGENT);
    crate::plan::tests::new(&context, None).unwrap();
    crate::plan::lock(&context, None).unwrap();
    start(&context, 1).unwrap();
    let done = |number| refusal(finish(&context, number, None));
    assert_eq!(done(1), "Refused: step 1: plan.commit is commit, and git does not answer here");
    stage.git(&["init", "-q"]);
    stage.write("b.txt", "b");
    stage.write("a b.txt", "a");
    stage.write("session.md", "about the work");
    assert_eq!(done(1), "Refused: step 1: not committed: .gitignore, a b.txt, b.txt");
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "one"]);
    fail(&context, 1, None).unwrap();
    start(&context, 1).unwrap();
    edited(&stage, "b.txt");
    assert_eq!(done(1), "Refused: step 1: b.txt was edited, and nothing was committed since the step began");
    stage.git(&["commit", "-qm", "two", "--allow-empty"]);
    assert_eq!(done(1), "not refused");
    // Only the files of the step count.
    start(&context, 2).unwrap();
    stage.write("c.txt", "c");
    stage.write("src/auth.rs", "");
    assert_eq!(done(2), "Refused: step 2: not committed: src/auth.rs");
    stage.git(&["add", "src"]);
    stage.git(&["commit", "-qm", "three"]);
    stage.write(".engine/config.toml", "[plan]\ncommit = \"push\"\n");
    assert_eq!(done(2), "Refused: step 2: the branch has no upstream: git push --set-upstream origin HEAD");
    stage.git(&["branch", "other", "HEAD~1"]);
    stage.git(&["branch", "--quiet", "--set-upstream-to=other"]);
    assert_eq!(done(2), "Refused: step 2: HEAD is not at its upstream: git push");
    stage.git(&["branch", "--force", "other", "HEAD"]);
    assert_eq!(done(2), "not refused");
    assert_eq!(stored(&context).name, NAME);
}

#[test]
fn an_open_step_begins_and_ends_at_once() {
    let (stage, context) = locked();
    finish(&context, 1, None).unwrap();
    assert_eq!(steps(&context)[0], "- [x] 1. Reproduce it (no edit was seen)");
    finish(&context, 1, None).unwrap();
    assert_eq!(steps(&context)[0], "- [x] 1. Reproduce it (no edit was seen)", "it is done already");
    start(&context, 2).unwrap();
    assert_eq!(
        refusal(finish(&context, 3, None)),
        "Refused: step 2 is active; one step at a time\n→ end it first: engine plan step done 2, or: step fail 2"
    );
    finish(&context, 2, None).unwrap();
    let before = stage.files();
    assert_eq!(
        refusal(finish(&context, 3, None)),
        "Refused: step 3: `cargo test` was not run since the lock: engine check -- cargo test\n→ engine evidence lists what ran"
    );
    assert_eq!(stage.files(), before, "a refusal begins nothing");
    ran(&stage, "cargo test", 0);
    finish(&context, 3, None).unwrap();
    assert_eq!(steps(&context)[2], "- [x] 3. CHECKPOINT: the tests pass (`cargo test` passed)");
}

#[test]
fn a_step_that_was_tried_too_often_halts_also_if_it_is_called_done() {
    let (_stage, context) = locked();
    for _ in 0..3 {
        start(&context, 1).unwrap();
        fail(&context, 1, None).unwrap();
    }
    assert_eq!(
        refusal(finish(&context, 1, None)),
        "Refused: plan fix-the-login is halted: step 1 was tried 3 times: Reproduce it\n\
         → tell the user what happened and how you would go on; reading and asking stay free\n\
         → engine plan resume: engine asks the user, and after their ok the same command goes on"
    );
    assert!(stored(&context).halted().is_some());
}

#[test]
fn what_was_edited_besides_its_files_is_told() {
    let (stage, context) = locked();
    finish(&context, 1, None).unwrap();
    start(&context, 2).unwrap();
    for file in ["src/auth.rs", "src/b.rs", "docs/x.md"] {
        edited(&stage, file);
    }
    assert_eq!(finish(&context, 2, None).unwrap().answer, ["docs/x.md", "src/b.rs"]);
    assert_eq!(steps(&context)[1], "- [x] 2. Fix it (src/auth.rs)");
    let drift = crate::plan::drift::Drift::of(&stored(&context), &context).unwrap();
    assert_eq!(
        drift.lines(),
        [
            "edited outside of the scope: docs/x.md",
            "step 2 changed besides its files: docs/x.md, src/b.rs",
            "skills that were not called: fix"
        ]
    );
}

/// What a person edits stands in no journal.
#[test]
fn a_person_is_not_asked_for_traces_of_work() {
    let stage = Stage::new();
    let person = crate::plan::tests::of_person(&stage);
    crate::plan::tests::new(&person, None).unwrap();
    crate::plan::lock(&person, None).unwrap();
    finish(&person, 1, None).unwrap();
    assert_eq!(steps(&person)[0], "- [x] 1. Reproduce it");
}
