//! The client's settings files, as far as they switch the engine on or off.
//!
//! Reading only, over text: what is ours in a file, and whether a change would silence us. Writing them is the
//! adapter's job (`engine-agents`).

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::event::EventName;
use crate::session::Snapshot;
use crate::view::View;

/// The settings as the client reads them: strict JSON, of which a byte order mark is no part.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text.trim_start_matches(BYTE_ORDER_MARK))
}

/// Some editors put it at the start of a file.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether a hook entry runs this engine: exec form (`engine`, `["hook"]`) or the same as a shell line.
pub fn is_ours(hook: &Value) -> bool {
    let Some(command) = hook.get("command").and_then(Value::as_str) else { return false };
    let is_engine = |program: &str| Path::new(program).file_stem().is_some_and(|stem| stem == "engine");
    match hook.get("args").and_then(Value::as_array) {
        Some(args) => is_engine(command) && args.len() == 1 && args[0] == "hook",
        None => command.strip_suffix(" hook").is_some_and(|program| is_engine(program.trim_matches('"'))),
    }
}

/// Each of our entries with its event and matcher.
fn our_entries(settings: &Value) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for (event, groups) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group.get("matcher").cloned().unwrap_or_default();
            let hooks = group.get("hooks").and_then(Value::as_array);
            for hook in hooks.into_iter().flatten().filter(|hook| is_ours(hook)) {
                found.push((event.as_str(), format!("{event} {matcher} {hook}")));
            }
        }
    }
    found
}

/// The events for which a settings text wires this engine, in the client's order.
pub fn wired_events(settings: &Value) -> Vec<String> {
    let mut events: Vec<String> =
        our_entries(settings).iter().map(|(event, _)| (*event).to_owned()).collect();
    events.sort_by_key(|event| EventName::parse(event));
    events.dedup();
    events
}

fn snapshot_of(settings: &Value) -> Snapshot {
    let mut entries: Vec<String> = our_entries(settings).into_iter().map(|(_, entry)| entry).collect();
    entries.sort();
    let variables = settings.get("env").and_then(Value::as_object).into_iter().flatten();
    let env: BTreeMap<String, String> = variables
        .filter(|(name, _)| name.starts_with("ENGINE_"))
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    Snapshot { entries, env }
}

/// How the settings files stand now, those that say nothing of us left out.
pub fn snapshots(view: &dyn View) -> Vec<(String, Snapshot)> {
    let mut found = Vec::new();
    for path in view.settings_files() {
        let Ok(text) = view.read(path) else { continue };
        let Ok(settings) = parse(&text) else { continue };
        let snapshot = snapshot_of(&settings);
        if snapshot != Snapshot::default() {
            found.push((path.to_string_lossy().into_owned(), snapshot));
        }
    }
    found
}

/// Why a settings file must not become `after`, if it must not. `before` is how it stood.
pub fn harm(before: &Snapshot, after: &str) -> Option<String> {
    let after = match parse(after) {
        Ok(after) => after,
        // A file without our entries may be as broken as its owner likes.
        Err(_) if before.entries.is_empty() => return None,
        Err(error) => {
            return Some(format!(
                "it would not be plain JSON ({error}), and the client ignores such a file with engine's hooks in it"
            ));
        }
    };
    if after.get("disableAllHooks").is_some_and(|value| *value != Value::Bool(false)) {
        return Some("it would set disableAllHooks, which silences every hook of the session".into());
    }
    let now = snapshot_of(&after);
    if let Some(name) =
        now.env.iter().find(|(name, value)| before.env.get(*name) != Some(*value)).map(|(name, _)| name)
    {
        return Some(format!("it would set {name}, which steers engine itself"));
    }
    if now.entries != before.entries {
        return Some("it would change engine's own hook entries".into());
    }
    malformed(&after).filter(|_| !now.entries.is_empty())
}

/// The same for a file that has changed already: entries may have come (another `engine init`), not gone.
pub fn harm_done(before: &Snapshot, now: &str) -> Option<String> {
    let gone = |now: &Snapshot| before.entries.iter().any(|entry| !now.entries.contains(entry));
    let mut before = before.clone();
    if let Ok(settings) = parse(now) {
        let now = snapshot_of(&settings);
        if !gone(&now) {
            before.entries = now.entries;
        }
    }
    harm(&before, now)
}

/// The snapshot of a text; of one that is not JSON, nothing.
pub fn snapshot(text: &str) -> Snapshot {
    parse(text).map(|settings| snapshot_of(&settings)).unwrap_or_default()
}

/// The first hook entry that makes the client drop the whole file, with the events where it does.
pub fn malformed(settings: &Value) -> Option<String> {
    for event in ["PreToolUse", "PermissionRequest"] {
        let Some(groups) = settings.get("hooks").and_then(|hooks| hooks.get(event)) else { continue };
        let well_formed = groups.as_array().is_some_and(|groups| groups.iter().all(is_group));
        if !well_formed {
            return Some(format!(
                "a malformed entry under hooks.{event} makes the client ignore the whole file"
            ));
        }
    }
    None
}

fn is_group(group: &Value) -> bool {
    let is_hook = |hook: &Value| match hook.get("type").and_then(Value::as_str) {
        Some("command") => hook.get("command").is_some_and(Value::is_string),
        kind => kind.is_some(),
    };
    group.get("hooks").and_then(Value::as_array).is_some_and(|hooks| hooks.iter().all(is_hook))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIRED: &str = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"engine","args":["hook"]}]}]},"model":"opus"}"#;

    #[test]
    fn a_change_that_silences_engine_is_harm() {
        let cases: &[(&str, Option<&str>)] = &[
            (WIRED, None),
            (&WIRED.replace("opus", "haiku"), None),
            (&WIRED.replace("\"model\"", "\"env\":{\"X\":\"1\"},\"model\""), None),
            (&WIRED.replace("\"model\"", "\"disableAllHooks\":false,\"model\""), None),
            (&WIRED.replace("\"model\"", "\"disableAllHooks\":true,\"model\""), Some("disableAllHooks")),
            (&WIRED.replace("\"model\"", "\"disableAllHooks\":1,\"model\""), Some("disableAllHooks")),
            (&WIRED.replace("\"model\"", "\"env\":{\"ENGINE_OFF\":\"1\"},\"model\""), Some("ENGINE_OFF")),
            (&WIRED.replace("[\"hook\"]", "[\"hook\",\"x\"]"), Some("own hook entries")),
            (&WIRED.replace("\"hooks\":{\"Stop\"", "\"hooks\":{\"Other\""), Some("own hook entries")),
            (&WIRED.replace("\"opus\"}", "\"opus\",}"), Some("plain JSON")),
            (&WIRED.replace("{\"Stop\"", "{\"PreToolUse\":[{\"hooks\":{}}],\"Stop\""), Some("malformed")),
            ("{}", Some("own hook entries")),
        ];
        let before = snapshot(WIRED);
        for (after, expected) in cases {
            let harm = harm(&before, after);
            match expected {
                None => assert_eq!(harm, None, "{after}"),
                Some(part) => {
                    assert!(harm.as_deref().is_some_and(|harm| harm.contains(part)), "{after}: {harm:?}");
                }
            }
        }
    }

    #[test]
    fn a_file_without_us_is_its_owners_business_but_for_the_switches() {
        let nothing = Snapshot::default();
        assert_eq!(harm(&nothing, "{broken"), None);
        assert!(harm(&nothing, "\u{feff}{\"disableAllHooks\":true}").is_some());
        assert_eq!(harm(&nothing, r#"{"model":"x"}"#), None);
        assert!(harm(&nothing, r#"{"disableAllHooks":true}"#).is_some());
        assert!(harm(&nothing, WIRED).is_some());
        assert_eq!(harm_done(&nothing, WIRED), None);
        assert!(harm_done(&snapshot(WIRED), "{}").is_some());
    }

    #[test]
    fn recognises_its_own_entries() {
        let ours = [
            r#"{"type":"command","command":"engine","args":["hook"]}"#,
            r#"{"type":"command","command":"/opt/my tools/engine","args":["hook"],"timeout":3}"#,
            r#"{"type":"command","command":"engine hook"}"#,
            r#"{"type":"command","command":"\"/opt/my tools/engine\" hook"}"#,
        ];
        let foreign = [
            r#"{"type":"command","command":"search-engine","args":["hook"]}"#,
            r#"{"type":"command","command":"engine","args":["hook","--x"]}"#,
            r#"{"type":"command","command":"engine statusline"}"#,
            r#"{"type":"http","url":"http://x"}"#,
        ];
        for hook in ours {
            assert!(is_ours(&serde_json::from_str(hook).unwrap()), "{hook}");
        }
        for hook in foreign {
            assert!(!is_ours(&serde_json::from_str(hook).unwrap()), "{hook}");
        }
    }
}
