//! The text form of a chain, `[CONTINUATION: /a x, /b "y, z"]`: the suffix of a Skill call's arguments.
//!
//! An argument that the form itself could be mistaken in is written as a JSON string, so any argument comes back as it
//! was, however often the chain is peeled. Without quotes, as older skills write it, the form is read too.

use super::Entry;
use super::token::is_name;

pub(super) const OPENING: &str = "[CONTINUATION:";

/// What begins a marker, also the one of the context.
const MARK: &str = "[CONTINUATION";

/// The entries as they stand in a text: `/a x, /b`.
pub fn listed(entries: &[Entry]) -> String {
    entries.iter().map(written).collect::<Vec<_>>().join(", ")
}

/// One entry as it is typed, with its argument quoted if it must be.
pub fn written(entry: &Entry) -> String {
    if entry.args.is_empty() {
        return format!("/{}", entry.skill);
    }
    let plain = entry.args.trim() == entry.args && !entry.args.contains(is_special);
    let args =
        if plain { entry.args.clone() } else { serde_json::Value::from(entry.args.as_str()).to_string() };
    format!("/{} {args}", entry.skill)
}

fn is_special(c: char) -> bool {
    matches!(c, ',' | '[' | ']' | '"' | '\\') || c.is_control()
}

/// The marker for these entries.
pub fn marker(entries: &[Entry]) -> String {
    format!("{OPENING} {}]", listed(entries))
}

/// The arguments of a Skill call: those of the entry, and the rest of the chain as their suffix.
pub fn with_suffix(args: &str, rest: &[Entry]) -> String {
    // An empty marker closes arguments that would be taken for one.
    if rest.is_empty() && !args.contains(MARK) {
        return args.to_owned();
    }
    let suffix = if rest.is_empty() { format!("{OPENING} ]") } else { marker(rest) };
    if args.is_empty() { suffix } else { format!("{args} {suffix}") }
}

/// Arguments and the continuation behind them; nothing if there is no marker, or none that is closed.
pub fn split(args: &str) -> Option<(String, Vec<Entry>)> {
    split_strict(args).or_else(|| {
        let text = args.trim_end();
        let at = text.find(OPENING)?;
        let entries = unquoted(text[at + OPENING.len()..].strip_suffix(']')?);
        Some((before(args, at), entries))
    })
}

/// The same for the form that we write ourselves, and for no other: a person may write about markers.
pub(super) fn split_strict(args: &str) -> Option<(String, Vec<Entry>)> {
    let text = args.trim_end();
    // The last one that reads exactly to the end: what looks like a marker in an argument stands before it, or in quotes.
    for (at, _) in text.rmatch_indices(OPENING) {
        if let Some(entries) = strict(&text[at + OPENING.len()..]) {
            return Some((before(args, at), entries));
        }
    }
    None
}

/// The argument before the marker, without the one blank that separates them.
fn before(args: &str, at: usize) -> String {
    let text = &args[..at];
    text.strip_suffix(' ').unwrap_or(text).to_owned()
}

/// What is behind the opening, if it is written as we write it, up to the end.
pub(super) fn strict(text: &str) -> Option<Vec<Entry>> {
    let mut rest = text.trim_start_matches(' ');
    let mut entries = Vec::new();
    if rest == "]" {
        return Some(entries);
    }
    loop {
        rest = rest.strip_prefix('/')?;
        let length = rest.find([' ', ',', ']'])?;
        let skill = &rest[..length];
        if !is_name(skill) {
            return None;
        }
        rest = rest[length..].trim_start_matches(' ');
        let args = if rest.starts_with('"') {
            let mut reader = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let args = reader.next()?.ok()?;
            rest = &rest[reader.byte_offset()..];
            args
        } else {
            let length = rest.find(is_special)?;
            let args = rest[..length].trim_end();
            rest = &rest[length..];
            args.to_owned()
        };
        entries.push(Entry { skill: skill.to_owned(), args });
        if rest == "]" {
            return Some(entries);
        }
        rest = rest.strip_prefix(',')?.trim_start_matches(' ');
    }
}

/// The older form, also in front matter: entries are parted by a comma before a name, whatever else the arguments hold.
pub fn unquoted(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for part in text.split(',') {
        let word = part.trim_start().strip_prefix('/').map(|rest| {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            rest.split_at(length)
        });
        match (word, entries.last_mut()) {
            (Some((skill, args)), _) if is_name(skill) => {
                entries.push(Entry { skill: skill.to_owned(), args: args.trim().to_owned() });
            }
            (_, Some(last)) => last.args = format!("{},{}", last.args, part.trim_end()),
            (_, None) => {}
        }
    }
    entries
}
