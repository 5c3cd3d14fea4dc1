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
    /// What a heading begins: by its first word, or by one in capitals. A part of a word does not count, and neither do colours.
    pub(super) fn of(heading: &str) -> Option<Self> {
        let mut words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let named = |word: &str, exact: bool| {
            let is = |name: &str| if exact { word == name } else { word.eq_ignore_ascii_case(name) };
            ROLES.iter().find(|(_, name)| is(name)).map(|(role, _)| *role)
        };
        let first = words.by_ref().find(|word| word.chars().any(char::is_alphabetic))?;
        // `### Red team notes` and `### Green field` are about something else.
        let behind = heading.split_once(first).map_or("", |(_, behind)| behind).trim_start();
        let next = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let stands_alone =
            next.is_empty() || ["phase", "section"].iter().any(|word| next.eq_ignore_ascii_case(word));
        let of_first = match named(first, false) {
            Some(Self::Red | Self::Green) if !stands_alone => named(first, true),
            role => role,
        };
        of_first.or_else(|| words.find_map(|word| named(word, true)))
    }

    pub(super) fn name(self) -> &'static str {
        ROLES.iter().find(|(role, _)| *role == self).map_or("", |(_, name)| name)
    }
}

/// The lines of a step, each with the section of a cycle that it is in.
pub(super) struct Body<'a> {
    documents: &'a [Document<'a>],
    pub(super) lines: &'a [At],
    pub(super) roles: Vec<Option<Role>>,
    /// Where sections begin.
    pub(super) sections: Vec<(Role, usize)>,
}

/// What a text says of when to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Unsaid,
    /// There is the heading alone.
    Empty(At),
    Said,
}

impl<'a> Body<'a> {
    pub(super) fn new(documents: &'a [Document<'a>], lines: &'a [At]) -> Self {
        let mut roles = Vec::with_capacity(lines.len());
        let mut current: Option<(usize, Role)> = None;
        let mut sections = Vec::new();
        for (place, (document, line)) in lines.iter().enumerate() {
            if let Some((level, text)) = documents[*document].heading(*line) {
                match Role::of(text) {
                    // It divides the section.
                    Some(role) if current.is_some_and(|(open, own)| role == own && level > open) => {}
                    Some(role) => {
                        current = Some((level, role));
                        sections.push((role, place));
                    }
                    None if current.is_some_and(|(open, _)| level <= open) => current = None,
                    None => {}
                }
            }
            roles.push(current.map(|(_, role)| role));
        }
        Self { documents, lines, roles, sections }
    }

    /// Whether there is a text between a place and the next section, besides headings.
    pub(super) fn has_text(&self, from: usize, to: usize, without: &[At]) -> bool {
        let lines = self.lines[from..to].iter().filter(|at| without.binary_search(at).is_err());
        lines.into_iter().any(|at| says_something(self.documents, *at))
    }

    /// Where the section ends that begins in a place.
    pub(super) fn end_of(&self, place: usize) -> usize {
        let role = self.roles[place];
        let is_next = |index: &usize| {
            self.roles[*index] != role || self.sections.iter().any(|(_, begun)| begun == index)
        };
        (place + 1..self.lines.len()).find(is_next).unwrap_or(self.lines.len())
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.contains(&Some(role))
    }

    /// The line of the first heading for a role.
    pub(super) fn place(&self, role: Role) -> Option<At> {
        self.roles.iter().position(|found| *found == Some(role)).map(|index| self.lines[index])
    }

    /// The line that names a role in bold, as a heading would.
    pub(super) fn bold(&self, role: Role) -> Option<At> {
        let is_bold = |(document, line): &&At| {
            let document = &self.documents[*document];
            let text = document.text(*line);
            !document.lines.all[*line].fenced && text.starts_with("**") && Role::of(text) == Some(role)
        };
        self.lines.iter().find(is_bold).copied()
    }

    /// The text of the sections that are wanted, without the lines that are left out. `without` is sorted.
    pub(super) fn text(&self, without: &[At], wanted: impl Fn(Option<Role>) -> bool) -> String {
        let lines = self.lines.iter().zip(&self.roles).filter(|(_, role)| wanted(**role)).map(|(at, _)| *at);
        let lines: Vec<At> = lines.filter(|at| without.binary_search(at).is_err()).collect();
        text(self.documents, &lines)
    }
}

/// Whether a heading among these lines says when to stop, with a text below it.
pub(super) fn stop(documents: &[Document<'_>], lines: &[At]) -> Stop {
    let mut found = Stop::Unsaid;
    for (place, (document, line)) in lines.iter().enumerate() {
        let Some((level, text)) = documents[*document].heading(*line) else { continue };
        let text = text.to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let is_one = words.any(|word| matches!(word, "stop" | "stops" | "stopping"))
            || text.contains("error condition");
        if !is_one {
            continue;
        }
        let ends = |(document, line): &&At| {
            documents[*document].heading(*line).is_some_and(|(other, _)| other <= level)
        };
        let mut below = lines[place + 1..].iter().take_while(|at| !ends(at));
        if below.any(|at| says_something(documents, *at)) {
            return Stop::Said;
        }
        if found == Stop::Unsaid {
            found = Stop::Empty((*document, *line));
        }
    }
    found
}

/// Whether a line is neither empty nor a heading, a rule or a comment.
fn says_something(documents: &[Document<'_>], (document, line): At) -> bool {
    let document = &documents[document];
    let text = document.text(line).trim();
    let is_comment = document.lines.all[line].fenced && text.starts_with("<!--") && text.ends_with("-->");
    !text.is_empty() && text != "---" && !is_comment && document.heading(line).is_none()
}

/// Lines as a text with plain line ends, without empty lines and rules around it: those divide it from what follows.
pub(super) fn text(documents: &[Document<'_>], lines: &[At]) -> String {
    let mut texts: Vec<&str> =
        lines.iter().map(|(document, line)| documents[*document].text(*line)).collect();
    let is_empty = |line: &str| line.trim().is_empty();
    while let Some((last, rest)) = texts.split_last() {
        // Below a line of text it is the underline of a heading.
        let is_rule = last.trim() == "---" && rest.last().is_none_or(|above| is_empty(above));
        if !is_empty(last) && !is_rule {
            break;
        }
        texts.pop();
    }
    let first = texts.iter().position(|line| !is_empty(line) && line.trim() != "---").unwrap_or(texts.len());
    texts[first..].join("\n")
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
            ("Red team notes", None),
            ("Green field", None),
            ("Red phase", Some(Role::Red)),
            ("RED team", Some(Role::Red)),
            ("Refactor names", Some(Role::Refactor)),
            ("", None),
        ];
        for (heading, role) in cases {
            assert_eq!(Role::of(heading), role, "{heading:?}");
        }
    }
}
