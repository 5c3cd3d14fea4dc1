//! `engine replay` and `engine coverage` over transcripts made by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stage::{Output, Stage};

const SESSION: &str = "5acbd66a-d542-418f-9d66-83beead70bd3";

/// A transcript under the pen: each line a second later.
struct Pen {
    second: u32,
    text: String,
}

impl Pen {
    fn new(second: u32) -> Self {
        Self { second, text: String::new() }
    }

    fn line(mut self, mut line: Value) -> Self {
        line["sessionId"] = json!(SESSION);
        line["cwd"] = json!("/somewhere");
        line["gitBranch"] = json!("main");
        line["timestamp"] = json!(format!("2026-11-15T11:00:{:02}.000Z", self.second));
        self.second += 1;
        writeln!(self.text, "{line}").unwrap();
        self
    }

    fn prompt(self, text: &str) -> Self {
        self.line(json!({"type": "user", "promptSource": "sdk", "permissionMode": "default", "message": {"role": "user", "content": text}}))
    }

    fn says(self, text: &str) -> Self {
        self.line(json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}))
    }

    fn calls(self, id: &str, tool: &str, input: &Value) -> Self {
        let content = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        self.line(json!({"type": "assistant", "message": {"role": "assistant", "content": content}}))
    }

    fn result(self, id: &str, response: &Value) -> Self {
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}]);
        self.line(json!({"type": "user", "message": {"role": "user", "content": content}, "toolUseResult": response}))
    }

    fn refused(self, id: &str, why: &str) -> Self {
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": why, "is_error": true}]);
        self.line(json!({"type": "user", "message": {"role": "user", "content": content}}))
    }

    fn bash(self, id: &str, command: &str) -> Self {
        self.calls(id, "Bash", &json!({"command": command}))
            .result(id, &json!({"stdout": "", "stderr": "", "interrupted": false}))
    }

    fn garbage(mut self, text: &str) -> Self {
        writeln!(self.text, "{text}").unwrap();
        self
    }
}

/// Where the client keeps this project's transcripts.
fn folder(stage: &Stage) -> PathBuf {
    let name: String = stage
        .root()
        .display()
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    stage.home().join(".claude/projects").join(name)
}

fn keep(stage: &Stage, name: &str, pen: &Pen) {
    let path = folder(stage).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, &pen.text).unwrap();
}

/// A session in which the main agent and a subagent did harmless and harmful things.
fn stage() -> Stage {
    let stage = Stage::new();
    let main = Pen::new(0)
        .prompt("tidy up")
        .bash("t1", "git status")
        .calls("t2", "Bash", &json!({"command": "git reset --hard HEAD~1"}))
        .refused("t2", "PreToolUse:Bash hook error: engine rule policy: no")
        .garbage("no json at all")
        .calls("t3", "Agent", &json!({"prompt": "look", "subagent_type": "Explore"}))
        .result("t3", &json!({"status": "completed"}))
        .says("Tidy.")
        .garbage(r#"{"type":"user","torn"#);
    keep(&stage, &format!("{SESSION}.jsonl"), &main);
    let sub = Pen::new(10).bash("t4", "ls").bash("t5", "git reset --hard");
    keep(&stage, &format!("{SESSION}/subagents/agent-a1.jsonl"), &sub);
    fs::write(
        folder(&stage).join(format!("{SESSION}/subagents/agent-a1.meta.json")),
        r#"{"agentType":"Explore"}"#,
    )
    .unwrap();
    stage
}

/// The output with times of judging and the name of the client's folder taken out.
fn shown(stage: &Stage, output: &Output) -> String {
    let text = format!("exit {:?}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr);
    let text = text.replace(&folder(stage).display().to_string(), "[FOLDER]");
    let mut out = String::new();
    for line in stage.masked(&text).lines() {
        let line = if line.starts_with("judging took") { "judging took [SOME] µs" } else { line };
        writeln!(out, "{line}").unwrap();
    }
    out
}

fn told(stage: &Stage, args: &[&str]) -> String {
    shown(stage, &stage.engine(args))
}

#[test]
fn a_history_is_judged_again_with_its_subagents() {
    let stage = stage();
    let tree = stage.tree();
    insta::assert_snapshot!(told(&stage, &["replay"]), @"
    exit 0
    2 transcripts of 1 session: 12 events, 2 unreadable lines

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      0      0             0
    policy     2       0      0      0             0
    isolation  0       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    2 decisions
      [DAY] [TIME]  5acbd66a      deny (policy)  Bash  git reset --hard HEAD~1  matched: git.reset-hard (block)
      [DAY] [TIME]  5acbd66a/sub  deny (policy)  Bash  git reset --hard         matched: git.reset-hard (block)

    judging took [SOME] µs
    ");
    let mut json = stage.engine(&["replay", "--json"]).json();
    assert!(json["judgingUs"]["median"].as_f64().unwrap() > 0.0);
    json["judgingUs"] = json!(null);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap(), @r#"
    {
      "decisions": [
        {
          "at": "2026-11-15T11:00:03.000Z",
          "because": "matched: git.reset-hard (block)",
          "event": "PreToolUse",
          "rules": [
            "policy"
          ],
          "session": "5acbd66a-d542-418f-9d66-83beead70bd3",
          "tool": "Bash",
          "verdict": "deny",
          "what": "git reset --hard HEAD~1"
        },
        {
          "agent": "a1",
          "at": "2026-11-15T11:00:12.000Z",
          "because": "matched: git.reset-hard (block)",
          "event": "PreToolUse",
          "rules": [
            "policy"
          ],
          "session": "5acbd66a-d542-418f-9d66-83beead70bd3",
          "tool": "Bash",
          "verdict": "deny",
          "what": "git reset --hard"
        }
      ],
      "events": 12,
      "journalEvents": 0,
      "judgingUs": null,
      "notReplayed": [
        "approval",
        "trust",
        "shortcuts",
        "inject",
        "handoff",
        "restore",
        "open-plans",
        "enrich",
        "precompact",
        "protect",
        "noticed",
        "memory",
        "tasks",
        "ran",
        "require-session",
        "directives",
        "evidence",
        "plan",
        "standing",
        "heartbeat",
        "overflow",
        "dialogue",
        "autocommit",
        "tail",
        "title",
        "restart",
        "journal"
      ],
      "rules": [
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "session",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "chain",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 2,
          "failed": 0,
          "noted": 0,
          "rule": "policy",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "isolation",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "roles",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "reminder",
          "silent": 0
        },
        {
          "asked": 0,
          "bytes": 0,
          "denied": 0,
          "failed": 0,
          "noted": 0,
          "rule": "size",
          "silent": 0
        }
      ],
      "sessions": 1,
      "transcripts": 2,
      "unread": [],
      "unreadable": 2,
      "version": 1
    }
    "#);
    assert_eq!(stage.tree(), tree, "a replay writes nothing");
    let one = folder(&stage).join(format!("{SESSION}.jsonl"));
    let by_file = stage.engine(&["replay", one.to_str().unwrap(), "--json"]).json();
    assert_eq!(by_file["decisions"], json["decisions"]);
}

#[test]
fn a_chain_is_followed_and_isolates_subagents() {
    let stage = Stage::new();
    let skill = |name: &str| {
        format!("---\nname: {name}\ndescription: x\ncontinuation: {{cooperative: true}}\n---\nbody\n")
    };
    for name in ["design", "commit"] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), &skill(name));
    }
    let agent = |id: &str, pen: Pen| {
        pen.calls(
            id,
            "Agent",
            &json!({"prompt": "Look. [CONTINUATION: /commit]", "subagent_type": "Explore"}),
        )
        .result(id, &json!({"status": "completed"}))
    };
    let pen = agent("t1", Pen::new(0).prompt("hello")).says("Hello.").prompt("/design x, /commit");
    let pen = agent("t2", pen)
        .calls("t3", "Skill", &json!({"skill": "commit", "args": ""}))
        .result("t3", &json!({"success": true, "commandName": "commit"}));
    let pen = agent("t4", pen).says("Done.");
    keep(&stage, &format!("{SESSION}.jsonl"), &pen);
    let tree = stage.tree();
    insta::assert_snapshot!(told(&stage, &["replay"]), @r#"
    exit 0
    1 transcript of 1 session: 13 events

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      2      0             361
    policy     0       0      0      0             0
    isolation  1       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    1 decision
      [DAY] [TIME]  5acbd66a  deny (isolation)  Agent  {"prompt":"Look. [CONTINUATION: /commit]","subagent_type":"E…  a chain is stored and the prompt carries a continuation

    judging took [SOME] µs
    "#);
    assert_eq!(stage.tree(), tree, "a replay writes nothing");
}

#[test]
fn two_configurations_are_compared() {
    let stage = stage();
    stage.write("new.toml", "[policy.git]\nreset-hard = \"off\"\n");
    insta::assert_snapshot!(told(&stage, &["replay", "--config", "new.toml", "--diff"]), @"
    exit 0
    2 transcripts of 1 session: 12 events, 2 unreadable lines

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      0      0             0
    policy     2 → 0   0      0      0             0
    isolation  0       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    2 differences
      [DAY] [TIME]  5acbd66a      deny (policy) → none  Bash  git reset --hard HEAD~1
      [DAY] [TIME]  5acbd66a/sub  deny (policy) → none  Bash  git reset --hard

    judging took [SOME] µs
    ");
    insta::assert_snapshot!(told(&stage, &["replay", "--config", "new.toml"]), @"
    exit 0
    2 transcripts of 1 session: 12 events, 2 unreadable lines

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      0      0             0
    policy     0       0      0      0             0
    isolation  0       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    no decision on a tool call

    judging took [SOME] µs
    ");
    stage.write("same.toml", "# nothing\n");
    insta::assert_snapshot!(told(&stage, &["replay", "--config", "same.toml", "--diff"]), @"
    exit 0
    2 transcripts of 1 session: 12 events, 2 unreadable lines

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      0      0             0
    policy     2       0      0      0             0
    isolation  0       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    no event is decided differently

    judging took [SOME] µs
    ");
    insta::assert_snapshot!(told(&stage, &["replay", "--config", "none.toml"]), @"
    exit 1
    engine: none.toml: there is no such file
    ");
    let difference =
        stage.engine(&["replay", "--config", "new.toml", "--diff", "--json"]).json()["differences"][0]
            .clone();
    assert_eq!(
        (&difference["before"], &difference["verdict"]),
        (&json!({"verdict": "deny", "rules": ["policy"]}), &json!("none"))
    );
}

#[test]
fn only_events_since_then_are_told() {
    let stage = stage();
    let since = |at: &str| stage.engine(&["replay", "--since", at, "--json"]).json();
    let late = since("2026-11-15T11:00:12Z");
    assert_eq!((&late["events"], late["decisions"].as_array().unwrap().len()), (&json!(2), 1));
    assert_eq!(late["decisions"][0]["agent"], "a1");
    assert_eq!(since("2026-11-15T11:00:03Z")["decisions"].as_array().unwrap().len(), 2);
    let tomorrow = stage.engine(&["replay", "--since", "2200-01-01T00:00:00Z"]);
    insta::assert_snapshot!(shown(&stage, &tomorrow), @"
    exit 0
    no transcripts in [FOLDER]
    ");
}

#[test]
fn commands_without_a_transcript_come_from_the_journal() {
    let stage = Stage::new();
    stage.hook(&stage.bash("git status"));
    stage.hook(&stage.bash("git reset --hard"));
    insta::assert_snapshot!(told(&stage, &["replay"]), @"
    exit 0
    0 transcripts of 1 session: 2 events, 2 of them from the journal, without a transcript

    rule       denied  asked  noted  silent match  injected bytes
    session    0       0      0      0             0
    chain      0       0      0      0             0
    policy     1       0      0      0             0
    isolation  0       0      0      0             0
    roles      0       0      0      0             0
    reminder   0       0      0      0             0
    size       0       0      0      0             0
    not replayed: approval, trust, shortcuts, inject, handoff, restore, open-plans, enrich, precompact, protect, noticed, memory, tasks, ran, require-session, directives, evidence, plan, standing, heartbeat, overflow, dialogue, autocommit, tail, title, restart, journal

    1 decision
      [DAY] [TIME]  bd48f8aa  deny (policy)  Bash  git reset --hard  matched: git.reset-hard (block)

    judging took [SOME] µs
    ");
    // Asked for a transcript, the journal is not looked at.
    stage.write("empty/x.txt", "");
    insta::assert_snapshot!(told(&stage, &["replay", "empty"]), @"
    exit 0
    no transcripts in empty
    ");
}

#[test]
fn nothing_to_replay_is_said() {
    let stage = Stage::new();
    insta::assert_snapshot!(told(&stage, &["replay"]), @"
    exit 0
    no transcripts in [FOLDER]
    ");
    stage.write("empty/x.txt", "");
    insta::assert_snapshot!(told(&stage, &["replay", "empty"]), @"
    exit 0
    no transcripts in empty
    ");
    insta::assert_snapshot!(told(&stage, &["replay", "missing"]), @"
    exit 1
    engine: missing: there is no such file or folder
    ");
    insta::assert_snapshot!(told(&stage, &["coverage", "empty"]), @"
    exit 0
    no tool calls in empty
    ");
    insta::assert_snapshot!(told(&stage, &["coverage", "missing", "--min", "100"]), @"
    exit 1
    engine: missing: there is no such file or folder
    ");
}

#[test]
fn coverage_names_the_gaps() {
    let stage = stage();
    insta::assert_snapshot!(told(&stage, &["coverage", "--min", "50"]), @r#"
    exit 1
    0 % covered: 0 of 5 tool calls in 2 transcripts
    2 unreadable lines passed over
      5acbd66a  main        0 of 3  0 %
      5acbd66a  Explore a1  0 of 2  0 %
    5 gaps
      [DAY] [TIME]  5acbd66a  main  Bash   git status
      [DAY] [TIME]  5acbd66a  main  Bash   git reset --hard HEAD~1
      [DAY] [TIME]  5acbd66a  main  Agent  {"prompt":"look","subagent_type":"Explore"}
      [DAY] [TIME]  5acbd66a  a1    Bash   ls
      [DAY] [TIME]  5acbd66a  a1    Bash   git reset --hard
    the journal is empty
    below --min 50
    "#);
    let hook = |id: &str| {
        stage.hook(
            &stage.event_with("PreToolUse", &json!({"tool_use_id": id, "tool_input": {"command": "ls"}})),
        )
    };
    for id in ["t1", "t2", "t4"] {
        hook(id);
    }
    let partly = stage.engine(&["coverage", "--min", "61"]);
    // The hooks were called just now, so every gap is older than the journal.
    let text: String = shown(&stage, &partly)
        .lines()
        .filter(|line| !line.contains("before the journal"))
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(text, @r#"
    exit 1
    60 % covered: 3 of 5 tool calls in 2 transcripts
    2 unreadable lines passed over
      5acbd66a  main        2 of 3  66.6 %
      5acbd66a  Explore a1  1 of 2  50 %
    2 gaps
      [DAY] [TIME]  5acbd66a  main  Agent  {"prompt":"look","subagent_type":"Explore"}
      [DAY] [TIME]  5acbd66a  a1    Bash   git reset --hard
    below --min 61
    "#);
    assert_eq!(stage.engine(&["coverage", "--min", "60"]).code, Some(0));
    insta::assert_snapshot!(stage.engine(&["coverage", "--json"]).json(), @r#"{"by":[{"agent":null,"agentType":null,"calls":3,"covered":2,"session":"5acbd66a-d542-418f-9d66-83beead70bd3"},{"agent":"a1","agentType":"Explore","calls":2,"covered":1,"session":"5acbd66a-d542-418f-9d66-83beead70bd3"}],"calls":5,"covered":3,"enough":true,"gaps":[{"at":"2026-11-15T11:00:05.000Z","session":"5acbd66a-d542-418f-9d66-83beead70bd3","tool":"Agent","toolUse":"t3","what":"{\"prompt\":\"look\",\"subagent_type\":\"Explore\"}"},{"agent":"a1","at":"2026-11-15T11:00:12.000Z","session":"5acbd66a-d542-418f-9d66-83beead70bd3","tool":"Bash","toolUse":"t5","what":"git reset --hard"}],"min":0,"notUnderstood":{},"refusedByClient":0,"transcripts":2,"unread":[],"unreadable":2,"version":1}"#);
    hook("t3");
    hook("t5");
    insta::assert_snapshot!(told(&stage, &["coverage", "--min", "100"]), @"
    exit 0
    100 % covered: 5 of 5 tool calls in 2 transcripts
    2 unreadable lines passed over
      5acbd66a  main        3 of 3  100 %
      5acbd66a  Explore a1  2 of 2  100 %
    ");
}

#[test]
fn what_the_client_refuses_itself_is_no_gap() {
    let stage = Stage::new();
    let pen = Pen::new(0)
        .prompt("go")
        .calls("t1", "Skill", &json!({"skill": "none"}))
        .refused("t1", "<tool_use_error>Unknown skill: none</tool_use_error>")
        .bash("t2", "ls");
    keep(&stage, &format!("{SESSION}.jsonl"), &pen);
    stage.hook(&stage.event_with("PreToolUse", &json!({"tool_use_id": "t2"})));
    insta::assert_snapshot!(told(&stage, &["coverage", "--min", "100"]), @"
    exit 0
    100 % covered: 1 of 1 tool call in 1 transcript
    not counted: 1 call that the client refused before any hook
      5acbd66a  main  1 of 1  100 %
    ");
}

#[test]
fn a_call_that_nobody_understands_is_not_covered() {
    let stage = Stage::new();
    let odd = "mcp__x__odd\nname";
    let calls = [
        ("t1", "mcp__db__query", json!({"sql": "SELECT 1"})),
        ("t2", "mcp__db__query", json!({"sql": "SELECT 2"})),
        ("t3", odd, json!({})),
        ("t4", "mcp__shell__run", json!({"command": "ls"})),
        ("t5", "CronList", json!({})),
    ];
    let mut pen = Pen::new(0).prompt("go");
    for (id, tool, input) in &calls {
        pen = pen.calls(id, tool, input).result(id, &json!({}));
        let fields = json!({"tool_use_id": id, "tool_name": tool, "tool_input": input});
        stage.hook(&stage.event_with("PreToolUse", &fields)).assert_silent();
    }
    keep(&stage, &format!("{SESSION}.jsonl"), &pen);
    insta::assert_snapshot!(told(&stage, &["coverage", "--min", "100"]), @r"
    exit 1
    40 % covered: 2 of 5 tool calls in 1 transcript
    passed the hook, but engine does not know what they do: mcp__db__query (2), mcp__x__odd\nname (1)
      5acbd66a  main  2 of 5  40 %
    below --min 100
    ");
    let json = stage.engine(&["coverage", "--json"]).json();
    assert_eq!(json["notUnderstood"], json!({"mcp__db__query": 2, (odd): 1}));
    let checks = stage.engine(&["doctor", "--json"]).json();
    let tools = checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == "tools").unwrap();
    assert_eq!(
        tools["detail"],
        "passed the hook, but engine does not know what they do: mcp__db__query (2), mcp__x__odd\\nname (1)"
    );
}

#[test]
fn a_long_list_is_cut_for_a_person_and_whole_in_json() {
    let stage = Stage::new();
    for session in 0..30 {
        let calls = (0..2).fold(Pen::new(0).prompt("go"), |pen, call| {
            pen.bash(&format!("t{session}-{call}"), &format!("git reset --hard HEAD~{session}"))
        });
        keep(
            &stage,
            &format!("{session:02}.jsonl"),
            &Pen { text: calls.text.replace(SESSION, &format!("{session:02}")), ..calls },
        );
    }
    let text = stage.ok(&["replay"]);
    assert!(text.contains("60 decisions, the last 50 of them; 10 more with --json\n"), "{text}");
    assert_eq!(text.matches("deny").count(), 50);
    assert_eq!(stage.engine(&["replay", "--json"]).json()["decisions"].as_array().unwrap().len(), 60);
    let text = stage.ok(&["coverage"]);
    assert!(
        text.contains("  … 10 more with --json\n60 gaps, the last 20 of them; 40 more with --json\n"),
        "{text}"
    );
    assert_eq!(text.matches("git reset").count(), 20);
}
