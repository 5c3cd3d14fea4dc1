//! Engine's program, and its files by other names and words, through the hook. What words alone tell is in
//! `crates/rules/tests/corpus/own.jsonl`; here is what the disk tells.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::stage::Stage;

const ENGINE: &str = env!("CARGO_BIN_EXE_engine");

/// The reason of a refusal, or nothing.
fn reason(stage: &Stage, event: &Value) -> Option<String> {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    if out.stdout.is_empty() {
        return None;
    }
    let answer = &out.json()["hookSpecificOutput"];
    assert_eq!(answer["permissionDecision"], "deny", "{answer}");
    Some(stage.masked(answer["permissionDecisionReason"].as_str().unwrap()))
}

fn assert_refused(stage: &Stage, commands: &[&str]) {
    for command in commands {
        assert!(reason(stage, &stage.bash(command)).is_some(), "{command}");
    }
}

fn assert_free(stage: &Stage, commands: &[&str]) {
    for command in commands {
        assert_eq!(reason(stage, &stage.bash(command)), None, "{command}");
    }
}

fn write(stage: &Stage, path: &str) -> Value {
    stage.event_with("PreToolUse.Write", &json!({"tool_input": {"file_path": path, "content": "x"}}))
}

const LAST: &str = "the engine's program. Without it the client would run every call unchecked, so no agent changes it. A person does, in a terminal of their own: engine uninstall takes engine out of a project, cargo xtask install puts a new version in its place.";

#[test]
fn the_program_that_runs_is_not_changed() {
    let stage = Stage::new();
    for command in [
        format!("rm {ENGINE}"),
        format!("rm -f {ENGINE}"),
        format!("mv {ENGINE} /tmp/x"),
        format!("cp /bin/true {ENGINE}"),
        format!("ln -sf /bin/true {ENGINE}"),
        format!("install -m 755 /bin/true {ENGINE}"),
        format!("chmod -x {ENGINE}"),
        format!("chown nobody {ENGINE}"),
        format!("truncate -s 0 {ENGINE}"),
        format!("dd if=/dev/null of={ENGINE}"),
        format!("tee {ENGINE}"),
        format!("sed -i s/a/b/ {ENGINE}"),
        format!("rsync /bin/true {ENGINE}"),
        format!("unlink {ENGINE}"),
    ] {
        let shown = stage.masked(&command);
        let expected = format!("engine rule protect: `{shown}` would change [ENGINE]: {LAST}");
        assert_eq!(reason(&stage, &stage.bash(&command)), Some(expected), "{command}");
    }
    let folder = ENGINE.strip_suffix("/engine").unwrap();
    for command in [
        format!("rm -rf {folder}"),
        format!("mv {folder} /tmp/x"),
        format!("find {folder} -name engine -delete"),
    ] {
        assert!(reason(&stage, &stage.bash(&command)).is_some(), "{command}");
    }
    let expected = format!("engine rule protect: [ENGINE] is {LAST}");
    assert_eq!(reason(&stage, &write(&stage, ENGINE)), Some(expected));
    let another = reason(&stage, &stage.bash(&format!("ln {ENGINE} other")));
    insta::assert_snapshot!(another.unwrap(), @"engine rule protect: `ln [ENGINE] other` would make another name for [ENGINE], by which it could be changed. It belongs to engine or wires it into the client.");
    assert_free(&stage, &[&format!("ls -l {ENGINE}"), &format!("sha256sum {ENGINE}")]);
    assert_free(&stage, &["cp x build/engine", "rm target/debug/engine", "mkdir engine", "rm -r sub"]);
    assert_eq!(reason(&stage, &stage.write_tool("bin/engine", "x")), None);
}

/// As a shell finds it: a link in a folder of PATH, or another copy there.
#[test]
fn the_program_on_path_is_not_changed() {
    let mut stage = Stage::new();
    let [links, copies] = ["links", "copies"].map(|name| stage.home().join(name));
    fs::create_dir_all(&links).unwrap();
    fs::create_dir_all(&copies).unwrap();
    symlink(ENGINE, links.join("engine")).unwrap();
    fs::write(copies.join("engine"), "a copy").unwrap();
    fs::hard_link(copies.join("engine"), stage.root().join("tool")).unwrap();
    stage.set("PATH", &format!("{}:{}:/usr/bin:/bin", links.display(), copies.display()));
    assert_refused(
        &stage,
        &[
            "rm ~/links/engine",
            "rm -r ~/links",
            "mv ~/copies ~/x",
            "chmod 000 ~/copies/engine",
            "echo x > ~/copies/engine",
            "rm ~/copies/*",
        ],
    );
    let by_link = reason(&stage, &stage.bash("echo x > tool"));
    insta::assert_snapshot!(by_link.unwrap(), @"engine rule protect: `echo x` would change [TOP]/project/tool, which is [TOP]/home/copies/engine by another name (a hard link). That file belongs to engine or wires it into the client. A copy is free to change: cp it, and write the copy.");
    assert_free(&stage, &["rm tool", "rm ~/copies/other", "ls ~/links"]);
}

#[test]
fn package_managers_leave_the_program_alone() {
    let stage = Stage::new();
    let uninstall = reason(&stage, &stage.bash("cargo uninstall engine-cli"));
    assert_eq!(
        uninstall,
        Some(format!("engine rule protect: `cargo uninstall engine-cli` would remove {LAST}"))
    );
    let install = reason(&stage, &stage.bash("cargo install --force engine-cli"));
    assert_eq!(
        install,
        Some(format!("engine rule protect: `cargo install --force engine-cli` would replace {LAST}"))
    );
    assert_free(&stage, &["cargo uninstall ripgrep", "cargo install --list", "cargo build --bin engine"]);
}

#[test]
fn a_hard_link_of_an_own_file_is_that_file() {
    let stage = Stage::new();
    stage.ok(&["init", "--team"]);
    for (own, other) in [(".engine/config.toml", "notes.toml"), (".claude/settings.json", "notes.json")] {
        fs::hard_link(stage.root().join(own), stage.root().join(other)).unwrap();
    }
    stage.write("a", "x");
    fs::hard_link(stage.root().join("a"), stage.root().join("b")).unwrap();
    let by_tool = reason(&stage, &stage.write_tool("notes.toml", "[rules]\npolicy = \"off\"\n"));
    insta::assert_snapshot!(by_tool.unwrap(), @"engine rule protect: this would change [TOP]/project/notes.toml, which is [TOP]/project/.engine/config.toml by another name (a hard link). That file belongs to engine or wires it into the client. A copy is free to change: cp it, and write the copy.");
    assert_refused(
        &stage,
        &[
            "echo x > notes.toml",
            "sed -i s/a/b/ notes.json",
            "tee -a notes.json < x",
            "chmod 000 notes.toml",
            "python3 -c \"open('notes.toml','w')\"",
        ],
    );
    assert_free(
        &stage,
        &["cat notes.toml", "rm notes.toml", "cp notes.toml /tmp/x", "echo x > b", "echo x > a"],
    );
    assert_eq!(reason(&stage, &stage.write_tool("b", "x")), None);
}

#[test]
fn a_folder_that_holds_own_files_is_not_copied_over_the_project() {
    let stage = Stage::new();
    stage.write("../evil/.engine/config.toml", "x");
    stage.write("../evil/a", "x");
    stage.write("../wired/.claude/settings.json", "{}");
    stage.write("../harmless/.claude/skills/x/SKILL.md", "x");
    stage.write("sub/a", "x");
    let copied = reason(&stage, &stage.bash("cp -r ../evil/. ."));
    insta::assert_snapshot!(copied.unwrap(), @"engine rule protect: `cp -r ../evil/. .` would overwrite [TOP]/project/.engine/config.toml. It belongs to engine or wires it into the client. Leave it out: name the other files or folders that are meant.");
    assert_refused(
        &stage,
        &[
            "rsync -a ../evil/ .",
            "cp -a ../wired/. .",
            "rsync -a ../wired/ ./",
            "cp -r -t . ../evil/.",
            "cd .. && cp -r evil/. project",
        ],
    );
    assert_free(
        &stage,
        &[
            "cp -r ../harmless/. .",
            "rsync -a ../harmless/ .",
            "rsync -a --exclude .engine ../evil/ .",
            "rsync -an ../evil/ .",
            "cp -r ../evil .",
            "cp -r ../evil/. sub",
            "cp -r ../evil/. /tmp/out",
            "cp ../evil/a .",
            "cp -r . ../copy",
            "tar xf a.tar",
        ],
    );
}

#[test]
fn a_stash_takes_no_own_file_away() {
    let stage = Stage::new();
    stage.write("src/a", "x");
    stage.git(&["init", "-q"]);
    stage.git(&["add", "src"]);
    stage.git(&["commit", "-qm", "start"]);
    stage.write("src/a", "y");
    let taken = reason(&stage, &stage.bash("git stash -u"));
    insta::assert_snapshot!(taken.unwrap(), @"engine rule protect: `git stash -u` would take [TOP]/project/.engine away, which has changes that are not committed. It belongs to engine or wires it into the client. Leave it out: name the other files or folders that are meant.");
    assert_refused(&stage, &["git stash push --include-untracked", "git stash -a", "git -C . stash -u"]);
    assert_free(
        &stage,
        &[
            "git stash",
            "git stash push -m x",
            "git stash pop",
            "git stash list",
            "git stash -u -- src",
            "git stash -u -- . ':!.engine'",
        ],
    );
    stage.git(&["add", ".engine/config.toml"]);
    stage.git(&["commit", "-qm", "engine"]);
    assert_free(&stage, &["git stash", "git stash -u"]);
    stage.write(".engine/config.toml", "# changed\n");
    assert_refused(&stage, &["git stash", "git stash push", "git stash -- .engine"]);
    assert_free(&stage, &["git stash -- src", "git stash show", "git stash --staged"]);
}

#[test]
fn a_patch_of_an_own_file_is_refused() {
    let stage = Stage::new();
    let patch = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
    stage.write("own.patch", &patch(".engine/config.toml"));
    stage.write("other.patch", &patch("src/a"));
    let applied = reason(&stage, &stage.bash("git apply own.patch"));
    insta::assert_snapshot!(applied.unwrap(), @"engine rule protect: `git apply own.patch` would change [TOP]/project/.engine/config.toml. It belongs to engine or wires it into the client. Leave it out: name the other files or folders that are meant.");
    assert_refused(
        &stage,
        &["patch -p1 < own.patch", "patch -p1 -i own.patch", "git am own.patch", "git apply < own.patch"],
    );
    assert_free(
        &stage,
        &["git apply other.patch", "patch -p1 < other.patch", "git apply --check own.patch", "cat own.patch"],
    );
}

/// What is in a folder that nobody can enter cannot be read by engine either.
#[test]
fn a_folder_that_holds_own_files_is_not_shut() {
    let stage = Stage::new();
    stage.ok(&["init", "--team"]);
    stage.write("src/a", "x");
    let shut = reason(&stage, &stage.bash("chmod 000 .claude"));
    insta::assert_snapshot!(shut.unwrap(), @"engine rule protect: `chmod 000 .claude` would shut [TOP]/project/.claude, and with it [TOP]/project/.claude/settings.json, which belongs to engine or wires it into the client. A mode passes that leaves the owner what it takes to read it and to go into it: chmod u+rx.");
    assert_refused(
        &stage,
        &["chmod 600 .", "chmod a-x .", "chmod u= .claude", "chown nobody .", "chmod -x .claude"],
    );
    assert_free(
        &stage,
        &[
            "chmod 755 .",
            "chmod u+rwx .claude",
            "chmod 700 .claude",
            "chmod g-w .",
            "chmod 000 src",
            "chmod +x src/a",
        ],
    );
}

/// A link that is made and used in one line; what is there of it before is nothing.
#[test]
fn a_link_made_on_the_same_line_is_followed() {
    let stage = Stage::new();
    stage.ok(&["init"]);
    let linked = reason(&stage, &stage.bash("ln -s .claude c && echo '{}' > c/settings.json"));
    insta::assert_snapshot!(linked.unwrap(), @"engine rule protect: `echo {}` would change [TOP]/project/.claude/settings.json, and what it would become cannot be foreseen. With the Edit or Write tool any change passes that leaves engine's hooks alone.");
    assert_free(
        &stage,
        &["ln -s .claude c && cat c/settings.json", "ln -s .claude c && rm c", "ln -s src s && echo > s/a"],
    );
}

#[test]
fn settings_of_the_machine_are_the_persons() {
    let stage = Stage::new();
    let path = "/etc/claude-code/managed-settings.json";
    let written = reason(&stage, &write(&stage, path));
    insta::assert_snapshot!(written.unwrap(), @"engine rule protect: /etc/claude-code/managed-settings.json is a settings file of the machine, which can switch every hook off. A person changes it, in a terminal of their own.");
    assert_refused(
        &stage,
        &[
            &format!("echo '{{}}' | sudo tee {path}"),
            &format!("echo '{{}}' > {path}"),
            "echo x > '/Library/Application Support/ClaudeCode/managed-settings.json'",
        ],
    );
    assert_free(&stage, &[&format!("cat {path}")]);
    assert_eq!(reason(&stage, &stage.write_tool(".mcp.json", "{}")), None);
}

fn asked(stage: &Stage, command: &str) -> Option<String> {
    let out = stage.hook(&stage.bash(command));
    let answer = (!out.stdout.is_empty()).then(|| out.json()["hookSpecificOutput"].clone())?;
    assert_eq!(answer["permissionDecision"], "ask", "{command}: {answer}");
    Some(stage.masked(answer["permissionDecisionReason"].as_str().unwrap()))
}

#[test]
fn an_agent_that_nobody_judges_is_asked_about() {
    let stage = Stage::new();
    insta::assert_snapshot!(asked(&stage, "cd . && claude --bare -p 'clean up'").unwrap(), @"engine rule policy: agents.unguarded: `claude --bare -p 'clean up'` needs the user's word: what that agent does is neither judged nor recorded. Instead: the same start in the project's root without what switches the hooks off, or a subagent of this session.");
    stage.write("off.json", "{\"disableAllHooks\": true}");
    stage.write("on.json", "{\"model\": \"opus\"}");
    for command in [
        "claude -p --settings off.json x",
        "claude -p --settings '{\"disableAllHooks\":true}' x",
        "ENGINE_OFF=1 claude -p x",
        "codex exec --dangerously-bypass-approvals-and-sandbox x",
    ] {
        assert!(asked(&stage, command).is_some(), "{command}");
    }
    for command in ["claude -p --settings on.json x", "claude -p x", "codex exec x"] {
        assert_eq!(asked(&stage, command), None, "{command}");
    }
}

/// A person can have calls blocked in every project of theirs when the program is gone.
#[test]
fn failing_closed_is_offered_and_can_be_the_persons_default() {
    let stage = Stage::bare();
    let said = stage.ok(&["init"]);
    insta::assert_snapshot!(stage.masked(&said), @"
    created .engine/config.toml
    created .claude/settings.local.json
    note: if the engine's program goes missing, the client runs every call unchecked; to have calls blocked then: engine config set policy.fail closed (with --user: for every project)
    14 events wired. Running sessions pick it up within seconds.
    .claude/settings.local.json permits 20 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
    Next:
      engine doctor              checks that each hook fires
      claude                     start it in this folder and type s: it lists the tasks
      p: write the changelog     typed there, keeps a task; engine --help has the rest
    ");
    assert!(!stage.read(".claude/settings.local.json").contains("onFailure"));
    stage.ok(&["uninstall"]);
    stage.ok(&["config", "set", "policy.fail", "closed", "--user"]);
    let said = stage.ok(&["init"]);
    insta::assert_snapshot!(stage.masked(&said), @"
    created .engine/config.toml
    created .claude/settings.local.json
    14 events wired. Running sessions pick it up within seconds.
    .claude/settings.local.json permits 20 commands of engine without a dialog. The client lists these entries when it asks whether you trust this folder.
    Next:
      engine doctor              checks that each hook fires
      claude                     start it in this folder and type s: it lists the tasks
      p: write the changelog     typed there, keeps a task; engine --help has the rest
    ");
    let settings: Value = serde_json::from_str(&stage.read(".claude/settings.local.json")).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
}

/// A hook is started by the name `engine`: the first one along PATH counts.
#[test]
fn no_other_program_takes_the_place_of_the_engine() {
    let mut stage = Stage::new();
    let first = stage.root().parent().unwrap().join("first");
    fs::create_dir(&first).unwrap();
    let path = std::env::var("PATH").unwrap();
    stage.set("PATH", &format!("{}:{path}", first.display()));
    let engine = first.join("engine").display().to_string();
    for command in ["ln -s /bin/true X", "cp /bin/true X", "echo > X", "install /bin/true X"] {
        assert_refused(&stage, &[&command.replace('X', &engine)]);
    }
    assert!(reason(&stage, &write(&stage, &engine)).is_some());
    let linked = stage.root().parent().unwrap().join("linked");
    symlink(&first, &linked).unwrap();
    stage.set("PATH", &format!("{}:{path}", linked.display()));
    assert_refused(
        &stage,
        &[&format!("cp /bin/true {engine}"), &format!("cp /bin/true {}/engine", linked.display())],
    );
    assert_free(&stage, &[&format!("rm -rf {}", first.display()), &format!("ls {engine}")]);
    assert_eq!(reason(&stage, &write(&stage, &first.join("other").display().to_string())), None);
}

/// What a tester found who knew the documentation only.
#[test]
fn own_files_by_words_that_were_not_known() {
    let stage = Stage::new();
    fs::create_dir_all(stage.root().join("x/.engine")).unwrap();
    fs::write(stage.root().join("x/.engine/config.toml"), "").unwrap();
    let patch = "--- a/config.toml\n+++ b/config.toml\n@@ -1 +1 @@\n-a\n+b\n";
    fs::write(stage.root().join("q.diff"), patch).unwrap();
    assert_refused(
        &stage,
        &[
            "rm \"$(command -v engine)\"",
            "rm $(which engine)",
            "which engine | xargs rm",
            "cp /bin/true \"$(which engine)\"",
            "chmod 000 `command -v engine`",
            "link notes.md .engine/policy.toml",
            "cp -rT x .",
            "cp -r --no-target-directory x .",
            "mount --rbind /tmp .",
            "mount -t tmpfs none ..",
            "tar --remove-files -cf a.tar .engine",
            "zip -m a.zip .engine/config.toml",
            "git stash -a",
            "git stash push --all",
            "rename s/a/b/ .engine/config.toml",
            "strace -o .engine/config.toml ls",
            "script .engine/config.toml",
            "fallocate -l 1 .engine/config.toml",
            "git init .engine",
            "git clone u .engine/w",
            "git worktree add .engine/w",
            "git diff --output=.engine/config.toml",
            "git format-patch -o .engine HEAD~1",
            "git apply --directory=.engine q.diff",
            "git -C .engine apply ../q.diff",
            "cat q.diff | git apply --directory=.engine",
            "git apply --directory .engine - < q.diff",
            "cat q.diff | patch -p1 -d .engine",
        ],
    );
    assert_free(
        &stage,
        &[
            "ls -l \"$(command -v engine)\"",
            "cp \"$(command -v engine)\" ./e",
            "rm \"$(command -v other)\"",
            "link notes.md other.md",
            "cp -rT x/.engine y",
            "mount --bind /tmp /mnt",
            "zip -r a.zip .engine",
            "tar cf a.tar .engine",
            "rename s/a/b/ *.txt",
            "strace -o trace.txt ls",
            "script -c ls log.txt",
            "git init sub",
            "git clone u sub",
            "git worktree add ../w",
            "git diff --output=a.diff",
            "git apply --directory=sub q.diff",
            "cat q.diff | git apply",
            "git stash",
        ],
    );
}
