//! Plans whose file was damaged, removed or put back as it was before: what they held stands until a person decides.

use std::fs;

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::plan::{ROUTER, edited, locked, new, plan, ran, stage, state, told};
use crate::real_client::{BYPASS, ask, bench};
use crate::real_do::{bash, edit as edit_tool, play, received};
use crate::stage::{SESSION, Stage, run};

const FILE: &str = ".engine/state/plans/fix-the-login.json";

/// What the hook says to an edit.
fn edit(stage: &Stage) -> String {
    let input = json!({"file_path": stage.root().join("src/auth.rs")});
    let fields = json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input});
    let output = stage.hook(&stage.event_with("PreToolUse", &fields));
    if output.stdout.is_empty() {
        return "-".to_owned();
    }
    output.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
}

fn halted() -> Stage {
    let stage = locked();
    stage.ok(&["plan", "halt", "a key is missing"]);
    stage
}

fn files(stage: &Stage) -> Vec<String> {
    let folder = fs::read_dir(stage.root().join(".engine/state/plans")).unwrap().flatten();
    let mut names: Vec<String> = folder.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| name.contains(".json"));
    names.sort();
    names
}

const STANDS: &str =
    "engine rule plan: plan fix-the-login is halted: a key is missing. Nothing is changed now.";

/// Finding B5: whatever a script does to the file, the halt stands, and no command of the agent frees it.
#[test]
fn a_halt_outlives_its_file() {
    type Spoil = fn(&Stage);
    let cases: [(&str, Spoil, &str); 4] = [
        ("removed", |stage| fs::remove_file(stage.root().join(FILE)).unwrap(), "gone"),
        ("emptied", |stage| stage.write(FILE, "{}"), "damaged (it is not that plan)"),
        (
            "cut",
            |stage| stage.write(FILE, &stage.read(FILE)[..1]),
            "damaged (EOF while parsing an object at line 1 column 1)",
        ),
        (
            "softened",
            |stage| stage.write(FILE, &stage.read(FILE).replace("the login is documented", "anything")),
            "damaged (its criteria are not those that were locked)",
        ),
    ];
    for (what, spoil, why) in cases {
        let stage = halted();
        spoil(&stage);
        let refused = format!(
            "exit 1\nengine: plan fix-the-login is {why}; it was locked and halted (a key is missing)\n  \
             plans/fix-the-login/PLAN.md shows it as it was\n  \
             engine plan new asks the person whether another plan takes its place\n"
        );
        for args in [&["show"][..], &["resume"], &["close"], &["step", "start", "1"], &["lock"]] {
            assert_eq!(told(&plan(&stage, args)), refused, "{what}: {args:?}");
            let named = [args, &["--plan", "fix-the-login"]].concat();
            assert_eq!(told(&plan(&stage, &named)), refused, "{what}: {named:?}");
        }
        assert_eq!(told(&plan(&stage, &["take", "fix-the-login"])), refused, "{what}");
        assert!(edit(&stage).starts_with(STANDS), "{what}: {}", edit(&stage));
        // Another plan in its place, by its name or by another.
        let wanted = format!(
            "exit 1\nengine: give up plan fix-the-login, which is {why}; it was locked and halted (a key is missing), for another plan needs a person: approval 1\n  \
             engine asks the person, who types ok 1 or no 1; wait for it\n  \
             after a yes the same command counts once, until that turn ends\n  \
             or the person runs it in a terminal of their own; `! command` in the client counts as the agent's\n"
        );
        let before = files(&stage);
        assert_eq!(told(&new(&stage, ROUTER)), wanted, "{what}");
        stage.write("plan.yaml", ROUTER);
        for name in ["another", "fix-the-login"] {
            let other = ["new", "--from", "plan.yaml", "--name", name];
            assert_eq!(told(&plan(&stage, &other)), wanted, "{what}: {name}");
        }
        assert_eq!(files(&stage), before, "{what}");
        assert!(edit(&stage).starts_with(STANDS), "{what}");
        stage.answer("ok 1");
        let made = new(&stage, ROUTER);
        assert_eq!(made.code, Some(0), "{what}: {}", made.stderr);
        assert_eq!(edit(&stage), "-", "{what}: a person let it");
        assert_eq!(
            files(&stage).len(),
            before.len().max(1) + usize::from(why != "gone"),
            "{what}: it is kept"
        );
        assert_eq!(new(&stage, ROUTER).code, Some(1), "{what}: and the yes is used up");
    }
}

/// The file as it was before the halt: the halt is written into it again, and only a person lifts it.
#[test]
fn an_earlier_copy_of_the_file_is_halted_again() {
    let stage = locked();
    let before = stage.read(FILE);
    stage.ok(&["plan", "halt", "a key is missing"]);
    stage.write(FILE, &before);
    assert!(edit(&stage).starts_with(STANDS));
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1", "--plan", "fix-the-login"])), @r"
    exit 1
    engine: plan fix-the-login is halted: a key is missing
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    assert!(edit(&stage).starts_with(STANDS));
    assert_eq!(plan(&stage, &["resume"]).code, Some(1));
    stage.answer("ok 1");
    stage.ok(&["plan", "resume"]);
    assert_eq!(edit(&stage), "-");
    // A second halt with the same reason, and the file from before it.
    let before = stage.read(FILE);
    stage.ok(&["plan", "halt", "a key is missing"]);
    stage.write(FILE, &before);
    assert!(plan(&stage, &["show"]).stdout.contains("a key is missing"));
    assert!(edit(&stage).starts_with(STANDS));
}

/// A file that is edited to be resumed, closed or somebody else's.
#[test]
fn no_edit_of_the_file_lifts_a_halt() {
    let change = |change: &dyn Fn(&mut Value)| {
        let stage = halted();
        let mut file = state(&stage);
        change(&mut file);
        stage.write(FILE, &file.to_string());
        let told = told(&plan(&stage, &["step", "start", "1"]));
        assert!(edit(&stage).starts_with(STANDS), "{told}: {}", edit(&stage));
        told
    };
    let at = "2026-11-15T11:00:00Z";
    insta::assert_snapshot!(change(&|plan| plan["halts"][0]["resumed"] = json!({"reason": "go on", "at": at})), @r"
    exit 1
    engine: plan fix-the-login is halted: a key is missing
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    insta::assert_snapshot!(change(&|plan| plan["closed"] = json!({"at": at, "approved": "they said so"})), @r"
    exit 1
    engine: plan fix-the-login is damaged (it is closed, and no command closed it); it was locked and halted (a key is missing)
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new asks the person whether another plan takes its place
    ");
    for owner in [json!(null), json!("s-other")] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(change(&|plan| plan["owner"] = owner.clone()), @r"
            exit 1
            engine: plan fix-the-login is damaged (its owner is not the agent session that has it); it was locked and halted (a key is missing)
              plans/fix-the-login/PLAN.md shows it as it was
              engine plan new asks the person whether another plan takes its place
            ");
        }
    }
}

/// What a person let pass, and a kill came before the copy was written.
#[test]
fn a_halt_that_a_person_lifted_is_lifted() {
    let stage = halted();
    let copy = stage.state()["plan"].clone();
    plan(&stage, &["resume"]);
    stage.answer("ok 1");
    stage.ok(&["plan", "resume"]);
    let mut session = stage.state();
    session["plan"] = copy;
    stage.write(&format!(".engine/state/sessions/{SESSION}.json"), &session.to_string());
    assert!(edit(&stage).starts_with(STANDS));
    stage.ok(&["plan", "show"]);
    assert_eq!(edit(&stage), "-");
}

/// The file as it was before the lock: its criteria can be any.
#[test]
fn a_lock_outlives_its_file() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    let before = stage.read(FILE);
    stage.ok(&["plan", "lock"]);
    stage.write(FILE, &before);
    insta::assert_snapshot!(told(&plan(&stage, &["criteria", "set", "1", "it compiles", "--proof", "cargo build"])), @r"
    exit 1
    engine: plan fix-the-login is damaged (it is from before its lock); it was locked
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new asks the person whether another plan takes its place
    ");
    insta::assert_snapshot!(told(&new(&stage, ROUTER)), @r"
    exit 1
    engine: give up plan fix-the-login, which is damaged (it is from before its lock); it was locked, for another plan needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    // Another session does not take it up so, either.
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION})));
    let mut other = stage.command(&["plan", "take", "fix-the-login"]);
    other.env("CLAUDE_CODE_SESSION_ID", "s-other");
    insta::assert_snapshot!(told(&run(other, None)), @r"
    exit 1
    engine: plan fix-the-login is damaged (it is from before its lock); it was locked
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new asks the person whether another plan takes its place
    ");
}

#[test]
fn a_plan_of_a_newer_engine_is_set_aside_by_a_person_only() {
    let stage = halted();
    stage.write(FILE, "{\"version\": 99}");
    let refused = "exit 1\nengine: plan fix-the-login is written by a newer engine (format 99, this one knows 4); it was locked and halted (a key is missing)\n  plans/fix-the-login/PLAN.md shows it as it was\n  update this engine\n";
    assert_eq!(told(&plan(&stage, &["show"])), refused);
    assert_eq!(told(&new(&stage, ROUTER)), refused, "nobody is asked");
    assert_eq!(stage.read(FILE), "{\"version\": 99}");
    assert!(edit(&stage).starts_with(STANDS));
    stage.write("plan.yaml", ROUTER);
    let person = stage.at_terminal(&["plan", "new", "--from", "plan.yaml", "--name", "fix-the-login"]);
    assert_eq!(person.code, Some(0), "{}", person.stderr);
    assert_eq!(files(&stage).len(), 2, "it is kept");
    assert_eq!(edit(&stage), "-", "the person decided");
}

/// Work that goes in circles halts, also where the file is not there to be halted.
#[test]
fn a_circle_halts_without_the_file() {
    let stage = locked();
    fs::remove_file(stage.root().join(FILE)).unwrap();
    for _ in 0..3 {
        assert_eq!(edit(&stage), "-");
        edited(&stage, "src/auth.rs");
        ran(&stage, "cargo test", 101);
    }
    insta::assert_snapshot!(edit(&stage), @"engine rule plan: plan fix-the-login is halted: src/auth.rs was edited and a check failed, 3 times with no pass between. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
    insta::assert_snapshot!(told(&plan(&stage, &["resume"])), @r"
    exit 1
    engine: plan fix-the-login is gone; it was locked and halted (src/auth.rs was edited and a check failed, 3 times with no pass between)
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new asks the person whether another plan takes its place
    ");
}

/// The real client: a script removes the file of a halted plan, and the agent tries what it can.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn real_a_halted_plan_whose_file_is_removed_stays_halted() {
    let bench = bench(&[]);
    bench.write("src.txt", "a\n").unwrap();
    bench.write("plan.yaml", ROUTER).unwrap();
    bench
        .write(
            "rm.py",
            "import glob, os\nfor f in glob.glob('.eng' + 'ine/state/pl' + 'ans/*.json'): os.remove(f)\n",
        )
        .unwrap();
    let calls = [
        bash("engine plan new --from plan.yaml"),
        bash("engine plan lock"),
        ("Read", json!({"file_path": "${PROJECT}/src.txt"})),
        bash("engine plan halt 'a key is missing'"),
        bash("python3 rm.py"),
        edit_tool("a", "b"),
        bash("engine plan new --from plan.yaml"),
        edit_tool("a", "b"),
    ];
    let scenario = play(Scenario::new(), "go", &calls, "Done.")
        .turn(Turn::new("named").last_contains("is open:").text("It waits."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let text = received(&bench, &run.record.of(Kind::Main));
    let behind = text.find("$ Edit b").map_or(text.as_str(), |at| &text[at..]);
    insta::assert_snapshot!(behind, @r"
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: plan fix-the-login is halted: a key is missing. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on
    $ Bash engine plan new --from plan.yaml
    Exit code 1
    engine: give up plan fix-the-login, which is gone; it was locked and halted (a key is missing), for another plan needs a person: approval 1
      nobody attends this session; a person in a terminal of their own: engine approval grant 1
      after that the same command counts once, until that turn ends
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: plan fix-the-login is halted: a key is missing. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    assert!(!bench.project().join(FILE).exists(), "the script ran");
    assert_eq!(fs::read_to_string(bench.project().join("src.txt")).unwrap(), "a\n");
}
