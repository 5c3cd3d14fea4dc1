use std::time::Duration;

use engine_core::evidence::proof::Command;
use engine_core::journal::Entry;
use engine_core::plan::{Kind, step_line};
use engine_store::content;

use super::*;
use crate::plan::new::{Source, make};
use crate::stage::{AGENT, Stage, agent, record, refusal, wanted};

pub(super) const ROUTER: &str = r#"task_type: debug
workflow: verify-first
skills_to_invoke: [fix]
guardrails: {plan_mode: false, verify_before_complete: true, answer_only: false, require_acceptance_test: false, quote_errors_exactly: false, fix_within_design: false, require_skill: null}
enriched_context: "The login is in src/auth.rs."
todo_items: ["Reproduce it", {text: Fix it, files: [src/auth.rs]}, {text: "CHECKPOINT: the tests pass", proof: cargo test}]
acceptance_criteria: [{text: all tests pass, proof: cargo test}, {text: the login is documented, file: docs/login.md}]
scope: ["src/**"]
warnings: []
original_fragment: Fix the login
"#;

/// The name that it gets.
pub(super) const NAME: &str = "fix-the-login";

pub(super) fn of_agent(stage: &Stage, session: &str) -> CommandContext {
    CommandContext::of(stage.project(), agent(session), None)
}

pub(super) fn of_person(stage: &Stage) -> CommandContext {
    CommandContext::of(stage.project(), Caller::Person, None)
}

pub(super) fn new(context: &CommandContext, name: Option<&str>) -> Result<Kept<()>, CommandError> {
    make(context, name, Source { text: ROUTER, name: "router.yaml" }, &mut Vec::new())
}

/// A project with the router's plan, of an agent that is alive.
pub(super) fn drafted() -> (Stage, CommandContext) {
    let stage = Stage::new();
    let context = of_agent(&stage, AGENT);
    new(&context, None).unwrap();
    (stage, context)
}

pub(super) fn locked() -> (Stage, CommandContext) {
    let (stage, context) = drafted();
    lock(&context, None).unwrap();
    (stage, context)
}

/// The plan as it is on the disk.
pub(super) fn stored(context: &CommandContext) -> Plan {
    context.existing(NAME).unwrap().1
}

pub(super) fn steps(context: &CommandContext) -> Vec<String> {
    stored(context).steps.iter().map(step_line).collect()
}

/// The agent ran a command in the root, and it ended so. The hook keeps the content on which one passed.
pub(super) fn ran(stage: &Stage, command: &str, exit: i32) {
    let event = if exit == 0 { "PostToolUse" } else { "PostToolUseFailure" };
    let entry = Entry {
        session: AGENT.to_owned(),
        event: event.to_owned(),
        tool: Some("Bash".to_owned()),
        command: Some(command.to_owned()),
        cwd: Some(stage.root().display().to_string()),
        exit: Some(exit),
        content: (exit == 0).then(|| content::take(&stage.project(), A_MINUTE).unwrap()),
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    stage.journal(clock::now(), entry);
}

const A_MINUTE: Duration = Duration::from_mins(1);

pub(super) fn edited(stage: &Stage, file: &str) {
    let entry = Entry {
        session: AGENT.to_owned(),
        event: "PostToolUse".to_owned(),
        tool: Some("Edit".to_owned()),
        input: Some(file.to_owned()),
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    stage.journal(clock::now(), entry);
}

fn name(found: Result<(PlanFile<'_>, Plan), CommandError>) -> String {
    found.map_or_else(|error| refusal::<()>(Err(error)), |(_, plan)| plan.name)
}

#[test]
fn a_person_means_the_only_open_plan_or_names_one() {
    let stage = Stage::new();
    let person = of_person(&stage);
    let none = "Refused: no plan is open here\n→ make one: engine plan new --from FILE";
    assert_eq!(name(person.found()), none);
    new(&person, Some("b")).unwrap();
    assert_eq!(name(person.found()), "b");
    new(&person, Some("a")).unwrap();
    assert_eq!(name(person.found()), "Refused: several plans are open: a, b\n→ name one: --plan NAME");
    let named = CommandContext { named: Some("b".to_owned()), ..of_person(&stage) };
    assert_eq!(name(named.found()), "b");
    close::close(&named, Some("done")).unwrap();
    assert_eq!(name(person.found()), "a", "a closed one is not meant");
    assert_eq!(name(named.found()), "b", "unless it is named");
}

#[test]
fn a_plan_that_is_not_there_or_cannot_be_read_is_refused_by_its_name() {
    let stage = Stage::new();
    stage.write(".engine/state/plans/broken.json", "{");
    stage.write(".engine/state/plans/later.json", "{\"version\": 99}");
    let person = of_person(&stage);
    let before = stage.files();
    for (wanted, expected) in [
        ("nosuch", "Refused: there is no plan nosuch\n→ engine plan list --all shows all"),
        ("../plans/broken", "Refused: there is no plan ../plans/broken\n→ engine plan list --all shows all"),
        ("", "Refused: there is no plan \n→ engine plan list --all shows all"),
        (
            "broken",
            "Refused: plan broken is damaged (EOF while parsing an object at line 1 column 1)\n→ engine plan new asks the person whether another plan takes its place",
        ),
        (
            "later",
            "Refused: plan later is written by a newer engine (format 99, this one knows 4)\n→ update this engine",
        ),
    ] {
        assert_eq!(name(person.existing(wanted)), expected);
    }
    assert_eq!(
        name(person.found()),
        "Refused: no plan is open here\n→ make one: engine plan new --from FILE"
    );
    assert_eq!(stage.files(), before, "a look changes nothing");
}

#[test]
fn an_agent_without_a_plan_is_told_of_three_that_nobody_alive_works_on() {
    let stage = Stage::new();
    for (session, plan) in [("s1", "e"), ("s2", "d"), ("s3", "c"), ("s4", "b"), ("s5", "a")] {
        new(&of_agent(&stage, session), Some(plan)).unwrap();
    }
    new(&of_person(&stage), Some("f")).unwrap();
    for ended in ["s1", "s2", "s4"] {
        stage.ends(ended);
    }
    assert_eq!(
        name(of_agent(&stage, AGENT).found()),
        "Refused: no plan is open here\n\
         → take up the open one: engine plan take b\n\
         → take up the open one: engine plan take d\n\
         → take up the open one: engine plan take e\n\
         → make one: engine plan new --from FILE"
    );
}

#[test]
fn a_copy_follows_its_plan_and_that_of_a_draft_that_is_gone_refuses_nothing() {
    let (stage, context) = drafted();
    let copy = || stage.session(AGENT).peek().plan.map(|plan| plan.name);
    // Killed before the copy was written.
    stage.session(AGENT).update(|state| state.plan = None).unwrap();
    assert_eq!(name(context.found()), NAME);
    assert_eq!(copy().as_deref(), Some(NAME));
    // Given to another, and killed before the copy was removed.
    let old_copy = stage.session(AGENT).peek().plan;
    stage.ends(AGENT);
    take(&of_agent(&stage, "another"), NAME).unwrap();
    stage.session(AGENT).update(|state| state.plan.clone_from(&old_copy)).unwrap();
    assert_eq!(
        name(context.found()),
        "Refused: no plan is open here\n→ make one: engine plan new --from FILE"
    );
    assert_eq!(copy(), None);
    // Removed by hand.
    stage.session(AGENT).update(|state| state.plan = old_copy).unwrap();
    std::fs::remove_file(stage.root().join(".engine/state/plans/fix-the-login.json")).unwrap();
    assert_eq!(
        name(context.found()),
        "Refused: no plan is open here\n→ make one: engine plan new --from FILE"
    );
    assert_eq!(copy(), None);
}

#[test]
fn a_plan_is_taken_from_nobody_alive() {
    let (stage, mine) = drafted();
    let other = of_agent(&stage, "another");
    let before = stage.files();
    assert_eq!(
        refusal(take(&of_person(&stage), NAME)),
        "Refused: only an agent session takes up a plan\n→ a person works on it with --plan fix-the-login"
    );
    assert_eq!(
        refusal(take(&other, "nosuch")),
        "Refused: there is no plan nosuch\n→ engine plan list --all shows all"
    );
    assert_eq!(
        refusal(take(&other, NAME)),
        format!(
            "Refused: plan fix-the-login belongs to the agent session {AGENT}\n→ it is free when that session ends"
        )
    );
    assert_eq!(stage.files(), before);
    assert_eq!(take(&mine, NAME).unwrap().plan, stored(&mine), "its own, once more");

    stage.ends(AGENT);
    new(&other, Some("other")).unwrap();
    assert_eq!(
        refusal(take(&other, NAME)),
        "Refused: this agent session has the open plan other\n→ engine plan close, first"
    );
    assert!(close::close(&other, Some("yes")).is_err(), "it waits for a person");
    stage.answers("another", true);
    close::close(&other, Some("yes")).unwrap();
    let taken = take(&other, NAME).unwrap().plan;
    assert_eq!(
        (taken.owner.as_deref(), taken.owners),
        (Some("another"), vec![AGENT.to_owned(), "another".to_owned()])
    );
    assert_eq!(
        refusal(take(&other, "other")),
        "Refused: this agent session has the open plan fix-the-login\n→ engine plan close, first"
    );
    let third = of_agent(&stage, "third");
    assert_eq!(refusal(take(&third, "other")), "Refused: plan other is closed");
}

#[test]
fn only_the_owner_changes_a_plan() {
    let (stage, _) = drafted();
    let named = |caller| CommandContext::of(stage.project(), caller, Some(NAME.to_owned()));
    let before = stage.files();
    let not_mine = "Refused: plan fix-the-login is not that of this agent session (another)\n→ engine plan take fix-the-login";
    let other = named(agent("another"));
    assert_eq!(refusal(lock(&other, None)), not_mine);
    assert_eq!(refusal(halt(&other, "stop")), not_mine);
    assert_eq!(refusal(resume(&other, None)), not_mine);
    assert_eq!(refusal(add(&other, Step::default(), None)), not_mine);
    assert_eq!(stage.files(), before);
    let person = named(Caller::Person);
    let plan = lock(&person, None).unwrap().plan;
    assert_eq!(plan.lock.map(|lock| (lock.steps_at_lock, lock.agreed, lock.start.head)), Some((3, 3, None)));
    assert_eq!(refusal(lock(&person, None)), "Refused: plan fix-the-login is locked already");
}

#[test]
fn a_halt_is_lifted_once_by_a_word_for_that_halt() {
    let (stage, context) = locked();
    assert_eq!(refusal(halt(&context, " \n ")), "Usage: a reason is needed");
    let before = stage.files();
    assert_eq!(refusal(resume(&context, Some("go"))), "Refused: plan fix-the-login is not halted");
    assert_eq!(stage.files(), before, "what cannot be done is not remembered as refused");
    halt(&context, "the design\nis wrong").unwrap();
    let halted = "Refused: plan fix-the-login is halted: the design is wrong\n\
                  → tell the user what happened and how you would go on; reading and asking stay free\n\
                  → engine plan resume: engine asks the user, and after their ok the same command goes on";
    assert_eq!(refusal(halt(&context, "again")), halted);
    assert_eq!(refusal(add(&context, Step::default(), None)), halted);
    let what = |halt: &str| format!("resume plan fix-the-login (halted: {halt})");
    let first = wanted(&what("the design is wrong"), 1);
    assert_eq!(refusal(resume(&context, None)), first);
    assert_eq!(
        refusal(resume(&context, Some("they said so"))),
        first,
        "what the agent says is nobody's word"
    );
    stage.answers(AGENT, true);
    let (kept, why) = resume(&context, Some("they\nsaid so")).unwrap();
    assert_eq!((why, kept.plan.halted()), (record(1, Some("they said so")), None));
    halt(&context, "once more").unwrap();
    assert_eq!(refusal(resume(&context, None)), wanted(&what("once more"), 2), "one word, one deed");
    stage.answers(AGENT, false);
    assert_eq!(
        refusal(resume(&context, Some("they said so"))),
        format!(
            "Refused: the person refused approval 2: {}\n→ their words: no 2 ({})",
            what("once more"),
            crate::time::local(engine_text::stamp::Stamp(0))
        )
    );
    let person = CommandContext { named: Some(NAME.to_owned()), ..of_person(&stage) };
    assert_eq!(resume(&person, None).unwrap().1, "a person typed it");
}

#[test]
fn more_than_a_fifth_of_growth_is_kept_and_halts() {
    let (_stage, context) = locked();
    let extra = |text: &str| Step { text: text.to_owned(), kind: Kind::Work, ..Step::default() };
    assert_eq!(
        refusal(add(&context, extra("x"), Some(9.into()))),
        "Refused: plan fix-the-login has no step 9\n→ engine plan show lists its steps"
    );
    let kept = add(&context, extra("Document it"), Some(1.into())).unwrap();
    assert_eq!(kept.answer, (4.into(), Moved::Halted));
    assert_eq!(
        steps(&context),
        [
            "- [ ] 1. Reproduce it",
            "- [ ] 4. Document it",
            "- [ ] 2. Fix it (src/auth.rs)",
            "- [ ] 3. CHECKPOINT: the tests pass (`cargo test` passes)"
        ]
    );
    assert_eq!(
        refusal(unless_halted(Moved::Halted, &kept.plan)),
        "Refused: plan fix-the-login is halted: the plan grew from 3 to 4 steps, by more than 20 %\n\
         → tell the user what happened and how you would go on; reading and asking stay free\n\
         → engine plan resume: engine asks the user, and after their ok the same command goes on"
    );
    assert_eq!(refusal(unless_halted(Moved::Done, &kept.plan)), "not refused");
}

#[test]
fn what_changed_while_it_was_judged_is_judged_again() {
    let (stage, context) = locked();
    let judged = stored(&context);
    halt(&context, "the design is wrong").unwrap();
    let halted = stored(&context);
    assert_eq!(
        refusal(context.change_judged(&judged, |plan, now| plan.finish(1, Some("x".to_owned()), now))),
        "Refused: plan fix-the-login was changed by another call meanwhile\n→ look at it again: engine plan show"
    );
    assert_eq!(stored(&context), halted);
    // Taken by another between the look and the lock.
    PlanFile::new(&stage.project(), NAME)
        .update(|plan| {
            plan.owner = Some("another".to_owned());
            Ok::<_, std::io::Error>(())
        })
        .unwrap();
    assert_eq!(
        refusal(context.must_own(&stored(&context))),
        format!(
            "Refused: plan {NAME} is not that of this agent session ({AGENT})\n→ engine plan take {NAME}"
        )
    );
}

#[test]
fn under_plan_mode_a_person_agrees_to_steps_and_criteria_before_the_lock() {
    let stage = Stage::new();
    let context = of_agent(&stage, AGENT);
    let text = ROUTER.replace("plan_mode: false", "plan_mode: true");
    let new = || make(&context, None, Source { text: &text, name: "router.yaml" }, &mut Vec::new()).unwrap();
    new();
    let what = "lock plan fix-the-login, criteria: 1. all tests pass (`cargo test` passes) \
                2. the login is documented (docs/login.md changes); \
                steps: 1. Reproduce it 2. Fix it 3. the tests pass (`cargo test` passes)";
    assert_eq!(refusal(lock(&context, None)), wanted(what, 1));
    assert_eq!(stored(&context).lock, None);
    // What was agreed to is the plan as it was shown.
    stage.answers(AGENT, true);
    add(&context, Step { text: "Drop the tests".into(), ..Step::default() }, None).unwrap();
    let grown = format!("{what} 4. Drop the tests");
    assert_eq!(refusal(lock(&context, None)), wanted(&grown, 2));
    stage.answers(AGENT, true);
    let plan = lock(&context, None).unwrap().plan;
    let agreed: Vec<_> = plan.approvals.iter().map(|approval| (&*approval.what, &*approval.reason)).collect();
    assert_eq!(agreed, [("steps, criteria and proofs", &*record(2, None))]);
    assert_eq!(
        refusal(lock(&context, None)),
        "Refused: plan fix-the-login is locked already",
        "and nobody is asked"
    );
    assert_eq!(stage.session(AGENT).peek().approvals.len(), 1, "the yes to what is no more");
}

#[test]
fn a_proof_that_nobody_knows_or_that_is_only_judged_needs_a_person_at_the_lock() {
    let known = "{text: all tests pass, proof: cargo test}";
    let judged = "{text: it reads well, judge: qa}, {text: it looks right, judge: qa}";
    let cases = [
        (known.to_owned(), None),
        (
            "{text: it is deployed, proof: ./deploy.sh --dry-run}".to_owned(),
            Some(
                "criteria: 1. it is deployed (`./deploy.sh --dry-run` passes)|criterion 1: `./deploy.sh --dry-run` is not a known check",
            ),
        ),
        (
            format!("{known}, {judged}"),
            Some(
                "criteria: 1. all tests pass (`cargo test` passes) 2. it reads well (judged by qa) 3. it looks right (judged by qa)|2 of 3 criteria are judged by qa",
            ),
        ),
        (format!("{known}, {{text: it builds, proof: cargo build}}, {judged}"), None),
    ];
    for (criteria, doubt) in cases {
        let stage = Stage::new();
        let context = of_agent(&stage, AGENT);
        let start = ROUTER.find("acceptance_criteria: [").unwrap() + "acceptance_criteria: [".len();
        let end = ROUTER.find("]\nscope").unwrap();
        let text = format!("{}{criteria}{}", &ROUTER[..start], &ROUTER[end..]);
        make(&context, None, Source { text: &text, name: "router.yaml" }, &mut Vec::new()).unwrap();
        let steps = "steps: 1. Reproduce it 2. Fix it 3. the tests pass (`cargo test` passes)";
        let expected = doubt.and_then(|doubt| doubt.split_once('|')).map_or_else(
            || "not refused".to_owned(),
            |(criteria, why)| wanted(&format!("lock plan fix-the-login, {criteria}; {steps}; {why}"), 1),
        );
        assert_eq!(refusal(lock(&context, None)), expected, "{criteria}");
        stage.answers(AGENT, true);
        assert!(doubt.is_none() || lock(&context, None).is_ok(), "{criteria}");
    }
}

#[test]
fn a_check_that_comes_later_is_one_that_is_known() {
    let (stage, context) = locked();
    let check = |line: &str, folder: &str| Step {
        text: "it works".to_owned(),
        kind: Kind::Check,
        proof: Some(Proof::Passes(Command::new(line, folder))),
        ..Step::default()
    };
    let before = stage.files();
    for (line, folder, expected) in [
        ("./deploy.sh", "", "step 4: `./deploy.sh` is not a known check"),
        (
            "cargo test | tail",
            "",
            "step 4: `cargo test | tail`: no run of this line can prove it: a pipe hides its status",
        ),
        ("cargo test", "crates/x", "step 4: there is no folder crates/x"),
    ] {
        assert_eq!(
            refusal(add(&context, check(line, folder), None)),
            format!("Refused: {expected}\n→ engine evidence lists what counts")
        );
    }
    assert_eq!(stage.files(), before);
    add(&context, check("cargo test --doc", ""), None).unwrap();
    assert_eq!(steps(&context)[3], "- [ ] 4. CHECKPOINT: it works (`cargo test --doc` passes)");
    let start = stored(&context).lock.unwrap().start;
    assert!(start.definitions.contains_key("`cargo test --doc`"), "what defines it is kept then: {start:?}");
}
