//! Whether a file was written from its template: each heading is there, with text of its own below it.

use std::collections::HashSet;

use engine_text::markdown::Lines;

/// What a text lacks of its template; nothing if it is filled in. The title may differ.
pub fn lacks(template: &str, text: &str) -> Option<String> {
    let template_lines = Lines::new(template);
    let placeholders: HashSet<&str> = template.lines().map(str::trim).collect();
    let lines = Lines::new(text);
    let is_own =
        |index: &usize| is_text(&lines, *index) && !placeholders.contains(lines.all[*index].text.trim());
    let headings = |lines: &Lines<'_>| -> Vec<(usize, String)> {
        let heading = |index| {
            lines.heading(index).filter(|(level, _)| *level > 1).map(|(_, text)| (index, text.to_owned()))
        };
        (0..lines.all.len()).filter_map(heading).collect()
    };
    let there = headings(&lines);
    let (mut missing, mut empty) = (Vec::new(), Vec::new());
    for (_, wanted) in headings(&template_lines) {
        let mut sections =
            there.iter().filter(|(_, text)| text.to_lowercase() == wanted.to_lowercase()).peekable();
        if sections.peek().is_none() {
            missing.push(format!("\"{wanted}\""));
        } else if !sections
            .any(|(start, _)| (start + 1..lines.section_end(*start)).any(|index| is_own(&index)))
        {
            empty.push(format!("\"{wanted}\""));
        }
    }
    let mut found = Vec::new();
    if !missing.is_empty() {
        found.push(format!("no heading {}", missing.join(", ")));
    }
    if !empty.is_empty() {
        found.push(format!("no text of its own under {}", empty.join(", ")));
    }
    if found.is_empty() && !(0..lines.all.len()).any(|index| is_own(&index)) {
        found.push("no text of its own".to_owned());
    }
    (!found.is_empty()).then(|| format!("it has {}", found.join(" and ")))
}

/// Whether a line says something: not a heading, not a comment. Code does.
fn is_text(lines: &Lines<'_>, index: usize) -> bool {
    let line = &lines.all[index];
    let is_code = || lines.blocks.iter().any(|block| block.lines.contains(&index));
    (!line.fenced || is_code())
        && lines.heading(index).is_none()
        && line.text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "# Debrief: TOPIC\n\n**Tags**:\n\n## Result\nWhat works now.\n\n## Evidence\n- `COMMAND`: what it showed\n\n### Numbers\n\n## Open\n- each debt\n";

    #[test]
    fn each_heading_needs_text_of_its_own() {
        let filled = "# Debrief: login\n\n## Result:\nIt works.\n\n## evidence\n```\ncargo test\n```\n### Numbers\n3\n\n## Open\nnone\n";
        let cases = [
            (filled.to_owned(), None),
            (filled.replace("It works.", "What works now.\nIt works."), None),
            ("x".to_owned(), Some("it has no heading \"Result\", \"Evidence\", \"Numbers\", \"Open\"")),
            (String::new(), Some("it has no heading \"Result\", \"Evidence\", \"Numbers\", \"Open\"")),
            (
                TEMPLATE.to_owned(),
                Some("it has no text of its own under \"Result\", \"Evidence\", \"Numbers\", \"Open\""),
            ),
            (
                filled.replace("It works.", "  What works now.  "),
                Some("it has no text of its own under \"Result\""),
            ),
            (
                filled.replace("It works.", "<!-- It works. -->"),
                Some("it has no text of its own under \"Result\""),
            ),
            (filled.replace("It works.", "…"), Some("it has no text of its own under \"Result\"")),
            (
                filled.replace("none\n", "").replace("## Result", "## Outcome"),
                Some("it has no heading \"Result\" and no text of its own under \"Open\""),
            ),
            // What is below a heading of a lower rank belongs to it too.
            (filled.replace("```\ncargo test\n```\n", ""), None),
        ];
        for (text, expected) in cases {
            assert_eq!(lacks(TEMPLATE, &text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_template_without_headings_asks_for_any_text() {
        for (text, expected) in
            [("# Debrief\n", Some("it has no text of its own")), ("# Debrief\n\nDone.\n", None)]
        {
            assert_eq!(lacks("# Debrief\n", text).as_deref(), expected, "{text}");
        }
    }
}
