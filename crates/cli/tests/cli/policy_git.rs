//! Rules of the pack git that look at the repository: its branch, and work that is not committed.

use crate::policy::word;
use crate::stage::Stage;

#[test]
fn a_protected_branch_takes_no_commits() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(word(&stage, "git commit -m x"), "none", "off by default");
    stage.write(".engine/config.toml", "[policy.git]\nprotected-branch = \"block\"\n");
    assert_eq!(word(&stage, "git commit -m x"), "deny");
    stage.write(".git/HEAD", "ref: refs/heads/feature\n");
    assert_eq!(word(&stage, "git commit -m x"), "none");
    stage.write(
        ".engine/config.toml",
        "[policy]\nbranches = [\"feature\"]\n[policy.git]\nprotected-branch = \"block\"\n",
    );
    assert_eq!(word(&stage, "git commit -m x"), "deny");
}

#[test]
fn discarding_unsaved_work_is_asked_about() {
    let stage = Stage::new();
    assert_eq!(word(&stage, "git checkout -- a"), "ask", "there is no repository that could be asked");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write("a", "one\n");
    stage.write("src/b", "one\n");
    stage.git(&["add", "a", "src"]);
    stage.git(&["-c", "user.name=dev", "-c", "user.email=d@example.com", "commit", "-q", "-m", "start"]);
    stage.write("src/b", "two\n");
    for (command, expected) in [
        ("git checkout -- a", "none"),
        ("git restore a", "none"),
        ("git checkout -- src/", "ask"),
        ("git restore src/b", "ask"),
        ("cd src && git restore b", "ask"),
        ("git checkout main -- a src", "ask"),
        ("git checkout src", "ask"),
        ("git checkout main", "none"),
        ("git restore --staged src/b", "none"),
        ("git checkout -- nothing", "ask"),
        ("git checkout -- $F", "ask"),
    ] {
        assert_eq!(word(&stage, command), expected, "{command}");
    }
    let out = stage.engine(&["policy", "check", "git restore src"]);
    insta::assert_snapshot!(out.stdout, @"ask git.discard-paths: `git restore src` needs the user's word: changes that are not committed would be lost, or git could not say whether there are any. Instead: git diff PATH shows them; git stash push PATH keeps them aside.");
    assert_eq!(out.code, Some(4));
    stage.ok(&["config", "set", "policy.git.discard-paths", "off"]);
    assert_eq!(word(&stage, "git restore src"), "none");
}

#[test]
fn a_branch_that_does_not_exist_is_not_moved() {
    let stage = Stage::new();
    assert_eq!(word(&stage, "git checkout -B new"), "ask", "there is no repository that could be asked");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write("a", "one\n");
    stage.git(&["add", "a"]);
    stage.git(&["-c", "user.name=dev", "-c", "user.email=d@example.com", "commit", "-q", "-m", "start"]);
    stage.git(&["branch", "old"]);
    for (command, expected) in [
        ("git checkout -B new", "none"),
        ("git switch -C new main", "none"),
        ("git branch -f new HEAD", "none"),
        ("git branch -M old new", "none"),
        ("git checkout -B old", "ask"),
        ("git switch -C old", "ask"),
        ("git branch -f old HEAD", "ask"),
        ("git branch -f $B HEAD", "ask"),
        ("git -C /nowhere checkout -B new", "ask"),
        ("GIT_DIR=x git checkout -B new", "ask"),
        ("git branch -m old new && git checkout -B new HEAD~1", "ask"),
    ] {
        assert_eq!(word(&stage, command), expected, "{command}");
    }
    assert_eq!(stage.engine(&["policy", "check", "git checkout -B new"]).code, Some(0));
    assert_eq!(stage.engine(&["policy", "check", "git checkout -B old"]).code, Some(4));
}

#[test]
fn a_protected_branch_knows_its_own_way_out() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write(".engine/config.toml", "[policy.git]\nprotected-branch = \"block\"\n");
    for command in [
        "git switch -c feat && git commit -m x",
        "git -C /other commit -m x",
        "cd /tmp/other && git commit -m x",
        "git merge --continue",
    ] {
        assert_eq!(word(&stage, command), "none", "{command}");
    }
    assert_eq!(word(&stage, "git commit -m x"), "deny");
}
