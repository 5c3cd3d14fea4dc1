//! `engine task` and `engine status`.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage, at_once};

const FILE: &str = "# Session\n\n## Status\nGoing well.\n\n## Pending Tasks\n\n- [>] **Fix the parser** — `/fix parser`\n- [ ] **Design runbook identifiers** — `/design plans/runbook-identifiers/problem.md` | opus\n- [ ] **Tidy docs** — | sonnet\n- [!] **Publish crate** — | sonnet\n  Blocked: waiting for the key\n- [x] **One** —\n- [x] **Two** —\n- [-] **Three** —\n\n## Notes\nMine.\n";

fn with_tasks() -> Stage {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    stage
}

#[test]
fn status_is_the_seeds_layout() {
    let stage = with_tasks();
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    In progress: Fix the parser
      `/fix parser`
      Model: sonnet | Restart: no

    Next: Design runbook identifiers
      `/design plans/runbook-identifiers/problem.md`
      Model: opus | Restart: no

    Pending:
    - Tidy docs

    Blocked:
    - Publish crate: waiting for the key

    2 done, 1 cancelled
    ");
    let status = stage.engine(&["status", "--json"]).json();
    assert_eq!(status["next"]["model"], "opus");
    assert_eq!(status["text"].as_str().map(|text| format!("{text}\n")), Some(stage.ok(&["status"])));
    assert_eq!(Stage::new().ok(&["status"]), "No pending tasks.\n");
}

#[test]
fn another_task_file_is_found_or_named() {
    let stage = Stage::new();
    stage.write("agents/session.md", "## Pending Tasks\n- [ ] there\n");
    assert_eq!(stage.ok(&["task", "next"]), "there\n");
    stage.write("session.md", "## Pending Tasks\n- [ ] here\n");
    assert_eq!(stage.ok(&["task", "next"]), "here\n");
    stage.ok(&["config", "set", "tasks.file", "work/tasks.md"]);
    stage.ok(&["task", "add", "new"]);
    assert_eq!(stage.read("work/tasks.md"), "# Session\n\n## Pending Tasks\n\n- [ ] **new** — | sonnet\n");
    let outside = stage.engine(&["config", "set", "tasks.file", "../x.md"]);
    assert_eq!(
        (outside.code, outside.stderr.as_str()),
        (
            Some(1),
            "engine: tasks.file takes a .md file below the project's root, not in .git or .engine, in quotes, not \"../x.md\"\n"
        )
    );
}

#[test]
fn each_command_changes_its_own_line() {
    let stage = with_tasks();
    let mut expected = FILE.to_owned();
    let mut step = |args: &[&str], said: &str, old: &str, new: &str| {
        let out = stage.ok(&[&["task"], args].concat());
        assert_eq!(out, format!("{said}\n"), "{args:?}");
        assert!(expected.contains(old), "{old}");
        expected = expected.replacen(old, new, 1);
        assert_eq!(stage.read("session.md"), expected, "{args:?}");
    };
    step(&["done"], "Fix the parser: done", "- [>] **Fix", "- [x] **Fix");
    step(&["start"], "Design runbook identifiers: in progress", "- [ ] **Design", "- [>] **Design");
    step(
        &["fail", "design", "no  idea"],
        "Design runbook identifiers: failed",
        "- [>] **Design runbook identifiers** — `/design plans/runbook-identifiers/problem.md` | opus\n",
        "- [†] **Design runbook identifiers** — `/design plans/runbook-identifiers/problem.md` | opus\n  Failed: no idea\n",
    );
    step(
        &["reopen", "publish"],
        "Publish crate: pending",
        "- [!] **Publish crate** — | sonnet\n  Blocked: waiting for the key\n",
        "- [ ] **Publish crate** — | sonnet\n",
    );
    step(
        &["note", "tidy", "start with\nthe readme"],
        "noted at Tidy docs",
        "- [ ] **Tidy docs** — | sonnet\n",
        "- [ ] **Tidy docs** — | sonnet\n  - start with the readme\n",
    );
    step(
        &["edit", "tidy docs", "--model", "Haiku", "--command", "/docs"],
        "changed Tidy docs",
        "- [ ] **Tidy docs** — | sonnet\n",
        "- [ ] **Tidy docs** — `/docs` | haiku\n",
    );
    step(
        &["add", "Say *hi*", "--first", "--needs", "Tidy docs"],
        "added Say *hi* in session.md",
        "- [x] **Fix the parser**",
        "- [ ] **Say \\*hi\\*** — | sonnet | needs: Tidy docs\n- [x] **Fix the parser**",
    );
    step(&["cancel", "say"], "Say *hi*: cancelled", "- [ ] **Say", "- [-] **Say");
    step(
        &["move", "publish", "--before", "tidy"],
        "moved Publish crate",
        "- [ ] **Tidy docs** — `/docs` | haiku\n  - start with the readme\n- [ ] **Publish crate** — | sonnet\n",
        "- [ ] **Publish crate** — | sonnet\n- [ ] **Tidy docs** — `/docs` | haiku\n  - start with the readme\n",
    );
}

#[test]
fn refusals_say_what_and_how() {
    let stage = with_tasks();
    let refused = |args: &[&str]| {
        let out = stage.engine(&[&["task"], args].concat());
        format!("{} {}", out.code.unwrap(), out.stderr)
    };
    insta::assert_snapshot!(refused(&["start"]), @r#"
    1 engine: Fix the parser is in progress already
      end it first: engine task done 'Fix the parser'; or: engine task start … --parallel
    "#);
    insta::assert_snapshot!(refused(&["done", "t"]), @r"
    1 engine: t could be: Tidy docs, Two, Three
      give the whole name, or its id
    ");
    insta::assert_snapshot!(refused(&["done", "zzz"]), @r"
    1 engine: no task zzz
      list them: engine task list --all
    ");
    insta::assert_snapshot!(refused(&["block", "One", "x"]), @r#"
    1 engine: One is done
      first: engine task reopen 'One'
    "#);
    insta::assert_snapshot!(refused(&["done", "One"]), @"3 engine: One is done already");
    insta::assert_snapshot!(refused(&["add", "tidy DOCS"]), @"1 engine: tidy DOCS is there already, pending, in line 10");
    assert!(refused(&["add", "x", "--model", "gpt"]).starts_with("2 "));
    assert_eq!(stage.read("session.md"), FILE);
    assert_eq!(stage.engine(&["task", "start", "tidy", "--parallel"]).code, Some(0));
}

#[test]
fn a_task_in_progress_belongs_to_its_session() {
    let mut stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **A** —\n- [ ] **B** —\n");
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.prompt("go")).assert_silent();
    stage.ok(&["task", "start", "A"]);
    assert!(stage.ok(&["status"]).starts_with("In progress: A\n"));
    // Another agent sees it elsewhere and may start its own.
    stage.set("CLAUDE_CODE_SESSION_ID", "other");
    assert!(stage.ok(&["status"]).starts_with("In progress elsewhere: A (session bd48f8aa)\n\nNext: B\n"));
    let taken = stage.engine(&["task", "start", "A"]);
    assert_eq!(
        (taken.code, taken.stderr.as_str()),
        (
            Some(1),
            "engine: A is in progress elsewhere: session bd48f8aa\n  it is free when that ends; a person frees it at once, there: engine task reopen 'A'\n"
        )
    );
    assert_eq!(stage.engine(&["task", "done"]).code, Some(3));
    stage.ok(&["task", "start", "B"]);
    // A client that was killed never says that it ended; after half a day without a prompt it is taken for dead.
    let kept = stage.root().join(format!(".engine/state/sessions/{SESSION}.json"));
    let touched = |when: &str| {
        assert!(Command::new("touch").args(["-d", when]).arg(&kept).status().unwrap().success());
    };
    touched("13 hours ago");
    assert!(stage.ok(&["status"]).starts_with("In progress: A\n"));
    touched("1 hour ago");
    assert!(stage.ok(&["status"]).starts_with("In progress: B\n"), "{}", stage.ok(&["status"]));
    // The first session ends; its task is free again.
    stage.hook(&stage.event("SessionEnd")).assert_silent();
    let end = stage.event_with("SessionEnd", &json!({"session_id": SESSION}));
    stage.hook(&end).assert_silent();
    assert!(stage.ok(&["status"]).starts_with("In progress: A\n"));
}

#[test]
fn twenty_at_once_add_twenty() {
    let stage = with_tasks();
    for output in at_once(20, |n| stage.command(&["task", "add", &format!("Parallel {n}")])) {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    let list = stage.engine(&["task", "list", "--json"]).json();
    let names: Vec<&Value> = list["tasks"].as_array().unwrap().iter().map(|task| &task["name"]).collect();
    assert_eq!(names.iter().filter(|name| name.as_str().unwrap().starts_with("Parallel")).count(), 20);
    let text = stage.read("session.md");
    let kept: String =
        text.lines().filter(|line| !line.contains("Parallel")).map(|line| format!("{line}\n")).collect();
    assert_eq!(kept, FILE);
}

#[test]
fn list_and_show_print_what_is_there() {
    let stage = with_tasks();
    insta::assert_snapshot!(stage.ok(&["task", "list"]), @r"
    in progress  Fix the parser              sonnet  `/fix parser`
    pending      Design runbook identifiers  opus    `/design plans/runbook-identifiers/problem.md`
    pending      Tidy docs                   sonnet
    blocked      Publish crate               sonnet
    ");
    assert_eq!(stage.ok(&["task", "list", "--state", "done"]).lines().count(), 2);
    assert_eq!(stage.ok(&["task", "list", "--all"]).lines().count(), 7);
    insta::assert_snapshot!(stage.ok(&["task", "show", "publish"]), @r"
    session.md:11
    - [!] **Publish crate** — | sonnet
      Blocked: waiting for the key
    ");
    stage.write("session.md", "## Pending Tasks\n- [ ] **broken\n");
    let out = stage.engine(&["task", "list"]);
    assert_eq!(out.stderr, "session.md:2: the name's ** is not closed: [ ] **broken\nno task fits\n");
}

#[test]
fn validate_names_each_flaw_with_its_line_and_fixes_tokens() {
    let stage = Stage::new();
    let git = |args: &[&str]| stage.git(args);
    let commit = |text: &str| {
        stage.write("session.md", text);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "work"]);
    };
    git(&["init", "-q"]);
    commit("## Pending Tasks\n- [ ] **Old name** — `/o`\n");
    commit("## Pending Tasks\n- [ ] **Stays** — `/s`\n\nmore\n");
    stage.write("session.md", "## Pending Tasks\n- [ ] **Stays** — `/s`\n- [ ] **Old name** — `/o`\n- [ ] **New** #PNDNG — `/n`\n- [?] **Odd** —\n- [ ] **stays** —\n");
    let out = stage.engine(&["task", "validate"]);
    let day = out.stdout.split("until commit ").nth(1).unwrap().lines().next().unwrap().to_owned();
    insta::assert_snapshot!(out.stdout.replace(&day, "[COMMIT]"), @r"
    session.md:3: error: the name Old name was used before, until commit [COMMIT]
    session.md:4: error: #PNDNG is not replaced yet: engine task validate --fix
    session.md:5: error: unknown state in the box: [?] **Odd** —
    session.md:6: error: the name stays stands in line 2 too
    session.md:6: remark: stays names no command
    ");
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), "engine: 4 to mend\n"));
    let fixed = stage.engine(&["task", "validate", "--fix", "--json"]).json();
    assert_eq!(fixed["serious"], 3);
    let line = stage.read("session.md").lines().nth(3).unwrap().to_owned();
    assert!(
        line.starts_with("- [ ] **New** #t") && line.ends_with(" — `/n`") && !line.contains("PNDNG"),
        "{line}"
    );
    let token = line.split('#').nth(1).unwrap().split(' ').next().unwrap().to_owned();
    commit(&format!("## Pending Tasks\n{line}\n"));
    commit(&format!("# Later\n\n## Pending Tasks\n{}\n", line.replace("**New**", "**Newer name**")));
    let context = stage.engine(&["task", "context", &token]);
    assert_eq!(context.stdout, format!("## Pending Tasks\n{line}\n"), "{}", context.stderr);
    let gone = stage.ok(&["task", "context", "Old name"]);
    assert_eq!(gone, "## Pending Tasks\n- [ ] **Old name** — `/o`\n");
    assert_eq!(stage.engine(&["task", "context", "Never"]).code, Some(3));
    // Names that stand escaped or bare in the file are found too.
    commit("## Pending Tasks\n- [ ] **Use \\`foo\\` now** — `/u`\n- [ ] bare name\n");
    commit("## Pending Tasks\n- [ ] **Other** — `/o2`\n");
    for name in ["Use `foo` now", "bare name"] {
        assert!(stage.ok(&["task", "context", name]).contains("bare name\n"), "{name}");
    }
    stage.write("session.md", "## Pending Tasks\n- [ ] **Other** — `/o2`\n- [ ] **Use \\`foo\\` now** — `/u`\n- [ ] **bare name** — `/b`\n");
    let out = stage.engine(&["task", "validate"]).stdout;
    assert_eq!(out.matches("was used before, until commit").count(), 2, "{out}");
}

/// What `task validate` would find fault with later is refused where the name is given.
#[test]
fn a_name_that_is_taken_is_refused() {
    let stage = Stage::new();
    stage.git(&["init", "-q"]);
    let commit = |text: &str| {
        stage.write("session.md", text);
        stage.git(&["add", "-A"]);
        stage.git(&["commit", "-qm", "work"]);
    };
    commit("## Pending Tasks\n- [x] **Old name** — `/o`\n");
    commit("## Pending Tasks\n- [x] **Done one** — `/d`\n- [ ] **Removed** — `/r`\n");
    let refused = |name: &str| {
        let out = stage.engine(&["task", "add", name]);
        let day = out.stderr.split("until commit ").nth(1).and_then(|rest| rest.lines().next());
        let text = day.map_or(out.stderr.clone(), |day| out.stderr.replace(day, "[COMMIT]"));
        format!("{} {text}", out.code.unwrap())
    };
    insta::assert_snapshot!(refused("done ONE"), @r"
    1 engine: done ONE is there already, done, in line 2
      to do it again: engine task reopen 'Done one'; or take another name
    ");
    insta::assert_snapshot!(refused("Old name"), @r"
    1 engine: Old name is the name of an earlier task, until commit [COMMIT]
      take another name; what it was: engine task context 'Old name'
    ");
    // One that is only gone from the working tree comes back.
    stage.write("session.md", "## Pending Tasks\n");
    assert_eq!(refused("Removed"), "0 ");
    assert_eq!(stage.engine(&["task", "validate"]).code, Some(0));
}

#[test]
fn odd_fields_never_break_the_file() {
    let stage = Stage::new();
    stage.ok(&[
        "task",
        "add",
        "X\u{1b}[31m\u{7}",
        "--command",
        "/a\n- [ ] **Evil** —",
        "--needs",
        "B\n## Notes",
    ]);
    stage.ok(&["task", "add", "Ticks", "--command", "a``b`"]);
    stage.ok(&["task", "add", "Empty", "--command", ""]);
    assert_eq!(
        stage.read("session.md"),
        "# Session\n\n## Pending Tasks\n\n- [ ] **X [31m** — `/a - [ ] **Evil** —` | sonnet | needs: B ## Notes\n- [ ] **Ticks** — ``` a``b` ``` | sonnet\n- [ ] **Empty** — | sonnet\n"
    );
    let tasks = stage.engine(&["task", "list", "--json"]).json();
    assert_eq!(tasks["tasks"][1]["command"], "a``b`");
    let before = stage.read("session.md");
    for (args, code) in [
        (&["task", "edit", "Ticks", "--rename", " "][..], 2),
        (&["task", "edit", "Ticks", "--rename", "eMPTY"], 1),
        (&["task", "block", "Ticks", " "], 2),
        (&["task", "move", "Ticks", "--before", "Ticks"], 3),
        (&["task", "move", "Ticks", "--section", "Worktree Tasks"], 1),
    ] {
        assert_eq!(stage.engine(args).code, Some(code), "{args:?}");
    }
    assert_eq!(stage.read("session.md"), before);
}

#[test]
fn a_persons_own_lines_and_hidden_text_stay() {
    let stage = Stage::new();
    let text = "---\nx: 1\n---\n<!--\n## Pending Tasks\n- [ ] hidden\n-->\n ## Pending Tasks:\n- [ ] **A** —\n  Blocked: my own remark\n  ```sh\n  Failed: 3 tests\n- [note] no task\n- [ref][1]\n- [ ] **B** —\n";
    stage.write("session.md", text);
    stage.ok(&["task", "start", "A"]);
    assert_eq!(stage.read("session.md"), text.replace("- [ ] **A**", "- [>] **A**"));
    stage.ok(&["task", "add", "C"]);
    assert_eq!(
        stage.read("session.md"),
        format!("{}- [ ] **C** — | sonnet\n", text.replace("- [ ] **A**", "- [>] **A**"))
    );
    assert_eq!(stage.ok(&["task", "list"]).lines().count(), 3);
    assert_eq!(stage.engine(&["task", "validate"]).code, Some(0));
    // A fence at the edge that is never closed hides what follows, and that is told.
    stage.write("session.md", "## Pending Tasks\n- [ ] **A** — `/a`\n```\n- [ ] **B** —\n");
    let out = stage.engine(&["task", "validate"]);
    assert_eq!(
        out.stdout,
        "session.md:3: error: a code fence or comment begins here and is never closed; tasks behind it are not seen\n"
    );
}

#[test]
fn what_a_task_waits_for_holds_it_back_until_it_is_over() {
    let stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **B** — | needs: A\n- [!] **A** —\n");
    let out = stage.engine(&["task", "start", "B"]);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (Some(1), "engine: B waits for A\n  to start it all the same: engine task edit --needs '' 'B'\n")
    );
    // What is cancelled is not done.
    stage.ok(&["task", "cancel", "A"]);
    assert_eq!(stage.engine(&["task", "start", "B"]).code, Some(1));
    stage.ok(&["task", "reopen", "A"]);
    stage.ok(&["task", "done", "A"]);
    assert_eq!(stage.ok(&["task", "start", "B"]), "B: in progress\n");
}

#[test]
fn a_pipe_in_place_of_the_task_file_does_not_hang() {
    let stage = Stage::new();
    assert!(Command::new("mkfifo").arg(stage.root().join("session.md")).status().unwrap().success());
    stage.write(".engine/config.toml", "[tasks]\nfile = \"session.md\"\n");
    let out = stage.engine(&["status"]);
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), "engine: session.md: not a file\n"));
    let told = stage.hook(&stage.prompt("x")).json()["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(told, "engine: session.md cannot be read: not a file");
}

/// What a link leads to outside of the project may be anybody's file.
#[test]
fn a_task_file_that_leads_out_of_the_project_is_not_changed() {
    let stage = Stage::new();
    let text = "## Pending Tasks\n- [ ] **One** —\n";
    let outside = stage.home().join("other.md");
    fs::write(&outside, text).unwrap();
    symlink(&outside, stage.root().join("session.md")).unwrap();
    let refused = stage.engine(&["task", "add", "two"]);
    assert_eq!(refused.code, Some(1));
    insta::assert_snapshot!(stage.masked(&refused.stderr), @"engine: failed to read file `[TOP]/project/session.md`: it is a link that leads out of the project; put a file of its own in its place");
    stage.hook(&stage.prompt("p: three"));
    assert_eq!(fs::read_to_string(&outside).unwrap(), text);
    fs::remove_file(stage.root().join("session.md")).unwrap();
    stage.write("notes/tasks.md", text);
    symlink("notes/tasks.md", stage.root().join("session.md")).unwrap();
    stage.ok(&["task", "add", "two"]);
    assert!(stage.read("notes/tasks.md").contains("two"));
    assert!(stage.root().join("session.md").is_symlink());
}
