//! Scripts that are written without spaces between words. The tokenizer of the index would take a whole sentence of them for one
//! word, so each of their letters is indexed as a word, and a query asks for pairs of neighbours.

use std::borrow::Cow;

/// Whether a letter belongs to a script whose words are not set apart: Han, Kana, Hangul.
pub(crate) fn is_dense(letter: char) -> bool {
    matches!(letter,
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// The text as it is given to the tokenizer: blanks around each letter of a dense script.
pub(crate) fn spaced(text: &str) -> Cow<'_, str> {
    // Most texts have none, and the first byte of such a letter is one of a few.
    if !text.bytes().any(|byte| byte >= 0xe3) || !text.chars().any(is_dense) {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if is_dense(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    Cow::Owned(spaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_dense_scripts_are_set_apart() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("héllo – x", "héllo – x"),
            ("検索abc", " 検  索 abc"),
            ("한글", " 한  글 "),
            ("👍🏽 ok", "👍🏽 ok"),
        ] {
            assert_eq!(spaced(text), wanted);
        }
    }
}
