//! `engine chain next`.

use engine_app::chain::Running;
use engine_app::error::{CommandError, Outcome};
use engine_app::registry::Skills;
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
    if let Some(next) =
        chain.next().filter(|next| Skills::here().is_ok_and(|all| all.find(&next.entry.skill).is_none()))
    {
        let gone = format!("the next entry of the chain, /{}, is no skill any more", next.entry.skill);
        return Err(CommandError::refused(gone)
            .hint("engine chain skip goes on without it, engine chain drop ends the chain"));
    }
    if ui.is_json() {
        let next = chain.next().map(|link| entry_json(&link.entry));
        ui.object(&json!({"version": 1, "session": id, "next": next, "call": call}));
    } else {
        ui.line(call);
    }
    Ok(())
}
