//! The registry of skills: where they come from, what changes it, what is wrong with them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::chains::skill;
use crate::stage::{Stage, run};

const COOPERATIVE: &str = "continuation: {cooperative: true}";

fn listed(stage: &Stage, name: &str) -> Vec<Value> {
    let list = stage.engine(&["skill", "list", "--json"]).json();
    let rows = list["skills"].as_array().unwrap().iter();
    rows.filter(|row| row["name"] == name).cloned().collect()
}

/// Whether the hook takes the prompt for a chain now.
fn is_chain(stage: &Stage, prompt: &str) -> bool {
    let out = stage.hook(&stage.prompt(prompt));
    assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""));
    out.stdout.contains("CONTINUATION-PASSING")
}

/// Waits until the registry is kept: a change that is younger than a file system's clock is coarse may have a twin with the
/// same stamp. The system sets that stamp, so no test can set it back.
fn settle(stage: &Stage) {
    const COARSE: Duration = Duration::from_millis(100);
    let changed = |path: &Path| {
        let data = fs::metadata(path).unwrap();
        let nanos = u32::try_from(data.ctime_nsec()).unwrap();
        SystemTime::UNIX_EPOCH + Duration::new(u64::try_from(data.ctime()).unwrap(), nanos)
    };
    let mut folders = vec![stage.root().join(".claude")];
    let mut newest = changed(&stage.root());
    while let Some(folder) = folders.pop() {
        newest = newest.max(changed(&folder));
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            newest = newest.max(changed(&path));
            folders.extend(Some(path).filter(|path| path.is_dir()));
        }
    }
    while let Some(left) = newest.elapsed().ok().and_then(|age| COARSE.checked_sub(age)) {
        std::thread::sleep(left + Duration::from_millis(1));
    }
}

#[test]
fn case_19_front_matter_of_every_kind() {
    let stage = Stage::new();
    let files = [
        (
            "crlf",
            "---\r\nname: crlf\r\ndescription: x\r\ncontinuation:\r\n  cooperative: true\r\n---\r\nBody\r\n",
        ),
        (
            "quoted",
            "---\nname: \"quoted\"\ndescription: 'it''s # no comment' # a comment\ncontinuation: {'cooperative': true}\n---\n",
        ),
        (
            "nested",
            "---\nname: nested\nmetadata:\n  - a: [1, {b: [c]}]\n  - d\ncontinuation:\n  cooperative: true\n  default-exit:\n    - /crlf x\n---\n",
        ),
        ("open", "---\nname: open\ncontinuation: {cooperative: true}\n"),
        (
            "broken",
            "---\nname: broken\ndescription: \"never closed\ncontinuation: {cooperative: true}\n---\n",
        ),
        ("bare", "Just a text.\n"),
        ("colon", "---\nname: colon\ndescription: Use it: now\ncontinuation: {cooperative: true}\n---\n"),
        (
            "hidden",
            "---\nname: hidden\ndisable-model-invocation: yes\ncontinuation: {cooperative: true}\n---\n",
        ),
        ("latin", "---\nname: latin\ndescription: \u{fffd}\n---\n"),
        ("bomb", "---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\ncontinuation: {cooperative: true}\n---\n"),
    ];
    for (name, text) in files {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
    fs::write(
        stage.root().join(".claude/skills/latin/SKILL.md"),
        b"---\nname: latin\ndescription: caf\xe9\n---\n",
    )
    .unwrap();
    fs::create_dir_all(stage.root().join(".claude/skills/empty")).unwrap();
    let list = stage.ok(&["skill", "list"]);
    let project: String =
        list.lines().filter(|line| line.contains("  project  ")).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(project, @r"
    /bare                      project   no: not cooperative
    /bomb                      project   no: line 3: the front matter is not valid YAML: aliases are not read
    /broken                    project   no: line 3: the front matter is not valid YAML: invalid indentation in quoted scalar
    /colon                     project   entry
    /crlf                      project   entry
    /hidden                    project   no: the model cannot call it
    /latin                     project   no: not cooperative
    /nested                    project   entry                                                                                 /crlf x
    /open                      project   no: line 1: the front matter is not closed by ---
    /quoted                    project   entry
    ");
    assert_eq!(listed(&stage, "quoted")[0]["description"], "it's # no comment");
    assert!(listed(&stage, "empty").is_empty());
}

#[test]
fn case_20_every_change_is_seen_at_the_next_prompt() {
    let stage = Stage::new();
    let settle = || settle(&stage);
    skill(&stage, ".claude/skills/commit", COOPERATIVE);
    skill(&stage, ".claude/skills/one", COOPERATIVE);
    fs::create_dir_all(stage.root().join(".claude/skills/later")).unwrap();
    settle();
    assert!(is_chain(&stage, "/one a, /commit"));
    assert_eq!(
        fs::read_dir(stage.root().join(".engine/state/skills")).unwrap().count(),
        1,
        "the registry is kept"
    );
    // Added: a folder, and a file in a folder that was there.
    assert!(!is_chain(&stage, "/two a, /commit"));
    skill(&stage, ".claude/skills/two", COOPERATIVE);
    assert!(is_chain(&stage, "/two a, /commit"));
    settle();
    assert!(!is_chain(&stage, "/later a, /commit"));
    skill(&stage, ".claude/skills/later", COOPERATIVE);
    assert!(is_chain(&stage, "/later a, /commit"));
    // Edited, to the same size and back.
    settle();
    assert!(is_chain(&stage, "/one a, /commit"));
    skill(&stage, ".claude/skills/one", &COOPERATIVE.replace("true", "nope"));
    assert!(!is_chain(&stage, "/one a, /commit"));
    skill(&stage, ".claude/skills/one", COOPERATIVE);
    assert!(is_chain(&stage, "/one a, /commit"));
    // A name of its own, given by an edit.
    settle();
    assert!(is_chain(&stage, "/one a, /commit"));
    stage.write(".claude/skills/one/SKILL.md", &format!("---\nname: uno\n{COOPERATIVE}\n---\n"));
    assert!(is_chain(&stage, "/uno a, /commit"));
    assert!(is_chain(&stage, "/one a, /commit"));
    // Removed.
    settle();
    assert!(is_chain(&stage, "/two a, /commit"));
    fs::remove_dir_all(stage.root().join(".claude/skills/two")).unwrap();
    assert!(!is_chain(&stage, "/two a, /commit"));
}

fn install_plugin(stage: &Stage, name: &str, scope: &str, project: Option<&Path>) {
    let path = stage.home().join(".claude/plugins/cache/git").join(name).join("1.0.0");
    let text = format!("---\nname: review\ndescription: Reviews.\n{COOPERATIVE}\n---\nBody.\n");
    for (file, text) in [
        ("skills/review/SKILL.md", text.as_str()),
        (".claude-plugin/plugin.json", &format!("{{\"name\":\"{name}\"}}")),
    ] {
        fs::create_dir_all(path.join(file).parent().unwrap()).unwrap();
        fs::write(path.join(file), text).unwrap();
    }
    let mut entry = json!({"scope": scope, "installPath": path, "version": "1.0.0"});
    if let Some(project) = project {
        entry["projectPath"] = json!(project);
    }
    let installed = json!({"version": 2, "plugins": {format!("{name}@git"): [entry]}});
    stage.write("../home/.claude/plugins/installed_plugins.json", &installed.to_string());
    let market =
        json!({"git": {"source": {"source": "git", "url": "x"}, "installLocation": stage.home().join("m")}});
    stage.write("../home/.claude/plugins/known_marketplaces.json", &market.to_string());
}

#[test]
fn case_20_plugins_come_and_go_with_the_settings() {
    let stage = Stage::new();
    skill(&stage, ".claude/skills/commit", COOPERATIVE);
    install_plugin(&stage, "tools", "user", None);
    let prompt = "/tools:review x, /commit";
    assert!(!is_chain(&stage, prompt), "installed, not enabled");
    let on = r#"{"enabledPlugins":{"tools@git":true}}"#;
    let off = r#"{"enabledPlugins":{"tools@git":false}}"#;
    stage.write("../home/.claude/settings.json", on);
    assert!(is_chain(&stage, prompt));
    assert!(is_chain(&stage, "/review x, /commit"), "by the name that it declares");
    stage.write(".claude/settings.json", off);
    assert!(!is_chain(&stage, prompt), "the project's settings win over the user's");
    stage.write(".claude/settings.local.json", on);
    assert!(is_chain(&stage, prompt), "and the local ones over both");
    stage.write(".claude/settings.local.json", r#"{"enabledPlugins":{"tools@git":"yes"}}"#);
    assert!(!is_chain(&stage, prompt), "only true counts");
    stage.write(".claude/settings.local.json", "{}");
    stage.write(".claude/settings.json", on);
    // Installed for a project: for this one, and for no other.
    install_plugin(&stage, "tools", "project", Some(&stage.root()));
    assert!(is_chain(&stage, prompt));
    install_plugin(&stage, "tools", "project", Some(Path::new("/elsewhere")));
    assert!(!is_chain(&stage, prompt));
}

#[test]
fn case_21_of_two_skills_with_one_name_the_first_place_wins() {
    let stage = Stage::new();
    install_plugin(&stage, "tools", "user", None);
    stage.write("../home/.claude/settings.json", r#"{"enabledPlugins":{"tools@git":true}}"#);
    skill(&stage, ".claude/skills/review", "");
    let own = listed(&stage, "review");
    assert_eq!((own.len(), &own[0]["source"], &own[0]["cooperative"]), (1, &json!("project"), &json!(false)));
    assert!(!is_chain(&stage, "/review x"), "the project's, which is not cooperative");
    assert!(is_chain(&stage, "/tools:review x, /tools:review"));
    // The person's own come before the project's, as in the client.
    skill(&stage, "../home/.claude/skills/review", COOPERATIVE);
    let both = listed(&stage, "review");
    assert_eq!((both.len(), &both[0]["source"], &both[1]["source"]), (2, &json!("user"), &json!("project")));
    assert_eq!(
        stage.masked(both[1]["whyNot"].as_str().unwrap()),
        "hidden by user ([TOP]/home/.claude/skills/review/SKILL.md)"
    );
    assert!(is_chain(&stage, "/review x, /review"));
}

#[test]
fn plugin_folders_that_the_client_was_started_with() {
    let mut stage = Stage::new();
    skill(&stage, ".claude/skills/commit", COOPERATIVE);
    skill(&stage, "../dev/tools/skills/review", COOPERATIVE);
    stage.write("../dev/tools/.claude-plugin/plugin.json", r#"{"name":"tools","skills":"./more"}"#);
    skill(&stage, "../dev/tools/more/extra", COOPERATIVE);
    assert!(!is_chain(&stage, "/tools:review, /commit"));
    stage.set(
        "CLAUDE_CODE_PLUGIN_DIRS",
        &stage.root().join("../dev").canonicalize().unwrap().display().to_string(),
    );
    assert!(is_chain(&stage, "/tools:review x, /commit"));
    assert!(is_chain(&stage, "/tools:extra x, /commit"));
    stage.write("../home/.claude/settings.json", r#"{"enabledPlugins":{"tools@inline":false}}"#);
    assert!(!is_chain(&stage, "/tools:review x, /commit"));
}

#[test]
fn commands_and_folders_above_count_and_overrides_take_away() {
    let stage = Stage::new();
    fs::create_dir_all(stage.root().join("sub/.engine")).unwrap();
    fs::create_dir_all(stage.root().join(".git")).unwrap();
    stage.write(".claude/commands/git/ship.md", &format!("---\n{COOPERATIVE}\n---\nShip.\n"));
    skill(&stage, ".claude/skills/commit", COOPERATIVE);
    let parse = |stage: &Stage, prompt: &str| {
        run(
            stage.command_in(&stage.root().join("sub"), &["chain", "parse", "--json"]),
            Some(prompt.as_bytes()),
        )
        .stdout
    };
    assert_eq!(
        parse(&stage, "/git:ship now, /commit"),
        "{\"continuation\":[{\"args\":\"\",\"skill\":\"commit\"}],\"current\":{\"args\":\"now\",\"skill\":\"git:ship\"},\"leftOut\":[],\"offered\":[],\"unknown\":[]}\n"
    );
    stage.write(
        "sub/.claude/settings.json",
        r#"{"skillOverrides":{"commit":"off","git:ship":"user-invocable-only"}}"#,
    );
    assert_eq!(
        parse(&stage, "/git:ship now, /commit and /git:ship"),
        "{\"continuation\":[],\"current\":{\"args\":\"now, /commit and /git:ship\",\"skill\":\"git:ship\"},\"leftOut\":[],\"offered\":[],\"unknown\":[\"commit\"]}\n"
    );
}

/// The shapes that the client reads, each seen in it.
#[test]
fn plugins_of_every_shape() {
    let mut stage = Stage::new();
    let folder = stage.root().join("../dev").display().to_string();
    let text = format!("---\nname: fancy\n{COOPERATIVE}\n---\nBody.\n");
    stage.write(
        "../dev/px/.claude-plugin/plugin.json",
        r#"{"name":"px","commands":{"about":{"source":"./x.md"}},"skills":["./one/single"]}"#,
    );
    stage.write("../dev/px/x.md", &format!("---\n{COOPERATIVE}\n---\nAbout.\n"));
    skill(&stage, "../dev/px/one/single", COOPERATIVE);
    stage.write("../dev/root/.claude-plugin/plugin.json", r#"{"name":"root"}"#);
    stage.write("../dev/root/SKILL.md", &text);
    // A plugin among the skills.
    stage.write("../home/.claude/skills/up/.claude-plugin/plugin.json", r#"{"name":"up"}"#);
    skill(&stage, "../home/.claude/skills/up/skills/inner", COOPERATIVE);
    // A marketplace that describes the plugin itself.
    let market = stage.root().join("../market");
    stage.write(
        "../market/.claude-plugin/marketplace.json",
        r#"{"plugins":[{"name":"loose","source":"./loose","strict":false,"skills":["./deep/one"]}]}"#,
    );
    skill(&stage, "../market/loose/deep/one", COOPERATIVE);
    let known = json!({"m": {"source": {"source": "directory"}, "installLocation": market}});
    stage.write("../home/.claude/plugins/known_marketplaces.json", &known.to_string());
    stage.write("../home/.claude/settings.json", r#"{"enabledPlugins":{"loose@m":true}}"#);
    stage.set("CLAUDE_CODE_PLUGIN_DIRS", &folder);
    for name in ["px:about", "px:single", "root:fancy", "up:inner", "loose:one"] {
        assert!(is_chain(&stage, &format!("/{name} x, /{name}")), "{name}");
    }
}

#[test]
fn an_override_is_forgotten_when_it_is_taken_back() {
    let stage = Stage::new();
    skill(&stage, ".claude/skills/b", COOPERATIVE);
    skill(&stage, ".claude/skills/a", COOPERATIVE);
    settle(&stage);
    let entries = |stage: &Stage| {
        run(stage.command(&["chain", "parse", "--json"]), Some(b"/a, /b")).json()["continuation"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(entries(&stage), 1);
    stage.write(".claude/settings.local.json", r#"{"skillOverrides":{"b":"user-invocable-only"}}"#);
    assert_eq!(entries(&stage), 0);
    settle(&stage);
    assert_eq!(entries(&stage), 0);
    stage.write(".claude/settings.local.json", "{}");
    assert_eq!(entries(&stage), 1);
}

#[test]
fn a_file_from_the_future_is_kept_in_the_registry_too() {
    let stage = Stage::new();
    skill(&stage, ".claude/skills/a", COOPERATIVE);
    let file = fs::File::options().write(true).open(stage.root().join(".claude/skills/a/SKILL.md")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_hours(24)).unwrap();
    settle(&stage);
    assert!(is_chain(&stage, "/a x, /a"));
    assert!(stage.exists(".engine/state/skills"));
}

#[test]
fn what_cannot_be_typed_is_no_entry() {
    let stage = Stage::new();
    for name in ["dot.ted", "With Blank", "_under"] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), &format!("---\n{COOPERATIVE}\n---\n"));
        assert_eq!(listed(&stage, name)[0]["whyNot"], "its name cannot be typed in a chain");
    }
    let exits = "continuation: {cooperative: True, default-exit: \"/a --x, /b\"}";
    stage.write(
        ".claude/skills/one/SKILL.md",
        &format!("---\nallowed-tools: Read Skill Bash(git add:*)\n{exits}\n---\n"),
    );
    assert_eq!(listed(&stage, "one")[0]["defaultExit"], json!(["/a --x", "/b"]));
}

#[test]
fn a_damaged_registry_is_made_anew() {
    let stage = Stage::new();
    skill(&stage, ".claude/skills/commit", COOPERATIVE);
    settle(&stage);
    assert!(is_chain(&stage, "/commit, /commit"));
    let folder = stage.root().join(".engine/state/skills");
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"{}", b"\xff", b""] {
        fs::write(&file, damaged).unwrap();
        assert!(is_chain(&stage, "/commit, /commit"));
    }
    assert_eq!(fs::read(&file).unwrap(), whole);
}

#[test]
fn check_names_file_line_and_what_to_do() {
    let stage = Stage::new();
    stage.write(".claude/skills/clear/SKILL.md", "---\nname: tidy\nallowed-tools: Read\ncontinuation:\n  cooperative: true\n  default-exit: [/gone]\n---\nSee [more](more.md).\n");
    let out = stage.engine(&["skill", "check"]);
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), "1 skill checked: 7 errors, 0 warnings\n"));
    insta::assert_snapshot!(stage.masked(&out.stdout), @r"
    [TOP]/project/.claude/skills/clear/SKILL.md:1: error: /clear is a command of the client; the skill takes its place
    [TOP]/project/.claude/skills/clear/SKILL.md:1: error: no description: the model cannot know when to use it
    [TOP]/project/.claude/skills/clear/SKILL.md:1: error: cooperative, but the text does not tell what to do with a continuation; engine skill new shows the lines
    [TOP]/project/.claude/skills/clear/SKILL.md:2: error: name is tidy, the folder is clear
    [TOP]/project/.claude/skills/clear/SKILL.md:3: error: cooperative, but Skill is not among the allowed tools
    [TOP]/project/.claude/skills/clear/SKILL.md:6: error: the exit /gone is no skill here
    [TOP]/project/.claude/skills/clear/SKILL.md:8: error: more.md is not there
    ");
    assert_eq!(
        stage.engine(&["skill", "check", "nowhere"]).stderr,
        "engine: nowhere is neither a path nor the name of a skill with a SKILL.md\n  the names: engine skill list\n"
    );
}

#[test]
fn check_takes_the_name_of_a_skill() {
    let mut stage = Stage::new();
    stage.write(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: x\n---\nDo §CMD_NOPE, then `§CMD_SPAN`, §CMD_LOG and §CMD_NOPE.\n\n    §CMD_CODE\n");
    stage.write("../home/.claude/skills/theirs/SKILL.md", "---\nname: other\ndescription: x\n---\n");
    stage.write(".claude/commands/old.md", "Old.\n");
    stage.write("own2/SKILL.md", "---\nname: own2\ndescription: x\n---\n");
    stage.set("HOME", &stage.home().display().to_string());
    let check = |name: &str| {
        let out = stage.engine(&["skill", "check", name]);
        stage.masked(&format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr))
    };
    insta::assert_snapshot!(check("own"), @"
    1 [TOP]/project/.claude/skills/own/SKILL.md:5: error: §CMD_NOPE is not defined; engine sigil list shows what is
    1 skill checked: 1 error, 0 warnings
    ");
    assert_eq!(check("/own"), check("own"));
    insta::assert_snapshot!(check("theirs"), @"
    1 [TOP]/home/.claude/skills/theirs/SKILL.md:2: error: name is other, the folder is theirs
    1 skill checked: 1 error, 0 warnings
    ");
    insta::assert_snapshot!(check("own2"), @"0 1 skill checked: 0 errors, 0 warnings");
    insta::assert_snapshot!(check("old"), @"
    1 engine: old is neither a path nor the name of a skill with a SKILL.md
      the names: engine skill list
    ");
    insta::assert_snapshot!(check("clear"), @"
    1 engine: clear is neither a path nor the name of a skill with a SKILL.md
      the names: engine skill list
    ");
}

/// One file that cannot be read hides nothing of what is wrong with the others.
#[test]
fn check_goes_on_behind_an_unreadable_skill() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.write(&format!("sk/{name}/SKILL.md"), "---\nname: other\ndescription: x\n---\n");
    }
    fs::write(stage.root().join("sk/b/SKILL.md"), b"\xff").unwrap();
    let out = stage.engine(&["skill", "check", "sk"]);
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("sk/a/SKILL.md:2: error: "), "{lines:?}");
    assert_eq!(lines[1], "sk/b/SKILL.md:1: error: it was not read: stream did not contain valid UTF-8");
    assert!(lines[2].starts_with("sk/c/SKILL.md:2: error: "), "{lines:?}");
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), "3 skills checked: 3 errors, 0 warnings\n"));
    let out = stage.engine(&["skill", "check", "sk", "--json"]);
    let report = out.json();
    assert_eq!((out.code, &report["checked"], &report["errors"]), (Some(1), &json!(3), &json!(3)));
    assert_eq!(
        report["found"][1],
        json!({"file": "sk/b/SKILL.md", "line": 1, "severity": "error", "text": "it was not read: stream did not contain valid UTF-8"})
    );
}

#[test]
fn a_new_skill_is_cooperative_and_has_nothing_wrong() {
    let stage = Stage::new();
    assert_eq!(stage.ok(&["skill", "new", "deploy-docs"]), "made .claude/skills/deploy-docs/SKILL.md\n");
    let out = stage.engine(&["skill", "check"]);
    assert_eq!(
        (out.code, out.stdout.as_str(), out.stderr.as_str()),
        (Some(0), "", "1 skill checked: 0 errors, 0 warnings\n")
    );
    assert!(is_chain(&stage, "/deploy-docs x, /deploy-docs"));
    let before = stage.read(".claude/skills/deploy-docs/SKILL.md");
    let again = stage.engine(&["skill", "new", "deploy-docs"]);
    assert_eq!(again.code, Some(1));
    assert_eq!(
        stage.masked(&again.stderr),
        "engine: /deploy-docs is there already: [TOP]/project/.claude/skills/deploy-docs/SKILL.md\n"
    );
    assert_eq!(stage.read(".claude/skills/deploy-docs/SKILL.md"), before);
    assert_eq!(stage.engine(&["skill", "new", "../x"]).code, Some(2));
    assert_eq!(
        stage.engine(&["skill", "new", "clear"]).stderr,
        "engine: /clear is a command of the client; the skill would take its place\n"
    );
}

#[test]
fn the_matrix_shows_what_some_have_and_others_lack() {
    let stage = Stage::new();
    stage.ok(&["skill", "new", "one"]);
    stage.write(
        ".claude/skills/two/SKILL.md",
        "---\nname: two\ndescription: Two. #needs-implementation\n---\n",
    );
    stage.write(".claude/skills/three/SKILL.md", "---\nname: three\ndescription: Three.\n---\n");
    insta::assert_snapshot!(stage.ok(&["skill", "check", "--matrix"]), @"
    SKILL  description  allowed-tools  cooperative  exits  exits by flag  Skill tool  protocol  phases  modes
    one    yes          yes            yes                                yes         yes
    three  yes          -              -                                  -           -
    two    yes          to come        to come                            to come     to come
    ");
}

/// What ships is what we ask of others.
#[test]
fn the_skills_of_the_plugin_have_nothing_wrong() {
    let stage = Stage::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin/skills");
    let out = stage.engine(&["skill", "check", &folder.display().to_string()]);
    assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{}", out.stdout);
}
