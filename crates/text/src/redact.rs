//! Hides secrets before anything is written to the journal or the state.
//!
//! Looks for shapes, not for meaning: private key blocks, tokens with a known beginning, passwords in URLs,
//! `Authorization` and `Cookie` values, and values behind names that end in a secret's word (`DB_PASSWORD=…`,
//! `"api_key": "…"`, `--token …`). Written by hand: twenty regular expressions would cost more than the hook.
//! A word too much hidden is harmless; references such as `$TOKEN` are kept, since they hold no secret.

use std::borrow::Cow;
use std::ops::Range;

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
];

/// The text with every secret replaced. Borrowed when there was none.
///
/// Hiding one part can make the shape around it visible (a URL whose path hid its user), so it is looked at again
/// until nothing more is found.
pub fn redact(text: &str) -> Cow<'_, str> {
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
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
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
    if !["-p", "-a", "-k", "-K"].iter().any(|flag| text[at..].starts_with(flag)) {
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
    // Of openssl, an option is a whole word: `-keyform` is another.
    if *program == "openssl" && behind == at + flag.len() {
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
        Some(_) if name.starts_with("--") && after_blank > after_quote => after_blank,
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

fn is_secret_name(name: &str) -> bool {
    let upper = name.ends_with("_KEY")
        && name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_');
    let bare = name.trim_start_matches(['_', '-']);
    upper || bare.eq_ignore_ascii_case("pass") || SECRET_NAMES.iter().any(|word| ends_alike(name, word))
}

/// Whether a name ends in a word, in any case and with `-` for `_`.
fn ends_alike(name: &str, word: &str) -> bool {
    let same = |(a, b): (&u8, &u8)| a.to_ascii_lowercase() == *b || (*a == b'-' && *b == b'_');
    let tail = name.len().checked_sub(word.len()).map(|from| &name.as_bytes()[from..]);
    tail.is_some_and(|tail| tail.iter().rev().zip(word.as_bytes().iter().rev()).all(same))
}

/// The value of a header that stands bare in a line or in quotes around the whole of it.
fn header_value(text: &str, name: usize, from: usize) -> Option<Range<usize>> {
    let quote = text[..name].bytes().next_back().filter(|c| matches!(c, b'"' | b'\''));
    let ends =
        |c: u8| quote.map_or(matches!(c, b'"' | b'\''), |quote| c == quote) || c == b'\n' || c == b'\r';
    // The scheme is no secret, and tells what kind of one follows.
    let scheme = run(text, from, is_name);
    // The fields of a digest are in quotes of their own.
    let is_digest = quote.is_none() && text[from..scheme].eq_ignore_ascii_case("digest");
    let end = run(text, from, |c| if is_digest { c != b'\n' && c != b'\r' } else { !ends(c) });
    let after = run(text, scheme, is_blank);
    let start = if scheme > from && after > scheme && after < end { after } else { from };
    let secret = start..end;
    (!secret.is_empty() && !is_reference(&text[secret.clone()])).then_some(secret)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_shortest_token_is_known() {
        let shortest = PREFIXES.iter().map(|(prefix, least)| prefix.len() + least).min();
        assert_eq!(shortest, Some(SHORTEST_TOKEN));
    }

    #[test]
    fn hides_secrets_and_nothing_else() {
        let cases = [
            ("cargo test --workspace", "cargo test --workspace"),
            ("export DB_PASSWORD=hunter2; run", "export DB_PASSWORD=[redacted]; run"),
            ("export TOKEN=$GITHUB_TOKEN", "export TOKEN=$GITHUB_TOKEN"),
            ("export TOKEN=${GITHUB_TOKEN}", "export TOKEN=${GITHUB_TOKEN}"),
            ("export TOKEN=$(cat token)", "export TOKEN=$(cat token)"),
            ("curl -H 'Authorization: Bearer abc.def-123456'", "curl -H 'Authorization: Bearer [redacted]'"),
            (
                "curl -H \"Authorization: Basic dXNlcjpwYXNz\" x",
                "curl -H \"Authorization: Basic [redacted]\" x",
            ),
            ("curl -H 'Authorization: Bearer $TOKEN'", "curl -H 'Authorization: Bearer $TOKEN'"),
            ("Cookie: a=1; b=2\nHost: x", "Cookie: [redacted]\nHost: x"),
            // Without a header's name in front.
            ("curl -d \"Bearer abcdEFGH1234\" https://x", "curl -d \"Bearer [redacted]\" https://x"),
            ("echo Bearer abcdEFGH", "echo Bearer [redacted]"),
            ("echo bearer\tabcdEFGH.ij/k+l=m~n; ls", "echo bearer\t[redacted]; ls"),
            ("BEARER   abcdEFGH_-1 and more", "BEARER   [redacted] and more"),
            (
                "send \"Bearer abcdEFGH\" and 'bearer ijklMNOP'",
                "send \"Bearer [redacted]\" and 'bearer [redacted]'",
            ),
            ("[\"Bearer abcdEFGH\"]", "[\"Bearer [redacted]\"]"),
            // Too short, no blank between, another word, a reference.
            ("Bearer abcdEFG", "Bearer abcdEFG"),
            ("Bearer,abcdEFGH", "Bearer,abcdEFGH"),
            ("Bearers abcdEFGH, forbearer ijklMNOP", "Bearers abcdEFGH, forbearer ijklMNOP"),
            ("echo Bearer $TOKEN", "echo Bearer $TOKEN"),
            ("echo Bearer ${TOKEN_OF_MINE}", "echo Bearer ${TOKEN_OF_MINE}"),
            ("cd bearer/components/button", "cd bearer/components/button"),
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
            ("curl -u bob:\"pass word\" https://x", "curl -u bob:[redacted] https://x"),
            ("curl -u 'bob:a b' https://x", "curl -u 'bob:[redacted]' https://x"),
            ("curl -ubob:pass https://x", "curl -ubob:[redacted] https://x"),
            ("mysql --password='a b' -h x", "mysql --password='[redacted]' -h x"),
            ("mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"),
            ("sshpass -p hunter2 ssh x", "sshpass -p [redacted] ssh x"),
            ("docker login -u me -p hunter2", "docker login -u me -p [redacted]"),
            ("mkdir -p hunter2", "mkdir -p hunter2"),
            ("ls && mysql -pX", "ls && mysql -p[redacted]"),
            (
                "echo '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----' > k",
                "echo '[redacted]' > k",
            ),
            ("-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
            ("пароль: token=секрет", "пароль: token=[redacted]"),
            ("GITHUB_TOKEN=ghp_0123456789abcdefghij make", "GITHUB_TOKEN=[redacted] make"),
            ("bypass=1 compass: north PRIMARY_KEY=id", "bypass=1 compass: north PRIMARY_KEY=[redacted]"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_near_a_secret_stays() {
        // Beside each border: what is just a secret, and what just is none.
        let cases = [
            ("xoxb-12345678", "[redacted]"),
            ("xoxb-1234567", "xoxb-1234567"),
            ("add the package sk-abcdefghijkl now", "add the package sk-abcdefghijkl now"),
            (
                "see https://example.com:80/x and mail bob@x.org",
                "see https://example.com:80/x and mail bob@x.org",
            ),
            ("https://0123456789abcdef012@x", "https://0123456789abcdef012@x"),
            ("https://bob:$PASS@x", "https://bob:$PASS@x"),
            // A program asks for the password that is not given.
            ("curl -u bob: https://x", "curl -u bob: https://x"),
            ("curl -u 'bob:' https://x", "curl -u 'bob:' https://x"),
            ("curl -u 'bob:x' https://x", "curl -u 'bob:[redacted]' https://x"),
            ("curl -u bob:$PASS https://x", "curl -u bob:$PASS https://x"),
            ("curl -u \"bob:$PASS\" https://x", "curl -u \"bob:$PASS\" https://x"),
            ("curl -u bob:a\\ b https://x", "curl -u bob:[redacted] https://x"),
            ("curl -u \"bob:a\\\"b\" https://x", "curl -u \"bob:[redacted]\" https://x"),
            ("curl --user=bob:pass; ls", "curl --user=bob:[redacted]; ls"),
            ("mysql -u root -p db", "mysql -u root -p db"),
            ("mariadb -p db", "mariadb -p db"),
            ("mariadb -px db", "mariadb -p[redacted] db"),
            ("mysql -p$PASS db", "mysql -p$PASS db"),
            ("sshpass -p $PASS ssh x", "sshpass -p $PASS ssh x"),
            ("sshpass -p a\\ b ssh x", "sshpass -p [redacted] ssh x"),
            ("redis-cli -a", "redis-cli -a"),
            ("ls;mysql -pX", "ls;mysql -p[redacted]"),
            ("mysql x; mkdir -pX", "mysql x; mkdir -pX"),
            ("docker run -p 80:80 x", "docker run -p 80:80 x"),
            ("tool --token", "tool --token"),
            ("ls --token/x", "ls --token/x"),
            ("--api-key abc", "--api-key [redacted]"),
            ("private-key=abc", "private-key=[redacted]"),
            ("HOME=/h EDITOR=vi my_KEY=x", "HOME=/h EDITOR=vi my_KEY=x"),
            ("MY_KEY_2=x A2_KEY=x", "MY_KEY_2=x A2_KEY=[redacted]"),
            ("pass=x compass=y --pass z", "pass=[redacted] compass=y --pass [redacted]"),
            ("curl -H 'Cookie: abcdef ' x", "curl -H 'Cookie: [redacted]' x"),
            ("curl -H 'Cookie: ' x", "curl -H 'Cookie: ' x"),
            ("Authorization: Bearer x\r\nHost: y", "Authorization: Bearer [redacted]\r\nHost: y"),
            ("curl -H \"X-Api-Key: it's\" x", "curl -H \"X-Api-Key: [redacted]\" x"),
            ("password=\"a\\\\\" --verbose", "password=\"[redacted]\" --verbose"),
            ("password=\"a\\\"b\" --verbose", "password=\"[redacted]\" --verbose"),
            ("password='open and no end", "password='[redacted]"),
            ("password=a\\ b; ls", "password=[redacted]; ls"),
            ("password=a\\", "password=[redacted]"),
            ("f(password=a, b)", "f(password=[redacted], b)"),
            ("{password: a}", "{password: [redacted]}"),
            ("token=${X:-abc} y", "token=[redacted] y"),
            ("token=${X", "token=[redacted]"),
            ("token=$'abc' y", "token=$'[redacted]' y"),
            ("token=<token> y", "token=<token> y"),
            ("token=$ y", "token=[redacted] y"),
            ("token=$A-b y", "token=[redacted] y"),
            ("token=${A_1} y", "token=${A_1} y"),
            ("token=[redacted] y", "token=[redacted] y"),
            ("token= y", "token= [redacted]"),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK----- y",
                "[redacted] y",
            ),
            ("-----BEGIN PRIVATE KEY-----\nx", "[redacted]"),
            ("-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    #[test]
    fn headers_tokens_and_passwords_in_every_spelling() {
        let cases = [
            ("openssl enc -aes-256-cbc -k hunter2 -in a", "openssl enc -aes-256-cbc -k [redacted] -in a"),
            ("openssl enc -K 00ff -iv 00", "openssl enc -K [redacted] -iv 00"),
            ("openssl rsa -passin pass:hunter2 -in a", "openssl rsa -passin pass:[redacted] -in a"),
            ("openssl enc -pass pass:hunter2 -in a", "openssl enc -pass pass:[redacted] -in a"),
            ("openssl enc -k $PASS -in a", "openssl enc -k $PASS -in a"),
            ("openssl pkey -keyform PEM -in a", "openssl pkey -keyform PEM -in a"),
            ("curl -k https://x", "curl -k https://x"),
            ("make -k all; openssl version", "make -k all; openssl version"),
            ("vault login s.Ab3dEf6hIj9lMn2pQr5tUv8x", "vault login [redacted]"),
            ("use hvs.CAESIJ0123456789abcdef now", "use [redacted] now"),
            ("X-Vault-Token: s.abc", "X-Vault-Token: [redacted]"),
            ("s.getElementsByClassNameAndMore(x)", "s.getElementsByClassNameAndMore(x)"),
            ("s.length and s.x9", "s.length and s.x9"),
            ("curl -H\"authorization:bearer x\" u", "curl -H\"authorization:bearer [redacted]\" u"),
            (
                "curl --header='Authorization:Basic eA==' u",
                "curl --header='Authorization:Basic [redacted]' u",
            ),
            ("curl --header=Authorization:Basic\\ eA== u", "curl --header=Authorization:[redacted]"),
            (r#"{"Authorization":"Token abc"}"#, r#"{"Authorization":"[redacted]"}"#),
            (r#"{\"Authorization\":\"Basic abc\"}"#, r#"{\"Authorization\":\"[redacted]\"}"#),
            ("http x Authorization:\"Basic abc\"", "http x Authorization:\"[redacted]\""),
            (r#"h["Authorization"] = "Basic abc""#, r#"h["Authorization"] = "[redacted]""#),
            ("h['Authorization'] = 'Token abc'", "h['Authorization'] = '[redacted]'"),
            ("'Authorization' => 'Basic abc'", "'Authorization' => '[redacted]'"),
            ("set('Authorization', 'Token abc')", "set('Authorization', '[redacted]')"),
            ("HTTP_AUTHORIZATION='Basic abc' x", "HTTP_AUTHORIZATION='[redacted]' x"),
            ("AUTHORIZATION: TOKEN abc", "AUTHORIZATION: TOKEN [redacted]"),
            (
                "Authorization: Digest username=\"bob\", response=\"abc\"\nHost: x",
                "Authorization: Digest [redacted]\nHost: x",
            ),
            ("curl --oauth2-bearer abc u", "curl --oauth2-bearer [redacted] u"),
            ("curl --proxy-user bob:pass u", "curl --proxy-user bob:[redacted] u"),
            ("curl -u bob:pass u", "curl -u bob:[redacted] u"),
            ("mysql -phunter2 db", "mysql -p[redacted] db"),
            ("sshpass -p hunter2 ssh x", "sshpass -p [redacted] ssh x"),
            ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"),
            ("the authorization of a person", "the authorization of a person"),
            ("authorization, then approval", "authorization, then approval"),
            ("basic and digest access", "basic and digest access"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    /// Shapes with a hole: whatever stands in it must be gone.
    const SHAPES: &[&str] = &[
        "export DB_PASS=@",
        "PASS=@ make",
        "SECRET_KEY_BASE=@",
        "STRIPE_KEY=@",
        "SECRET=\"a\\\"@\"",
        "--password my\\ @",
        "export SSH_PRIVATE_KEY=\"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb@\n-----END OPENSSH PRIVATE KEY-----\"",
        "{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE@\\n-----END PRIVATE KEY-----\\n\"}",
        "{\\\"private_key\\\": \\\"-----BEGIN PRIVATE KEY-----\\\\nMIIE@\\\"}",
        "TOKEN=$'@'",
        "TOKEN=${X:-@}",
        "token:\t@",
        "password = '@'",
        "curl -u bob:\"@\" x",
        "curl -u 'bob:a @' x",
        "Authorization: ApiKey @",
        "curl -H \"X-Api-Key: @\"",
        "curl -b x -H 'Cookie: session=@; y=1'",
        "redis-cli -a @ ping",
        "{\"Authorization\": \"Bearer @\"}",
        "curl -d \"Bearer @\" x",
        "echo bearer\t@",
        "https://bob:@@example.com/",
        "aws_secret_access_key = @",
    ];

    proptest! {
        #[test]
        fn a_planted_secret_is_gone(shape in prop::sample::select(SHAPES), secret in "[A-Za-z][A-Za-z0-9]{7,20}Q7") {
            let text = if shape.contains("@@") { shape.replacen('@', &secret, 1) } else { shape.replace('@', &secret) };
            let redacted = redact(&text).into_owned();
            prop_assert!(!redacted.contains(&secret), "{} in {}", secret, redacted);
        }

        #[test]
        fn never_panics_and_is_stable(text in "(?s).{0,120}") {
            let redacted = redact(&text).into_owned();
            prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
        }

        #[test]
        fn pieces_of_secret_syntax_never_panic(text in "(password|token|Cookie|Bearer |--|-u |-p|mysql |://|@|:|=|\"|'|\\\\|\\$|\\{|\\}|-----BEGIN |PRIVATE KEY-----|é|a| |\n){0,30}") {
            let redacted = redact(&text).into_owned();
            prop_assert_eq!(redact(&redacted).into_owned(), redacted.clone());
        }
    }
}
