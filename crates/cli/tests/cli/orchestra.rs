//! A session that runs a runbook, played event by event: the calls of the main agent, and what the agents of its steps do.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::plan::told;
use crate::plan_proofs::{project, shell_by};
use crate::stage::{Output, SESSION, Stage};

/// Three steps on three models and a review, each step with a file of its own.
pub(crate) const RUNBOOK: &str = "---\nname: greet\nmodel: haiku\ncheck: pytest\n---\n\
    # Common context\nAll greetings end with a dot.\n### Stop conditions\nA decision is missing.\n\
    # Phase 1: Words\n\
    ## Step 1.1: say hello\nFiles: hello.py (new)\nWrite hello.py.\n\
    ## Step 1.2: say goodbye\nExecution Model: sonnet\nFiles: bye.py (new)\nMax Turns: 12\nWrite bye.py.\n\
    ## Step 1.3: say both\nExecution Model: opus\nFiles: both.py (new)\nWrite both.py.\n";

pub(crate) struct Orchestra {
    pub(crate) stage: Stage,
    calls: Cell<u32>,
}

/// An agent of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Player {
    pub(crate) id: String,
    pub(crate) kind: String,
    call: String,
    input: Value,
}

impl Orchestra {
    /// A project with a prepared runbook of this text.
    pub(crate) fn of(runbook: &str) -> Self {
        let stage = project();
        stage.write("plans/greet/runbook.md", runbook);
        stage.ok(&["runbook", "prepare", "greet"]);
        // The client knows the agents from the next prompt on.
        stage.hook(&stage.event_with("UserPromptSubmit", &json!({"session_id": SESSION, "prompt": "go on"})));
        Self { stage, calls: Cell::new(0) }
    }

    /// In a project as it is.
    pub(crate) fn around(stage: Stage) -> Self {
        Self { stage, calls: Cell::new(0) }
    }

    pub(crate) fn new() -> Self {
        Self::of(RUNBOOK)
    }

    pub(crate) fn engine(&self, args: &[&str]) -> Output {
        self.stage.engine(&[&["runbook"], args].concat())
    }

    /// What a command prints, with the parts of agents' names that change with their texts masked.
    pub(crate) fn told(&self, args: &[&str]) -> String {
        masked(&told(&self.engine(args)))
    }

    /// The plan's own agent for general steps, or for cycles.
    pub(crate) fn agent(&self, word: &str) -> String {
        let folder = std::fs::read_dir(self.stage.root().join(".claude/agents")).unwrap();
        let mut names = folder.flatten().map(|entry| entry.file_name().into_string().unwrap());
        let end = format!("-{word}.md");
        let name = names.find(|name| name.starts_with("greet-") && name.ends_with(&end)).unwrap();
        name.trim_end_matches(".md").to_owned()
    }

    /// The one whose name has a sum.
    pub(crate) fn agent_of_hash(&self) -> String {
        let folder = std::fs::read_dir(self.stage.root().join(".claude/agents")).unwrap();
        let mut names = folder.flatten().map(|entry| entry.file_name().into_string().unwrap());
        let name = names.find(|name| name.starts_with("greet-") && !name.contains("abcdef")).unwrap();
        name.trim_end_matches(".md").to_owned()
    }

    fn id(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_agent_{}", self.calls.get())
    }

    fn event(&self, name: &str, fields: &Value) -> Output {
        let mut fields = fields.clone();
        fields["session_id"] = json!(SESSION);
        self.stage.hook(&self.stage.event_with(name, &fields))
    }

    /// Asks for a call of the tool that starts agents; the call's id and what the model is told, or what its input becomes.
    pub(crate) fn asks(&self, input: &Value) -> (String, String) {
        let call = self.id();
        let fields = json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": call});
        (call, answer(&self.event("PreToolUse.Agent", &fields)))
    }

    /// The reason for which a call is refused.
    pub(crate) fn refused(&self, kind: &str, model: &str, prompt: &str) -> String {
        let mut input = json!({"description": "x", "subagent_type": kind, "model": model, "prompt": prompt});
        if model.is_empty() {
            input.as_object_mut().unwrap().remove("model");
        }
        self.asks(&input).1
    }

    /// Starts the agent of a step, as the client does it in the background.
    pub(crate) fn starts(&self, kind: &str, model: &str, prompt: &str) -> Player {
        let input = json!({"description": "x", "subagent_type": kind, "model": model, "prompt": prompt});
        let (call, answer) = self.asks(&input);
        assert!(!answer.starts_with("denied"), "{answer}");
        let player = Player { id: format!("a{}", self.calls.get()), kind: kind.to_owned(), call, input };
        self.begins(&player);
        self.launched(&player, &format!("claude-{model}-5"));
        player
    }

    /// A player whose call nobody judged.
    pub(crate) fn player(&self, kind: &str, call: &str) -> Player {
        Player { id: format!("b{call}"), kind: kind.to_owned(), call: call.to_owned(), input: json!({}) }
    }

    pub(crate) fn begins(&self, player: &Player) -> String {
        let fields = json!({"agent_id": player.id, "agent_type": player.kind});
        answer(&self.event("SubagentStart", &fields))
    }

    pub(crate) fn launched(&self, player: &Player, model: &str) -> String {
        let response = json!({"isAsync": true, "status": "async_launched", "agentId": player.id, "resolvedModel": model});
        let fields = json!({
            "tool_name": "Agent", "tool_input": player.input, "tool_use_id": player.call, "tool_response": response
        });
        answer(&self.event("PostToolUse.Agent-background", &fields))
    }

    /// A call that waited for its agent is answered.
    pub(crate) fn answered(&self, player: &Player, model: &str) -> String {
        let response =
            json!({"status": "completed", "agentId": player.id, "resolvedModel": model, "totalTokens": 7});
        let fields = json!({
            "tool_name": "Agent", "tool_input": player.input, "tool_use_id": player.call, "tool_response": response
        });
        answer(&self.event("PostToolUse.Agent", &fields))
    }

    /// A player writes a file.
    pub(crate) fn writes(&self, player: &Player, path: &str, text: &str) -> String {
        let input = json!({"file_path": self.stage.root().join(path), "content": text});
        let mut fields = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": self.id()});
        fields["agent_id"] = json!(player.id);
        fields["agent_type"] = json!(player.kind);
        let before = answer(&self.event("PreToolUse.Write", &fields));
        if before != "-" {
            return before;
        }
        self.stage.write(path, text);
        answer(&self.event("PostToolUse.Write", &fields))
    }

    /// A player runs a command; its exit status.
    pub(crate) fn runs(&self, player: &Player, command: &str) -> Option<i32> {
        shell_by(&self.stage, command, "", Some((&player.kind, &player.id))).code
    }

    /// A player writes the report of a step, with these lines beside its status.
    pub(crate) fn reports(&self, player: &Player, stem: &str, lines: &str) {
        let text = format!("---\nStatus: done\nCheck: pytest, 0\n{lines}---\nIt is done.\n");
        assert_eq!(self.writes(player, &format!("plans/greet/reports/{stem}.md"), &text), "-");
    }

    pub(crate) fn ends(&self, player: &Player) -> String {
        let fields = json!({
            "agent_id": player.id, "agent_type": player.kind, "last_assistant_message": "done", "stop_hook_active": false
        });
        answer(&self.event("SubagentStop", &fields))
    }

    /// A player does a general step as it should.
    pub(crate) fn does(&self, player: &Player, stem: &str, file: &str) {
        assert_eq!(self.writes(player, file, &format!("print('{}')\n", player.id)), "-");
        assert_eq!(self.runs(player, "pytest"), Some(0));
        self.reports(player, stem, "Quality: none\n");
        assert_eq!(self.ends(player), "-");
    }

    /// The end of the main agent's turn.
    pub(crate) fn stops(&self) -> String {
        answer(&self.event("Stop", &json!({"stop_hook_active": false})))
    }

    /// A call of the main agent.
    pub(crate) fn main(&self, tool: &str, input: &Value) -> String {
        let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": self.id()});
        answer(&self.event("PreToolUse", &fields))
    }

    pub(crate) fn edits(&self, path: &str) -> String {
        self.main(
            "Edit",
            &json!({"file_path": self.stage.root().join(path), "old_string": "a", "new_string": "b"}),
        )
    }

    pub(crate) fn shell(&self, command: &str) -> String {
        self.main("Bash", &json!({"command": command}))
    }
}

/// What an event is answered, with what changes from run to run masked: `denied: …`, `told: …`, `input: …`, or `-`.
fn answer(output: &Output) -> String {
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    let json = output.json();
    let specific = &json["hookSpecificOutput"];
    let text = if let Some(reason) = specific["permissionDecisionReason"].as_str() {
        let decision = specific["permissionDecision"].as_str().unwrap_or_default();
        format!("{}: {reason}", if decision == "deny" { "denied" } else { decision })
    } else if let Some(context) = specific["additionalContext"].as_str() {
        format!("told: {context}")
    } else if let Some(prompt) = specific["updatedInput"]["prompt"].as_str() {
        format!("input: {prompt}")
    } else {
        json.to_string()
    };
    masked(&text)
}

/// `greet-ab12cd-task` becomes `greet-[SUM]-task`.
pub(crate) fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("greet-") {
        let (before, behind) = rest.split_at(at + "greet-".len());
        out.push_str(before);
        let is_sum = |sum: &&str| sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        rest = match behind.get(..6).filter(is_sum) {
            Some(_) => {
                out.push_str("[SUM]");
                &behind[6..]
            }
            None => behind,
        };
    }
    out + rest
}
