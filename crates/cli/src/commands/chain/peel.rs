//! `engine chain peel`.

use engine_app::chain::{Peeled, peel};
use engine_app::error::{CommandError, Outcome};
use engine_core::chain::written;
use serde_json::json;

use super::{entry_json, input};
use crate::ui::Ui;

pub(super) fn run(ui: &Ui) -> Outcome {
    let text = input()?;
    let Peeled { args, next, rest } = peel(text.strip_suffix('\n').unwrap_or(&text));
    if ui.is_json() {
        ui.object(&json!({"version": 1, "args": args, "next": next.as_ref().map(entry_json), "rest": rest}));
        return Ok(());
    }
    match next {
        None => return Err(CommandError::nothing("no continuation: the end of the chain")),
        Some(next) => ui.line(written(&next)),
    }
    if let Some(rest) = rest {
        ui.line(rest);
    }
    Ok(())
}
