//! When a hook stands back, because another entry starts the same program for the same event.
//!
//! A committed entry and the plugin's cannot know what each person has beside them, and the client runs every entry whose command differs.
//! So `engine hook --team` and `engine hook --plugin` look at the settings files that their client has loaded. They stand back only for an
//! entry that surely answers in their place: one that starts this very file, that no matcher, condition or short time weakens, and that the
//! client has taken up. In doubt both answer. An entry of a person's own never looks, and pays nothing.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_store::own_program::is_same_file;
use engine_store::process;
use engine_store::read::read_string;
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::entry::{Form, is_whole};
use crate::reach::{ours, program};
use crate::sources::{Scope, read_in};
use crate::wiring::Settings;

/// By then the client has taken up a changed settings file, in milliseconds.
const TAKEN_UP: u64 = 60_000;

/// What decides, apart from files.
#[derive(Debug, Clone)]
pub struct Around {
    /// The folder in which the client was started.
    pub folder: PathBuf,
    /// The words with which it was started.
    pub words: Vec<String>,
    /// This program.
    pub program: PathBuf,
    pub now: Stamp,
}

impl Around {
    /// Nothing where the client does not say where it was started.
    pub fn of_this_process(now: Stamp) -> Option<Self> {
        let folder = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let pid: Option<u32> = std::env::var("CLAUDE_PID").ok().and_then(|pid| pid.parse().ok());
        Some(Self {
            folder: folder.filter(|folder| folder.is_absolute())?,
            words: pid.map(process::words).unwrap_or_default(),
            program: std::env::current_exe().ok()?,
            now,
        })
    }

    /// Whether the client reads the settings of a scope.
    fn reads(&self, scope: Scope) -> bool {
        let option = "--setting-sources";
        let mut sources = None;
        for (index, word) in self.words.iter().enumerate() {
            match word.strip_prefix(option) {
                Some("") => sources = self.words.get(index + 1).map(String::as_str),
                Some(rest) => sources = rest.strip_prefix('=').or(sources),
                None => {}
            }
        }
        sources.is_none_or(|sources| sources.split(',').any(|source| source.trim() == scope.as_str()))
    }

    /// Whether the client has surely taken up a file as it is now. `began`: since when it runs, as far as that is known.
    fn has_taken_up(&self, file: &Path, began: &impl Fn() -> Option<Stamp>) -> bool {
        let Some(changed) = changed(file) else { return false };
        changed.0.saturating_add(TAKEN_UP) < self.now.0 || began().is_some_and(|began| changed < began)
    }
}

/// Whether another entry answers the event. `began`: when the agent session began; the event that begins it tells now.
pub fn stands_back(event: &str, own: Form, around: &Around, began: impl Fn() -> Option<Stamp>) -> bool {
    let goes_first = |path: &Path| {
        let Some(text) = read_string(path).ok() else { return false };
        let Some(settings) = Settings::read(&text).filter(|settings| settings.dropped().is_none()) else {
            return false;
        };
        let hooks = settings.hooks();
        let is_before = ours(&hooks, event).any(|(group, hook, entry)| {
            let starts = || program(entry.program, &around.folder);
            entry.form > own
                && is_whole(group, hook)
                && starts().is_some_and(|program| is_same_file(&program, &around.program))
        });
        is_before && around.has_taken_up(path, &began)
    };
    let mut sources = read_in(&around.folder).into_iter().filter(|source| around.reads(source.scope));
    sources.any(|source| goes_first(&source.path))
}

/// When a file or its name was changed last; nobody sets it at will.
fn changed(path: &Path) -> Option<Stamp> {
    let data = fs::metadata(path).ok()?;
    let millis = data.ctime().saturating_mul(1000).saturating_add(data.ctime_nsec() / 1_000_000);
    u64::try_from(millis).ok().map(Stamp)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::entry::Starter;

    const LATER: u64 = TAKEN_UP + 10_000;

    struct Stage {
        _folder: tempfile::TempDir,
        around: Around,
    }

    impl Stage {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let top = fs::canonicalize(folder.path()).unwrap();
            let program = top.join("bin/engine");
            for path in ["bin", "project/.claude", "project/.git", "project/sub"] {
                fs::create_dir_all(top.join(path)).unwrap();
            }
            fs::write(&program, "x").unwrap();
            let now = Stamp(engine_store::clock::now().0 + LATER);
            let around = Around { folder: top.join("project"), words: Vec::new(), program, now };
            Self { _folder: folder, around }
        }

        fn local(&self, settings: &Value) {
            fs::write(self.around.folder.join(".claude/settings.local.json"), settings.to_string()).unwrap();
        }

        fn direct(&self) -> Value {
            let program = self.around.program.to_str().unwrap();
            let group: Value = serde_json::from_str(&Starter::Program(program).group("Stop", false)).unwrap();
            json!({"hooks": {"Stop": [group]}})
        }

        fn stands_back(&self, event: &str, own: Form) -> bool {
            stands_back(event, own, &self.around, || None)
        }
    }

    #[test]
    fn a_committed_entry_stands_back_for_a_persons_own_and_for_nothing_weaker() {
        let stage = Stage::new();
        assert!(!stage.stands_back("Stop", Form::Team), "there is no file");
        stage.local(&stage.direct());
        assert!(stage.stands_back("Stop", Form::Team) && stage.stands_back("Stop", Form::Plugin));
        assert!(!stage.stands_back("Stop", Form::Direct), "a person's own never does");
        assert!(!stage.stands_back("PreToolUse", Form::Team), "of another event");
        let hook = |key: &str, value: Value| {
            let mut settings = stage.direct();
            settings["hooks"]["Stop"][0]["hooks"][0][key] = value;
            settings
        };
        let mut matcher = stage.direct();
        matcher["hooks"]["Stop"][0]["matcher"] = json!("x");
        let mut broken = stage.direct();
        broken["model"] = json!(5);
        let weak = [
            hook("timeout", json!(0.001)),
            hook("async", json!(true)),
            hook("if", json!("Bash(ls)")),
            hook("args", json!(["hook", "x"])),
            hook("command", json!("/nowhere/engine")),
            matcher,
            broken,
        ];
        for settings in weak {
            stage.local(&settings);
            assert!(!stage.stands_back("Stop", Form::Team), "{settings}");
        }
        let other = stage.around.folder.join("engine");
        fs::write(&other, "another program").unwrap();
        stage.local(&hook("command", json!(other)));
        assert!(!stage.stands_back("Stop", Form::Team), "another program answers nothing in our place");
    }

    #[test]
    fn the_plugin_stands_back_for_what_the_team_committed() {
        let stage = Stage::new();
        let settings = |starter: Starter<'_>| {
            let group: Value = serde_json::from_str(&starter.group("Stop", false)).unwrap();
            json!({"hooks": {"Stop": [group]}})
        };
        stage.local(&settings(Starter::Plugin));
        assert!(!stage.stands_back("Stop", Form::Plugin));
        stage.local(&settings(Starter::Team));
        // `engine` of PATH is not this program.
        assert!(!stage.stands_back("Stop", Form::Plugin) && !stage.stands_back("Stop", Form::Team));
    }

    #[test]
    fn what_the_client_does_not_read_or_has_not_taken_up_answers_nothing() {
        let mut stage = Stage::new();
        stage.local(&stage.direct());
        for (words, expected) in [
            (vec!["claude"], true),
            (vec!["claude", "--setting-sources", "user,project,local"], true),
            (vec!["claude", "--setting-sources", "user, local"], true),
            (vec!["claude", "--setting-sources", "user,project"], false),
            (vec!["claude", "--setting-sources=project"], false),
            (vec!["claude", "--setting-sources", ""], false),
        ] {
            stage.around.words = words.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(stage.stands_back("Stop", Form::Team), expected, "{words:?}");
        }
        stage.around.words.clear();
        stage.around.folder.push("sub");
        assert!(stage.stands_back("Stop", Form::Team), "of the repository");
        stage.around.folder.pop();
        let now = engine_store::clock::now();
        stage.around.now = now;
        assert!(!stage.stands_back("Stop", Form::Team), "it is too new");
        let began = |at: u64| stands_back("Stop", Form::Team, &stage.around, || Some(Stamp(at)));
        assert!(!began(now.0 - LATER) && began(now.0 + 1000), "unless the session is newer");
    }
}
