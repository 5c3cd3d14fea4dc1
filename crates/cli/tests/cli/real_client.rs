//! With the real Claude Code against a scripted model: what the model was really shown, what really ran.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use engine_store::project::Project;
use engine_store::trust;
use engine_testkit::{Bench, Kind, Request, Run, STREAM, Scenario, Turn, client};
use serde_json::{Value, json};

use crate::stage::{at_terminal, needs_a_person, run, until};

/// Bounds a hang, and nothing else.
pub(crate) const WAIT: Duration = Duration::from_mins(5);
pub(crate) const BYPASS: &[&str] = &["--permission-mode", "bypassPermissions"];

/// A bench with engine set up in it. It panics if there is no client: a test that cannot run must not pass.
pub(crate) fn bench(init: &[&str]) -> Bench {
    client::require();
    let mut bench = Bench::new().unwrap();
    bench.path_first(Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap());
    engine(&bench, &[&["init"], init].concat());
    bench
}

/// Accepts the configuration as it is, as a person does.
pub(crate) fn accept(bench: &Bench) {
    accept_in(bench, bench.project());
}

pub(crate) fn accept_in(bench: &Bench, folder: &Path) {
    let project = Project::open(None, folder).unwrap();
    let project = project.with_user_state(&bench.home().join(".local/state/engine"));
    trust::trust_project(&project, &trust::AcceptableFiles::read(&project)).unwrap();
}

pub(crate) fn engine_command(bench: &Bench, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
    command.args(args).current_dir(bench.project()).env_clear();
    command.env("HOME", bench.home()).env("PATH", "/usr/bin:/bin");
    command
}

pub(crate) fn engine(bench: &Bench, args: &[&str]) -> String {
    let mut command = engine_command(bench, args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let out = if needs_a_person(args) { at_terminal(&command) } else { run(command, None) };
    assert_eq!(out.code, Some(0), "engine {args:?}: {}", out.stderr);
    out.stdout
}

pub(crate) fn journal(bench: &Bench) -> Vec<Value> {
    engine(bench, &["journal", "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn events<'j>(journal: &'j [Value], name: &str) -> Vec<&'j Value> {
    journal.iter().filter(|entry| entry["event"] == name).collect()
}

pub(crate) fn ask(bench: &Bench, scenario: Scenario, prompt: &str, more: &[&str]) -> Run {
    let args = [&["-p", prompt][..], STREAM, more].concat();
    let run = bench.run(scenario, &args).unwrap();
    let unexpected = run.record.requests.iter().find(|request| request.turn == "fallback");
    if let Some(request) = unexpected {
        panic!("no turn fits, after {:?}: {}", run.record.turns(), request.new_text());
    }
    run
}

pub(crate) fn last(run: &Run) -> &Request {
    run.record.of(Kind::Main).last().copied().unwrap()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn context_from_session_start_reaches_the_model() {
    let bench = bench(&[]);
    bench.write(".engine/context/AXIOMS.md", "Tests run before a commit.").unwrap();
    bench.write(".engine/context/PROMPT.md", "Answer in German.").unwrap();
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Guten Tag."));
    let run = ask(&bench, scenario, "hello", &[]);
    let expected = "Files loaded at session start: .engine/context/AXIOMS.md\n\n## AXIOMS.md\n\nTests run before a commit.";
    assert_eq!(last(&run).contexts("SessionStart"), [expected]);
    assert_eq!(last(&run).contexts("UserPromptSubmit"), ["Answer in German."]);
    assert_eq!(run.result_text().as_deref(), Some("Guten Tag."));
    assert_eq!(engine(&bench, &["journal", "--event", "SessionEnd", "--json"]).lines().count(), 1);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_denied_write_is_refused_with_our_reason_and_the_file_stays() {
    let bench = bench(&[]);
    let before = bench.read(".engine/config.toml").unwrap();
    let write =
        json!({"file_path": "${PROJECT}/.engine/config.toml", "content": "[rules]\nprotect = \"off\"\n"});
    let scenario = Scenario::new()
        .turn(
            Turn::new("read")
                .prompt_contains("go")
                .tool_use("Read", json!({"file_path": "${PROJECT}/.engine/config.toml"})),
        )
        .turn(Turn::new("write").tool_result_of("Read").tool_use("Write", write))
        .turn(Turn::new("end").tool_result_of("Write").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let results = last(&run).tool_results();
    let path = bench.project().join(".engine/config.toml");
    assert_eq!(
        results[0].text,
        format!(
            "PreToolUse:Write hook error: engine rule protect: {} belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.",
            path.display()
        )
    );
    assert_eq!(bench.read(".engine/config.toml").unwrap(), before);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_stop_reminder_comes_once_after_a_turn_that_changed_something() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "reminder.text", "Decisions belong in notes/decisions.md."]);
    let write = |name: &str, command: &str| Turn::new(name).tool_use("Bash", json!({"command": command}));
    let scenario = Scenario::new()
        .turn(write("change", "echo x > a.txt").prompt_contains("one"))
        .turn(Turn::new("done").tool_result_of("Bash").text("Done."))
        .turn(Turn::new("reminded").last_contains("Decisions belong").text("Noted."))
        .turn(write("look", "cat a.txt").prompt_contains("two"))
        .turn(Turn::new("looked").tool_result_of("Bash").text("Looked."))
        .turn(write("change again", "echo y >> a.txt").prompt_contains("three"))
        .turn(Turn::new("done again").tool_result_of("Bash").text("Done again."))
        .turn(Turn::new("reminded again").last_contains("Decisions belong").text("Noted again."));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    for prompt in ["one", "two", "three"] {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    let run = live.finish().unwrap();
    let turns: Vec<&str> = run.record.of(Kind::Main).iter().map(|request| request.turn.as_str()).collect();
    assert_eq!(
        turns,
        ["change", "done", "reminded", "look", "looked", "change again", "done again", "reminded again"]
    );
    let verdicts: Vec<Value> =
        events(&journal(&bench), "Stop").iter().map(|stop| stop["verdict"].clone()).collect();
    assert_eq!(verdicts, ["note", "none", "none", "note", "none"]);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn subagents_are_told_apart_and_a_running_one_keeps_stop_silent() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "reminder.text", "Write it down."]);
    let launch = json!({"description": "Look", "prompt": "look around", "subagent_type": "general-purpose"});
    // The subagent goes on when the turn of the main agent is over.
    let journal_folder = bench.project().join(".engine/journal");
    let has_stopped = |folder: &Path| {
        let days = fs::read_dir(folder).into_iter().flatten().flatten();
        let texts = days.filter_map(|day| fs::read_to_string(day.path()).ok()).collect::<String>();
        texts.split_inclusive('\n').any(|line| line.ends_with('\n') && line.contains("\"event\":\"Stop\""))
    };
    let scenario = Scenario::new()
        .turn(Turn::new("launch").kind(Kind::Main).prompt_contains("go").tool_use("Agent", launch))
        .turn(
            Turn::new("sub")
                .kind(Kind::Subagent)
                .prompt_contains("look around")
                .held_until(move |_| has_stopped(&journal_folder))
                .tool_use("Bash", json!({"command": "echo looked > looked.txt"})),
        )
        .turn(Turn::new("sub end").kind(Kind::Subagent).tool_result_of("Bash").text("Nothing there."))
        .turn(Turn::new("waiting").kind(Kind::Main).tool_result_of("Agent").text("It runs."))
        .turn(
            Turn::new("notified")
                .kind(Kind::Main)
                .last_contains("<task-notification>")
                .text("It found nothing."),
        )
        .turn(Turn::new("reminded").kind(Kind::Main).last_contains("Write it down.").text("Written."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let mains: Vec<&str> = run.record.of(Kind::Main).iter().map(|request| request.turn.as_str()).collect();
    assert_eq!(mains, ["launch", "waiting", "notified", "reminded"]);
    let journal = journal(&bench);
    let stops: Vec<&str> =
        events(&journal, "Stop").iter().map(|stop| stop["verdict"].as_str().unwrap()).collect();
    assert_eq!(
        stops,
        ["none", "note", "none"],
        "silent while the subagent ran, once after it, silent when active"
    );
    let bash: Vec<&Value> = journal.iter().filter(|entry| entry["tool"] == "Bash").collect();
    assert_eq!(bash.len(), 2);
    assert!(bash.iter().all(|entry| entry["agentType"] == "general-purpose" && entry["agent"].is_string()));
    let end = events(&journal, "SubagentStop");
    assert_eq!((end.len(), &end[0]["agent"]), (1, &bash[0]["agent"]));
    assert_eq!(bash[1]["exit"], 0);
    let prompts = events(&journal, "UserPromptSubmit");
    assert_eq!(prompts.len(), 2, "the notification is written down");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn compaction_is_ignored_as_a_subagent_and_context_is_told_again() {
    let bench = bench(&[]);
    bench.write(".engine/context/CORE.md", "The user is Ada.").unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("first")
                .prompt_contains("long task")
                .usage_input_tokens(195_000)
                .tool_use("Bash", json!({"command": "echo step 1"})),
        )
        .turn(
            Turn::new("summary")
                .kind(Kind::Compact)
                .text("<analysis>none</analysis><summary>Step 1 was done.</summary>"),
        )
        .turn(Turn::new("after").any_contains("Step 1 was done.").text("Going on."));
    let more =
        ["--model", "claude-sonnet-4-5", "--autocompact", "100k", "--permission-mode", "bypassPermissions"];
    let run = ask(&bench, scenario, "long task", &more);
    let told = "Files loaded at session start: .engine/context/CORE.md\n\n## CORE.md\n\nThe user is Ada.";
    assert_eq!(run.record.of(Kind::Main)[0].contexts("SessionStart"), [told]);
    assert_eq!(last(&run).contexts("SessionStart"), [told]);
    let journal = journal(&bench);
    let nameless: Vec<&Value> = events(&journal, "SubagentStop");
    assert_eq!(
        (nameless.len(), &nameless[0]["agentType"], &nameless[0]["verdict"]),
        (1, &json!(""), &json!("none"))
    );
    let sources: Vec<&Value> = events(&journal, "SessionStart").iter().map(|start| &start["input"]).collect();
    assert_eq!(sources, ["startup", "compact"]);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn cd_into_an_added_directory_keeps_the_project_and_the_shell_knows_the_session() {
    let bench = bench(&[]);
    let other = bench.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let write = json!({"file_path": "${PROJECT}/.engine/policy.toml", "content": "x"});
    let scenario = Scenario::new()
        .turn(
            Turn::new("cd")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "cd ${HOME}/other && pwd"})),
        )
        .turn(
            Turn::new("env")
                .last_contains("/other")
                .tool_use("Bash", json!({"command": "echo \"$PWD $ENGINE_PROJECT $ENGINE_SESSION_ID\""})),
        )
        .turn(Turn::new("write").tool_result_of("Bash").tool_use("Write", write))
        .turn(Turn::new("end").tool_result_of("Write").tool_result_error(true).text("Refused."));
    let other_name = other.display().to_string();
    let run = ask(&bench, scenario, "go", &[&["--add-dir", &other_name], BYPASS].concat());
    let session = run.result().unwrap()["session_id"].as_str().unwrap().to_owned();
    let said = run.record.of(Kind::Main)[2].tool_results()[0].text.clone();
    assert_eq!(said.trim(), format!("{} {} {session}", other.display(), bench.project().display()));
    assert!(last(&run).tool_results()[0].text.contains("belongs to engine"));
    assert!(!bench.project().join(".engine/policy.toml").exists());
}

/// Requests with everything that differs from run to run taken out.
fn masked(bench: &Bench, request: &Request, session: &str) -> String {
    let mut body = json!({});
    for key in ["system", "tools", "messages"] {
        body[key] = request.body[key].clone();
    }
    let text = serde_json::to_string_pretty(&body).unwrap();
    let text = text
        .replace(&bench.home().parent().unwrap().display().to_string(), "[BENCH]")
        .replace(session, "[SESSION]");
    // The client's billing header and tool ids are random.
    text.lines()
        .filter(|line| !line.contains("cch=") && !line.contains("toolu_"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn no_opinion_leaves_every_request_as_it_was() {
    let bench = bench(&["--team"]);
    bench.commit_all("set up").unwrap();
    let scenario = || {
        Scenario::new()
            .turn(Turn::new("tool").prompt_contains("go").tool_use("Bash", json!({"command": "echo hi"})))
            .turn(
                Turn::new("read")
                    .tool_result_of("Bash")
                    .tool_use("Read", json!({"file_path": "${PROJECT}/.engine/config.toml"})),
            )
            .turn(Turn::new("end").tool_result_of("Read").text("Done."))
    };
    let with = ask(&bench, scenario(), "go", BYPASS);
    assert!(journal(&bench).len() >= 8, "the hooks ran");
    let lines = journal(&bench).len();
    let without =
        ask(&bench, scenario(), "go", &[BYPASS, &["--settings", "{\"disableAllHooks\": true}"]].concat());
    assert_eq!(journal(&bench).len(), lines, "no hook ran");
    let requests = |run: &Run| -> Vec<String> {
        let session = run.result().unwrap()["session_id"].as_str().unwrap().to_owned();
        run.record.of(Kind::Main).iter().map(|request| masked(&bench, request, &session)).collect()
    };
    assert_eq!((requests(&with).len(), requests(&without).len()), (3, 3));
    for (n, (with, without)) in requests(&with).iter().zip(requests(&without)).enumerate() {
        assert!(*with == without, "request {n} differs:\n{}", difference(with, &without));
    }
}

fn difference(a: &str, b: &str) -> String {
    let first = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    format!("{first:?}, {} and {} lines", a.lines().count(), b.lines().count())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn case_18_the_client_ignores_a_file_with_a_trailing_comma() {
    let bench = bench(&[]);
    let settings = bench.read(".claude/settings.local.json").unwrap();
    bench.write(".claude/settings.local.json", &settings.replacen("\n}\n", ",\n}\n", 1)).unwrap();
    let scenario = || Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Hi."));
    ask(&bench, scenario(), "hello", &[]);
    assert_eq!(journal(&bench).len(), 0, "no hook ran, as init and doctor say");
    bench.write(".claude/settings.local.json", &settings).unwrap();
    ask(&bench, scenario(), "hello", &[]);
    assert!(!journal(&bench).is_empty());
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn case_19_the_agent_cannot_disable_its_hooks() {
    let bench = bench(&["--team", "--no-permissions"]);
    let off = json!({"file_path": "${PROJECT}/.claude/settings.local.json", "content": "{\"disableAllHooks\": true}"});
    let scenario = Scenario::new()
        .turn(Turn::new("write").prompt_contains("first").tool_use("Write", off))
        .turn(Turn::new("refused").tool_result_of("Write").tool_result_error(true).text("Refused."))
        .turn(
            Turn::new("shell").prompt_contains("second").tool_use("Bash", json!({"command": "sh change.sh"})),
        )
        .turn(Turn::new("written").tool_result_of("Bash").text("Written."))
        .turn(Turn::new("third").prompt_contains("third").text("Still here."));
    // What a script on the disk does cannot be seen before it runs.
    let script = "sleep 0.1; echo '{\"disableAllHooks\": true}' > .claude/settings.local.json\n";
    bench.write("change.sh", script).unwrap();
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("first").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert!(!bench.project().join(".claude/settings.local.json").exists());
    live.prompt("second").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert!(bench.project().join(".claude/settings.local.json").exists(), "the shell wrote it");
    until("the client tells the change", || !events(&journal(&bench), "ConfigChange").is_empty());
    live.prompt("third").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    let journal = journal(&bench);
    let change = events(&journal, "ConfigChange");
    assert_eq!((change.len(), &change[0]["verdict"]), (1, &json!("deny")));
    assert_eq!(events(&journal, "UserPromptSubmit").len(), 3, "the hooks still run after it");
    assert!(run.record.of(Kind::Main)[1].tool_results()[0].text.contains("it would set disableAllHooks"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn case_19_changes_that_only_the_client_understands_are_refused() {
    let bench = bench(&["--team"]);
    let local = bench.read(".claude/settings.local.json").unwrap();
    let settings = bench.read(".claude/settings.json").unwrap();
    // The client takes curly quotes for straight ones, and drops a file with a value of the wrong kind.
    let curly = json!({"file_path": "${PROJECT}/.claude/settings.local.json", "old_string": "\u{201c}permissions\u{201d}", "new_string": "\"disableAllHooks\": true, \"permissions\""});
    let wrong = settings.replacen("{\n", "{\n  \"model\": 5,\n", 1);
    let write = json!({"file_path": "${PROJECT}/.claude/settings.json", "content": wrong});
    let read = |file: &str| json!({"file_path": format!("${{PROJECT}}/.claude/{file}")});
    let scenario = Scenario::new()
        .turn(
            Turn::new("read")
                .prompt_contains("go")
                .tool_use("Read", read("settings.local.json"))
                .tool_use("Read", read("settings.json")),
        )
        .turn(Turn::new("edit").tool_result_of("Read").tool_use("Edit", curly))
        .turn(Turn::new("write").tool_result_of("Edit").tool_result_error(true).tool_use("Write", write))
        .turn(Turn::new("end").tool_result_of("Write").tool_result_error(true).text("Refused twice."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Refused twice."));
    assert_eq!(bench.read(".claude/settings.local.json").unwrap(), local);
    assert_eq!(bench.read(".claude/settings.json").unwrap(), settings);
    let reasons: Vec<String> =
        run.record.of(Kind::Main)[2..].iter().map(|request| request.tool_results()[0].text.clone()).collect();
    assert!(reasons[0].contains("does not stand in it letter by letter"), "{reasons:?}");
    assert!(reasons[1].contains("the value of model is of the wrong kind"), "{reasons:?}");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn case_20_reading_commands_and_skills_need_no_dialog_and_config_set_does() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(
            Turn::new("why")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": "engine config get inject.budget"})),
        )
        .turn(Turn::new("skill").last_contains("8000").tool_use("Skill", json!({"skill": "engine-context"})))
        .turn(
            Turn::new("set")
                .tool_result_of("Skill")
                .tool_result_error(false)
                .tool_use("Bash", json!({"command": "engine config set inject.budget 600"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").tool_result_error(true).text("Not permitted."));
    let run = ask(&bench, scenario, "go", &["--permission-mode", "manual"]);
    assert_eq!(run.result_text().as_deref(), Some("Not permitted."));
    let denials = run.result().unwrap()["permission_denials"].clone();
    assert_eq!(denials.as_array().map(Vec::len), Some(1), "{denials}");
    assert_eq!(denials[0]["tool_input"]["command"], "engine config set inject.budget 600");
    assert!(!bench.read(".engine/config.toml").unwrap().contains("\nbudget"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn case_20_in_the_terminal_config_set_opens_a_dialog_and_still_needs_a_word() {
    let bench = bench(&[]);
    let bash = |command: &str| json!({"command": command, "description": "Run engine"});
    let scenario = Scenario::new()
        .turn(Turn::new("rules").prompt_contains("look").tool_use("Bash", bash("engine rules --json")))
        .turn(
            Turn::new("set")
                .tool_result_of("Bash")
                .tool_result_error(false)
                .tool_use("Bash", bash("engine config set inject.budget 600")),
        )
        .turn(Turn::new("refused").tool_result_of("Bash").tool_result_error(true).text("They must say so."));
    let mut terminal = bench.terminal(scenario, &["--permission-mode", "manual"]).unwrap();
    terminal.type_line("look").unwrap();
    assert!(terminal.wait_for("Do you want to proceed", WAIT), "{}", terminal.screen_text());
    // The dialog lets the command run; the engine itself wants a word after its refusal.
    terminal.choose("1").unwrap();
    assert!(terminal.wait_for("They must say so.", WAIT), "{}", terminal.screen_text());
    let run = terminal.finish().unwrap();
    let refused = last(&run).tool_results()[0].text.clone();
    assert!(refused.contains("config set inject.budget 600 needs a person: approval 1"), "{refused}");
    let journal = journal(&bench);
    let commands = |name: &str| -> Vec<Value> {
        events(&journal, name).iter().map(|entry| entry["command"].clone()).collect()
    };
    assert_eq!(commands("PostToolUse"), ["engine rules --json"], "the reading command needed no dialog");
    assert_eq!(commands("PostToolUseFailure"), ["engine config set inject.budget 600"]);
    assert!(!bench.read(".engine/config.toml").unwrap().contains("\nbudget"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_person_sees_what_is_wrong_and_the_title() {
    let bench = bench(&[]);
    engine(&bench, &["config", "set", "rules.title", "on"]);
    let config = bench.read(".engine/config.toml").unwrap();
    bench.write(".engine/config.toml", &format!("{config}\n[injekt]\nbudget = 1\n")).unwrap();
    accept(&bench);
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Good morning."));
    let mut terminal = bench.terminal(scenario, &[]).unwrap();
    assert!(
        terminal.wait_for("unknown key injekt.budget; did you mean inject.budget?", WAIT),
        "{}",
        terminal.screen_text()
    );
    terminal.type_line("hello").unwrap();
    assert!(terminal.wait_for("Good morning.", WAIT), "{}", terminal.screen_text());
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    terminal.finish().unwrap();
    assert!(
        raw.contains("\u{1b}]0;") && raw.contains(" project\u{7}"),
        "the terminal's title is the project's folder"
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_plugin_folder_is_valid_and_runs() {
    let claude = client::require();
    let plugin = format!("{}/../../plugin", env!("CARGO_MANIFEST_DIR"));
    let mut bench = Bench::new().unwrap();
    bench.path_first(Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap());
    let check = Command::new(claude)
        .args(["plugin", "validate", &plugin])
        .env("HOME", bench.home())
        .output()
        .unwrap();
    assert!(
        check.status.success(),
        "{}{}",
        String::from_utf8_lossy(&check.stdout),
        String::from_utf8_lossy(&check.stderr)
    );
    bench.write(".engine/context/CORE.md", "The user is Ada.").unwrap();
    accept(&bench);
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("hello").text("Hi."));
    let run = ask(&bench, scenario, "hello", &["--plugin-dir", &plugin]);
    assert_eq!(
        last(&run).contexts("SessionStart"),
        ["Files loaded at session start: .engine/context/CORE.md\n\n## CORE.md\n\nThe user is Ada."]
    );
    assert!(
        run.record.model_saw("engine-context").iter().any(|sighting| sighting.kind == Kind::Main),
        "the skill is listed"
    );
}
