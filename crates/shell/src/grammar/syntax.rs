//! The shape of a script: lists, pipelines, commands. Words stand as they were written, quotes and all; see [`super::piece`].

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after another.
pub(crate) type List<'s> = Vec<AndOr<'s>>;

/// Pipelines joined by `&&` and `||`.
pub(crate) struct AndOr<'s> {
    pub(crate) first: Pipeline<'s>,
    pub(crate) rest: Vec<(Join, Pipeline<'s>)>,
    /// It ends in `&`.
    pub(crate) background: bool,
}

impl<'s> AndOr<'s> {
    /// Its pipelines in their order, however they are joined.
    pub(crate) fn pipelines(&self) -> impl Iterator<Item = &Pipeline<'s>> {
        std::iter::once(&self.first).chain(self.rest.iter().map(|(_, pipeline)| pipeline))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`, or by `|&`, which says of no command more than `|` does.
pub(crate) struct Pipeline<'s> {
    /// `!` stands before it.
    pub(crate) negated: bool,
    /// None of them if `!` or `time` stands alone.
    pub(crate) commands: Vec<Command<'s>>,
}

pub(crate) struct Command<'s> {
    /// As it was written, with its redirections. The text of a here-document is not part of it if it stands behind the command.
    pub(crate) text: &'s str,
    pub(crate) form: Form<'s>,
}

pub(crate) enum Form<'s> {
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
    /// `{ …; }`
    Group(List<'s>),
    /// `(…)`
    Subshell(List<'s>),
    /// The lists of `if`, `while` and `until` in their order.
    Branches(Vec<List<'s>>),
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
