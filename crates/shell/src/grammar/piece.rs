//! The pieces of a word: text, quotations, expansions, substitutions.

use super::Parser;
use super::lex::{Dollar, name_length};
use crate::budget::Budget;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// As it stands; outside of quotes it may be a pattern.
    Text(&'t str),
    /// In single quotes, or behind a backslash.
    Literal(&'t str),
    /// `$'…'`
    AnsiC(&'t str),
    /// `"…"`
    Double(Vec<Piece<'t>>),
    /// `~`, `~user`: what is behind the sign.
    Tilde(&'t str),
    /// `$name` and `${…}`
    Parameter(Parameter<'t>),
    /// `$(…)`, `${ …; }`
    Command(&'t str),
    /// `<(…)` and `>(…)`
    Process(&'t str),
    Backquoted(&'t str),
    /// `$((…))`
    Arithmetic(&'t str),
}

/// `${name[index]operation}`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameter<'t> {
    pub(crate) name: &'t str,
    pub(crate) index: Option<&'t str>,
    /// What is behind the name: `:-default`, `%.txt`. A prefix (`#`, `!`) makes something else of it, and stands here too.
    pub(crate) operation: &'t str,
    pub(crate) prefix: &'t str,
}

/// Where the text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Word,
    /// In double quotes; a quotation mark is only text in a here-document.
    Quoted,
}

/// The pieces of a text; nothing if a quotation or substitution in it does not end, or the budget does.
pub(crate) fn pieces<'t>(text: &'t str, place: Place, budget: &'t Budget) -> Option<Vec<Piece<'t>>> {
    if !budget.spend_bytes(text.len()) {
        return None;
    }
    let mut reader = Parser::new(text, budget);
    let mut found = Vec::new();
    let quoted = place == Place::Quoted;
    let mut plain = 0;
    while let Some(byte) = text.as_bytes().get(reader.at).copied() {
        let start = reader.at;
        let special = match byte {
            b'\\' | b'$' | b'`' => true,
            b'\'' | b'"' => !quoted,
            b'~' => !quoted && start == 0,
            b'<' | b'>' => !quoted && text.as_bytes().get(start + 1) == Some(&b'('),
            _ => false,
        };
        if !special {
            reader.at += 1;
            continue;
        }
        if plain < start {
            found.push(Piece::Text(&text[plain..start]));
        }
        if !budget.spend(1) {
            return None;
        }
        let piece = piece(&mut reader, byte, quoted)?;
        plain = reader.at;
        found.push(piece);
    }
    if plain < text.len() {
        found.push(Piece::Text(&text[plain..]));
    }
    Some(found)
}

/// The piece that begins with a byte that means something; nothing if it does not end.
fn piece<'t>(reader: &mut Parser<'t>, byte: u8, quoted: bool) -> Option<Piece<'t>> {
    let text = reader.text;
    let start = reader.at;
    Some(match byte {
        b'\\' => {
            reader.escaped();
            let escaped = &text[start + 1..reader.at];
            match escaped {
                // A line that goes on.
                "\n" => Piece::Literal(""),
                // In double quotes a backslash is one before these only.
                _ if quoted && !matches!(escaped, "$" | "`" | "\"" | "\\") => {
                    Piece::Literal(&text[start..reader.at])
                }
                "" => Piece::Literal("\\"),
                escaped => Piece::Literal(escaped),
            }
        }
        b'\'' => {
            reader.single_quoted().ok()?;
            Piece::Literal(&text[start + 1..reader.at - 1])
        }
        b'"' => {
            reader.double_quoted().ok()?;
            Piece::Double(pieces(&text[start + 1..reader.at - 1], Place::Quoted, reader.budget)?)
        }
        b'`' => {
            reader.backquoted().ok()?;
            Piece::Backquoted(&text[start + 1..reader.at - 1])
        }
        b'~' => {
            reader.at += 1;
            let rest = reader.rest();
            let is_user = |c: char| c.is_alphanumeric() || "-_+.".contains(c);
            let end = rest.find(|c| !is_user(c)).unwrap_or(rest.len());
            if !(rest[end..].is_empty() || rest[end..].starts_with(['/', ':'])) {
                return Some(Piece::Text("~"));
            }
            reader.at += end;
            Piece::Tilde(&rest[..end])
        }
        b'$' => {
            let kind = reader.dollar(quoted).ok()?;
            let whole = &text[start..reader.at];
            match kind {
                // `$"…"` is translated.
                Dollar::Sign if !quoted && reader.rest().starts_with('"') => Piece::Literal(""),
                Dollar::Sign => Piece::Literal("$"),
                Dollar::Name => Piece::Parameter(Parameter { name: &whole[1..], ..Parameter::default() }),
                Dollar::Braces => Piece::Parameter(parameter(&whole[2..whole.len() - 1])),
                Dollar::Group => Piece::Command(whole[3..whole.len() - 1].trim_start()),
                Dollar::Command => Piece::Command(&whole[2..whole.len() - 1]),
                Dollar::Arithmetic => Piece::Arithmetic(&whole[3..whole.len() - 2]),
                Dollar::AnsiC => Piece::AnsiC(&whole[2..whole.len() - 1]),
            }
        }
        _ => {
            reader.at += 2;
            reader.substitution().ok()?;
            Piece::Process(&text[start + 2..reader.at - 1])
        }
    })
}

/// What stands between `${` and `}`.
fn parameter(inside: &str) -> Parameter<'_> {
    // `${#name}`, `${!name}`; `${#}` and `${!}` are parameters themselves.
    let prefixed = inside.len() > 1
        && inside.starts_with(['#', '!'])
        && !inside[1..].starts_with([':', '-', '=', '?', '+', '%', '/']);
    let (prefix, rest) = inside.split_at(usize::from(prefixed));
    let length = match rest.bytes().next() {
        Some(b'0'..=b'9') => rest.bytes().take_while(u8::is_ascii_digit).count(),
        Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
        _ => name_length(rest),
    };
    let (name, rest) = rest.split_at(length);
    let index = rest.strip_prefix('[').and_then(|behind| Some(&behind[..behind.find(']')?]));
    let operation = index.map_or(rest, |index| &rest[index.len() + 2..]);
    Parameter { name, index, operation, prefix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        use Piece::{AnsiC, Arithmetic, Backquoted, Command, Double, Literal, Process, Text, Tilde};
        let named = |name, operation| Piece::Parameter(Parameter { name, operation, ..Parameter::default() });
        let cases: Vec<(&str, Vec<Piece<'_>>)> = vec![
            ("a'b c'd", vec![Text("a"), Literal("b c"), Text("d")]),
            (r"a\ b\", vec![Text("a"), Literal(" "), Text("b"), Literal(r"\")]),
            ("a\\\nb", vec![Text("a"), Literal(""), Text("b")]),
            (r#""x\"\n$y""#, vec![Double(vec![Text("x"), Literal("\""), Literal(r"\n"), named("y", "")])]),
            ("~/x", vec![Tilde(""), Text("/x")]),
            ("~root", vec![Tilde("root")]),
            ("~$x", vec![Text("~"), named("x", "")]),
            ("a~", vec![Text("a~")]),
            ("$'a\\'b'", vec![AnsiC("a\\'b")]),
            ("$\"a\"", vec![Literal(""), Double(vec![Text("a")])]),
            ("$(a \")\" $(b))c", vec![Command("a \")\" $(b)"), Text("c")]),
            ("$(case x in a) b;; esac)", vec![Command("case x in a) b;; esac")]),
            ("${ a; }b", vec![Command("a; "), Text("b")]),
            ("${| a \"}\"; }", vec![Command("a \"}\"; ")]),
            ("$((1 + (2)))", vec![Arithmetic("1 + (2)")]),
            ("$((a); b)", vec![Command("(a); b")]),
            ("`a \\`b\\``", vec![Backquoted("a \\`b\\`")]),
            ("<(a)", vec![Process("a")]),
            ("${x:-'}'}y", vec![named("x", ":-'}'"), Text("y")]),
            ("\"${x:-it's}\"", vec![Double(vec![named("x", ":-it's")])]),
            ("$1$@$", vec![named("1", ""), named("@", ""), Literal("$")]),
            ("${10}", vec![named("10", "")]),
            ("${#}", vec![named("#", "")]),
            ("${#x}", vec![Piece::Parameter(Parameter { name: "x", prefix: "#", ..Parameter::default() })]),
            (
                "${a[@]}",
                vec![Piece::Parameter(Parameter { name: "a", index: Some("@"), ..Parameter::default() })],
            ),
        ];
        let budget = Budget::new(None);
        for (text, expected) in cases {
            assert_eq!(pieces(text, Place::Word, &budget), Some(expected), "{text}");
        }
        for unclosed in ["'a", "\"a", "$(a", "${a", "`a", "$'a", "$(if)"] {
            assert_eq!(pieces(unclosed, Place::Word, &budget), None, "{unclosed}");
        }
    }
}
