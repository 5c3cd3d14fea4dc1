//! What a debrief must not forget: open tags, blocks, unticked plan items, debt and side discoveries.

use crate::tag;
use engine_text::markdown::Lines;

/// One thing that was found in a file of the work session.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Loose {
    /// `tag`, `block`, `plan`, `debt`, `discovery`
    pub kind: &'static str,
    pub line: usize,
    pub text: String,
}

/// Marks and words by which a log's heading is known.
const HEADINGS: &[(&str, &[&str])] = &[
    ("block", &["🚧", "😨", "block:", "stuck:"]),
    ("debt", &["💸", "debt:"]),
    ("discovery", &["👁", "😟", "🅿", "observation:", "concern:", "parked:"]),
];

/// The loose ends of one file.
pub fn loose_ends(text: &str, is_log: bool, is_plan: bool) -> Vec<Loose> {
    let lines = Lines::new(text);
    let tags = tag::bare(text);
    let mut found = Vec::new();
    for (index, line) in lines.all.iter().enumerate().filter(|(_, line)| !line.fenced) {
        let number = index + 1;
        let trimmed = line.text.trim();
        let push = |found: &mut Vec<Loose>, kind, text: &str| {
            found.push(Loose { kind, line: number, text: text.to_owned() });
        };
        for open in tags.iter().filter(|open| open.line == number && !open.of_file) {
            if tag::fits("#needs-*", open.tag) {
                push(&mut found, "tag", open.tag);
            }
        }
        if is_plan && let Some(item) = trimmed.strip_prefix("- [ ]").or_else(|| trimmed.strip_prefix("* [ ]"))
        {
            push(&mut found, "plan", item.trim());
        }
        if is_log && let Some((_, heading)) = lines.heading(index) {
            let title = without_stamp(heading);
            let lower = title.to_lowercase();
            let kind = HEADINGS.iter().find(|(_, marks)| marks.iter().any(|mark| lower.starts_with(mark)));
            if let Some((kind, _)) = kind {
                push(&mut found, kind, title);
            }
        }
    }
    found
}

/// `[2026-02-07 10:00:00] 🚧 x` without the stamp.
fn without_stamp(heading: &str) -> &str {
    let rest = heading.strip_prefix('[').and_then(|rest| Some(rest.split_once(']')?.1));
    rest.unwrap_or(heading).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_ends_by_kind() {
        let log = "# Log\n**Tags**: #needs-review\n## [2026-02-07 10:00:00] 🚧 No key\nwait #needs-fix\n```\n## 💸 x #needs-y\n```\n## Debt: copy\n## ✅ Done\n";
        let shown = |text, is_log, is_plan| -> Vec<String> {
            loose_ends(text, is_log, is_plan)
                .iter()
                .map(|l| format!("{} {} {}", l.kind, l.line, l.text))
                .collect()
        };
        assert_eq!(shown(log, true, false), ["block 3 🚧 No key", "tag 4 #needs-fix", "debt 8 Debt: copy"]);
        assert_eq!(shown("- [ ] one\n- [x] two\n", false, true), ["plan 1 one"]);
    }
}
