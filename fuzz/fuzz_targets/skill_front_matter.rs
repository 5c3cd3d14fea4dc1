//! Any file is read as a skill without a panic, and what is found of it is whole.

#![no_main]

use engine_core::chain::is_name;
use engine_core::skill::Declared;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let declared = Declared::read(text);
    assert!(text.is_char_boundary(declared.body), "the body begins at {}", declared.body);
    for entry in declared.exits.entries() {
        assert!(is_name(&entry.skill), "{entry:?} has no name");
        assert_eq!(entry.args.trim(), entry.args, "{entry:?} has blanks around its arguments");
    }
    for problem in &declared.problems {
        assert!(problem.line > 0, "{problem:?} has no line");
    }
});
