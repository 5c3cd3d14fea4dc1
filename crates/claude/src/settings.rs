//! Engine's part of the client's settings files: hook entries, the permissions for its own commands, the status line.
//!
//! Pure text to text; [`crate::install`] reads and writes the files. One entry per event; what stands in it, [`crate::entry`] knows.

use std::collections::BTreeMap;

use crate::entry::{Entry, Starter, is_closed, our_line};
use crate::event_name::EventName;
use engine_text::BYTE_ORDER_MARK;
use serde_json::Value;

use crate::json_edit::{
    EditError, append_element, check_strict, empty_inside, has, insert_property, inside_before,
    remove_element, remove_nested, remove_property, signed, unsigned, with_inside,
};

/// Containers that were there before we came and stay when we go, with what stands between the brackets of an
/// empty one.
pub type Kept = BTreeMap<String, String>;

/// The text with exactly the wanted events wired. An entry of ours that is there stays as the person made it, unless
/// it runs a program for which `is_gone` holds, fails in another way than `closed` asks for, or is an older form of the wanted one.
pub fn wire(
    text: &str,
    events: &[EventName],
    starter: Starter<'_>,
    closed: bool,
    is_gone: impl Fn(&str) -> bool,
) -> Result<String, EditError> {
    let kept = signs(text)?;
    let mut text = ensure_object(text, "hooks")?;
    let unwanted = |entry: &Ours| {
        is_gone(&entry.program)
            || entry.is_replaced
            || entry.closed != is_closed(&entry.event, closed)
            || !events.iter().any(|event| event.as_str() == entry.event)
    };
    let is_replaced = |entry: &Entry<'_>, event: &str| starter.replaces(entry, event, closed);
    for entry in ours(&text, is_replaced)?.iter().filter(|entry| unwanted(entry)) {
        text = unwire_event(&text, &entry.event, &kept)?;
        text = with_signs(&text)?;
    }
    let wired = ours(&text, |_, _| false)?;
    for event in events.iter().map(|event| event.as_str()) {
        if wired.iter().any(|entry| entry.event == event) {
            continue;
        }
        let group = starter.group(event, closed);
        text = if has(&text, &["hooks", event])? {
            append_element(&text, &["hooks", event], &group)?
        } else {
            insert_property(&text, &["hooks"], event, &format!("[{group}]"))?
        };
    }
    Ok(text)
}

/// Whose status line a settings text holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusLine {
    Nobodys,
    /// Ours, run by this program.
    Ours(String),
    Theirs,
}

/// The key of the status line.
const STATUS_LINE: &str = "statusLine";

pub fn status_line(text: &str) -> Result<StatusLine, EditError> {
    let settings = lenient(text.trim_start_matches(BYTE_ORDER_MARK))?;
    Ok(match settings.get(STATUS_LINE) {
        None => StatusLine::Nobodys,
        Some(line) => {
            our_line(line).map_or(StatusLine::Theirs, |program| StatusLine::Ours(program.to_owned()))
        }
    })
}

/// The text with our status line, unless there is one already.
pub fn show_line(
    text: &str,
    starter: Starter<'_>,
    is_gone: impl Fn(&str) -> bool,
) -> Result<String, EditError> {
    let text = match status_line(text)? {
        StatusLine::Nobodys => text.to_owned(),
        StatusLine::Ours(old) if is_gone(&old) => remove_property(text, &[], STATUS_LINE)?,
        StatusLine::Ours(_) | StatusLine::Theirs => return Ok(text.to_owned()),
    };
    let command = Value::from(starter.status_line());
    insert_property(&text, &[], STATUS_LINE, &format!("{{ \"type\": \"command\", \"command\": {command} }}"))
}

/// The text with our status line made anew, where it starts a program that is gone.
pub fn mend_line(
    text: &str,
    starter: Starter<'_>,
    is_gone: impl Fn(&str) -> bool,
) -> Result<String, EditError> {
    match status_line(text)? {
        StatusLine::Ours(program) if is_gone(&program) => show_line(text, starter, is_gone),
        _ => Ok(text.to_owned()),
    }
}

/// The text without our hook entries and status line, and without containers that only held them, but for those in
/// `kept`.
pub fn unwire(text: &str, kept: &Kept) -> Result<String, EditError> {
    let mut text = match status_line(text)? {
        StatusLine::Ours(_) => remove_property(text, &[], STATUS_LINE)?,
        StatusLine::Nobodys | StatusLine::Theirs => text.to_owned(),
    };
    let entries = ours(&text, |_, _| false)?;
    for entry in &entries {
        text = unwire_event(&text, &entry.event, kept)?;
    }
    if entries.is_empty() { Ok(text) } else { drop_if_empty(text, &["hooks"], kept) }
}

/// Adds entries to `permissions.allow` that are not there yet.
pub fn allow(text: &str, entries: &[String]) -> Result<String, EditError> {
    let present = allowed(text)?;
    let missing: Vec<&String> = entries.iter().filter(|entry| !present.contains(entry)).collect();
    if missing.is_empty() {
        return Ok(text.to_owned());
    }
    let mut text = ensure_object(text, "permissions")?;
    if !has(&text, &["permissions", "allow"])? {
        text = insert_property(&text, &["permissions"], "allow", "[]")?;
    }
    for entry in missing {
        text = append_element(&text, &["permissions", "allow"], &Value::from(entry.as_str()).to_string())?;
    }
    Ok(text)
}

/// Removes entries from `permissions.allow`, and containers that are then empty, but for those in `kept`.
pub fn disallow(text: &str, entries: &[String], kept: &Kept) -> Result<String, EditError> {
    let mut rest = text.to_owned();
    while let Some(index) = allowed(&rest)?.iter().rposition(|entry| entries.contains(entry)) {
        rest = remove_element(&rest, &["permissions", "allow"], index)?;
    }
    if rest == text {
        return Ok(rest);
    }
    let rest = drop_if_empty(rest, &["permissions", "allow"], kept)?;
    drop_if_empty(rest, &["permissions"], kept)
}

/// The entries of `permissions.allow`.
pub fn allowed(text: &str) -> Result<Vec<String>, EditError> {
    let settings = lenient(text.trim_start_matches(BYTE_ORDER_MARK))?;
    let list = settings.pointer("/permissions/allow").and_then(Value::as_array);
    Ok(list.into_iter().flatten().map(|entry| entry.as_str().unwrap_or_default().to_owned()).collect())
}

/// Whether the text has an entry of ours.
pub fn has_ours(text: &str) -> Result<bool, EditError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    Ok(!ours(text, |_, _| false)?.is_empty() || matches!(status_line(text)?, StatusLine::Ours(_)))
}

/// The places of the containers that we may add to, as far as they are there.
fn places(text: &str) -> Result<Vec<Vec<String>>, EditError> {
    let settings = lenient(text)?;
    let mut places = vec![Vec::new()];
    for name in ["hooks", "permissions"] {
        let Some(container) = settings.get(name) else { continue };
        places.push(vec![name.to_owned()]);
        let below = container.as_object().into_iter().flatten().map(|(key, _)| key);
        let below = below.filter(|key| name == "hooks" || *key == "allow");
        places.extend(below.map(|key| vec![name.to_owned(), key.clone()]));
    }
    Ok(places)
}

/// Runs an edit on each of these containers.
fn at_places(
    text: &str,
    edit: impl Fn(&str, &[&str]) -> Result<String, EditError>,
) -> Result<String, EditError> {
    places(text)?.iter().try_fold(text.to_owned(), |text, place| {
        edit(&text, &place.iter().map(String::as_str).collect::<Vec<_>>())
    })
}

/// The text with a sign in each empty container that we may add to: it was there before us.
pub fn with_signs(text: &str) -> Result<String, EditError> {
    at_places(text, signed)
}

/// The same without the signs of those to which nothing was added.
pub fn settled(text: &str) -> Result<String, EditError> {
    at_places(text, |text, place| match empty_inside(text, place)? {
        Some(_) => unsigned(text, place),
        None => Ok(text.to_owned()),
    })
}

/// The text with what stood between its brackets before us, if nothing is left between them.
pub fn with_root_before(text: &str, kept: &Kept) -> Result<String, EditError> {
    match kept.get("").filter(|_| empty_inside(text, &[]).is_ok_and(|inside| inside.is_some())) {
        Some(inside) => with_inside(text, &[], inside),
        None => Ok(text.to_owned()),
    }
}

/// The text without any sign.
pub fn without_signs(text: &str) -> Result<String, EditError> {
    at_places(text, unsigned)
}

/// The containers that were there before us, by their signs.
pub fn signs(text: &str) -> Result<Kept, EditError> {
    let mut kept = Kept::new();
    for place in places(text)? {
        let path: Vec<&str> = place.iter().map(String::as_str).collect();
        if let Some(inside) = inside_before(text, &path)? {
            kept.insert(place.join("."), inside);
        }
    }
    // What holds a container that was there was there, too.
    for outer in ["hooks", "permissions"] {
        if kept.keys().any(|key| key.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))) {
            kept.entry(outer.to_owned()).or_default();
        }
    }
    Ok(kept)
}

/// Which of the containers that we may add to are there already.
pub fn containers(text: &str) -> Result<Kept, EditError> {
    let settings = lenient(text)?;
    let mut kept = Kept::new();
    if let Some(inside) = empty_inside(text, &[])? {
        kept.insert(String::new(), inside);
    }
    for name in ["hooks", "permissions"] {
        for (key, _) in settings.get(name).and_then(Value::as_object).into_iter().flatten() {
            kept.insert(format!("{name}.{key}"), empty_inside(text, &[name, key])?.unwrap_or_default());
        }
        if settings.get(name).is_some() {
            kept.insert(name.to_owned(), empty_inside(text, &[name])?.unwrap_or_default());
        }
    }
    Ok(kept)
}

/// One of our entries: hook `hook` of group `group` under the event.
struct Ours {
    event: String,
    group: usize,
    hook: usize,
    program: String,
    closed: bool,
    is_replaced: bool,
}

fn ours(text: &str, is_replaced: impl Fn(&Entry<'_>, &str) -> bool) -> Result<Vec<Ours>, EditError> {
    let settings = lenient(text)?;
    let mut found = Vec::new();
    for (event, groups) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (group, value) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks = value.get("hooks").and_then(Value::as_array);
            for (hook, value) in hooks.into_iter().flatten().enumerate() {
                let Some(entry) = Entry::read(value) else { continue };
                let (program, is_replaced) = (entry.program.to_owned(), is_replaced(&entry, event));
                let closed = value["onFailure"] == "block";
                found.push(Ours { event: event.clone(), group, hook, program, closed, is_replaced });
            }
        }
    }
    Ok(found)
}

/// Removes our entries from one event, the last first, so that the places of the others stay.
fn unwire_event(text: &str, event: &str, kept: &Kept) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for entry in ours(&text, |_, _| false)?.iter().rev().filter(|entry| entry.event == event) {
        let path = ["hooks", event];
        text = remove_nested(&text, &path, entry.group, "hooks", entry.hook)?;
        let pointer = format!("/hooks/{}/{}/hooks", event.replace('~', "~0").replace('/', "~1"), entry.group);
        let emptied = lenient(&text)?.pointer(&pointer).and_then(Value::as_array).is_some_and(Vec::is_empty);
        if emptied {
            text = remove_element(&text, &path, entry.group)?;
        }
    }
    drop_if_empty(text, &["hooks", event], kept)
}

/// Removes a container that is empty, or gives back what stood in it before us.
fn drop_if_empty(text: String, path: &[&str], kept: &Kept) -> Result<String, EditError> {
    let Some(present) = empty_inside(&text, path)? else { return Ok(text) };
    match (path.split_last(), kept.get(&path.join("."))) {
        (_, Some(inside)) => with_inside(&text, path, inside),
        (Some((key, parents)), None) if present.trim().is_empty() => remove_property(&text, parents, key),
        // A comment in it is somebody's.
        (_, None) => Ok(text),
    }
}

fn ensure_object(text: &str, key: &str) -> Result<String, EditError> {
    if has(text, &[key])? { Ok(text.to_owned()) } else { insert_property(text, &[], key, "{}") }
}

/// The settings as a tree, also when they hold comments or trailing commas (`init --force`).
fn lenient(text: &str) -> Result<Value, EditError> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let plain = without_comments(text)?;
    check_strict(&plain)?;
    serde_json::from_str(&plain).map_err(|error| EditError::Shape(error.to_string()))
}

/// The same JSON with comments and trailing commas left out.
fn without_comments(text: &str) -> Result<String, EditError> {
    use jsonc_parser::ast::Value as Ast;
    fn write(value: &Ast<'_>, out: &mut String) {
        match value {
            Ast::Object(object) => {
                out.push('{');
                for (n, property) in object.properties.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(property.name.as_str()).to_string());
                    out.push(':');
                    write(&property.value, out);
                }
                out.push('}');
            }
            Ast::Array(array) => {
                out.push('[');
                for (n, element) in array.elements.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    write(element, out);
                }
                out.push(']');
            }
            Ast::StringLit(text) => out.push_str(&Value::from(text.value.as_ref()).to_string()),
            Ast::NumberLit(number) => out.push_str(number.value),
            Ast::BooleanLit(flag) => out.push_str(if flag.value { "true" } else { "false" }),
            Ast::NullKeyword(_) => out.push_str("null"),
        }
    }
    let parsed = jsonc_parser::parse_to_ast(
        text,
        &jsonc_parser::CollectOptions::default(),
        &jsonc_parser::ParseOptions::default(),
    )
    .map_err(|error| EditError::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        what: error.kind().to_string(),
    })?;
    let mut out = String::new();
    if let Some(value) = &parsed.value {
        write(value, &mut out);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wired(text: &str, events: &[EventName]) -> Result<String, EditError> {
        wire(text, events, Starter::Program("engine"), false, |program| program == "/gone/engine")
    }

    const EVENTS: &[EventName] = &[EventName::SessionStart, EventName::Stop];
    const RICH: &str = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n\t\t\t}\n\t\t]\n\t},\n\t\"permissions\": {\"allow\": [\"Bash(ls)\"], \"deny\": []}\n}\n";

    #[test]
    fn wires_and_unwires_to_the_same_bytes() {
        let texts = [
            "{}",
            "{}\n",
            "{\"hooks\": {}}",
            "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
            "{\"hooks\": { }, \"permissions\": {\"allow\": [\n]}}",
            "{\"a\": 1}",
            "{\n  \"a\": 1\n}",
            "{\r\n  \"a\": 1\r\n}\r\n",
            RICH,
        ];
        for text in texts {
            let kept = containers(text).unwrap();
            let wired_text = wired(text, EVENTS).unwrap();
            check_strict(&wired_text).unwrap();
            assert_eq!(wired(&wired_text, EVENTS).unwrap(), wired_text, "not idempotent: {text}");
            assert_eq!(unwire(&wired_text, &kept).unwrap(), text);
            let permitted = allow(&wired_text, &["Bash(engine why:*)".to_owned()]).unwrap();
            let back = disallow(&permitted, &["Bash(engine why:*)".to_owned()], &kept).unwrap();
            assert_eq!(back, wired_text);
        }
    }

    #[test]
    fn a_status_line_is_set_where_there_is_none_and_taken_out_again() {
        let set = |text: &str| {
            show_line(text, Starter::Program("engine"), |program| program == "/gone/engine").unwrap()
        };
        for text in ["{}", "{\n\t\"a\": 1\n}\n", RICH] {
            let shown = set(text);
            assert_eq!(set(&shown), shown, "not idempotent: {text}");
            assert_eq!(unwire(&shown, &containers(text).unwrap()).unwrap(), text);
            let both = set(&wired(text, EVENTS).unwrap());
            assert_eq!(unwire(&both, &containers(text).unwrap()).unwrap(), text);
        }
        insta::assert_snapshot!(set("{}"), @r#"
        {
          "statusLine": { "type": "command", "command": "engine statusline" }
        }
        "#);
        insta::assert_snapshot!(show_line("{}", Starter::Program("/my tools/engine"), |_| false).unwrap(), @r#"
        {
          "statusLine": { "type": "command", "command": "'/my tools/engine' statusline" }
        }
        "#);
        let line = |command: &str| format!("{{\"statusLine\": {{\"command\": {}}}}}", Value::from(command));
        let ours = |program: &str| StatusLine::Ours(program.to_owned());
        let cases = [
            ("engine statusline", ours("engine")),
            ("'/my tools/engine' statusline --plain", ours("/my tools/engine")),
            ("engine statusline --part lamp", StatusLine::Theirs),
            ("date; engine statusline", StatusLine::Theirs),
            ("my-line", StatusLine::Theirs),
        ];
        for (command, expected) in cases {
            assert_eq!(status_line(&line(command)).unwrap(), expected, "{command}");
            let is_theirs = expected == StatusLine::Theirs;
            assert_eq!(
                unwire(&line(command), &Kept::new()).unwrap() == line(command),
                is_theirs,
                "{command}"
            );
        }
        assert_eq!(status_line("{\"statusLine\": null}").unwrap(), StatusLine::Theirs);
        assert_eq!(set(&line("/gone/engine statusline")), set("{}"));
    }

    #[test]
    fn the_result_reads_well() {
        insta::assert_snapshot!(wired("{}\n", EVENTS).unwrap(), @r#"
        {
          "hooks": {
            "SessionStart": [{ "hooks": [{ "type": "command", "command": "engine", "args": ["hook"], "timeout": 10 }] }],
            "Stop": [{ "hooks": [{ "type": "command", "command": "engine", "args": ["hook"], "timeout": 10 }] }]
          }
        }
        "#);
        insta::assert_snapshot!(wired(RICH, &[EventName::Stop]).unwrap(), @r#"
        {
        	"model": "opus",
        	"hooks": {
        		"Stop": [
        			{
        				"hooks": [{"type": "command", "command": "say done"}]
        			},
        			{ "hooks": [{ "type": "command", "command": "engine", "args": ["hook"], "timeout": 10 }] }
        		]
        	},
        	"permissions": {"allow": ["Bash(ls)"], "deny": []}
        }
        "#);
    }

    #[test]
    fn events_no_longer_wanted_are_unwired_and_what_the_person_moved_is_found() {
        let both = wired(RICH, EVENTS).unwrap();
        assert_eq!(wired(&both, &[EventName::Stop]).unwrap(), wired(RICH, &[EventName::Stop]).unwrap());
        let moved = r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"a"},{"type":"command","command":"/x/engine","args":["hook"],"timeout":2}]}]}}"#;
        assert_eq!(wired(moved, &[EventName::Stop]).unwrap(), moved);
        assert_eq!(
            unwire(moved, &Kept::new()).unwrap(),
            r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"a"}]}]}}"#
        );
    }

    #[test]
    fn an_entry_whose_program_is_gone_is_replaced() {
        let old =
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/gone/engine","args":["hook"]}]}]}}"#;
        let new = wired(old, &[EventName::Stop]).unwrap();
        assert!(new.contains(r#""command": "engine""#) && !new.contains("gone"), "{new}");
    }

    #[test]
    fn comments_survive_when_forced() {
        for text in [
            "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [], // none yet\n  },\n}\n",
            "{\n  // mine\n}\n",
            "{\n  \"hooks\": {\n    // mine\n  }\n}\n",
        ] {
            let wired_text = wired(text, EVENTS).unwrap();
            assert_eq!(wired_text.matches("//").count(), text.matches("//").count(), "{wired_text}");
            assert_eq!(unwire(&wired_text, &containers(text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn odd_shapes_are_refused() {
        for (text, expected) in [
            ("[]", "the file does not hold a JSON object"),
            ("{\"hooks\": []}", "hooks is not an object"),
            ("{\"hooks\": {\"Stop\": {}}}", "hooks.Stop is not a list"),
        ] {
            assert_eq!(wired(text, EVENTS).unwrap_err().to_string(), expected);
        }
    }
}
