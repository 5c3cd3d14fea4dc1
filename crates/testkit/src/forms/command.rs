//! What of a command line decides which forms it has. Not a parser: where the text leaves a doubt, the command has fewer forms.

/// Words that begin something else than a command.
const KEYWORDS: [&str; 17] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "time", "coproc", "in",
];

/// Builtins that a function cannot stand for: they change the positional parameters or the variables of the function itself, or they
/// read assignments as only the shell's own word does.
const UNLIKE_FUNCTIONS: [&str; 14] = [
    "set", "shift", "return", "local", "declare", "typeset", "export", "readonly", "alias", "unalias",
    "exec", ".", ":", "builtin",
];

/// Builtins that are not programs too.
const BUILTINS: [&str; 40] = [
    ".",
    ":",
    "alias",
    "bg",
    "builtin",
    "cd",
    "command",
    "compgen",
    "complete",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fg",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "local",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "trap",
    "type",
    "typeset",
    "unset",
    "wait",
];

pub(super) struct Command<'a> {
    pub(super) text: &'a str,
}

impl<'a> Command<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// Whether something may follow on the same line.
    pub(super) fn is_line(&self) -> bool {
        let has_document = self.text.replace("<<<", "").contains("<<");
        let last = self.text.trim_end();
        let is_ended = last.ends_with(['&', ';', '\\']) && !last.ends_with("\\;");
        !has_document && !is_ended && !self.text.contains(['#', '\n', '\r'])
    }

    /// Whether it is an assignment and no more: by itself it does nothing, but before another command it does.
    pub(super) fn only_sets_a_variable(&self) -> bool {
        let name = self.text.split('=').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name && name.len() < self.text.len() && !self.text.contains(char::is_whitespace)
    }

    /// The first word, if it names a program or a builtin and could stand in a variable or a function.
    pub(super) fn program(&self) -> Option<&'a str> {
        let word = self.first_word()?;
        (!UNLIKE_FUNCTIONS.contains(&word)).then_some(word)
    }

    pub(super) fn after_program(&self) -> &'a str {
        self.first_word().map_or("", |word| &self.text[word.len()..])
    }

    fn first_word(&self) -> Option<&'a str> {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        let word = &self.text[..end];
        let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_./+-:".contains(c));
        (is_plain && !word.is_empty() && !KEYWORDS.contains(&word)).then_some(word)
    }

    pub(super) fn is_builtin(&self) -> bool {
        self.first_word().is_some_and(|word| BUILTINS.contains(&word))
    }

    /// Whether it is one command that begins with its program: no list, no pipe, no compound command.
    pub(super) fn is_simple(&self) -> bool {
        self.first_word().is_some() && self.is_line() && !has_operator(self.text)
    }

    /// Whether there are arguments, and `echo` prints all of them as they are.
    pub(super) fn has_plain_arguments(&self) -> bool {
        let arguments = self.after_program().trim();
        let is_option = ["-n", "-e", "-E"].iter().any(|option| arguments.starts_with(option));
        !arguments.is_empty()
            && !is_option
            && arguments.chars().all(|c| c.is_ascii_alphanumeric() || "_./+-:=@%, ".contains(c))
    }
}

/// Whether the name is one that a function of bash can have and that a call finds. What these change are words of the script, and in a
/// function the words are its own.
pub(super) fn names_a_function(word: &str) -> bool {
    !word.contains('/') && !matches!(word, "eval" | "source" | "." | "set" | "shift")
}

/// Whether there is an operator that joins commands, outside of quotes and substitutions.
fn has_operator(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    let mut quote = None;
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match (quote, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') | (Some(b'`'), b'`') => quote = None,
            (Some(b'"' | b'`') | None, b'\\') => at += 1,
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'$' | b'<' | b'>') if next == Some(b'(') => {
                depth += 1;
                at += 1;
            }
            (None, b'(') if depth > 0 => depth += 1,
            (None, b')') if depth > 0 => depth -= 1,
            (None, _) if depth > 0 => {}
            (None, b'&') if matches!(before, Some(b'<' | b'>')) || next == Some(b'>') => {}
            (None, b'|') if before == Some(b'>') => {}
            (None, b';' | b'|' | b'&' | b'(' | b')') => return true,
            _ => {}
        }
        at += 1;
    }
    false
}
