//! `engine q pull`.

use engine_app::error::Outcome;
use engine_app::queue::CommandContext;
use engine_app::queue::pull::{Pulled, pull};
use serde_json::json;

use super::object;
use crate::ui::Ui;

pub(super) fn run(word: Option<&str>, context: &CommandContext, ui: &Ui) -> Outcome {
    let Pulled { item, prompt } = pull(context, word)?;
    if ui.is_json() {
        let object = object(&item, &context.queue()?, context);
        ui.object(&json!({"version": 1, "item": object, "prompt": prompt}));
        return Ok(());
    }
    ui.text(&prompt);
    ui.talk(format!(
        "pulled {0}; when it is done: engine q done {0}; to put it back: engine q release {0}",
        item.id
    ));
    Ok(())
}
