//! Any text is analysed as a command line: without a panic, within the bounds, and quickly.
#![no_main]

use std::sync::Once;

use engine_core::policy::{Places, ProjectPolicy, Scene, judge};
use libfuzzer_sys::fuzz_target;

static QUIET: Once = Once::new();

fuzz_target!(|text: &str| {
    // The parser that we use panics on some texts, and that is caught; what is not caught still ends the run.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let places = Places {
        root: "/home/dev/project".into(),
        cwd: "/home/dev/project".into(),
        home: Some("/home/dev".into()),
        temporary: None,
    };
    let scene = Scene::of_command("Bash", text, places.clone());
    let _ = judge(&scene, &ProjectPolicy::default(), &|rule| rule.verdict);
    // Quoted into an echo it is data, whatever it says.
    let quoted = format!("echo '{}'", text.replace('\'', r"'\''"));
    if !text.contains('\0') {
        let scene = Scene::of_command("Bash", &quoted, places);
        let found = judge(&scene, &ProjectPolicy::default(), &|rule| rule.verdict);
        assert!(found.is_empty(), "{found:?}");
    }
});
