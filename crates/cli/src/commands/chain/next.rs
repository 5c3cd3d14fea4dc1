//! `engine chain next`.

use engine_app::chain::Running;
use engine_app::error::{CommandError, Outcome};
use engine_core::chain::Stored;
use serde_json::json;

use super::{ChainSession, entry_json};
use crate::ui::Ui;

pub(super) fn run(whose: &ChainSession, ui: &Ui) -> Outcome {
    let Running { session: id, chain, .. } = whose.find()?;
    let call = chain.as_ref().and_then(|chain: &Stored| chain.call(&engine_claude::DIALECT));
    let (Some(chain), Some(call)) = (chain, call) else {
        return Err(CommandError::nothing("no chain: nothing comes next"));
    };
    if ui.is_json() {
        let next = chain.next().map(|link| entry_json(&link.entry));
        ui.object(&json!({"version": 1, "session": id, "next": next, "call": call}));
    } else {
        ui.line(call);
    }
    Ok(())
}
