//! The text form of a chain: any text is decoded without a panic, and any chain comes back as it was encoded, at once
//! and peeled entry by entry.

#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use engine_core::chain::{Entry, is_name, marker, split, with_suffix, without_continuation};
use libfuzzer_sys::fuzz_target;

/// A name as skills have it: `design`, `tools:review`.
struct Name(String);

impl<'a> Arbitrary<'a> for Name {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        const FIRST: &[u8] = b"abcxyzABZ019";
        const FURTHER: &[u8] = b"abcxyzABZ019-_";
        let mut name = String::new();
        for part in 0..=bytes.int_in_range(0..=1)? {
            if part > 0 {
                name.push(':');
            }
            name.push(char::from(*bytes.choose(FIRST)?));
            for _ in 0..bytes.int_in_range(0..=6)? {
                name.push(char::from(*bytes.choose(FURTHER)?));
            }
        }
        Ok(Self(name))
    }
}

/// A piece of an argument: what the form itself is made of, or anything.
#[derive(Arbitrary)]
enum Piece<'a> {
    Opening,
    Empty,
    Closing,
    Next,
    Quote,
    Backslash,
    Blank,
    Newline,
    Text(&'a str),
}

impl Piece<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Opening => "[CONTINUATION: /z ",
            Self::Empty => "[CONTINUATION: ]",
            Self::Closing => "]",
            Self::Next => ", /y ",
            Self::Quote => "\"",
            Self::Backslash => "\\",
            Self::Blank => " ",
            Self::Newline => "\n",
            Self::Text(text) => text,
        }
    }
}

fn entries(bytes: &[u8]) -> Vec<Entry> {
    let made = Vec::<(Name, Vec<Piece<'_>>)>::arbitrary(&mut Unstructured::new(bytes)).unwrap_or_default();
    let entry = |(Name(skill), pieces): (Name, Vec<Piece<'_>>)| {
        assert!(is_name(&skill), "{skill:?} is no name");
        Entry { skill, args: pieces.iter().map(Piece::text).collect() }
    };
    made.into_iter().map(entry).collect()
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        decode(text);
    }
    encode(entries(bytes));
});

fn decode(text: &str) {
    if let Some((args, entries)) = split(text) {
        assert!(text.starts_with(&args), "{args:?} does not stand before the marker");
        for entry in &entries {
            assert!(is_name(&entry.skill), "{entry:?} has no name");
        }
        assert_eq!(
            split(&marker(&entries)),
            Some((String::new(), entries)),
            "written again, it is another chain"
        );
    }
    if let Some(clean) = without_continuation(text, &["Skill(".to_owned()]) {
        assert!(clean.len() < text.len(), "nothing was taken out: {clean:?}");
    }
}

fn encode(entries: Vec<Entry>) {
    let decoded = split(&marker(&entries));
    assert_eq!(decoded, Some((String::new(), entries.clone())), "the marker holds another chain");
    // As it travels: each call carries its own arguments and the rest.
    let mut left = entries;
    while !left.is_empty() {
        let first = left.remove(0);
        let call = with_suffix(&first.args, &left);
        let (args, rest) = split(&call).unwrap_or((call.clone(), Vec::new()));
        assert_eq!(args, first.args, "other arguments came out of {call:?}");
        assert_eq!(rest, left, "another chain came out of {call:?}");
        left = rest;
    }
}
