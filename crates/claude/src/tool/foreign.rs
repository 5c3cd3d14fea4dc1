//! What a call does of a tool that the engine does not know, by the names of its fields and the words of its name.
//!
//! `mcp__shell__run {command}` runs a command line, `mcp__files__write_file {path, content}` writes a file, `move {source, destination}`
//! deletes one and writes another. A name of a field is read without its case and its `_` and `-`: `filePath` is `file_path`. Fields of
//! objects, and of objects in lists, count like those beside them, one level deep: `files: [{path, content}]`.
//!
//! No field takes away what another tells: servers ignore fields that they do not know, and an agent may add any.

use std::borrow::Cow;

use engine_core::event::{Doings, Edit, JsonText, Written};
use engine_text::field;
use engine_text::line::{shell_line, shell_word};
use serde_json::value::RawValue;

/// What a field of an input means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A command line, or a program with its arguments as a list.
    Command,
    /// Command lines, as a list.
    Commands,
    /// What stands behind the command.
    Arguments,
    /// In what the command is written, if that is no shell.
    Language,
    /// Where commands run and paths begin.
    Folder,
    /// The file that the call is about.
    Path,
    /// What is moved, copied or converted.
    Source,
    /// What comes of that.
    Target,
    /// What a file is to hold.
    Content,
    /// The same, or a text for somebody: a message, a comment.
    Text,
    Old,
    New,
    /// Whether every occurrence is replaced.
    All,
    /// Replacements, as a list.
    Edits,
    /// How a file is changed, in a form that is not read.
    Part,
    /// What to do, beside what the tool is called.
    Action,
}

/// The meaning of a field. `true`: the name is used for other things too, so only a value that looks like a path counts.
fn role(name: &str) -> Option<(Role, bool)> {
    let name: String = name.chars().filter(|c| !matches!(c, '_' | '-')).collect::<String>().to_lowercase();
    let role = match name.as_str() {
        "command" | "cmd" | "script" | "code" | "shellcommand" | "commandline" | "cmdline" | "bash" => {
            Role::Command
        }
        "commands" => Role::Commands,
        "args" | "arguments" | "argv" => Role::Arguments,
        "language" | "lang" => Role::Language,
        "cwd" | "workdir" | "workingdir" | "workingdirectory" => Role::Folder,
        "path" | "filepath" | "file" | "filename" | "notebookpath" | "targetfile" | "uri" | "paths"
        | "files" | "filepaths" => Role::Path,
        "dir" | "directory" | "folder" => return Some((Role::Path, true)),
        "oldpath" | "sourcepath" => Role::Source,
        "source" | "src" | "from" => return Some((Role::Source, true)),
        "destination" | "dest" | "destinationpath" | "output" | "outputpath" | "outputfile" | "newpath"
        | "targetpath" => Role::Target,
        "target" | "to" => return Some((Role::Target, true)),
        "content" | "contents" | "filetext" => Role::Content,
        "text" | "data" | "body" => Role::Text,
        "oldstring" | "oldstr" | "oldtext" => Role::Old,
        "newstring" | "newstr" | "newtext" => Role::New,
        "replaceall" => Role::All,
        "edits" => Role::Edits,
        "patch" | "diff" | "inserttext" | "newsource" => Role::Part,
        "action" | "operation" => Role::Action,
        // `relative_path`, `pathInProject`, `input_file`.
        name if name.starts_with("path") || name.ends_with("path") || name.ends_with("file") => {
            return Some((Role::Path, true));
        }
        _ => return None,
    };
    Some((role, false))
}

/// What a name says that a tool does; of several words the first of this order counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verb {
    Delete,
    Move,
    Copy,
    Write,
    /// It looks, or speaks about a file.
    Look,
    Unknown,
}

const VERBS: &[(Verb, &[&str])] = &[
    (Verb::Delete, &["delete", "remove", "unlink", "rm", "trash", "rmdir", "erase"]),
    (Verb::Move, &["move", "rename", "mv"]),
    (Verb::Copy, &["copy", "cp", "duplicate", "clone", "convert"]),
    (
        Verb::Write,
        &[
            "write",
            "create",
            "edit",
            "append",
            "save",
            "put",
            "insert",
            "replace",
            "mkdir",
            "touch",
            "update",
            "patch",
            "modify",
            "overwrite",
            "download",
            "screenshot",
            "export",
        ],
    ),
    (
        Verb::Look,
        &[
            "read", "get", "list", "search", "find", "view", "show", "diff", "compare", "stat", "query",
            "comment", "review", "reply",
        ],
    ),
];

impl Verb {
    fn of(words: &[String]) -> Self {
        let is_said = |(_, known): &&(Self, &[&str])| words.iter().any(|word| known.contains(&word.as_str()));
        VERBS.iter().find(is_said).map_or(Self::Unknown, |(verb, _)| *verb)
    }
}

/// The words of a name in lower case: `writeFile`, `write_file` and `write-file` are two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What the call of a tool does, by its input, and whether it goes on in the background.
pub(super) fn doings<'a>(tool: &str, input: &'a str) -> (Doings<'a>, bool) {
    let mut does = Doings::default();
    let Some(fields) = field::all(input) else { return (does, false) };
    let background = fields.get("run_in_background").is_some_and(|raw| raw.get() == "true");
    // `mcp__server__name`: what the server is called says nothing.
    let name = words(tool.rsplit("__").next().unwrap_or(tool));
    let outer = Level::read(&fields, None);
    outer.tell(&name, &mut does);
    for raw in fields.values() {
        for inner in objects(raw) {
            Level::read(&inner, Some(&outer)).tell(&name, &mut does);
        }
    }
    (does, background)
}

type Fields<'a> = std::collections::BTreeMap<String, &'a RawValue>;

/// An object, or the objects of a list.
fn objects(raw: &RawValue) -> Vec<Fields<'_>> {
    if raw.get().starts_with('[') {
        list(raw).into_iter().filter_map(|item| field::all(item.get())).collect()
    } else if raw.get().starts_with('{') {
        field::all(raw.get()).into_iter().collect()
    } else {
        Vec::new()
    }
}

fn list(raw: &RawValue) -> Vec<&RawValue> {
    if raw.get().starts_with('[') { serde_json::from_str(raw.get()).unwrap_or_default() } else { Vec::new() }
}

/// A text, or the texts of a list.
fn texts(raw: &RawValue) -> Vec<Cow<'_, str>> {
    match field::text(raw) {
        Some(text) => vec![text],
        None => list(raw).into_iter().filter_map(field::text).collect(),
    }
}

/// The fields of one object, by what they mean.
#[derive(Default)]
struct Level<'a> {
    commands: Vec<Cow<'a, str>>,
    arguments: Option<String>,
    language: Option<Cow<'a, str>>,
    folder: Option<Cow<'a, str>>,
    paths: Vec<Cow<'a, str>>,
    sources: Vec<Cow<'a, str>>,
    targets: Vec<Cow<'a, str>>,
    /// Targets whose name says nothing by itself.
    vague: Vec<Cow<'a, str>>,
    content: Option<&'a RawValue>,
    text: Option<&'a RawValue>,
    old: Option<&'a RawValue>,
    new: Option<&'a RawValue>,
    all: bool,
    part: bool,
    edits: Option<&'a RawValue>,
    actions: Vec<String>,
}

impl<'a> Level<'a> {
    fn read(fields: &Fields<'a>, outer: Option<&Self>) -> Self {
        let mut level = Self::default();
        if let Some(outer) = outer {
            level.folder.clone_from(&outer.folder);
            level.actions.clone_from(&outer.actions);
        }
        for (name, raw) in fields {
            let Some((role, is_vague)) = role(name).filter(|_| raw.get() != "null") else { continue };
            let paths = || texts(raw).into_iter().filter_map(|text| path(text, is_vague));
            match role {
                Role::Command => {
                    level.actions.extend(field::text(raw).filter(|text| is_word(text)).map(Cow::into_owned));
                    level.commands.extend(field::text(raw).or_else(|| line(raw).map(Cow::Owned)));
                }
                Role::Commands => level.commands.extend(texts(raw)),
                Role::Arguments => {
                    level.arguments = field::text(raw).map(Cow::into_owned).or_else(|| line(raw));
                }
                Role::Language => level.language = field::text(raw),
                Role::Folder => level.folder = field::text(raw).filter(|text| !text.is_empty()),
                Role::Path => level.paths.extend(paths()),
                Role::Source => level.sources.extend(paths()),
                Role::Target if is_vague => level.vague.extend(paths()),
                Role::Target => level.targets.extend(paths()),
                Role::Content => level.content = Some(raw),
                Role::Text => level.text = Some(raw),
                Role::Old => level.old = Some(raw),
                Role::New => level.new = Some(raw),
                Role::All => level.all = raw.get() == "true",
                Role::Edits => {
                    level.part |= raw.get().starts_with(['"', '[', '{']);
                    level.edits = Some(raw);
                }
                // `diff: true` changes nothing.
                Role::Part => level.part |= raw.get().starts_with(['"', '[', '{']),
                Role::Action => level.actions.extend(field::text(raw).map(Cow::into_owned)),
            }
        }
        level
    }

    /// Adds what it says.
    fn tell(&self, name: &[String], does: &mut Doings<'a>) {
        does.commands.extend(self.lines());
        let said: Vec<String> = self.actions.iter().flat_map(|action| words(action)).collect();
        // `edit_tool {command: "view"}`: the tool can write, and this call looks.
        let also_looks = Verb::of(&said) == Verb::Look;
        let verb = Verb::of(&[name, &said].concat());
        let holds = self.content.is_some() || self.old.is_some() || self.new.is_some() || self.part;
        let writes = holds || (self.text.is_some() && verb != Verb::Look);
        let (mut about, mut sources, mut targets) =
            (self.placed(&self.paths), self.placed(&self.sources), self.placed(&self.targets));
        let vague = self.placed(&self.vague);
        if sources.is_empty() && matches!(verb, Verb::Move | Verb::Copy) && !writes {
            sources = std::mem::take(&mut about);
        }
        if sources.is_empty() {
            about.extend(vague);
        } else {
            targets.extend(vague);
        }
        if targets.is_empty() || verb == Verb::Look || verb == Verb::Delete {
            about.append(&mut sources);
            // A comparison has a target, too.
            about.append(&mut targets);
        }
        let is_made = !targets.is_empty();
        does.writes.extend(targets.into_iter().map(|path| Written { path, edit: Edit::Unknown }));
        if verb == Verb::Copy { &mut does.reads } else { &mut does.deletes }.extend(sources);
        if also_looks && !writes {
            does.reads.extend(about.iter().cloned());
        }
        if writes || (verb == Verb::Write && !is_made) {
            let edit = if about.len() == 1 { self.edit(name) } else { Edit::Unknown };
            does.writes.extend(about.into_iter().map(|path| Written { path, edit: edit.clone() }));
        } else if matches!(verb, Verb::Delete | Verb::Move) {
            does.deletes.extend(about);
        } else if !also_looks {
            does.reads.extend(about);
        }
    }

    /// The command lines, as a shell would get them.
    fn lines(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.commands.iter().filter(|command| !command.trim().is_empty()).map(|command| {
            let interpreter = self.language.as_deref().and_then(interpreter);
            let mut line = match interpreter {
                Some(interpreter) => Cow::Owned(format!("{interpreter} {}", shell_word(command))),
                None => command.clone(),
            };
            if let Some(arguments) = &self.arguments {
                line = Cow::Owned(format!("{line} {arguments}"));
            }
            match &self.folder {
                Some(folder) => Cow::Owned(format!("cd {}\n{line}", quoted_path(folder))),
                None => line,
            }
        })
    }

    fn placed(&self, paths: &[Cow<'a, str>]) -> Vec<Cow<'a, str>> {
        let place = |path: &Cow<'a, str>| match &self.folder {
            Some(folder) if !path.starts_with(['/', '~']) => Cow::Owned(format!("{folder}/{path}")),
            _ => path.clone(),
        };
        paths.iter().map(place).collect()
    }

    /// What the one file would get.
    fn edit(&self, name: &[String]) -> Edit<'a> {
        let json = |raw: &'a RawValue| JsonText(Cow::Borrowed(raw.get()));
        let is_whole = !name.iter().any(|word| matches!(word.as_str(), "append" | "insert" | "edit"));
        match (self.content.or(self.text), self.old, self.new) {
            (_, Some(old), Some(new)) => Edit::Replace { old: json(old), new: json(new), all: self.all },
            (None, None, None) if self.edits.is_some() => self.edits.map_or(Edit::Unknown, several),
            (Some(content), None, None) if is_whole && !self.part && content.get().starts_with('"') => {
                Edit::Whole { text: json(content) }
            }
            _ => Edit::Unknown,
        }
    }
}

/// The replacements of a list, one after the other; unknown as soon as one of them cannot be read.
pub(super) fn several(raw: &RawValue) -> Edit<'_> {
    let edits: Option<Vec<_>> = list(raw).into_iter().map(one).collect();
    edits.filter(|edits| !edits.is_empty()).map_or(Edit::Unknown, Edit::Several)
}

fn one(raw: &RawValue) -> Option<Edit<'_>> {
    let level = Level::read(&field::all(raw.get())?, None);
    Some(Edit::Replace {
        old: JsonText(Cow::Borrowed(level.old?.get())),
        new: JsonText(Cow::Borrowed(level.new?.get())),
        all: level.all,
    })
}

/// How code in another language is run.
fn interpreter(language: &str) -> Option<&'static str> {
    Some(match language.to_lowercase().as_str() {
        "python" | "python3" | "py" | "ipython" => "python3 -c",
        "javascript" | "js" | "node" | "nodejs" => "node -e",
        "ruby" => "ruby -e",
        "perl" => "perl -e",
        _ => return None,
    })
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// A program and its arguments as one line.
fn line(raw: &RawValue) -> Option<String> {
    let words = list(raw).into_iter().map(field::text).collect::<Option<Vec<_>>>()?;
    let words: Vec<String> = words.into_iter().map(Cow::into_owned).collect();
    (!words.is_empty()).then(|| shell_line(&words))
}

/// One word of a line; the home folder stays one.
fn quoted_path(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(below) => format!("~/{}", shell_word(below)),
        None if path == "~" => "~".to_owned(),
        None => shell_word(path),
    }
}

/// Longer texts are no paths.
const LONGEST: usize = 4096;

/// A value that is a path: without the scheme of a `file:` address; nothing for other addresses.
fn path(text: Cow<'_, str>, is_vague: bool) -> Option<Cow<'_, str>> {
    let text = match text.strip_prefix("file://") {
        Some(rest) => Cow::Owned(decoded(&rest[rest.find('/')?..])),
        None => text,
    };
    let fits = !text.is_empty()
        && text.len() < LONGEST
        && !text.contains(['\n', '\r', '\0'])
        && !text.contains("://");
    (fits && (!is_vague || looks_like_path(&text))).then_some(text)
}

/// `src/a`, `./a`, `~/a`, `.env`, `a.md`, and no address, selector or expression.
fn looks_like_path(text: &str) -> bool {
    let has_end = |name: &str| {
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && (1..=8).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
        })
    };
    let is_other = text.contains(['@', '#', '[', ']', '(', ')', '=', '<', '>', '|', ';', '"', '\'', ',']);
    !is_other
        && (text.contains('/') || text.starts_with(['.', '~']) || (!text.contains(' ') && has_end(text)))
}

/// `%20` is a blank.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = (*first == b'%').then(|| behind.get(..2)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
