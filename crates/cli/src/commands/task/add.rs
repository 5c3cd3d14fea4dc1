//! `engine task add`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::task::{Meta, Place, flat};

use super::{Desk, tell, written};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct TaskAddArgs {
    pub(crate) name: String,
    /// What starts it
    #[arg(long)]
    pub(crate) command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = super::model)]
    pub(crate) model: Option<String>,
    /// It wants a new session
    #[arg(long)]
    pub(crate) restart: bool,
    /// Names of tasks that must be done before, with commas between them
    #[arg(long, value_delimiter = ',')]
    pub(crate) needs: Vec<String>,
    /// Pending Tasks, In-tree Tasks or Worktree Tasks
    #[arg(long, value_parser = super::section)]
    pub(crate) section: Option<String>,
    /// In front of the others
    #[arg(long)]
    pub(crate) first: bool,
}

pub(super) fn run(args: &TaskAddArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let name = flat(&args.name);
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
        if task.is_null() {
            return Err(CommandError::refused("the task would not be seen where it would stand")
                .hint("what hides it: engine task validate"));
        }
        Ok((Some(text), task))
    })?;
    tell(ui, &added, &format!("added {name} in {}", desk.name()));
    Ok(())
}
