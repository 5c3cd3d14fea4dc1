//! `engine q` and `q:`: captures, claims and what must not be lost.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::{Value, json};

use crate::faults::in_namespace;
use crate::stage::{Kills, Output, SESSION, Stage, at_once, run, until};

/// Keeps a text and gives its id.
fn add(stage: &Stage, words: &[&str]) -> String {
    let said = stage.ok(&[&["q", "add"], words].concat());
    said.trim().strip_prefix("kept as ").unwrap_or_else(|| panic!("{said}")).to_owned()
}

fn add_stdin(stage: &Stage, text: &str) -> Output {
    run(stage.command(&["q", "add", "-"]), Some(text.as_bytes()))
}

fn item(stage: &Stage, id: &str) -> Value {
    stage.engine(&["q", "show", id, "--json"]).json()
}

fn items(stage: &Stage) -> Vec<Value> {
    stage.engine(&["q", "list", "--all", "--json"]).json()["items"].as_array().unwrap().clone()
}

fn states(stage: &Stage) -> Vec<String> {
    let word = |item: &Value| item["state"].as_str().unwrap_or("damaged").to_owned();
    items(stage).iter().map(word).collect()
}

/// Ids by their letters, moments gone.
fn plain(text: &str, ids: &[&String]) -> String {
    let mut text = text.to_owned();
    for (id, letter) in ids.iter().zip('A'..) {
        text = text.replace(id.as_str(), &format!("[{letter}]"));
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let moment = moment(rest);
        if moment > 0 {
            out.push_str("[AT]");
        } else {
            out.push(c);
        }
        rest = &rest[moment.max(c.len_utf8())..];
    }
    out
}

/// How long the moment is with which a text begins: `2026-11-15 20:34:41` or `2026-11-15T20:34:41.000Z`.
fn moment(text: &str) -> usize {
    let shape = |c: char| if c.is_ascii_digit() { '9' } else { c };
    let begin: String = text.chars().take(24).map(shape).collect();
    let shapes = ["9999-99-99T99:99:99.999Z", "9999-99-99 99:99:99"];
    shapes.iter().find(|shape| begin.starts_with(**shape)).map_or(0, |shape| shape.len())
}

fn agent(stage: &mut Stage) {
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
}

#[test]
fn the_life_of_an_item() {
    let stage = Stage::new();
    let empty = stage.engine(&["q", "pull"]);
    assert_eq!((empty.code, empty.stderr.as_str()), (Some(3), "engine: the queue is empty\n"));
    assert_eq!(stage.engine(&["q", "list"]).stderr, "the queue is empty\n");
    let id = add(&stage, &["implement", "dark mode"]);
    assert!(id.ends_with("-implement-dark-mode") && id.len() == 35, "{id}");
    insta::assert_snapshot!(plain(&stage.ok(&["q", "show", &id[..15]]), &[&id]), @"
    ---
    title: implement dark mode
    state: open
    created: [AT]
    ---

    ## Context

    - Captured: [AT]

    ## Goal

    What the original fragment asks for; nothing of it is worked out yet.

    ## Approach

    Not worked out yet.

    ## Relevant files

    None known yet.

    ## Original fragment

    ```text
    implement dark mode
    ```
    ");
    let pulled = stage.engine(&["q", "pull"]);
    insta::assert_snapshot!(plain(&pulled.stdout, &[&id]), @"
    Queue item [A]: implement dark mode

    ## Context

    - Captured: [AT]

    ## Goal

    What the original fragment asks for; nothing of it is worked out yet.

    ## Approach

    Not worked out yet.

    ## Relevant files

    None known yet.

    ## Original fragment

    ```text
    implement dark mode
    ```
    ");
    insta::assert_snapshot!(plain(&pulled.stderr, &[&id]), @"pulled [A]; when it is done: engine q done [A]; to put it back: engine q release [A]");
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list"]), &[&id]), @"[A]  pulled  implement dark mode  by person, [AT]");
    let again = stage.engine(&["q", "pull", &id]);
    assert_eq!(again.code, Some(1));
    insta::assert_snapshot!(plain(&again.stderr, &[&id]), @"
    engine: [A] is pulled by person
      to open it again: engine q release [A]
    ");
    assert_eq!(plain(&stage.ok(&["q", "release", &id]), &[&id]), "[A]: open\n");
    assert_eq!(stage.engine(&["q", "release", &id]).code, Some(3));
    assert_eq!(plain(&stage.ok(&["q", "done", &id]), &[&id]), "[A]: done\n");
    assert_eq!(stage.ok(&["q", "list"]), "");
    assert_eq!(
        plain(&stage.ok(&["q", "drop", &id, "--why", "no\nlonger: needed"]), &[&id]),
        "[A]: dropped\n"
    );
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list", "--all"]), &[&id]), @"[A]  dropped  implement dark mode  no longer: needed");
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list", "--all", "--json"]), &[&id]), @r#"{"items":[{"after":[],"branch":null,"closed":"[AT]","created":"[AT]","file":".engine/queue/[A].md","id":"[A]","pulled":null,"pulledBy":null,"session":null,"state":"dropped","title":"implement dark mode","waits":[],"why":"no longer: needed"}],"version":1}"#);
    let unknown = stage.engine(&["q", "done", "2031"]);
    assert_eq!(
        (unknown.code, unknown.stderr.as_str()),
        (Some(1), "engine: no item 2031\n  list them: engine q list --all\n")
    );
}

#[test]
fn what_is_known_at_that_moment_is_kept_with_it() {
    let mut stage = Stage::new();
    stage.git(&["init", "-q", "-b", "feat/dark"]);
    stage.write("src/theme.rs", "");
    stage.write("session.md", "## Pending Tasks\n- [>] **Fix the parser** — | opus\n");
    agent(&mut stage);
    let capture = || {
        let out = run(stage.command_in(&stage.root().join("src"), &["q", "add", "dark", "--json"]), None);
        let kept = out.json();
        (kept["item"].clone(), item(&stage, kept["item"]["id"].as_str().unwrap())["sections"].clone())
    };
    // A command waits 50 ms for git, and this machine may be busy.
    let captured = || {
        let mut answer = None;
        until("git answers in time", || {
            answer = Some(capture()).filter(|(_, sections)| sections["Relevant files"] != "None known yet.");
            answer.is_some()
        });
        answer.unwrap()
    };
    let (kept, sections) = captured();
    assert_eq!((&kept["branch"], &kept["session"]), (&json!("feat/dark"), &json!(SESSION)));
    let context = sections["Context"].as_str().unwrap();
    assert!(context.ends_with("\n- Branch: `feat/dark`\n- Task in progress: Fix the parser"), "{context}");
    let mut files: Vec<&str> = sections["Relevant files"].as_str().unwrap().lines().skip(2).collect();
    files.sort_unstable();
    assert_eq!(files, ["- `session.md`", "- `src/`"]);
    stage.git(&["add", "src", "session.md"]);
    stage.git(&["commit", "-qm", "x"]);
    // Nothing is changed now, but the last commit tells what was.
    let (_, sections) = captured();
    let mut files: Vec<&str> = sections["Relevant files"].as_str().unwrap().lines().skip(2).collect();
    files.sort_unstable();
    assert_eq!(files, ["- `session.md`", "- `src/theme.rs`"]);
}

#[test]
fn worktrees_share_one_queue() {
    let stage = Stage::new();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", ".engine/config.toml"]);
    stage.git(&["commit", "-q", "-m", "x"]);
    stage.git(&["worktree", "add", "-q", "../tree", "-b", "side"]);
    let out = run(stage.command_in(&stage.root().join("../tree"), &["q", "add", "from aside"]), None);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!(items(&stage)[0]["branch"], "side");
}

#[test]
fn what_was_typed_comes_back_to_the_byte() {
    let stage = Stage::new();
    for typed in [
        "two\nlines\n\n",
        "crlf\r\nand `ticks`\r\n",
        "---\nstate: done\n---\n",
        "```\nopen",
        "## Original fragment\n\n````text\nno\n````",
        " - [ ] leading",
        "\u{feff}nul \0 and 日本",
    ] {
        let out = add_stdin(&stage, typed);
        assert_eq!(out.code, Some(0), "{}", out.stderr);
        let id = out.stdout.trim().trim_start_matches("kept as ").to_owned();
        assert_eq!(item(&stage, &id)["sections"]["Original fragment"], typed);
        stage.ok(&["q", "pull", &id]);
        stage.ok(&["q", "edit", &id, "--section", "goal", "--text", "x"]);
        stage.ok(&["q", "done", &id]);
        assert_eq!(item(&stage, &id)["sections"]["Original fragment"], typed);
    }
    let id = add(&stage, &["--", "--verbose", "should say 'why'"]);
    assert_eq!(item(&stage, &id)["sections"]["Original fragment"], "--verbose should say 'why'");
}

#[test]
fn texts_have_a_size_and_something_in_them() {
    let stage = Stage::new();
    let largest = "x".repeat(1 << 20);
    assert_eq!(add_stdin(&stage, &largest).code, Some(0));
    assert_eq!(items(&stage).len(), 1);
    let too_large = add_stdin(&stage, &format!("{largest}y"));
    assert_eq!(too_large.code, Some(1));
    assert!(too_large.stderr.starts_with("engine: it was not kept: the text is larger than 1 MB\n"));
    for text in ["", " \n"] {
        let empty = add_stdin(&stage, text);
        assert_eq!(
            (empty.code, empty.stderr.as_str()),
            (Some(2), "engine: there is nothing to keep: the text is empty\n")
        );
    }
    assert_eq!(stage.engine(&["q", "add", ""]).code, Some(2));
    let latin = run(stage.command(&["q", "add", "-"]), Some(b"caf\xe9"));
    assert_eq!((latin.code, latin.stderr.as_str()), (Some(1), "engine: the input is not UTF-8\n"));
    assert_eq!(items(&stage).len(), 1);
}

#[test]
fn chained_items_come_one_after_the_other() {
    let stage = Stage::new();
    let first = add(&stage, &["first"]);
    let second = add(&stage, &["second", "--after", &first]);
    let third = add(&stage, &["third", "--after", &format!("{second},{first}")]);
    let ids = [&first, &second, &third];
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list"]), &ids), @"
    [A]   open     first
    [B]  waiting  second  after [A]
    [C]   waiting  third   after [B]; after [A]
    ");
    let early = stage.engine(&["q", "pull", &third]);
    assert_eq!(early.code, Some(1));
    insta::assert_snapshot!(plain(&early.stderr, &ids), @"
    engine: [C] is not free: after [B]; after [A]
      to pull it all the same: engine q edit [C] --after ''
    ");
    let pulled = |expected: &str| {
        let out = stage.engine(&["q", "pull", "--json"]);
        assert_eq!(out.json()["item"]["id"], *expected);
        let none = stage.engine(&["q", "pull"]);
        stage.ok(&["q", "done", expected]);
        plain(&none.stderr, &ids)
    };
    insta::assert_snapshot!(pulled(&first), @"
    engine: nothing is free; open items: 2
      [B] waits: after [A]
      [C] waits: after [B]; after [A]
    ");
    insta::assert_snapshot!(pulled(&second), @"
    engine: nothing is free; open items: 1
      [C] waits: after [B]
    ");
    assert_eq!(pulled(&third), "engine: the queue is empty\n");
}

#[test]
fn what_waits_in_vain_is_told() {
    let stage = Stage::new();
    let typo = stage.engine(&["q", "add", "kept all the same", "--after", "2031-nope"]);
    assert_eq!(typo.code, Some(0));
    let one = typo.stdout.trim().trim_start_matches("kept as ").to_owned();
    insta::assert_snapshot!(plain(&typo.stderr, &[&one]), @"
    it is after 2031-nope, which is not in the queue, and will not be pulled
      set it right: engine q edit [A] --after ID
    ");
    let gone = add(&stage, &["gone"]);
    let two = add(&stage, &["two", "--after", &gone]);
    stage.ok(&["q", "drop", &gone]);
    // By hand anything can be written.
    let three = add(&stage, &["three"]);
    let four = add(&stage, &["four", "--after", &three]);
    let path = format!(".engine/queue/{three}.md");
    stage.write(
        &path,
        &stage.read(&path).replace("state: open\n", &format!("state: open\nafter:\n  - {four}\n")),
    );
    let ids = [&one, &two, &three, &four, &gone];
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list"]), &ids), @"
    [A]  stuck  kept all the same  after 2031-nope, which is not in the queue
    [B]                stuck  two                after [E], which was dropped
    [C]              stuck  three              after [D], which waits for this one
    [D]               stuck  four               after [C], which waits for this one
    ");
    let none = stage.engine(&["q", "pull"]);
    assert_eq!(none.code, Some(3));
    insta::assert_snapshot!(plain(&none.stderr, &ids), @"
    engine: nothing is free; open items: 4
      [A] waits: after 2031-nope, which is not in the queue
      [B] waits: after [E], which was dropped
      [C] waits: after [D], which waits for this one
      [D] waits: after [C], which waits for this one
    ");
    let waits = |id: &str| item(&stage, id)["item"]["waits"][0]["why"].clone();
    assert_eq!([waits(&one), waits(&two), waits(&three)], ["unknown", "dropped", "cycle"]);
    stage.ok(&["q", "edit", &three, "--after", ""]);
    let circle = stage.engine(&["q", "edit", &three, "--after", &four]);
    assert_eq!(circle.code, Some(1));
    insta::assert_snapshot!(plain(&circle.stderr, &ids), @"engine: [C] would be after [D], which waits for this one");
    stage.ok(&["q", "edit", &one, "--after", &three]);
    assert_eq!(waits(&one), "open");
}

#[test]
fn case_19_twenty_pull_ten_items() {
    let stage = Stage::new();
    for n in 0..10 {
        add(&stage, &[&format!("idea {n}")]);
    }
    let outs = at_once(20, |_| stage.command(&["q", "pull", "--json"]));
    let got: BTreeSet<String> = outs
        .iter()
        .filter(|out| out.code == Some(0))
        .map(|out| out.json()["item"]["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(got.len(), 10, "each item once");
    let empty: Vec<&Output> = outs.iter().filter(|out| out.code == Some(3)).collect();
    assert_eq!(empty.len(), 10);
    assert!(empty.iter().all(|out| out.json()["error"] == "the queue is empty"));
    assert_eq!(states(&stage), ["pulled"; 10]);
}

#[test]
fn twenty_capture_the_same_words() {
    let stage = Stage::new();
    let outs = at_once(20, |_| stage.command(&["q", "add", "the same"]));
    let ids: BTreeSet<&str> = outs.iter().map(|out| out.stdout.trim()).collect();
    assert_eq!(ids.len(), 20);
    assert_eq!(states(&stage), ["open"; 20]);
}

#[test]
fn killed_at_any_moment_no_item_is_lost_or_doubled() {
    let stage = Stage::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    let (mut kills, mut n) = (Kills::new(), 0);
    while kills.killed < 50 {
        n += 1;
        let said = kills.kill(stage.command(&["q", "add", &format!("idea {n}")]).spawn().unwrap()).stdout;
        told.extend(said.trim().strip_prefix("kept as ").map(str::to_owned));
    }
    let all = items(&stage);
    let ids: BTreeSet<String> = all.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    assert!(told.is_subset(&ids), "what was told is there");
    assert!(all.iter().all(|item| item["state"] == "open"), "{all:?}");
    let titles: BTreeSet<&str> = all.iter().map(|item| item["title"].as_str().unwrap()).collect();
    assert_eq!(titles.len(), all.len(), "no item is doubled");
    let mut kills = Kills::new();
    while kills.killed < 50 {
        let said = kills.kill(stage.command(&["q", "pull"]).spawn().unwrap()).stdout;
        let states = items(&stage);
        assert_eq!(states.len(), ids.len(), "none is lost");
        assert!(states.iter().all(|item| item["damaged"].is_null()), "{states:?}");
        if let Some(id) = said.strip_prefix("Queue item ").and_then(|rest| rest.split(':').next()) {
            assert_eq!(states.iter().find(|item| item["id"] == *id).unwrap()["state"], "pulled");
        }
    }
    // No lock stays behind.
    let rest = states(&stage).iter().filter(|state| *state == "open").count();
    for _ in 0..rest {
        stage.ok(&["q", "pull"]);
    }
    assert_eq!(stage.engine(&["q", "pull"]).code, Some(3));
}

#[test]
fn damaged_files_are_named_and_stop_nobody() {
    let stage = Stage::new();
    let good = add(&stage, &["good"]);
    stage.write(".engine/queue/a-note.md", "just text\n");
    stage.write(".engine/queue/b-state.md", "---\nstate: later\n---\n");
    fs::write(stage.root().join(".engine/queue/c-bytes.md"), b"---\nstate: open\n\xff").unwrap();
    fs::create_dir(stage.root().join(".engine/queue/d-folder.md")).unwrap();
    stage.write("outside.md", "---\nstate: open\n---\n");
    symlink(stage.root().join("outside.md"), stage.root().join(".engine/queue/e-link.md")).unwrap();
    let pipe = Command::new("mkfifo").arg(stage.root().join(".engine/queue/f-pipe.md")).status().unwrap();
    assert!(pipe.success());
    stage.write(".engine/queue/left.md.1.tmp", "half");
    insta::assert_snapshot!(plain(&stage.ok(&["q", "list"]), &[&good]), @r#"
    a-note                damaged  no front matter between two lines ---
    b-state               damaged  state "later" is none of open, pulled, done, dropped
    c-bytes               damaged  stream did not contain valid UTF-8
    d-folder              damaged  not a file
    e-link                damaged  a symbolic link, not a file
    f-pipe                damaged  not a file
    [A]  open     good
    "#);
    let done = stage.engine(&["q", "done", "b-state"]);
    assert_eq!(done.code, Some(1));
    insta::assert_snapshot!(done.stderr, @r#"
    engine: b-state is damaged: state "later" is none of open, pulled, done, dropped
      mend it: .engine/queue/b-state.md
    "#);
    assert_eq!(stage.ok(&["q", "show", "a-note"]), "just text\n");
    assert_eq!(stage.engine(&["q", "pull", "--json"]).json()["item"]["id"], *good);
    assert_eq!(stage.engine(&["q", "pull"]).code, Some(3));
    assert_eq!(stage.engine(&["q", "done", "e-link"]).code, Some(1));
    assert_eq!(stage.read("outside.md"), "---\nstate: open\n---\n");
}

#[test]
fn unknown_fields_and_every_other_byte_stay() {
    let stage = Stage::new();
    let text = "---\r\nx-mine: {a: [1]} # why\r\nstate: open\r\ntitle: By hand\r\n---\r\nDo it.\r\n";
    stage.write(".engine/queue/by-hand.md", text);
    assert_eq!(stage.ok(&["q", "pull"]), "Queue item by-hand: By hand\n\nDo it.\r\n");
    stage.ok(&["q", "release", "by-hand"]);
    assert_eq!(stage.read(".engine/queue/by-hand.md"), text);
    stage.ok(&["q", "edit", "by-hand", "--section", "Goal", "--text", "Done well."]);
    assert_eq!(stage.read(".engine/queue/by-hand.md"), format!("{text}## Goal\r\n\r\nDone well.\r\n\r\n"));
}

#[test]
fn an_agent_enriches_by_options() {
    let mut stage = Stage::new();
    agent(&mut stage);
    stage.set("EDITOR", "touch opened;");
    let id = add(&stage, &["dark mode pls"]);
    let before = stage.read(&format!(".engine/queue/{id}.md"));
    let sections = "## Goal\n\nA switch.\n\n## Approach\n\n1. Look.\n2. Write.\n";
    let out = run(
        stage.command(&["q", "edit", &id, "--title", "Add a switch: dark", "--text", "-"]),
        Some(sections.as_bytes()),
    );
    assert_eq!((out.code, plain(&out.stdout, &[&id]).as_str()), (Some(0), "changed [A]\n"), "{}", out.stderr);
    let expected = before
        .replace("title: dark mode pls", "title: \"Add a switch: dark\"")
        .replace("What the original fragment asks for; nothing of it is worked out yet.", "A switch.")
        .replace("Not worked out yet.", "1. Look.\n2. Write.");
    assert_eq!(stage.read(&format!(".engine/queue/{id}.md")), expected);
    assert!(!stage.exists("opened"), "an editor is for people");
    let refused = [
        (
            vec!["--section", "Original fragment", "--text", "mine"],
            "Original fragment is what was typed, and stays as it is",
        ),
        (
            vec!["--section", "Gaol", "--text", "x"],
            "no section Gaol: there are Context, Goal, Approach, Relevant files",
        ),
        (
            vec!["--text", "no heading"],
            "the text begins with no section: ## Context, ## Goal, ## Approach, ## Relevant files",
        ),
        (vec!["--section", "Goal", "--text", "```\nopen"], "the text leaves a code fence or a comment open"),
        (
            vec!["--section", "Goal", "--text", "a\n# b"],
            "the text has a heading # or ##: ### and below are free",
        ),
    ];
    for (args, why) in refused {
        let out = stage.engine(&[&["q", "edit", &id], &args[..]].concat());
        assert_eq!((out.code, out.stderr), (Some(1), format!("engine: {id} was not changed: {why}\n")));
    }
    let bare = stage.engine(&["q", "edit", &id]);
    assert_eq!(
        (bare.code, bare.stderr.as_str()),
        (Some(2), "engine: nothing to change: give --section, --text, --title or --after\n")
    );
    assert_eq!(stage.read(&format!(".engine/queue/{id}.md")), expected);
    let pulled = stage.engine(&["q", "pull", "--json"]).json();
    assert_eq!(pulled["item"]["pulledBy"], SESSION);
    assert!(
        pulled["prompt"]
            .as_str()
            .unwrap()
            .starts_with(&format!("Queue item {id}: Add a switch: dark\n\n## Context\n"))
    );
}

#[test]
fn a_person_edits_in_the_editor() {
    let mut stage = Stage::new();
    let id = add(&stage, &["idea"]);
    let path = format!(".engine/queue/{id}.md");
    let none = stage.engine(&["q", "edit", &id]);
    assert_eq!(
        (none.code, none.stderr),
        (Some(1), format!("engine: no editor: neither VISUAL nor EDITOR is set\n  the file is {path}\n"))
    );
    stage.write("editor.sh", "#!/bin/sh\neval \"$WHAT\"\n");
    let script = stage.root().join("editor.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    stage.set("VISUAL", &format!("{} --wait", script.display()));
    let edit = |what: &str| {
        let mut command = stage.command(&["q", "edit", &id]);
        command.env("WHAT", what);
        run(command, None)
    };
    assert_eq!(edit("true").stdout, format!("{id} is as it was\n"));
    assert_eq!(edit("sed -i 's/Not worked out yet/Think/' \"$2\"").stdout, format!("changed {id}\n"));
    assert_eq!(item(&stage, &id)["sections"]["Approach"], "Think.");
    // Pulled while it was open in the editor: neither is lost.
    let meanwhile = edit("engine q pull >/dev/null 2>&1; sed -i 's/Think/Other/' \"$2\"");
    assert_eq!(meanwhile.code, Some(1));
    let (why, place) = meanwhile.stderr.trim_end().split_once("\n  your text is in ").unwrap();
    assert_eq!(why, format!("engine: {id} was not changed: somebody else changed it meanwhile"));
    assert!(fs::read_to_string(place).unwrap().contains("Other."));
    assert_eq!(item(&stage, &id)["item"]["state"], "pulled");
    let broken = edit("echo broken > \"$2\"");
    assert!(
        broken.stderr.contains("was not changed: no front matter between two lines ---\n  your text is in ")
    );
    assert_eq!(edit("exit 3").code, Some(1));
    assert_eq!(item(&stage, &id)["sections"]["Approach"], "Think.");
}

#[test]
fn q_keeps_the_idea_before_the_model_sees_it() {
    let stage = Stage::new();
    let out = stage.hook(&stage.prompt("q: dark mode\n\n  - with `switch`"));
    insta::assert_snapshot!(out.stdout, @r#"{"systemMessage":"engine: kept: dark mode, in the queue; engine q list","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"[DIRECTIVE: QUEUE] Kept by engine in the queue, for later: dark mode. It is not to be executed now, and needs no other record. engine q list shows the queue."}}"#);
    let all = items(&stage);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["session"], &all[0]["title"]), (&json!(SESSION), &json!("dark mode")));
    let id = all[0]["id"].as_str().unwrap();
    assert_eq!(item(&stage, id)["sections"]["Original fragment"], "dark mode\n\n  - with `switch`");
    for prompt in ["q", "q:", "q: ", "q:idea", "see q: idea", "Q: idea"] {
        stage.hook(&stage.prompt(prompt)).assert_silent();
    }
    assert_eq!(items(&stage).len(), 1);
    assert!(stage.hook(&stage.prompt("queue: another")).context().contains("for later: another."));
    stage.write(".engine/config.toml", "[rules]\nshortcuts = \"off\"\n");
    stage.hook(&stage.prompt("q: third")).assert_silent();
    assert_eq!(items(&stage).len(), 2);
}

/// Ids of items with the moment in them masked.
pub(crate) fn timeless(text: &str) -> String {
    let moment = |at: usize| {
        let bytes = text.as_bytes().get(at..at + 15)?;
        let is_it =
            |(place, byte): (usize, &u8)| if place == 8 { *byte == b'-' } else { byte.is_ascii_digit() };
        bytes.iter().enumerate().all(is_it).then_some(at)
    };
    match (0..text.len()).find_map(moment) {
        Some(at) => format!("{}[TIME]{}", &text[..at], &text[at + 15..]),
        None => text.to_owned(),
    }
}

#[test]
fn words_that_cannot_be_kept_are_told() {
    let stage = Stage::new();
    stage.write(".engine/queue", "a file in the way");
    let out = stage.hook(&stage.prompt("q: dark mode"));
    let told = "engine: it was not put into the queue: failed to create file `[TOP]/project/.engine/queue/[TIME]-dark-mode.md`: Not a directory (os error 20). It was: dark mode";
    let answer = out.json();
    for shown in [&answer["systemMessage"], &answer["hookSpecificOutput"]["additionalContext"]] {
        assert_eq!(timeless(&stage.masked(shown.as_str().unwrap())), told);
    }
    let typed = stage.engine(&["q", "add", "dark mode"]);
    assert_eq!(typed.code, Some(1));
    insta::assert_snapshot!(timeless(&stage.masked(&typed.stderr)), @"
    engine: it was not kept: failed to create file `[TOP]/project/.engine/queue/[TIME]-dark-mode.md`: Not a directory (os error 20)
      the queue is [TOP]/project/.engine/queue
    ");
    let list = stage.engine(&["q", "list"]);
    assert_eq!(list.code, Some(1));
    let long = stage.hook(&stage.prompt(&format!("q: {}", "dark mode ".repeat(5000))));
    assert!(long.context().len() < 10_000);
}

#[test]
#[ignore = "needs mount namespaces: cargo xtask test"]
fn a_read_only_project_says_so() {
    let stage = Stage::new();
    add(&stage, &["there"]);
    let script = "mount --bind . . && mount -o remount,ro,bind . && cd . && printf '%s' \"$EVENT\" | \"$ENGINE\" hook; echo; for c in 'add x' pull 'list'; do \"$ENGINE\" q $c 2>&1 && code=0 || code=$?; echo \"exit $code\"; done";
    let out = in_namespace(&stage, script, &stage.prompt("q: idea").to_string());
    let id = items(&stage)[0]["id"].as_str().unwrap().to_owned();
    let (hook, rest) = out.stdout.split_once('\n').unwrap();
    let hook: Value = serde_json::from_str(hook).unwrap();
    let told = hook["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    insta::assert_snapshot!(timeless(&stage.masked(told)), @"engine: it was not put into the queue: failed to create file `[TOP]/project/.engine/queue/[TIME]-idea.md`: Read-only file system (os error 30). It was: idea");
    insta::assert_snapshot!(timeless(&stage.masked(&plain(rest, &[&id]))), @"
    engine: it was not kept: failed to create file `[TOP]/project/.engine/queue/[TIME]-x.md`: Read-only file system (os error 30)
      the queue is [TOP]/project/.engine/queue
    exit 1
    engine: failed to create directory `[TOP]/project/.engine/state`: Read-only file system (os error 30)
    exit 1
    [A]  open  there
    exit 0
    ");
    assert_eq!(states(&stage), ["open"]);
}

#[test]
fn what_a_living_session_works_on_is_not_taken_from_it() {
    let mut stage = Stage::new();
    let id = add(&stage, &["one"]);
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.event("SessionStart"));
    stage.ok(&["q", "pull"]);
    stage.set("CLAUDE_CODE_SESSION_ID", "another-session");
    for command in ["release", "done", "drop"] {
        let refused = stage.engine(&["q", command, &id]);
        assert_eq!(refused.code, Some(1), "{command}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(plain(&refused.stderr, &[&id]).replace(SESSION, "[SESSION]"), @"
            engine: the agent session [SESSION] works on [A]
              it is free when that session ends, or by a person's word in a terminal of their own
            ");
        }
    }
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION, "reason": "exit"})));
    stage.ok(&["q", "release", &id]);
    stage.ok(&["q", "pull"]);
    stage.ok(&["q", "done", &id]);
}
