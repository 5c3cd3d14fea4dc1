//! The corpora of labelled commands, and the project without a disk in which they are judged.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine_core::client::{Client, NoClient, Snapshot};
use engine_core::config::Config;
use engine_core::dialect::Dialect;
use engine_core::host::surroundings;
use engine_core::policy::{CallFacts, Level, Places, ProjectPolicy, judge};
use engine_core::session::SessionState;
use engine_core::skill::Known;
use engine_core::verdict::Decision;
use engine_core::view::{self, Unread};
use engine_rules::protect;
use engine_shell::{Analysis, Surroundings, analyse};

/// The corpora beside this folder: the name of each file, and its text.
#[allow(clippy::disallowed_methods, reason = "the corpora are files")]
pub(crate) fn corpora() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let text = |file: &PathBuf| fs::read_to_string(file).unwrap();
    let name = |file: &PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), text(file))).collect()
}

const ROOT: &str = "/home/dev/project";
const TRANSCRIPT: &str = "/home/dev/.claude/projects/-home-dev-project/5f1c.jsonl";

fn places() -> Places {
    Places { root: ROOT.into(), cwd: ROOT.into(), home: Some("/home/dev".into()), temporary: None }
}

fn analysis_at(command: &str, cwd: &str) -> Rc<Analysis> {
    let around = surroundings(cwd, Some("/home/dev".into()), None, &DIALECT);
    analyse(command, &Surroundings { root: Some(ROOT.into()), is_gnu: true, ..around })
}

pub(crate) fn facts(command: &str) -> CallFacts {
    let facts = CallFacts::of_command("Bash", command, analysis_at(command, ROOT), places());
    CallFacts { dialect: &DIALECT, ..facts }
}

/// What the rules say that ask or block, by their ids.
pub(crate) fn judged(facts: &CallFacts) -> Vec<(String, Level)> {
    let found = judge(facts, &ProjectPolicy::default(), &|rule| rule.verdict);
    let acting = found.into_iter().filter(|found| found.verdict >= Level::Ask);
    acting.map(|found| (found.rule, found.verdict)).collect()
}

/// A project as the rule `protect` sees it, without a disk.
pub(crate) struct Guarded {
    own: Vec<PathBuf>,
    settings: Vec<PathBuf>,
    config: Config,
    session: SessionState,
}

impl Guarded {
    pub(crate) fn new() -> Self {
        let paths = |paths: &[&str]| paths.iter().map(|path| Path::new("/home/dev").join(path)).collect();
        Self {
            own: paths(&["project/.engine", ".config/engine"]),
            settings: paths(&[
                "project/.claude/settings.json",
                "project/.claude/settings.local.json",
                ".claude/settings.json",
            ]),
            config: Config::default(),
            session: SessionState::default(),
        }
    }

    /// With two protected files, and with the rule that guards engine's own.
    pub(crate) fn judged(&self, command: &str) -> (CallFacts, Vec<(String, Level)>) {
        let mut facts = facts(command);
        facts.protected = ["dir/locked", "VERSION"].map(|path| format!("{ROOT}/{path}")).to_vec();
        let mut found = judged(&facts);
        match protect::shell(command, &facts.analysis, Some(TRANSCRIPT), self).decision {
            Some(Decision::Deny(_)) => found.push(("protect".to_owned(), Level::Block)),
            Some(Decision::Ask(_)) => found.push(("protect".to_owned(), Level::Ask)),
            _ => {}
        }
        (facts, found)
    }
}

static DIALECT: Dialect = Dialect {
    settings: &[".claude/settings.json", ".claude/settings.local.json"],
    settings_prefix: ".claude/settings",
    variables: &["CLAUDECODE", "CLAUDE_*", "ENGINE_*"],
    edit_words: "the Edit or Write tool",
    home: "~/.claude",
    home_variable: "CLAUDE_CONFIG_DIR",
    projects: "projects",
    memory: "memory",
    transcript_end: ".jsonl",
    history: "history.jsonl",
    message_variables: &["CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN"],
    programs: &["claude", "claude-code", "claude-code@*", "claude-code/cli.js", "claude/versions/*"],
    valued: &["--model", "-n", "--name", "--append-system-prompt"],
    resuming: &["-c", "--continue", "-r", "--resume"],
    attaching: &["attach"],
    subcommands: &["mcp", "plugin", "update"],
    ..Dialect::NONE
};

static CLIENT: NoClient = NoClient::new(&DIALECT);

impl view::Project for Guarded {
    fn config(&self) -> &Config {
        &self.config
    }

    fn root(&self) -> &Path {
        Path::new(ROOT)
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/dev".to_owned())
    }
}

impl view::Session for Guarded {
    fn session(&self) -> &SessionState {
        &self.session
    }

    fn wiring(&self) -> Vec<(String, Snapshot)> {
        Vec::new()
    }
}

impl view::Work for Guarded {
    fn work(&self) -> Option<&engine_core::work::BoundWork> {
        None
    }

    fn plan(&self) -> Option<&engine_core::plan::BoundPlan> {
        None
    }
}

impl view::Files for Guarded {
    fn resolve(&self, cwd: &str, path: &str) -> PathBuf {
        let path = path.replacen('~', "/home/dev", usize::from(path.starts_with('~')));
        engine_text::path::join(cwd, &path).into()
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn read(&self, _: &Path) -> Result<String, Unread> {
        Err(Unread::Missing)
    }
}

impl view::Shell for Guarded {
    fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
        analysis_at(command, cwd)
    }

    fn too_large(&self) -> Option<&'static str> {
        None
    }
}

impl view::Skills for Guarded {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn skill(&self, _: &str) -> Option<Known> {
        None
    }
}

impl view::Changes for Guarded {
    fn changed_files(&self) -> Vec<String> {
        Vec::new()
    }
}

impl view::Own for Guarded {
    fn own_folders(&self) -> &[PathBuf] {
        &self.own
    }

    fn own_directives(&self) -> Option<PathBuf> {
        None
    }
}

impl view::Settings for Guarded {
    fn client(&self) -> &dyn Client {
        &CLIENT
    }

    fn settings_files(&self) -> &[PathBuf] {
        &self.settings
    }

    fn installed(&self, _: &Path) -> Option<Snapshot> {
        None
    }
}
