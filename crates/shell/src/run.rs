//! A program that is run, and its redirections.

use std::rc::Rc;

use crate::calls::Calls;
use crate::word::Word;

/// One program that is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// Its name without folders; nothing if only the shell will know.
    pub program: Option<String>,
    /// As it was written, with folders.
    pub path: Word,
    pub args: Vec<Word>,
    /// Variables that are set for it alone; without a value: unset.
    pub env: Vec<(String, Option<Word>)>,
    /// Redirections of it and of what it stands in.
    pub files: Vec<Redirect>,
    /// The folder it runs in, absolute; nothing if unknown.
    pub cwd: Option<String>,
    /// The wrappers around it, outermost first: `sudo`, `bash -c`.
    pub via: Vec<String>,
    /// On another machine, or in a container.
    pub remote: bool,
    /// The runs before it in its pipeline.
    pub fed_by: Vec<usize>,
    /// What its standard input holds, if that is literal.
    pub input: Option<Rc<str>>,
    /// It only shows a help text, or says what it would do.
    pub changes_nothing: bool,
    /// What the code does that it is given, in another language than shell.
    pub calls: Option<Rc<Calls>>,
}

impl Run {
    /// The command as a reader would write it.
    pub fn shown(&self) -> String {
        let words = std::iter::once(&self.path).chain(&self.args);
        words.map(Word::shown).collect::<Vec<_>>().join(" ")
    }

    /// The program, if it is one of these.
    pub fn is(&self, names: &[&str]) -> bool {
        self.program.as_deref().is_some_and(|program| names.contains(&program))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    Read,
    Write,
    Append,
}
