//! What the client runs by itself, and not because an agent called a tool: hooks of others, status lines, servers, helpers, plugins; and
//! what switches hooks off.
//!
//! Of what was seen only sums are kept: a command may hold a secret.

use std::collections::BTreeMap;

use engine_text::line::{one_line, printable, seal, visible};
use engine_text::redact::redact;
use serde::{Deserialize, Serialize};

use crate::versioned::{self, Unusable};

/// The version written now.
pub const VERSION: u32 = 1;

/// How much of a command is shown, in characters.
const SHOWN: usize = 120;
const DIGITS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunnerKind {
    Hook,
    StatusLine,
    /// A command that gives the client a key, a header or a list.
    Helper,
    Server,
    Plugin,
    /// A variable that decides where the engine is found or what it does.
    Variable,
    /// A setting by which more runs, or less is asked.
    Setting,
    /// No hook runs at all.
    HooksOff,
    /// A pipe, a device or a folder in the place of the file.
    NoFile,
}

/// One of them, as a file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    pub kind: RunnerKind,
    /// The event of a hook, the name of a server: what a person finds it by.
    pub name: String,
    /// What it runs, for a person: in one line, without secrets. Empty where there is nothing to say.
    pub command: String,
    /// Of the whole declaration.
    pub sum: String,
}

impl Runner {
    /// `declared`: the text of the whole declaration.
    pub fn new(kind: RunnerKind, name: &str, command: &str, declared: &str) -> Self {
        let sum = seal(declared.as_bytes())[..DIGITS].to_owned();
        Self { kind, name: shown(name), command: shown(command), sum }
    }

    /// `MCP server db (npx db-server)`.
    pub fn words(&self) -> String {
        let Self { name, command, .. } = self;
        match self.kind {
            RunnerKind::Hook => format!("hook {name} `{command}`"),
            RunnerKind::StatusLine => format!("status line `{command}`"),
            RunnerKind::Helper => format!("helper {name} `{command}`"),
            RunnerKind::Server => format!("MCP server {name} ({command})"),
            RunnerKind::Plugin => format!("plugin {name}"),
            RunnerKind::Variable => format!("variable {name} ({command})"),
            RunnerKind::Setting => format!("setting {name} ({command})"),
            RunnerKind::HooksOff | RunnerKind::NoFile => name.clone(),
        }
    }
}

/// Redacted before it is cut: half a secret is not recognised.
fn shown(text: &str) -> String {
    one_line(&printable(visible(&redact(text)).trim()), SHOWN)
}

/// What one file declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    pub runners: Vec<Runner>,
    /// How many hooks of the engine are among it.
    pub ours: usize,
}

impl Declared {
    /// What is declared by something that is no file.
    pub fn no_file() -> Self {
        Self { runners: vec![Runner::new(RunnerKind::NoFile, "not a file", "", "")], ours: 0 }
    }
}

/// Size and time of the last change of a file.
pub type FileStamp = (u64, i64, i64);

/// What a person knows of, by file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Seen {
    pub version: u32,
    pub files: BTreeMap<String, SeenFile>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeenFile {
    /// None of a file that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stamp: Option<FileStamp>,
    #[serde(skip_serializing_if = "is_none")]
    pub ours: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runners: Vec<SeenRunner>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenRunner {
    pub kind: RunnerKind,
    pub name: String,
    pub sum: String,
}

impl Seen {
    pub fn parse(text: &str) -> Result<Self, Unusable> {
        let seen: Self = serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(seen.version, VERSION).map(|()| seen)
    }
}

/// A file that changed since it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    pub file: String,
    pub stamp: Option<FileStamp>,
    pub declared: Declared,
}

/// What a look at the files came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// What was seen before; nothing in a project that was never looked at.
    pub before: Option<Seen>,
    pub changed: Vec<LookedAt>,
}

/// What a person does not know yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'l> {
    New(&'l str, &'l Runner),
    /// Something of this name was there.
    Changed(&'l str, &'l Runner),
    /// The engine had more hooks in this file, and so many are left.
    OwnGone(&'l str, usize),
}

impl Look {
    /// Of a first look only what switches hooks off, and what files declare that are `foreign`: a person knows what they set up.
    pub fn news(&self, foreign: impl Fn(&str) -> bool) -> Vec<News<'_>> {
        let mut news = Vec::new();
        for looked in &self.changed {
            let (file, Declared { runners, ours }) = (looked.file.as_str(), &looked.declared);
            let Some(before) = &self.before else {
                let is_foreign = foreign(file);
                // Variables of such a file do not count, which is told with it.
                let is_told = |kind| match kind {
                    RunnerKind::HooksOff | RunnerKind::NoFile => true,
                    RunnerKind::Variable => false,
                    _ => is_foreign,
                };
                let told = runners.iter().filter(|runner| is_told(runner.kind));
                news.extend(told.map(|runner| News::New(file, runner)));
                continue;
            };
            let nothing = SeenFile::default();
            let before = before.files.get(file).unwrap_or(&nothing);
            for runner in runners {
                let is_it = |seen: &&SeenRunner| seen.kind == runner.kind && seen.name == runner.name;
                let mut alike = before.runners.iter().filter(is_it).peekable();
                // Hooks of one event have no name of their own.
                let is_named = runner.kind != RunnerKind::Hook && alike.peek().is_some();
                if alike.any(|seen| seen.sum == runner.sum) {
                    continue;
                }
                news.push(if is_named { News::Changed(file, runner) } else { News::New(file, runner) });
            }
            if before.ours > *ours {
                news.push(News::OwnGone(file, *ours));
            }
        }
        news
    }

    /// What a person knows of once they were told.
    pub fn seen(&self) -> Seen {
        let mut seen = self.before.clone().unwrap_or_default();
        seen.version = VERSION;
        for LookedAt { file, stamp, declared } in &self.changed {
            let kept = |runner: &Runner| SeenRunner {
                kind: runner.kind,
                name: runner.name.clone(),
                sum: runner.sum.clone(),
            };
            let runners = declared.runners.iter().map(kept).collect();
            let file_now = SeenFile { stamp: *stamp, ours: declared.ours, runners };
            seen.files.insert(file.clone(), file_now);
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(command: &str) -> Runner {
        Runner::new(RunnerKind::Server, "db", command, command)
    }

    fn hook(command: &str) -> Runner {
        Runner::new(RunnerKind::Hook, "Stop", command, command)
    }

    fn look(before: Option<&Seen>, runners: &[Runner], ours: usize) -> Look {
        let declared = Declared { runners: runners.to_vec(), ours };
        let changed = vec![LookedAt { file: "/s".into(), stamp: Some((1, 2, 3)), declared }];
        Look { before: before.cloned(), changed }
    }

    #[test]
    fn what_was_not_seen_is_new_and_what_has_its_name_is_changed() {
        let off = Runner::new(RunnerKind::HooksOff, "off", "", "true");
        let (db, other) = (server("npx db"), server("npx other"));
        let first = look(None, &[db.clone(), hook("a"), off.clone()], 2);
        assert_eq!(first.news(|_| false), [News::New("/s", &off)], "the rest is recorded only");
        assert_eq!(first.news(|file| file == "/s").len(), 3, "a clone's file is nobody's own");
        let seen = first.seen();
        let same = look(Some(&seen), &[off.clone(), hook("a"), db.clone()], 2);
        assert_eq!(same.news(|_| false), []);
        assert_eq!(same.seen().files["/s"].runners.len(), 3);
        let (b, a) = (hook("b"), hook("a"));
        assert_eq!(
            look(Some(&seen), &[other.clone(), b.clone(), a], 1).news(|_| false),
            [News::Changed("/s", &other), News::New("/s", &b), News::OwnGone("/s", 1)]
        );
        let empty = look(Some(&seen), &[], 2);
        assert_eq!(empty.news(|_| false), [], "what is gone runs nothing");
        assert_eq!(
            look(Some(&empty.seen()), std::slice::from_ref(&db), 2).news(|_| false),
            [News::New("/s", &db)]
        );
    }

    #[test]
    fn what_is_shown_is_one_plain_line() {
        let command = format!("\u{202e}x\u{1b}[2J --token=abcdefgh12345678 {}", "y".repeat(200));
        let words = hook(&command).words();
        assert!(words.starts_with("hook Stop `x\\u{1b}[2J --token=[redacted] yyy"), "{words}");
        assert_eq!(words.chars().count(), "hook Stop ``…".chars().count() + SHOWN);
    }

    #[test]
    fn a_record_keeps_no_command() {
        let seen = look(None, &[server("npx db --key secret")], 2).seen();
        let text = serde_json::to_string(&seen).unwrap_or_default();
        let sum = &seen.files["/s"].runners[0].sum;
        assert_eq!(
            text,
            format!(
                r#"{{"version":1,"files":{{"/s":{{"stamp":[1,2,3],"ours":2,"runners":[{{"kind":"server","name":"db","sum":"{sum}"}}]}}}}}}"#
            )
        );
        assert_eq!(Seen::parse(&text), Ok(seen));
        assert!(Seen::parse(r#"{"version":2}"#).is_err());
    }
}
