//! What a person keeps to themselves stays so: permissions of changed files, and secrets in the journal.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::stage::Stage;

fn set_mode(stage: &Stage, path: &str, mode: u32) {
    fs::set_permissions(stage.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(stage: &Stage, path: &str) -> u32 {
    fs::metadata(stage.root().join(path)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_changed_file_keeps_its_permissions() {
    for kept in [0o600, 0o640, 0o664] {
        let stage = Stage::bare();
        // Each file, what it holds before, and the command that changes it.
        let cases: [(&str, &str, &[&str]); 6] = [
            (".claude/settings.json", "{\"env\": {\"KEY\": \"mine\"}}\n", &["init", "--team"]),
            (".engine/config.toml", "", &["config", "set", "inject.budget", "700"]),
            (".claude/settings.json", "", &["config", "set", "rules.journal", "off"]),
            ("session.md", "## Pending Tasks\n- [ ] **One** —\n", &["task", "add", "two"]),
            ("session.md", "", &["task", "start", "One"]),
            (".claude/settings.json", "", &["uninstall"]),
        ];
        for (path, text, args) in cases {
            if !text.is_empty() {
                stage.write(path, text);
            }
            set_mode(&stage, path, kept);
            let before = stage.read(path);
            stage.ok(args);
            assert_ne!(stage.read(path), before, "{args:?} changes {path}");
            assert_eq!(mode(&stage, path), kept, "{kept:o} of {path} after {args:?}");
        }
    }
}

#[test]
fn what_a_killed_process_leaves_is_as_private_as_the_file() {
    let stage = Stage::new();
    let text = format!("## Pending Tasks\n- [ ] **One** —\n\n## Notes\n{}\n", "mine ".repeat(4000));
    stage.write("session.md", &text);
    set_mode(&stage, "session.md", 0o600);
    // The system ends a process that writes more than a kilobyte into a file.
    let engine = stage.command(&["task", "add", "two"]);
    let mut command = std::process::Command::new("bash");
    command.args(["-c", "ulimit -c 0; ulimit -f 1; exec \"$0\" task add two"]).arg(engine.get_program());
    command.current_dir(stage.root()).env("HOME", stage.home());
    let status = command.status().unwrap();
    assert_eq!(status.code(), None, "it is ended by a signal");
    let mut left: Vec<(String, u32)> = fs::read_dir(stage.root())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("session.md"))
        .map(|name| (if name == "session.md" { "file" } else { "temporary" }.to_owned(), mode(&stage, &name)))
        .collect();
    left.sort();
    assert_eq!(left, [("file".to_owned(), 0o600), ("temporary".to_owned(), 0o600)]);
    assert_eq!(stage.read("session.md"), text);
}

#[test]
fn a_bearer_does_not_reach_the_journal() {
    let stage = Stage::new();
    for (command, kept) in [
        (r#"curl -d "Bearer abcdEFGH1234" https://x"#, r#"curl -d "Bearer [redacted]" https://x"#),
        ("echo bearer abcdEFGH1234 | nc x 80", "echo bearer [redacted] | nc x 80"),
        ("curl -H 'Authorization: Bearer abcdEFGH1234' x", "curl -H 'Authorization: Bearer [redacted]' x"),
        ("echo Bearer $TOKEN", "echo Bearer $TOKEN"),
    ] {
        stage.hook(&stage.bash(command)).assert_silent();
        assert_eq!(stage.journal().last().unwrap()["command"], json!(kept), "{command}");
    }
    stage.hook(&stage.prompt("use Bearer abcdEFGH1234 for it")).assert_silent();
    // Nowhere below the project: the journal, the state, texts that were too long.
    let mut open = vec![stage.root()];
    let mut holders = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("abcdEFGH1234") {
                holders.push(path);
            }
        }
    }
    assert_eq!(holders, Vec::<std::path::PathBuf>::new());
}
