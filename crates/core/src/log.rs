//! A session's log: entries one after the other, each with a stamp and a type that its heading tells.
//!
//! ```markdown
//! ## [2026-11-15 12:30:01] 🚧 The key is missing
//! **Phase**: 3.A: Build
//! Asked for it.
//! ```

use engine_text::markdown::{Line, Lines};

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Start,
    Block,
    Stuck,
    Debug,
    Debt,
    Observation,
    Concern,
    Revert,
    Success,
    Parked,
    Decision,
    /// A rule that might be kept for good.
    Invariant,
    /// A trap that might be kept for good.
    Pitfall,
}

/// Each type with the mark that leads its headings. Marks are compared without the selector of their coloured form.
const MARKS: &[(Kind, char)] = &[
    (Kind::Start, '▶'),
    (Kind::Block, '🚧'),
    (Kind::Stuck, '😨'),
    (Kind::Debug, '🐞'),
    (Kind::Debt, '💸'),
    (Kind::Observation, '👁'),
    (Kind::Concern, '😟'),
    (Kind::Revert, '🔙'),
    (Kind::Success, '✅'),
    (Kind::Parked, '🅿'),
    (Kind::Decision, '⚖'),
];

/// What candidates for directives are written with; the only types that count inside an entry, too.
pub const SHORT: &[(&str, Kind)] = &[("INV", Kind::Invariant), ("PTF", Kind::Pitfall)];

/// Asks for the coloured form of the character before it.
const COLOURED: char = '\u{fe0f}';

impl Kind {
    pub const ALL: &[Self] = &[
        Self::Start,
        Self::Block,
        Self::Stuck,
        Self::Debug,
        Self::Debt,
        Self::Observation,
        Self::Concern,
        Self::Revert,
        Self::Success,
        Self::Parked,
        Self::Decision,
        Self::Invariant,
        Self::Pitfall,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Block => "block",
            Self::Stuck => "stuck",
            Self::Debug => "debug",
            Self::Debt => "debt",
            Self::Observation => "observation",
            Self::Concern => "concern",
            Self::Revert => "revert",
            Self::Success => "success",
            Self::Parked => "parked",
            Self::Decision => "decision",
            Self::Invariant => "invariant",
            Self::Pitfall => "pitfall",
        }
    }

    /// The type by its word or its short form, in any case.
    pub fn named(word: &str) -> Option<Self> {
        let short = SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind);
        short.or_else(|| Self::ALL.iter().copied().find(|kind| kind.as_str().eq_ignore_ascii_case(word)))
    }

    /// The type that a heading begins with, and what is left of it.
    fn leading(heading: &str) -> (Option<Self>, &str) {
        let marked = MARKS.iter().find_map(|(kind, mark)| Some((*kind, heading.strip_prefix(*mark)?)));
        if let Some((kind, rest)) = marked {
            let rest = rest.trim_start_matches(COLOURED).trim_start();
            // `🚧 Block: …` says it twice.
            return match Self::spelt(rest) {
                Some((word, rest)) if word == kind => (Some(kind), rest),
                _ => (Some(kind), rest),
            };
        }
        match Self::spelt(heading) {
            Some((kind, rest)) => (Some(kind), rest),
            None => (None, heading),
        }
    }

    /// `Start: …`; the reader of headings takes the colon off a bare `Start:`.
    fn spelt(heading: &str) -> Option<(Self, &str)> {
        let (word, rest) = heading.split_once(':').unwrap_or((heading, ""));
        Some((Self::named(word.trim())?, rest.trim_start()))
    }
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Of its heading, counted from 1.
    pub line: usize,
    /// `2026-11-15 12:30:01`, local time.
    pub at: Option<&'a str>,
    pub kind: Option<Kind>,
    /// The heading without stamp and type.
    pub title: &'a str,
    /// `LABEL: NAME`, from a line `**Phase**: LABEL: NAME`.
    pub phase: Option<&'a str>,
    /// As it stands in the file, heading included.
    pub text: &'a str,
    pub body: &'a str,
}

impl Entry<'_> {
    /// Whether it was written in this phase, given by label, name or both.
    pub fn is_of_phase(&self, wanted: &str) -> bool {
        let Some(phase) = self.phase else { return false };
        let wanted = wanted.trim();
        let (label, name) = phase.split_once(':').unwrap_or((phase, ""));
        [phase, label.trim(), name.trim()]
            .iter()
            .any(|part| !part.is_empty() && part.eq_ignore_ascii_case(wanted))
    }
}

/// What the line with the phase of an entry begins with.
pub const PHASE: &str = "**Phase**:";

/// All entries of a log. What stands before the first one belongs to none.
pub fn parse(text: &str) -> Vec<Entry<'_>> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for index in 0..lines.all.len() {
        let Some((_, heading)) = lines.heading(index).filter(|(level, _)| *level == 2) else { continue };
        let end = lines.section_end(index);
        let body = &lines.all[index + 1..end];
        let to = lines.all[end - 1].end;
        let (at, rest) = stamp(heading).map_or((None, heading), |(at, rest)| (Some(at), rest));
        let (kind, title) = Kind::leading(rest);
        let phase = body.iter().find_map(phase_of);
        found.push(Entry {
            line: index + 1,
            at,
            kind,
            title,
            phase: phase.filter(|phase| !phase.is_empty()),
            text: text[lines.all[index].start..to].trim_end(),
            body: text[lines.all[index].end..to].trim(),
        });
    }
    found
}

/// The phase that a line tells.
fn phase_of<'a>(line: &Line<'a>) -> Option<&'a str> {
    line.text.trim().strip_prefix(PHASE).filter(|_| !line.fenced).map(str::trim)
}

/// The stamp that a heading begins with, and what is behind it.
fn stamp(heading: &str) -> Option<(&str, &str)> {
    let (stamp, rest) = heading.strip_prefix('[')?.split_once(']')?;
    let shape = "0000-00-00 00:00:00";
    let fits = |(c, mark): (char, char)| if mark == '0' { c.is_ascii_digit() } else { c == mark };
    let is_stamp = stamp.len() == shape.len() && stamp.chars().zip(shape.chars()).all(fits);
    is_stamp.then(|| (stamp, rest.trim_start()))
}

/// An entry ready to be appended: stamped, with the phase in which it was written, ended, and with its last code fence or comment
/// closed, which would swallow the entries behind it. Nothing if it has no heading of the second level.
pub fn entry(text: &str, now: &str, phase: Option<&str>) -> Option<String> {
    let text = text.trim_end();
    let lines = Lines::new(text);
    let (index, heading) = (0..lines.all.len()).find_map(|index| match lines.heading(index)? {
        (2, heading) => Some((index, heading)),
        _ => None,
    })?;
    let line = &lines.all[index];
    // Behind the two marks and their blank.
    let at = line.start + line.text.find("##")? + 3;
    let below = line.start + line.text.len();
    let has_phase =
        lines.all[index + 1..lines.section_end(index)].iter().any(|line| phase_of(line).is_some());
    let mut new = text.to_owned();
    if let Some(open) = lines.open_fence {
        new.push_str(lines.newline());
        new.push_str(&closing(&text[open..]));
    }
    new.push_str(lines.newline());
    if let Some(phase) = phase.filter(|_| !has_phase) {
        new.insert_str(below, &format!("{}{PHASE} {phase}", lines.newline()));
    }
    if stamp(heading).is_none() {
        new.insert_str(at, &format!("[{now}] "));
    }
    let blank = |line: &&str| line.trim().is_empty();
    let blanks: usize = new.split_inclusive('\n').take_while(blank).map(str::len).sum();
    Some(new.split_off(blanks))
}

/// The line that closes the fence or comment which this text opens, as far in as it: a fence in a list item is closed there.
fn closing(opening: &str) -> String {
    let text = opening.trim_start_matches([' ', '\t']);
    let mark = text.chars().next().unwrap_or('`');
    let marks = text.len() - text.trim_start_matches(mark).len();
    let close = if mark == '<' { "-->" } else { &text[..marks] };
    format!("{}{close}", &opening[..opening.len() - text.len()])
}

/// What stands between the end of a log and the next entry: a blank line.
pub fn gap(end: &str) -> &'static str {
    let end = end.replace('\r', "");
    match end.as_str() {
        "" => "",
        end if end.ends_with("\n\n") => "",
        end if end.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: &str = "2026-11-15 12:30:01";

    #[test]
    fn the_first_heading_of_the_second_level_is_stamped() {
        let cases = [
            ("## A\nx", "## [2026-11-15 12:30:01] A\nx\n"),
            ("## A\n\n## B\n### C\n\n\n", "## [2026-11-15 12:30:01] A\n\n## B\n### C\n"),
            ("\n  \n# Log\n\n## A", "# Log\n\n## [2026-11-15 12:30:01] A\n"),
            ("## [2025-01-02 03:04:05] A\n## B", "## [2025-01-02 03:04:05] A\n## B\n"),
            ("## [x] A", "## [2026-11-15 12:30:01] [x] A\n"),
            ("```\n## no\n```\n## yes", "```\n## no\n```\n## [2026-11-15 12:30:01] yes\n"),
            ("## A\r\nx\r\n", "## [2026-11-15 12:30:01] A\r\nx\r\n"),
            ("## A\n````rust\nx", "## [2026-11-15 12:30:01] A\n````rust\nx\n````\n"),
            ("## A\n- b\n  ```\n  x", "## [2026-11-15 12:30:01] A\n- b\n  ```\n  x\n  ```\n"),
            ("## A\n<!-- x", "## [2026-11-15 12:30:01] A\n<!-- x\n-->\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(entry(text, NOW, None).as_deref(), Some(expected), "{text:?}");
        }
        for text in ["", "x", "# A", "### A", "##A", "```\n## A\n```", "```\n## A"] {
            assert_eq!(entry(text, NOW, None), None, "{text:?}");
        }
    }

    #[test]
    fn types_are_told_by_mark_or_word() {
        let cases = [
            ("▶️ Lexer", Some(Kind::Start), "Lexer"),
            ("▶ Lexer", Some(Kind::Start), "Lexer"),
            ("🚧 Block: no key", Some(Kind::Block), "no key"),
            ("😨 x", Some(Kind::Stuck), "x"),
            ("🐞 x", Some(Kind::Debug), "x"),
            ("💸 x", Some(Kind::Debt), "x"),
            ("👁️ x", Some(Kind::Observation), "x"),
            ("😟 x", Some(Kind::Concern), "x"),
            ("🔙 x", Some(Kind::Revert), "x"),
            ("✅ x: y", Some(Kind::Success), "x: y"),
            ("🅿️ x", Some(Kind::Parked), "x"),
            ("⚖️ x", Some(Kind::Decision), "x"),
            ("decision: JSON", Some(Kind::Decision), "JSON"),
            ("Success:", Some(Kind::Success), ""),
            ("INV: one writer", Some(Kind::Invariant), "one writer"),
            ("Pitfall: two writers", Some(Kind::Pitfall), "two writers"),
            ("Starting: x", None, "Starting: x"),
            ("x ✅", None, "x ✅"),
        ];
        for (heading, kind, title) in cases {
            let text = format!("## [{NOW}] {heading}\n");
            let entries = parse(&text);
            assert_eq!(
                (entries[0].at, entries[0].kind, entries[0].title),
                (Some(NOW), kind, title),
                "{heading}"
            );
        }
    }

    #[test]
    fn an_entry_gets_the_phase_unless_it_tells_one() {
        let cases = [
            ("## A", "## [2026-11-15 12:30:01] A\n**Phase**: 3: Build\n"),
            (
                "# Log\n## A\r\nx\n## B",
                "# Log\n## [2026-11-15 12:30:01] A\r\n**Phase**: 3: Build\r\nx\n## B\r\n",
            ),
            ("## A\nx\n**Phase**: 1: Setup\n", "## [2026-11-15 12:30:01] A\nx\n**Phase**: 1: Setup\n"),
            (
                "## A\n```\n**Phase**: 1",
                "## [2026-11-15 12:30:01] A\n**Phase**: 3: Build\n```\n**Phase**: 1\n```\n",
            ),
            (
                "## A\n## B\n**Phase**: 1",
                "## [2026-11-15 12:30:01] A\n**Phase**: 3: Build\n## B\n**Phase**: 1\n",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(entry(text, NOW, Some("3: Build")).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn entries_know_their_lines_phase_and_body() {
        let text = "# Log\nx\n\n## A\n**Phase**: 3.A: Build\n```\n## no\n```\n### deeper\n\n## Block: B\n```\n**Phase**: 1: No\n```\n";
        let entries = parse(text);
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].line, entries[0].at, entries[0].phase), (4, None, Some("3.A: Build")));
        assert_eq!(entries[0].body, "**Phase**: 3.A: Build\n```\n## no\n```\n### deeper");
        assert_eq!((entries[1].line, entries[1].phase), (11, None));
        for wanted in ["3.A", "3.a: build", "Build"] {
            assert!(entries[0].is_of_phase(wanted), "{wanted}");
        }
        assert!(!entries[0].is_of_phase("3") && !entries[0].is_of_phase("") && !entries[1].is_of_phase("1"));
    }

    proptest! {
        /// Whatever is logged, the entry behind it is found.
        #[test]
        fn no_entry_swallows_the_next(body in "([ -~]|\n|```|~~~|<!--|-->|## |▶️){0,40}", phase: bool) {
            let first = entry(&format!("## A\n{body}"), NOW, phase.then_some("3: Build")).unwrap();
            let second = entry("## B", NOW, None).unwrap();
            let log = format!("{first}{}{second}", gap(&first));
            let entries = parse(&log);
            prop_assert_eq!(entries.last().map(|entry| entry.title), Some("B"));
            prop_assert_eq!(entries[0].at, Some(NOW));
        }
    }
}
