//! The stages of the plans in plans/: `engine plans`, STATUS, and the command that `x` gives.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use engine_core::runbook::{Baselines, Facts, Source, files, read};
use serde_json::{Value, json};

use crate::stage::Stage;

const REVIEW: &str = "---\nCritical: 0\nMajor: 1\nMinor: 0\n---\n## Major\n1. D2\n";
const RUNBOOK: &str = "---\nmodel: haiku\ncheck: make\n---\n# Common context\n\n## Stop conditions\n\nNone of the files is there.\n\n# Phase 1: Parser\n\n## Step 1.1: read\n\nFiles: src/a.rs (new)\n\nRead it.\n\n## Step 1.2: write\n\nFiles: src/b.rs (new)\n\nWrite it.\n";

/// The plan object of a runbook, with its steps in these states.
fn write_state(stage: &Stage, plan: &str, states: &[&str], fields: &Value) {
    let step = |(index, state): (usize, &&str)| json!({"number": format!("1.{}", index + 1), "state": state});
    let steps: Vec<Value> = states.iter().enumerate().map(step).collect();
    let mut object = json!({"version": 4, "name": plan, "conduct": "delegate", "steps": steps});
    for (key, value) in fields.as_object().unwrap() {
        object[key] = value.clone();
    }
    stage.write(&format!(".engine/state/plans/{plan}.json"), &object.to_string());
}

/// Writes what a runbook is cut into, and its plan object.
fn prepare(stage: &Stage, plan: &str, text: &str) {
    let (folder, tiers) = (format!("plans/{plan}"), ["haiku", "sonnet", "opus"].map(str::to_owned));
    let path = format!("{folder}/runbook.md");
    let exists = |path: &str| stage.exists(path);
    let facts = Facts { folder: &folder, tiers: &tiers, exists: &exists, design: None, recall: None };
    let reading = read(&[Source { path: &path, text }], &facts);
    assert_eq!(reading.problems, []);
    for file in files(&reading.runbook, &Baselines { task: "", tdd: "", folder: ".claude/agents" }) {
        stage.write(&file.path, &file.text);
    }
    write_state(
        stage,
        plan,
        &["open", "open", "open"],
        &json!({"runbook": {"sum": reading.runbook.fingerprint}}),
    );
}

/// A file that was written some minutes ago.
fn write_earlier(stage: &Stage, path: &str, text: &str) {
    stage.write(path, text);
    let file = fs::OpenOptions::new().write(true).open(stage.root().join(path)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_mins(5)).unwrap();
}

/// A project in which each plan is called by its stage.
fn with_plans() -> Stage {
    let stage = Stage::new();
    stage.write("plans/briefed/brief.md", "Build it.");
    stage.write("plans/required/requirements.md", "R1: it is built.");
    stage.write("plans/drafted/design.md", "# Design\n");
    write_earlier(&stage, "plans/outdated/reports/design-review.md", REVIEW);
    stage.write("plans/outdated/design.md", "# Design\n");
    stage.write("plans/criticised/design.md", "# Design\n");
    stage.write("plans/criticised/reports/design-review.md", &REVIEW.replace("Critical: 0", "Critical: 2"));
    for (plan, front) in [("designed", ""), ("test-first", "---\ntests: first\n---\n")] {
        stage.write(&format!("plans/{plan}/design.md"), &format!("{front}# Design\n"));
        stage.write(&format!("plans/{plan}/reports/design-review.md"), REVIEW);
    }
    let halt = json!([{"kind": "manual", "reason": "A or B?", "at": "2026-11-15T10:00:00Z"}]);
    let closed = json!({"closed": {"at": "2026-11-15T11:00:00Z"}});
    for (plan, states, fields) in [
        ("at-work", ["done", "active"], json!({})),
        ("waiting", ["done", "failed"], json!({"halts": halt})),
        ("built", ["done", "done"], json!({})),
        ("left", ["done", "open"], closed.clone()),
        ("delivered", ["done", "done"], closed),
    ] {
        stage.write(&format!("plans/{plan}/runbook.md"), RUNBOOK);
        write_state(&stage, plan, &states, &fields);
    }
    stage.write("plans/planned/runbook.md", RUNBOOK);
    stage.write(
        "plans/faulty/runbook.md",
        &RUNBOOK.replace("model: haiku\n", "").replace("Files: src/b.rs (new)", "Needs: 7.1"),
    );
    for plan in ["ready", "stale", "cut-off"] {
        stage.write(&format!("plans/{plan}/runbook.md"), RUNBOOK);
        prepare(&stage, plan, RUNBOOK);
    }
    stage.write("plans/stale/runbook.md", &format!("{RUNBOOK}\nMore.\n"));
    // One step file is of another text.
    stage.write("plans/cut-off/steps/step-1-2.md", "---\nSource: runbook.md@0123456789ab\n---\n");
    // In another clone there is no plan object.
    stage.write("plans/cloned/runbook.md", RUNBOOK);
    prepare(&stage, "cloned", RUNBOOK);
    stage.write("plans/reported/runbook.md", RUNBOOK);
    prepare(&stage, "reported", RUNBOOK);
    for plan in ["cloned", "reported"] {
        fs::remove_file(stage.root().join(format!(".engine/state/plans/{plan}.json"))).unwrap();
    }
    for step in ["step-1-1", "step-1-2"] {
        stage.write(&format!("plans/reported/reports/{step}.md"), "---\nStatus: done\n---\n");
    }
    stage.write("plans/reported/reports/phase-1.md", REVIEW);
    stage.write("plans/broken/runbook.md", RUNBOOK);
    stage.write(".engine/state/plans/broken.json", "{");
    // None of these is a plan.
    stage.write("plans/steps-alone/steps/step-1-1.md", "# Step");
    stage.write("plans/page-alone/PLAN.md", "# Plan");
    write_state(&stage, "page-alone", &["open"], &json!({}));
    stage.write("plans/README.md", "mine");
    stage.write("plans/Not A Plan/brief.md", "mine");
    fs::create_dir(stage.root().join("plans/empty")).unwrap();
    fs::create_dir_all(stage.root().join("../elsewhere")).unwrap();
    fs::write(stage.root().join("../elsewhere/brief.md"), "theirs").unwrap();
    symlink("../../elsewhere", stage.root().join("plans/linked")).unwrap();
    stage.write("plans/own/notes.md", "mine");
    symlink("../../../elsewhere/brief.md", stage.root().join("plans/own/brief.md")).unwrap();
    stage
}

#[test]
fn plans_are_listed_with_stage_and_next_command() {
    let stage = with_plans();
    stage.write(
        "session.md",
        "## Pending Tasks\n- [ ] **Brief** — `/design plans/briefed`\n- [x] **Old** — `/design plans/drafted`\n- [!] **Run it** — `/orchestrate plans/at-work`\n",
    );
    insta::assert_snapshot!(stage.ok(&["plans"]), @r"
    at-work     running 1/2                                                    /orchestrate plans/at-work
    briefed     briefed                                                        /design plans/briefed
    broken      halted: damaged (EOF while parsing an object at line 1 colum…  engine doctor                                no task
    built       built                                                          engine plan close --plan built               no task
    cloned      planned                                                        engine runbook prepare cloned                no task
    criticised  designed, not reviewed                                         /design plans/criticised                     no task
    cut-off     planned, stale                                                 engine runbook prepare cut-off               no task
    designed    designed                                                       /plan-adhoc plans/designed                   no task
    drafted     designed, not reviewed                                         /design plans/drafted                        no task
    faulty      planned (3 errors)                                             engine runbook prepare faulty                no task
    outdated    designed, not reviewed                                         /design plans/outdated                       no task
    own         cannot be read: brief.md: it is a link that leads out of the…  /design plans/own                            no task
    planned     planned                                                        engine runbook prepare planned               no task
    ready       ready                                                          /orchestrate plans/ready                     no task
    required    briefed                                                        /design plans/required                       no task
    stale       planned, stale                                                 engine runbook prepare stale                 no task
    test-first  designed                                                       /plan-tdd plans/test-first                   no task
    waiting     halted: A or B?                                                answer, then: engine runbook resume waiting  no task
    ");
    insta::assert_snapshot!(stage.ok(&["plans", "--all"]).lines().filter(|line| line.ends_with("delivered") || line.ends_with("abandoned")).collect::<Vec<_>>().join("\n"), @r"
    delivered   delivered
    left        abandoned
    reported    delivered
    ");
    let plans = stage.engine(&["plans", "--all", "--json"]).json();
    assert_eq!(plans["leftOut"], 0);
    insta::assert_snapshot!(plans["plans"][0].to_string(), @r#"{"model":"haiku","name":"at-work","next":"/orchestrate plans/at-work","restart":false,"stage":"running 1/2","task":"Run it","withoutTask":false}"#);
    let none = Stage::new().engine(&["plans"]);
    assert_eq!((none.code, &*none.stdout, &*none.stderr), (Some(0), "", "no plan is at work in plans/\n"));
}

#[test]
fn status_has_the_command_of_the_stage_and_counts_plans_without_a_task() {
    let stage = with_plans();
    stage.write(
        "session.md",
        "## Pending Tasks\n- [>] **Run it** — `/plan-adhoc plans/at-work` | sonnet\n- [>] **Wait** — `/orchestrate plans/waiting` | haiku\n\
         - [>] **Deliver** — `/orchestrate plans/delivered` | opus | restart\n- [>] **Other** — `/fix plans/drafted`\n\
         - [ ] **Plan it** — `/design plans/designed, /plan-tdd and /orchestrate` | opus\n- [ ] **More** — `/plan-adhoc plans/briefed`\n",
    );
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    In progress: Run it
      `/orchestrate plans/at-work` (written: `/plan-adhoc plans/at-work`)
      Plan: at-work, running 1/2
      Model: haiku | Restart: no

    In progress: Wait
      `/orchestrate plans/waiting`
      Plan: waiting, halted: A or B?
      Model: haiku | Restart: no

    In progress: Deliver
      none is left (written: `/orchestrate plans/delivered`)
      Plan: delivered, delivered
      Model: opus | Restart: no

    In progress: Other
      `/fix plans/drafted`
      Model: sonnet | Restart: no

    Next: Plan it
      `/plan-tdd plans/designed and /orchestrate` (written: `/design plans/designed, /plan-tdd and /orchestrate`)
      Plan: designed, designed
      Model: sonnet | Restart: no

    Pending:
    - More

    Plans without a task: 13; list them: engine plans

    Plan: at-work, 1 of 2 steps
    Plan: built, 2 of 2 steps
    Plan: cut-off, 0 of 3 steps
    Plan: and 4 more: engine plan list
    ");
    let status = stage.engine(&["status", "--json"]).json();
    insta::assert_snapshot!(status["next"]["plan"], @r#"{"command":"/plan-tdd plans/designed and /orchestrate","model":"sonnet","name":"designed","restart":false,"stage":"designed"}"#);
    insta::assert_snapshot!(status["plansWithoutTask"], @r#"["broken","built","cloned","criticised","cut-off","faulty","outdated","own","planned","ready","required","stale","test-first"]"#);
    // The shortcut says the same.
    let told = stage.hook(&stage.prompt("s")).context();
    assert!(told.ends_with(status["text"].as_str().unwrap()), "{told}");
}

#[test]
fn x_and_r_give_the_command_of_the_stage() {
    let stage = Stage::new();
    let task = |line: &str| stage.write("session.md", &format!("## Pending Tasks\n- {line}\n"));
    let typed = |prompt: &str| stage.hook(&stage.prompt(prompt)).context();
    stage.write("plans/foo/design.md", "# Design\n");
    stage.write("plans/foo/reports/design-review.md", REVIEW);
    task("[ ] **Design foo** — `/design plans/foo` | opus");
    insta::assert_snapshot!(typed("x"), @r"
    [SHORTCUT: #execute] The user typed x. Task: Design foo (pending, now marked as in progress)
    Command: `/plan-adhoc plans/foo` (written: `/design plans/foo`)
    Plan: foo, designed
    Model: sonnet | Restart: no
    When it is done: engine task done 'Design foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    insta::assert_snapshot!(typed("r"), @r"
    [SHORTCUT: #resume] The user typed r. Task: Design foo (in progress, resumed)
    Command: `/plan-adhoc plans/foo` (written: `/design plans/foo`)
    Plan: foo, designed
    Model: sonnet | Restart: no
    When it is done: engine task done 'Design foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    // What was written follows.
    stage.write("plans/foo/runbook.md", RUNBOOK);
    task("[ ] **Run foo** — `/orchestrate plans/foo` | haiku | restart");
    insta::assert_snapshot!(typed("x"), @r"
    [SHORTCUT: #execute] The user typed x. Task: Run foo (pending, now marked as in progress)
    Command: `engine runbook prepare foo` (written: `/orchestrate plans/foo`)
    Plan: foo, planned; the written command follows
    Model: sonnet | Restart: no
    When the written command is done, too: engine task done 'Run foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    write_state(&stage, "foo", &["done", "active"], &json!({}));
    task("[ ] **Plan foo** — `/plan-adhoc plans/foo` | opus | restart");
    insta::assert_snapshot!(typed("x"), @r"
    [SHORTCUT: #execute] The user typed x. Task: Plan foo (pending, now marked as in progress)
    Command: `/orchestrate plans/foo` (written: `/plan-adhoc plans/foo`)
    Plan: foo, running 1/2
    Model: haiku | Restart: no
    When it is done: engine task done 'Plan foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    let halt = json!([{"kind": "manual", "reason": "A or B?", "at": "2026-11-15T10:00:00Z"}]);
    write_state(&stage, "foo", &["done", "failed"], &json!({"halts": halt}));
    insta::assert_snapshot!(typed("r"), @r"
    [SHORTCUT: #resume] The user typed r. Task: Plan foo (in progress, resumed)
    Command: `/orchestrate plans/foo` (written: `/plan-adhoc plans/foo`)
    Plan: foo, halted: A or B?; it goes on when the user has answered: engine runbook resume foo
    Model: haiku | Restart: no
    When it is done: engine task done 'Plan foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    write_state(&stage, "foo", &["done", "done"], &json!({"closed": {"at": "2026-11-15T11:00:00Z"}}));
    insta::assert_snapshot!(typed("r"), @r"
    [SHORTCUT: #resume] The user typed r. Task: Plan foo (in progress, resumed)
    Command: none is left (written: `/plan-adhoc plans/foo`)
    Plan: foo, delivered
    Model: opus | Restart: no
    When it is done: engine task done 'Plan foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
}

#[test]
fn a_prepared_plan_is_run_and_a_changed_one_prepared_again() {
    let stage = Stage::new();
    stage.write("plans/foo/runbook.md", RUNBOOK);
    prepare(&stage, "foo", RUNBOOK);
    let task = |line: &str| stage.write("session.md", &format!("## Pending Tasks\n- {line}\n"));
    task("[ ] **Plan foo** — `/plan-adhoc plans/foo` | sonnet");
    stage.hook(&stage.prompt("hello"));
    let ready = stage.hook(&stage.prompt("x")).json();
    insta::assert_snapshot!(ready["hookSpecificOutput"]["additionalContext"].as_str().unwrap(), @r"
    [SHORTCUT: #execute] The user typed x. Task: Plan foo (pending, now marked as in progress)
    Command: `/orchestrate plans/foo` (written: `/plan-adhoc plans/foo`)
    Plan: foo, ready
    Model: haiku | Restart: yes
    When it is done: engine task done 'Plan foo'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    insta::assert_snapshot!(ready["systemMessage"].as_str().unwrap(), @r"engine: Plan foo wants a new session, and this one has had 1 prompt");
    stage.write("plans/foo/runbook.md", &format!("{RUNBOOK}\nMore.\n"));
    insta::assert_snapshot!(stage.hook(&stage.prompt("s")).context(), @r"
    [SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:

    In progress: Plan foo
      `engine runbook prepare foo` (written: `/plan-adhoc plans/foo`)
      Plan: foo, planned, stale
      Model: sonnet | Restart: no
    ");
}

#[test]
fn a_chain_goes_on_where_its_plan_is() {
    let stage = Stage::new();
    for skill in ["design", "plan-adhoc", "orchestrate", "handoff", "commit"] {
        stage.write(
            &format!(".claude/skills/{skill}/SKILL.md"),
            "---\ndescription: x\ncontinuation:\n  cooperative: true\n---\n",
        );
    }
    let task = |line: &str| stage.write("session.md", &format!("## Pending Tasks\n- {line}\n"));
    stage.write("plans/foo/design.md", "# Design\n");
    stage.write("plans/foo/reports/design-review.md", REVIEW);
    task("[ ] **Build foo** — `/design plans/foo, /plan-adhoc and /orchestrate`");
    insta::assert_snapshot!(stage.hook(&stage.prompt("x")).context(), @r#"
    [SHORTCUT: #execute] The user typed x. Task: Build foo (pending, now marked as in progress)
    Command: `/plan-adhoc plans/foo and /orchestrate` (written: `/design plans/foo, /plan-adhoc and /orchestrate`)
    Plan: foo, designed
    Model: sonnet | Restart: no
    When it is done: engine task done 'Build foo'. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /plan-adhoc plans/foo, /orchestrate

    The first entry is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "plans/foo [CONTINUATION: /orchestrate]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    stage.ok(&["chain", "drop"]);
    // The command of the stage is a part of this task only: its end does not end the task.
    task("[ ] **Run foo** — `/orchestrate plans/foo`");
    insta::assert_snapshot!(stage.hook(&stage.prompt("xc")).context(), @r#"
    [SHORTCUT: #execute --commit] The user typed xc. Task: Run foo (pending, now marked as in progress)
    Command: `/plan-adhoc plans/foo` (written: `/orchestrate plans/foo`)
    Plan: foo, designed; the written command follows
    Model: sonnet | Restart: no
    When the written command is done, too: engine task done 'Run foo'. Then the user expects /handoff --commit, which ends in a commit and STATUS.

    [CONTINUATION-PASSING]
    Continuation: /plan-adhoc plans/foo, /handoff --commit

    The first entry is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "plans/foo [CONTINUATION: /handoff --commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    stage.ok(&["chain", "drop"]);
    // What is built is handed over, once.
    stage.write("plans/foo/runbook.md", RUNBOOK);
    write_state(&stage, "foo", &["done", "done"], &json!({}));
    stage.git(&["init", "-q"]);
    task("[ ] **Build it** — `/orchestrate plans/foo`");
    insta::assert_snapshot!(stage.hook(&stage.prompt("xc")).context(), @r#"
    [SHORTCUT: #execute --commit] The user typed xc. Task: Build it (pending, now marked as in progress)
    Command: `/handoff --commit` (written: `/orchestrate plans/foo`)
    Plan: foo, built
    Model: sonnet | Restart: no
    Its steps are done, so engine task done 'Build it' comes first, then the command. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /handoff --commit

    The first entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
}

#[test]
fn what_was_built_is_delivered_by_a_commit() {
    let stage = Stage::new();
    let standing = || {
        let plans = stage.engine(&["plans", "--all", "--json"]).json();
        format!("{} → {}", plans["plans"][0]["stage"].as_str().unwrap(), plans["plans"][0]["next"])
    };
    stage.git(&["init", "-q"]);
    stage.write("plans/foo/runbook.md", RUNBOOK);
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "Plan"]);
    let head = stage.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let steps = json!([{"number": "1.1", "state": "done", "files": ["src/a.rs"]}, {"number": "1-vet", "kind": "review", "state": "done"}]);
    stage.write("src/a.rs", "fn a() {}\n");
    // The page is no work.
    stage.write("plans/foo/PLAN.md", "# Plan");
    write_state(&stage, "foo", &[], &json!({"steps": steps, "page": "plans/foo/PLAN.md"}));
    assert_eq!(standing(), "reviewed → \"/handoff --commit\"");
    let closed = json!({"at": "2026-11-15T11:00:00Z", "head": head});
    let fields = json!({"steps": steps, "page": "plans/foo/PLAN.md", "closed": closed});
    write_state(&stage, "foo", &[], &fields);
    assert_eq!(standing(), "reviewed → \"/handoff --commit\"");
    stage.git(&["add", "src"]);
    stage.git(&["commit", "-qm", "Build"]);
    assert_eq!(standing(), "delivered → null");
    // What is changed later is other work.
    stage.write("src/a.rs", "fn b() {}\n");
    assert_eq!(standing(), "delivered → null");
    write_state(&stage, "foo", &[], &json!({"steps": steps}));
    assert_eq!(standing(), "reviewed → \"/handoff --commit\"");
    stage.git(&["commit", "-qam", "More"]);
    assert_eq!(standing(), "reviewed → \"engine plan close --plan foo\"");
}

#[test]
fn a_project_without_plans_reads_nothing_of_them() {
    let stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **Run foo** — `/orchestrate plans/foo` | haiku\n");
    let expected = "Next: Run foo\n  `/orchestrate plans/foo`\n  Model: haiku | Restart: no\n";
    assert_eq!(stage.ok(&["status"]), expected);
    let keys = stage.engine(&["status", "--json"]).json();
    assert_eq!((&keys["plansWithoutTask"], &keys["next"]["plan"]), (&Value::Null, &Value::Null));
    // A state that no folder belongs to is no plan here.
    write_state(&stage, "foo", &["done", "open"], &json!({"closed": {"at": "2026-11-15T11:00:00Z"}}));
    assert_eq!(stage.ok(&["status"]), expected);
}

/// The plans that have no task, as STATUS names them and as `engine plans` does.
fn without_task(stage: &Stage) -> [Value; 2] {
    let mut plans = stage.engine(&["plans", "--json"]).json()["plans"].take();
    let rows = plans.as_array_mut().unwrap();
    rows.retain(|plan| plan["withoutTask"] == true);
    let names: Vec<Value> = rows.iter_mut().map(|plan| plan["name"].take()).collect();
    [stage.engine(&["status", "--json"]).json()["plansWithoutTask"].take(), json!(names)]
}

#[test]
fn what_cannot_be_read_is_a_plan_everywhere() {
    let stage = Stage::new();
    let root = stage.root();
    fs::create_dir_all(root.join("plans/bytes")).unwrap();
    fs::write(root.join("plans/bytes/runbook.md"), b"# Phase 1: \xff\n").unwrap();
    for path in ["plans/folder/runbook.md", "plans/design-folder/design.md"] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    fs::create_dir_all(root.join("plans/pipe")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(root.join("plans/pipe/runbook.md")).status().unwrap();
    assert!(pipe.success());
    // A link to nothing is no file.
    fs::create_dir_all(root.join("plans/dangling")).unwrap();
    symlink("nowhere.md", root.join("plans/dangling/runbook.md")).unwrap();
    fs::write(root.join("../outside.md"), "# Design\n").unwrap();
    stage.write("plans/linked-design/runbook.md", RUNBOOK);
    symlink("../../../outside.md", root.join("plans/linked-design/design.md")).unwrap();
    stage.write("plans/whole/runbook.md", RUNBOOK);
    // Closed, and only to be committed.
    stage.git(&["init", "-q"]);
    stage.write("plans/closed/brief.md", "Build it.");
    write_state(&stage, "closed", &["done"], &json!({"closed": {"at": "2026-11-15T11:00:00Z"}}));
    insta::assert_snapshot!(stage.ok(&["plans"]), @r"
    bytes          cannot be read: runbook.md: stream did not contain valid UTF…  engine runbook check bytes          no task
    closed         built                                                          /handoff --commit
    design-folder  cannot be read: design.md: not a file                          /design plans/design-folder         no task
    folder         cannot be read: runbook.md: not a file                         engine runbook check folder         no task
    linked-design  cannot be read: design.md: it is a link that leads out of th…  engine runbook check linked-design  no task
    pipe           cannot be read: runbook.md: not a file                         engine runbook check pipe           no task
    whole          planned                                                        engine runbook prepare whole        no task
    ");
    let [status, plans] = without_task(&stage);
    assert_eq!(status, plans);
    assert_eq!(plans.as_array().unwrap().len(), 6);
    insta::assert_snapshot!(stage.ok(&["runbook", "list"]), @"
    bytes          not prepared                                                                                                        2 errors
    folder         cannot be read: runbook.md: not a file
    linked-design  cannot be read: design.md: it is a link that leads out of the project; put a file of its own in its place
    pipe           cannot be read: runbook.md: not a file
    whole          not prepared                                                                                               3 steps
    ");
    let check = stage.engine(&["runbook", "check", "linked-design"]);
    assert!(check.stderr.contains("design.md`: it is a link that leads out"), "{}", check.stderr);
}

#[test]
fn folders_that_no_plan_can_be_called_by_are_named() {
    let stage = Stage::new();
    for plan in ["UP", "a_b", "fine"] {
        stage.write(&format!("plans/{plan}/brief.md"), "Build it.");
    }
    stage.write("plans/Notes/notes.md", "mine");
    let plans = stage.engine(&["plans"]);
    assert_eq!(plans.stdout, "fine  briefed  /design plans/fine  no task\n");
    insta::assert_snapshot!(plans.stderr, @r"not plans, by their names: UP, a_b; the name of a plan has small letters, digits and - between them, at most 60 bytes");
    assert_eq!(stage.engine(&["plans", "--json"]).json()["misnamed"], json!(["UP", "a_b"]));
}

#[test]
fn a_plan_is_ready_while_all_that_was_made_of_it_is_there() {
    let stage = Stage::new();
    stage.write("plans/foo/runbook.md", RUNBOOK);
    let standing = || stage.engine(&["plans", "--json"]).json()["plans"][0]["stage"].take();
    assert_eq!(standing(), "planned");
    stage.ok(&["runbook", "prepare", "foo"]);
    let agents = fs::read_dir(stage.root().join(".claude/agents")).unwrap();
    let agent =
        agents.flatten().find(|entry| entry.file_name().to_string_lossy().starts_with("foo-")).unwrap();
    for path in [agent.path(), stage.root().join("plans/foo/steps/step-1-2.md")] {
        assert_eq!(standing(), "ready");
        fs::remove_file(path).unwrap();
        assert_eq!(standing(), "planned, stale");
        stage.ok(&["runbook", "prepare", "foo"]);
    }
    assert_eq!(standing(), "ready");
}

#[test]
fn the_rest_of_a_chain_follows_the_command_that_comes_before() {
    let stage = Stage::new();
    stage.write("plans/pl/runbook.md", RUNBOOK);
    let task = |line: &str| stage.write("session.md", &format!("## Pending Tasks\n- {line}\n"));
    let typed = |prompt: &str| stage.hook(&stage.prompt(prompt)).context();
    let chain = "[ ] **T** — `/design plans/pl, /plan-adhoc, /orchestrate, /handoff --commit and /commit`";
    // Without the skills there is no chain, only the words.
    task(chain);
    insta::assert_snapshot!(typed("x"), @r"
    [SHORTCUT: #execute] The user typed x. Task: T (pending, now marked as in progress)
    Command: `engine runbook prepare pl`, then `/orchestrate plans/pl, /handoff --commit and /commit` (written: `/design plans/pl, /plan-adhoc, /orchestrate, /handoff --commit and /commit`)
    Plan: pl, planned
    Model: sonnet | Restart: no
    When what follows it is done, too: engine task done 'T'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    task("[ ] **T** — `/plan-adhoc plans/pl and /orchestrate`");
    insta::assert_snapshot!(typed("x"), @r"
    [SHORTCUT: #execute] The user typed x. Task: T (pending, now marked as in progress)
    Command: `engine runbook prepare pl`, then `/orchestrate plans/pl` (written: `/plan-adhoc plans/pl and /orchestrate`)
    Plan: pl, planned
    Model: sonnet | Restart: no
    When what follows it is done, too: engine task done 'T'. The user expects this one task to be carried to its end, and no other to be started.
    ");
    for skill in ["design", "plan-adhoc", "orchestrate", "handoff", "commit"] {
        stage.write(
            &format!(".claude/skills/{skill}/SKILL.md"),
            "---\ndescription: x\ncontinuation:\n  cooperative: true\n---\n",
        );
    }
    task(chain);
    insta::assert_snapshot!(typed("x"), @r#"
    [SHORTCUT: #execute] The user typed x. Task: T (pending, now marked as in progress)
    Command: `engine runbook prepare pl`, then `/orchestrate plans/pl, /handoff --commit and /commit` (written: `/design plans/pl, /plan-adhoc, /orchestrate, /handoff --commit and /commit`)
    Plan: pl, planned
    Model: sonnet | Restart: no
    The chain is called after `engine runbook prepare pl`. When what follows it is done, too: engine task done 'T'. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /orchestrate plans/pl, /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "plans/pl [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    let prepare = stage.hook(&stage.bash("engine runbook prepare pl"));
    assert!(!prepare.stdout.contains("\"deny\""), "{}", prepare.stdout);
    stage.ok(&["chain", "drop"]);
    task(chain);
    insta::assert_snapshot!(typed("xc"), @r#"
    [SHORTCUT: #execute --commit] The user typed xc. Task: T (pending, now marked as in progress)
    Command: `engine runbook prepare pl`, then `/orchestrate plans/pl, /handoff --commit and /commit` (written: `/design plans/pl, /plan-adhoc, /orchestrate, /handoff --commit and /commit`)
    Plan: pl, planned
    Model: sonnet | Restart: no
    The chain is called after `engine runbook prepare pl`. When what follows it is done, too: engine task done 'T'. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /orchestrate plans/pl, /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "plans/pl [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
}

#[test]
fn commands_of_a_run_are_commands_of_its_plan() {
    let stage = Stage::new();
    stage.write("plans/rd/runbook.md", RUNBOOK);
    write_state(&stage, "rd", &["done", "active"], &json!({}));
    for command in ["next rd", "resume rd", "status rd", "done 1.2 --plan rd", "skip 1.2 --why no --plan rd"]
    {
        stage.write(
            "session.md",
            &format!("## Pending Tasks\n- [ ] **T** — `engine runbook {command}` | opus\n"),
        );
        let expected = format!(
            "Next: T\n  `engine runbook {command}`\n  Plan: rd, running 1/2\n  Model: opus | Restart: no\n\nPlan: rd, 1 of 2 steps\n"
        );
        assert_eq!(stage.ok(&["status"]), expected);
    }
}

#[test]
fn a_review_counts_for_the_design_that_it_saw() {
    let stage = Stage::new();
    let (design, review) = ("plans/foo/design.md", "plans/foo/reports/design-review.md");
    let modify = |path: &str, at: SystemTime| {
        let file = fs::OpenOptions::new().write(true).open(stage.root().join(path)).unwrap();
        file.set_modified(at).unwrap();
    };
    let now = SystemTime::now();
    let milli = Duration::from_millis(1);
    stage.write(design, "---\ntests: \"first\" # by the team\n---\n# Design\n");
    let cases = [
        (REVIEW.to_owned(), now, "designed"),
        (REVIEW.to_owned(), now + milli, "designed"),
        (REVIEW.to_owned(), now - milli, "designed, not reviewed"),
        (format!("{REVIEW}\nCritical: 2\n"), now, "designed"),
        (REVIEW.replace("Major", "Critical: 2\nMajor"), now, "designed, not reviewed"),
        ("# Review\n```\nCritical: 0\n```\n".to_owned(), now, "designed, not reviewed"),
    ];
    for (text, at, expected) in cases {
        stage.write(review, &text);
        modify(design, now);
        modify(review, at);
        let plan = stage.engine(&["plans", "--json"]).json()["plans"][0].take();
        assert_eq!(plan["stage"], expected, "{text}");
        assert_eq!(plan["next"] == "/plan-tdd plans/foo", expected == "designed", "{text}");
    }
}

#[test]
fn a_command_that_fits_gets_the_model_of_the_stage_by_the_tiers() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[models]\ntiers = [\"mini\", \"mid\", \"large\"]\n");
    stage.write("plans/foo/runbook.md", &RUNBOOK.replace("haiku", "mini"));
    stage.ok(&["runbook", "prepare", "foo"]);
    stage.write("plans/bar/brief.md", "Build it.");
    stage.write("plans/baz/brief.md", "Build it.");
    stage.write(
        "session.md",
        "## Pending Tasks\n- [>] **Run** — `/orchestrate plans/foo`\n- [>] **Design** — `/design plans/bar` | haiku\n- [>] **Plan** — `/plan-adhoc plans/baz` | haiku\n",
    );
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    In progress: Run
      `/orchestrate plans/foo`
      Plan: foo, ready
      Model: mini | Restart: yes

    In progress: Design
      `/design plans/bar`
      Plan: bar, briefed
      Model: haiku | Restart: no

    In progress: Plan
      `/design plans/baz` (written: `/plan-adhoc plans/baz`)
      Plan: baz, briefed
      Model: large | Restart: no

    Plan: foo, 0 of 3 steps
    ");
}

#[test]
fn in_another_clone_reports_and_reviews_tell_what_is_delivered() {
    let stage = Stage::new();
    stage.write("plans/foo/runbook.md", RUNBOOK);
    prepare(&stage, "foo", RUNBOOK);
    fs::remove_file(stage.root().join(".engine/state/plans/foo.json")).unwrap();
    let standing = || stage.engine(&["plans", "--all", "--json"]).json()["plans"][0]["stage"].take();
    let report = |stem: &str, text: &str| stage.write(&format!("plans/foo/reports/{stem}.md"), text);
    for step in ["step-1-1", "step-1-2"] {
        report(step, "---\nStatus: done\n---\n");
        assert_eq!(standing(), "planned");
    }
    report("phase-1", "---\nCritical: 1\n---\n");
    assert_eq!(standing(), "planned");
    report("phase-1", "---\nCritical: 0\n---\n");
    assert_eq!(standing(), "delivered");
    report("step-1-2", "Status: done\n");
    assert_eq!(standing(), "planned");
}

#[test]
fn a_halted_plan_says_the_same_everywhere() {
    let stage = Stage::new();
    stage.write("plans/foo/runbook.md", RUNBOOK);
    let halt = json!([{"kind": "manual", "reason": "A or B?", "at": "2026-11-15T10:00:00Z"}]);
    write_state(&stage, "foo", &["done", "failed"], &json!({"halts": halt}));
    let next = "answer, then: engine runbook resume foo";
    assert_eq!(stage.ok(&["plans"]), format!("foo  halted: A or B?  {next}  no task\n"));
    assert_eq!(stage.engine(&["plans", "--json"]).json()["plans"][0]["next"], next);
}
