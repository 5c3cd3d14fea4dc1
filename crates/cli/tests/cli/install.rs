//! `engine init` and `engine uninstall`: every byte that is not ours stays.

use std::fs;

use serde_json::Value;

use crate::stage::{Stage, at_once, at_terminal};

const RICH: &str = "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls:*)\"\n\t\t]\n\t},\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Bash\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{ \"type\": \"command\", \"command\": \"my-hook\" }\n\t\t\t\t]\n\t\t\t}\n\t\t],\n\t\t\"Stop\": []\n\t},\n\t\"env\": {}\n}\n";

/// Settings texts that users have: nothing, empty, rich with tabs and foreign hooks, CRLF, no final newline.
fn texts() -> Vec<Option<String>> {
    let crlf = RICH.replace('\n', "\r\n");
    let mark = format!("\u{feff}{RICH}");
    let texts = [
        "{}",
        "{}\n",
        "{ }",
        "",
        RICH,
        RICH.trim_end(),
        &crlf,
        &mark,
        "{\"hooks\":{\"Stop\":[]},\"model\":\"x\"}",
        "{\n    \"hooks\": {}\n}",
    ];
    std::iter::once(None).chain(texts.iter().map(|text| Some((*text).to_owned()))).collect()
}

#[test]
fn init_then_uninstall_gives_back_the_exact_bytes() {
    for scope in ["project", "local", "user"] {
        for text in texts() {
            let stage = Stage::bare();
            let file = match scope {
                "project" => stage.root().join(".claude/settings.json"),
                "local" => stage.root().join(".claude/settings.local.json"),
                _ => stage.home().join(".claude/settings.json"),
            };
            if let Some(text) = &text {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, text).unwrap();
            }
            let before = stage.tree();
            stage.ok(&["init", "--scope", scope, "--with", "skills,statusline"]);
            let wired: Value =
                serde_json::from_str(fs::read_to_string(&file).unwrap().trim_start_matches('\u{feff}'))
                    .unwrap();
            assert!(wired["hooks"]["PreToolUse"].as_array().is_some_and(|groups| !groups.is_empty()));
            let line = wired["statusLine"]["command"].as_str().unwrap_or_default();
            assert!(line.contains("engine statusline"), "{wired}");
            let once = stage.tree();
            stage.ok(&["init", "--scope", scope, "--with", "skills,statusline"]);
            assert_eq!(stage.tree(), once, "a second init changes nothing ({scope}, {text:?})");
            stage.ok(&["uninstall", "--purge"]);
            if scope == "user" {
                stage.ok(&["uninstall", "--scope", "user"]);
            }
            assert_eq!(fs::read_to_string(&file).ok(), text, "{scope}");
            assert_eq!(stage.tree(), before, "{scope}, {text:?}");
        }
    }
}

#[test]
fn the_status_line_is_set_only_if_there_is_none() {
    let line = |path: &str, stage: &Stage| {
        let text = fs::read_to_string(stage.root().join(path)).unwrap_or_default();
        let settings: Value = serde_json::from_str(&text).unwrap_or_default();
        stage.masked(settings["statusLine"]["command"].as_str().unwrap_or("none"))
    };
    // A shared file names the program, a file of one's own the very binary, as the hooks do.
    for (scope, path, expected) in [
        (
            "project",
            ".claude/settings.json",
            "command -v engine >/dev/null 2>&1 && exec engine statusline; exit 0",
        ),
        ("local", ".claude/settings.local.json", "[ENGINE] statusline"),
        ("user", "../home/.claude/settings.json", "[ENGINE] statusline"),
    ] {
        let stage = Stage::bare();
        stage.ok(&["init", "--scope", scope]);
        assert_eq!(line(path, &stage), "none");
        stage.ok(&["init", "--scope", scope, "--with", "statusline"]);
        assert_eq!(line(path, &stage), expected);
        stage.ok(&["init", "--scope", scope]);
        assert_eq!(line(path, &stage), expected, "it stays");
        stage.ok(if scope == "user" { &["uninstall", "--scope", "user"] } else { &["uninstall"] });
        assert_eq!(line(path, &stage), "none");
    }
    let mine = "{\"statusLine\": {\"type\": \"command\", \"command\": \"my-line\"}}";
    for (place, scope) in [
        (".claude/settings.json", "project"),
        (".claude/settings.local.json", "project"),
        ("../home/.claude/settings.json", "project"),
        (".claude/settings.json", "user"),
    ] {
        let stage = Stage::bare();
        stage.write(place, mine);
        let said = stage.ok(&["init", "--scope", scope, "--with", "statusline"]);
        assert!(said.contains("has a status line, which was kept"), "{said}");
        assert_eq!(line(place, &stage), "my-line");
        if scope == "project" && place == ".claude/settings.json" {
            insta::assert_snapshot!(stage.masked(&said), @"
            created .engine/config.toml
            changed .claude/settings.json
            created .claude/settings.local.json
            note: a colleague without engine sees nothing of it, and their sessions are not guarded
            note: the committed entry does not reach a client that is started in a subfolder; whoever wants that runs engine init beside it, and the committed entry then stands back
            note: [TOP]/project/.claude/settings.json has a status line, which was kept; for parts of ours in it: engine statusline --part NAME
            note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
            14 events wired. Running sessions pick it up within seconds.
            .claude/settings.local.json permits 20 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
            Next:
              engine doctor              checks that each hook fires
              claude                     start it in this folder and type s: it lists the tasks
              p: write the changelog     typed there, keeps a task; engine --help has the rest
            ");
        }
        stage.ok(&["uninstall"]);
        assert_eq!(stage.read(place), mine);
    }
}

#[test]
fn a_status_line_that_a_person_built_on_ours_is_theirs() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team", "--with", "statusline"]);
    let ours = stage.read(".claude/settings.json");
    let committed = "command -v engine >/dev/null 2>&1 && exec engine statusline; exit 0";
    assert!(ours.contains(committed), "{ours}");
    let with = |line: &str| ours.replace(committed, line);
    stage.write(".claude/settings.json", &with("date; engine statusline --part lamp"));
    stage.ok(&["uninstall"]);
    insta::assert_snapshot!(stage.read(".claude/settings.json"), @r#"
    {
      "statusLine": { "type": "command", "command": "date; engine statusline --part lamp" }
    }
    "#);
    // Without our manifest, and with the one option that changes nothing of whose it is.
    stage.write(".claude/settings.json", &with("engine statusline --plain"));
    stage.ok(&["uninstall"]);
    assert!(!stage.exists(".claude"), "nothing but ours was in it");
}

#[test]
fn what_the_person_changed_meanwhile_stays() {
    let stage = Stage::bare();
    stage.write(".claude/settings.json", RICH);
    stage.ok(&["init", "--team"]);
    let wired = stage.read(".claude/settings.json");
    stage.write(
        ".claude/settings.json",
        &wired.replace("\"opus\"", "\"haiku\"").replace("\"env\": {}", "\"env\": {\"A\": \"1\"}"),
    );
    stage.write(".engine/config.toml", "[inject]\nbudget = 600\n");
    let out = stage.ok(&["uninstall"]);
    assert_eq!(
        stage.read(".claude/settings.json"),
        RICH.replace("\"opus\"", "\"haiku\"").replace("\"env\": {}", "\"env\": {\"A\": \"1\"}")
    );
    insta::assert_snapshot!(stage.masked(&out), @"
    restored .claude/settings.json
    removed .claude/settings.local.json
    kept .engine/config.toml: it was edited
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    ");
    assert_eq!(stage.read(".engine/config.toml"), "[inject]\nbudget = 600\n");
}

#[test]
fn a_colleague_without_our_manifest_can_uninstall_too() {
    let stage = Stage::bare();
    stage.write(".claude/settings.json", RICH);
    stage.ok(&["init", "--team", "--no-permissions"]);
    fs::remove_dir_all(stage.root().join(".engine/state")).unwrap();
    stage.ok(&["uninstall"]);
    assert_eq!(stage.read(".claude/settings.json"), RICH, "that the empty list was there before can be seen");
}

#[test]
fn the_first_init_reads_well() {
    let stage = Stage::bare();
    let dry = stage.ok(&["init", "--dry-run"]);
    assert!(
        dry.contains("would create .claude/settings.local.json (+")
            && dry.ends_with("Nothing was written. With every line: the same with -v\n"),
        "{dry}"
    );
    assert_eq!(stage.tree(), Vec::<String>::new());
    insta::assert_snapshot!(stage.ok(&["init"]), @"
    created .engine/config.toml
    created .claude/settings.local.json
    note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
    14 events wired. Running sessions pick it up within seconds.
    .claude/settings.local.json permits 20 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
    Next:
      engine doctor              checks that each hook fires
      claude                     start it in this folder and type s: it lists the tasks
      p: write the changelog     typed there, keeps a task; engine --help has the rest
    ");
    insta::assert_snapshot!(stage.masked(&stage.read(".claude/settings.local.json")), @r#"
    {
      "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "SessionEnd": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "UserPromptExpansion": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "PreToolUse": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "PostToolUse": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "PostToolUseFailure": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "Stop": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "StopFailure": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "SubagentStart": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "SubagentStop": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "PreCompact": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "ConfigChange": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }],
        "Notification": [{ "hooks": [{ "type": "command", "command": "[ENGINE]", "args": ["hook"], "timeout": 10 }] }]
      },
      "permissions": {
        "allow": [
          "Bash(engine status:*)",
          "Bash(engine task:*)",
          "Bash(engine handoff:*)",
          "Bash(engine chain:*)",
          "Bash(engine q:*)",
          "Bash(engine learn:*)",
          "Bash(engine remember:*)",
          "Bash(engine note:*)",
          "Bash(engine recall:*)",
          "Bash(engine directives:*)",
          "Bash(engine evidence:*)",
          "Bash(engine why:*)",
          "Bash(engine rules:*)",
          "Bash(engine show:*)",
          "Bash(engine skill list:*)",
          "Bash(engine config show:*)",
          "Bash(engine config get:*)",
          "Bash(engine search:*)",
          "Bash(engine session-search:*)",
          "Bash(engine doc-search:*)"
        ]
      }
    }
    "#);
    insta::assert_snapshot!(stage.read(".engine/config.toml"));
    insta::assert_snapshot!(stage.masked(&stage.ok(&["init"])), @"[TOP]/project is set up already: 14 events wired.");
}

#[test]
fn local_and_user_scope_name_the_binary_by_its_path() {
    for scope in ["local", "user"] {
        let stage = Stage::bare();
        stage.ok(&["init", "--scope", scope]);
        let file = if scope == "local" {
            stage.root().join(".claude/settings.local.json")
        } else {
            stage.home().join(".claude/settings.json")
        };
        let settings: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(settings["hooks"]["Stop"][0]["hooks"][0]["command"], env!("CARGO_BIN_EXE_engine"));
    }
}

#[test]
fn case_18_a_file_that_the_client_ignores_is_refused() {
    let stage = Stage::bare();
    let text = "{\n  // my settings\n  \"model\": \"opus\",\n}\n";
    stage.write(".claude/settings.json", text);
    let before = stage.tree();
    let out = stage.engine(&["init", "--team"]);
    assert_eq!(out.code, Some(1));
    insta::assert_snapshot!(stage.masked(&out.stderr), @r"
    engine: [TOP]/project/.claude/settings.json: line 2, column 3: a comment
      the client ignores a settings file that is not plain JSON, hooks and permissions included; nothing was changed
      mend the file, or edit it all the same: engine init --force
    ");
    assert_eq!(stage.tree(), before);
    stage.ok(&["init", "--team", "--force"]);
    assert!(
        stage
            .read(".claude/settings.json")
            .starts_with("{\n  // my settings\n  \"model\": \"opus\",\n  \"hooks\": {")
    );
    let doctor = stage.engine(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains("line 2, column 3: a comment: the client ignores the whole file. Mend it"),
        "{}",
        doctor.stdout
    );
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(stage.read(".claude/settings.json"), text);
}

#[test]
fn a_second_entry_of_the_persons_own_is_refused() {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    // The client runs one command once, wherever it stands.
    stage.ok(&["init", "--scope", "user"]);
    assert_eq!(stage.engine(&["doctor"]).code, Some(0));
    stage.ok(&["uninstall", "--scope", "user"]);
    let other = stage.home().join("engine");
    fs::write(&other, "").unwrap();
    let settings = stage.read(".claude/settings.local.json");
    let settings = settings.replace(env!("CARGO_BIN_EXE_engine"), &other.display().to_string());
    stage.write(".claude/settings.local.json", &settings);
    let out = stage.engine(&["init", "--scope", "user"]);
    assert_eq!(out.code, Some(1));
    insta::assert_snapshot!(stage.masked(&out.stderr), @r"
    engine: engine is wired already in [TOP]/project/.claude/settings.local.json (local scope)
      two entries would run engine twice on each event
      keep it there: engine init --scope local; or move it: engine uninstall, then engine init
    ");
}

#[test]
fn odd_settings_are_refused_and_left_alone() {
    for text in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"a\":", "{\"permissions\": []}"] {
        let stage = Stage::bare();
        stage.write(".claude/settings.json", text);
        stage.write(".claude/settings.local.json", text);
        let before = stage.tree();
        let out = stage.engine(&["init"]);
        assert_eq!((out.code, out.stdout.as_str()), (Some(1), ""), "{text}");
        assert_eq!(stage.tree(), before, "{text}");
    }
}

#[test]
fn a_skill_of_the_persons_with_our_name_is_kept() {
    let stage = Stage::bare();
    stage.write(".claude/skills/engine-context/SKILL.md", "mine");
    let out = stage.ok(&["init", "--with", "skills"]);
    assert!(stage.masked(&out).contains("note: [TOP]/project/.claude/skills/engine-context/SKILL.md is yours and was kept; ours was not installed\n"), "{out}");
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(stage.read(".claude/skills/engine-context/SKILL.md"), "mine");
}

#[test]
fn git_shows_only_what_is_to_be_committed() {
    for (scope, expected) in
        [("project", "?? .claude/settings.json\n?? .engine/config.toml\n"), ("local", ""), ("user", "")]
    {
        let stage = Stage::bare();
        let git = |args: &[&str]| stage.git(args);
        git(&["init", "-q"]);
        let exclude = stage.read(".git/info/exclude");
        stage.ok(&["init", "--scope", scope]);
        stage.hook(&stage.prompt("go")).assert_silent();
        assert_eq!(git(&["status", "--porcelain", "-uall"]), expected, "{scope}");
        stage.ok(&["uninstall", "--purge"]);
        assert_eq!(git(&["status", "--porcelain", "-uall"]), "", "{scope}");
        assert_eq!(stage.read(".git/info/exclude"), exclude, "{scope}");
    }
}

#[test]
fn a_subfolder_of_a_repository_sets_up_the_repository_and_home_is_refused() {
    let stage = Stage::bare();
    fs::create_dir_all(stage.root().join(".git")).unwrap();
    fs::create_dir_all(stage.root().join("a/b")).unwrap();
    let out = crate::stage::run(stage.command_in(&stage.root().join("a/b"), &["init"]), None);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(stage.exists(".engine/config.toml"));
    let out = crate::stage::run(stage.command_in(&stage.home(), &["init"]), None);
    assert_eq!(out.code, Some(1));
    assert!(out.stderr.starts_with("engine: the home folder is not a project"), "{}", out.stderr);
}

#[test]
fn settings_behind_a_link_are_edited_in_place() {
    let stage = Stage::bare();
    let real = stage.home().join("dotfiles.json");
    fs::write(&real, "{}\n").unwrap();
    fs::create_dir_all(stage.root().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&real, stage.root().join(".claude/settings.json")).unwrap();
    stage.ok(&["init", "--team"]);
    assert!(stage.root().join(".claude/settings.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("engine hook --team"));
}

#[test]
fn uninstall_without_anything_to_remove_says_so() {
    let stage = Stage::new();
    let out = stage.engine(&["uninstall"]);
    let said = stage.masked(&out.stderr);
    assert_eq!(
        (out.code, said.as_str()),
        (Some(3), "engine: nothing of engine's is installed in [TOP]/project\n")
    );
}

#[test]
fn a_second_init_or_config_set_after_an_edit_still_leaves_nothing_behind() {
    for between in [&["config", "set", "rules.journal", "off"][..], &["init"], &["init", "--with", "skills"]]
    {
        for text in texts().into_iter().flatten().filter(|text| !text.trim().is_empty()) {
            let stage = Stage::bare();
            stage.write(".claude/settings.json", &text);
            stage.ok(&["init"]);
            let edited = |text: &str| {
                text.replacen('{', "{\"added\": 1, ", 1).replace("1, }", "1}").replace("1,  }", "1 }")
            };
            let wired = stage.read(".claude/settings.json");
            stage.write(".claude/settings.json", &edited(&wired));
            stage.ok(between);
            stage.ok(&["uninstall"]);
            let left = stage.read(".claude/settings.json");
            assert!(!left.contains("\"engine\""), "{between:?} {text:?}: {left}");
            let value =
                |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).unwrap();
            let mut expected = value(&text);
            expected["added"] = 1.into();
            assert_eq!(value(&left), expected, "{between:?} {text:?}");
        }
    }
}

#[test]
fn empty_containers_and_entries_of_the_persons_own_stay() {
    let stage = Stage::bare();
    let local = "{\"permissions\": {\"allow\": [\"Bash(engine why:*)\"], \"deny\": [ ]}, \"hooks\": { }}\n";
    stage.write(".claude/settings.local.json", local);
    stage.ok(&["init", "--scope", "local"]);
    let wired = stage.read(".claude/settings.local.json");
    stage.write(".claude/settings.local.json", &wired.replacen("{\"perm", "{\"a\": 1, \"perm", 1));
    stage.ok(&["uninstall"]);
    assert_eq!(stage.read(".claude/settings.local.json"), local.replacen("{\"perm", "{\"a\": 1, \"perm", 1));
}

#[test]
fn a_worktree_never_takes_engine_out_of_the_main_checkout() {
    let stage = Stage::bare();
    let git = |args: &[&str]| stage.git(args);
    git(&["init", "-q", "-b", "main"]);
    stage.ok(&["init", "--team"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "start"]);
    git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let main_files = |stage: &Stage| {
        (
            stage.read(".claude/settings.json"),
            stage.read(".claude/settings.local.json"),
            stage.read(".engine/config.toml"),
        )
    };
    let before = main_files(&stage);
    let out = at_terminal(&stage.command_in(&tree, &["uninstall"]));
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!(main_files(&stage), before);
    // A worktree without an .engine/ of its own uses that of the main checkout, and leaves it alone.
    assert!(!tree.join(".engine").exists());
    let out = at_terminal(&stage.command_in(&tree, &["uninstall"]));
    assert_eq!(out.code, Some(1));
    assert!(
        out.stderr.starts_with("engine: this worktree has no .engine/ of its own; it uses that of "),
        "{}",
        out.stderr
    );
    assert_eq!(main_files(&stage), before);
}

#[test]
fn an_unreadable_settings_file_stops_uninstall_before_anything_is_changed() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    let broken = format!("{} oops engine", stage.read(".claude/settings.json"));
    stage.write(".claude/settings.json", &broken);
    // That somebody wanted it stands in the journal.
    let tree = || stage.tree().into_iter().filter(|file| !file.contains("/journal/")).collect::<Vec<_>>();
    let before = tree();
    let out = stage.engine(&["uninstall"]);
    assert_eq!(out.code, Some(1), "{}", out.stdout);
    assert_eq!(tree(), before);
}

#[test]
fn a_binary_that_is_gone_is_wired_anew() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "local"]);
    let wired = stage.read(".claude/settings.local.json");
    stage.write(
        ".claude/settings.local.json",
        &wired.replace(env!("CARGO_BIN_EXE_engine"), "/nowhere/engine"),
    );
    stage.ok(&["init", "--scope", "local"]);
    let again: Value = serde_json::from_str(&stage.read(".claude/settings.local.json")).unwrap();
    assert_eq!(again["hooks"]["Stop"][0]["hooks"][0]["command"], env!("CARGO_BIN_EXE_engine"));
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_stays_a_link() {
    let stage = Stage::bare();
    fs::create_dir_all(stage.root().join(".claude")).unwrap();
    let real = stage.home().join("dotfiles.json");
    std::os::unix::fs::symlink(&real, stage.root().join(".claude/settings.json")).unwrap();
    stage.ok(&["init", "--team"]);
    assert!(stage.root().join(".claude/settings.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("engine hook --team"));
}

#[test]
fn seven_config_sets_at_once_all_count() {
    let stage = Stage::new();
    let keys = [
        "inject.budget 600",
        "inject.strict true",
        "reminder.text hi",
        "shortcuts.status instant",
        "rules.title on",
        "tasks.file tasks.md",
        "policy.git.clean block",
    ];
    let set = |number: usize| {
        let (key, value) = keys[number].split_once(' ').unwrap();
        stage.command(&["config", "set", key, value, "--yes"])
    };
    for output in at_once(keys.len(), set) {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    for pair in keys {
        let (key, value) = pair.split_once(' ').unwrap();
        assert_eq!(stage.ok(&["config", "get", key]).trim(), value, "{key}");
    }
}
