//! Reading and changing `config.toml`, by layers: built in, the user's file, the project's file, environment.
//!
//! Parsing TOML costs more than everything else a hook does, so the assignments of both files are kept in a
//! small cache that is valid while size and time of the files are what they were. What a knob takes is checked
//! anew each time: the cache knows nothing of knobs and outlives releases.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use engine_core::config::{Assignment, Config, Layer, Problem, Value};
use engine_rules::config;
use fs_err as fs;
use serde::{Deserialize, Serialize};
use toml_edit::{Document, Item, Table, TableLike};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::{read_bytes, read_string};
use crate::reason::reason;
use crate::told::{may_write_own, read_own};
use engine_core::view::Unread;

/// Variables that begin like knobs but are none.
const NOT_KNOBS: &[&str] = &["ENGINE_OFF", "ENGINE_SESSION_ID", "ENGINE_PROJECT", crate::restart_file::RUN];

/// The configuration in force for a project.
pub fn load(project: &Project) -> Config {
    let files = Files { user: crate::places::user_config(), project: project.config_file() };
    let stamps = files.stamps();
    let (mut assignments, problems) = if stamps == Stamps::default() {
        (Vec::new(), Vec::new())
    } else {
        cached(project, &stamps).unwrap_or_else(|| {
            let read = files.read();
            keep(project, &stamps, &read);
            read
        })
    };
    assignments.extend(from_environment());
    config::layered(assignments, problems)
}

/// The same without looking into or writing the cache, for commands.
pub fn load_fresh(project: &Project) -> Config {
    load_with(&project.config_file())
}

/// What would be in force with this file in the place of the project's.
pub fn load_with(project_file: &Path) -> Config {
    let files = Files { user: crate::places::user_config(), project: project_file.to_owned() };
    let (mut assignments, problems) = files.read();
    assignments.extend(from_environment());
    config::layered(assignments, problems)
}

/// What is in force where there is no project.
pub fn load_user() -> Config {
    load_with(Path::new(""))
}

struct Files {
    user: Option<PathBuf>,
    project: PathBuf,
}

type Read = (Vec<Assignment>, Vec<Problem>);

/// Size and time of change of both files, and which project file it is: worktrees share a cache.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stamps {
    path: String,
    user: Option<(u64, u64)>,
    project: Option<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct Cache {
    stamps: Stamps,
    assignments: Vec<Assignment>,
    problems: Vec<Problem>,
}

impl Files {
    fn stamps(&self) -> Stamps {
        let stamp = |path: &Path| {
            let data = path.metadata().ok()?;
            let time = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((data.len(), u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
        };
        let user = self.user.as_deref().and_then(stamp);
        let project = stamp(&self.project);
        if user.is_none() && project.is_none() {
            return Stamps::default();
        }
        Stamps { path: self.project.to_string_lossy().into_owned(), user, project }
    }

    fn read(&self) -> Read {
        let mut read = (Vec::new(), Vec::new());
        let layers = [(self.user.as_deref(), Layer::User), (Some(self.project.as_path()), Layer::Project)];
        for (path, layer) in layers {
            let Some(path) = path else { continue };
            match read_own(path) {
                Ok(text) => parse(&text, layer, &mut read),
                Err(Unread::Missing) => {}
                Err(Unread::Unreadable(text)) => read.1.push(Problem { layer, line: 0, text }),
            }
        }
        read
    }
}

fn cache_path(project: &Project) -> PathBuf {
    project.state_folder().join("config.json")
}

fn cached(project: &Project, stamps: &Stamps) -> Option<Read> {
    let text = read_bytes(&cache_path(project)).ok()?;
    let cache: Cache = serde_json::from_slice(&text).ok()?;
    (cache.stamps == *stamps).then_some((cache.assignments, cache.problems))
}

/// Failing to keep it costs time, nothing else.
fn keep(project: &Project, stamps: &Stamps, read: &Read) {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        stamps: &'a Stamps,
        assignments: &'a [Assignment],
        problems: &'a [Problem],
    }
    let cache = Borrowed { stamps, assignments: &read.0, problems: &read.1 };
    let path = cache_path(project);
    if let Ok(bytes) = serde_json::to_vec(&cache) {
        if !path.parent().is_some_and(Path::is_dir) {
            let _ = Project::make_local(&project.state_folder());
        }
        let _ = atomic::replace(&path, &bytes, Durability::Process);
    }
}

fn parse(text: &str, layer: Layer, read: &mut Read) {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let what = error.message().lines().next().unwrap_or("not valid TOML").to_owned();
            read.1.push(Problem {
                layer,
                line,
                text: format!("not valid TOML: {what}; the whole file is ignored"),
            });
            return;
        }
    };
    collect(text, document.as_table(), "", layer, &mut read.0);
}

fn collect(text: &str, table: &dyn TableLike, prefix: &str, layer: Layer, out: &mut Vec<Assignment>) {
    for (key, item) in table.iter() {
        let name = format!("{prefix}{key}");
        if let Some(below) = item.as_table_like() {
            collect(text, below, &format!("{name}."), layer, out);
            continue;
        }
        let line = item.span().map_or(0, |span| line_of(text, span.start));
        out.push(Assignment { name, value: value_of(item), layer, line });
    }
}

fn value_of(item: &Item) -> Value {
    let other = || Value::Other(item.to_string().trim().to_owned());
    match item.as_value() {
        Some(toml_edit::Value::Boolean(flag)) => Value::Flag(*flag.value()),
        Some(toml_edit::Value::Integer(number)) => Value::Number(*number.value()),
        Some(toml_edit::Value::String(text)) => Value::Text(text.value().clone()),
        Some(toml_edit::Value::Array(items)) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            texts.map_or_else(other, Value::List)
        }
        _ => other(),
    }
}

fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

fn from_environment() -> Vec<Assignment> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for (variable, value) in std::env::vars_os() {
        let Some(variable) = variable.to_str().filter(|name| name.starts_with("ENGINE_")) else { continue };
        if NOT_KNOBS.contains(&variable) {
            continue;
        }
        if names.is_empty() {
            names = config::names();
        }
        let Some(name) = names.iter().find(|name| config::variable_of(name) == variable) else { continue };
        let value = config::parse_word(name, &value.to_string_lossy());
        found.push(Assignment { name: name.clone(), value, layer: Layer::Environment, line: 0 });
    }
    found
}

/// Why a knob was not set.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("{0}")]
    Refused(String),
    #[error("{path}:{line}: not valid TOML: {what}")]
    Toml { path: String, line: u32, what: String },
    #[error("{path}: {}", reason(error))]
    Io { path: String, error: std::io::Error },
}

/// Sets one knob in a file; every other byte stays.
pub fn set(path: &Path, name: &str, word: &str) -> Result<Value, SetError> {
    let value = config::parse_word(name, word);
    config::check(name, &value).map_err(SetError::Refused)?;
    let shown = || path.display().to_string();
    may_write_own(path).map_err(|error| SetError::Io { path: shown(), error })?;
    let text = match read_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(SetError::Io { path: shown(), error }),
    };
    let new = spliced(&text, name, &value).map_err(|error| SetError::Toml {
        path: shown(),
        line: error.span().map_or(1, |span| line_of(&text, span.start)),
        what: error.message().lines().next().unwrap_or_default().to_owned(),
    })?;
    // Layouts that a splice cannot serve (dotted or inline tables) show when the result is read again.
    if value_in(&new, name).as_ref() != Some(&value) {
        let why =
            format!("{name} cannot be set in {} without changing its layout; set it there by hand", shown());
        return Err(SetError::Refused(why));
    }
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        atomic::replace(path, new.as_bytes(), Durability::Disk)
    };
    write().map_err(|error| SetError::Io { path: shown(), error })?;
    Ok(value)
}

/// The text with the value replaced where it stands, else added below its section's heading, else with a section more.
fn spliced(text: &str, name: &str, value: &Value) -> Result<String, toml_edit::TomlError> {
    let document = Document::parse(text)?;
    let (section, key) = name.rsplit_once('.').unwrap_or(("", name));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut parts = section.split('.');
    let first = parts.next().and_then(|part| document.as_table().get(part));
    let table = parts.fold(first, |table, part| table?.as_table_like()?.get(part));
    let old = table.and_then(Item::as_table_like).and_then(|table| table.get(key));
    if let Some(span) = old.and_then(Item::span) {
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    // A table that only its parts imply has no heading of its own.
    let named = table.and_then(Item::as_table).filter(|table| !table.is_implicit());
    if let Some(heading) = named.and_then(Table::span) {
        let line_end = text[heading.start..].find('\n').map(|end| heading.start + end + 1);
        return Ok(match line_end {
            Some(at) => format!("{}{key} = {value}{newline}{}", &text[..at], &text[at..]),
            None => format!("{text}{newline}{key} = {value}{newline}"),
        });
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    Ok(format!("{text}{gap}[{section}]{newline}{key} = {value}{newline}"))
}

fn value_in(text: &str, name: &str) -> Option<Value> {
    let mut read = (Vec::new(), Vec::new());
    parse(text, Layer::Project, &mut read);
    read.0.into_iter().find(|assignment| assignment.name == name).map(|assignment| assignment.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Config {
        let mut read = (Vec::new(), Vec::new());
        parse(text, Layer::Project, &mut read);
        config::layered(read.0, read.1)
    }

    #[test]
    fn problems_name_their_line() {
        let config = parsed(
            "# top\n[inject]\nbudget = 600\nbugdet = 1\nstrict = \"yes\"\n\n[rules]\nprotect = \"of\"\n",
        );
        let problems: Vec<String> =
            config.problems().iter().map(|problem| format!("{}: {}", problem.line, problem.text)).collect();
        assert_eq!(
            problems,
            [
                "4: unknown key inject.bugdet; did you mean inject.budget?",
                "5: inject.strict takes true or false, not \"yes\"",
                "8: rules.protect takes \"on\", \"shadow\" or \"off\", not \"of\"",
            ]
        );
        assert_eq!(config::show(&config, "inject.budget"), Some(("600".into(), Layer::Project, 3)));
    }

    #[test]
    fn broken_toml_is_one_problem() {
        let config = parsed("[inject]\nbudget = = 3\n");
        assert_eq!(config.problems().len(), 1);
        assert_eq!(config.problems()[0].line, 2);
    }

    #[test]
    fn the_template_is_valid_and_sets_nothing() {
        let config = parsed(&config::template());
        assert_eq!(config, Config::default());
    }

    #[test]
    fn set_keeps_every_other_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let check = |before: &str, name: &str, word: &str, after: &str| {
            fs::write(&path, before).unwrap();
            set(&path, name, word).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after, "{before:?}");
        };
        let mine = "# mine\n[inject]\n  budget = 600   # small\n\n[journal]\n# keep\nkeep_days = 3\n";
        check(mine, "inject.budget", "700", &mine.replace("600", "700"));
        check(mine, "inject.strict", "true", &mine.replace("[inject]\n", "[inject]\nstrict = true\n"));
        check(mine, "rules.title", "on", &format!("{mine}\n[rules]\ntitle = \"on\"\n"));
        let crlf = mine.replace('\n', "\r\n");
        check(&crlf, "inject.budget", "700", &crlf.replace("600", "700"));
        check(&crlf, "rules.title", "on", &format!("{crlf}\r\n[rules]\r\ntitle = \"on\"\r\n"));
        check("[inject]\nbudget = 600", "inject.budget", "700", "[inject]\nbudget = 700");
        check("inject.budget = 600 # dotted\n", "inject.budget", "700", "inject.budget = 700 # dotted\n");
        check("", "reminder.text", "say \"hi\"", "[reminder]\ntext = \"say \\\"hi\\\"\"\n");
        check("\u{feff}[inject]\nbudget = 600\n", "inject.budget", "700", "\u{feff}[inject]\nbudget = 700\n");
    }

    #[test]
    fn what_cannot_be_set_is_refused_and_nothing_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for (before, name, word, expected) in [
            ("", "inject.budget", "lots", "inject.budget takes a number from 500 to 9500, not \"lots\""),
            ("inject = { strict = true }\n", "inject.budget", "700", "without changing its layout"),
            ("[inject\n", "inject.budget", "700", ":1: not valid TOML"),
        ] {
            fs::write(&path, before).unwrap();
            let refused = set(&path, name, word).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), before);
        }
    }

    fn files(folder: &Path) -> Files {
        Files { user: Some(folder.join("user.toml")), project: folder.join("project.toml") }
    }

    #[test]
    fn files_are_read_in_the_order_of_their_layers() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        assert_eq!(files.read(), (Vec::new(), Vec::new()));
        fs::write(folder.path().join("project.toml"), "[rules]\nprotect = \"on\"\n").unwrap();
        fs::write(folder.path().join("user.toml"), "[inject]\nbudget = 600\n[rules]\nprotect = \"off\"\n")
            .unwrap();
        let set = |name: &str, value, layer, line| Assignment { name: name.into(), value, layer, line };
        let text = |word: &str| Value::Text(word.into());
        let expected = vec![
            set("inject.budget", Value::Number(600), Layer::User, 2),
            set("rules.protect", text("off"), Layer::User, 4),
            set("rules.protect", text("on"), Layer::Project, 2),
        ];
        assert_eq!(files.read(), (expected.clone(), Vec::new()));
        // A file that cannot be read is told; the other one counts.
        fs::remove_file(folder.path().join("project.toml")).unwrap();
        fs::create_dir(folder.path().join("project.toml")).unwrap();
        let problem = |line, text: &str| Problem { layer: Layer::Project, line, text: text.into() };
        assert_eq!(files.read(), (expected[..2].to_vec(), vec![problem(0, "not a file")]));
        fs::remove_dir(folder.path().join("project.toml")).unwrap();
        fs::write(folder.path().join("project.toml"), "[rules]\nprotect = \n").unwrap();
        let (set, problems) = files.read();
        assert_eq!(set, expected[..2]);
        assert_eq!(
            problems,
            [problem(
                2,
                "not valid TOML: string values must be quoted, expected literal string; the whole file is ignored"
            )]
        );
        fs::write(folder.path().join("project.toml"), b"\xff").unwrap();
        assert_eq!(files.read().1, [problem(0, "stream did not contain valid UTF-8")]);
        let nobody = Files { user: None, project: PathBuf::new() };
        assert_eq!(nobody.read(), (Vec::new(), Vec::new()));
    }

    #[test]
    fn values_are_of_the_kinds_that_knobs_take() {
        let mut read = (Vec::new(), Vec::new());
        let text = "top = 1\n[a]\nflag = true\nnumber = -3\ntext = 'x'\nlist = ['a', \"b\"]\nnone = []\nmixed = ['a', 1]\nfloat = 1.5\n[a.b]\nc.d = 2\ninline = { e = 'f' }\n[[rule]]\nid = 'x'\n";
        parse(text, Layer::User, &mut read);
        let shown: Vec<String> =
            read.0.iter().map(|set| format!("{} {} = {:?}", set.line, set.name, set.value)).collect();
        assert_eq!(
            shown,
            [
                "1 top = Number(1)",
                "3 a.flag = Flag(true)",
                "4 a.number = Number(-3)",
                "5 a.text = Text(\"x\")",
                "6 a.list = List([\"a\", \"b\"])",
                "7 a.none = List([])",
                "8 a.mixed = Other(\"[\\\"a\\\", 1]\")",
                "9 a.float = Other(\"1.5\")",
                "11 a.b.c.d = Number(2)",
                "12 a.b.inline.e = Text(\"f\")",
                "13 rule = Other(\"[{ id = \\\"x\\\" }]\")",
            ]
        );
    }

    #[test]
    fn the_cache_is_valid_while_the_files_are_what_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let files = files(folder.path());
        assert_eq!(files.stamps(), Stamps::default(), "without files there is nothing to keep");
        let path = folder.path().join("project.toml");
        let write = |text: &str, seconds: u64| {
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        };
        write("[inject]\nbudget = 600\n", 10);
        let (stamps, read) = (files.stamps(), files.read());
        assert_eq!((stamps.user, stamps.project), (None, Some((22, 10_000_000_000))));
        assert!(cached(&project, &stamps).is_none());
        keep(&project, &stamps, &read);
        assert_eq!(cached(&project, &stamps), Some(read.clone()));
        assert_eq!(cached(&project, &files.stamps()), Some(read.clone()));
        assert_eq!(fs::read_to_string(project.state_folder().join(".gitignore")).unwrap(), "*\n");
        write("[inject]\nbudget = 700\n", 11);
        assert_eq!(cached(&project, &files.stamps()), None, "another time");
        write("[inject]\nbudget = 7000\n", 10);
        assert_eq!(cached(&project, &files.stamps()), None, "another size");
        write("[inject]\nbudget = 600\n", 10);
        fs::write(folder.path().join("user.toml"), "").unwrap();
        assert_eq!(cached(&project, &files.stamps()), None, "a file of the user's");
        fs::remove_file(folder.path().join("user.toml")).unwrap();
        let elsewhere = Files { project: folder.path().join("other.toml"), ..self::files(folder.path()) };
        fs::copy(&path, folder.path().join("other.toml")).unwrap();
        let file = fs::File::options().write(true).open(folder.path().join("other.toml")).unwrap();
        file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(10)).unwrap();
        assert_eq!(cached(&project, &elsewhere.stamps()), None, "another worktree");
        assert_eq!(cached(&project, &files.stamps()), Some(read));
        fs::write(cache_path(&project), "{").unwrap();
        assert_eq!(cached(&project, &files.stamps()), None, "damaged");
    }

    #[test]
    fn what_a_projects_file_sets_is_in_force() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        fs::create_dir(project.folder()).unwrap();
        // The user's own file, if there is one, cannot win over the project's.
        for budget in ["600", "7000"] {
            fs::write(project.config_file(), format!("[inject]\nbudget = {budget}\n")).unwrap();
            let expected = Some((budget.to_owned(), Layer::Project, 2));
            for _ in 0..2 {
                assert_eq!(config::show(&load(&project), "inject.budget"), expected);
            }
            assert_eq!(config::show(&load_fresh(&project), "inject.budget"), expected);
            assert_eq!(config::show(&load_with(&project.config_file()), "inject.budget"), expected);
        }
        assert_ne!(
            config::show(&load_user(), "inject.budget").map(|(_, layer, _)| layer),
            Some(Layer::Project)
        );
    }

    #[test]
    fn a_cache_that_cannot_be_kept_costs_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".engine"), "a file in the folder's place").unwrap();
        keep(&Project::at(folder.path()), &Stamps::default(), &(Vec::new(), Vec::new()));
        assert_eq!(
            fs::read_to_string(folder.path().join(".engine")).unwrap(),
            "a file in the folder's place"
        );
    }

    #[test]
    fn set_makes_its_file_and_keeps_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/config.toml");
        assert_eq!(set(&path, "inject.budget", "700").unwrap(), Value::Number(700));
        assert_eq!(fs::read_to_string(&path).unwrap(), "[inject]\nbudget = 700\n");
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        for (name, word, value, text) in [
            (
                "inject.files",
                "A.md, B.md",
                Value::List(vec!["A.md".into(), "B.md".into()]),
                "[inject]\nfiles = [\"A.md\", \"B.md\"]\nbudget = 700\n",
            ),
            (
                "inject.strict",
                "on",
                Value::Flag(true),
                "[inject]\nstrict = true\nfiles = [\"A.md\", \"B.md\"]\nbudget = 700\n",
            ),
        ] {
            assert_eq!(set(&path, name, word).unwrap(), value);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        // Sections of sections, with and without a heading of their own.
        fs::write(&path, "[policy.files]\ndevice = \"off\"\n").unwrap();
        set(&path, "policy.git.reset-hard", "ask").unwrap();
        set(&path, "policy.files.device", "ask").unwrap();
        set(&path, "policy.files.protected", "warn").unwrap();
        set(&path, "policy.fail", "closed").unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "[policy.files]\nprotected = \"warn\"\ndevice = \"ask\"\n\n[policy.git]\nreset-hard = \"ask\"\n\n[policy]\nfail = \"closed\"\n"
        );
        // A heading at the very end, and text without an end of its line.
        fs::write(&path, "[inject]").unwrap();
        set(&path, "inject.budget", "700").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[inject]\nbudget = 700\n");
        fs::write(&path, "# mine").unwrap();
        set(&path, "inject.budget", "700").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n\n[inject]\nbudget = 700\n");
    }

    #[test]
    fn a_file_that_cannot_be_read_or_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::create_dir(&path).unwrap();
        let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
        assert_eq!(refused, format!("{}: Is a directory (os error 21)", path.display()));
        fs::write(folder.path().join("file"), "").unwrap();
        let path = folder.path().join("file/config.toml");
        let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
        assert_eq!(refused, format!("{}: Not a directory (os error 20)", path.display()));
        fs::write(folder.path().join("broken.toml"), "a = 1\n\n[b\n").unwrap();
        let path = folder.path().join("broken.toml");
        let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
        assert_eq!(refused, format!("{}:3: not valid TOML: unclosed table, expected `]`", path.display()));
    }
}
