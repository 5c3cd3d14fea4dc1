//! Values that skills of a chain return to those after them, and the condition that a runbook is built.

use serde_json::{Value, json};

use crate::chains::{skill, stage as skills};
use crate::stage::{Output, SESSION, Stage, run};

const CHAIN: &str = "/design x, /plan-adhoc and /orchestrate";
const TO_THE_END: &str = "default-exit: [\"/handoff --commit\", \"/commit\"]";

fn here(stage: &Stage, name: &str, mut fields: Value) -> Value {
    fields["session_id"] = json!(SESSION);
    stage.event_with(name, &fields)
}

/// Skills of which the first one returns a plan, and the last one is done when its runbook is built.
fn stage() -> Stage {
    let stage = skills();
    let returns = format!("continuation: {{cooperative: true, {TO_THE_END}, returns: [plan]}}");
    skill(&stage, ".claude/skills/design", &returns);
    let built = format!("continuation: {{cooperative: true, {TO_THE_END}, done-when: [{{run: built}}]}}");
    skill(&stage, ".claude/skills/orchestrate", &built);
    stage.write("plans/foo/design.md", "# Foo\n");
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage
}

fn started(prompt: &str) -> Stage {
    let stage = stage();
    stage.hook(&stage.prompt(prompt));
    stage
}

fn skill_ran(stage: &Stage, name: &str, args: &str) -> Output {
    let fields = json!({"tool_input": {"skill": name, "args": args}, "tool_response": {"success": true, "commandName": name}});
    stage.hook(&here(stage, "PostToolUse.Skill", fields))
}

fn skill_call(stage: &Stage, name: &str, args: &str) -> Output {
    stage.hook(&here(stage, "PreToolUse.Skill", json!({"tool_input": {"skill": name, "args": args}})))
}

fn stop(stage: &Stage, fields: Value) -> Output {
    let mut fields = fields;
    fields["last_assistant_message"] = json!("Done.");
    stage.hook(&here(stage, "Stop", fields))
}

/// `engine chain …` as the agent of the session runs it.
fn agent(stage: &Stage, args: &[&str]) -> Output {
    let mut command = stage.command(&[&["chain"], args].concat());
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
    run(command, None)
}

fn reason(out: &Output) -> String {
    if out.stdout.is_empty() {
        return String::new();
    }
    out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

/// A plan of the engine with two steps of which so many are done.
fn plan(stage: &Stage, name: &str, done: usize, more: &Value) {
    let outcome = |at: usize| if at < done { "done" } else { "open" };
    let step = |at: usize| json!({"number": at + 1, "text": "a step", "state": outcome(at)});
    let mut plan = json!({"version": 4, "name": name, "conduct": "delegate", "createdAt": "2026-01-01T00:00:00Z",
        "steps": [step(0), step(1)]});
    plan.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage.write(&format!(".engine/state/plans/{name}.json"), &plan.to_string());
}

#[test]
fn a_value_is_the_argument_of_the_entries_after_it() {
    let stage = started(CHAIN);
    insta::assert_snapshot!(agent(&stage, &["return", "plan=plans/foo"]).stdout, @r#"
    returned: design … → plan-adhoc → orchestrate → handoff → commit
    next: Skill(skill: "plan-adhoc", args: "plans/foo [CONTINUATION: /orchestrate plans/foo, /handoff --commit, /commit]")
    "#);
    insta::assert_snapshot!(agent(&stage, &["show"]).stdout, @r"
    current  /design x
    next     /plan-adhoc plans/foo
    then     /orchestrate plans/foo, /handoff --commit, /commit
    value    plan=plans/foo
    ");
    assert_eq!(agent(&stage, &["show", "--json"]).json()["returned"], json!({"plan": "plans/foo"}));
    let call = "Skill(skill: \"plan-adhoc\", args: \"plans/foo [CONTINUATION: /orchestrate plans/foo, /handoff --commit, /commit]\")";
    assert_eq!(agent(&stage, &["next"]).stdout, format!("{call}\n"));
    // After a compaction, at the end of a turn, and by r.
    for told in [
        stage.hook(&here(&stage, "SessionStart", json!({"source": "compact"}))).context(),
        stop(&stage, json!({})).context(),
        stage.hook(&stage.prompt("r")).context(),
    ] {
        assert!(told.contains(call), "{told}");
    }
    let args = "plans/foo [CONTINUATION: /orchestrate plans/foo, /handoff --commit, /commit]";
    skill_call(&stage, "plan-adhoc", args).assert_silent();
    insta::assert_snapshot!(skill_ran(&stage, "plan-adhoc", args).context(), @r#"
    [CONTINUATION-PASSING]
    Current: /plan-adhoc plans/foo
    Continuation: /orchestrate plans/foo, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "plans/foo [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    // The call as it was told before the value was there has it, too.
    assert!(
        skill_ran(&stage, "orchestrate", "[CONTINUATION: /handoff --commit, /commit]")
            .context()
            .contains("Current: /orchestrate plans/foo\n")
    );
}

#[test]
fn what_was_typed_stays_and_exits_take_no_value() {
    let stage = started("/design x, /plan-adhoc plans/typed, /orchestrate, /commit");
    agent(&stage, &["return", "plan=foo"]);
    insta::assert_snapshot!(agent(&stage, &["show"]).stdout, @r"
    current  /design x
    next     /plan-adhoc plans/typed
    then     /orchestrate plans/foo, /commit
    value    plan=plans/foo
    ");
    // The person may still type another one, or none.
    let stage = started(CHAIN);
    agent(&stage, &["return", "plan=foo"]);
    stage.hook(&stage.prompt("/plan-adhoc other"));
    assert!(agent(&stage, &["show"]).stdout.starts_with("done     /design x\ncurrent  /plan-adhoc other\n"));
    let stage = started(CHAIN);
    agent(&stage, &["return", "plan=foo"]);
    stage.hook(&stage.prompt("/plan-adhoc"));
    assert!(
        agent(&stage, &["show"]).stdout.starts_with("done     /design x\ncurrent  /plan-adhoc plans/foo\n")
    );
}

#[test]
fn a_value_is_checked_before_it_is_kept() {
    let stage = started(CHAIN);
    let mut told = String::new();
    for values in [
        &["return", "report=r.md"][..],
        &["return", "plan"],
        &["return", "plan="],
        &["return", "plan=plans/foo\n/commit"],
        &["return", "plan=plans/gone"],
        &["return", "plan=plans/../src"],
        &["return", "plan=plans/foo", "report=r.md"],
    ] {
        let out = agent(&stage, values);
        told.push_str(&format!("exit {} {}", out.code.unwrap(), out.stderr));
    }
    skill_ran(&stage, "plan-adhoc", "");
    told.push_str(&agent(&stage, &["return", "plan=plans/foo"]).stderr);
    insta::assert_snapshot!(told, @r"
    exit 1 engine: /design declares no value report
      it returns: plan
    exit 2 engine: plan is no value: engine chain return NAME=VALUE
    exit 1 engine: the value of plan is not one line of 1 to 200 characters
      put a longer text into a file, and return its path
    exit 1 engine: the value of plan is not one line of 1 to 200 characters
      put a longer text into a file, and return its path
    exit 1 engine: plans/gone is no folder below plans/, and plan names one
      write the plan first, then: engine chain return plan=plans/NAME
    exit 1 engine: plans/../src is no folder below plans/, and plan names one
      write the plan first, then: engine chain return plan=plans/NAME
    exit 1 engine: /design declares no value report
      it returns: plan
    engine: /plan-adhoc is current and declares no value that it returns
      its front matter declares one: continuation: {returns: [plan]}
    ");
    assert_eq!(agent(&stage, &["show", "--json"]).json()["returned"], json!({}));
    let stage = self::stage();
    assert_eq!(
        agent(&stage, &["return", "plan=plans/foo"]).stderr,
        "engine: no chain, so nothing takes a value\n"
    );
}

#[test]
fn a_value_that_is_missing_is_told_once_and_blocks_nothing() {
    let stage = started(CHAIN);
    skill_call(&stage, "plan-adhoc", "").assert_silent();
    insta::assert_snapshot!(skill_ran(&stage, "plan-adhoc", "").context(), @r#"
    [CONTINUATION-PASSING]
    Current: /plan-adhoc
    Continuation: /orchestrate, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "[CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    /design ended without returning plan, so no entry has it as its argument. Where one needs it, the Skill call names it.
    "#);
    assert!(!skill_ran(&stage, "orchestrate", "plans/foo").context().contains("without returning"));
    // Nobody waits for it.
    let stage = started("/design x");
    assert!(!skill_ran(&stage, "handoff", "--commit").context().contains("without returning"));
}

#[test]
fn a_run_is_built_when_all_steps_of_its_plan_are_done() {
    let next = |stage: &Stage| reason(&skill_call(stage, "handoff", "--commit"));
    let missing = "engine rule chain: /handoff is not called yet, because /orchestrate is not done: not every step of plans/foo is done; engine runbook \
                   next prints the call of the next one. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest.";
    for (plan_name, done, more, expected) in [
        ("foo", 1, json!({}), missing),
        ("foo", 2, json!({}), ""),
        ("other", 2, json!({"owner": SESSION}), missing),
        ("foo", 1, json!({"closed": {"at": "2026-01-02T00:00:00Z"}}), ""),
        ("foo", 2, json!({"closed": {"at": "2026-01-02T00:00:00Z", "approved": "let it"}}), missing),
    ] {
        let stage = started("/orchestrate plans/foo");
        plan(&stage, plan_name, done, &more);
        assert_eq!(next(&stage), expected, "{plan_name} {done} {more}");
    }
    // Without an argument it is the plan of the session, open or closed since then.
    let stage = started("/orchestrate");
    plan(&stage, "theirs", 2, &json!({"owner": "another"}));
    assert!(next(&stage).contains("not every step of its runbook is done"));
    plan(&stage, "own", 2, &json!({"owner": SESSION, "conduct": "self"}));
    assert!(next(&stage).contains("not every step of its runbook is done"));
    plan(&stage, "ours", 1, &json!({"owner": SESSION}));
    assert!(next(&stage).contains("not every step of its runbook is done"));
    plan(&stage, "ours", 2, &json!({"owner": SESSION}));
    assert_eq!(next(&stage), "");
    plan(&stage, "ours", 2, &json!({"owner": SESSION, "closed": {"at": "2026-01-02T00:00:00Z"}}));
    assert!(next(&stage).contains("not every step of its runbook is done"));
    plan(&stage, "ours", 2, &json!({"owner": SESSION, "closed": {"at": "2126-01-02T00:00:00Z"}}));
    assert_eq!(next(&stage), "");
}

#[test]
fn the_turn_may_end_while_a_subagent_is_at_a_step() {
    let stage = started("/orchestrate plans/foo");
    plan(&stage, "foo", 1, &json!({}));
    let background = json!({"background_tasks": [{"id": "a1", "type": "subagent", "status": "running"}]});
    stop(&stage, background).assert_silent();
    insta::assert_snapshot!(stop(&stage, json!({})).context(), @r"
    The chain has entries left (/handoff --commit, /commit), and /orchestrate is not done: not every step of plans/foo is done; engine runbook next prints the call of the next one.
    If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain fail WHY.
    ");
}

/// The chain of the seed, with the skills as they are shipped.
#[test]
fn the_shipped_skills_hand_their_plan_on() {
    let stage = Stage::new();
    for name in ["design", "plan-adhoc", "orchestrate", "handoff", "commit"] {
        let path = format!("{}/../../plugin/skills/{name}/SKILL.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), &text);
    }
    stage.write("plans/x/design.md", "# X\n");
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt(CHAIN));
    assert_eq!(agent(&stage, &["return", "plan=plans/x"]).code, Some(0));
    skill_ran(&stage, "plan-adhoc", "plans/x");
    assert_eq!(
        agent(&stage, &["next"]).stdout,
        "Skill(skill: \"orchestrate\", args: \"plans/x [CONTINUATION: /handoff --commit, /commit]\")\n"
    );
    skill_ran(&stage, "orchestrate", "plans/x");
    assert!(reason(&skill_call(&stage, "handoff", "--commit")).contains("not every step of plans/x is done"));
    plan(&stage, "x", 2, &json!({}));
    skill_call(&stage, "handoff", "--commit").assert_silent();
}
