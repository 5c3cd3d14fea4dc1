//! Changing an item: by options, or in a person's editor.

use std::path::{Path, PathBuf};
use std::process::Command;

use engine_core::queue::{Item, Queue, sections, title_of, with_fields, with_sections};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::queue_file;
use fs_err as fs;

use super::{CommandContext, not_edited, one, readable};
use crate::error::{CommandError, Outcome};

/// What is to be different.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit<'a> {
    /// The section that the text is for; without it the text names those that it writes anew by headings.
    pub section: Option<&'a str>,
    pub text: Option<&'a str>,
    pub title: Option<&'a str>,
    /// Ids with commas between them; empty: none.
    pub after: Option<&'a str>,
}

/// Changes an item.
pub fn edit(context: &CommandContext, word: &str, edit: &Edit<'_>) -> Result<Item, CommandError> {
    context.change(|queue| {
        let item = readable(queue, word, context)?;
        let failed = |why| not_edited(&item.id, &why);
        let mut text = context.text(&item.id)?;
        if let Some(given) = edit.text {
            let new = match edit.section {
                Some(name) => vec![(name, given)],
                None => sections(given).map_err(failed)?,
            };
            text = with_sections(&text, &new).map_err(failed)?;
        }
        let new = with_options(item, edit, queue)?;
        let text = with_fields(&text, &new).map_err(failed)?;
        Ok((new, text))
    })
}

/// The item with another title, or other items before it.
fn with_options(item: &Item, edit: &Edit<'_>, queue: &Queue) -> Result<Item, CommandError> {
    let mut new = item.clone();
    if let Some(title) = edit.title {
        new.title = Some(title_of(title))
            .filter(|title| !title.is_empty())
            .ok_or_else(|| CommandError::usage("an item needs a title"))?;
    }
    if let Some(after) = edit.after {
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

/// Changes an item in an editor, on a copy: the item may be pulled meanwhile. Its id comes back, and whether it is different.
pub fn by_hand(context: &CommandContext, word: &str) -> Result<(String, bool), CommandError> {
    if matches!(context.caller, Caller::Agent { .. }) {
        return Err(CommandError::usage("nothing to change: give --section, --text, --title or --after"));
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let id = one(&context.queue()?, word)?.id.clone();
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(CommandError::refused("no editor: neither VISUAL nor EDITOR is set")
            .hint(format!("the file is {}", context.file(&id))));
    };
    let before = context.text(&id)?;
    let copy = copy(&id, &before, context)?;
    let edited = edited(&editor, &copy);
    let after = fs::read_to_string(&copy);
    match edited.and_then(|()| keep(&id, &before, &after?, context)) {
        Ok(changed) => {
            let _ = fs::remove_file(&copy);
            Ok((id, changed))
        }
        Err(error) => Err(error.hint(format!("your text is in {}", copy.display()))),
    }
}

fn copy(id: &str, text: &str, context: &CommandContext) -> Result<PathBuf, CommandError> {
    let folder = context.project.state_folder();
    Project::make_local(&folder)?;
    let path = folder.join(format!("{id}.{}.md", std::process::id()));
    fs::write(&path, text)?;
    Ok(path)
}

/// The variable may hold options, so a shell takes it apart.
fn edited(editor: &str, file: &Path) -> Outcome {
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(file).status();
    let status = status.map_err(|error| {
        CommandError::refused(format!("{editor} could not be started: {error}")).caused_by(error)
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(CommandError::refused(format!("{editor} ended with {status}")))
    }
}

/// Puts the edited text in the place of the one that was shown, if that is still there.
fn keep(id: &str, before: &str, after: &str, context: &CommandContext) -> Result<bool, CommandError> {
    if before == after {
        return Ok(false);
    }
    Item::read(id, after).map_err(|why| not_edited(id, &why))?;
    queue_file::change(&context.project, |_| {
        if context.text(id)? != before {
            return Err(not_edited(id, &"somebody else changed it meanwhile"));
        }
        Ok((Some((id.to_owned(), after.to_owned())), true))
    })
}
