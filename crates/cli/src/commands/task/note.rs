//! `engine task note`.

use engine_app::error::Outcome;

use super::{Desk, one, tell, written};
use crate::ui::Ui;

pub(super) fn run(name: &str, note: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let (name, task) = desk.edit(|file, _| {
        let task = one(file, name)?;
        let name = task.meta.name.clone();
        let text = file.with_note(task, note);
        let task = written(&text, &name);
        Ok((Some(text), (name, task)))
    })?;
    tell(ui, &task, &format!("noted at {name}"));
    Ok(())
}
