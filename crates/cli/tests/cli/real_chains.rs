//! Chains with the real client: what the model received at each step, and what it did about it.

use engine_testkit::{Kind, Request, Run, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, bench, last};

/// What the model was told of the chain with the newest message.
fn told(requests: &[&Request], index: usize, hook: &str) -> Vec<String> {
    requests[index].contexts(hook).into_iter().rev().take(1).collect()
}

fn context(current: &str, left: &str, call: &str) -> String {
    format!(
        "[CONTINUATION-PASSING]\nCurrent: {current}\nContinuation: {left}\n\n\
         When the work of the current skill is done, the next entry is called with the Skill tool:\n  {call}\n\
         The continuation belongs in Skill calls only, not in a subagent's prompt."
    )
}

fn skill(name: &str, args: &str) -> serde_json::Value {
    json!({"skill": name, "args": args})
}

fn stop_line(run: &Run) -> String {
    let stop = run.hook_responses().into_iter().rfind(|hook| hook.event == "Stop").unwrap();
    let said: serde_json::Value = serde_json::from_str(&stop.stdout).unwrap();
    said["systemMessage"].as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_typed_chain_runs_through_five_skills_to_status() {
    let bench = bench(&["--with", "skills"]);
    // Its end by a runbook is another test's.
    let skill_file = ".claude/skills/orchestrate/SKILL.md";
    let text = bench.read(skill_file).unwrap().replace("  done-when:\n    - run: built\n", "");
    bench.write(skill_file, &text).unwrap();
    bench.write("session.md", "## Pending Tasks\n\n- [ ] **Tidy docs** — | sonnet\n").unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("design").any_contains("No code is changed here.").tool_use(
            "Skill",
            skill("plan-adhoc", "[CONTINUATION: /orchestrate, /handoff --commit, /commit]"),
        ))
        .turn(
            Turn::new("plan")
                .last_contains("In doubt the lower tier.")
                .tool_use("Skill", skill("orchestrate", "[CONTINUATION: /handoff --commit, /commit]")),
        )
        .turn(
            Turn::new("orchestrate")
                .last_contains("This session delegates: it does no")
                .tool_use("Skill", skill("handoff", "--commit [CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff")
                .last_contains("The next session knows only what session.md says.")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(
            Turn::new("commit")
                .last_contains("validates the tasks and runs the project's checks")
                .text("Committed."),
        );
    // Only what init allowed: nobody is asked for a skill that came with engine.
    let run = ask(
        &bench,
        scenario,
        "/design plans/foo, /plan-adhoc and /orchestrate",
        &["--permission-mode", "manual"],
    );
    assert_eq!(run.result_text().as_deref(), Some("Committed."));
    let requests = run.record.of(Kind::Main);
    assert_eq!(requests.len(), 5);
    assert_eq!(
        told(&requests, 0, "UserPromptSubmit"),
        [context(
            "/design plans/foo",
            "/plan-adhoc, /orchestrate, /handoff --commit, /commit",
            "Skill(skill: \"plan-adhoc\", args: \"[CONTINUATION: /orchestrate, /handoff --commit, /commit]\")"
        )]
    );
    assert_eq!(
        told(&requests, 1, "PostToolUse:Skill"),
        [context(
            "/plan-adhoc",
            "/orchestrate, /handoff --commit, /commit",
            "Skill(skill: \"orchestrate\", args: \"[CONTINUATION: /handoff --commit, /commit]\")"
        ) + "\n/design ended without returning plan, so no entry has it as its argument. Where one needs it, the Skill call names it."]
    );
    assert_eq!(
        told(&requests, 2, "PostToolUse:Skill"),
        [context(
            "/orchestrate",
            "/handoff --commit, /commit",
            "Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")"
        ) + "\n/plan-adhoc ended without returning plan, so no entry has it as its argument. Where one needs it, the Skill call names it."]
    );
    assert_eq!(
        told(&requests, 3, "PostToolUse:Skill"),
        [context("/handoff --commit", "/commit", "Skill(skill: \"commit\", args: \"\")")]
    );
    assert_eq!(
        told(&requests, 4, "PostToolUse:Skill"),
        [
            "[CONTINUATION-PASSING]\nCurrent: /commit\nContinuation: none; the chain ends with the current skill."
        ]
    );
    assert_eq!(stop_line(&run), "engine: no commit was made in this turn");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_forgotten_call_is_named_once_and_the_chain_goes_on() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(Turn::new("forgets").any_contains("The next session knows only").text("Handed off."))
        .turn(
            Turn::new("reminded")
                .last_contains("The chain has entries left")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let run = ask(&bench, scenario, "/handoff and /commit", BYPASS);
    assert_eq!(
        run.record.turns(),
        [(Kind::Main, "forgets"), (Kind::Main, "reminded"), (Kind::Main, "commit")]
    );
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        told(&requests, 1, "Stop"),
        [
            "The chain has entries left (/commit). The next one is called with the Skill tool:\n  Skill(skill: \"commit\", args: \"\")\nIf the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain fail WHY. engine chain drop ends the chain."
        ]
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_that_waits_for_the_user_is_not_pressed() {
    let bench = bench(&["--with", "skills"]);
    let scenario =
        Scenario::new().turn(Turn::new("asks").any_contains("No code is changed here.").text("A or B?"));
    let run = ask(&bench, scenario, "/design plans/foo", BYPASS);
    assert_eq!(run.record.turns(), [(Kind::Main, "asks")]);
    assert_eq!(run.result_text().as_deref(), Some("A or B?"));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_compaction_in_the_middle_keeps_the_chain() {
    let bench = bench(&["--with", "skills"]);
    let summary = "<analysis>a</analysis><summary>Work went on.</summary>";
    let scenario = Scenario::new()
        .turn(
            Turn::new("fill")
                .any_contains("No code is changed here.")
                .usage_input_tokens(195_000)
                .tool_use("Bash", json!({"command": "true"})),
        )
        .turn(Turn::new("compact").kind(Kind::Compact).text(summary))
        .turn(
            Turn::new("after")
                .any_contains("Work went on.")
                .tool_use("Skill", skill("handoff", "--commit [CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff").last_contains("The next session knows only").text("Handed off, and I stop."),
        )
        .turn(Turn::new("named").last_contains("The chain has entries left (/commit)").text("Stopped."));
    let more =
        ["--model", "claude-sonnet-4-5", "--autocompact", "100k", "--permission-mode", "bypassPermissions"];
    let run = ask(&bench, scenario, "/design plans/foo", &more);
    let requests = run.record.of(Kind::Main);
    let after = requests.iter().position(|request| request.turn == "after").unwrap();
    assert_eq!(
        told(&requests, after, "SessionStart"),
        [context(
            "/design plans/foo",
            "/handoff --commit, /commit",
            "Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")"
        )]
    );
    assert_eq!(run.result_text().as_deref(), Some("Stopped."));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_subagent_prompt_with_the_marker_is_refused_and_its_copy_runs() {
    let bench = bench(&["--with", "skills"]);
    let agent = |prompt: &str| json!({"description": "Look", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": false});
    let scenario = Scenario::new()
        .turn(
            Turn::new("marked")
                .any_contains("No code is changed here.")
                .tool_use("Agent", agent("Look at a.rs. [CONTINUATION: /handoff --commit, /commit]")),
        )
        .turn(
            Turn::new("clean")
                .tool_result_of("Agent")
                .tool_result_error(true)
                .tool_use("Agent", agent("Look at a.rs.")),
        )
        .turn(Turn::new("sub").kind(Kind::Subagent).prompt_contains("Look at a.rs.").text("Nothing there."))
        .turn(Turn::new("end").tool_result_of("Agent").tool_result_error(false).text("Looked."))
        .turn(Turn::new("named").last_contains("The chain has entries left").text("Done."));
    let run = ask(&bench, scenario, "/design plans/foo", BYPASS);
    let refused = run.record.of(Kind::Main)[1].tool_results();
    assert_eq!(
        refused[0].text,
        "PreToolUse:Agent hook error: engine rule isolation: The prompt of a subagent carries a continuation, which belongs in Skill calls only. The same prompt without it:\n\nLook at a.rs."
    );
    let subagents = run.record.of(Kind::Subagent);
    assert_eq!(subagents.len(), 1);
    assert!(!subagents[0].prompt_text().contains("CONTINUATION"));
    assert_eq!(run.result_text().as_deref(), Some("Done."));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_plugin_skill_takes_part_in_a_chain() {
    let bench = bench(&["--with", "skills"]);
    bench.write("tools/.claude-plugin/plugin.json", r#"{"name":"tools","version":"1.0.0"}"#).unwrap();
    let body =
        "---\nname: review\ndescription: Reviews.\ncontinuation: {cooperative: true}\n---\nReview body.\n";
    bench.write("tools/skills/review/SKILL.md", body).unwrap();
    let scenario = Scenario::new()
        .turn(
            Turn::new("handoff")
                .any_contains("The next session knows only")
                .tool_use("Skill", skill("tools:review", "src [CONTINUATION: /commit]")),
        )
        .turn(Turn::new("review").last_contains("Review body.").tool_use("Skill", skill("commit", "")))
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let more = ["--plugin-dir", "tools", "--permission-mode", "bypassPermissions"];
    let run = ask(&bench, scenario, "/handoff then /tools:review src and /commit", &more);
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        told(&requests, 0, "UserPromptSubmit"),
        [context(
            "/handoff",
            "/tools:review src, /commit",
            "Skill(skill: \"tools:review\", args: \"src [CONTINUATION: /commit]\")"
        )]
    );
    assert_eq!(
        told(&requests, 1, "PostToolUse:Skill"),
        [context("/tools:review src", "/commit", "Skill(skill: \"commit\", args: \"\")")]
    );
    assert_eq!(last(&run).turn, "commit");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn lines_behind_prose_are_called_by_the_model() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(
            Turn::new("first")
                .prompt_contains("second option")
                .tool_use("Skill", skill("handoff", "[CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff")
                .last_contains("The next session knows only")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let run = ask(&bench, scenario, "I'll go with the second option.\n/handoff\n/commit", BYPASS);
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        told(&requests, 0, "UserPromptSubmit"),
        [
            "[CONTINUATION-PASSING]\nContinuation: /handoff, /commit\n\nThe first entry is called with the Skill tool:\n  Skill(skill: \"handoff\", args: \"[CONTINUATION: /commit]\")\nThe continuation belongs in Skill calls only, not in a subagent's prompt."
        ]
    );
    assert_eq!(
        told(&requests, 1, "PostToolUse:Skill"),
        [context("/handoff", "/commit", "Skill(skill: \"commit\", args: \"\")")]
    );
    assert_eq!(run.result_text().as_deref(), Some("Committed."));
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_is_glued_to_a_name_is_text_for_the_client_and_a_chain_for_the_model() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(
            Turn::new("first")
                .prompt_contains("/handoff, /commit")
                .tool_use("Skill", skill("handoff", "[CONTINUATION: /commit]")),
        )
        .turn(
            Turn::new("handoff")
                .last_contains("The next session knows only")
                .tool_use("Skill", skill("commit", "")),
        )
        .turn(Turn::new("commit").last_contains("validates the tasks").text("Committed."));
    let run = ask(&bench, scenario, "/handoff, /commit", BYPASS);
    let requests = run.record.of(Kind::Main);
    assert!(!requests[0].prompt_text().contains("<command-name>"), "{}", requests[0].prompt_text());
    assert_eq!(
        told(&requests, 0, "UserPromptSubmit")[0].lines().nth(4),
        Some("  Skill(skill: \"handoff\", args: \"[CONTINUATION: /commit]\")")
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_forbidden_commit_reaches_nobody() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new()
        .turn(
            Turn::new("design")
                .any_contains("No code is changed here.")
                .tool_use("Skill", skill("handoff", "")),
        )
        .turn(
            Turn::new("handoff").last_contains("The next session knows only").text("Handed off, no commit."),
        );
    let run = ask(&bench, scenario, "/design plans/a, but do not commit anything", BYPASS);
    assert_eq!(run.record.turns(), [(Kind::Main, "design"), (Kind::Main, "handoff")]);
    let requests = run.record.of(Kind::Main);
    assert_eq!(
        told(&requests, 0, "UserPromptSubmit"),
        [context(
            "/design \"plans/a, but do not commit anything\"",
            "/handoff",
            "Skill(skill: \"handoff\", args: \"\")"
        )]
    );
    assert_eq!(
        told(&requests, 1, "PostToolUse:Skill"),
        [
            "[CONTINUATION-PASSING]\nCurrent: /handoff\nContinuation: none; the chain ends with the current skill."
        ]
    );
    assert_eq!(
        prompt_line(&run),
        "engine: chain: /handoff; left out: /commit (you wrote \"do not commit anything\"); engine chain drop cancels"
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn free_text_is_not_cut() {
    let bench = bench(&["--with", "skills"]);
    let scenario = Scenario::new().turn(
        Turn::new("idea")
            .any_contains("The idea is this skill's arguments")
            .any_contains("idea with a comma, /commit it later")
            .text("Kept."),
    );
    let run = ask(&bench, scenario, "/q idea with a comma, /commit it later", BYPASS);
    assert_eq!(run.record.turns(), [(Kind::Main, "idea")]);
    let requests = run.record.of(Kind::Main);
    let told = requests[0].contexts("UserPromptSubmit").join("\n");
    assert!(!told.contains("CONTINUATION"), "{told}");
    assert_eq!(prompt_line(&run), "");
}

/// What the person was told when the prompt was sent.
fn prompt_line(run: &Run) -> String {
    let sent = run.hook_responses().into_iter().find(|hook| hook.event == "UserPromptSubmit").unwrap();
    if sent.stdout.trim().is_empty() {
        return String::new();
    }
    let said: serde_json::Value = serde_json::from_str(&sent.stdout).unwrap();
    said["systemMessage"].as_str().unwrap_or_default().to_owned()
}
