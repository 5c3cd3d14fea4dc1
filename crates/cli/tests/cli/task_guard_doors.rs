//! The rule `tasks` against the ways by which a hasty agent writes a file. The cases are from docs/tasks.md.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::stage::Stage;
use crate::task_guard::{FILE, is_refused, reason, stage};

/// Commands by which a task would be lost.
const REFUSED: &[&str] = &[
    "echo x > session.md",
    ": > session.md",
    "> session.md",
    "echo x >| session.md",
    "make 2> session.md",
    "make &> session.md",
    "cat > session.md <<'EOF'\n# Session\nEOF",
    "cat <<EOF > ./session.md\n# Session\nEOF",
    "{ echo a; echo b; } > session.md",
    "(echo a) > session.md",
    "exec > session.md; echo x",
    "jq . x.json > session.md",
    "sed -i 's/\\[ \\]/[x]/' session.md",
    "sed -i.bak -e '/Alpha/d' ./session.md",
    "sed --in-place s/a/b/ session.md",
    "perl -i -pe 's/\\[ \\]/[x]/' session.md",
    "perl -pi.bak -e 's/a/b/' session.md",
    "ruby -i -pe 'gsub(/a/, \"b\")' session.md",
    "gawk -i inplace '{print}' session.md",
    "awk '!/Alpha/' session.md > t && mv t session.md",
    "grep -v Alpha session.md | sponge session.md",
    "sort -o session.md session.md",
    "cp /dev/null session.md",
    "cp old/session.md .",
    "cp -f other.md session.md",
    "mv new.md session.md",
    "mv session.md session.bak",
    "install -m 644 other.md session.md",
    "rsync other.md session.md",
    "ln -sf other.md session.md",
    "rm session.md",
    "rm -f -- session.md",
    "rm ./*.md",
    "unlink session.md",
    "shred -u session.md",
    "gzip session.md",
    "truncate -s 0 session.md",
    "truncate --size=0 session.md",
    "echo x | tee session.md",
    "tee session.md < /dev/null",
    "dd if=/dev/null of=session.md",
    "curl -so session.md https://example.org/x",
    "wget -O session.md https://example.org/x",
    "patch session.md < x.diff",
    "git apply <<'EOF'\n--- a/session.md\n+++ b/session.md\n@@ -1 +1 @@\n-x\n+y\nEOF",
    "git checkout -- session.md",
    "git checkout HEAD session.md",
    "git checkout HEAD~2 -- session.md",
    "git checkout --ours session.md",
    "git checkout --theirs -- session.md",
    "git restore session.md",
    "git restore --source=HEAD~1 session.md",
    "git rm session.md",
    "git rm -f session.md",
    "git mv session.md old.md",
    "git show HEAD:session.md > session.md",
    "python3 -c \"open('session.md', 'w').write('')\"",
    "python3 -c \"from pathlib import Path; Path('session.md').write_text('')\"",
    "python3 - <<'EOF'\nimport os\nos.remove('session.md')\nEOF",
    "python3 - <<'EOF'\nimport shutil\nshutil.move('session.md', 'old.md')\nEOF",
    "python3 - <<'EOF'\ntext = open('session.md').read()\nwith open('session.md', 'w') as f:\n    f.write(text.replace('[ ]', '[x]'))\nEOF",
    "node -e \"require('fs').writeFileSync('session.md', '')\"",
    "ruby -e \"File.write('session.md', '')\"",
    "perl -e 'open(F, \">session.md\"); print F \"x\"'",
    "ed -s session.md <<'EOF'\n1,$d\nw\nEOF",
    "ex -s session.md -c '%d' -c wq",
    "vim -es -c '%d' -c wq session.md",
    "cd src && echo x > ../session.md",
    "cd src/deep; sed -i d ../../session.md",
    "(cd src && rm ../session.md)",
    "echo x > \"$PWD/session.md\"",
    "echo x > \"$(git rev-parse --show-toplevel)/session.md\"",
    "echo x > $(pwd)/session.md",
    "f=session.md; echo x > \"$f\"",
    "F=$PWD/session.md && sed -i d $F",
    "for f in session.md notes.md; do sed -i s/a/b/ \"$f\"; done",
    "bash -c 'echo x > session.md'",
    "sh <<'EOF'\n: > session.md\nEOF",
    "eval 'rm session.md'",
    "env X=1 rm session.md",
    "timeout 5 sed -i d session.md",
    "nohup rm session.md &",
    "echo session.md | xargs rm",
    "ls *.md | xargs sed -i s/a/b/",
    "find . -name session.md -delete",
    "find . -name '*.md' -exec sed -i s/a/b/ {} +",
    "find . -maxdepth 1 -type f -name 'sess*' | xargs rm -f",
    "true && echo x > session.md || true",
    "echo a >> session.md; echo b > session.md",
    "echo x >> notes.md > session.md",
    "echo x > link.md",
    "sed -i s/a/b/ src/deep/link.md",
    "tee src/deep/link.md",
    "engine merge-driver base.md session.md theirs.md",
    "engine --json merge-driver base.md session.md theirs.md",
    "engine log session.md --overwrite x",
];

/// Commands by which nothing is lost.
const PASSES: &[&str] = &[
    "cat session.md",
    "wc -l < session.md",
    "grep -n Alpha session.md",
    "sed -n 1,5p session.md",
    "sed s/a/b/ session.md > other.md",
    "awk '/Alpha/' session.md",
    "diff session.md other.md > out.diff",
    "cp session.md /tmp/kept.md",
    "cp session.md old/",
    "echo '- [ ] **New** — | opus' >> session.md",
    "cat >> session.md <<'EOF'\n- [ ] **New** —\nEOF",
    "{ echo a; echo b; } >> session.md",
    "echo x | tee -a session.md",
    "echo x | tee --append session.md",
    "touch session.md",
    "chmod 644 session.md",
    "ls -l session.md",
    "git add session.md",
    "git add -A && git commit -qm 'Hand over'",
    "git commit -m x -- session.md",
    "git diff session.md",
    "git show HEAD:session.md",
    "git log -p -- session.md",
    "git blame session.md",
    "git merge topic",
    "git rebase main",
    "git pull --ff-only",
    "git stash",
    "git stash pop",
    "git switch topic",
    "git checkout topic",
    "git checkout -b session.md",
    "git cherry-pick abc",
    "git checkout -m -- session.md",
    "git checkout --conflict=diff3 session.md",
    "git rm --cached session.md",
    "git restore --staged session.md",
    "git update-index --assume-unchanged session.md",
    "engine task done Alpha",
    "engine task edit Alpha --rename Gamma && engine task move Gamma --last",
    "engine handoff --status 'Half done.'",
    "engine task add New >> log.txt",
    "echo x > docs/session.md",
    "echo x > session.md.bak",
    "rm session.md.bak",
    "rm notes.md src/session.md",
    "mv notes.md docs/",
    "echo 'rm session.md'",
    "git commit -m 'Do not rm session.md > x'",
    "python3 -c \"print(open('session.md').read())\"",
    "python3 -c \"open('notes.md', 'w').write(open('session.md').read())\"",
    "ln -s session.md second.md",
    "find . -name '*.md' -print",
    "find src -name '*.md' -delete",
    "echo x > /tmp/session.md",
    "cd /tmp && echo x > session.md",
];

fn doors() -> Stage {
    let stage = stage();
    stage.write("src/deep/a.rs", "");
    symlink("session.md", stage.root().join("link.md")).unwrap();
    symlink("../../session.md", stage.root().join("src/deep/link.md")).unwrap();
    stage
}

fn found(stage: &Stage, commands: &[&str], expected: bool) -> Vec<String> {
    let differs = |command: &&&str| is_refused(&reason(stage, &stage.bash(command))) != expected;
    commands.iter().filter(differs).map(|command| (*command).to_owned()).collect()
}

#[test]
fn commands_that_overwrite_or_delete_are_refused() {
    assert_eq!(found(&doors(), REFUSED, true), [""; 0]);
}

#[test]
fn commands_that_lose_nothing_pass() {
    assert_eq!(found(&doors(), PASSES, false), [""; 0]);
}

/// In a file without open tasks there is nothing to lose.
#[test]
fn a_file_without_open_tasks_is_free() {
    let stage = doors();
    stage.write("session.md", "## Pending Tasks\n\n- [x] **Old** —\n- [-] **Older** —\n");
    assert_eq!(found(&stage, REFUSED, false), [""; 0]);
    fs::remove_file(stage.root().join("session.md")).unwrap();
    assert_eq!(found(&stage, REFUSED, false), [""; 0]);
}

#[test]
fn tools_of_servers_are_judged_alike() {
    let stage = doors();
    let root = stage.root().display().to_string();
    let call = |tool: &str, input: &Value| {
        reason(&stage, &stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input})))
    };
    for (tool, input, expected) in [
        ("mcp__fs__write_file", json!({"path": format!("{root}/session.md"), "content": "# S\n"}), true),
        (
            "mcp__fs__write_file",
            json!({"path": "session.md", "content": FILE.replace("- one", "- two")}),
            false,
        ),
        ("mcp__fs__write_file", json!({"path": "notes.md", "content": "# S\n"}), false),
        ("mcp__fs__delete_file", json!({"path": "session.md"}), true),
        ("mcp__fs__move_file", json!({"source": "session.md", "destination": "old.md"}), true),
        ("mcp__fs__read_file", json!({"path": "session.md"}), false),
        ("mcp__sh__run", json!({"command": "rm session.md"}), true),
        ("NotebookEdit", json!({"notebook_path": "session.md", "new_source": ""}), true),
        ("Write", json!({"file_path": "link.md", "content": "# S\n"}), true),
        ("Write", json!({"file_path": "src/../session.md", "content": "# S\n"}), true),
        ("Write", json!({"file_path": "src/deep/link.md", "content": FILE.replace("[>]", "[x]")}), true),
        ("Write", json!({"file_path": "docs/session.md", "content": "# S\n"}), false),
    ] {
        assert_eq!(is_refused(&call(tool, &input)), expected, "{tool} {input}");
    }
}

/// From the main checkout, from the worktree, and in a worktree that has no `.engine/` of its own.
#[test]
fn the_task_file_of_a_worktree_is_guarded() {
    let stage = stage();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "session.md"]);
    stage.git(&["commit", "-qm", "start"]);
    let tree = stage.home().join("tree");
    stage.git(&["worktree", "add", "-q", &tree.display().to_string()]);
    let at = |cwd: &std::path::Path, command: &str| {
        let mut event = stage.bash(command);
        event["cwd"] = json!(cwd);
        is_refused(&reason(&stage, &event))
    };
    let inside = format!("{}/session.md", tree.display());
    assert!(at(&tree, "cat > session.md <<'EOF'\n# Session\nEOF"));
    assert!(at(&stage.root(), &format!("rm {inside}")));
    assert!(at(&stage.root(), &format!("cd {} && sed -i d session.md", tree.display())));
    assert!(!at(&tree, "echo x >> session.md"));
    assert!(!at(&tree, "mkdir -p sub && echo x > sub/session.md"));
    let write = json!({"tool_name": "Write", "tool_input": {"file_path": inside, "content": "# S\n"}});
    let reason = reason(&stage, &stage.event_with("PreToolUse", &write));
    assert!(reason.contains("[TOP]/home/tree/session.md is refused"), "{reason}");
    // Another repository is nobody's.
    let other = stage.home().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("session.md"), FILE).unwrap();
    assert!(!at(&other, "rm session.md"));
}

#[test]
fn the_configured_file_is_guarded_and_no_other() {
    let stage = stage();
    stage.write(".engine/config.toml", "[tasks]\nfile = \"docs/my tasks.md\"\n");
    stage.write("docs/my tasks.md", FILE);
    assert_eq!(found(&stage, &["rm session.md", "echo > docs/x.md"], false), [""; 0]);
    let refused =
        ["rm 'docs/my tasks.md'", "rm -rf docs", "mv docs old", "rm -r doc*", "echo > docs/my\\ tasks.md"];
    assert_eq!(found(&stage, &refused, true), [""; 0]);
    // The usual second place.
    let stage = Stage::new();
    stage.write("agents/session.md", FILE);
    assert_eq!(found(&stage, &["rm agents/session.md", "cd agents && : > session.md"], true), [""; 0]);
    stage.write("session.md", "# Session\n");
    assert_eq!(found(&stage, &["rm agents/session.md"], false), [""; 0]);
}

/// The link itself is what is deleted or replaced.
#[test]
fn a_task_file_that_is_a_link_is_guarded_by_both_names() {
    let stage = Stage::new();
    stage.write("docs/real.md", FILE);
    symlink("docs/real.md", stage.root().join("session.md")).unwrap();
    let refused =
        ["rm session.md", "echo > session.md", "sed -i d docs/real.md", "mv session.md x", "rm docs/real.md"];
    assert_eq!(found(&stage, &refused, true), [""; 0]);
    assert_eq!(found(&stage, &["echo >> docs/real.md", "rm docs/other.md"], false), [""; 0]);
}

#[test]
fn shadow_and_off_refuse_nothing() {
    let stage = stage();
    for mode in ["shadow", "off"] {
        stage.ok(&["config", "set", "rules.tasks", mode]);
        assert_eq!(found(&stage, &["rm session.md"], false), [""; 0]);
    }
}

#[test]
fn in_a_project_that_is_not_trusted_the_rule_is_silent() {
    let stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "");
    stage.write_from_elsewhere("session.md", FILE);
    assert_eq!(found(&stage, &["rm session.md"], false), [""; 0]);
}
