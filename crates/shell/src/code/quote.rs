//! What stands between quotation marks: escapes, and the code in it whose value is put in.

/// A part of a quoted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(String),
    /// Code, whose value stands here.
    Code(&'t str),
}

/// What a backslash does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    None,
    /// Only before itself and before the mark.
    Mark,
    All,
}

/// How a text holds code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Nothing,
    /// `{code}` of Python.
    Braces,
    /// `${code}` of JavaScript.
    Dollar,
    /// `#{code}` of Ruby.
    Hash,
    /// `$name` of Perl and PHP.
    Names,
}

pub(super) fn pieces(inner: &str, escapes: Escapes, holds: Holds) -> Vec<Piece<'_>> {
    let mut reader = Pieces { inner, at: 0, text: String::new(), found: Vec::new(), unbalanced: false };
    while let Some(c) = inner[reader.at..].chars().next() {
        let rest = &inner[reader.at..];
        let is_code = match (c, holds) {
            ('\\', _) if escapes != Escapes::None => {
                reader.escape(escapes);
                continue;
            }
            ('{', Holds::Braces) if rest.starts_with("{{") => reader.doubled('{'),
            ('}', Holds::Braces) if rest.starts_with("}}") => reader.doubled('}'),
            ('{', Holds::Braces) => reader.braced(0),
            ('$', Holds::Dollar) if rest.starts_with("${") => reader.braced(1),
            ('#', Holds::Hash) if rest.starts_with("#{") => reader.braced(1),
            ('{', Holds::Names) if rest.starts_with("{$") => reader.braced(0),
            ('$' | '@', Holds::Names) => reader.name(),
            _ => false,
        };
        if !is_code {
            reader.text.push(c);
            reader.at += c.len_utf8();
        }
    }
    reader.flush();
    reader.found
}

struct Pieces<'t> {
    inner: &'t str,
    at: usize,
    text: String,
    found: Vec<Piece<'t>>,
    /// A brace was opened and never closed: nobody looks for the end of another.
    unbalanced: bool,
}

impl<'t> Pieces<'t> {
    fn flush(&mut self) {
        if !self.text.is_empty() || self.found.is_empty() {
            self.found.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    /// Two marks stand for one.
    fn doubled(&mut self, mark: char) -> bool {
        self.text.push(mark);
        self.at += 2;
        true
    }

    fn code(&mut self, code: &'t str, behind: usize) -> bool {
        if !self.text.is_empty() {
            self.flush();
        }
        self.found.push(Piece::Code(code));
        self.at = behind;
        true
    }

    /// Code in braces, so many bytes behind this place. Whether it is that.
    fn braced(&mut self, skip: usize) -> bool {
        let from = self.at + skip;
        let end = if self.unbalanced { None } else { closing(&self.inner[from..]) };
        match end {
            Some(end) => self.code(&self.inner[from + 1..from + end], from + end + 1),
            None => {
                self.unbalanced = true;
                false
            }
        }
    }

    /// `$name`, `${name}`, `$name[0]`, `$name{key}`.
    fn name(&mut self) -> bool {
        let rest = &self.inner[self.at..];
        if let Some(inside) = rest.strip_prefix("${") {
            let length = inside.find(|c: char| !is_word(c)).unwrap_or(inside.len());
            return length > 0 && inside[length..].starts_with('}') && {
                // As a name the braces say nothing.
                self.code(&inside[..length], self.at + length + 3);
                true
            };
        }
        let length = rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1);
        let is_name = rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_')
            || (rest.starts_with('$') && length > 0);
        if !is_name {
            return false;
        }
        let mut end = 1 + length;
        let behind = &rest[end..];
        let arrow = if behind.starts_with("->[") || behind.starts_with("->{") { 2 } else { 0 };
        if behind[arrow..].starts_with(['[', '{']) && !self.unbalanced {
            match closing(&behind[arrow..]) {
                Some(close) => end += arrow + close + 1,
                None => self.unbalanced = true,
            }
        }
        self.code(&rest[..end], self.at + end)
    }

    fn escape(&mut self, escapes: Escapes) {
        let rest = &self.inner[self.at + 1..];
        let Some(c) = rest.chars().next() else {
            self.text.push('\\');
            self.at += 1;
            return;
        };
        let mut length = c.len_utf8();
        if escapes == Escapes::Mark {
            if !matches!(c, '\\' | '\'' | ')' | '}' | ']' | '>') {
                self.text.push('\\');
            }
            self.text.push(c);
            self.at += 1 + length;
            return;
        }
        let digits = |from: usize, most: usize, radix: u32| {
            let count = rest[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
            (
                from + count,
                u32::from_str_radix(&rest[from..from + count], radix).ok().and_then(char::from_u32),
            )
        };
        let mut put = |(end, c): (usize, Option<char>)| {
            length = end;
            c
        };
        let stands_for = match c {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\x07'),
            'b' => Some('\x08'),
            'f' => Some('\x0c'),
            'v' => Some('\x0b'),
            'e' => Some('\x1b'),
            '\n' => None,
            'x' if rest[1..].starts_with(|c: char| c.is_ascii_hexdigit()) => put(digits(1, 2, 16)),
            'u' if rest[1..].starts_with('{') => {
                let (end, c) = digits(2, 6, 16);
                put((end + usize::from(rest[end..].starts_with('}')), c))
            }
            'u' if rest[1..].starts_with(|c: char| c.is_ascii_hexdigit()) => put(digits(1, 4, 16)),
            '0'..='7' => put(digits(0, 3, 8)),
            other => Some(other),
        };
        self.text.extend(stands_for);
        self.at += 1 + length;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where the bracket at the start is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(inner: &str, escapes: Escapes, holds: Holds) -> String {
        let shown = pieces(inner, escapes, holds).into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Code(code) => format!("<{code}>"),
        });
        shown.collect()
    }

    #[test]
    fn escapes_and_code_are_told_from_text() {
        use Escapes::{All, Mark, None};
        use Holds::{Braces, Dollar, Hash, Names, Nothing};
        for (inner, escapes, holds, expected) in [
            (r"a\n\x41\u0042\103\\", All, Nothing, "a\nABC\\"),
            (r"\u{43}\é\", All, Nothing, "Cé\\"),
            (r"a\n\'", Mark, Nothing, r"a\n'"),
            (r"a\n", None, Nothing, r"a\n"),
            ("a{b}{{c}}", All, Braces, "a<b>{c}"),
            ("{f({})}", All, Braces, "<f({})>"),
            ("{{{x}", All, Braces, "{<x>"),
            ("{x", All, Braces, "{x"),
            ("a${b}$c", All, Dollar, "a<b>$c"),
            ("a#{b}#c", All, Hash, "a<b>#c"),
            ("a$b/${c}@d $", All, Names, "a<$b>/<c><@d> $"),
            ("$E{HOME}/x $a[0]", All, Names, "<$E{HOME}>/x <$a[0]>"),
            ("{$x}y", All, Names, "<$x>y"),
            ("", All, Names, ""),
        ] {
            assert_eq!(shown(inner, escapes, holds), expected, "{inner}");
        }
    }
}
