//! What a call changes, as rules ask that refuse changes.

use engine_core::event::ToolCall;
use engine_core::evidence::{EditScope, Touch, touch};
use engine_core::view::Shell;

/// How far the changes of a call reach: those of a file tool, and those that the words of a command tell of.
pub(crate) fn touch_of(
    call: &ToolCall<'_>,
    cwd: &str,
    scope: &EditScope<'_>,
    view: &(impl Shell + ?Sized),
) -> Touch {
    let by_itself = call.writes().chain(call.deletes()).map(|path| touch::of_file(path, cwd, scope));
    let by_command = call.commands().map(|command| touch::of_command(&view.analysis(command, cwd), scope));
    by_itself.chain(by_command).max().unwrap_or(Touch::Nothing)
}
