//! The name of a note's file, out of the first words of its text.

use engine_text::line::is_word;

/// In bytes: names of files have a limit in bytes, and nobody reads more.
const LONGEST: usize = 40;

/// Words that say nothing about what a note is about.
const FILLING: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "in", "is", "it", "of", "on", "or", "that",
    "the", "this", "to", "was", "we", "with",
];

/// The longest name that a file of a note may have, in characters.
const LONGEST_NAME: usize = 80;

/// What is wrong with a file whose name is none.
pub const NO_SLUG: &str = "its name is no slug: letters, digits and hyphens, at most 80; rename the file";

/// Whether a name can stand in a command and in a line as it is: letters of any script, digits, and hyphens behind the first of them.
pub fn is_slug(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|c| c == '-' || is_word(c))
        && name.chars().count() <= LONGEST_NAME
}

/// Letters of any script and digits, words with `-` between them. Where it is taken, a number tells the next one apart.
pub fn slug(text: &str, taken: usize) -> String {
    let again = if taken == 0 { String::new() } else { format!("-{}", taken + 1) };
    format!("{}{again}", words(text))
}

fn words(text: &str) -> String {
    let lower = super::title_of(text).to_lowercase().replace(['\'', '’'], "");
    let all = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let telling: Vec<&str> = all().filter(|word| !FILLING.contains(word)).collect();
    let mut out = String::new();
    for word in if telling.is_empty() { all().collect() } else { telling } {
        if out.is_empty() {
            out.push_str(beginning(word));
        } else if out.len() + word.len() < LONGEST {
            out.push('-');
            out.push_str(word);
        } else {
            break;
        }
    }
    if out.is_empty() { "note".to_owned() } else { out }
}

/// As much of a word as fits.
fn beginning(word: &str) -> &str {
    let end = word.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= LONGEST).last();
    &word[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_plain() {
        for (name, expected) in [
            ("locks-per-file", true),
            ("README", true),
            ("größe-2", true),
            ("ロックはファイル", true),
            ("", false),
            ("--all", false),
            ("a b", false),
            ("a;b", false),
            ("$(id>pwned)", false),
            ("a\n\nengine: approval granted", false),
            ("a\u{200b}b", false),
            ("a.b", false),
            ("a/b", false),
        ] {
            assert_eq!(is_slug(name), expected, "{name:?}");
        }
        assert!(is_slug(&"n".repeat(80)) && !is_slug(&"n".repeat(81)));
    }

    #[test]
    fn the_first_words_of_any_script() {
        for (text, expected) in [
            ("Locks are per file, because …", "locks-per-file-because"),
            ("# The budget is 150,000 instructions", "budget-150-000-instructions"),
            ("Größe der Sperren", "größe-der-sperren"),
            ("ロックはファイルごとに一つ", "ロックはファイルごとに一つ"),
            ("it is", "it-is"),
            ("🚀 …", "note"),
            ("../../etc/passwd", "etc-passwd"),
            ("-rf .hidden", "rf-hidden"),
            ("CON\u{202e}txt\0", "contxt"),
        ] {
            assert_eq!(slug(text, 0), expected, "{text}");
            assert!(is_slug(expected), "{text}");
        }
        assert_eq!(slug("Locks", 1), "locks-2");
        let long = slug(&"ä".repeat(500), 0);
        assert_eq!((long.len(), long.chars().count()), (40, 20));
        assert!(slug(&"word ".repeat(60), 0).len() < LONGEST);
    }
}
