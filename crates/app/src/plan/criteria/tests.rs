use engine_core::evidence::proof::Command;

use super::*;
use crate::plan::tests::{NAME, drafted, locked, of_person, ran, stored};
use crate::stage::{AGENT, record, refusal, wanted};

fn passes(line: &str) -> Proof {
    Proof::Passes(Command::new(line, ""))
}

fn add(text: &str) -> CriteriaChange {
    CriteriaChange::Add { text: text.to_owned(), proof: passes("cargo test --release") }
}

fn set(number: usize, text: &str) -> CriteriaChange {
    CriteriaChange::Set { number, text: text.to_owned(), proof: passes("make check") }
}

fn texts(context: &CommandContext) -> Vec<String> {
    stored(context).criteria.into_iter().map(|criterion| criterion.text).collect()
}

#[test]
fn before_the_lock_they_are_free() {
    let (_stage, context) = drafted();
    assert_eq!(
        change(&context, add("it is fast"), None).unwrap().1,
        ["+ 3. it is fast (`cargo test --release` passes)"]
    );
    assert_eq!(
        change(&context, set(1, "tests pass"), None).unwrap().1,
        ["- 1. all tests pass (`cargo test` passes)", "+ 1. tests pass (`make check` passes)"]
    );
    assert_eq!(
        change(&context, CriteriaChange::Remove { number: 2 }, None).unwrap().1,
        ["- 2. the login is documented (docs/login.md changes)"]
    );
    assert_eq!(texts(&context), ["tests pass", "it is fast"]);
    let none = "Refused: plan fix-the-login has no criterion 0\n→ engine plan show lists its criteria";
    assert_eq!(refusal(change(&context, set(0, "x"), None)), none);
    change(&context, CriteriaChange::Remove { number: 1 }, None).unwrap();
    assert_eq!(
        refusal(change(&context, CriteriaChange::Remove { number: 1 }, None)),
        "Refused: a plan has at least one criterion"
    );
    assert_eq!(texts(&context), ["it is fast"]);
    assert_eq!(stored(&context).approvals, []);
}

#[test]
fn after_the_lock_each_change_needs_a_word_of_its_own() {
    let (stage, context) = locked();
    let what = |text: &str| {
        format!(
            "change the locked criteria of plan fix-the-login: + 3. {text} (`cargo test --release` passes)"
        )
    };
    assert_eq!(refusal(change(&context, add("it is fast"), None)), wanted(&what("it is fast"), 1));
    assert_eq!(
        refusal(change(&context, add("it is fast"), Some("they said so"))),
        wanted(&what("it is fast"), 1),
        "what the agent says is nobody's word"
    );
    stage.answers(AGENT, true);
    assert_eq!(
        refusal(change(&context, add("it is slow"), Some("they said so"))),
        wanted(&what("it is slow"), 2),
        "the word was about another change"
    );
    assert_eq!(texts(&context), ["all tests pass", "the login is documented"]);
    change(&context, add("it is fast"), Some("they\nsaid so")).unwrap();
    let plan = stored(&context);
    let approvals: Vec<_> =
        plan.approvals.iter().map(|one| (one.what.as_str(), one.reason.as_str())).collect();
    assert_eq!(
        approvals,
        [("+ 3. it is fast (`cargo test --release` passes)", record(1, Some("they said so")).as_str())]
    );
    assert_eq!(plan.criteria.len(), 3, "and the lock holds the new ones: the plan still reads");
}

#[test]
fn a_change_of_a_halted_plan_or_of_nothing_asks_nobody() {
    let (stage, context) = locked();
    let before = stage.files();
    assert_eq!(
        refusal(change(&context, set(9, "x"), None)),
        "Refused: plan fix-the-login has no criterion 9\n→ engine plan show lists its criteria"
    );
    assert_eq!(stage.files(), before, "nothing is remembered as refused");
    let (one, last) = crate::plan::tests::drafted();
    change(&last, CriteriaChange::Remove { number: 1 }, None).unwrap();
    crate::plan::lock(&last, None).unwrap();
    let before = one.files();
    assert_eq!(
        refusal(change(&last, CriteriaChange::Remove { number: 1 }, None)),
        "Refused: a plan has at least one criterion"
    );
    assert_eq!(one.files(), before, "nobody is asked about what cannot be done");
    crate::plan::halt(&context, "stop").unwrap();
    let before = stage.files();
    assert_eq!(
        refusal(change(&context, add("x"), Some("they said so"))).lines().next(),
        Some("Refused: plan fix-the-login is halted: stop")
    );
    assert_eq!(stage.files(), before);
}

/// What `verify` says of one criterion.
fn asked(context: &CommandContext, number: usize, rejected: bool, why: Option<&str>) -> String {
    refusal(verify(context, &Verify { number: Some(number), rejected, why, ..Verify::default() }))
}

#[test]
fn a_criterion_is_met_by_its_locked_proof_or_rejected() {
    let (stage, context) = locked();
    let before = stage.files();
    let no = |what: &str| format!("Refused: {what}\n→ engine evidence lists what ran");
    assert_eq!(
        asked(&context, 3, false, None),
        "Refused: plan fix-the-login has no criterion 3\n→ engine plan show lists its criteria"
    );
    let never = "criterion 1: `cargo test` was not run since the lock: engine check -- cargo test";
    let unwritten = "criterion 2: there is no file docs/login.md in this project";
    assert_eq!(asked(&context, 1, false, None), no(never));
    assert_eq!(asked(&context, 2, false, None), no(unwritten));
    assert_eq!(stage.files(), before);
    // All at once: each that holds is kept, each that does not is named.
    let all = || {
        let all = verify(&context, &Verify::default()).unwrap();
        (all.verdicts, all.lacking)
    };
    assert_eq!(all(), (vec![], vec![never.to_owned(), unwritten.to_owned()]));
    stage.write("docs/login.md", "one\n");
    ran(&stage, "cargo test", 0);
    assert_eq!(asked(&context, 1, false, Some("all green")), "not refused");
    assert_eq!(asked(&context, 2, true, Some("it is empty")), "not refused", "a rejection needs no proof");
    let told = || -> Vec<_> {
        let verdicts = stored(&context).criteria.into_iter().filter_map(|criterion| criterion.verdict);
        verdicts.map(|verdict| (verdict.met, verdict.found, verdict.why, verdict.by)).collect()
    };
    let word = |text: &str| Some(text.to_owned());
    let passed = (true, word("`cargo test` passed"), word("all green"), AGENT.to_owned());
    let rejected = (false, None, word("it is empty"), AGENT.to_owned());
    assert_eq!(told(), [passed, rejected]);
    let stays = "nothing has changed since the agent rejected criterion 2";
    assert_eq!(all(), (vec![1], vec![stays.to_owned()]));
    assert_eq!(
        asked(&context, 2, false, None),
        format!("Refused: {stays}\n→ mend what was rejected, then verify it again")
    );
    stage.write("docs/login.md", "one\ntwo\n");
    ran(&stage, "cargo test", 0);
    assert_eq!(all(), (vec![1, 2], vec![]));
    let person = CommandContext { named: Some(NAME.to_owned()), ..of_person(&stage) };
    assert_eq!(asked(&person, 1, true, Some("I see an error")), "not refused");
    let rejected = (false, None, word("I see an error"), "person".to_owned());
    let changed = (true, word("changed: docs/login.md"), None, AGENT.to_owned());
    assert_eq!(told(), [rejected, changed]);
}

#[test]
fn a_criterion_that_had_passed_before_the_lock_says_so() {
    let (stage, context) = drafted();
    ran(&stage, "cargo test", 0);
    crate::plan::lock(&context, None).unwrap();
    assert_eq!(
        asked(&context, 1, false, None).lines().next(),
        Some("Refused: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test"),
        "what passed before is no evidence"
    );
    ran(&stage, "cargo test", 0);
    assert_eq!(asked(&context, 1, false, None), "not refused");
    assert!(stored(&context).criteria[0].verdict.as_ref().unwrap().before);
}

#[test]
fn what_a_person_judges_waits_for_their_word() {
    let (stage, context) = drafted();
    let seen = Proof::Judge(Judge::Person);
    let judged = CriteriaChange::Set { number: 2, text: "it looks right".to_owned(), proof: seen };
    change(&context, judged, None).unwrap();
    crate::plan::lock(&context, None).unwrap();
    let all = verify(&context, &Verify::default()).unwrap();
    let never = "criterion 1: `cargo test` was not run since the lock: engine check -- cargo test";
    assert_eq!((all.verdicts, all.lacking), (vec![], vec![never.to_owned()]), "a look-up does not decide it");
    let what = "accept criterion 2 of plan fix-the-login as met: it looks right";
    assert_eq!(asked(&context, 2, false, Some("the user saw it")), wanted(what, 1));
    stage.answers(AGENT, true);
    assert_eq!(asked(&context, 2, false, Some("the user saw it")), "not refused");
    assert_eq!(stored(&context).criteria[1].verdict.as_ref().unwrap().judged, Some(Judge::Person));
}

#[test]
fn a_criterion_is_one_line_of_text() {
    assert_eq!(text(" it\n works ").unwrap(), "it works");
    assert_eq!(refusal(text(" \n")), "Usage: a criterion needs a text");
    assert_eq!(refusal(text(&"x".repeat(501))), "Usage: a criterion is longer than 500 characters");
}
