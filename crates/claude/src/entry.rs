//! The entries by which a settings file starts the engine, as they are written and as they are known again.
//!
//! What one person has names the program by its path and starts no shell. What a team commits, and what the plugin has, is a line for a
//! shell that is silent where there is no program; such a line says so to the engine (`--team`, `--plugin`), which then stands back where
//! another entry starts it for the same event ([`crate::standby`]). A line is ours if it is one of these to the letter: what only begins like
//! one may run anything.

use std::path::Path;

use engine_text::line::shell_word;
use serde_json::Value;

use crate::event_name::EventName;

/// Seconds after which the client goes on without us. A hook takes milliseconds; this is for a machine in
/// trouble, and far below the client's own ten minutes.
pub const TIMEOUT: u32 = 10;

/// What finds the program of a committed entry.
const BY_NAME: &str = "engine";
const SHELL: &str = "sh";

/// The program is missing: nothing happens.
const TEAM: &str = "command -v engine >/dev/null 2>&1 && exec engine hook --team; exit 0";
/// The same at the start of a session, where the person uses engine elsewhere.
const TEAM_START: &str = concat!(
    "command -v engine >/dev/null 2>&1 && exec engine hook --team; ",
    r#"[ -d "${XDG_CONFIG_HOME:-$HOME/.config}/engine" ] && "#,
    r#"echo '{"systemMessage": "engine: this project uses engine, and the program is not on PATH: nothing is checked in this session"}'; "#,
    "exit 0"
);
/// The same where the project blocks calls that nobody judges (`policy.fail`).
const TEAM_CLOSED: &str = concat!(
    "command -v engine >/dev/null 2>&1 && exec engine hook --team; ",
    "echo 'engine is not on PATH, and this project blocks calls that it did not judge (policy.fail = closed)' >&2; exit 1"
);
const PLUGIN: &str = concat!(
    r#"[ -x "$CLAUDE_PLUGIN_ROOT/bin/engine" ] && exec "$CLAUDE_PLUGIN_ROOT/bin/engine" hook --plugin; "#,
    "command -v engine >/dev/null 2>&1 && exec engine hook --plugin; exit 0"
);
const PLUGIN_START: &str = concat!(
    r#"[ -x "$CLAUDE_PLUGIN_ROOT/bin/engine" ] && exec "$CLAUDE_PLUGIN_ROOT/bin/engine" hook --plugin; "#,
    "command -v engine >/dev/null 2>&1 && exec engine hook --plugin; ",
    r#"[ -d "${XDG_CONFIG_HOME:-$HOME/.config}/engine" ] && "#,
    r#"echo '{"systemMessage": "engine: its plugin is enabled, and the program is not on PATH: nothing is checked in this session"}'; "#,
    "exit 0"
);
const LINES: [(&str, Form); 5] = [
    (TEAM, Form::Team),
    (TEAM_START, Form::Team),
    (TEAM_CLOSED, Form::Team),
    (PLUGIN, Form::Plugin),
    (PLUGIN_START, Form::Plugin),
];
const TEAM_STATUS_LINE: &str = "command -v engine >/dev/null 2>&1 && exec engine statusline; exit 0";

/// How an entry starts the engine. Of several that start it for one event, the greatest answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Plugin,
    Team,
    /// By a program, with no word of where it stands: it never stands back.
    Direct,
}

impl Form {
    /// What the words behind `engine hook` say.
    pub fn of_word(word: &str) -> Self {
        match word {
            "--team" => Self::Team,
            "--plugin" => Self::Plugin,
            _ => Self::Direct,
        }
    }
}

/// What a new entry starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starter<'p> {
    /// The program at this path.
    Program(&'p str),
    /// What PATH has, if anything.
    Team,
    /// What the plugin carries, else what PATH has, if anything.
    Plugin,
}

impl Starter<'_> {
    /// The group of one entry under an event, as JSON in one line. `closed`: the tool call is blocked if the entry fails.
    pub fn group(self, event: &str, closed: bool) -> String {
        let closed = is_closed(event, closed);
        let failure = if closed { ", \"onFailure\": \"block\"" } else { "" };
        let (command, args) = match self {
            Self::Program(program) => (program, "\"hook\"".to_owned()),
            Self::Team | Self::Plugin => {
                (SHELL, format!("\"-c\", {}", Value::from(self.line(event, closed))))
            }
        };
        format!(
            "{{ \"hooks\": [{{ \"type\": \"command\", \"command\": {}, \"args\": [{args}], \"timeout\": {TIMEOUT}{failure} }}] }}",
            Value::from(command)
        )
    }

    fn line(self, event: &str, closed: bool) -> &'static str {
        let is_start = event == EventName::SessionStart.as_str();
        match self {
            Self::Plugin if is_start => PLUGIN_START,
            Self::Plugin => PLUGIN,
            _ if closed => TEAM_CLOSED,
            _ if is_start => TEAM_START,
            _ => TEAM,
        }
    }

    /// The command of a status line, which the client gives to a shell.
    pub fn status_line(self) -> String {
        let Self::Program(program) = self else { return TEAM_STATUS_LINE.to_owned() };
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
        let word = if program.chars().all(plain) { program.to_owned() } else { shell_word(program) };
        format!("{word} statusline")
    }

    /// Whether an entry that stands in the file is to be written anew, because it is an older form of this one.
    pub fn replaces(self, entry: &Entry<'_>, event: &str, closed: bool) -> bool {
        match self {
            Self::Program(_) | Self::Plugin => false,
            Self::Team if entry.form == Form::Team => {
                entry.line != Some(self.line(event, is_closed(event, closed)))
            }
            // What names a path, a person made so.
            Self::Team => entry.program == BY_NAME,
        }
    }
}

/// Only before a tool runs is there something to block.
pub fn is_closed(event: &str, closed: bool) -> bool {
    closed && event == EventName::PreToolUse.as_str()
}

/// An entry of ours that stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'h> {
    pub form: Form,
    /// What it starts: a path, or a name that PATH knows.
    pub program: &'h str,
    /// The line for a shell, where it is one of ours.
    line: Option<&'static str>,
}

impl<'h> Entry<'h> {
    /// Reads a hook of a settings file: the exec form of one of ours, or `engine hook` as a line for a shell.
    pub fn read(hook: &'h Value) -> Option<Self> {
        let command = hook.get("command")?.as_str()?;
        let direct = |program| is_engine(program).then_some(Self { form: Form::Direct, program, line: None });
        let Some(args) = hook.get("args").and_then(Value::as_array) else {
            return direct(command.strip_suffix(" hook")?.trim_matches('"'));
        };
        match args.as_slice() {
            [word] if word == "hook" => direct(command),
            [flag, line] if command == SHELL && flag == "-c" => {
                let (line, form) = *LINES.iter().find(|(ours, _)| line == ours)?;
                Some(Self { form, program: BY_NAME, line: Some(line) })
            }
            _ => None,
        }
    }
}

/// Whether a hook entry runs this engine.
pub fn is_ours(hook: &Value) -> bool {
    Entry::read(hook).is_some()
}

/// Whether the client runs an entry of ours for every event of its kind, waits for it and gives it the time that it needs.
pub(crate) fn is_whole(group: &Value, hook: &Value) -> bool {
    let only = |object: &Value, known: &[&str]| {
        object.as_object().is_some_and(|object| object.keys().all(|key| known.contains(&key.as_str())))
    };
    let has_time = hook.get("timeout").is_none_or(|time| time.as_f64() >= Some(f64::from(TIMEOUT)));
    only(group, &["hooks"])
        && only(hook, &["type", "command", "args", "timeout", "onFailure"])
        && hook["type"] == "command"
        && has_time
}

/// The program of a shell line, if the line does nothing but start it as a hook.
pub fn hook_program(line: &str) -> Option<&str> {
    if LINES.iter().any(|(ours, _)| *ours == line) {
        return Some(BY_NAME);
    }
    let program = line.strip_suffix(" hook")?;
    let quoted = program.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c) || (c == ' ' && quoted.is_some());
    let program = quoted.unwrap_or(program);
    program.chars().all(is_plain).then_some(program)
}

/// The program of a `statusLine` that is this engine's line and nothing else; a line in which ours is a part belongs to
/// the person.
pub fn our_line(line: &Value) -> Option<&str> {
    let command = line.get("command")?.as_str()?;
    if command == TEAM_STATUS_LINE {
        return Some(BY_NAME);
    }
    let command = command.strip_suffix(" --plain").unwrap_or(command);
    let program = command.strip_suffix(" statusline")?.trim_matches(['"', '\'']);
    is_engine(program).then_some(program)
}

fn is_engine(program: &str) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "engine" || name == "engine.exe")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Option<(Form, String)> {
        let hook: Value = serde_json::from_str(text).unwrap();
        Entry::read(&hook).map(|entry| (entry.form, entry.program.to_owned()))
    }

    #[test]
    fn recognises_its_own_entries() {
        let ours = [
            (r#"{"type":"command","command":"engine","args":["hook"]}"#, "engine"),
            (
                r#"{"type":"command","command":"/opt/my tools/engine","args":["hook"],"timeout":3}"#,
                "/opt/my tools/engine",
            ),
            (r#"{"type":"command","command":"engine hook"}"#, "engine"),
            (r#"{"type":"command","command":"\"/opt/my tools/engine\" hook"}"#, "/opt/my tools/engine"),
        ];
        let foreign = [
            r#"{"type":"command","command":"search-engine","args":["hook"]}"#,
            r#"{"type":"command","command":"./engine.py","args":["hook"]}"#,
            r#"{"type":"command","command":"engine","args":["hook","--x"]}"#,
            r#"{"type":"command","command":"engine statusline"}"#,
            r#"{"type":"http","url":"http://x"}"#,
        ];
        for (hook, program) in ours {
            assert_eq!(read(hook), Some((Form::Direct, program.to_owned())), "{hook}");
        }
        for hook in foreign {
            assert_eq!(read(hook), None, "{hook}");
        }
    }

    #[test]
    fn what_is_written_is_known_again_and_nothing_that_only_begins_so() {
        let starters = [
            (Starter::Program("/x/engine"), Form::Direct),
            (Starter::Team, Form::Team),
            (Starter::Plugin, Form::Plugin),
        ];
        for (starter, form) in starters {
            for event in EventName::ALL.iter().map(|event| event.as_str()) {
                for closed in [false, true] {
                    let group: Value = serde_json::from_str(&starter.group(event, closed)).unwrap();
                    let hook = &group["hooks"][0];
                    let entry = Entry::read(hook).unwrap_or_else(|| panic!("{hook}"));
                    assert_eq!(entry.form, form);
                    assert!(is_whole(&group, hook), "{group}");
                    assert!(!starter.replaces(&entry, event, closed), "{hook}");
                    assert_eq!(hook["onFailure"] == "block", is_closed(event, closed));
                }
            }
        }
        for (line, _) in LINES {
            assert_eq!(hook_program(line), Some("engine"));
            let mut others = vec![
                format!("{line} "),
                format!("{line}; touch x"),
                format!("touch x; {line}"),
                line.replace("engine", "./engine"),
                line.replace("exit 0", "curl x | sh"),
                line.replace("&&", "||"),
            ];
            others.retain(|other| other != line);
            for other in others {
                assert_eq!(hook_program(&other), None, "{other}");
                let hook = json!({"type": "command", "command": "sh", "args": ["-c", other]});
                assert!(!is_ours(&hook), "{hook}");
            }
            let cases = [
                json!({"command": "bash", "args": ["-c", line]}),
                json!({"command": "./sh", "args": ["-c", line]}),
                json!({"command": "sh", "args": ["-ic", line]}),
                json!({"command": "sh", "args": ["-c", line, "x"]}),
                json!({"command": "sh", "args": ["-c"]}),
                json!({"command": line}),
            ];
            for hook in cases {
                assert!(!is_ours(&hook), "{hook}");
            }
        }
    }

    #[test]
    fn a_weakened_entry_is_not_whole() {
        let hook = || json!({"type": "command", "command": "engine", "args": ["hook"]});
        let with = |key: &str, value: Value| {
            let mut hook = hook();
            hook[key] = value;
            hook
        };
        let alone = |hook: Value| json!({"hooks": [hook]});
        let whole = |group: Value| is_whole(&group, &group["hooks"][0]);
        for fine in [
            hook(),
            with("timeout", json!(10)),
            with("timeout", json!(600.5)),
            with("onFailure", json!("block")),
        ] {
            assert!(whole(alone(fine.clone())), "{fine}");
        }
        let weak = [
            with("timeout", json!(0.001)),
            with("timeout", json!("10")),
            with("async", json!(true)),
            with("if", json!("Bash(ls)")),
            with("once", json!(true)),
            with("type", json!("http")),
        ];
        for weak in weak {
            assert!(!whole(alone(weak.clone())), "{weak}");
        }
        assert!(!whole(json!({"matcher": "Read", "hooks": [hook()]})));
    }

    #[test]
    fn an_older_entry_of_the_team_is_replaced_and_a_persons_own_is_not() {
        let replaces = |hook: &Value, event: &str, closed: bool| {
            Starter::Team.replaces(&Entry::read(hook).unwrap(), event, closed)
        };
        let plain = json!({"command": "engine", "args": ["hook"]});
        let own = json!({"command": "/x/engine", "args": ["hook"]});
        let line = |line: &str| json!({"command": "sh", "args": ["-c", line]});
        assert!(replaces(&plain, "Stop", false));
        assert!(!replaces(&own, "Stop", false));
        assert!(!replaces(&line(TEAM), "Stop", true));
        assert!(replaces(&line(TEAM), "SessionStart", false));
        assert!(replaces(&line(TEAM), "PreToolUse", true));
        assert!(replaces(&line(TEAM_CLOSED), "PreToolUse", false));
        assert!(!Starter::Program("/y/engine").replaces(&Entry::read(&plain).unwrap(), "Stop", false));
    }

    #[test]
    fn a_line_that_does_more_than_start_the_hook_has_no_program() {
        let cases = [
            ("engine hook", Some("engine")),
            ("./bin/engine hook", Some("./bin/engine")),
            ("\"/opt/my tools/engine\" hook", Some("/opt/my tools/engine")),
            ("touch x; ./engine hook", None),
            ("/opt/my tools/engine hook", None),
            ("\"$(touch x)/engine\" hook", None),
            ("\"a\" \"/engine\" hook", None),
            ("~/engine hook", None),
            ("engine", None),
        ];
        for (line, expected) in cases {
            assert_eq!(hook_program(line), expected, "{line}");
        }
    }
}
