//! Names of work sessions: `2026_02_07_AUTH`, `2026_11_15_ÜBER_漢字`.

use engine_text::line::is_word;

/// Folder that holds them, from the project's root.
pub const FOLDER: &str = "sessions";

/// In bytes: a name is a folder, and part of the names of files.
const LONGEST: usize = 120;

/// The name in a path argument: `sessions/X`, `X`, or absolute.
pub fn of_argument(argument: &str) -> Result<&str, String> {
    let path = argument.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    check(name)?;
    let is_ours = folder.is_empty() || folder == FOLDER || folder.starts_with('/');
    if is_ours { Ok(name) } else { Err(format!("{argument} is not below {FOLDER}/")) }
}

/// What is wrong with a name, and how it would be right.
pub fn check(name: &str) -> Result<(), String> {
    let is_day = |text: &str| {
        let parts: Vec<&str> = text.split('_').collect();
        let digits =
            |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
        let [year, month, day] = parts.as_slice() else { return false };
        digits(year, 4)
            && digits(month, 2)
            && digits(day, 2)
            && ("01"..="12").contains(month)
            && ("01"..="31").contains(day)
    };
    let is_topic = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| matches!(c, '_' | '-') || (is_word(c) && !has_capital(c)))
            && !text.starts_with(['_', '-'])
            && !text.ends_with(['_', '-'])
    };
    let (day, topic) = name.split_at_checked(10).unwrap_or((name, ""));
    let topic = topic.strip_prefix('_').unwrap_or_default();
    if is_day(day) && is_topic(topic) && name.len() <= LONGEST {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no name of a work session: YYYY_MM_DD_TOPIC, the topic in capitals, as 2026_02_07_AUTH"
    ))
}

/// Whether a letter is a small one. Those of most scripts are neither, and `ß` has no capital of its own.
fn has_capital(letter: char) -> bool {
    let mut capital = letter.to_uppercase();
    capital.len() == 1 && capital.next() != Some(letter)
}

/// The day of a name, as in the journal: `2026-02-07`.
pub fn day(name: &str) -> String {
    name.get(..10).unwrap_or_default().replace('_', "-")
}

pub fn topic(name: &str) -> &str {
    name.get(11..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arguments() {
        for good in [
            "2026_02_07_AUTH",
            "sessions/2026_02_07_AUTH",
            "/p/sessions/2026_02_07_AUTH/",
            "2026_12_31_A1_B",
            "2026_02_07_LOG-IN",
            "2026_11_15_ÜBER_ß_漢字",
            "sessions/2026_11_15_हिन्दी_ไม่_ΑΒΓ_٣",
        ] {
            assert!(of_argument(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "AUTH",
            "2026_2_7_AUTH",
            "2026_13_07_AUTH",
            "2026_02_07_auth",
            "2026_02_07_",
            "2026_02_07",
            "2026-02-07_AUTH",
            "2026_02_07_A B",
            "2026_02_07_-A",
            "2026_02_07_über",
            "2026_02_07_A\u{202e}B",
            "2026_02_07_A\u{200d}B",
            "2026_02_07_A\u{a0}B",
            "2026_02_07_A\u{7f}",
            "2026_02_07_U\u{308}BER",
            "2026_02_07_A／B",
            "2026_02_07_🚧",
            "..",
            "../../etc/2026_02_07_AUTH",
        ] {
            assert!(of_argument(bad).is_err(), "{bad}");
        }
        assert!(check(&format!("2026_02_07_{}", "漢".repeat(36))).is_ok());
        assert!(check(&format!("2026_02_07_{}", "漢".repeat(37))).is_err());
        assert_eq!(topic("2026_11_15_ÜBER"), "ÜBER");
        assert_eq!(day("2026_02_07_AUTH"), "2026-02-07");
        assert_eq!(topic("2026_02_07_AUTH"), "AUTH");
    }
}
