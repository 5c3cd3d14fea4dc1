//! Checklists: whether what an agent hands in is the file with only its boxes ticked, and whether everything is decided.
//!
//! A category without indented boxes is flat: every item ticked. One with them is a branch: exactly one of its outer items ticked, with
//! all that is below it.

use crate::markdown::Lines;
use crate::text::fingerprint;

/// How many lines of a difference are shown.
const SHOWN: usize = 12;

/// A box in a list.
struct Item<'t> {
    indented: bool,
    ticked: bool,
    text: &'t str,
}

/// The text as it is compared: line ends, blanks at the end of lines and the case of a tick do not matter.
fn normal(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line = line.trim_end();
        if item(line).is_some_and(|item| item.ticked) {
            line.replacen("[X]", "[x]", 1)
        } else {
            line.to_owned()
        }
    };
    let mut lines: Vec<String> = text.lines().map(line).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// A name for the file as it is, whatever is ticked in it.
pub fn hash(text: &str) -> String {
    fingerprint(&bare(text).join("\n"))
}

/// The lines with every box empty.
fn bare(text: &str) -> Vec<String> {
    let empty = |line: String| if item(&line).is_some() { line.replacen("[x]", "[ ]", 1) } else { line };
    normal(text).into_iter().map(empty).collect()
}

fn item(line: &str) -> Option<Item<'_>> {
    let trimmed = line.trim_start();
    let rest = trimmed.strip_prefix("- [").or_else(|| trimmed.strip_prefix("* ["))?;
    let ticked = match rest.get(..2)? {
        " ]" => false,
        "x]" | "X]" => true,
        _ => return None,
    };
    Some(Item { indented: trimmed.len() < line.len(), ticked, text: rest[2..].trim() })
}

/// Where a submission is not the original with only boxes changed: `-` and `+` lines, nothing if it is.
pub fn differences(original: &str, submitted: &str) -> Vec<String> {
    let (was, is) = (bare(original), bare(submitted));
    if was == is {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for line in &was {
        match is[at..].iter().position(|other| other == line) {
            Some(further) => {
                found.extend(is[at..at + further].iter().map(|added| format!("+ {added}")));
                at += further + 1;
            }
            None => found.push(format!("- {line}")),
        }
    }
    found.extend(is[at..].iter().map(|added| format!("+ {added}")));
    let hidden = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    if hidden > 0 {
        found.push(format!("… and {hidden} more"));
    }
    found
}

/// Everything that is not decided.
pub fn undecided(text: &str) -> Vec<String> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let mut category = String::new();
    let mut items: Vec<Item<'_>> = Vec::new();
    for (at, line) in lines.all.iter().enumerate() {
        if let Some((_, heading)) = lines.heading(at) {
            judge(&category, &items, &mut found);
            heading.clone_into(&mut category);
            items.clear();
        } else if let Some(item) = item(line.text.trim_end()).filter(|_| !line.fenced) {
            items.push(item);
        }
    }
    judge(&category, &items, &mut found);
    found
}

fn judge(category: &str, items: &[Item<'_>], found: &mut Vec<String>) {
    let place = if category.is_empty() { String::new() } else { format!("{category}: ") };
    if !items.iter().any(|item| item.indented) {
        let open = items.iter().filter(|item| !item.ticked);
        found.extend(open.map(|item| format!("{place}{} is not ticked", item.text)));
        return;
    }
    let parents = items.iter().filter(|item| !item.indented);
    match parents.filter(|item| item.ticked).count() {
        1 => {}
        count => found.push(format!("{place}exactly one of its branches is ticked, not {count}")),
    }
    let mut below_ticked = false;
    for item in items {
        if !item.indented {
            below_ticked = item.ticked;
        } else if below_ticked && !item.ticked {
            found.push(format!("{place}{} is not ticked", item.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = "# List\n\n## Tests\n- [ ] unit tests\n- [ ] docs\n";
    const BRANCH: &str = "## API\n- [ ] I DID change the API\n  - [ ] docs say so\n  - [ ] version raised\n- [ ] I DID NOT change it\n";

    #[test]
    fn only_boxes_may_change() {
        assert_eq!(differences(FLAT, &FLAT.replace("[ ]", "[x]")), [""; 0]);
        assert_eq!(differences(FLAT, &FLAT.replace("[ ]", "[X]").replace('\n', "  \r\n")), [""; 0]);
        assert_eq!(
            differences(FLAT, &FLAT.replace("docs", "some docs")),
            ["- - [ ] docs", "+ - [ ] some docs"]
        );
        assert_eq!(differences(FLAT, "# List\n\n## Tests\n- [x] unit tests\n"), ["- - [ ] docs"]);
        assert_eq!(differences(FLAT, &format!("{FLAT}- [x] more\n")), ["+ - [ ] more"]);
        assert_eq!(hash(FLAT), hash(&FLAT.replace("[ ]", "[X]")));
        assert_ne!(hash(FLAT), hash(BRANCH));
    }

    #[test]
    fn all_is_decided() {
        let cases: Vec<(String, Vec<&str>)> = vec![
            (FLAT.replace("[ ]", "[x]"), vec![]),
            (FLAT.replace("[ ] unit", "[x] unit"), vec!["Tests: docs is not ticked"]),
            (BRANCH.to_owned(), vec!["API: exactly one of its branches is ticked, not 0"]),
            (BRANCH.replace("[ ] I DID NOT", "[x] I DID NOT"), vec![]),
            (
                BRANCH.replace("[ ] I DID change", "[x] I DID change").replace("[ ] docs", "[x] docs"),
                vec!["API: version raised is not ticked"],
            ),
            (BRANCH.replace("[ ]", "[x]"), vec!["API: exactly one of its branches is ticked, not 2"]),
        ];
        for (text, expected) in cases {
            assert_eq!(undecided(&text), expected, "{text}");
        }
    }
}
