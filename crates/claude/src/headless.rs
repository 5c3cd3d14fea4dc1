//! The client without a terminal: one prompt in, one answer in JSON.

use std::ffi::{OsStr, OsString};

use engine_text::markdown::Lines;
use serde_json::{Map, Value, json};

/// What a start of the client is for.
#[derive(Debug, Clone)]
pub struct Headless<'a> {
    pub prompt: &'a str,
    pub model: &'a str,
    /// The id that the client is to give its session: a UUID.
    pub session: &'a str,
    pub turns: Option<u32>,
    /// The agent as which it is to answer.
    pub agent: &'a str,
    /// The file of that agent, where the client would not find it by the name.
    pub agent_file: Option<&'a str>,
    /// What the person adds.
    pub args: &'a [OsString],
}

/// Options that are set here. With others of these a step would be another step.
const SET: [&str; 17] = [
    "--agent",
    "--agents",
    "--background",
    "--bg",
    "-c",
    "--continue",
    "--fork-session",
    "--from-pr",
    "--input-format",
    "--max-turns",
    "--model",
    "--output-format",
    "-r",
    "--resume",
    "--session-id",
    "--teleport",
    "--worktree",
];

/// The first option among those that a person adds that is set here.
pub fn is_set_here(args: &[OsString]) -> Option<&str> {
    let named = |word: &OsString| {
        let name = word.to_str()?.split('=').next()?;
        SET.iter().find(|set| **set == name).copied()
    };
    args.iter().find_map(named)
}

impl Headless<'_> {
    /// The arguments of the client. What the person adds comes before ours, so that ours count; an option of theirs that takes any number
    /// of words takes none of these.
    pub fn args(&self) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec!["-p".into(), self.prompt.into()];
        all.extend(self.args.iter().cloned());
        let mut set = |name: &str, value: &OsStr| all.extend([name.into(), value.to_owned()]);
        set("--model", self.model.as_ref());
        set("--session-id", self.session.as_ref());
        set("--output-format", "json".as_ref());
        if let Some(turns) = self.turns {
            set("--max-turns", turns.to_string().as_ref());
        }
        if let Some(file) = self.agent_file {
            set("--agents", definition(self.agent, file).as_ref());
        }
        set("--agent", self.agent.as_ref());
        all
    }
}

/// An agent's file as the option `--agents` has it. Its model is left out: the call names one.
fn definition(name: &str, file: &str) -> String {
    let lines = Lines::new(file);
    let front = lines.front_matter();
    let body = front.checked_sub(1).map_or(0, |last| lines.all[last].end);
    let field = |key: &str| {
        let mut fields = lines.all[..front].iter().filter_map(|line| line.text.split_once(':'));
        fields.find(|(found, _)| *found == key).map(|(_, value)| value.trim().to_owned())
    };
    let description = field("description").unwrap_or_else(|| name.to_owned());
    let mut agent = json!({"description": description, "prompt": file[body..].trim()});
    if let Some(tools) = field("tools") {
        agent["tools"] = tools.split(',').map(str::trim).collect();
    }
    Value::Object(Map::from_iter([(name.to_owned(), agent)])).to_string()
}

/// What the client says when it has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The model that wrote most of it.
    pub model: Option<String>,
    /// All that were sent and written, also those from the cache.
    pub tokens: Option<u64>,
    /// The tools whose calls were denied, by a rule of the person's, a hook, or because nobody was there to ask.
    pub denied: Vec<String>,
    pub end: End,
}

/// How a client ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum End {
    /// It was done, or says so.
    #[default]
    Answered,
    /// It had to stop: its turns were used up, its money was spent, a hook stopped it. What it left counts.
    Stopped(String),
    /// It could not work, whatever it was asked for.
    Broken(String),
}

/// Reads what the client has printed; nothing where that is no answer.
pub fn answer(stdout: &str) -> Option<Answer> {
    let last = stdout.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok())?;
    let found = match last {
        Value::Array(lines) => lines.into_iter().rfind(is_result)?,
        line => Some(line).filter(is_result)?,
    };
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap_or_default();
    let models = found["modelUsage"].as_object();
    let main = models.and_then(|models| models.iter().max_by_key(|(_, used)| number(used, "outputTokens")));
    let keys = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
    let spent = |used: &Value| keys.iter().map(|key| number(used, key)).sum::<u64>();
    let mut denied: Vec<String> = Vec::new();
    for denial in found["permission_denials"].as_array().into_iter().flatten() {
        let tool = denial["tool_name"].as_str().unwrap_or_default();
        if !tool.is_empty() && !denied.iter().any(|known| known == tool) {
            denied.push(tool.to_owned());
        }
    }
    Some(Answer {
        model: main.map(|(model, _)| model.clone()),
        tokens: models.map(|models| models.values().map(spent).sum()),
        denied,
        end: end(&found),
    })
}

fn is_result(line: &Value) -> bool {
    line["type"] == "result"
}

/// An exit code of zero says nothing, and `success` is said of an error, too.
fn end(found: &Value) -> End {
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    let subtype = text("subtype");
    if matches!(subtype.as_str(), "error_max_turns" | "error_max_budget_usd") {
        return End::Stopped(subtype);
    }
    if subtype != "success" || found["is_error"] == true {
        let said = Some(text("result")).filter(|said| !said.is_empty());
        return End::Broken(said.unwrap_or(subtype));
    }
    match text("terminal_reason").as_str() {
        "" | "completed" => End::Answered,
        reason => End::Stopped(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_come_last_and_an_agent_of_no_file_is_defined() {
        let args = ["--allowedTools".into(), "Read".into(), "Edit".into()];
        let headless = Headless {
            prompt: "plans/greet/steps/step-1-1.md",
            model: "haiku",
            session: "0f3a",
            turns: Some(7),
            agent: "vet-agent",
            agent_file: Some(
                "---\nname: vet-agent\ndescription: Reviews: a change.\nmodel: opus\ntools: Read, Bash\n---\n\nLook.\n",
            ),
            args: &args,
        };
        let shown = |all: Vec<OsString>| all.join(OsStr::new(" ")).into_string().unwrap();
        assert_eq!(
            shown(headless.args()),
            "-p plans/greet/steps/step-1-1.md --allowedTools Read Edit --model haiku --session-id 0f3a --output-format json --max-turns 7 \
             --agents {\"vet-agent\":{\"description\":\"Reviews: a change.\",\"prompt\":\"Look.\",\"tools\":[\"Read\",\"Bash\"]}} --agent vet-agent"
        );
        let plain = Headless { turns: None, agent_file: None, args: &[], ..headless };
        assert_eq!(
            shown(plain.args()),
            "-p plans/greet/steps/step-1-1.md --model haiku --session-id 0f3a --output-format json --agent vet-agent"
        );
    }

    #[test]
    fn what_is_set_here_is_nobody_elses() {
        let cases: &[(&[&str], Option<&str>)] = &[
            (&["--permission-mode", "acceptEdits"], None),
            (&["--max-budget-usd", "2"], None),
            (&["--verbose", "--model=opus"], Some("--model")),
            (&["-c"], Some("-c")),
        ];
        for (args, expected) in cases {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            assert_eq!(is_set_here(&args), *expected, "{args:?}");
        }
    }

    #[test]
    fn an_answer_says_model_tokens_and_end() {
        let usage = json!({
            "claude-haiku-4-5": {"inputTokens": 50, "outputTokens": 5},
            "claude-sonnet-4-5": {"inputTokens": 100, "outputTokens": 20, "cacheReadInputTokens": 1000, "cacheCreationInputTokens": 10},
        });
        let ends = [
            (json!({"subtype": "success", "terminal_reason": "completed"}), End::Answered),
            (json!({"subtype": "success"}), End::Answered),
            (
                json!({"subtype": "success", "terminal_reason": "hook_stopped"}),
                End::Stopped("hook_stopped".to_owned()),
            ),
            (
                json!({"subtype": "error_max_turns", "is_error": true}),
                End::Stopped("error_max_turns".to_owned()),
            ),
            (
                json!({"subtype": "success", "is_error": true, "result": "API Error: 401"}),
                End::Broken("API Error: 401".to_owned()),
            ),
            (
                json!({"subtype": "error_during_execution", "is_error": true}),
                End::Broken("error_during_execution".to_owned()),
            ),
        ];
        for (mut line, end) in ends {
            line["type"] = "result".into();
            line["modelUsage"] = usage.clone();
            line["permission_denials"] =
                json!([{"tool_name": "Write"}, {"tool_name": "Bash"}, {"tool_name": "Write"}]);
            let model = Some("claude-sonnet-4-5".to_owned());
            let expected =
                Some(Answer { model, tokens: Some(1185), denied: vec!["Write".into(), "Bash".into()], end });
            assert_eq!(answer(&format!("a warning\n{line}\n")), expected);
            assert_eq!(answer(&json!([{"type": "system"}, line]).to_string()), expected);
        }
        for none in ["", "Error: no session", "{\"type\":\"system\"}", "[]"] {
            assert_eq!(answer(none), None, "{none}");
        }
    }
}
