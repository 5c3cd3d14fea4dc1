//! Any prompt is read without a panic, and what is read stands in the prompt: each entry's arguments behind its name,
//! nothing lost between them but delimiters.

#![no_main]

use engine_core::chain::{Entry, Form, Reading, Standing, Typed, explain, read, split};
use libfuzzer_sys::fuzz_target;

const OPENING: &str = "[CONTINUATION:";

/// The registry of `crates/core/tests/corpus.rs`.
fn standing(name: &str) -> Standing {
    match name {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" | "handoff" | "commit" | "tools:review"
        | "review" => Standing::Entry,
        "q" | "do" => Standing::FreeText { callable: true },
        "deploy" => Standing::OnlyTyped,
        "lint" => Standing::NotCooperative,
        _ => Standing::Unknown,
    }
}

fuzz_target!(|prompt: &str| {
    let reading = read(prompt, &standing);
    let explained = explain(prompt, &standing);
    assert_eq!(reading.chain, explained.chain, "explaining reads another chain");
    for note in explained.notes.iter().chain(&reading.notes) {
        let written = prompt[note.at..].strip_prefix('/').is_some_and(|text| text.starts_with(&note.name));
        assert!(written, "a note on {:?} points elsewhere: {note:?}", note.name);
    }
    if let Some(chain) = &reading.chain {
        check(prompt, chain, &reading);
    }
});

fn check(prompt: &str, chain: &Typed, reading: &Reading) {
    let (first, later) = chain.entries.split_first().expect("a chain has an entry");
    let can_lead = standing(&first.skill).is_entry()
        || (standing(&first.skill) == Standing::OnlyTyped && chain.form == Form::Leading);
    assert!(can_lead, "{first:?} is no first entry");
    for entry in later {
        assert!(standing(&entry.skill).is_entry(), "{entry:?} is no entry");
    }
    for name in &chain.unknown {
        assert!(!standing(name).is_entry(), "{name:?} is known");
    }
    let places: Vec<usize> =
        reading.notes.iter().filter(|note| note.why.is_entry()).map(|note| note.at).collect();
    assert!(places.is_sorted(), "the entries are not in the order of the prompt");
    assert!(places.len() <= chain.entries.len(), "more names than entries");
    let (typed, appended) = chain.entries.split_at(places.len());
    if !chain.closed {
        assert!(appended.is_empty(), "entries that nobody typed: {appended:?}");
    }
    // An argument that lost a word is no part of the prompt any more.
    if prompt.contains("--no-exit") {
        return;
    }
    let ends = places.iter().skip(1).copied().chain([prompt.len()]);
    for (index, ((entry, at), end)) in typed.iter().zip(&places).zip(ends).enumerate() {
        let is_last = index + 1 == typed.len();
        let name_end = at + 1 + entry.skill.len();
        assert_eq!(prompt.get(at + 1..name_end), Some(entry.skill.as_str()), "the name stands elsewhere");
        let behind = &prompt[name_end..end];
        if is_last && chain.closed {
            assert!(is_closed_by(behind, &entry.args, appended), "{entry:?}, {appended:?} in {behind:?}");
        } else {
            assert!(is_argument(behind, &entry.args, is_last), "{entry:?} in {behind:?}");
        }
    }
}

/// Whether the text between a name and the next one is this argument, with nothing but marks around it.
fn is_argument(behind: &str, args: &str, is_last: bool) -> bool {
    let leads = |c: char| c.is_whitespace() || matches!(c, '.' | '!' | ',' | ';' | '，');
    let ends = |rest: &str| if is_last { rest.trim().is_empty() } else { delimits(rest) };
    let most = behind.len() - behind.trim_start_matches(leads).len();
    let mut starts = (0..=most).filter(|start| behind.is_char_boundary(*start));
    starts.any(|start| behind[start..].strip_prefix(args).is_some_and(ends))
}

/// Whether a text is a run of delimiters: signs, words, line ends, markers of a list, a dash.
fn delimits(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '→')).all(|word| {
        let joint = word.strip_suffix(':').unwrap_or(word);
        let number = word.strip_suffix(['.', ')']);
        matches!(word, "" | "-" | "*" | "+" | "–" | "—")
            || ["and", "then", "finally", "followed", "by"].iter().any(|known| joint.eq_ignore_ascii_case(known))
            || number.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
    })
}

/// Whether the text behind the last typed name is this argument and a marker with these entries.
fn is_closed_by(behind: &str, args: &str, appended: &[Entry]) -> bool {
    behind.match_indices(OPENING).any(|(at, _)| {
        let entries = split(&behind[at..]).map(|(_, entries)| entries).unwrap_or_default();
        let known = entries.into_iter().filter(|entry| standing(&entry.skill).is_entry());
        is_argument(&behind[..at], args, true) && known.eq(appended.iter().cloned())
    })
}
