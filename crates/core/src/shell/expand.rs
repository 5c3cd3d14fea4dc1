//! Words to what they stand for: quotes, escapes, braces, tildes, known variables, substitutions.

use brush_parser::ast;
use brush_parser::word::{
    self, Parameter, ParameterExpr, SpecialParameter, TildeExpr, WordPiece, WordPieceWithSource,
};

use super::parser::options;
use super::walk::{Scope, Walk};
use super::{Word, brace};

/// Braces can multiply; a command line of a person does not get near this.
const MOST_WORDS: usize = 256;

/// The fields of a word while it is built.
struct Fields {
    done: Vec<Word>,
    open: Word,
    /// Something is in the open field, be it an empty quotation.
    begun: bool,
}

impl Fields {
    fn push(&mut self, text: &str) {
        self.open.text.push_str(text);
        self.begun = true;
    }

    fn unknown(&mut self, shown: &str) {
        self.push(shown);
        self.open.unknown = true;
    }

    /// Text that the shell splits at blanks.
    fn split(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.close();
        }
        for (index, part) in text.split_whitespace().enumerate() {
            if index > 0 {
                self.close();
            }
            self.plain(part);
        }
        if text.ends_with(char::is_whitespace) {
            self.close();
        }
    }

    /// Unquoted text.
    fn plain(&mut self, text: &str) {
        self.open.glob |= text.contains(['*', '?', '[']);
        self.push(text);
    }

    fn close(&mut self) {
        if self.begun {
            self.done.push(std::mem::take(&mut self.open));
            self.begun = false;
        }
    }
}

impl Walk {
    /// The fields that a word expands to.
    pub(super) fn fields(&mut self, word: &ast::Word, scope: &Scope) -> Vec<Word> {
        if let Some(plain) = plain(&word.value) {
            return vec![plain];
        }
        let texts = brace::expanded(&word.value);
        if !self.goes_on(texts.len() + word.value.len() / 64) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for text in texts {
            let mut fields = Fields { done: Vec::new(), open: Word::default(), begun: false };
            match word::parse(&text, &options()) {
                Ok(pieces) => {
                    for piece in &pieces {
                        self.piece(&piece.piece, false, scope, &mut fields);
                    }
                }
                Err(_) => fields.unknown(&text),
            }
            fields.close();
            all.extend(fields.done);
            if all.len() > MOST_WORDS {
                self.bound("too many words");
                break;
            }
        }
        all
    }

    /// A word that is not split: the value of an assignment, the target of a redirection, a here-string.
    pub(super) fn single(&mut self, text: &str, scope: &Scope) -> Word {
        if let Some(plain) = plain(text) {
            return plain;
        }
        let pieces = word::parse(text, &options());
        self.unsplit(pieces.ok(), text, scope)
    }

    /// The text of a here-document whose delimiter is not quoted.
    pub(super) fn document(&mut self, text: &str, scope: &Scope) -> Word {
        let pieces = word::parse_heredoc(text, &options());
        self.unsplit(pieces.ok(), text, scope)
    }

    /// One word of its pieces; unknown as a whole if it could not be read.
    fn unsplit(&mut self, pieces: Option<Vec<WordPieceWithSource>>, text: &str, scope: &Scope) -> Word {
        let mut fields = Fields { done: Vec::new(), open: Word::default(), begun: false };
        match pieces {
            Some(pieces) => {
                for piece in &pieces {
                    self.piece(&piece.piece, true, scope, &mut fields);
                }
            }
            None => fields.unknown(text),
        }
        fields.close();
        fields.done.pop().unwrap_or_default()
    }

    fn piece(&mut self, piece: &WordPiece, quoted: bool, scope: &Scope, out: &mut Fields) {
        match piece {
            WordPiece::Text(text) if quoted => out.push(text),
            WordPiece::Text(text) => out.plain(text),
            WordPiece::SingleQuotedText(text) => out.push(text),
            WordPiece::AnsiCQuotedText(text) => out.push(&ansi_c(text)),
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                out.begun = true;
                for piece in inner {
                    self.piece(&piece.piece, true, scope, out);
                }
            }
            WordPiece::EscapeSequence(text) => match text.strip_prefix('\\') {
                // A line that goes on.
                Some("\n") => {}
                Some(escaped) => out.push(escaped),
                None => out.push(text),
            },
            WordPiece::TildeExpansion(TildeExpr::Home) => match &scope.home {
                Some(home) => out.push(home),
                None => out.unknown("~"),
            },
            WordPiece::TildeExpansion(TildeExpr::WorkingDir) => match &scope.cwd {
                Some(cwd) => out.push(cwd),
                None => out.unknown("~+"),
            },
            WordPiece::TildeExpansion(TildeExpr::UserHome(user)) if user == "root" => out.push("/root"),
            WordPiece::TildeExpansion(_) => out.unknown("~"),
            WordPiece::ParameterExpansion(expression) => self.parameter(expression, quoted, scope, out),
            WordPiece::CommandSubstitution(code) => self.substitution(code, quoted, scope, out),
            WordPiece::BackquotedCommandSubstitution(code) => {
                let code = code.replace("\\`", "`").replace("\\\\", "\\").replace("\\$", "$");
                self.substitution(&code, quoted, scope, out);
            }
            WordPiece::ArithmeticExpression(expression) => {
                self.substitutions(&expression.value, scope);
                out.unknown("$((…))");
            }
        }
    }

    fn substitution(&mut self, code: &str, quoted: bool, scope: &Scope, out: &mut Fields) {
        let runs = self.inner(code, scope);
        out.open.from.extend(runs.clone());
        // What it prints is for the running shell to know; the folder is where we are.
        let is_folder = self.runs_program(runs.clone(), "pwd");
        match self.output_of(runs, scope).filter(|_| is_folder) {
            Some(text) if quoted => out.push(text.trim_end_matches('\n')),
            Some(text) => out.split(text.trim_end_matches('\n')),
            None => out.unknown(&format!("$({code})")),
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, quoted: bool, scope: &Scope, out: &mut Fields) {
        if !self.goes_on(1 + out.open.text.len() / 256) {
            return;
        }
        let value = match expression {
            ParameterExpr::Parameter { parameter, indirect: false } => {
                match parameter {
                    Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => {
                        return all(scope.positional.as_deref(), "$@", out);
                    }
                    Parameter::NamedWithAllIndices { name, .. } => {
                        return all(scope.list(name), &format!("${{{name}[@]}}"), out);
                    }
                    Parameter::NamedWithIndex { index, .. } => self.substitutions(index, scope),
                    _ => {}
                }
                value(parameter, scope)
            }
            ParameterExpr::UseDefaultValues { parameter, indirect: false, default_value, .. }
            | ParameterExpr::AssignDefaultValues { parameter, indirect: false, default_value, .. } => {
                let default = default_value.as_deref().map(|default| self.single(default, scope));
                match variable(parameter, scope) {
                    Variable::Known(value) if !value.text.is_empty() => Some(value),
                    // It may be set outside; the default is what is written here.
                    Variable::Unknown => None,
                    _ => default.filter(|default| !default.unknown),
                }
            }
            ParameterExpr::IndicateErrorIfNullOrUnset {
                parameter, indirect: false, error_message, ..
            } => {
                self.substitutions(error_message.as_deref().unwrap_or_default(), scope);
                value(parameter, scope)
            }
            other => {
                for text in texts(other) {
                    self.substitutions(text, scope);
                }
                None
            }
        };
        match value {
            Some(value) => {
                out.open.glob |= value.glob;
                if quoted { out.push(&value.text) } else { out.split(&value.text) }
            }
            None => {
                let name = name(expression);
                let words = scope.list(&name).unwrap_or_default();
                out.open.from.extend(words.iter().flat_map(|word| &word.from));
                out.unknown(&format!("${name}"));
            }
        }
    }
}

fn value(parameter: &Parameter, scope: &Scope) -> Option<Word> {
    match variable(parameter, scope) {
        Variable::Known(value) => Some(value),
        Variable::Unknown | Variable::Unset => None,
    }
}

fn variable(parameter: &Parameter, scope: &Scope) -> Variable {
    let at = |words: Option<&[Word]>, index: Option<usize>| {
        let word = words.and_then(|words| words.get(index?)).filter(|word| !word.unknown);
        word.map_or(Variable::Unknown, |word| Variable::Known(word.clone()))
    };
    match parameter {
        Parameter::Named(name) => scope.variable(name),
        Parameter::NamedWithIndex { name, index } => at(scope.list(name), index.parse().ok()),
        Parameter::Positional(number) => {
            let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
            at(scope.positional.as_deref(), index)
        }
        _ => Variable::Unknown,
    }
}

/// The texts in an expansion that are expanded in their turn.
fn texts(expression: &ParameterExpr) -> Vec<&str> {
    match expression {
        ParameterExpr::UseAlternativeValue { alternative_value: text, .. }
        | ParameterExpr::UseDefaultValues { default_value: text, .. }
        | ParameterExpr::AssignDefaultValues { default_value: text, .. }
        | ParameterExpr::IndicateErrorIfNullOrUnset { error_message: text, .. }
        | ParameterExpr::RemoveSmallestSuffixPattern { pattern: text, .. }
        | ParameterExpr::RemoveLargestSuffixPattern { pattern: text, .. }
        | ParameterExpr::RemoveSmallestPrefixPattern { pattern: text, .. }
        | ParameterExpr::RemoveLargestPrefixPattern { pattern: text, .. }
        | ParameterExpr::UppercaseFirstChar { pattern: text, .. }
        | ParameterExpr::UppercasePattern { pattern: text, .. }
        | ParameterExpr::LowercaseFirstChar { pattern: text, .. }
        | ParameterExpr::LowercasePattern { pattern: text, .. } => text.as_deref().into_iter().collect(),
        ParameterExpr::ReplaceSubstring { pattern, replacement, .. } => {
            std::iter::once(pattern.as_str()).chain(replacement.as_deref()).collect()
        }
        ParameterExpr::Substring { offset, length, .. } => {
            std::iter::once(offset).chain(length).map(|text| text.value.as_str()).collect()
        }
        ParameterExpr::Parameter { .. }
        | ParameterExpr::ParameterLength { .. }
        | ParameterExpr::Transform { .. }
        | ParameterExpr::VariableNames { .. }
        | ParameterExpr::MemberKeys { .. } => Vec::new(),
    }
}

/// A word that stands for itself, as most do: the parser for words costs a thousand times a look at the letters.
fn plain(text: &str) -> Option<Word> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,#^!]".contains(c);
    if !text.is_empty() && !text.starts_with('#') && text.chars().all(is_plain) {
        return Some(Word::known(text));
    }
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = text.strip_prefix(mark)?.strip_suffix(mark)?;
    let special = |c: char| c == mark || (mark == '"' && matches!(c, '$' | '`' | '\\'));
    (!inside.contains(special)).then(|| Word::known(inside))
}

/// `"$@"` of a function that is called, and `"${name[@]}"`.
fn all(words: Option<&[Word]>, shown: &str, out: &mut Fields) {
    let Some(words) = words else { return out.unknown(shown) };
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            out.close();
        }
        out.push(&word.text);
        out.open.unknown |= word.unknown;
        out.open.glob |= word.glob;
    }
}

/// What is known of a variable.
pub(super) enum Variable {
    Known(Word),
    /// It is set, or may be, to something that only the shell knows.
    Unknown,
    /// Nothing of it is seen here.
    Unset,
}

fn name(expression: &ParameterExpr) -> String {
    match expression {
        ParameterExpr::Parameter { parameter, .. }
        | ParameterExpr::UseDefaultValues { parameter, .. }
        | ParameterExpr::AssignDefaultValues { parameter, .. } => match parameter {
            Parameter::Named(name) => name.clone(),
            Parameter::Positional(index) => index.to_string(),
            _ => "{…}".to_owned(),
        },
        _ => "{…}".to_owned(),
    }
}

/// `$'…'`.
fn ansi_c(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
                      first: Option<char>,
                      radix: u32,
                      most: usize| {
            let mut digits: String = first.into_iter().collect();
            while digits.len() < most && chars.peek().is_some_and(|c| c.is_digit(radix)) {
                digits.extend(chars.next());
            }
            u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32)
        };
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('e' | 'E') => out.push('\u{1b}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some('x') => out.extend(number(&mut chars, None, 16, 2)),
            Some('u') => out.extend(number(&mut chars, None, 16, 4)),
            Some('U') => out.extend(number(&mut chars, None, 16, 8)),
            Some(digit @ '0'..='7') => out.extend(number(&mut chars, Some(digit), 8, 3)),
            Some(other @ ('\\' | '\'' | '"' | '?')) => out.push(other),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}
