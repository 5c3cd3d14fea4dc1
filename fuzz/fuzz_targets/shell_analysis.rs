//! Any text is analysed as a command line: without a panic, within the bounds, and quickly.
#![no_main]

use engine_core::dialect::Dialect;
use engine_core::host::surroundings;
use engine_core::policy::{Places, ProjectPolicy, CallFacts, judge};
use engine_shell::analyse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let places = Places {
        root: "/home/dev/project".into(),
        cwd: "/home/dev/project".into(),
        home: Some("/home/dev".into()),
        temporary: None,
    };
    let around = surroundings(&places.cwd, places.home.clone(), None, &Dialect::NONE);
    let facts = CallFacts::of_command("Bash", text, analyse(text, &around), places.clone());
    let _ = judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
    // Quoted into an echo it is data, whatever it says.
    let quoted = format!("echo '{}'", text.replace('\'', r"'\''"));
    if !text.contains('\0') {
        let facts = CallFacts::of_command("Bash", &quoted, analyse(&quoted, &around), places);
        let found = judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
        assert!(found.is_empty(), "{found:?}");
    }
});
