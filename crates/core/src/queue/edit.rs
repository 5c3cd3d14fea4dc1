//! Changing an item: fields of its front matter and sections of its text, each as a splice.

use std::fmt;

use super::item::heading;
use super::{FRAGMENT, Item, SECTIONS, State, body, fragment};
use crate::front_matter::{list, scalar, visible, with_field};
use engine_text::markdown::Lines;

/// Why a text stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotEdited {
    Damaged(String),
    /// The fields do not stand in lines of their own.
    Stubborn,
    OpenFence,
    Heading,
    /// What was typed stays.
    Fragment,
    NoSection(String),
    NoHeading,
}

impl fmt::Display for NotEdited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(why) => f.write_str(why),
            Self::Stubborn => f.write_str(
                "its front matter does not let itself be changed: each field must stand on a line of its own",
            ),
            Self::OpenFence => f.write_str("the text leaves a code fence or a comment open"),
            Self::Heading => f.write_str("the text has a heading # or ##: ### and below are free"),
            Self::Fragment => write!(f, "{FRAGMENT} is what was typed, and stays as it is"),
            Self::NoSection(name) => write!(f, "no section {name}: there are {}", SECTIONS.join(", ")),
            Self::NoHeading => write!(f, "the text begins with no section: ## {}", SECTIONS.join(", ## ")),
        }
    }
}

/// The text with fields of the item as they are given; those that are the same are not touched, and no other byte is.
pub fn with_fields(text: &str, new: &Item) -> Result<String, NotEdited> {
    let old = Item::read(&new.id, text).map_err(NotEdited::Damaged)?;
    let mut out = text.to_owned();
    let mut set = |key: &str, old: Option<String>, new: Option<String>| {
        if old != new {
            out = with_field(&out, key, new.as_deref());
        }
    };
    set("title", Some(scalar(&old.title)), Some(scalar(&new.title)));
    set("state", Some(old.state.as_str().to_owned()), Some(new.state.as_str().to_owned()));
    let after = |item: &Item| Some(list(&item.after)).filter(|_| !item.after.is_empty());
    set("after", after(&old), after(new));
    let value = |value: &Option<String>| value.as_deref().map(scalar);
    set("pulled", value(&old.pulled), value(&new.pulled));
    set("pulled-by", value(&old.pulled_by), value(&new.pulled_by));
    set("closed", value(&old.closed), value(&new.closed));
    set("why", value(&old.why), value(&new.why));
    // A front matter may be written in ways that lines do not show.
    if Item::read(&new.id, &out).as_ref() == Ok(new) { Ok(out) } else { Err(NotEdited::Stubborn) }
}

/// The sections that a text gives anew: `## Goal` and what follows, and so on.
pub fn sections(text: &str) -> Result<Vec<(&'static str, &str)>, NotEdited> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let mut index = 0;
    while index < lines.all.len() {
        if lines.all[index].text.trim().is_empty() {
            index += 1;
            continue;
        }
        let Some((2, name)) = lines.heading(index) else { return Err(NotEdited::NoHeading) };
        let end = lines.section_end(index);
        found.push((known(name)?, &text[lines.all[index].end..lines.all[end - 1].end]));
        index = end;
    }
    if found.is_empty() { Err(NotEdited::NoHeading) } else { Ok(found) }
}

fn known(name: &str) -> Result<&'static str, NotEdited> {
    if name.eq_ignore_ascii_case(FRAGMENT) {
        return Err(NotEdited::Fragment);
    }
    let found = SECTIONS.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    found.ok_or_else(|| NotEdited::NoSection(name.to_owned()))
}

/// The text with sections written anew. What was typed, and every other section, stays.
pub fn with_sections(text: &str, new: &[(&str, &str)]) -> Result<String, NotEdited> {
    let typed = fragment(text).map(str::to_owned);
    let mut out = text.to_owned();
    for (name, section) in new {
        let name = known(name)?;
        let section = section.trim_matches(['\r', '\n']);
        // Within the item nothing of it is front matter.
        let within = format!("\n{section}");
        let given = Lines::new(&within);
        if given.open_fence.is_some() {
            return Err(NotEdited::OpenFence);
        }
        if (0..given.all.len()).any(|index| given.heading(index).is_some_and(|(level, _)| level <= 2)) {
            return Err(NotEdited::Heading);
        }
        out = with_section(&out, name, section);
    }
    // Whatever a text does to Markdown, it does not take away what was typed.
    let kept = fragment(&out).map(str::to_owned) == typed;
    if kept { Ok(out) } else { Err(NotEdited::OpenFence) }
}

fn with_section(text: &str, name: &str, section: &str) -> String {
    let lines = Lines::new(text);
    let newline = lines.newline();
    let section =
        if section.trim().is_empty() { String::new() } else { format!("{section}{newline}{newline}") };
    if let Some(heading) = heading(&lines, name) {
        let (from, to) = (lines.all[heading].end, lines.all[lines.section_end(heading) - 1].end);
        let gap = if text[..from].ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
        return format!("{}{gap}{section}{}", &text[..from], &text[to..]);
    }
    // A file that was made by hand may not have it: in front of what was typed, or at the end.
    let at = heading_start(&lines).unwrap_or(text.len());
    let gap = if text[..at].ends_with('\n') || body(text).is_empty() { "" } else { newline };
    format!("{}{gap}## {name}{newline}{newline}{section}{}", &text[..at], &text[at..])
}

fn heading_start(lines: &Lines<'_>) -> Option<usize> {
    heading(lines, FRAGMENT).map(|index| lines.all[index].start)
}

impl Item {
    /// The item as it is when somebody has claimed it.
    pub fn claimed(&self, by: &str, now: &str) -> Self {
        Self { pulled_by: Some(by.to_owned()), pulled: Some(now.to_owned()), ..self.opened() }
            .in_state(State::Pulled)
    }

    /// Back in the queue: nobody has it, and nothing is over.
    pub fn opened(&self) -> Self {
        Self { pulled_by: None, pulled: None, closed: None, why: None, ..self.clone() }.in_state(State::Open)
    }

    /// Over, one way or the other. Who had it stays written.
    pub fn over(&self, state: State, now: &str, why: Option<&str>) -> Self {
        let why = why.map(visible);
        Self { closed: Some(now.to_owned()), why, ..self.clone() }.in_state(state)
    }

    fn in_state(self, state: State) -> Self {
        Self { state, ..self }
    }
}
