//! An answer of the model in the forms of the Messages API: one message, or its event stream.

use std::sync::Arc;

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::record::Record;

/// Whether an answer may be given, by what was asked so far.
pub(crate) type Hold = Arc<dyn Fn(&Record) -> bool + Send + Sync>;

pub(crate) struct Answer {
    /// Content blocks as the API writes them.
    pub(crate) blocks: Vec<Value>,
    pub(crate) input_tokens: u64,
    /// Whether it may be given.
    pub(crate) condition: Option<Hold>,
    pub(crate) error: Option<ApiError>,
}

#[derive(Clone)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn to_json(&self) -> Value {
        json!({"type": "error", "error": {"type": self.kind, "message": self.message}})
    }
}

/// An id never given before by this process: a resumed session meets the ids of the run before it.
pub(crate) fn fresh_id(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_test_{:08x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Answer {
    fn stop_reason(&self) -> &'static str {
        let calls_a_tool = self.blocks.iter().any(|block| block["type"] == "tool_use");
        if calls_a_tool { "tool_use" } else { "end_turn" }
    }

    fn usage(&self, output_tokens: u64) -> Value {
        json!({
            "input_tokens": self.input_tokens, "output_tokens": output_tokens,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        })
    }

    pub(crate) fn to_message(&self, model: &Value) -> Value {
        json!({
            "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": model,
            "content": self.blocks, "stop_reason": self.stop_reason(), "stop_sequence": null,
            "usage": self.usage(20),
        })
    }

    pub(crate) fn to_event_stream(&self, model: &Value) -> String {
        let mut events = vec![json!({"type": "message_start", "message": {
            "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": self.usage(1),
        }})];
        for (index, block) in self.blocks.iter().enumerate() {
            let (start, deltas) = in_parts(block);
            events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
            for delta in deltas {
                events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
        let delta = json!({"stop_reason": self.stop_reason(), "stop_sequence": null});
        events.push(json!({"type": "message_delta", "delta": delta, "usage": self.usage(20)}));
        events.push(json!({"type": "message_stop"}));
        let lines = events.iter().map(|event| {
            let name = event["type"].as_str().unwrap_or_default();
            format!("event: {name}\ndata: {event}\n\n")
        });
        lines.collect()
    }
}

/// A block as a stream brings it: empty at first, then what fills it.
fn in_parts(block: &Value) -> (Value, Vec<Value>) {
    match block["type"].as_str() {
        Some("thinking") => (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                json!({"type": "signature_delta", "signature": block["signature"]}),
            ],
        ),
        Some("tool_use") => (
            json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
            vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})],
        ),
        _ => {
            (json!({"type": "text", "text": ""}), vec![json!({"type": "text_delta", "text": block["text"]})])
        }
    }
}
