//! The doors that skills, commands, agents and settings open: what the client runs out of their files without a tool call.

use std::fs;

use serde_json::{Value, json};

use crate::stage::Stage;

/// The decision and its reason in one line.
fn answer(stage: &Stage, event: &Value) -> String {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    if out.stdout.is_empty() {
        return "-".to_owned();
    }
    let all = out.json();
    let specific = &all["hookSpecificOutput"];
    let word = [&specific["permissionDecision"], &all["decision"]].into_iter().find_map(Value::as_str);
    let texts = [&specific["permissionDecisionReason"], &all["reason"], &all["systemMessage"]];
    let texts: Vec<&str> = texts.into_iter().filter_map(Value::as_str).collect();
    let text = stage.masked(&format!("{}: {}", word.unwrap_or("told"), texts.join(" / ")));
    // What the command is about stands elsewhere.
    text.split(" is refused:").next().unwrap_or_default().to_owned()
}

fn call(stage: &Stage, tool: &str, input: &Value) -> String {
    answer(stage, &stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input})))
}

fn run(stage: &Stage, name: &str) -> String {
    call(stage, "Skill", &json!({"skill": name}))
}

fn agent(stage: &Stage, name: &str) -> String {
    call(stage, "Agent", &json!({"subagent_type": name, "prompt": "go", "description": "x"}))
}

fn typed(stage: &Stage, name: &str) -> String {
    let fields = json!({"command_name": name, "command_args": "", "prompt": format!("/{name}")});
    answer(stage, &stage.event_with("UserPromptExpansion", &fields))
}

const RESET: &str = "deny: engine rule policy: git.reset-hard: `git reset --hard`";

fn hooked(name: &str, command: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: {command}\n---\nWork.\n"
    )
}

#[test]
fn a_skill_in_a_subfolder_is_found() {
    let stage = Stage::new();
    stage.write("src/.claude/skills/n/SKILL.md", "!`git reset --hard`\n");
    stage.write("src/.claude/skills/folder/SKILL.md", "---\nname: other\n---\n!`git reset --hard`\n");
    stage.write("vendor/x/.claude/commands/old/c.md", "!`git reset --hard`\n");
    stage.write("a/b/c/d/e/f/g/h/i/.claude/skills/deep/SKILL.md", "!`git reset --hard`\n");
    for (name, place) in [
        ("n", "src/.claude/skills/n/SKILL.md"),
        ("src:n", "src/.claude/skills/n/SKILL.md"),
        ("deep", "a/b/c/d/e/f/g/h/i/.claude/skills/deep/SKILL.md"),
        ("old:c", "vendor/x/.claude/commands/old/c.md"),
    ] {
        let expected = format!("(line 1 of {place}, run by the skill {name})");
        assert_eq!(run(&stage, name), format!("{RESET} {expected}"));
        assert_eq!(typed(&stage, name), format!("{RESET} {expected}").replacen("deny", "block", 1));
    }
    assert_eq!(
        run(&stage, "other"),
        format!("{RESET} (line 4 of src/.claude/skills/folder/SKILL.md, run by the skill other)")
    );
    assert_eq!(run(&stage, "nowhere"), "-");
}

#[test]
fn where_there_is_too_much_to_look_through_the_person_is_asked() {
    let stage = Stage::new();
    for folder in 0..21 {
        let folder = stage.root().join(format!("many/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..1_000 {
            fs::File::create(folder.join(file.to_string())).unwrap();
        }
    }
    let told =
        "the file of the skill n was not found among so many files, so its command lines were not judged";
    assert_eq!(run(&stage, "n"), format!("ask: engine rule protect: {told}"));
    assert_eq!(typed(&stage, "n"), format!("told: engine: /n runs what a rule asks about: {told}"));
    assert_eq!(run(&stage, "simplify"), "-", "a part of the client");
    stage.write(".claude/skills/n/SKILL.md", "x");
    assert_eq!(run(&stage, "n"), "-", "found where it is looked for first");
}

#[test]
fn a_file_that_cannot_be_read_is_asked_about() {
    let stage = Stage::new();
    for (name, text, why) in [
        ("latin", b"caf\xe9 !`git reset --hard`\n".to_vec(), "stream did not contain valid UTF-8"),
        ("large", vec![b'x'; (4 << 20) + 1], "larger than 4 MB"),
    ] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), "");
        fs::write(stage.root().join(format!(".claude/skills/{name}/SKILL.md")), text).unwrap();
        assert_eq!(
            run(&stage, name),
            format!(
                "ask: engine rule protect: the file of the skill cannot be judged: .claude/skills/{name}/SKILL.md: {why}"
            )
        );
    }
}

#[test]
fn an_agent_is_judged_by_its_skills_and_hooks() {
    let stage = Stage::new();
    stage.write(".claude/skills/k/SKILL.md", "!`git reset --hard`\n");
    stage.write(".claude/agents/a.md", "---\nname: loader\ndescription: x\nskills: [k]\n---\nWork.\n");
    stage.write(".claude/agents/sub/b.md", &hooked("hooker", "git reset --hard"));
    stage.write(".claude/agents/fine.md", &hooked("fine", "cargo fmt --check"));
    stage.write(".claude/skills/forks/SKILL.md", "---\ncontext: fork\nagent: hooker\n---\nx\n");
    stage.write(".claude/agents/odd.md", "---\nname: odd\na: &x {command: y}\nhooks: {Stop: [*x]}\n---\n");
    let cases = [
        ("loader", format!("{RESET} (line 1 of .claude/skills/k/SKILL.md, run by the skill k)")),
        ("a", format!("{RESET} (line 1 of .claude/skills/k/SKILL.md, run by the skill k)")),
        ("hooker", format!("{RESET} (line 8 of .claude/agents/sub/b.md, a hook of the agent hooker)")),
        ("fine", "-".to_owned()),
        ("Explore", "-".to_owned()),
        ("", "-".to_owned()),
        (
            "odd",
            "ask: engine rule protect: the hooks of .claude/agents/odd.md cannot be judged: aliases are not read"
                .to_owned(),
        ),
    ];
    for (name, expected) in cases {
        assert_eq!(agent(&stage, name), expected, "{name}");
    }
    assert_eq!(
        run(&stage, "forks"),
        format!("{RESET} (line 8 of .claude/agents/sub/b.md, a hook of the agent hooker)")
    );
}

#[test]
fn the_hooks_of_a_front_matter_are_judged_when_it_is_written_and_run() {
    let stage = Stage::new();
    let (bad, good) = (hooked("x", "git reset --hard"), hooked("x", "./scripts/check.sh"));
    let write = |path: &str, content: &str| {
        call(&stage, "Write", &json!({"file_path": stage.root().join(path), "content": content}))
    };
    for (path, who) in [
        (".claude/skills/x/SKILL.md", "skill"),
        (".claude/commands/x.md", "skill"),
        (".claude/agents/x.md", "agent"),
    ] {
        assert_eq!(write(path, &bad), format!("{RESET} (line 8 of {path}, a hook that the {who} sets up)"));
        assert_eq!(write(path, &good), "-", "{path}");
    }
    assert_eq!(write(".claude/agents/x.md", "Never use !`git reset --hard` here.\n"), "-");
    assert_eq!(write("docs/x.md", &bad), "-");
    stage.write(".claude/skills/x/SKILL.md", &bad);
    let place = "(line 8 of .claude/skills/x/SKILL.md, a hook of the skill x)";
    assert_eq!(run(&stage, "x"), format!("{RESET} {place}"));
    assert_eq!(typed(&stage, "x"), format!("{RESET} {place}").replacen("deny", "block", 1));
    assert_eq!(write(".claude/skills/x/SKILL.md", &bad.replace("Work.", "More.")), "-", "it stood there");
}

#[test]
fn settings_of_the_machine_may_be_in_several_files() {
    let stage = Stage::new();
    let refused = |text: &str| {
        assert!(
            text.starts_with("deny: engine rule protect: ")
                && text.contains("a settings file of the machine"),
            "{text}"
        );
    };
    let folder = "/etc/claude-code/managed-settings.d";
    refused(&call(&stage, "Write", &json!({"file_path": format!("{folder}/10.json"), "content": "{}"})));
    refused(&call(&stage, "Bash", &json!({"command": format!("echo '{{}}' > {folder}/10.json")})));
    refused(&call(&stage, "Bash", &json!({"command": format!("mkdir -p {folder}")})));
    assert_eq!(call(&stage, "Bash", &json!({"command": format!("ls {folder}")})), "-");
}

#[test]
fn variables_that_load_code_are_not_set() {
    let stage = Stage::new();
    stage.ok(&["init", "--team"]);
    let path = stage.root().join(".claude/settings.local.json");
    let write =
        |text: &Value| call(&stage, "Write", &json!({"file_path": path, "content": text.to_string()}));
    for name in ["BASH_ENV", "CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD", "SHELL"] {
        let answer = write(&json!({"env": {name: "/tmp/x"}}));
        assert!(answer.starts_with("deny: engine rule protect: this change to"), "{name}: {answer}");
    }
    assert_eq!(write(&json!({"env": {"NODE_OPTIONS": "--max-old-space-size=4096"}})), "-");
}

#[test]
fn a_link_that_git_does_not_know_stays_where_it_is() {
    let stage = Stage::new();
    stage.ok(&["init"]);
    stage.git(&["init", "-q"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "start"]);
    std::os::unix::fs::symlink(".engine", stage.root().join("link")).unwrap();
    stage.write("a.txt", "x");
    let stash = |command: &str| call(&stage, "Bash", &json!({"command": command}));
    assert_eq!(stash("git stash"), "-");
    assert_eq!(stash("git stash -u"), "-");
    stage.write(".engine/config.toml", "[rules]\n");
    assert!(stash("git stash").contains("git stash"), "a changed file of its own");
}

#[test]
fn another_project_in_the_home_stays_guarded() {
    let stage = Stage::new();
    let home = stage.home();
    fs::create_dir_all(home.join("other/.engine")).unwrap();
    let bash = |command: &str| call(&stage, "Bash", &json!({"command": command}));
    assert_eq!(bash("rm -rf ~/other/.engine"), "-", "nothing is set up there");
    fs::write(home.join("other/.engine/config.toml"), "").unwrap();
    assert!(bash("rm -rf ~/other/.engine").starts_with("deny: engine rule protect"));
    for free in [
        "cp -r .engine /tmp/back",
        "mkdir /tmp/zz/.engine",
        "rm -rf /tmp/zz/.engine",
        "mkdir -p ~/more/.engine",
    ] {
        assert_eq!(bash(free), "-", "{free}");
    }
    assert!(bash("mkdir -p sub/.engine").starts_with("deny: engine rule protect"));
}

#[test]
fn the_person_is_told_what_else_runs_or_loosens() {
    let stage = Stage::new();
    stage.ok(&["init", "--team"]);
    let start = || answer(&stage, &stage.event("SessionStart"));
    start();
    stage.write(".claude/agents/a.md", &hooked("a", "./x.sh"));
    stage.write(
        ".claude/settings.local.json",
        r#"{"env":{"GIT_SSH_COMMAND":"x.sh"},"permissions":{"defaultMode":"bypassPermissions"}}"#,
    );
    assert_eq!(
        start(),
        "told: engine: new since the last session: setting env.GIT_SSH_COMMAND (x.sh) in .claude/settings.local.json; setting permissions.defaultMode (bypassPermissions) in .claude/settings.local.json"
    );
    assert_eq!(start(), "-", "once");
}
