//! Auto-commit: case 20 of cases/policy.md.

use std::process::Command;

use engine_testkit::{Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, accept, ask, bench};
use crate::stage::{Stage, at_once, input};

fn git(stage: &Stage, args: &[&str]) -> String {
    let out = stage.try_git(args);
    out.stdout + &out.stderr
}

/// A repository in which changes below `data/` and to `notes/*.md` are committed.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[autocommit]\npaths = [\"data/\", \"notes/*.md\"]\n");
    stage.write("data/a.txt", "a\n");
    stage.write("src/x.rs", "x\n");
    git(&stage, &["init", "-q", "-b", "main"]);
    git(&stage, &["config", "user.name", "Ada"]);
    git(&stage, &["config", "user.email", "a@example.org"]);
    git(&stage, &["add", "data", "src"]);
    git(&stage, &["commit", "-qm", "begin"]);
    stage
}

/// One event of a call, by its id.
fn event(stage: &Stage, name: &str, id: &str, tool: &str, input: &Value) -> String {
    let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
    let output = stage.hook(&stage.event_with(name, &fields));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    output.stdout
}

/// A call of a tool from its beginning to its end, and what it does between.
fn called(stage: &Stage, tool: &str, input: &Value, does: impl FnOnce()) -> String {
    assert_eq!(event(stage, "PreToolUse", "toolu_1", tool, input), "");
    does();
    event(stage, "PostToolUse", "toolu_1", tool, input)
}

fn bash(stage: &Stage, command: &str, does: impl FnOnce()) -> String {
    called(stage, "Bash", &json!({"command": command}), does)
}

/// The end of a call whose beginning nobody saw.
fn ran(stage: &Stage, tool: &str, input: &Value) -> String {
    event(stage, "PostToolUse", "toolu_unseen", tool, input)
}

/// The line that the person sees.
fn line(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["systemMessage"].as_str().unwrap_or("-").to_owned()
}

/// What differs below the paths.
fn dirty(stage: &Stage) -> String {
    git(stage, &["status", "--short", "--", "data", "notes"])
}

fn wrote(stage: &Stage, path: &str, text: &str) -> String {
    stage.write(path, text);
    ran(stage, "Write", &json!({"file_path": stage.root().join(path), "content": text}))
}

fn log(stage: &Stage) -> String {
    git(stage, &["log", "--format=%s", "--name-status", "--reverse"])
}

#[test]
fn case_20_one_commit_of_only_that_path() {
    let stage = stage();
    stage.write("src/x.rs", "staged\n");
    stage.write("src/new.rs", "staged too\n");
    git(&stage, &["add", "src"]);
    stage.write("data/mine.txt", "a person's, not asked for by this tool\n");
    assert_eq!(wrote(&stage, "data/a.txt", "b\n"), "");
    assert_eq!(wrote(&stage, "data/deep/new file.txt", "new\n"), "");
    assert_eq!(wrote(&stage, "notes/n.md", "n\n"), "");
    assert_eq!(wrote(&stage, "notes/n.txt", "not wanted\n"), "");
    assert_eq!(wrote(&stage, "src/y.rs", "not wanted\n"), "");
    insta::assert_snapshot!(log(&stage), @"
    begin

    A	data/a.txt
    A	src/x.rs
    Write: data/a.txt

    M	data/a.txt
    Write: data/deep/new file.txt

    A	data/deep/new file.txt
    Write: notes/n.md

    A	notes/n.md
    ");
    insta::assert_snapshot!(git(&stage, &["status", "--porcelain", "--", "src", "data", "notes"]), @"
    A  src/new.rs
    M  src/x.rs
    ?? data/mine.txt
    ?? notes/n.txt
    ?? src/y.rs
    ");
}

#[test]
fn case_20_what_a_command_changed_is_seen_afterwards() {
    let stage = stage();
    let update = "TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz ./update --all\nsecond line";
    let told = bash(&stage, update, || {
        stage.write("data/a.txt", "by a script\n");
        stage.write("data/ä \"b\"\n.txt", "odd\n");
        std::fs::remove_file(stage.root().join("src/x.rs")).unwrap();
    });
    assert_eq!(told, "");
    let told = called(&stage, "mcp__task-tracker__create_task", &json!({"name": "a.txt"}), || {
        std::fs::remove_file(stage.root().join("data/a.txt")).unwrap();
    });
    assert_eq!(told, "");
    insta::assert_snapshot!(log(&stage), @r#"
    begin

    A	data/a.txt
    A	src/x.rs
    Bash: TOKEN=[redacted] ./update --all second line

    M	data/a.txt
    A	"data/\303\244 \"b\"\n.txt"
    create task (task-tracker)

    D	data/a.txt
    "#);
}

/// Finding B4.
#[test]
fn what_the_person_changed_and_staged_stays_theirs() {
    let stage = stage();
    stage.write("data/person.md", "a person's\n");
    stage.write("data/person2.md", "a person's, staged\n");
    git(&stage, &["add", "data/person2.md"]);
    for command in ["ls", "git status", "make", "cat data/person.md 2>/dev/null | head -3"] {
        assert_eq!(bash(&stage, command, || {}), "", "{command}");
    }
    assert_eq!(bash(&stage, "make", || stage.write("data/made.txt", "x\n")), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/made.txt\n");
    assert_eq!(dirty(&stage), "A  data/person2.md\n?? data/person.md\n");
}

#[test]
fn a_file_of_both_is_left_out_and_told_once() {
    let stage = stage();
    stage.write("data/a.txt", "the person's line\n");
    stage.write("data/staged.md", "staged\n");
    git(&stage, &["add", "data/staged.md"]);
    let both = || {
        stage.write("data/a.txt", "the person's line and the agent's\n");
        stage.write("data/staged.md", "changed\n");
        stage.write("data/own.txt", "the agent's\n");
    };
    insta::assert_snapshot!(line(&bash(&stage, "make", both)), @r"
    engine: not committed, because data/a.txt had changes before this call: Bash: make. The work goes on. See: engine doctor
    engine: not committed, because data/staged.md was staged before this call: Bash: make. The work goes on. See: engine doctor
    ");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/own.txt\n");
    assert_eq!(dirty(&stage), " M data/a.txt\nAM data/staged.md\n");
    let input = json!({"file_path": stage.root().join("data/a.txt"), "content": "more\n"});
    assert_eq!(called(&stage, "Write", &input, || stage.write("data/a.txt", "more\n")), "", "once");
    assert_eq!(dirty(&stage), " M data/a.txt\nAM data/staged.md\n");
    // Many are not all named.
    let names = ["1", "2", "3", "4", "5"].map(|name| format!("data/{name}.txt"));
    let all = |text: &str| {
        for name in &names {
            stage.write(name, text);
        }
    };
    all("the person's\n");
    let told = bash(&stage, "./format", || all("formatted\n"));
    insta::assert_snapshot!(line(&told), @r"
    engine: not committed, because data/1.txt had changes before this call: Bash: ./format. The work goes on. See: engine doctor
    engine: not committed, because data/2.txt had changes before this call: Bash: ./format. The work goes on. See: engine doctor
    engine: not committed, because data/3.txt had changes before this call: Bash: ./format. The work goes on. See: engine doctor
    engine: not committed, because 2 more had changes before this call: Bash: ./format. The work goes on. See: engine doctor
    ");
}

/// What a call changed and could not commit is not taken for the person's.
#[test]
fn what_is_owed_is_committed_with_the_next_change_of_it() {
    let stage = stage();
    hook(&stage, "echo not today >&2; exit 1");
    let told = bash(&stage, "make", || stage.write("data/a.txt", "made\n"));
    insta::assert_snapshot!(line(&told), @"engine: not committed, because git commit: not today: Bash: make. The work goes on. See: engine doctor");
    std::fs::remove_file(stage.root().join(".git/hooks/pre-commit")).unwrap();
    assert_eq!(bash(&stage, "make", || {}), "");
    assert_eq!(dirty(&stage), " M data/a.txt\n", "this call did not change it");
    assert_eq!(bash(&stage, "make again", || stage.write("data/a.txt", "made again\n")), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make again\n\nM\tdata/a.txt\n");
    assert_eq!(dirty(&stage), "");
    // Whatever the person does to it makes it theirs.
    hook(&stage, "echo not today >&2; exit 1");
    bash(&stage, "make", || stage.write("data/a.txt", "owed\n"));
    std::fs::remove_file(stage.root().join(".git/hooks/pre-commit")).unwrap();
    stage.write("data/a.txt", "owed, and the person's\n");
    let told = bash(&stage, "make", || stage.write("data/a.txt", "all of it\n"));
    insta::assert_snapshot!(line(&told), @"engine: not committed, because data/a.txt had changes before this call: Bash: make. The work goes on. See: engine doctor");
}

/// A hook that stages everything would commit the person's files, and leave an index that undoes them.
#[test]
fn a_hook_that_adds_other_files_commits_nothing() {
    let stage = stage();
    hook(&stage, "git add -A");
    stage.write("src/x.rs", "the person's\n");
    stage.write("person.txt", "new\n");
    stage.write("src/staged.rs", "staged\n");
    git(&stage, &["add", "src/staged.rs"]);
    let standing = || (git(&stage, &["log", "--format=%s"]), git(&stage, &["status", "--short"]));
    let told = bash(&stage, "make", || {
        stage.write("data/a.txt", "made\n");
        stage.write("data/new.txt", "made\n");
    });
    insta::assert_snapshot!(line(&told), @"engine: not committed, because a hook of the repository adds .engine/config.toml to the commit: Bash: make. The work goes on. See: engine doctor");
    let (log, status) = standing();
    assert_eq!(log, "begin\n");
    insta::assert_snapshot!(status, @"
     M data/a.txt
    A  src/staged.rs
     M src/x.rs
    ?? .engine/
    ?? data/new.txt
    ?? person.txt
    ");
    // One that formats what is committed is let.
    git(&stage, &["rm", "-q", "--cached", "src/staged.rs"]);
    hook(&stage, "for f in $(git diff --cached --name-only); do echo formatted >> $f; git add $f; done");
    assert_eq!(bash(&stage, "make", || stage.write("data/b.txt", "b\n")), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/b.txt\n");
}

#[test]
fn a_call_that_failed_or_lost_its_beginning() {
    let stage = stage();
    let input = json!({"command": "make"});
    let failed = |id: &str, does: &dyn Fn()| {
        event(&stage, "PreToolUse", id, "Bash", &input);
        does();
        let fields =
            json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": id, "error": "Exit code 2"});
        stage.hook(&stage.event_with("PostToolUseFailure", &fields)).stdout
    };
    assert_eq!(failed("toolu_1", &|| stage.write("data/half.txt", "x\n")), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/half.txt\n");
    // Nobody saw it begin: whose the change is is not known, unless the tool names its file.
    stage.write("data/unknown.txt", "x\n");
    assert_eq!(ran(&stage, "Bash", &input), "");
    assert_eq!(dirty(&stage), "?? data/unknown.txt\n");
    assert_eq!(wrote(&stage, "data/named.txt", "x\n"), "");
    assert_eq!(dirty(&stage), "?? data/unknown.txt\n");
    // The client was killed between: nothing is committed later, and the note of the beginning goes by its age.
    event(&stage, "PreToolUse", "toolu_2", "Bash", &input);
    stage.write("data/killed.txt", "x\n");
    assert_eq!(bash(&stage, "make", || {}), "");
    assert_eq!(dirty(&stage), "?? data/killed.txt\n?? data/unknown.txt\n");
    let kept = || std::fs::read_dir(stage.root().join(".engine/state/autocommit")).unwrap().count();
    assert_eq!(kept(), 1);
    // Calls side by side: whoever ends first commits what it sees.
    event(&stage, "PreToolUse", "toolu_3", "Bash", &json!({"command": "make a"}));
    event(&stage, "PreToolUse", "toolu_4", "Bash", &json!({"command": "make b"}));
    stage.write("data/b.txt", "b\n");
    assert_eq!(event(&stage, "PostToolUse", "toolu_4", "Bash", &json!({"command": "make b"})), "");
    stage.write("data/c.txt", "c\n");
    assert_eq!(event(&stage, "PostToolUse", "toolu_3", "Bash", &json!({"command": "make a"})), "");
    insta::assert_snapshot!(git(&stage, &["log", "-2", "--format=%s", "--name-status", "--reverse"]), @r"
    Bash: make b

    A	data/b.txt
    Bash: make a

    A	data/c.txt
    ");
}

/// Two branches that differ in one file.
fn diverged(file: &str) -> Stage {
    let stage = stage();
    git(&stage, &["checkout", "-qb", "other"]);
    stage.write(file, "theirs\n");
    git(&stage, &["commit", "-qam", "theirs"]);
    git(&stage, &["checkout", "-q", "main"]);
    stage.write(file, "ours\n");
    git(&stage, &["commit", "-qam", "ours"]);
    stage
}

#[test]
fn case_20_no_commit_in_the_middle_of_something() {
    let told = |stage: &Stage| {
        let first = wrote(stage, "data/a.txt", "changed\n");
        let second = wrote(stage, "data/a.txt", "changed again\n");
        assert_eq!(second, "", "it is told once");
        let line = serde_json::from_str::<Value>(&first).map(|answer| answer["systemMessage"].clone());
        format!("{} {}", line.unwrap_or_default(), git(stage, &["log", "--format=%s"]).lines().count())
    };
    let merging = diverged("src/x.rs");
    git(&merging, &["merge", "other"]);
    insta::assert_snapshot!(told(&merging), @r#""engine: not committed, because a merge is under way: Write: data/a.txt. The work goes on. See: engine doctor" 2"#);
    let rebasing = diverged("data/a.txt");
    git(&rebasing, &["rebase", "other"]);
    insta::assert_snapshot!(told(&rebasing), @r#""engine: not committed, because a rebase is under way: Write: data/a.txt. The work goes on. See: engine doctor" 2"#);
    let detached = stage();
    git(&detached, &["checkout", "-q", "--detach"]);
    insta::assert_snapshot!(told(&detached), @r#""engine: not committed, because no branch is checked out: Write: data/a.txt. The work goes on. See: engine doctor" 1"#);
    let conflict = stage();
    conflict.write("data/a.txt", "stashed\n");
    git(&conflict, &["stash"]);
    conflict.write("data/a.txt", "other\n");
    git(&conflict, &["commit", "-qam", "other"]);
    git(&conflict, &["stash", "pop"]);
    insta::assert_snapshot!(told(&conflict), @r#""engine: not committed, because there are conflicts: Write: data/a.txt. The work goes on. See: engine doctor" 2"#);
    let refused = stage();
    refused.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today >&2\nexit 1\n");
    Command::new("chmod").arg("+x").arg(refused.root().join(".git/hooks/pre-commit")).status().unwrap();
    insta::assert_snapshot!(wrote(&refused, "data/new.txt", "new\n"), @r#"{"systemMessage":"engine: not committed, because git commit: not today: Write: data/new.txt. The work goes on. See: engine doctor"}"#);
    assert_eq!(told(&refused), "null 1");
    insta::assert_snapshot!(git(&refused, &["status", "--porcelain", "data"]), @"
     M data/a.txt
    ?? data/new.txt
    ");
    let outside = Stage::new();
    outside.write(".engine/config.toml", "[autocommit]\npaths = [\"data\"]\n");
    insta::assert_snapshot!(told(&outside), @r#""engine: not committed, because there is no git repository: Write: data/a.txt. The work goes on. See: engine doctor" 1"#);
}

#[test]
fn parallel_changes_are_all_committed() {
    let stage = stage();
    let outputs = at_once(8, |number| {
        let path = format!("data/{number}.txt");
        stage.write(&path, "x\n");
        let written = json!({"file_path": stage.root().join(&path), "content": "x\n"});
        let event = stage.event_with("PostToolUse", &json!({"tool_name": "Write", "tool_input": written}));
        let mut command = stage.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
        command
    });
    for output in outputs {
        output.assert_silent();
    }
    assert_eq!(git(&stage, &["log", "--format=%s"]).lines().count(), 9);
    assert_eq!(git(&stage, &["status", "--porcelain", "data"]), "");
}

fn hook(stage: &Stage, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    stage.write(".git/hooks/pre-commit", &format!("#!/bin/sh\n{script}"));
    let path = stage.root().join(".git/hooks/pre-commit");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_hook_that_talks_lingers_or_sleeps_leaves_the_repository_as_it_was() {
    let because = |said: &str| {
        let said: Value = serde_json::from_str(said).unwrap();
        said["systemMessage"].as_str().unwrap().replace(". The work goes on. See: engine doctor", "")
    };
    for (script, why) in [
        // More than a pipe holds.
        ("head -c 300000 /dev/zero | tr '\\0' x; echo; echo no good; exit 1", "git commit: no good"),
        // Something that goes on and holds what it was given open.
        ("sleep 600 & echo $! > sleeper; echo no good; exit 1", "git commit: no good"),
        ("sleep 600", "git commit took more than 5 seconds"),
    ] {
        let stage = stage();
        hook(&stage, script);
        stage.write("src/x.rs", "staged\n");
        git(&stage, &["add", "src"]);
        let said = because(&wrote(&stage, "data/new.txt", "b\n"));
        assert_eq!(said, format!("engine: not committed, because {why}: Write: data/new.txt"));
        if stage.exists("sleeper") {
            // It was not waited for: it is still there.
            let sleeper = stage.read("sleeper");
            assert!(Command::new("kill").arg(sleeper.trim()).status().unwrap().success(), "{script}");
        }
        let status = git(&stage, &["status", "--short", "--", "src", "data"]);
        assert_eq!(status, "M  src/x.rs\n?? data/new.txt\n", "{script}");
        let left = std::fs::read_dir(stage.root().join(".git")).unwrap().flatten();
        let is_lock = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "lock");
        let locks: Vec<_> = left.map(|entry| entry.path()).filter(is_lock).collect();
        assert!(locks.is_empty(), "{script}: {locks:?}");
    }
}

#[test]
fn what_the_person_takes_out_of_git_stays_out() {
    let stage = stage();
    git(&stage, &["rm", "-q", "--cached", "data/a.txt"]);
    assert_eq!(bash(&stage, "make", || stage.write("data/b.txt", "b\n")), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/b.txt\n");
    let status = git(&stage, &["status", "--short", "--", "data"]);
    assert_eq!(status, "D  data/a.txt\n?? data/a.txt\n");
}

#[test]
fn gits_own_word_is_told_and_not_its_advice() {
    let stage = stage();
    stage.write(".git/index.lock", "");
    let said = wrote(&stage, "data/b.txt", "b\n");
    assert!(
        said.contains("because git add: fatal: Unable to create") && said.contains("File exists."),
        "{said}"
    );
}

#[test]
fn a_name_that_is_no_text_is_committed() {
    use std::os::unix::ffi::OsStrExt;
    let stage = stage();
    let write = || std::fs::write(stage.root().join(std::ffi::OsStr::from_bytes(b"data/\xff")), "x").unwrap();
    assert_eq!(bash(&stage, "make", write), "");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\t\"data/\\377\"\n");
    assert_eq!(dirty(&stage), "");
}

#[test]
fn a_repository_within_is_named_once_and_left_alone() {
    let stage = stage();
    let clone = || {
        stage.write("data/clone/f", "x");
        git(&stage, &["init", "-q", "data/clone"]);
        git(&stage, &["-C", "data/clone", "add", "f"]);
        git(
            &stage,
            &["-C", "data/clone", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "theirs"],
        );
        stage.write("data/b.txt", "b\n");
    };
    insta::assert_snapshot!(line(&bash(&stage, "make", clone)), @"engine: not committed, because data/clone is a repository of its own: Bash: make. The work goes on. See: engine doctor");
    assert_eq!(git(&stage, &["show", "--format=%s", "--name-status"]), "Bash: make\n\nA\tdata/b.txt\n");
    assert_eq!(wrote(&stage, "data/clone/g", "g\n"), "", "it was told");
    // A path that is a submodule.
    let sub = Stage::new();
    sub.write(".engine/config.toml", "[autocommit]\npaths = [\"sub\"]\n");
    sub.git(&["init", "-q", "-b", "main"]);
    let theirs = stage.root().join("data/clone").display().to_string();
    sub.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &theirs, "sub"]);
    sub.git(&["commit", "-qm", "begin"]);
    let told = bash(&sub, "make", || sub.write("sub/f", "made\n"));
    insta::assert_snapshot!(line(&told), @"engine: not committed, because sub is a repository of its own: Bash: make. The work goes on. See: engine doctor");
    let input = json!({"file_path": sub.root().join("sub/g"), "content": "g\n"});
    assert_eq!(called(&sub, "Write", &input, || sub.write("sub/g", "g\n")), "", "once");
    let mut other = sub.event_with("PostToolUse", &json!({"tool_name": "Write", "tool_input": input}));
    other["session_id"] = json!("s-other");
    insta::assert_snapshot!(line(&sub.hook(&other).stdout), @"engine: not committed, because sub is a repository of its own: Write: sub/g. The work goes on. See: engine doctor");
    assert_eq!(git(&sub, &["log", "--format=%s"]), "begin\n");
}

#[test]
fn a_project_below_the_top_of_its_repository() {
    let stage = stage();
    stage.write("sub/.engine/config.toml", "[autocommit]\npaths = [\"data\"]\n");
    stage.write("sub/data/x.txt", "x\n");
    stage.write("data/x.txt", "not of this project\n");
    let input = json!({"file_path": stage.root().join("sub/data/x.txt"), "content": "x\n"});
    let mut event = stage.event_with("PostToolUse", &json!({"tool_name": "Write", "tool_input": input}));
    event["cwd"] = json!(stage.root().join("sub"));
    let mut command = stage.command(&["hook"]);
    command.env("CLAUDE_PROJECT_DIR", stage.root().join("sub"));
    let output = crate::stage::run(command, Some(event.to_string().as_bytes()));
    assert_eq!(output.stdout, "");
    insta::assert_snapshot!(log(&stage), @"
    begin

    A	data/a.txt
    A	src/x.rs
    Write: data/x.txt

    A	sub/data/x.txt
    ");
}

/// Finding B4 with the real client: the person's file is there before the session, and one comes while it runs.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn real_what_the_model_writes_is_committed_and_nothing_of_the_persons() {
    let bench = bench(&[]);
    bench.write(".engine/config.toml", "[autocommit]\npaths = [\"data\"]\n").unwrap();
    accept(&bench);
    bench.write("data/shared.txt", "s\n").unwrap();
    bench.commit_all("begin").unwrap();
    bench.write("data/person.md", "a person's\n").unwrap();
    bench.write("data/shared.txt", "s, and the person's\n").unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("look").prompt_contains("go").tool_use("Bash", json!({"command": "ls data"})))
        .turn(
            Turn::new("write")
                .tool_result_of("Bash")
                .tool_use("Write", json!({"file_path": "${PROJECT}/data/x.txt", "content": "x\n"})),
        )
        .turn(
            Turn::new("other")
                .tool_result_of("Write")
                .tool_use("Bash", json!({"command": "echo y > data/y.txt; echo z > z.txt; false"})),
        )
        .turn(
            Turn::new("mix")
                .last_contains("Exit code 1")
                .tool_use("Bash", json!({"command": "echo more >> data/shared.txt"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    insta::assert_snapshot!(bench.git(&["log", "--format=%s", "--name-only"]).unwrap().split("begin").next().unwrap(), @"
    Bash: echo y > data/y.txt; echo z > z.txt; false

    data/y.txt
    Write: data/x.txt

    data/x.txt
    ");
    assert_eq!(
        bench.git(&["status", "--porcelain"]).unwrap().trim(),
        "M data/shared.txt\n?? data/person.md\n?? z.txt"
    );
}
