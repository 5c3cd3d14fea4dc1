//! Hides secrets before anything is written to the journal.
//!
//! Looks for shapes, not for meaning: tokens with a known beginning, private key blocks, passwords in URLs,
//! `Authorization` values, and values behind names that end in a secret's word (`DB_PASSWORD=…`,
//! `"api_key": "…"`, `--token …`). Written by hand: twenty regular expressions would cost more than the hook.
//! A word too much hidden is harmless; references such as `$TOKEN` are kept, since they hold no secret.

use std::borrow::Cow;
use std::ops::Range;

const MARK: &str = "[redacted]";

/// How tokens begin, and how many token characters must follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxa-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 30),
    ("ya29.", 16),
    ("npm_", 20),
    ("pypi-", 20),
    ("hf_", 16),
    ("shpat_", 16),
    ("dop_v1_", 16),
    ("SG.", 20),
    ("eyJ", 24),
];

/// A name that ends so is followed by a secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "private_key",
    "private-key",
    "secret_key",
    "secret-key",
    "credential",
    "credentials",
];

/// The text with every secret replaced. Borrowed when there was none.
///
/// Hiding one part can make the shape around it visible (a URL whose path hid its user), so it is looked at again
/// until nothing more is found.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = once(text);
    while let Cow::Owned(text) = &redacted {
        match once(text) {
            Cow::Owned(more) if more != *text => redacted = Cow::Owned(more),
            _ => break,
        }
    }
    redacted
}

fn once(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while at < text.len() {
        match secret_near(text, at) {
            Some(secret) => {
                out.push_str(&text[kept..secret.start]);
                out.push_str(MARK);
                kept = secret.end;
                at = secret.end.max(at + 1);
            }
            None => at += 1,
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The secret that the text at `at` announces, if it does.
fn secret_near(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b':' if text[at..].starts_with("://") => password_in_url(text, at + 3),
        b'-' if text[at..].starts_with("-----BEGIN ") => private_key(text, at),
        c if is_name(c) && (at == 0 || !is_name(bytes[at - 1])) => {
            known_token(text, at).or_else(|| authorization(text, at)).or_else(|| named_value(text, at))
        }
        _ => None,
    }
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'-'
}

fn is_token(c: u8) -> bool {
    is_name(c) || matches!(c, b'.' | b'/' | b'+' | b'=' | b'~')
}

/// End of the run of bytes that `keep` holds for.
fn run(text: &str, from: usize, keep: impl Fn(u8) -> bool) -> usize {
    from + text.as_bytes()[from..].iter().take_while(|&&c| keep(c)).count()
}

fn known_token(text: &str, at: usize) -> Option<Range<usize>> {
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| text[at..].starts_with(prefix))?;
    let end = run(text, at, |c| is_name(c) || c == b'.');
    (end - at >= prefix.len() + least).then_some(at..end)
}

/// `://user:password@host`, or a long token in the user's place.
fn password_in_url(text: &str, from: usize) -> Option<Range<usize>> {
    let authority = run(text, from, |c| {
        !c.is_ascii_whitespace() && !matches!(c, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>')
    });
    let at_sign = from + text[from..authority].rfind('@')?;
    match text[from..at_sign].find(':') {
        Some(colon) if from + colon + 1 < at_sign => Some(from + colon + 1..at_sign),
        None if at_sign - from >= 20 => Some(from..at_sign),
        _ => None,
    }
}

/// From the first line of a key block to its last, or to the end of the text.
fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let first_line = text[at..].lines().next()?;
    if !first_line.contains("PRIVATE KEY") {
        return None;
    }
    let body = at + first_line.len();
    let end = text[body..].find("-----END").map_or(text.len(), |end| {
        let last_line = body + end;
        // The block may stand in a JSON string, where its lines are not lines.
        last_line + text[last_line..].find("KEY-----").map_or(0, |close| close + "KEY-----".len())
    });
    Some(at..end)
}

/// The credentials behind `Bearer`, and behind `Basic` or `token` in an Authorization header.
fn authorization(text: &str, at: usize) -> Option<Range<usize>> {
    let word_end = run(text, at, is_name);
    let word = &text[at..word_end];
    let header = || {
        let before = &text.as_bytes()[at.saturating_sub(24)..at];
        String::from_utf8_lossy(before).to_ascii_lowercase().contains("authorization")
    };
    let scheme = word.eq_ignore_ascii_case("bearer")
        || ((word.eq_ignore_ascii_case("basic") || word.eq_ignore_ascii_case("token")) && header());
    let start = run(text, word_end, |c| c == b' ');
    let end = run(text, start, is_token);
    (scheme && start > word_end && end - start >= 8).then_some(start..end)
}

/// `NAME=value`, `name: value`, `"name": "value"`, `--name value`, `-u user:value`.
fn named_value(text: &str, at: usize) -> Option<Range<usize>> {
    let name_end = run(text, at, is_name);
    let name = &text[at..name_end];
    if name == "-u" || name == "--user" {
        let start = run(text, name_end, |c| matches!(c, b' ' | b'=' | b'"' | b'\''));
        let end = run(text, start, |c| !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\''));
        let colon = text[start..end].find(':')?;
        return value(text, start + colon + 1).filter(|_| start > name_end).map(|secret| secret.start..end);
    }
    let lower = name.to_ascii_lowercase();
    if !SECRET_NAMES.iter().any(|word| lower.ends_with(word)) {
        return None;
    }
    let after_quote = run(text, name_end, |c| matches!(c, b'"' | b'\'' | b'\\'));
    let after_space = run(text, after_quote, |c| c == b' ');
    match text.as_bytes().get(after_space) {
        Some(b'=' | b':') => value(text, run(text, after_space + 1, |c| c == b' ')),
        Some(_) if name.starts_with("--") && after_space > after_quote => value(text, after_space),
        _ => None,
    }
}

/// A value in quotes to its closing quote, or a bare one to the next blank or separator.
fn value(text: &str, from: usize) -> Option<Range<usize>> {
    let opening = run(text, from, |c| c == b'\\');
    let (start, end) = match text.as_bytes().get(opening) {
        Some(&quote @ (b'"' | b'\'')) => {
            let start = opening + 1;
            (start, run(text, start, |c| c != quote && c != b'\\' && c != b'\n'))
        }
        _ => (
            from,
            run(text, from, |c| {
                !c.is_ascii_whitespace()
                    && !matches!(c, b'"' | b'\'' | b';' | b'&' | b'|' | b',' | b')' | b'}' | b'\\')
            }),
        ),
    };
    let found = &text[start..end];
    let reference = found.starts_with('$') || found.starts_with('<') || found == MARK;
    (!found.is_empty() && !reference).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hides_secrets_and_nothing_else() {
        let cases = [
            ("cargo test --workspace", "cargo test --workspace"),
            ("export DB_PASSWORD=hunter2; run", "export DB_PASSWORD=[redacted]; run"),
            ("export TOKEN=$GITHUB_TOKEN", "export TOKEN=$GITHUB_TOKEN"),
            ("curl -H 'Authorization: Bearer abc.def-123456'", "curl -H 'Authorization: Bearer [redacted]'"),
            ("curl -H \"Authorization: Basic dXNlcjpwYXNz\"", "curl -H \"Authorization: Basic [redacted]\""),
            ("basic configuration of the token ring", "basic configuration of the token ring"),
            (
                "git clone https://bob:s3cret@example.com/x.git",
                "git clone https://bob:[redacted]@example.com/x.git",
            ),
            ("git clone ssh://git@example.com/x.git", "git clone ssh://git@example.com/x.git"),
            ("https://0123456789abcdef0123@example.com", "https://[redacted]@example.com"),
            ("key sk-proj0123456789abcdef end", "key [redacted] end"),
            ("risk-free desk-lamp sk-learn", "risk-free desk-lamp sk-learn"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
            (r#"{"api_key": "abcd", "x": 1}"#, r#"{"api_key": "[redacted]", "x": 1}"#),
            (r#"{\"password\":\"two words\"}"#, r#"{\"password\":\"[redacted]\"}"#),
            ("tool --token abc --verbose", "tool --token [redacted] --verbose"),
            ("curl -u bob:pass https://x", "curl -u bob:[redacted] https://x"),
            ("mysql --password='a b' -h x", "mysql --password='[redacted]' -h x"),
            (
                "echo '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----' > k",
                "echo '[redacted]' > k",
            ),
            ("-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
            ("пароль: token=секрет", "пароль: token=[redacted]"),
            ("GITHUB_TOKEN=ghp_0123456789abcdefghij make", "GITHUB_TOKEN=[redacted] make"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_is_stable(text in "(?s).{0,120}") {
            let redacted = redact(&text).into_owned();
            prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
        }

        #[test]
        fn pieces_of_secret_syntax_never_panic(text in "(password|token|Bearer |--|-u |://|@|:|=|\"|\\\\|-----BEGIN |PRIVATE KEY-----|é|a| ){0,30}") {
            let redacted = redact(&text).into_owned();
            prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
        }
    }
}
