use super::*;
use crate::plan::criteria::{Verify, verify};
use crate::plan::step;
use crate::plan::tests::{NAME, locked, new, of_agent, of_person, ran, stored};
use crate::plan::{drift, halt, lock};
use crate::stage::{AGENT, Stage, agent, ask, record, refusal};

const TASKS: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Login**\n";

fn in_progress(stage: &Stage) {
    let context = task::CommandContext::of(stage.project(), &agent(AGENT));
    task::state::start(&context, Some("Login"), false).unwrap();
}

/// A plan in which everything is done and met.
fn fulfilled() -> (Stage, CommandContext) {
    let stage = Stage::new();
    stage.write("session.md", TASKS);
    let context = of_agent(&stage, AGENT);
    in_progress(&stage);
    new(&context, None).unwrap();
    lock(&context, None).unwrap();
    stage.write("docs/login.md", "It works.");
    ran(&stage, "cargo test", 0);
    for number in 1..=3 {
        step::start(&context, number).unwrap();
        step::finish(&context, number, None).unwrap();
    }
    let verified = verify(&context, &Verify::default()).unwrap();
    assert_eq!((verified.verdicts, verified.lacking), (vec![1, 2], Vec::new()));
    (stage, context)
}

#[test]
fn a_plan_with_open_ends_is_closed_by_a_persons_word() {
    let (stage, context) = locked();
    stage.write("session.md", TASKS);
    in_progress(&stage);
    step::start(&context, 1).unwrap();
    let rejected = Verify { number: Some(2), rejected: true, why: Some("it hangs"), ..Verify::default() };
    verify(&context, &rejected).unwrap();
    halt(&context, "the design is wrong").unwrap();
    let open = "Refused: plan fix-the-login stays open\n\
                it is halted: the design is wrong\n\
                step 1 is active: Reproduce it\n\
                step 2 is open: Fix it\n\
                step 3 is open: the tests pass\n\
                criterion 1 is not verified: all tests pass\n\
                criterion 2 is rejected (it hangs): the login is documented\n";
    let ways = "→ or engine plan close --user-approved \"why\"; engine asks the user";
    let what = "close plan fix-the-login with open ends: it is halted: the design is wrong; \
                step 1 is active: Reproduce it; step 2 is open: Fix it; step 3 is open: the tests pass; \
                criterion 1 is not verified: all tests pass; \
                criterion 2 is rejected (it hangs): the login is documented";
    assert_eq!(refusal(close(&context, None)), format!("{open}{ways}"));
    assert_eq!(stage.session(AGENT).peek().approvals, [], "nobody is bothered before the agent asks for it");
    let asked = format!("{open}→ {what} needs a person: approval 1\n{}", ask(1));
    assert_eq!(refusal(close(&context, Some("they said so"))), asked);
    assert!(stored(&context).is_open());
    stage.answers(AGENT, true);
    assert_eq!(refusal(close(&context, None)), format!("{open}{ways}"), "it goes with the reason only");
    let closed = close(&context, Some("they\nsaid so")).unwrap();
    let end = closed.kept.plan.closed.unwrap();
    let said = record(1, Some("they said so"));
    assert_eq!((end.approved, end.head, closed.task), (Some(said), None, None));
    assert_eq!(stage.read("session.md"), TASKS.replace("[ ]", "[>]"), "what was left open is not done");
}

#[test]
fn a_plan_in_order_closes_with_its_task_and_needs_nobodys_word() {
    let (stage, context) = fulfilled();
    let closed = close(&context, Some("not needed")).unwrap();
    assert_eq!(closed.kept.plan.closed.unwrap().approved, None);
    assert_eq!(closed.task.as_deref(), Some("Login"));
    assert_eq!(stage.read("session.md"), TASKS.replace("[ ]", "[x]"));
    let before = stage.files();
    let person = CommandContext { named: Some(NAME.to_owned()), ..of_person(&stage) };
    assert_eq!(refusal(close(&person, None)), "Nothing: plan fix-the-login is closed already");
    assert_eq!(stage.files(), before);
}

#[test]
fn a_criterion_whose_evidence_is_gone_is_open_again() {
    let (stage, context) = fulfilled();
    ran(&stage, "cargo test", 1);
    std::fs::remove_file(stage.root().join("docs/login.md")).unwrap();
    let open = [
        "criterion 1 is not shown any more: `cargo test` ended with 1 when it ran last",
        "criterion 2 is not shown any more: there is no file docs/login.md in this project",
        "`cargo test` failed, and no run of it has passed since",
    ];
    assert_eq!(report(&context).unwrap().open, open);
    assert_eq!(
        refusal(close(&of_person_named(&stage), None)).lines().skip(1).take(3).collect::<Vec<_>>(),
        open
    );
    close(&of_person_named(&stage), Some("so be it")).unwrap();
    assert_eq!(
        report(&of_person_named(&stage)).unwrap().open,
        Vec::<String>::new(),
        "of a closed plan nothing is"
    );
}

fn of_person_named(stage: &Stage) -> CommandContext {
    CommandContext { named: Some(NAME.to_owned()), ..of_person(stage) }
}

#[test]
fn the_commits_between_lock_and_end_are_its_own() {
    let stage = Stage::new();
    let commit = |subject: &str| stage.git(&["commit", "-q", "--allow-empty", "-m", subject]);
    stage.git(&["init", "-q"]);
    commit("before");
    let context = of_agent(&stage, AGENT);
    new(&context, None).unwrap();
    let subjects = |context: &CommandContext| -> Vec<String> {
        let commits = report(context).unwrap().commits;
        commits.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    };
    assert_eq!(subjects(&context), Vec::<String>::new(), "nothing before the lock");
    lock(&context, None).unwrap();
    commit("one");
    commit("two");
    assert_eq!(subjects(&context), ["two", "one"]);
    let person = of_person_named(&stage);
    close(&person, Some("enough")).unwrap();
    commit("after");
    assert_eq!(subjects(&person), ["two", "one"]);
    assert_eq!(drift::standing(&report(&person).unwrap().plan), "closed");
}
