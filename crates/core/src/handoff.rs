//! The handoff in `session.md`: what sessions wrote for the next ones.
//!
//! ```markdown
//! ## Status
//!
//! The lexer works. (session 1a2b3c4d, 2026-11-18T14:02Z)
//!
//! ## Notes
//!
//! A line without a mark is the person's.
//!
//! - never touch lexer.rs (session 1a2b3c4d, 2026-11-18T14:02Z)
//! ```

use serde::Deserialize;

use engine_text::markdown::{Line, Lines, is_indented};
use engine_text::stamp::Stamp;

mod mark;

use mark::{Mark, PERSON, SESSION, minute};

/// Its sections, in the order in which they are told.
pub const SECTIONS: [&str; 3] = ["Status", "Done", "Notes"];

/// What a session hands over. Notes that are not given stay. Without a status it only adds: status and notes stay, and done if there
/// is none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    #[serde(default)]
    pub status: Option<String>,
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

/// Who hands over.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The beginning of the session's id; a person has none.
    pub session: Option<&'a str>,
    pub now: Stamp,
    /// When the session began and was told what the sections said. A person has read the file.
    pub since: Stamp,
}

/// A handoff as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    /// Whose status and done stay, because this session does not know them: `session 1a2b3c4d`.
    pub kept: Vec<String>,
    /// Notes of other sessions that went because of their age.
    pub old: usize,
}

/// Notes of another session go after so many days.
pub const KEPT_DAYS: u64 = 14;

/// The text with the sections rewritten; everything else stays. Status and done replace what the session was told when it began; what
/// other sessions wrote since then stays below. Of the notes its own are replaced; those of others stay for a while, and what has no mark
/// is the person's.
pub fn with(text: &str, handoff: &Handoff, writer: &Writer<'_>) -> Result<Written, Refused> {
    let opens =
        |line: &&str| ["#", "```", "~~~", "<!--"].iter().any(|mark| line.trim_start().starts_with(mark));
    if let Some(line) = handoff.status.as_deref().unwrap_or_default().lines().find(opens) {
        return Err(Refused::Opens(line.trim().to_owned()));
    }
    let by = Hand::of(writer);
    let mut written = Written { text: String::new(), kept: Vec::new(), old: 0 };
    let mut new = if text.trim().is_empty() { "# Session\n".to_owned() } else { text.to_owned() };
    // From the last to the first, so that a section that is missing finds its successor.
    let notes = handoff.notes.as_deref();
    let replaces = notes.is_some_and(|notes| handoff.status.is_some() || notes.is_empty());
    new = by.with_notes(&new, notes.unwrap_or_default(), replaces, &mut written.old);
    let has_done = handoff.status.is_some() || !handoff.done.is_empty();
    for name in [SECTIONS[1], SECTIONS[0]] {
        let lines = Lines::new(&new);
        let heading = section(&lines, name);
        let body = heading.map_or(&[][..], |heading| &lines.all[heading + 1..lines.section_end(heading)]);
        let body = match &handoff.status {
            _ if name == SECTIONS[1] && has_done => by.done(&handoff.done, body, &mut written.kept),
            Some(status) if name == SECTIONS[0] => by.status(status, body, &mut written.kept),
            _ => continue,
        };
        new = with_section(&new, name, &body);
    }
    let kept: Vec<&str> = new.lines().collect();
    // What a handoff wrote is its own, whatever it begins with.
    let is_theirs = |line: &&str| box_of(line).is_some() && mark::split(line).1.is_none();
    if let Some(lost) = text.lines().filter(is_theirs).find(|line| !kept.contains(line)) {
        return Err(Refused::Loses(lost.trim().to_owned()));
    }
    written.kept.sort();
    written.kept.dedup();
    written.text = new;
    Ok(written)
}

/// Where the box of a line begins that looks like a task.
fn box_of(line: &str) -> Option<usize> {
    let text = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    let mut inside = text.strip_prefix('[')?.chars();
    let is_box = inside.next().is_some() && inside.next() == Some(']') && inside.next() != Some('(');
    is_box.then(|| line.len() - text.len())
}

/// How often the character of a marker of a merge stands there.
const MARKER: usize = 7;

/// A line that is neither read as a task nor as a marker of a merge.
fn escaped(line: &str) -> String {
    let is_marker =
        ['<', '=', '>', '|'].iter().any(|sign| line.chars().take_while(|c| c == sign).count() >= MARKER);
    let at = if is_marker { Some(0) } else { box_of(line) };
    at.map_or_else(|| line.to_owned(), |at| format!("{}\\{}", &line[..at], &line[at..]))
}

/// The writer's mark, and what it means for the marks of others.
struct Hand {
    who: String,
    now: String,
    since: String,
    oldest: String,
}

impl Hand {
    fn of(writer: &Writer<'_>) -> Self {
        let who = writer.session.map_or_else(|| PERSON.to_owned(), |id| format!("{SESSION}{id}"));
        let oldest = minute(writer.now.minus_days(KEPT_DAYS));
        Self { who, now: minute(writer.now), since: minute(writer.since), oldest }
    }

    /// Texts as list items with the mark, each once.
    fn items(&self, texts: &[String]) -> Vec<String> {
        let mut items: Vec<String> = Vec::new();
        for text in texts {
            // One that is written as a list item already is one item all the same, and one that was copied is the writer's now.
            let text = text.trim().strip_prefix("- ").unwrap_or(text);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let item = escaped(&format!("- {}", mark::split(&text).0));
            let item = mark::marked(&item, &self.who, &self.now);
            if !items.contains(&item) {
                items.push(item);
            }
        }
        items
    }

    /// Whether another session wrote it after this one was told what there was.
    fn is_news(&self, mark: &Mark<'_>) -> bool {
        mark.who != self.who && mark.at >= self.since.as_str() && mark.at >= self.oldest.as_str()
    }

    /// The status, and below it each paragraph that another session wrote meanwhile.
    fn status(&self, status: &str, body: &[Line<'_>], kept: &mut Vec<String>) -> Vec<String> {
        let mut lines: Vec<String> = status.trim().lines().map(|line| escaped(line.trim_end())).collect();
        if let Some(last) = lines.last_mut() {
            *last = mark::marked(mark::split(last).0, &self.who, &self.now);
        }
        let mut theirs: Vec<&str> = Vec::new();
        for line in body {
            // What stands in front of a mark belongs to it.
            theirs.extend((!line.text.trim().is_empty() || !theirs.is_empty()).then_some(line.text));
            if let (false, (_, Some(mark))) = (line.fenced, mark::split(line.text)) {
                if self.is_news(&mark) {
                    kept.push(mark.who.to_owned());
                    lines.push(String::new());
                    lines.extend(theirs.iter().map(|&line| line.to_owned()));
                }
                theirs.clear();
            }
        }
        lines
    }

    /// What was done, and below it the items that another session wrote meanwhile.
    fn done(&self, done: &[String], body: &[Line<'_>], kept: &mut Vec<String>) -> Vec<String> {
        let mut items = self.items(done);
        for line in body.iter().filter(|line| !line.fenced) {
            if let (_, Some(mark)) = mark::split(line.text)
                && self.is_news(&mark)
            {
                kept.push(mark.who.to_owned());
                items.push(line.text.to_owned());
            }
        }
        items
    }

    /// The text with the writer's notes at the end of their section; `replaces`: in place of those that it wrote before.
    fn with_notes(&self, text: &str, notes: &[String], replaces: bool, old: &mut usize) -> String {
        let items = self.items(notes);
        let lines = Lines::new(text);
        let Some(heading) = section(&lines, SECTIONS[2]) else {
            return with_section(text, SECTIONS[2], &items);
        };
        let is_again = |text: &str| items.iter().any(|item| mark::split(item).0 == text);
        let newline = lines.newline();
        let body = &lines.all[heading + 1..lines.section_end(heading)];
        let mut kept: Vec<&Line<'_>> = Vec::new();
        for (at, line) in body.iter().enumerate() {
            // What a person has gone on with is the person's.
            let goes_on =
                body.get(at + 1).is_some_and(|next| is_indented(next.text) && !next.text.trim().is_empty());
            if let (false, false, (text, Some(mark))) = (line.fenced, goes_on, mark::split(line.text)) {
                let is_own = mark.who == self.who;
                let is_old = !is_own && mark.at < self.oldest.as_str();
                *old += usize::from(is_old);
                if is_old || is_again(text) || (is_own && replaces) {
                    continue;
                }
            }
            kept.push(line);
        }
        if items.is_empty() && kept.len() == body.len() {
            return text.to_owned();
        }
        // A part with a heading of its own is the person's.
        let is_heading = |line: &&Line<'_>| !line.fenced && line.text.starts_with('#');
        let top = kept.iter().position(is_heading).unwrap_or(kept.len());
        let is_blank = |line: &&Line<'_>| line.text.trim().is_empty();
        let last = kept[..top].iter().rposition(|line| !is_blank(line));
        let whole =
            |lines: &[&Line<'_>]| lines.iter().map(|line| &text[line.start..line.end]).collect::<String>();
        let mut new = text[..lines.all[heading].end].to_owned();
        new.push_str(&whole(&kept[..last.map_or(0, |last| last + 1)]));
        let end_line = |new: &mut String| new.push_str(if new.ends_with('\n') { "" } else { newline });
        if !items.is_empty() {
            end_line(&mut new);
            // Below the heading or a paragraph a list begins after a blank line.
            let is_list = |line: &&Line<'_>| is_indented(line.text) || line.text.starts_with(['-', '*', '+']);
            if !last.is_some_and(|last| is_list(&kept[last])) {
                new.push_str(newline);
            }
            for item in &items {
                new.push_str(item);
                new.push_str(newline);
            }
        }
        let end = body.last().map_or(lines.all[heading].end, |line| line.end);
        if top < kept.len() || end < text.len() {
            end_line(&mut new);
            new.push_str(newline);
        }
        new.push_str(&whole(&kept[top..]));
        new.push_str(&text[end..]);
        new
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

    fn handoff(status: &str, done: &[&str], notes: Option<&[&str]>) -> Handoff {
        let texts = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        Handoff { status: Some(status.to_owned()), done: texts(done), notes: notes.map(texts) }
    }

    const MINUTE: u64 = 60_000;
    const DAY: u64 = 24 * 60 * MINUTE;
    /// 2026-11-06T00:00Z.
    const BEGIN: u64 = 1_793_923_200_000;

    /// A session that began at the first moment and hands over at the second.
    fn by(session: &str, since: u64, now: u64) -> Writer<'_> {
        Writer { session: Some(session), now: Stamp(BEGIN + now), since: Stamp(BEGIN + since) }
    }

    fn text(text: &str, given: &Handoff, writer: &Writer<'_>) -> String {
        with(text, given, writer).unwrap().text
    }

    #[test]
    fn rewrites_its_sections_and_nothing_else() {
        let tasks = "## Pending Tasks\n\n- [ ] **A** — `/a`\n  - note\n";
        let one = handoff("Going\nwell.", &["lexer"], Some(&["- ask Ada", "ask  Ada"]));
        let first = text(&format!("# Mine\n\n{tasks}"), &one, &by("a", 0, MINUTE));
        let mark = "(session a, 2026-11-06T00:01Z)";
        assert_eq!(
            first,
            format!(
                "# Mine\n\n## Status\n\nGoing\nwell. {mark}\n\n## Done\n\n- lexer {mark}\n\n{tasks}\n## Notes\n\n- ask Ada {mark}\n"
            )
        );
        let two = handoff("Better.", &["parser", "two\nlines"], Some(&[]));
        let second = text(&first, &two, &by("a", 0, 2 * MINUTE));
        let mark = "(session a, 2026-11-06T00:02Z)";
        assert_eq!(
            second,
            format!(
                "# Mine\n\n## Status\n\nBetter. {mark}\n\n## Done\n\n- parser {mark}\n- two lines {mark}\n\n{tasks}\n## Notes\n"
            )
        );
        let person = Writer { session: None, ..by("", 0, 0) };
        assert_eq!(
            text("", &handoff("New.", &[], Some(&[])), &person),
            "# Session\n\n## Status\n\nNew. (person, 2026-11-06T00:00Z)\n"
        );
        let crlf = text(
            "# S\r\n\r\n## Status\r\nold\r\n\r\n## Other\r\nx\r\n",
            &handoff("new", &[], Some(&[])),
            &person,
        );
        assert_eq!(
            crlf,
            "# S\r\n\r\n## Status\r\n\r\nnew (person, 2026-11-06T00:00Z)\r\n\r\n## Other\r\nx\r\n"
        );
    }

    #[test]
    fn what_is_not_given_or_not_its_own_stays() {
        let before =
            "---\n# Notes\n---\n# S\n\n## Architecture\n\n### Status\n\nmine\n\n## Notes\n\n\n  precious\n";
        let person = Writer { session: None, ..by("", 0, 0) };
        let expected = before.replace("## Arch", "## Status\n\ns (person, 2026-11-06T00:00Z)\n\n## Arch");
        assert_eq!(text(before, &handoff("s", &[], None), &person), expected);
    }

    /// Two sessions that began before either handed over.
    #[test]
    fn what_another_session_wrote_meanwhile_stays() {
        let a = text("", &handoff("A.", &["a1", "a2"], Some(&["of a"])), &by("a", 0, 10 * MINUTE));
        let written =
            with(&a, &handoff("B.", &["b1"], Some(&["of b", "of a"])), &by("b", 0, 20 * MINUTE)).unwrap();
        insta::assert_snapshot!(written.text, @r"
        # Session

        ## Status

        B. (session b, 2026-11-06T00:20Z)

        A. (session a, 2026-11-06T00:10Z)

        ## Done

        - b1 (session b, 2026-11-06T00:20Z)
        - a1 (session a, 2026-11-06T00:10Z)
        - a2 (session a, 2026-11-06T00:10Z)

        ## Notes

        - of b (session b, 2026-11-06T00:20Z)
        - of a (session b, 2026-11-06T00:20Z)
        ");
        assert_eq!(written.kept, ["session a"]);
        // A hands over again: its own go, those of the other stay.
        let again =
            with(&written.text, &handoff("A2.", &[], Some(&["more"])), &by("a", 0, 30 * MINUTE)).unwrap();
        insta::assert_snapshot!(again.text, @r"
        # Session

        ## Status

        A2. (session a, 2026-11-06T00:30Z)

        B. (session b, 2026-11-06T00:20Z)

        ## Done

        - b1 (session b, 2026-11-06T00:20Z)

        ## Notes

        - of b (session b, 2026-11-06T00:20Z)
        - of a (session b, 2026-11-06T00:20Z)
        - more (session a, 2026-11-06T00:30Z)
        ");
        // One that began later was told of both.
        let later = with(&again.text, &handoff("C.", &[], None), &by("c", 40 * MINUTE, 50 * MINUTE)).unwrap();
        assert_eq!(
            (later.text.contains("A2."), later.text.contains("B."), later.kept.len()),
            (false, false, 0)
        );
        assert_eq!(later.text.matches("\n- ").count(), 3, "{}", later.text);
    }

    #[test]
    fn without_a_status_it_adds() {
        let before = text("", &handoff("A.", &["a1"], Some(&["one"])), &by("a", 0, MINUTE));
        let given =
            |done: &[&str], notes: Option<&[&str]>| Handoff { status: None, ..handoff("", done, notes) };
        let noted = text(&before, &given(&[], Some(&["two"])), &by("a", 0, MINUTE));
        assert_eq!(noted, format!("{before}- two (session a, 2026-11-06T00:01Z)\n"));
        let done = text(&before, &given(&["a2"], None), &by("a", 0, MINUTE));
        assert_eq!(done, before.replace("- a1 ", "- a2 "));
        let none = text(&before, &given(&[], Some(&[])), &by("a", 0, MINUTE));
        assert_eq!(none, before.replace("\n- one (session a, 2026-11-06T00:01Z)\n", ""));
    }

    #[test]
    fn notes_of_others_go_with_age_and_a_persons_never() {
        let before = "# S\n\n## Notes\nMine, by hand.\n- mine, too\n- of a (session a, 2026-11-06T00:00Z)\n- gone on with (session a, 2026-11-06T00:00Z)\n  by hand\n```\n- quoted (session a, 2026-11-06T00:00Z)\n```\n\n### Ideas\n\n- one\n\n## More\n";
        let day =
            |day: u64| with(before, &handoff("s", &[], Some(&["new"])), &by("b", 0, day * DAY)).unwrap();
        assert_eq!((day(14).old, day(15).old), (0, 1));
        let (_, notes) =
            day(15).text.split_once("## Notes").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert_eq!(
            notes,
            "\nMine, by hand.\n- mine, too\n- gone on with (session a, 2026-11-06T00:00Z)\n  by hand\n```\n- quoted (session a, 2026-11-06T00:00Z)\n```\n\n- new (session b, 2026-11-21T00:00Z)\n\n### Ideas\n\n- one\n\n## More\n"
        );
        // Without notes of its own nothing of the section moves.
        let same = with(before, &handoff("s", &[], None), &by("b", 0, DAY)).unwrap();
        assert!(same.text.ends_with(before.split_once("# S\n\n").unwrap().1), "{}", same.text);
    }

    #[test]
    fn a_box_is_never_lost_and_a_status_opens_nothing() {
        for text in ["## Done\n* [ ] a\n", "## Status\n- [?] a\n"] {
            let refused = with(text, &handoff("s", &[], Some(&[])), &by("a", 0, 0));
            assert!(matches!(refused, Err(Refused::Loses(_))), "{text}");
        }
        // What it writes itself it can replace, and what a handoff of an older release wrote.
        let given =
            handoff("s\n[ ] a\n=======\n- [x] b\n<<<<<<< x", &["[x] c", "[d](e)"], Some(&["- [ ] f"]));
        let first = text("", &given, &by("a", 0, 0));
        insta::assert_snapshot!(first.replace(" (session a, 2026-11-06T00:00Z)", ""), @r"
        # Session

        ## Status

        s
        \[ ] a
        \=======
        - \[x] b
        \<<<<<<< x

        ## Done

        - \[x] c
        - [d](e)

        ## Notes

        - \[ ] f
        ");
        assert_eq!((true, text(&first, &given, &by("a", 0, 0))), (true, first));
        let old = "# S\n\n## Notes\n\n- [ ] old (session a, 2026-11-06T00:00Z)\n";
        assert!(!text(old, &handoff("s", &[], Some(&["new"])), &by("a", 0, 0)).contains("old"));
        for status in ["fine\n## Notes", "```\nx", "<!-- x"] {
            let refused = with("", &handoff(status, &[], Some(&[])), &by("a", 0, 0));
            assert!(matches!(refused, Err(Refused::Opens(_))), "{status}");
        }
    }
}
