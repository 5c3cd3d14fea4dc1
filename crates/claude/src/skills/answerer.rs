//! Who else could answer a question that the client asks the person: another tool's hook, which needs no dialog for it.
//!
//! A hook lives in a settings file, in a plugin, or in the head of a skill, a command or an agent. The client takes up a changed
//! settings file within seconds, and the others when it loads them. So a file that was changed a moment ago, or since the session
//! began, tells nothing of what the client has loaded.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_store::read::read_string;
use engine_text::stamp::Stamp;
use fs_err as fs;
use serde_json::Value;

use super::{Loaded, loaded};
use crate::entry::is_ours;
use crate::runners::managed_settings;
use crate::sources::client_home;
use crate::wiring::Settings;

/// What asks the person.
const TOOL: &str = "AskUserQuestion";
/// Events whose hooks can answer for the person.
const EVENTS: [&str; 2] = ["PreToolUse", "PermissionRequest"];
/// By then the client has taken up a changed settings file, in milliseconds.
const TAKEN_UP: u64 = 60_000;

/// Why an answer may be another hook's, in the session that began then. `files`: the settings files of the project.
pub(super) fn other_answerer(
    root: &Path,
    mut files: Vec<PathBuf>,
    began: Stamp,
    now: Stamp,
) -> Option<String> {
    let Loaded { plugins, documents, settings } = loaded(root);
    files.extend(managed_settings());
    files.extend(settings);
    by_settings(&files, began, now)
        .or_else(|| by_plugins(&plugins, began))
        .or_else(|| by_documents(root, documents, began))
}

fn by_settings(files: &[PathBuf], began: Stamp, now: Stamp) -> Option<String> {
    let fresh = began.max(Stamp(now.0.saturating_sub(TAKEN_UP)));
    files.iter().find_map(|file| {
        let folder = file.parent().filter(|folder| folder.ends_with(".claude") && !file.exists());
        if [Some(file.as_path()), folder].into_iter().flatten().any(|path| is_changed(path, fresh)) {
            return Some(format!("{} was changed less than a minute ago", file.display()));
        }
        let hooks = Settings::read(&read_string(file).ok()?)?.hooks();
        foreign(&hooks).map(|event| hook_in(file, event))
    })
}

fn by_plugins(folders: &[PathBuf], began: Stamp) -> Option<String> {
    folders.iter().find_map(|folder| {
        ["hooks/hooks.json", ".claude-plugin/plugin.json"].iter().find_map(|name| {
            let file = folder.join(name);
            if is_changed(&file, began) {
                return Some(changed_since(&file));
            }
            let text = read_string(&file).ok()?;
            let hooks = serde_json::from_str::<Value>(&text).ok()?["hooks"].take();
            // A manifest may name a file in place of its hooks.
            if hooks.is_string() || hooks.is_array() {
                return Some(format!("{} names a file with hooks", file.display()));
            }
            foreign(&hooks).map(|event| hook_in(&file, event))
        })
    })
}

/// Skills, commands and agents: Markdown with a head that may hold hooks.
fn by_documents(root: &Path, documents: Vec<PathBuf>, began: Stamp) -> Option<String> {
    let homes = [client_home(), Some(root.join(".claude"))];
    let agents = homes.into_iter().flatten().map(|home| home.join("agents")).flat_map(|folder| {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        files.map(|file| file.path()).collect::<Vec<_>>()
    });
    documents.into_iter().chain(agents).find_map(|file| {
        if is_changed(&file, began) {
            return Some(changed_since(&file));
        }
        let text = read_string(&file).ok()?;
        has_hooks(&text).then(|| hook_in(&file, "hooks"))
    })
}

fn hook_in(file: &Path, event: &str) -> String {
    format!("another hook can answer it ({event} in {})", file.display())
}

fn changed_since(file: &Path) -> String {
    format!("{} was changed since the session began", file.display())
}

/// The time of the last change of a file or of its name; nobody sets it at will.
fn is_changed(path: &Path, since: Stamp) -> bool {
    fs::metadata(path).is_ok_and(|data| {
        let millis = data.ctime().saturating_mul(1000).saturating_add(data.ctime_nsec() / 1_000_000);
        u64::try_from(millis).is_ok_and(|changed| changed > since.0)
    })
}

/// The event of a hook that is not ours and can answer.
fn foreign(hooks: &Value) -> Option<&'static str> {
    EVENTS.into_iter().find(|event| {
        let groups = hooks[*event].as_array().into_iter().flatten();
        groups.filter(|group| may_match(&group["matcher"])).any(|group| {
            let hooks = group["hooks"].as_array().into_iter().flatten();
            hooks.into_iter().any(|hook| !is_ours(hook))
        })
    })
}

/// Whether a matcher may mean the tool. One that names other tools, a word each, does not.
fn may_match(matcher: &Value) -> bool {
    let Some(text) = matcher.as_str() else { return true };
    let is_name =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut names = text.split('|');
    !names.all(|name| is_name(name) && name != TOOL)
}

/// Whether the head of a document declares hooks.
fn has_hooks(text: &str) -> bool {
    let Some(rest) = text.trim_start_matches('\u{feff}').strip_prefix("---") else { return false };
    let head = rest.split("\n---").next().unwrap_or_default();
    head.lines().any(|line| line.trim_start().trim_matches(['"', '\'']).starts_with("hooks"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_matcher_that_names_other_tools_is_no_answerer() {
        for (matcher, expected) in [
            (json!("Bash"), false),
            (json!("Edit|Write"), false),
            (json!("mcp__x__y"), false),
            (json!("AskUserQuestion"), true),
            (json!("Edit|AskUserQuestion"), true),
            (json!(""), true),
            (json!("*"), true),
            (json!(".*"), true),
            (json!("Ask.*"), true),
            (json!("^(?!Bash$)"), true),
            (Value::Null, true),
            (json!(7), true),
        ] {
            assert_eq!(may_match(&matcher), expected, "{matcher}");
        }
    }

    #[test]
    fn only_hooks_that_can_answer_count() {
        let theirs = json!({"type": "command", "command": "guard"});
        let ours = json!({"type": "command", "command": "engine", "args": ["hook"]});
        let with = |event: &str, matcher: &str, hook: &Value| json!({event: [{"matcher": matcher, "hooks": [hook]}]});
        assert_eq!(foreign(&with("PreToolUse", "", &theirs)), Some("PreToolUse"));
        assert_eq!(
            foreign(&with("PermissionRequest", "AskUserQuestion", &theirs)),
            Some("PermissionRequest")
        );
        assert_eq!(foreign(&with("PreToolUse", "Bash", &theirs)), None);
        assert_eq!(foreign(&with("PostToolUse", "", &theirs)), None);
        assert_eq!(foreign(&with("PreToolUse", "", &ours)), None);
        assert_eq!(foreign(&Value::Null), None);
    }

    #[test]
    fn hooks_in_a_head_are_seen() {
        assert!(has_hooks("---\nname: x\nhooks:\n  PreToolUse: []\n---\nbody"));
        assert!(has_hooks("---\n\"hooks\": {}\n---\n"));
        assert!(!has_hooks("---\nname: x\n---\nhooks: in the body"));
        assert!(!has_hooks("hooks: no head"));
    }
}
