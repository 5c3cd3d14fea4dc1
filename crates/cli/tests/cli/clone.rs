//! Commands that a person runs in a clone: they write no file and start no program that its author chose.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Output, Stage};

/// What a command says, with how it ended.
fn said(stage: &Stage, output: &Output) -> String {
    let text = format!("{}{}", output.stdout, output.stderr);
    stage.masked(&format!("exit {}\n{text}", output.code.unwrap_or(-1)))
}

/// What a person's home and the repository hold before and, if all is well, after.
const KEPT: [(&str, &str); 6] = [
    ("../home/.bashrc", "export A=1\n"),
    ("../home/keep.txt", "keep\n"),
    ("../home/linked.md", "mine\n"),
    (".git/config", "[core]\n\tbare = false\n"),
    ("Makefile", "all:\n"),
    ("src/CLAUDE.md", "mine\n"),
];

/// A clone whose manifest names files of the person's, each as it is.
fn planted() -> Stage {
    let stage = Stage::bare();
    for (path, text) in KEPT {
        stage.write_from_elsewhere(path, text);
    }
    fs::create_dir_all(stage.root().join(".claude/agents")).unwrap();
    symlink("../../../home/linked.md", stage.root().join(".claude/agents/linked.md")).unwrap();
    stage.write_from_elsewhere("CLAUDE.md", "theirs\n");
    let entry = |after: &str| json!({"before": "evil\n", "after": after});
    let root = stage.root();
    let mut files: serde_json::Map<String, Value> =
        KEPT.iter().map(|(path, text)| ((*path).to_owned(), entry(text))).collect();
    for (path, text) in KEPT {
        files.insert(root.join(path).display().to_string(), entry(text));
    }
    files.insert(stage.home().join(".bashrc").display().to_string(), entry("export A=1\n"));
    files.insert(root.join(".claude/agents/linked.md").display().to_string(), entry("mine\n"));
    files.insert(root.join(".claude/agents/../../Makefile\u{1b}[2J").display().to_string(), entry("all:\n"));
    files.insert(root.join("CLAUDE.md").display().to_string(), entry("theirs\n"));
    let hooks = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "evil"}]}]}});
    let wired = r#"{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "engine", "args": ["hook"]}]}]}}"#;
    stage.write_from_elsewhere(".claude/settings.json", wired);
    files.insert(
        root.join(".claude/settings.json").display().to_string(),
        json!({"before": hooks.to_string(), "after": wired}),
    );
    let folders = [root.join("empty"), stage.home().join("empty")];
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
    }
    let manifest = json!({"version": 1, "files": files, "folders": folders});
    stage.write_from_elsewhere(".engine/state/install.json", &manifest.to_string());
    stage
}

fn assert_kept(stage: &Stage) {
    for (path, text) in KEPT {
        assert_eq!(stage.read(path), text, "{path}");
    }
    assert!(stage.exists("empty") && stage.exists("../home/empty"));
}

#[test]
fn uninstall_in_a_project_that_is_not_trusted_restores_nothing_from_its_manifest() {
    let stage = planted();
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall"])), @"
    exit 0
    restored .claude/settings.json
    note: nothing was restored from .engine/state/install.json, because this project is not trusted
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    ");
    assert_kept(&stage);
    assert_eq!(stage.read("CLAUDE.md"), "theirs\n");
    assert_eq!(stage.read(".claude/settings.json"), r#"{"model": "opus"}"#);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall"])), @"
    exit 3
    note: nothing was restored from .engine/state/install.json, because this project is not trusted
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    engine: nothing of engine's is installed in [TOP]/project
    ");
}

#[test]
fn uninstall_in_a_trusted_project_restores_only_what_init_writes() {
    let stage = planted();
    stage.accept_in(&stage.root());
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall"])), @r"
    exit 0
    restored .claude/settings.json
    restored CLAUDE.md
    note: not restored: [TOP]/home/.bashrc, ../home/.bashrc, ../home/keep.txt, ../home/linked.md, .claude/agents/../../Makefile\u{1b}[2J and 9 more, which engine init does not write
    note: not restored: .claude/agents/linked.md, which is behind a link that leads out of the project
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    ");
    assert_kept(&stage);
    assert_eq!(stage.read("CLAUDE.md"), "evil\n");
    assert!(!stage.exists(".engine/state/install.json"));
}

#[test]
fn init_takes_nothing_over_from_the_manifest_of_a_clone() {
    let stage = planted();
    stage.ok(&["init"]);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall"])), @"
    exit 0
    restored .claude/settings.json
    removed .claude/settings.local.json
    removed .engine/config.toml
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    ");
    assert_kept(&stage);
    assert_eq!(stage.read("CLAUDE.md"), "theirs\n");
    assert_eq!(stage.read(".claude/settings.json"), r#"{"model": "opus"}"#);
}

#[test]
fn what_init_wrote_before_the_project_was_trusted_is_taken_out_once_it_is() {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write_from_elsewhere("deep/.engine/config.toml", "[rules]\npolicy = \"off\"\n");
    let deep = stage.root().join("deep");
    let exclude = stage.read(".git/info/exclude");
    let run = |args: &[&str]| crate::stage::at_terminal(&stage.command_in(&deep, args));
    let init = ["init", "--with", "skills,fragment"];
    assert_eq!(run(&init).code, Some(0));
    assert_eq!(run(&init).code, Some(0));
    assert!(stage.read(".git/info/exclude") != exclude, "the repository begins above the project");
    stage.accept_in(&deep);
    assert_eq!(run(&["uninstall"]).code, Some(0));
    assert!(!stage.exists("deep/.claude") && !stage.exists("deep/CLAUDE.md"));
    let hidden = "# engine init hides: /deep/.engine/\n/deep/.engine/\n";
    assert_eq!(stage.read(".git/info/exclude"), format!("{exclude}{hidden}"), "deep/.engine/ is still there");
    assert_eq!(run(&["uninstall", "--purge=all"]).code, Some(0));
    assert_eq!(stage.read(".git/info/exclude"), exclude);
}

/// A program of the clone's that leaves a trace.
fn program(stage: &Stage, path: &str) {
    stage.write_from_elsewhere(path, &format!("#!/bin/sh\ntouch {}/ran\n", stage.root().display()));
    fs::set_permissions(stage.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What doctor says of the one hook that is wired.
fn hook_row(stage: &Stage, hook: &Value) -> String {
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    stage.write_from_elsewhere(".claude/settings.json", &settings.to_string());
    let report = stage.engine(&["doctor", "--json"]).json();
    let rows: Vec<&Value> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["name"].as_str().unwrap().starts_with("hook "))
        .collect();
    assert_eq!(rows.len(), 1, "{report}");
    let text = |key: &str| rows[0][key].as_str().unwrap();
    let detail = text("detail").split(", fires,").next().unwrap();
    stage.masked(&format!("{} {}: {detail}", text("health"), text("name")))
}

fn line(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

fn exec(command: &str) -> Value {
    json!({"type": "command", "command": command, "args": ["hook"]})
}

#[test]
fn doctor_starts_no_program_of_a_project_that_is_not_trusted() {
    let mut stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "");
    program(&stage, "bin/engine");
    let engine = env!("CARGO_BIN_EXE_engine");
    // A path that is the engine for whoever takes the line for a path.
    fs::create_dir_all(stage.root().join("touch ran; .")).unwrap();
    symlink(engine, stage.root().join("touch ran; ./engine")).unwrap();
    symlink(engine, stage.root().join("engine")).unwrap();
    let withheld = |line: &str| {
        format!(
            "note hook Stop: not started: `{line}` is not the engine's own program, and this project is not trusted. Look: engine trust --show"
        )
    };
    let absolute = stage.root().join("bin/engine").display().to_string();
    assert_eq!(hook_row(&stage, &line("./bin/engine hook")), withheld("./bin/engine hook"));
    assert_eq!(hook_row(&stage, &exec("./bin/engine")), withheld("./bin/engine hook"));
    assert_eq!(hook_row(&stage, &exec(&absolute)), withheld("[TOP]/project/bin/engine hook"));
    assert_eq!(hook_row(&stage, &line("touch ran; ./engine hook")), withheld("touch ran; ./engine hook"));
    assert_eq!(
        hook_row(&stage, &line("\"$(touch ran)/engine\" hook")),
        withheld("\"$(touch ran)/engine\" hook")
    );
    assert_eq!(hook_row(&stage, &line("touch ran\n./engine hook")), withheld("touch ran\\n./engine hook"));
    // The engine itself, by whatever name.
    for own in [line("engine hook"), exec("engine"), exec(engine), exec("./engine"), line("./engine hook")] {
        assert_eq!(hook_row(&stage, &own), "ok hook Stop: wired", "{own}");
    }
    assert!(!stage.exists("ran"));
    // The name alone, where PATH leads into the project.
    let folder = Path::new(engine).parent().unwrap().display().to_string();
    for place in [format!("{}/bin", stage.root().display()), "bin".to_owned()] {
        stage.set("PATH", &format!("{place}:{folder}:/usr/bin:/bin"));
        assert_eq!(hook_row(&stage, &exec("engine")), withheld("engine hook"), "{place}");
        assert_eq!(hook_row(&stage, &line("engine hook")), withheld("engine hook"), "{place}");
    }
    assert!(!stage.exists("ran"));
}

#[test]
fn doctor_starts_the_program_of_a_trusted_project() {
    let stage = Stage::new();
    program(&stage, "bin/engine");
    let row = hook_row(&stage, &line("./bin/engine hook"));
    assert_eq!(row.split(" in ").next(), Some("note hook Stop: wired, runs"));
    assert!(stage.exists("ran"));
}
