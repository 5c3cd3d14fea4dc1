//! Writing, checking and cutting runbooks, and changing one that runs.

use serde_json::json;

use crate::orchestra::{Orchestra, RUNBOOK, masked};
use crate::plan::{stage, told};
use crate::plan_proofs::project;
use crate::stage::{SESSION, Stage};

fn engine(stage: &Stage, args: &[&str]) -> String {
    masked(&told(&stage.engine(&[&["runbook"], args].concat())))
}

#[test]
fn a_new_one_is_filled_in_before_it_is_taken() {
    let stage = stage();
    insta::assert_snapshot!(engine(&stage, &["new", "greet"]), @"");
    insta::assert_snapshot!(engine(&stage, &["new", "greet"]), @"");
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"");
    assert!(!stage.exists("plans/greet/steps") && !stage.exists(".claude/agents"));
    insta::assert_snapshot!(engine(&stage, &["check", "nosuch"]), @"");
    insta::assert_snapshot!(engine(&stage, &["check", "../../etc"]), @"");
    insta::assert_snapshot!(engine(&stage, &["next", "greet"]), @"");
    insta::assert_snapshot!(engine(&stage, &["next"]), @"");
    insta::assert_snapshot!(engine(&stage, &["list"]), @"");
}

#[test]
fn preparing_again_writes_only_what_has_changed() {
    let stage = project();
    stage.write("plans/greet/runbook.md", RUNBOOK);
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet", "--dry-run"]), @"");
    assert!(!stage.exists("plans/greet/steps"));
    stage.ok(&["runbook", "prepare", "greet"]);
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"");
    let tree = stage.tree();
    stage.ok(&["runbook", "prepare", "greet"]);
    let is_ours = |path: &&String| path.contains("/plans/") || path.contains("/.claude/agents/");
    let kept = |tree: &[String]| tree.iter().filter(is_ours).cloned().collect::<Vec<_>>();
    assert_eq!(kept(&stage.tree()), kept(&tree));
    // A step with other words, one less, and another common context.
    let changed =
        RUNBOOK.replace("Write bye.py.", "Write bye.py with care.").replace("with a dot.", "with two dots.");
    let at = changed.find("## Step 1.3").unwrap();
    stage.write("plans/greet/runbook.md", &changed[..at]);
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet", "--diff"]), @"");
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"");
    assert!(stage.exists("plans/greet/steps/step-1-3.md"), "a step is never deleted");
    insta::assert_snapshot!(engine(&stage, &["status", "greet"]), @"");
}

#[test]
fn a_run_that_has_begun_is_changed_by_the_user_only() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let player = play.starts(&task, "haiku", "plans/greet/steps/step-1-1.md");
    // What runs now cannot change.
    let changed = RUNBOOK.replace("Write hello.py.", "Write hello.py again.");
    play.stage.write("plans/greet/runbook.md", &changed);
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"");
    play.stage.write("plans/greet/runbook.md", RUNBOOK);
    play.does(&player, "step-1-1", "hello.py");
    play.told(&["done"]);
    let more = format!("{changed}## Step 1.4: say more\nFiles: more.py (new)\nWrite more.py.\n");
    play.stage.write("plans/greet/runbook.md", &more);
    insta::assert_snapshot!(play.told(&["prepare", "greet"]), @"");
    assert!(!play.stage.exists("plans/greet/steps/step-1-4.md"), "nothing is written");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"");
    play.stage.answer_in(SESSION, "ok 1");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"");
    insta::assert_snapshot!(play.told(&["next"]), @"");
}

#[test]
fn a_runbook_that_was_changed_is_cut_again_before_it_begins() {
    let play = Orchestra::new();
    play.stage.write("plans/greet/runbook.md", &RUNBOOK.replace("Write bye.py.", "Write it."));
    insta::assert_snapshot!(play.told(&["next", "greet"]), @"");
    play.told(&["prepare", "greet"]);
    play.stage
        .hook(&play.stage.event_with("UserPromptSubmit", &json!({"session_id": SESSION, "prompt": "go on"})));
    assert!(play.told(&["next", "greet"]).starts_with("exit 0\n"));
}
