//! From a run to a check: takes off what stands in front of a program, and finds it in the table.

use std::collections::{BTreeMap, BTreeSet};

use engine_shell::{Run, Word};
use engine_text::path::join;

use super::Check;
use super::manner::{self, Item, SCRIPT, Sense};
use super::table::{COMMANDS, CONTAINERS, IDLE, INTERPRETERS, Joins, PACKAGERS, PREFIXES, RUNNERS, Runner};
use super::task::{family, is_task, script};

/// Programs in front of each other that are looked through.
const DEEPEST: usize = 6;

/// Variables that change output and speed at most.
const HARMLESS: &[&str] = &[
    "CARGO_BUILD_JOBS",
    "CARGO_INCREMENTAL",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_VERBOSE",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "LINES",
    "NODE_NO_WARNINGS",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PY_COLORS",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "TERM",
];

/// Whether a path is that of a program in a folder of the system.
pub(in crate::evidence) fn is_system(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| SYSTEM.contains(&folder))
}

/// Whether a variable changes output and speed at most.
pub(in crate::evidence) fn is_harmless(variable: &str) -> bool {
    HARMLESS.contains(&variable)
}

/// Folders of the system in which a program is what its name says.
const SYSTEM: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// Folders of a project that hold programs of others.
const LOCAL: &[&str] = &["node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin", "env/bin"];

/// What frameworks put into a folder `bin` of a project.
const BINSTUBS: &[&str] = &["rails", "rake", "rspec", "rubocop", "bundle"];

/// Programs that lie in the project by themselves.
const OWN: &[&str] = &["gradlew", "mvnw", "manage.py", "setup.py"];

/// A program with its arguments, and what is known so far of where and how it runs.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// By its usual name; a file of the project by its path.
    program: Program,
    args: Vec<Word>,
    folder: Option<String>,
    options: Given,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Program {
    Named(String),
    File(String),
}

/// What was given that changes what is looked at: names with their values.
#[derive(Debug, Clone, Default)]
struct Given {
    narrows: BTreeMap<String, BTreeSet<String>>,
    widens: BTreeMap<String, BTreeSet<String>>,
    only: BTreeSet<String>,
    is_idle: bool,
}

impl Given {
    /// May do anything.
    fn either(&mut self, name: &str, value: Option<&str>) {
        note(&mut self.narrows, name, value);
        note(&mut self.widens, name, value);
    }
}

fn note(map: &mut BTreeMap<String, BTreeSet<String>>, name: &str, value: Option<&str>) {
    map.entry(name.to_owned()).or_default().extend(value.map(str::to_owned));
}

/// Behind a task a packager takes an option for another folder, too: whose scripts run is no longer that of the words before it.
fn is_elsewhere(word: &Word) -> bool {
    let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
    matches!(name, "--prefix" | "--cwd" | "--dir")
}

/// `-p a b`: values of one option are read together, since each of them may add to the others.
fn texts(map: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let text = |(name, values): (String, BTreeSet<String>)| {
        std::iter::once(name).chain(values).collect::<Vec<_>>().join(" ")
    };
    map.into_iter().map(text).collect()
}

impl Call {
    pub(super) fn of(run: &Run) -> Option<Self> {
        run.program.as_ref()?;
        let mut options = Given::default();
        for (name, value) in run.env.iter().filter(|(name, _)| !HARMLESS.contains(&name.as_str())) {
            match value {
                Some(value) => options.either(&format!("{name}={}", value.text), None),
                None => options.either(&format!("env -u {name}"), None),
            }
        }
        let program = Program::at(run.path.literal()?, run.cwd.as_deref());
        Some(Self { program, args: run.args.clone(), folder: run.cwd.clone(), options })
    }

    pub(super) fn check(self) -> Option<Check> {
        self.within(DEEPEST)
    }

    fn within(self, depth: usize) -> Option<Check> {
        let name = match &self.program {
            Program::File(path) => {
                let name = script(path)?;
                return self.finish(name, SCRIPT, 0);
            }
            Program::Named(name) => name.clone(),
        };
        let depth = depth.checked_sub(1).filter(|_| is_known(&name))?;
        self.command(&name)
            .or_else(|| self.package_script(&name, depth))
            .or_else(|| self.container(&name)?.within(depth))
            .or_else(|| self.interpreted(&name)?.within(depth))
            .or_else(|| self.behind_prefix(&name, depth))
            .or_else(|| RUNNERS.iter().find_map(|runner| self.task(&name, runner)))
    }

    /// A line of the table.
    fn command(&self, program: &str) -> Option<Check> {
        let items = manner::read(program, &self.args, false);
        let is_idle = IDLE.iter().any(|line| matched(line, program, &items).is_some());
        let (name, rest) = COMMANDS.iter().find_map(|line| matched(line, program, &items))?;
        if is_idle { None } else { self.clone().with(rest).named(name) }
    }

    /// `npm run test`, `yarn workspace web test`; or a program of a package: `pnpm vitest`.
    fn package_script(&self, program: &str, depth: usize) -> Option<Check> {
        if !PACKAGERS.contains(&program) {
            return None;
        }
        let items = manner::read(program, &self.args, false);
        let operands: Vec<(&Word, usize)> = items.iter().filter_map(operand).collect();
        let mut call = self.clone();
        let mut words = operands.as_slice();
        match words {
            [(first, _), (workspace, _), ..] if first.text == "workspace" => {
                note(&mut call.options.narrows, "workspace", Some(&workspace.text));
                words = &words[2..];
            }
            [(first, _), (how, _), ..] if first.text == "workspaces" => {
                call.options.either("workspaces", None);
                words = &words[if how.text == "foreach" { 2 } else { 1 }..];
            }
            [(first, _), ..] if matches!(first.text.as_str(), "recursive" | "multi") => {
                call.options.either("recursive", None);
                words = &words[1..];
            }
            _ => {}
        }
        let (first, at) = *words.first()?;
        let is_run = matches!(first.text.as_str(), "run" | "run-script" | "rum" | "urn");
        let (task, at) = if is_run { *words.get(1)? } else { (first, at) };
        let is_short = !is_run && matches!(task.text.as_str(), "t" | "tst") && program != "yarn";
        let task_name = if is_short { "test" } else { task.literal()? };
        // What the packager itself does by this name.
        let is_builtin = !is_run
            && match program {
                "npm" => task_name != "test",
                "pnpm" => task_name == "ci",
                "bun" => matches!(task_name, "test" | "build"),
                _ => false,
            };
        if is_task(task_name, Joins::Usual) && !is_builtin {
            if self.args[at + 1..].iter().take_while(|word| word.text != "--").any(is_elsewhere) {
                return None;
            }
            let before: Vec<Item> = manner::read(program, &self.args[..at], false);
            let options = before.into_iter().filter(|item| operand(item).is_none()).collect();
            return call.with(options).finish(format!("{program} run {task_name}"), SCRIPT, at + 1);
        }
        let is_program =
            program != "npm" && COMMANDS.iter().any(|line| line.split(' ').next() == Some(task_name));
        if !is_program || is_builtin {
            return None;
        }
        let before: Vec<Item> = manner::read(program, &self.args[..at], false);
        let options = before.into_iter().filter(|item| operand(item).is_none()).collect();
        let inner = Self { program: Program::Named(task_name.to_owned()), ..call.with(options) };
        Self { args: self.args[at + 1..].to_vec(), ..inner }.within(depth)
    }

    /// `docker compose run SERVICE PROGRAM`. The folder is that of the compose file.
    fn container(&self, program: &str) -> Option<Self> {
        if !CONTAINERS.contains(&program) {
            return None;
        }
        let is_compose = program.ends_with("-compose");
        let compose = if is_compose { self.clone() } else { self.after(program, Some("compose"))? };
        let run = compose.after(program, Some("run")).or_else(|| compose.after(program, Some("exec")))?;
        let mut inner = run.after(program, None)?;
        let service = inner.args.first()?.literal()?.to_owned();
        note(&mut inner.options.narrows, "container", Some(&service));
        inner.args.remove(0);
        inner.first_word()
    }

    /// `bash scripts/test.sh`, `node_modules/.bin/jest` run by node.
    fn interpreted(&self, program: &str) -> Option<Self> {
        if !INTERPRETERS.contains(&program) {
            return None;
        }
        self.after(program, None).filter(|call| !call.runs_code())?.first_file()
    }

    /// What stands behind a program that runs others.
    fn behind_prefix(&self, program: &str, depth: usize) -> Option<Check> {
        let rows = PREFIXES.iter().filter(|(prefix, _)| *prefix == program);
        rows.filter_map(|(_, verb)| {
            let call = self.after(program, Some(*verb).filter(|verb| !verb.is_empty()))?;
            let call = if verb.is_empty() { call } else { call.after(program, None)? };
            if call.runs_code() {
                return None;
            }
            let is_module = matches!(program, "python" | "coverage")
                && self.args[..self.args.len() - call.args.len()].iter().any(|word| word.text == "-m");
            let is_file = matches!(program, "python" | "coverage" | "php") && !is_module;
            if is_file { call.first_file() } else { call.first_word() }
        })
        .find_map(|call| call.within(depth))
    }

    /// Code in an option: the analysis of the line sees what that runs.
    fn runs_code(&self) -> bool {
        ["-c", "--call"].iter().any(|name| self.options.narrows.contains_key(*name))
    }

    /// The call without the options before its first operand, and without that if it is to be `verb`.
    fn after(&self, program: &str, verb: Option<&str>) -> Option<Self> {
        let mut items = manner::read(program, &self.args, true);
        let Some(Item::Operand { word, at }) = items.pop() else { return None };
        let begin = match verb {
            Some(verb) if word.literal() != Some(verb) => return None,
            Some(_) => at + 1,
            None => at,
        };
        let mut call = self.clone().with(items);
        call.args = self.args[begin..].to_vec();
        Some(call).filter(|call| !call.options.is_idle)
    }

    /// The first argument is the program.
    fn first_word(mut self) -> Option<Self> {
        while let Some((name, value)) = self.args.first().and_then(|word| assignment(&word.text)) {
            if !HARMLESS.contains(&name) {
                self.options.either(&format!("{name}={value}"), None);
            }
            self.args.remove(0);
        }
        let path = self.args.first()?.literal()?.to_owned();
        self.args.remove(0);
        // A package may be named with its scope and version.
        let name = match path.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/')?.1,
            None => &path,
        };
        let name = name.split_once('@').map_or(name, |(name, _)| name);
        let program = Program::at(name, self.folder.as_deref());
        Some(Self { program, ..self })
    }

    /// The first argument is a file that the program runs.
    fn first_file(mut self) -> Option<Self> {
        let path = self.args.first()?.literal()?.to_owned();
        self.args.remove(0);
        let program = match path.trim_start_matches("./") {
            name @ ("manage.py" | "setup.py" | "artisan") => Program::Named(name.to_owned()),
            name => match Program::at(name, self.folder.as_deref()) {
                Program::Named(_) if !name.contains('/') => Program::File(name.to_owned()),
                program => program,
            },
        };
        Some(Self { program, ..self })
    }

    /// Tasks at any place of a runner's words.
    fn task(&self, program: &str, runner: &Runner) -> Option<Check> {
        if !runner.programs.contains(&program) {
            return None;
        }
        let mut call = self.clone();
        let mut name = program.to_owned();
        for word in runner.behind {
            call = call.after(program, Some(word))?;
            name = format!("{name} {word}");
        }
        if runner.hands_on {
            let mut call = call.after(program, None)?;
            while let Some((variable, value)) = call.args.first().and_then(|word| assignment(&word.text)) {
                call.options.either(&format!("{variable}={value}"), None);
                call.args.remove(0);
            }
            let task = call.args.first()?.literal().filter(|task| is_task(task, runner.joins))?;
            let manner = if program == "rails" { program } else { SCRIPT };
            return call.clone().finish(format!("{name} {task}"), manner, 1);
        }
        let takes_projects = matches!(program, "nx" | "turbo" | "moon");
        let is_check = |text: &str| runner.phases.contains(&text) || is_task(text, runner.joins);
        let mut tasks: Vec<String> = Vec::new();
        let mut rest: Vec<Item> = Vec::new();
        for item in manner::read(program, &call.args, false) {
            match &item {
                Item::Operand { word, .. } if word.unknown => call.options.either(&word.text, None),
                Item::Operand { word, .. } if assignment(&word.text).is_some() => {
                    call.options.either(&word.text, None);
                }
                Item::Operand { word, .. } if is_check(&word.text) => tasks.push(word.text.clone()),
                Item::Operand { .. } if takes_projects => rest.push(item),
                Item::Operand { .. } => {}
                Item::Option { value: Some(value), sense: Some(Sense::Tasks), .. } => {
                    tasks.extend(value.text.split(',').map(str::to_owned));
                }
                Item::Option { .. } => rest.push(item),
            }
        }
        if !tasks.iter().any(|task| is_check(task)) {
            return None;
        }
        call.with(rest).named(format!("{name} {}", tasks.join(" ")))
    }

    /// With what these words say.
    fn with(mut self, items: Vec<Item>) -> Self {
        let mut items = items.into_iter().peekable();
        while let Some(item) = items.next() {
            match item {
                Item::Operand { word, .. } if word.unknown => self.options.either(&word.text, None),
                Item::Operand { word, .. } => {
                    let path = word.text.trim_start_matches("./").trim_end_matches('/');
                    if !matches!(path, "" | ".") {
                        self.options.only.insert(path.to_owned());
                    }
                }
                Item::Option { name, value, sense: None } => {
                    // It may take the next word.
                    let next = items.next_if(|item| value.is_none() && operand(item).is_some());
                    let next = next.as_ref().and_then(operand).map(|(word, _)| word.text.clone());
                    let value = value.map(|word| word.text).or(next);
                    self.options.either(&name, value.as_deref());
                }
                Item::Option { name, value, sense: Some(sense) } => self.option(&name, value.as_ref(), sense),
            }
        }
        self
    }

    fn option(&mut self, name: &str, value: Option<&Word>, sense: Sense) {
        let text = value.map(|word| word.text.as_str());
        // What only the running shell knows may be anything.
        let sense = match sense {
            Sense::Narrows | Sense::Widens if value.is_some_and(|word| word.unknown) => Sense::Either,
            sense => sense,
        };
        match sense {
            Sense::Plain | Sense::Tasks => {}
            Sense::Narrows => note(&mut self.options.narrows, name, text),
            // cargo has two names for it.
            Sense::Widens if name == "--all" => note(&mut self.options.widens, "--workspace", text),
            Sense::Widens => note(&mut self.options.widens, name, text),
            Sense::Part => {
                let part = text.map_or(name.to_owned(), |text| format!("{name} {text}"));
                note(&mut self.options.narrows, "only", Some(&part));
            }
            Sense::Either => self.options.either(name, text),
            // `--watch=false` watches nothing.
            Sense::Idle => self.options.is_idle |= text != Some("false"),
            Sense::Folder => self.folder = self.below(value),
            Sense::File => {
                let is_file = text.and_then(|path| path.rsplit('/').next()).is_some_and(|name| {
                    name.contains('.') || matches!(name, "justfile" | "Justfile" | "Taskfile")
                });
                let file = self.below(value);
                self.folder = if is_file { file.as_deref().map(|file| join(file, "..")) } else { file };
            }
        }
    }

    fn below(&self, value: Option<&Word>) -> Option<String> {
        Some(join(self.folder.as_deref()?, value?.literal()?))
    }

    /// With the rest of the arguments, which a program reads by its own manner.
    fn finish(self, name: String, manner: &str, from: usize) -> Option<Check> {
        let items = manner::read(manner, &self.args[from..], false);
        self.with(items).named(name)
    }

    fn named(self, name: String) -> Option<Check> {
        if self.options.is_idle { None } else { Some(self.named_anyway(name)) }
    }

    fn named_anyway(self, name: String) -> Check {
        let Given { narrows, widens, only, .. } = self.options;
        let left_out = |option: &String| {
            option.starts_with("-DskipTests") || option.starts_with("-Dmaven.test.skip") || option == "-x"
        };
        let family = family(&name, narrows.keys().any(left_out));
        let mut limits = texts(narrows);
        if !only.is_empty() {
            limits.insert(only.iter().map(String::as_str).collect::<Vec<_>>().join(" "));
        }
        Check { name, family, limits, widens: texts(widens), folder: self.folder, only }
    }

    /// A check that the project names; what stands behind its words limits it.
    pub(super) fn configured(mut self, words: &str, rest: Vec<Word>) -> Check {
        self.args = rest;
        let items = manner::read(SCRIPT, &self.args, false);
        let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
        self.with(items).named_anyway(name)
    }
}

impl Program {
    /// What a path names: a program of the system or a package, or a file of the project. A program in any other folder may be anything.
    fn at(path: &str, cwd: Option<&str>) -> Self {
        let below = cwd.and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix('/')).unwrap_or(path);
        let Some((folder, name)) = below.rsplit_once('/') else {
            return Self::Named(usual_name(below));
        };
        let is_local = !folder.starts_with('/')
            && LOCAL.iter().any(|local| folder == *local || folder.ends_with(&format!("/{local}")));
        let name_of = usual_name(name);
        if below.split('/').any(|part| part == "..") {
            return Self::File(below.to_owned());
        }
        let is_local = is_local || (folder == "bin" && BINSTUBS.contains(&name));
        if SYSTEM.contains(&folder)
            || (OWN.contains(&name) && !folder.starts_with('/'))
            || (is_local && is_known(&name_of))
        {
            return Self::Named(name_of);
        }
        Self::File(below.to_owned())
    }
}

fn is_known(program: &str) -> bool {
    COMMANDS.iter().any(|line| line.split(' ').next() == Some(program))
        || RUNNERS.iter().any(|runner| runner.programs.contains(&program))
        || PREFIXES.iter().any(|(prefix, _)| *prefix == program)
        || [PACKAGERS, INTERPRETERS, CONTAINERS].iter().any(|names| names.contains(&program))
}

/// One name for all spellings of a program.
fn usual_name(name: &str) -> String {
    let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
    let usual = match name {
        "py.test" => "pytest",
        "gradlew" => "gradle",
        "mvnw" | "mvnd" => "mvn",
        "gmake" => "make",
        "bazelisk" => "bazel",
        "inv" => "invoke",
        "nodejs" => "node",
        "pnpx" | "bunx" => "npx",
        "markdownlint-cli" => "markdownlint",
        _ if name.strip_prefix("python").is_some_and(is_version) => "python",
        _ => name,
    };
    usual.to_owned()
}

fn operand(item: &Item) -> Option<(&Word, usize)> {
    match item {
        Item::Operand { word, at } => Some((word, *at)),
        Item::Option { .. } => None,
    }
}

/// The name and the other words of a call that begins with this line of the table.
fn matched(line: &str, program: &str, items: &[Item]) -> Option<(String, Vec<Item>)> {
    let mut words = line.split(' ');
    if words.next() != Some(program) {
        return None;
    }
    let mut name = program.to_owned();
    let mut rest = items.to_vec();
    for word in words {
        let is_word = |text: &str| word.split('|').any(|spelling| spelling == text);
        let is_wanted = |item: &Item| match item {
            Item::Operand { word, .. } => word.literal().is_some_and(is_word),
            Item::Option { name, .. } => is_word(name),
        };
        let is_option = word.starts_with('-');
        let stands = |item: &Item| match item {
            Item::Operand { .. } => !is_option,
            Item::Option { name, sense, .. } => sense.is_some() && name.starts_with('-') == is_option,
        };
        let at = if is_option {
            rest.iter().position(is_wanted)?
        } else {
            rest.iter().position(stands).filter(|at| is_wanted(&rest[*at]))?
        };
        // The value of an option that must be given says what is looked at.
        if let Item::Option { value: Some(value), .. } = rest.remove(at) {
            rest.push(Item::Operand { word: value, at: 0 });
        }
        name = format!("{name} {}", word.split('|').next().unwrap_or(word));
    }
    Some((name, rest))
}

/// `NAME=value`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}
