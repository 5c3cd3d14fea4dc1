//! Sessions and worktrees that want tasks at the same time: each gets another one, and sees who holds the others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use engine_core::client::ClientProcess;
use engine_store::process::{kept, process};
use engine_store::session_file::SessionFile;
use serde_json::{Value, json};

use crate::liveness::runs_in;
use crate::stage::{Kills, Output, SESSION, Stage, input, output_of, run};

fn pending(count: usize) -> String {
    let lines: String = (0..count).map(|n| format!("- [ ] **Task {n:02}** —\n")).collect();
    format!("## Pending Tasks\n{lines}")
}

fn started(stage: &Stage, folder: &Path, session: &str, prompt: &str) -> Child {
    let mut event = stage.event_with("UserPromptSubmit", &json!({"session_id": session, "prompt": prompt}));
    event["cwd"] = folder.to_str().unwrap().into();
    let mut command = stage.command_in(folder, &["hook"]);
    command.env("CLAUDE_PROJECT_DIR", folder).stdin(input(event.to_string().as_bytes()));
    command.spawn().unwrap()
}

fn asked(stage: &Stage, folder: &Path, session: &str, prompt: &str) -> String {
    output_of(started(stage, folder, session, prompt)).context()
}

/// A command of the agent of a session.
fn by(stage: &Stage, session: &str, args: &[&str]) -> Output {
    let mut command = stage.command(args);
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    run(command, None)
}

fn task_of(context: &str) -> Option<String> {
    let name = context.split_once("Task: ")?.1.split_once(" (")?.0;
    Some(name.to_owned())
}

fn in_progress(text: &str) -> usize {
    text.matches("- [>]").count()
}

#[test]
fn twenty_that_ask_at_once_get_twenty_tasks() {
    let stage = Stage::new();
    stage.write("session.md", &pending(25));
    let hooks: Vec<Child> =
        (0..20).map(|n| started(&stage, &stage.root(), &format!("session-{n}"), "x")).collect();
    let told: Vec<String> = hooks.into_iter().map(|hook| output_of(hook).context()).collect();
    let tasks: BTreeSet<String> = told.iter().filter_map(|text| task_of(text)).collect();
    assert_eq!(tasks.len(), 20, "{told:#?}");
    assert_eq!(in_progress(&stage.read("session.md")), 20);
    // What each was told is what it holds.
    for (n, text) in told.iter().enumerate() {
        let name = task_of(text).unwrap();
        assert!(text.contains("(pending, now marked as in progress)"), "{text}");
        let owner = stage.engine(&["task", "show", &name, "--json"]).json()["task"]["owner"].clone();
        assert_eq!(owner, format!("session-{n}"), "{text}");
    }
}

#[test]
fn where_all_are_taken_the_last_are_told_by_whom() {
    let stage = Stage::new();
    stage.write("session.md", &pending(2));
    let hooks: Vec<Child> =
        (0..3).map(|n| started(&stage, &stage.root(), &format!("session-{n}"), "x")).collect();
    let told: Vec<String> = hooks.into_iter().map(|hook| output_of(hook).context()).collect();
    let none: Vec<&String> = told.iter().filter(|text| task_of(text).is_none()).collect();
    assert_eq!(none.len(), 1, "{told:#?}");
    assert!(
        none[0].starts_with("[SHORTCUT: #execute] No task is free to start: Task 00 is in progress elsewhere (session session-)"),
        "{none:?}"
    );
}

/// A repository with linked worktrees, each with a copy of the task file.
struct Trees {
    stage: Stage,
    trees: Vec<PathBuf>,
}

fn trees(count: usize, tasks: &str) -> Trees {
    let stage = Stage::new();
    stage.write("session.md", tasks);
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "tasks"]);
    let trees = (0..count).map(|n| stage.root().join(format!("../tree-{n}"))).collect::<Vec<_>>();
    for (n, tree) in trees.iter().enumerate() {
        stage.git(&["worktree", "add", "-q", "-b", &format!("branch-{n}"), tree.to_str().unwrap()]);
    }
    let trees: Vec<PathBuf> = trees.iter().map(|tree| tree.canonicalize().unwrap()).collect();
    for tree in &trees {
        stage.accept_in(tree);
    }
    Trees { stage, trees }
}

impl Trees {
    fn engine(&self, tree: &Path, session: Option<&str>, args: &[&str]) -> Output {
        let mut command = self.stage.command_in(tree, args);
        if let Some(session) = session {
            command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
        }
        run(command, None)
    }

    fn status(&self, tree: &Path, session: &str) -> String {
        self.stage.masked(&self.engine(tree, Some(session), &["status"]).stdout)
    }
}

#[test]
fn worktrees_do_not_start_the_same_task() {
    let Trees { stage, trees } = &trees(4, &pending(6));
    let hooks: Vec<Child> = trees
        .iter()
        .enumerate()
        .map(|(n, tree)| started(stage, tree, &format!("session-{n}"), "x"))
        .collect();
    let told: Vec<String> = hooks.into_iter().map(|hook| output_of(hook).context()).collect();
    let tasks: BTreeSet<String> = told.iter().filter_map(|text| task_of(text)).collect();
    assert_eq!(tasks.len(), 4, "{told:#?}");
    for tree in trees {
        assert_eq!(in_progress(&std::fs::read_to_string(tree.join("session.md")).unwrap()), 1);
    }
    // Nor does the main checkout.
    let main = asked(stage, &stage.root(), SESSION, "x");
    assert!(!tasks.contains(&task_of(&main).unwrap()), "{main}");
}

/// Each worktree sees where the tasks of the others are: in progress, done and not merged, free again.
#[test]
fn worktrees_see_where_a_task_is() {
    let all = trees(2, &pending(2));
    let Trees { stage, trees } = &all;
    let (one, two) = (&trees[0], &trees[1]);
    assert_eq!(task_of(&asked(stage, one, "aaaaaaaa-1", "x")).as_deref(), Some("Task 00"));
    insta::assert_snapshot!(all.status(two, "bbbbbbbb-2"), @r"
    In progress elsewhere: Task 00 (session aaaaaaaa, worktree [TOP]/tree-0)

    Next: Task 01
      Model: sonnet | Restart: no
    ");
    let json: Value = all.engine(two, Some("bbbbbbbb-2"), &["status", "--json"]).json();
    assert_eq!(json["elsewhere"][0]["by"], format!("session aaaaaaaa, worktree {}", one.display()));
    let taken = all.engine(two, Some("bbbbbbbb-2"), &["task", "start", "Task 00"]);
    insta::assert_snapshot!(stage.masked(&taken.stderr), @r"
    engine: Task 00 is in progress elsewhere: session aaaaaaaa, worktree [TOP]/tree-0
      it is free when that ends; a person frees it at once, there: engine task reopen 'Task 00'
    ");
    // Done there, and not merged here.
    assert_eq!(all.engine(one, Some("aaaaaaaa-1"), &["task", "done"]).code, Some(0));
    insta::assert_snapshot!(all.status(two, "bbbbbbbb-2"), @r"
    Done elsewhere, not merged here:
    - Task 00 (worktree [TOP]/tree-0)

    Next: Task 01
      Model: sonnet | Restart: no
    ");
    assert_eq!(all.engine(two, Some("bbbbbbbb-2"), &["task", "next"]).stdout, "Task 01\n");
    let again = all.engine(two, Some("bbbbbbbb-2"), &["task", "start", "Task 00"]);
    insta::assert_snapshot!(stage.masked(&again.stderr), @r"
    engine: Task 00 is over in worktree [TOP]/tree-0
      merge that branch to have it over here, too
      to do it again, there: engine task reopen 'Task 00'
    ");
    // A task that nobody marked as in progress is done all the same.
    all.engine(one, None, &["task", "done", "Task 01"]);
    let told = asked(stage, two, "bbbbbbbb-2", "x");
    insta::assert_snapshot!(stage.masked(&told), @"[SHORTCUT: #execute] No task is free to start: Task 00 is done in worktree [TOP]/tree-0, not merged here; Task 01 is done in worktree [TOP]/tree-0, not merged here.");
    // The worktree goes, and what it knew goes with it.
    stage.git(&["worktree", "remove", "--force", one.to_str().unwrap()]);
    assert_eq!(task_of(&asked(stage, two, "bbbbbbbb-2", "x")).as_deref(), Some("Task 00"));
}

/// A branch that is made while a task is in progress has it in progress, too.
#[test]
fn a_worktree_that_is_made_later_does_not_resume_what_another_works_on() {
    let all = trees(1, &pending(2));
    let Trees { stage, trees } = &all;
    asked(stage, &stage.root(), SESSION, "x");
    stage.git(&["commit", "-qam", "in progress"]);
    stage.git(&["-C", trees[0].to_str().unwrap(), "merge", "-q", "main"]);
    let told = asked(stage, &trees[0], "bbbbbbbb-2", "r");
    assert_eq!(
        told,
        "[SHORTCUT: #resume] Nothing in progress here; elsewhere: Task 00 (session bd48f8aa, the main checkout). The user typed r, which resumes a task in progress and starts no other."
    );
    assert_eq!(task_of(&asked(stage, &trees[0], "bbbbbbbb-2", "x")).as_deref(), Some("Task 01"));
    // The session in the main checkout is over: its task is free here.
    let end = json!({"session_id": SESSION});
    stage.hook(&stage.event_with("SessionEnd", &end));
    all.engine(&trees[0], Some("bbbbbbbb-2"), &["task", "done", "Task 01"]);
    assert_eq!(task_of(&asked(stage, &trees[0], "bbbbbbbb-2", "r")).as_deref(), Some("Task 00"));
}

/// One session that moves from one worktree to another goes on with its own task.
#[test]
fn a_session_takes_its_task_along() {
    let Trees { stage, trees } = &trees(1, &pending(2));
    asked(stage, &stage.root(), SESSION, "x");
    let told = asked(stage, &trees[0], SESSION, "x");
    assert!(told.contains("Task: Task 00 (pending, now marked as in progress)"), "{told}");
}

fn client() -> (Child, ClientProcess) {
    let child = Command::new("sleep").arg("600").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let client = kept(&process(child.id()).unwrap());
    (child, client)
}

#[test]
fn the_task_of_a_killed_client_is_resumed_at_once() {
    for key in ["r", "x"] {
        let stage = Stage::new();
        stage.write("session.md", &pending(2));
        let (mut child, client) = client();
        asked(&stage, &stage.root(), "killed", "x");
        runs_in(&stage, "killed", client);
        let held = "Nothing in progress here; elsewhere: Task 00 (session killed)";
        assert!(asked(&stage, &stage.root(), SESSION, "r").contains(held));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = asked(&stage, &stage.root(), SESSION, key);
        assert!(
            told.contains(&format!("The user typed {key}. Task: Task 00 (in progress, resumed)")),
            "{told}"
        );
        assert_eq!(stage.read("session.md"), pending(2).replacen("- [ ]", "- [>]", 1));
        let owner = stage.engine(&["task", "show", "Task 00", "--json"]).json()["task"]["owner"].clone();
        assert_eq!(owner, SESSION);
    }
}

/// A process of another machine, or of this one before its restart, says nothing: what was last heard of the session counts.
#[test]
fn a_session_of_another_machine_counts_by_its_last_event() {
    let stage = Stage::new();
    stage.write("session.md", &pending(2));
    asked(&stage, &stage.root(), "elsewhere", "x");
    let own = kept(&process(std::process::id()).unwrap());
    runs_in(&stage, "elsewhere", ClientProcess { pid: own.pid, started: 1, table: Some(7) });
    assert_eq!(task_of(&asked(&stage, &stage.root(), SESSION, "x")).as_deref(), Some("Task 01"));
    by(&stage, SESSION, &["task", "done", "Task 01"]);
    let path = stage.root().join(".engine/state/sessions/elsewhere.json");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(13)).unwrap();
    assert_eq!(task_of(&asked(&stage, &stage.root(), SESSION, "r")).as_deref(), Some("Task 00"));
}

/// What a living session works on, another agent does not end; a person may.
#[test]
fn another_agent_does_not_end_a_task_that_is_held() {
    let stage = Stage::new();
    stage.write("session.md", &pending(2));
    asked(&stage, &stage.root(), "aaaaaaaa-1", "x");
    let before = stage.read("session.md");
    for args in [
        &["task", "done", "Task 00"][..],
        &["task", "reopen", "Task 00"],
        &["task", "cancel", "Task 00"],
        &["task", "block", "Task 00", "why"],
        &["task", "fail", "Task 00", "why"],
    ] {
        let out = by(&stage, SESSION, args);
        assert_eq!(out.code, Some(1), "{args:?} {}", out.stdout);
        assert!(
            out.stderr.starts_with("engine: Task 00 is in progress elsewhere: session aaaaaaaa\n"),
            "{}",
            out.stderr
        );
    }
    assert_eq!(stage.read("session.md"), before);
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    In progress elsewhere: Task 00 (session aaaaaaaa)

    Next: Task 01
      Model: sonnet | Restart: no
    ");
    stage.ok(&["task", "reopen", "Task 00"]);
    assert_eq!(task_of(&asked(&stage, &stage.root(), SESSION, "x")).as_deref(), Some("Task 00"));
}

/// The user asked for one task. The next one is theirs to ask for.
#[test]
fn an_agent_starts_no_second_task_in_the_turn_of_an_x() {
    let stage = Stage::new();
    stage.write("session.md", &pending(3));
    stage.hook(&stage.prompt("x"));
    assert_eq!(by(&stage, SESSION, &["task", "done", "Task 00"]).code, Some(0));
    for args in
        [&["task", "start", "Task 02"][..], &["task", "start"], &["task", "start", "Task 02", "--parallel"]]
    {
        let out = by(&stage, SESSION, args);
        let name = if args.len() == 2 { "Task 01" } else { "Task 02" };
        assert_eq!(
            (out.code, out.stderr),
            (
                Some(1),
                format!(
                    "engine: {name} is not started: the user asked for one task in this turn, Task 00\n  end the turn; the user starts the next one with x\n"
                )
            )
        );
    }
    // What is captured meanwhile is no wish for another one.
    for prompt in ["q: dark mode", "p: fix login"] {
        stage.hook(&stage.prompt(prompt));
    }
    assert_eq!(by(&stage, SESSION, &["task", "start", "Task 02"]).code, Some(1));
    // Another session, a person, and the next turn are free.
    assert_eq!(by(&stage, "other", &["task", "start", "Task 02"]).code, Some(0));
    stage.hook(&stage.prompt("go on with the next"));
    assert_eq!(by(&stage, SESSION, &["task", "start"]).stdout, "Task 01: in progress\n");
}

/// A hook that is killed between two writes leaves no task that two would work on, and none that nobody gets.
#[test]
fn a_hook_that_is_killed_loses_no_task() {
    let mut kills = Kills::new();
    let stage = Stage::new();
    let mut round = 0;
    while kills.killed < 60 {
        round += 1;
        stage.write("session.md", &pending(3));
        let killed = format!("killed-{round}");
        kills.kill(started(&stage, &stage.root(), &killed, "x"));
        let text = stage.read("session.md");
        let before = pending(3);
        assert!(text == before || text == before.replacen("- [ ]", "- [>]", 1), "{text}");
        let mine = task_of(&asked(&stage, &stage.root(), SESSION, "x")).unwrap();
        let theirs = task_of(&asked(&stage, &stage.root(), &killed, "x")).unwrap();
        assert_ne!(mine, theirs, "round {round}: {text}");
        assert_eq!(in_progress(&stage.read("session.md")), 2, "round {round}");
    }
}

#[test]
fn ten_thousand_tasks_are_no_trouble() {
    let stage = Stage::new();
    let lines: String = (0..10_000).map(|n| format!("- [x] **Task {n:05}** —\n")).collect();
    stage.write("session.md", &format!("## Pending Tasks\n{lines}- [ ] **Last** —\n"));
    let hooks: Vec<Child> =
        (0..4).map(|n| started(&stage, &stage.root(), &format!("session-{n}"), "x")).collect();
    let told: Vec<Option<String>> =
        hooks.into_iter().map(|hook| task_of(&output_of(hook).context())).collect();
    assert_eq!(told.iter().flatten().collect::<Vec<_>>(), ["Last"], "{told:?}");
}

/// Owners of tasks that are over are forgotten, where no other worktree asks for them.
#[test]
fn the_list_of_owners_does_not_grow() {
    let stage = Stage::new();
    stage.write("session.md", &pending(3));
    let owners = || stage.read(".engine/state/tasks.json");
    stage.hook(&stage.prompt("x"));
    assert!(owners().contains("Task 00"), "{}", owners());
    by(&stage, SESSION, &["task", "done", "Task 00"]);
    assert_eq!(owners(), r#"{"version":1,"tasks":{}}"#);
    // One that was taken out of the file by hand stays while its session lives.
    stage.hook(&stage.prompt("x"));
    stage.write("session.md", "## Pending Tasks\n- [ ] **Other** —\n");
    by(&stage, "other", &["task", "start", "Other"]);
    assert!(owners().contains("Task 01") && owners().contains("Other"), "{}", owners());
    SessionFile::new(&stage.root().join(".engine/state/sessions"), SESSION)
        .update(|state| {
            state.client =
                Some(ClientProcess { pid: 1, started: 1, table: kept(&process(1).unwrap()).table });
        })
        .unwrap();
    by(&stage, "other", &["task", "done", "Other"]);
    assert_eq!(owners(), r#"{"version":1,"tasks":{}}"#);
}
