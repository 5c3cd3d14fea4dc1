//! The text of a step, and the sections of a cycle in it.

use super::outline::{At, Document};

/// What a section of a cycle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Bootstrap,
    Red,
    Green,
    Refactor,
}

const ROLES: [(Role, &str); 4] = [
    (Role::Bootstrap, "BOOTSTRAP"),
    (Role::Red, "RED"),
    (Role::Green, "GREEN"),
    (Role::Refactor, "REFACTOR"),
];

impl Role {
    /// What a heading begins: by its first word, or by one in capitals. A part of a word does not count.
    fn of(heading: &str) -> Option<Self> {
        let mut words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let named = |word: &str, exact: bool| {
            let is = |name: &str| if exact { word == name } else { word.eq_ignore_ascii_case(name) };
            ROLES.iter().find(|(_, name)| is(name)).map(|(role, _)| *role)
        };
        let first = words.next()?;
        named(first, false).or_else(|| words.find_map(|word| named(word, true)))
    }
}

/// The lines of a step, each with the section of a cycle that it is in.
pub(super) struct Body<'a> {
    documents: &'a [Document<'a>],
    pub(super) lines: &'a [At],
    pub(super) roles: Vec<Option<Role>>,
}

impl<'a> Body<'a> {
    pub(super) fn new(documents: &'a [Document<'a>], lines: &'a [At]) -> Self {
        let mut roles = Vec::with_capacity(lines.len());
        let mut current: Option<(usize, Role)> = None;
        for (document, line) in lines {
            if let Some((level, text)) = documents[*document].lines.heading(*line) {
                match Role::of(text) {
                    Some(role) => current = Some((level, role)),
                    None if current.is_some_and(|(open, _)| level <= open) => current = None,
                    None => {}
                }
            }
            roles.push(current.map(|(_, role)| role));
        }
        Self { documents, lines, roles }
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.contains(&Some(role))
    }

    /// The line of the first heading for a role.
    pub(super) fn place(&self, role: Role) -> Option<At> {
        self.roles.iter().position(|found| *found == Some(role)).map(|index| self.lines[index])
    }

    /// Whether a heading says when to stop.
    pub(super) fn stops(&self) -> bool {
        stops(self.documents, self.lines)
    }

    /// The text of the sections that are wanted, without the lines that are left out. `without` is sorted.
    pub(super) fn text(&self, without: &[At], wanted: impl Fn(Option<Role>) -> bool) -> String {
        let lines = self.lines.iter().zip(&self.roles).filter(|(_, role)| wanted(**role)).map(|(at, _)| *at);
        let lines: Vec<At> = lines.filter(|at| without.binary_search(at).is_err()).collect();
        text(self.documents, &lines)
    }
}

/// Whether a heading among these lines says when to stop.
pub(super) fn stops(documents: &[Document<'_>], lines: &[At]) -> bool {
    let says = |(document, line): &At| {
        let Some((_, text)) = documents[*document].lines.heading(*line) else { return false };
        let text = text.to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| matches!(word, "stop" | "stops" | "stopping")) || text.contains("error condition")
    };
    lines.iter().any(says)
}

/// Lines as a text, without empty ones around it and with plain line ends.
pub(super) fn text(documents: &[Document<'_>], lines: &[At]) -> String {
    let texts: Vec<&str> = lines.iter().map(|(document, line)| documents[*document].text(*line)).collect();
    let is_full = |line: &&str| !line.trim().is_empty();
    let Some(first) = texts.iter().position(is_full) else { return String::new() };
    let last = texts.iter().rposition(is_full).unwrap_or(first);
    texts[first..=last].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_names_a_section_by_a_word_of_its_own() {
        let cases = [
            ("RED", Some(Role::Red)),
            ("Red: the test", Some(Role::Red)),
            ("**RED Phase**", Some(Role::Red)),
            ("Phase RED", Some(Role::Red)),
            ("1. GREEN", Some(Role::Green)),
            ("GREEN phase, after RED", Some(Role::Green)),
            ("Bootstrap", Some(Role::Bootstrap)),
            ("REFACTOR", Some(Role::Refactor)),
            ("Stored evergreen", None),
            ("INFRARED", None),
            ("a red button", None),
            ("Refactoring", None),
            ("", None),
        ];
        for (heading, role) in cases {
            assert_eq!(Role::of(heading), role, "{heading:?}");
        }
    }
}
