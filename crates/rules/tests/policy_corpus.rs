//! The labelled commands: `corpus/commands.jsonl` was labelled from `docs/policy.md` before the code existed, `corpus/review.jsonl`
//! from what a review found, before it was mended, `corpus/person.jsonl` with the pack person and the guard of transcripts, `corpus/own.jsonl` with engine's own files by other words, `corpus/tree.jsonl` with what
//! deletes or discards a whole tree.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

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
use engine_shell::{Analysis, Problem, Surroundings, analyse};
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    kind: String,
    command: String,
    verdict: String,
    rules: Vec<String>,
    parses: bool,
    visible: bool,
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

fn facts(command: &str) -> CallFacts {
    let facts = CallFacts::of_command("Bash", command, analysis_at(command, ROOT), places());
    CallFacts { dialect: &DIALECT, ..facts }
}

fn corpus(lines: &str) -> Vec<Labelled> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn commands() -> Vec<Labelled> {
    corpus(include_str!("corpus/commands.jsonl"))
}

fn review() -> Vec<Labelled> {
    corpus(include_str!("corpus/review.jsonl"))
}

fn person() -> Vec<Labelled> {
    corpus(include_str!("corpus/person.jsonl"))
}

fn own() -> Vec<Labelled> {
    corpus(include_str!("corpus/own.jsonl"))
}

fn tree() -> Vec<Labelled> {
    corpus(include_str!("corpus/tree.jsonl"))
}

/// What the rules say that ask or block, by their ids.
fn judged(facts: &CallFacts) -> Vec<(String, Level)> {
    let found = judge(facts, &ProjectPolicy::default(), &|rule| rule.verdict);
    let acting = found.into_iter().filter(|found| found.verdict >= Level::Ask);
    acting.map(|found| (found.rule, found.verdict)).collect()
}

/// Where a label does not hold, what is found instead.
fn wrong(label: &Labelled, mut found: Vec<(String, Level)>, problem: Option<&Problem>) -> Option<String> {
    let Labelled { kind, command, verdict, rules, visible, .. } = label;
    found.sort();
    let word = found.iter().map(|(_, verdict)| *verdict).max().map_or("none", Level::as_str);
    let ids: Vec<String> = found.into_iter().map(|(id, _)| id).collect();
    (word != verdict || ids != *rules).then(|| {
        format!("{kind} visible {visible}: {command:?}\n  label {verdict} {rules:?}\n  found {word} {ids:?} {problem:?}")
    })
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} labels do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_label_holds() {
    assert_judged(&commands());
}

/// Whole trees by other names, the repository itself, disks, and what only shows or tries.
#[test]
fn every_label_of_trees_holds() {
    assert_judged(&tree());
}

fn assert_judged(labels: &[Labelled]) {
    let wrong = labels.iter().filter_map(|label| {
        let facts = facts(&label.command);
        wrong(label, judged(&facts), facts.analysis.problem.as_ref())
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

/// With two protected files, and with the rule that guards engine's own.
#[test]
fn every_label_of_the_review_holds() {
    assert_guarded(&review());
}

/// How a program could speak as the person: by keys, by the socket, in their session, in the transcript.
#[test]
fn every_label_of_the_pack_person_holds() {
    assert_guarded(&person());
}

/// Engine's own files by other words than a plain write, each beside its harmless twin.
#[test]
fn every_label_of_own_files_holds() {
    assert_guarded(&own());
}

fn assert_guarded(labels: &[Labelled]) {
    let view = Guarded::new();
    let wrong = labels.iter().filter_map(|label| {
        let mut facts = facts(&label.command);
        facts.protected = ["dir/locked", "VERSION"].map(|path| format!("{ROOT}/{path}")).to_vec();
        let mut found = judged(&facts);
        match protect::shell(&label.command, &facts.analysis, Some(TRANSCRIPT), &view).decision {
            Some(Decision::Deny(_)) => found.push(("protect".to_owned(), Level::Block)),
            Some(Decision::Ask(_)) => found.push(("protect".to_owned(), Level::Ask)),
            _ => {}
        }
        wrong(label, found, facts.analysis.problem.as_ref())
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn our_parser_and_bash_agree() {
    let mut wrong = Vec::new();
    for Labelled { command, parses, .. } in
        commands().into_iter().chain(review()).chain(person()).chain(own()).chain(tree())
    {
        let facts = facts(&command);
        let ours = !matches!(facts.analysis.problem, Some(Problem::Syntax(_)));
        if ours != parses {
            wrong.push(format!("{command:?} bash {parses} ours {ours} {:?}", facts.analysis.problem));
        }
    }
    assert_none(&wrong);
}

/// A project as the rule `protect` sees it, without a disk.
struct Guarded {
    own: Vec<PathBuf>,
    settings: Vec<PathBuf>,
    config: Config,
    session: SessionState,
}

impl Guarded {
    fn new() -> Self {
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
