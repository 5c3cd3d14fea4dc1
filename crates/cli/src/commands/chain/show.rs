//! `engine chain show`.

use engine_app::chain::Running;
use engine_app::error::Outcome;
use engine_core::chain::{Stored, listed, written};
use serde_json::{Value, json};

use super::{ChainSession, entry_json};
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(whose: &ChainSession, ui: &Ui) -> Outcome {
    let Running { session: id, chain, .. } = whose.find()?;
    if ui.is_json() {
        let current = chain.as_ref().and_then(|chain| chain.current.as_ref()).map(entry_json);
        let left: Vec<Value> =
            chain.iter().flat_map(Stored::entries).map(|entry| entry_json(&entry)).collect();
        let call = chain.as_ref().and_then(|chain: &Stored| chain.call(&engine_claude::DIALECT));
        ui.object(
            &json!({"version": 1, "session": id, "current": current, "continuation": left, "call": call}),
        );
        return Ok(());
    }
    let Some(chain) = chain else {
        ui.talk("no chain");
        return Ok(());
    };
    if let Some(current) = &chain.current {
        ui.line(format!("{}  {}", toned(Tone::Quiet, "current"), written(current)));
    }
    let entries = chain.entries();
    if let Some((first, rest)) = entries.split_first() {
        ui.line(format!("{}     {}", toned(Tone::Strong, "next"), written(first)));
        if !rest.is_empty() {
            ui.line(format!("{}     {}", toned(Tone::Quiet, "then"), listed(rest)));
        }
    }
    Ok(())
}
