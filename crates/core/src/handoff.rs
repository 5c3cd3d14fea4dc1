//! The handoff in `session.md`: what the last session wrote for the next one.

use crate::markdown::Lines;

/// Its sections, in the order in which they are told.
pub const SECTIONS: &[&str] = &["Status", "Done", "Notes"];

/// The sections that are there and say something, each with its heading.
pub fn sections(text: &str) -> Vec<String> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for wanted in SECTIONS {
        let is_wanted =
            |index: &usize| lines.heading(*index).is_some_and(|(_, name)| name.eq_ignore_ascii_case(wanted));
        let Some(heading) = (0..lines.all.len()).find(is_wanted) else { continue };
        let body = &lines.all[heading + 1..lines.section_end(heading)];
        let body: Vec<&str> = body.iter().map(|line| line.text).collect();
        let body = body.join("\n");
        if !body.trim().is_empty() {
            found.push(format!("## {wanted}\n\n{}", body.trim()));
        }
    }
    found
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
}
