use super::*;
use crate::plan::tests::{NAME, drafted, locked, of_person, ran, stored};
use crate::stage::{AGENT, record, refusal, wanted};

fn add(text: &str) -> CriteriaChange {
    CriteriaChange::Add { text: text.to_owned() }
}

fn set(number: usize, text: &str) -> CriteriaChange {
    CriteriaChange::Set { number, text: text.to_owned() }
}

fn texts(context: &CommandContext) -> Vec<String> {
    stored(context).criteria.into_iter().map(|criterion| criterion.text).collect()
}

#[test]
fn before_the_lock_they_are_free() {
    let (_stage, context) = drafted();
    assert_eq!(change(&context, add("it is fast"), None).unwrap().1, ["+ 3. it is fast"]);
    assert_eq!(
        change(&context, set(1, "tests pass"), None).unwrap().1,
        ["- 1. cargo test passes", "+ 1. tests pass"]
    );
    assert_eq!(
        change(&context, CriteriaChange::Remove { number: 2 }, None).unwrap().1,
        ["- 2. the login works"]
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
    let what = |text: &str| format!("change the locked criteria of plan fix-the-login: + 3. {text}");
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
    assert_eq!(texts(&context), ["cargo test passes", "the login works"]);
    change(&context, add("it is fast"), Some("they\nsaid so")).unwrap();
    let plan = stored(&context);
    let approvals: Vec<_> =
        plan.approvals.iter().map(|one| (one.what.as_str(), one.reason.as_str())).collect();
    assert_eq!(approvals, [("+ 3. it is fast", record(1, Some("they said so")).as_str())]);
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
    crate::plan::lock(&last).unwrap();
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

#[test]
fn a_criterion_is_met_by_evidence_that_holds_or_rejected() {
    let (stage, context) = locked();
    let run = ["cargo test".to_owned()];
    let claim = |number, evidence, rejected, why| {
        refusal(verify(&context, &Claim { number, evidence, rejected, why }))
    };
    let before = stage.files();
    assert_eq!(
        claim(1, &[], false, None),
        "Refused: criterion 1 is met by evidence\n→ engine plan verify 1 --evidence \"cargo test\""
    );
    assert_eq!(
        claim(3, &run, false, None),
        "Refused: plan fix-the-login has no criterion 3\n→ engine plan show lists its criteria"
    );
    assert_eq!(
        claim(1, &run, false, None),
        "Refused: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test\n→ engine evidence lists what ran"
    );
    assert_eq!(stage.files(), before);
    ran(&stage, "cargo test", 0);
    assert_eq!(claim(1, &run, false, Some("all green")), "not refused");
    assert_eq!(
        claim(2, &["nosuch".to_owned()], true, None),
        "not refused",
        "what is rejected needs no proof"
    );
    let verdicts: Vec<_> = stored(&context)
        .criteria
        .into_iter()
        .filter_map(|criterion| criterion.verdict)
        .map(|verdict| (verdict.met, verdict.evidence, verdict.why, verdict.by))
        .collect();
    assert_eq!(
        verdicts,
        [
            (true, run.to_vec(), Some("all green".to_owned()), AGENT.to_owned()),
            (false, vec!["nosuch".to_owned()], None, AGENT.to_owned())
        ]
    );
    let person = CommandContext { named: Some(NAME.to_owned()), ..of_person(&stage) };
    verify(&person, &Claim { number: 1, evidence: &[], rejected: true, why: None }).unwrap();
    assert_eq!(stored(&context).criteria[0].verdict.as_ref().unwrap().by, "person");
}

#[test]
fn a_criterion_is_one_line_of_text() {
    assert_eq!(text(" it\n works ").unwrap(), "it works");
    assert_eq!(refusal(text(" \n")), "Usage: a criterion needs a text");
    assert_eq!(refusal(text(&"x".repeat(501))), "Usage: a criterion is longer than 500 characters");
}
