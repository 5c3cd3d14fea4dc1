//! Rules of the pack machine about what a call leaves for later: files that a person's shell and login run, folders that a container gets.

use crate::policy::{decision, word};
use crate::stage::Stage;

#[test]
fn a_file_that_runs_later_is_asked_about_by_any_tool() {
    let stage = Stage::new();
    let home = stage.home();
    let at = |name: &str| home.join(name).display().to_string();
    for (command, expected) in [
        ("echo x >> ~/.bashrc", "ask"),
        ("echo x | tee -a ~/.ssh/authorized_keys", "ask"),
        ("git config --global alias.x '!make'", "ask"),
        ("echo x >> .bashrc", "none"),
        ("cat ~/.bashrc", "none"),
    ] {
        assert_eq!(word(&stage, command), expected, "{command}");
    }
    let tool = |path: &str| decision(&stage.hook(&stage.write_tool(path, "x"))).0;
    assert_eq!(tool(&at(".zshrc")), "ask");
    assert_eq!(tool(&at(".config/systemd/user/x.service")), "ask");
    assert_eq!(tool(&at("notes.md")), "none");
    assert_eq!(tool(".zshrc"), "none", "it is the project's");
    // With protected files, paths are followed to where they lead; the name still counts.
    std::fs::write(home.join("rc"), "").unwrap();
    std::os::unix::fs::symlink(home.join("rc"), home.join(".zshrc")).unwrap();
    stage.write(".engine/config.toml", "[policy]\nprotected = [\"VERSION\"]\n");
    assert_eq!(tool(&at(".zshrc")), "ask");
    assert_eq!(word(&stage, "echo x >> ~/.zshrc"), "ask");
}

#[test]
fn a_container_that_gets_the_machine_is_asked_about() {
    let stage = Stage::new();
    for (command, expected) in [
        ("docker run -v /:/host alpine ls", "ask"),
        ("docker run -v \"$HOME\":/h alpine ls", "ask"),
        ("docker run -v \"$PWD\":/src alpine ls", "none"),
        ("docker run -v /:/host:ro alpine ls", "none"),
    ] {
        assert_eq!(word(&stage, command), expected, "{command}");
    }
    let out = stage.engine(&["policy", "check", "docker run -v /:/host alpine ls"]);
    insta::assert_snapshot!(out.stdout, @"ask machine.mount: `docker run -v /:/host alpine ls` needs the user's word: what runs in the container could change every file there, and is not judged. Instead: the folder that it needs, or :ro behind it.");
}

#[test]
fn a_client_elsewhere_is_shown_with_what_leads_there() {
    let stage = Stage::new();
    let out = stage.engine(&["policy", "explain", "docker exec db psql -c 'DROP TABLE x'"]);
    insta::assert_snapshot!(out.stdout, @r"
    It runs
      1 docker exec db psql -c 'DROP TABLE x'
      2 psql -c 'DROP TABLE x'   (by docker)   (elsewhere, judged by the packs cloud and database)
    The rules say
      ask database.sql: `docker exec db psql -c 'DROP TABLE x'` needs the user's word: data would be lost. Instead: a WHERE, a transaction that is rolled back, or a copy of the database.
    ");
}
