//! Hides secrets before anything is written to the journal or the state.
//!
//! Looks for shapes, not for meaning: private key blocks, tokens with a known beginning, passwords in URLs,
//! `Authorization` and `Cookie` values, and values behind names that end in a secret's word (`DB_PASSWORD=…`,
//! `"api_key": "…"`, `--token …`). Written by hand: twenty regular expressions would cost more than the hook.
//! A word too much hidden is harmless; references such as `$TOKEN` are kept, since they hold no secret.

use std::borrow::Cow;
use std::ops::Range;

use crate::line::{is_invisible, visible};

const MARK: &str = "[redacted]";

const KEY_BEGIN: &str = "-----BEGIN ";

/// No token of [`PREFIXES`] is shorter: most words need not be compared with all of them.
const SHORTEST_TOKEN: usize = 13;

/// How tokens begin, and how many token characters must follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("rk_test_", 8),
    ("whsec_", 12),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("glsa_", 16),
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
    ("dckr_pat_", 12),
    ("lin_api_", 16),
    ("SG.", 20),
    ("AGE-SECRET-KEY-", 20),
    ("hvs.", 16),
    ("hvb.", 16),
    ("hvr.", 16),
    ("eyJ", 24),
];

/// A name that ends so is followed by a secret; `-` and `_` count alike.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "access_key",
    "private_key",
    "secret_key",
    "secret_key_base",
    "credential",
    "credentials",
    "from_literal",
    "authtoken",
    "_pass",
    "_auth",
    "_bearer",
];

/// Headers whose whole value is a secret, but for the scheme in front.
const HEADERS: &[&str] = &["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// Programs that take a password behind a short option, and a word that must stand beside them.
const SHORT_OPTIONS: &[(&str, &str, &str)] = &[
    ("mysql", "-p", ""),
    ("mysqldump", "-p", ""),
    ("mysqladmin", "-p", ""),
    ("mariadb", "-p", ""),
    ("sshpass", "-p", ""),
    ("docker", "-p", "login"),
    ("podman", "-p", "login"),
    ("redis-cli", "-a", ""),
    ("openssl", "-k", ""),
    ("openssl", "-K", ""),
    ("zip", "-P", ""),
    ("unzip", "-P", ""),
    ("7z", "-p", ""),
    ("7za", "-p", ""),
    ("rar", "-p", ""),
    ("unrar", "-p", ""),
    ("mongo", "-p", ""),
    ("mongosh", "-p", ""),
    ("az", "-p", "login"),
    ("ldapsearch", "-w", ""),
    ("ldapmodify", "-w", ""),
    ("http", "-a", ""),
    ("https", "-a", ""),
];

/// The short options of [`SHORT_OPTIONS`].
const SHORT: &[&str] = &["-p", "-a", "-k", "-K", "-P", "-w"];

/// Long options that begin with one dash.
const ONE_DASH: &[&str] = &["-storepass", "-keypass", "-passphrase"];

/// The text with every secret replaced. Borrowed when there was none.
///
/// Hiding one part can make the shape around it visible (a URL whose path hid its user), so it is looked at again
/// until nothing more is found.
pub fn redact(text: &str) -> Cow<'_, str> {
    // What nobody sees inside a token does not hide it; a text without secrets keeps it.
    if !text.is_ascii() && text.chars().any(is_invisible) {
        let plain = visible(text);
        let redacted = redact(&plain);
        return if *redacted == plain { Cow::Borrowed(text) } else { Cow::Owned(redacted.into_owned()) };
    }
    let mut redacted = if text.contains(KEY_BEGIN) { hide(text, private_key) } else { Cow::Borrowed(text) };
    loop {
        match hide(&redacted, secret_near) {
            Cow::Owned(more) if more != redacted => redacted = Cow::Owned(more),
            _ => return redacted,
        }
    }
}

/// Replaces what `find` finds at each place, from left to right.
fn hide(text: &str, find: impl Fn(&str, usize) -> Option<Range<usize>>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while at < text.len() {
        match find(text, at).filter(|secret| secret.start >= kept && secret.start < secret.end) {
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

/// A key block from its first line to its last, or to the end of the text. The block may stand in a JSON string, where
/// its lines are not lines. Looked for first and alone, because names in front of a block would hide its beginning.
fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix(KEY_BEGIN)?;
    let title = &rest[..rest.find("-----")?];
    if !title.ends_with("PRIVATE KEY") && !title.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let end = rest.find("-----END ").and_then(|end| {
        let closing = &rest[end + "-----END ".len()..];
        Some(end + "-----END ".len() + closing.find("-----")? + "-----".len())
    });
    Some(at..end.map_or(text.len(), |end| at + KEY_BEGIN.len() + end))
}

/// The secret that the text at `at` announces, if it does.
fn secret_near(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b':' if text[at..].starts_with("://") => password_in_url(text, at + 3),
        c if is_name(c) && (at == 0 || !is_name(bytes[at - 1])) => known_token(text, at)
            .or_else(|| bearer(text, at))
            .or_else(|| option_value(text, at))
            .or_else(|| named_value(text, at)),
        _ => None,
    }
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'-'
}

/// End of the run of bytes that `keep` holds for.
fn run(text: &str, from: usize, keep: impl Fn(u8) -> bool) -> usize {
    from + text.as_bytes()[from..].iter().take_while(|&&c| keep(c)).count()
}

fn is_blank(c: u8) -> bool {
    c == b' ' || c == b'\t'
}

fn known_token(text: &str, at: usize) -> Option<Range<usize>> {
    let end = run(text, at, |c| is_name(c) || c == b'.');
    if end - at < SHORTEST_TOKEN {
        return None;
    }
    if is_vault_token(&text[at..end]) {
        return Some(at..end);
    }
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| text[at..].starts_with(prefix))?;
    (end - at >= prefix.len() + least).then_some(at..end)
}

/// `s.` and letters of every kind, as Vault made its tokens; a field of that name reads otherwise.
fn is_vault_token(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("s.") else { return false };
    let token = rest.split('.').next().unwrap_or_default();
    let has = |kind: fn(&u8) -> bool| token.as_bytes().iter().any(kind);
    token.len() >= 24
        && token.bytes().all(|c| c.is_ascii_alphanumeric())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// `://user:password@host`, or a long token in the user's place.
fn password_in_url(text: &str, from: usize) -> Option<Range<usize>> {
    let ends = |c: u8| c.is_ascii_whitespace() || matches!(c, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>');
    let authority = run(text, from, |c| !ends(c));
    let at_sign = from + text[from..authority].rfind('@')?;
    let secret = match text[from..at_sign].find(':') {
        Some(colon) => from + colon + 1..at_sign,
        None if at_sign - from >= 20 => from..at_sign,
        None => return None,
    };
    (!is_reference(&text[secret.clone()])).then_some(secret)
}

/// The credentials behind `Bearer`, wherever it stands.
fn bearer(text: &str, at: usize) -> Option<Range<usize>> {
    let word_end = run(text, at, is_name);
    if !text[at..word_end].eq_ignore_ascii_case("bearer") {
        return None;
    }
    let start = run(text, word_end, is_blank);
    let is_token = |c: u8| is_name(c) || matches!(c, b'.' | b'/' | b'+' | b'=' | b'~');
    let end = run(text, start, is_token);
    (start > word_end && end - start >= 8).then_some(start..end)
}

/// `-u user:secret`, `-usecret` and `-p secret` of programs that take them so.
fn option_value(text: &str, at: usize) -> Option<Range<usize>> {
    if !text[at..].starts_with('-') {
        return None;
    }
    for flag in ["--proxy-user", "--user", "-u"] {
        let Some(rest) = text[at..].strip_prefix(flag) else { continue };
        let start = text.len() - rest.len();
        let start = run(text, start, |c| is_blank(c) || c == b'=');
        let end = word_end(text, start);
        let colon = text[start..end].find(':')?;
        // A quote that opens in front of the user closes behind the secret.
        let closing = text[start..].starts_with(['"', '\'']) && text[start..end].ends_with(['"', '\'']);
        let secret = start + colon + 1..end - usize::from(closing);
        return Some(secret).filter(|secret| !is_reference(text[secret.clone()].trim_matches(['"', '\''])));
    }
    if !SHORT.iter().any(|flag| text[at..].starts_with(flag)) {
        return None;
    }
    // A program stands near its options; looking back without bound would make long lines slow.
    let near = text.floor_char_boundary(at.saturating_sub(400));
    let segment = text[near..at].rfind(['\n', ';', '|', '&', '(']).map_or(near, |start| near + start + 1);
    let words: Vec<&str> = text[segment..at].split_whitespace().collect();
    let fits = |(program, flag, beside): &&(&str, &str, &str)| {
        text[at..].starts_with(flag)
            && words.contains(program)
            && (beside.is_empty() || words.contains(beside))
    };
    let (program, flag, _) = SHORT_OPTIONS.iter().find(fits)?;
    let start = at + flag.len();
    // `mysql -p` alone asks for the password, and a word behind it is a database.
    let behind = run(text, start, is_blank);
    let start = if program.starts_with("my") || *program == "mariadb" { start } else { behind };
    // Of openssl, an option is a whole word, `-keyform` is another; only `enc` takes a password in the same word.
    let is_other = ["-key", "-kfile", "-kdf"].iter().any(|other| text[at..].starts_with(other));
    if *program == "openssl" && behind == at + flag.len() && (is_other || !words.contains(&"enc")) {
        return None;
    }
    let end = word_end(text, start);
    Some(start..end).filter(|secret| !secret.is_empty() && !is_reference(&text[secret.clone()]))
}

/// The end of a shell word: quotes and backslashes keep it together.
fn word_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = from;
    while let Some(&c) = bytes.get(at) {
        match (quote, c) {
            (None, b'"' | b'\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, _) if c.is_ascii_whitespace() || matches!(c, b';' | b'|' | b'&' | b')') => break,
            (None | Some(b'"'), b'\\') => at += 1,
            _ => {}
        }
        at += 1;
    }
    text.floor_char_boundary(at)
}

/// `NAME=value`, `name: value`, `"name": "value"`, `--name value`, `Header: value`.
fn named_value(text: &str, at: usize) -> Option<Range<usize>> {
    let name_end = run(text, at, is_name);
    let name = &text[at..name_end];
    // What follows is looked at first: it rules out most words.
    let after_quote = run(text, name_end, |c| matches!(c, b'"' | b'\'' | b'\\'));
    let header =
        HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)) || ends_alike(name, "_authorization");
    // `headers["Authorization"] = …`, `set("Authorization", …)`.
    let is_element = header && after_quote > name_end;
    let after_bracket = run(text, after_quote, |c| is_element && c == b']');
    let after_blank = run(text, after_bracket, is_blank);
    let from = match text.as_bytes().get(after_blank) {
        Some(b'=') => run(text, after_blank + 1, |c| is_blank(c) || (is_element && c == b'>')),
        Some(b':') => run(text, after_blank + 1, is_blank),
        Some(b',') if is_element => run(text, after_blank + 1, is_blank),
        Some(_) if after_blank > after_quote && takes_next_word(text, at, name) => after_blank,
        _ => return None,
    };
    if !header && !is_secret_name(name) {
        return None;
    }
    // A quote in front of the name closes behind the value.
    let is_quoted = text[from..].starts_with(['"', '\'']) && !text[..at].ends_with(['"', '\'']);
    if header && after_quote == name_end && !is_quoted {
        return header_value(text, at, from);
    }
    value(text, from)
}

/// `--token VALUE`, `-storepass VALUE`, `config set secret_access_key VALUE`.
fn takes_next_word(text: &str, at: usize, name: &str) -> bool {
    let is_set = || {
        let near = text.floor_char_boundary(at.saturating_sub(100));
        text[near..at].split_whitespace().next_back() == Some("set")
            || (name.eq_ignore_ascii_case("_authtoken") && text[near..at].contains(" set "))
    };
    name.starts_with("--") || ONE_DASH.contains(&name) || is_set()
}

fn is_secret_name(name: &str) -> bool {
    let upper = name.ends_with("_KEY")
        && name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_');
    let bare = name.trim_start_matches(['_', '-']);
    upper
        || bare.eq_ignore_ascii_case("pass")
        || ONE_DASH.contains(&name)
        || SECRET_NAMES.iter().any(|word| ends_alike(name, word))
}

/// Whether a name ends in a word, in any case and with `-` for `_`.
fn ends_alike(name: &str, word: &str) -> bool {
    let same = |(a, b): (&u8, &u8)| a.to_ascii_lowercase() == *b || (*a == b'-' && *b == b'_');
    let tail = name.len().checked_sub(word.len()).map(|from| &name.as_bytes()[from..]);
    tail.is_some_and(|tail| tail.iter().rev().zip(word.as_bytes().iter().rev()).all(same))
}

/// The value of a header that stands bare in a line or in quotes around the whole of it.
fn header_value(text: &str, name: usize, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let quote = text[..name].bytes().next_back().filter(|c| matches!(c, b'"' | b'\''));
    let hidden =
        |secret: Range<usize>| (!secret.is_empty() && !is_reference(&text[secret.clone()])).then_some(secret);
    // Without a blank and without quotes the value is the rest of the word: `-H Authorization:abc`.
    if quote.is_none() && matches!(bytes[from - 1], b':' | b'=') {
        return hidden(from..bare_end(text, from));
    }
    // The scheme is no secret, and tells what kind of one follows.
    let scheme = run(text, from, is_name);
    // The fields of a digest are in quotes of their own.
    let is_digest = quote.is_none() && text[from..scheme].eq_ignore_ascii_case("digest");
    let mut end = from;
    while let Some(&c) = bytes.get(end) {
        let closes = quote.map_or(matches!(c, b'"' | b'\'') && !is_digest, |quote| c == quote);
        if closes || c == b'\n' || c == b'\r' {
            break;
        }
        // In double quotes a backslash keeps the next character.
        end += if c == b'\\' && quote == Some(b'"') { 2 } else { 1 };
    }
    let end = text.floor_char_boundary(end.min(text.len()));
    let after = run(text, scheme, is_blank);
    let start = if scheme > from && after > scheme && after < end { after } else { from };
    // `"Authorization: Bearer "abc`: the word goes on behind the quote.
    let goes_on = quote.is_some() && bytes.get(end + 1).is_some_and(|c| !c.is_ascii_whitespace());
    let behind = if goes_on { bare_word(text, end + 1) } else { end };
    if behind > end {
        return hidden(if after >= end { end + 1..behind } else { start..behind });
    }
    hidden(start..end)
}

/// The end of a word that begins here, where it is neither an operator nor a closing bracket.
fn bare_word(text: &str, from: usize) -> usize {
    let is_part = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'"' | b'\'' | b'_' | b'$');
    if text.as_bytes().get(from).is_some_and(is_part) { word_end(text, from) } else { from }
}

/// A value in quotes to its closing quote, or a bare one to the end of its word.
fn value(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let from = if bytes.get(from) == Some(&b'$') && matches!(bytes.get(from + 1), Some(b'\'' | b'"')) {
        from + 1
    } else {
        from
    };
    let opening = run(text, from, |c| c == b'\\');
    let secret = match bytes.get(opening) {
        Some(&quote @ (b'"' | b'\'')) => {
            let start = opening + 1;
            start..closing(text, start, opening - from, quote)
        }
        _ => from..bare_end(text, from),
    };
    let found = &text[secret.clone()];
    (!found.is_empty() && !is_reference(found) && found != MARK).then_some(secret)
}

/// Where a quoted value ends: at a quote with as many backslashes in front as the opening one had. What is never closed
/// goes to the end.
fn closing(text: &str, start: usize, slashes: usize, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        let run_end = run(text, at, |c| c == b'\\');
        let count = run_end - at;
        match bytes.get(run_end) {
            Some(&c) if c == quote && (count == slashes || (slashes == 0 && count.is_multiple_of(2))) => {
                return run_end - slashes;
            }
            Some(_) => at = run_end + 1,
            None => break,
        }
    }
    text.len()
}

fn bare_end(text: &str, from: usize) -> usize {
    if text[from..].starts_with("${") {
        return text[from..].find('}').map_or(text.len(), |end| from + end + 1);
    }
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&c) = bytes.get(at) {
        if c.is_ascii_whitespace() || matches!(c, b'"' | b'\'' | b';' | b'&' | b'|' | b',' | b')' | b'}') {
            break;
        }
        at += if c == b'\\' { 2 } else { 1 };
    }
    text.floor_char_boundary(at)
}

/// `$NAME`, `${NAME}`, `$(command)`, `<placeholder>`: they stand for a secret and are none.
fn is_reference(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else { return text.starts_with('<') || text == MARK };
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    name.starts_with('(')
        || (!name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_'))
}

#[cfg(test)]
mod tests;
