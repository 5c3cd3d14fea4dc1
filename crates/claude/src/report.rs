//! What the client tells its status line, on stdin.
//!
//! Lenient: what is missing or of another type is not known, and what is no JSON at all tells nothing. A status line
//! must not fail: the client would show nothing, and nobody would know why.

use std::path::PathBuf;

use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Empty if not told.
    pub session: String,
    pub transcript: Option<PathBuf>,
    pub cwd: Option<PathBuf>,
    /// The folder in which the client was started.
    pub project: Option<PathBuf>,
    /// Tokens in use and tokens that fit; not before the first answer of the model.
    pub context: Option<(u64, u64)>,
    /// US dollars.
    pub cost: Option<f64>,
}

impl Report {
    pub fn read(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let at = |pointer: &str| value.pointer(pointer);
        let path = |pointer: &str| {
            at(pointer).and_then(Value::as_str).filter(|path| !path.is_empty()).map(PathBuf::from)
        };
        Self {
            session: at("/session_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            transcript: path("/transcript_path"),
            cwd: path("/cwd").or_else(|| path("/workspace/current_dir")),
            project: path("/workspace/project_dir"),
            context: at("/context_window").and_then(context),
            cost: at("/cost/total_cost_usd").and_then(Value::as_f64),
        }
    }
}

/// All that the model was last given, in tokens; its answer is not part of it yet.
pub(super) fn used(usage: &Value) -> u64 {
    let tokens = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
        .iter()
        .fold(0, |sum: u64, key| sum.saturating_add(tokens(key)))
}

fn context(window: &Value) -> Option<(u64, u64)> {
    let used = used(window.get("current_usage").filter(|usage| usage.is_object())?);
    let size = window.get("context_window_size")?.as_u64().filter(|size| *size > 0)?;
    Some((used, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_told() {
        let recorded = engine_testkit::event("statusLine").to_string();
        let report = Report::read(&recorded);
        assert_eq!((report.context, report.cost), (Some((31_700, 1_000_000)), Some(0.05936)));
        assert_eq!(report.session, "1a800be4-9ef1-441a-9a46-ed48210153e7");
        assert_eq!(report.project, Some("/home/dev/project".into()));
        let first = Report::read(&engine_testkit::event("statusLine.first").to_string());
        assert_eq!((first.context, first.cost), (None, Some(0.0)));
    }

    #[test]
    fn garbage_tells_nothing() {
        for text in [
            "",
            "null",
            "[1]",
            "{\"session_id\":7,\"cwd\":null}",
            "{\"cost\":{\"total_cost_usd\":\"1\"}}",
            "{\"a",
            "\0",
        ] {
            assert_eq!(Report::read(text), Report::default(), "{text}");
        }
        let usage = r#"{"context_window":{"context_window_size":9,"current_usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":1}}}"#;
        assert_eq!(Report::read(usage).context, Some((u64::MAX, 9)));
        assert_eq!(Report::read(&usage.replace(":9,", ":0,")).context, None);
    }
}
