//! Texts of the project as items: what each is found by, and the one line that is shown of it.
//!
//! Secrets are taken out before anything is kept. A path with a semicolon or a sign that cannot be printed is left out: it would be shown
//! to a model, and read back from the journal.

use engine_text::line::{is_unprintable, one_line, visible};
use engine_text::markdown::Lines;
use engine_text::redact::redact;

use super::{Item, Kind};
use crate::learning;
use crate::plan::Plan;

/// What is shown of an item, in characters.
const SHOWN: usize = 120;
/// What of its text is looked at, in bytes.
const TEXT: usize = 8 << 10;
/// Lines of a decision that say when and by whom, not what.
const NOT_TEXT: [&str; 4] = ["Date:", "Status:", "Deciders:", "Author:"];

fn item(kind: Kind, path: &str, line: usize, shown: &str, text: &str) -> Option<Item> {
    if path.is_empty() || path.contains([';', '\n']) || path.contains(is_unprintable) {
        return None;
    }
    let text = &text[..text.floor_char_boundary(TEXT)];
    let shown =
        visible(&redact(&shown[..shown.floor_char_boundary(TEXT)])).replace("**", "").replace('`', "");
    let shown = one_line(&shown.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN - 1);
    (!shown.is_empty()).then(|| Item {
        kind,
        path: path.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        shown,
        text: redact(text).into_owned(),
    })
}

/// A note: one fact below its front matter.
pub fn note(path: &str, text: &str) -> Option<Item> {
    let lines = Lines::new(text);
    let first = (lines.front_matter()..lines.all.len()).find(|at| !lines.all[*at].text.trim().is_empty())?;
    let body = &text[lines.all[first].start..];
    item(Kind::Note, path, first + 1, body.trim_start_matches(['#', ' ']), body)
}

/// Learnings, one for each heading. What is shown is what is right.
pub fn learnings(path: &str, text: &str) -> Vec<Item> {
    let learnt = learning::parse(text).into_iter();
    let found = learnt.filter(|one| !one.correct_pattern.is_empty()).filter_map(|one| {
        let shown = format!("{}: {}", one.title, one.correct_pattern);
        let text = [one.correct_pattern, one.anti_pattern, one.reason].join("\n");
        item(Kind::Learning, path, one.line, &shown, &text)
    });
    found.collect()
}

/// A decision, one item for each section of the first two levels.
pub fn decisions(path: &str, text: &str) -> Vec<Item> {
    let lines = Lines::new(text);
    let level = |at: usize| lines.heading(at).filter(|(level, _)| *level <= 2);
    let mut starts: Vec<usize> = (0..lines.all.len()).filter(|at| level(*at).is_some()).collect();
    let title =
        starts.iter().find_map(|at| level(*at).filter(|(level, _)| *level == 1)).map(|(_, title)| title);
    if starts.first() != Some(&lines.front_matter()) {
        starts.insert(0, lines.front_matter());
    }
    let ends = starts.iter().copied().skip(1).chain([lines.all.len()]);
    let mut found = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        let heading = if start < lines.all.len() { level(start) } else { None };
        let from = start + usize::from(heading.is_some());
        let says = |at: &usize| {
            let text = lines.all[*at].text.trim();
            !text.is_empty() && !NOT_TEXT.iter().any(|start| text.starts_with(start))
        };
        let body: Vec<&str> = (from..end).filter(says).map(|at| lines.all[at].text).collect();
        if body.is_empty() {
            continue;
        }
        let name = match heading {
            Some((2, name)) => [title, Some(name)].into_iter().flatten().collect::<Vec<_>>().join(" › "),
            _ => title.unwrap_or_default().to_owned(),
        };
        let body = body.join("\n");
        let first = body.trim_start_matches(['-', '*', ' ']);
        let shown = if name.is_empty() { first.to_owned() } else { format!("{name}: {first}") };
        found.extend(item(Kind::Decision, path, start + 1, &shown, &body));
    }
    found
}

/// A closed plan: what was wanted, where it stopped, and what made it go on. Nothing of one that is open.
pub fn plan(plan: &Plan) -> Option<Item> {
    plan.closed.as_ref()?;
    let halts: Vec<String> = plan
        .halts
        .iter()
        .map(|halt| match &halt.resumed {
            Some(resumed) => format!("it stopped: {}; then: {}", halt.reason, resumed.reason),
            None => format!("it stopped: {}", halt.reason),
        })
        .collect();
    let wanted = [plan.original_fragment.as_str(), plan.enriched_context.as_str()];
    let wanted = wanted.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default();
    let shown = [&[format!("plan {}: {wanted}", plan.name)], halts.as_slice()].concat().join("; ");
    let criteria = plan.criteria.iter().map(|criterion| criterion.text.clone());
    let text: Vec<String> = [wanted.to_owned()].into_iter().chain(halts).chain(criteria).collect();
    item(Kind::Plan, &plan.page, 1, &shown, &text.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(items: impl IntoIterator<Item = Item>) -> String {
        let lines = items.into_iter().map(|item| format!("{}:{} – {}", item.path, item.line, item.shown));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_note_is_one_item() {
        for (text, expected) in [
            (
                "---\nkind: fact\n---\n\nDeploy with `make ship`.\nNever by hand.\n",
                "n.md:5 – Deploy with make ship. Never by hand.",
            ),
            ("# Deploys\nby make", "n.md:1 – Deploys by make"),
            ("---\nkind: fact\n---\n", ""),
            ("", ""),
            ("---\nnever closed", "n.md:1 – --- never closed"),
        ] {
            assert_eq!(shown(note("n.md", text)), expected, "{text:?}");
        }
        assert_eq!(note("a;b.md", "text"), None);
        assert_eq!(note("a\nb.md", "text"), None);
        let item = note("n.md", "The key is password=hunter2hunter2 in production").unwrap();
        assert!(!item.text.contains("hunter2") && !item.shown.contains("hunter2"), "{item:?}");
        assert_eq!(
            shown(note("n.md", &"long ".repeat(100))).chars().count(),
            "n.md:1 – ".chars().count() + SHOWN
        );
    }

    #[test]
    fn learnings_are_shown_by_what_is_right() {
        let text = "# Learnings\n\n## Compare whole outputs\n- Anti-pattern: a substring\n- Correct pattern: compare all\n- Reason: wrong\n\n## No fields\n";
        assert_eq!(shown(learnings("l.md", text)), "l.md:3 – Compare whole outputs: compare all");
    }

    #[test]
    fn decisions_are_cut_at_two_levels() {
        let text = "intro\n# 014 · A parser\n\nDate: 2026-01-01\n\n## Context\n\nIt was slow.\n### Why\nLong lines.\n```\n## no heading\n```\n## Decision\n- **Our own**, `small`.\n## Empty\n";
        insta::assert_snapshot!(shown(decisions("d.md", text)), @"
        d.md:1 – 014 · A parser: intro
        d.md:6 – 014 · A parser › Context: It was slow. ### Why Long lines. ## no heading
        d.md:14 – 014 · A parser › Decision: Our own, small.
        ");
        assert_eq!(decisions("d.md", ""), []);
        assert_eq!(decisions("d.md", "# Only a title\n"), []);
    }
}
