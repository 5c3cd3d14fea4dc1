//! Where engine is wired, for whom, and from where it is reached: scopes, the committed entry, the plugin, what git is shown.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine_claude::entry::Starter;
use serde_json::{Value, json};

use crate::real_reach::{PLACES, SCOPES};
use crate::stage::{Output, Stage, run};

/// The line that a settings file has for an event.
fn line_of(settings: &str, event: &str) -> String {
    let settings: Value = serde_json::from_str(settings).unwrap();
    let hook = &settings["hooks"][event][0]["hooks"][0];
    assert_eq!((&hook["command"], &hook["args"][0]), (&json!("sh"), &json!("-c")), "{settings}");
    hook["args"][1].as_str().unwrap().to_owned()
}

/// Every shell that the client may find as `sh`.
fn shells() -> Vec<&'static str> {
    ["/bin/sh", "/bin/dash", "/bin/bash", "/usr/bin/dash"]
        .into_iter()
        .filter(|path| Path::new(path).exists())
        .collect()
}

/// Runs a line of a settings file as the client does, with these folders on PATH.
fn line(stage: &Stage, shell: &str, line: &str, path: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = stage.program_in(&stage.root(), shell);
    command.args(["-c", line]).env("PATH", path).envs(variables.iter().copied());
    run(command, Some(b"{}"))
}

/// A folder with an `engine` that says how it was called.
fn with_fake(stage: &Stage, folder: &str) -> PathBuf {
    let folder = stage.root().parent().unwrap().join(folder);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("engine");
    fs::write(&program, "#!/bin/sh\nprintf '%s ' \"$0\" \"$@\"\nexit 7\n").unwrap();
    Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    folder
}

#[test]
fn the_committed_entry_reads_well() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["init", "--team"])).lines().filter(|line| line.starts_with("note")).collect::<Vec<_>>().join("\n"), @"
    note: a colleague without engine sees nothing of it, and their sessions are not guarded
    note: the committed entry does not reach a client that is started in a subfolder; whoever wants that runs engine init beside it, and the committed entry then stands back
    note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
    ");
    let settings = stage.read(".claude/settings.json");
    insta::assert_snapshot!(line_of(&settings, "Stop"), @"command -v engine >/dev/null 2>&1 && exec engine hook --team; exit 0");
    insta::assert_snapshot!(line_of(&settings, "SessionStart"), @r#"command -v engine >/dev/null 2>&1 && exec engine hook --team; [ -d "${XDG_CONFIG_HOME:-$HOME/.config}/engine" ] && echo '{"systemMessage": "engine: this project uses engine, and the program is not on PATH: nothing is checked in this session"}'; exit 0"#);
    let again = stage.engine(&["init", "--scope", "project"]);
    assert_eq!(stage.read(".claude/settings.json"), settings, "{}", again.stdout);
    let both = stage.engine(&["init", "--team", "--scope", "local"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

#[test]
fn a_committed_line_is_silent_without_the_program_and_becomes_it_with_one() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    let settings = stage.read(".claude/settings.json");
    let config = stage.home().join(".config");
    let elsewhere = stage.home().join("elsewhere");
    let fake = with_fake(&stage, "has engine");
    let with = fake.display().to_string();
    let said = r#"{"systemMessage": "engine: this project uses engine, and the program is not on PATH: nothing is checked in this session"}"#;
    for shell in shells() {
        for event in ["SessionStart", "PreToolUse", "Stop", "SessionEnd"] {
            let run = |path: &str, variables: &[(&str, &str)]| {
                line(&stage, shell, &line_of(&settings, event), path, variables)
            };
            let missing = run("/nowhere", &[]);
            assert_eq!(
                (missing.code, &*missing.stdout, &*missing.stderr),
                (Some(0), "", ""),
                "{shell} {event}"
            );
            let found = run(&with, &[]);
            assert_eq!(
                (found.code, found.stdout.as_str(), found.stderr.as_str()),
                (Some(7), format!("{with}/engine hook --team ").as_str(), ""),
                "{shell} {event}: its own exit status"
            );
            let expected = if event == "SessionStart" { format!("{said}\n") } else { String::new() };
            fs::create_dir_all(config.join("engine")).unwrap();
            assert_eq!(run("/nowhere", &[]).stdout, expected, "{shell} {event}");
            let moved = elsewhere.display().to_string();
            assert_eq!(run("/nowhere", &[("XDG_CONFIG_HOME", &moved)]).stdout, "", "{shell} {event}");
            fs::create_dir_all(elsewhere.join("engine")).unwrap();
            assert_eq!(run("/nowhere", &[("XDG_CONFIG_HOME", &moved)]).stdout, expected, "{shell} {event}");
            assert_eq!(run(&with, &[]).stdout, format!("{with}/engine hook --team "), "{shell} {event}");
            fs::remove_dir_all(&elsewhere).unwrap();
            fs::remove_dir_all(&config).unwrap();
        }
    }
    assert!(serde_json::from_str::<Value>(said).is_ok());
}

#[test]
fn a_committed_entry_fails_closed_where_the_project_does_and_not_where_a_person_does() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    stage.ok(&["config", "set", "policy.fail", "closed", "--user"]);
    stage.ok(&["init", "--team"]);
    let open = stage.read(".claude/settings.json");
    assert!(!open.contains("onFailure"), "what one person wants is not everybody's: {open}");
    stage.ok(&["config", "set", "policy.fail", "closed"]);
    let closed = stage.read(".claude/settings.json");
    let value: Value = serde_json::from_str(&closed).unwrap();
    assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    let settings = line_of(&closed, "PreToolUse");
    for shell in shells() {
        let missing = line(&stage, shell, &settings, "/nowhere", &[]);
        assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""), "{shell}");
        assert_eq!(
            missing.stderr,
            "engine is not on PATH, and this project blocks calls that it did not judge (policy.fail = closed)\n"
        );
    }
    assert_eq!(line_of(&closed, "Stop"), line_of(&open, "Stop"));
    stage.ok(&["config", "set", "policy.fail", "open"]);
    assert_eq!(
        serde_json::from_str::<Value>(&stage.read(".claude/settings.json")).unwrap(),
        serde_json::from_str::<Value>(&open).unwrap()
    );
}

/// The plugin's lines are those of the shell, too: its own program first.
#[test]
fn the_plugin_starts_its_own_program_else_that_of_path_else_nothing() {
    let stage = Stage::bare();
    let group: Value = serde_json::from_str(&Starter::Plugin.group("Stop", false)).unwrap();
    let stop = group["hooks"][0]["args"][1].as_str().unwrap().to_owned();
    let (on_path, root) = (with_fake(&stage, "on path"), stage.root().parent().unwrap().join("the plugin's"));
    let (path, plugin) = (on_path.display().to_string(), root.display().to_string());
    for shell in shells() {
        let run = |path: &str| line(&stage, shell, &stop, path, &[("CLAUDE_PLUGIN_ROOT", &plugin)]);
        let silent = run("/nowhere");
        assert_eq!((silent.code, &*silent.stdout, &*silent.stderr), (Some(0), "", ""), "{shell}");
        assert_eq!(run(&path).stdout, format!("{path}/engine hook --plugin "), "{shell}");
        let own = with_fake(&stage, "the plugin's/bin").display().to_string();
        assert_eq!(run(&path).stdout, format!("{own}/engine hook --plugin "), "{shell}");
        fs::remove_dir_all(&root).unwrap();
    }
}

/// `engine hook` with the word that an entry gives it, in a client that was started in a folder.
fn hook(stage: &Stage, word: Option<&str>, event: &Value, started_in: &Path) -> Output {
    let args: Vec<&str> = std::iter::once("hook").chain(word).collect();
    let mut command = stage.command_in(&stage.root(), &args);
    command.env("CLAUDE_PROJECT_DIR", started_in);
    run(command, Some(event.to_string().as_bytes()))
}

fn start(stage: &Stage) -> Value {
    stage.event_with("SessionStart", &json!({"source": "startup"}))
}

#[test]
fn beside_an_entry_of_a_persons_own_the_committed_one_is_silent() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.ok(&["init", "--team"]);
    let told = || stage.journal().len();
    let earlier = stage.event_with("SessionStart", &json!({"source": "startup", "session_id": "earlier"}));
    hook(&stage, Some("--team"), &earlier, &stage.root()).assert_silent();
    assert_eq!(told(), 1, "alone it answers");
    stage.ok(&["init"]);
    for event in [start(&stage), stage.bash("git reset --hard"), stage.prompt("go")] {
        let before = told();
        hook(&stage, Some("--team"), &event, &stage.root()).assert_silent();
        assert_eq!(told(), before, "it stands back: {event}");
        hook(&stage, None, &event, &stage.root());
        assert_eq!(told(), before + 1, "the person's own answers: {event}");
    }
    // A client that is started elsewhere does not read that file.
    let other = stage.root().parent().unwrap().join("other");
    fs::create_dir_all(&other).unwrap();
    let before = told();
    hook(&stage, Some("--team"), &stage.prompt("go"), &other);
    assert_eq!(told(), before + 1);
    let doctor = stage.ok(&["doctor"]);
    assert!(
        doctor.contains("  .claude/settings.json stands back for .claude/settings.local.json\n"),
        "{doctor}"
    );
    stage.ok(&["uninstall", "--purge"]);
    assert!(!stage.exists(".claude") && !stage.exists(".engine"));
}

/// A session that ran before the person's own entry was written does not lose its guard.
#[test]
fn an_entry_that_the_client_may_not_have_taken_up_answers_nothing() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.ok(&["init", "--team"]);
    hook(&stage, Some("--team"), &start(&stage), &stage.root()).assert_silent();
    stage.ok(&["init"]);
    let denied = hook(&stage, Some("--team"), &stage.bash("git reset --hard HEAD~1"), &stage.root());
    assert!(denied.stdout.contains("permissionDecision"), "{}", denied.stdout);
}

#[test]
fn an_entry_of_an_earlier_release_stays_until_the_team_form_is_asked_for() {
    let stage = Stage::bare();
    let plain = |event: &str| {
        format!(
            r#""{event}": [{{ "hooks": [{{ "type": "command", "command": "engine", "args": ["hook"], "timeout": 10 }}] }}]"#
        )
    };
    let earlier = format!("{{\n  \"hooks\": {{\n    {}\n  }}\n}}\n", plain("Stop"));
    stage.write(".claude/settings.json", &earlier);
    stage.write(".engine/config.toml", "");
    let told = stage.ok(&["init"]);
    insta::assert_snapshot!(told.lines().filter(|line| line.contains("note") || line.contains("wired")).collect::<Vec<_>>().join("\n"), @"
    note: this committed entry is of an earlier form: whoever has no engine sees errors at every call, and it does not reach a client that is started in a subfolder
    note: for a team: engine init --team writes it anew, silent without engine. For you alone: engine uninstall, then engine init
    Set up. Its hooks are wired in .claude/settings.json (project scope).
    ");
    assert_eq!(stage.read(".claude/settings.json"), earlier);
    assert!(!stage.read(".claude/settings.local.json").contains("hook"));
    // What the rules want changes the events, and not the form.
    stage.ok(&["config", "set", "reminder.text", "hi"]);
    let rewired = stage.read(".claude/settings.json");
    assert!(rewired.contains("\"command\": \"engine\"") && !rewired.contains("--team"), "{rewired}");
    let refused = stage.engine(&["init", "--scope", "local"]);
    assert_eq!(refused.code, Some(1));
    insta::assert_snapshot!(stage.masked(&refused.stderr), @"
    engine: engine is wired already in [TOP]/project/.claude/settings.json (project scope)
      two entries would run engine twice on each event
      let the committed entry stand back for yours: engine init --team, then the same again; or move it: engine uninstall, then engine init
    ");
    stage.ok(&["init", "--team"]);
    let team = stage.read(".claude/settings.json");
    assert!(!team.contains("\"command\": \"engine\"") && line_of(&team, "Stop").contains("--team"), "{team}");
    stage.ok(&["init", "--scope", "local"]);
}

#[test]
fn user_settings_that_wire_engine_are_enough_for_a_new_project() {
    let stage = Stage::bare();
    let wired = stage.home().join(".claude/settings.json");
    fs::create_dir_all(wired.parent().unwrap()).unwrap();
    let group = Starter::Program(env!("CARGO_BIN_EXE_engine")).group("Stop", false);
    fs::write(&wired, format!("{{\"hooks\": {{\"Stop\": [{group}]}}}}")).unwrap();
    let told = stage.masked(&stage.ok(&["init"]));
    assert!(told.contains("Its hooks are wired in [TOP]/home/.claude/settings.json (user scope)."), "{told}");
    assert!(stage.exists(".engine/config.toml"));
    assert!(!stage.read(".claude/settings.local.json").contains("hooks"));
    let json = stage.engine(&["init", "--json"]).json();
    assert_eq!((&json["wired"], &json["scope"]), (&json!(false), &json!("local")));
    // The committed entry may stand beside it.
    stage.ok(&["init", "--team"]);
}

/// A home whose client has enabled a plugin of a marketplace that is a folder.
fn enable(stage: &Stage, market: &str, folder: &Path) {
    let home = stage.home().join(".claude");
    fs::create_dir_all(home.join("plugins")).unwrap();
    let enabled = json!({"enabledPlugins": {format!("engine@{market}"): true}});
    fs::write(home.join("settings.json"), enabled.to_string()).unwrap();
    let known =
        json!({market: {"source": {"source": "directory", "path": folder}, "installLocation": folder}});
    fs::write(home.join("plugins/known_marketplaces.json"), known.to_string()).unwrap();
}

fn checkout() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap()
}

#[test]
fn with_the_plugin_init_makes_the_folder_and_wires_nothing() {
    let stage = Stage::bare();
    enable(&stage, "engine", &checkout());
    let before = fs::read_to_string(stage.home().join(".claude/settings.json")).unwrap();
    for scope in [&["init"][..], &["init", "--scope", "local"], &["init", "--scope", "user"]] {
        let told = stage.ok(scope);
        assert!(told.contains("hooks are wired by the plugin engine@engine"), "{told}");
        assert!(!stage.exists(".claude/settings.json"));
        assert!(!stage.read(".claude/settings.local.json").contains("hooks"));
    }
    assert!(stage.exists(".engine/config.toml"));
    let entries = permitted(&stage);
    for needed in ["Skill(engine:do)", "Bash(engine plan:*)", "Bash(engine session:*)"] {
        assert!(entries.contains(&needed.to_owned()), "what the plugin's skills run: {entries:?}");
    }
    let told = stage.ok(&["init", "--with", "skills", "--dry-run"]);
    assert!(told.contains("note: the plugin engine@engine brings these skills, too: each is listed twice now, as /NAME and as /engine:NAME\n"), "{told}");
    assert_eq!(fs::read_to_string(stage.home().join(".claude/settings.json")).unwrap(), before);
    let doctor = stage.ok(&["doctor"]);
    assert!(doctor.contains("wired by the plugin engine@engine\n"), "{doctor}");
    assert!(stage.ok(&[]).contains("wired by the plugin engine@engine"));
    // What a colleague has, who has no plugin.
    stage.ok(&["init", "--team"]);
    assert!(stage.read(".claude/settings.json").contains("hook --team"));
    let doctor = stage.ok(&["doctor"]);
    assert!(doctor.contains("the plugin engine@engine stands back for the settings\n"), "{doctor}");
    stage.ok(&["uninstall", "--purge=all"]);
    assert!(!stage.exists(".claude") && !stage.exists(".engine"));
}

/// A clone may name any plugin so. Only one whose hooks are ours keeps init from wiring.
#[test]
fn a_plugin_that_only_has_the_name_wires_nothing() {
    let stage = Stage::bare();
    let market = stage.home().join("market");
    let copy = |name: &str| {
        let to = market.join("plugin").join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(checkout().join("plugin").join(name), to).unwrap();
    };
    copy(".claude-plugin/plugin.json");
    copy("hooks/hooks.json");
    fs::create_dir_all(market.join(".claude-plugin")).unwrap();
    fs::copy(
        checkout().join(".claude-plugin/marketplace.json"),
        market.join(".claude-plugin/marketplace.json"),
    )
    .unwrap();
    enable(&stage, "evil", &market);
    assert!(stage.ok(&["init", "--dry-run"]).contains("Nothing was written."));
    let is_wired = |stage: &Stage| stage.engine(&["init", "--dry-run", "--json"]).json()["wired"].clone();
    assert_eq!(is_wired(&stage), json!(false), "the same files are the same plugin");
    let hooks = market.join("plugin/hooks/hooks.json");
    let ours = fs::read_to_string(&hooks).unwrap();
    for (name, text) in [
        ("another program", ours.replace("exec engine hook", "exec ./engine hook")),
        ("a line more", ours.replace("exit 0\"", "exit 0; touch x\"")),
        ("a short time", ours.replace("\"timeout\": 10", "\"timeout\": 0.001")),
        ("a matcher", ours.replace("[{ \"hooks\"", "[{ \"matcher\": \"Read\", \"hooks\"")),
        ("none", "{\"hooks\": {}}".to_owned()),
    ] {
        fs::write(&hooks, text).unwrap();
        assert_eq!(is_wired(&stage), json!(true), "{name}");
    }
    fs::remove_file(&hooks).unwrap();
    assert_eq!(is_wired(&stage), json!(true), "no hooks at all");
}

#[test]
fn the_plugins_hook_says_once_how_to_switch_on_and_only_where_it_is_off() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    fs::create_dir_all(stage.root().join("sub")).unwrap();
    let told = |event: &Value, folder: &Path| hook(&stage, Some("--plugin"), event, folder).stdout;
    let line = "{\"systemMessage\":\"engine: this folder is not a project of engine, so nothing is checked here. Switch it on: engine init\"}";
    let resumed = stage.event_with("SessionStart", &json!({"source": "resume"}));
    assert_eq!(told(&resumed, &stage.root()), "");
    assert_eq!(told(&stage.prompt("go"), &stage.root()), "");
    assert_eq!(told(&start(&stage), &stage.root().join("sub")).trim(), line);
    assert_eq!(told(&start(&stage), &stage.root()), "", "it was told for this repository");
    hook(&stage, None, &start(&stage), &stage.root()).assert_silent();
    let home = stage.event_with("SessionStart", &json!({"source": "startup", "cwd": stage.home()}));
    assert_eq!(told(&home, &stage.home()), "", "the home folder is no project");
    assert!(!stage.exists(".engine"), "nothing is made");
    stage.ok(&["init"]);
    assert_eq!(told(&start(&stage), &stage.root()), "");
    assert_eq!(stage.journal().len(), 0, "the entry of init answers");
}

#[test]
fn a_worktree_of_a_project_is_sent_to_the_main_checkout() {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    stage.ok(&["init"]);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let out = run(stage.command_in(&tree, &["init"]), None);
    assert_eq!(out.code, Some(1));
    insta::assert_snapshot!(stage.masked(&out.stderr), @"
    engine: this worktree uses the .engine/ of [TOP]/project
      local hooks there reach all worktrees: cd [TOP]/project && engine init
      an entry that is committed on this branch: engine init --team
    ");
    assert!(!tree.join(".engine").exists() && !tree.join(".claude").exists());
    let told = run(stage.command_in(&tree, &["doctor"]), None).stdout;
    assert!(!told.contains("do not reach"), "{told}");
    assert_eq!(run(stage.command_in(&tree, &["init", "--team"]), None).code, Some(0));
}

/// What hides the local settings.
const LOCAL_LINE: &str =
    "# engine init hides: **/.claude/settings.local.json\n**/.claude/settings.local.json";

#[test]
fn what_is_one_persons_git_does_not_show_and_a_team_sees_it() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    fs::create_dir_all(stage.root().join("a [b]/.engine")).unwrap();
    let part = stage.root().join("a [b]");
    let shown = || stage.git(&["status", "--porcelain", "-uall"]);
    let original = stage.read(".git/info/exclude");
    assert_eq!(run(stage.command_in(&part, &["init"]), None).code, Some(0));
    assert_eq!(shown(), "");
    let excluded = stage.read(".git/info/exclude");
    assert_eq!(
        excluded.strip_prefix(&original).unwrap(),
        format!("{LOCAL_LINE}\n# engine init hides: /a \\[b]/.engine/\n/a \\[b]/.engine/\n")
    );
    stage.write("x/.engine/config.toml", "");
    assert_eq!(shown(), "?? x/.engine/config.toml\n", "only its own is hidden");
    fs::remove_dir_all(stage.root().join("x")).unwrap();
    // The team's configuration is committed.
    assert_eq!(run(stage.command_in(&part, &["init", "--team"]), None).code, Some(0));
    assert_eq!(shown(), "?? \"a [b]/.claude/settings.json\"\n?? \"a [b]/.engine/config.toml\"\n");
    assert!(stage.read(".git/info/exclude").ends_with(&format!("{LOCAL_LINE}\n")));
    // Whoever comes beside it hides nothing.
    assert_eq!(run(stage.command_in(&part, &["init"]), None).code, Some(0));
    assert!(!stage.read(".git/info/exclude").contains(".engine/"));
    let purge = ["uninstall", "--purge=all"];
    let out = crate::stage::at_terminal(&stage.command_in(&part, &purge));
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!((shown(), stage.read(".git/info/exclude")), (String::new(), original));
}

#[test]
fn a_folder_that_git_has_is_not_hidden_and_a_persons_lines_stay() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.write(".engine/config.toml", "");
    stage.git(&["add", "-A"]);
    let lines = "# mine\n*.log";
    stage.write_from_elsewhere(".git/info/exclude", lines);
    stage.ok(&["init"]);
    assert_eq!(stage.read(".git/info/exclude"), format!("{lines}\n{LOCAL_LINE}"));
    let wrote = format!("{}\n*.tmp\n", stage.read(".git/info/exclude"));
    stage.write_from_elsewhere(".git/info/exclude", &wrote);
    stage.git(&["rm", "-q", "--cached", "-r", ".engine"]);
    stage.ok(&["init"]);
    let hidden = "# engine init hides: /.engine/\n/.engine/\n";
    assert_eq!(stage.read(".git/info/exclude"), format!("{wrote}{hidden}"));
    stage.ok(&["uninstall"]);
    assert_eq!(stage.read(".git/info/exclude"), format!("{lines}\n*.tmp\n{hidden}"));
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(stage.read(".git/info/exclude"), format!("{lines}\n*.tmp\n"));
}

/// What the agent may do without a dialog.
fn permitted(stage: &Stage) -> Vec<String> {
    let settings: Value = serde_json::from_str(&stage.read(".claude/settings.local.json")).unwrap();
    let entries = settings["permissions"]["allow"].as_array().unwrap();
    entries.iter().map(|entry| entry.as_str().unwrap().to_owned()).collect()
}

#[test]
fn permissions_come_with_the_skills_that_need_them() {
    let stage = Stage::bare();
    let json = stage.engine(&["init", "--json"]).json();
    let plain = permitted(&stage);
    assert_eq!(plain.len(), 20);
    assert_eq!(json["permissions"], json!(plain));
    for needed in ["plan", "tag", "sigil", "session", "log"] {
        assert!(!plain.contains(&format!("Bash(engine {needed}:*)")), "{needed}");
    }
    stage.ok(&["init", "--with", "skills"]);
    let with_skills = permitted(&stage);
    assert!(with_skills.contains(&"Bash(engine plan:*)".to_owned()), "for /do: {with_skills:?}");
    assert!(!with_skills.contains(&"Bash(engine sigil:*)".to_owned()), "{with_skills:?}");
    stage.ok(&["init", "--with", "skills=all"]);
    assert!(permitted(&stage).contains(&"Bash(engine session:*)".to_owned()));
    let all = permitted(&stage);
    stage.ok(&["init"]);
    assert_eq!(permitted(&stage), all, "they are still installed");
    // What an earlier release permitted for nothing goes.
    let before = Stage::bare();
    before.ok(&["init"]);
    let manifest = before.read(".engine/state/install.json");
    let more =
        |text: &str| text.replacen("Bash(engine why:*)", "Bash(engine why:*)\",\"Bash(engine tag:*)", 1);
    let settings = before.read(".claude/settings.local.json");
    before.write_from_elsewhere(".claude/settings.local.json", &more(&settings));
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let mut manifest = manifest;
    for (path, touched) in manifest["files"].as_object_mut().unwrap() {
        if path.ends_with("settings.local.json") {
            touched["after"] = json!(more(&settings));
            touched["permissions"].as_array_mut().unwrap().push(json!("Bash(engine tag:*)"));
        }
    }
    before.write_from_elsewhere(".engine/state/install.json", &manifest.to_string());
    before.ok(&["init"]);
    assert_eq!(permitted(&before), plain);
}

/// A worktree's session does not silence the client by the file of the main checkout, which it reads, too.
#[test]
fn the_local_file_of_the_main_checkout_is_guarded_in_a_worktree() {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.ok(&["init", "--team"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-q", "-m", "team"]);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    assert!(tree.join(".engine").is_dir(), "it has a project of its own");
    let file = stage.root().join(".claude/settings.local.json");
    let input = json!({"file_path": file, "content": "{\"disableAllHooks\": true}"});
    let event = stage.event_with("PreToolUse.Write", &json!({"tool_input": input, "cwd": tree}));
    let denied = hook(&stage, None, &event, &tree);
    assert!(denied.stdout.contains("it would set disableAllHooks"), "{}", denied.stdout);
}

/// A clone may carry such a file at its root, above the project that somebody opens.
#[test]
fn a_variable_of_the_repositorys_local_file_does_not_switch_off_an_untrusted_project() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.write_from_elsewhere("part/.engine/config.toml", "");
    let part = stage.root().join("part");
    let answer = || {
        let event =
            stage.event_with("PreToolUse", &json!({"tool_input": {"command": "rm -rf /"}, "cwd": part}));
        let mut command = stage.command_in(&part, &["hook"]);
        command.env("CLAUDE_PROJECT_DIR", &part).env("ENGINE_OFF", "1");
        run(command, Some(event.to_string().as_bytes())).stdout
    };
    assert_eq!(answer(), "", "a person's own variable counts");
    stage.write_from_elsewhere(".claude/settings.local.json", r#"{"env": {"ENGINE_OFF": "1"}}"#);
    assert!(answer().contains("\"deny\""), "{}", answer());
}

/// A start of the client that leaves local settings out runs without the hooks that init writes by default.
#[test]
fn a_client_that_is_started_without_local_settings_is_unguarded() {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    for (sources, expected) in [("user,project,local", false), ("user,project", true), ("local,user", true)] {
        let told = stage.hook(&stage.bash(&format!("claude -p go --setting-sources {sources}"))).stdout;
        assert_eq!(told.contains("permissionDecision"), expected, "{sources}: {told}");
    }
}

#[test]
fn run_doctor_and_status_line_say_where_hooks_do_not_reach() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.ok(&["init", "--team"]);
    stage.ok(&["config", "set", "run.agent", "true"]);
    let sub = stage.root().join("sub");
    fs::create_dir_all(&sub).unwrap();
    let text = "hooks do not reach this folder: a client that is started here does not read .claude/settings.json. Start it in [TOP]/project, or run there: engine init, which reaches all folders of this repository";
    let said = |folder: &Path, args: &[&str]| {
        let out = run(stage.command_in(folder, args), None);
        (stage.masked(&out.stdout), stage.masked(&out.stderr))
    };
    let status_line = |folder: &Path| {
        let report = json!({"session_id": "s", "cwd": folder, "workspace": {"project_dir": folder}});
        let mut command = stage.command_in(folder, &["statusline", "--plain"]);
        command.env("CLAUDE_PROJECT_DIR", folder);
        run(command, Some(report.to_string().as_bytes())).stdout
    };
    assert_eq!(said(&sub, &["run"]), (String::new(), format!("engine: {text}\n")));
    assert_eq!(said(&stage.root(), &["run"]), (String::new(), String::new()));
    assert!(said(&sub, &["doctor"]).0.contains(text));
    assert!(!said(&stage.root(), &["doctor"]).0.contains("do not reach"));
    assert_eq!(status_line(&sub).trim(), "○ hooks do not reach this folder");
    assert_eq!(status_line(&stage.root()).trim(), "");
    // A local entry reaches the folders of the repository.
    stage.ok(&["init"]);
    assert_eq!(said(&sub, &["run"]).1, "");
    assert_eq!(status_line(&sub).trim(), "");
    // Without git it does not.
    fs::remove_dir_all(stage.root().join(".git")).unwrap();
    let text = text.replace(
        "engine init, which reaches all folders of this repository",
        "engine init --scope user, which reaches every folder",
    );
    assert_eq!(said(&sub, &["run"]).1, format!("engine: {text}\n"));
}

#[test]
fn events_come_and_go_in_both_files() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    stage.ok(&["init"]);
    let has = |file: &str| stage.read(file).contains("TeammateIdle");
    assert!(!has(".claude/settings.json") && !has(".claude/settings.local.json"));
    let events = |file: &str| -> Vec<String> {
        let settings: Value = serde_json::from_str(&stage.read(file)).unwrap();
        settings["hooks"].as_object().unwrap().keys().cloned().collect()
    };
    let before = events(".claude/settings.json");
    stage.ok(&["config", "set", "rules.reminder", "off"]);
    stage.ok(&["config", "set", "rules.noticed", "off"]);
    stage.ok(&["config", "set", "rules.protect", "off"]);
    assert_eq!(events(".claude/settings.json"), events(".claude/settings.local.json"));
    assert_ne!(events(".claude/settings.json"), before);
}

/// A stranger reads one screen.
#[test]
fn the_readme_is_short_and_says_how_to_install() {
    let page = fs::read_to_string(checkout().join("README.md")).unwrap();
    let words = page.split_whitespace().count();
    assert!(words <= 900, "{words} words");
    for needed in ["engine init", "claude plugin install engine@engine", "engine uninstall --purge"] {
        assert!(page.contains(needed), "{needed}");
    }
    let of_plugin = fs::read_to_string(checkout().join("plugin/README.md")).unwrap();
    assert!(of_plugin.contains("claude plugin install engine@engine"));
}

/// `docs/install.md` says what was measured.
#[test]
fn the_page_shows_the_table() {
    let mut table = String::from("| client started in |");
    for (scope, _) in SCOPES {
        let _ = write!(table, " {scope} |");
    }
    table.push_str("\n| --- |");
    table.push_str(&" --- |".repeat(SCOPES.len()));
    for (place, words) in PLACES {
        let _ = write!(table, "\n| {words} |");
        for (_, unreached) in SCOPES {
            table.push_str(if unreached.contains(&place) { " **no** |" } else { " yes |" });
        }
    }
    let page = fs::read_to_string(checkout().join("docs/install.md")).unwrap();
    assert!(page.contains(&table), "docs/install.md lacks this table:\n{table}");
    let source = include_str!("real_reach.rs");
    for (place, _) in PLACES {
        assert!(source.contains(&format!(": \"{place}\",\n")), "{place} is not tested");
    }
}
