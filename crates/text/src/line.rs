//! Lengths as the client counts them, and cuts that a reader can follow.

use sha2::{Digest, Sha256};

/// How long the client thinks a text is: JavaScript counts UTF-16 units.
pub fn units(text: &str) -> usize {
    // Most texts are plain ASCII, where both counts are the same.
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The longest beginning of `text` within `limit` units that ends at a line's end; if not even the first line
/// fits, the beginning of that line. The rest is dropped, a trailing newline included.
pub fn cut_at_line(text: &str, limit: usize) -> &str {
    if units(text) <= limit {
        return text;
    }
    let mut used = 0;
    let mut fits = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > limit {
            break;
        }
        fits = at + c.len_utf8();
    }
    let head = &text[..fits];
    // A newline right behind the cut means that the last line fits whole.
    if text[fits..].starts_with('\n') {
        return head;
    }
    match head.rfind('\n') {
        Some(end) => &head[..end],
        None => head,
    }
}

/// Whether a reader may see a new line here.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character ends a line or steers a terminal.
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || is_break(c)
}

/// A name as a part of one line: what would end the line or steer a terminal, and what nobody sees, is written as an escape.
pub fn printable(text: &str) -> String {
    let is_odd = |c: char| is_unprintable(c) || is_invisible(c);
    let escaped = |c: char| if is_odd(c) { c.escape_default().collect() } else { String::from(c) };
    text.chars().map(escaped).collect()
}

/// The lines of a text, by every kind of line break; other control characters are dropped.
pub fn plain_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix(is_break).unwrap_or(&text);
    if text.is_empty() {
        return Vec::new();
    }
    let plain = |line: &str| line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    text.split(is_break).map(plain).collect()
}

/// One line of at most `limit` characters, for lists; what is cut is marked.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == limit {
            line.push('…');
            break;
        }
        line.push(if is_unprintable(c) { ' ' } else { c });
    }
    line
}

/// Whether a character shows nothing, or turns the direction of writing: what Unicode has every program ignore by default, and the signs
/// around it.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text without the signs that turn the direction of writing or show nothing: it reads as it is written.
pub fn visible(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).collect()
}

/// The first character that no writing needs and nobody sees. Joiners between letters of scripts that need them, or between emoji, are
/// none, and neither is the sign behind a character that asks for its coloured form.
pub fn hidden(text: &str) -> Option<char> {
    let (mut before, mut rest) = ('\0', text.chars().peekable());
    while let Some(c) = rest.next() {
        let is_shown = |c: char| !c.is_ascii() && !is_invisible(c);
        let is_needed = match c {
            '\u{200c}' | '\u{200d}' => {
                (is_shown(before) || before == '\u{fe0f}') && rest.peek().is_some_and(|next| is_shown(*next))
            }
            '\u{fe0e}' | '\u{fe0f}' => is_shown(before) || matches!(before, '0'..='9' | '#' | '*'),
            c => !is_invisible(c),
        };
        if !is_needed {
            return Some(c);
        }
        before = c;
    }
    None
}

/// A name for bytes that nobody can give to others: SHA-256, as 64 digits.
pub fn seal(bytes: &[u8]) -> String {
    let mut seal = Seal::default();
    seal.add(bytes);
    seal.digits()
}

/// A short name for a text of a file, as 16 digits of its seal: the same however its lines end, and with or without line ends behind
/// the last one, which git and editors change by themselves.
pub fn text_seal(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut digits = seal(text.trim_end_matches('\n').as_bytes());
    digits.truncate(16);
    digits
}

/// The same of bytes that come in parts.
#[derive(Clone, Default)]
pub struct Seal(Sha256);

impl Seal {
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn digits(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

/// A short name for a text, as 16 digits. FNV-1a: stable between releases, which std's hasher does not promise; no seal against
/// somebody who means to forge, see [`seal`].
pub fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hexadecimal(&hash.to_be_bytes())
}

/// Two digits for each byte.
fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        digits.push(DIGITS[usize::from(byte >> 4)].into());
        digits.push(DIGITS[usize::from(byte & 15)].into());
    }
    digits
}

/// A word for a shell: quoted, whatever it holds.
pub fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text as an operand of a command, also if it begins like an option.
pub fn operand(text: &str) -> String {
    let word = shell_word(text);
    if text.starts_with('-') { format!("-- {word}") } else { word }
}

/// Words as a line for a shell, quoted where they must be.
pub fn shell_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let shown = |word: &String| {
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.clone() } else { shell_word(word) }
    };
    // `A=b` in front would be an assignment.
    let first = |word: &String| if word.contains('=') { shell_word(word) } else { shown(word) };
    let words: Vec<String> =
        words.iter().enumerate().map(|(at, word)| if at == 0 { first(word) } else { shown(word) }).collect();
    words.join(" ")
}

/// Signs that are no letters, and without which words of some scripts cannot be written: viramas, tones.
const SIGNS: [std::ops::RangeInclusive<char>; 17] = [
    '\u{93c}'..='\u{93c}',
    '\u{94d}'..='\u{94d}',
    '\u{9cd}'..='\u{9cd}',
    '\u{a4d}'..='\u{a4d}',
    '\u{acd}'..='\u{acd}',
    '\u{b4d}'..='\u{b4d}',
    '\u{bcd}'..='\u{bcd}',
    '\u{c4d}'..='\u{c4d}',
    '\u{ccd}'..='\u{ccd}',
    '\u{d4d}'..='\u{d4d}',
    '\u{dca}'..='\u{dca}',
    '\u{e47}'..='\u{e4e}',
    '\u{ec8}'..='\u{ecd}',
    '\u{f84}'..='\u{f84}',
    '\u{1037}'..='\u{1037}',
    '\u{1039}'..='\u{103a}',
    '\u{17c9}'..='\u{17d2}',
];

/// Whether a character can be part of a name in any script: a letter, a digit, or a sign that belongs to letters. An accent of its own
/// behind a letter is none: the letter is written as one character.
pub fn is_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_invisible(c)) || SIGNS.iter().any(|signs| signs.contains(&c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_seal_is_the_known_sum() {
        assert_eq!(seal(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn cuts_at_the_last_whole_line() {
        let cases = [
            ("ab\ncd\nef", 8, "ab\ncd\nef"),
            ("ab\ncd\nef", 7, "ab\ncd"),
            ("ab\ncd\nef", 5, "ab\ncd"),
            ("ab\ncd\nef", 4, "ab"),
            ("abcdef", 3, "abc"),
            ("😀😀", 3, "😀"),
            ("", 0, ""),
        ];
        for (text, limit, expected) in cases {
            assert_eq!(cut_at_line(text, limit), expected, "{text:?} at {limit}");
        }
    }

    #[test]
    fn what_nobody_sees_is_not_shown() {
        for (text, shown, found) in [
            ("plain, größe, 測試", "plain, größe, 測試", None),
            ("a\u{e0041}\u{e007f}b", "ab", Some('\u{e0041}')),
            ("a\u{fe01}b", "ab", Some('\u{fe01}')),
            ("❤\u{fe0f} 1\u{fe0f}\u{20e3}", "❤ 1\u{20e3}", None),
            ("❤\u{fe0f}\u{fe0e}", "❤", Some('\u{fe0e}')),
            ("a\u{e0100}", "a", Some('\u{e0100}')),
            ("👩\u{200d}💻 نمی\u{200c}خواهم", "👩💻 نمیخواهم", None),
            ("gh\u{200d}p", "ghp", Some('\u{200d}')),
            ("so\u{ad}ft", "soft", Some('\u{ad}')),
            ("\u{200b}", "", Some('\u{200b}')),
            ("\u{3164}\u{202e}\u{fff9}", "", Some('\u{3164}')),
        ] {
            assert_eq!((visible(text).as_str(), hidden(text)), (shown, found), "{text:?}");
        }
        assert_eq!(printable("a\u{e0041}.md"), "a\\u{e0041}.md");
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(printable("src/é b.rs"), "src/é b.rs");
        assert_eq!(printable("a\u{202e}dm\u{2066}\u{200f}"), "a\\u{202e}dm\\u{2066}\\u{200f}");
        assert_eq!(
            printable("a\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}\u{1b}b"),
            r"a\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}\u{1b}b"
        );
        assert_eq!(one_line("a\u{2028}b\u{85}c\rd", 9), "a b c d");
    }

    #[test]
    fn every_line_break_begins_a_line() {
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("a", &["a"]),
            ("a\r\nb\n\nc\n", &["a", "b", "", "c"]),
            ("a\rb\u{b}c\u{c}d", &["a", "b", "c", "d"]),
            ("a\u{85}b\u{2028}c\u{2029}d", &["a", "b", "c", "d"]),
            ("\u{1b}[2Ka\tb\u{7}", &["[2Ka\tb"]),
        ];
        for (text, expected) in cases {
            assert_eq!(plain_lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn words_make_a_line() {
        let line =
            |words: &[&str]| shell_line(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(line(&["cargo", "test", "--a=b"]), "cargo test --a=b");
        assert_eq!(
            line(&["A=b", "", "x y", "it's", "é", "~", "$x"]),
            r"'A=b' '' 'x y' 'it'\''s' 'é' '~' '$x'"
        );
    }

    proptest! {
        #[test]
        fn a_cut_is_a_beginning_within_the_limit(text in "(?s).{0,80}", limit in 0usize..80) {
            let cut = cut_at_line(&text, limit);
            prop_assert!(text.starts_with(cut));
            prop_assert!(units(cut) <= limit);
        }
    }
}
