//! `engine q list` and `show`.

use engine_app::error::Outcome;
use engine_app::queue::{CommandContext, one};
use engine_app::time;
use engine_core::queue::{Entry, FRAGMENT, Item, Queue, SECTIONS, State, fragment, section};
use serde_json::{Map, Value, json};

use super::object;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn list(all: bool, context: &CommandContext, ui: &Ui) -> Outcome {
    let queue = context.queue()?;
    let is_shown = |entry: &&Entry| all || entry.item.as_ref().map_or(true, |item| item.state.is_live());
    let shown: Vec<&Entry> = queue.entries().iter().filter(is_shown).collect();
    if ui.is_json() {
        let rows: Vec<Value> = shown.iter().map(|entry| row_object(entry, &queue, context)).collect();
        ui.object(&json!({"version": 1, "items": rows}));
        return Ok(());
    }
    if shown.is_empty() {
        ui.talk("the queue is empty");
    }
    let rows: Vec<Vec<String>> = shown.iter().map(|entry| row(entry, &queue)).collect();
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn row_object(entry: &Entry, queue: &Queue, context: &CommandContext) -> Value {
    match &entry.item {
        Ok(item) => object(item, queue, context),
        Err(why) => json!({"id": entry.id, "damaged": why, "file": context.file(&entry.id)}),
    }
}

fn row(entry: &Entry, queue: &Queue) -> Vec<String> {
    let cells = match &entry.item {
        Ok(item) => cells(item, queue),
        Err(why) => [toned(Tone::Bad, "damaged"), why.clone(), String::new()],
    };
    [vec![entry.id.clone()], cells.to_vec()].concat()
}

/// State, title, and what there is to say about it.
fn cells(item: &Item, queue: &Queue) -> [String; 3] {
    let word = item.state.as_str();
    let since = |at: &Option<String>| at.as_deref().map_or_else(String::new, time::shown);
    let (word, detail) = match item.state {
        State::Open => {
            let waits = queue.waits(item);
            let words: Vec<String> = waits.iter().map(ToString::to_string).collect();
            match (waits.is_empty(), waits.iter().any(|wait| wait.why.is_stuck())) {
                (true, _) => (toned(Tone::Good, word), String::new()),
                (false, false) => (toned(Tone::Quiet, "waiting"), words.join("; ")),
                (false, true) => (toned(Tone::Bad, "stuck"), words.join("; ")),
            }
        }
        State::Pulled => {
            let by = item.pulled_by.as_deref().unwrap_or("somebody");
            (toned(Tone::Careful, word), format!("by {by}, {}", since(&item.pulled)))
        }
        State::Done => (toned(Tone::Quiet, word), since(&item.closed)),
        State::Dropped => (toned(Tone::Quiet, word), item.why.clone().unwrap_or_else(|| since(&item.closed))),
    };
    [word, item.title.clone(), detail]
}

/// The file as it is, also of a damaged item.
pub(super) fn show(word: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let queue = context.queue()?;
    let entry = one(&queue, word)?;
    let text = context.text(&entry.id)?;
    if !ui.is_json() {
        ui.text(&text);
        return Ok(());
    }
    let sections: Map<String, Value> = SECTIONS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), section(&text, name)?.into())))
        .chain(fragment(&text).map(|typed| (FRAGMENT.to_owned(), typed.into())))
        .collect();
    let item = row_object(entry, &queue, context);
    ui.object(&json!({"version": 1, "item": item, "sections": sections, "text": text}));
    Ok(())
}
