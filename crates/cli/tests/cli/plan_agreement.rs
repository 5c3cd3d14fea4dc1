//! What is agreed on at the lock of a plan, and who decides where no command does: `qa`, a person, or a person about a changed agreement.

use serde_json::json;

use crate::plan::{new, plan, told};
use crate::plan_proofs::{PYTEST, made, passes, project, router, shell, shell_of, step, verify, worked};
use crate::plan_review::starts;

/// Attack 12: what a script does is part of the agreement.
#[test]
fn a_check_that_was_redefined_needs_a_person() {
    let stage = worked(&["text: all tests pass, proof: npm test"], &[]);
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(shell(&stage, "npm test").code, Some(1));
    passes(&stage, "echo '{\"scripts\": {\"test\": \"true\"}}' > package.json; npm test");
    insta::assert_snapshot!(verify(&stage, "1"), @r#"
    exit 1
    engine: criterion 1: what `npm test` does was changed since the lock: package.json
      put it back as it was; or add --user-approved "why", and engine asks the user
    "#);
    passes(&stage, "npm test");
    insta::assert_snapshot!(verify(&stage, "1"), @r#"
    exit 1
    engine: criterion 1: what `npm test` does was changed since the lock: package.json
      put it back as it was; or add --user-approved "why", and engine asks the user
    "#);
    let approved = ["verify", "1", "--user-approved", "the tests moved"];
    insta::assert_snapshot!(told(&plan(&stage, &approved)), @"
    exit 1
    engine: accept the proof of criterion 1 of plan fix-the-login: what `npm test` does was changed since the lock: package.json needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    // No other part of the file counts.
    stage.write("package.json", "{\"name\": \"x\", \"scripts\": {\"test\": \"pytest\"}}\n");
    stage.write("tests/test_a.py", "fine\n");
    passes(&stage, "npm test");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `npm test` passed
    ");
    stage.write("package.json", "{\"scripts\": {\"test\": \"true\"}}\n");
    passes(&stage, "npm test");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    criterion 1 is not shown any more: what `npm test` does was changed since the lock: package.json
      or engine plan close --user-approved "why"; engine asks the user
    "#);
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&plan(&stage, &approved)), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `npm test` passes, as a person accepted
    ");
    stage.ok(&["plan", "close"]);
}

#[test]
fn what_was_red_at_the_lock_does_not_refuse() {
    let stage = made(&["text: the api works, proof: pytest, in: packages/api"], &[]);
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    insta::assert_snapshot!(told(&plan(&stage, &["lock"])), @"
    exit 0
    plan fix-the-login is locked: 1 step, 1 criterion
    1. the api works (`pytest` in packages/api passes)
    red before the work: `pytest`
    then: step 1 begins with its first change
    ");
    step(&stage, "1");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    passes(&stage, "cd packages/api && pytest");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. the api works
       met [DAY] [TIME]: `pytest` in packages/api passed
    ");
    stage.ok(&["plan", "close"]);
}

#[test]
fn qa_judges_and_the_main_agent_does_not() {
    let stage = worked(
        &[PYTEST, "text: the page reads well, judge: qa"],
        &["text: \"CHECKPOINT: the design holds\", judge: qa"],
    );
    let why = "engine plan verify 2 --why 'read it aloud'";
    insta::assert_snapshot!(told(&shell(&stage, why)), @r#"
    exit 1
    engine: criterion 2 is judged by the agent qa: the page reads well
      start the agent qa; it runs: engine plan verify 2 --why "what was seen"
    "#);
    insta::assert_snapshot!(told(&shell_of(&stage, why, "", Some("general-purpose"))), @r#"
    exit 1
    engine: criterion 2 is judged by the agent qa: the page reads well
      start the agent qa; it runs: engine plan verify 2 --why "what was seen"
    "#);
    starts(&stage, "qa", "Judge it.");
    insta::assert_snapshot!(told(&shell_of(&stage, "engine plan verify 2", "", Some("qa"))), @r#"
    exit 2
    engine: what was looked at is missing: engine plan verify 2 --why "…"
    "#);
    insta::assert_snapshot!(told(&shell_of(&stage, why, "", Some("qa"))), @"
    exit 0
    2. the page reads well
       judged by qa [DAY] [TIME]: read it aloud
    ");
    stage.ok(&["plan", "step", "start", "2"]);
    let done = "engine plan step done 2";
    insta::assert_snapshot!(told(&shell(&stage, done)), @"
    exit 1
    engine: step 2 is judged by the agent qa: the design holds
      start the agent qa; it runs: engine plan step done 2
    ");
    insta::assert_snapshot!(told(&shell_of(&stage, done, "", Some("qa"))), @"
    exit 0
    - [x] 2. CHECKPOINT: the design holds (judged by qa)
    all steps are done; then: engine plan close
    ");
    passes(&stage, "pytest");
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `pytest` passed
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["report"])), @"
    exit 0
    plan fix-the-login: 2 of 2 steps done
    - [x] 1. Do it (no edit was seen)
    - [x] 2. CHECKPOINT: the design holds (judged by qa)

    Criteria:
    1. all tests pass (`pytest` passes)
       met [DAY] [TIME]: `pytest` passed
    2. the page reads well (judged by qa)
       judged by qa [DAY] [TIME]: read it aloud
    ");
    stage.ok(&["plan", "close"]);
}

/// A call of `qa` that was denied never ends. It is not the one that runs.
#[test]
fn a_call_of_qa_that_was_denied_judges_nothing() {
    let stage = worked(&[PYTEST, "text: the page reads well, judge: qa"], &[]);
    let why = "engine plan verify 2 --why 'read it aloud'";
    let mut event = stage.bash(why);
    (event["agent_id"], event["agent_type"]) = (json!("a1"), json!("qa"));
    stage.hook(&event).assert_silent();
    assert_eq!(shell(&stage, why).code, Some(1));
}

#[test]
fn a_person_judges_what_only_they_see() {
    let stage = worked(&["text: the page looks right, judge: person"], &[]);
    let judge = ["verify", "1", "--why", "they looked"];
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @r#"
    exit 1
    engine: every criterion of plan fix-the-login is judged
      engine plan verify N --why "what was looked at"
    "#);
    insta::assert_snapshot!(told(&plan(&stage, &judge)), @"
    exit 1
    engine: accept criterion 1 of plan fix-the-login as met: the page looks right needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("it looks right");
    assert_eq!(plan(&stage, &judge).code, Some(1), "words are no answer");
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&plan(&stage, &judge)), @"
    exit 0
    1. the page looks right
       judged by a person [DAY] [TIME]: they looked
    ");
    stage.ok(&["plan", "close"]);
    // In a terminal of their own nobody is asked.
    let other = worked(&["text: the page looks right, judge: person"], &[]);
    insta::assert_snapshot!(told(&other.at_terminal(&["plan", "verify", "1"])), @"
    exit 0
    1. the page looks right
       judged by a person [DAY] [TIME]
    ");
}

#[test]
fn what_passed_before_the_work_is_said() {
    let stage = made(&[PYTEST, "text: the api works, proof: pytest, in: packages/api"], &[]);
    passes(&stage, "pytest");
    stage.ok(&["plan", "lock"]);
    step(&stage, "1");
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 1
    engine: criterion 1: `pytest` was not run since the lock: engine check -- pytest
    criterion 2: `pytest` in packages/api was not run since the lock: engine check --in 'packages/api' -- pytest
      engine evidence lists what ran
    ");
    passes(&stage, "pytest && cd packages/api && pytest");
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `pytest` passed; passed before the work too
    2. the api works
       met [DAY] [TIME]: `pytest` in packages/api passed
    ");
}

#[test]
fn a_lock_with_proofs_that_say_little_needs_a_person() {
    for criteria in [
        &["text: it is deployed, proof: ./deploy.sh"][..],
        &[PYTEST, "text: it reads well, judge: qa", "text: it looks right, judge: qa"],
    ] {
        let stage = made(criteria, &[]);
        let asked = told(&plan(&stage, &["lock"]));
        if criteria.len() == 1 {
            insta::assert_snapshot!(asked, @"
            exit 1
            engine: lock plan fix-the-login, criteria: 1. it is deployed (`./deploy.sh` passes); steps: 1. Do it; criterion 1: `./deploy.sh` is not a known check needs a person: approval 1
              engine asks the person, who types ok 1 or no 1; wait for it
              after a yes the same command counts once, until that turn ends
              or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
            ");
        } else {
            insta::assert_snapshot!(asked.lines().nth(1).unwrap(), @"engine: lock plan fix-the-login, criteria: 1. all tests pass (`pytest` passes) 2. it reads well (judged by qa) 3. it looks right (judged by qa); steps: 1. Do it; 2 of 3 criteria are judged by qa needs a person: approval 1");
        }
        stage.answer("ok 1");
        stage.ok(&["plan", "lock"]);
    }
    let stage = made(&[PYTEST, "text: it reads well, judge: qa"], &[]);
    insta::assert_snapshot!(told(&plan(&stage, &["lock"])), @"
    exit 0
    plan fix-the-login is locked: 1 step, 2 criteria
    1. all tests pass (`pytest` passes)
    2. it reads well (judged by qa)
    then: step 1 begins with its first change
    ");
}

#[test]
fn a_proof_that_no_run_can_give_is_refused() {
    let stage = project();
    let text = router(
        &[
            "text: one, proof: pytest | tail -1",
            "text: two, proof: pytest || true",
            "text: three, proof: pytest; true",
            "text: four, proof: pytest &",
            "text: five, proof: pytest, in: nowhere",
            "text: six, fails: \"pytest | tail\"",
        ],
        &[],
    );
    insta::assert_snapshot!(told(&new(&stage, &text)), @"
    exit 1
    engine: the plan is not taken: 6 problems
    criterion 1: `pytest | tail -1`: no run of this line can prove it: a pipe hides its status
    criterion 2: `pytest || true`: no run of this line can prove it: || hides its status
    criterion 3: `pytest; true`: no run of this line can prove it: other commands run after it
    criterion 4: `pytest &`: no run of this line can prove it: it runs in the background
    criterion 5: there is no folder nowhere
    criterion 6: `pytest | tail`: no run of this line can prove it: a pipe hides its status
    ");
}
