//! The shape of a script: lists, pipelines, commands. Words stand as they were written, quotes and all; see [`crate::word`].

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after another.
pub(crate) type List<'s> = Vec<AndOr<'s>>;

/// Pipelines joined by `&&` and `||`.
pub(crate) struct AndOr<'s> {
    pub(crate) pipelines: Vec<Pipeline<'s>>,
    /// It ends in `&`.
    pub(crate) background: bool,
}

pub(crate) type Pipeline<'s> = Vec<Command<'s>>;

pub(crate) enum Command<'s> {
    Simple(Vec<Part<'s>>),
    Compound(Compound<'s>, Vec<Redirect<'s>>),
    /// The body as it was written, with its redirections: it is read when the function is called.
    Function {
        name: &'s str,
        body: &'s str,
    },
}

/// A part of a simple command, in the order in which they stand.
pub(crate) enum Part<'s> {
    Assignment(Assignment<'s>),
    Word(&'s str),
    Redirect(Redirect<'s>),
}

pub(crate) struct Assignment<'s> {
    pub(crate) name: &'s str,
    /// `name[index]=…`
    pub(crate) index: Option<&'s str>,
    /// `name+=…`
    pub(crate) append: bool,
    pub(crate) value: Value<'s>,
}

pub(crate) enum Value<'s> {
    Scalar(&'s str),
    Array(Vec<&'s str>),
}

pub(crate) enum Compound<'s> {
    /// `{ …; }`, and the lists of `if`, `while` and `until` in their order.
    Lists(Vec<List<'s>>),
    Subshell(List<'s>),
    /// `for` and `select`; without `in`, over the arguments.
    For {
        name: &'s str,
        values: Option<Vec<&'s str>>,
        body: List<'s>,
    },
    Case {
        word: &'s str,
        arms: Vec<(Vec<&'s str>, List<'s>)>,
    },
    /// `((…))`.
    Arithmetic(&'s str),
    /// `for ((…))`.
    ArithmeticFor(&'s str, List<'s>),
    /// The words of `[[ … ]]`.
    Test(Vec<&'s str>),
    Coprocess(Box<Command<'s>>),
}

pub(crate) enum Redirect<'s> {
    /// `<`
    Read(&'s str),
    /// `>`, `>|`, `<>`, `&>`
    Write(&'s str),
    /// `>>`, `&>>`
    Append(&'s str),
    /// `>&`: a descriptor or a file.
    Duplicate(&'s str),
    /// `<&`
    Descriptor,
    /// `<<`: its text is known when the line has ended.
    Document(Rc<OnceCell<Document<'s>>>),
    /// `<<<`
    HereString(&'s str),
}

/// The text of a here-document.
pub(crate) struct Document<'s> {
    pub(crate) text: Cow<'s, str>,
    /// Its delimiter is not quoted.
    pub(crate) expands: bool,
}
