//! Ways round a chain that testers found: other arguments, subagents, words in brackets, other sessions.

use serde_json::{Value, json};

use crate::chains::{skill, stage};
use crate::stage::{Output, SESSION, Stage, run};

pub(crate) const OTHER: &str = "11111111-2222-4333-8444-555555555555";

pub(crate) fn here(stage: &Stage, name: &str, mut fields: Value) -> Value {
    fields["session_id"] = json!(SESSION);
    stage.event_with(name, &fields)
}

/// The project with a skill of these front matter lines, and a chain that was typed.
pub(crate) fn started(declared: &str, prompt: &str) -> Stage {
    let stage = stage();
    skill(&stage, ".claude/skills/plan-adhoc", declared);
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt(prompt));
    stage
}

pub(crate) fn skill_ran(stage: &Stage, name: &str, args: &str) {
    let fields = json!({"tool_input": {"skill": name, "args": args}, "tool_response": {"success": true, "commandName": name}});
    stage.hook(&here(stage, "PostToolUse.Skill", fields));
}

pub(crate) fn skill_call(stage: &Stage, fields: Value) -> Output {
    stage.hook(&here(stage, "PreToolUse.Skill", fields))
}

pub(crate) fn reason(out: &Output) -> String {
    out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

/// `engine chain …` as the agent of a session runs it.
pub(crate) fn agent(stage: &Stage, session: &str, args: &[&str]) -> Output {
    let mut command = stage.command(&[&["chain"], args].concat());
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    run(command, None)
}

pub(crate) fn shown(stage: &Stage) -> String {
    stage.ok(&["chain", "show", "--session", SESSION])
}

pub(crate) const FILE: &str =
    "continuation: {cooperative: true, default-exit: [], done-when: [file: '{args}/runbook.md']}";

/// What the person typed for an entry is what it must show, whatever the agent calls it with.
#[test]
fn an_entry_is_done_by_the_arguments_that_the_person_typed() {
    let stage = started(FILE, "/design plans/a, /plan-adhoc plans/foo, /orchestrate");
    skill_ran(&stage, "plan-adhoc", "plans/easy");
    stage.write("plans/easy/runbook.md", "x");
    let out = skill_call(&stage, json!({"tool_input": {"skill": "orchestrate", "args": ""}}));
    assert_eq!(
        reason(&out),
        "engine rule chain: /orchestrate is not called yet, because /plan-adhoc is not done: no file plans/foo/runbook.md was written since it began. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest."
    );
    stage.write("plans/foo/runbook.md", "x");
    skill_call(&stage, json!({"tool_input": {"skill": "orchestrate", "args": ""}})).assert_silent();
}

/// The gate counts for a subagent too.
#[test]
fn a_subagent_does_not_call_the_next_entry_early() {
    let stage = started(FILE, "/design plans/a, /plan-adhoc plans/foo, /orchestrate");
    skill_ran(&stage, "plan-adhoc", "plans/foo");
    let call = |name: &str| json!({"tool_input": {"skill": name, "args": ""}, "agent_id": "a1b2c3d4", "agent_type": "general-purpose"});
    let said = reason(&skill_call(&stage, call("orchestrate")));
    assert!(
        said.starts_with(
            "engine rule chain: /orchestrate is not called yet, because /plan-adhoc is not done:"
        ),
        "{said}"
    );
    skill_call(&stage, call("lint")).assert_silent();
}

const HANDLED: &str =
    "continuation: {cooperative: true, default-exit: [], on-failure: [\"/handoff\", \"/commit\"]}";

/// What the person forbids is not called after a failure either; also where it stands in brackets.
#[test]
fn a_prohibition_counts_after_a_failure() {
    for words in ["but do not commit anything", "(do not commit)", "(and please never commit it)"] {
        let stage = started(HANDLED, &format!("/design plans/foo {words}, /plan-adhoc, /orchestrate"));
        skill_ran(&stage, "plan-adhoc", "");
        agent(&stage, SESSION, &["fail", "the design contradicts itself"]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown(&stage).lines().skip(1).collect::<Vec<_>>().join("\n"), @r"
            failed   /plan-adhoc: the design contradicts itself
            next     /handoff
            kept     /orchestrate, /handoff
            ");
        }
    }
}

/// Quotation marks and code are words of others.
#[test]
fn a_quoted_prohibition_forbids_nothing() {
    for words in ["the text \"do not commit\"", "`(do not commit)`"] {
        let stage = stage();
        let out = stage.hook(&stage.prompt(&format!("/design {words}")));
        assert_eq!(
            out.json()["systemMessage"],
            "engine: chain: /handoff --commit, /commit; engine chain drop cancels",
            "{words}"
        );
    }
}

/// Esc during a Skill call is no failure of the skill.
#[test]
fn an_interrupt_is_no_failure() {
    let stage = started(HANDLED, "/design plans/foo, /plan-adhoc and /orchestrate");
    let failed = json!({"tool_name": "Skill", "tool_input": {"skill": "plan-adhoc", "args": ""}, "error": "interrupted", "is_interrupt": true});
    stage.hook(&here(&stage, "PostToolUseFailure", failed)).assert_silent();
    insta::assert_snapshot!(shown(&stage), @r"
    current  /design plans/foo
    next     /plan-adhoc
    then     /orchestrate, /handoff --commit, /commit
    ");
}

/// A task that a failure blocked is at work again after `retry`, `skip` and `r`, and `s` says why the chain stopped.
#[test]
fn going_on_frees_the_task() {
    let retry = |stage: &Stage| drop(agent(stage, SESSION, &["retry"]));
    let typed = |stage: &Stage| drop(stage.hook(&stage.prompt("r")));
    let goes_on: [&dyn Fn(&Stage); 2] = [&retry, &typed];
    for go_on in goes_on {
        let stage = stage();
        stage.write("session.md", "## Pending Tasks\n\n- [ ] **Build foo** — | sonnet\n");
        stage.hook(&here(&stage, "SessionStart", json!({})));
        stage.hook(&stage.prompt("x"));
        stage.hook(&stage.prompt("/design plans/foo, /plan-adhoc and /orchestrate"));
        agent(&stage, SESSION, &["fail", &format!("it  is\ncontradictory {}", "x".repeat(300))]);
        assert!(stage.read("session.md").contains("- [!] **Build foo**"), "{}", stage.read("session.md"));
        let told = stage.hook(&stage.prompt("s")).context();
        assert!(told.contains("Chain: design ✗ → (plan-adhoc) → (orchestrate) → (handoff) → (commit); /design failed: it  is contradictory xxx"), "{told}");
        go_on(&stage);
        assert_eq!(stage.read("session.md"), "## Pending Tasks\n\n- [>] **Build foo** — | sonnet\n");
    }
}

/// A chain belongs to its session: the agent of another one does not end it.
#[test]
fn an_agent_drops_its_own_chain_only() {
    let stage = started(HANDLED, "/design plans/foo, /plan-adhoc and /orchestrate");
    let out = agent(&stage, OTHER, &["drop", "--session", SESSION]);
    assert_eq!(out.code, Some(1));
    assert_eq!(
        out.stderr,
        format!(
            "engine: the chain belongs to session {SESSION}\n  the user changes it in a terminal: engine chain --help\n"
        )
    );
    assert!(shown(&stage).starts_with("current  /design plans/foo"));
    assert_eq!(agent(&stage, SESSION, &["drop"]).code, Some(0));
}

/// A prohibition in a later prompt reaches what follows a failure, not only the exits.
#[test]
fn a_later_prohibition_counts_after_a_failure() {
    let declared = "continuation: {cooperative: true, default-exit: [], on-failure: [\"/commit\"]}";
    let stage = started(declared, "/design plans/a, /plan-adhoc plans/foo, /orchestrate");
    let out = stage.hook(&stage.prompt("Fine, but [do not commit] anything"));
    assert_eq!(out.json()["systemMessage"], "engine: chain: left out: /commit (you wrote \"do not commit\")");
    skill_ran(&stage, "plan-adhoc", "plans/foo");
    agent(&stage, SESSION, &["fail", "the design contradicts itself"]);
    insta::assert_snapshot!(shown(&stage), @r"
    done     /design plans/a
    failed   /plan-adhoc plans/foo: the design contradicts itself
    kept     /orchestrate, /handoff
    ");
}

/// An edit after the run takes away what the run has shown.
#[test]
fn an_edit_after_the_pass_is_no_pass() {
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: {passed: cargo test}}";
    let stage = started(declared, "/plan-adhoc plans/foo, /orchestrate");
    let tests = json!({"tool_input": {"command": "cargo test"}, "tool_use_id": "t1", "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
    let missing = "engine rule chain: /orchestrate is not called yet, because /plan-adhoc is not done: `cargo test` has not passed since it began and since the last edit. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest.";
    let next = || skill_call(&stage, json!({"tool_input": {"skill": "orchestrate", "args": ""}}));
    assert_eq!(reason(&next()), missing);
    stage.hook(&here(&stage, "PreToolUse", tests.clone()));
    stage.hook(&here(&stage, "PostToolUse", tests));
    next().assert_silent();
    let path = stage.root().join("lib.rs");
    let edit = json!({"tool_name": "Write", "tool_use_id": "t2", "tool_input": {"file_path": path, "content": "x"}, "tool_response": {"type": "create", "filePath": path, "content": "x", "structuredPatch": []}});
    stage.hook(&here(&stage, "PostToolUse", edit));
    assert_eq!(reason(&next()), missing);
}

/// What cannot be read in a skill's declaration is told to the person when the chain begins, once.
#[test]
fn a_declaration_that_cannot_be_used_is_told() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/plan-adhoc",
        "continuation: {cooperative: true, default-exit: [], done-when: [fiel: a.md], on-failure: [\"/handof\"]}",
    );
    stage.hook(&here(&stage, "SessionStart", json!({})));
    let told = |out: Output| out.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    insta::assert_snapshot!(told(stage.hook(&stage.prompt("/design x, /plan-adhoc"))), @r"
    engine: chain: /plan-adhoc; engine chain drop cancels
    engine: /plan-adhoc: continuation.done-when: a condition is commit, file: PATH, passed: COMMAND or run: built; it is not used. See: engine skill check
    engine: /plan-adhoc: on-failure names /handof, which is no skill here; it is not used. See: engine skill check
    ");
    insta::assert_snapshot!(told(stage.hook(&stage.prompt("/design y, /plan-adhoc"))), @r"
    engine: chain: /plan-adhoc; engine chain drop cancels
    engine: the chain before it ends here; /plan-adhoc was left
    ");
}

/// A task whose command is a chain is done when its last skill is left, by the engine, and not before.
#[test]
fn a_task_is_done_with_the_last_skill_of_its_command() {
    let stage = stage();
    let box_of = |stage: &Stage| stage.read("session.md").lines().nth(2).unwrap_or_default()[..5].to_owned();
    stage.write(
        "session.md",
        "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/foo and /plan-adhoc` | sonnet\n",
    );
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("xc"));
    skill_ran(&stage, "design", "plans/foo");
    assert_eq!(box_of(&stage), "- [>]");
    skill_ran(&stage, "plan-adhoc", "");
    assert_eq!(box_of(&stage), "- [>]", "its last skill is at work");
    let told = stage.hook(&stage.prompt("r")).context();
    insta::assert_snapshot!(told, @r#"
    [SHORTCUT: #resume] The user typed r. Task: Build foo (in progress, resumed)
    Command: `/design plans/foo and /plan-adhoc`
    Model: sonnet | Restart: no
    Its chain goes on: design ✓ → plan-adhoc … → handoff → commit

    [CONTINUATION-PASSING]
    Current: /plan-adhoc
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    skill_ran(&stage, "handoff", "--commit");
    assert_eq!(box_of(&stage), "- [x]");
}

/// Without a handoff behind it the task is done when its last skill is, by what that declares; what failed is not done.
#[test]
fn a_task_is_done_by_what_its_last_skill_declares() {
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: {file: plan.md}}";
    let stage = stage();
    skill(&stage, ".claude/skills/plan-adhoc", declared);
    let begun = "## Pending Tasks\n\n- [>] **Build foo** — `/design plans/foo and /plan-adhoc` | sonnet\n";
    stage.write("session.md", &begun.replace("[>]", "[ ]"));
    stage.hook(&here(&stage, "SessionStart", json!({})));
    let told = stage.hook(&stage.prompt("x")).context();
    assert_eq!(
        told.lines().nth(3),
        Some(
            "Its command is the task: engine marks it as done when /plan-adhoc is. The user expects this one task to be carried to its end, and no other to be started."
        )
    );
    skill_ran(&stage, "design", "plans/foo");
    skill_ran(&stage, "plan-adhoc", "");
    agent(&stage, SESSION, &["fail", "no time"]);
    agent(&stage, SESSION, &["retry"]);
    skill_ran(&stage, "plan-adhoc", "");
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "Planned."});
    stage.hook(&here(&stage, "Stop", stop.clone()));
    assert_eq!(stage.read("session.md"), begun);
    stage.write("plan.md", "steps\n");
    stage.hook(&here(&stage, "Stop", stop));
    assert_eq!(stage.read("session.md"), begun.replace("[>]", "[x]"));
}

/// What passed in the session that had the chain has passed for the one that took it.
#[test]
fn a_pass_is_taken_with_the_chain() {
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: {passed: cargo test}}";
    let stage = started(declared, "/plan-adhoc plans/foo, /orchestrate");
    let tests = json!({"tool_input": {"command": "cargo test"}, "tool_use_id": "t1", "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
    stage.hook(&here(&stage, "PreToolUse", tests.clone()));
    stage.hook(&here(&stage, "PostToolUse", tests));
    stage.hook(&here(&stage, "SessionEnd", json!({"reason": "other"})));
    let mut begins = here(&stage, "SessionStart", json!({}));
    begins["session_id"] = json!(OTHER);
    stage.hook(&begins);
    let out = agent(&stage, OTHER, &["take", SESSION]);
    assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""));
    let mut next = here(
        &stage,
        "PreToolUse",
        json!({"tool_name": "Skill", "tool_input": {"skill": "orchestrate", "args": ""}, "tool_use_id": "t9"}),
    );
    next["session_id"] = json!(OTHER);
    stage.hook(&next).assert_silent();
}

/// A declaration that cannot be used is named by doctor.
#[test]
fn doctor_names_what_no_skill_can_follow() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/plan-adhoc",
        "continuation: {cooperative: true, on-failure: [\"/handof\"]}",
    );
    let out = stage.engine(&["doctor"]);
    let line = out.stdout.lines().find(|line| line.contains("on-failure")).unwrap_or_default();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        line,
        "note skills /plan-adhoc: on-failure names /handof, which is no skill here; it is not used"
    );
}
