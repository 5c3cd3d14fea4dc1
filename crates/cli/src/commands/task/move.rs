//! `engine task move`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::task::Place;

use super::{Desk, one, tell, written};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct TaskMoveArgs {
    pub(crate) name: String,
    /// In front of the others
    #[arg(long, conflicts_with_all = ["before", "after"])]
    pub(crate) first: bool,
    /// In front of this task
    #[arg(long, conflicts_with = "after")]
    pub(crate) before: Option<String>,
    /// Behind this task
    #[arg(long)]
    pub(crate) after: Option<String>,
    /// Into this section
    #[arg(long, value_parser = super::section, conflicts_with_all = ["before", "after"])]
    pub(crate) section: Option<String>,
}

pub(super) fn run(args: &TaskMoveArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let (name, task) = desk.edit(|file, _| {
        let task = one(file, &args.name)?;
        let name = task.meta.name.clone();
        let (place, section) = match (&args.before, &args.after) {
            (Some(other), _) => {
                one(file, other).map(|other| (Place::Before(other), Some(other.section.clone())))?
            }
            (_, Some(other)) => {
                one(file, other).map(|other| (Place::After(other), Some(other.section.clone())))?
            }
            (None, None) if args.first => (Place::First, args.section.clone()),
            (None, None) => (Place::Last, args.section.clone()),
        };
        if let Some(section) = section.as_ref().filter(|section| !file.has_section(section)) {
            return Err(CommandError::refused(format!("the file has no section {section}"))
                .hint(format!("make it first, with the heading: ## {section}")));
        }
        let text = file.with_moved(task, section.as_deref(), place);
        if text == file.text() {
            return Err(CommandError::nothing(format!("{name} stands there already")));
        }
        let task = written(&text, &name);
        Ok((Some(text), (name, task)))
    })?;
    tell(ui, &task, &format!("moved {name}"));
    Ok(())
}
