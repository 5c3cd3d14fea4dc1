//! The mode that a project has set for a skill, so that nobody is asked each time.

use crate::config::{Config, Names};

pub const MODES: Names = Names {
    name: "session.modes",
    about: "The mode in which a skill works where nobody names another, each \"skill=mode\": its phase passes without a question.",
    of: "skills with their modes like \"implement=direct\"",
    fits: |text| pair(text).is_some(),
};

/// `implement=direct`.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (skill, mode) = text.split_once('=')?;
    let (skill, mode) = (skill.trim(), mode.trim());
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace) && !word.contains('=');
    (is_word(skill) && is_word(mode)).then_some((skill, mode))
}

/// The mode that is set for a skill; the last one that is named.
pub fn set_for<'a>(config: &'a Config, skill: &str) -> Option<&'a str> {
    let mut pairs = config.names(&MODES).into_iter().filter_map(pair);
    pairs.rfind(|(of, _)| *of == skill).map(|(_, mode)| mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_written_behind_its_skill() {
        let cases = [
            ("implement=direct", Some(("implement", "direct"))),
            (" plugin:fix = hotfix ", Some(("plugin:fix", "hotfix"))),
            ("implement", None),
            ("=direct", None),
            ("implement=", None),
            ("implement=a b", None),
            ("implement=a=b", None),
        ];
        for (text, expected) in cases {
            assert_eq!(pair(text), expected, "{text}");
        }
    }
}
