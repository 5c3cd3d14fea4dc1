//! Quick plans with the real client: from one call to the close at the end of the turn, what the person is shown, and `/do!`.

use engine_testkit::{Bench, Kind, Run, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, ask, bench, engine, last};
use crate::real_do::{Call, bash, edit, play, received};

const QUICK: &str = "engine plan quick 'mend src.txt' --proof 'make test'";

fn project() -> Bench {
    let bench = bench(&[]);
    bench.write("Makefile", "test:\n\t@grep -q b src.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    bench.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **Mend it** — `/do`\n").unwrap();
    bench.commit_all("begin").unwrap();
    bench
}

fn read() -> Call {
    ("Read", json!({"file_path": "${PROJECT}/src.txt"}))
}

/// The model is told once in a turn what is open.
fn reminded() -> Turn {
    Turn::new("reminded").kind(Kind::Main).last_contains("is open:").text("It waits.")
}

/// What the person is shown at the ends of turns.
fn shown(run: &Run) -> String {
    let stops = run.hook_responses().into_iter().filter(|response| response.event == "Stop");
    let line = |stdout: String| {
        serde_json::from_str::<Value>(&stdout).ok()?["systemMessage"].as_str().map(str::to_owned)
    };
    // How long ago it was depends on the machine.
    let timeless = |line: String| {
        let failed = "; last check: make test failed";
        let end = line.find(failed).map_or(line.len(), |at| at + failed.len());
        format!("{}\n", &line[..end])
    };
    stops.filter_map(|response| line(response.stdout)).map(timeless).collect()
}

fn kept(bench: &Bench) -> Value {
    serde_json::from_str(&bench.read(".engine/state/plans/mend-src-txt.json").unwrap()).unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_quick_plan_from_the_prompt_to_its_close() {
    let bench = project();
    engine(&bench, &["task", "start", "Mend it"]);
    let calls = [read(), bash(QUICK), edit("a", "b"), bash("make test")];
    let run = ask(&bench, play(Scenario::new(), "mend it", &calls, "Mended."), "mend it", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    let requests = run.record.of(Kind::Main);
    insta::assert_snapshot!(received(&bench, &requests), @"
    $ Read src.txt
    $ Bash engine plan quick 'mend src.txt' --proof 'make test'
    plan mend-src-txt is locked: it is done when `make test` passes
    it closes itself at the end of the turn if that passed after the last change; 3 files and 60 lines may change
    $ Edit b
    $ Bash make test
    ");
    // One call of ours, and nothing after the check: plan, edit, check, end.
    assert_eq!(requests.len(), 5, "{:?}", run.record.turns());
    insta::assert_snapshot!(shown(&run), @"plan mend-src-txt is done: make test passed after the last edit; 1 file, +1 −1; Mend it: done");
    assert!(kept(&bench)["closed"].is_object());
    assert!(bench.read("session.md").unwrap().contains("[x] **Mend it**"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_red_check_at_the_end_is_told_to_the_person() {
    let bench = project();
    let calls = [read(), bash(QUICK), edit("a", "c"), bash("make test")];
    let scenario = play(Scenario::new().turn(reminded()), "mend it", &calls, "All done!");
    let run = ask(&bench, scenario, "mend it", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("It waits."), "{:?}", run.record.turns());
    insta::assert_snapshot!(shown(&run), @"
    plan mend-src-txt is not done: make test has not passed since the last edit; last check: make test failed
    plan mend-src-txt is not done: make test has not passed since the last edit; last check: make test failed
    ");
    insta::assert_snapshot!(last(&run).contexts("Stop").join("\n"), @"
    engine: plan mend-src-txt is open:
    - make test has not passed since the last edit; once it has, the plan closes itself
    Ending the turn is right if it waits for the user.
    ");
    assert!(kept(&bench)["closed"].is_null());
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_shell_edit_after_the_pass_keeps_it_open() {
    let bench = project();
    bench.write("gen.sh", "echo b > src.txt; echo more >> Makefile\n").unwrap();
    bench.commit_all("more").unwrap();
    let calls = [read(), bash(QUICK), edit("a", "b"), bash("make test"), bash("sh gen.sh")];
    let scenario = play(Scenario::new().turn(reminded()), "mend it", &calls, "All done!");
    let run = ask(&bench, scenario, "mend it", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("It waits."), "{:?}", run.record.turns());
    insta::assert_snapshot!(shown(&run), @"
    plan mend-src-txt is not done: changed since make test passed: Makefile. Run it again: engine check -- make test
    plan mend-src-txt is not done: changed since make test passed: Makefile. Run it again: engine check -- make test
    ");
    insta::assert_snapshot!(last(&run).contexts("Stop").join("\n"), @"
    engine: plan mend-src-txt is open: changed since `make test` passed: Makefile. Run it again: engine check -- make test
    Ending the turn is right if it waits for the user.
    ");
    assert!(kept(&bench)["closed"].is_null());
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn four_files_halt_it() {
    let bench = project();
    let write =
        |name: &str| ("Write", json!({"file_path": format!("${{PROJECT}}/{name}"), "content": "x\n"}));
    let calls = [
        bash(QUICK),
        write("one.txt"),
        write("two.txt"),
        bash("echo x > three.txt; echo x > four.txt"),
        bash("echo x > five.txt"),
    ];
    let run = ask(&bench, play(Scenario::new(), "mend it", &calls, "I may not."), "mend it", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("I may not."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Bash engine plan quick 'mend src.txt' --proof 'make test'
    plan mend-src-txt is locked: it is done when `make test` passes
    it closes itself at the end of the turn if that passed after the last change; 3 files and 60 lines may change
    $ Write one.txt
    $ Write two.txt
    $ Bash echo x > three.txt; echo x > four.txt
    PostToolUse:Bash: engine: plan mend-src-txt is halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines. Nothing is changed now. Ways out: engine plan new --lock with a full plan, which takes its place; engine plan resume: engine asks the user; after their ok the same command goes on, and engine plan close ends the plan
    $ Bash echo x > five.txt
    PreToolUse:Bash hook error: engine rule plan: plan mend-src-txt is halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines. Nothing is changed now. Ways out: engine plan new --lock with a full plan, which takes its place; engine plan resume: engine asks the user; after their ok the same command goes on, and engine plan close ends the plan
    ");
    insta::assert_snapshot!(shown(&run), @"plan mend-src-txt is halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines; changed, and no check has run");
    assert!(bench.read("five.txt").is_err());
}

/// The client sends it as text and expands nothing.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn do_with_a_sign_is_carried_out() {
    let bench = project();
    let calls = [read(), edit("a", "b"), bash(QUICK), edit("a", "b"), bash("make test")];
    let scenario = play(Scenario::new(), "asks for a quick plan", &calls, "Mended.");
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("/do! mend src.txt, it should say b").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    let requests = run.record.of(Kind::Main);
    insta::assert_snapshot!(requests[0].prompt_text(), @"/do! mend src.txt, it should say b");
    insta::assert_snapshot!(requests[0].contexts("UserPromptSubmit").join("\n"), @r#"
    engine: /do! asks for a quick plan. Until it is made nothing is changed: engine plan quick "WHAT IS DONE" --proof "CMD", where CMD is a check of this project. After that: the change, then CMD. At the end of the turn the plan closes itself if CMD passed after the last change; 3 files and 60 lines may change.
    Checks of this project: `make test`.
    "#);
    insta::assert_snapshot!(received(&bench, &requests), @r#"
    $ Read src.txt
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: /do! changes nothing before its plan is locked, and there is none. Run: engine plan quick "WHAT IS DONE" --proof "CMD", where CMD is a check of this project
    $ Bash engine plan quick 'mend src.txt' --proof 'make test'
    plan mend-src-txt is locked: it is done when `make test` passes
    it closes itself at the end of the turn if that passed after the last change; 3 files and 60 lines may change
    $ Edit b
    $ Bash make test
    "#);
    insta::assert_snapshot!(shown(&run), @"plan mend-src-txt is done: make test passed after the last edit; 1 file, +1 −1");
    assert_eq!(
        kept(&bench)["original_fragment"].as_str().or(kept(&bench)["originalFragment"].as_str()),
        Some("mend src.txt, it should say b")
    );
}

/// An ordinary plan: the change begins the step, the check ends both steps, and one call closes it.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn steps_of_an_ordinary_plan_move_by_themselves() {
    let bench = project();
    let plan = crate::real_do::PLAN.replace("plan_mode: true", "plan_mode: false");
    let calls = [
        bash(&format!("engine plan new --lock --from - <<'EOF'\n{plan}EOF")),
        read(),
        edit("a", "b"),
        bash("make test"),
        bash("engine plan close"),
    ];
    let run = ask(&bench, play(Scenario::new(), "mend it", &calls, "Mended."), "mend it", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Bash engine plan new --lock --from - <<'EOF'
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    1. the test passes (`make test` passes)
    then: step 1 begins with its first change
    $ Read src.txt
    $ Edit b
    $ Bash make test
    PostToolUse:Bash: engine: plan fix-the-failing-test: steps 1, 2 are done; next: engine plan close
    $ Bash engine plan close
    plan fix-the-failing-test is closed; plans/fix-the-failing-test/PLAN.md

    plan fix-the-failing-test: 2 of 2 steps done
    - [x] 1. Mend src.txt
    ");
}
