//! A word of a command, expanded.

/// A word after expansion, as far as that is possible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; what is unknown in it stands as it was written.
    pub text: String,
    /// Some part is known to the running shell only.
    pub unknown: bool,
    /// It holds an unquoted `*`, `?` or `[`.
    pub glob: bool,
    /// Runs whose output is part of it.
    pub from: Vec<usize>,
}

impl Word {
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A word of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { text: "…".to_owned(), unknown: true, ..Self::default() }
    }

    /// The text, if all of it is known.
    pub fn literal(&self) -> Option<&str> {
        (!self.unknown).then_some(self.text.as_str())
    }

    pub(crate) fn shown(&self) -> String {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~*?[]{}$^".contains(c);
        if !self.text.is_empty() && (self.unknown || self.text.chars().all(plain)) {
            self.text.clone()
        } else {
            engine_text::line::shell_word(&self.text)
        }
    }
}
