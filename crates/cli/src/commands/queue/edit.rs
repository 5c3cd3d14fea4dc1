//! `engine q edit`: by options, or in a person's editor.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::queue::{Item, Queue, sections, title_of, with_fields, with_sections};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::queue_file;

use super::{Desk, not_edited, one, read_stdin, readable, tell};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct QueueEditArgs {
    /// The id, or the beginning of it
    pub(crate) id: String,
    /// The section that --text is for
    #[arg(long, value_name = "NAME", requires = "text")]
    pub(crate) section: Option<String>,
    /// The new text; -: from stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Another title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Items that must be done before it, with commas between them; empty: none
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
}

pub(super) fn run(args: &QueueEditArgs, desk: &Desk, ui: &Ui) -> Outcome {
    if args.text.is_none() && args.title.is_none() && args.after.is_none() {
        return by_hand(&args.id, desk, ui);
    }
    let given = match args.text.as_deref() {
        Some("-") => Some(read_stdin()?),
        text => text.map(str::to_owned),
    };
    let item = desk.change(|queue| {
        let item = readable(queue, &args.id, desk)?;
        let failed = |why| not_edited(&item.id, &why);
        let mut text = desk.text(&item.id)?;
        if let Some(given) = &given {
            let new = match &args.section {
                Some(name) => vec![(name.as_str(), given.as_str())],
                None => sections(given).map_err(failed)?,
            };
            text = with_sections(&text, &new).map_err(failed)?;
        }
        let new = with_options(item, args, queue)?;
        let text = with_fields(&text, &new).map_err(failed)?;
        Ok((new, text))
    })?;
    tell(&item, &format!("changed {}", item.id), desk, ui)
}

/// The item with another title, or other items before it.
fn with_options(item: &Item, args: &QueueEditArgs, queue: &Queue) -> Result<Item, CommandError> {
    let mut new = item.clone();
    if let Some(title) = &args.title {
        new.title = Some(title_of(title))
            .filter(|title| !title.is_empty())
            .ok_or_else(|| CommandError::usage("an item needs a title"))?;
    }
    if let Some(after) = &args.after {
        let words = after.split(',').map(str::trim).filter(|word| !word.is_empty());
        new.after =
            words.map(|word| Ok(one(queue, word)?.id.clone())).collect::<Result<_, CommandError>>()?;
        let stuck: Vec<String> =
            queue.waits(&new).iter().filter(|wait| wait.why.is_stuck()).map(ToString::to_string).collect();
        if !stuck.is_empty() {
            return Err(CommandError::refused(format!("{} would be {}", item.id, stuck.join("; "))));
        }
    }
    Ok(new)
}

/// In an editor, on a copy: the item may be pulled meanwhile.
fn by_hand(word: &str, desk: &Desk, ui: &Ui) -> Outcome {
    if desk.caller != Caller::Person {
        return Err(CommandError::usage("nothing to change: give --section, --text, --title or --after"));
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let id = one(&desk.queue()?, word)?.id.clone();
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(CommandError::refused("no editor: neither VISUAL nor EDITOR is set")
            .hint(format!("the file is {}", desk.file(&id))));
    };
    let before = desk.text(&id)?;
    let copy = copy(&id, &before, desk)?;
    let edited = edited(&editor, &copy);
    let after = fs::read_to_string(&copy);
    let outcome = edited.and_then(|()| keep(&id, &before, &after?, desk));
    match outcome {
        Ok(changed) => {
            let _ = fs::remove_file(&copy);
            ui.line(if changed { format!("changed {id}") } else { format!("{id} is as it was") });
            Ok(())
        }
        Err(error) => Err(error.hint(format!("your text is in {}", copy.display()))),
    }
}

fn copy(id: &str, text: &str, desk: &Desk) -> Result<PathBuf, CommandError> {
    let folder = desk.project.state_folder();
    Project::make_local(&folder)?;
    let path = folder.join(format!("{id}.{}.md", std::process::id()));
    fs::write(&path, text)?;
    Ok(path)
}

/// The variable may hold options, so a shell takes it apart.
fn edited(editor: &str, file: &Path) -> Outcome {
    let status =
        Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(file).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(CommandError::refused(format!("{editor} ended with {status}")))
    }
}

/// Puts the edited text in the place of the one that was shown, if that is still there.
fn keep(id: &str, before: &str, after: &str, desk: &Desk) -> Result<bool, CommandError> {
    if before == after {
        return Ok(false);
    }
    Item::read(id, after).map_err(|why| not_edited(id, &why))?;
    queue_file::change(&desk.project, |_| {
        if desk.text(id)? != before {
            return Err(not_edited(id, &"somebody else changed it meanwhile"));
        }
        Ok((Some((id.to_owned(), after.to_owned())), true))
    })
}
