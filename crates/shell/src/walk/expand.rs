//! Words to what they stand for: quotes, escapes, braces, tildes, known variables, substitutions.

use std::rc::Rc;

use super::Walk;
use crate::grammar::piece::{Parameter, Piece, Place, pieces};
use crate::scope::{Scope, Variable};
use crate::word::Word;
use engine_text::brace;

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

    /// Text that the shell splits at other characters than blanks: `IFS=,`.
    fn split_at(&mut self, text: &str, separators: &str) {
        for (index, part) in text.split(|c| separators.contains(c)).enumerate() {
            if index > 0 {
                self.close();
            }
            self.plain(part);
        }
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
    pub(crate) fn fields(&mut self, word: &str, scope: &Scope) -> Vec<Word> {
        if let Some(plain) = plain(word) {
            return vec![plain];
        }
        if !self.goes_on(1 + word.len() / 64) {
            return Vec::new();
        }
        let expanded = brace::expanded(word);
        if expanded.is_cut {
            self.too_large("its braces make too many words");
        }
        let budget = Rc::clone(&self.budget);
        let mut all = Vec::new();
        for text in expanded.words {
            if !self.goes_on(1) {
                break;
            }
            let mut fields = Fields { done: Vec::new(), open: Word::default(), begun: false };
            match pieces(&text, Place::Word, &budget) {
                Some(pieces) => pieces.iter().for_each(|piece| self.piece(piece, false, scope, &mut fields)),
                None => fields.unknown(&text),
            }
            fields.close();
            all.extend(fields.done);
        }
        all
    }

    /// A word that is not split: the value of an assignment, the target of a redirection, a here-string.
    pub(crate) fn single(&mut self, text: &str, scope: &Scope) -> Word {
        if let Some(plain) = plain(text) {
            return plain;
        }
        let budget = Rc::clone(&self.budget);
        self.unsplit(pieces(text, Place::Word, &budget), text, scope)
    }

    /// The target of a redirection, in which the shell expands patterns too.
    pub(crate) fn target(&mut self, text: &str, scope: &Scope) -> Word {
        // A pattern that fits several files is an error of the shell; one that fits none is a name.
        let is_pattern = text.contains(['*', '?', '[']);
        let mut fields = if is_pattern { self.fields(text, scope) } else { vec![self.single(text, scope)] };
        if fields.len() == 1 { fields.remove(0) } else { Word::unknown() }
    }

    /// The text of a here-document whose delimiter is not quoted.
    pub(crate) fn document(&mut self, text: &str, scope: &Scope) -> Word {
        let budget = Rc::clone(&self.budget);
        self.unsplit(pieces(text, Place::Quoted, &budget), text, scope)
    }

    /// One word of its pieces; unknown as a whole if it could not be read.
    fn unsplit(&mut self, pieces: Option<Vec<Piece<'_>>>, text: &str, scope: &Scope) -> Word {
        let mut fields = Fields { done: Vec::new(), open: Word::default(), begun: false };
        match pieces {
            Some(pieces) => pieces.iter().for_each(|piece| self.piece(piece, true, scope, &mut fields)),
            None => fields.unknown(text),
        }
        fields.close();
        fields.done.pop().unwrap_or_default()
    }

    fn piece(&mut self, piece: &Piece<'_>, quoted: bool, scope: &Scope, out: &mut Fields) {
        match piece {
            Piece::Text(text) if !quoted => out.plain(text),
            Piece::Text(text) | Piece::Literal(text) => out.push(text),
            Piece::AnsiC(text) => out.push(&ansi_c(text)),
            // Without arguments, `"$@"` is no word at all.
            Piece::Double(inner) if matches!(inner.as_slice(), [piece] if is_empty_list(piece, scope)) => {}
            Piece::Double(inner) => {
                out.begun = true;
                for piece in inner {
                    self.piece(piece, true, scope, out);
                }
            }
            Piece::Tilde(user) => match (*user, &scope.home, &scope.cwd) {
                ("", Some(home), _) => out.push(home),
                ("+", _, Some(cwd)) => out.push(cwd),
                ("root", ..) => out.push("/root"),
                (user, ..) => out.unknown(&format!("~{user}")),
            },
            Piece::Parameter(parameter) => self.parameter(parameter, quoted, scope, out),
            Piece::Command(code) => self.substitution(code, quoted, scope, out),
            Piece::Backquoted(code) => {
                let code = code.replace("\\`", "`").replace("\\\\", "\\").replace("\\$", "$");
                self.substitution(&code, quoted, scope, out);
            }
            Piece::Process(code) => {
                let runs = self.inner(code, scope);
                out.open.from.extend(runs);
                out.unknown("<(…)");
            }
            Piece::Arithmetic(expression) => {
                self.substitutions(expression, scope);
                out.unknown("$((…))");
            }
        }
    }

    fn substitution(&mut self, code: &str, quoted: bool, scope: &Scope, out: &mut Fields) {
        let runs = self.inner(code, scope);
        self.budget.spend(runs.len());
        out.open.from.extend(runs.clone());
        // An input with an expansion in it is for the running shell to know.
        let is_known = |text: &Rc<str>| !self.runs_program(runs.clone(), "cat") || !text.contains(['$', '`']);
        match self.output_of(runs.clone(), scope).filter(is_known) {
            Some(text) if quoted => out.push(text.trim_end_matches('\n')),
            Some(text) => out.split(text.trim_end_matches('\n')),
            None => out.unknown(&format!("$({code})")),
        }
    }

    /// Notes the expansion of a watched variable, also by its name in another one: `${!x}`.
    fn watch(&mut self, name: &str, prefix: &str, scope: &Scope) {
        let is_watched = |name: &str| scope.host.watched.contains(&name);
        let by_name = || match scope.variable(name) {
            Variable::Known(value) => prefix == "!" && is_watched(&value.text),
            Variable::Unknown | Variable::Unset => false,
        };
        if !scope.remote && (is_watched(name) || by_name()) {
            self.watched.push(self.runs.len());
        }
    }

    fn parameter(&mut self, parameter: &Parameter<'_>, quoted: bool, scope: &Scope, out: &mut Fields) {
        if !self.goes_on(1) {
            return;
        }
        let Parameter { name, index, operation, prefix } = parameter;
        self.watch(name, prefix, scope);
        self.substitutions(index.unwrap_or_default(), scope);
        // `:-` and `-`: with the colon, an empty value counts as none; so it does here without.
        let bare = operation.strip_prefix(':').unwrap_or(operation);
        let text = bare.get(1..).unwrap_or_default();
        let value = match (*prefix, bare.bytes().next()) {
            ("", None) if operation.is_empty() => match (*name, *index) {
                ("@" | "*", _) => return self.all(scope.positional.as_deref(), "$@", out),
                (name, Some("@" | "*")) => {
                    return self.all(scope.list(name), &format!("${{{name}[@]}}"), out);
                }
                _ => value(parameter, scope),
            },
            ("", Some(mark @ (b'-' | b'='))) => {
                let default = self.single(text, scope);
                match variable(parameter, scope) {
                    Variable::Known(value) if !value.text.is_empty() => Some(value),
                    // It may be set outside; the default is what is written here.
                    Variable::Unknown => None,
                    _ => {
                        let default = Some(default).filter(|default| !default.unknown);
                        self.defaults.extend(
                            default
                                .iter()
                                .filter(|_| mark == b'=')
                                .map(|word| ((*name).to_owned(), word.clone())),
                        );
                        default
                    }
                }
            }
            ("", Some(b'+')) => {
                let other = self.single(text, scope);
                match variable(parameter, scope) {
                    Variable::Known(value) if !value.text.is_empty() => {
                        Some(other).filter(|other| !other.unknown)
                    }
                    _ => None,
                }
            }
            ("", Some(b'?')) => {
                self.substitutions(text, scope);
                value(parameter, scope)
            }
            _ => {
                self.substitutions(operation, scope);
                let known = value(parameter, scope).filter(|value| !value.unknown && prefix.is_empty());
                known.and_then(|word| {
                    self.budget.spend_bytes(word.text.len() * 4);
                    Some(Word { text: operated(&word.text, operation)?, ..word })
                })
            }
        };
        match value {
            Some(value) => {
                self.budget.spend_bytes(value.text.len());
                out.open.glob |= value.glob;
                let separators = scope.separators();
                match separators.filter(|_| !quoted) {
                    Some(separators) => out.split_at(&value.text, &separators),
                    None if quoted => out.push(&value.text),
                    None => out.split(&value.text),
                }
            }
            None => {
                // What find finds, handed on to code.
                if let Some(found) = found(name, scope).filter(|_| prefix.is_empty() && operation.is_empty())
                {
                    out.open.from.extend(&found.from);
                    return out.unknown(&found.text);
                }
                let words = scope.list(name).unwrap_or_default();
                self.budget.spend(words.iter().map(|word| 1 + word.from.len()).sum());
                out.open.from.extend(words.iter().flat_map(|word| &word.from));
                if prefix.is_empty() && operation.is_empty() && index.is_none() {
                    out.unknown(&format!("${name}"));
                } else {
                    out.unknown(&format!("${{{prefix}{name}…}}"));
                }
            }
        }
    }

    /// `"$@"` of a function that is called, and `"${name[@]}"`.
    fn all(&mut self, words: Option<&[Word]>, shown: &str, out: &mut Fields) {
        let Some(words) = words else { return out.unknown(shown) };
        if !self.goes_on(words.iter().map(|word| 1 + word.text.len() / 64 + word.from.len()).sum()) {
            return out.unknown(shown);
        }
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                out.close();
            }
            out.push(&word.text);
            out.open.unknown |= word.unknown;
            out.open.glob |= word.glob;
            out.open.from.extend(&word.from);
        }
    }
}

/// `$@` or `${name[@]}` of which it is known that it has no words.
fn is_empty_list(piece: &Piece<'_>, scope: &Scope) -> bool {
    let Piece::Parameter(Parameter { name, index, operation: "", prefix: "" }) = piece else { return false };
    let words = match (*name, *index) {
        ("@", _) => scope.positional.as_deref(),
        (name, Some("@")) => scope.list(name),
        _ => None,
    };
    words.is_some_and(<[Word]>::is_empty)
}

fn value(parameter: &Parameter<'_>, scope: &Scope) -> Option<Word> {
    match variable(parameter, scope) {
        Variable::Known(value) => Some(value),
        Variable::Unknown | Variable::Unset => None,
    }
}

fn variable(parameter: &Parameter<'_>, scope: &Scope) -> Variable {
    let at = |words: Option<&[Word]>, index: Option<usize>| {
        let word = words.and_then(|words| words.get(index?)).filter(|word| !word.unknown);
        word.map_or(Variable::Unknown, |word| Variable::Known(word.clone()))
    };
    match (parameter.name, parameter.index) {
        (name, Some(index)) => at(scope.list(name), index.parse().ok()),
        (name, None) => match name.parse::<usize>() {
            Ok(0) => at(scope.name.as_ref().map(std::slice::from_ref), Some(0)),
            Ok(number) => at(scope.positional.as_deref(), number.checked_sub(1)),
            Err(_) if name.starts_with(['@', '*', '#', '?', '-', '$', '!']) => Variable::Unknown,
            Err(_) => scope.variable(name),
        },
    }
}

/// A word that stands for itself, as most do: the parser for words costs a thousand times a look at the letters.
pub(crate) fn plain(text: &str) -> Option<Word> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,#^!]".contains(c);
    if !text.is_empty() && !text.starts_with('#') && text.chars().all(is_plain) {
        return Some(Word::known(text));
    }
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = text.strip_prefix(mark)?.strip_suffix(mark)?;
    let special = |c: char| c == mark || (mark == '"' && matches!(c, '$' | '`' | '\\'));
    (!inside.contains(special)).then(|| Word::known(inside))
}

/// A parameter that stands for what a program lists.
fn found<'s>(name: &str, scope: &'s Scope) -> Option<&'s Word> {
    let word = match name.parse::<usize>() {
        Ok(0) => scope.name.as_ref(),
        Ok(number) => scope.positional.as_deref()?.get(number - 1),
        Err(_) => scope.list(name)?.first(),
    };
    word.filter(|word| word.unknown && word.text == "{}" && !word.from.is_empty())
}

/// `$'…'`.
pub(super) fn ansi_c(text: &str) -> String {
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

/// What an operator makes of a value: `${x,,}`, `${x:2:3}`, `${x#start}`, `${x/old/new}`. Nothing where only the shell knows.
fn operated(text: &str, operation: &str) -> Option<String> {
    let is_plain = |pattern: &str| !pattern.contains(['*', '?', '[', '$', '`', '\\', '\'', '"', '(', '!']);
    match operation {
        ",," | "@L" => return Some(text.to_lowercase()),
        "^^" | "@U" => return Some(text.to_uppercase()),
        "@Q" => return None,
        "@E" | "@P" if !text.contains(['\\', '$', '`']) => return Some(text.to_owned()),
        _ => {}
    }
    if let Some(range) = operation.strip_prefix(':') {
        let (from, length) =
            range.split_once(':').map_or((range, None), |(from, length)| (from, Some(length)));
        let count = i64::try_from(text.chars().count()).ok()?;
        let at = |place: i64| if place < 0 { count + place } else { place }.clamp(0, count);
        let from = at(from.trim().parse().ok()?);
        let to = match length.map(|length| length.trim().parse::<i64>()) {
            None => count,
            Some(Ok(length)) if length < 0 => at(length),
            Some(length) => (from + length.ok()?).min(count),
        };
        let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to.max(from)).ok()?);
        return Some(text.chars().skip(from).take(to - from).collect());
    }
    let cut = |marks: &str| operation.strip_prefix(marks);
    if let Some(pattern) = cut("##").or_else(|| cut("#")) {
        return match pattern.strip_prefix('*') {
            Some(end) if is_plain(end) && !end.is_empty() => {
                let at = if operation.starts_with("##") { text.rfind(end) } else { text.find(end) };
                Some(at.map_or(text, |at| &text[at + end.len()..]).to_owned())
            }
            None if is_plain(pattern) => Some(text.strip_prefix(pattern).unwrap_or(text).to_owned()),
            _ => None,
        };
    }
    if let Some(pattern) = cut("%%").or_else(|| cut("%")) {
        return match pattern.strip_suffix('*') {
            Some(start) if is_plain(start) && !start.is_empty() => {
                let at = if operation.starts_with("%%") { text.find(start) } else { text.rfind(start) };
                Some(at.map_or(text, |at| &text[..at]).to_owned())
            }
            None if is_plain(pattern) => Some(text.strip_suffix(pattern).unwrap_or(text).to_owned()),
            _ => None,
        };
    }
    let (all, rest) = match cut("//") {
        Some(rest) => (true, rest),
        None => (false, cut("/")?),
    };
    let (old, new) = rest.split_once('/').unwrap_or((rest, ""));
    let (anchor, old) = match old.strip_prefix(['#', '%']) {
        Some(bare) => (old.as_bytes().first(), bare),
        None => (None, old),
    };
    if old.is_empty() || !is_plain(old) || !is_plain(new) {
        return None;
    }
    Some(match anchor {
        Some(b'#') => text.strip_prefix(old).map_or(text.to_owned(), |end| format!("{new}{end}")),
        Some(_) => text.strip_suffix(old).map_or(text.to_owned(), |start| format!("{start}{new}")),
        None if all => text.replace(old, new),
        None => text.replacen(old, new, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::operated;

    #[test]
    fn operators_are_read_as_bash_does() {
        for (text, operation, expected) in [
            ("HARD", ",,", Some("hard")),
            ("hard", "^^", Some("HARD")),
            ("xhardy", ":1:4", Some("hard")),
            ("--hardfoo", ":0:6", Some("--hard")),
            ("foo--hard", ": -6", Some("--hard")),
            ("--hardxx", ":0:-2", Some("--hard")),
            ("a.b.--hard", "##*.", Some("--hard")),
            ("a.b.c", "#*.", Some("b.c")),
            ("/x/", "%/", Some("/x")),
            ("a/b/c", "%/*", Some("a/b")),
            ("a/b/c", "%%/*", Some("a")),
            ("hXrd", "/X/a", Some("hard")),
            ("rard", "/#r/h", Some("hard")),
            ("aXbX", "//X/", Some("ab")),
            ("a", ":x:1", None),
            ("a", "//[!a-z]/", None),
            ("a", "/$b/c", None),
            ("é", ":9", Some("")),
        ] {
            assert_eq!(operated(text, operation).as_deref(), expected, "{text} {operation}");
        }
    }
}
