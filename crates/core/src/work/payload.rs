//! What one agent session leaves for the next of the same work, when its context runs out.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use engine_text::redact::redact;

/// More files than this nobody reads before going on.
pub const MOST_FILES: usize = 8;
/// Of the whole text that the next session is given, in bytes.
const BUDGET: usize = 6000;
/// Of one text in it.
const LONGEST: usize = 2000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Payload {
    pub summary: String,
    pub last_action: String,
    pub next_steps: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover_instructions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_history: Option<String>,
    /// Put together by the engine, not written by the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assembled: bool,
}

/// The keys that it takes.
pub const SHAPE: &str = r#"{"summary": "...", "lastAction": "...", "nextSteps": ["..."], "requiredFiles": ["..."], "handoverInstructions": "...", "userHistory": "..."}"#;

impl Payload {
    /// Reads one, with everything that is wrong at once. Too many files are cut; how many were.
    pub fn read(object: &Map<String, Value>) -> Result<(Self, usize), Vec<String>> {
        let mut wrong = Vec::new();
        let mut payload = Self::default();
        let mut dropped = 0;
        for (key, value) in object {
            let mut text = |into: &mut String| match value.as_str() {
                Some(text) => text.trim().clone_into(into),
                None => wrong.push(format!("{key} takes a text")),
            };
            match key.as_str() {
                "summary" => text(&mut payload.summary),
                "lastAction" => text(&mut payload.last_action),
                "handoverInstructions" => text(payload.handover_instructions.get_or_insert_default()),
                "userHistory" => text(payload.user_history.get_or_insert_default()),
                "nextSteps" | "requiredFiles" => {
                    let items: Option<Vec<String>> = value.as_array().and_then(|items| {
                        items.iter().map(|item| item.as_str().map(|text| text.trim().to_owned())).collect()
                    });
                    match items {
                        Some(items) if key == "nextSteps" => payload.next_steps = items,
                        Some(mut items) => {
                            dropped = items.len().saturating_sub(MOST_FILES);
                            items.truncate(MOST_FILES);
                            payload.required_files = items;
                        }
                        None => wrong.push(format!("{key} takes a list of texts")),
                    }
                }
                _ => wrong.push(format!("unknown key {key}")),
            }
        }
        payload.next_steps.retain(|step| !step.is_empty());
        for (name, is_empty) in [
            ("summary", payload.summary.is_empty()),
            ("lastAction", payload.last_action.is_empty()),
            ("nextSteps", payload.next_steps.is_empty()),
        ] {
            if is_empty && !wrong.iter().any(|line| line.starts_with(name)) {
                wrong.push(format!("{name} is missing or empty"));
            }
        }
        if wrong.is_empty() { Ok((payload, dropped)) } else { Err(wrong) }
    }

    /// The text for the next session. `exists` tells whether a required file is there.
    pub fn text(&self, work: &str, place: &str, exists: impl Fn(&str) -> bool) -> String {
        let told = self.told(exists);
        format!(
            "engine: this goes on with the work session sessions/{work}{place}.\n{told}Before anything else: engine session continue sessions/{work}\n"
        )
    }

    /// What it says, line by line.
    pub fn told(&self, exists: impl Fn(&str) -> bool) -> String {
        let mut out = String::new();
        let mut part = |title: &str, text: &str| {
            if !text.trim().is_empty() && out.len() < BUDGET {
                out.push_str(&format!(
                    "{title}: {}\n",
                    short(&redact(text), LONGEST.min(BUDGET - out.len()))
                ));
            }
        };
        part("Summary", &self.summary);
        part("Last action", &self.last_action);
        part("Next", &self.next_steps.join("; "));
        part("Instructions", self.handover_instructions.as_deref().unwrap_or_default());
        part("What the user said", self.user_history.as_deref().unwrap_or_default());
        let files: Vec<String> = self
            .required_files
            .iter()
            .map(|file| if exists(file) { file.clone() } else { format!("{file} (missing)") })
            .collect();
        part("Read first", &files.join(", "));
        out
    }
}

/// The beginning of a text, at a border of characters.
fn short(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        text.to_owned()
    } else {
        format!("{}…", &text[..text.floor_char_boundary(bytes)])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<(Payload, usize), Vec<String>> {
        Payload::read(value.as_object().unwrap())
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        assert_eq!(
            read(&json!({})),
            Err(vec![
                "summary is missing or empty".to_owned(),
                "lastAction is missing or empty".to_owned(),
                "nextSteps is missing or empty".to_owned(),
            ])
        );
        let wrong = json!({"summary": 1, "lastAction": " ", "nextSteps": ["a", 2], "colour": "red"});
        assert_eq!(
            read(&wrong),
            Err(vec![
                "unknown key colour".to_owned(),
                "nextSteps takes a list of texts".to_owned(),
                "summary takes a text".to_owned(),
                "lastAction is missing or empty".to_owned(),
            ])
        );
    }

    #[test]
    fn files_are_capped_and_missing_ones_marked() {
        let files: Vec<String> = (0..11).map(|n| format!("f{n}")).collect();
        let (payload, dropped) =
            read(&json!({"summary": "s", "lastAction": "l", "nextSteps": ["n"], "requiredFiles": files}))
                .unwrap();
        assert_eq!((payload.required_files.len(), dropped), (8, 3));
        let text = payload.text("2026_02_07_AUTH", ", phase 3: Build", |file| file != "f1");
        assert_eq!(
            text,
            "engine: this goes on with the work session sessions/2026_02_07_AUTH, phase 3: Build.\n\
             Summary: s\nLast action: l\nNext: n\nRead first: f0, f1 (missing), f2, f3, f4, f5, f6, f7\n\
             Before anything else: engine session continue sessions/2026_02_07_AUTH\n"
        );
    }
}
