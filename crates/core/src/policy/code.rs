//! The code that an interpreter of another language gets on its command line or by its input, as a text: for rules that only look
//! whether names stand in it together.

use std::borrow::Cow;

use engine_shell::{Options, Run};

/// Interpreters, and their options that hold code.
pub(super) const INTERPRETERS: &[(&[&str], &[&str])] = &[
    (&["python", "python2", "python3"], &["-c"]),
    (&["node", "nodejs", "bun", "deno"], &["-e", "--eval", "-p", "--print"]),
    (&["perl", "ruby", "lua"], &["-e", "-E"]),
    (&["php"], &["-r"]),
];

/// `python3` of `python3.12`.
pub(super) fn version_cut(program: &str) -> &str {
    program.split_once('.').map_or(program, |(name, _)| name)
}

/// The code of a run, if it is given in the command line.
pub(super) fn text_of(run: &Run) -> Option<Cow<'_, str>> {
    let program = version_cut(run.program.as_deref()?);
    let (_, holding) = INTERPRETERS.iter().find(|(names, _)| names.contains(&program))?;
    let options = Options::read(&run.args, holding, true);
    let given: Vec<String> = options.all(holding).filter_map(|given| given.value.clone()).collect();
    if !given.is_empty() {
        return Some(Cow::Owned(given.join("\n")));
    }
    // With a file as its script, what it reads is data.
    let from_stdin =
        options.operands.first().is_none_or(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
    run.input.as_deref().filter(|_| from_stdin).map(Cow::Borrowed)
}
