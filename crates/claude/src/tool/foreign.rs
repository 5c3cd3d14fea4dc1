//! What a call does of a tool that the engine does not know, by the names of its fields and the words of its name.
//!
//! `mcp__shell__run {command}` runs a command line, `mcp__files__write_file {path, content}` writes a file, `move {source, destination}`
//! deletes one and writes another. A name of a field is read without its case and its `_` and `-`: `filePath` is `file_path`. Fields of
//! objects, and of objects in lists, count like those beside them, eight levels deep: `files: [{path, content}]`.
//!
//! No field takes away what another tells: servers ignore fields that they do not know, and an agent may add any.

use std::borrow::Cow;

use engine_core::event::{Doings, Edit, JsonText, Unread, Written};
use engine_text::field;
use engine_text::line::{shell_line, shell_word};
use serde_json::value::RawValue;

use patch::Patched;
use path::{looks_like_path, path};

mod code;
mod git;
mod patch;
mod path;

/// So deep, and for so many objects, an input is looked through.
const DEEPEST: usize = 8;
const MOST_OBJECTS: usize = 2000;
/// More command lines than the analysis of one event takes.
const MOST_COMMANDS: usize = 401;
const MOST_FILES: usize = 1000;

/// What a field of an input means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A command line, or a program with its arguments as a list.
    Command,
    /// The same, or a code in a language that the tool's name or another field says.
    Code,
    /// A command line, if the tool's name says that it runs something.
    Run,
    /// A program, if its arguments stand beside it.
    Program,
    /// A program with its arguments, as a list, or what stands behind the command.
    Argv,
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
        "command" | "cmd" | "shellcommand" | "commandline" | "cmdline" | "bash" | "bashcommand"
        | "shellscript" => Role::Command,
        "script" | "code" => Role::Code,
        "run" | "exec" | "execute" | "shell" | "input" => Role::Run,
        "program" | "executable" | "binary" => Role::Program,
        "commands" => Role::Commands,
        "argv" => Role::Argv,
        "args" | "arguments" => Role::Arguments,
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
        "patch" | "diff" | "patchtext" | "inserttext" | "newsource" => Role::Part,
        "action" | "operation" | "op" | "verb" | "kind" => Role::Action,
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
    (
        Verb::Delete,
        &[
            "delete", "remove", "unlink", "rm", "trash", "rmdir", "erase", "destroy", "truncate", "wipe",
            "purge",
        ],
    ),
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
            "chmod",
            "chown",
            "symlink",
            "link",
            "extract",
            "unzip",
            "unpack",
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

/// A tool, by the words of its name.
struct Named {
    /// Without the server's: what that is called says nothing of what one of its tools does to a file.
    name: Vec<String>,
    /// With the server's.
    whole: Vec<String>,
}

impl Named {
    /// `mcp__server__name`.
    fn of(tool: &str) -> Self {
        Self { name: words(tool.rsplit("__").next().unwrap_or(tool)), whole: words(tool) }
    }

    /// Whether it says that it runs something.
    fn runs(&self) -> bool {
        const RUNS: &[&str] = &["run", "exec", "execute", "shell", "bash", "terminal", "command"];
        self.whole.iter().any(|word| RUNS.contains(&word.as_str()))
    }
}

/// What the call of a tool does, by its input, and whether it goes on in the background.
pub(super) fn doings<'a>(tool: &str, input: &'a str) -> (Doings<'a>, bool) {
    let mut does = Doings::default();
    let Some(fields) = field::all(input) else {
        does.unread = no_object(input);
        return (does, false);
    };
    let background = fields.get("run_in_background").is_some_and(|raw| raw.get() == "true");
    let tool = Named::of(tool);
    does.commands.extend(git::line(&tool.whole, &fields).map(Cow::Owned));
    let mut walk = Walk { tool: &tool, does, objects: 0 };
    walk.object(&fields, None, 1);
    (walk.does, background)
}

/// Goes through the objects of an input.
struct Walk<'t, 'a> {
    tool: &'t Named,
    does: Doings<'a>,
    objects: usize,
}

impl<'a> Walk<'_, 'a> {
    fn object(&mut self, fields: &Fields<'a>, outer: Option<&Level<'a>>, depth: usize) {
        let level = Level::read(fields, outer, self.tool);
        level.tell(self.tool, &mut self.does);
        self.objects += 1;
        let Doings { commands, reads, writes, deletes, unread } = &mut self.does;
        if self.objects > MOST_OBJECTS
            || commands.len() > MOST_COMMANDS
            || reads.len().max(writes.len()).max(deletes.len()) > MOST_FILES
        {
            *unread = Some(Unread::TooMany);
            commands.truncate(MOST_COMMANDS);
            reads.truncate(MOST_FILES);
            writes.truncate(MOST_FILES);
            deletes.truncate(MOST_FILES);
            return;
        }
        for raw in fields.values() {
            self.below(raw, &level, depth);
        }
    }

    fn below(&mut self, raw: &'a RawValue, outer: &Level<'a>, depth: usize) {
        if depth > DEEPEST || self.does.unread.is_some() {
            return;
        }
        if raw.get().starts_with('{') {
            if let Some(fields) = field::all(raw.get()) {
                self.object(&fields, Some(outer), depth + 1);
            }
        } else {
            let deeper = list(raw).into_iter().filter(|item| item.get().starts_with(['{', '[']));
            for item in deeper {
                self.below(item, outer, depth + 1);
            }
        }
    }
}

/// Nobody can tell what an input does that is there and is no object.
pub(super) fn no_object(input: &str) -> Option<Unread> {
    (!matches!(input.trim(), "" | "null")).then_some(Unread::NoObject)
}

type Fields<'a> = std::collections::BTreeMap<String, &'a RawValue>;

fn list(raw: &RawValue) -> Vec<&RawValue> {
    if raw.get().starts_with('[') { serde_json::from_str(raw.get()).unwrap_or_default() } else { Vec::new() }
}

/// A text, or the texts of a list.
fn texts(raw: &RawValue) -> Vec<Cow<'_, str>> {
    match field::text(raw) {
        Some(text) => vec![text],
        None => list(raw).into_iter().take(MOST_FILES + 1).filter_map(field::text).collect(),
    }
}

/// The fields of one object, by what they mean.
#[derive(Default)]
struct Level<'a> {
    commands: Vec<Cow<'a, str>>,
    code: Vec<Cow<'a, str>>,
    program: Option<Cow<'a, str>>,
    argv: Option<String>,
    /// Where commands may run, beside where they are told to.
    places: Vec<Cow<'a, str>>,
    /// Files by their names, with what each gets.
    contents: Vec<(String, &'a RawValue)>,
    patches: Vec<Cow<'a, str>>,
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
    fn read(fields: &Fields<'a>, outer: Option<&Self>, tool: &Named) -> Self {
        let mut level = Self::default();
        if let Some(outer) = outer {
            level.folder.clone_from(&outer.folder);
            level.language.clone_from(&outer.language);
            level.actions.clone_from(&outer.actions);
        }
        for (name, raw) in fields {
            let Some((role, is_vague)) = role(name).filter(|_| raw.get() != "null") else { continue };
            let paths = || texts(raw).into_iter().filter_map(|text| path(text, is_vague));
            match role {
                Role::Command => {
                    level.patches.extend(field::text(raw).filter(|text| text.contains("*** Begin Patch")));
                    level.actions.extend(field::text(raw).filter(|text| is_word(text)).map(Cow::into_owned));
                    level.commands.extend(field::text(raw).or_else(|| line(raw).map(Cow::Owned)));
                }
                Role::Code => level.code.extend(field::text(raw).or_else(|| line(raw).map(Cow::Owned))),
                Role::Run => {
                    let text = field::text(raw);
                    level.patches.extend(text.clone().filter(|text| text.contains("*** ")));
                    // `shell: "zsh"` says which.
                    let is_line = |text: &Cow<'_, str>| name != "shell" || text.contains(char::is_whitespace);
                    let text = text.filter(is_line).or_else(|| line(raw).map(Cow::Owned));
                    level.commands.extend(text.filter(|_| tool.runs()));
                }
                Role::Program => level.program = field::text(raw),
                Role::Argv => level.argv = field::text(raw).map(Cow::into_owned).or_else(|| line(raw)),
                Role::Commands => level.commands.extend(texts(raw)),
                Role::Arguments => {
                    level.arguments = field::text(raw).map(Cow::into_owned).or_else(|| line(raw));
                }
                Role::Language => level.language = field::text(raw),
                Role::Folder => level.folder = field::text(raw).filter(|text| !text.is_empty()),
                Role::Path if raw.get().starts_with('{') => level.contents.extend(contents(raw)),
                Role::Path => {
                    level.paths.extend(paths());
                    if PLACES.contains(&name.as_str()) {
                        level.places.extend(field::text(raw).filter(|text| !text.is_empty()));
                    }
                }
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
                Role::Part => {
                    level.patches.extend(field::text(raw));
                    level.part |= raw.get().starts_with(['"', '[', '{']);
                }
                Role::Action => level.actions.extend(field::text(raw).map(Cow::into_owned)),
            }
        }
        level
    }

    /// Adds what it says.
    fn tell(&self, tool: &Named, does: &mut Doings<'a>) {
        let name = tool.name.as_slice();
        does.commands.extend(self.lines(tool));
        self.tell_patches(name, does);
        for (path, text) in &self.contents {
            let path = self.place(Cow::Owned(path.clone()));
            let text = JsonText(Cow::Borrowed(text.get()));
            does.writes.push(Written { path, edit: Edit::Whole { text } });
        }
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

    /// The files that a patch changes. A tool that looks gets one to look at.
    fn tell_patches(&self, name: &[String], does: &mut Doings<'a>) {
        if Verb::of(name) == Verb::Look {
            return;
        }
        for patched in self.patches.iter().flat_map(|text| patch::files(text)) {
            match patched {
                Patched::Written(path) => {
                    let path = self.place(Cow::Owned(path.to_owned()));
                    does.writes.push(Written { path, edit: Edit::Unknown });
                }
                Patched::Deleted(path) => does.deletes.push(self.place(Cow::Owned(path.to_owned()))),
            }
        }
    }

    /// The command lines, as a shell would get them.
    fn lines(&self, tool: &Named) -> Vec<Cow<'a, str>> {
        let arguments = self.arguments.as_ref().or(self.argv.as_ref());
        let mut found = self.commands.clone();
        let language = self.language.as_deref();
        // Whatever it is called, `command` is a command line unless its language is said.
        found = found.iter().flat_map(|command| code::lines(command, language)).collect();
        let of_name = || code::language(&tool.whole);
        found.extend(self.code.iter().flat_map(|code| code::lines(code, language.or_else(of_name))));
        found.retain(|command| !command.trim().is_empty());
        if let Some(arguments) = arguments {
            let programs =
                self.program.iter().map(|program| Cow::Owned(shell_line(&[program.clone().into_owned()])));
            found.extend(programs);
            found = found.into_iter().map(|line| Cow::Owned(format!("{line} {arguments}"))).collect();
        }
        if found.is_empty() {
            found.extend(self.argv.clone().map(Cow::Owned));
        }
        let within = |folder: &str, line: &str| Cow::Owned(format!("cd {}\n{line}", quoted_path(folder)));
        match &self.folder {
            Some(folder) => found.iter().map(|line| within(folder, line)).collect(),
            None => {
                // A server that does not know such a field runs the command where it is.
                let elsewhere = found
                    .iter()
                    .filter(|line| !is_word(line))
                    .flat_map(|line| self.places.iter().map(move |place| within(place, line)));
                let elsewhere: Vec<_> = elsewhere.collect();
                found.into_iter().chain(elsewhere).collect()
            }
        }
    }

    fn place(&self, path: Cow<'a, str>) -> Cow<'a, str> {
        match &self.folder {
            Some(folder) if !path.starts_with(['/', '~']) => Cow::Owned(format!("{folder}/{path}")),
            _ => path,
        }
    }

    fn placed(&self, paths: &[Cow<'a, str>]) -> Vec<Cow<'a, str>> {
        paths.iter().map(|path| self.place(path.clone())).collect()
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
    let level = Level::read(&field::all(raw.get())?, None, &Named::of(""));
    Some(Edit::Replace {
        old: JsonText(Cow::Borrowed(level.old?.get())),
        new: JsonText(Cow::Borrowed(level.new?.get())),
        all: level.all,
    })
}

/// Fields that say where a command runs, if one stands beside them.
const PLACES: &[&str] = &["dir", "directory", "folder", "path"];

/// `{"src/a.rs": "fn main() {}"}`: files by their names.
fn contents(raw: &RawValue) -> Vec<(String, &RawValue)> {
    let fields = field::all(raw.get()).unwrap_or_default();
    let is_file = |(name, raw): &(String, &RawValue)| raw.get().starts_with('"') && looks_like_path(name);
    fields.into_iter().filter(is_file).take(MOST_FILES + 1).collect()
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

#[cfg(test)]
mod tests;
