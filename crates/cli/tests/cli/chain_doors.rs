//! Ways by which an attacker, with the real client, opened a gate of a chain for the wrong reason. Each was open before.

use serde_json::{Value, json};

use crate::chain_gaps::{FILE, OTHER, agent, here, reason, shown, skill_call, skill_ran, started};
use crate::chains::{skill, stage};
use crate::stage::{Output, SESSION, Stage};

fn call(stage: &Stage, name: &str) -> Output {
    skill_call(stage, json!({"tool_input": {"skill": name, "args": ""}}))
}

fn stop(stage: &Stage, said: &str) -> Output {
    stage.hook(&here(stage, "Stop", json!({"stop_hook_active": false, "last_assistant_message": said})))
}

/// A command of the agent that ended with 0.
fn ran(stage: &Stage, command: &str, id: &str) {
    let fields = json!({"tool_input": {"command": command}, "tool_use_id": id, "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
    stage.hook(&here(stage, "PreToolUse", fields.clone()));
    stage.hook(&here(stage, "PostToolUse", fields));
}

fn person_line(out: &Output) -> String {
    if out.stdout.is_empty() {
        return String::new();
    }
    out.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

fn is_open(stage: &Stage, name: &str) -> bool {
    let out = call(stage, name);
    out.stdout.is_empty() || reason(&out).is_empty()
}

/// `touch` writes nothing, and an empty file says nothing.
#[test]
fn a_file_that_was_only_touched_is_not_written() {
    let runbook = "plans/foo/runbook.md";
    let stage = started(FILE, "/plan-adhoc plans/foo, /orchestrate");
    for empty in ["", " \n"] {
        stage.write(runbook, empty);
        assert!(!is_open(&stage, "orchestrate"), "{empty:?}");
    }
    stage.write(runbook, "steps\n");
    assert!(is_open(&stage, "orchestrate"));
    // One that was there has to become another one.
    let stage = stage_with(FILE);
    stage.write(runbook, "old\n");
    stage.hook(&stage.prompt("/plan-adhoc plans/foo, /orchestrate"));
    stage.write(runbook, "old\n");
    assert!(!is_open(&stage, "orchestrate"));
    stage.write(runbook, "new\n");
    assert!(is_open(&stage, "orchestrate"));
}

/// The project with this declaration, and no chain yet.
fn stage_with(declared: &str) -> Stage {
    let stage = stage();
    skill(&stage, ".claude/skills/plan-adhoc", declared);
    stage.hook(&here(&stage, "SessionStart", json!({})));
    stage
}

/// An empty commit, and one that only has another message, commit nothing.
#[test]
fn a_commit_that_changes_nothing_is_none() {
    let stage = stage_with("continuation: {cooperative: true, default-exit: [], done-when: commit}");
    stage.git(&["init", "-q"]);
    stage.write("a.txt", "one\n");
    stage.git(&["add", "a.txt"]);
    stage.git(&["commit", "-q", "-m", "one"]);
    stage.hook(&stage.prompt("/plan-adhoc x, /orchestrate"));
    stage.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    assert!(!is_open(&stage, "orchestrate"));
    stage.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "three"]);
    assert!(!is_open(&stage, "orchestrate"));
    stage.write("a.txt", "two\n");
    stage.git(&["commit", "-q", "-a", "-m", "four"]);
    assert!(is_open(&stage, "orchestrate"));
}

/// Dropping a chain is no way past what an entry must show; one without such an entry is dropped as before.
#[test]
fn an_agent_drops_a_gated_chain_with_a_word_of_the_person_only() {
    let stage = started(FILE, "/plan-adhoc plans/foo, /orchestrate");
    let out = agent(&stage, SESSION, &["drop"]);
    assert_eq!(
        (out.code, out.stderr.lines().next()),
        (
            Some(1),
            Some(
                "engine: drop the chain plan-adhoc … → orchestrate → handoff → commit needs a person: approval 1"
            )
        )
    );
    assert!(!is_open(&stage, "orchestrate"));
    agent(&stage, SESSION, &["fail", "the design contradicts itself"]);
    assert_eq!(agent(&stage, SESSION, &["drop"]).code, Some(1), "nor past a failure");
    assert_eq!(stage.at_terminal(&["chain", "drop", "--session", SESSION]).code, Some(0));
    let stage = started("continuation: {cooperative: true}", "/plan-adhoc plans/foo, /orchestrate");
    assert_eq!(
        agent(&stage, SESSION, &["drop"]).stdout,
        "dropped: /orchestrate, /handoff --commit, /commit\n"
    );
}

/// The chain of another session is that session's.
#[test]
fn an_agent_changes_the_chain_of_its_own_session_only() {
    let stage = started(FILE, "/plan-adhoc plans/foo, /orchestrate");
    let before = shown(&stage);
    for command in [&["fail", "no"][..], &["retry"], &["skip"], &["resume"], &["drop"]] {
        let out = agent(&stage, OTHER, &[&command[..1], &["--session", SESSION], &command[1..]].concat());
        assert_eq!(
            (out.code, out.stderr.as_str()),
            (
                Some(1),
                format!("engine: the chain belongs to session {SESSION}\n  the user changes it in a terminal: engine chain --help\n").as_str()
            ),
            "{command:?}"
        );
    }
    assert_eq!(shown(&stage), before);
}

const TASK: &str = "## Pending Tasks\n\n- [ ] **Build foo** — `/design plans/foo and /plan-adhoc` | sonnet\n";

/// The task of a chain is not done by the agent's word while the chain has entries left.
#[test]
fn a_task_of_a_chain_is_not_done_before_its_chain() {
    let done = |stage: &Stage| {
        let mut command = stage.command(&["task", "done", "Build foo"]);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
        crate::stage::run(command, None)
    };
    let stage = stage_with("continuation: {cooperative: true, default-exit: [], done-when: {file: plan.md}}");
    stage.write("session.md", TASK);
    stage.hook(&stage.prompt("x"));
    let out = done(&stage);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (
            Some(1),
            "engine: Build foo is carried out by a chain that is not done: design → plan-adhoc\n  engine marks it as done with /plan-adhoc; if that cannot be done: engine chain fail WHY\n"
        )
    );
    skill_ran(&stage, "design", "plans/foo");
    assert_eq!(done(&stage).code, Some(1));
    skill_ran(&stage, "plan-adhoc", "");
    assert_eq!(done(&stage).code, Some(1), "its last skill is not shown to be done");
    assert_eq!(agent(&stage, SESSION, &["fail", "no time"]).code, Some(0));
    assert_eq!(done(&stage).code, Some(1), "it has failed");
    assert_eq!(stage.engine(&["task", "done", "Build foo"]).code, Some(0), "a person may");
    // A last skill that declares nothing is done by the agent's word, when it was called.
    let stage = stage_with("continuation: {cooperative: true}");
    stage.write("session.md", TASK);
    stage.hook(&stage.prompt("x"));
    skill_ran(&stage, "design", "plans/foo");
    assert_eq!(done(&stage).code, Some(1));
    skill_ran(&stage, "plan-adhoc", "");
    assert_eq!(done(&stage).code, Some(0));
}

/// A flag that the model puts into its own call asks for nothing that the person forbade, and takes no other chain away.
#[test]
fn a_flag_of_the_model_is_no_wish_of_the_person() {
    let handoff = |stage: &Stage| {
        let fields = json!({"tool_input": {"skill": "handoff", "args": "--commit"}, "tool_response": {"success": true, "commandName": "handoff"}});
        stage.hook(&here(stage, "PostToolUse.Skill", fields))
    };
    let stage = stage_with("continuation: {cooperative: true}");
    stage.hook(&stage.prompt("tidy up and hand off, but do not commit anything"));
    assert_eq!(
        person_line(&handoff(&stage)),
        "engine: left out: /commit (you wrote \"do not commit anything\")"
    );
    stop(&stage, "Done.").assert_silent();
    stage.hook(&stage.prompt("tidy up and hand off"));
    assert_eq!(person_line(&handoff(&stage)), "engine: chain: /commit; engine chain drop cancels");
    let stage = started(FILE, "/plan-adhoc plans/foo, /orchestrate");
    agent(&stage, SESSION, &["fail", "no time"]);
    handoff(&stage);
    assert!(shown(&stage).starts_with("failed   /plan-adhoc plans/foo: no time\n"), "{}", shown(&stage));
    let stage = started(FILE, "/plan-adhoc plans/foo");
    handoff(&stage);
    assert!(shown(&stage).starts_with("current  /plan-adhoc plans/foo\n"), "{}", shown(&stage));
}

/// A prohibition reaches what a failure has kept for later, and what is only offered.
#[test]
fn a_later_prohibition_reaches_what_is_kept_and_offered() {
    let stage =
        started("continuation: {cooperative: true}", "/design plans/a, /plan-adhoc plans/foo, /orchestrate");
    agent(&stage, SESSION, &["fail", "no time"]);
    let out = stage.hook(&stage.prompt("fine, but do not commit anything"));
    assert_eq!(
        person_line(&out),
        "engine: the agent stopped the chain at /design: no time; engine chain retry, skip or drop\nengine: chain: left out: /commit (you wrote \"do not commit anything\")"
    );
    insta::assert_snapshot!(shown(&stage), @r"
    failed   /design plans/a: no time
    kept     /plan-adhoc plans/foo, /orchestrate, /handoff
    ");
    agent(&stage, SESSION, &["retry"]);
    insta::assert_snapshot!(shown(&stage), @r"
    failed   /design plans/a: no time
    next     /design plans/a
    then     /plan-adhoc plans/foo, /orchestrate, /handoff
    ");
    let stage = stage_with("continuation: {cooperative: true}");
    stage.write(".engine/config.toml", "[chain]\nexits = \"ask\"\n");
    stage.hook(&stage.prompt("/design plans/a"));
    stage.hook(&stage.prompt("go on without committing"));
    insta::assert_snapshot!(shown(&stage), @r"
    current  /design plans/a
    offered  /handoff
    ");
}

/// Exits that wait for the person's word are not called by the agent's.
#[test]
fn offered_exits_are_the_persons_to_call() {
    let stage = stage_with("continuation: {cooperative: true}");
    stage.write(".engine/config.toml", "[chain]\nexits = \"ask\"\n");
    stage.hook(&stage.prompt("/design plans/a"));
    stop(&stage, "Designed.");
    let out = agent(&stage, SESSION, &["resume"]);
    assert_eq!(
        (out.code, out.stderr.lines().next()),
        (
            Some(1),
            Some(
                "engine: call the exits of the chain design … → handoff offered → commit offered needs a person: approval 1"
            )
        )
    );
    assert!(shown(&stage).contains("offered  /handoff --commit, /commit"), "{}", shown(&stage));
    let told = stage.hook(&stage.prompt("r")).context();
    assert!(told.contains("Skill(skill: \"handoff\", args: \"--commit [CONTINUATION: /commit]\")"), "{told}");
}

/// A check and a commit on one line: the check has passed.
#[test]
fn a_check_that_passed_before_its_commit_has_passed() {
    let declared = "continuation: {cooperative: true, default-exit: [], done-when: {passed: cargo test}}";
    let stage = started(declared, "/plan-adhoc plans/foo, /orchestrate");
    for (id, command) in
        ["cargo test; git commit -qm x", "cargo test && git -c core.hooksPath=h commit -qm x"]
            .iter()
            .enumerate()
    {
        ran(&stage, command, &format!("no{id}"));
        assert!(!is_open(&stage, "orchestrate"), "{command}");
    }
    ran(&stage, "cargo test && git add -A && git commit -qm x", "yes");
    assert!(is_open(&stage, "orchestrate"));
}

/// Finding C7: a skill that was renamed in mid-chain is not named as the next call.
#[test]
fn a_skill_that_is_gone_is_not_named_as_the_next() {
    let stage = started("continuation: {cooperative: true}", "/design plans/a, /plan-adhoc plans/foo");
    let folder = stage.root().join(".claude/skills");
    std::fs::rename(folder.join("plan-adhoc"), folder.join("plan-ad")).unwrap();
    skill(&stage, ".claude/skills/plan-ad", "continuation: {cooperative: true}");
    let out = agent(&stage, SESSION, &["next"]);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (
            Some(1),
            "engine: the next entry of the chain, /plan-adhoc, is no skill any more\n  engine chain skip goes on without it, engine chain drop ends the chain\n"
        )
    );
}

/// Finding C9: a name that YAML does not read as one is a fault of the file, and no name.
#[test]
fn a_name_that_is_broken_is_told() {
    let stage = stage();
    stage.write(".claude/skills/broken/SKILL.md", "---\nname: [broken\ndescription: Does it.\n---\nBody.\n");
    let list = stage.ok(&["skill", "list"]);
    let line = list.lines().find(|line| line.contains("broken")).unwrap_or_default();
    assert_eq!(
        line.split_whitespace().collect::<Vec<_>>().join(" "),
        "/broken project no: line 2: the front matter is not valid YAML: name: [broken"
    );
}

/// A session that was forked from one whose client is gone is told of the chain that it does not have.
#[test]
fn a_fork_is_told_of_the_chain_that_was_left() {
    let stage = started(FILE, "/plan-adhoc plans/foo, /orchestrate");
    stage.hook(&here(&stage, "SessionEnd", json!({"reason": "other"})));
    let mut fork: Value = here(&stage, "SessionStart", json!({"source": "fork"}));
    fork["session_id"] = json!(OTHER);
    assert_eq!(
        person_line(&stage.hook(&fork)),
        format!(
            "engine: a chain was left by a client that is gone: plan-adhoc … → orchestrate → handoff → commit; engine chain take {}",
            &SESSION[..8]
        )
    );
}

/// Who takes a chain works on its task, and the chain ends that.
#[test]
fn the_task_of_a_chain_is_taken_with_it() {
    let stage = stage_with("continuation: {cooperative: true, default-exit: [], done-when: {file: plan.md}}");
    stage.write("session.md", TASK);
    stage.hook(&stage.prompt("x"));
    skill_ran(&stage, "design", "plans/foo");
    stage.hook(&here(&stage, "SessionEnd", json!({"reason": "other"})));
    let by_other = |name: &str, fields: Value| {
        let mut event = here(&stage, name, fields);
        event["session_id"] = json!(OTHER);
        stage.hook(&event)
    };
    by_other("SessionStart", json!({}));
    assert_eq!(
        agent(&stage, SESSION, &["take", SESSION, "--session", OTHER]).stderr.lines().next(),
        Some(format!("engine: the chain belongs to session {OTHER}").as_str())
    );
    assert_eq!(agent(&stage, OTHER, &["take", SESSION]).code, Some(0));
    let ran = json!({"tool_input": {"skill": "plan-adhoc", "args": ""}, "tool_response": {"success": true, "commandName": "plan-adhoc"}});
    by_other("PostToolUse.Skill", ran);
    stage.write("plan.md", "steps\n");
    by_other("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Planned."}));
    assert_eq!(stage.read("session.md"), TASK.replace("[ ]", "[x]"));
}

/// Finding B5: what is recorded as a call of skills is the command of the task, and `x` carries it out.
#[test]
fn a_recorded_call_of_skills_is_the_command_of_the_task() {
    let stage = stage_with("continuation: {cooperative: true}");
    stage.write("session.md", "## Pending Tasks\n\n");
    for text in [
        "/design plans/foo, /plan-adhoc and /orchestrate",
        "/orchestrate | opus",
        "/tmp is full",
        "`/plan-adhoc plans/x`",
    ] {
        stage.hook(&stage.prompt(&format!("p: {text}")));
    }
    assert_eq!(
        stage.read("session.md"),
        "## Pending Tasks\n- [ ] **Design plans/foo** — `/design plans/foo, /plan-adhoc and /orchestrate` | sonnet\n- [ ] **Orchestrate** — `/orchestrate` | opus\n- [ ] **/tmp is full** — | sonnet\n- [ ] **Plan-adhoc plans/x** — `/plan-adhoc plans/x` | sonnet\n\n"
    );
    let told = stage.hook(&stage.prompt("x")).context();
    assert!(told.contains("\nContinuation: /design plans/foo, /plan-adhoc, /orchestrate\n"), "{told}");
}

/// Finding C13: after a commit skill that committed nothing the end of the turn says so.
#[test]
fn a_commit_that_did_not_happen_is_told() {
    let stage = stage_with("continuation: {cooperative: true}");
    stage.git(&["init", "-q"]);
    stage.write(".gitignore", "*\n!*.txt\n");
    stage.write("a.txt", "one\n");
    stage.git(&["add", "-f", "a.txt", ".gitignore"]);
    let mut commit = stage.program_in(&stage.root(), "git");
    commit.args(["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one"]);
    commit.env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
    assert!(commit.status().unwrap().success());
    let ends =
        |stage: &Stage| person_line(&stop(stage, "Committed.")).lines().next().unwrap_or_default().to_owned();
    stage.write("a.txt", "two\n");
    stage.write("b.txt", "two\n");
    stage.hook(&stage.prompt("/commit"));
    assert_eq!(ends(&stage), "engine: no commit was made in this turn");
    stage.hook(&stage.prompt("/handoff"));
    assert_eq!(ends(&stage), "No pending tasks.", "a handoff alone commits nothing");
    stage.hook(&stage.prompt("/commit"));
    stage.git(&["commit", "-q", "-a", "-m", "two"]);
    assert_eq!(ends(&stage), "No pending tasks.");
    std::fs::remove_file(stage.root().join("b.txt")).unwrap();
    stage.hook(&stage.prompt("/commit"));
    assert_eq!(ends(&stage), "engine: no commit was made in this turn", "there is nothing to commit");
}
