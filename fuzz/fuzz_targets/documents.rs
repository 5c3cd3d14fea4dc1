//! Any text is read as a directive, a checklist, a plan or an item of the queue without a panic, and what is found of it is whole.

#![no_main]

use engine_core::queue::{Item, fragment, with_fields};
use engine_core::sigil::{Texts, definitions, references, resolve};
use engine_core::work::checklist::{hash, mismatch, undecided};
use engine_core::{plan, tag};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lines = text.lines().count().max(1);
    for definition in definitions(text) {
        assert!((1..=lines).contains(&definition.line) && text.contains(definition.body), "{definition:?}");
    }
    for reference in references(text) {
        assert!((1..=lines).contains(&reference.line), "{reference:?}");
    }
    let mut texts = Texts::new([("x", text)]);
    resolve(text, &mut |name| texts.find(name));
    assert!(mismatch(text, text).is_none());
    assert_eq!(hash(text), hash(text.trim_end()));
    undecided(text);
    tag::bare(text);
    if let Err(problems) = plan::read(text) {
        assert!(!problems.is_empty());
    }
    if let Ok(item) = Item::read("20261115-120000-x", text) {
        let kept = fragment(text).map(str::to_owned);
        if let Ok(written) = with_fields(text, &item) {
            assert_eq!(fragment(&written).map(str::to_owned), kept);
        }
    }
});
