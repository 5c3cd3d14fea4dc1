//! Whose call of the shell a command runs in: the journal knows which calls are open, and the agent of each.

use std::io;

use engine_core::host::surroundings;
use engine_core::journal::Entry;
use engine_shell::{Run, analyse};

use crate::evidence::EvidenceQuery;

/// Whether a call runs `engine WORDS …`. `words`: `plan verify 2`.
pub(crate) fn runs(call: &Entry, words: &str) -> bool {
    let around = surroundings("/", None, None, &engine_claude::DIALECT);
    let analysis = analyse(call.command.as_deref().unwrap_or_default(), &around);
    let texts = |run: &Run| run.args.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>().join(" ");
    let is_it = |run: &Run| run.is(&["engine"]) && (texts(run) + " ").starts_with(&format!("{words} "));
    analysis.runs.iter().any(is_it)
}

/// The type of the subagent that calls `engine WORDS …`; nothing if the main agent may have called it. A script hides the words: then
/// every open call may be it.
pub(crate) fn subagent(words: &str, trail: &EvidenceQuery<'_>) -> io::Result<Option<String>> {
    let open = trail.open_calls()?;
    let named: Vec<&Entry> = open.iter().filter(|call| runs(call, words)).collect();
    let calls = if named.is_empty() { open.iter().collect() } else { named };
    if calls.iter().any(|call| call.agent.is_none()) {
        return Ok(None);
    }
    Ok(calls.last().map(|call| call.agent_type.clone().unwrap_or_default()))
}
