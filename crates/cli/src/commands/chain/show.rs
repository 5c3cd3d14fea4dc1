//! `engine chain show`.

use engine_app::chain::Running;
use engine_app::error::Outcome;
use engine_core::chain::{Entry, Link, Outcome as Ended, Returned, State, Stored, listed, written};
use serde_json::{Map, Value, json};

use super::{ChainSession, entry_json};
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(whose: &ChainSession, ui: &Ui) -> Outcome {
    let Running { session: id, chain, .. } = whose.find()?;
    if ui.is_json() {
        ui.object(&object(&id, chain.as_ref()));
        return Ok(());
    }
    let Some(chain) = chain else {
        ui.talk("no chain");
        return Ok(());
    };
    for past in &chain.past {
        let (tone, word, why) = match &past.outcome {
            Ended::Done => (Tone::Quiet, "done   ", String::new()),
            Ended::Skipped => (Tone::Quiet, "skipped", String::new()),
            Ended::Failed(why) => (Tone::Bad, "failed ", format!(": {why}")),
        };
        ui.line(format!("{}  {}{why}", toned(tone, word), written(&past.entry)));
    }
    if let Some(current) = &chain.current {
        let word = if chain.state() == State::Waits { "waits  " } else { "current" };
        ui.line(format!("{}  {}", toned(Tone::Quiet, word), written(current)));
    }
    let entries = chain.entries();
    if let Some((first, rest)) = entries.split_first() {
        ui.line(format!("{}     {}", toned(Tone::Strong, "next"), written(first)));
        if !rest.is_empty() {
            ui.line(format!("{}     {}", toned(Tone::Quiet, "then"), listed(rest)));
        }
    }
    for Returned { name, value } in &chain.returned {
        ui.line(format!("{}  {name}={value}", toned(Tone::Quiet, "value  ")));
    }
    let kept = chain.failure.as_ref().map(|failure| unlinked(&failure.left)).unwrap_or_default();
    for (word, entries) in [("kept", kept), ("offered", unlinked(&chain.offered))] {
        if !entries.is_empty() {
            ui.line(format!("{}  {}", toned(Tone::Quiet, &format!("{word:7}")), listed(&entries)));
        }
    }
    Ok(())
}

fn unlinked(links: &[Link]) -> Vec<Entry> {
    links.iter().map(|link| link.entry.clone()).collect()
}

/// A chain for a program.
pub(super) fn object(session: &str, chain: Option<&Stored>) -> Value {
    let list = |entries: Vec<Entry>| entries.iter().map(entry_json).collect::<Vec<Value>>();
    let current = chain.and_then(|chain| chain.current.as_ref()).map(entry_json);
    let state = chain.map(|chain| match chain.state() {
        State::Runs => "runs",
        State::Waits => "waits",
        State::Failed => "failed",
        State::Offers => "offers",
    });
    let past: Vec<Value> = chain
        .iter()
        .flat_map(|chain| &chain.past)
        .map(|past| {
            let mut entry = entry_json(&past.entry);
            entry["outcome"] = json!(match &past.outcome {
                Ended::Done => "done",
                Ended::Skipped => "skipped",
                Ended::Failed(_) => "failed",
            });
            if let Ended::Failed(why) = &past.outcome {
                entry["why"] = json!(why);
            }
            entry
        })
        .collect();
    let failure = chain.and_then(|chain| chain.failure.as_ref());
    let returned: Map<String, Value> = chain
        .iter()
        .flat_map(|chain| &chain.returned)
        .map(|returned| (returned.name.clone(), json!(returned.value)))
        .collect();
    let call = chain.and_then(|chain| chain.call(&engine_claude::DIALECT));
    json!({"version": 1, "session": session, "state": state, "past": past, "current": current,
        "continuation": list(chain.map(Stored::entries).unwrap_or_default()),
        "kept": list(failure.map(|failure| unlinked(&failure.left)).unwrap_or_default()),
        "offered": list(chain.map(|chain| unlinked(&chain.offered)).unwrap_or_default()), "returned": returned,
        "call": call})
}

/// How a chain stands after a command changed it: in a line, and with the call that comes next.
pub(super) fn after(what: &str, session: &str, chain: &Stored, ui: &Ui) {
    let call = chain.call(&engine_claude::DIALECT);
    if ui.is_json() {
        let mut shown = object(session, Some(chain));
        shown["did"] = json!(what);
        ui.object(&shown);
        return;
    }
    ui.line(format!("{what}: {}", chain.standing()));
    if let Some(call) = call {
        ui.line(format!("next: {call}"));
    }
}
