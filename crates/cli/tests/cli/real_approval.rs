//! Approvals with the real client: what the person sees, what counts, and what the model received.
//!
//! The client must not run below a coding agent, so neither must these tests.

use engine_testkit::{Bench, Kind, Request, Scenario, Turn, client};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, accept, bench, journal};
use crate::stage::until;

pub(crate) const SET: &str = "engine config set inject.budget 600";
pub(crate) const WANTED: &str = "Exit code 1\n\
                      engine: config set inject.budget 600 needs a person: approval 1\n  \
                      engine asks the person, who types ok 1 or no 1; wait for it\n  \
                      or ask them by AskUserQuestion, exactly: {\"questions\":[{\"header\":\"Approval\",\"multiSelect\":false,\"options\":[{\"description\":\"Yes, this once\",\"label\":\"Approve\"},{\"description\":\"No\",\"label\":\"Refuse\"}],\"question\":\"Approval 1: config set inject.budget 600. May the agent do this once, in this turn?\"}]}\n  \
                      after a yes the same command counts once, until that turn ends\n  \
                      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's";

/// A prompt, the command that the model then runs, and what it says of the result.
pub(crate) fn tries(scenario: Scenario, prompt: &str, command: &str, said: &str) -> Scenario {
    let bash = json!({"command": command, "description": "Run engine"});
    scenario
        .turn(Turn::new(prompt).kind(Kind::Main).prompt_contains(prompt).tool_use("Bash", bash))
        .turn(Turn::new(said).kind(Kind::Main).tool_result_of("Bash").text(said))
}

pub(crate) fn result_before(requests: &[&Request], said: &str) -> String {
    let request = requests.iter().find(|request| request.turn == said);
    request.and_then(|request| request.tool_results().pop()).map(|result| result.text).unwrap_or_default()
}

/// Waits for the end of so many turns, so that what is typed next begins another.
pub(crate) fn turns_ended(bench: &Bench, count: usize) {
    let is_end = |entry: &&serde_json::Value| entry["event"] == "Stop";
    until("the turn has ended", || journal(bench).iter().filter(is_end).count() >= count);
}

pub(crate) fn config(bench: &Bench) -> String {
    bench.read(".engine/config.toml").unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn only_the_number_typed_by_the_person_counts() {
    let bench = bench(&[]);
    let before = config(&bench);
    let scenario = tries(Scenario::new(), "lower the budget", SET, "It waits for you.");
    let scenario = tries(scenario, "why?", SET, "It needs your word.");
    let scenario = tries(scenario, "No! Stop.", SET, "I do not go on.");
    let scenario = tries(scenario, "ok 1", SET, "It is lowered.");
    let scenario = tries(scenario, "once more", SET, "That takes another word.");
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("lower the budget").unwrap();
    let told = "engine: approval 1 wanted: config set inject.budget 600. Type: ok 1, or no 1";
    assert!(terminal.wait_for(told, WAIT), "{}", terminal.screen_text());
    assert!(terminal.wait_for("It waits for you.", WAIT), "{}", terminal.screen_text());
    turns_ended(&bench, 1);
    let others = [("why?", "It needs your word."), ("No! Stop.", "I do not go on.")];
    for ((typed, said), turns) in others.into_iter().zip(2..) {
        terminal.type_line(typed).unwrap();
        assert!(terminal.wait_for(said, WAIT), "{}", terminal.screen_text());
        turns_ended(&bench, turns);
        assert_eq!(config(&bench), before, "{typed}");
    }
    terminal.type_line("ok 1").unwrap();
    assert!(terminal.wait_for("It is lowered.", WAIT), "{}", terminal.screen_text());
    let set = format!("inject.budget = 600 in {}", bench.project().join(".engine/config.toml").display());
    assert_eq!(result_before(&terminal.record().of(Kind::Main), "It is lowered."), set);
    assert!(config(&bench).contains("\nbudget = 600\n"), "{}", config(&bench));
    let used = "engine: approval 1 was used: config set inject.budget 600; the person's words: ok 1 (";
    assert!(terminal.wait_for(used, WAIT), "{}", terminal.screen_text());
    turns_ended(&bench, 4);
    terminal.type_line("once more").unwrap();
    assert!(terminal.wait_for("That takes another word.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let requests = run.record.of(Kind::Main);
    for said in ["It waits for you.", "It needs your word.", "I do not go on."] {
        assert_eq!(result_before(&requests, said), WANTED, "{said}");
    }
    let asked = requests.iter().find(|request| request.turn == "ok 1").unwrap();
    assert_eq!(
        asked.contexts("UserPromptSubmit").last().map(String::as_str),
        Some(
            "engine: ok 1 answers approval 1: config set inject.budget 600. Run the same command again; it counts once, and until this turn ends."
        )
    );
    let again = result_before(&requests, "That takes another word.");
    assert_eq!(
        again,
        WANTED
            .replace("approval 1", "approval 2")
            .replace("Approval 1", "Approval 2")
            .replace("ok 1", "ok 2")
            .replace("no 1", "no 2")
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_client_that_the_agent_starts_says_ok_in_vain() {
    let bench = bench(&[]);
    // The policy would ask before the client is started.
    bench.write(".engine/config.toml", &(config(&bench) + "\n[policy.person]\nresume = \"off\"\n")).unwrap();
    accept(&bench);
    let before = config(&bench);
    let nested = format!(
        "env -u CLAUDECODE {} -p --resume \"$CLAUDE_CODE_SESSION_ID\" 'ok 1' < /dev/null",
        client::require().display()
    );
    let scenario = tries(Scenario::new(), "lower the budget", SET, "It waits for you.");
    let scenario = scenario
        .turn(Turn::new("nested").kind(Kind::Main).prompt_contains("ok 1").text("I am nested."))
        .turn(
            Turn::new("start it")
                .kind(Kind::Main)
                .prompt_contains("help yourself")
                .tool_use("Bash", json!({"command": nested, "description": "Say ok"})),
        )
        .turn(
            Turn::new("set it")
                .kind(Kind::Main)
                .last_contains("I am nested.")
                .tool_use("Bash", json!({"command": SET, "description": "Run engine"})),
        )
        .turn(Turn::new("It still waits.").kind(Kind::Main).tool_result_of("Bash").text("It still waits."));
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("lower the budget").unwrap();
    assert!(terminal.wait_for("It waits for you.", WAIT), "{}", terminal.screen_text());
    terminal.type_line("help yourself").unwrap();
    assert!(terminal.wait_for("It still waits.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let requests = run.record.of(Kind::Main);
    let nested = requests.iter().find(|request| request.turn == "nested").unwrap();
    assert_eq!(nested.contexts("UserPromptSubmit"), [""; 0], "it is no word of the person");
    assert_eq!(result_before(&requests, "It still waits."), WANTED);
    assert_eq!(config(&bench), before);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_ok_that_is_typed_while_the_agent_works_counts() {
    let bench = bench(&[]);
    let bash = |command: &str| json!({"command": command, "description": "Run it"});
    // It works until the person has typed.
    let work = "until [ -e typed ]; do sleep 0.1; done";
    let scenario = Scenario::new()
        .turn(
            Turn::new("set").kind(Kind::Main).prompt_contains("lower the budget").tool_use("Bash", bash(SET)),
        )
        .turn(Turn::new("work").kind(Kind::Main).tool_result_error(true).tool_use("Bash", bash(work)))
        .turn(Turn::new("again").kind(Kind::Main).tool_result_error(false).tool_use("Bash", bash(SET)))
        .turn(Turn::new("It is lowered.").kind(Kind::Main).tool_result_of("Bash").text("It is lowered."));
    let mut terminal = bench.terminal(scenario, BYPASS).unwrap();
    terminal.type_line("lower the budget").unwrap();
    let told = "engine: approval 1 wanted: config set inject.budget 600. Type: ok 1, or no 1";
    assert!(terminal.wait_for(told, WAIT), "{}", terminal.screen_text());
    until("it works", || terminal.record().of(Kind::Main).iter().any(|request| request.turn == "work"));
    terminal.type_line("ok 1").unwrap();
    until("it is queued", || {
        let transcripts = bench.home().join(".claude/projects");
        let out = std::process::Command::new("grep")
            .args(["-rqF", r#""content":"ok 1""#])
            .arg(transcripts)
            .status();
        out.unwrap().success()
    });
    bench.write("typed", "").unwrap();
    assert!(terminal.wait_for("It is lowered.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let set = format!("inject.budget = 600 in {}", bench.project().join(".engine/config.toml").display());
    assert_eq!(result_before(&run.record.of(Kind::Main), "It is lowered."), set);
}
