//! Brace expansion: `{a,b}c`, `{1..3}`. Bounded: `{{{{…` must not take exponential time.

/// A command line of a person does not get near this.
const MOST_WORDS: usize = 256;
/// More groups than this make more words than anybody means.
const MOST_GROUPS: usize = 10;

/// The words that braces make of one.
pub fn expanded(text: &str) -> Vec<String> {
    if !text.contains('{') {
        return vec![text.to_owned()];
    }
    let groups = groups(text);
    if groups.len() > MOST_GROUPS {
        return vec![text.to_owned()];
    }
    expand(text)
}

/// A matched pair of braces that stands for several words.
struct Group {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

fn expand(text: &str) -> Vec<String> {
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
            parts.into_iter().flat_map(expand).collect()
        }
    };
    let tails = expand(&text[close + 1..]);
    let head = &text[..open];
    let all = choices.iter().flat_map(|choice| tails.iter().map(move |tail| format!("{head}{choice}{tail}")));
    all.take(MOST_WORDS).collect()
}

/// Pairs that expand, in order of their opening, outermost first.
fn groups(text: &str) -> Vec<Group> {
    let bytes = text.as_bytes();
    let mut stack: Vec<(usize, bool, Vec<usize>)> = Vec::new();
    let mut found = Vec::new();
    // How many of the open ones are `${`.
    let mut parameters = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' => at = skip(bytes, at, b'\''),
            b'"' => at = skip(bytes, at, b'"'),
            b'`' => at = skip(bytes, at, b'`'),
            b'$' if bytes.get(at + 1) == Some(&b'(') => at = skip_brackets(bytes, at + 1),
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
        ("'{a,b}'", &["'{a,b}'"]),
        ("\"${x:-{a,b}}\"{c,d}", &["\"${x:-{a,b}}\"c", "\"${x:-{a,b}}\"d"]),
        ("{}", &["{}"]),
        ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
    ];

    #[test]
    fn braces_expand_as_in_bash() {
        for (text, expected) in CASES {
            assert_eq!(expanded(text), *expected, "{text}");
        }
        assert_eq!(expanded(&"{".repeat(10_000)).len(), 1);
        assert_eq!(expanded(&"{a,b}".repeat(1000)).len(), 1);
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
