//! Ways around trust that a clone, or a script that the agent runs, might try.

use crate::stage::{Output, Stage};

/// What comes of an event, for the client and the person.
fn answer(stage: &Stage, output: &Output) -> String {
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    stage.masked(&output.stdout)
}

fn bash(stage: &Stage, command: &str) -> String {
    answer(stage, &stage.hook(&stage.bash(command)))
}

fn start(stage: &Stage) -> String {
    answer(stage, &stage.hook(&stage.event("SessionStart")))
}

#[test]
fn a_list_of_branches_takes_no_branch_out_of_protection() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write(".engine/config.toml", "[policy.git]\nprotected-branch = \"block\"\n");
    let refused = bash(&stage, "git commit -m x");
    insta::assert_snapshot!(refused, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule policy: git.protected-branch: `git commit -m x` is refused: this branch takes changes by review only. Instead: git switch -c NAME, then the commit."}}"#);
    let other = "[policy]\nbranches = [\"foo\"]\n[policy.git]\nprotected-branch = \"block\"\n";
    stage.write_from_elsewhere(".engine/config.toml", other);
    assert_eq!(bash(&stage, "git commit -m x"), refused);
    insta::assert_snapshot!(start(&stage), @r#"{"systemMessage":"engine: .engine/config.toml was changed, and not by engine. Held: policy.branches = [\"foo\"] (accepted: []). Look: engine config diff. Accept: engine config accept"}"#);
    insta::assert_snapshot!(stage.ok(&["config", "get", "policy.branches"]), @r#"["main", "master", "foo"]"#);
    stage.write(".git/HEAD", "ref: refs/heads/foo\n");
    assert_eq!(bash(&stage, "git commit -m x"), refused, "what it adds counts");
    stage.ok(&["config", "accept"]);
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(bash(&stage, "git commit -m x"), "");
}
