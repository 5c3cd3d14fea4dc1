//! `engine task edit`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::task::{Meta, flat};

use super::{Desk, one, tell, written};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct TaskEditArgs {
    pub(crate) name: String,
    /// Another name
    #[arg(long)]
    pub(crate) rename: Option<String>,
    /// What starts it; empty: nothing
    #[arg(long)]
    pub(crate) command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = super::model)]
    pub(crate) model: Option<String>,
    /// Whether it wants a new session
    #[arg(long)]
    pub(crate) restart: Option<bool>,
    /// Names of tasks that must be done before, with commas between them; empty: none
    #[arg(long)]
    pub(crate) needs: Option<String>,
}

pub(super) fn run(args: &TaskEditArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let (name, task) = desk.edit(|file, owners| {
        let task = one(file, &args.name)?;
        let old = task.meta.name.clone();
        let meta = changed(&task.meta, args);
        if meta == task.meta {
            return Err(CommandError::nothing(format!("{old} is like that already")));
        }
        if meta.name.is_empty() {
            return Err(CommandError::usage("a task needs a name"));
        }
        if file.twin(&meta.name).is_some_and(|twin| twin.line != task.line) {
            return Err(CommandError::refused(format!("{} is the name of another task", meta.name)));
        }
        if let Some(owner) = owners.owner(&old).map(str::to_owned).filter(|_| old != meta.name) {
            owners.release(&old);
            owners.take(&meta.name, Some(&owner));
        }
        let text = file.with_meta(task, &meta);
        let task = written(&text, &meta.name);
        Ok((Some(text), (meta.name, task)))
    })?;
    tell(ui, &task, &format!("changed {name}"));
    Ok(())
}

fn changed(meta: &Meta, args: &TaskEditArgs) -> Meta {
    let mut meta = meta.clone();
    if let Some(name) = &args.rename {
        meta.name = flat(name);
    }
    if let Some(command) = &args.command {
        meta.command = Some(command.clone()).filter(|command| !command.is_empty());
    }
    if let Some(model) = &args.model {
        meta.model = Some(model.to_lowercase());
    }
    if let Some(restart) = args.restart {
        meta.restart = restart;
    }
    if let Some(needs) = &args.needs {
        meta.needs =
            needs.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    }
    meta
}
