//! Texts that were encoded to be plain letters: Base64 and hexadecimal digits. `Z2l0IHB1c2g=` is `git push`.

/// What Base64 stands for, if that is text. Blanks between the letters do not count.
pub fn base64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    let letters = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    for letter in letters.take_while(|byte| *byte != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits).to_le_bytes()[0]);
        }
    }
    String::from_utf8(bytes).ok()
}

/// What pairs of hexadecimal digits stand for, if that is text.
pub fn hex(text: &str) -> Option<String> {
    let digits: Option<Vec<u32>> =
        text.chars().filter(|c| !c.is_whitespace()).map(|digit| digit.to_digit(16)).collect();
    let byte = |pair: &[u32]| u8::try_from(pair.iter().fold(0, |byte, digit| byte * 16 + digit)).ok();
    let bytes: Option<Vec<u8>> = digits?.chunks(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// A text as Base64.
pub fn to_base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let bits =
            bytes.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - bytes.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize % 64];
            out.push(if place <= bytes.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_text() {
        for (text, expected) in [
            ("Z2l0IHB1c2g=", Some("git push")),
            ("Z2l0\nIHB1c2g", Some("git push")),
            ("cm0gLXJmIC8=", Some("rm -rf /")),
            ("4pyT", Some("✓")),
            ("", Some("")),
            ("a b!", None),
            ("////", None),
        ] {
            assert_eq!(base64(text).as_deref(), expected, "{text}");
        }
        for (text, expected) in
            [("6c73", Some("ls")), ("6c 73\n", Some("ls")), ("ff", None), ("zz", None), ("", Some(""))]
        {
            assert_eq!(hex(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_encoded_can_be_decoded() {
        for (text, expected) in
            [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("plans/ü", "cGxhbnMvw7w=")]
        {
            assert_eq!(to_base64(text), expected);
            assert_eq!(base64(expected).as_deref(), Some(text));
        }
    }
}
