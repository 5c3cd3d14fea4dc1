//! Bytes that are not UTF-8, kept in a text: each becomes a private character, and the same byte again when the text is written.
//!
//! ```text
//! decode(b"caf\xe9")  →  "caf" and one private character  →  encode  →  b"caf\xe9"
//! ```

use std::borrow::Cow;

/// The private character of byte 0; that of byte `b` is `b` further on. They are the last of all characters.
const FIRST: u32 = 0x10_FF00;

/// The text of bytes. What is not UTF-8, and a private character that was there before, is kept byte by byte.
pub fn decode(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !has_kept(&text) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_kept(c) {
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().map(kept));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(kept));
    }
    text
}

/// The bytes of such a text.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !has_kept(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// The text for a reader, who sees the replacement character for each byte.
pub fn shown(text: &str) -> Cow<'_, str> {
    if has_kept(text) {
        text.chars().map(|c| if is_kept(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// The longest part of a text that holds none of them.
pub fn longest_decoded(text: &str) -> &str {
    text.split(is_kept).max_by_key(|part| part.len()).unwrap_or_default()
}

/// Whether the text keeps such bytes.
pub fn has_kept(text: &str) -> bool {
    // All of them begin with this byte, and hardly any other character does.
    text.as_bytes().contains(&0xF4) && text.chars().any(is_kept)
}

fn is_kept(c: char) -> bool {
    u32::from(c) >= FIRST
}

fn kept(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn byte_of(c: char) -> Option<u8> {
    u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [
            &all[..],
            b"caf\xe9 and more",
            "日本 \u{10ff41} \u{10ffff}".as_bytes(),
            b"",
            b"\xf0\x9f",
            b"plain",
        ] {
            assert_eq!(encode(&decode(bytes.to_vec())), bytes, "{bytes:?}");
        }
        let text = decode(b"un caf\xe9 noir, merci".to_vec());
        assert_eq!((&*shown(&text), longest_decoded(&text)), ("un caf\u{fffd} noir, merci", " noir, merci"));
        assert_eq!(longest_decoded("plain"), "plain");
        assert!(!has_kept(&decode("café \u{fffd}".into())));
    }
}
