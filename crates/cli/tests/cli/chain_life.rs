//! The life of a chain through the hook, by the cases of their list.

use serde_json::{Value, json};

use crate::chains::{skill, stage};
use crate::stage::{SESSION, Stage, run};

fn skill_ran(stage: &Stage, name: &str, args: &str) -> Value {
    let fields = json!({"tool_input": {"skill": name, "args": args}, "tool_response": {"success": true, "commandName": name}});
    stage.event_with("PostToolUse.Skill", &fields)
}

/// An event of the session that the chain is in.
fn here(stage: &Stage, name: &str) -> Value {
    stage.event_with(name, &json!({"session_id": SESSION}))
}

fn left(stage: &Stage) -> String {
    let shown = stage.ok(&["chain", "show", "--session", SESSION, "--json"]);
    let value: Value = serde_json::from_str(&shown).unwrap();
    let entries = value["continuation"].as_array().unwrap().iter();
    let words = entries
        .map(|entry| format!("{} {}", entry["skill"].as_str().unwrap(), entry["args"].as_str().unwrap()));
    words.map(|word| word.trim().to_owned()).collect::<Vec<_>>().join(", ")
}

const CHAIN: &str = "/design plans/foo, /plan-adhoc and /orchestrate";

fn started() -> Stage {
    let stage = stage();
    stage.hook(&here(&stage, "SessionStart"));
    stage.hook(&stage.prompt(CHAIN));
    stage
}

#[test]
fn a_chain_is_told_as_facts_and_shown_to_the_person() {
    let stage = stage();
    let out = stage.hook(&stage.prompt(CHAIN));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: /plan-adhoc, /orchestrate, /handoff --commit, /commit; engine chain drop cancels"
    );
    insta::assert_snapshot!(out.context(), @r#"
    [CONTINUATION-PASSING]
    Current: /design plans/foo
    Continuation: /plan-adhoc, /orchestrate, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "[CONTINUATION: /orchestrate, /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    // A skill that ends a chain has nothing to be told.
    stage.hook(&here(&stage, "SessionEnd.clear"));
    let quiet = Stage::new();
    skill(&quiet, ".claude/skills/commit", "continuation: {cooperative: true}");
    quiet.hook(&quiet.prompt("/commit")).assert_silent();
}

#[test]
fn what_the_client_does_not_run_is_called_first() {
    let stage = stage();
    // Something is glued to the name, so the client takes it for text.
    let out = stage.hook(&stage.prompt("/handoff, /commit fix: a, b"));
    insta::assert_snapshot!(out.context(), @r#"
    [CONTINUATION-PASSING]
    Continuation: /handoff, /commit "fix: a, b"

    The first entry is called with the Skill tool:
      Skill(skill: "handoff", args: "[CONTINUATION: /commit \"fix: a, b\"]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
}

#[test]
fn case_11_an_unknown_name_is_told_to_both() {
    let stage = stage();
    let out = stage.hook(&stage.prompt("/design foo, /unknown bar and /commit"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: /commit; engine chain drop cancels\nengine: /unknown is no skill that is known here; it stays in the arguments"
    );
    let told = out.context();
    assert_eq!(
        told.lines().last(),
        Some("In the chain of /design: /unknown is no skill that is known here; it stays in the arguments.")
    );
    assert_eq!(told.lines().nth(1), Some("Current: /design \"foo, /unknown bar\""));
}

#[test]
fn case_12_a_skill_that_is_no_entry_is_told_to_both() {
    let stage = stage();
    let out = stage.hook(&stage.prompt("/design foo, /lint x"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: /handoff --commit, /commit; engine chain drop cancels\nengine: /lint takes no part in chains; it stays in the arguments"
    );
    assert_eq!(
        out.context().lines().last(),
        Some("In the chain of /design: /lint takes no part in chains; it stays in the arguments.")
    );
}

#[test]
fn case_15_only_the_next_skill_that_really_ran_moves_the_chain() {
    let stage = started();
    let rest = "plan-adhoc, orchestrate, handoff --commit, commit";
    assert_eq!(left(&stage), rest);
    // Failed, or run by a subagent: not moved.
    let mut failed = skill_ran(&stage, "plan-adhoc", "");
    failed["tool_response"]["success"] = json!(false);
    stage.hook(&failed).assert_silent();
    let mut inner = skill_ran(&stage, "plan-adhoc", "");
    inner["agent_id"] = json!("a1");
    inner["agent_type"] = json!("general-purpose");
    stage.hook(&inner).assert_silent();
    let mut other = skill_ran(&stage, "lint", "x");
    other["tool_response"]["commandName"] = json!("lint");
    assert_eq!(
        stage.hook(&other).context(),
        "[CONTINUATION-PASSING]\n/lint is not the next entry of the chain, which stays where it is:\n  Skill(skill: \"plan-adhoc\", args: \"[CONTINUATION: /orchestrate, /handoff --commit, /commit]\")"
    );
    assert_eq!(left(&stage), rest);
    // It ran; what is stored counts, whatever suffix the model passed on.
    let moved = stage.hook(&skill_ran(&stage, "plan-adhoc", "plans/foo [CONTINUATION: /commit]"));
    insta::assert_snapshot!(moved.context(), @r#"
    [CONTINUATION-PASSING]
    Current: /plan-adhoc plans/foo
    Continuation: /orchestrate, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "[CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    stage.hook(&skill_ran(&stage, "/orchestrate", ""));
    stage.hook(&skill_ran(&stage, "handoff", "--commit [CONTINUATION: /commit]"));
    assert_eq!(
        stage.hook(&skill_ran(&stage, "commit", "")).context(),
        "[CONTINUATION-PASSING]\nCurrent: /commit\nContinuation: none; the chain ends with the current skill."
    );
    assert_eq!(left(&stage), "");
}

#[test]
fn case_15_the_next_entry_typed_moves_on_and_a_new_chain_replaces() {
    let stage = started();
    let out = stage.hook(&stage.prompt("/plan-adhoc in two phases"));
    assert_eq!(out.context().lines().nth(1), Some("Current: /plan-adhoc in two phases"));
    assert_eq!(left(&stage), "orchestrate, handoff --commit, commit");
    let out = stage.hook(&stage.prompt("/handoff and /commit"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: /commit; engine chain drop cancels\nengine: the chain before it ends here; /orchestrate, /handoff --commit, /commit was left"
    );
    assert_eq!(
        out.context().lines().last(),
        Some("It replaces an earlier chain, of which /orchestrate, /handoff --commit, /commit was left.")
    );
    assert_eq!(left(&stage), "commit");
}

#[test]
fn case_15_a_chain_of_lines_begins_with_the_first_call() {
    let stage = stage();
    let out = stage.hook(&stage.prompt("I'll go with the second option.\n/handoff\n/commit"));
    assert_eq!(out.context().lines().nth(1), Some("Continuation: /handoff, /commit"));
    // Until then nobody is reminded of it, and other skills are nobody's business.
    stage.hook(&here(&stage, "Stop")).assert_silent();
    stage.hook(&skill_ran(&stage, "lint", "")).assert_silent();
    stage.hook(&skill_ran(&stage, "handoff", ""));
    assert_eq!(left(&stage), "commit");
    assert!(stage.hook(&here(&stage, "Stop")).context().contains("Skill(skill: \"commit\", args: \"\")"));
}

#[test]
fn case_16_what_survives_and_what_does_not() {
    let stage = started();
    let told = stage.hook(&here(&stage, "SessionStart.compact")).context();
    assert!(told.starts_with("[CONTINUATION-PASSING]\nCurrent: /design plans/foo\n"), "{told}");
    stage.hook(&here(&stage, "SessionEnd"));
    let shown = |stage: &Stage| stage.engine(&["chain", "show", "--session", SESSION]);
    assert_eq!(shown(&stage).stderr, format!("engine: no living session begins with {SESSION}\n"));
    let resumed = here(&stage, "SessionStart.resume");
    let out = stage.hook(&resumed);
    assert!(!out.stdout.contains("CONTINUATION"), "the text is still in the context: {}", out.stdout);
    assert_eq!(left(&stage), "plan-adhoc, orchestrate, handoff --commit, commit");
    // Another session has nothing of it.
    let other = stage.event_with("Stop", &json!({"session_id": "other"}));
    stage.hook(&other).assert_silent();
    assert_eq!(
        stage.ok(&["chain", "drop", "--session", SESSION]),
        "dropped: /plan-adhoc, /orchestrate, /handoff --commit, /commit\n"
    );
    assert_eq!(left(&stage), "");
    stage.hook(&here(&stage, "Stop")).assert_silent();
    let again = stage.engine(&["chain", "drop", "--session", SESSION]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(3), "engine: no chain to drop\n"));
    // A cleared session is never resumed.
    stage.hook(&stage.prompt(CHAIN));
    stage.hook(&here(&stage, "SessionEnd.clear"));
    stage.hook(&resumed);
    assert_eq!(left(&stage), "");
}

#[test]
fn case_17_the_end_of_a_turn_names_the_next_entry_once() {
    let stage = started();
    let stop = here(&stage, "Stop");
    let active = here(&stage, "Stop.active");
    insta::assert_snapshot!(stage.hook(&stop).context(), @r#"
    The chain has entries left (/plan-adhoc, /orchestrate, /handoff --commit, /commit). The next one is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "[CONTINUATION: /orchestrate, /handoff --commit, /commit]")
    If the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain fail WHY. engine chain drop ends the chain.
    "#);
    stage.hook(&active).assert_silent();
    stage.hook(&stop).assert_silent();
    // Something moved: once more, also in a turn that a hook keeps going.
    stage.hook(&skill_ran(&stage, "plan-adhoc", ""));
    assert!(stage.hook(&active).context().contains("Skill(skill: \"orchestrate\""));
    stage.hook(&active).assert_silent();
    // An ordinary prompt suspends it for its turn.
    stage.hook(&skill_ran(&stage, "orchestrate", ""));
    stage.hook(&stage.prompt("wait, which plan?"));
    stage.hook(&stop).assert_silent();
    // With a subagent at work: silent.
    let stage = started();
    let background = stage.event_with(
        "Stop.background-task",
        &json!({"session_id": SESSION,
        "background_tasks": [{"id": "a", "type": "subagent", "status": "running", "description": "Review"}]}),
    );
    stage.hook(&background).assert_silent();
    // A notification is no prompt of a person.
    let note = here(&stage, "UserPromptSubmit.task-notification");
    stage.hook(&note).assert_silent();
    assert!(stage.hook(&stop).context().contains("Skill(skill: \"plan-adhoc\""));
}

#[test]
fn case_17_at_most_six_times_in_a_turn() {
    let stage = Stage::new();
    skill(&stage, ".claude/skills/a", "continuation: {cooperative: true}");
    stage.hook(&stage.prompt(&format!("/a{}", ", /a".repeat(10))));
    let active = here(&stage, "Stop.active");
    let mut words = 0;
    for _ in 0..9 {
        stage.hook(&skill_ran(&stage, "a", ""));
        words += usize::from(!stage.hook(&active).stdout.is_empty());
    }
    assert_eq!(words, 6);
}

#[test]
fn a_stop_that_another_hook_keeps_going_is_left_alone_until_something_moved() {
    let stage = started();
    stage.hook(&here(&stage, "Stop.active")).assert_silent();
}

#[test]
fn case_18_continuations_stay_out_of_subagents() {
    let agent = |stage: &Stage, tool: &str, prompt: &str| {
        let input = json!({"description": "Review", "prompt": prompt, "subagent_type": "general-purpose"});
        stage.hook(&stage.event_with(
            "PreToolUse.Agent",
            &json!({"tool_name": tool, "tool_input": input, "session_id": SESSION}),
        ))
    };
    let marked = "Review src/main.rs.\nBe short. [CONTINUATION: /b \"x ] y\", /c]";
    let stage = started();
    for tool in ["Agent", "Task"] {
        let answer = agent(&stage, tool, marked).json();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(
            answer["hookSpecificOutput"]["permissionDecisionReason"],
            "engine rule isolation: The prompt of a subagent carries a continuation, which belongs in Skill calls only. The same prompt without it:\n\nReview src/main.rs.\nBe short."
        );
    }
    agent(&stage, "Agent", "Explain `[CONTINUATION: /b]` to me.").assert_silent();
    agent(&stage, "Agent", "Review src/main.rs.").assert_silent();
    let call =
        json!({"tool_input": {"skill": "plan-adhoc", "args": "[CONTINUATION: /b]"}, "session_id": SESSION});
    stage.hook(&stage.event_with("PreToolUse.Skill", &call)).assert_silent();
    agent(&Stage::new(), "Agent", marked).assert_silent();
}

#[test]
fn shortcuts_are_chains_of_their_expansion() {
    let stage = stage();
    let told = stage.hook(&stage.prompt("hc")).context();
    insta::assert_snapshot!(told, @r#"
    [SHORTCUT: /handoff --commit] The user typed hc, which stands for /handoff --commit (Handoff, commit, status).

    [CONTINUATION-PASSING]
    Continuation: /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    assert_eq!(left(&stage), "handoff --commit, commit");
    stage.hook(&stage.prompt("ci"));
    assert_eq!(left(&stage), "commit");
    stage.write(".engine/config.toml", "[shortcuts.commands]\nship = \"/design x, /commit\"\n");
    stage.hook(&stage.prompt("ship"));
    assert_eq!(left(&stage), "design x, commit");
}

#[test]
fn xc_stores_what_follows_the_task() {
    let stage = stage();
    stage.write(
        "session.md",
        "## Pending Tasks\n\n- [ ] **Fix it** — | sonnet\n- [ ] **Plan it** — `/plan-adhoc plans/x` | opus\n",
    );
    stage.hook(&stage.prompt("xc"));
    assert_eq!(left(&stage), "handoff --commit, commit");
    stage.ok(&["task", "done", "Fix it"]);
    stage.hook(&stage.prompt("xc"));
    assert_eq!(left(&stage), "plan-adhoc plans/x, handoff --commit, commit");
    // x alone carries one task to its end, and nothing behind it.
    stage.ok(&["chain", "drop", "--session", SESSION]);
    stage.hook(&stage.prompt("x"));
    assert_eq!(left(&stage), "");
}

#[test]
fn a_flag_asks_for_its_exit_also_when_the_model_calls() {
    let stage = stage();
    stage.hook(&stage.prompt("please hand off and commit"));
    let out = stage.hook(&skill_ran(&stage, "handoff", "--commit"));
    assert_eq!(out.json()["systemMessage"], "engine: chain: /commit; engine chain drop cancels");
    assert_eq!(left(&stage), "commit");
    // A suffix means that somebody else carries a chain; without the flag nothing follows.
    stage.ok(&["chain", "drop", "--session", SESSION]);
    stage.hook(&stage.prompt("go on"));
    stage.hook(&skill_ran(&stage, "handoff", "--commit [CONTINUATION: /commit]")).assert_silent();
    stage.hook(&skill_ran(&stage, "design", "x")).assert_silent();
    assert_eq!(left(&stage), "");
}

#[test]
fn a_wrapped_skill_gets_no_suffix_and_the_engine_names_what_follows() {
    let stage = stage();
    stage.write(".engine/config.toml", "[chain]\nwrapped = [\"lint\"]\n");
    let told = stage.hook(&stage.prompt("/design x, /lint src, /commit")).context();
    assert!(told.contains("  Skill(skill: \"lint\", args: \"src\")\n"), "{told}");
    stage.hook(&skill_ran(&stage, "lint", "src"));
    let stop = stage.hook(&here(&stage, "Stop"));
    assert!(stop.context().contains("\n  Skill(skill: \"commit\", args: \"\")\n"), "{}", stop.stdout);
    let list = stage.ok(&["skill", "list"]);
    assert!(list.contains("/lint                      project       entry (wrapped)\n"), "{list}");
}

#[test]
fn exits_that_are_not_there_are_left_out_and_told_once() {
    let stage = Stage::new();
    let exits = "continuation: {cooperative: true, default-exit: [\"/handoff --commit\", \"/commit\"]}";
    skill(&stage, ".claude/skills/design", exits);
    skill(&stage, ".claude/skills/commit", "continuation: {cooperative: true}");
    let out = stage.hook(&stage.prompt("/design x"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: /design declares the exit /handoff --commit, which is no entry here. See: engine skill check\nengine: chain: /commit; engine chain drop cancels"
    );
}

#[test]
fn arguments_stay_whole_and_long_ones_are_not_told_at_every_step() {
    let stage = stage();
    let request = format!(
        "Build an importer.\n\nRequirements:\n- reads CSV\n- {}\n- never deletes the source",
        "keeps every row ".repeat(30)
    );
    let told = stage.hook(&stage.prompt(&format!("/design {request}, /plan-adhoc"))).context();
    let quoted = serde_json::to_string(&request).unwrap();
    assert_eq!(told.lines().nth(1), Some(format!("Current: /design {quoted}").as_str()));
    let long = "word ".repeat(40_000);
    let out = stage.hook(&stage.prompt(&format!("/design {long}, /plan-adhoc {long}")));
    let told = out.context();
    assert!(told.len() < 1200, "{}", told.len());
    assert!(out.json()["systemMessage"].as_str().unwrap().len() < 600, "{}", out.json()["systemMessage"]);
    assert!(told.contains(" word … (engine chain show prints all of it)\n"), "{told}");
    assert!(told.contains("  as engine chain next prints it (it is long)\n"), "{told}");
    let shown: Value =
        serde_json::from_str(&stage.ok(&["chain", "show", "--session", SESSION, "--json"])).unwrap();
    assert_eq!(shown["current"]["args"], long.trim_end());
    let mut command = stage.command(&["chain", "next"]);
    command.env("CLAUDE_CODE_SESSION_ID", SESSION);
    let call = run(command, None).stdout;
    assert_eq!(
        call,
        format!(
            "Skill(skill: \"plan-adhoc\", args: \"{} [CONTINUATION: /handoff --commit, /commit]\")\n",
            long.trim_end()
        )
    );
}

#[test]
fn many_unknown_names_are_counted() {
    let stage = stage();
    let names: String = (0..2000).map(|n| format!(", /nope{n} x")).collect();
    let line = stage.hook(&stage.prompt(&format!("/design a{names}"))).json()["systemMessage"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(line.lines().last(), Some("engine: 1995 more names are no entries either"));
    assert!(line.len() < 800, "{}", line.len());
    let out = stage.hook(&stage.prompt("/design in /tmp, /var and /home"));
    assert!(!out.stdout.contains("no skill"), "folders are not meant as skills: {}", out.stdout);
}

#[test]
fn a_chain_of_lines_that_nobody_begins_with_ends_with_its_turn() {
    let stage = stage();
    stage.hook(&stage.prompt("Both are fine.\n/plan-adhoc foo\n/plan-tdd foo"));
    stage.hook(&stage.prompt("never mind"));
    assert_eq!(left(&stage), "");
    let told = stage.hook(&stage.prompt("/plan-adhoc other")).context();
    assert_eq!(told.lines().nth(2), Some("Continuation: /handoff --commit, /commit"));
    // The same when the next thing typed is a skill that ends chains.
    let stage = started();
    stage.hook(&stage.prompt("Both are fine.\n/plan-adhoc foo\n/plan-tdd foo"));
    stage.hook(&stage.prompt("/commit")).assert_silent();
    assert_eq!(left(&stage), "");
}

#[test]
fn a_dropped_chain_is_told_to_the_model_once() {
    let gone = "[CONTINUATION-PASSING]\nContinuation: none; the chain was dropped.";
    let stage = started();
    stage.ok(&["chain", "drop", "--session", SESSION]);
    assert_eq!(stage.hook(&stage.prompt("/commit")).context(), gone);
    stage.hook(&stage.prompt("/commit")).assert_silent();
    // In the middle of a turn with the next skill that runs.
    let stage = started();
    stage.ok(&["chain", "drop", "--session", SESSION]);
    assert_eq!(stage.hook(&skill_ran(&stage, "plan-adhoc", "[CONTINUATION: /commit]")).context(), gone);
    stage.hook(&skill_ran(&stage, "commit", "")).assert_silent();
    // A new chain says it all by itself.
    let stage = started();
    stage.ok(&["chain", "drop", "--session", SESSION]);
    assert!(!stage.hook(&stage.prompt(CHAIN)).stdout.contains("dropped"));
    stage.hook(&stage.prompt("hello")).assert_silent();
}

#[test]
fn a_typed_skill_is_the_next_entry_only_as_a_person_would_mean_it() {
    let stage = stage();
    stage.hook(&stage.prompt("/design foo"));
    // /handoff is not /handoff --commit: it ends here, and the chain with it.
    let out = stage.hook(&stage.prompt("/handoff"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: the chain before it ends here; /handoff --commit, /commit was left"
    );
    assert_eq!(left(&stage), "");
    stage.hook(&stage.prompt("/design foo"));
    stage.hook(&stage.prompt("/handoff --commit"));
    assert_eq!(left(&stage), "commit");
    // Typed alone, it has the arguments of the chain.
    stage.hook(&stage.prompt("/design foo, /plan-adhoc design.md, /commit"));
    let told = stage.hook(&stage.prompt("/plan-adhoc")).context();
    assert_eq!(told.lines().nth(1), Some("Current: /plan-adhoc design.md"));
    assert_eq!(left(&stage), "commit");
    // With others it is something new.
    stage.hook(&stage.prompt("/design foo, /plan-adhoc design.md, /commit"));
    stage.hook(&stage.prompt("/plan-adhoc other.md"));
    assert_eq!(left(&stage), "handoff --commit, commit");
    // An unknown name is told here too.
    stage.hook(&stage.prompt("/design foo, /plan-adhoc and /commit"));
    let out = stage.hook(&stage.prompt("/plan-adhoc bar, /unknwon x"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: /unknwon is no skill that is known here; it stays in the arguments"
    );
}

#[test]
fn skills_are_told_apart_by_what_they_are() {
    let stage = stage();
    // The project's own review is another skill than the plugin's.
    skill(&stage, ".claude/skills/review", "continuation: {cooperative: true}");
    stage.hook(&stage.prompt("/design x, /tools:review y, /commit"));
    stage.hook(&skill_ran(&stage, "review", ""));
    assert_eq!(left(&stage), "tools:review y, commit");
    stage.hook(&skill_ran(&stage, "tools:review", "y"));
    assert_eq!(left(&stage), "commit");
    // One skill has two names.
    stage.write(
        ".claude/skills/folder/SKILL.md",
        "---\nname: fancy\ncontinuation: {cooperative: true}\n---\n",
    );
    stage.hook(&stage.prompt("/design x, /fancy y, /commit"));
    stage.hook(&skill_ran(&stage, "folder", "y"));
    assert_eq!(left(&stage), "commit");
}

#[test]
fn a_prompt_revives_a_session_that_another_terminal_ended() {
    let stage = started();
    stage.hook(&here(&stage, "SessionEnd"));
    stage.hook(&stage.prompt(CHAIN));
    assert_eq!(left(&stage), "plan-adhoc, orchestrate, handoff --commit, commit");
    assert!(!stage.hook(&here(&stage, "Stop")).stdout.is_empty());
}

#[test]
fn xc_is_told_as_something_behind_the_task() {
    let stage = stage();
    stage.write("session.md", "## Pending Tasks\n\n- [ ] **Fix it** — | sonnet\n");
    let out = stage.hook(&stage.prompt("xc"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: /handoff --commit, /commit; engine chain drop cancels"
    );
    assert!(out.context().contains("\nWhen the task is done, the first entry is called with the Skill tool:\n  Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")\n"));
}

#[test]
fn the_session_is_found_or_asked_for() {
    let stage = started();
    assert_eq!(stage.ok(&["chain", "next"]), stage.ok(&["chain", "next", "--session", &SESSION[..8]]));
    // Of several only one has a chain.
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "aaa"})));
    stage.ok(&["chain", "next"]);
    stage.hook(&stage.event_with("UserPromptSubmit", &json!({"session_id": "aaa", "prompt": CHAIN})));
    let out = stage.engine(&["chain", "show"]);
    assert_eq!(
        (out.code, out.stderr),
        (
            Some(1),
            format!("engine: several sessions are alive; name one with --session\n  aaa\n  {SESSION}\n")
        )
    );
    insta::assert_snapshot!(stage.ok(&["chain", "show", "--session", "aaa"]), @r"
    current  /design plans/foo
    next     /plan-adhoc
    then     /orchestrate, /handoff --commit, /commit
    ");
}

#[test]
fn parallel_calls_of_one_entry_move_the_chain_once() {
    let stage = started();
    let event = skill_ran(&stage, "plan-adhoc", "");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| stage.hook(&event));
        }
    });
    assert_eq!(left(&stage), "orchestrate, handoff --commit, commit");
}

#[test]
fn a_rule_that_is_off_leaves_prompts_alone() {
    let stage = stage();
    stage.write(".engine/config.toml", "[rules]\nchain = \"off\"\n");
    stage.hook(&stage.prompt(CHAIN)).assert_silent();
}
