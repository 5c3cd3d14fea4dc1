//! One line of a transcript, as far as events are made of it.
//!
//! Most of a transcript is no conversation: copies of requests, listings, snapshots. [`worth`] tells by a line's beginning, so
//! that the bulk is never parsed. Fields are captured raw; a tool's input is passed on as it stands.

use std::borrow::Cow;

use engine_text::field;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How far into a line its kind is looked for.
const HEAD: usize = 512;

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    Reading,
    Nothing,
    /// It cannot be JSON.
    Unreadable,
}

pub(super) fn worth(line: &[u8]) -> Worth {
    if line.is_empty() {
        return Worth::Nothing;
    }
    if line.first() != Some(&b'{') || line.last() != Some(&b'}') {
        return Worth::Unreadable;
    }
    let matters = |kind: &[u8]| {
        [&b"user\""[..], b"assistant\"", b"attachment\"", b"system\""].iter().any(|it| kind.starts_with(it))
    };
    if line.strip_prefix(br#"{"type":""#).is_some_and(|kind| !matters(kind)) {
        return Worth::Nothing;
    }
    let head = &line[..line.len().min(HEAD)];
    let message = find(head, br#""message":"#);
    // Attachments come first of all in number and size; of them only what was typed meanwhile counts.
    if let Some(at) = find(head, br#""attachment":{"type":""#)
        && message.is_none_or(|message| at < message)
    {
        let queued = find(&line[at..line.len().min(at + 64)], b"queued_command").is_some();
        return if queued { Worth::Reading } else { Worth::Nothing };
    }
    if message.is_none()
        && find(head, br#""type":"system""#).is_some()
        && find(line, b"compact_boundary").is_none()
    {
        return Worth::Nothing;
    }
    Worth::Reading
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) subtype: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) agent_id: Option<String>,
    pub(super) permission_mode: Option<String>,
    pub(super) prompt_id: Option<String>,
    pub(super) is_sidechain: Option<bool>,
    pub(super) is_api_error_message: Option<bool>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) permission_decision: Option<&'a RawValue>,
}

/// What was said.
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
    Nothing,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) text: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    pub(super) is_error: Option<bool>,
}

impl<'a> Line<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn content(&self) -> Content<'a> {
        let content = self.message.and_then(|message| field::raw(message.get(), "content"));
        match content {
            Some(raw) if raw.get().starts_with('"') => {
                field::text(raw).map_or(Content::Nothing, Content::Text)
            }
            Some(raw) => serde_json::from_str(raw.get()).map_or(Content::Nothing, Content::Blocks),
            None => Content::Nothing,
        }
    }
}

impl Block<'_> {
    /// The person stopped the model: such a turn ends without a Stop.
    pub(super) fn is_interruption(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.starts_with("[Request interrupted"))
    }

    /// The text of a tool's result.
    pub(super) fn result_text(&self) -> String {
        #[derive(Deserialize)]
        struct Part {
            text: Option<String>,
        }
        let Some(raw) = self.content else { return String::new() };
        if let Some(text) = field::text(raw) {
            return text.into_owned();
        }
        let parts: Vec<Part> = serde_json::from_str(raw.get()).unwrap_or_default();
        parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_line_by_its_beginning() {
        let cases = [
            (r#"{"type":"api-request-blob","message":{"role":"user"}}"#, Worth::Nothing),
            (r#"{"type":"cost-state"}"#, Worth::Nothing),
            (
                r#"{"parentUuid":null,"attachment":{"type":"skill_listing","content":"\"message\":"},"type":"attachment"}"#,
                Worth::Nothing,
            ),
            (
                r#"{"parentUuid":null,"attachment":{"type":"queued_command","prompt":"x"},"type":"attachment"}"#,
                Worth::Reading,
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"attachment":{"type":"x"}}}]}}"#,
                Worth::Reading,
            ),
            (r#"{"parentUuid":null,"type":"system","subtype":"turn_duration"}"#, Worth::Nothing),
            (r#"{"parentUuid":null,"type":"system","subtype":"compact_boundary"}"#, Worth::Reading),
            (r#"{"message":{"content":"x"},"type":"user"}"#, Worth::Reading),
            ("", Worth::Nothing),
            ("not json", Worth::Unreadable),
            (r#"{"type":"user","mess"#, Worth::Unreadable),
        ];
        for (line, expected) in cases {
            assert_eq!(worth(line.as_bytes()), expected, "{line}");
        }
    }
}
