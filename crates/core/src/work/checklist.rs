//! Checklists: whether what an agent hands in is the file with only its boxes ticked, and whether everything is decided.
//!
//! A category without indented boxes is flat: every item ticked. One with them is a branch: exactly one of its outer items ticked, with
//! all that is below it.

use engine_text::line::fingerprint;
use engine_text::markdown::Lines;

/// How many lines of a difference, or of what is not decided, are shown.
const SHOWN: usize = 12;
/// How large the table of a comparison may be: two texts of a thousand lines that differ from the first to the last.
const CELLS: usize = 1 << 20;

/// A box in a list.
pub(super) struct Item<'t> {
    indent: usize,
    pub(super) ticked: bool,
    /// Where the mark in its box stands.
    mark: usize,
    pub(super) text: &'t str,
}

/// A name for the file as it is, whatever is ticked in it.
pub fn hash(text: &str) -> String {
    fingerprint(&bare(text).join("\n"))
}

/// The text as it is compared, with every box empty: line ends, blanks at the end of lines and a byte order mark do not matter.
fn bare(text: &str) -> Vec<String> {
    let empty = |line: &str| {
        let line = line.trim_end();
        let Some(Item { mark, .. }) = item(line) else { return line.to_owned() };
        format!("{} {}", &line[..mark], &line[mark + 1..])
    };
    let mut lines: Vec<String> = text.trim_start_matches('\u{feff}').lines().map(empty).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

pub(super) fn item(line: &str) -> Option<Item<'_>> {
    let trimmed = line.trim_start();
    let behind = behind_bullet(trimmed)?;
    let rest = behind
        .trim_start_matches([' ', '\t'])
        .strip_prefix('[')
        .filter(|_| behind.starts_with([' ', '\t']))?;
    let ticked = match rest.get(..2)? {
        " ]" => false,
        "x]" | "X]" => true,
        _ => return None,
    };
    let blanks = line[..line.len() - trimmed.len()].chars();
    let indent = blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
    Some(Item { indent, ticked, mark: line.len() - rest.len(), text: rest[2..].trim() })
}

/// What follows `-`, `*`, `+`, `1.` or `1)`.
fn behind_bullet(text: &str) -> Option<&str> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < text.len() {
        number.strip_prefix(['.', ')'])
    } else {
        text.strip_prefix(['-', '*', '+'])
    }
}

/// How a submission is not the original with only boxes changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// What seems to have happened.
    pub why: String,
    /// `-` and `+` lines.
    pub lines: Vec<String>,
}

/// Compares a submission with the original; nothing if only boxes differ.
pub fn mismatch(original: &str, submitted: &str) -> Option<Mismatch> {
    let (was, is) = (bare(original), bare(submitted));
    (was != is).then(|| Mismatch { why: why(&was, &is), lines: capped(diff(&was, &is)) })
}

/// Shortening is the usual mistake, and has its own words.
fn why(was: &[String], is: &[String]) -> String {
    let stands_for_more = |line: &&String| is_ellipsis(line) && !was.contains(line);
    if is.is_empty() {
        return "its text is empty, and the whole file is handed in".to_owned();
    }
    if let Some(line) = is.iter().find(stands_for_more) {
        return format!("its text is abbreviated (`{}`), and the whole file is handed in", line.trim());
    }
    let (whole, last) = (&is[..is.len() - 1], &is[is.len() - 1]);
    let ends_early =
        was.starts_with(whole) && was.get(whole.len()).is_some_and(|line| line.starts_with(last));
    if ends_early {
        return format!(
            "its text ends in line {} of {}, and the whole file is handed in",
            is.len(),
            was.len()
        );
    }
    "only boxes may change, and the whole file is handed in".to_owned()
}

/// `...`, `- …`, `<!-- ... -->`, `... (rest unchanged)`: a line that stands for others.
fn is_ellipsis(line: &str) -> bool {
    let words = item(line).map_or(line, |item| item.text);
    let words = words.trim_start_matches(|c: char| c.is_whitespace() || "-*[(<!#/".contains(c));
    words.starts_with("...") || words.starts_with('…')
}

/// The first of them, and how many more there are.
pub fn capped(mut lines: Vec<String>) -> Vec<String> {
    let hidden = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if hidden > 0 {
        lines.push(format!("… and {hidden} more"));
    }
    lines
}

/// The fewest lines that go and come between two texts.
fn diff(was: &[String], is: &[String]) -> Vec<String> {
    let before = was.iter().zip(is).take_while(|(was, is)| was == is).count();
    let (was, is) = (&was[before..], &is[before..]);
    let after = was.iter().rev().zip(is.iter().rev()).take_while(|(was, is)| was == is).count();
    let (was, is) = (&was[..was.len() - after], &is[..is.len() - after]);
    let common = Common::of(was, is);
    let mut found = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < was.len() || new < is.len() {
        if was.get(old) == is.get(new) {
            (old, new) = (old + 1, new + 1);
        } else if old < was.len() && (new == is.len() || common.at(old + 1, new) >= common.at(old, new + 1)) {
            found.push(format!("- {}", was[old]));
            old += 1;
        } else {
            found.push(format!("+ {}", is[new]));
            new += 1;
        }
    }
    found
}

/// How many lines two texts have in common, in order, from any two places on.
struct Common {
    width: usize,
    cells: Vec<u32>,
}

impl Common {
    fn of(was: &[String], is: &[String]) -> Self {
        let width = is.len() + 1;
        let size = width * (was.len() + 1);
        // Without a table all that is between the first and the last change is told.
        let mut cells = vec![0; if size <= CELLS { size } else { 0 }];
        for old in (0..was.len()).rev().filter(|_| size <= CELLS) {
            for new in (0..is.len()).rev() {
                let below = (old + 1) * width + new;
                cells[old * width + new] = if was[old] == is[new] {
                    cells[below + 1] + 1
                } else {
                    cells[below].max(cells[old * width + new + 1])
                };
            }
        }
        Self { width, cells }
    }

    fn at(&self, old: usize, new: usize) -> u32 {
        self.cells.get(old * self.width + new).copied().unwrap_or_default()
    }
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
    // The boxes of a list may all be below something that is none.
    let outer = items.iter().map(|item| item.indent).min().unwrap_or_default();
    let is_outer = |item: &&Item<'_>| item.indent == outer;
    if items.iter().all(|item| is_outer(&item)) {
        let open = items.iter().filter(|item| !item.ticked);
        found.extend(open.map(|item| format!("{place}{} is not ticked", item.text)));
        return;
    }
    match items.iter().filter(is_outer).filter(|item| item.ticked).count() {
        1 => {}
        count => found.push(format!("{place}exactly one of its branches is ticked, not {count}")),
    }
    // What is below no box must be ticked.
    let mut below_ticked = true;
    for item in items {
        if is_outer(&item) {
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

    fn lines(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_boxes_may_change() {
        assert_eq!(mismatch(FLAT, &FLAT.replace("[ ]", "[x]")), None);
        assert_eq!(mismatch(FLAT, &FLAT.replace("[ ]", "[X]").replace('\n', "  \r\n")), None);
        assert_eq!(hash(FLAT), hash(&FLAT.replace("[ ]", "[X]")));
        assert_eq!(mismatch(&format!("\u{feff}{FLAT}"), FLAT), None);
        let kinds = "1. [ ] a\n2) [ ] b\n+ [ ] c\n*  [ ] d\n\t-\t[ ] e\n- [ ] of [x] and [ ]\n";
        for line in kinds.lines() {
            assert_eq!(
                mismatch(kinds, &kinds.replace(line, &line.replacen("[ ]", "[x]", 1))),
                None,
                "{line}"
            );
        }
        for text in ["-[ ] a", "1 [ ] a", "[ ] a", ". [ ] a", "- [  ] a", "- text [ ]"] {
            assert!(mismatch(text, &text.replace("[ ", "[x")).is_some(), "{text}");
        }
        assert_ne!(hash(FLAT), hash(BRANCH));
    }

    #[test]
    fn what_happened_is_told_with_the_difference() {
        let only = "only boxes may change";
        let cases = [
            (FLAT.replace("docs", "some docs"), only, vec!["- - [ ] docs", "+ - [ ] some docs"]),
            (format!("{FLAT}- [x] more\n"), only, vec!["+ - [ ] more"]),
            (FLAT.replace("- [ ] unit tests\n", ""), only, vec!["- - [ ] unit tests"]),
            (
                "# List\n\n## Tests\n- [x] unit tests\n".to_owned(),
                "its text ends in line 4 of 5",
                vec!["- - [ ] docs"],
            ),
            (
                "# List\n\n## Tests\n- [x] unit te".to_owned(),
                "its text ends in line 4 of 5",
                vec!["- - [ ] unit tests", "- - [ ] docs", "+ - [ ] unit te"],
            ),
            (
                "# List\n...\n- [x] docs\n".to_owned(),
                "its text is abbreviated (`...`)",
                vec!["- ", "- ## Tests", "- - [ ] unit tests", "+ ..."],
            ),
            (
                FLAT.replace("unit tests", "… (all others)"),
                "its text is abbreviated (`- [ ] … (all others)`)",
                vec!["- - [ ] unit tests", "+ - [ ] … (all others)"],
            ),
            (
                String::new(),
                "its text is empty",
                vec!["- # List", "- ", "- ## Tests", "- - [ ] unit tests", "- - [ ] docs"],
            ),
        ];
        for (submitted, why, lines) in cases {
            let expected = format!("{why}, and the whole file is handed in");
            let found = mismatch(FLAT, &submitted).unwrap();
            assert_eq!(
                (found.why, found.lines),
                (expected, lines.into_iter().map(str::to_owned).collect()),
                "{submitted}"
            );
        }
        // What the file itself says is no abbreviation.
        let dots = "- [ ] a\n...\n";
        assert_eq!(
            mismatch(dots, "- [ ] b\n...\n").unwrap().why,
            format!("{only}, and the whole file is handed in")
        );
    }

    #[test]
    fn differences_are_as_short_as_can_be() {
        let cases = [
            ("a b c", "a b c", ""),
            // A line that recurs does not draw the rest with it.
            ("a x b x c", "a y b x c", "- x + y"),
            ("x a x b x", "a x b x", "- x"),
            ("- b -", "a - b - c", "+ a + c"),
            ("a b c d", "d a b c", "+ d - d"),
            ("a b", "", "- a - b"),
            ("", "a", "+ a"),
        ];
        for (was, is, expected) in cases {
            assert_eq!(diff(&lines(was), &lines(is)).join(" "), expected, "{was} → {is}");
        }
        let many = |from: u32| -> Vec<String> { (from..from + 20).map(|line| line.to_string()).collect() };
        let capped = capped(diff(&many(0), &many(100)));
        assert_eq!((capped.len(), capped[12].as_str()), (13, "… and 28 more"));
        // Beyond the bound it is longer than need be.
        let large = |first: &str| -> Vec<String> {
            std::iter::once(first.to_owned()).chain((0..1100).map(|line| line.to_string())).collect()
        };
        let (mut was, mut is) = (large("a"), large("b"));
        assert_eq!(diff(&was, &is), ["- a", "+ b"]);
        was.push("c".to_owned());
        is.push("d".to_owned());
        assert_eq!(diff(&was, &is).len(), 2 * 1102);
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
            ("- Tests\n  - [x] a\n  - [x] b\n".to_owned(), vec![]),
            ("- Tests\n  - [x] a\n  - [ ] b\n".to_owned(), vec!["b is not ticked"]),
            ("- Tests\n  - [ ] a\n- [x] b\n".to_owned(), vec!["a is not ticked"]),
            ("1. [ ] a\n+ [x] b\n".to_owned(), vec!["a is not ticked"]),
            ("1. [x] DID\n   1. [ ] docs\n2. [ ] DID NOT\n".to_owned(), vec!["docs is not ticked"]),
            ("1. [ ] DID\n   1. [ ] docs\n2. [x] DID NOT\n".to_owned(), vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(undecided(&text), expected, "{text}");
        }
    }
}
