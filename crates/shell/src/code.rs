//! One-line programs in other languages: where their code is, and the literal texts in it.
//!
//! `python3 -c "f='a'; open(f, 'w')"` writes `a`. A text is literal if it is quoted, if a name holds it that is assigned once from
//! literal texts, if it is an argument of the program, or if it is joined from such parts. What is computed otherwise is unknown.

pub(crate) mod editor;
pub(crate) mod sed;

use std::collections::HashMap;

use crate::option::Options;
use crate::run::Run;
use crate::word::Word;

/// Longer code is no one-line program, and is looked at up to here.
const LONGEST: usize = 16 * 1024;
/// Names with a text that are remembered.
const MOST_NAMES: usize = 64;
/// Calls within calls, texts within texts.
const DEEPEST: usize = 8;
/// No path and no command in code is longer.
const LONGEST_TEXT: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    Awk,
}

impl Language {
    pub(crate) fn of(program: &str) -> Option<Self> {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Some(match name {
            "python" | "pypy" => Self::Python,
            "node" | "nodejs" | "bun" | "deno" => Self::JavaScript,
            "ruby" => Self::Ruby,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "lua" | "luajit" => Self::Lua,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            _ => return None,
        })
    }

    /// Options with a value, and those among them that hold code.
    fn options(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Python => (&["-c", "-W", "-X", "-m"], &["-c"]),
            Self::JavaScript => {
                (&["-e", "--eval", "-p", "--print", "-r", "--require"], &["-e", "--eval", "-p", "--print"])
            }
            Self::Ruby => (&["-e", "-I", "-r", "-C", "-i?"], &["-e"]),
            Self::Perl => (&["-e", "-E", "-I", "-M?", "-m?", "-i?"], &["-e", "-E"]),
            Self::Php => (&["-r", "-d", "-B", "-R", "-E"], &["-r", "-B", "-R", "-E"]),
            Self::Lua => (&["-e", "-l"], &["-e"]),
            Self::Awk => (
                &["-f", "-F", "-v", "--file", "--assign", "-i", "--include", "-e", "--source"],
                &["-e", "--source"],
            ),
        }
    }

    /// The arguments of a program, as its code names them, and the number of the first.
    fn arguments(self) -> (&'static str, usize) {
        match self {
            Self::Python => ("sys.argv", 1),
            Self::JavaScript => ("process.argv", 1),
            Self::Ruby => ("ARGV", 0),
            Self::Perl => ("$ARGV", 0),
            Self::Php => ("$argv", 1),
            Self::Lua => ("arg", 1),
            Self::Awk => ("ARGV", 1),
        }
    }

    /// A function is also called without parentheses.
    pub(crate) fn calls_bare(self) -> bool {
        matches!(self, Self::Ruby | Self::Perl | Self::Php)
    }

    /// Text in backquotes is a command.
    pub(crate) fn runs_backquotes(self) -> bool {
        matches!(self, Self::Ruby | Self::Perl | Self::Php)
    }
}

/// Functions that join the parts of a path, and those that only hand it on.
const JOINING: &[&str] = &["os.path.join", "path.join", "path.resolve", "File.join", "require('path').join"];
const HANDING: &[&str] = &[
    "Path",
    "pathlib.Path",
    "str",
    "os.fspath",
    "os.path.abspath",
    "os.path.realpath",
    "os.path.expanduser",
    "File.expand_path",
];

/// The code of a run.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) language: Language,
    pub(crate) text: String,
    /// Names that hold a literal text.
    constants: HashMap<String, String>,
    arguments: Vec<Word>,
}

impl Code {
    /// The code that a run gives on its command line or by a literal input.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let language = Language::of(run.program.as_deref()?)?;
        let (valued, holding) = language.options();
        // `deno eval CODE` and `bun run -`.
        let is_eval = run.args.first().is_some_and(|arg| arg.text == "eval") && run.is(&["deno"]);
        let args = if is_eval { &run.args[1..] } else { &run.args[..] };
        let options = Options::read(args, valued, true);
        let by_option: Vec<&str> = options.all(holding).filter_map(|given| given.value.as_deref()).collect();
        let operands = options.operands.as_slice();
        let behind = |count: usize| operands.get(count..).unwrap_or_default();
        let start = |text: &str| text[..text.floor_char_boundary(LONGEST)].to_owned();
        let (text, arguments) = if !by_option.is_empty() {
            (start(&by_option.join("\n")), operands)
        } else if is_eval || (language == Language::Awk && !options.has(&["-f", "--file"])) {
            (start(&operands.first()?.text), behind(1))
        } else {
            // With a file as its script, what it reads is data.
            let is_stdin =
                operands.first().is_none_or(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
            let input = run.input.as_deref().filter(|_| is_stdin && language != Language::Awk)?;
            (start(input), behind(1))
        };
        let arguments = arguments.iter().map(|word| (*word).clone()).collect();
        let mut code = Self { language, text, constants: HashMap::new(), arguments };
        if language == Language::Awk {
            let given = options.all(&["-v", "--assign"]).filter_map(|given| given.value.as_deref());
            let pairs = given.filter_map(|given| given.split_once('='));
            code.constants.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        code.assign();
        Some(code)
    }

    /// Notes what names are assigned, from the front to the back.
    fn assign(&mut self) {
        let text = std::mem::take(&mut self.text);
        for (at, _) in text.match_indices('=') {
            let before = text[..at].trim_end();
            let after = &text[at + 1..];
            if before.ends_with(['=', '!', '<', '>', '+', '~']) || after.starts_with(['=', '>', '~']) {
                continue;
            }
            let start = before.rfind(|c: char| !is_name(c)).map_or(0, |end| end + 1);
            // The name may begin in the middle of a letter of several bytes.
            let Some(name) = before.get(start..).filter(|name| !name.is_empty()) else { continue };
            let sigil = before[..start].ends_with('$');
            let name = if sigil { format!("${name}") } else { name.to_owned() };
            if let Some((value, _)) = self.literal(after).filter(|_| self.constants.len() < MOST_NAMES) {
                self.constants.insert(name, value);
            }
        }
        self.text = text;
    }

    /// The arguments of every call of a function: what stands behind the opening parenthesis.
    pub(crate) fn calls<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c str> {
        let bare = self.language.calls_bare();
        self.text.match_indices(name).filter_map(move |(at, _)| {
            let is_whole = !self.text[..at].ends_with(is_name);
            arguments(&self.text[at + name.len()..], bare).filter(|_| is_whole)
        })
    }

    /// What begins with every call of a function.
    pub(crate) fn starting<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c str> {
        let whole = self.text.match_indices(name).filter(|(at, _)| !self.text[..*at].ends_with(is_name));
        whole.map(|(at, _)| &self.text[at..]).filter(move |text| is_call(text, name))
    }

    /// What is done with a name that holds a literal text: that text, and what stands behind the name.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&str, &str)> {
        self.constants.iter().flat_map(move |(name, value)| {
            self.text.match_indices(name.as_str()).filter_map(move |(at, _)| {
                let is_whole = !self.text[..at].ends_with(is_name);
                let behind = &self.text[at + name.len()..];
                (is_whole && behind.starts_with('.')).then_some((value.as_str(), behind))
            })
        })
    }

    /// A literal text at the start of an expression, and what is behind it.
    pub(crate) fn literal<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        self.joined(text, 0)
    }

    /// The elements of a list at the start, `['rm', '-r', x]`; one that is computed is unknown.
    pub(crate) fn list(&self, text: &str) -> Option<Vec<Word>> {
        let mut rest = text.trim_start().strip_prefix(['[', '('])?;
        let mut words = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with([']', ')']) || words.len() > 64 {
                return Some(words);
            }
            match self.literal(rest) {
                Some((text, behind)) => {
                    words.push(Word::known(text));
                    rest = behind.trim_start();
                }
                None => {
                    words.push(Word::unknown());
                    rest = &rest[rest.find([',', ']', ')']).unwrap_or(rest.len())..];
                }
            }
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
    }

    fn joined<'t>(&self, text: &'t str, depth: usize) -> Option<(String, &'t str)> {
        if depth > DEEPEST {
            return None;
        }
        let (mut value, mut rest) = self.term(text, depth)?;
        loop {
            // `a = a + a`, again and again.
            if value.len() > LONGEST_TEXT {
                return None;
            }
            let next = rest.trim_start();
            let dots = matches!(self.language, Language::Perl | Language::Php);
            let lua = self.language == Language::Lua;
            let added = next
                .strip_prefix("..")
                .filter(|_| lua)
                .or_else(|| next.strip_prefix('+').filter(|_| !dots))
                .or_else(|| next.strip_prefix('.').filter(|_| dots));
            if let Some(more) = added {
                let (text, behind) = self.term(more, depth)?;
                value.push_str(&text);
                rest = behind;
            } else if let Some(more) = next.strip_prefix('/').filter(|_| self.language == Language::Python) {
                let (text, behind) = self.term(more, depth)?;
                value = format!("{value}/{text}");
                rest = behind;
            } else {
                return Some((value, rest));
            }
        }
    }

    fn term<'t>(&self, text: &'t str, depth: usize) -> Option<(String, &'t str)> {
        let text = text.trim_start();
        if let Some((value, rest)) = self.quoted(text) {
            return Some((value.to_owned(), rest));
        }
        if let Some(inside) = text.strip_prefix('(') {
            let (value, rest) = self.joined(inside, depth + 1)?;
            return Some((value, rest.trim_start().strip_prefix(')')?));
        }
        if let Some(name) = JOINING.iter().chain(HANDING).find(|name| is_call(text, name)) {
            let mut rest = &text[name.len() + 1..];
            let mut parts = Vec::new();
            loop {
                let (part, behind) = self.joined(rest, depth + 1)?;
                parts.push(part);
                let behind = behind.trim_start();
                if let Some(behind) = behind.strip_prefix(')') {
                    return Some((parts.join("/"), behind));
                }
                rest = behind.strip_prefix(',')?;
            }
        }
        let sigil = usize::from(text.starts_with('$'));
        let end = sigil + text[sigil..].find(|c: char| !is_name(c) && c != '.').unwrap_or(text.len() - sigil);
        let name = &text[..end];
        let (arguments, first) = self.language.arguments();
        if let Some(index) = text[end..].strip_prefix('[').filter(|_| name == arguments) {
            let (number, rest) = index.split_once(']')?;
            let at = number.trim().parse::<usize>().ok()?.checked_sub(first)?;
            return Some((self.arguments.get(at)?.literal()?.to_owned(), rest));
        }
        // `path.write_text`: what is called on a name is not part of it.
        let (name, rest) = match name.split_once('.') {
            Some((name, _)) => (name, &text[name.len()..]),
            None => (name, &text[end..]),
        };
        Some((self.constants.get(name)?.clone(), rest))
    }

    /// A text in quotation marks at the start, without anything that is computed in it.
    fn quoted<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let bare = match self.language {
            Language::Python => text.trim_start_matches(['r', 'b', 'u', 'f', 'R']),
            _ => text,
        };
        let computes = bare.len() < text.len() && text[..text.len() - bare.len()].contains('f');
        let is_script = self.language == Language::JavaScript;
        let mark = bare.chars().next().filter(|c| matches!(c, '\'' | '"') || (is_script && *c == '`'))?;
        let triple = [mark; 3].iter().collect::<String>();
        let (inside, close) = match bare.strip_prefix(triple.as_str()) {
            Some(inside) if inside.contains(triple.as_str()) => (inside, triple.as_str()),
            _ => (&bare[1..], &triple[..1]),
        };
        let end = inside.find(close)?;
        let value = &inside[..end];
        let is_computed = (computes && value.contains('{'))
            || (mark == '`' && value.contains("${"))
            || (mark == '"' && self.language == Language::Ruby && value.contains("#{"));
        (!is_computed).then(|| (value, &inside[end + close.len()..]))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_call(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|behind| behind.starts_with('('))
}

/// What stands behind the name of a function: its arguments, if it is called.
fn arguments(behind: &str, bare: bool) -> Option<&str> {
    let text = behind.trim_start();
    text.strip_prefix('(').or_else(|| (bare && behind.starts_with(char::is_whitespace)).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::Surroundings;
    use crate::walk::analyse;

    fn literal(command: &str, expression: &str) -> Option<String> {
        let analysis = analyse(command, &Surroundings::default());
        Code::of(&analysis.runs[0])?.literal(expression).map(|(text, _)| text)
    }

    #[test]
    fn literal_texts_are_found_and_computed_ones_are_not() {
        for (command, expression, expected) in [
            ("python3 -c \"f='a/b'\"", "f", Some("a/b")),
            ("python3 -c \"d='a'; f=d+'/b'\"", "f", Some("a/b")),
            ("python3 -c 'x'", "Path('a')/'b'", Some("a/b")),
            ("python3 -c 'x'", "os.path.join('a', 'b')", Some("a/b")),
            ("python3 -c 'x'", "(Path('a') / 'b')", Some("a/b")),
            ("python3 -c x a b", "sys.argv[2]", Some("b")),
            ("python3 -c x a b", "sys.argv[3]", None),
            ("python3 -c 'x'", "'a' + g()", None),
            ("python3 -c 'x'", "f'{a}'", None),
            ("python3 -c 'x'", "f'a'", Some("a")),
            ("python3 -c 'x'", "'''a'''", Some("a")),
            ("python3 -c 'if f == 1: pass'", "f", None),
            ("node -e 'const f = `a`'", "f", Some("a")),
            ("node -e 'x'", "`${a}`", None),
            ("php -r '$f = \"a\";'", "$f . '/b'", Some("a/b")),
            ("perl -e x a", "$ARGV[0]", Some("a")),
            ("lua -e 'x'", "'a' .. '/b'", Some("a/b")),
            ("awk -v f=a 'x'", "f", Some("a")),
        ] {
            assert_eq!(literal(command, expression).as_deref(), expected, "{command} {expression}");
        }
    }

    #[test]
    fn a_script_in_a_file_is_no_code() {
        for command in ["python3 a.py <<< x", "awk -f a.awk f", "node a.js", "bash -c x", "python3 -m x"] {
            let analysis = analyse(command, &Surroundings::default());
            assert!(Code::of(&analysis.runs[0]).is_none(), "{command}");
        }
    }
}
