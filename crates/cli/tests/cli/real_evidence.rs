//! Logs and checks with the real client: the shell knows its session, and the journal tells what passed.

use engine_core::evidence::proof::Command;
use engine_core::evidence::{EditScope, Evidence, Pass, find};
use engine_core::journal::Entry;
use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, bench, engine, last};

/// The way that skills tell the agent to log.
const LOG: &str =
    "engine log sessions/A/X_LOG.md <<'EOF'\n## Decision: JSON\nBecause `every` \"tool\" reads {it}.\nEOF";

fn bash(name: &str, command: &str) -> Turn {
    Turn::new(name).tool_use("Bash", json!({"command": command}))
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_the_agent_ran_is_told_from_the_journal() {
    let bench = bench(&[]);
    bench.write("test.sh", "exit 3\n").unwrap();
    bench.write("sessions/A/.keep", "").unwrap();
    let scenario = Scenario::new()
        .turn(bash("fails", "sh test.sh").prompt_contains("go"))
        .turn(bash("hides", "sh test.sh | tail -1").last_contains("Exit code 3"))
        .turn(bash("edits", "sed -i 's/3/0/' test.sh").tool_result_of("Bash").tool_result_error(false))
        .turn(bash("checks", "engine check -- sh test.sh | cat").last_contains("(Bash completed"))
        .turn(bash("logs", LOG).last_contains("(Bash completed"))
        .turn(bash("edits again", "echo >> test.sh").last_contains("logged in"))
        .turn(Turn::new("end").last_contains("(Bash completed").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let session = run.result().unwrap()["session_id"].as_str().unwrap().to_owned();
    let journal = engine(&bench, &["journal", "--json", "--session", &session]);
    let entries: Vec<Entry> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let root = bench.project().display().to_string();
    let scope = EditScope::new(&root, &engine_claude::DIALECT);
    let mut told: Vec<Evidence> = Vec::new();
    for end in 0..=entries.len() {
        let evidence = find(&entries[..end], &Command::new("sh test.sh", ""), &scope);
        let evidence = match evidence {
            Evidence::Passed(pass) => Evidence::Passed(Pass { at: String::new(), ..pass }),
            other => other,
        };
        if told.last() != Some(&evidence) {
            told.push(evidence);
        }
    }
    let expected = [
        Evidence::Never { elsewhere: None },
        Evidence::Failed { exit: 3 },
        Evidence::Unknown { why: "a pipe hides its status".into() },
        Evidence::Passed(Pass::default()),
        Evidence::Passed(Pass { edited: Some("test.sh".into()), ..Pass::default() }),
    ];
    assert_eq!(told, expected);
    assert!(bench.read("sessions/A/X_LOG.md").unwrap().contains("] Decision: JSON\nBecause `every`"));
}

/// An entry in a here-document passes the client's permission check where `engine log` is allowed.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn logging_needs_no_dialog_where_it_is_allowed() {
    let bench = bench(&[]);
    bench.write("sessions/A/.keep", "").unwrap();
    let scenario = Scenario::new()
        .turn(bash("logs", LOG).prompt_contains("go"))
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let allowed = ["--permission-mode", "manual", "--allowedTools", "Bash(engine log:*)"];
    let run = ask(&bench, scenario, "go", &allowed);
    assert_eq!(last(&run).tool_results()[0].text, "logged in sessions/A/X_LOG.md");
    assert_eq!(run.record.of(Kind::Main).len(), 2);
}
