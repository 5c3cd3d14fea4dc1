//! How chains end: questions in the middle, failures, conditions of a skill, a client that is gone.

use serde_json::{Value, json};

use crate::chains::{skill, stage};
use crate::stage::{Output, SESSION, Stage, run};

const CHAIN: &str = "/design plans/foo, /plan-adhoc and /orchestrate";
const OTHER: &str = "11111111-2222-4333-8444-555555555555";

fn here(stage: &Stage, name: &str, mut fields: Value) -> Value {
    fields["session_id"] = json!(SESSION);
    stage.event_with(name, &fields)
}

fn started() -> Stage {
    let stage = stage();
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt(CHAIN));
    stage
}

fn skill_ran(stage: &Stage, name: &str, args: &str) -> Output {
    let fields = json!({"tool_input": {"skill": name, "args": args}, "tool_response": {"success": true, "commandName": name}});
    stage.hook(&here(stage, "PostToolUse.Skill", fields))
}

fn skill_call(stage: &Stage, name: &str) -> Output {
    stage.hook(&here(stage, "PreToolUse.Skill", json!({"tool_input": {"skill": name, "args": ""}})))
}

fn stop(stage: &Stage, message: &str) -> Output {
    stage.hook(&here(stage, "Stop", json!({"last_assistant_message": message})))
}

/// `engine chain …` as the agent of the session runs it.
fn agent(stage: &Stage, args: &[&str]) -> Output {
    let mut command = stage.command(&[&["chain"], args].concat());
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
    run(command, None)
}

fn shown(stage: &Stage) -> String {
    stage.ok(&["chain", "show", "--session", SESSION])
}

fn reason(out: &Output) -> String {
    out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_question_keeps_the_chain_and_its_answer_arms_it_again() {
    let stage = started();
    stop(&stage, "Two ways are open.\n\n**Which one, A or B?**").assert_silent();
    insta::assert_snapshot!(shown(&stage), @r"
    waits    /design plans/foo
    next     /plan-adhoc
    then     /orchestrate, /handoff --commit, /commit
    ");
    stage.hook(&stage.prompt("take B")).assert_silent();
    insta::assert_snapshot!(stop(&stage, "The design is written.").context(), @r#"
    The chain has entries left (/plan-adhoc, /orchestrate, /handoff --commit, /commit). The next one is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "[CONTINUATION: /orchestrate, /handoff --commit, /commit]")
    If the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain fail WHY. engine chain drop ends the chain.
    "#);
    // The agent ended the turn all the same: it waits, and an answer arms it once more; after two words in vain it is left alone.
    stop(&stage, "Done for now.").assert_silent();
    stage.hook(&stage.prompt("more detail, please")).assert_silent();
    assert!(stop(&stage, "There it is.").context().starts_with("The chain has entries left"));
    stage.hook(&stage.prompt("and a table")).assert_silent();
    stop(&stage, "There it is.").assert_silent();
    assert!(shown(&stage).starts_with("waits    /design plans/foo\n"));
}

/// Finding B2: a question by the client's tool is one, too.
#[test]
fn a_turn_whose_last_call_asks_waits_like_one_that_ends_with_a_question() {
    let stage = started();
    stage.hook(&here(&stage, "PreToolUse.AskUserQuestion", json!({})));
    stop(&stage, "I wait for your choice.").assert_silent();
    assert!(shown(&stage).starts_with("waits    /design plans/foo\n"));
    stage.hook(&stage.prompt("B")).assert_silent();
    // Of another session, of a subagent, and one that work followed.
    stage.hook(&stage.event_with("PreToolUse.AskUserQuestion", &json!({"session_id": OTHER})));
    stage.hook(&here(&stage, "PreToolUse.AskUserQuestion", json!({"agent_id": "a1", "agent_type": "vet"})));
    assert!(stop(&stage, "I wait for your choice.").context().starts_with("The chain has entries left"));
    stop(&stage, "I wait.").assert_silent();
    stage.hook(&stage.prompt("and?")).assert_silent();
    stage.hook(&here(&stage, "PreToolUse.AskUserQuestion", json!({})));
    stage.hook(&here(&stage, "PreToolUse.Read", json!({})));
    assert!(stop(&stage, "Read.").context().starts_with("The chain has entries left"));
}

#[test]
fn status_and_r_know_the_chain() {
    let stage = started();
    skill_ran(&stage, "plan-adhoc", "");
    stop(&stage, "Which name?").assert_silent();
    let told = stage.hook(&stage.prompt("s")).context();
    assert_eq!(
        told.lines().last(),
        Some("Chain: design ✓ → plan-adhoc ? → orchestrate → handoff → commit; waits for your answer"),
        "{told}"
    );
    let mut status = stage.command(&["status"]);
    status.env("CLAUDE_CODE_SESSION_ID", SESSION);
    let waits = "Chain: design ✓ → plan-adhoc ? → orchestrate → handoff → commit; waits for your answer\n";
    assert_eq!(run(status, None).stdout, format!("No pending tasks.\n\n{waits}"));
    assert!(stage.ok(&["status"]).ends_with(waits));
    insta::assert_snapshot!(stage.hook(&stage.prompt("r")).context(), @r#"
    [SHORTCUT: #resume] The user typed r, which goes on with the chain: design ✓ → plan-adhoc ? → orchestrate → handoff → commit

    [CONTINUATION-PASSING]
    Current: /plan-adhoc
    Continuation: /orchestrate, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "orchestrate", args: "[CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    assert!(stop(&stage, "Planned.").context().starts_with("The chain has entries left"));
    let report =
        json!({"session_id": SESSION, "cwd": stage.root(), "workspace": {"project_dir": stage.root()}});
    let line = run(stage.command(&["statusline", "--part", "chain"]), Some(report.to_string().as_bytes()));
    assert_eq!(line.stdout, "design ✓ → plan-adhoc … → orchestrate → handoff → commit\n");
}

#[test]
fn a_skill_call_that_fails_stops_the_chain() {
    let stage = stage();
    stage.write("session.md", "## Pending Tasks\n\n- [ ] **Build foo** — | sonnet\n");
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage.hook(&stage.prompt("x"));
    stage.hook(&stage.prompt(CHAIN));
    let failed = json!({"tool_name": "Skill", "tool_input": {"skill": "plan-adhoc", "args": ""}, "error": "Unknown skill: plan-adhoc"});
    let out = stage.hook(&here(&stage, "PostToolUseFailure", failed));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain stopped at /plan-adhoc: Unknown skill: plan-adhoc; engine chain retry, skip or drop"
    );
    insta::assert_snapshot!(out.context(), @r"
    [CONTINUATION-PASSING]
    /plan-adhoc failed: Unknown skill: plan-adhoc. Kept for later: /orchestrate, /handoff --commit, /commit.
    Continuation: none; the user decides how it goes on.
    ");
    stop(&stage, "I stop here.").assert_silent();
    insta::assert_snapshot!(shown(&stage), @r"
    done     /design plans/foo
    failed   /plan-adhoc: Unknown skill: plan-adhoc
    kept     /orchestrate, /handoff --commit, /commit
    ");
    insta::assert_snapshot!(stage.read("session.md"), @r"
    ## Pending Tasks

    - [!] **Build foo** — | sonnet
      Blocked: chain at /plan-adhoc: Unknown skill: plan-adhoc; left: /orchestrate, /handoff --commit, /commit
    ");
    insta::assert_snapshot!(agent(&stage, &["retry"]).stdout, @r#"
    again: design ✓ → plan-adhoc ✗ → plan-adhoc → orchestrate → handoff → commit
    next: Skill(skill: "plan-adhoc", args: "[CONTINUATION: /orchestrate, /handoff --commit, /commit]")
    "#);
    let again = agent(&stage, &["retry"]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(3), "engine: no entry of the chain has failed\n"));
}

#[test]
fn a_skill_that_cannot_do_its_work_says_so() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/plan-adhoc",
        "continuation: {cooperative: true, on-failure: [\"/handoff\"], default-exit: [\"/commit\"]}",
    );
    stage.hook(&here(&stage, "SessionStart", json!({})));
    let nothing = agent(&stage, &["fail", "x"]);
    assert_eq!((nothing.code, nothing.stderr.as_str()), (Some(3), "engine: no chain\n"));
    stage.hook(&stage.prompt(CHAIN));
    skill_ran(&stage, "plan-adhoc", "");
    insta::assert_snapshot!(agent(&stage, &["fail", "the design", "contradicts itself"]).stdout, @r#"
    failed: design ✓ → plan-adhoc ✗ → handoff → (orchestrate) → (handoff) → (commit); /plan-adhoc failed: the design contradicts itself
    next: Skill(skill: "handoff", args: "")
    "#);
    let twice = agent(&stage, &["fail", "again"]);
    assert_eq!(
        (twice.code, twice.stderr.lines().next()),
        (Some(1), Some("engine: /plan-adhoc has failed already: the design contradicts itself"))
    );
    // What the skill declares for this case follows, and then the person decides.
    insta::assert_snapshot!(skill_ran(&stage, "handoff", "").context(), @r"
    [CONTINUATION-PASSING]
    Current: /handoff
    /plan-adhoc failed: the design contradicts itself. Kept for later: /orchestrate, /handoff --commit, /commit.
    Continuation: none; the user decides how it goes on.
    ");
    // The end of a turn with a handoff shows STATUS, and nothing to the model.
    assert_eq!(stop(&stage, "Handed off.").json(), json!({"systemMessage": "No pending tasks."}));
    // Going on without it is a person's word.
    let refused = agent(&stage, &["skip"]);
    assert_eq!(
        (refused.code, refused.stderr.lines().next()),
        (
            Some(1),
            Some(
                "engine: skip /plan-adhoc of the chain design ✓ → plan-adhoc ✗ → handoff … → (orchestrate) → (handoff) → (commit) needs a person: approval 1"
            )
        )
    );
    let skipped = stage.at_terminal(&["chain", "skip", "--session", SESSION]);
    insta::assert_snapshot!(skipped.stdout.replace("\r\n", "\n"), @r#"
    skipped /plan-adhoc: design ✓ → plan-adhoc ✗ → handoff ✓ → orchestrate → handoff → commit
    next: Skill(skill: "orchestrate", args: "[CONTINUATION: /handoff --commit, /commit]")
    "#);
}

#[test]
fn the_next_skill_waits_until_the_current_one_is_done() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/design",
        "continuation:\n  cooperative: true\n  default-exit: []\n  done-when:\n    - file: '{args}/design.md'\n    - passed: cargo test\n    - commit",
    );
    stage.git(&["init", "-q"]);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    stage.hook(&here(&stage, "SessionStart", json!({})));
    // A file that was there before does not count.
    stage.write("plans/foo/design.md", "old\n");
    let old = std::fs::File::options().write(true).open(stage.root().join("plans/foo/design.md")).unwrap();
    old.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(1)).unwrap();
    stage.hook(&stage.prompt("/design plans/foo, /plan-adhoc"));
    assert_eq!(
        reason(&skill_call(&stage, "plan-adhoc")),
        "engine rule chain: /plan-adhoc is not called yet, because /design is not done: no file plans/foo/design.md was written since it began; `cargo test` has not passed since it began and since the last edit; nothing was committed since it began. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest."
    );
    skill_call(&stage, "lint").assert_silent();
    insta::assert_snapshot!(stop(&stage, "Designed.").context(), @r"
    The chain has entries left (/plan-adhoc, /handoff --commit, /commit), and /design is not done: no file plans/foo/design.md was written since it began; `cargo test` has not passed since it began and since the last edit; nothing was committed since it began.
    If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain fail WHY.
    ");
    stage.write("plans/foo/design.md", "new\n");
    // An echo of the command is no run of it.
    for (command, id) in [("echo cargo test", "t1"), ("cargo test", "t2")] {
        let missing = reason(&skill_call(&stage, "plan-adhoc"));
        assert!(
            missing.contains(
                "not done: `cargo test` has not passed since it began and since the last edit; nothing"
            ),
            "{missing}"
        );
        let fields = json!({"tool_input": {"command": command}, "tool_use_id": id, "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
        stage.hook(&here(&stage, "PreToolUse", fields.clone()));
        stage.hook(&here(&stage, "PostToolUse", fields));
    }
    assert!(
        reason(&skill_call(&stage, "plan-adhoc")).contains("not done: nothing was committed since it began.")
    );
    // An empty commit is none.
    stage.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    assert!(
        reason(&skill_call(&stage, "plan-adhoc")).contains("not done: nothing was committed since it began.")
    );
    stage.git(&["add", "plans"]);
    stage.git(&["commit", "-q", "-m", "three"]);
    skill_call(&stage, "plan-adhoc").assert_silent();
    // What the skill declared when it began counts: an edit of its file softens nothing.
    let stage = self::stage();
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: {file: out.md}}";
    skill(&stage, ".claude/skills/design", declared);
    stage.hook(&stage.prompt("/design x, /commit"));
    skill(&stage, ".claude/skills/design", "continuation: {cooperative: true}");
    assert!(reason(&skill_call(&stage, "commit")).contains("no file out.md was written"));
    // A person may go on before its time, and the record says so.
    stage.hook(&stage.prompt("/commit"));
    let stage = self::stage();
    skill(&stage, ".claude/skills/design", declared);
    stage.hook(&stage.prompt("/design x, /plan-adhoc, /commit"));
    stage.hook(&stage.prompt("/plan-adhoc"));
    assert!(shown(&stage).starts_with("skipped  /design x\ncurrent  /plan-adhoc\n"), "{}", shown(&stage));
}

#[test]
fn the_last_entry_has_an_end_too() {
    let stage = stage();
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: [file: out.md]}";
    skill(&stage, ".claude/skills/design", declared);
    stage.hook(&stage.prompt("/design x"));
    insta::assert_snapshot!(stop(&stage, "All done.").context(), @r"
    /design is the last entry of the chain and is not done: no file out.md was written since it began.
    If it waits for the user, ending the turn is right. If it cannot be done: engine chain fail WHY.
    ");
    stop(&stage, "All done.").assert_silent();
    stage.write("out.md", "x\n");
    stop(&stage, "All done.").assert_silent();
    assert_eq!(stage.engine(&["chain", "show", "--session", SESSION]).stderr, "no chain\n");
}

#[test]
fn a_declaration_that_cannot_be_read_is_named() {
    let stage = stage();
    skill(
        &stage,
        ".claude/skills/odd",
        "continuation:\n  cooperative: true\n  done-when:\n    - file:\n    - tests\n    - commit",
    );
    let out = stage.engine(&["skill", "check", "odd"]);
    let what = "continuation.done-when: a condition is commit, file: PATH, passed: COMMAND or run: built";
    assert_eq!(
        out.stdout.matches(what).count() + out.stderr.matches(what).count(),
        2,
        "{}{}",
        out.stdout,
        out.stderr
    );
}

#[test]
fn a_chain_whose_client_is_gone_is_offered_once_and_taken() {
    let stage = started();
    skill_ran(&stage, "plan-adhoc", "");
    let take = |session: &str, from: &str| {
        let mut command = stage.command(&["chain", "take", from]);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
        run(command, None)
    };
    let start =
        |session: &str| stage.hook(&stage.event_with("SessionStart", &json!({"session_id": session})));
    let alive = start(OTHER);
    assert!(!alive.stdout.contains("chain"), "its client lives: {}", alive.stdout);
    assert_eq!(
        take(OTHER, &SESSION[..8]).stderr.lines().next(),
        Some(format!("engine: session {SESSION} is alive and has its chain itself").as_str())
    );
    stage.hook(&here(&stage, "SessionEnd", json!({})));
    let short = &SESSION[..8];
    let line = format!(
        "engine: a chain was left by a client that is gone: design ✓ → plan-adhoc … → orchestrate → handoff → commit; engine chain take {short}"
    );
    let told = start("third");
    assert_eq!(told.json()["systemMessage"], line.as_str());
    assert!(told.context().ends_with(&line), "{}", told.context());
    assert!(!start("fourth").stdout.contains("chain"), "it is told once");
    assert!(stage.ok(&["status"]).ends_with(&format!("Chain: design ✓ → plan-adhoc … → orchestrate → handoff → commit; its client is gone: engine chain take {short}\n")));
    let taken = take(OTHER, short);
    assert_eq!(
        taken.stdout,
        format!(
            "taken from {SESSION}: design ✓ → plan-adhoc … → orchestrate → handoff → commit\nnext: Skill(skill: \"orchestrate\", args: \"[CONTINUATION: /handoff --commit, /commit]\")\n"
        )
    );
    let again = take("third", short);
    assert_eq!(
        (again.code, again.stderr),
        (Some(1), format!("engine: no session with a chain begins with {short}\n"))
    );
    // It is the other's from now on.
    let fields = json!({"session_id": OTHER, "tool_input": {"skill": "orchestrate", "args": ""}, "tool_response": {"success": true, "commandName": "orchestrate"}});
    let moved = stage.hook(&stage.event_with("PostToolUse.Skill", &fields));
    assert_eq!(moved.context().lines().nth(2), Some("Continuation: /handoff --commit, /commit"));
}

#[test]
fn what_an_agent_drops_is_told_to_the_person() {
    let stage = started();
    assert_eq!(
        agent(&stage, &["drop"]).stdout,
        "dropped: /plan-adhoc, /orchestrate, /handoff --commit, /commit\n"
    );
    let out = stage.hook(&stage.prompt("hello"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: the agent dropped the chain: design … → plan-adhoc → orchestrate → handoff → commit"
    );
}

#[test]
fn a_skill_that_is_gone_is_not_pressed_for() {
    let stage = started();
    std::fs::remove_dir_all(stage.root().join(".claude/skills/plan-adhoc")).unwrap();
    let out = stop(&stage, "Designed.");
    assert_eq!(
        out.json(),
        json!({"systemMessage": "engine: the next entry of the chain, /plan-adhoc, is no skill any more; engine chain skip or drop"})
    );
    stop(&stage, "Designed.").assert_silent();
}

#[test]
fn a_task_whose_command_is_a_chain_is_carried_as_one() {
    let stage = stage();
    stage.write(
        "session.md",
        "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/foo, /plan-adhoc and /orchestrate` | sonnet\n- [ ] **Plan it** — `/plan-adhoc plans/x` | sonnet\n",
    );
    // The exits are not asked for: x carries one task to its end.
    insta::assert_snapshot!(stage.hook(&stage.prompt("x")).context(), @r#"
    [SHORTCUT: #execute] The user typed x. Task: Build foo (pending, now marked as in progress)
    Command: `/design plans/foo, /plan-adhoc and /orchestrate`
    Model: sonnet | Restart: no
    When it is done: engine task done 'Build foo'. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /design plans/foo, /plan-adhoc, /orchestrate

    The first entry is called with the Skill tool:
      Skill(skill: "design", args: "plans/foo [CONTINUATION: /plan-adhoc, /orchestrate]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    stage.ok(&["task", "done", "Build foo"]);
    // With xc the task itself is the first entry, and the handoff comes after it.
    insta::assert_snapshot!(stage.hook(&stage.prompt("xc")).context(), @r#"
    [SHORTCUT: #execute --commit] The user typed xc. Task: Plan it (pending, now marked as in progress)
    Command: `/plan-adhoc plans/x`
    Model: sonnet | Restart: no
    Its command is the task: engine marks it as done when /handoff is called after /plan-adhoc. Then the user expects /handoff --commit, which ends in a commit and STATUS.

    [CONTINUATION-PASSING]
    Continuation: /plan-adhoc plans/x, /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "plan-adhoc", args: "plans/x [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    It replaces an earlier chain, of which /design plans/foo, /plan-adhoc, /orchestrate was left.
    "#);
}

#[test]
fn exits_can_be_offered_instead() {
    let stage = stage();
    stage.write(".engine/config.toml", "[chain]\nexits = \"ask\"\n");
    let out = stage.hook(&stage.prompt("/design plans/foo"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: exits offered when the chain is done: /handoff --commit, /commit"
    );
    let offer = stop(&stage, "Designed.");
    assert_eq!(
        offer.json(),
        json!({"systemMessage": "engine: the chain is done; r calls /handoff --commit, /commit, engine chain drop forgets them"})
    );
    stop(&stage, "Designed.").assert_silent();
    let told = stage.hook(&stage.prompt("r")).context();
    assert_eq!(
        told.lines().next(),
        Some(
            "[SHORTCUT: #resume] The user typed r, which goes on with the chain: design … → handoff offered → commit offered"
        )
    );
    assert!(
        told.contains("  Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")\n"),
        "{told}"
    );
}

#[test]
fn words_of_a_later_prompt_forbid_exits_too() {
    let stage = stage();
    stage.hook(&stage.prompt("/design x, /plan-adhoc"));
    let out = stage.hook(&stage.prompt("/plan-adhoc but do not commit anything"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: left out: /commit (you wrote \"do not commit anything\")"
    );
    assert_eq!(out.context().lines().nth(2), Some("Continuation: /handoff"));
    assert!(shown(&stage).ends_with("next     /handoff\n"), "{}", shown(&stage));
    // It holds for the chain that replaces this one.
    let out = stage.hook(&stage.prompt("/plan-adhoc x"));
    assert!(
        out.stdout.contains(r#"left out: /commit (you wrote \"do not commit anything\")"#),
        "{}",
        out.stdout
    );
    // Or of the answer to a question.
    let stage = crate::chains::stage();
    stage.hook(&stage.prompt("/plan-adhoc x"));
    stop(&stage, "Which one?").assert_silent();
    let out = stage.hook(&stage.prompt("the first, and do not commit anything"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: left out: /commit (you wrote \"do not commit anything\")"
    );
    assert!(stop(&stage, "Done.").context().starts_with("The chain has entries left (/handoff)."));
    // What was typed stays unless a later prompt takes it back: the newer word counts, if it is about the act itself.
    stage.hook(&stage.prompt("/design x, /commit"));
    stage.hook(&stage.prompt("do not commit the lockfile")).assert_silent();
    assert!(shown(&stage).ends_with("next     /commit\n"), "{}", shown(&stage));
    let out = stage.hook(&stage.prompt("fine, but do not commit yet"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: chain: left out: /commit (you wrote \"do not commit yet\")"
    );
    stop(&stage, "Done.").assert_silent();
}

const DONE_WHEN: &str = "continuation: {cooperative: true, default-exit: [], done-when: [file: out.md], on-failure: [\"/handoff\"]}";

#[test]
fn nothing_after_an_entry_that_is_not_done_is_called_in_its_place() {
    let stage = stage();
    skill(&stage, ".claude/skills/design", DONE_WHEN);
    // Calls side by side, and jumps.
    stage.hook(&stage.prompt("/plan-adhoc a, /design b, /handoff, /commit"));
    skill_call(&stage, "design").assert_silent();
    assert_eq!(
        reason(&skill_call(&stage, "handoff")),
        "engine rule chain: /handoff is not called yet: /design comes before it in the chain. engine chain show prints the chain."
    );
    skill_ran(&stage, "design", "b");
    assert!(
        reason(&skill_call(&stage, "commit")).starts_with("engine rule chain: /commit is not called yet")
    );
    // A call that ran all the same is told to the person.
    assert_eq!(
        skill_ran(&stage, "handoff", "").json()["systemMessage"],
        "engine: /design was left before it was done: no file out.md was written since it began"
    );
    // A retry has the same conditions, whatever the file says by then; what was kept waits for it.
    stage.hook(&stage.prompt("/design b, /plan-adhoc"));
    assert_eq!(agent(&stage, &["fail", "no"]).code, Some(0));
    assert_eq!(
        reason(&skill_call(&stage, "plan-adhoc")),
        "engine rule chain: /plan-adhoc is not called, because the chain stopped at /design: no. engine chain retry calls /design again; going on without it is the user's word: engine chain skip."
    );
    skill(&stage, ".claude/skills/design", "continuation: {cooperative: true}");
    assert_eq!(agent(&stage, &["retry"]).code, Some(0));
    skill_ran(&stage, "design", "b");
    assert!(reason(&skill_call(&stage, "plan-adhoc")).contains("no file out.md was written"));
    // A call that was refused has not failed.
    let refused =
        json!({"tool_name": "Skill", "tool_input": {"skill": "plan-adhoc", "args": ""}, "error": "refused"});
    stage.hook(&here(&stage, "PostToolUseFailure", refused)).assert_silent();
    assert!(shown(&stage).contains("current  /design b\n"), "{}", shown(&stage));
}

#[test]
fn the_only_entry_can_fail_and_a_new_chain_replaces_it() {
    let stage = stage();
    skill(&stage, ".claude/skills/design", DONE_WHEN);
    stage.hook(&stage.prompt("/design b"));
    assert_eq!(
        agent(&stage, &["fail", "broken"]).stdout,
        "failed: design ✗ → handoff; /design failed: broken\nnext: Skill(skill: \"handoff\", args: \"\")\n"
    );
    // What failed is named when something else begins.
    assert_eq!(
        stage.hook(&stage.prompt("/commit")).json()["systemMessage"],
        "engine: the agent stopped the chain at /design: broken; engine chain retry, skip or drop\nengine: the chain before it ends here; /handoff, /design b was left"
    );
    assert_eq!(stage.engine(&["chain", "show", "--session", SESSION]).stderr, "no chain\n");
    stage.hook(&stage.prompt("/design b"));
    stage.hook(&stage.prompt("/commit"));
    assert_eq!(stage.engine(&["chain", "show", "--session", SESSION]).stderr, "no chain\n");
}

#[test]
fn going_back_is_no_commit_and_a_time_ahead_is_no_writing() {
    let stage = stage();
    stage.git(&["init", "-q"]);
    let early = "2020-01-01T00:00:00Z";
    for message in ["one", "two"] {
        let mut commit = stage.program_in(&stage.root(), "git");
        commit.args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
        ]);
        commit.env("GIT_COMMITTER_DATE", early).env("GIT_AUTHOR_DATE", early);
        assert!(commit.status().unwrap().success());
    }
    let done_when =
        "continuation: {cooperative: true, default-exit: [], done-when: [{file: out.md}, commit]}";
    skill(&stage, ".claude/skills/design", done_when);
    stage.write("out.md", "x\n");
    let file = std::fs::File::options().write(true).open(stage.root().join("out.md")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_hours(1000)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    stage.hook(&stage.prompt("/design x, /plan-adhoc"));
    stage.git(&["checkout", "-q", "HEAD~1"]);
    let missing = reason(&skill_call(&stage, "plan-adhoc"));
    assert!(
        missing.contains("no file out.md was written since it began; nothing was committed since it began"),
        "{missing}"
    );
    stage.write("out.md", "y\n");
    stage.git(&["add", "out.md"]);
    stage.git(&["commit", "-q", "-m", "three"]);
    skill_call(&stage, "plan-adhoc").assert_silent();
}
