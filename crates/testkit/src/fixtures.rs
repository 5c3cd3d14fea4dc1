//! What the real client gave to hooks on stdin, one file per event (and variant of it), beside the
//! input of a status line and a `result` line.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/events")
}

/// All recorded events as (file name, JSON text), by name.
pub fn event_fixtures() -> Vec<(String, String)> {
    let entries = fs::read_dir(dir()).expect("fixtures/events is part of the crate");
    let mut fixtures: Vec<_> = entries
        .map(|entry| entry.expect("a listed file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a fixture is UTF-8 text"))
        })
        .collect();
    fixtures.sort();
    fixtures
}

/// One recorded event: `event("PreToolUse.Edit")`.
pub fn event(name: &str) -> Value {
    let text = fs::read_to_string(dir().join(format!("{name}.json")));
    let text = text.unwrap_or_else(|error| panic!("no event fixture {name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("event fixture {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fixture_is_an_event_of_its_name() {
        let fixtures = event_fixtures();
        assert!(!fixtures.is_empty());
        for (file, _) in fixtures {
            let name = file.trim_end_matches(".json");
            let expected = match name.split('.').next().unwrap() {
                "result" | "statusLine" => Value::Null,
                event => Value::from(event),
            };
            assert_eq!(event(name)["hook_event_name"], expected, "{file}");
        }
    }
}
