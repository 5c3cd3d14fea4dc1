use super::*;
use crate::plan::tests::{NAME, drafted, edited, locked, ran, steps, stored};
use crate::stage::{AGENT, Stage, refusal};
use engine_core::plan::State;

fn begun(number: u32) -> (Stage, CommandContext) {
    let (stage, context) = locked();
    for before in 1..number {
        start(&context, before).unwrap();
        finish(&context, before, &[]).unwrap();
    }
    start(&context, number).unwrap();
    (stage, context)
}

fn given(evidence: &[&str]) -> Vec<String> {
    evidence.iter().map(|&one| one.to_owned()).collect()
}

#[test]
fn what_the_plan_refuses_comes_before_what_the_evidence_lacks() {
    let (stage, context) = drafted();
    let not_locked = "Refused: plan fix-the-login is not locked yet\n→ engine plan lock, once steps and criteria are right";
    assert_eq!(refusal(start(&context, 1)), not_locked);
    assert_eq!(refusal(finish(&context, 1, &given(&["cargo test"]))), not_locked);
    crate::plan::lock(&context).unwrap();
    let before = stage.files();
    assert_eq!(
        refusal(finish(&context, 3, &given(&["cargo test"]))),
        "Refused: step 3 is open, not active\n→ engine plan step start 3"
    );
    assert_eq!(
        refusal(finish(&context, 7, &[])),
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
fn evidence_that_is_named_must_hold_each_of_it() {
    let (stage, context) = begun(1);
    ran(&stage, "cargo test", 0);
    ran(&stage, "cargo clippy", 1);
    let before = stage.files();
    assert_eq!(
        refusal(finish(&context, 1, &given(&["cargo test", "cargo clippy", "file:nosuch", "true"]))),
        "Refused: step 1: `cargo clippy` ended with 1 when it ran last\n\
         step 1: there is no file nosuch in this project\n\
         step 1: `true` ends well whatever the work is like; name a command that would fail without it\n\
         → engine evidence lists what ran"
    );
    assert_eq!(stage.files(), before);
    finish(&context, 1, &given(&[" cargo test "])).unwrap();
    let step = stored(&context).steps.remove(0);
    assert_eq!((step.state, step.evidence), (State::Done, given(&["cargo test"])));
}

#[test]
fn secrets_in_evidence_are_not_kept() {
    let secret = "curl -H token=sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345";
    assert_eq!(kept(&given(&[secret])), given(&[&redact(secret)]));
    assert!(!kept(&given(&[secret]))[0].contains("abcdefghijklmnop"));
}

#[test]
fn a_check_passes_by_the_known_checks_since_the_last_edit() {
    let (stage, context) = begun(3);
    let no = |why: &str| format!("Refused: step 3: {why}\n→ engine evidence lists what ran");
    let done = || refusal(finish(&context, 3, &[]));
    assert_eq!(done(), no("no check has passed since the lock: engine check -- CMD"));
    ran(&stage, "cargo test", 1);
    assert_eq!(done(), no("`cargo test` failed"));
    ran(&stage, "cargo test", 0);
    edited(&stage, "src/auth.rs");
    assert_eq!(done(), no("no check has passed since src/auth.rs was edited: engine check -- CMD"));
    ran(&stage, "cargo test", 0);
    assert_eq!(done(), "not refused");
    assert_eq!(steps(&context)[2], "- [x] 3. CHECKPOINT: the tests pass (cargo test)");
}

#[test]
fn a_check_for_which_evidence_is_named_keeps_that_and_not_the_known_checks() {
    let (stage, context) = begun(3);
    ran(&stage, "cargo test", 0);
    ran(&stage, "./smoke.sh", 0);
    ran(&stage, "cargo clippy", 1);
    assert_eq!(refusal(finish(&context, 3, &given(&["./smoke.sh"]))), "not refused");
    assert_eq!(steps(&context)[2], "- [x] 3. CHECKPOINT: the tests pass (./smoke.sh)");
}

#[test]
fn everything_that_failed_and_everything_unknown_is_told() {
    let one = |name: &str| (name.to_owned(), "it ran in the background".to_owned());
    let failed = Standing { failed: given(&["a", "b"]), unknown: vec![one("c")], ..Standing::default() };
    assert_eq!(passed(failed), Err(given(&["`a` failed", "`b` failed"])));
    let unknown = Standing { unknown: vec![one("c"), one("d")], ..Standing::default() };
    assert_eq!(
        passed(unknown),
        Err(given(&[
            "whether `c` passed cannot be told (it ran in the background): engine check -- c",
            "whether `d` passed cannot be told (it ran in the background): engine check -- d"
        ]))
    );
}

#[test]
fn a_work_step_owes_what_the_project_wants() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[plan]\ncommit = \"commit\"\n");
    stage.write(".gitignore", ".engine\n");
    let context = crate::plan::tests::of_agent(&stage, AGENT);
    crate::plan::tests::new(&context, None).unwrap();
    crate::plan::lock(&context).unwrap();
    start(&context, 1).unwrap();
    let done = |number| refusal(finish(&context, number, &[]));
    assert_eq!(done(1), "Refused: step 1: plan.commit is commit, and git does not answer here");
    stage.git(&["init", "-q"]);
    stage.write("b.txt", "b");
    stage.write("a b.txt", "a");
    stage.write("session.md", "about the work");
    assert_eq!(done(1), "Refused: step 1: not committed: .gitignore, \"a b.txt\", b.txt");
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
