//! `/do` with the real client, played to its end by the scripted model: what the router's answers, guardrails, halts and verdicts came to.

use engine_testkit::{Bench, Kind, Request, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, ask, bench, engine_command};
use crate::stage::at_terminal;

pub(crate) const PLAN: &str = r#"task_type: debug
workflow: verify-first
skills_to_invoke: []
guardrails:
  plan_mode: true
  answer_only: false
  require_skill: null
  verify_before_complete: true
  require_acceptance_test: true
  quote_errors_exactly: true
  fix_within_design: true
enriched_context: |
  The Makefile greps for b.
todo_items:
  - "Mend src.txt"
  - {text: "CHECKPOINT: src.txt is mended", proof: make test}
acceptance_criteria:
  - {text: the test passes, proof: make test}
scope: ["src.txt"]
warnings: []
original_fragment: |
  fix the failing test
"#;

pub(crate) type Call = (&'static str, Value);

pub(crate) fn bash(command: &str) -> Call {
    ("Bash", json!({"command": command}))
}

pub(crate) fn edit(old: &str, new: &str) -> Call {
    ("Edit", json!({"file_path": "${PROJECT}/src.txt", "old_string": old, "new_string": new}))
}

pub(crate) fn agent(kind: &str, prompt: &str) -> Call {
    let input =
        json!({"description": "Work", "prompt": prompt, "subagent_type": kind, "run_in_background": false});
    ("Agent", input)
}

/// The main agent's calls, one after the other; the first follows the prompt, the text ends the turn.
pub(crate) fn play(scenario: Scenario, prompt: &str, calls: &[Call], last: &str) -> Scenario {
    let mut scenario = scenario;
    for (index, (tool, input)) in calls.iter().enumerate() {
        let name = format!("{tool} {}", shown(input));
        let turn = Turn::new(&name).kind(Kind::Main).tool_use(tool, input.clone());
        let turn =
            if index == 0 { turn.any_contains(prompt) } else { turn.tool_result_of(calls[index - 1].0) };
        scenario = scenario.turn(turn);
    }
    let end = calls.last().map_or("", |(tool, _)| tool);
    scenario.turn(Turn::new(last).kind(Kind::Main).tool_result_of(end).text(last))
}

/// What tells calls apart.
fn shown(input: &Value) -> String {
    let keys = ["command", "subagent_type", "new_string", "file_path"];
    let text = keys.iter().find_map(|key| input[key].as_str()).unwrap_or_default();
    text.lines().next().unwrap_or_default().replace("${PROJECT}/", "")
}

/// What each call of the main agent brought it; of long results, the first lines.
pub(crate) fn received(bench: &Bench, requests: &[&Request]) -> String {
    let mut text = String::new();
    for pair in requests.windows(2) {
        let [call, answer] = pair else { continue };
        text.push_str(&format!("$ {}\n", call.turn));
        for result in answer.tool_results() {
            let is_ours = call.turn.contains("engine ") || result.is_error;
            let lines: Vec<&str> = result.text.lines().filter(|_| is_ours).take(4).collect();
            text.extend(lines.iter().map(|line| format!("{line}\n")));
        }
        for hook in ["PostToolUse:Bash", "PostToolUseFailure:Bash", "Stop"] {
            text.extend(answer.contexts(hook).iter().map(|note| format!("{hook}: {note}\n")));
        }
    }
    let text = text.replace(&bench.project().display().to_string(), "[PROJECT]");
    let bare = |word: &str| word.trim_start_matches('(').trim_end_matches([':', ',']).to_owned();
    let is_day = |word: &str| {
        let word = bare(word);
        word.len() == 10 && word.starts_with("20") && word.split('-').count() == 3
    };
    let is_time = |word: &str| {
        let is_bare = bare(word) == word;
        !is_bare && bare(word).len() == 8 && bare(word).split(':').count() == 3
    };
    let masked = |word| if is_day(word) || is_time(word) { "[TIME]" } else { word };
    text.split(' ').map(masked).collect::<Vec<_>>().join(" ")
}

pub(crate) fn project() -> Bench {
    let bench = bench(&["--with", "skills"]);
    bench.write("Makefile", "test:\n\tgrep -q b src.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    bench.commit_all("begin").unwrap();
    bench
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn do_is_played_to_its_end() {
    let bench = project();
    let make = |plan: &str| bash(&format!("engine plan new --from - <<'EOF'\n{plan}EOF"));
    let broken = PLAN.replace("workflow: verify-first\n", "").replace("scope:", "scopes:");
    let first = [
        agent("intent-router", "User fragment: fix the failing test"),
        make(&broken),
        agent("intent-router", "User fragment: fix the failing test\nProblems: workflow is missing"),
        make(PLAN),
        ("Read", json!({"file_path": "${PROJECT}/src.txt"})),
        edit("a", "c"),
        bash("engine plan lock"),
    ];
    let agreed = [
        bash("engine plan lock"),
        bash("engine plan criteria set 1 'make runs' --proof 'make -n test'"),
        bash("engine plan step start 1"),
        edit("a", "c"),
        bash("make test"),
        edit("c", "d"),
        bash("make test"),
        edit("d", "e"),
        bash("make test"),
        edit("e", "b"),
        bash("engine plan resume --user-approved 'nobody said so'"),
    ];
    let second = [
        bash("engine plan resume --user-approved 'write b'"),
        edit("e", "b"),
        bash("make test"),
        bash("engine plan step done 1"),
        bash("engine plan step start 2"),
        bash("engine plan step done 2"),
        bash("engine plan verify"),
        bash("git commit -qam 'Mend src.txt' && git log --format=%s -1"),
        bash("engine plan report"),
        bash("engine plan close"),
    ];
    let scenario = play(Scenario::new(), "The plan is the engine's", &first, "Do you agree?");
    let scenario = scenario
        .turn(Turn::new("router").kind(Kind::Subagent).prompt_contains("workflow is missing").text(PLAN))
        .turn(
            Turn::new("router, broken").kind(Kind::Subagent).prompt_contains("User fragment").text(&broken),
        );
    let scenario = play(scenario, "I agree", &agreed, "It goes in circles. What now?");
    let scenario = play(scenario, "write b, then", &second, "Mended.");
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("/do fix the failing test").unwrap();
    live.wait_for_result(WAIT).unwrap();
    // Nobody attends this session, so the person answers in a terminal.
    assert_eq!(
        at_terminal(&engine_command(&bench, &["approval", "grant", "1"])).stdout,
        "approval 1 is given: lock plan fix-the-failing-test, criteria: 1. the test passes (`make test` passes); steps: 1. Mend src.txt 2. src.txt is mended (`make test` passes); it counts once, until the agent's turn ends\n"
    );
    live.prompt("I agree").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert_eq!(
        at_terminal(&engine_command(&bench, &["approval", "grant", "3"])).stdout,
        "approval 3 is given: resume plan fix-the-failing-test (halted: src.txt was edited and a check failed, 3 times with no pass between); it counts once, until the agent's turn ends\n"
    );
    live.prompt("write b, then").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Agent intent-router
    $ Bash engine plan new --from - <<'EOF'
    Exit code 1
    engine: the plan is not taken: 2 problems
    stdin:1: workflow is missing
    stdin:18: the plan: scopes is not known; known: task_type, workflow, skills_to_invoke, guardrails, enriched_context, todo_items, acceptance_criteria, scope, warnings, original_fragment, supervise
    $ Agent intent-router
    $ Bash engine plan new --from - <<'EOF'
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: plan_mode, verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: engine plan lock
    $ Read src.txt
    $ Edit c
    PreToolUse:Edit hook error: engine rule plan: plan fix-the-failing-test is not locked (plan_mode): nothing is changed before a person agrees to its steps and criteria. engine plan lock asks them
    $ Bash engine plan lock
    Exit code 1
    engine: lock plan fix-the-failing-test, criteria: 1. the test passes (`make test` passes); steps: 1. Mend src.txt 2. src.txt is mended (`make test` passes) needs a person: approval 1
      nobody attends this session; a person in a terminal of their own: engine approval grant 1
      after that the same command counts once, until that turn ends
    $ Do you agree?
    $ Bash engine plan lock
    plan fix-the-failing-test is locked: 2 steps, 1 criterion
    1. the test passes (`make test` passes)
    then: step 1 begins with its first change
    $ Bash engine plan criteria set 1 'make runs' --proof 'make -n test'
    Exit code 1
    engine: change the locked criteria of plan fix-the-failing-test: - 1. the test passes (`make test` passes) + 1. make runs (`make -n test` passes) needs a person: approval 2
      nobody attends this session; a person in a terminal of their own: engine approval grant 2
      after that the same command counts once, until that turn ends
    $ Bash engine plan step start 1
    - [>] 1. Mend src.txt
    then: engine plan step done 1
    $ Edit c
    $ Bash make test
    Exit code 2
    grep -q b src.txt
    make: *** [Makefile:2: test] Error 1
    $ Edit d
    $ Bash make test
    Exit code 2
    grep -q b src.txt
    make: *** [Makefile:2: test] Error 1
    $ Edit e
    $ Bash make test
    Exit code 2
    grep -q b src.txt
    make: *** [Makefile:2: test] Error 1
    PostToolUseFailure:Bash: engine: plan fix-the-failing-test is halted: src.txt was edited and a check failed, 3 times with no pass between. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: plan fix-the-failing-test is halted: src.txt was edited and a check failed, 3 times with no pass between. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on
    $ Bash engine plan resume --user-approved 'nobody said so'
    Exit code 1
    engine: resume plan fix-the-failing-test (halted: src.txt was edited and a check failed, 3 times with no pass between) needs a person: approval 3
      nobody attends this session; a person in a terminal of their own: engine approval grant 3
      after that the same command counts once, until that turn ends
    $ It goes in circles. What now?
    $ Bash engine plan resume --user-approved 'write b'
    plan fix-the-failing-test goes on: the person's words: engine approval grant 3 in a terminal [TIME] [TIME] approval 3); the agent's reading: write b
    $ Edit b
    $ Bash make test
    PostToolUse:Bash: engine: plan fix-the-failing-test: steps 1, 2 are done; next: engine plan close
    $ Bash engine plan step done 1
    - [x] 1. Mend src.txt
    all steps are done; then: engine plan close
    PostToolUse:Bash: engine: plan fix-the-failing-test: 3 failed checks.
    engine: write down now what was decided and others must know, for the folder DIR that it is about: engine directives add AGENTS DIR --text 'the decision, and why'
    $ Bash engine plan step start 2
    - [>] 2. CHECKPOINT: src.txt is mended (`make test` passes; 2 attempts)
    then: engine plan step done 2; its proof: `make test` passes
    $ Bash engine plan step done 2
    - [x] 2. CHECKPOINT: src.txt is mended (2 attempts; `make test` passed)
    all steps are done; then: engine plan close
    PostToolUse:Bash: engine: plan fix-the-failing-test: 3 failed checks.
    $ Bash engine plan verify
    1. the test passes
       met [TIME] [TIME] `make test` passed
    $ Bash git commit -qam 'Mend src.txt' && git log --format=%s -1
    $ Bash engine plan report
    plan fix-the-failing-test: 2 of 2 steps done
    - [x] 1. Mend src.txt
    - [x] 2. CHECKPOINT: src.txt is mended (2 attempts; `make test` passed)

    $ Bash engine plan close
    plan fix-the-failing-test is closed; plans/fix-the-failing-test/PLAN.md

    plan fix-the-failing-test: 2 of 2 steps done
    - [x] 1. Mend src.txt
    ");
    assert_eq!(bench.git(&["log", "--format=%s"]).unwrap(), "Mend src.txt\nbegin\nstart");
    assert_eq!(bench.read("src.txt").unwrap(), "b\n");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_answer_changes_nothing() {
    let bench = project();
    let plan = PLAN
        .replace("plan_mode: true", "plan_mode: false")
        .replace("answer_only: false", "answer_only: true")
        .replace("task_type: debug", "task_type: question");
    let calls = [
        bash(&format!("engine plan new --from - <<'EOF'\n{plan}EOF")),
        ("Read", json!({"file_path": "${PROJECT}/src.txt"})),
        edit("a", "b"),
        bash("sed -i s/a/b/ src.txt"),
        bash("git commit --allow-empty -qm x"),
    ];
    let scenario = play(Scenario::new(), "The plan is the engine's", &calls, "It greps for b.");
    let run = ask(&bench, scenario, "/do why does the test fail?", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("It greps for b."));
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Bash engine plan new --from - <<'EOF'
    note: original_fragment is what the user typed
    plan why-does-the-test-fail: 2 steps, 1 criterion; plans/why-does-the-test-fail/PLAN.md
    guardrails: verify_before_complete, answer_only, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: answer, and end the turn; nothing is changed in it
    $ Read src.txt
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: plan why-does-the-test-fail only answers (answer_only): nothing is changed. Answer the question and end the turn.
    $ Bash sed -i s/a/b/ src.txt
    PreToolUse:Bash hook error: engine rule plan: plan why-does-the-test-fail only answers (answer_only): nothing is changed. Answer the question and end the turn.
    $ Bash git commit --allow-empty -qm x
    PreToolUse:Bash hook error: engine rule plan: plan why-does-the-test-fail only answers (answer_only): nothing is changed. Answer the question and end the turn.
    ");
    assert_eq!(bench.read("src.txt").unwrap(), "a\n");
    assert_eq!(bench.git(&["log", "--format=%s"]).unwrap(), "begin\nstart");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_agents_own_list_is_seen_beside_the_plan() {
    let mut bench = project();
    // Today's models get this tool only by these.
    bench.env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1");
    bench.env("CLAUDE_CODE_ENABLE_TASKS", "0");
    let todos = json!([
        {"content": "Mend src.txt", "status": "completed", "activeForm": "Mending"},
        {"content": "Rewrite make", "status": "pending", "activeForm": "Rewriting"},
    ]);
    let calls = [
        bash(&format!("engine plan new --from - <<'EOF'\n{PLAN}EOF")),
        ("TodoWrite", json!({"todos": todos})),
        bash("engine plan show | tail -1"),
    ];
    let scenario = play(Scenario::new(), "begin", &calls, "Listed.");
    let run = ask(&bench, scenario, "begin", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Listed."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @"
    $ Bash engine plan new --from - <<'EOF'
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: plan_mode, verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design
    then: engine plan lock
    $ TodoWrite 
    $ Bash engine plan show | tail -1
    - the agent's own list: 1 of 2 done; not in the plan: Rewrite make
    ");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_required_skill_comes_first() {
    let bench = project();
    bench
        .write(".claude/skills/mend/SKILL.md", "---\nname: mend\ndescription: Mends.\n---\nMend it.\n")
        .unwrap();
    let plan = PLAN
        .replace("plan_mode: true", "plan_mode: false")
        .replace("require_skill: null", "require_skill: mend");
    let calls = [
        bash(&format!("engine plan new --from - <<'EOF'\n{plan}EOF")),
        ("Read", json!({"file_path": "${PROJECT}/src.txt"})),
        edit("a", "b"),
        ("Skill", json!({"skill": "mend"})),
        edit("a", "b"),
    ];
    let scenario = play(Scenario::new(), "begin", &calls, "Mended.");
    let run = ask(&bench, scenario, "begin", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Mended."), "{:?}", run.record.turns());
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @r#"
    $ Bash engine plan new --from - <<'EOF'
    plan fix-the-failing-test: 2 steps, 1 criterion; plans/fix-the-failing-test/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test, quote_errors_exactly, fix_within_design, require_skill: mend
    then: engine plan lock
    $ Read src.txt
    $ Edit b
    PreToolUse:Edit hook error: engine rule plan: plan fix-the-failing-test begins with a skill (require_skill): call Skill(skill: "mend") before anything is changed. Where there is no such skill: engine plan close --user-approved "why"; engine asks the user whether the plan ends.
    $ Skill 
    $ Edit b
    "#);
    assert_eq!(bench.read("src.txt").unwrap(), "b\n");
}
