//! Brace expansion: `{a,b}c`, `{1..3}`. Bounded in words and bytes: a few letters can stand for millions.

/// A command line of a person does not get near this.
const MOST_WORDS: usize = 256;
/// More groups than this make more words than anybody means.
const MOST_GROUPS: usize = 10;
/// All words together.
const MOST_BYTES: usize = 1 << 20;
/// No sequence is longer: two numbers and a step.
const LONGEST_SEQUENCE: usize = 64;

/// The words that braces make of one.
#[derive(Debug, PartialEq, Eq)]
pub struct Expanded {
    pub words: Vec<String>,
    /// Words are left out, or the braces are not expanded at all. The rest of a count (`{1..1000}`) is like its beginning, and is
    /// left out without a word.
    pub is_cut: bool,
}

/// The words that braces make of one.
pub fn expanded(text: &str) -> Expanded {
    let whole = |is_cut| Expanded { words: vec![text.to_owned()], is_cut };
    if !text.contains('{') {
        return whole(false);
    }
    let groups = groups(text);
    if groups.len() > MOST_GROUPS {
        return whole(true);
    }
    let mut is_cut = false;
    let words = expand(text, &mut is_cut);
    if words.is_empty() { whole(true) } else { Expanded { words, is_cut } }
}

/// A matched pair of braces that stands for several words.
struct Group {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

fn expand(text: &str, is_cut: &mut bool) -> Vec<String> {
    let Some(Group { open, close, commas }) = groups(text).into_iter().next() else {
        return vec![text.to_owned()];
    };
    let inside = &text[open + 1..close];
    let choices: Vec<String> = match sequence(inside) {
        Some(values) if commas.is_empty() => values,
        _ => {
            let mut from = open + 1;
            let mut parts = Vec::new();
            for comma in commas.iter().copied().chain([close]) {
                parts.push(&text[from..comma]);
                from = comma + 1;
            }
            let mut choices = Vec::new();
            for part in parts {
                if choices.len() > MOST_WORDS {
                    break;
                }
                choices.extend(expand(part, is_cut));
            }
            choices
        }
    };
    let tails = expand(&text[close + 1..], is_cut);
    let head = &text[..open];
    let is_count = commas.is_empty() && tails.len() == 1;
    let mut bytes = 0;
    let mut words = Vec::new();
    for (choice, tail) in choices.iter().flat_map(|choice| tails.iter().map(move |tail| (choice, tail))) {
        bytes += head.len() + choice.len() + tail.len();
        if words.len() == MOST_WORDS || bytes > MOST_BYTES {
            *is_cut |= !is_count || bytes > MOST_BYTES;
            break;
        }
        words.push(format!("{head}{choice}{tail}"));
    }
    words
}

/// Pairs that expand, in order of their opening, outermost first. Where there are too many, not all of them.
fn groups(text: &str) -> Vec<Group> {
    let bytes = text.as_bytes();
    let mut stack: Vec<(usize, bool, Vec<usize>)> = Vec::new();
    let mut found = Vec::new();
    // How many of the open ones are `${`.
    let mut parameters = 0_usize;
    let mut at = 0;
    while at < bytes.len() && found.len() <= MOST_GROUPS {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' => at = skip(bytes, at, b'\''),
            b'"' => at = skip(bytes, at, b'"'),
            b'`' => at = skip(bytes, at, b'`'),
            b'$' | b'<' | b'>' if bytes.get(at + 1) == Some(&b'(') => at = skip_brackets(bytes, at + 1),
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                stack.push((at + 1, true, Vec::new()));
                parameters += 1;
                at += 1;
            }
            b'{' => stack.push((at, false, Vec::new())),
            b',' => {
                if let Some((_, _, commas)) = stack.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                if let Some((open, is_parameter, commas)) = stack.pop() {
                    // `${` keeps everything up to its end from being expanded.
                    if parameters == 0 && (!commas.is_empty() || sequence(&text[open + 1..at]).is_some()) {
                        found.push(Group { open, close: at, commas });
                    }
                    parameters -= usize::from(is_parameter);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found.sort_by_key(|group| group.open);
    found
}

/// The place of the closing mark, or the end.
fn skip(bytes: &[u8], open: usize, mark: u8) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != mark {
        at += 1 + usize::from(bytes[at] == b'\\' && mark != b'\'');
    }
    at
}

fn skip_brackets(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// `1..3`, `a..e`, with a step perhaps.
fn sequence(inside: &str) -> Option<Vec<String>> {
    if inside.len() > LONGEST_SEQUENCE {
        return None;
    }
    let mut parts = inside.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
        let count = (first.abs_diff(last) / step).min(MOST_WORDS as u64);
        let step = i64::try_from(step).ok()?;
        let value = |index: u64| {
            let moved = step.saturating_mul(i64::try_from(index).unwrap_or(i64::MAX));
            if first <= last { first.saturating_add(moved) } else { first.saturating_sub(moved) }
        };
        return Some((0..=count).map(|index| value(index).to_string()).collect());
    }
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| chars.next().is_none() && c.is_ascii_alphabetic())
    };
    let (first, last) = (single(first)?, single(last)?);
    let (low, high) = if first <= last { (first, last) } else { (last, first) };
    Some((low..=high).map(|c| c.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word, and the words that braces make of it.
    const CASES: &[(&str, &[&str])] = &[
        ("{a,b}c", &["ac", "bc"]),
        ("x{1..3}", &["x1", "x2", "x3"]),
        ("{a,{b,c}}", &["a", "b", "c"]),
        ("{a}{b,c}", &["{a}b", "{a}c"]),
        ("{a{b,c}", &["{ab", "{ac"]),
        ("{a,b}}", &["a}", "b}"]),
        ("${x}{a,b}", &["${x}a", "${x}b"]),
        ("{${x},b}", &["${x}", "b"]),
        ("${x:-{a,b}}", &["${x:-{a,b}}"]),
        ("${x:-{1..3}}", &["${x:-{1..3}}"]),
        ("p${x:-{a,b}}{c,d}", &["p${x:-{a,b}}c", "p${x:-{a,b}}d"]),
        ("{${x:-a,b},c}", &["${x:-a,b}", "c"]),
        ("{a,${x:-{b,c}}}", &["a", "${x:-{b,c}}"]),
        ("${x:-{a,b}{c,d}}", &["${x:-{a,b}{c,d}}"]),
        ("$(echo a,b){c,d}", &["$(echo a,b)c", "$(echo a,b)d"]),
        ("<({a,b})", &["<({a,b})"]),
        ("'{a,b}'", &["'{a,b}'"]),
        ("\"${x:-{a,b}}\"{c,d}", &["\"${x:-{a,b}}\"c", "\"${x:-{a,b}}\"d"]),
        ("{}", &["{}"]),
        ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
    ];

    #[test]
    fn braces_expand_as_in_bash() {
        for (text, expected) in CASES {
            let expected = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(expanded(text), Expanded { words: expected, is_cut: false }, "{text}");
        }
        let many = format!("{{{}}}", "a,".repeat(1000));
        let long = format!("{}{{a,b}}", "x".repeat(MOST_BYTES));
        for (text, words, is_cut) in [
            ("{".repeat(10_000), 1, false),
            (format!("{}{}", "{".repeat(10_000), "}".repeat(10_000)), 1, false),
            ("{a,b}".repeat(1000), 1, true),
            ("{a,b}".repeat(10), MOST_WORDS, true),
            ("{a,b}".repeat(8), MOST_WORDS, false),
            ("{1..1000}".into(), MOST_WORDS, false),
            ("{1..1000}{a,b}".into(), MOST_WORDS, true),
            (many, MOST_WORDS, true),
            (long, 1, true),
        ] {
            let expanded = expanded(&text);
            assert_eq!((expanded.words.len(), expanded.is_cut), (words, is_cut), "{text:.40}");
        }
    }

    /// bash itself prints the same for a word and, with brace expansion off, for the words that it should become.
    #[test]
    #[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test may ask bash")]
    fn bash_agrees() {
        for value in ["unset x", "x=v"] {
            let print = |option: &str, words: &str| {
                let script = format!("{value}; set {option}; printf '<%s>' {words}");
                let run = std::process::Command::new("bash")
                    .args(["--norc", "-c", &script])
                    .output()
                    .expect("bash runs");
                String::from_utf8_lossy(&run.stdout).into_owned()
            };
            for (text, expected) in CASES {
                assert_eq!(print("-B", text), print("+B", &expected.join(" ")), "{text} with {value}");
            }
        }
    }
}
