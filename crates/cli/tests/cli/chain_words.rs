//! What the person says about a chain counts until they say otherwise: behind a prefix, in the answer to a question, after a failure,
//! against the model's own flags, and in the session that takes the chain up.

use serde_json::{Value, json};

use crate::chains::{skill, stage};
use crate::stage::{Output, SESSION, Stage, run};

const OTHER: &str = "11111111-2222-4333-8444-555555555555";

fn here(stage: &Stage, name: &str, mut fields: Value) -> Value {
    fields["session_id"] = json!(SESSION);
    stage.event_with(name, &fields)
}

fn begun(prompt: &str) -> Stage {
    let stage = stage();
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt(prompt));
    stage
}

fn skill_ran(stage: &Stage, name: &str, args: &str) -> Output {
    let fields = json!({"tool_input": {"skill": name, "args": args}, "tool_response": {"success": true, "commandName": name}});
    stage.hook(&here(stage, "PostToolUse.Skill", fields))
}

fn stop(stage: &Stage, message: &str) -> Output {
    stage.hook(&here(stage, "Stop", json!({"last_assistant_message": message})))
}

fn agent(stage: &Stage, args: &[&str]) -> Output {
    agent_of(stage, SESSION, args)
}

fn agent_of(stage: &Stage, session: &str, args: &[&str]) -> Output {
    let mut command = stage.command(args);
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    run(command, None)
}

fn shown(stage: &Stage) -> String {
    let out = stage.engine(&["chain", "show", "--session", SESSION]);
    format!("{}{}", out.stdout, out.stderr)
}

fn line(out: &Output) -> String {
    if out.stdout.is_empty() {
        return String::new();
    }
    out.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

fn answered(stage: &Stage, question: &str, answer: &str) -> Output {
    let questions = json!([{"question": question, "header": "Commit", "options": [{"label": "Yes", "description": ""}, {"label": answer, "description": ""}], "multiSelect": false}]);
    let mut answers = json!({});
    answers[question] = json!(answer);
    let both = json!({"questions": questions, "answers": answers});
    stage.hook(&here(
        stage,
        "PostToolUse.AskUserQuestion",
        json!({"tool_input": both, "tool_response": both}),
    ))
}

#[test]
fn a_prohibition_behind_a_prefix_counts() {
    for (prompt, expected) in [
        ("d: B. And do not commit anything.", "/commit (you wrote \"do not commit anything\")"),
        ("discuss: no commit please", "/commit (you wrote \"no commit please\")"),
    ] {
        let stage = begun("/design plans/a");
        stop(&stage, "A or B?");
        assert_eq!(
            line(&stage.hook(&stage.prompt(prompt))),
            format!("engine: chain: left out: {expected}"),
            "{prompt}"
        );
        assert_eq!(shown(&stage), "waits    /design plans/a\nnext     /handoff\n", "{prompt}");
    }
    // What is written down for later orders nothing now.
    for prompt in ["q: do not commit", "p: do not commit anything for now"] {
        let stage = begun("/design plans/a");
        stop(&stage, "A or B?");
        stage.hook(&stage.prompt(prompt));
        assert!(shown(&stage).ends_with("then     /commit\n"), "{prompt}: {}", shown(&stage));
    }
}

#[test]
fn the_answer_to_a_question_forbids_too() {
    for (question, answer) in [
        ("Which way?", "A, and do not commit"),
        ("Shall I commit at the end?", "No, do not commit"),
        ("Shall I commit at the end?", "No"),
        ("Shall I commit at the end?", "Not yet, I want to read it first"),
    ] {
        let stage = begun("/design plans/a");
        let out = answered(&stage, question, answer);
        assert!(
            line(&out).starts_with("engine: chain: left out: /commit (you wrote \""),
            "{answer}: {}",
            out.stdout
        );
        assert!(shown(&stage).ends_with("next     /handoff\n"), "{answer}: {}", shown(&stage));
    }
    let stage = begun("/design plans/a");
    answered(&stage, "Shall I commit at the end?", "Yes").assert_silent();
    answered(&stage, "Which color?", "No preference").assert_silent();
    assert!(shown(&stage).ends_with("then     /commit\n"));
}

#[test]
fn a_prohibition_outlives_the_chain_that_is_replaced() {
    // After a failure, and when a later entry is typed.
    for fails in [true, false] {
        let stage = begun("/design plans/a, do not commit, /plan-adhoc and /orchestrate");
        if fails {
            assert_eq!(agent(&stage, &["chain", "fail", "no way"]).code, Some(0));
        }
        stop(&stage, "Hm.");
        let out = stage.hook(&stage.prompt("/orchestrate it"));
        assert!(line(&out).contains("left out: /commit (you wrote \"do not commit\")"), "{}", line(&out));
        assert_eq!(shown(&stage), "current  /orchestrate it\nnext     /handoff\n");
    }
    // Until the person says otherwise: by a chain of its own after this one, by typing the exit, or in words.
    let stage = begun("/design plans/a, do not commit");
    skill_ran(&stage, "handoff", "");
    stop(&stage, "Handed off.");
    assert!(line(&stage.hook(&stage.prompt("/design plans/b"))).contains("/handoff --commit, /commit;"));
    let stage = begun("/design plans/a, do not commit");
    stage.hook(&stage.prompt("ok, you may commit now"));
    skill_ran(&stage, "handoff", "--commit");
    skill_ran(&stage, "handoff", "--commit");
    assert!(shown(&stage).ends_with("next     /commit\n"), "{}", shown(&stage));
}

#[test]
fn the_models_own_flag_asks_for_nothing_that_is_forbidden() {
    for prompt in [
        "/design plans/a --no-exit",
        "/design plans/a, then stop",
        "/design plans/a and nothing else",
        "/design plans/a, do not commit",
    ] {
        let stage = begun(prompt);
        stop(&stage, "Designed.");
        skill_ran(&stage, "handoff", "");
        stage.hook(&stage.prompt("go on"));
        let out = skill_ran(&stage, "handoff", "--commit");
        assert!(
            line(&out).starts_with("engine: left out: /commit (you wrote \""),
            "{prompt}: {}",
            out.stdout
        );
        assert!(!shown(&stage).contains("/commit"), "{prompt}: {}", shown(&stage));
        stop(&stage, "Handed off.").assert_silent();
    }
}

#[test]
fn newer_words_win() {
    for typed in ["/handoff --commit", "hc"] {
        let stage = begun("/design plans/a, do not commit");
        stop(&stage, "A or B?");
        let out = stage.hook(&stage.prompt(typed));
        assert!(shown(&stage).contains("/commit\n"), "{typed}: {}{}", shown(&stage), out.stdout);
        // Also against the words of before.
        skill_ran(&stage, "handoff", "--commit");
        assert!(
            shown(&stage).contains("/commit\n") || shown(&stage).contains("no chain"),
            "{}",
            shown(&stage)
        );
    }
    // A prohibition that comes later takes the flag of what was typed.
    let stage = begun("/design plans/a, /handoff --commit");
    stop(&stage, "A or B?");
    let out = stage.hook(&stage.prompt("do not commit"));
    assert_eq!(line(&out), "engine: chain: left out: /commit (you wrote \"do not commit\")");
    assert_eq!(shown(&stage), "current  /design plans/a\nnext     /handoff\n");
    for words in ["commit later please", "wait before the commit"] {
        let stage = begun("/design plans/a, /plan-adhoc and /commit");
        stop(&stage, "A or B?");
        stage.hook(&stage.prompt(words));
        assert_eq!(shown(&stage), "current  /design plans/a\nnext     /plan-adhoc\n", "{words}");
    }
    // A question about what happened forbids nothing.
    let stage = begun("/design plans/a, /commit");
    stop(&stage, "A or B?");
    stage.hook(&stage.prompt("why did you not commit?"));
    assert!(shown(&stage).ends_with("next     /commit\n"));
}

const GATED: &str = "continuation: {cooperative: true, default-exit: [], done-when: [file: '{args}/out.md']}";

#[test]
fn typing_the_next_skill_goes_on_without_the_one_that_failed() {
    let stage = stage();
    skill(&stage, ".claude/skills/design", GATED);
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("/design plans/a, /plan-adhoc and /orchestrate"));
    assert_eq!(agent(&stage, &["chain", "fail", "no way"]).code, Some(0));
    assert_eq!(
        line(&stop(&stage, "It cannot be done.")),
        "engine: the agent stopped the chain at /design: no way; engine chain retry, skip or drop"
    );
    stage.hook(&stage.prompt("/plan-adhoc go"));
    insta::assert_snapshot!(shown(&stage), @r"
    failed   /design plans/a: no way
    current  /plan-adhoc go
    next     /orchestrate
    then     /handoff --commit, /commit
    ");
}

#[test]
fn an_idea_in_the_middle_ends_no_chain() {
    let stage = stage();
    skill(&stage, ".claude/skills/q", "continuation: {cooperative: true, default-exit: [], args: rest}");
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("/design plans/a, /plan-adhoc"));
    stop(&stage, "A or B?");
    assert_eq!(line(&stage.hook(&stage.prompt("/q dark mode, some day; do not commit it"))), "");
    assert_eq!(
        shown(&stage),
        "waits    /design plans/a\nnext     /plan-adhoc\nthen     /handoff --commit, /commit\n"
    );
}

/// The client is gone, and a task that its chain carries out is taken up in a new session.
fn left_behind(command: &str, done: &[&str]) -> Stage {
    let stage = stage();
    stage.write(
        "session.md",
        &format!(
            "## Pending Tasks\n\n- [ ] **Build foo** — `{command}` | sonnet\n- [ ] **Other** — | sonnet\n"
        ),
    );
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("x"));
    for name in done {
        skill_ran(&stage, name, "");
    }
    stage.hook(&here(&stage, "SessionEnd", json!({})));
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": OTHER})));
    stage
}

fn said_in_other(stage: &Stage, words: &str) -> Output {
    let mut event = stage.prompt(words);
    event["session_id"] = json!(OTHER);
    stage.hook(&event)
}

#[test]
fn r_and_x_take_the_chain_of_a_task_along() {
    for key in ["r", "x"] {
        let stage = left_behind("/design plans/foo, /plan-adhoc and /orchestrate", &["design", "plan-adhoc"]);
        let told = said_in_other(&stage, key).context();
        assert!(told.contains("Its chain goes on: design ✓ → plan-adhoc … → orchestrate"), "{key}: {told}");
        assert!(told.contains("When it is done: engine task done 'Build foo'."), "{key}: {told}");
        assert!(told.contains("Skill(skill: \"orchestrate\", args: \"\")"), "{key}: {told}");
        // It is that session's now, and only its.
        assert!(!shown(&stage).contains("next"), "{key}");
        let status = stage.ok(&["status"]);
        assert!(status.ends_with("\nChain: design ✓ → plan-adhoc … → orchestrate\n"), "{key}: {status}");
        // The task is not done before its last entry.
        let refused = agent_of(&stage, OTHER, &["task", "done", "Build foo"]);
        assert_eq!(refused.code, Some(1), "{key}: {}{}", refused.stdout, refused.stderr);
        let fields = json!({"session_id": OTHER, "tool_input": {"skill": "orchestrate", "args": ""}, "tool_response": {"success": true, "commandName": "orchestrate"}});
        stage.hook(&stage.event_with("PostToolUse.Skill", &fields));
        let done = agent_of(&stage, OTHER, &["task", "done", "Build foo"]);
        assert_eq!(done.code, Some(0), "{key}: {}", done.stderr);
    }
}

#[test]
fn s_and_r_name_a_chain_whose_client_is_gone() {
    let stage = begun("/design plans/a, /plan-adhoc");
    stage.hook(&here(&stage, "SessionEnd", json!({})));
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": OTHER})));
    let take = format!(
        "Chain: design … → plan-adhoc → handoff → commit; its client is gone: engine chain take {}",
        &SESSION[..8]
    );
    for key in ["s", "r"] {
        let told = said_in_other(&stage, key).context();
        assert!(told.lines().any(|line| line == take), "{key}: {told}");
    }
}

#[test]
fn what_takes_a_chain_over_names_its_task() {
    let stage = left_behind("/design plans/foo and /plan-adhoc", &["design"]);
    let out = agent_of(&stage, OTHER, &["chain", "take", &SESSION[..8]]);
    assert!(
        out.stdout.ends_with("task     Build foo; when it is done: engine task done 'Build foo'\n"),
        "{}{}",
        out.stdout,
        out.stderr
    );
}

#[test]
fn several_chains_are_told_apart() {
    let stage = begun("/design plans/a, /plan-adhoc");
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": OTHER})));
    said_in_other(&stage, "/plan-adhoc b, /orchestrate");
    let status = stage.ok(&["status"]);
    assert!(
        status.contains(&format!(
            "Chain: plan-adhoc … → orchestrate → handoff → commit; session {}\n",
            &OTHER[..8]
        )),
        "{status}"
    );
    assert!(status.contains(&format!("; session {}\n", &SESSION[..8])), "{status}");
}

#[test]
fn a_cleared_context_says_which_chain_ended() {
    let mut stage = stage();
    stage.set("CLAUDE_PID", "4711");
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("/design plans/a, /plan-adhoc"));
    stage.hook(&here(&stage, "SessionEnd", json!({"reason": "clear"})));
    let start = stage.event_with("SessionStart", &json!({"session_id": OTHER, "source": "clear"}));
    let out = stage.hook(&start);
    assert_eq!(
        line(&out),
        "engine: the chain ended with the cleared context: design … → plan-adhoc → handoff → commit"
    );
}

/// A state that cannot be read is set aside, and said so at the end of the turn at the latest.
#[test]
fn a_damaged_state_in_the_middle_of_a_chain_is_said() {
    let stage = begun("/design plans/a, /plan-adhoc");
    stage.write(&format!(".engine/state/sessions/{SESSION}.json"), "{\"version\":1,\"cha");
    let said = line(&stop(&stage, "Designed."));
    assert!(said.starts_with(&format!("engine: {SESSION}.json was damaged")), "{said}");
    assert!(said.ends_with("The work goes on. See: engine doctor"), "{said}");
    let doctor = stage.engine(&["doctor"]);
    assert!(doctor.stdout.contains("set aside because they could not be read: "), "{}", doctor.stdout);
}

#[test]
fn an_argument_that_was_not_typed_is_said_when_the_chain_begins() {
    let stage = stage();
    skill(&stage, ".claude/skills/design", GATED);
    stage.hook(&here(&stage, "SessionStart", json!({})));
    assert_eq!(
        line(&stage.hook(&stage.prompt("/design and /handoff"))),
        "engine: /design is done by its argument, and none was typed: what the agent calls it with counts\nengine: chain: /handoff; engine chain drop cancels"
    );
    // A path of the project may be written in full, in marks, and as the client marks a file.
    for (at, args) in
        ["@plans/x0", "(plans/x1)", "“plans/x2”", "\"@plans/x3\"", "FULL/plans/x4"].iter().enumerate()
    {
        let root = stage.root().canonicalize().unwrap();
        let args = args.replace("FULL", &root.display().to_string());
        stage.hook(&stage.prompt(&format!("/design {args} then /handoff")));
        let call = here(&stage, "PreToolUse.Skill", json!({"tool_input": {"skill": "handoff", "args": ""}}));
        assert!(
            stage.hook(&call).stdout.contains(&format!("no file plans/x{at}/out.md")),
            "{args}: {}",
            stage.hook(&call).stdout
        );
    }
}

#[test]
fn an_empty_commit_on_an_older_one_shows_nothing() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/design",
        "continuation: {cooperative: true, default-exit: [], done-when: [commit]}",
    );
    stage.git(&["init", "-q"]);
    for text in ["one", "two"] {
        stage.write("a.txt", text);
        stage.git(&["add", "a.txt"]);
        stage.git(&["commit", "-q", "-m", text]);
    }
    std::thread::sleep(std::time::Duration::from_millis(1100));
    stage.hook(&stage.prompt("/design x, /plan-adhoc"));
    stage.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    let call = here(&stage, "PreToolUse.Skill", json!({"tool_input": {"skill": "plan-adhoc", "args": ""}}));
    assert!(stage.hook(&call).stdout.contains("nothing was committed since it began"));
    stage.write("a.txt", "three");
    stage.git(&["commit", "-q", "-a", "-m", "three"]);
    stage.hook(&call).assert_silent();
}

#[test]
fn a_chain_has_at_most_fifty_entries() {
    let stage = stage();
    stage.hook(&here(&stage, "SessionStart", json!({})));
    let prompt = format!("/design x{}", ", /commit".repeat(5000));
    let said = line(&stage.hook(&stage.prompt(&prompt)));
    assert!(said.contains("engine: read as text: /commit; engine chain parse --explain"), "{said}");
    let text = stage.ok(&["chain", "show", "--session", SESSION, "--json"]);
    let chain: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(chain["continuation"].as_array().unwrap().len(), 49, "with the first one");
}

#[test]
fn xc_ends_as_the_words_of_its_task_say() {
    let stage = stage();
    stage.write(
        "session.md",
        "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/t, do not commit` | sonnet\n",
    );
    stage.hook(&here(&stage, "SessionStart", json!({})));
    let out = stage.hook(&stage.prompt("xc"));
    let told = out.context();
    assert!(told.contains("Then the user expects /handoff, and no commit."), "{told}");
    assert!(told.contains("Continuation: /design \"plans/t, do not commit\", /handoff\n"), "{told}");
    assert!(line(&out).contains("left out: /commit (you wrote \"do not commit\")"), "{}", line(&out));
}
