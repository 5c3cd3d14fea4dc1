//! Which checks a project has, by its own files: a proposal for [`super::known::CHECKS`].
//!
//! A script `smoke: "pytest -m smoke"` of a `package.json` is `npm run smoke`, which no table knows. What CI runs counts if it is a check
//! by the table or looks like a script of the project.

use serde::Serialize;
use serde_json::Value as Json;

use super::definition::{script, section, target};
use super::known::{Check, TESTS, check_of, is_task};
use crate::dialect::Dialect;
use crate::host::surroundings;
use engine_shell::{Run, analyse};
use engine_text::yaml::{self, Node, Value};

/// A command that seems to check something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    pub command: String,
    /// The file, and the place in it: `package.json: scripts.test`.
    pub from: String,
    /// It counts already, by the table.
    pub known: bool,
}

/// Proposals at most.
const MOST: usize = 12;

/// The commands that these files name, each once, tests first. Paths are from the root.
pub fn propose(files: &[(String, String)]) -> Vec<Proposal> {
    let mut found = Found { files, all: Vec::new() };
    for (path, text) in files {
        found.file(path, text);
    }
    let mut all = found.all;
    all.sort_by_key(|one| one.rank);
    all.truncate(MOST);
    all.into_iter().map(|one| one.proposal).collect()
}

/// The check that a command is by the table.
fn known(command: &str) -> Option<Check> {
    runs(command).iter().find_map(|run| check_of(run, &[]))
}

fn runs(command: &str) -> Vec<Run> {
    analyse(command, &surroundings("/", None, None, &Dialect::NONE)).runs.clone()
}

/// What comes first: tests, all in one, linters, builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Tests,
    Lint,
    Build,
}

impl Rank {
    fn of(command: &str, check: Option<&Check>) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| command.contains(word));
        if check.is_some_and(|check| check.family == TESTS) || (check.is_none() && has(&["test", "spec"])) {
            Self::Tests
        } else if has(&["build", "compile"]) {
            Self::Build
        } else {
            Self::Lint
        }
    }
}

struct Ranked {
    rank: Rank,
    proposal: Proposal,
    check: Option<Check>,
}

struct Found<'a> {
    files: &'a [(String, String)],
    all: Vec<Ranked>,
}

impl Found<'_> {
    fn file(&mut self, path: &str, text: &str) {
        match path {
            "package.json" => {
                let packager = self.packager();
                self.scripts(path, text, "scripts", |name| match name {
                    "test" => format!("{packager} test"),
                    name => format!("{packager} run {name}"),
                });
            }
            "composer.json" => self.scripts(path, text, "scripts", |name| format!("composer {name}")),
            "deno.json" => self.scripts(path, text, "tasks", |name| format!("deno task {name}")),
            "GNUmakefile" | "makefile" | "Makefile" => {
                self.targets(path, text, "make", target::Flavour::Make);
            }
            "justfile" | "Justfile" | ".justfile" => self.targets(path, text, "just", target::Flavour::Just),
            "Taskfile.yml" | "Taskfile.yaml" | "taskfile.yml" => self.taskfile(path, text),
            "tox.ini" => self.add("tox", path),
            "noxfile.py" => self.add("nox", path),
            "pytest.ini" => self.add(&self.python("pytest"), path),
            "pyproject.toml" => self.pyproject(path, text),
            "Cargo.toml" => {
                let is_workspace = text.lines().any(|line| line.trim_end() == "[workspace]");
                self.add(if is_workspace { "cargo test --workspace" } else { "cargo test" }, path);
            }
            ".cargo/config.toml" => {
                for (name, value) in keys(&section::cut(text, &["alias"])) {
                    // `xtask` alone is no check; which of its tasks are, only its code says.
                    if known(&format!("cargo {value}")).is_some() {
                        self.add(&format!("cargo {name}"), &format!("{path}: alias.{name}"));
                    }
                }
            }
            "build.gradle" | "build.gradle.kts" => {
                self.add(if self.has("gradlew") { "./gradlew test" } else { "gradle test" }, path);
            }
            "pom.xml" => self.add(if self.has("mvnw") { "./mvnw test" } else { "mvn test" }, path),
            "go.mod" => self.add("go test ./...", path),
            "mix.exs" => self.add("mix test", path),
            "Gemfile" if text.contains("rspec") => self.add("bundle exec rspec", path),
            "Rakefile" => self.rakefile(path, text),
            ".gitlab-ci.yml" => self.pipeline(path, text, &["script"]),
            ".circleci/config.yml" => self.pipeline(path, text, &["run", "command"]),
            _ if path.starts_with(".github/workflows/") => self.pipeline(path, text, &["run"]),
            _ if is_script(path) => self.add(&format!("./{path}"), path),
            _ => {}
        }
    }

    fn has(&self, path: &str) -> bool {
        self.files.iter().any(|(file, _)| file == path)
    }

    fn packager(&self) -> &'static str {
        let locks =
            [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];
        locks.iter().find(|(lock, _)| self.has(lock)).map_or("npm", |(_, packager)| packager)
    }

    fn python(&self, program: &str) -> String {
        match () {
            () if self.has("uv.lock") => format!("uv run {program}"),
            () if self.has("poetry.lock") => format!("poetry run {program}"),
            () => program.to_owned(),
        }
    }

    fn add(&mut self, command: &str, from: &str) {
        let check = known(command);
        let is_same = |one: &Ranked| {
            let both = one.check.as_ref().zip(check.as_ref());
            one.proposal.command == command || both.is_some_and(|(a, b)| a.covers(b) && b.covers(a))
        };
        if !self.all.iter().any(is_same) {
            let proposal =
                Proposal { command: command.to_owned(), from: from.to_owned(), known: check.is_some() };
            self.all.push(Ranked { rank: Rank::of(command, check.as_ref()), proposal, check });
        }
    }

    /// A task, if its name or what it runs is a check.
    fn task(&mut self, command: &str, name: &str, lines: &[String], from: &str) {
        let is_odd = |c: char| !(c.is_ascii_alphanumeric() || "-_:".contains(c));
        let is_hidden = name.is_empty() || name.starts_with(['_', '.', '-']) || name.contains(is_odd);
        let ends =
            !name.split([':', '-', '_']).any(|part| matches!(part, "watch" | "dev" | "serve" | "start"));
        let runs_check = || lines.iter().any(|line| known(line).is_some());
        if !is_hidden && (is_task(name) || (ends && runs_check())) {
            self.add(command, from);
        }
    }

    fn scripts(&mut self, path: &str, text: &str, key: &str, command: impl Fn(&str) -> String) {
        let Ok(file) = serde_json::from_str::<Json>(text) else { return };
        for (name, value) in file[key].as_object().into_iter().flatten() {
            // What runs before and after another one is part of that.
            let is_part = ["pre", "post"]
                .iter()
                .any(|prefix| name.strip_prefix(prefix).is_some_and(|rest| file[key].get(rest).is_some()));
            if !is_part {
                self.task(&command(name), name, &script::commands(value), &format!("{path}: {key}.{name}"));
            }
        }
    }

    fn targets(&mut self, path: &str, text: &str, program: &str, flavour: target::Flavour) {
        for (name, lines) in target::list(text, flavour) {
            self.task(&format!("{program} {name}"), &name, &lines, &format!("{path}: {name}"));
        }
    }

    fn taskfile(&mut self, path: &str, text: &str) {
        for (name, lines) in target::list_yaml(text) {
            self.task(&format!("task {name}"), &name, &lines, &format!("{path}: tasks.{name}"));
        }
    }

    fn pyproject(&mut self, path: &str, text: &str) {
        // A dependency is followed by its version or its end, a command by its arguments.
        let needs = |text: &str| {
            text.split("\"pytest").skip(1).any(|rest| rest.starts_with(|c| "\"<>=~!-[;".contains(c)))
        };
        if text.contains("[tool.pytest") || needs(text) || text.contains("\npytest = ") {
            self.add(&self.python("pytest"), path);
        }
        for (heading, program) in [("tool.poe.tasks", "poe"), ("tool.pdm.scripts", "pdm run")] {
            for (name, value) in keys(&section::cut(text, &[heading])) {
                let from = format!("{path}: {heading}.{name}");
                self.task(&format!("{program} {name}"), &name, &[value], &from);
            }
        }
        // `[tool.hatch.envs.NAME.scripts]`.
        for line in text.lines() {
            let Some(heading) = section::heading(line) else { continue };
            let environment =
                heading.strip_prefix("tool.hatch.envs.").and_then(|rest| rest.strip_suffix(".scripts"));
            let Some(environment) = environment else { continue };
            for (name, value) in keys(&section::cut(text, &[heading])) {
                let task =
                    if environment == "default" { name.clone() } else { format!("{environment}:{name}") };
                let from = format!("{path}: {heading}.{name}");
                self.task(&format!("hatch run {task}"), &name, &[value], &from);
            }
        }
    }

    /// `task :name`, `task "name"`, `task name: :other`; and what makes the usual tasks.
    fn rakefile(&mut self, path: &str, text: &str) {
        for line in text.lines().map(str::trim) {
            let name = if line.starts_with("RSpec::Core::RakeTask.new") {
                "spec"
            } else if line.starts_with("Rake::TestTask.new") {
                "test"
            } else if let Some(rest) = line.strip_prefix("task ") {
                let rest = rest.trim_start_matches([':', '"', '\'']);
                let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
                rest.split(is_end).next().unwrap_or_default()
            } else {
                continue;
            };
            self.task(&format!("rake {name}"), name, &[], &format!("{path}: {name}"));
        }
    }

    /// The lines of a CI file below these keys.
    fn pipeline(&mut self, path: &str, text: &str, keys: &[&str]) {
        let mut lines: Vec<(String, String)> = Vec::new();
        match yaml::read(text) {
            Ok(fields) => below(&fields, keys, &mut lines),
            // Anchors and the like: lines with a command of their own can be read all the same.
            Err(_) => {
                for line in text.lines() {
                    let bare = line.trim().trim_start_matches("- ");
                    let of_key =
                        keys.iter().find_map(|key| Some((key, bare.strip_prefix(key)?.strip_prefix(':')?)));
                    lines.extend(of_key.map(|(key, command)| ((*key).to_owned(), command.trim().to_owned())));
                }
            }
        }
        for (key, line) in lines.iter().filter(|(_, line)| !line.contains("${{")) {
            for run in runs(line) {
                let is_plain =
                    run.args.iter().chain([&run.path]).all(|word| !word.unknown) && run.via.is_empty();
                let own = run.path.text.trim_start_matches("./");
                let is_own = run.path.text.contains('/') && is_script(own);
                if is_plain && (check_of(&run, &[]).is_some() || is_own) {
                    let here = run.cwd.as_deref() == Some("/");
                    let command = if here { run.shown() } else { continue };
                    self.add(&command, &format!("{path}: {key}"));
                }
            }
        }
    }
}

/// Texts below keys, line by line. A step that works in another folder is left out: what it runs is another command here.
fn below(fields: &[(String, Node)], keys: &[&str], out: &mut Vec<(String, String)>) {
    if fields.iter().any(|(key, _)| matches!(key.as_str(), "working-directory" | "working_directory")) {
        return;
    }
    for (key, node) in fields {
        let is_key = keys.contains(&key.as_str());
        under(node, is_key.then_some(key.as_str()), keys, out);
    }
}

fn under(node: &Node, key: Option<&str>, keys: &[&str], out: &mut Vec<(String, String)>) {
    match (&node.value, key) {
        (Value::Text { text }, Some(key)) => {
            out.extend(text.lines().map(|line| (key.to_owned(), line.to_owned())));
        }
        (Value::List(items), key) => items.iter().for_each(|item| under(item, key, keys, out)),
        (Value::Map(fields), _) => below(fields, keys, out),
        (Value::Text { .. }, None) | (Value::Empty, _) => {}
    }
}

/// `name = "value"` of the lines of a section.
fn keys(section: &str) -> Vec<(String, String)> {
    let of_line = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim().trim_matches('"');
        let is_name = !name.is_empty() && !name.contains([' ', '[', '{']);
        is_name.then(|| (name.to_owned(), value.trim().trim_matches(['"', '\'']).to_owned()))
    };
    section.lines().filter_map(of_line).collect()
}

/// Folders in which a project keeps scripts.
pub const SCRIPT_FOLDERS: &[&str] = &["scripts", "script", "bin", "ci", "dev", "tools"];

/// Whether a file looks like a script that checks something.
pub fn is_script(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let is_kind =
        matches!(file.rsplit_once('.').map(|(_, ending)| ending), None | Some("sh" | "bash" | "zsh"));
    let named = ["test", "check", "verify", "lint"].iter().any(|word| stem.contains(word))
        || stem.split(['-', '_']).any(|part| part == "ci");
    let is_other = ["install", "setup", "clean", "deps", "watch"].iter().any(|word| stem.contains(word));
    let is_program = folder.is_empty() && !file.contains('.');
    (folder.is_empty() || SCRIPT_FOLDERS.contains(&folder)) && is_kind && named && !is_other && !is_program
}

#[cfg(test)]
mod tests;
