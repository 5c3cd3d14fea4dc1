//! The built-in memory of the real client: where it lies, and that it stays empty where the project wants that.

use std::fs;
use std::path::Path;
use std::process::Command;

use engine_testkit::{Bench, Run, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, accept_in, ask, bench, engine, last};

/// The folder that the client tells its model.
fn told(run: &Run) -> String {
    let text = last(run).system_text() + &last(run).messages_text();
    let end = text.find("/memory/").unwrap_or_else(|| panic!("no memory is told of: {text}"));
    let from = text[..end].rfind(|c: char| c.is_whitespace() || "`'\"(".contains(c)).unwrap() + 1;
    text[from..end + "/memory/".len()].to_owned()
}

fn where_told(bench: &Bench, folder: &Path) -> String {
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Hi."));
    told(&bench.run_in(folder, scenario, &["-p", "hello"]).unwrap())
}

/// The scripted model writes the index of the memory and tells what came of it.
fn writes(bench: &Bench, index: &str) -> (String, bool) {
    let write = json!({"file_path": index, "content": "- the tests are slow\n"});
    let scenario = Scenario::new()
        .turn(Turn::new("write").prompt_contains("remember").tool_use("Write", write))
        .turn(Turn::new("end").tool_result_of("Write").text("Well."));
    let run = ask(bench, scenario, "remember", BYPASS);
    let result = last(&run).tool_results().remove(0);
    (result.text, result.is_error)
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_write_into_the_memory_is_refused_where_the_project_wants_that() {
    let bench = bench(&[]);
    let index = where_told(&bench, bench.project()) + "MEMORY.md";
    engine(&bench, &["config", "set", "directives.memory", "deny"]);
    let refused = format!(
        "PreToolUse:Write hook error: engine rule memory: {index} is in the client's built-in memory, which this project does not use. A fact, decision or preference: engine remember TEXT. What holds in a folder goes into its directives: engine directives new AGENTS DIR. What was learnt: engine learn add. Reading the memory stays free."
    );
    assert_eq!(writes(&bench, &index), (refused, true));
    assert!(!Path::new(&index).exists());
    engine(&bench, &["config", "set", "directives.memory", "allow"]);
    let (said, is_error) = writes(&bench, &index);
    assert!(!is_error, "{said}");
    assert_eq!(fs::read_to_string(index).unwrap(), "- the tests are slow\n");
}

/// One memory for the repository, its folders and its worktrees; doctor finds it from each.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn doctor_looks_where_the_client_keeps_its_memory() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "directives.memory", "deny"]);
    bench.write("sub/my.app_x/a.txt", "x").unwrap();
    bench.commit_all("start").unwrap();
    let tree = bench.home().join("tree");
    bench.git(&["worktree", "add", "-q", &tree.display().to_string()]).unwrap();
    let plain = bench.home().join("no repo.\u{e9}");
    fs::create_dir_all(plain.join(".engine")).unwrap();
    fs::write(plain.join(".engine/config.toml"), "[directives]\nmemory = \"deny\"\n").unwrap();
    accept_in(&bench, &plain);
    for folder in [bench.project().join("sub/my.app_x"), tree, plain] {
        let index = where_told(&bench, &folder) + "MEMORY.md";
        fs::create_dir_all(Path::new(&index).parent().unwrap()).unwrap();
        fs::write(&index, "- notes\n").unwrap();
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_engine"));
        doctor.args(["doctor", "--json"]).current_dir(&folder).env_clear();
        let out = doctor.env("HOME", bench.home()).env("PATH", "/usr/bin:/bin").output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap();
        assert!(said.contains(&format!("{index} holds 8 bytes")), "{}: {said}", folder.display());
    }
}
