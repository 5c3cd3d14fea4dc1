//! Engine's own files and program with the real client.

use engine_testkit::{Bench, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, engine, last};

/// A project whose hooks call a copy of the program, which can go missing.
fn with_copy() -> Bench {
    engine_testkit::client::require();
    let mut bench = Bench::new().unwrap();
    let bin = bench.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_engine"), bin.join("engine")).unwrap();
    bench.path_first(&bin);
    engine(&bench, &["init", "--team"]);
    bench
}

/// Two calls after the program is gone.
fn plays() -> Scenario {
    let touch = |name: &str| json!({"command": format!("touch {name}"), "description": "Make it"});
    Scenario::new()
        .turn(Turn::new("first").prompt_contains("go").tool_use("Bash", touch("one")))
        .turn(Turn::new("second").tool_result_of("Bash").tool_use("Bash", touch("two")))
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."))
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn without_the_program_calls_are_blocked_if_it_fails_closed_and_run_if_not() {
    for (fail, runs) in [("closed", false), ("open", true)] {
        let bench = with_copy();
        engine(&bench, &["config", "set", "policy.fail", fail]);
        std::fs::remove_file(bench.home().join("bin/engine")).unwrap();
        let run = ask(&bench, plays(), "go", BYPASS);
        for name in ["one", "two"] {
            assert_eq!(bench.project().join(name).exists(), runs, "{fail} {name}");
        }
        assert_eq!(last(&run).tool_results()[0].is_error, !runs, "{fail}");
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_program_stays_where_it_is() {
    let bench = with_copy();
    let scenario = Scenario::new()
        .turn(
            Turn::new("remove")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "rm ~/bin/engine", "description": "Remove it"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("I may not."));
    ask(&bench, scenario, "go", BYPASS);
    assert!(bench.home().join("bin/engine").exists());
}

/// A script makes the link, which nobody sees; the write by its name is refused.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_hard_link_of_the_configuration_is_not_written() {
    let bench = with_copy();
    bench.write("link.sh", "ln .engine/config.toml notes.toml\n").unwrap();
    let before = bench.read(".engine/config.toml").unwrap();
    let notes = bench.project().join("notes.toml");
    let scenario = Scenario::new()
        .turn(
            Turn::new("link")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "sh link.sh && cat notes.toml", "description": "Link"})),
        )
        .turn(Turn::new("read").tool_result_of("Bash").tool_use("Read", json!({"file_path": notes})))
        .turn(
            Turn::new("write")
                .tool_result_of("Read")
                .tool_use("Write", json!({"file_path": notes, "content": "[rules]\npolicy = \"off\"\n"})),
        )
        .turn(Turn::new("end").tool_result_of("Write").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(
        last(&run).tool_results()[0].text,
        format!(
            "PreToolUse:Write hook error: engine rule protect: this would change {}, which is {} by another name (a hard link). That file belongs to engine or wires it into the client. A copy is free to change: cp it, and write the copy.",
            notes.display(),
            bench.project().join(".engine/config.toml").display()
        )
    );
    assert_eq!(bench.read(".engine/config.toml").unwrap(), before);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn own_files_are_not_found_and_deleted() {
    let bench = with_copy();
    let command = "find . -path './.engine/*' -delete";
    let scenario = Scenario::new()
        .turn(
            Turn::new("find")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": command, "description": "Clean"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("I may not."));
    ask(&bench, scenario, "go", BYPASS);
    assert!(bench.project().join(".engine/config.toml").exists());
}
