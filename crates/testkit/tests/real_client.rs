//! The bench against the real Claude Code: hooks are small shell scripts in the project's settings.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use engine_testkit::{Bench, Kind, Run, STREAM, Scenario, Sighting, Turn};
use serde_json::{Value, json};

const BYPASS: &[&str] = &["--permission-mode", "bypassPermissions"];
/// Bounds a hang, and nothing else.
const SOON: Duration = Duration::from_mins(5);

fn args<'a>(prompt: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["-p", prompt], STREAM, BYPASS, more].concat()
}

/// A hook that reads its input into `$input` and runs a script.
fn hook(script: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": format!("input=$(cat)\n{script}")}]}])
}

/// The shell command that prints a hook's answer.
fn answer(event: &str, field: &str, text: &str) -> String {
    let mut output = json!({"hookEventName": event, field: text});
    if field == "permissionDecisionReason" {
        output["permissionDecision"] = json!("deny");
    }
    format!("printf '%s' '{}'", json!({"hookSpecificOutput": output}))
}

fn bench_with(hooks: &Value) -> Result<Bench> {
    let bench = Bench::new()?;
    bench.write(".claude/settings.json", &json!({"hooks": hooks}).to_string())?;
    Ok(bench)
}

fn echo(turn: Turn, what: &str) -> Turn {
    turn.tool_use("Bash", json!({"command": format!("echo {what}")}))
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ends_with(run: &Run, text: &str) {
    assert_eq!(run.result_text().as_deref(), Some(text), "{:?}\n{}", run.record.turns(), run.stderr);
    assert_eq!(run.code, Some(0));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_tool_call_and_its_result() -> Result<()> {
    let bench = Bench::new()?;
    let scenario = Scenario::new()
        .turn(
            Turn::new("call")
                .prompt_contains("go")
                .thinking("hm")
                .tool_use("Bash", json!({"command": "cd ${PROJECT} && cat a.txt"})),
        )
        .turn(
            Turn::new("report")
                .tool_result_of("Bash")
                .tool_result_error(false)
                .text("it says ${tool_result}"),
        );
    bench.write("a.txt", "3 passed")?;
    let run = bench.run(scenario, &args("go", &[]))?;
    ends_with(&run, "it says 3 passed");
    assert_eq!(run.record.turns(), [(Kind::Main, "call"), (Kind::Main, "report")]);
    assert_eq!(run.record.requests[0].prompt_text(), "go");
    let result = &run.record.requests[1].tool_results()[0];
    assert_eq!((result.name.as_str(), result.is_error, result.text.as_str()), ("Bash", false, "3 passed"));
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_denied_call_and_what_the_model_saw() -> Result<()> {
    let deny = answer("PreToolUse", "permissionDecisionReason", "use trash-put");
    let bench =
        bench_with(&json!({"PreToolUse": hook(&format!("case $input in *'rm -rf'*) {deny};; esac"))}))?;
    let scenario = Scenario::new()
        .turn(
            Turn::new("forbidden").prompt_contains("go").tool_use("Bash", json!({"command": "rm -rf build"})),
        )
        .turn(echo(Turn::new("second try").tool_result_of("Bash").tool_result_error(true), "trash-put"))
        .turn(Turn::new("done").tool_result_of("Bash").tool_result_error(false).text("cleaned"));
    let run = bench.run(scenario, &args("go", &[]))?;
    ends_with(&run, "cleaned");
    let seen = &run.record.requests[1].tool_results()[0];
    assert!(seen.is_error);
    assert_eq!(seen.text, "PreToolUse:Bash hook error: use trash-put");
    let sighting = Sighting {
        request: 1,
        kind: Kind::Main,
        place: "messages[3].content[0]".to_owned(),
        role: "user".to_owned(),
        block: "tool_result".to_owned(),
    };
    assert_eq!(run.record.model_saw("use trash-put")[0], sighting);
    let hooks = run.hook_responses();
    let names: Vec<_> = hooks.iter().map(|hook| (hook.name.as_str(), hook.event.as_str())).collect();
    assert_eq!(names, [("PreToolUse:Bash", "PreToolUse"); 2]);
    assert!(hooks[0].stdout.contains("use trash-put") && hooks[1].stdout.is_empty());
    assert_eq!((hooks[0].exit_code, hooks[0].outcome.as_str()), (Some(0), "success"));
    Ok(())
}

/// Every place where context reaches the model, on a model of each delivery form.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn contexts_arrive_exactly() -> Result<()> {
    let context = |event: &str| answer(event, "additionalContext", &format!("of {event}\n\nits second part"));
    let mut hooks = json!({
        "Stop": hook(&format!("case $input in *'\"stop_hook_active\":false'*) {};; esac", context("Stop"))),
    });
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        hooks[event] = hook(&context(event));
    }
    for model in ["claude-opus-5-5", "claude-sonnet-4-5"] {
        let scenario = Scenario::new()
            .turn(echo(Turn::new("call").prompt_contains("go"), "hi"))
            .turn(Turn::new("early").tool_result_of("Bash").text("all done"))
            .turn(Turn::new("sent back").last_contains("of Stop").text("really done"));
        let run = bench_with(&hooks)?.run(scenario, &args("go", &["--model", model]))?;
        ends_with(&run, "really done");
        let places = [
            (0, "SessionStart"),
            (0, "UserPromptSubmit"),
            (1, "PreToolUse:Bash"),
            (1, "PostToolUse:Bash"),
            (2, "Stop"),
        ];
        for (at, hook) in places {
            let event = hook.split(':').next().unwrap();
            let expected = format!("of {event}\n\nits second part");
            for (index, request) in run.record.requests.iter().enumerate() {
                let wanted: &[&str] = if index == at { &[&expected] } else { &[] };
                assert_eq!(request.contexts(hook), wanted, "{hook} in request {index} of {model}");
            }
        }
        assert_eq!(run.record.turns().len(), 3);
    }
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_background_subagent_reports_back() -> Result<()> {
    let bench = bench_with(&json!({
        "SubagentStart": hook(&answer("SubagentStart", "additionalContext", "house rule")),
    }))?;
    let task = json!({"description": "Review", "prompt": "look at it", "subagent_type": "general-purpose"});
    let scenario = Scenario::new()
        .turn(Turn::new("delegate").kind(Kind::Main).prompt_contains("go").tool_use("Agent", task))
        .turn(
            Turn::new("look")
                .kind(Kind::Subagent)
                .prompt_contains("look at it")
                .after("wait")
                .text("no problems"),
        )
        .turn(Turn::new("wait").kind(Kind::Main).tool_result_of("Agent").text("it is running"))
        .turn(Turn::new("told").kind(Kind::Main).last_contains("<task-notification>").text("it found none"));
    let run = bench.run(scenario, &args("go", &[]))?;
    ends_with(&run, "it found none");
    let mut turns = run.record.turns();
    turns.sort_unstable();
    let main = |turn| (Kind::Main, turn);
    assert_eq!(turns, [main("delegate"), main("told"), main("wait"), (Kind::Subagent, "look")]);
    assert_eq!(run.record.of(Kind::Subagent)[0].contexts("SubagentStart"), ["house rule"]);
    assert!(run.record.of(Kind::Main)[2].new_text().contains("no problems"));
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_full_context_is_compacted() -> Result<()> {
    let remind = answer("SessionStart", "additionalContext", "keep to the plan");
    let bench = bench_with(&json!({
        "SessionStart": hook(&format!("case $input in *'\"source\":\"compact\"'*) {remind};; esac")),
    }))?;
    let scenario = Scenario::new()
        .turn(echo(Turn::new("first").prompt_contains("go"), "step 1").usage_input_tokens(195_000))
        .turn(Turn::new("summary").kind(Kind::Compact).text("<summary>Step 1 was done.</summary>"))
        .turn(Turn::new("after").any_contains("Step 1 was done.").text("step 2"));
    let run = bench.run(scenario, &args("go", &["--model", "claude-sonnet-4-5", "--autocompact", "100k"]))?;
    ends_with(&run, "step 2");
    assert_eq!(
        run.record.turns(),
        [(Kind::Main, "first"), (Kind::Compact, "summary"), (Kind::Main, "after")]
    );
    assert_eq!(run.record.requests[2].contexts("SessionStart"), ["keep to the plan"]);
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn two_prompts_in_one_process() -> Result<()> {
    let bench = Bench::new()?;
    let scenario = Scenario::new()
        .turn(Turn::new("one").prompt_contains("one").text("1"))
        .turn(Turn::new("two").prompt_contains("two").model_contains("sonnet").text("2"));
    let mut live = bench.live(scenario, &[])?;
    live.prompt("one")?;
    assert_eq!(live.wait_for_result(SOON)?["result"], "1");
    let answer = live.control(&json!({"subtype": "set_model", "model": "claude-sonnet-4-5"}))?;
    assert_eq!(answer["response"]["subtype"], "success");
    live.prompt("two")?;
    assert_eq!(live.wait_for_result(SOON)?["result"], "2");
    let run = live.finish()?;
    ends_with(&run, "2");
    // The client tries a new model with one token before it takes it.
    assert_eq!(run.record.turns(), [(Kind::Main, "one"), (Kind::Probe, "probe"), (Kind::Main, "two")]);
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_interactive_screen() -> Result<()> {
    let bench = bench_with(&json!({"SessionEnd": hook("echo ended > ended.txt")}))?;
    let scenario = Scenario::new()
        .turn(Turn::new("make").prompt_contains("make it").tool_use("Bash", json!({"command": "touch made"})))
        .turn(Turn::new("made").tool_result_of("Bash").text("Made it, as you said."));
    let mut terminal = bench.terminal(scenario, &["--permission-mode", "manual"])?;
    terminal.type_line("make it")?;
    assert!(terminal.wait_for("Do you want to proceed?", SOON), "{}", terminal.screen_text());
    terminal.choose("1")?;
    assert!(terminal.wait_for("Made it, as you said.", SOON), "{}", terminal.screen_text());
    let run = terminal.finish()?;
    assert_eq!(run.code, Some(0));
    assert_eq!(
        run.record.of(Kind::Main).iter().map(|r| r.turn.as_str()).collect::<Vec<_>>(),
        ["make", "made"]
    );
    assert_eq!(bench.read("made")?, "");
    assert_eq!(bench.read("ended.txt")?, "ended\n");
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_run_that_does_not_end_tells_its_story() -> Result<()> {
    let mut bench = Bench::new()?;
    bench.time_limit(Duration::from_secs(1));
    let hang = json!({"command": "echo $$ > pid.tmp && mv pid.tmp pid; tail -f /dev/null"});
    let mut live = bench.live(Scenario::new().turn(Turn::new("hang").tool_use("Bash", hang)), BYPASS)?;
    live.prompt("go")?;
    until("the command runs", || bench.read("pid").is_ok());
    let error = live.finish().unwrap_err().to_string();
    assert!(error.contains("did not end within 1 s") && error.contains("(Main, \"hang\")"), "{error}");
    // The client's shell is gone with it, or waits as a zombie for init to take note.
    let shell = bench.read("pid")?;
    until("the shell is gone", || {
        let listed = std::process::Command::new("ps").args(["-o", "stat=", "-p", shell.trim()]).output();
        let state = String::from_utf8(listed.unwrap().stdout).unwrap();
        state.is_empty() || state.starts_with('Z')
    });
    Ok(())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_api_error_ends_the_turn() -> Result<()> {
    let mut bench = Bench::new()?;
    bench.env("CLAUDE_CODE_MAX_RETRIES", "0");
    let scenario =
        Scenario::new().turn(Turn::new("busy").always().error(529, "overloaded_error", "too busy"));
    let run = bench.run(scenario, &args("go", &[]))?;
    assert_eq!(run.code, Some(1));
    assert!(run.result_text().unwrap_or_default().contains("529"), "{:?}", run.result());
    Ok(())
}

/// The folder put first is where the client's shell finds a program.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_binary_under_test_is_first_on_path() -> Result<()> {
    let mut bench = Bench::new()?;
    bench.write("bin/engine", "#!/bin/sh\necho the one under test\n")?;
    let dir: PathBuf = bench.project().join("bin");
    std::process::Command::new("chmod").arg("+x").arg(dir.join("engine")).status()?;
    bench.path_first(&dir);
    let scenario = Scenario::new()
        .turn(Turn::new("call").prompt_contains("go").tool_use("Bash", json!({"command": "engine"})))
        .turn(Turn::new("report").tool_result_of("Bash").text("${tool_result}"));
    ends_with(&bench.run(scenario, &args("go", &[]))?, "the one under test");
    Ok(())
}
