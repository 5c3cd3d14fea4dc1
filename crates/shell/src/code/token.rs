//! The tokens of code: names, quoted texts, brackets and operators. Comments and regular expressions are left out.
//!
//! One lexer serves all languages, as they differ in marks only. It never fails, and looks at each byte a bounded number of times: a
//! text that is not closed takes the rest of the code with it.

use super::language::Language;
use super::quote::{Escapes, Holds, Piece, pieces};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    /// With its sigil: `$x` of Perl, `@x` of Ruby.
    Name,
    Number,
    Text(Vec<Piece<'t>>),
    /// A text in backquotes that is no command: it may have a tag before it.
    Template(Vec<Piece<'t>>),
    /// A text that is run: backquotes, `%x()`, `qx()`.
    Command(Vec<Piece<'t>>),
    /// `%w[]`, `qw()`
    Words(Vec<&'t str>),
    /// `<*.c>` of Perl
    Pattern(&'t str),
    Regex,
    Mark,
    Newline,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) text: &'t str,
    /// Nothing stands between it and the token before.
    pub(super) glued: bool,
}

/// Operators of several letters, longer ones first.
const OPERATORS: &[&str] = &[
    "===", "!==", "**=", "...", "<<=", ">>=", "||=", "&&=", "??=", "<=>", "=>", "->", "::", "?.", "&.", "==",
    "!=", "<=", ">=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "&&", "||", "??", "..", "<<", ">>",
    "|&", "=~", "!~", "~=", ":=", "**", "++", "--",
];

/// Names behind which a slash begins a regular expression.
const BEFORE_REGEX: &[&str] = &[
    "return", "for", "foreach", "if", "unless", "and", "or", "not", "split", "grep", "when", "while", "case",
    "in", "typeof", "print",
];

pub(super) fn tokens(text: &str, language: Language) -> Vec<Token<'_>> {
    let mut lexer =
        Lexer { text, at: 0, language, found: Vec::new(), document: None, no_document: false, no_regex: 0 };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.found
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    language: Language,
    found: Vec<Token<'t>>,
    /// Where the line behind a here-document begins.
    document: Option<usize>,
    /// A here-document was not closed: nobody looks for the end of another.
    no_document: bool,
    /// Before here no regular expression is closed.
    no_regex: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind<'t>, from: usize) {
        let glued = from > 0 && !self.text[..from].ends_with(char::is_whitespace);
        self.found.push(Token { kind, text: &self.text[from..self.at], glued });
    }

    /// The token before is one that has a value.
    fn behind_value(&self) -> bool {
        self.found.last().is_some_and(|token| match token.kind {
            Kind::Mark => matches!(token.text, ")" | "]" | "}"),
            Kind::Newline => false,
            Kind::Name => !BEFORE_REGEX.contains(&token.text),
            _ => true,
        })
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return };
        let from = self.at;
        if c == '\n' {
            self.at = self.document.take().unwrap_or(self.at + 1).max(self.at + 1).min(self.text.len());
            self.found.push(Token { kind: Kind::Newline, text: "\n", glued: false });
            self.skip_pages();
        } else if c.is_whitespace() {
            self.at += c.len_utf8();
        } else if rest.starts_with("\\\n") {
            self.at += 2;
        } else if let Some(length) = self.comment() {
            self.at += length;
        } else if !(self.quoted(c) || self.marked(c) || self.word(c)) {
            let length = OPERATORS
                .iter()
                .find(|operator| rest.starts_with(**operator))
                .map_or(c.len_utf8(), |op| op.len());
            self.at += length;
            self.push(Kind::Mark, from);
        }
    }

    /// Pages of documentation between the lines of Ruby and Perl, and data behind the code.
    fn skip_pages(&mut self) {
        if !matches!(self.language, Language::Ruby | Language::Perl) {
            return;
        }
        let rest = self.rest();
        if rest.starts_with("__END__") || rest.starts_with("__DATA__") {
            self.at = self.text.len();
        } else if rest.starts_with('=') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let close = if self.language == Language::Ruby { "\n=end" } else { "\n=cut" };
            let end = rest.find(close).map_or(self.text.len(), |end| self.at + end + close.len());
            self.at = self.text[end..].find('\n').map_or(self.text.len(), |line| end + line);
        }
    }

    fn comment(&self) -> Option<usize> {
        use Language::{AppleScript, Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let rest = self.rest();
        let line = || rest.find('\n').unwrap_or(rest.len());
        let until = |close: &str| rest.find(close).map_or(rest.len(), |end| end + close.len());
        match self.language {
            Python | Ruby | Perl | Awk | AppleScript if rest.starts_with('#') => Some(line()),
            Php if rest.starts_with('#') && !rest.starts_with("#[") => Some(line()),
            JavaScript if rest.starts_with("#!") && self.at == 0 => Some(line()),
            JavaScript | Php if rest.starts_with("//") => Some(line()),
            JavaScript | Php if rest.starts_with("/*") => Some(until("*/")),
            Lua if rest.starts_with("--[[") => Some(until("]]")),
            Lua | AppleScript if rest.starts_with("--") => Some(line()),
            AppleScript if rest.starts_with("(*") => Some(until("*)")),
            _ => None,
        }
    }

    /// The text behind an opening mark up to its end; what is opened in it again is closed in it.
    fn until(&mut self, open: char, close: char) -> &'t str {
        let from = self.at;
        let mut depth = 0_usize;
        let mut held = 0_usize;
        let mut letters = self.rest().char_indices().peekable();
        while let Some((at, c)) = letters.next() {
            if c == '\\' {
                letters.next();
            } else if matches!(c, '$' | '#')
                && letters.peek().is_some_and(|(_, next)| *next == '{')
                && open == close
            {
                letters.next();
                held += 1;
            } else if held > 0 {
                match c {
                    '{' => held += 1,
                    '}' => held -= 1,
                    _ => {}
                }
            } else if c == close && depth == 0 {
                self.at = from + at + c.len_utf8();
                return &self.text[from..from + at];
            } else if c == close {
                depth -= 1;
            } else if c == open {
                depth += 1;
            }
        }
        self.at = self.text.len();
        &self.text[from..]
    }

    /// The text behind a mark up to the same mark in the same line.
    fn in_line(&mut self, mark: char) -> Option<&'t str> {
        let rest = self.rest();
        let mut letters = rest.char_indices();
        while let Some((at, c)) = letters.next() {
            match c {
                '\\' => {
                    letters.next();
                }
                '\n' => return None,
                c if c == mark => {
                    self.at += at + 1;
                    return Some(&rest[..at]);
                }
                _ => {}
            }
        }
        None
    }

    /// A text in quotation marks. Whether it was one.
    fn quoted(&mut self, c: char) -> bool {
        use Language::{AppleScript, Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let from = self.at;
        match (c, self.language) {
            ('\'' | '"', Python) => return self.python_text(""),
            ('\'', Awk | AppleScript) => return false,
            ('\'' | '"', JavaScript | Lua | Awk | AppleScript) => {
                self.at += 1;
                let Some(inner) = self.in_line(c) else {
                    self.at = from;
                    return false;
                };
                self.push(Kind::Text(pieces(inner, Escapes::All, Holds::Nothing)), from);
            }
            ('`', JavaScript) => {
                self.at += 1;
                let inner = self.until('`', '`');
                self.push(Kind::Template(pieces(inner, Escapes::All, Holds::Dollar)), from);
            }
            ('\'', Ruby | Perl | Php) => {
                self.at += 1;
                // Within single marks nothing holds code.
                let rest = self.rest();
                let inner = plain_end(rest, '\'').map_or(rest, |end| &rest[..end]);
                self.at = (self.at + inner.len() + 1).min(self.text.len());
                self.push(Kind::Text(pieces(inner, Escapes::Mark, Holds::Nothing)), from);
            }
            ('"' | '`', Ruby | Perl | Php) => {
                self.at += 1;
                let inner = self.until(c, c);
                let inner = pieces(inner, Escapes::All, self.holds());
                self.push(if c == '`' { Kind::Command(inner) } else { Kind::Text(inner) }, from);
            }
            ('[', Lua) => {
                let level = self.rest()[1..].bytes().take_while(|byte| *byte == b'=').count();
                if !self.rest()[1 + level..].starts_with('[') {
                    return false;
                }
                self.at += level + 2;
                let close = format!("]{}]", "=".repeat(level));
                let inner = self.rest().find(&close).map_or(self.rest(), |end| &self.rest()[..end]);
                self.at = (self.at + inner.len() + close.len()).min(self.text.len());
                self.push(Kind::Text(vec![Piece::Text(inner.to_owned())]), from);
            }
            _ => return false,
        }
        true
    }

    fn holds(&self) -> Holds {
        if self.language == Language::Ruby { Holds::Hash } else { Holds::Names }
    }

    /// A text of Python behind its letters: `r`, `b`, `f`.
    fn python_text(&mut self, letters: &str) -> bool {
        let from = self.at - letters.len();
        let has = |letter: char| letters.contains([letter, letter.to_ascii_uppercase()]);
        let escapes = if has('r') { Escapes::None } else { Escapes::All };
        let holds = if has('f') { Holds::Braces } else { Holds::Nothing };
        let rest = self.rest();
        let mark = if rest.starts_with('"') { '"' } else { '\'' };
        let triple = if mark == '"' { "\"\"\"" } else { "'''" };
        let inner = if let Some(inside) = rest.strip_prefix(triple) {
            let end = if escapes == Escapes::None { inside.find(triple) } else { unescaped(inside, triple) };
            let inner = end.map_or(inside, |end| &inside[..end]);
            self.at = (self.at + inner.len() + 6).min(self.text.len());
            inner
        } else {
            self.at += 1;
            let Some(inner) = self.in_line(mark) else {
                self.at -= 1;
                return false;
            };
            inner
        };
        self.push(Kind::Text(pieces(inner, escapes, holds)), from);
        true
    }

    /// Texts and regular expressions in marks of their own: `%q{}`, `<*.c>`, `/x/`, here-documents, symbols. Whether it was one.
    fn marked(&mut self, c: char) -> bool {
        use Language::{Awk, JavaScript, Perl, Php, Ruby};
        let from = self.at;
        let rest = self.rest();
        match (c, self.language) {
            ('/', JavaScript | Ruby | Perl | Awk) if !self.behind_value() => self.regex(),
            ('<', Ruby | Perl | Php) if rest.starts_with("<<") => self.document(),
            ('<', Perl)
                if !self.behind_value() || self.found.last().is_some_and(|token| token.text == "unlink") =>
            {
                let end = rest.find(['>', '\n', ';']).filter(|end| rest[*end..].starts_with('>'));
                let Some(end) = end.filter(|end| rest[1..*end].contains(['*', '?', '.'])) else {
                    return false;
                };
                self.at += end + 1;
                self.push(Kind::Pattern(&rest[1..end]), from);
                true
            }
            ('%', Ruby) => {
                let letter = rest[1..].chars().next().unwrap_or_default();
                let letters = usize::from("qQwWiIxrs".contains(letter));
                let Some(open) = rest[1 + letters..].chars().next() else { return false };
                let opens = if letters == 0 { "([{".contains(open) } else { "([{<|!/".contains(open) };
                if !opens || (letters == 0 && self.behind_value()) {
                    return false;
                }
                self.at += 1 + letters;
                self.literal(if letters == 0 { 'Q' } else { letter }, from)
            }
            (':', Ruby) if rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                let is_pair =
                    self.found.last().is_some_and(|token| token.text == ":" && token.kind == Kind::Mark);
                if is_pair {
                    return false;
                }
                let length = rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1);
                self.at += 1 + length;
                self.push(Kind::Text(vec![Piece::Text(rest[1..=length].to_owned())]), from);
                true
            }
            _ => false,
        }
    }

    fn regex(&mut self) -> bool {
        let from = self.at;
        if from < self.no_regex {
            return false;
        }
        let mut class = false;
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((at, c)) = letters.next() {
            match c {
                '\\' => {
                    letters.next();
                }
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    self.at += at + 1;
                    self.push(Kind::Regex, from);
                    return true;
                }
                '\n' => break,
                _ => {}
            }
        }
        self.no_regex = self.text[from..].find('\n').map_or(self.text.len(), |end| from + end);
        false
    }

    /// A text with a delimiter of its choice, which is next. Whether it was one.
    fn literal(&mut self, letter: char, from: usize) -> bool {
        let Some(open) = self.rest().chars().next() else { return false };
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        self.at += open.len_utf8();
        let inner = self.until(open, close);
        let single = |inner| pieces(inner, Escapes::Mark, Holds::Nothing);
        let kind = match letter {
            'q' | 's' => Kind::Text(single(inner)),
            'Q' => Kind::Text(pieces(inner, Escapes::All, self.holds())),
            'x' => Kind::Command(pieces(inner, Escapes::All, self.holds())),
            'w' | 'W' | 'i' | 'I' => Kind::Words(inner.split_whitespace().collect()),
            _ => Kind::Regex,
        };
        self.push(kind, from);
        true
    }

    /// `<<~WORD`, `<<'WORD'`, `<<<WORD`: the lines behind this one. Whether it was one.
    fn document(&mut self) -> bool {
        let from = self.at;
        let rest = self.rest();
        let start = if self.language == Language::Php { "<<<" } else { "<<" };
        let Some(word) = rest.strip_prefix(start).filter(|_| !self.no_document) else { return false };
        let word = word.trim_start_matches(['~', '-']);
        let word = if self.language == Language::Php { word.trim_start_matches(' ') } else { word };
        let mark = word.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let word = &word[usize::from(mark.is_some())..];
        let length = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
        let name = &word[..length];
        if !name.starts_with(|c: char| c.is_ascii_uppercase() || (mark.is_some() && c.is_alphabetic())) {
            return false;
        }
        let line = self.document.or_else(|| rest.find('\n').map(|end| from + end + 1));
        let Some(line) = line else { return false };
        let body = &self.text[line..];
        let mut end = 0;
        let close = body.split_inclusive('\n').find_map(|text| {
            let is_end = text.trim().trim_end_matches([';', ')', ',']) == name;
            let at = end;
            end += text.len();
            is_end.then_some(at)
        });
        let Some(close) = close else {
            self.no_document = true;
            return false;
        };
        self.document = Some(line + end);
        self.at = from + (rest.len() - word.len()) + length + usize::from(mark.is_some());
        let holds = if mark == Some('\'') { Holds::Nothing } else { self.holds() };
        let escapes = if mark == Some('\'') { Escapes::None } else { Escapes::All };
        self.push(Kind::Text(pieces(&body[..close], escapes, holds)), from);
        true
    }

    /// A name or number, or a text that begins with letters. Whether it was one.
    fn word(&mut self, c: char) -> bool {
        use Language::{JavaScript, Perl, Php, Python, Ruby};
        let from = self.at;
        let rest = self.rest();
        if c.is_ascii_digit() {
            self.at += rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len());
            if self.text[..self.at].ends_with('.') {
                self.at -= 1;
            }
            self.push(Kind::Number, from);
            return true;
        }
        let next = rest[c.len_utf8()..].chars().next().unwrap_or_default();
        let names = next.is_alphabetic() || next == '_';
        let sigil = match (c, self.language) {
            ('$', Perl | Php | Ruby) => names || next.is_ascii_digit(),
            ('@', Perl | Ruby) => names,
            ('%', Perl) => names && !self.behind_value(),
            ('$', JavaScript) => true,
            _ => false,
        };
        if !sigil && !c.is_alphabetic() && c != '_' {
            return false;
        }
        let dollar = self.language == JavaScript;
        let is_part = |c: char| is_word(c) || (dollar && c == '$');
        let first = c.len_utf8();
        self.at += first + rest[first..].find(|c: char| !is_part(c)).unwrap_or(rest.len() - first);
        let name = &self.text[from..self.at];
        let behind = self.rest();
        let is_text = self.language == Python
            && name.len() <= 2
            && behind.starts_with(['\'', '"'])
            && name.chars().all(|c| "rbuftRBUFT".contains(c));
        if is_text && self.python_text(name) {
            return true;
        }
        if self.language == Perl && self.perl_text(name, from) {
            return true;
        }
        if self.language == Ruby && behind.starts_with(['?', '!']) && !behind[1..].starts_with(['=', '~']) {
            self.at += 1;
        }
        self.push(Kind::Name, from);
        true
    }

    /// `q()`, `qq{}`, `qw[]`, `qx//`, `m//`, `s///`, `tr///`. Whether it was one.
    fn perl_text(&mut self, name: &str, from: usize) -> bool {
        let (letter, parts) = match name {
            "q" => ('q', 1),
            "qq" => ('Q', 1),
            "qw" => ('w', 1),
            "qx" => ('x', 1),
            "m" | "qr" => ('m', 1),
            "s" | "tr" | "y" => ('m', 2),
            _ => return false,
        };
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let Some(open) = rest[spaces..].chars().next() else { return false };
        let is_delimiter = !open.is_alphanumeric() && !open.is_whitespace() && !",;)=_-".contains(open);
        let is_member = self.text[..from].ends_with(['{', '>', '&']) && rest.starts_with(['}', '(']);
        if !is_delimiter || is_member || (spaces > 0 && "#<>.|&*+/?:".contains(open)) {
            return false;
        }
        self.at += spaces;
        if parts == 1 {
            return self.literal(letter, from);
        }
        self.at += open.len_utf8();
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        self.until(open, close);
        if open != close {
            let behind = self.rest();
            let spaces = behind.len() - behind.trim_start().len();
            self.at = (self.at + spaces + 1).min(self.text.len());
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
        self.until(open, close);
        self.push(Kind::Regex, from);
        true
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a mark is that no backslash stands before.
fn plain_end(text: &str, mark: char) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        if c == '\\' {
            letters.next();
        } else if c == mark {
            return Some(at);
        }
    }
    None
}

fn unescaped(text: &str, close: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        if c == '\\' {
            letters.next();
        } else if text[at..].starts_with(close) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and marks as they stand, texts in `«»`, commands in `` ` ``, code in texts in `<>`.
    fn shown(code: &str, language: Language) -> String {
        let whole = |pieces: &[Piece<'_>]| {
            let pieces = pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Code(code) => format!("<{code}>"),
            });
            pieces.collect::<String>()
        };
        let shown = tokens(code, language).into_iter().map(|token| match &token.kind {
            Kind::Text(pieces) | Kind::Template(pieces) => format!("«{}»", whole(pieces)),
            Kind::Command(pieces) => format!("`{}`", whole(pieces)),
            Kind::Words(words) => format!("«{}»", words.join("|")),
            Kind::Pattern(pattern) => format!("«{pattern}»"),
            Kind::Regex => "/".to_owned(),
            Kind::Newline => "⏎".to_owned(),
            Kind::Name | Kind::Number | Kind::Mark => token.text.to_owned(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_are_told_from_code() {
        use Language::{AppleScript, Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        for (language, code, expected) in [
            (Python, "f(r'a\\b', b'c') # d", "f ( «a\\b» , «c» )"),
            (Python, "'''a\n'b'''", "«a\n'b»"),
            (Python, "f'a{b}c' 'x", "«a<b>c» ' x"),
            (Python, "'a\\'b' \"c\"", "«a'b» «c»"),
            (Python, "a = 1.5\nb", "a = 1.5 ⏎ b"),
            (JavaScript, "x = /a'b/.test(y) / 2 // c", "x = / . test ( y ) / 2"),
            (JavaScript, "$`a${`b`}c` /* ' */ d", "$ «a<`b`>c» d"),
            (JavaScript, "a?.b ?? c", "a ?. b ?? c"),
            (Ruby, "puts %q{a {b} c}, %w[d e], :f", "puts «a {b} c» , «d|e» , «f»"),
            (Ruby, "`a #{b}`; %x(c)", "`a <b>` ; `c`"),
            (Ruby, "x 5 % 3", "x 5 % 3"),
            (Ruby, "f(<<~E, 1)\n a\nE\nb", "f ( « a\n» , 1 ) ⏎ b"),
            (Ruby, "a\n=begin\nsystem('x')\n=end\nb", "a ⏎ ⏎ b"),
            (Perl, "q(a(b)) . qq{$c} . qw/d e/ . qx'f'", "«a(b)» . «<$c>» . «d|e» . `f`"),
            (Perl, "s/a'/b/; y{a}{b}; $x =~ m#c#; $s = 1", "/ ; / ; $x =~ / ; $s = 1"),
            (Perl, "unlink <*.c>; $a < $b", "unlink «*.c» ; $a < $b"),
            (Perl, "%h = (s => 1)", "%h = ( s => 1 )"),
            (Perl, "print <<'E';\n$a\nE\nb", "print «$a\n» ; ⏎ b"),
            (Perl, "a\n__END__\nsystem('x')", "a ⏎"),
            (Php, "$a = <<<E\nx $b\nE;\nc", "$a = «x <$b>\n» ⏎ c"),
            (Php, "'a\\'$b' # c\n// d\n/* e */ f", "«a'$b» ⏎ ⏎ f"),
            (Lua, "[[a]] .. [=[b]]]=] -- c", "«a» .. «b]]»"),
            (Lua, "--[[ a\n]] b", "b"),
            (Awk, "/a\"b/ { print \"c\" }", "/ { print «c» }"),
            (AppleScript, "do shell script \"a\" (* b *) -- c", "do shell script «a»"),
        ] {
            assert_eq!(shown(code, language), expected, "{language:?} {code}");
        }
    }

    #[test]
    fn what_is_not_closed_takes_the_rest() {
        for (language, code, expected) in [
            (Language::Perl, "q(a b", "«a b»"),
            (Language::JavaScript, "`a b", "«a b»"),
            (Language::Ruby, "\"a b", "«a b»"),
            (Language::Python, "'''a b", "«a b»"),
            (Language::JavaScript, "x = /a", "x = / a"),
        ] {
            assert_eq!(shown(code, language), expected, "{language:?} {code}");
        }
    }
}
