//! The gates of a chain with the real client, tried by a hasty agent: what it was told at each step, and what came of it.

use std::fs;
use std::process::Command;

use engine_testkit::{Bench, Kind, Request, Run, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, WAIT, accept, bench};
use crate::stage::until;

const ONE: &str = "11111111-2222-4333-8444-555555555555";

/// A project whose `/plan` writes a runbook, and whose `/build` ends with a check that passes.
fn gated() -> Bench {
    let bench = bench(&["--with", "skills"]);
    for (name, ending) in [("plan", "file: '{args}/runbook.md'"), ("build", "passed: sh check.sh")] {
        let front = format!("continuation: {{cooperative: true, default-exit: [], done-when: {{{ending}}}}}");
        let text =
            format!("---\nname: {name}\ndescription: Does {name}.\n{front}\n---\nTHE BODY OF {name}\n");
        bench.write(&format!(".claude/skills/{name}/SKILL.md"), &text).unwrap();
    }
    bench.write("check.sh", "grep -q good src.txt\n").unwrap();
    bench.write("src.txt", "bad\n").unwrap();
    bench.commit_all("set up").unwrap();
    bench
}

fn skill(turn: &str, name: &str, args: &str) -> Turn {
    Turn::new(turn).tool_use("Skill", json!({"skill": name, "args": args}))
}

fn bash(turn: &str, command: &str) -> Turn {
    Turn::new(turn).tool_use("Bash", json!({"command": command}))
}

fn write(turn: &str, path: &str, text: &str) -> Turn {
    Turn::new(turn).tool_use("Write", json!({"file_path": format!("${{PROJECT}}/{path}"), "content": text}))
}

fn say(turn: &str, text: &str) -> Turn {
    Turn::new(turn).text(text)
}

fn scenario(turns: impl IntoIterator<Item = Turn>) -> Scenario {
    turns.into_iter().fold(Scenario::new(), |scenario, turn| scenario.turn(turn.kind(Kind::Main)))
}

/// All that the model was told with each request: contexts of hooks, and results of tools that were refused or are engine's.
fn told(run: &Run) -> String {
    let hooks = ["SessionStart", "UserPromptSubmit", "PostToolUse:Skill", "PostToolUse:Bash", "Stop"];
    let of = |request: &&Request| {
        let mut lines = vec![format!("== {}", request.turn)];
        for hook in hooks {
            lines.extend(request.contexts(hook).iter().map(|text| format!("<{hook}> {text}")));
        }
        let results = request.tool_results().into_iter();
        let is_shown = |result: &engine_testkit::ToolResult| result.is_error || result.text.contains("Build");
        lines.extend(results.filter(is_shown).map(|result| format!("[{}] {}", result.name, result.text)));
        lines.join("\n")
    };
    run.record.of(Kind::Main).iter().map(of).collect::<Vec<_>>().join("\n")
}

/// The lines that the person was shown, by the event that showed them.
fn shown(run: &Run) -> String {
    let line = |hook: engine_testkit::HookResponse| {
        let said: Value = serde_json::from_str(&hook.stdout).ok()?;
        Some(format!("{}: {}", hook.name, said["systemMessage"].as_str()?))
    };
    run.hook_responses().into_iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// One client that is given these prompts, one after the other.
fn converse(bench: &Bench, prompts: &[&str], turns: impl IntoIterator<Item = Turn>) -> Run {
    let mut live = bench.live(scenario(turns), BYPASS).unwrap();
    for prompt in prompts {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    live.finish().unwrap()
}

/// An edit after the check closes the gate again, a check and a commit on one line open it, and what the person says later holds.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_is_said_later_and_what_is_shown_counts() {
    let bench = gated();
    let run = converse(
        &bench,
        &["/build it, /design plans/a", "B, but do not commit anything"],
        [
            bash("edits", "sed -i s/bad/good/ src.txt"),
            bash("checks", "sh check.sh"),
            write("edits again", "lib.txt", "more\n"),
            skill("hurries", "design", "plans/a"),
            bash("checks and commits", "sh check.sh && git add -A && git commit -qm x"),
            skill("goes on", "design", "plans/a [CONTINUATION: /handoff --commit, /commit]"),
            say("asks", "A or B?"),
            say("answers", "B it is. Designed."),
            skill("hands off", "handoff", ""),
            say("ends", "Handed off, nothing committed."),
        ],
    );
    insta::assert_snapshot!(told(&run), @r#"
    == edits
    <UserPromptSubmit> [CONTINUATION-PASSING]
    Current: /build it
    Continuation: /design plans/a, /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "design", args: "plans/a [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == checks
    == edits again
    == hurries
    == checks and commits
    [Skill] PreToolUse:Skill hook error: engine rule chain: /design is not called yet, because /build is not done: `sh check.sh` has not passed since it began and since the last edit. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest.
    == goes on
    == asks
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /design plans/a
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == answers
    <UserPromptSubmit> [CONTINUATION-PASSING]
    Current: /design plans/a
    Continuation: /handoff

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == hands off
    <Stop> The chain has entries left (/handoff). The next one is called with the Skill tool:
      Skill(skill: "handoff", args: "")
    If the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain fail WHY. engine chain drop ends the chain.
    == ends
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /handoff
    Continuation: none; the chain ends with the current skill.
    "#);
    insta::assert_snapshot!(shown(&run), @r#"
    UserPromptSubmit: engine: chain: /design plans/a, /handoff --commit, /commit; engine chain drop cancels
    UserPromptSubmit: engine: chain: left out: /commit (you wrote "do not commit anything")
    Stop: No pending tasks.
    "#);
}

/// A task whose command is a chain ends with it: not by the agent's word, not by a file that was only touched.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_task_ends_with_the_chain_that_it_is() {
    let bench = gated();
    let tasks = "## Pending Tasks\n\n- [ ] **Build one** — `/design plans/a and /plan plans/a` | sonnet\n- [ ] **Build two** — `/build it` | sonnet\n";
    bench.write("session.md", tasks).unwrap();
    let run = converse(
        &bench,
        &["x", "xc"],
        [
            bash("claims", "engine task done 'Build one'"),
            skill("designs", "design", "plans/a [CONTINUATION: /plan plans/a]"),
            skill("plans", "plan", "plans/a"),
            bash("touches", "mkdir -p plans/a; touch plans/a/runbook.md; engine task done"),
            say("claims again", "Planned."),
            bash("writes", "echo steps > plans/a/runbook.md; grep Build session.md"),
            say("ends", "Planned."),
            skill("builds", "build", "it [CONTINUATION: /handoff --commit, /commit]"),
            skill("hurries", "handoff", "--commit [CONTINUATION: /commit]"),
            bash("checks", "sed -i s/bad/good/ src.txt; sh check.sh"),
            skill("hands off", "handoff", "--commit [CONTINUATION: /commit]"),
            skill("commits", "commit", ""),
            say("is done", "Committed."),
        ],
    );
    insta::assert_snapshot!(told(&run), @r#"
    == claims
    <UserPromptSubmit> [SHORTCUT: #execute] The user typed x. Task: Build one (pending, now marked as in progress)
    Command: `/design plans/a and /plan plans/a`
    Model: sonnet | Restart: no
    Its command is the task: engine marks it as done when /plan is. The user expects this one task to be carried to its end, and no other to be started.

    [CONTINUATION-PASSING]
    Continuation: /design plans/a, /plan plans/a

    The first entry is called with the Skill tool:
      Skill(skill: "design", args: "plans/a [CONTINUATION: /plan plans/a]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == designs
    [Bash] Exit code 1
    engine: Build one is carried out by a chain that is not done: design → plan
      engine marks it as done with /plan; if that cannot be done: engine chain fail WHY
    == plans
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /design plans/a
    Continuation: /plan plans/a

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "plan", args: "plans/a")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == touches
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /plan plans/a
    Continuation: none; the chain ends with the current skill.
    == claims again
    [Bash] Exit code 1
    engine: Build one is carried out by a chain that is not done: design ✓ → plan …
      engine marks it as done with /plan; if that cannot be done: engine chain fail WHY
    == writes
    <Stop> /plan is the last entry of the chain and is not done: no file plans/a/runbook.md was written since it began.
    If it waits for the user, ending the turn is right. If it cannot be done: engine chain fail WHY.
    == ends
    [Bash] - [>] **Build one** — `/design plans/a and /plan plans/a` | sonnet
    - [ ] **Build two** — `/build it` | sonnet
    == builds
    <UserPromptSubmit> [SHORTCUT: #execute --commit] The user typed xc. Task: Build two (pending, now marked as in progress)
    Command: `/build it`
    Model: sonnet | Restart: no
    Its command is the task: engine marks it as done when /handoff is called after /build. Then the user expects /handoff --commit, which ends in a commit and STATUS.

    [CONTINUATION-PASSING]
    Continuation: /build it, /handoff --commit, /commit

    The first entry is called with the Skill tool:
      Skill(skill: "build", args: "it [CONTINUATION: /handoff --commit, /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == hurries
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /build it
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == checks
    [Skill] PreToolUse:Skill hook error: engine rule chain: /handoff is not called yet, because /build is not done: `sh check.sh` has not passed since it began and since the last edit. If that cannot be done: engine chain fail WHY, which ends the chain there and keeps the rest.
    == hands off
    == commits
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /handoff --commit
    Continuation: /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "commit", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == is done
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /commit
    Continuation: none; the chain ends with the current skill.
    "#);
    insta::assert_snapshot!(bench.read("session.md").unwrap(), @r"
    ## Pending Tasks

    - [x] **Build one** — `/design plans/a and /plan plans/a` | sonnet
    - [x] **Build two** — `/build it` | sonnet
    ");
}

/// An entry is named at the end of a turn twice at most; an agent neither drops what is gated nor calls exits that are offered.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn reminders_end_and_exits_that_are_offered_wait() {
    let bench = gated();
    bench.write(".engine/config.toml", "[chain]\nexits = \"ask\"\n").unwrap();
    accept(&bench);
    let run = converse(
        &bench,
        &["/plan plans/foo, /design plans/foo", "continue", "continue", "write it", "r"],
        [
            say("one", "Working."),
            say("two", "Working."),
            say("three", "Working."),
            say("four", "Working."),
            say("five", "Working."),
            bash("drops", "engine chain drop"),
            bash("writes", "mkdir -p plans/foo; echo steps > plans/foo/runbook.md"),
            skill("designs", "design", "plans/foo"),
            bash("resumes", "engine chain resume"),
            say("designed", "Designed."),
            skill("hands off", "handoff", "--commit [CONTINUATION: /commit]"),
            skill("commits", "commit", ""),
            say("is done", "Committed."),
        ],
    );
    insta::assert_snapshot!(told(&run), @r#"
    == one
    <UserPromptSubmit> [CONTINUATION-PASSING]
    Current: /plan plans/foo
    Continuation: /design plans/foo

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "design", args: "plans/foo")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == two
    <Stop> The chain has entries left (/design plans/foo), and /plan is not done: no file plans/foo/runbook.md was written since it began.
    If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain fail WHY.
    == three
    == four
    <Stop> The chain has entries left (/design plans/foo), and /plan is not done: no file plans/foo/runbook.md was written since it began.
    If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain fail WHY.
    == five
    == drops
    == writes
    [Bash] Exit code 1
    engine: drop the chain plan … → design → handoff offered → commit offered needs a person: approval 1
      nobody attends this session; a person in a terminal of their own: engine approval grant 1
      after that the same command counts once, until that turn ends
    == designs
    == resumes
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /design plans/foo
    Continuation: none; the user decides whether the exits follow.
    == designed
    [Bash] Exit code 1
    engine: call the exits of the chain plan ✓ → design … → handoff offered → commit offered needs a person: approval 2
      nobody attends this session; a person in a terminal of their own: engine approval grant 2
      after that the same command counts once, until that turn ends
    == hands off
    <UserPromptSubmit> [SHORTCUT: #resume] The user typed r, which goes on with the chain: plan ✓ → design … → handoff offered → commit offered

    [CONTINUATION-PASSING]
    Current: /design plans/foo
    Continuation: /handoff --commit, /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "--commit [CONTINUATION: /commit]")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == commits
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /handoff --commit
    Continuation: /commit

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "commit", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == is done
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /commit
    Continuation: none; the chain ends with the current skill.
    "#);
    insta::assert_snapshot!(shown(&run), @r"
    UserPromptSubmit: engine: chain: /design plans/foo; engine chain drop cancels
    engine: exits offered when the chain is done: /handoff --commit, /commit
    PostToolUseFailure:Bash: engine: approval 1 wanted: drop the chain plan … → design → handoff offered → commit offered. Type: ok 1, or no 1
    PostToolUseFailure:Bash: engine: approval 2 wanted: call the exits of the chain plan ✓ → design … → handoff offered → commit offered. Type: ok 2, or no 2
    Stop: engine: the chain is done; r calls /handoff --commit, /commit, engine chain drop forgets them
    Stop: engine: no commit was made in this turn
    ");
}

/// A chain of a client that was killed is taken with what has passed and with its task; a failure blocks that, and `r` frees it.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_chain_is_taken_with_its_passes_and_its_task() {
    let bench = gated();
    let tasks = "## Pending Tasks\n\n- [ ] **Build foo** — `/build it and /plan plans/foo` | sonnet\n";
    bench.write("session.md", tasks).unwrap();
    let first = [
        skill("builds", "build", "it [CONTINUATION: /plan plans/foo]"),
        bash("checks", "sed -i s/bad/good/ src.txt; sh check.sh"),
        say("asks", "A or B?"),
    ];
    let mut live = bench.live(scenario(first), &[BYPASS, &["--session-id", ONE]].concat()).unwrap();
    live.prompt("x").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let state = bench.read(&format!(".engine/state/sessions/{ONE}.json")).unwrap();
    let client = serde_json::from_str::<Value>(&state).unwrap()["client"]["pid"].as_u64().unwrap();
    assert!(Command::new("kill").args(["-9", &client.to_string()]).status().unwrap().success());
    drop(live);
    until("the client to be gone", || fs::metadata(format!("/proc/{client}/status")).is_err());
    let mut live = bench
        .live(
            scenario([
                bash("takes", "engine chain take 1111"),
                skill("plans", "plan", "plans/foo"),
                bash("fails", "engine chain fail 'the design contradicts itself'"),
                say("stops", "I could not plan it."),
                skill("plans again", "plan", "plans/foo"),
                bash("writes", "mkdir -p plans/foo; echo steps > plans/foo/runbook.md"),
                say("is done", "Planned."),
            ]),
            BYPASS,
        )
        .unwrap();
    live.prompt("go on").unwrap();
    live.wait_for_result(WAIT).unwrap();
    insta::assert_snapshot!(bench.read("session.md").unwrap(), @r"
    ## Pending Tasks

    - [!] **Build foo** — `/build it and /plan plans/foo` | sonnet
      Blocked: chain at /plan: the design contradicts itself
    ");
    live.prompt("r").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    insta::assert_snapshot!(told(&run), @r#"
    == takes
    <SessionStart> engine: a chain was left by a client that is gone: build ? → plan; engine chain take 11111111
    == plans
    == fails
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /plan plans/foo
    Continuation: none; the chain ends with the current skill.
    == stops
    == plans again
    <UserPromptSubmit> [SHORTCUT: #resume] The user typed r, which goes on with the chain: build ✓ → plan ✗

    [CONTINUATION-PASSING]
    Continuation: /plan plans/foo

    The first entry is called with the Skill tool:
      Skill(skill: "plan", args: "plans/foo")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    == writes
    <PostToolUse:Skill> [CONTINUATION-PASSING]
    Current: /plan plans/foo
    Continuation: none; the chain ends with the current skill.
    == is done
    "#);
    insta::assert_snapshot!(bench.read("session.md").unwrap(), @r"
    ## Pending Tasks

    - [x] **Build foo** — `/build it and /plan plans/foo` | sonnet
    ");
}
