//! The client's settings files, as far as they switch the engine on or off.
//!
//! Reading only, over text: what is ours in a file, and whether a change would silence us. Writing them is the
//! business of [`crate::settings`]. The client reads more than serde's trees hold (`1e999`, lone surrogates, deep
//! nesting), so a file is taken apart key by key, and only the keys that matter are read further.

use std::collections::BTreeMap;

use engine_text::BYTE_ORDER_MARK;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::entry::is_ours;
use crate::event_name::EventName;
use engine_core::client::Snapshot;
use engine_text::field;

/// Variables that decide where the engine and its configuration are found.
const STEERING: &[&str] = &[
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
];

/// Variables that put code into every shell or process that the client starts, its hooks among them.
const LOADING: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "PROMPT_COMMAND",
    "CLAUDE_CODE_SHELL_PREFIX",
    "CLAUDE_CODE_SHELL",
    "SHELL",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
];

/// Variables that put code into some programs, or decide whom the client talks to: a person is told of them.
const TOLD: &[&str] = &[
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_COUNT",
    "ANTHROPIC_BASE_URL",
];

/// A settings file, its keys apart. Of a key that stands twice the last counts, as for the client.
pub struct Settings<'a> {
    keys: BTreeMap<String, &'a RawValue>,
}

impl<'a> Settings<'a> {
    /// Nothing if the text is not a JSON object.
    pub fn read(text: &'a str) -> Option<Self> {
        field::all(text.trim_start_matches(BYTE_ORDER_MARK)).map(|keys| Self { keys })
    }

    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.keys.get(key)?.get()).ok()
    }

    /// The `hooks` of the file, as far as they can be read.
    pub fn hooks(&self) -> Value {
        self.value("hooks").unwrap_or_default()
    }

    /// Whether all hooks are off.
    pub fn disables_hooks(&self) -> bool {
        self.keys.get("disableAllHooks").is_some_and(|raw| raw.get() != "false")
    }

    /// Variables of the file that steer the engine, with their values as JSON.
    pub fn steering(&self) -> BTreeMap<String, String> {
        self.variables(|name| name.starts_with("ENGINE_") || STEERING.contains(&name))
    }

    /// Variables that put code into what the client runs, or decide whom it talks to.
    pub(crate) fn loading(&self) -> BTreeMap<String, String> {
        self.variables(|name| LOADING.contains(&name) || TOLD.contains(&name))
    }

    fn variables(&self, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
        let env = self.keys.get("env").and_then(|raw| field::all(raw.get())).unwrap_or_default();
        env.into_iter()
            .filter(|(name, _)| is_wanted(name))
            .map(|(name, raw)| (name, raw.get().to_owned()))
            .collect()
    }

    /// Our plugin, where the file enables it.
    pub fn plugin(&self) -> Option<String> {
        let plugins = self.value("enabledPlugins")?;
        let ours = |(name, enabled): &(&String, &Value)| {
            name.split('@').next() == Some("engine") && **enabled == true
        };
        plugins.as_object()?.iter().find(ours).map(|(name, _)| name.clone())
    }

    pub fn snapshot(&self) -> Snapshot {
        let hooks = self.hooks();
        let mut entries: Vec<String> = our_entries(&hooks).into_iter().map(|(_, entry)| entry).collect();
        entries.extend(self.plugin().map(|plugin| format!("plugin {plugin}")));
        entries.sort();
        let mut env = self.steering();
        env.extend(self.variables(|name| LOADING.contains(&name)));
        Snapshot { entries, env }
    }

    /// Why the client drops the whole file, if it does: a malformed hook where it looks closely, or a key of the wrong
    /// kind. Found by experiment; what is not listed here only loses itself.
    pub fn dropped(&self) -> Option<String> {
        let hooks = self.hooks();
        for event in ["PreToolUse", "PermissionRequest"] {
            let groups = hooks.get(event);
            let well_formed =
                |groups: &Value| groups.as_array().is_some_and(|groups| groups.iter().all(is_group));
            if groups.is_some_and(|groups| !well_formed(groups)) {
                return Some(format!(
                    "a malformed entry under hooks.{event} makes the client ignore the whole file"
                ));
            }
        }
        for (key, raw) in &self.keys {
            let wanted = KINDS.iter().find(|(known, _)| known == key).map(|(_, kind)| *kind);
            if wanted.is_some_and(|kind| !is_kind(raw.get(), kind)) {
                return Some(format!(
                    "the value of {key} is of the wrong kind, which makes the client ignore the whole file"
                ));
            }
        }
        let permissions = self.value("permissions").unwrap_or_default();
        for list in ["allow", "deny", "ask", "additionalDirectories"] {
            if permissions.get(list).is_some_and(|value| !value.is_array()) {
                return Some(format!(
                    "permissions.{list} is not a list, which makes the client ignore the whole file"
                ));
            }
        }
        None
    }
}

/// Kinds of values that the client insists on: s(tring), b(oolean), n(umber, not negative), o(bject), l(ist).
const KINDS: &[(&str, char)] = &[
    ("alwaysThinkingEnabled", 'b'),
    ("apiKeyHelper", 's'),
    ("availableModels", 'l'),
    ("cleanupPeriodDays", 'n'),
    ("companyAnnouncements", 'l'),
    ("disabledMcpjsonServers", 'l'),
    ("enableAllProjectMcpServers", 'b'),
    ("enabledMcpjsonServers", 'l'),
    ("enabledPlugins", 'o'),
    ("env", 'o'),
    ("extraKnownMarketplaces", 'o'),
    ("forceLoginMethod", 's'),
    ("hooks", 'o'),
    ("includeCoAuthoredBy", 'b'),
    ("language", 's'),
    ("model", 's'),
    ("outputStyle", 's'),
    ("permissions", 'o'),
    ("sandbox", 'o'),
    ("spinnerTipsEnabled", 'b'),
    ("statusLine", 'o'),
];

fn is_kind(json: &str, kind: char) -> bool {
    let first = json.bytes().next().unwrap_or(b' ');
    match kind {
        's' => first == b'"',
        'b' => matches!(json, "true" | "false"),
        'n' => first.is_ascii_digit(),
        'o' => first == b'{',
        _ => first == b'[',
    }
}

fn is_group(group: &Value) -> bool {
    let text_or_none = |value: Option<&Value>| value.is_none_or(Value::is_string);
    let is_hook = |hook: &Value| {
        let text = |key: &str| hook.get(key).is_some_and(Value::is_string);
        let known = match hook.get("type").and_then(Value::as_str) {
            Some("command") => text("command"),
            Some("http") => text("url"),
            Some("prompt" | "agent") => text("prompt"),
            Some("mcp_tool") => text("server") && text("tool"),
            _ => false,
        };
        let args = hook
            .get("args")
            .is_none_or(|args| args.as_array().is_some_and(|args| args.iter().all(Value::is_string)));
        known && args && hook.get("timeout").is_none_or(Value::is_number)
    };
    text_or_none(group.get("matcher"))
        && group.get("hooks").and_then(Value::as_array).is_some_and(|hooks| hooks.iter().all(is_hook))
}

/// Each of our entries with its event and matcher.
fn our_entries(hooks: &Value) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
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

/// The events for which hooks are wired to this engine, in the client's order.
pub fn wired_events(hooks: &Value) -> Vec<String> {
    let mut events: Vec<String> = our_entries(hooks).iter().map(|(event, _)| (*event).to_owned()).collect();
    events.sort_by_key(|event| EventName::parse(event));
    events.dedup();
    events
}

/// The snapshot of a text; of one that is no JSON object, nothing.
pub fn snapshot(text: &str) -> Snapshot {
    Settings::read(text).map(|settings| settings.snapshot()).unwrap_or_default()
}

/// Why a settings file must not become `after`, if it must not. `before` is how it stood.
pub fn harm(before: &Snapshot, after: &str) -> Option<String> {
    let Some(after) = Settings::read(after) else { return unreadable(before, after) };
    if after.disables_hooks() {
        return Some("it would set disableAllHooks, which silences every hook of the session".into());
    }
    let now = after.snapshot();
    let steered = now.env.iter().find(|(name, value)| before.env.get(*name) != Some(*value));
    if let Some((name, _)) = steered.filter(|(name, _)| LOADING.contains(&name.as_str())) {
        return Some(format!(
            "it would set {name}, which puts code into every shell or process of the session"
        ));
    }
    if let Some((name, _)) = steered {
        return Some(format!("it would set {name} for the hooks, which decides what engine does"));
    }
    if now.entries != before.entries {
        return Some("it would change engine's own hook entries".into());
    }
    after.dropped().filter(|_| !now.entries.is_empty())
}

/// A text that we cannot take apart. A file without our entries may be as broken as its owner likes, unless it looks
/// like one of the switches in a form that only the client can read.
fn unreadable(before: &Snapshot, after: &str) -> Option<String> {
    if !before.entries.is_empty() {
        return Some(
            "it would not be plain JSON, and the client ignores such a file with engine's hooks in it".into(),
        );
    }
    let suspicious = ["disableAllHooks", "ENGINE_", "\\u"].iter().any(|word| after.contains(word));
    suspicious.then(|| "it cannot be read, and seems to switch hooks off".into())
}

/// The same for a file that has changed already: entries may have come (another `engine init`), not gone.
pub fn harm_done(before: &Snapshot, now: &str) -> Option<String> {
    let mut before = before.clone();
    let entries = snapshot(now).entries;
    if before.entries.iter().all(|entry| entries.contains(entry)) {
        before.entries = entries;
    }
    harm(&before, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIRED: &str = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"engine","args":["hook"]}]}]},"model":"opus"}"#;

    #[test]
    fn a_change_that_silences_engine_is_harm() {
        let with = |text: &str| WIRED.replace("\"model\"", &format!("{text},\"model\""));
        let cases: &[(String, Option<&str>)] = &[
            (WIRED.to_owned(), None),
            (WIRED.replace("opus", "haiku"), None),
            (with("\"env\":{\"X\":\"1\"}"), None),
            (with("\"disableAllHooks\":false"), None),
            (with("\"unknown\":1e999"), None),
            (with("\"unknown\":\"\\ud800\""), None),
            (format!("\u{feff}{WIRED}"), None),
            (with("\"disableAllHooks\":true"), Some("disableAllHooks")),
            (with("\"disableAllHooks\":1"), Some("disableAllHooks")),
            (with("\"disable\\u0041llHooks\":true,\"x\":1e999"), Some("disableAllHooks")),
            (with("\"env\":{\"ENGINE_OFF\":\"1\"}"), Some("ENGINE_OFF")),
            (with("\"env\":{\"PATH\":\"/bin\"}"), Some("PATH")),
            (with("\"env\":{\"BASH_ENV\":\"/tmp/x\"}"), Some("BASH_ENV, which puts code into every shell")),
            (with("\"env\":{\"LD_PRELOAD\":\"/tmp/x.so\"}"), Some("LD_PRELOAD")),
            (with("\"env\":{\"NODE_OPTIONS\":\"--max-old-space-size=4096\"}"), None),
            (WIRED.replace("[\"hook\"]", "[\"hook\",\"x\"]"), Some("own hook entries")),
            (WIRED.replace("\"hooks\":{\"Stop\"", "\"hooks\":{\"Other\""), Some("own hook entries")),
            (WIRED.replace("\"opus\"}", "\"opus\",}"), Some("plain JSON")),
            (WIRED.replace("{\"Stop\"", "{\"PreToolUse\":[{\"hooks\":{}}],\"Stop\""), Some("malformed")),
            (
                WIRED.replace("{\"Stop\"", "{\"PreToolUse\":[{\"matcher\":5,\"hooks\":[]}],\"Stop\""),
                Some("malformed"),
            ),
            (
                WIRED.replace(
                    "{\"Stop\"",
                    "{\"PermissionRequest\":[{\"hooks\":[{\"type\":\"odd\"}]}],\"Stop\"",
                ),
                Some("malformed"),
            ),
            (WIRED.replace("\"opus\"", "5"), Some("model is of the wrong kind")),
            (with("\"permissions\":\"x\""), Some("permissions is of the wrong kind")),
            (with("\"permissions\":{\"allow\":\"x\"}"), Some("permissions.allow")),
            (with("\"cleanupPeriodDays\":-1"), Some("cleanupPeriodDays")),
            ("{}".to_owned(), Some("own hook entries")),
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
        for fine in ["{broken", r#"{"model":"x"}"#, r#"{"model":5}"#, "[]", ""] {
            assert_eq!(harm(&nothing, fine), None, "{fine}");
        }
        let nested = format!("{{\"disableAllHooks\":true,\"x\":{}{}}}", "[".repeat(300), "]".repeat(300));
        let bad = [
            r#"{"disableAllHooks":true}"#,
            "\u{feff}{\"disableAllHooks\":true}",
            r#"{"disableAllHooks":true,"x":1e999}"#,
            r#"{"disableAllHooks":true,"x":"\ud800"}"#,
            r#"{"disableAllHooks":true,"\ud800":1}"#,
            &nested,
            WIRED,
        ];
        for bad in bad {
            assert!(harm(&nothing, bad).is_some(), "{bad}");
        }
        assert_eq!(harm_done(&nothing, WIRED), None);
        assert!(harm_done(&snapshot(WIRED), "{}").is_some());
    }

    #[test]
    fn switching_our_plugin_off_is_harm() {
        let on = r#"{"enabledPlugins":{"engine@m":true,"other@m":true}}"#;
        let before = snapshot(on);
        assert!(harm(&before, &on.replacen("true", "false", 1)).is_some());
        assert_eq!(harm(&before, &on.replace("\"other@m\":true", "\"other@m\":false")), None);
    }
}
