//! The commonest events, as the real client sent them.

use std::path::Path;

use engine_testkit::event;
use serde_json::Value;

use super::project::BenchProject;

/// Where the recorded events say that they happened.
const RECORDED_IN: &str = "/home/dev/project";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// No rule has anything to say; one journal line is written.
    NoOpinion,
    /// The session's state is replaced as well.
    WritesState,
    /// A long command line is taken apart; one journal line is written.
    ReadsScript,
    /// The skills are looked up and a chain is put into the state.
    StartsChain,
}

impl Class {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NoOpinion => "no opinion",
            Self::WritesState => "writes state",
            Self::ReadsScript => "reads a script",
            Self::StartsChain => "starts a chain",
        }
    }
}

#[derive(Debug)]
pub(crate) struct HookEvent {
    pub(crate) name: &'static str,
    fixture: &'static str,
    pub(crate) class: Class,
    /// Its session is bound to a work session, and the call is counted.
    in_work: bool,
}

const fn silent(name: &'static str, fixture: &'static str) -> HookEvent {
    HookEvent { name, fixture, class: Class::NoOpinion, in_work: false }
}

const fn stateful(name: &'static str) -> HookEvent {
    HookEvent { name, fixture: name, class: Class::WritesState, in_work: false }
}

pub(crate) static EVENTS: [HookEvent; 12] = [
    silent("PreToolUse Bash", "PreToolUse"),
    HookEvent {
        name: "PreToolUse Bash, 2 KB",
        fixture: "PreToolUse",
        class: Class::ReadsScript,
        in_work: false,
    },
    HookEvent {
        name: "PreToolUse Bash, in a work session",
        fixture: "PreToolUse",
        class: Class::WritesState,
        in_work: true,
    },
    silent("PreToolUse Read", "PreToolUse.Read"),
    silent("PreToolUse Edit", "PreToolUse.Edit"),
    silent("PostToolUse Bash", "PostToolUse"),
    silent("PostToolUse Edit", "PostToolUse.Edit"),
    silent("PostToolUse Read", "PostToolUse.Read"),
    silent("Stop", "Stop"),
    silent("SubagentStop", "SubagentStop"),
    stateful("UserPromptSubmit"),
    stateful("SessionStart"),
];

impl HookEvent {
    pub(crate) fn in_project(&self, project: &BenchProject) -> Value {
        let mut event = recorded(self.fixture, project.root());
        if self.class == Class::ReadsScript {
            event["tool_input"]["command"] = Value::from(script());
            // Another call than the one that the recorded PostToolUse ends.
            event["tool_use_id"] = Value::from("toolu_script");
        }
        if self.in_work {
            event["session_id"] = Value::from(WORKER);
            project.bind(WORKER);
        }
        event
    }
}

/// A session that is bound to a work session.
const WORKER: &str = "00000000-0000-4000-8000-bound0000000";

/// Two kilobytes of what agents write: checks, a here-document, a loop, a commit.
fn script() -> String {
    let mut script = String::from(
        "set -euo pipefail\ncd crates/core\nif [ -f Cargo.toml ]; then cargo build -q 2>&1 | tail -5; fi\n",
    );
    script.push_str("for f in src/a.rs src/b.rs src/c.rs; do grep -n \"fn main\" \"$f\" || true; done\n");
    script.push_str(
        "cat > notes.md <<'EOF'\n# Notes\n\nNever run git reset --hard here; `rm -rf target` is fine.\nEOF\n",
    );
    while script.len() < 1800 {
        script.push_str("out=$(sed -n '1,20p' src/lib.rs | sort -u) && printf '%s\\n' \"$out\" >> report.txt; export RUST_LOG=debug\n");
    }
    script.push_str(
        "git add notes.md && git commit -qm \"Describe the lexer; see notes\" && git log --oneline -3\n",
    );
    script
}

/// The event that a hook hears most.
pub(crate) fn bash_call(project: &BenchProject) -> Value {
    EVENTS[0].in_project(project)
}

/// A person's prompt, which begins a turn.
pub(crate) fn prompt(project: &BenchProject) -> Value {
    recorded("UserPromptSubmit", project.root())
}

/// A recorded event, as if it had happened in the folder `root`.
pub(crate) fn recorded(fixture: &str, root: &Path) -> Value {
    let mut value = event(fixture);
    move_paths(&mut value, &root.to_string_lossy());
    value
}

fn move_paths(value: &mut Value, root: &str) {
    match value {
        Value::String(text) => {
            let rest = text.strip_prefix(RECORDED_IN).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(rest) = rest {
                *text = format!("{root}{rest}");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| move_paths(value, root)),
        Value::Object(fields) => fields.values_mut().for_each(|value| move_paths(value, root)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one, it would be read for a chain; that has its own measurement.
    #[test]
    fn the_ordinary_prompt_has_no_slash() {
        let prompt = recorded("UserPromptSubmit", Path::new("/p"))["prompt"].clone();
        assert!(prompt.as_str().is_some_and(|text| !text.is_empty() && !text.contains('/')), "{prompt}");
    }

    #[test]
    fn recorded_events_move_into_the_project() {
        let edit = recorded("PostToolUse.Edit", Path::new("/p"));
        assert_eq!(edit["cwd"], "/p");
        assert_eq!(edit["tool_input"]["file_path"], "/p/notes.md");
        assert_eq!(edit["tool_response"]["filePath"], "/p/notes.md");
        for event in &EVENTS {
            assert!(
                !recorded(event.fixture, Path::new("/p")).to_string().contains(RECORDED_IN),
                "{}",
                event.name
            );
        }
    }
}
