//! What a session is told at its start: context files within their budget, the person's own, variables, the protocol of links.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::stage::{SESSION, Stage};

fn start(stage: &Stage) -> String {
    let output = stage.hook(&stage.event("SessionStart"));
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    let answer = output.json();
    let person = answer["systemMessage"].as_str().map(|line| format!("\nperson: {line}")).unwrap_or_default();
    let model = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("-");
    stage.masked(&format!("{model}{person}"))
}

/// A file of the person's own.
fn own(stage: &Stage, name: &str, text: &str) {
    let folder = stage.home().join(".config/engine/context");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn small_files_are_whole_and_what_is_cut_says_so() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[inject]\nbudget = 900\n");
    stage.write(".engine/context/FRAMEWORK.md", &"A line about where things are.\n".repeat(100));
    stage.write(".engine/context/AXIOMS.md", "Never at noon.\n");
    stage.write(".engine/context/CORE.md", &format!("Who.\n{}\nEnd.\n", "word ".repeat(2000)));
    let told = start(&stage);
    insta::assert_snapshot!(told.replace(&"word ".repeat(40), "<40 words>"), @"
    Files loaded at session start, not all of them whole:

    ## FRAMEWORK.md

    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    A line about where things are.
    … 2,790 characters more: .engine/context/FRAMEWORK.md

    ## AXIOMS.md

    Never at noon.

    ## CORE.md

    Who.
    <40 words>word word word word word word word word word word word word word word word word word word word word word word word word word word word w … 9,669 characters more: .engine/context/CORE.md
    person: engine: not whole for the model: .engine/context/FRAMEWORK.md (2,790 of 3,099 characters left out), .engine/context/CORE.md (9,669 of 10,010 characters left out) (inject.budget = 900)
    ");
    // The person knows.
    assert!(!start(&stage).contains("person: "));
    stage.write(".engine/context/CORE.md", "Who.\n");
    assert!(start(&stage).contains("person: "), "another text, another line");
}

#[test]
fn the_persons_own_files_come_first_and_nothing_shadows() {
    let stage = Stage::new();
    own(&stage, "preferences.md", "Short answers.\n");
    own(&stage, "CORE.md", "I am Ada.\n");
    own(&stage, "PROMPT.md", "Not at the start.\n");
    own(&stage, "notes.txt", "no Markdown\n");
    own(&stage, "empty.md", "\n");
    stage.write(".engine/context/CORE.md", "The team.\n");
    stage.write(".engine/context/AXIOMS.md", "Never at noon.\n");
    insta::assert_snapshot!(start(&stage), @"
    Files loaded at session start: [TOP]/home/.config/engine/context/CORE.md, [TOP]/home/.config/engine/context/preferences.md, .engine/context/AXIOMS.md, .engine/context/CORE.md

    ## CORE.md (of the user, for all projects)

    I am Ada.

    ## preferences.md (of the user, for all projects)

    Short answers.

    ## AXIOMS.md

    Never at noon.

    ## CORE.md

    The team.
    ");
    for source in ["resume", "fork"] {
        stage.hook(&stage.event_with("SessionStart", &json!({"source": source}))).assert_silent();
    }
    assert!(
        stage
            .hook(&stage.event_with("SessionStart", &json!({"source": "compact"})))
            .context()
            .contains("Ada")
    );
}

#[test]
fn the_persons_own_need_no_trust_and_the_projects_do() {
    let stage = Stage::new();
    own(&stage, "CORE.md", "I am Ada.\n");
    stage.write(".engine/context/AXIOMS.md", "Never at noon.\n");
    stage.ok(&["trust", "--drop"]);
    let told = start(&stage);
    assert!(told.contains("I am Ada.") && !told.contains("noon.\n"), "{told}");
    // Settings of a project may have set the variable.
    let mut elsewhere = Stage::new();
    elsewhere.write("conf/engine/context/CORE.md", "I am the clone.\n");
    elsewhere.ok(&["trust", "--drop"]);
    let folder = elsewhere.root().join("conf").display().to_string();
    elsewhere.set("XDG_CONFIG_HOME", &folder);
    assert!(!start(&elsewhere).contains("I am the clone."));
}

#[test]
fn odd_files_of_the_persons_own_stop_nothing() {
    let stage = Stage::new();
    own(&stage, "CORE.md", "I am Ada.\n");
    let folder = stage.home().join(".config/engine/context");
    fs::write(folder.join("bytes.md"), b"\xff\xfe").unwrap();
    fs::create_dir(folder.join("folder.md")).unwrap();
    symlink("nowhere", folder.join("lost.md")).unwrap();
    fs::write(stage.home().join("dot.md"), "From my dotfiles.\n").unwrap();
    symlink(stage.home().join("dot.md"), folder.join("link.md")).unwrap();
    fs::write(folder.join("huge.md"), "x".repeat(40 << 20)).unwrap();
    let told = start(&stage);
    assert!(told.contains("I am Ada.") && told.contains("From my dotfiles."), "{told}");
    assert!(told.encode_utf16().count() < 10_000);
    // Thousands of them end somewhere.
    let many = Stage::new();
    for index in 0..3000 {
        own(&many, &format!("f{index}.md"), "fact\n");
    }
    let told = start(&many);
    assert!(told.encode_utf16().count() < 10_000 && told.contains("fact"));
}

#[test]
fn a_link_in_the_project_feeds_nothing_else() {
    let stage = Stage::new();
    fs::write(stage.home().join("secret.md"), "SECRET").unwrap();
    fs::create_dir_all(stage.root().join(".engine/context")).unwrap();
    symlink(stage.home().join("secret.md"), stage.root().join(".engine/context/CORE.md")).unwrap();
    let told = start(&stage);
    assert!(!told.contains("SECRET") && told.contains("leads out of the project"), "{told}");
}

#[test]
fn variables_of_the_framework_stand_for_folders() {
    let mut stage = Stage::new();
    stage.set("GITHUB_TOKEN", "SECRET");
    let text = "Work in ${PROJECT}, sessions in ${SESSIONS}, files in ${CONTEXT}, mine in ${USER}, ${ENGINE}, ${HOME}.\n${GITHUB_TOKEN} ${AOPS} $PROJECT\n";
    stage.write(".engine/context/FRAMEWORK.md", text);
    stage.write(".engine/context/CORE.md", "${PROJECT} stays here.\n");
    insta::assert_snapshot!(start(&stage), @"
    Files loaded at session start: .engine/context/FRAMEWORK.md, .engine/context/CORE.md

    ## FRAMEWORK.md

    Work in [TOP]/project, sessions in [TOP]/project/sessions, files in [TOP]/project/.engine/context, mine in [TOP]/home/.config/engine, [TOP]/project/.engine, [TOP]/home.
    ${GITHUB_TOKEN} ${AOPS} $PROJECT

    ## CORE.md

    ${PROJECT} stays here.
    ");
}

#[test]
fn the_protocol_of_links_is_told_if_it_is_not_the_usual_one() {
    let stage = Stage::new();
    assert_eq!(start(&stage), "-");
    stage.ok(&["config", "set", "links.protocol", "cursor"]);
    insta::assert_snapshot!(start(&stage), @"Terminal link protocol: cursor (cursor://file/ABSOLUTE/PATH:LINE)");
    stage.write(".engine/context/CORE.md", "Who.\n");
    insta::assert_snapshot!(start(&stage), @"
    Files loaded at session start: .engine/context/CORE.md

    ## CORE.md

    Who.

    Terminal link protocol: cursor (cursor://file/ABSOLUTE/PATH:LINE)
    ");
    stage.ok(&["config", "set", "links.protocol", "file"]);
    assert!(!start(&stage).contains("Terminal link protocol"));
    let out = stage.engine(&["config", "set", "links.protocol", "emacs"]);
    insta::assert_snapshot!(out.stderr, @r#"engine: links.protocol takes one of file, vscode, vscode-insiders, cursor, idea, none, not "emacs""#);
}

#[test]
fn links_are_for_a_terminal() {
    let mut stage = Stage::new();
    stage.write(
        ".claude/skills/fix/SKILL.md",
        "---\nname: fix\ndescription: Fixes.\nengine:\n  phases:\n    - {label: \"1\", name: Setup}\n---\nFix it.\n",
    );
    stage.ok(&["session", "activate", "sessions/2026_02_07_AUTH", "fix"]);
    stage.ok(&["config", "set", "links.protocol", "vscode"]);
    let url = format!("vscode://file{}/sessions/2026_02_07_AUTH", stage.root().display());
    let commands = [&["session", "list"][..], &["session", "show", "sessions/2026_02_07_AUTH"]];
    for args in commands {
        assert!(!stage.ok(args).contains("\x1b]8"), "{args:?}");
    }
    // As a terminal has it.
    stage.set("CLICOLOR_FORCE", "1");
    for args in commands {
        let shown = stage.ok(args);
        assert!(shown.contains(&format!("\x1b]8;;{url}\x1b\\sessions/2026_02_07_AUTH")), "{args:?}: {shown}");
    }
    let line = stage.ok(&["session", "list"]);
    assert!(line.contains("\x1b]8;;\x1b\\  \x1b"), "the columns line up: {line:?}");
    stage.hook(&stage.write_tool(".engine/config.toml", "x"));
    let why = stage.ok(&["why"]);
    let file = format!("vscode://file{}/.engine/config.toml", stage.root().display());
    assert!(why.contains(&format!("\x1b]8;;{file}\x1b\\")), "{why}");
    stage.ok(&["config", "set", "links.protocol", "none"]);
    assert!(!stage.ok(&["session", "list"]).contains("\x1b]8"));
}

/// What Stop says, after a prompt and these calls.
fn turn(stage: &Stage, number: usize, calls: &[(&str, serde_json::Value)]) -> String {
    let mut prompt = stage.prompt("go on");
    prompt["session_id"] = json!(SESSION);
    prompt["prompt_id"] = json!(format!("p{number}"));
    stage.hook(&prompt);
    for (index, (tool, input)) in calls.iter().enumerate() {
        let fields = json!({"session_id": SESSION, "tool_use_id": format!("t{number}{index}"), "tool_name": tool, "tool_input": input});
        stage.hook(&stage.event_with("PreToolUse", &fields));
        stage.hook(&stage.event_with("PostToolUse", &fields));
    }
    let stops = [json!({}), json!({"stop_hook_active": true}), json!({})].map(|mut fields| {
        fields["session_id"] = json!(SESSION);
        let output = stage.hook(&stage.event_with("Stop", &fields));
        if output.stdout.trim().is_empty() {
            return "-".to_owned();
        }
        let answer = output.json();
        let person = answer["systemMessage"].as_str().map(|line| format!("person: {line}"));
        person.unwrap_or_else(|| {
            answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("?").to_owned()
        })
    });
    stops.join(" | ")
}

#[test]
fn the_reminder_comes_once_after_a_turn_that_changed_something() {
    for (whom, said) in [("agent", "Log it. | - | -"), ("person", "person: engine: Log it. | - | -")] {
        let stage = Stage::new();
        stage.ok(&["config", "set", "reminder.text", "Log it."]);
        stage.ok(&["config", "set", "reminder.for", whom]);
        let file = |path: &str| json!({"file_path": stage.root().join(path), "content": "x", "old_string": "a", "new_string": "b"});
        let bash = |command: &str| json!({"command": command});
        let none = "- | - | -";
        let cases = [
            (vec![], none),
            (vec![("Read", file("a")), ("Bash", bash("ls; cargo test 2>&1 | tail > /tmp/out"))], none),
            (vec![("Edit", file("a"))], said),
            (vec![("Read", file("a"))], none),
            (vec![("Write", file("a")), ("Read", file("a"))], said),
            (vec![("Bash", bash("sed -i s/a/b/ x"))], said),
            (vec![("Bash", bash("git commit -m x"))], said),
            (vec![("Bash", bash("git log"))], none),
            (vec![("Write", file("sessions/2026_02_07_AUTH/FIX_LOG.md"))], none),
        ];
        for (number, (calls, expected)) in cases.into_iter().enumerate() {
            assert_eq!(turn(&stage, number, &calls), expected, "{whom} {number} {calls:?}");
        }
    }
}
