//! What a call does, whatever tool it is: the command lines that it runs, the files that it reads, writes and deletes.
//!
//! Rules ask this, and never a tool's name. What a command line does to files is seen in its analysis and is not repeated here.

use std::borrow::Cow;

use super::{Edit, Tool, ToolCall};

/// What the input of a tool tells of a call, where nothing else is known of the tool. Empty: nobody knows what it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doings<'a> {
    pub commands: Vec<Cow<'a, str>>,
    pub reads: Vec<Cow<'a, str>>,
    pub writes: Vec<Written<'a>>,
    pub deletes: Vec<Cow<'a, str>>,
    /// Why there may be more that is not among it.
    pub unread: Option<Unread>,
}

/// Why the input of a call was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is no object.
    NoObject,
    /// It names more commands or files than anybody judges.
    TooMany,
}

/// A file, and how it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<'a> {
    pub path: Cow<'a, str>,
    pub edit: Edit<'a>,
}

impl Doings<'_> {
    pub fn is_empty(&self) -> bool {
        let Self { commands, reads, writes, deletes, unread: _ } = self;
        commands.is_empty() && reads.is_empty() && writes.is_empty() && deletes.is_empty()
    }
}

impl<'a> ToolCall<'a> {
    fn does(&self) -> Option<&Doings<'a>> {
        match &self.tool {
            Tool::Foreign { does, .. } => Some(does),
            _ => None,
        }
    }

    /// Whether the engine knows what it does.
    pub fn is_understood(&self) -> bool {
        self.does().is_none_or(|does| !does.is_empty())
    }

    /// Why it may do more than can be told.
    pub fn unread(&self) -> Option<Unread> {
        self.does().and_then(|does| does.unread)
    }

    /// Whether it changes one file, which it names, and nothing else.
    pub fn is_edit(&self) -> bool {
        matches!(self.tool, Tool::Edit { .. })
    }

    /// Whether it is the shell of the client, which tells what a command came to.
    pub fn is_shell(&self) -> bool {
        matches!(self.tool, Tool::Shell { .. })
    }

    /// The command lines that it gives to a shell.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        let own = match &self.tool {
            Tool::Shell { command, .. } => Some(&**command),
            _ => None,
        };
        own.into_iter().chain(self.does().into_iter().flat_map(|does| &does.commands).map(|line| &**line))
    }

    /// The files that it reads by itself.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        let (own, searched): (_, &[Cow<'_, str>]) = match &self.tool {
            Tool::Read { path, .. } => (Some(&**path), &[]),
            Tool::Search { reads, .. } => (None, reads),
            _ => (None, &[]),
        };
        let foreign = self.does().into_iter().flat_map(|does| &does.reads);
        own.into_iter().chain(searched.iter().chain(foreign).map(|path| &**path))
    }

    /// The files that it writes by itself, and what each gets.
    pub fn edits(&self) -> impl Iterator<Item = (&str, &Edit<'a>)> {
        let own = match &self.tool {
            Tool::Edit { path, edit } => Some((&**path, edit)),
            _ => None,
        };
        let written = self.does().into_iter().flat_map(|does| &does.writes);
        own.into_iter().chain(written.map(|written| (&*written.path, &written.edit)))
    }

    /// The files that it writes by itself.
    pub fn writes(&self) -> impl Iterator<Item = &str> {
        self.edits().map(|(path, _)| path)
    }

    /// The files that it deletes by itself, with everything below them.
    pub fn deletes(&self) -> impl Iterator<Item = &str> {
        self.does().into_iter().flat_map(|does| &does.deletes).map(|path| &**path)
    }

    /// Whether it may change files that it does not name: a command, or a server that nobody sees into.
    pub fn changes_unseen(&self) -> bool {
        self.commands().next().is_some() || matches!(self.tool, Tool::Foreign { connected: true, .. })
    }

    /// Whether its command is to go on in the background.
    pub fn is_background(&self) -> bool {
        match self.tool {
            Tool::Shell { background, .. } | Tool::Foreign { background, .. } => background,
            _ => false,
        }
    }
}
