//! Learning a project's checks from its own files, and counting them.

use std::path::Path;

use engine_core::evidence::known::{CHECKS, check_of};
use engine_core::evidence::propose::{SCRIPT_FOLDERS, is_script, propose};
use engine_core::host::surroundings;
use engine_rules::Rule;
use engine_shell::analyse;
use engine_store::approve::Caller;
use engine_store::config_file;
use engine_store::project::Project;
use engine_store::read::read_string;
use fs_err as fs;
use serde::Serialize;

use crate::approval::Consent;
use crate::error::CommandError;
use crate::settings::{self, Assigned, Assignment};

/// Files at the root that name checks, in the order in which their proposals come.
const FILES: &[&str] = &[
    "package.json",
    "Cargo.toml",
    ".cargo/config.toml",
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "noxfile.py",
    "go.mod",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "composer.json",
    "deno.json",
    "Gemfile",
    "Rakefile",
    "mix.exs",
    "GNUmakefile",
    "makefile",
    "Makefile",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
];

/// Files that count by being there.
const SIGNS: &[&str] =
    &["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "uv.lock", "poetry.lock", "gradlew", "mvnw"];

const WORKFLOWS: &str = ".github/workflows";

/// A larger file is not looked at.
const LARGEST: u64 = 256 << 10;
/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 500;
const MOST_WORKFLOWS: usize = 20;

/// A command that seems to check something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Learned {
    pub command: String,
    pub from: String,
    /// By the table or the configuration.
    pub counts: bool,
}

/// The checks that the project's files name, the most usual first.
pub fn found(project: &Project) -> Vec<Learned> {
    let config = config_file::load_fresh(project);
    let configured = config.commands(&CHECKS);
    let counts = |command: &str| {
        let analysis = analyse(command, &surroundings("/", None, None, &engine_claude::DIALECT));
        analysis.runs.iter().any(|run| check_of(run, &configured).is_some())
    };
    propose(&files(project.root()))
        .into_iter()
        .map(|one| Learned {
            counts: one.known || counts(&one.command),
            command: one.command,
            from: one.from,
        })
        .collect()
}

/// The commands among them that do not count yet.
pub fn uncounted(root: &Path) -> Vec<String> {
    let project = Project::open(None, root).filter(|project| project.root() == root);
    let project = project.unwrap_or_else(|| Project::at(root));
    found(&project).into_iter().filter(|one| !one.counts).map(|one| one.command).collect()
}

/// Counts these commands from now on, or all that were found and do not count; nothing if there is none to add.
pub fn count(
    project: &Project,
    caller: &Caller,
    rules: &[Rule],
    program: &Path,
    named: &[String],
    consent: Consent<'_>,
) -> Result<Option<Assigned>, CommandError> {
    let config = config_file::load_fresh(project);
    let mut checks: Vec<String> = config.commands(&CHECKS).into_iter().map(str::to_owned).collect();
    let before = checks.len();
    let wanted = if named.is_empty() {
        found(project).into_iter().filter(|one| !one.counts).map(|one| one.command).collect()
    } else {
        named.to_vec()
    };
    for command in wanted.iter().map(|command| command.trim()) {
        if !checks.iter().any(|check| check == command) {
            checks.push(command.to_owned());
        }
    }
    if checks.len() == before {
        return Ok(None);
    }
    let value = serde_json::to_string(&checks).map_err(CommandError::from_error)?;
    let wanted = Assignment { key: CHECKS.name, value: &value, user: false, consent };
    settings::set(project, caller, rules, program, &wanted).map(Some)
}

/// The files that [`propose`] reads, with their texts; of scripts and signs only the names.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    files.extend(FILES.iter().filter_map(|name| Some(((*name).to_owned(), text(&root.join(name))?))));
    let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let signs = SIGNS.iter().filter(|name| is_file(&root.join(name)));
    files.extend(signs.map(|name| ((*name).to_owned(), String::new())));
    for folder in std::iter::once("").chain(SCRIPT_FOLDERS.iter().copied()) {
        let scripts = names(&root.join(folder)).into_iter().map(|name| match folder {
            "" => name,
            folder => format!("{folder}/{name}"),
        });
        let scripts = scripts.filter(|path| is_script(path) && is_file(&root.join(path)));
        files.extend(scripts.map(|path| (path, String::new())));
    }
    let is_workflow = |name: &String| {
        matches!(Path::new(name).extension().and_then(|end| end.to_str()), Some("yml" | "yaml"))
    };
    let workflows = names(&root.join(WORKFLOWS)).into_iter().filter(is_workflow).take(MOST_WORKFLOWS);
    files.extend(workflows.filter_map(|name| {
        let path = format!("{WORKFLOWS}/{name}");
        let text = text(&root.join(&path))?;
        Some((path, text))
    }));
    files
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.take(MOST_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The text of a regular file of reasonable size.
fn text(path: &Path) -> Option<String> {
    let data = fs::symlink_metadata(path).ok()?;
    if !data.is_file() || data.len() > LARGEST {
        return None;
    }
    read_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_reasonable_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("Makefile", "ci:\n\tpytest\n");
        write("scripts/runtests.sh", "pytest");
        write("scripts/notes.md", "test");
        write(".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - run: ./dev/smoketest\n");
        write(".github/workflows/README.md", "run: make test");
        write("package.json", &format!("{{\"scripts\": {{\"test\": \"{}\"}}}}", "x".repeat(300_000)));
        write("elsewhere.json", "{\"scripts\": {\"test\": \"x\"}}");
        std::os::unix::fs::symlink(root.join("elsewhere.json"), root.join("composer.json")).expect("linked");
        fs::create_dir_all(root.join("tox.ini")).expect("made");
        let names: Vec<String> = files(root).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["Makefile", "scripts/runtests.sh", ".github/workflows/a.yml"]);
        assert_eq!(uncounted(root), ["./scripts/runtests.sh", "./dev/smoketest"]);
    }
}
