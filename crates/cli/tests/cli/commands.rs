//! Commands that people type: what they print, compared whole.

use std::fs;
use std::process::Command;

use engine_claude::install;
use serde_json::json;

use crate::stage::{SESSION, Stage, output_of, run};

/// A project with a short history: a context file told, a write denied, a command that failed.
fn with_history() -> Stage {
    let stage = Stage::new();
    stage.write(".engine/context/CORE.md", "who");
    for event in [
        stage.event("SessionStart"),
        stage.prompt("fix it"),
        stage.bash("cargo test"),
        stage.event_with("PostToolUseFailure", &json!({"tool_input": {"command": "cargo test"}})),
        stage.write_tool(".engine/config.toml", "x"),
        stage.event("SubagentStop"),
        stage.event_with("Stop", &json!({"session_id": SESSION})),
    ] {
        assert_eq!(stage.hook(&event).code, Some(0));
    }
    stage
}

#[test]
fn rules_prints_the_running_table() {
    let stage = with_history();
    stage.write(".engine/config.toml", "[rules]\nprotect = \"shadow\"\n");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["rules"])), @"
    RULE             MODE    FROM     SPOKE  LAST                 EVENTS
    session          on      fixed    0      -                    SessionStart UserPromptSubmit PostToolUse SessionEnd
    approval         on      fixed    0      -                    SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop
    trust            on      fixed    0      -                    SessionStart UserPromptSubmit Stop
    shortcuts        on      default  0      -                    UserPromptSubmit
    chain            on      default  0      -                    SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop
    inject           on      default  1      [DAY] [TIME]  SessionStart UserPromptSubmit
    handoff          on      default  0      -                    SessionStart
    restore          on      default  0      -                    SessionStart
    open-plans       on      default  0      -                    SessionStart
    enrich           off     default  0      -                    UserPromptSubmit
    precompact       on      default  0      -                    PreCompact
    policy           on      default  0      -                    PreToolUse UserPromptExpansion
    protect          shadow  project  1      [DAY] [TIME]  PreToolUse UserPromptExpansion ConfigChange
    noticed          on      default  0      -                    SessionStart UserPromptSubmit ConfigChange
    memory           on      default  0      -                    PreToolUse
    tasks            on      default  0      -                    PreToolUse
    isolation        on      default  0      -                    PreToolUse
    roles            on      default  0      -                    PreToolUse
    ran              on      default  0      -                    PostToolUse PostToolUseFailure
    require-session  off     default  0      -                    PreToolUse
    directives       on      default  0      -                    PreToolUse PostToolUse PostToolUseFailure SubagentStop
    evidence         on      default  0      -                    PreToolUse PostToolUse PostToolUseFailure
    plan             on      default  0      -                    UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop SubagentStart SubagentStop SessionStart
    standing         on      default  0      -                    PostToolUse PostToolUseFailure Stop
    heartbeat        on      default  0      -                    PreToolUse PostToolUse PostToolUseFailure
    overflow         on      default  0      -                    PreToolUse PostToolUse
    dialogue         on      default  0      -                    UserPromptSubmit PostToolUse
    autocommit       on      default  0      -                    PreToolUse PostToolUse PostToolUseFailure
    reminder         on      default  0      -                    Stop
    tail             on      default  0      -                    UserPromptSubmit PostToolUse Stop
    title            off     default  0      -                    SessionStart
    restart          on      default  0      -                    Stop
    size             on      default  0      -                    PreToolUse UserPromptExpansion
    journal          on      default  0      -                    SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop StopFailure SubagentStop Notification SessionEnd
    Counted over the journal that is kept. Modes: engine config set rules.RULE on|shadow|off
    ");
    let rules = stage.engine(&["rules", "--json"]).json();
    let protect = rules["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "protect").unwrap();
    assert_eq!(protect["fired"], 1);
}

/// A full disk behind `>` is an error; a reader that has gone (`| head`) is none.
#[test]
#[cfg(target_os = "linux")]
fn output_that_is_not_written_is_told() {
    let stage = Stage::new();
    stage.write("session.md", "## Pending Tasks\n- [ ] **One** —\n");
    let calls: [&[&str]; 6] =
        [&["status"], &["status", "--json"], &["task", "list"], &["rules"], &["--help"], &["--version"]];
    for args in calls {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let out = stage.command(args).stdout(full).spawn().map(output_of).unwrap();
        let told = "engine: stdout was not written: No space left on device (os error 28)\n";
        assert_eq!((out.code, out.stderr.as_str()), (Some(1), told), "{args:?}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let out = stage.command(args).stdout(writer).spawn().map(output_of).unwrap();
        assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

/// Whether a run ended is not known while it is in the background, whatever its command is.
#[test]
fn the_journal_notes_a_run_in_the_background_without_a_command() {
    let stage = Stage::new();
    for input in [json!({"command": "sleep 30"}), json!({"run_in_background": true}), json!({"command": 7})] {
        let response = json!({"backgroundTaskId": "b1", "interrupted": false});
        let fields = json!({"tool_name": "Bash", "tool_input": input, "tool_response": response});
        stage.hook(&stage.event_with("PostToolUse", &fields)).assert_silent();
    }
    let noted: Vec<_> = stage.journal().iter().map(|entry| entry["background"].clone()).collect();
    assert_eq!(noted, [true, true, true]);
}

#[test]
fn journal_lists_filters_and_follows() {
    let stage = with_history();
    insta::assert_snapshot!(stage.masked(&stage.ok(&["journal"])), @r"
    [DAY] [TIME]  [ID]  bd48f8aa  note  SessionStart  startup
    [DAY] [TIME]  [ID]  bd48f8aa    ·   UserPromptSubmit  fix it
    [DAY] [TIME]  [ID]  bd48f8aa    ·   PreToolUse Bash  cargo test
    [DAY] [TIME]  [ID]  bd48f8aa    ·   PostToolUseFailure Bash  cargo test (exit 3)
    [DAY] [TIME]  [ID]  bd48f8aa  deny  PreToolUse Write  [TOP]/project/.engine/config.toml
    [DAY] [TIME]  [ID]  d0f0ea57/general-purpose    ·   SubagentStop  No problems found.
    [DAY] [TIME]  [ID]  bd48f8aa    ·   Stop  OK
    ");
    let count = |args: &[&str]| stage.ok(args).lines().count();
    assert_eq!(count(&["journal", "--denied"]), 1);
    assert_eq!(count(&["journal", "--event", "stop", "--json"]), 1);
    assert_eq!(count(&["journal", "--session", "d0f0"]), 1);
    assert_eq!(count(&["journal", "--since", "1h", "--json"]), 7);
    let nothing = stage.engine(&["journal", "--session", "zzz"]);
    assert_eq!(
        (nothing.code, nothing.stdout.as_str(), nothing.stderr.as_str()),
        (Some(0), "", "nothing in the journal fits\n")
    );
    let bad = stage.engine(&["journal", "--since", "yesterday"]);
    assert_eq!(bad.code, Some(2));

    let mut child =
        stage.command(&["journal", "--follow", "--event", "Notification", "--json"]).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    stage.hook(&stage.event("Notification")).assert_silent();
    let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(line["input"], "permission_prompt: Claude needs your permission");
    child.kill().unwrap();
    child.wait().unwrap();
    // A reader that has had enough ends it at the next line.
    let mut headed = Command::new("sh");
    headed.args(["-c", "\"$0\" journal --follow | head -1"]).arg(env!("CARGO_BIN_EXE_engine"));
    let mut headed = headed.current_dir(stage.root()).stdout(std::process::Stdio::null()).spawn().unwrap();
    while headed.try_wait().unwrap().is_none() {
        stage.hook(&stage.event("Notification")).assert_silent();
    }
}

#[test]
fn why_tells_the_last_decision_and_any_other() {
    let stage = with_history();
    let why = stage.masked(&stage.ok(&["why"]));
    let why: String = why
        .lines()
        .map(
            |line| {
                if line.starts_with("  answer") { "  answer …\n".to_owned() } else { format!("{line}\n") }
            },
        )
        .collect();
    insta::assert_snapshot!(why, @r"
    [ID]  PreToolUse Write  [DAY] [TIME]
      session   bd48f8aa-611e-4e64-b1f5-2e515a790906, main agent
      input     [TOP]/project/.engine/config.toml
      rule      protect
                deny: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
                because the path lies in .engine/
      answer …
    ");
    let first = stage.journal()[0]["id"].as_str().unwrap().to_owned();
    let why = stage.engine(&["why", &first, "--json"]).json();
    assert_eq!(why["findings"][0]["because"], "files loaded: .engine/context/CORE.md");
    let missing = stage.engine(&["why", "zzzzzzzzzzzz"]);
    assert_eq!(
        (missing.code, missing.stderr.as_str()),
        (Some(1), "engine: no decision zzzzzzzzzzzz in the journal\n  list them: engine journal\n")
    );
    let many = stage.engine(&["why", "1"]);
    assert!(many.stderr.starts_with("engine: 1 begins several ids: "), "{}", many.stderr);
    let empty = Stage::new();
    assert_eq!(empty.engine(&["why"]).code, Some(3));
}

#[test]
fn explain_judges_without_writing() {
    let stage = Stage::new();
    stage.write(".engine/context/CORE.md", "who");
    let event = stage.write_tool(".engine/config.toml", "x").to_string();
    let before = stage.tree();
    let mut command = stage.command(&["explain"]);
    command.stdin(std::process::Stdio::piped());
    let out = run(command, Some(event.as_bytes()));
    insta::assert_snapshot!(stage.masked(&out.stdout), @r#"
    PreToolUse Write in [TOP]/project
      approval: silent
      chain: silent
      policy: silent
      protect: deny: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.
        because the path lies in .engine/
      memory: silent
      tasks: silent
      isolation: silent
      roles: silent
      directives: silent
      evidence: silent
      plan: silent
      heartbeat: silent
      overflow: silent
      autocommit: silent
      size: silent
      journal: silent
      require-session: not asked
    answer: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule protect: [TOP]/project/.engine/config.toml belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/."}}
    "#);
    // A recorded file names folders of another machine.
    let fixture = format!("{}/../testkit/fixtures/events/SessionStart.json", env!("CARGO_MANIFEST_DIR"));
    insta::assert_snapshot!(stage.masked(&stage.ok(&["explain", &fixture])), @r#"
    SessionStart in [TOP]/project
      session: no decision
        would change: SessionStarted { source: "startup", model: None, client: None, wiring: [] }
      approval: silent
      trust: no decision
        would change: ContextSeen
      chain: silent
      inject: no decision
        to the model (71 bytes):
        | Files loaded at session start: .engine/context/CORE.md
        | 
        | ## CORE.md
        | 
        | who
        would change: Export { variables: [("ENGINE_SESSION_ID", "bd48f8aa-611e-4e64-b1f5-2e515a790906"), ("ENGINE_PROJECT", "[TOP]/project")] }
        because files loaded: .engine/context/CORE.md
      handoff: silent
      restore: silent
      open-plans: silent
      noticed: no decision
        would change: RunnersSeen { seen: Seen { version: 1, files: {} } }
      plan: silent
      journal: silent
      title: not asked
    answer: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Files loaded at session start: .engine/context/CORE.md\n\n## CORE.md\n\nwho"}}
    "#);
    assert_eq!(stage.tree(), before);
    let bad = stage.engine(&["explain", "nosuch.json"]);
    assert_eq!(
        (bad.code, bad.stderr.as_str()),
        (Some(1), "engine: nosuch.json: No such file or directory (os error 2)\n")
    );
}

#[test]
fn config_shows_values_and_where_they_come_from() {
    let mut stage = Stage::new();
    stage.write(".engine/config.toml", "# mine\n[inject]\nbudget = 600\nbugdet = 1\n");
    std::fs::create_dir_all(stage.home().join(".config/engine")).unwrap();
    std::fs::write(
        stage.home().join(".config/engine/config.toml"),
        "[journal]\nkeep_days = 7\n[inject]\nbudget = 900\n",
    )
    .unwrap();
    stage.set("ENGINE_RULES_TITLE", "on");
    let out = stage.engine(&["config", "show"]);
    insta::assert_snapshot!(out.stdout, @r#"
    inject.files                  ["FRAMEWORK.md", "AXIOMS.md", "HEURISTICS.md", "CORE.md"]  default
    inject.budget                 600                                                        project (line 3)
    inject.strict                 false                                                      default
    inject.standards              []                                                         default
    links.protocol                "file"                                                     default
    reminder.text                 ""                                                         default
    reminder.for                  "agent"                                                    default
    heartbeat.warn                3                                                          default
    heartbeat.block               10                                                         default
    overflow.note                 80                                                         default
    overflow.gate                 false                                                      default
    tasks.file                    ""                                                         default
    shortcuts.status              "auto"                                                     default
    shortcuts.capture             "instant"                                                  default
    chain.wrapped                 []                                                         default
    chain.exits                   "always"                                                   default
    policy.fail                   "open"                                                     default
    policy.protected              []                                                         default
    policy.branches               []                                                         default
    statusline.parts              []                                                         default
    tags.transitions              []                                                         default
    session.modes                 []                                                         default
    directives.budget             6000                                                       default
    directives.warn               3                                                          default
    directives.block              6                                                          default
    directives.bare               false                                                      default
    directives.skip               []                                                         default
    directives.memory             "allow"                                                    default
    search.docs                   ["**/*.md", "**/*.mdx", "**/*.markdown"]                   default
    search.skip                   []                                                         default
    autocommit.paths              []                                                         default
    plan.commit                   "off"                                                      default
    models.tiers                  []                                                         default
    runbook.attempts              0                                                          default
    runbook.tokens                0                                                          default
    runbook.minutes               0                                                          default
    evidence.checks               []                                                         default
    run.agent                     "claude"                                                   default
    run.restart                   "auto"                                                     default
    commit.checks                 []                                                         default
    journal.keep_days             7                                                          user (line 2)
    policy.git.reset-hard         "block"                                                    default
    policy.git.force-push         "block"                                                    default
    policy.git.force-with-lease   "ask"                                                      default
    policy.git.delete-remote      "ask"                                                      default
    policy.git.clean              "block"                                                    default
    policy.git.discard-all        "block"                                                    default
    policy.git.discard-paths      "ask"                                                      default
    policy.git.stash-drop         "block"                                                    default
    policy.git.branch-delete      "block"                                                    default
    policy.git.branch-force       "ask"                                                      default
    policy.git.lose-history       "block"                                                    default
    policy.git.rewrite-history    "ask"                                                      default
    policy.git.worktree-force     "block"                                                    default
    policy.git.submodule-deinit   "ask"                                                      default
    policy.git.no-verify          "ask"                                                      default
    policy.git.protected-branch   "off"                                                      default
    policy.files.delete-root      "block"                                                    default
    policy.files.delete-outside   "ask"                                                      default
    policy.files.repository       "block"                                                    default
    policy.files.device           "block"                                                    default
    policy.files.protected        "block"                                                    default
    policy.files.chmod-root       "block"                                                    default
    policy.machine.fork-bomb      "block"                                                    default
    policy.machine.kill-all       "block"                                                    default
    policy.machine.power          "ask"                                                      default
    policy.machine.system-file    "block"                                                    default
    policy.machine.crontab        "ask"                                                      default
    policy.machine.startup        "ask"                                                      default
    policy.machine.mount          "ask"                                                      default
    policy.secrets.read-keys      "ask"                                                      default
    policy.secrets.read-env-file  "ask"                                                      default
    policy.secrets.print-env      "ask"                                                      default
    policy.secrets.print-token    "ask"                                                      default
    policy.network.pipe-to-shell  "ask"                                                      default
    policy.network.decoded-code   "ask"                                                      default
    policy.network.reverse-shell  "block"                                                    default
    policy.cloud.infrastructure   "ask"                                                      default
    policy.cloud.cluster          "ask"                                                      default
    policy.cloud.provider         "ask"                                                      default
    policy.cloud.container        "ask"                                                      default
    policy.cloud.forge            "ask"                                                      default
    policy.cloud.backup           "ask"                                                      default
    policy.cloud.vault            "ask"                                                      default
    policy.cloud.messaging        "ask"                                                      default
    policy.cloud.publish          "ask"                                                      default
    policy.database.sql           "ask"                                                      default
    policy.database.drop          "ask"                                                      default
    policy.database.keys          "ask"                                                      default
    policy.database.documents     "ask"                                                      default
    policy.database.migration     "ask"                                                      default
    policy.person.keys            "ask"                                                      default
    policy.person.socket          "ask"                                                      default
    policy.person.resume          "ask"                                                      default
    policy.agents.unguarded       "ask"                                                      default
    policy.docs.no-guides         "off"                                                      default
    policy.docs.long-file         "off"                                                      default
    policy.python.use-uv          "off"                                                      default
    policy.skill.not-a-program    "block"                                                    default
    rules.shortcuts               "on"                                                       default
    rules.chain                   "on"                                                       default
    rules.inject                  "on"                                                       default
    rules.handoff                 "on"                                                       default
    rules.restore                 "on"                                                       default
    rules.open-plans              "on"                                                       default
    rules.enrich                  "off"                                                      default
    rules.precompact              "on"                                                       default
    rules.policy                  "on"                                                       default
    rules.protect                 "on"                                                       default
    rules.noticed                 "on"                                                       default
    rules.memory                  "on"                                                       default
    rules.tasks                   "on"                                                       default
    rules.isolation               "on"                                                       default
    rules.roles                   "on"                                                       default
    rules.ran                     "on"                                                       default
    rules.require-session         "off"                                                      default
    rules.directives              "on"                                                       default
    rules.evidence                "on"                                                       default
    rules.plan                    "on"                                                       default
    rules.standing                "on"                                                       default
    rules.heartbeat               "on"                                                       default
    rules.overflow                "on"                                                       default
    rules.dialogue                "on"                                                       default
    rules.autocommit              "on"                                                       default
    rules.reminder                "on"                                                       default
    rules.tail                    "on"                                                       default
    rules.title                   "on"                                                       environment
    rules.restart                 "on"                                                       default
    rules.size                    "on"                                                       default
    rules.journal                 "on"                                                       default
    "#);
    assert_eq!(
        out.stderr,
        "problem: project config, line 4: unknown key inject.bugdet; did you mean inject.budget?\n"
    );
    assert_eq!(stage.ok(&["config", "get", "inject.budget"]), "600\n");
    assert_eq!(stage.ok(&["config", "get", "reminder.text"]), "\n");
    let unknown = stage.engine(&["config", "get", "inject.bugdet"]);
    assert_eq!(
        (unknown.code, unknown.stderr.as_str()),
        (
            Some(2),
            "engine: unknown key inject.bugdet; did you mean inject.budget?\n  list them: engine config show\n"
        )
    );
    let bad = stage.engine(&["config", "set", "inject.budget", "huge"]);
    assert_eq!(
        (bad.code, bad.stderr.as_str()),
        (Some(1), "engine: inject.budget takes a number from 500 to 9500, not \"huge\"\n")
    );
    stage.ok(&["config", "set", "inject.budget", "700"]);
    assert_eq!(stage.read(".engine/config.toml"), "# mine\n[inject]\nbudget = 700\nbugdet = 1\n");
    stage.ok(&["config", "set", "rules.title", "off", "--user"]);
    let user = std::fs::read_to_string(stage.home().join(".config/engine/config.toml")).unwrap();
    assert_eq!(user, "[journal]\nkeep_days = 7\n[inject]\nbudget = 900\n\n[rules]\ntitle = \"off\"\n");
}

#[test]
fn switching_a_rule_wires_its_events() {
    let stage = Stage::bare();
    stage.ok(&["init", "--team"]);
    let all = stage.read(".claude/settings.json");
    let out = stage.ok(&["config", "set", "rules.journal", "off"]);
    assert!(out.ends_with("The hook entries were brought in line with the rules; running sessions pick it up within seconds.\n"), "{out}");
    let fewer = stage.read(".claude/settings.json");
    assert!(!fewer.contains("\"Notification\"") && fewer.contains("\"PreToolUse\""));
    stage.ok(&["config", "set", "reminder.text", "Write it down."]);
    assert!(stage.read(".claude/settings.json").contains("\"Stop\""));
    stage.ok(&["config", "set", "rules.journal", "on"]);
    let mut lines: Vec<String> = stage
        .read(".claude/settings.json")
        .lines()
        .map(|line| line.trim_end_matches(',').to_owned())
        .collect();
    let mut expected: Vec<String> = all.lines().map(|line| line.trim_end_matches(',').to_owned()).collect();
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected, "every event is wired again");
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(stage.tree().len(), 1, "what was set stays");
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(stage.tree(), Vec::<String>::new());
}

#[test]
fn doctor_runs_what_is_wired_and_names_what_is_broken() {
    let stage = Stage::bare();
    let out = stage.engine(&["doctor"]);
    assert!(out.stderr.starts_with("engine: no project: there is no .engine/ in "), "{}", out.stderr);
    stage.ok(&["init"]);
    let out = stage.engine(&["doctor"]);
    let text: String = stage
        .masked(&out.stdout)
        .lines()
        .map(|line| format!("{}\n", line.split(", fires,").next().unwrap()))
        .collect();
    insta::assert_snapshot!(text, @"
    note  client                       claude was not found on PATH
    ok    .claude/settings.local.json  read by the client (local scope)
    ok    hook SessionStart            wired
    ok    hook SessionEnd              wired
    ok    hook UserPromptSubmit        wired
    ok    hook UserPromptExpansion     wired
    ok    hook PreToolUse              wired
    ok    hook PostToolUse             wired
    ok    hook PostToolUseFailure      wired
    ok    hook Stop                    wired
    ok    hook StopFailure             wired
    ok    hook SubagentStart           wired
    ok    hook SubagentStop            wired
    ok    hook PreCompact              wired
    ok    hook ConfigChange            wired
    ok    hook Notification            wired
    ok    config                       every key is known
    ok    journal                      0 events kept
    ok    state                        0 sessions kept
    ok    permissions                  engine's everyday commands need no dialog
    ok    skills                       0 skills found, 0 can be in a chain
    note  shortcuts                    h, hc, ci and xc stand for /handoff and /commit, which are not installed. Run: engine init --with skills
    ok    files                        1 file up to date
    ");
    assert_eq!(out.code, Some(0), "{}", out.stdout);
    // The settings name a program that is not there, and miss an event.
    let settings = stage.read(".claude/settings.local.json");
    let broken = settings.replace(env!("CARGO_BIN_EXE_engine"), "/nowhere/engine");
    let broken: String =
        broken.lines().filter(|line| !line.contains("SessionEnd")).map(|line| format!("{line}\n")).collect();
    stage.write(".claude/settings.local.json", &broken);
    stage.write(".engine/config.toml", "[inject]\nbugdet = 1\n");
    let out = stage.engine(&["doctor"]);
    assert_eq!(out.code, Some(1));
    assert!(
        out.stdout.contains(
            ".claude/settings.local.json starts /nowhere/engine, which does not exist. Run: engine init --scope local"
        ),
        "{}",
        out.stdout
    );
    assert!(
        out.stdout.contains("project config, line 2: unknown key inject.bugdet; did you mean inject.budget?"),
        "{}",
        out.stdout
    );
    assert_eq!(out.stderr, "engine: 2 broken\n");
}

#[test]
fn engine_alone_tells_where_you_stand() {
    let stage = with_history();
    let text = stage.masked(&stage.ok(&[]));
    let (counted, spent) = text.split_once(" model, ").unwrap();
    let text = format!("{counted} model, N{}", spent.trim_start_matches(|c: char| c.is_ascii_digit()));
    insta::assert_snapshot!(text, @r"
    Project  [TOP]/project
    Hooks    not wired: engine init
    Today    7 events in 2 sessions
             1 denied, 0 asked, 1 note
             71 bytes given to the model, N ms spent

    No pending tasks.
    ");
    let bare = Stage::bare();
    insta::assert_snapshot!(bare.masked(&bare.ok(&[])), @r"
    [TOP]/project is not a project of engine.
    Make it one: engine init    See what it does: engine demo    All commands: engine --help
    ");
    assert_eq!(bare.engine(&["--json"]).json(), json!({"version": 1, "project": null}));
}

#[test]
fn old_journals_and_states_go_after_keep_days_but_not_by_a_hook_or_a_look() {
    let stage = Stage::new();
    stage.write(".engine/journal/2001-01-01.jsonl", "{}\n");
    stage.write(".engine/journal/README.md", "mine");
    stage.hook(&stage.prompt("go")).assert_silent();
    assert!(stage.exists(".engine/journal/2001-01-01.jsonl"));
    stage.ok(&["journal"]);
    stage.ok(&["rules"]);
    assert!(stage.exists(".engine/journal/2001-01-01.jsonl"), "who looks deletes nothing");
    stage.ok(&["init"]);
    assert!(!stage.exists(".engine/journal/2001-01-01.jsonl"));
    assert!(stage.exists(".engine/journal/README.md"));
    assert_eq!(stage.journal().len(), 1);
    // A lock that looks old guards a state that is not; both go together.
    let session = format!(".engine/state/sessions/{SESSION}");
    let age = |file: &str| {
        let path = stage.root().join(format!("{session}.{file}"));
        assert!(Command::new("touch").args(["-d", "40 days ago"]).arg(path).status().unwrap().success());
    };
    age("lock");
    stage.ok(&["init"]);
    assert!(stage.exists(&format!("{session}.lock")));
    age("json");
    stage.ok(&["init"]);
    stage.ok(&["init"]);
    assert!(!stage.exists(&format!("{session}.lock")) && !stage.exists(&format!("{session}.json")));
}

#[test]
fn completions_are_valid_shell() {
    let stage = Stage::bare();
    let script = stage.ok(&["completions", "bash"]);
    // It is longer than one argument may be.
    stage.write("completions.bash", &script);
    let check = Command::new("bash").arg("-n").arg(stage.root().join("completions.bash")).status().unwrap();
    assert!(check.success());
    assert!(script.contains("uninstall") && script.contains("--dry-run"));
}

#[test]
fn every_command_has_help_with_an_example() {
    let stage = Stage::bare();
    for command in [
        "init",
        "uninstall",
        "doctor",
        "explain",
        "why",
        "rules",
        "journal",
        "config set",
        "config get",
        "config show",
        "demo",
        "completions",
        "hook",
    ] {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--help");
        let help = stage.ok(&words);
        assert!(help.contains("Example"), "{command}: {help}");
    }
    let wrong = stage.engine(&["jurnal"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("journal"), "{}", wrong.stderr);
}

#[test]
fn the_commands_that_need_no_dialog_exist() {
    let stage = Stage::bare();
    for command in install::PLAIN.iter().chain(install::ON_REQUEST).chain(install::RUNBOOK) {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--help");
        stage.ok(&words);
    }
}

#[test]
fn demo_plays_a_session_and_leaves_nothing() {
    let stage = Stage::bare();
    let out = stage.ok(&["demo"]);
    for part in [
        "to the model: Files loaded at session start",
        "denied: engine rule protect: ",
        "Decisions of this turn belong in notes/decisions.md.",
        "to the model: [DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Write the changelog (haiku).",
        "to the model: [SHORTCUT: #execute] The user typed x. Task: Fix the lexer (pending, now marked as in progress)",
        "In progress: Fix the lexer",
        "to the person: engine: chain: /plan-adhoc, /commit; engine chain drop cancels",
        "denied: engine rule isolation: ",
        "3 denied, 0 asked, 6 notes",
        "15 events, ",
    ] {
        assert!(out.contains(part), "{part} is missing in {out}");
    }
    assert_eq!(stage.tree(), Vec::<String>::new());
}

#[test]
fn abandoned_temporary_files_go_but_not_by_a_hook() {
    let stage = Stage::new();
    stage.hook(&stage.prompt("go")).assert_silent();
    let made = |age: &str| {
        ["", "sessions/", "plans/"].map(|folder| {
            let path = format!(".engine/state/{folder}{age}.json.4711.tmp");
            stage.write(&path, "{");
            path
        })
    };
    let (old, new) = (made("old"), made("new"));
    for path in &old {
        let file = std::fs::File::options().write(true).open(stage.root().join(path)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(2)).unwrap();
    }
    let are_there = |paths: &[String]| paths.iter().map(|path| stage.exists(path)).collect::<Vec<_>>();
    stage.hook(&stage.prompt("go")).assert_silent();
    assert_eq!((are_there(&old), are_there(&new)), (vec![true; 3], vec![true; 3]));
    stage.ok(&["journal"]);
    assert_eq!((are_there(&old), are_there(&new)), (vec![true; 3], vec![true; 3]), "reading deletes nothing");
    stage.engine(&["doctor"]);
    assert_eq!((are_there(&old), are_there(&new)), (vec![false; 3], vec![true; 3]));
}
