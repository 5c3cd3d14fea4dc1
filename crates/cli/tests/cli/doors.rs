//! The doors beside the shell: tools of servers, tools that nobody knows, and the command lines of skills.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::Stage;

/// The whole answer in one line: the decision and its reason, or what else there is.
fn answer(stage: &Stage, event: &Value) -> String {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    if out.stdout.is_empty() {
        return "-".to_owned();
    }
    let all = out.json();
    let specific = &all["hookSpecificOutput"];
    let word = [&specific["permissionDecision"], &all["decision"]].into_iter().find_map(Value::as_str);
    let texts = [
        &specific["permissionDecisionReason"],
        &all["reason"],
        &specific["additionalContext"],
        &all["systemMessage"],
    ];
    let texts: Vec<&str> = texts.into_iter().filter_map(Value::as_str).collect();
    stage.masked(&format!("{}: {}", word.unwrap_or("told"), texts.join(" / ")))
}

fn call(stage: &Stage, tool: &str, input: &Value) -> Value {
    stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input}))
}

fn answers(stage: &Stage, calls: &[(&str, Value)]) -> String {
    let one = |(tool, input): &(&str, Value)| {
        format!("{tool} {input}\n  {}", answer(stage, &call(stage, tool, input)))
    };
    stage.masked(&calls.iter().map(one).collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_command_is_judged_whatever_runs_it() {
    let stage = Stage::new();
    let calls = [
        ("Monitor", json!({"command": "git reset --hard", "description": "watch"})),
        ("mcp__shell__run", json!({"command": "rm -rf / --no-preserve-root"})),
        ("mcp__shell__run", json!({"command": ["bash", "-c", "git reset --hard"]})),
        ("mcp__shell__run", json!({"command": "git", "args": ["reset", "--hard"]})),
        ("mcp__shell__run", json!({"commands": ["ls", "rm -rf .engine"]})),
        ("mcp__shell__run", json!({"command": "rm -rf .", "cwd": stage.root().join(".git")})),
        ("mcp__shell__run", json!({"cmd": "cat .env"})),
        ("NewShell", json!({"script": "cd sub\ngit reset --hard"})),
        ("mcp__jupyter__execute_code", json!({"code": "import os; os.system(\"git reset --hard\")"})),
        ("mcp__shell__run", json!({"command": "engine hook < f.json"})),
        ("mcp__shell__run", json!({"command": "cargo test"})),
    ];
    assert_snapshot!(answers(&stage, &calls), @r#"
    Monitor {"command":"git reset --hard","description":"watch"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__shell__run {"command":"rm -rf / --no-preserve-root"}
      deny: engine rule policy: files.delete-root: `rm -rf / --no-preserve-root` is refused: everything in it would be lost. Instead: naming the files or the folder below it that are meant.

    engine rule protect: `rm -rf / --no-preserve-root` would delete / and with it [TOP]/project/.engine, where engine keeps its files. Name the files or folders beside it that are meant.
    mcp__shell__run {"command":["bash","-c","git reset --hard"]}
      deny: engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__shell__run {"args":["reset","--hard"],"command":"git"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__shell__run {"commands":["ls","rm -rf .engine"]}
      deny: engine rule protect: `rm -rf .engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__shell__run {"command":"rm -rf .","cwd":"[TOP]/project/.git"}
      deny: engine rule policy: files.delete-root: `rm -rf .` is refused: everything in it would be lost. Instead: naming the files or the folder below it that are meant.
    mcp__shell__run {"cmd":"cat .env"}
      ask: engine rule policy: secrets.read-env-file: `cat .env` needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person.
    NewShell {"script":"cd sub\ngit reset --hard"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__jupyter__execute_code {"code":"import os; os.system(\"git reset --hard\")"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__shell__run {"command":"engine hook < f.json"}
      deny: engine rule protect: `engine hook` is called by the client, to tell engine what happened; an agent has nothing to tell it that way.
    mcp__shell__run {"command":"cargo test"}
      -
    "#);
}

#[test]
fn a_file_is_protected_whatever_writes_it() {
    let stage = Stage::new();
    stage.ok(&["init"]);
    stage.write("a.md", "x");
    stage.ok(&["config", "set", "policy.protected", "VERSION"]);
    let path = |path: &str| stage.root().join(path).display().to_string();
    let calls = [
        ("mcp__filesystem__write_file", json!({"path": ".engine/config.toml", "content": "[rules]"})),
        ("mcp__filesystem__write_file", json!({"path": path(".engine/policy.toml"), "content": ""})),
        (
            "mcp__filesystem__edit_file",
            json!({"path": ".engine/config.toml", "edits": [{"oldText": "a", "newText": "b"}]}),
        ),
        ("mcp__filesystem__move_file", json!({"source": "a.md", "destination": ".engine/config.toml"})),
        ("mcp__filesystem__move_file", json!({"source": ".engine", "destination": "b"})),
        ("mcp__filesystem__delete", json!({"path": ".engine"})),
        ("mcp__filesystem__delete", json!({"path": "."})),
        (
            "mcp__filesystem__write_file",
            json!({"path": ".claude/settings.json", "content": "{\"disableAllHooks\": true}"}),
        ),
        (
            "mcp__filesystem__write_files",
            json!({"files": [{"path": "a.md", "content": "y"}, {"path": "VERSION", "content": "2"}]}),
        ),
        ("mcp__filesystem__read_file", json!({"path": ".env"})),
        ("mcp__filesystem__read_file", json!({"path": "~/.ssh/id_rsa"})),
        ("mcp__filesystem__write_file", json!({"path": ".engine/notes/a.md", "content": "x"})),
        ("mcp__filesystem__read_file", json!({"path": ".engine/config.toml"})),
        ("mcp__filesystem__write_file", json!({"path": "src/main.rs", "content": "fn main() {}"})),
    ];
    assert_snapshot!(answers(&stage, &calls), @r#"
    mcp__filesystem__write_file {"content":"[rules]","path":".engine/config.toml"}
      deny: engine rule protect: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__write_file {"content":"","path":"[TOP]/project/.engine/policy.toml"}
      deny: engine rule protect: [TOP]/project/.engine/policy.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__edit_file {"edits":[{"newText":"b","oldText":"a"}],"path":".engine/config.toml"}
      deny: engine rule protect: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__move_file {"destination":".engine/config.toml","source":"a.md"}
      deny: engine rule protect: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__move_file {"destination":"b","source":".engine"}
      deny: engine rule protect: `mcp__filesystem__move_file .engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__delete {"path":".engine"}
      deny: engine rule protect: `mcp__filesystem__delete .engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    mcp__filesystem__delete {"path":"."}
      deny: engine rule policy: files.delete-root: `mcp__filesystem__delete of [TOP]/project` is refused: everything in it would be lost. Instead: naming the files or the folder below it that are meant.
    files.protected: `mcp__filesystem__delete of [TOP]/project` on [TOP]/project is refused: the project protects this file. Instead: asking the person to change it.

    engine rule protect: `mcp__filesystem__delete .` would delete [TOP]/project and with it [TOP]/project/.engine, where engine keeps its files. Name the files or folders beside it that are meant.
    mcp__filesystem__write_file {"content":"{\"disableAllHooks\": true}","path":".claude/settings.json"}
      deny: engine rule protect: this change to [TOP]/project/.claude/settings.json is refused: it would set disableAllHooks, which silences every hook of the session. Other keys of the file may be changed. engine uninstall, run by a person, removes engine.
    mcp__filesystem__write_files {"files":[{"content":"y","path":"a.md"},{"content":"2","path":"VERSION"}]}
      deny: engine rule policy: files.protected: `mcp__filesystem__write_files of [TOP]/project/VERSION` on [TOP]/project/VERSION is refused: the project protects this file. Instead: asking the person to change it.
    mcp__filesystem__read_file {"path":".env"}
      ask: engine rule policy: secrets.read-env-file: `mcp__filesystem__read_file of [TOP]/project/.env` needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person.
    mcp__filesystem__read_file {"path":"~/.ssh/id_rsa"}
      ask: engine rule policy: secrets.read-keys: `mcp__filesystem__read_file of [TOP]/home/.ssh/id_rsa` needs the user's word: its content would reach the model and the transcript. Instead: the program that uses the key, without showing it.
    mcp__filesystem__write_file {"content":"x","path":".engine/notes/a.md"}
      -
    mcp__filesystem__read_file {"path":".engine/config.toml"}
      -
    mcp__filesystem__write_file {"content":"fn main() {}","path":"src/main.rs"}
      -
    "#);
}

#[test]
fn tools_that_do_neither_are_not_disturbed() {
    let stage = Stage::new();
    let calls = [
        ("mcp__playwright__browser_evaluate", json!({"function": "() => document.title"})),
        (
            "mcp__playwright__browser_run_code",
            json!({"code": "async (page) => { await page.getByRole('button', { name: 'Submit' }).click(); return page.url(); }"}),
        ),
        (
            "mcp__playwright__browser_click",
            json!({"element": "Save button", "ref": "e12", "target": "button.submit"}),
        ),
        ("mcp__playwright__browser_take_screenshot", json!({"filename": "page.png"})),
        (
            "mcp__github__create_issue",
            json!({"owner": "x", "repo": "y", "title": "rm", "body": "Run `git reset --hard` and rm -rf /"}),
        ),
        ("mcp__github__get_file_contents", json!({"owner": "x", "repo": "y", "path": "src/main.rs"})),
        ("mcp__github__add_comment_to_pending_review", json!({"path": "src/a.rs", "body": "nit", "line": 3})),
        ("mcp__postgres__query", json!({"sql": "DELETE FROM x WHERE a > 3"})),
        (
            "mcp__jupyter__execute_code",
            json!({"code": "import pandas as pd\ndf = pd.read_csv('a.csv')\nif df.size > 3:\n    print(df.head())"}),
        ),
        ("mcp__jupyter__execute_code", json!({"code": "x = y > 3\nprint(x)", "language": "python"})),
        (
            "mcp__memory__create_entities",
            json!({"entities": [{"name": "a", "entityType": "file", "observations": ["rm -rf / is bad"]}]}),
        ),
        ("mcp__notion__create_page", json!({"parent": {"page_id": "x"}, "text": "git reset --hard"})),
        ("mcp__linear__update_issue", json!({"id": "A-1", "description": "rm -rf /"})),
        (
            "mcp__slack__post_message",
            json!({"channel": "C1", "text": "see docs/a.md, then git push --force"}),
        ),
        ("mcp__api__request", json!({"method": "GET", "path": "/repos/x/y"})),
        ("mcp__api__request", json!({"method": "POST", "path": "/repos/x/y", "body": {"a": 1}})),
        ("mcp__mail__search", json!({"from": "a@b.example", "to": "2026/01/01"})),
        ("CronCreate", json!({"cron": "* * * * *", "prompt": "git reset --hard"})),
        (
            "Workflow",
            json!({"script": "export const meta = { name: 'x', description: 'rm -rf /' }\nawait agent('git reset --hard')"}),
        ),
    ];
    for (tool, input) in &calls {
        assert_eq!(answer(&stage, &call(&stage, tool, input)), "-", "{tool} {input}");
    }
    let opaque: Vec<Value> = stage
        .journal()
        .iter()
        .filter(|entry| entry["opaque"] == true)
        .map(|entry| entry["tool"].clone())
        .collect();
    assert_eq!(
        opaque,
        [
            "mcp__playwright__browser_evaluate",
            "mcp__github__create_issue",
            "mcp__postgres__query",
            "mcp__memory__create_entities",
            "mcp__notion__create_page",
            "mcp__linear__update_issue",
            "mcp__slack__post_message",
            "Workflow"
        ]
    );
}

const SKILL: &str = "---\nname: deploy\ndescription: Deploys.\narguments: [where]\n---\n\nState: !`git status`\n\nTo: !`echo $ARGUMENTS`\n";

fn skill(stage: &Stage, name: &str, text: &str) {
    stage.write(&format!(".claude/skills/{name}/SKILL.md"), text);
}

fn run(stage: &Stage, name: &str, args: &str) -> String {
    answer(stage, &call(stage, "Skill", &json!({"skill": name, "args": args})))
}

fn typed(stage: &Stage, name: &str, args: &str) -> String {
    let fields = json!({"command_name": name, "command_args": args, "prompt": format!("/{name} {args}")});
    answer(stage, &stage.event_with("UserPromptExpansion", &fields))
}

#[test]
fn the_lines_of_a_skill_are_judged_when_it_runs() {
    let stage = Stage::new();
    skill(&stage, "deploy", SKILL);
    skill(&stage, "clean", "Clean: !`git reset --hard`\n");
    skill(&stage, "fence", "x\n```!\ncd sub\nrm -rf ../.engine\n```\n");
    skill(&stage, "ask", "!`cat .env`\n");
    skill(&stage, "own", "!`rm -rf ${CLAUDE_SKILL_DIR}/../../../.engine`\n");
    stage.write(".claude/commands/old/reset.md", "Now !`git reset --hard` it.\n");
    let runs = [
        ("deploy", "prod"),
        ("deploy", "prod; git reset --hard"),
        ("clean", ""),
        ("fence", ""),
        ("ask", ""),
        ("own", ""),
        ("old:reset", ""),
        ("unknown", "git reset --hard"),
    ];
    let lines: Vec<String> = runs
        .iter()
        .map(|(name, args)| {
            let (called, typed) = (run(&stage, name, args), typed(&stage, name, args));
            format!("/{name} {args}").trim_end().to_owned()
                + &format!("\n  called {called}\n  typed  {typed}")
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @"
    /deploy prod
      called -
      typed  -
    /deploy prod; git reset --hard
      called deny: engine rule policy: git.reset-hard: `git reset --hard` (line 9 of .claude/skills/deploy/SKILL.md, run by the skill deploy) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
      typed  block: engine rule policy: git.reset-hard: `git reset --hard` (line 9 of .claude/skills/deploy/SKILL.md, run by the skill deploy) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    /clean
      called deny: engine rule policy: git.reset-hard: `git reset --hard` (line 1 of .claude/skills/clean/SKILL.md, run by the skill clean) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
      typed  block: engine rule policy: git.reset-hard: `git reset --hard` (line 1 of .claude/skills/clean/SKILL.md, run by the skill clean) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    /fence
      called deny: engine rule protect: line 2 of .claude/skills/fence/SKILL.md, run by the skill fence: `rm -rf ../.engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
      typed  block: engine rule protect: line 2 of .claude/skills/fence/SKILL.md, run by the skill fence: `rm -rf ../.engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    /ask
      called ask: engine rule policy: secrets.read-env-file: `cat .env` (line 1 of .claude/skills/ask/SKILL.md, run by the skill ask) needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person.
      typed  told: engine: /ask runs what a rule asks about: secrets.read-env-file: `cat .env` (line 1 of .claude/skills/ask/SKILL.md, run by the skill ask) needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person.
    /own
      called deny: engine rule protect: line 1 of .claude/skills/own/SKILL.md, run by the skill own: `rm -rf [TOP]/project/.claude/skills/own/../../../.engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
      typed  block: engine rule protect: line 1 of .claude/skills/own/SKILL.md, run by the skill own: `rm -rf [TOP]/project/.claude/skills/own/../../../.engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    /old:reset
      called deny: engine rule policy: git.reset-hard: `git reset --hard` (line 1 of .claude/commands/old/reset.md, run by the skill old:reset) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
      typed  block: engine rule policy: git.reset-hard: `git reset --hard` (line 1 of .claude/commands/old/reset.md, run by the skill old:reset) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    /unknown git reset --hard
      called -
      typed  -
    ");
}

#[test]
fn the_lines_of_a_skill_are_judged_when_it_is_written() {
    let stage = Stage::new();
    let path = |path: &str| stage.root().join(path).display().to_string();
    let bad = "Clean.\n\n!`git reset --hard`\n";
    skill(&stage, "old", "Now !`git reset --hard`, then x.\n");
    stage.write(".claude/settings.json", "{\"a\": 1}\n");
    let calls = [
        ("Write", json!({"file_path": path(".claude/skills/clean/SKILL.md"), "content": bad})),
        ("Write", json!({"file_path": path(".claude/commands/clean.md"), "content": bad})),
        (
            "mcp__fs__write_file",
            json!({"path": ".claude/skills/clean/SKILL.md", "content": "!`rm -rf .engine`"}),
        ),
        (
            "Edit",
            json!({"file_path": path(".claude/skills/old/SKILL.md"), "old_string": "x", "new_string": "!`git push --force`"}),
        ),
        (
            "Edit",
            json!({"file_path": path(".claude/skills/old/SKILL.md"), "old_string": "x", "new_string": "y"}),
        ),
        (
            "MultiEdit",
            json!({"file_path": path(".claude/skills/old/SKILL.md"), "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "y", "new_string": "!`git stash clear`"}]}),
        ),
        (
            "mcp__fs__edit_file",
            json!({"path": ".claude/skills/old/SKILL.md", "edits": [{"oldText": "x", "newText": "!`git clean -fd`"}]}),
        ),
        (
            "MultiEdit",
            json!({"file_path": path(".claude/settings.json"), "edits": [{"old_string": "{", "new_string": "{\"model\": \"opus\","}]}),
        ),
        (
            "MultiEdit",
            json!({"file_path": path(".claude/settings.json"), "edits": [{"old_string": "{", "new_string": "{\"disableAllHooks\": true,"}]}),
        ),
        ("Write", json!({"file_path": path(".claude/skills/ok/SKILL.md"), "content": SKILL})),
        ("Write", json!({"file_path": path("docs/a.md"), "content": bad})),
    ];
    assert_snapshot!(answers(&stage, &calls), @r#"
    Write {"content":"Clean.\n\n!`git reset --hard`\n","file_path":"[TOP]/project/.claude/skills/clean/SKILL.md"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` (line 3 of .claude/skills/clean/SKILL.md, run when the skill is called) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    Write {"content":"Clean.\n\n!`git reset --hard`\n","file_path":"[TOP]/project/.claude/commands/clean.md"}
      deny: engine rule policy: git.reset-hard: `git reset --hard` (line 3 of .claude/commands/clean.md, run when the skill is called) is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.
    mcp__fs__write_file {"content":"!`rm -rf .engine`","path":".claude/skills/clean/SKILL.md"}
      deny: engine rule protect: line 1 of .claude/skills/clean/SKILL.md, run when the skill is called: `rm -rf .engine` would change [TOP]/project/.engine, which belongs to engine and is changed by its commands only. Free to write: .engine/context/, .engine/queue/, .engine/notes/.
    Edit {"file_path":"[TOP]/project/.claude/skills/old/SKILL.md","new_string":"!`git push --force`","old_string":"x"}
      deny: engine rule policy: git.force-push: `git push --force` (line 1 of .claude/skills/old/SKILL.md, run when the skill is called) is refused: commits of others on the remote branch would be overwritten. Instead: git push after git pull --rebase.
    Edit {"file_path":"[TOP]/project/.claude/skills/old/SKILL.md","new_string":"y","old_string":"x"}
      -
    MultiEdit {"edits":[{"new_string":"y","old_string":"x"},{"new_string":"!`git stash clear`","old_string":"y"}],"file_path":"[TOP]/project/.claude/skills/old/SKILL.md"}
      deny: engine rule policy: git.stash-drop: `git stash clear` (line 1 of .claude/skills/old/SKILL.md, run when the skill is called) is refused: work that was kept aside would be lost. Instead: git stash list and git stash show; git stash pop brings it back.
    mcp__fs__edit_file {"edits":[{"newText":"!`git clean -fd`","oldText":"x"}],"path":".claude/skills/old/SKILL.md"}
      deny: engine rule policy: git.clean: `git clean -fd` (line 1 of .claude/skills/old/SKILL.md, run when the skill is called) is refused: untracked files would be deleted for good. Instead: git clean -n lists them; git stash -u keeps them aside.
    MultiEdit {"edits":[{"new_string":"{\"model\": \"opus\",","old_string":"{"}],"file_path":"[TOP]/project/.claude/settings.json"}
      -
    MultiEdit {"edits":[{"new_string":"{\"disableAllHooks\": true,","old_string":"{"}],"file_path":"[TOP]/project/.claude/settings.json"}
      deny: engine rule protect: this change to [TOP]/project/.claude/settings.json is refused: it would set disableAllHooks, which silences every hook of the session. Other keys of the file may be changed. engine uninstall, run by a person, removes engine.
    Write {"content":"---\nname: deploy\ndescription: Deploys.\narguments: [where]\n---\n\nState: !`git status`\n\nTo: !`echo $ARGUMENTS`\n","file_path":"[TOP]/project/.claude/skills/ok/SKILL.md"}
      -
    Write {"content":"Clean.\n\n!`git reset --hard`\n","file_path":"[TOP]/project/docs/a.md"}
      -
    "#);
}

#[test]
fn rules_of_the_project_match_a_call_once() {
    let stage = Stage::new();
    stage.write(
        ".engine/policy.toml",
        "[[rule]]\nid = \"no-run\"\nverdict = \"ask\"\ntool = \"mcp__box__*\"\nreason = \"the box is shared\"\n\
         [[rule]]\nid = \"no-prod\"\nverdict = \"block\"\nwrites = \"prod/**\"\nreason = \"production\"\n",
    );
    let calls = [
        ("mcp__box__run", json!({"command": "ls", "path": "a.md"})),
        (
            "mcp__fs__write",
            json!({"files": [{"path": "a", "content": ""}, {"path": "prod/a", "content": ""}]}),
        ),
        ("mcp__box__status", json!({})),
    ];
    assert_snapshot!(answers(&stage, &calls), @r#"
    mcp__box__run {"command":"ls","path":"a.md"}
      ask: engine rule policy: no-run: `mcp__box__run` needs the user's word: the box is shared.
    mcp__fs__write {"files":[{"content":"","path":"a"},{"content":"","path":"prod/a"}]}
      deny: engine rule policy: no-prod: `mcp__fs__write of [TOP]/project/prod/a` ([TOP]/project/prod/a) is refused: production.
    mcp__box__status {}
      ask: engine rule policy: no-run: `mcp__box__status` needs the user's word: the box is shared.
    "#);
}

#[test]
fn a_role_sees_what_a_tool_changes() {
    let stage = Stage::new();
    let by_role = |tool: &str, input: Value| {
        let fields =
            json!({"tool_name": tool, "tool_input": input, "agent_id": "a1", "agent_type": "critic"});
        answer(&stage, &stage.event_with("PreToolUse", &fields))
    };
    let refused = "deny: engine rule roles: the agent critic changes nothing: it reads, runs checks and answers. What is to be changed belongs in its answer.";
    assert_eq!(by_role("mcp__fs__write_file", json!({"path": "src/a.rs", "content": "x"})), refused);
    assert_eq!(by_role("mcp__fs__delete_file", json!({"path": "src/a.rs"})), refused);
    assert_eq!(by_role("mcp__shell__run", json!({"command": "echo x > src/a.rs"})), refused);
    assert_eq!(by_role("mcp__fs__read_file", json!({"path": "src/a.rs"})), "-");
}

/// What attackers tried, each once: whole answers stand in the tests of the rules.
#[test]
fn what_is_only_written_otherwise_is_judged_alike() {
    let stage = Stage::new();
    stage.write(".env", "KEY=1\n");
    stage.write(".claude/skills/reset/SKILL.md", "!`git reset --hard`\n");
    let doubled = (1..40).map(|n| format!("a{n}=a{}+a{};", n - 1, n - 1)).collect::<String>();
    let doubling = format!("python3 -c \"a0='.e';{doubled}open(a39,'w')\"; git reset --hard");
    let many: Vec<String> = (0..5000).map(|n| format!("ls {n}")).collect();
    let lines = (0..20_000).map(|n| format!("!`ls {n}`\n")).collect::<String>();
    let path = |name: &str| stage.root().join(name);
    let cases = [
        ("Bash", json!({"command": doubling}), "deny policy"),
        ("mcp__shell__run", json!({"commands": many}), "ask size"),
        ("Write", json!({"file_path": path(".claude/skills/x/SKILL.md"), "content": lines}), "ask size"),
        ("Skill", json!({"skill": "/reset"}), "deny policy"),
        ("Skill", json!({"skill": " reset\n"}), "deny policy"),
        ("Grep", json!({"pattern": "K", "path": path(".env"), "output_mode": "content"}), "ask policy"),
        ("Grep", json!({"pattern": "K", "glob": ".env", "output_mode": "content"}), "ask policy"),
        ("Grep", json!({"pattern": "K", "path": path(".env")}), "none"),
    ];
    let decided = |text: &str| {
        let output = stage.hook_bytes(text.as_bytes());
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
        let answer = &answer["hookSpecificOutput"];
        match (answer["permissionDecision"].as_str(), answer["permissionDecisionReason"].as_str()) {
            (Some(decision), Some(said)) => {
                let rule = said.strip_prefix("engine rule ").and_then(|said| said.split(':').next());
                format!("{decision} {}", rule.unwrap_or_default())
            }
            _ => "none".to_owned(),
        }
    };
    for (tool, input, expected) in cases {
        let event = stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input}));
        assert_eq!(decided(&event.to_string()), expected, "{tool} {:.200}", input.to_string());
    }
    // Half of a pair is no text for Rust, and one for the client.
    for tool in ["Bash", "Monitor"] {
        let input = json!({"command": ": 'HALF'; git reset --hard"});
        let event = stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input}));
        assert_eq!(decided(&event.to_string().replace("HALF", "\\ud800")), "deny policy", "{tool}");
    }
}

/// Half of a surrogate pair in a key, and inputs that are no object.
#[test]
fn an_input_that_is_hard_to_read_is_not_passed_over() {
    let stage = Stage::new();
    let said = |tool: &str, input: &str, behind: &str| {
        let event = call(&stage, tool, &json!("@")).to_string();
        let text = event.replace("\"@\"", input);
        let text = format!("{}{behind}}}", &text[..text.len() - 1]);
        let mut command = stage.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(crate::stage::input(text.as_bytes()));
        let out = crate::stage::output_of(command.spawn().unwrap());
        assert_eq!(out.code, Some(0), "{}", out.stderr);
        let word = match out.stdout.as_str() {
            "" => "-".to_owned(),
            _ => out.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned(),
        };
        format!("{tool} {input}{behind}\n  {word:.90}\n")
    };
    let all: String = [
        ("Bash", r#"{"command":"git reset --hard","\ud800":1}"#, ""),
        ("Bash", r#"{"command":"git reset --hard","x":{"\uDFFF":1}}"#, ""),
        ("Bash", r#"{"command":"git reset --hard"}"#, r#","\udc00":1"#),
        ("Bash", r#""{\"command\":\"git reset --hard\",\"\\ud800\":1}""#, ""),
        ("mcp__x__run", r#"{"steps":[{"\ud800":1,"command":"git reset --hard"}]}"#, ""),
        ("mcp__x__run", r#"["git reset --hard"]"#, ""),
        ("Bash", r#"["git reset --hard"]"#, ""),
        ("Bash", r#""git reset --hard""#, ""),
        ("Bash", r#"{"command":"git reset --hard"}"#, r#","a":"#),
        ("mcp__x__now", "{}", ""),
        ("mcp__x__now", "null", ""),
        ("Bash", r#"{"command":"echo \ud83d\ude00"}"#, ""),
    ]
    .into_iter()
    .map(|(tool, input, behind)| said(tool, input, behind))
    .collect();
    assert_snapshot!(all, @r#"
    Bash {"command":"git reset --hard","\ud800":1}
      engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the
    Bash {"command":"git reset --hard","x":{"\uDFFF":1}}
      engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the
    Bash {"command":"git reset --hard"},"\udc00":1
      engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the
    Bash "{\"command\":\"git reset --hard\",\"\\ud800\":1}"
      engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the
    mcp__x__run {"steps":[{"\ud800":1,"command":"git reset --hard"}]}
      engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the
    mcp__x__run ["git reset --hard"]
      engine rule size: the input of the call cannot be read, so it was not judged. Instead: the
    Bash ["git reset --hard"]
      engine rule size: the input of the call cannot be read, so it was not judged. Instead: the
    Bash "git reset --hard"
      engine rule size: the input of the call cannot be read, so it was not judged. Instead: the
    Bash {"command":"git reset --hard"},"a":
      engine did not judge this call: it cannot be read
    mcp__x__now {}
      -
    mcp__x__now null
      -
    Bash {"command":"echo \ud83d\ude00"}
      -
    "#);
}

/// Fields by other names, deeper, and tools whose name says what they run.
#[test]
fn other_words_for_the_same_are_judged_alike() {
    let stage = Stage::new();
    let denied = [
        ("mcp__x__batch", json!({"a": {"b": [{"c": {"command": "git reset --hard"}}]}})),
        ("mcp__x__start", json!({"program": "git", "args": ["reset", "--hard"]})),
        ("mcp__x__start", json!({"argv": ["git", "reset", "--hard"]})),
        ("mcp__x__run", json!({"input": "git reset --hard"})),
        ("mcp__x__exec", json!({"exec": "git reset --hard"})),
        ("mcp__x__y", json!({"command": "rm -rf .", "directory": stage.root().join(".git")})),
        ("mcp__fs__manage", json!({"op": "wipe", "path": ".engine"})),
        ("mcp__fs__chmod", json!({"path": ".engine/config.toml", "mode": "000"})),
        ("mcp__fs__unzip", json!({"file": "a.zip", "destination": ".engine/state"})),
        ("mcp__fs__write_all", json!({"files": {".engine/config.toml": ""}})),
        ("apply_patch", json!({"input": "*** Begin Patch\n*** Update File: .engine/config.toml\n@@\n"})),
        ("mcp__x__apply", json!({"patch": "--- a/.engine/config.toml\n+++ /dev/null\n"})),
        ("mcp__x__run_python", json!({"code": "import os; os.system('git reset --hard')"})),
        ("mcp__ide__executeCode", json!({"code": "x = 1\n!git reset --hard"})),
        ("mcp__ide__executeCode", json!({"code": "%%bash\ngit reset --hard"})),
        ("mcp__git__git_reset", json!({"repo_path": ".", "mode": "hard"})),
        ("mcp__git__git_push", json!({"force": true})),
    ];
    for (tool, input) in &denied {
        let said = answer(&stage, &call(&stage, tool, input));
        assert!(said.starts_with("deny: "), "{tool} {input}: {said}");
    }
    for (tool, input) in [
        (
            "mcp__ide__executeCode",
            json!({"code": "import pandas as pd\n%matplotlib inline\n!pip list\ndf != 3"}),
        ),
        ("mcp__git__git_reset", json!({"repo_path": "."})),
        ("mcp__git__git_push", json!({"force": false, "remote": "origin", "branch": "x"})),
        ("mcp__x__review_code", json!({"diff": "--- a/.engine/config.toml\n+++ b/.engine/config.toml\n"})),
        ("mcp__x__ask", json!({"input": "what does git reset --hard do?"})),
        ("mcp__playwright__browser_run_code", json!({"code": "async (page) => { await page.click('a'); }"})),
        (
            "mcp__linear__create_issue",
            json!({"title": "wipe the cache", "kind": "bug", "labels": [{"name": "x"}]}),
        ),
    ] {
        assert_eq!(answer(&stage, &call(&stage, tool, &input)), "-", "{tool} {input}");
    }
}
