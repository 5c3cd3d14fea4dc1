//! Reading single fields out of a JSON object without building a tree of it.
//!
//! An event may be megabytes (a Write carries the whole file). Rules want one or two short fields of it, so
//! the text is scanned and everything else is passed over; nothing is copied unless it has escapes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The raw JSON of one field; the last one if the key stands twice, as JavaScript reads it.
pub fn raw<'a>(object: &'a str, key: &str) -> Option<&'a RawValue> {
    let mut reader = serde_json::Deserializer::from_str(object);
    OneField(key).deserialize(&mut reader).ok().flatten()
}

/// All fields of an object, raw; nothing if it is none. What is in them is not looked at, so numbers, escapes and depths
/// that a tree cannot hold do not matter.
pub fn all(object: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(object).ok()
}

/// A field that is a string.
pub fn string<'a>(object: &'a str, key: &str) -> Option<Cow<'a, str>> {
    text(raw(object, key)?)
}

/// A field that is `true` or `false`.
pub fn flag(object: &str, key: &str) -> Option<bool> {
    serde_json::from_str(raw(object, key)?.get()).ok()
}

/// A raw value that is a string, without its quotes and escapes.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    text_of(raw.get())
}

/// A string as JSON has it, without its quotes and escapes.
pub fn text_of(json: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    match serde_json::from_str::<Text<'_>>(json) {
        Ok(text) => Some(text.0),
        Err(_) => {
            let mended = without_lone_surrogates(json)?;
            serde_json::from_str::<String>(&mended).ok().map(Cow::Owned)
        }
    }
}

/// A JSON text in which every string is one: see [`text_of`]. A key with half of a pair would make the whole object unreadable.
pub fn mended(json: String) -> String {
    if has_surrogate(&json) { without_lone_surrogates(&json).unwrap_or(json) } else { json }
}

/// The same of a text that is borrowed, if there is something to mend.
pub fn mended_copy(json: &str) -> Option<String> {
    has_surrogate(json).then(|| without_lone_surrogates(json)).flatten()
}

/// Whether half of a pair is written as an escape somewhere. Whoever writes JSON escapes only those that are alone.
fn has_surrogate(json: &str) -> bool {
    // A search for several letters is many times as quick as one for every backslash, of which a script has hundreds.
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return false;
    }
    let is_one = |at: usize| {
        let escape = json.as_bytes().get(at + 1..at + 4);
        escape
            .is_some_and(|code| matches!(code, [b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F']))
    };
    json.match_indices('\\').any(|(at, _)| is_one(at))
}

/// The fields at the beginning of an object that may be cut off, as an object: those that are texts and whole, up to the first that is
/// not whole. What is within them is not looked for.
pub fn beginning(json: &str) -> String {
    struct Fields<'f>(&'f mut BTreeMap<String, String>);

    impl<'de> Visitor<'de> for Fields<'_> {
        type Value = ();

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(key) = map.next_key::<String>()? {
                let value: &RawValue = map.next_value()?;
                if value.get().starts_with('"') {
                    self.0.insert(key, value.get().to_owned());
                }
            }
            Ok(())
        }
    }

    let mut found = BTreeMap::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    // It ends with an error where the text is cut off.
    let _ = reader.deserialize_map(Fields(&mut found));
    let fields: Vec<String> = found
        .iter()
        .filter_map(|(key, value)| Some(format!("{}:{value}", serde_json::to_string(key).ok()?)))
        .collect();
    format!("{{{}}}", fields.join(","))
}

/// A string with half of a pair (`\ud800`) is none in Unicode. JavaScript hands it on, and whoever gets its bytes has a replacement
/// character in its place.
fn without_lone_surrogates(json: &str) -> Option<String> {
    let code = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(json.len());
    let (mut at, mut is_mended) = (0, false);
    while let Some(slash) = json[at..].find('\\').map(|found| at + found) {
        out.push_str(&json[at..slash]);
        let is_pair = || matches!(code(slash + 6), Some(0xdc00..=0xdfff));
        let (text, length) = match code(slash) {
            Some(0xd800..=0xdbff) if is_pair() => (json.get(slash..slash + 12)?, 12),
            Some(0xd800..=0xdfff) => {
                is_mended = true;
                ("\\ufffd", 6)
            }
            _ => {
                let escaped = json[slash + 1..].chars().next()?;
                let length = 1 + escaped.len_utf8();
                (&json[slash..slash + length], length)
            }
        };
        out.push_str(text);
        at = slash + length;
    }
    out.push_str(&json[at..]);
    is_mended.then_some(out)
}

struct OneField<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for OneField<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneField<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        #[derive(Deserialize)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
        let mut found = None;
        while let Some(Key(key)) = map.next_key()? {
            if key == self.0 {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_read_as_the_system_gets_it() {
        for (json, expected) in [
            (r#""\ud800; ls""#, Some("\u{fffd}; ls")),
            (r#""a \udc00\ud800 b""#, Some("a \u{fffd}\u{fffd} b")),
            (r#""\ud83d\ude00 \ud83d""#, Some("\u{1f600} \u{fffd}")),
            (r#""\\ud800 \ud800""#, Some("\\ud800 \u{fffd}")),
            (r#""\ud83d\ude00""#, Some("\u{1f600}")),
            (r#""\ud8""#, None),
            (r#""\ud800"#, None),
            ("7", None),
        ] {
            assert_eq!(text_of(json).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn a_text_is_mended_in_its_keys_too() {
        for (json, expected) in [
            (r#"{"a":"x","\ud800":{"\uDFFF":1}}"#, Some(r#"{"a":"x","\ufffd":{"\ufffd":1}}"#)),
            (r#"{"a":"\ud83d\ude00"}"#, None),
            (r#"{"a":"\\ud800"}"#, None),
            (r#"{"a":"\u00e9"}"#, None),
        ] {
            assert_eq!(mended_copy(json).as_deref(), expected, "{json}");
            assert_eq!(mended(json.to_owned()), expected.unwrap_or(json), "{json}");
        }
    }

    #[test]
    fn the_beginning_of_an_object_is_what_is_whole() {
        for (json, expected) in [
            (r#"{"a":"x","n":7,"b":{"a":"no"},"c":"cut of"#, r#"{"a":"x"}"#),
            (r#"{"a":"x","b":{"e":"PreToolUse","#, r#"{"a":"x"}"#),
            (r#"{"a":"x","b":"y"}"#, r#"{"a":"x","b":"y"}"#),
            ("[", "{}"),
            ("", "{}"),
        ] {
            assert_eq!(beginning(json), expected, "{json}");
        }
    }

    #[test]
    fn finds_one_field() {
        let object = r#"{"a": [1, {"b": "no"}], "b": "x\ny", "on": true, "b": "last"}"#;
        assert_eq!(string(object, "b").as_deref(), Some("last"));
        assert_eq!(flag(object, "on"), Some(true));
        assert_eq!(string(object, "a"), None);
        assert_eq!(string(object, "c"), None);
        assert_eq!(string(r#""not an object""#, "b"), None);
        assert!(matches!(string(r#"{"b":"plain"}"#, "b"), Some(Cow::Borrowed("plain"))));
    }
}
