//! `engine directives new | review | add | mention`.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stage::{Output, SESSION, Stage, at_once, run};

const WORK: &str = "sessions/2026_02_07_AUTH";

fn shown(stage: &Stage, out: &Output) -> String {
    stage.masked(&format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr))
}

fn directives(stage: &Stage, args: &[&str]) -> String {
    shown(stage, &stage.engine(&[&["directives"], args].concat()))
}

/// A project with two packages.
fn packages() -> Stage {
    let stage = Stage::new();
    stage.write("packages/a/src/lib.rs", "");
    stage.write("packages/b/lib.rs", "");
    stage
}

#[test]
fn new_makes_a_file_from_its_template_once() {
    let stage = packages();
    insta::assert_snapshot!(directives(&stage, &["new", "pitfalls.md", "packages/a"]), @"
    0 made packages/a/.directives/PITFALLS.md
    packages/a/.directives/AGENTS.md does not mention PITFALLS.md: engine directives mention packages/a
    ");
    insta::assert_snapshot!(stage.read("packages/a/.directives/PITFALLS.md"), @"
    # Pitfalls of packages/a

    What looks right and is wrong. Newest last.

    - **Symptom**: what is seen. *Cause*: why. *Instead*: what works.
    ");
    stage.write("packages/a/.directives/PITFALLS.md", "mine\n");
    insta::assert_snapshot!(directives(&stage, &["new", "PITFALLS", "packages/a"]), @"1 engine: packages/a/.directives/PITFALLS.md is there already");
    assert_eq!(stage.read("packages/a/.directives/PITFALLS.md"), "mine\n");
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS", "packages/a/.directives"]), @"
    0 made packages/a/.directives/AGENTS.md
    packages/a/.directives/AGENTS.md does not mention PITFALLS.md: engine directives mention packages/a
    ");
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS"]), @"0 made .directives/AGENTS.md");
    assert!(stage.read(".directives/AGENTS.md").starts_with("# project\n"));
    insta::assert_snapshot!(directives(&stage, &["new", "TESTING", "--text", "- **Run all**: make", "--json"]), @r#"0 {"file":".directives/TESTING.md","type":"TESTING","unmentioned":["TESTING.md"],"version":1}"#);
    assert_eq!(stage.read(".directives/TESTING.md"), "# Testing project\n\n- **Run all**: make\n");
    let piped =
        run(stage.command(&["directives", "new", "CHECKLIST", "--text", "-"]), Some(b"# Mine\n\n- [ ] x"));
    insta::assert_snapshot!(shown(&stage, &piped), @"
    0 made .directives/CHECKLIST.md
    .directives/AGENTS.md does not mention CHECKLIST.md: engine directives mention
    ");
    assert_eq!(stage.read(".directives/CHECKLIST.md"), "# Mine\n\n- [ ] x\n");
    // Below a folder of the project, an argument is from there first, then from the root.
    let below = stage.command_in(&stage.root().join("packages"), &["directives", "new", "TESTING", "b"]);
    insta::assert_snapshot!(shown(&stage, &run(below, None)), @"
    0 made packages/b/.directives/TESTING.md
    packages/b/.directives/AGENTS.md does not mention TESTING.md: engine directives mention packages/b
    ");
    let below =
        stage.command_in(&stage.root().join("packages/b"), &["directives", "new", "PITFALLS", "packages/b"]);
    insta::assert_snapshot!(shown(&stage, &run(below, None)), @"
    0 made packages/b/.directives/PITFALLS.md
    packages/b/.directives/AGENTS.md does not mention PITFALLS.md: engine directives mention packages/b
    ");
}

#[test]
fn new_is_refused_where_directives_do_not_count() {
    let stage = packages();
    stage.write("node_modules/x/i.js", "");
    stage.write("../elsewhere/x", "");
    symlink(stage.root().join("../elsewhere"), stage.root().join("out")).unwrap();
    fs::create_dir_all(stage.root().join("packages/b/.directives")).unwrap();
    stage.write("../elsewhere/AGENTS.md", "theirs\n");
    symlink(
        stage.root().join("../elsewhere/AGENTS.md"),
        stage.root().join("packages/b/.directives/AGENTS.md"),
    )
    .unwrap();
    symlink(stage.root().join(".engine/config.toml"), stage.root().join("packages/b/.directives/TESTING.md"))
        .unwrap();
    // What is read of the configuration is kept.
    directives(&stage, &["new", "AGENTS", "packages/none"]);
    let before = stage.tree();
    insta::assert_snapshot!(directives(&stage, &["new", "NOTES"]), @"
    2 error: invalid value 'NOTES' for '<TYPE>': there are AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE, CHECKLIST

    For more information, try '--help'.
    ");
    for (dir, refused) in [
        ("packages/none", "1 engine: there is no folder packages/none\n"),
        ("packages/b/lib.rs", "1 engine: there is no folder packages/b/lib.rs\n"),
        ("../elsewhere", "1 engine: ../elsewhere is outside of the project [TOP]/project\n"),
        ("out", "1 engine: out is outside of the project [TOP]/project\n"),
    ] {
        assert_eq!(directives(&stage, &["new", "AGENTS", dir]), refused, "{dir}");
    }
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS", "node_modules/x"]), @"
    1 engine: node_modules/x: directives in it do not count
      folders that are left out: engine config show directives.skip
    ");
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS", ".engine"]), @"
    1 engine: .engine: directives in it do not count
      folders that are left out: engine config show directives.skip
    ");
    insta::assert_snapshot!(directives(&stage, &["add", "AGENTS", "packages/b", "--text", "x"]), @"1 engine: packages/b/.directives/AGENTS.md is a link to a file that is not ours to write");
    insta::assert_snapshot!(directives(&stage, &["add", "TESTING", "packages/b", "--text", "x"]), @"1 engine: packages/b/.directives/TESTING.md is a link to a file that is not ours to write");
    insta::assert_snapshot!(directives(&stage, &["mention", "packages/b"]), @"1 engine: packages/b/.directives/AGENTS.md is a link to a file that is not ours to write");
    insta::assert_snapshot!(directives(&stage, &["add", "CHECKLIST", "--text", "x"]), @"
    2 error: invalid value 'CHECKLIST' for '<TYPE>': edit the file; entries go into AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(directives(&stage, &["add", "PITFALLS", "--text", " "]), @"2 engine: the text is empty");
    assert_eq!(stage.tree(), before);
}

#[test]
fn ones_own_directives_are_for_every_project() {
    let mut stage = Stage::new();
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS", "--user"]), @"0 made [TOP]/home/.config/engine/directives/AGENTS.md");
    assert!(stage.read("../home/.config/engine/directives/AGENTS.md").starts_with("# every project\n"));
    insta::assert_snapshot!(directives(&stage, &["new", "AGENTS", "--user", "--json"]), @r#"1 {"error":"[TOP]/home/.config/engine/directives/AGENTS.md is there already","hints":[],"version":1}"#);
    // They reach beyond the project, so an agent needs a person's word.
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.set("XDG_CONFIG_HOME", &stage.home().join("xdg").display().to_string());
    insta::assert_snapshot!(directives(&stage, &["new", "PITFALLS", "--user"]), @"
    1 engine: a directive for every project: PITFALLS: # Pitfalls of every project⏎⏎What looks right and is wrong. Newest last.⏎⏎- **Symptom**: what is seen. *Cause*: why. *Instead*: what works. needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    let approved = ["new", "PITFALLS", "--user", "--user-approved", "yes, for all"];
    insta::assert_snapshot!(directives(&stage, &approved), @"
    1 engine: a directive for every project: PITFALLS: # Pitfalls of every project⏎⏎What looks right and is wrong. Newest last.⏎⏎- **Symptom**: what is seen. *Cause*: why. *Instead*: what works. needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(directives(&stage, &approved), @"0 made [TOP]/home/xdg/engine/directives/PITFALLS.md");
}

#[test]
fn add_appends_one_entry_and_nothing_twice() {
    let stage = packages();
    let add = |text: &str| directives(&stage, &["add", "PITFALLS", "packages/a", "--text", text]);
    insta::assert_snapshot!(add("**Symptom**: it hangs.\n*Cause*: two locks."), @"
    0 packages/a/.directives/PITFALLS.md: made, with **Symptom**: it hangs. *Cause*: two locks.
    packages/a/.directives/AGENTS.md does not mention PITFALLS.md: engine directives mention packages/a
    ");
    insta::assert_snapshot!(stage.read("packages/a/.directives/PITFALLS.md"), @"
    # Pitfalls of packages/a

    What looks right and is wrong. Newest last.

    - **Symptom**: it hangs. *Cause*: two locks.
    ");
    insta::assert_snapshot!(add("- **Symptom**: it hangs. *Cause*: two locks."), @"3 engine: packages/a/.directives/PITFALLS.md:5 says it already");
    let own = "\u{feff}# Own\r\n\r\n* one\r\n  more";
    stage.write("packages/a/.directives/PITFALLS.md", own);
    insta::assert_snapshot!(add("two"), @"0 packages/a/.directives/PITFALLS.md: added two");
    assert_eq!(stage.read("packages/a/.directives/PITFALLS.md"), format!("{own}\r\n- two\r\n"));
    insta::assert_snapshot!(add("one more"), @"3 engine: packages/a/.directives/PITFALLS.md:3 says it already");
    stage.write("packages/a/.directives/PITFALLS.md", "# Own\n\n```\nx\n");
    insta::assert_snapshot!(add("three"), @"
    1 engine: packages/a/.directives/PITFALLS.md:3: the code or comment that begins here never ends
      close it first: an entry behind it would be part of it
    ");
    let json = ["directives", "add", "INVARIANTS", "--text", "-", "--json"];
    insta::assert_snapshot!(shown(&stage, &run(stage.command(&json), Some(b"one writer\n"))), @r#"0 {"entry":"one writer","file":".directives/INVARIANTS.md","made":true,"type":"INVARIANTS","unmentioned":["INVARIANTS.md"],"version":1}"#);
    assert!(stage.read(".directives/INVARIANTS.md").ends_with("breaking it.\n\n- one writer\n"));
}

#[test]
fn many_who_add_at_once_lose_nothing() {
    let stage = packages();
    let add = |number: usize| {
        stage.command(&["directives", "add", "INVARIANTS", "--text", &format!("rule {number}")])
    };
    for output in at_once(12, add) {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    let file = stage.read(".directives/INVARIANTS.md");
    assert_eq!(file.matches("\n- rule ").count(), 12, "{file}");
}

#[test]
fn mention_names_what_agents_md_does_not() {
    let stage = packages();
    insta::assert_snapshot!(directives(&stage, &["mention", "packages/a"]), @"3 engine: packages/a/.directives/AGENTS.md has nothing to mention");
    stage.write("packages/a/.directives/PITFALLS.md", "x");
    stage.write("packages/a/.directives/TESTING.md", "x");
    stage.write("packages/a/.directives/NOTES.md", "no directive");
    insta::assert_snapshot!(directives(&stage, &["mention", "packages/a"]), @"0 packages/a/.directives/AGENTS.md: mentions TESTING.md, PITFALLS.md now");
    insta::assert_snapshot!(stage.read("packages/a/.directives/AGENTS.md"), @"
    # packages/a

    What an agent must know before it works here. Facts and commands, no prose.

    - **Other directives of this folder**: `TESTING.md` (how it is tested), `PITFALLS.md` (what looks right and is wrong)
    ");
    insta::assert_snapshot!(directives(&stage, &["mention", "packages/a"]), @"3 engine: packages/a/.directives/AGENTS.md has nothing to mention");
    stage.ok(&["directives", "new", "AGENTS", "packages/b"]);
    let made = stage.read("packages/b/.directives/AGENTS.md");
    stage.write("packages/b/.directives/CHECKLIST.md", "x");
    insta::assert_snapshot!(directives(&stage, &["mention", "packages/b", "--json"]), @r#"0 {"file":"packages/b/.directives/AGENTS.md","mentioned":["CHECKLIST.md"],"version":1}"#);
    let named = "this folder**: `CHECKLIST.md` (what is asked before the work may end)";
    assert_eq!(stage.read("packages/b/.directives/AGENTS.md"), made.replace("this folder**:", named));
}

/// A work session with these logs, to which this agent session is bound.
fn session(logs: &[(&str, &str)]) -> Stage {
    let mut stage = packages();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild it.\n");
    stage.hook(&stage.event("SessionStart"));
    for (name, text) in logs {
        stage.write(&format!("{WORK}/{name}"), text);
    }
    stage.ok(&["session", "activate", WORK, "build"]);
    stage
}

const LOG: &str = "# BUILD log

## [2026-02-07 10:00:00] INV: one writer at a time
**Phase**: 3: Build
Two lost an entry in `packages/a/`.

## [2026-02-07 10:10:00] Decision: JSON
Because every tool reads it.
PTF: the parser of `packages/b/lib.rs:3` takes
a lone comma.
```
INV: in code, no candidate
```
- **PTF**: in sessions/2026_02_07_AUTH nobody looks
";

#[test]
fn review_proposes_and_writes_nothing() {
    let stage = session(&[("BUILD_LOG.md", LOG), ("PLAN.md", "## INV: in no log\n")]);
    stage.write("packages/a/.directives/AGENTS.md", "# a\n");
    stage.write("packages/a/.directives/ARCHITECTURE.md", "x");
    stage.write("target/doc/.directives/PITFALLS.md", "not ours");
    stage.write("packages/b/.directives/AGENTS.md", "# b\n\nSee PITFALLS.md.\n");
    stage.write("packages/b/.directives/PITFALLS.md", "# b\n");
    let before = stage.tree();
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    0 sessions/2026_02_07_AUTH: proposals for .directives/; the user decides which are taken
    not mentioned in the AGENTS.md beside it (engine directives mention DIR):
      packages/a/.directives/ARCHITECTURE.md
    invariants (engine directives add INVARIANTS DIR --text '…'):
      sessions/2026_02_07_AUTH/BUILD_LOG.md:3 for packages/a/.directives/INVARIANTS.md: one writer at a time: Two lost an entry in `packages/a/`.
    pitfalls (engine directives add PITFALLS DIR --text '…'):
      sessions/2026_02_07_AUTH/BUILD_LOG.md:9 for packages/b/.directives/PITFALLS.md: the parser of `packages/b/lib.rs:3` takes a lone comma.
      sessions/2026_02_07_AUTH/BUILD_LOG.md:14 for packages/b/.directives/PITFALLS.md: in sessions/2026_02_07_AUTH nobody looks
    ");
    insta::assert_snapshot!(directives(&stage, &["review", "2026_02_07_AUTH", "--json"]), @r#"0 {"invariants":{"found":[{"dir":"packages/a","file":"sessions/2026_02_07_AUTH/BUILD_LOG.md","line":3,"target":"packages/a/.directives/INVARIANTS.md","text":"one writer at a time: Two lost an entry in `packages/a/`.","type":"INVARIANTS"}],"more":0},"mentions":{"found":[{"agents":"packages/a/.directives/AGENTS.md","dir":"packages/a","file":"packages/a/.directives/ARCHITECTURE.md"}],"more":0},"path":"sessions/2026_02_07_AUTH","pitfalls":{"found":[{"dir":"packages/b","file":"sessions/2026_02_07_AUTH/BUILD_LOG.md","line":9,"target":"packages/b/.directives/PITFALLS.md","text":"the parser of `packages/b/lib.rs:3` takes a lone comma.","type":"PITFALLS"},{"dir":"packages/b","file":"sessions/2026_02_07_AUTH/BUILD_LOG.md","line":14,"target":"packages/b/.directives/PITFALLS.md","text":"in sessions/2026_02_07_AUTH nobody looks","type":"PITFALLS"}],"more":0},"version":1}"#);
    assert_eq!(stage.tree(), before);
    // What was taken is not proposed again, also in other words around it.
    stage.ok(&["directives", "mention", "packages/a"]);
    stage.ok(&[
        "directives",
        "add",
        "INVARIANTS",
        "packages/a",
        "--text",
        "**¶INV_WRITER** One writer at a time. *Why*: lost.",
    ]);
    stage.ok(&[
        "directives",
        "add",
        "PITFALLS",
        "packages/b",
        "--text",
        "the parser of `packages/b/lib.rs:3` takes a lone comma.",
    ]);
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    0 sessions/2026_02_07_AUTH: proposals for .directives/; the user decides which are taken
    not mentioned in the AGENTS.md beside it (engine directives mention DIR):
      packages/a/.directives/INVARIANTS.md
    pitfalls (engine directives add PITFALLS DIR --text '…'):
      sessions/2026_02_07_AUTH/BUILD_LOG.md:14 for packages/b/.directives/PITFALLS.md: in sessions/2026_02_07_AUTH nobody looks
    ");
    stage.ok(&["directives", "mention", "packages/a"]);
    stage.ok(&[
        "directives",
        "add",
        "PITFALLS",
        "packages/b",
        "--text",
        "in sessions/2026_02_07_AUTH nobody looks",
    ]);
    insta::assert_snapshot!(directives(&stage, &["review"]), @"0 sessions/2026_02_07_AUTH: nothing to propose");
}

#[test]
fn review_proposes_what_the_session_added_or_changed() {
    let mut stage = packages();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    let phases = "engine:\n  phases:\n    - {label: \"1\", name: Setup}\n";
    stage.write(
        ".claude/skills/build/SKILL.md",
        &format!("---\nname: build\ndescription: Builds.\n{phases}---\nBuild it.\n"),
    );
    for name in ["ARCHITECTURE", "TESTING"] {
        stage.write(&format!("packages/a/.directives/{name}.md"), "old\n");
    }
    stage.hook(&stage.event("SessionStart"));
    stage.ok(&["session", "activate", WORK, "build"]);
    insta::assert_snapshot!(directives(&stage, &["review"]), @"0 sessions/2026_02_07_AUTH: nothing to propose");
    stage.write("packages/a/.directives/TESTING.md", "changed\n");
    stage.write("packages/b/.directives/PITFALLS.md", "new\n");
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    0 sessions/2026_02_07_AUTH: proposals for .directives/; the user decides which are taken
    not mentioned in the AGENTS.md beside it (engine directives mention DIR):
      packages/a/.directives/TESTING.md
      packages/b/.directives/PITFALLS.md
    ");
    // Another skill of the same work session.
    stage.write(
        ".claude/skills/mend/SKILL.md",
        &format!("---\nname: mend\ndescription: Mends.\n{phases}---\nMend it.\n"),
    );
    stage.ok(&["session", "idle", WORK, "--description", "built"]);
    stage.ok(&["session", "activate", WORK, "mend"]);
    stage.ok(&["directives", "mention", "packages/a"]);
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    0 sessions/2026_02_07_AUTH: proposals for .directives/; the user decides which are taken
    not mentioned in the AGENTS.md beside it (engine directives mention DIR):
      packages/b/.directives/PITFALLS.md
    ");
    // For the next work session they are old.
    stage.ok(&["session", "idle", WORK, "--description", "x"]);
    stage.ok(&["session", "activate", "sessions/2026_02_08_NEXT", "build"]);
    insta::assert_snapshot!(directives(&stage, &["review"]), @"0 sessions/2026_02_08_NEXT: nothing to propose");
}

#[test]
fn review_proposes_five_of_each_at_most() {
    let entries: String = (0..7).map(|number| format!("## PTF: trap number {number}\n\n")).collect();
    let stage = session(&[("A_LOG.md", &entries), ("B_LOG.md", &entries)]);
    for number in 0..6 {
        stage.write(&format!("packages/{number}/.directives/TESTING.md"), "x");
    }
    stage.write("packages/latin/.directives/TESTING.md", "x");
    fs::write(stage.root().join("packages/latin/.directives/AGENTS.md"), b"# \xe9\n").unwrap();
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    0 sessions/2026_02_07_AUTH: proposals for .directives/; the user decides which are taken
    not mentioned in the AGENTS.md beside it (engine directives mention DIR):
      packages/0/.directives/TESTING.md
      packages/1/.directives/TESTING.md
      packages/2/.directives/TESTING.md
      packages/3/.directives/TESTING.md
      packages/4/.directives/TESTING.md
      and 1 more
    pitfalls (engine directives add PITFALLS DIR --text '…'):
      sessions/2026_02_07_AUTH/A_LOG.md:1 for .directives/PITFALLS.md: trap number 0
      sessions/2026_02_07_AUTH/A_LOG.md:3 for .directives/PITFALLS.md: trap number 1
      sessions/2026_02_07_AUTH/A_LOG.md:5 for .directives/PITFALLS.md: trap number 2
      sessions/2026_02_07_AUTH/A_LOG.md:7 for .directives/PITFALLS.md: trap number 3
      sessions/2026_02_07_AUTH/A_LOG.md:9 for .directives/PITFALLS.md: trap number 4
      and 2 more
    packages/latin/.directives/AGENTS.md: stream did not contain valid UTF-8
    ");
}

#[test]
fn review_needs_a_session() {
    let stage = Stage::new();
    insta::assert_snapshot!(directives(&stage, &["review"]), @"
    1 engine: no work session is bound here, so none is reviewed
      engine directives review sessions/YYYY_MM_DD_TOPIC
      engine session list shows all
    ");
    insta::assert_snapshot!(directives(&stage, &["review", WORK]), @"
    1 engine: sessions/2026_02_07_AUTH: there is no such work session
      engine session activate sessions/2026_02_07_AUTH SKILL makes it
    ");
}
