//! `learnings.md`: what went wrong once and how it is done right, one heading each.
//!
//! ```markdown
//! ## Compare whole outputs
//! - Anti-pattern: assert on a substring
//! - Correct pattern: compare the whole output
//! - Reason: seven versions were wrong under green tests
//! ```

use engine_text::markdown::Lines;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learning {
    pub title: String,
    pub anti_pattern: String,
    pub correct_pattern: String,
    pub reason: String,
    /// Counted from 1.
    pub line: usize,
}

const FIELDS: [&str; 3] = ["Anti-pattern:", "Correct pattern:", "Reason:"];

/// All learnings of a text. A heading of the first level is the file's title.
pub fn parse(text: &str) -> Vec<Learning> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for heading in 0..lines.all.len() {
        let Some((_, title)) = lines.heading(heading).filter(|(level, _)| *level > 1) else { continue };
        let body = &lines.all[heading + 1..lines.section_end(heading)];
        let field = |name: &str| {
            let value =
                body.iter().find_map(|line| line.text.trim_start_matches(['-', '*', ' ']).strip_prefix(name));
            value.unwrap_or_default().trim().to_owned()
        };
        let [anti_pattern, correct_pattern, reason] = FIELDS.map(field);
        found.push(Learning {
            title: title.to_owned(),
            anti_pattern,
            correct_pattern,
            reason,
            line: heading + 1,
        });
    }
    found
}

/// The text with one learning more at its end.
pub fn with(text: &str, learning: &Learning) -> String {
    let newline = Lines::new(text).newline();
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let values = [&learning.anti_pattern, &learning.correct_pattern, &learning.reason];
    let mut lines = vec![format!("## {}", one_line(&learning.title))];
    lines.extend(FIELDS.iter().zip(values).map(|(name, value)| format!("- {name} {}", one_line(value))));
    let gap = match text {
        "" => format!("# Learnings{newline}{newline}"),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    format!("{text}{gap}{}{newline}", lines.join(newline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_comes_back() {
        let learning = |title: &str| Learning {
            title: title.into(),
            anti_pattern: "a".into(),
            correct_pattern: "b".into(),
            reason: "c".into(),
            line: 0,
        };
        let text = with(&with("", &learning("One")), &learning("Two"));
        assert_eq!(
            text,
            "# Learnings\n\n## One\n- Anti-pattern: a\n- Correct pattern: b\n- Reason: c\n\n## Two\n- Anti-pattern: a\n- Correct pattern: b\n- Reason: c\n"
        );
        assert_eq!(
            parse(&text),
            [Learning { line: 3, ..learning("One") }, Learning { line: 8, ..learning("Two") }]
        );
    }
}
