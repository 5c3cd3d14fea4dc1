//! Changing a JSON file of the person's by splices: what is not added or removed keeps every byte, comments,
//! indentation, line ends and the missing newline at the end included. Removing what was inserted gives back
//! the text it was inserted into.

use engine_text::BYTE_ORDER_MARK;
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// What stands behind the bracket of a container that was there, and empty, before something was put into it: blanks that nobody writes,
/// behind those that were there. So it is known again by whoever has never seen the file as it was.
const SIGN: &str = "\t \t";

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("line {line}, column {column}: {what}")]
    Syntax { line: usize, column: usize, what: String },
    #[error("{0}")]
    Shape(String),
}

/// Whether the text is what a strict JSON reader takes; where not, why.
pub fn check_strict(text: &str) -> Result<(), EditError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let rest = text
                .lines()
                .nth(line.saturating_sub(1))
                .and_then(|text| text.get(column.saturating_sub(1)..));
            let what = match rest {
                Some(rest) if rest.starts_with('/') => "a comment".to_owned(),
                Some(rest) if rest.starts_with(['}', ']']) => "a trailing comma".to_owned(),
                _ => error.to_string().split(" at line ").next().unwrap_or("not JSON").to_owned(),
            };
            Err(EditError::Syntax { line, column, what })
        }
    }
}

/// Runs `look` on the parsed root object.
fn with_root<T>(text: &str, look: impl FnOnce(&Object<'_>) -> Result<T, EditError>) -> Result<T, EditError> {
    let options = ParseOptions {
        allow_missing_commas: false,
        allow_loose_object_property_names: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| EditError::Syntax {
            line: error.line_display(),
            column: error.column_display(),
            what: error.kind().to_string(),
        })?;
    match parsed.value {
        Some(Value::Object(root)) => look(&root),
        _ => Err(EditError::Shape("the file does not hold a JSON object".into())),
    }
}

/// A place inside the root: keys of objects, the last one naming an object or array.
type Path<'p> = &'p [&'p str];

/// Where the container at a path is, and whether it has no member; nothing if there is no container.
fn container_at(root: &Object<'_>, path: Path<'_>) -> Option<(Range, bool)> {
    if path.is_empty() {
        return Some((root.range(), root.properties.is_empty()));
    }
    match value_at(root, path)? {
        Value::Object(object) => Some((object.range(), object.properties.is_empty())),
        Value::Array(array) => Some((array.range(), array.elements.is_empty())),
        _ => None,
    }
}

fn value_at<'a, 'v>(root: &'v Object<'a>, path: Path<'_>) -> Option<&'v Value<'a>> {
    let (first, rest) = path.split_first()?;
    // Of a key that stands twice the client takes the last.
    let value = &root.properties.iter().rev().find(|property| property.name.as_str() == *first)?.value;
    if rest.is_empty() { Some(value) } else { value_at(value.as_object()?, rest) }
}

fn object_at<'a, 'v>(root: &'v Object<'a>, path: Path<'_>) -> Result<&'v Object<'a>, EditError> {
    if path.is_empty() {
        return Ok(root);
    }
    let object = value_at(root, path).and_then(Value::as_object);
    object.ok_or_else(|| EditError::Shape(format!("{} is not an object", path.join("."))))
}

fn array_at<'a, 'v>(root: &'v Object<'a>, path: Path<'_>) -> Result<&'v Array<'a>, EditError> {
    let array = value_at(root, path).and_then(Value::as_array);
    array.ok_or_else(|| EditError::Shape(format!("{} is not a list", path.join("."))))
}

/// Whether there is a value at the path.
pub fn has(text: &str, path: Path<'_>) -> Result<bool, EditError> {
    with_root(text, |root| Ok(value_at(root, path).is_some()))
}

/// The text with `"key": value` as the last property of the object at `path`. The value is JSON in one line.
pub fn insert_property(text: &str, path: Path<'_>, key: &str, value: &str) -> Result<String, EditError> {
    let (range, members) = with_root(text, |root| {
        let object = object_at(root, path)?;
        if object.get(key).is_some() {
            return Err(EditError::Shape(format!("{key} is there already")));
        }
        Ok((object.range(), object.properties.iter().map(Ranged::range).collect::<Vec<Range>>()))
    })?;
    let member = format!("{}: {value}", serde_json::Value::from(key));
    Ok(insert_member(text, range, &members, &member, path.len()))
}

/// The text with a value, JSON in one line, as the last element of the list at `path`.
pub fn append_element(text: &str, path: Path<'_>, value: &str) -> Result<String, EditError> {
    let (range, members) = with_root(text, |root| {
        let array = array_at(root, path)?;
        Ok((array.range(), array.elements.iter().map(Ranged::range).collect::<Vec<Range>>()))
    })?;
    Ok(insert_member(text, range, &members, value, path.len()))
}

/// The text without a property of the object at `path`.
pub fn remove_property(text: &str, path: Path<'_>, key: &str) -> Result<String, EditError> {
    let (range, members, index) = with_root(text, |root| {
        let object = object_at(root, path)?;
        let index = object.properties.iter().rposition(|property| property.name.as_str() == key);
        let index = index.ok_or_else(|| EditError::Shape(format!("{key} is not there")))?;
        Ok((object.range(), object.properties.iter().map(Ranged::range).collect::<Vec<Range>>(), index))
    })?;
    Ok(remove_member(text, range, &members, index))
}

/// The text without an element of the list at `path`.
pub fn remove_element(text: &str, path: Path<'_>, index: usize) -> Result<String, EditError> {
    let (range, members) = with_root(text, |root| {
        let array = array_at(root, path)?;
        Ok((array.range(), array.elements.iter().map(Ranged::range).collect::<Vec<Range>>()))
    })?;
    Ok(remove_member(text, range, &members, index))
}

/// The text without hook `index` of the group `group` of the list at `path`: lists in objects in a list.
pub fn remove_nested(
    text: &str,
    path: Path<'_>,
    group: usize,
    key: &str,
    index: usize,
) -> Result<String, EditError> {
    let (range, members) = with_root(text, |root| {
        let inner = array_at(root, path)?.elements.get(group).and_then(Value::as_object);
        let list = inner.and_then(|object| object.get(key)).and_then(|property| property.value.as_array());
        let list = list.ok_or_else(|| EditError::Shape(format!("{key} is not a list")))?;
        Ok((list.range(), list.elements.iter().map(Ranged::range).collect::<Vec<Range>>()))
    })?;
    Ok(remove_member(text, range, &members, index))
}

/// What stands between the brackets of an empty object or list at the path; nothing if it is not empty.
pub fn empty_inside(text: &str, path: Path<'_>) -> Result<Option<String>, EditError> {
    with_root(text, |root| {
        let found = container_at(root, path).filter(|(_, is_empty)| *is_empty);
        Ok(found.map(|(range, _)| text[range.start + 1..range.end - 1].to_owned()))
    })
}

/// The text with something else between the brackets of an empty object or list.
pub fn with_inside(text: &str, path: Path<'_>, inside: &str) -> Result<String, EditError> {
    let found = with_root(text, |root| Ok(container_at(root, path)))?;
    Ok(found.map_or_else(
        || text.to_owned(),
        |(range, _)| format!("{}{inside}{}", &text[..=range.start], &text[range.end - 1..]),
    ))
}

/// The text with the sign in the empty container at the path, if there is one: what is put into it keeps the sign.
pub fn signed(text: &str, path: &[&str]) -> Result<String, EditError> {
    match empty_inside(text, path)? {
        Some(inside) if inside.trim().is_empty() && !inside.contains(SIGN) => {
            with_inside(text, path, &format!("{inside}{SIGN}"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// What stood between the brackets of a container before something was put into it, by the sign.
pub fn inside_before(text: &str, path: Path<'_>) -> Result<Option<String>, EditError> {
    let found = with_root(text, |root| Ok(container_at(root, path)))?;
    Ok(found.and_then(|(range, _)| {
        let (inside, _) = text[range.start + 1..range.end - 1].split_once(SIGN)?;
        inside.trim().is_empty().then(|| inside.to_owned())
    }))
}

/// The text without the sign in the container at the path. An empty one has its blanks again, of another they were ours.
pub fn unsigned(text: &str, path: &[&str]) -> Result<String, EditError> {
    let Some(inside) = inside_before(text, path)? else { return Ok(text.to_owned()) };
    if empty_inside(text, path)?.is_some() {
        return with_inside(text, path, &inside);
    }
    let found = with_root(text, |root| Ok(container_at(root, path)))?;
    let end = |range: Range| range.start + 1 + inside.len() + SIGN.len();
    Ok(found.map_or_else(
        || text.to_owned(),
        |(range, _)| format!("{}{}", &text[..=range.start], &text[end(range)..]),
    ))
}

fn insert_member(text: &str, container: Range, members: &[Range], member: &str, depth: usize) -> String {
    let layout = Layout::of(text);
    let (at, until, added) = match members.last() {
        // Behind the last value, in front of a trailing comma if there is one.
        Some(last) => {
            let first = members[0];
            let gap = &text[container.start + 1..first.start];
            let separator = if gap.contains('\n') {
                format!("{}{}", layout.newline, indentation(text, first.start))
            } else {
                " ".to_owned()
            };
            (last.end, last.end, format!(",{separator}{member}"))
        }
        None => {
            let base = indentation(text, container.start);
            let base = if base.is_empty() { layout.unit.repeat(depth) } else { base.to_owned() };
            let inside = &text[container.start + 1..container.end - 1];
            let line = format!("{}{base}{}{member}", layout.newline, layout.unit);
            if inside.trim().is_empty() {
                let kept = inside.find(SIGN).map_or(0, |at| at + SIGN.len());
                (container.start + 1 + kept, container.end - 1, format!("{line}{}{base}", layout.newline))
            } else {
                // Only comments: they stay in front.
                let at = container.start + 1 + inside.trim_end().len();
                (at, at, line)
            }
        }
    };
    format!("{}{added}{}", &text[..at], &text[until..])
}

fn remove_member(text: &str, container: Range, members: &[Range], index: usize) -> String {
    let member = members[index];
    let (from, to) = match (index.checked_sub(1).map(|before| members[before]), members.get(index + 1)) {
        (Some(before), None) => (before.end, member.end),
        (_, Some(after)) => (member.start, after.start),
        (None, None) => {
            let left = &text[container.start + 1..member.start];
            let right = &text[member.end..container.end - 1];
            let comments = !left.trim().is_empty() || !right.trim().trim_start_matches(',').is_empty();
            if comments {
                (container.start + 1 + left.trim_end().len(), member.end)
            } else {
                (container.start + 1, container.end - 1)
            }
        }
    };
    format!("{}{}", &text[..from], &text[to..])
}

/// The blanks at the start of the line that holds `at`.
fn indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let blanks = text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    &text[line..(line + blanks).min(at)]
}

/// How the file is laid out: its line ends, and what one level of indentation is.
struct Layout {
    newline: &'static str,
    unit: String,
}

impl Layout {
    fn of(text: &str) -> Self {
        let text = text.replace(SIGN, "");
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented =
            text.lines().skip(1).find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        Self { newline, unit: unit.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn inserts_in_the_layout_of_the_file() {
        let cases = [
            ("{}", "{\n  \"k\": 1\n}"),
            ("{ }\n", "{\n  \"k\": 1\n}\n"),
            ("{\"a\":1}", "{\"a\":1, \"k\": 1}"),
            ("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"k\": 1\n}\n"),
            ("{\r\n    \"a\": 1\r\n}", "{\r\n    \"a\": 1,\r\n    \"k\": 1\r\n}"),
            ("{\n  \"a\": 1, // last\n}", "{\n  \"a\": 1,\n  \"k\": 1, // last\n}"),
        ];
        for (before, after) in cases {
            assert_eq!(insert_property(before, &[], "k", "1").as_deref(), Ok(after), "{before}");
        }
        let twice = insert_property("{\"a\": {}, \"a\": {\"b\": 1}}", &["a"], "k", "1").unwrap();
        assert_eq!(twice, "{\"a\": {}, \"a\": {\"b\": 1, \"k\": 1}}");
        let nested = insert_property("{\n  \"a\": {}\n}", &["a"], "k", "1").unwrap();
        assert_eq!(nested, "{\n  \"a\": {\n    \"k\": 1\n  }\n}");
        let listed = append_element("{\n  \"a\": [\n    1\n  ]\n}", &["a"], "2").unwrap();
        assert_eq!(listed, "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    }

    #[test]
    fn tells_where_a_text_is_not_plain_json() {
        let error = |text: &str| check_strict(text).unwrap_err().to_string();
        insta::assert_snapshot!(error("{\n  // note\n}"), @"line 2, column 3: a comment");
        insta::assert_snapshot!(error("{\n  \"a\": 1,\n}"), @"line 3, column 1: a trailing comma");
        insta::assert_snapshot!(error("{\"a\":"), @"line 1, column 5: EOF while parsing a value");
    }

    proptest! {
        #[test]
        fn removing_what_was_inserted_gives_the_same_bytes(
            keys in prop::collection::btree_set("[a-z]{1,4}", 0..5),
            indent in prop::sample::select(vec!["", "  ", "\t", "    "]),
            newline in prop::sample::select(vec!["\n", "\r\n"]),
            end in prop::sample::select(vec!["", "\n"]),
        ) {
            let newline = if indent.is_empty() { "" } else { newline };
            let members: Vec<String> = keys.iter().map(|key| format!("{newline}{indent}\"{key}\": [1, {{}}]")).collect();
            let text = if members.is_empty() { format!("{{}}{end}") } else { format!("{{{}{newline}}}{end}", members.join(",")) };
            let inserted = insert_property(&text, &[], "KEY", "{\"x\": []}").unwrap();
            check_strict(&inserted).unwrap();
            prop_assert_eq!(remove_property(&inserted, &[], "KEY").unwrap(), text);
        }
    }
}
