//! What is known of the value of an expression.

use std::rc::Rc;

use crate::calls;
use crate::word::Word;

/// No path and no command in code is longer.
pub(super) const LONGEST_TEXT: usize = 64 << 10;
/// Values that one expression may have.
pub(super) const MOST_CASES: usize = 16;
/// In the place of what is not known.
pub(super) const GAP: &str = "…";

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Unknown,
    Text(Literal),
    Number(usize),
    Flag(bool),
    List(Rc<[Value]>),
    /// One of these, or each of them in turn.
    Any(Rc<[Value]>),
    /// A module, a function or another name that the code has from elsewhere.
    Name(Rc<str>),
    /// A function of a value, not yet called.
    Method(Rc<(Value, String)>),
    /// `{key: value}`
    Fields(Rc<[Item]>),
}

/// An element of a list or of arguments, with its name if it has one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) key: Option<String>,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: Rc<str>,
    /// There are gaps in it.
    pub(super) unknown: bool,
    /// It is a pattern for files.
    pub(super) glob: bool,
}

impl Literal {
    pub(super) fn word(&self) -> Word {
        Word {
            text: self.text.to_string(),
            unknown: self.unknown,
            glob: self.glob && self.text.contains(['*', '?', '[']),
            from: Vec::new(),
        }
    }

    /// As a line of shell: what is not known is a variable that nobody sets.
    pub(super) fn line(&self) -> String {
        if self.unknown { self.text.replace(GAP, calls::GAP) } else { self.text.to_string() }
    }
}

impl Value {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Literal { text: text.into(), unknown: false, glob: false })
    }

    pub(super) fn pattern(self) -> Self {
        self.map(&|text| Self::Text(Literal { glob: true, ..text.clone() }))
    }

    pub(super) fn name(name: impl Into<Rc<str>>) -> Self {
        Self::Name(name.into())
    }

    /// Each of these.
    pub(super) fn any(values: Vec<Self>) -> Self {
        let mut cases = Vec::new();
        for value in values {
            match value {
                Self::Any(more) => cases.extend(more.iter().cloned()),
                other => cases.push(other),
            }
        }
        cases.truncate(MOST_CASES);
        match cases.len() {
            0 => Self::Unknown,
            1 => cases.remove(0),
            _ => Self::Any(cases.into()),
        }
    }

    fn holds_values(&self) -> bool {
        matches!(self, Self::List(_) | Self::Fields(_) | Self::Any(_) | Self::Method(_))
    }

    /// As an element of another value. What is deeper than two levels is of no use to a call, and could become as deep as the code is
    /// long.
    pub(super) fn settled(self) -> Self {
        let is_deep = match &self {
            Self::List(values) | Self::Any(values) => values.iter().any(Self::holds_values),
            Self::Fields(items) => items.iter().any(|item| item.value.holds_values()),
            Self::Method(_) => true,
            _ => false,
        };
        if is_deep { Self::Unknown } else { self }
    }

    /// What it may be, one by one.
    pub(super) fn cases(&self) -> &[Self] {
        match self {
            Self::Any(cases) => cases,
            one => std::slice::from_ref(one),
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &Literal> {
        self.cases().iter().filter_map(|case| match case {
            Self::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The one text that it is, all of it known.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.unknown => Some(&text.text),
            _ => None,
        }
    }

    /// What a loop over it gives.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::List(values) => Self::any(values.iter().take(MOST_CASES).cloned().collect()),
            Self::Text(text) if !text.glob => Self::Unknown,
            other => other.clone(),
        }
    }

    pub(super) fn map(&self, change: &dyn Fn(&Literal) -> Self) -> Self {
        let cases = self.cases().iter().map(|case| match case {
            Self::Text(text) => change(text),
            _ => Self::Unknown,
        });
        Self::any(cases.collect())
    }

    /// The two as one text, with something between them.
    pub(super) fn joined(&self, between: &str, other: &Self) -> Self {
        if let (Self::List(left), Self::List(right)) = (self, other) {
            return Self::List(left.iter().chain(right.iter()).cloned().collect());
        }
        let mut cases = Vec::new();
        for left in self.cases() {
            for right in other.cases() {
                cases.push(left.with(between, right));
            }
        }
        Self::any(cases)
    }

    fn with(&self, between: &str, other: &Self) -> Self {
        let gap = Literal { text: GAP.into(), unknown: true, glob: false };
        let (left, right) = match (self, other) {
            (Self::Text(left), Self::Text(right)) => (left, right),
            (Self::Text(left), _) => (left, &gap),
            (_, Self::Text(right)) => (&gap, right),
            _ => return Self::Unknown,
        };
        if left.text.len() + right.text.len() > LONGEST_TEXT {
            return Self::Unknown;
        }
        // The second part of a path may begin anew.
        if between == "/" && right.text.starts_with('/') {
            return Self::Text(right.clone());
        }
        let between = if between == "/" && left.text.ends_with('/') { "" } else { between };
        Self::Text(Literal {
            text: [&*left.text, between, &*right.text].concat().into(),
            unknown: left.unknown || right.unknown,
            glob: left.glob || right.glob,
        })
    }
}
