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
    insta::assert_snapshot!(engine(&stage, &["new", "greet"]), @"
    exit 0
    plans/greet/runbook.md is written; fill it in, then: engine runbook check greet
    ");
    insta::assert_snapshot!(engine(&stage, &["new", "greet"]), @"
    exit 1
    engine: plans/greet/runbook.md is there already
      check it: engine runbook check greet
    ");
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"
    exit 1
    engine: the runbook is not taken: 10 errors
    plans/greet/runbook.md:3: <a model> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:4: <a command> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:9: <the goal> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:11: <what is decided> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:17: <when to stop> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:19: <name of the phase> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:21: <what its steps build on> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:23: <what it does> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:25: <its files> is still to be written: put the text in its place, or take the line out
    plans/greet/runbook.md:27: <the work> is still to be written: put the text in its place, or take the line out
    ");
    assert!(!stage.exists("plans/greet/steps") && !stage.exists(".claude/agents"));
    insta::assert_snapshot!(engine(&stage, &["check", "nosuch"]), @"
    exit 3
    engine: there is no folder plans/nosuch
      make one: engine runbook new nosuch
    ");
    insta::assert_snapshot!(engine(&stage, &["check", "../../etc"]), @r#"
    exit 2
    engine: "../../etc" is no runbook: give NAME for plans/NAME/runbook.md
    "#);
    insta::assert_snapshot!(engine(&stage, &["next", "greet"]), @"
    exit 1
    engine: plans/greet is not prepared
      engine runbook prepare greet
    ");
    insta::assert_snapshot!(engine(&stage, &["next"]), @"
    exit 1
    engine: no plan is open here
      make one: engine plan new --from FILE
    ");
    insta::assert_snapshot!(engine(&stage, &["list"]), @"
    exit 0
    greet  not prepared  2 steps  10 errors
    ");
}

#[test]
fn preparing_again_writes_only_what_has_changed() {
    let stage = project();
    stage.write("plans/greet/runbook.md", RUNBOOK);
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet", "--dry-run"]), @"
    exit 0
    new       plans/greet/steps/step-1-1.md
    new       plans/greet/steps/step-1-2.md
    new       plans/greet/steps/step-1-3.md
    new       plans/greet/orchestrator-plan.md
    new       .claude/agents/greet-[SUM]-task.md
    new       .claude/agents/quiet-task.md
    new       .claude/agents/vet-agent.md
    new       .claude/agents/refactor.md
    plans/greet: 4 steps; nothing was written
    ");
    assert!(!stage.exists("plans/greet/steps"));
    stage.ok(&["runbook", "prepare", "greet"]);
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"
    exit 0
    plans/greet: 4 steps; nothing has changed
    then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    ");
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
    let diff = engine(&stage, &["prepare", "greet", "--diff"]);
    let (steps, agents) = diff.split_once("--- .claude/agents/").unwrap();
    assert!(agents.contains("+All greetings end with two dots.\n"), "{agents}");
    insta::assert_snapshot!(steps, @"
    exit 0
    --- plans/greet/steps/step-1-1.md
    +++ plans/greet/steps/step-1-1.md
    @@ -2,7 +2,7 @@
     Execution Model: haiku
     Title: say hello
     Phase: 1
    -Agent: greet-[SUM]-task
    +Agent: greet-[SUM]-task
     Files: hello.py (new)
     Check: pytest
     Report: plans/greet/reports/step-1-1.md
    --- plans/greet/steps/step-1-2.md
    +++ plans/greet/steps/step-1-2.md
    @@ -2,13 +2,13 @@
     Execution Model: sonnet
     Title: say goodbye
     Phase: 1
    -Agent: greet-[SUM]-task
    +Agent: greet-[SUM]-task
     Files: bye.py (new)
     Check: pytest
     Max Turns: 12
     Report: plans/greet/reports/step-1-2.md
    -Source: runbook.md@e18a01a740c9
    +Source: runbook.md@c2f6e3f41dcb
     ---
     # Step 1.2: say goodbye
     
    -Write bye.py.
    +Write bye.py with care.
    --- plans/greet/orchestrator-plan.md
    +++ plans/greet/orchestrator-plan.md
    @@ -1,10 +1,9 @@
     # Orchestrator plan: greet
     Type: general
    -Agents: greet-[SUM]-task
    +Agents: greet-[SUM]-task
     Run: engine runbook next
    -Source: runbook.md@a5d44e2ad3db
    +Source: runbook.md@3c598b972bf4
     
     - step-1-1.md | phase 1 | haiku | –
     - step-1-2.md | phase 1 | sonnet | 12
    -- step-1-3.md | phase 1 | opus | –
     - PHASE_BOUNDARY 1 | vet-agent | reports/phase-1.md
    ");
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"
    exit 0
    refreshed plans/greet/steps/step-1-1.md
    changed   plans/greet/steps/step-1-2.md
    changed   plans/greet/orchestrator-plan.md
    new       .claude/agents/greet-[SUM]-task.md
    replaced  .claude/agents/greet-[SUM]-task.md
    vanished  plans/greet/steps/step-1-3.md
    plans/greet is prepared: 3 steps, agents greet-[SUM]-task
    then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    ");
    assert!(stage.exists("plans/greet/steps/step-1-3.md"), "a step is never deleted");
    insta::assert_snapshot!(engine(&stage, &["status", "greet"]), @"
    exit 0
    plan greet: ready
    1.1    open  say hello                 haiku
    1.2    open  say goodbye               sonnet
    1-vet  open  Review of phase 1: Words  sonnet
    ");
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
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"
    exit 1
    engine: step 1.1 is changed and runs now
      wait until it has ended; its result comes by itself
    ");
    play.stage.write("plans/greet/runbook.md", RUNBOOK);
    play.does(&player, "step-1-1", "hello.py");
    play.told(&["done"]);
    let more = format!("{changed}## Step 1.4: say more\nFiles: more.py (new)\nWrite more.py.\n");
    play.stage.write("plans/greet/runbook.md", &more);
    insta::assert_snapshot!(play.told(&["prepare", "greet"]), @"
    exit 1
    engine: plan greet is running, and its steps would change
    step 1.1 is changed, and is done again: say hello
    step 1.4 is new: say more
    step 1-vet is changed: Review of phase 1: Words
      engine runbook prepare greet --replan; engine asks the user
    ");
    assert!(!play.stage.exists("plans/greet/steps/step-1-4.md"), "nothing is written");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"
    exit 1
    engine: replan greet while it runs: step 1.1 is changed, and is done again: say hello; step 1.4 is new: say more; step 1-vet is changed: Review of phase 1: Words needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    play.stage.answer_in(SESSION, "ok 1");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"
    exit 0
    changed   plans/greet/steps/step-1-1.md
    new       plans/greet/steps/step-1-4.md
    changed   plans/greet/orchestrator-plan.md
    step 1.1 is changed, and is done again: say hello
    step 1.4 is new: say more
    step 1-vet is changed: Review of phase 1: Words
    plans/greet is prepared: 5 steps, agents greet-[SUM]-task
    then: /orchestrate plans/greet in a new session, or engine runbook next greet here
    ");
    insta::assert_snapshot!(play.told(&["next"]), @r#"
    exit 0
    plan greet, running 0/5. Step 1.1: make this call exactly
    Agent(subagent_type: "quiet-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    when its result has come: engine runbook done 1.1
    "#);
}

#[test]
fn a_runbook_that_was_changed_is_cut_again_before_it_begins() {
    let play = Orchestra::new();
    play.stage.write("plans/greet/runbook.md", &RUNBOOK.replace("Write bye.py.", "Write it."));
    insta::assert_snapshot!(play.told(&["next", "greet"]), @"
    exit 1
    engine: the runbook of greet was changed since it was prepared
      engine runbook prepare greet
    ");
    play.told(&["prepare", "greet"]);
    play.stage
        .hook(&play.stage.event_with("UserPromptSubmit", &json!({"session_id": SESSION, "prompt": "go on"})));
    assert!(play.told(&["next", "greet"]).starts_with("exit 0\n"));
}

#[test]
fn a_closed_plan_is_begun_anew_by_the_user_only() {
    let play = Orchestra::of(
        "---\nname: greet\nmodel: haiku\ncheck: pytest\n---\n# Common context\nx\n## Stop conditions\nx\n# Phase 1: By hand {type: inline}\n## Step 1.1: note it\nFiles: NOTES.md (new)\nWrite it.\n",
    );
    play.told(&["next", "greet"]);
    play.stage.write("NOTES.md", "noted\n");
    assert_eq!(crate::plan_proofs::shell(&play.stage, "pytest").code, Some(0));
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 0
    - [x] 1.1. note it (NOTES.md; `pytest` passed)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    ");
    insta::assert_snapshot!(play.told(&["prepare", "greet"]), @"
    exit 1
    engine: plan greet is closed: every step was done
      to run it anew: engine runbook prepare greet --replan; engine asks the user
    ");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--dry-run"]), @"
    exit 0
    all steps of greet are to be done again; every step was done
    plans/greet: 1 step; nothing was written; prepare takes --replan for this
    ");
    insta::assert_snapshot!(play.told(&["prepare", "greet", "--replan"]), @"
    exit 1
    engine: run greet anew; every step was done needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(play.told(&["next", "greet"]), @"
    exit 3
    engine: plan greet is closed
      to run it anew: engine runbook prepare greet --replan; engine asks the user
    ");
}

#[test]
fn what_somebody_else_wrote_is_kept() {
    let stage = project();
    let mine = ".claude/agents/greet-abcdef-task.md";
    stage.write(mine, "---\nname: mine\n---\n");
    stage.write("plans/greet/orchestrator-plan.md", "mine\n");
    stage.write("plans/greet/steps/step-9-9.md", "mine\n");
    stage.write("plans/greet/runbook.md", RUNBOOK);
    let first = engine(&stage, &["prepare", "greet"]);
    let is_kept = |line: &&str| line.contains("is kept as plans/greet/orchestrator-plan.md.edited-");
    assert_eq!(first.lines().filter(is_kept).count(), 1, "{first}");
    assert!(!first.contains("vanished") && !first.contains("replaced"), "{first}");
    // An agent that was changed by hand stays when the next one takes its place.
    let play = Orchestra::around(stage);
    let name = play.agent_of_hash();
    play.stage.write(&format!(".claude/agents/{name}.md"), "changed\n");
    play.stage.write("plans/greet/runbook.md", &RUNBOOK.replace("a dot.", "two dots."));
    let again = play.told(&["prepare", "greet"]);
    assert!(again.contains("was changed by hand, and stays"), "{again}");
    assert_eq!(play.stage.read(mine), "---\nname: mine\n---\n");
    // A file that is gone is written again.
    std::fs::remove_file(play.stage.root().join("plans/greet/steps/step-1-1.md")).unwrap();
    insta::assert_snapshot!(play.told(&["next", "greet"]), @"
    exit 1
    engine: plans/greet/steps/step-1-1.md is gone
      engine runbook prepare greet writes it again
    ");
    play.told(&["prepare", "greet"]);
    assert!(play.told(&["next", "greet"]).starts_with("exit 0\n"));
}

#[test]
fn a_check_that_shows_nothing_is_named_with_everything_else() {
    let stage = project();
    let broken = RUNBOOK.replace("Files: bye.py (new)", "Files: nosuch.py\nCheck: pytest | tail");
    stage.write("plans/greet/runbook.md", &broken);
    insta::assert_snapshot!(engine(&stage, &["check", "greet"]), @"
    exit 1
    plans/greet/runbook.md:14: error: `pytest | tail`: no run of this line can prove it: a pipe hides its status
    plans/greet/runbook.md:16: error: nosuch.py is not there, and no step before makes it: correct the path, or write `nosuch.py (new)`
    ");
}

#[test]
fn a_worktree_without_an_engine_folder_is_another_checkout() {
    let stage = project();
    stage.write("plans/greet/runbook.md", RUNBOOK);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let _ = std::fs::remove_dir_all(tree.join(".engine"));
    for args in [["runbook", "check", "greet"], ["runbook", "prepare", "greet"], ["runbook", "new", "other"]]
    {
        let output = crate::stage::run(stage.command_in(&tree, &args), None);
        let text = stage.masked(&told(&output));
        assert!(text.contains("is a worktree without an .engine/ of its own"), "{text}");
    }
    assert!(!stage.exists("plans/other") && !stage.exists("plans/greet/steps"));
}

/// The record of other work is not written over, open or closed.
#[test]
fn a_plan_of_other_work_keeps_its_name() {
    let stage = project();
    stage.ok(&["plan", "quick", "greet", "--proof", "pytest", "--name", "greet"]);
    stage.write("plans/greet/runbook.md", RUNBOOK);
    let kept = stage.read(".engine/state/plans/greet.json");
    insta::assert_snapshot!(engine(&stage, &["prepare", "greet"]), @"
    exit 1
    engine: there is a plan greet already that is of no runbook
      give the runbook another name: its folder below plans/
    ");
    assert_eq!(stage.read(".engine/state/plans/greet.json"), kept);
}

#[test]
fn problems_are_data_where_a_program_asks() {
    let stage = project();
    stage.write(
        "plans/greet/runbook.md",
        &RUNBOOK.replace("model: haiku\n", "").replace("Write bye.py.", "…"),
    );
    insta::assert_snapshot!(engine(&stage, &["check", "greet", "--json"]), @r#"
    exit 1
    {"name":"greet","problems":[{"line":10,"path":"plans/greet/runbook.md","severity":"error","text":"step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)"},{"line":17,"path":"plans/greet/runbook.md","severity":"error","text":"… is still to be written: put the text in its place, or take the line out"}],"steps":4,"version":1}
    "#);
}
