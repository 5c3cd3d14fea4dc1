//! The grammar of one task line, both ways.
//!
//! ```markdown
//! - [ ] **Name** #token — `command` detail | model | restart | needs: A, B | id: x | anything else
//! ```

use std::ops::Range;

use super::{Meta, State};

/// Models that a field may name. Others are kept as unknown fields.
const MODELS: &[&str] = &["sonnet", "opus", "haiku", "fable"];

/// Whether a field names a model.
pub fn is_model(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    MODELS.contains(&lower.as_str()) || lower.starts_with("claude-")
}

/// Words of the restart field.
pub(super) fn restart(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "restart" | "restart: yes" => Some(true),
        "no restart" | "restart: no" => Some(false),
        _ => None,
    }
}

/// A line at the left edge that begins like a task: what it says, or why it cannot be read. Nothing for any
/// other line.
pub(super) fn parse(line: &str) -> Option<Result<(State, Meta), &'static str>> {
    let text = line.trim_start_matches(' ');
    // Two blanks or more: it belongs to the task above it.
    if line.len() - text.len() > 1 {
        return None;
    }
    let rest = text.strip_prefix(['-', '*', '+'])?.trim_start_matches([' ', '\t']);
    let inside = rest.strip_prefix('[')?;
    let Some((mark, body)) = inside.split_once(']') else { return Some(Err("the box is not closed")) };
    // A link is no box.
    if body.starts_with('(') {
        return None;
    }
    let mut marks = mark.chars();
    let state = match (marks.next(), marks.next()) {
        (Some(mark), None) => State::from_mark(mark),
        _ => None,
    };
    // Longer words in brackets are notes and references, unless a name in bold follows.
    if mark.chars().count() > 1 && !body.trim_start().starts_with("**") {
        return None;
    }
    let Some(state) = state else { return Some(Err("unknown state in the box")) };
    Some(meta(body.trim()).map(|meta| (state, meta)))
}

/// What stands behind the box.
pub(super) fn meta(body: &str) -> Result<Meta, &'static str> {
    let (name, rest) = match body.strip_prefix("**") {
        Some(inside) => {
            let end = unescaped(inside, "**").ok_or("the name's ** is not closed")?;
            (&inside[..end], &inside[end + 2..])
        }
        // Tasks of an older form have a bare name.
        None => {
            let end = [unescaped(body, " — "), unescaped(body, " | ")].into_iter().flatten().min();
            body.split_at(end.unwrap_or(body.len()))
        }
    };
    let name = unescape(name.trim());
    if name.is_empty() {
        return Err("the task has no name");
    }
    let mut meta = Meta { name, ..Meta::default() };
    let (token, rest) = token(rest.trim_start());
    meta.token = token.map(str::to_owned);
    let rest = rest.strip_prefix(['—', '–', '-']).unwrap_or(rest).trim_start();
    let (command, rest) = command(rest);
    meta.command = command;
    for (n, field) in fields(rest).into_iter().enumerate().filter(|(_, field)| !field.is_empty()) {
        if !read_field(field, &mut meta) {
            match n {
                0 => meta.detail = Some(field.to_owned()),
                _ => meta.others.push(field.to_owned()),
            }
        }
    }
    Ok(meta)
}

/// `#token` at the start, and what follows it.
fn token(text: &str) -> (Option<&str>, &str) {
    let Some(inside) = text.strip_prefix('#') else { return (None, text) };
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(inside.len());
    if end == 0 { (None, text) } else { (Some(&inside[..end]), inside[end..].trim_start()) }
}

/// A code span at the start, and what follows it.
fn command(text: &str) -> (Option<String>, &str) {
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 {
        return (None, text);
    }
    let fence = &text[..ticks];
    match text[ticks..].find(fence) {
        Some(end) if !text[ticks..ticks + end].trim().is_empty() => {
            (Some(text[ticks..ticks + end].trim().to_owned()), &text[ticks + end + ticks..])
        }
        _ => (None, text),
    }
}

fn fields(mut text: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    while let Some(end) = unescaped(text, "|") {
        fields.push(text[..end].trim());
        text = &text[end + 1..];
    }
    fields.push(text.trim());
    fields
}

/// Whether the field is one that we know.
fn read_field(field: &str, meta: &mut Meta) -> bool {
    let list = |text: &str| {
        text.split(',').map(|name| unescape(name.trim())).filter(|name| !name.is_empty()).collect()
    };
    if meta.model.is_none() && is_model(field) {
        meta.model = Some(field.to_ascii_lowercase());
    } else if let Some(restart) = restart(field) {
        meta.restart = restart;
    } else if let (Some(names), true) = (field.strip_prefix("needs:"), meta.needs.is_empty()) {
        meta.needs = list(names);
    } else if let (Some(id), None) = (field.strip_prefix("id:"), &meta.id) {
        meta.id = Some(id.trim().to_owned());
    } else {
        return false;
    }
    true
}

/// Where the token stands in a line, without its `#`.
pub(super) fn token_range(line: &str) -> Option<Range<usize>> {
    let body = line.find(']')? + 1;
    let name = line[body..].find("**")? + body + 2;
    let end = name + unescaped(&line[name..], "**")? + 2;
    let start = end + (line[end..].len() - line[end..].trim_start().len());
    let (token, _) = token(&line[start..]);
    token.map(|token| start + 1..start + 1 + token.len())
}

/// The text behind the box, in our own form, on one line whatever the fields hold.
pub(super) fn print(meta: &Meta) -> String {
    let mut out = format!("**{}**", escape(&flat(&meta.name)));
    if let Some(token) = &meta.token {
        out.push_str(&format!(" #{token}"));
    }
    out.push_str(" —");
    if let Some(command) = meta.command.as_deref().map(flat).filter(|command| !command.is_empty()) {
        let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        // A tick at either end needs a blank between it and the fence.
        let blank = if command.starts_with('`') || command.ends_with('`') { " " } else { "" };
        out.push_str(&format!(" {fence}{blank}{command}{blank}{fence}"));
    }
    if let Some(detail) = &meta.detail {
        out.push_str(&format!(" {}", flat(detail)));
    }
    let mut fields: Vec<String> = vec![meta.model_or_default().to_owned()];
    if meta.restart {
        fields.push("restart".to_owned());
    }
    if !meta.needs.is_empty() {
        let names: Vec<String> = meta.needs.iter().map(|name| escape(&flat(name))).collect();
        fields.push(format!("needs: {}", names.join(", ")));
    }
    fields.extend(meta.id.iter().map(|id| format!("id: {}", flat(id))));
    fields.extend(meta.others.iter().map(|field| flat(field)));
    out.push_str(" | ");
    out.push_str(&fields.join(" | "));
    out
}

/// One line without control characters, blanks folded.
pub fn flat(text: &str) -> String {
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The reason in a line below a blocked or failed task; it may be a list item.
pub(super) fn reason(line: &str) -> Option<&str> {
    let text = line.trim();
    let item = text.strip_prefix(['-', '*', '+']).filter(|item| item.starts_with([' ', '\t']));
    let text = item.unwrap_or(text).trim_start();
    ["Blocked:", "Failed:"].iter().find_map(|word| text.strip_prefix(word)).map(str::trim)
}

/// Characters that would end a name or a field.
const SPECIAL: &[char] = &['*', '`', '|', '\\', '—'];

pub(super) fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if SPECIAL.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && SPECIAL.contains(next) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// Where `needle` stands first without a backslash in front of its special character.
pub(super) fn unescaped(text: &str, needle: &str) -> Option<usize> {
    // Nearly no line has one, and the plain search is much quicker.
    if !text.contains('\\') {
        return text.find(needle);
    }
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && text[at..].starts_with(needle) {
            return Some(at);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}
