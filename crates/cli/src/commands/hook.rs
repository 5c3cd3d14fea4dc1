//! `engine hook`: one event in, one answer out. It exits 0 whatever happens, because a hook that fails must not
//! hold up the agent; the exceptions are strict injection, which asked for it, and an input so large that nobody can tell what event it is:
//! where tool calls are blocked without the engine, that one is.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use engine_app::hook::{
    HookProcess, Reply, is_off, of_plugin, reply, standby, too_large, unreadable, watchdog,
};
use engine_app::stdin::{self, NoInput};
use engine_claude::entry::Form;
use engine_rules::Rule;
use engine_text::field::mended;

pub(crate) fn run(rules: &[Rule], words: &[OsString], started: Instant) -> ExitCode {
    if let Some((first, rest)) = words.split_first()
        && first == watchdog::LATE
    {
        let rest: Vec<String> = rest.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        watchdog::answer_late(&rest, HookProcess::from_environment(started));
        return ExitCode::SUCCESS;
    }
    if is_off() {
        return ExitCode::SUCCESS;
    }
    // A rule that panics is reported in its own words; the default report would cost more than the event.
    std::panic::set_hook(Box::new(|_| {}));
    let around = HookProcess::from_environment(started);
    let input = stdin::read(stdin::FOR_A_CLIENT).map(mended);
    if let Ok(text) = &input {
        watchdog::watch(text, &around);
    }
    let form = words.first().map_or(Form::Direct, |word| Form::of_word(&word.to_string_lossy()));
    let answered = catch_unwind(AssertUnwindSafe(|| match &input {
        Ok(text) if standby::stands_back(form, text, &around) => Reply::default(),
        Ok(text) if form == Form::Plugin => of_plugin::reply(rules, text, &around),
        Ok(text) => reply(rules, text, &around),
        Err(error @ NoInput::TooLarge { head }) => too_large(head, &error.to_string(), &around),
        Err(error) => unreadable(&error.to_string(), &around),
    }));
    let failed = |_| {
        let complaint = Some("the engine itself failed; please report this".to_owned());
        Reply { complaint, ..Reply::default() }
    };
    let Reply { stdout, complaint, fails } = answered.unwrap_or_else(failed);
    if !watchdog::may_answer() {
        // The late hook answers, in this process.
        loop {
            std::thread::park();
        }
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(stdout.as_bytes()).and_then(|()| out.flush());
    if let Some(text) = complaint {
        let _ = writeln!(std::io::stderr(), "engine: {text}");
    }
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
