//! What defines a check: the parts of the project's files that decide what a run of it does.
//!
//! `npm test` is what `scripts.test` of the `package.json` says. If that changes after a plan was locked, a pass proves something else than
//! what was agreed on. Code under test is ordinary content, and no part of the definition.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Check, check_of};
use crate::dialect::Dialect;
use crate::host::surroundings;
use engine_shell::{Run, Word, analyse};
use engine_text::path::join;

pub(super) mod script;
pub(super) mod section;
pub(super) mod target;

/// What counts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// From the root.
    pub file: String,
    pub text: String,
}

/// The text of a file, by its path from the root. That of a folder is empty.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How much of a file counts.
#[derive(Debug, Clone, Copy)]
enum Part {
    Whole,
    /// The sections with one of these names, and what is below them: of TOML and INI.
    Sections(&'static [&'static str]),
}

/// Where a file is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    /// In the folder, and in those above it up to the root.
    Upwards,
}

/// One row: programs that read the same files. `*` in a name stands for the endings in [`ENDINGS`].
type Row = (&'static [&'static str], Place, &'static [(&'static str, Part)]);

const ENDINGS: &[&str] =
    &["", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".jsonc", ".yml", ".yaml", ".toml"];

const FILES: &[Row] = &[
    (
        &["pytest"],
        Place::Upwards,
        &[
            ("pytest.ini", Part::Whole),
            (".pytest.ini", Part::Whole),
            ("pytest.toml", Part::Whole),
            (".pytest.toml", Part::Whole),
            ("conftest.py", Part::Whole),
            ("tests/conftest.py", Part::Whole),
            ("test/conftest.py", Part::Whole),
            // A module of the project comes before the one that is installed.
            ("pytest.py", Part::Whole),
            ("pytest/__init__.py", Part::Whole),
            ("pytest/__main__.py", Part::Whole),
            ("sitecustomize.py", Part::Whole),
            ("pyproject.toml", Part::Sections(&["tool.pytest"])),
            ("tox.ini", Part::Sections(&["pytest"])),
            ("setup.cfg", Part::Sections(&["tool:pytest"])),
        ],
    ),
    (
        &["tox"],
        Place::Here,
        &[
            ("tox.ini", Part::Whole),
            ("tox.toml", Part::Whole),
            ("pyproject.toml", Part::Sections(&["tool.tox"])),
            ("setup.cfg", Part::Sections(&["tox:tox"])),
        ],
    ),
    (
        &["unittest"],
        Place::Here,
        &[
            ("unittest.py", Part::Whole),
            ("unittest/__init__.py", Part::Whole),
            ("unittest/__main__.py", Part::Whole),
            ("sitecustomize.py", Part::Whole),
        ],
    ),
    (
        &["npm", "pnpm", "yarn", "bun"],
        Place::Upwards,
        &[(".npmrc", Part::Whole), (".yarnrc", Part::Whole), (".yarnrc.yml", Part::Whole)],
    ),
    (&["nox"], Place::Here, &[("noxfile.py", Part::Whole)]),
    (&["manage.py"], Place::Here, &[("manage.py", Part::Whole)]),
    (&["setup.py"], Place::Here, &[("setup.py", Part::Whole)]),
    (
        &["ruff"],
        Place::Upwards,
        &[
            ("ruff.toml", Part::Whole),
            (".ruff.toml", Part::Whole),
            ("pyproject.toml", Part::Sections(&["tool.ruff"])),
        ],
    ),
    (
        &["mypy", "dmypy"],
        Place::Here,
        &[
            ("mypy.ini", Part::Whole),
            (".mypy.ini", Part::Whole),
            ("pyproject.toml", Part::Sections(&["tool.mypy"])),
            ("setup.cfg", Part::Sections(&["mypy"])),
        ],
    ),
    (
        &["pyright", "basedpyright"],
        Place::Here,
        &[
            ("pyrightconfig.json", Part::Whole),
            ("pyproject.toml", Part::Sections(&["tool.pyright", "tool.basedpyright"])),
        ],
    ),
    (&["black"], Place::Upwards, &[("pyproject.toml", Part::Sections(&["tool.black"]))]),
    (
        &["isort"],
        Place::Upwards,
        &[(".isort.cfg", Part::Whole), ("pyproject.toml", Part::Sections(&["tool.isort"]))],
    ),
    (
        &["flake8"],
        Place::Here,
        &[
            (".flake8", Part::Whole),
            ("tox.ini", Part::Sections(&["flake8"])),
            ("setup.cfg", Part::Sections(&["flake8"])),
        ],
    ),
    (
        &["pylint"],
        Place::Here,
        &[(".pylintrc", Part::Whole), ("pyproject.toml", Part::Sections(&["tool.pylint"]))],
    ),
    (
        &["hatch"],
        Place::Here,
        &[("hatch.toml", Part::Whole), ("pyproject.toml", Part::Sections(&["tool.hatch"]))],
    ),
    (&["pdm"], Place::Here, &[("pyproject.toml", Part::Sections(&["tool.pdm.scripts"]))]),
    (&["poe"], Place::Here, &[("pyproject.toml", Part::Sections(&["tool.poe"]))]),
    (&["rye"], Place::Here, &[("pyproject.toml", Part::Sections(&["tool.rye.scripts"]))]),
    (
        &["pixi"],
        Place::Here,
        &[
            ("pixi.toml", Part::Sections(&["tasks", "feature"])),
            ("pyproject.toml", Part::Sections(&["tool.pixi.tasks", "tool.pixi.feature"])),
        ],
    ),
    (&["pipenv"], Place::Here, &[("Pipfile", Part::Sections(&["scripts"]))]),
    (&["invoke"], Place::Here, &[("tasks.py", Part::Whole)]),
    (
        &["mise"],
        Place::Upwards,
        &[("mise.toml", Part::Sections(&["tasks"])), (".mise.toml", Part::Sections(&["tasks"]))],
    ),
    (&["pre-commit", "prek"], Place::Here, &[(".pre-commit-config.yaml", Part::Whole)]),
    (&["jest"], Place::Here, &[("jest.config*", Part::Whole)]),
    (
        &["vitest"],
        Place::Here,
        &[("vitest.config*", Part::Whole), ("vite.config*", Part::Whole), ("vitest.workspace*", Part::Whole)],
    ),
    (&["mocha"], Place::Here, &[(".mocharc*", Part::Whole)]),
    (&["ava"], Place::Here, &[("ava.config*", Part::Whole)]),
    (&["playwright"], Place::Here, &[("playwright.config*", Part::Whole)]),
    (&["cypress"], Place::Here, &[("cypress.config*", Part::Whole)]),
    (&["tsc", "vue-tsc"], Place::Here, &[("tsconfig.json", Part::Whole)]),
    (
        &["eslint"],
        Place::Upwards,
        &[("eslint.config*", Part::Whole), (".eslintrc*", Part::Whole), (".eslintignore", Part::Whole)],
    ),
    (
        &["prettier"],
        Place::Upwards,
        &[(".prettierrc*", Part::Whole), ("prettier.config*", Part::Whole), (".prettierignore", Part::Whole)],
    ),
    (&["biome"], Place::Upwards, &[("biome.json", Part::Whole), ("biome.jsonc", Part::Whole)]),
    (&["stylelint"], Place::Upwards, &[(".stylelintrc*", Part::Whole), ("stylelint.config*", Part::Whole)]),
    (&["nx"], Place::Here, &[("nx.json", Part::Whole), ("project.json", Part::Whole)]),
    (&["turbo"], Place::Here, &[("turbo.json", Part::Whole)]),
    (
        &["cargo"],
        Place::Upwards,
        &[
            (".cargo/config.toml", Part::Sections(&["alias", "build", "target"])),
            ("rust-toolchain", Part::Whole),
            ("rust-toolchain.toml", Part::Whole),
            (".cargo/config", Part::Sections(&["alias", "build", "target"])),
            ("Cargo.toml", Part::Sections(&["package", "test", "lib", "lints", "workspace.lints"])),
        ],
    ),
    (&["gradle"], Place::Here, &[("build.gradle", Part::Whole), ("build.gradle.kts", Part::Whole)]),
    (&["mvn"], Place::Here, &[("pom.xml", Part::Whole)]),
    (&["rake", "rails"], Place::Here, &[("Rakefile", Part::Whole)]),
    (&["rspec"], Place::Here, &[(".rspec", Part::Whole)]),
    (&["rubocop"], Place::Upwards, &[(".rubocop.yml", Part::Whole)]),
    (
        &["phpunit", "pest", "artisan"],
        Place::Here,
        &[("phpunit.xml", Part::Whole), ("phpunit.xml.dist", Part::Whole), ("phpunit.dist.xml", Part::Whole)],
    ),
    (&["phpstan"], Place::Here, &[("phpstan.neon", Part::Whole), ("phpstan.neon.dist", Part::Whole)]),
    (
        &["golangci-lint"],
        Place::Upwards,
        &[(".golangci.yml", Part::Whole), (".golangci.yaml", Part::Whole), (".golangci.toml", Part::Whole)],
    ),
];

/// Files that only some subcommands read.
const MORE: &[(&str, &str)] = &[
    ("cargo nextest run", ".config/nextest.toml"),
    ("cargo llvm-cov", ".config/nextest.toml"),
    ("cargo clippy", "clippy.toml"),
    ("cargo clippy", ".clippy.toml"),
    ("cargo fmt --check", "rustfmt.toml"),
    ("cargo fmt --check", ".rustfmt.toml"),
    ("cargo deny check", "deny.toml"),
    ("cargo make", "Makefile.toml"),
];

/// Checks inside of checks that are looked at: `npm test` → `make test` → `pytest`.
const DEEPEST: usize = 4;

/// The pieces of the project that decide what a check does, in the order of their files. A check whose folder is unknown has those of the
/// root; one outside of the root has none.
pub fn pieces(check: &Check, root: &str, read: Read<'_>) -> Vec<Piece> {
    let mut found = Found { root, read, pieces: BTreeMap::new(), seen: BTreeSet::new() };
    found.check(check, DEEPEST);
    found.pieces.into_iter().map(|(file, text)| Piece { file, text }).collect()
}

/// The folders that `-w` names: there the scripts are.
fn workspaces(check: &Check) -> impl Iterator<Item = &str> {
    let named = check
        .limits
        .iter()
        .filter_map(|limit| limit.strip_prefix("-w ").or_else(|| limit.strip_prefix("--workspace ")));
    named.flat_map(str::split_whitespace).map(|folder| folder.trim_start_matches("./").trim_end_matches('/'))
}

struct Found<'a> {
    root: &'a str,
    read: Read<'a>,
    pieces: BTreeMap<String, String>,
    /// Checks that were looked at, by name and folder.
    seen: BTreeSet<(String, String)>,
}

impl Found<'_> {
    fn check(&mut self, check: &Check, depth: usize) {
        let folder = check.folder.as_deref().unwrap_or(self.root);
        let Some(folder) = below(self.root, folder) else { return };
        let Some(depth) = depth.checked_sub(1) else { return };
        if !self.seen.insert((check.name.clone(), folder.clone())) {
            return;
        }
        let words: Vec<&str> = check.name.split(' ').collect();
        let program = words[0];
        let tasks = &words[1..];
        for (_, place, files) in FILES.iter().filter(|(programs, ..)| programs.contains(&program)) {
            let modules = modules(check).into_iter().map(|module| inside(&folder, &module));
            for folder in folders(&folder, *place).into_iter().chain(modules) {
                for (name, part) in *files {
                    self.file(&folder, name, *part);
                }
            }
        }
        for (_, file) in MORE.iter().filter(|(name, _)| check.name.starts_with(name)) {
            self.file(&folder, file, Part::Whole);
        }
        let lines = match program {
            "npm" | "pnpm" | "yarn" | "bun" => {
                let tasks = tasks.get(1..).unwrap_or_default();
                let mut lines = self.scripts(&folder, "package.json", "scripts", tasks);
                for workspace in workspaces(check) {
                    lines.extend(self.scripts(&inside(&folder, workspace), "package.json", "scripts", tasks));
                }
                lines
            }
            "lerna" | "turbo" | "nx" => self.scripts(&folder, "package.json", "scripts", tasks),
            "composer" => self.scripts(&folder, "composer.json", "scripts", tasks),
            "deno" => {
                let mut lines = Vec::new();
                for file in ["deno.json", "deno.jsonc"] {
                    lines.extend(self.scripts(&folder, file, "tasks", tasks));
                }
                lines
            }
            "make" => {
                let names = ["GNUmakefile", "makefile", "Makefile"];
                let mut texts = Vec::new();
                if let Some((_, text)) = self.first(&folder, &names) {
                    let included = text.lines().filter_map(|line| {
                        line.strip_prefix("include ").or_else(|| line.strip_prefix("-include "))
                    });
                    for name in included.flat_map(str::split_whitespace) {
                        self.file(&folder, name, Part::Whole);
                        texts.extend((self.read)(&inside(&folder, name)));
                    }
                    texts.push(text);
                }
                self.goals(&folder, tasks, &texts.join("\n"));
                self.targets(&folder, &names, tasks, target::Flavour::Make)
            }
            "just" => {
                let names = ["justfile", "Justfile", ".justfile"];
                self.targets(&folder, &names, tasks, target::Flavour::Just)
            }
            "task" => {
                let names = ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"];
                self.taskfile(&folder, &names, tasks)
            }
            "jest" | "mocha" | "ava" => self.scripts(&folder, "package.json", "scripts", &[]),
            // A script of the project is named by its path.
            _ => self.script(&folder, &check.name),
        };
        for line in lines {
            self.inner(&line, &folder, depth);
        }
    }

    /// Two checks may read one file: what the second adds stands behind.
    fn add(&mut self, file: String, text: String) {
        if text.is_empty() {
            return;
        }
        let Some(before) = self.pieces.get_mut(&file) else {
            self.pieces.insert(file, text);
            return;
        };
        let more: Vec<&str> = text.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
        for line in more {
            before.push('\n');
            before.push_str(line);
        }
    }

    fn file(&mut self, folder: &str, name: &str, part: Part) {
        let names: Vec<String> = match name.strip_suffix('*') {
            Some(stem) => ENDINGS.iter().map(|ending| format!("{stem}{ending}")).collect(),
            None => vec![name.to_owned()],
        };
        for name in names {
            let path = inside(folder, &name);
            let Some(text) = (self.read)(&path) else { continue };
            let text = match part {
                Part::Whole => text,
                Part::Sections(names) => section::cut(&text, names),
            };
            self.add(path, text);
        }
    }

    /// What these scripts say; the lines come back.
    fn scripts(&mut self, folder: &str, file: &str, key: &str, names: &[&str]) -> Vec<String> {
        let path = inside(folder, file);
        let Some(text) = (self.read)(&path) else { return Vec::new() };
        let (text, lines) = script::cut(&text, key, names);
        self.add(path, text);
        lines
    }

    /// What these targets of the first of the files say.
    fn targets(
        &mut self,
        folder: &str,
        files: &[&str],
        names: &[&str],
        flavour: target::Flavour,
    ) -> Vec<String> {
        let Some((path, text)) = self.first(folder, files) else { return Vec::new() };
        let (text, lines) = target::cut(&text, names, flavour);
        self.add(path, text);
        lines
    }

    /// Where something has the name of a target, that may be all that make looks for.
    fn goals(&mut self, folder: &str, goals: &[&str], text: &str) {
        for goal in goals.iter().filter(|goal| target::looks_for_file(text, goal)) {
            let path = inside(folder, goal);
            if let Some(text) = (self.read)(&path) {
                self.add(path, if text.is_empty() { "empty, or a folder".to_owned() } else { text });
            }
        }
    }

    fn taskfile(&mut self, folder: &str, files: &[&str], names: &[&str]) -> Vec<String> {
        let Some((path, text)) = self.first(folder, files) else { return Vec::new() };
        let (text, lines) = target::cut_yaml(&text, names);
        self.add(path, text);
        lines
    }

    fn first(&self, folder: &str, files: &[&str]) -> Option<(String, String)> {
        files.iter().find_map(|file| {
            let path = inside(folder, file);
            (self.read)(&path).map(|text| (path, text))
        })
    }

    /// The whole text of a script.
    fn script(&mut self, folder: &str, name: &str) -> Vec<String> {
        let Some(path) = below(self.root, &join(&join(self.root, folder), name)) else {
            return Vec::new();
        };
        let Some(text) = (self.read)(&path).filter(|_| !name.contains(' ') && !path.is_empty()) else {
            return Vec::new();
        };
        let lines = text.lines().map(str::to_owned).collect();
        self.add(path, text);
        lines
    }

    /// The checks that a line of a script runs in its turn.
    fn inner(&mut self, line: &str, folder: &str, depth: usize) {
        let cwd = join(self.root, folder);
        let analysis = analyse(line, &surroundings(cwd, None, None, &Dialect::NONE));
        for check in analysis.runs.iter().filter_map(|run| check_of(run, &[])) {
            self.check(&check, depth);
        }
        for file in analysis.runs.iter().flat_map(scripts_of) {
            self.file(folder, &file, Part::Whole);
        }
    }
}

/// The files of the project that a run executes: a program by its path, and what an interpreter is given.
fn scripts_of(run: &Run) -> Vec<String> {
    const INTERPRETERS: &[&str] = &[
        "bash", "sh", "zsh", "dash", "node", "python", "python3", "ruby", "perl", "php", "deno", "tsx",
        "ts-node",
    ];
    let plain = |text: &str| text.trim_start_matches("./").to_owned();
    let own = run.path.literal().filter(|path| path.contains('/') && !path.starts_with('/'));
    let given = run.args.iter().filter_map(Word::literal).find(|arg| !arg.starts_with('-'));
    own.into_iter().chain(given.filter(|_| run.is(INTERPRETERS))).map(plain).collect()
}

/// Parts of a build that a check names: `:app:test` → `app`, `-pl core` → `core`.
fn modules(check: &Check) -> Vec<String> {
    let of_tasks = check.name.split(' ').filter_map(|task| {
        let (module, _) = task.strip_prefix(':')?.rsplit_once(':')?;
        Some(module.replace(':', "/"))
    });
    let of_limits = check.limits.iter().filter_map(|limit| {
        let names = limit.strip_prefix("-pl ").or_else(|| limit.strip_prefix("--projects "))?;
        Some(names.split([',', ' ']).map(str::to_owned).collect::<Vec<_>>())
    });
    of_tasks.chain(of_limits.flatten()).collect()
}

/// A folder from the root; nothing if it is outside.
fn below(root: &str, folder: &str) -> Option<String> {
    let rest = folder.strip_prefix(root.trim_end_matches('/'))?;
    let rest = rest.strip_prefix('/').or(rest.is_empty().then_some(rest))?;
    Some(rest.trim_end_matches('/').to_owned())
}

/// A file of a folder, from the root.
fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder, and with [`Place::Upwards`] those above it.
fn folders(folder: &str, place: Place) -> Vec<String> {
    let mut all = vec![folder.to_owned()];
    let mut rest = folder;
    while place == Place::Upwards && !rest.is_empty() {
        rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
        all.push(rest.to_owned());
    }
    all
}

#[cfg(test)]
mod tests;
