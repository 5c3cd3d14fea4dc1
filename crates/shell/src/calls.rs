//! What the literal code of another language does, as the words of its calls tell: the commands that it runs, the files that it
//! reads, writes and deletes.

use std::rc::Rc;

use crate::word::Word;

/// The calls of one piece of code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    /// Names of modules and functions that occur in it, under their full names: `os.fork`, `socket.socket`, `while`. Each once, the
    /// first ones only.
    pub names: Vec<String>,
    pub(crate) commands: Vec<Command>,
    pub(crate) files: Vec<FileCall>,
    /// There is more code, or there are more commands, than is looked at.
    pub(crate) more: bool,
}

/// In a line of shell, in the place of a value that is not known: a variable that nobody sets.
pub(crate) const GAP: &str = "${_gap_}";

/// A command that the code runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) form: Form,
    /// The folder that it is given, if any.
    pub(crate) folder: Option<Word>,
    /// What it reads, if that is literal.
    pub(crate) input: Option<Rc<str>>,
    /// Variables that it is given; `*` stands for an environment of its own.
    pub(crate) env: Vec<(String, Option<Word>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line of shell.
    Line(String),
    /// A program and its arguments.
    Words(Vec<Word>),
}

/// What a call does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileCall {
    pub(crate) does: FileAct,
    pub(crate) path: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAct {
    Read,
    Write,
    Delete,
    DeleteTree,
    Attributes,
    Folder,
}
