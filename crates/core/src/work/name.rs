//! Names of work sessions: `2026_02_07_AUTH`.

/// Folder that holds them, from the project's root.
pub const FOLDER: &str = "sessions";

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
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && !text.starts_with('_')
            && !text.ends_with('_')
    };
    let (day, topic) = name.split_at_checked(10).unwrap_or((name, ""));
    let topic = topic.strip_prefix('_').unwrap_or_default();
    if is_day(day) && is_topic(topic) && name.len() <= 120 {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no name of a work session: YYYY_MM_DD_TOPIC, the topic in capitals, as 2026_02_07_AUTH"
    ))
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
        for good in
            ["2026_02_07_AUTH", "sessions/2026_02_07_AUTH", "/p/sessions/2026_02_07_AUTH/", "2026_12_31_A1_B"]
        {
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
            "..",
            "../../etc/2026_02_07_AUTH",
        ] {
            assert!(of_argument(bad).is_err(), "{bad}");
        }
        assert_eq!(day("2026_02_07_AUTH"), "2026-02-07");
        assert_eq!(topic("2026_02_07_AUTH"), "AUTH");
    }
}
