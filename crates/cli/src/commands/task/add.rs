//! `engine task add`.

use engine_core::task::{Meta, Place};

use super::{Desk, tell, written};
use crate::args::TaskAddArgs;
use crate::error::{CommandError, Outcome};
use crate::ui::Ui;

pub(super) fn run(args: &TaskAddArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let name = args.name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(CommandError::usage("a task needs a name"));
    }
    let meta = Meta {
        name: name.clone(),
        command: args.command.clone(),
        model: args.model.as_deref().map(str::to_lowercase),
        restart: args.restart,
        needs: args.needs.clone(),
        ..Meta::default()
    };
    let added = desk.edit(|file, _| {
        if let Some(twin) = file.twin(&name) {
            return Err(CommandError::refused(format!(
                "{name} is there already, {}, in line {}",
                twin.state.as_str(),
                twin.line
            )));
        }
        let place = if args.first { Place::First } else { Place::Last };
        let text = file.with_new(&meta, args.section.as_deref(), place);
        let task = written(&text, &name);
        Ok((Some(text), task))
    })?;
    tell(ui, &added, &format!("added {name} in {}", desk.name()));
    Ok(())
}
