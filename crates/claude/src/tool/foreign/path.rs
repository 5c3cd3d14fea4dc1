//! Which values of an input are paths.

use std::borrow::Cow;

/// Longer texts are no paths.
const LONGEST: usize = 4096;

/// A value that is a path: without the scheme of a `file:` address; nothing for other addresses.
pub(super) fn path(text: Cow<'_, str>, is_vague: bool) -> Option<Cow<'_, str>> {
    let text = match text.strip_prefix("file://") {
        Some(rest) => Cow::Owned(decoded(&rest[rest.find('/')?..])),
        None => text,
    };
    let fits = !text.is_empty()
        && text.len() < LONGEST
        && !text.contains(['\n', '\r', '\0'])
        && !text.contains("://");
    (fits && (!is_vague || looks_like_path(&text))).then_some(text)
}

/// `src/a`, `./a`, `~/a`, `.env`, `a.md`, and no address, selector or expression.
pub(super) fn looks_like_path(text: &str) -> bool {
    let has_end = |name: &str| {
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && (1..=8).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
        })
    };
    let is_other = text.contains(['@', '#', '[', ']', '(', ')', '=', '<', '>', '|', ';', '"', '\'', ',']);
    !is_other
        && (text.contains('/') || text.starts_with(['.', '~']) || (!text.contains(' ') && has_end(text)))
}

/// `%20` is a blank.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = (*first == b'%').then(|| behind.get(..2)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
