//! The handoff in `session.md`: what the last session wrote for the next one.

use serde::Deserialize;

use engine_text::markdown::Lines;

/// Its sections, in the order in which they are told.
pub const SECTIONS: [&str; 3] = ["Status", "Done", "Notes"];

/// What a session hands over. "Done" is rewritten each time, or it would grow for ever; notes that are not given stay.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    pub status: String,
    #[serde(default)]
    pub done: Vec<String>,
    #[serde(default)]
    pub notes: Option<Vec<String>>,
}

/// Why a handoff cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// A line of the status would begin something of its own in the file.
    Opens(String),
    /// A line with a box that would be lost.
    Loses(String),
}

/// The sections that are there and say something, each with its heading.
pub fn sections(text: &str) -> Vec<String> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for name in SECTIONS {
        let Some(heading) = section(&lines, name) else { continue };
        let body = &lines.all[heading + 1..lines.section_end(heading)];
        let body: Vec<&str> = body.iter().map(|line| line.text).collect();
        let body = body.join("\n");
        if !body.trim().is_empty() {
            found.push(format!("## {name}\n\n{}", body.trim()));
        }
    }
    found
}

fn section(lines: &Lines<'_>, name: &str) -> Option<usize> {
    // Deeper headings of that name belong to something else.
    let is_wanted = |index: &usize| {
        lines.heading(*index).is_some_and(|(level, other)| level == 2 && other.eq_ignore_ascii_case(name))
    };
    (0..lines.all.len()).find(is_wanted)
}

/// The text with the sections rewritten; everything else stays.
pub fn with(text: &str, handoff: &Handoff) -> Result<String, Refused> {
    let opens =
        |line: &&str| ["#", "```", "~~~", "<!--"].iter().any(|mark| line.trim_start().starts_with(mark));
    if let Some(line) = handoff.status.lines().find(opens) {
        return Err(Refused::Opens(line.trim().to_owned()));
    }
    let bullets = |items: &[String]| -> Vec<String> {
        items
            .iter()
            // One that is written as a list item already is one item all the same.
            .map(|item| {
                item.trim()
                    .strip_prefix("- ")
                    .unwrap_or(item)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .map(|item| format!("- {item}"))
            .collect()
    };
    let status: Vec<String> = handoff.status.trim().lines().map(str::to_owned).collect();
    let bodies = [Some(status), Some(bullets(&handoff.done)), handoff.notes.as_deref().map(bullets)];
    let mut new = if text.trim().is_empty() { "# Session\n".to_owned() } else { text.to_owned() };
    // From the last to the first, so that a section that is missing finds its successor.
    for (name, body) in SECTIONS.iter().zip(bodies).rev() {
        if let Some(body) = body {
            new = with_section(&new, name, &body);
        }
    }
    let kept: Vec<&str> = new.lines().collect();
    let boxed =
        |line: &&str| line.trim_start().trim_start_matches(['-', '*', '+']).trim_start().starts_with('[');
    match text.lines().filter(boxed).find(|line| !kept.contains(line)) {
        Some(lost) => Err(Refused::Loses(lost.trim().to_owned())),
        None => Ok(new),
    }
}

fn with_section(text: &str, name: &str, body: &[String]) -> String {
    let lines = Lines::new(text);
    let newline = lines.newline();
    let block = |body: &[String]| format!("{}{newline}", body.join(newline));
    if let Some(heading) = section(&lines, name) {
        let end = lines.section_end(heading);
        let from = lines.all[heading].end;
        let to = lines.all[end - 1].end;
        let gap = if end < lines.all.len() { newline } else { "" };
        let ended = if text[..from].ends_with('\n') { "" } else { newline };
        let between = if body.is_empty() { String::new() } else { format!("{newline}{}", block(body)) };
        return format!("{}{ended}{between}{gap}{}", &text[..from], &text[to..]);
    }
    if body.is_empty() {
        return text.to_owned();
    }
    // Status and done stand in front of everything else, notes behind it.
    let second = |index: &usize| lines.heading(*index).is_some_and(|(level, _)| level > 1);
    let place = (0..lines.all.len()).find(second).filter(|_| name != SECTIONS[2]);
    let new = format!("## {name}{newline}{newline}{}", block(body));
    match place {
        Some(index) => {
            let at = lines.all[index].start;
            format!("{}{new}{newline}{}", &text[..at], &text[at..])
        }
        None if text.ends_with('\n') => format!("{text}{newline}{new}"),
        None => format!("{text}{newline}{newline}{new}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_sections_that_say_something() {
        let text = "# Session\r\n\r\n## notes\r\n- one\r\n### deeper\r\n- two\r\n\r\n## Pending Tasks\r\n- [ ] x\r\n## Done\r\n\r\n## Status ##\r\nGoing well.\r\n";
        assert_eq!(sections(text), ["## Status\n\nGoing well.", "## Notes\n\n- one\n### deeper\n- two"]);
        assert!(sections("# Session\n").is_empty());
    }

    fn handoff(status: &str, done: &[&str], notes: &[&str]) -> Handoff {
        let texts = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        Handoff { status: status.to_owned(), done: texts(done), notes: Some(texts(notes)) }
    }

    #[test]
    fn rewrites_its_sections_and_nothing_else() {
        let tasks = "## Pending Tasks\n\n- [ ] **A** — `/a`\n  - note\n";
        let first =
            with(&format!("# Mine\n\n{tasks}"), &handoff("Going well.", &["lexer"], &["ask Ada"])).unwrap();
        assert_eq!(
            first,
            format!(
                "# Mine\n\n## Status\n\nGoing well.\n\n## Done\n\n- lexer\n\n{tasks}\n## Notes\n\n- ask Ada\n"
            )
        );
        let second = with(&first, &handoff("Better.", &["parser", "two\nlines"], &[])).unwrap();
        assert_eq!(
            second,
            format!(
                "# Mine\n\n## Status\n\nBetter.\n\n## Done\n\n- parser\n- two lines\n\n{tasks}\n## Notes\n"
            )
        );
        assert_eq!(with("", &handoff("New.", &[], &[])).unwrap(), "# Session\n\n## Status\n\nNew.\n");
        let crlf =
            with("# S\r\n\r\n## Status\r\nold\r\n\r\n## Other\r\nx\r\n", &handoff("new", &[], &[])).unwrap();
        assert_eq!(crlf, "# S\r\n\r\n## Status\r\n\r\nnew\r\n\r\n## Other\r\nx\r\n");
    }

    #[test]
    fn what_is_not_given_or_not_its_own_stays() {
        let text =
            "---\n# Notes\n---\n# S\n\n## Architecture\n\n### Status\n\nmine\n\n## Notes\n\nprecious\n";
        let given = Handoff { notes: None, ..handoff("s", &[], &[]) };
        let expected = "---\n# Notes\n---\n# S\n\n## Status\n\ns\n\n## Architecture\n\n### Status\n\nmine\n\n## Notes\n\nprecious\n";
        assert_eq!(with(text, &given), Ok(expected.to_owned()));
    }

    #[test]
    fn a_box_is_never_lost_and_a_status_opens_nothing() {
        for text in ["## Notes\n\n### Pending Tasks\n- [ ] a\n", "## Notes\n- [?] a\n", "## Done\n* [ ] a\n"]
        {
            assert!(matches!(with(text, &handoff("s", &[], &[])), Err(Refused::Loses(_))), "{text}");
        }
        for status in ["fine\n## Notes", "```\nx", "<!-- x"] {
            assert!(matches!(with("", &handoff(status, &[], &[])), Err(Refused::Opens(_))), "{status}");
        }
    }
}
