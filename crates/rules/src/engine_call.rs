//! Calls of the engine's own commands by an agent: they are the way out of most gates, so gates must recognise them.

use engine_core::event::ToolCall;
use engine_core::view::Shell;
use engine_shell::Run;

/// A shell command that calls the engine.
pub(crate) struct EngineCall {
    /// It writes a log entry.
    pub(crate) logs: bool,
    /// It does nothing but log and move a work session on.
    pub(crate) alone: bool,
}

/// What of the engine's session commands a shell command runs; nothing if it runs none.
pub(crate) fn engine_call(
    call: &ToolCall<'_>,
    cwd: &str,
    view: &(impl Shell + ?Sized),
) -> Option<EngineCall> {
    // Most commands are none of this. Of a tool that is not known, nobody knows that it does nothing else.
    let command = call.commands().next().filter(|command| call.is_shell() && command.contains("engine"))?;
    let analysis = view.analysis(command, cwd);
    let word = |run: &Run, at: usize| run.args.get(at).map(|arg| arg.text.clone()).unwrap_or_default();
    let is_log = |run: &Run| run.is(&["engine"]) && word(run, 0) == "log" && word(run, 1) != "show";
    let is_session =
        |run: &Run| run.is(&["engine"]) && matches!(word(run, 0).as_str(), "session" | "status" | "task");
    let harmless = |run: &Run| run.is(&["cat", "echo", "printf", "cd", "true"]);
    if !analysis.runs.iter().any(|run| is_log(run) || is_session(run)) {
        return None;
    }
    // The log's own file is all that may be written.
    let only = |run: &Run| is_log(run) || is_session(run) || (harmless(run) && run.files.is_empty());
    Some(EngineCall {
        logs: analysis.runs.iter().any(is_log),
        alone: analysis.problem.is_none() && analysis.runs.iter().all(only),
    })
}
