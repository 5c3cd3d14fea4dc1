//! Work is moved by the main agent only: a subagent does a part of it and reports.

use engine_store::approve::Caller;
use engine_store::clock;

use super::CommandContext;
use crate::error::{CommandError, Outcome};
use crate::evidence::EvidenceQuery;
use crate::open_call;

/// How long a call can be open.
const A_DAY: u64 = 1;

/// Refuses a command that a subagent calls. `words`: `session phase`.
pub fn required(context: &CommandContext, words: &str) -> Outcome {
    let Caller::Agent { session } = &context.caller else { return Ok(()) };
    let since = clock::now().minus_days(A_DAY).rfc3339();
    let trail = EvidenceQuery {
        within: "in this session",
        ..EvidenceQuery::new(&context.project, &since, Some(vec![session]))
    };
    let Some(subagent) = open_call::subagent(words, &trail)? else { return Ok(()) };
    Err(CommandError::refused(format!(
        "{words} is for the main agent; this call came from a subagent ({subagent})"
    ))
    .hint("report what was done; the main agent moves the work on"))
}
