//! `engine runbook run` with a client of ours: a shell script that does what a client does, and tells the hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::orchestra::RUNBOOK;
use crate::plan_proofs::project;
use crate::stage::{Output, SESSION, Stage, at_terminal, until};

/// What every client of ours does first, and the words in which the steps below are written.
const CLIENT: &str = r#"#!/bin/sh
printf '<%s>' "$@" | tr '\n' '|' | sed 's/--session-id><[^>]*/--session-id><ID/' >> "$HOME/starts"
echo >> "$HOME/starts"
prompt=$2
while [ $# -gt 0 ]; do
    case $1 in
        --model) model=$2 ;;
        --session-id) id=$2 ;;
    esac
    shift
done
calls=0
export CLAUDE_PROJECT_DIR="$PWD"

# The event and its fields.
hook() {
    printf '{"session_id":"%s","transcript_path":"/tmp/none.jsonl","cwd":"%s","hook_event_name":"%s"%s}' "$id" "$PWD" "$1" "$2" |
        engine hook > "$HOME/answer"
}

# A call of a tool: its name, its input, what is done.
tool() {
    calls=$((calls + 1))
    fields=",\"permission_mode\":\"default\",\"tool_name\":\"$1\",\"tool_use_id\":\"toolu_$id$calls\",\"tool_input\":$2"
    hook PreToolUse "$fields"
    grep -q '"deny"' "$HOME/answer" && cat "$HOME/answer" >> "$HOME/denied"
    CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=$id sh -c "$3" >> "$HOME/shell" 2>&1
    hook PostToolUse "$fields,\"tool_response\":{\"stdout\":\"\",\"stderr\":\"\",\"interrupted\":false}"
}

writes() {
    tool Write "{\"file_path\":\"$PWD/$1\",\"content\":\"x\"}" "mkdir -p \$(dirname $1); printf '$2' > $1"
}

checks() {
    tool Bash "{\"command\":\"engine check -- pytest\"}" "engine check -- pytest"
}

# The report of the step that the prompt names.
reports() {
    stem=$(basename "$prompt" .md)
    writes "plans/greet/reports/$stem.md" '%s' 2> /dev/null
    printf -- '---\nStatus: done\nCheck: pytest, 0\n%s---\n' "$1" > "plans/greet/reports/$stem.md"
}

reviews() {
    writes plans/greet/reports/phase-1.md x
    printf -- '---\nCritical: 0\nMajor: 0\nMinor: 0\n---\n' > plans/greet/reports/phase-1.md
}

# Does a step as it should.
does() {
    writes "$1" "print\n# $id\n"
    checks
    reports "Quality: none
"
}

# What the client says in the end.
ends() {
    hook SessionEnd ',"reason":"other"'
    printf '{"type":"result","subtype":"%s","is_error":%s,"result":"said","terminal_reason":"%s","permission_denials":['"$denied"'],"modelUsage":{"claude-%s-5":{"inputTokens":100,"outputTokens":20}}}\n' \
        "${1:-success}" "${2:-false}" "${3:-completed}" "${used:-$model}"
    exit 0
}

hook SessionStart ',"source":"startup"'
"#;

/// The steps of the runbook done well, and its review.
const WELL: &str = "case $prompt in\n\
    *step-1-1.md*Review*|Review*) reviews ;;\n\
    *step-1-1.md) does hello.py ;;\n\
    *step-1-2.md) does bye.py ;;\n\
    *step-1-3.md) does both.py ;;\n\
    esac\nends\n";

/// A prepared runbook, and a client that does this.
fn stage_of(runbook: &str, acts: &str) -> Stage {
    let mut stage = project();
    stage.write("plans/greet/runbook.md", runbook);
    stage.ok(&["runbook", "prepare", "greet"]);
    let client = stage.home().join("bin/client");
    fs::write(&client, format!("{CLIENT}{acts}")).unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    stage.set("ENGINE_RUN_AGENT", client.to_str().unwrap());
    stage
}

fn stage(acts: &str) -> Stage {
    stage_of(RUNBOOK, acts)
}

/// The command of a person. Programs of the project are found beside the engine.
fn command(stage: &Stage, args: &[&str]) -> Command {
    let mut command = stage.command(&[&["runbook"], args].concat());
    command.env("PATH", path(stage));
    command
}

fn path(stage: &Stage) -> String {
    let engine = Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap();
    format!("{}:{}:/usr/bin:/bin", stage.home().join("bin").display(), engine.display())
}

fn engine(stage: &Stage, args: &[&str]) -> Output {
    at_terminal(&command(stage, args))
}

/// What it prints, without how long it took.
fn told(output: &Output) -> String {
    let text = format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr);
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if words[at].trim_end_matches([',', ';']) == "s" {
            words[at - 1] = "N";
        }
    }
    let text = words.join(" ");
    let seconds = |part: &str| format!("N{}", part.trim_start_matches(|c: char| c.is_ascii_digit()));
    let mut parts = text.split("\"seconds\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| format!("{all}\"seconds\":{}", seconds(part)))
}

/// The arguments of each client, without what changes with the texts of agents.
fn starts(stage: &Stage) -> String {
    let text = fs::read_to_string(stage.home().join("starts")).unwrap_or_default();
    let text: String =
        text.split("\"prompt\":\"").enumerate().fold(String::new(), |all, (at, part)| match at {
            0 => part.to_owned(),
            _ => all + "\"prompt\":\"…\"" + &part[part.find(",\"tools\"").unwrap()..],
        });
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("greet-") {
        out.push_str(&rest[..at]);
        out.push_str("greet-SUM");
        rest = &rest[at + "greet-".len() + 6..];
    }
    out + rest
}

fn plan(stage: &Stage) -> Value {
    serde_json::from_str(&stage.read(".engine/state/plans/greet.json")).unwrap()
}

#[test]
fn three_steps_on_three_models_and_a_review_end_the_plan() {
    let stage = stage(WELL);
    let output = engine(&stage, &["run", "greet", "--", "--permission-mode", "acceptEdits"]);
    insta::assert_snapshot!(told(&output), @"
    exit 0
    step 1.1 done (claude-haiku-5, N s, 120 tokens; 1 of 4 done)
    step 1.2 done (claude-sonnet-5, N s, 120 tokens; 2 of 4 done)
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 4 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 4 of 4 done)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    step 1.1 (haiku): say hello
    step 1.2 (sonnet): say goodbye
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    ");
    insta::assert_snapshot!(starts(&stage), @"
    <-p><plans/greet/steps/step-1-1.md><--permission-mode><acceptEdits><--model><haiku><--session-id><ID><--output-format><json><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-2.md><--permission-mode><acceptEdits><--model><sonnet><--session-id><ID><--output-format><json><--max-turns><12><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-3.md><--permission-mode><acceptEdits><--model><opus><--session-id><ID><--output-format><json><--agent><greet-SUM-task>
    <-p><Review of phase 1, report: plans/greet/reports/phase-1.md|Runbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md|Check: pytest><--permission-mode><acceptEdits><--model><sonnet><--session-id><ID><--output-format><json><--agent><vet-agent>
    ");
    assert!(!stage.home().join("denied").exists());
    let plan = plan(&stage);
    assert_eq!((&plan["owner"], &plan["closed"]["approved"]), (&json!(null), &json!(null)));
    let runs: Vec<Value> = plan["steps"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|step| step["runs"].as_array().unwrap().clone())
        .collect();
    let shown: Vec<String> = runs
        .iter()
        .map(|run| format!("{} {} {} {}", run["model"], run["resolved"], run["tokens"], run["came"]))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "haiku" "claude-haiku-5" 120 "done"
    "sonnet" "claude-sonnet-5" 120 "done"
    "opus" "claude-opus-5" 120 "done"
    "sonnet" "claude-sonnet-5" 120 "done"
    "#);
}

/// Waits without end, once it can be told by `waits`.
const HANGS: &str =
    "echo $$ > \"$HOME/waits.new\"; mv \"$HOME/waits.new\" \"$HOME/waits\"; while :; do sleep 0.02; done\n";

/// Runs a command in a terminal, and meanwhile does something, as soon as a client says in `waits` that it waits. The pid of the command and
/// that of the client are given.
pub(crate) fn meanwhile(plain: &Command, home: &Path, act: impl FnOnce(&str, &str)) -> Output {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "echo $$ > \"$HOME/pid\"; exec \"$0\" \"$@\""]).arg(plain.get_program());
    shell.args(plain.get_args()).current_dir(plain.get_current_dir().unwrap());
    shell.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let waits = home.join("waits");
    let _ = fs::remove_file(&waits);
    thread::scope(|scope| {
        let ran = scope.spawn(|| at_terminal(&shell));
        until("the client waits", || waits.exists());
        let read = |name: &str| fs::read_to_string(home.join(name)).unwrap().trim().to_owned();
        act(&read("pid"), &read("waits"));
        ran.join().unwrap()
    })
}

fn while_it_runs(stage: &Stage, act: impl FnOnce(&str, &str)) -> Output {
    meanwhile(&command(stage, &["run", "greet"]), &stage.home(), act)
}

pub(crate) fn kill(signal: &str, pid: &str) {
    let done = Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status().unwrap();
    assert!(done.success(), "kill {signal} {pid}");
}

pub(crate) fn runs(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().unwrap().success()
}

/// The steps that clients were started for, with their models.
fn started(stage: &Stage) -> Vec<String> {
    let shown = |line: &str| {
        let words: Vec<&str> = line.trim_start_matches('<').trim_end_matches('>').split("><").collect();
        let model = words.iter().position(|word| *word == "--model").map(|at| words[at + 1]).unwrap();
        let prompt = words[1].split('|').next().unwrap();
        format!("{} {model}", prompt.rsplit('/').next().unwrap().trim_end_matches(".md"))
    };
    let text = starts(stage);
    text.lines().map(shown).collect()
}

#[test]
fn a_client_that_does_nothing_is_not_believed() {
    let stage = stage("ends\n");
    let output = engine(&stage, &["run", "greet"]);
    insta::assert_snapshot!(told(&output), @r#"
    exit 1
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-sonnet-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-sonnet-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-opus-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest (claude-opus-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 (haiku): say hello
    step 1.1 (haiku): say hello
    step 1.1 (sonnet): say hello
    step 1.1 (sonnet): say hello
    step 1.1 (opus): say hello
    step 1.1 (opus): say hello
    engine: plan greet is halted: step 1.1 was tried 6 times, up to the last tier of models: say hello; the last time: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest
      to answer: engine runbook resume greet --user-approved "…"
      then: engine runbook run greet
    "#);
    assert_eq!(
        started(&stage),
        ["haiku", "haiku", "sonnet", "sonnet", "opus", "opus"].map(|model| format!("step-1-1 {model}"))
    );
    // A halt is a person's; then it goes on.
    let again = engine(&stage, &["run", "greet"]);
    insta::assert_snapshot!(told(&again), @r#"
    exit 1
    engine: plan greet is halted: step 1.1 was tried 6 times, up to the last tier of models: say hello; the last time: its agent called no tool; there is no report plans/greet/reports/step-1-1.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest
      to answer: engine runbook resume greet --user-approved "…"
      then: engine runbook run greet
    "#);
    let resumed = engine(&stage, &["resume", "greet", "--user-approved", "try again"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(engine(&stage, &["run", "greet"]).code, Some(1));
    assert_eq!(started(&stage).len(), 12);
}

#[test]
fn a_try_that_is_not_good_is_followed_by_another() {
    // The first changes nothing, the second uses up its turns, the third is another model, and the fourth works.
    let acts = "case $(wc -l < \"$HOME/starts\") in\n\
        1) checks; reports ''; denied='{\"tool_name\":\"Edit\"}'; ends ;;\n\
        2) does hello.py; rm plans/greet/reports/step-1-1.md; ends error_max_turns true max_turns ;;\n\
        3) used=haiku; does hello.py; ends ;;\n\
        esac\n";
    let turns = RUNBOOK.replace("Write hello.py.", "Max Turns: 3\nWrite hello.py.");
    let stage = stage_of(&turns, &format!("{acts}{WELL}"));
    let output = engine(&stage, &["run", "greet"]);
    insta::assert_snapshot!(told(&output), @"
    exit 0
    step 1.1 not done: calls of these tools were denied: Edit; no file of it was changed, and its report has no line `No change: why` (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: it used all of its 3 turns; there is no report plans/greet/reports/step-1-1.md (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 not done: it ran on claude-haiku-5, and sonnet was asked for (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 done (claude-sonnet-5, N s, 120 tokens; 1 of 4 done)
    step 1.2 done (claude-sonnet-5, N s, 120 tokens; 2 of 4 done)
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 4 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 4 of 4 done)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    step 1.1 (haiku): say hello
    step 1.1 (haiku): say hello
    step 1.1 (sonnet): say hello
    step 1.1 (sonnet): say hello
    step 1.2 (sonnet): say goodbye
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    ");
    insta::assert_snapshot!(starts(&stage), @"
    <-p><plans/greet/steps/step-1-1.md><--model><haiku><--session-id><ID><--output-format><json><--max-turns><3><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-1.md|The earlier attempt was refused: calls of these tools were denied: Edit; no file of it was changed, and its report has no line `No change: why`|Report of the earlier run: plans/greet/reports/step-1-1.md><--model><haiku><--session-id><ID><--output-format><json><--max-turns><3><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-1.md|The earlier attempt was refused: it used all of its 3 turns; there is no report plans/greet/reports/step-1-1.md|Report of the earlier run: plans/greet/reports/step-1-1.md><--model><sonnet><--session-id><ID><--output-format><json><--max-turns><3><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-1.md|The earlier attempt was refused: it ran on claude-haiku-5, and sonnet was asked for|Report of the earlier run: plans/greet/reports/step-1-1.md><--model><sonnet><--session-id><ID><--output-format><json><--max-turns><3><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-2.md><--model><sonnet><--session-id><ID><--output-format><json><--max-turns><12><--agent><greet-SUM-task>
    <-p><plans/greet/steps/step-1-3.md><--model><opus><--session-id><ID><--output-format><json><--agent><greet-SUM-task>
    <-p><Review of phase 1, report: plans/greet/reports/phase-1.md|Runbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md|Check: pytest><--model><sonnet><--session-id><ID><--output-format><json><--agent><vet-agent>
    ");
}

#[test]
fn a_killed_run_goes_on_with_its_step() {
    let stage =
        stage(&format!("[ -e \"$HOME/well\" ] || case $prompt in *step-1-2.md) {HANGS} ;; esac\n{WELL}"));
    let output = while_it_runs(&stage, |engine, client| {
        kill("-KILL", engine);
        if cfg!(target_os = "linux") {
            until("the client ends with it", || !runs(client));
        } else {
            kill("-KILL", client);
        }
    });
    assert!(
        output.stdout.starts_with("step 1.1 done ") && output.stdout.lines().count() == 1,
        "{}",
        output.stdout
    );
    fs::write(stage.home().join("well"), "").unwrap();
    let output = engine(&stage, &["run", "greet"]);
    insta::assert_snapshot!(told(&output), @"
    exit 0
    step 1.2 done (claude-sonnet-5, N s, 120 tokens; 2 of 4 done)
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 4 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 4 of 4 done)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    note: step 1.2 was cut off and is not done: its agent called no tool; there is no report plans/greet/reports/step-1-2.md; no file of it was changed, and its report has no line `No change: why`; `pytest` was not run since the step began: engine check -- pytest
    step 1.2 (sonnet): say goodbye
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    ");
    assert_eq!(
        started(&stage),
        ["step-1-1 haiku", "step-1-2 sonnet", "step-1-2 sonnet", "step-1-3 opus", "phase-1 sonnet"]
    );
}

#[test]
fn what_a_killed_run_has_finished_is_not_done_again() {
    let hangs = HANGS.trim_end();
    let stage = stage(&format!("case $prompt in *step-1-2.md) does bye.py; {hangs} ;; esac\n{WELL}"));
    while_it_runs(&stage, |engine, _| kill("-KILL", engine));
    let output = engine(&stage, &["run", "greet"]);
    insta::assert_snapshot!(told(&output), @"
    exit 0
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 4 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 4 of 4 done)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    note: step 1.2 was cut off, and everything shows that it is done
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    ");
    assert_eq!(started(&stage).iter().filter(|start| start.starts_with("step-1-2")).count(), 1);
}

#[test]
fn a_client_that_is_killed_or_cannot_work_is_no_try() {
    let acts = "case $(wc -l < \"$HOME/starts\") in\n\
        1) kill -KILL $$ ;;\n\
        2) ends success true api_error ;;\n\
        3) echo 'Error: not logged in' >&2; exit 1 ;;\n\
        esac\n";
    let stage = stage(&format!("{acts}{WELL}"));
    let outputs = [0; 3].map(|_| told(&engine(&stage, &["run", "greet"])));
    insta::assert_snapshot!(outputs.join("\n"), @"
    exit 1
    step 1.1 cut off, and not done (haiku, N s; 0 of 4 done)
    step 1.1 (haiku): say hello
    engine: step 1.1: the client was ended by signal 9
      to go on with it: engine runbook run greet

    exit 1
    step 1.1 cut off, and not done (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 (haiku): say hello
    engine: step 1.1: the client ended: said
      to go on with it: engine runbook run greet

    exit 1
    step 1.1 cut off, and not done (haiku, N s; 0 of 4 done)
    step 1.1 (haiku): say hello
    engine: step 1.1: the client ended without an answer: Error: not logged in
      to go on with it: engine runbook run greet
    ");
    assert_eq!(engine(&stage, &["run", "greet"]).code, Some(0));
    assert_eq!(started(&stage)[..4], [const { "step-1-1 haiku" }; 4]);
}

#[test]
fn a_client_that_is_not_there_or_has_no_hooks_is_named() {
    let mut gone = stage("");
    gone.set("ENGINE_RUN_AGENT", "no-such-client");
    insta::assert_snapshot!(told(&engine(&gone, &["run", "greet"])), @"
    exit 1
    step 1.1 (haiku): say hello
    engine: no-such-client cannot be started: No such file or directory (os error 2)
      is it on PATH? Another program: engine config set run.agent PROGRAM
    ");
    let deaf = stage(WELL);
    fs::write(deaf.home().join("bin/engine"), "#!/bin/sh\ncat > /dev/null\n").unwrap();
    fs::set_permissions(deaf.home().join("bin/engine"), fs::Permissions::from_mode(0o755)).unwrap();
    insta::assert_snapshot!(told(&engine(&deaf, &["run", "greet"])), @"
    exit 1
    step 1.1 cut off, and not done (claude-haiku-5, N s, 120 tokens; 0 of 4 done)
    step 1.1 (haiku): say hello
    engine: step 1.1: its client called no hook of engine, so nothing of its work can be seen: engine doctor
      to go on with it: engine runbook run greet
    ");
}

#[test]
fn one_process_runs_a_plan() {
    let stage = stage(&format!("case $prompt in *step-1-1.md) {HANGS} ;; esac\n{WELL}"));
    let mut said = Vec::new();
    let output = while_it_runs(&stage, |pid, _| {
        for args in [&["run", "greet"], &["next", "greet"]] {
            said.push(told(&engine(&stage, args)));
        }
        // An agent session leaves it alone, too.
        said.push(told(&stage.engine(&["plan", "take", "greet"])));
        said.push(told(&engine(&stage, &["done", "1.1", "--plan", "greet"])));
        said.push(told(&engine(&stage, &["status", "greet"])));
        kill("-TERM", pid);
    });
    insta::assert_snapshot!(said.join("\n"), @"
    exit 1
    engine: plan greet is run by another process: engine runbook run
      how it stands: engine runbook status greet

    exit 1
    engine: plan greet is run by another process: engine runbook run
      how it stands: engine runbook status greet

    exit 1
    engine: plan greet is run by another process: engine runbook run
      how it stands: engine runbook status greet

    exit 1
    engine: step 1.1 still runs: its agent has not ended
      end the turn, its result comes by itself; engine runbook status tells whether it ended

    exit 0
    plan greet: running 0/4
    1.1    running  say hello                 haiku
    1.2    open     say goodbye               sonnet
    1.3    open     say both                  opus
    1-vet  open     Review of phase 1: Words  sonnet
    ");
    insta::assert_snapshot!(told(&output), @"
    exit 1
    step 1.1 (haiku): say hello
    engine: stopped by the user; step 1.1 is looked at again when it goes on
      to go on: engine runbook run greet
    ");
}

#[test]
fn a_step_by_hand_stops_it() {
    let inline = format!(
        "{RUNBOOK}# Phase 2: Publish {{type: inline}}\n## Step 2.1: put it up\nFiles: pub.txt (new)\nIt goes up.\n"
    );
    let stage = stage_of(&inline, WELL);
    insta::assert_snapshot!(told(&engine(&stage, &["run", "greet"])), @"
    exit 1
    step 1.1 done (claude-haiku-5, N s, 120 tokens; 1 of 5 done)
    step 1.2 done (claude-sonnet-5, N s, 120 tokens; 2 of 5 done)
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 5 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 4 of 5 done)
    step 1.1 (haiku): say hello
    step 1.2 (sonnet): say goodbye
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    engine: step 2.1 is done by hand: put it up
      what to do: plans/greet/runbook*.md; files: pub.txt
      its check: engine check -- pytest
      when it is done: engine runbook done 2.1 --plan greet
      then: engine runbook run greet
    ");
    stage.write("pub.txt", "up\n");
    let mut check = stage.command(&["check", "--", "pytest"]);
    check.env("PATH", path(&stage));
    assert_eq!(at_terminal(&check).code, Some(0));
    insta::assert_snapshot!(told(&engine(&stage, &["done", "2.1", "--plan", "greet"])), @"
    exit 0
    - [x] 2.1. put it up (pub.txt; `pytest` passed)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    ");
    insta::assert_snapshot!(told(&engine(&stage, &["run", "greet"])), @"
    exit 3
    engine: plan greet is closed
      to run it anew: engine runbook prepare greet --replan; engine asks the user
    ");
}

#[test]
fn a_review_with_findings_is_mended_and_reviewed_again() {
    let acts = "case $prompt in\n\
        Review*) [ -e \"$HOME/found\" ] || { touch \"$HOME/found\"; reviews; sed -i.old 's/Critical: 0/Critical: 1/' plans/greet/reports/phase-1.md; rm plans/greet/reports/phase-1.md.old; ends; } ;;\n\
        Mend*) prompt=1-mend.md; does hello.py; ends ;;\n\
        esac\n";
    let stage = stage(&format!("{acts}{WELL}"));
    insta::assert_snapshot!(told(&engine(&stage, &["run", "greet"])), @"
    exit 0
    step 1.1 done (claude-haiku-5, N s, 120 tokens; 1 of 4 done)
    step 1.2 done (claude-sonnet-5, N s, 120 tokens; 2 of 4 done)
    step 1.3 done (claude-opus-5, N s, 120 tokens; 3 of 4 done)
    step 1-vet done; what it found comes first (claude-sonnet-5, N s, 120 tokens; 3 of 5 done)
    step 1-mend done (claude-sonnet-5, N s, 120 tokens; 4 of 5 done)
    step 1-vet done (claude-sonnet-5, N s, 120 tokens; 5 of 5 done)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    step 1.1 (haiku): say hello
    step 1.2 (sonnet): say goodbye
    step 1.3 (opus): say both
    step 1-vet (sonnet): Review of phase 1: Words
    step 1-mend (sonnet): mend the findings of plans/greet/reports/phase-1.md
    step 1-vet (sonnet): Review of phase 1: Words
    ");
}

#[test]
fn a_budget_halts_it() {
    let mut stage = stage(WELL);
    stage.set("ENGINE_RUNBOOK_ATTEMPTS", "2");
    insta::assert_snapshot!(told(&engine(&stage, &["run", "greet", "--json"])), @r#"
    exit 1
    {"ended":{"came":"done","done":1,"model":"haiku","of":4,"seconds":N,"step":"1.1","tokens":120,"used":"claude-haiku-5","why":null},"version":1}
    {"ended":{"came":"done","done":2,"model":"sonnet","of":4,"seconds":N,"step":"1.2","tokens":120,"used":"claude-sonnet-5","why":null},"version":1}
    {"error":"plan greet is halted: 2 agents were started, and runbook.attempts is 2","hints":["to answer: engine runbook resume greet --user-approved \"…\"","then: engine runbook run greet"],"version":1}
    step 1.1 (haiku): say hello
    step 1.2 (sonnet): say goodbye
    "#);
}

#[test]
fn a_client_at_work_is_ended_when_the_time_is_up() {
    let mut stage = stage(HANGS);
    engine(&stage, &["start", "greet"]);
    let mut plan = plan(&stage);
    let began = engine_store::clock::now().0 - (60 * 60 - 3) * 1000;
    plan["lock"]["at"] = json!(engine_text::stamp::Stamp(began).rfc3339());
    fs::write(stage.root().join(".engine/state/plans/greet.json"), plan.to_string()).unwrap();
    stage.set("ENGINE_RUNBOOK_MINUTES", "60");
    let output = engine(&stage, &["run", "greet"]);
    assert_eq!(output.code, Some(1));
    let halted = "plan greet is halted: 60 minutes have passed, and runbook.minutes is 60";
    assert!(output.stderr.contains(halted), "{}", output.stderr);
    // On a machine that is very busy none was started.
    if let Ok(client) = fs::read_to_string(stage.home().join("waits")) {
        assert!(output.stdout.starts_with("step 1.1 cut off, and not done"), "{}", output.stdout);
        assert!(!runs(client.trim()));
    }
}

#[test]
fn it_is_a_persons_command() {
    let stage = stage(WELL);
    let run = ["runbook", "run", "greet"];
    let mut drifting = stage_of(RUNBOOK, WELL);
    // A variable that is empty is none.
    drifting.set("CLAUDECODE", "");
    let said = [
        stage.engine(&run),
        stage.at_terminal_below_agent(&run),
        drifting.without_terminal(&run),
        engine(&stage, &["run", "greet", "--", "--model", "opus"]),
        engine(&stage, &["run", "other"]),
    ];
    insta::assert_snapshot!(said.iter().map(told).collect::<Vec<_>>().join("\n"), @"
    exit 1
    engine: engine runbook run needs a person, and this command runs below a coding agent
      the person runs it in a terminal of their own
      an agent delegates the steps itself: engine runbook next greet

    exit 1
    engine: engine runbook run needs a person, and this command runs below a coding agent
      the person runs it in a terminal of their own
      an agent delegates the steps itself: engine runbook next greet

    exit 1
    engine: engine runbook run needs a person, and this command has no terminal, and an agent session is open here that may have started it
      the person runs it in a terminal of their own
      an agent delegates the steps itself: engine runbook next greet

    exit 2
    engine: --model is set for each step by the runbook

    exit 1
    engine: plans/other is not prepared
      engine runbook prepare other
    ");
    assert_eq!(starts(&drifting), "");
    drifting.hook(&drifting.event_with("SessionEnd", &json!({"session_id": SESSION})));
    drifting.without_terminal(&run);
    assert_eq!(started(&drifting)[0], "step-1-1 haiku", "a timer may");
    // A session that is alive keeps its plan.
    assert_eq!(stage.engine(&["runbook", "next", "greet"]).code, Some(0));
    insta::assert_snapshot!(told(&engine(&stage, &["run", "greet"])), @"
    exit 1
    engine: plan greet belongs to the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906
      it is free when that session ends
      how it stands: engine runbook status greet
    ");
    assert_eq!(starts(&stage), "");
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION})));
    let output = engine(&stage, &["run", "greet"]);
    assert_eq!((output.code, &self::plan(&stage)["owner"]), (Some(0), &json!(null)), "{}", output.stderr);
}
