//! What the scripted model answers.
//!
//! Turns are tried in order; the first whose conditions all hold and that is not used up answers. A
//! request no turn expected gets the fallback, the text `UNEXPECTED`, so that it shows in the result.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::stream::{Answer, ApiError, Hold};
use crate::{Kind, Record, Request};

pub struct Scenario {
    turns: Vec<Turn>,
    fallback: Turn,
    title: String,
}

pub struct Turn {
    name: String,
    kinds: Vec<Kind>,
    conditions: Vec<Condition>,
    /// How often it may still answer; `None` is without end.
    left: Option<usize>,
    blocks: Vec<Block>,
    input_tokens: u64,
    condition: Option<Hold>,
    error: Option<ApiError>,
}

enum Condition {
    PromptContains(String),
    LastContains(String),
    LastNotContains(String),
    AnyContains(String),
    AnyNotContains(String),
    SystemContains(String),
    ModelContains(String),
    ToolOffered(String),
    ToolResultOf(String),
    ToolResultError(bool),
}

enum Block {
    Text(String),
    Thinking(String),
    ToolUse {
        name: String,
        input: Value,
    },
    /// The newest call that the request shows, with other arguments in place of its own; `null` leaves one out.
    Shown {
        name: String,
        other: Value,
    },
}

impl Default for Scenario {
    fn default() -> Self {
        let fallback = Turn::new("fallback").text("UNEXPECTED");
        Self { turns: Vec::new(), fallback, title: "Test".to_owned() }
    }
}

impl Scenario {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Answers what no turn expected, under the name `fallback`.
    pub fn fallback(mut self, turn: Turn) -> Self {
        self.fallback = Turn { name: "fallback".to_owned(), ..turn };
        self
    }

    /// The session title, for the client's request for one.
    pub fn title(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// The answer to a request and the name of the turn that gives it; uses that turn up.
    pub(crate) fn answer(&mut self, request: &Request, vars: &BTreeMap<String, String>) -> (String, Answer) {
        let side_turn;
        let turn = match self.turns.iter_mut().find(|turn| turn.matches(request)) {
            Some(turn) => {
                turn.left = turn.left.map(|left| left - 1);
                &*turn
            }
            None => match side_answer(request.kind, &self.title) {
                Some(turn) => {
                    side_turn = turn;
                    &side_turn
                }
                None => &self.fallback,
            },
        };
        (turn.name.clone(), turn.answer(request, vars))
    }
}

/// Answers with which the client's side requests go on quietly.
fn side_answer(kind: Kind, title: &str) -> Option<Turn> {
    let fine = json!({"ok": true, "reason": "scripted"});
    match kind {
        Kind::Main | Kind::Subagent | Kind::Classifier => None,
        Kind::Title => Some(Turn::new("title").text(&json!({"title": title}).to_string())),
        Kind::Compact => {
            let summary = "<analysis>none</analysis><summary>Scripted summary.</summary>";
            Some(Turn::new("compact").text(summary))
        }
        Kind::HookPrompt => Some(Turn::new("hook_prompt").text(&fine.to_string())),
        Kind::HookAgent => Some(Turn::new("hook_agent").tool_use("StructuredOutput", fine)),
        Kind::Probe => Some(Turn::new("probe").text(".")),
    }
}

impl Turn {
    /// Matches any request of kind main or subagent, once.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kinds: vec![Kind::Main, Kind::Subagent],
            conditions: Vec::new(),
            left: Some(1),
            blocks: Vec::new(),
            input_tokens: 100,
            condition: None,
            error: None,
        }
    }

    pub fn kind(mut self, kind: Kind) -> Self {
        self.kinds = vec![kind];
        self
    }

    pub fn any_kind(mut self) -> Self {
        self.kinds = Kind::ALL.to_vec();
        self
    }

    fn when(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// In what the user typed; see [`Request::prompt_text`].
    pub fn prompt_contains(self, text: &str) -> Self {
        self.when(Condition::PromptContains(text.to_owned()))
    }

    /// In what is new since the last assistant message; see [`Request::new_text`].
    pub fn last_contains(self, text: &str) -> Self {
        self.when(Condition::LastContains(text.to_owned()))
    }

    pub fn last_not_contains(self, text: &str) -> Self {
        self.when(Condition::LastNotContains(text.to_owned()))
    }

    /// Anywhere in the messages.
    pub fn any_contains(self, text: &str) -> Self {
        self.when(Condition::AnyContains(text.to_owned()))
    }

    pub fn any_not_contains(self, text: &str) -> Self {
        self.when(Condition::AnyNotContains(text.to_owned()))
    }

    /// In the system prompt.
    pub fn system_contains(self, text: &str) -> Self {
        self.when(Condition::SystemContains(text.to_owned()))
    }

    pub fn model_contains(self, text: &str) -> Self {
        self.when(Condition::ModelContains(text.to_owned()))
    }

    pub fn tool_offered(self, tool: &str) -> Self {
        self.when(Condition::ToolOffered(tool.to_owned()))
    }

    /// The new messages hold a result of this tool.
    pub fn tool_result_of(self, tool: &str) -> Self {
        self.when(Condition::ToolResultOf(tool.to_owned()))
    }

    /// One of the new tool results is an error, or is none. With [`Self::tool_result_of`], the result
    /// must be of that tool.
    pub fn tool_result_error(self, is_error: bool) -> Self {
        self.when(Condition::ToolResultError(is_error))
    }

    pub fn times(mut self, n: usize) -> Self {
        self.left = Some(n);
        self
    }

    pub fn always(mut self) -> Self {
        self.left = None;
        self
    }

    /// Adds a text to the reply. `${PROJECT}` and `${HOME}` become the bench's folders, `${tool_result}`
    /// the text of the newest tool result, `${agent}` the id of the agent that the client named last; so in every string of a reply.
    pub fn text(mut self, text: &str) -> Self {
        self.blocks.push(Block::Text(text.to_owned()));
        self
    }

    pub fn thinking(mut self, text: &str) -> Self {
        self.blocks.push(Block::Thinking(text.to_owned()));
        self
    }

    pub fn tool_use(mut self, name: &str, input: Value) -> Self {
        self.blocks.push(Block::ToolUse { name: name.to_owned(), input });
        self
    }

    /// Makes the call of a tool that the newest messages show as `Agent(subagent_type: "x", model: "haiku")`, the last one if there are
    /// several. `other`: arguments that are given in place of those shown; `null` leaves one out.
    pub fn shown_call(mut self, name: &str, other: Value) -> Self {
        self.blocks.push(Block::Shown { name: name.to_owned(), other });
        self
    }

    /// What the reply says the request has cost; drives the context percentage and compaction.
    pub fn usage_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = tokens;
        self
    }

    /// Holds the answer back until something is so: that another turn was asked, or that a file says something. The
    /// order of what the client does at the same time is left to no delay.
    pub fn held_until(mut self, condition: impl Fn(&Record) -> bool + Send + Sync + 'static) -> Self {
        self.condition = Some(Arc::new(condition));
        self
    }

    /// Holds the answer back until the model was asked for that of another turn.
    pub fn after(self, turn: &str) -> Self {
        let turn = turn.to_owned();
        self.held_until(move |record| record.requests.iter().any(|request| request.turn == turn))
    }

    /// Answers with an HTTP error instead. The client retries 429 and 5xx with pauses, unless
    /// `CLAUDE_CODE_MAX_RETRIES` is `0`.
    pub fn error(mut self, status: u16, kind: &str, message: &str) -> Self {
        self.error = Some(ApiError { status, kind: kind.to_owned(), message: message.to_owned() });
        self
    }

    fn matches(&self, request: &Request) -> bool {
        self.left != Some(0)
            && self.kinds.contains(&request.kind)
            && self.conditions.iter().all(|condition| self.holds(condition, request))
    }

    fn holds(&self, condition: &Condition, request: &Request) -> bool {
        match condition {
            Condition::PromptContains(text) => request.prompt_text().contains(text),
            Condition::LastContains(text) => request.new_text().contains(text),
            Condition::LastNotContains(text) => !request.new_text().contains(text),
            Condition::AnyContains(text) => request.messages_text().contains(text),
            Condition::AnyNotContains(text) => !request.messages_text().contains(text),
            Condition::SystemContains(text) => request.system_text().contains(text),
            Condition::ModelContains(text) => request.model().contains(text),
            Condition::ToolOffered(tool) => request.tools().contains(&tool.as_str()),
            Condition::ToolResultOf(tool) => request.tool_results().iter().any(|result| result.name == *tool),
            Condition::ToolResultError(is_error) => request
                .tool_results()
                .iter()
                .any(|result| result.is_error == *is_error && self.wants_result_of(&result.name)),
        }
    }

    fn wants_result_of(&self, name: &str) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::ToolResultOf(tool) => tool == name,
            _ => true,
        })
    }

    fn answer(&self, request: &Request, vars: &BTreeMap<String, String>) -> Answer {
        let mut vars = vars.clone();
        let newest = request.tool_results().pop().map(|result| result.text);
        vars.insert("tool_result".to_owned(), newest.unwrap_or_default());
        vars.insert("agent".to_owned(), newest_agent(&request.messages_text()));
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Text(text) => json!({"type": "text", "text": fill(text, &vars)}),
            Block::Thinking(text) => {
                json!({"type": "thinking", "thinking": fill(text, &vars), "signature": "ZmFrZQ=="})
            }
            Block::ToolUse { name, input } => {
                let id = crate::stream::fresh_id("toolu");
                json!({"type": "tool_use", "id": id, "name": name, "input": fill_all(input, &vars)})
            }
            Block::Shown { name, other } => {
                let id = crate::stream::fresh_id("toolu");
                match shown_call(&request.new_text(), name) {
                    Some(shown) => {
                        let input = with_other(shown, other);
                        json!({"type": "tool_use", "id": id, "name": name, "input": input})
                    }
                    None => {
                        json!({"type": "text", "text": format!("UNEXPECTED: no call of {name} is shown")})
                    }
                }
            }
        });
        Answer {
            blocks: blocks.collect(),
            input_tokens: self.input_tokens,
            condition: self.condition.clone(),
            error: self.error.clone(),
        }
    }
}

/// What follows the last `agentId: `.
fn newest_agent(text: &str) -> String {
    let after = text.rsplit_once("agentId: ").map_or("", |(_, after)| after);
    after.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// The arguments of the last `NAME(key: value, …)` in a text; each value is JSON.
fn shown_call(text: &str, name: &str) -> Option<serde_json::Map<String, Value>> {
    let opening = format!("{name}(");
    text.rmatch_indices(&opening).find_map(|(at, _)| arguments(&text[at + opening.len()..]))
}

fn arguments(mut rest: &str) -> Option<serde_json::Map<String, Value>> {
    let mut found = serde_json::Map::new();
    loop {
        let (key, after) = rest.split_once(": ")?;
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
        let value = values.next()?.ok()?;
        found.insert(key.to_owned(), value);
        rest = &after[values.byte_offset()..];
        match rest.strip_prefix(", ") {
            Some(next) => rest = next,
            None => return rest.starts_with(')').then_some(found),
        }
    }
}

fn with_other(mut shown: serde_json::Map<String, Value>, other: &Value) -> Value {
    for (key, value) in other.as_object().into_iter().flatten() {
        match value {
            Value::Null => drop(shown.remove(key)),
            value => drop(shown.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(shown)
}

fn fill(text: &str, vars: &BTreeMap<String, String>) -> String {
    // One pass, so that a value which itself holds `${…}` stays as it is.
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| Some((vars.get(name)?.as_str(), tail)));
        let (put, tail) = known.unwrap_or(("${", after));
        filled.push_str(put);
        rest = tail;
    }
    filled + rest
}

fn fill_all(value: &Value, vars: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, vars)),
        Value::Array(items) => items.iter().map(|item| fill_all(item, vars)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), fill_all(field, vars))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: Kind, messages: &Value) -> Request {
        let body = json!({"model": "claude-opus-5-5", "tools": [{"name": "Bash"}], "messages": messages});
        Request { kind, turn: String::new(), headers: BTreeMap::new(), body }
    }

    fn prompt(text: &str) -> Request {
        let reminder = "<system-reminder>\nsecret word\n</system-reminder>";
        let blocks = json!([{"type": "text", "text": reminder}, {"type": "text", "text": text}]);
        request(
            Kind::Main,
            &json!([{"role": "user", "content": blocks}, {"role": "system", "content": "a context"}]),
        )
    }

    fn result(tool: &str, is_error: bool, text: &str) -> Request {
        let call = json!([{"type": "tool_use", "id": "t1", "name": tool, "input": {"command": "x"}}]);
        let result =
            json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": is_error, "content": text}]);
        request(
            Kind::Main,
            &json!([
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": call},
                {"role": "user", "content": result},
            ]),
        )
    }

    #[test]
    fn each_condition_holds_and_fails() {
        let cases: [(Turn, Request, bool); 18] = [
            (Turn::new("").prompt_contains("hello"), prompt("say hello"), true),
            (Turn::new("").prompt_contains("secret"), prompt("hello"), false),
            (Turn::new("").last_contains("secret word"), prompt("hello"), true),
            (Turn::new("").last_contains("a context"), prompt("hello"), true),
            (Turn::new("").last_contains("go"), result("Bash", false, "x"), false),
            (Turn::new("").last_not_contains("go"), result("Bash", false, "x"), true),
            (Turn::new("").any_contains("go"), result("Bash", false, "x"), true),
            (Turn::new("").any_not_contains("go"), result("Bash", false, "x"), false),
            (Turn::new("").system_contains("x"), prompt("x"), false),
            (Turn::new("").model_contains("opus"), prompt("x"), true),
            (Turn::new("").tool_offered("Write"), prompt("x"), false),
            (Turn::new("").tool_result_of("Bash"), result("Bash", true, "x"), true),
            (Turn::new("").tool_result_of("Bash"), result("Read", true, "x"), false),
            (Turn::new("").tool_result_of("Bash").tool_result_error(false), result("Bash", true, "x"), false),
            (Turn::new("").tool_result_error(true), result("Bash", true, "x"), true),
            (Turn::new("").kind(Kind::Subagent), prompt("x"), false),
            (Turn::new(""), request(Kind::Title, &json!([])), false),
            (Turn::new("").any_kind(), request(Kind::Title, &json!([])), true),
        ];
        for (index, (turn, request, expected)) in cases.iter().enumerate() {
            assert_eq!(turn.matches(request), *expected, "case {index}");
        }
    }

    #[test]
    fn turns_are_used_up_in_order_then_the_fallback_answers() {
        let mut scenario =
            Scenario::new().turn(Turn::new("a").times(2)).turn(Turn::new("b").prompt_contains("x"));
        let mut name = |request: &Request| scenario.answer(request, &BTreeMap::new()).0;
        assert_eq!([(); 4].map(|()| name(&prompt("x"))), ["a", "a", "b", "fallback"]);
        assert_eq!(name(&request(Kind::Compact, &json!([]))), "compact");
    }

    #[test]
    fn replies_are_filled_in_once() {
        let vars = BTreeMap::from([("HOME".to_owned(), "/h".to_owned())]);
        let turn =
            Turn::new("").text("${HOME} ${other} ${ ${tool_result}").tool_use("Bash", json!(["${HOME}"]));
        let answer = turn.answer(&result("Bash", false, "${HOME}"), &vars);
        assert_eq!(answer.blocks[0]["text"], "/h ${other} ${ ${HOME}");
        assert_eq!(answer.blocks[1]["input"], json!(["/h"]));
    }

    #[test]
    fn the_last_call_that_is_shown_is_made_with_other_arguments() {
        let text =
            "Agent(x)\nthe call: Agent(kind: \"a, b\", wait: false, prompt: \"p)\\nq\") and then Agent(none";
        let shown = shown_call(text, "Agent").unwrap();
        assert_eq!(Value::Object(shown.clone()), json!({"kind": "a, b", "wait": false, "prompt": "p)\nq"}));
        let other = json!({"kind": "c", "wait": null});
        assert_eq!(with_other(shown, &other), json!({"kind": "c", "prompt": "p)\nq"}));
        assert_eq!(shown_call("Bash(", "Agent"), None);
    }
}
