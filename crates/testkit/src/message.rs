//! The text inside the messages of a request body, whatever shape the client gave it.

use serde_json::Value;

/// The content blocks of a message; a plain string counts as one block.
pub(crate) fn blocks(content: &Value) -> &[Value] {
    match content {
        Value::Array(blocks) => blocks,
        Value::String(_) => std::slice::from_ref(content),
        _ => &[],
    }
}

/// All text of one block, nested blocks of a tool result included.
pub(crate) fn block_text(block: &Value) -> String {
    if let Value::String(text) = block {
        return text.clone();
    }
    match block_type(block) {
        "text" => block["text"].as_str().unwrap_or_default().to_owned(),
        "thinking" => block["thinking"].as_str().unwrap_or_default().to_owned(),
        "tool_use" => block["input"].to_string(),
        "tool_result" => content_text(&block["content"]),
        _ => String::new(),
    }
}

/// `text`, `tool_result`, …; a plain string is a `text` like any other.
pub(crate) fn block_type(block: &Value) -> &str {
    if block.is_string() { "text" } else { block["type"].as_str().unwrap_or_default() }
}

pub(crate) fn content_text(content: &Value) -> String {
    blocks(content).iter().map(block_text).collect::<Vec<_>>().join("\n")
}

pub(crate) fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// The messages after the last one of the assistant: what is new to the model.
pub(crate) fn new_messages(body: &Value) -> &[Value] {
    let all = messages(body);
    let start = all.iter().rposition(|message| message["role"] == "assistant").map_or(0, |last| last + 1);
    &all[start..]
}

pub(crate) fn texts(messages: &[Value]) -> String {
    messages.iter().map(|message| content_text(&message["content"])).collect::<Vec<_>>().join("\n")
}
