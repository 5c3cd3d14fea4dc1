//! Files that come into a model's context, or are written for a person, where a link or a hard link stands in their place. A repository
//! can ship such links.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::stage::{Output, SESSION, Stage, run};

/// What a key file holds here: it would be injected as a handoff, shown as a task and taken for a queue item.
const SECRET: &str =
    "---\nstate: open\n---\n## Status\nTOPSECRET\n\n## Pending Tasks\n- [ ] **TOPSECRET** —\n";

const KINDS: &[&str] = &["out", "env", "above", "dangling", "hard", "inside", "twin"];

/// A project with a key in the home folder and variables in the project.
fn stage() -> Stage {
    let stage = Stage::new();
    for path in ["home/.ssh/id_rsa", "home/.ssh/id_work", "project/.env"] {
        let path = stage.root().join("..").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SECRET).unwrap();
    }
    stage
}

/// Puts a link in the place of a file.
fn place(stage: &Stage, kind: &str, file: &str) {
    let path = stage.root().join(file);
    let folder = path.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let (key, notes) = (stage.home().join(".ssh/id_rsa"), stage.root().join("notes/mine.md"));
    match kind {
        "out" => symlink(key, path).unwrap(),
        "env" => symlink(stage.root().join(".env"), path).unwrap(),
        "above" => {
            let elsewhere = stage.home().join("elsewhere");
            fs::rename(folder, &elsewhere).unwrap();
            fs::write(elsewhere.join(path.file_name().unwrap()), SECRET).unwrap();
            symlink(&elsewhere, folder).unwrap();
        }
        "dangling" => symlink(stage.home().join("nowhere.md"), path).unwrap(),
        "hard" => fs::hard_link(key, path).unwrap(),
        "inside" => {
            stage.write("notes/mine.md", &SECRET.replace("TOPSECRET", "mine"));
            symlink(notes, path).unwrap();
        }
        "twin" => {
            stage.write("notes/mine.md", &SECRET.replace("TOPSECRET", "mine"));
            fs::hard_link(notes, path).unwrap();
        }
        _ => unreachable!("{kind}"),
    }
}

/// What the model and the person are given.
fn given(stage: &Stage, output: &Output) -> String {
    if output.stdout.is_empty() {
        return "-".to_owned();
    }
    let answer = output.json();
    let model =
        answer["hookSpecificOutput"]["additionalContext"].as_str().map(|text| format!("model: {text}"));
    let person = answer["systemMessage"].as_str().map(|text| format!("person: {text}"));
    stage.masked(&model.into_iter().chain(person).collect::<Vec<_>>().join("\n"))
}

fn said(stage: &Stage, output: &Output) -> String {
    let code = output.code.unwrap_or(-1);
    stage.masked(&format!("exit {code} {}{}", output.stdout, output.stderr)).trim_end().to_owned()
}

/// The same for a file and each kind of link: what comes of it, with no secret in it, and every secret unchanged.
fn each(file: &str, kinds: &[&str], what: impl Fn(&Stage) -> String) -> String {
    let mut all = String::new();
    for kind in kinds {
        let stage = stage();
        place(&stage, kind, file);
        let told = what(&stage);
        assert!(!told.contains("TOPSECRET"), "{kind}: {told}");
        for path in ["home/.ssh/id_rsa", "home/.ssh/id_work", "project/.env"] {
            assert_eq!(stage.read(&format!("../{path}")), SECRET, "{kind}: {path}");
        }
        if *kind == "above" {
            let name = Path::new(file).file_name().unwrap();
            let there: Vec<_> = fs::read_dir(stage.home().join("elsewhere"))
                .unwrap()
                .map(|at| at.unwrap().file_name())
                .collect();
            assert_eq!(there, [name], "nothing is written there");
            assert_eq!(fs::read_to_string(stage.home().join("elsewhere").join(name)).unwrap(), SECRET);
        }
        assert!(!stage.home().join("nowhere.md").exists(), "{kind}");
        all.push_str(&format!("[{kind}] {told}\n"));
    }
    all
}

fn start(stage: &Stage) -> String {
    given(stage, &stage.hook(&stage.event("SessionStart")))
}

fn typed(stage: &Stage, prompt: &str) -> String {
    given(stage, &stage.hook(&stage.prompt(prompt)))
}

#[test]
fn context_files() {
    insta::assert_snapshot!(each(".engine/context/CORE.md", KINDS, start), @"
    [out] person: engine: .engine/context/CORE.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    [env] person: engine: .engine/context/CORE.md was not told to the model: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    [above] person: engine: .engine/context/CORE.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    [dangling] -
    [hard] person: engine: .engine/context/CORE.md was not told to the model: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] model: Files loaded at session start: .engine/context/CORE.md

    ## CORE.md

    ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    [twin] model: Files loaded at session start: .engine/context/CORE.md

    ## CORE.md

    ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    person: engine: .engine/context/CORE.md was told to the model, and it is a hard link: whoever writes to its other name changes it
    ");
    insta::assert_snapshot!(each(".engine/context/PROMPT.md", KINDS, |stage| typed(stage, "hello")), @"
    [out] person: engine: .engine/context/PROMPT.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    [env] person: engine: .engine/context/PROMPT.md was not told to the model: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    [above] person: engine: .engine/context/PROMPT.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    [dangling] -
    [hard] person: engine: .engine/context/PROMPT.md was not told to the model: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] model: ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    [twin] model: ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    person: engine: .engine/context/PROMPT.md was told to the model, and it is a hard link: whoever writes to its other name changes it
    ");
}

/// The line comes once in a session.
#[test]
fn the_person_is_told_once() {
    let stage = stage();
    place(&stage, "out", ".engine/context/PROMPT.md");
    insta::assert_snapshot!(typed(&stage, "hello"), @"person: engine: .engine/context/PROMPT.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place");
    assert_eq!(typed(&stage, "hello again"), "-");
}

#[test]
fn the_task_file() {
    insta::assert_snapshot!(each("session.md", &["out", "env", "dangling", "hard", "inside", "twin"], |stage| {
        let status = said(stage, &stage.engine(&["status"]));
        format!("{}\n  s: {}\n  p: {}\n  {status}", start(stage), typed(stage, "s"), typed(stage, "p: mend it"))
    }), @"
    [out] person: engine: session.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
      s: model: engine: session.md cannot be read: it is a link that leads out of the project; put a file of its own in its place
    person: engine: session.md cannot be read: it is a link that leads out of the project; put a file of its own in its place
      p: model: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
      exit 1 engine: session.md: it is a link that leads out of the project; put a file of its own in its place
    [env] person: engine: session.md was not told to the model: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
      s: model: engine: session.md cannot be read: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    person: engine: session.md cannot be read: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
      p: model: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a link to a file that has the name of a file with secrets; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a link to a file that has the name of a file with secrets; put a file of its own in its place. It was: mend it
      exit 1 engine: session.md: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    [dangling] -
      s: model: [SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:

    No pending tasks.
      p: model: engine: the task was not recorded: failed to write file `[TOP]/project/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to write file `[TOP]/project/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
      exit 0 No pending tasks.
    [hard] person: engine: session.md was not told to the model: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
      s: model: engine: session.md cannot be read: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    person: engine: session.md cannot be read: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
      p: model: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to read file `[TOP]/project/session.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place. It was: mend it
      exit 1 engine: session.md: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] model: Left by the last session in session.md:

    ## Status

    mine
      s: model: [SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:

    Next: mine
      Model: sonnet | Restart: no
      p: model: [DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Mend it (sonnet). It is not to be executed now, and needs no edit of the file.
    person: engine: kept: Mend it, as a pending task in session.md
      exit 0 Next: mine
      Model: sonnet | Restart: no
    [twin] model: Left by the last session in session.md:

    ## Status

    mine
    person: engine: session.md was told to the model, and it is a hard link: whoever writes to its other name changes it
      s: model: [SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:

    Next: mine
      Model: sonnet | Restart: no
      p: model: [DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Mend it (sonnet). It is not to be executed now, and needs no edit of the file.
    person: engine: kept: Mend it, as a pending task in session.md
      exit 0 Next: mine
      Model: sonnet | Restart: no
    ");
    insta::assert_snapshot!(each("agents/session.md", &["above"], |stage| {
        format!("{}\n  s: {}\n  p: {}", start(stage), typed(stage, "s"), typed(stage, "p: mend it"))
    }), @"
    [above] person: engine: agents/session.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
      s: model: engine: agents/session.md cannot be read: it is a link that leads out of the project; put a file of its own in its place
    person: engine: agents/session.md cannot be read: it is a link that leads out of the project; put a file of its own in its place
      p: model: engine: the task was not recorded: failed to read file `[TOP]/project/agents/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to read file `[TOP]/project/agents/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    ");
}

/// A new file takes the place of one of two names; the other keeps the old text.
#[test]
fn the_other_name_of_a_task_file_keeps_its_text() {
    let stage = stage();
    place(&stage, "twin", "session.md");
    stage.ok(&["task", "add", "two"]);
    assert_eq!(stage.read("notes/mine.md"), SECRET.replace("TOPSECRET", "mine"));
    assert_eq!(
        stage.read("session.md"),
        format!("{}- [ ] **two** — | sonnet\n", SECRET.replace("TOPSECRET", "mine"))
    );
}

#[test]
fn learnings() {
    insta::assert_snapshot!(each("learnings.md", &["out", "env", "dangling", "hard", "inside"], |stage| {
        let list = said(stage, &stage.engine(&["learn", "list"]));
        let add = said(stage, &stage.engine(&["learn", "add", "Locks", "--anti", "a", "--correct", "c", "--reason", "r"]));
        format!("{list}\n  {add}")
    }), @"
    [out] exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a link that leads out of the project; put a file of its own in its place
      exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a link that leads out of the project; put a file of its own in its place
    [env] exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
      exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    [dangling] exit 0 no learnings yet
      exit 1 engine: failed to write file `[TOP]/project/learnings.md`: it is a link that leads out of the project; put a file of its own in its place
    [hard] exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
      exit 1 engine: failed to read file `[TOP]/project/learnings.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] exit 0 Status
      not: 
      but: 
      why: 
    Pending Tasks
      not: 
      but: 
      why:
      exit 0 added Locks to learnings.md
    ");
}

#[test]
fn directives() {
    insta::assert_snapshot!(each("a/.directives/AGENTS.md", &["out", "env", "above", "dangling", "hard", "inside", "twin"], |stage| {
        stage.write("a/x.rs", "");
        let read = stage.event_with("PostToolUse", &json!({"session_id": SESSION, "tool_name": "Read",
            "tool_input": {"file_path": stage.root().join("a/x.rs")}}));
        let told = given(stage, &stage.hook(&read));
        format!("{told}\n  {}", said(stage, &stage.engine(&["directives", "add", "AGENTS", "a", "--text", "Facts."])))
    }), @"
    [out] -
      exit 1 engine: a/.directives/AGENTS.md is a link to a file that is not ours to write
    [env] -
      exit 1 engine: [TOP]/project/a/.directives/AGENTS.md is no directive: its name ends in .md
    [above] -
      exit 1 engine: a/.directives/AGENTS.md is a link to a file that is not ours to write
    [dangling] -
      exit 1 engine: a/.directives/AGENTS.md is a link to a file that is not ours to write
    [hard] person: engine: a/.directives/AGENTS.md was not told to the model: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
      exit 1 engine: failed to read file `[TOP]/project/a/.directives/AGENTS.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] model: Directives that count here, nearest first:

    ## notes/mine.md

    ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
      exit 0 a/.directives/AGENTS.md: added Facts.
    [twin] model: Directives that count here, nearest first:

    ## a/.directives/AGENTS.md

    ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    person: engine: a/.directives/AGENTS.md was told to the model, and it is a hard link: whoever writes to its other name changes it
      exit 0 a/.directives/AGENTS.md: added Facts.
    ");
}

#[test]
fn items_of_the_queue() {
    insta::assert_snapshot!(each(".engine/queue/20261115-203441-dark.md", &["out", "env", "hard", "inside", "twin"], |stage| {
        said(stage, &stage.engine(&["q", "show", "20261115-203441-dark"]))
    }), @"
    [out] exit 1 engine: 20261115-203441-dark: a symbolic link, not a file
    [env] exit 1 engine: 20261115-203441-dark: a symbolic link, not a file
    [hard] exit 1 engine: 20261115-203441-dark: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] exit 1 engine: 20261115-203441-dark: a symbolic link, not a file
    [twin] exit 0 ---
    state: open
    ---
    ## Status
    mine

    ## Pending Tasks
    - [ ] **mine** —
    ");
    insta::assert_snapshot!(each(".engine/queue/20261115-203441-dark.md", &["above"], |stage| {
        let list = said(stage, &stage.engine(&["q", "list"]));
        format!("{list}\n  {}", typed(stage, "q: dark mode"))
    }), @"
    [above] exit 0 20261115-203441-dark  damaged  it is a link that leads out of the project; put a file of its own in its place
      model: engine: it was not put into the queue: [TOP]/project/.engine/queue is a link that leads out of the project; put a folder in its place. It was: dark mode
    person: engine: it was not put into the queue: [TOP]/project/.engine/queue is a link that leads out of the project; put a folder in its place. It was: dark mode
    ");
}

#[test]
fn presets_of_plans() {
    insta::assert_snapshot!(each(".engine/workflows/mine.toml", &["out", "env", "above", "hard"], |stage| {
        said(stage, &stage.engine(&["plan", "presets", "mine"]))
    }), @"
    [out] exit 1 engine: [TOP]/project/.engine/workflows/mine.toml: it is a link that leads out of the project; put a file of its own in its place
    [env] exit 1 engine: [TOP]/project/.engine/workflows/mine.toml: it is a link to a file that has the name of a file with secrets; put a file of its own in its place
    [above] exit 1 engine: [TOP]/project/.engine/workflows/mine.toml: it is a link that leads out of the project; put a file of its own in its place
    [hard] exit 1 engine: [TOP]/project/.engine/workflows/mine.toml: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    ");
}

/// Neither is read from elsewhere: the built-in rules stay on.
#[test]
fn configuration_and_policy() {
    for kind in ["out", "env", "hard"] {
        for file in [".engine/config.toml", ".engine/policy.toml"] {
            let stage = stage();
            let _ = fs::remove_file(stage.root().join(file));
            place(&stage, kind, file);
            assert!(!stage.engine(&["doctor"]).stdout.contains("TOPSECRET"));
        }
    }
    let elsewhere = |file: &str, text: &str| {
        let stage = stage();
        let _ = fs::remove_file(stage.root().join(file));
        fs::write(stage.home().join("elsewhere.toml"), text).unwrap();
        symlink(stage.home().join("elsewhere.toml"), stage.root().join(file)).unwrap();
        stage
    };
    let stage = elsewhere(".engine/config.toml", "[rules]\npolicy = \"off\"\n");
    let refused = stage.hook(&stage.bash("git reset --hard")).json();
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
    insta::assert_snapshot!(start(&stage), @"person: engine: project config: it is a link that leads out of the project; put a file of its own in its place; what you accepted counts. See: engine doctor");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["config", "set", "inject.budget", "900"])), @"exit 1 engine: [TOP]/project/.engine/config.toml: it is a link that leads out of the project; put a file of its own in its place");
    assert_eq!(
        fs::read_to_string(stage.home().join("elsewhere.toml")).unwrap(),
        "[rules]\npolicy = \"off\"\n"
    );
    let rule = "[[rule]]\nid = \"no-x\"\nverdict = \"block\"\nprogram = \"x\"\nreason = \"r\"\n";
    let stage = elsewhere(".engine/policy.toml", rule);
    stage.hook(&stage.bash("x")).assert_silent();
    insta::assert_snapshot!(start(&stage), @"person: engine: .engine/policy.toml: it is a link that leads out of the project; put a file of its own in its place; no rule of it is used. See: engine policy test");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["policy", "test"])), @"
    exit 1 policy.toml:0: it is a link that leads out of the project; put a file of its own in its place
    0 tests, 1 failure
    ");
}

/// A person may keep their own configuration wherever they like.
#[test]
fn the_persons_own_configuration_may_be_a_link() {
    let stage = stage();
    fs::create_dir_all(stage.home().join(".config/engine")).unwrap();
    fs::write(stage.home().join("dotfiles.toml"), "[rules]\npolicy = \"off\"\n").unwrap();
    symlink(stage.home().join("dotfiles.toml"), stage.home().join(".config/engine/config.toml")).unwrap();
    stage.hook(&stage.bash("git reset --hard")).assert_silent();
}

/// Worktrees of one repository may share their files by links.
#[test]
fn another_worktree_is_no_elsewhere() {
    let stage = stage();
    stage.write(".engine/config.toml", "[rules]\npolicy = \"off\"\n");
    stage.write(".engine/context/CORE.md", "Core.\n");
    stage.git(&["init", "-q"]);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    let (one, two) = (stage.home().join("one"), stage.home().join("two"));
    for worktree in [&one, &two] {
        stage.git(&["worktree", "add", "-q", "--detach", worktree.to_str().unwrap()]);
    }
    symlink(stage.root().join(".engine"), one.join(".engine")).unwrap();
    fs::create_dir(two.join(".engine")).unwrap();
    symlink(stage.root().join(".engine/config.toml"), two.join(".engine/config.toml")).unwrap();
    fs::create_dir(two.join(".engine/context")).unwrap();
    fs::write(one.join("CORE.md"), "Of one.\n").unwrap();
    symlink(one.join("CORE.md"), two.join(".engine/context/CORE.md")).unwrap();
    let begin = |folder: &Path| {
        let event = stage.event_with("SessionStart", &json!({"cwd": folder}));
        let mut command = stage.command_in(folder, &["hook"]);
        command.env("CLAUDE_PROJECT_DIR", folder);
        given(&stage, &run(command, Some(event.to_string().as_bytes())))
    };
    insta::assert_snapshot!(begin(&one), @"
    model: Files loaded at session start: .engine/context/CORE.md

    ## CORE.md

    Core.
    person: engine: the rule policy is off (project). Switch it on: engine config set rules.policy on
    ");
    insta::assert_snapshot!(begin(&two), @"
    model: Files loaded at session start: .engine/context/CORE.md

    ## CORE.md

    Of one.
    person: engine: the rule policy is off (project). Switch it on: engine config set rules.policy on
    ");
    // One that has nothing to do with it.
    let other = stage.home().join("other");
    fs::create_dir_all(other.join(".engine/context")).unwrap();
    symlink(one.join("CORE.md"), other.join(".engine/context/CORE.md")).unwrap();
    stage.accept_in(&other);
    insta::assert_snapshot!(begin(&other), @"person: engine: .engine/context/CORE.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place");
}

/// `.engine/state -> ~/.docker` would replace the person's `config.json`.
#[test]
fn state_is_not_written_elsewhere() {
    for link in [".engine", ".engine/state", ".engine/journal"] {
        let stage = stage();
        stage.write(".engine/config.toml", "[inject]\nbudget = 900\n");
        let elsewhere = stage.home().join("elsewhere");
        fs::create_dir_all(elsewhere.join("journal")).unwrap();
        fs::write(elsewhere.join("config.json"), "mine").unwrap();
        fs::write(elsewhere.join("config.toml"), "[rules]\npolicy = \"off\"\n").unwrap();
        let _ = fs::remove_dir_all(stage.root().join(link));
        symlink(&elsewhere, stage.root().join(link)).unwrap();
        let before = stage.tree();
        let told = [start(&stage), typed(&stage, "p: mend it"), typed(&stage, "q: dark mode")].join("\n");
        match link {
            ".engine" => insta::assert_snapshot!(told, @"
            person: engine: project config: it is a link that leads out of the project; put a file of its own in its place; what you accepted counts. See: engine doctor
            engine: the session's state was not saved: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. The work goes on. See: engine doctor
            engine: the journal was not written: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. The work goes on. See: engine doctor
            model: engine: the task was not recorded: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. It was: mend it
            person: engine: the task was not recorded: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. It was: mend it
            model: engine: it was not put into the queue: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. It was: dark mode
            person: engine: it was not put into the queue: [TOP]/project/.engine is a link that leads out of the project; put a folder in its place. It was: dark mode
            "),
            ".engine/state" => insta::assert_snapshot!(told, @"
            person: engine: the session's state was not saved: [TOP]/project/.engine/state is a link that leads out of the project; put a folder in its place. The work goes on. See: engine doctor
            model: engine: the task was not recorded: [TOP]/project/.engine/state is a link that leads out of the project; put a folder in its place. It was: mend it
            person: engine: the task was not recorded: [TOP]/project/.engine/state is a link that leads out of the project; put a folder in its place. It was: mend it
            model: [DIRECTIVE: QUEUE] Kept by engine in the queue, for later: dark mode. It is not to be executed now, and needs no other record. engine q list shows the queue.
            person: engine: kept: dark mode, in the queue; engine q list
            "),
            _ => insta::assert_snapshot!(told, @"
            person: engine: the journal was not written: [TOP]/project/.engine/journal is a link that leads out of the project; put a folder in its place. The work goes on. See: engine doctor
            model: [DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Mend it (sonnet). It is not to be executed now, and needs no edit of the file.
            person: engine: kept: Mend it, as a pending task in session.md
            model: [DIRECTIVE: QUEUE] Kept by engine in the queue, for later: dark mode. It is not to be executed now, and needs no other record. engine q list shows the queue.
            person: engine: kept: dark mode, in the queue; engine q list
            "),
        }
        let refused = stage.hook(&stage.bash("git reset --hard")).json();
        assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny", "{link}");
        let after = stage.tree();
        let is_there = |line: &&String| line.contains("elsewhere");
        assert_eq!(
            before.iter().filter(is_there).collect::<Vec<_>>(),
            after.iter().filter(is_there).collect::<Vec<_>>(),
            "{link}"
        );
    }
}

/// Where the configuration is kept for the hook.
fn cached(stage: &Stage) -> Option<PathBuf> {
    start(stage);
    let all = fs::read_dir(stage.home().join(".local/state/engine/cache")).unwrap().flatten();
    all.map(|entry| entry.path()).find(|path| path.to_string_lossy().ends_with(".config.json"))
}

/// One file of the state, or a day of the journal.
#[test]
fn a_link_in_the_place_of_a_state_file_is_replaced_or_refused() {
    let stage = stage();
    stage.write(".engine/config.toml", "[inject]\nbudget = 900\n");
    let mine = stage.home().join("mine.json");
    fs::write(&mine, "mine").unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o644)).unwrap();
    let cache = cached(&stage).unwrap();
    fs::remove_file(&cache).unwrap();
    symlink(&mine, &cache).unwrap();
    start(&stage);
    assert!(!cache.is_symlink());
    let day = fs::read_dir(stage.root().join(".engine/journal")).unwrap().flatten().map(|day| day.path());
    let day = day.filter(|day| day.extension().is_some_and(|end| end == "jsonl")).last().unwrap();
    fs::remove_file(&day).unwrap();
    symlink(&mine, &day).unwrap();
    let told = typed(&stage, "hello").replace(&*day.file_name().unwrap().to_string_lossy(), "DAY");
    insta::assert_snapshot!(told, @"person: engine: the journal was not written: failed to open file `[TOP]/project/.engine/journal/DAY`: Too many levels of symbolic links (os error 40). The work goes on. See: engine doctor");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
}

/// The dialogue of a work session, and the page of a plan in a folder that leads elsewhere.
#[test]
fn what_is_written_beside_the_work() {
    let stage = crate::directives::at_work();
    let mine = stage.home().join("mine.md");
    fs::write(&mine, "mine").unwrap();
    let dialogue = stage.root().join("sessions/2026_02_07_AUTH/DIALOGUE.md");
    let _ = fs::remove_file(&dialogue);
    symlink(&mine, &dialogue).unwrap();
    insta::assert_snapshot!(given(&stage, &stage.hook(&stage.event_with("UserPromptSubmit", &json!({"prompt": "hello", "session_id": SESSION})))), @"person: engine: DIALOGUE.md was not written: failed to write file `[TOP]/project/sessions/2026_02_07_AUTH/DIALOGUE.md`: it is a link that leads out of the project; put a file of its own in its place. The work goes on. See: engine doctor");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
}

#[test]
fn tags() {
    insta::assert_snapshot!(each("notes/request.md", &["above", "dangling", "hard", "inside"], |stage| {
        said(stage, &stage.engine(&["tag", "add", "notes/request.md", "#x"]))
    }), @"
    [above] exit 1 engine: failed to write file `[TOP]/project/notes/request.md`: it is a link that leads out of the project; put a file of its own in its place
    [dangling] exit 1 engine: notes/request.md: there is no such file
    [hard] exit 1 engine: failed to write file `[TOP]/project/notes/request.md`: it is a hard link to [TOP]/home/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    [inside] exit 0 notes/request.md: added #x
    ");
}

/// The page of a plan in a folder that leads elsewhere.
#[test]
fn a_page_is_not_written_elsewhere() {
    let stage = crate::plan::stage();
    let elsewhere = stage.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    symlink(&elsewhere, stage.root().join("plans")).unwrap();
    insta::assert_snapshot!(said(&stage, &crate::plan::new(&stage, crate::plan::ROUTER)), @"
    exit 0 plan fix-the-login: 3 steps, 2 criteria; plans/fix-the-login/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    note: plans/fix-the-login/PLAN.md was not written: it is a link that leads out of the project; put a file of its own in its place
    ");
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// `sessions/` may be on another disk; what is in it does not lead out of it.
#[test]
fn work_sessions_on_another_disk() {
    let stage = crate::directives::stage();
    let disk = stage.home().join("disk");
    fs::create_dir_all(&disk).unwrap();
    symlink(&disk, stage.root().join("sessions")).unwrap();
    stage.ok(&["session", "activate", "sessions/2026_02_07_AUTH", "mend"]);
    let prompt =
        |text: &str| stage.event_with("UserPromptSubmit", &json!({"prompt": text, "session_id": SESSION}));
    stage.hook(&prompt("hello"));
    let dialogue = disk.join("2026_02_07_AUTH/DIALOGUE.md");
    assert!(fs::read_to_string(&dialogue).unwrap().contains("hello"));
    fs::remove_file(&dialogue).unwrap();
    fs::write(stage.home().join("mine.md"), "mine").unwrap();
    symlink(stage.home().join("mine.md"), &dialogue).unwrap();
    insta::assert_snapshot!(given(&stage, &stage.hook(&prompt("again"))), @"person: engine: DIALOGUE.md was not written: failed to write file `[TOP]/project/sessions/2026_02_07_AUTH/DIALOGUE.md`: it is a link that leads out of the project; put a file of its own in its place. The work goes on. See: engine doctor");
    // A task file in it is no file of a work session.
    fs::write(disk.join("profile.md"), "mine").unwrap();
    stage.write(".engine/config.toml", "[tasks]\nfile = \"sessions/profile.md\"\n");
    insta::assert_snapshot!(given(&stage, &stage.hook(&prompt("p: mend it"))), @"
    model: engine: the task was not recorded: failed to read file `[TOP]/project/sessions/profile.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    person: engine: the task was not recorded: failed to read file `[TOP]/project/sessions/profile.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    ");
    assert_eq!(fs::read_to_string(disk.join("profile.md")).unwrap(), "mine");
}

/// What is old in a folder of the state is deleted; a link to a person's folder would empty it.
#[test]
fn nothing_is_deleted_elsewhere() {
    for link in
        [".engine", ".engine/state", ".engine/state/sessions", ".engine/state/full", ".engine/journal"]
    {
        let stage = stage();
        let elsewhere = stage.home().join("elsewhere");
        let long_ago = SystemTime::now() - Duration::from_hours(24 * 400);
        for name in
            ["letter.txt", "2020-01-01.jsonl", "a.tmp", "sessions/letter.txt", "state/sessions/letter.txt"]
        {
            let path = elsewhere.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::File::create(path).unwrap().set_modified(long_ago).unwrap();
        }
        let place = stage.root().join(link);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&elsewhere, place).unwrap();
        let there = || -> Vec<String> {
            stage.tree().into_iter().filter(|line| line.starts_with("home/elsewhere")).collect()
        };
        let before = there();
        stage.engine(&["doctor"]);
        stage.engine(&["init"]);
        assert_eq!(there(), before, "{link}");
    }
}

#[test]
fn a_key_is_asked_about_also_by_the_name_of_a_link() {
    let stage = stage();
    fs::create_dir(stage.root().join("keys")).unwrap();
    symlink(stage.home().join(".ssh/id_rsa"), stage.root().join("notes.txt")).unwrap();
    symlink(stage.home().join(".ssh"), stage.root().join("docs")).unwrap();
    symlink(stage.root().join(".env"), stage.root().join("env.txt")).unwrap();
    symlink(stage.root().join("keys"), stage.root().join("plain")).unwrap();
    let read = |path: &str| {
        let path = stage.root().join(path);
        stage.event_with("PreToolUse", &json!({"tool_name": "Read", "tool_input": {"file_path": path}}))
    };
    let decided = |event| {
        let output = stage.hook(&event);
        let answer = if output.stdout.is_empty() { json!({}) } else { output.json() };
        let said = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or("none");
        said.split(": ").nth(1).unwrap_or(said).to_owned()
    };
    for (event, expected) in [
        (stage.bash("cat notes.txt"), "secrets.read-keys"),
        (read("notes.txt"), "secrets.read-keys"),
        (stage.bash("head -3 docs/id_work"), "secrets.read-keys"),
        (stage.bash("cat < env.txt"), "secrets.read-env-file"),
        (read("plain/a.txt"), "none"),
        (stage.bash("cat plain/a.txt"), "none"),
    ] {
        assert_eq!(decided(event), expected);
    }
}
