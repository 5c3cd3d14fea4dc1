//! `engine tag add | remove | swap | find | list | escape`.

use std::path::Path;

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::tag::CommandContext;
use engine_core::tag::is_tag;
use serde_json::json;

use crate::ui::Ui;

mod add;
mod escape;
mod find;
mod list;
mod remove;
mod swap;

/// Change and find tags: `**Tags**: #needs-fix #P1` below a file's title, or bare in its text
///
/// A tag in code is a mention and does not count. Feeds and which tag may follow which: engine show SIGILS.
#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
    Add(add::TagAddArgs),
    Remove(remove::TagRemoveArgs),
    Swap(swap::TagSwapArgs),
    Find(find::TagFindArgs),
    List(list::TagListArgs),
    Escape(escape::TagEscapeArgs),
}

pub(super) fn run(command: &TagCommand, ui: &Ui) -> Outcome {
    match command {
        TagCommand::Add(args) => add::run(args, ui),
        TagCommand::Remove(args) => remove::run(args, ui),
        TagCommand::Swap(args) => swap::run(args, ui),
        TagCommand::Find(args) => find::run(args, ui),
        TagCommand::List(args) => list::run(args, ui),
        TagCommand::Escape(args) => escape::run(args, ui),
    }
}

pub(super) fn tag(word: &str) -> Result<String, String> {
    let word = hashed(word);
    if is_tag(&word) {
        Ok(word)
    } else {
        Err(format!("a tag is #, a letter, then letters, digits and -: {WAY}"))
    }
}

/// A shell takes an unquoted # for a comment, so it may be left out.
fn hashed(word: &str) -> String {
    if word.starts_with('#') { word.to_owned() } else { format!("#{word}") }
}

const WAY: &str = "'#needs-fix', in quotes";

fn context(file: &Path) -> Result<CommandContext<'_>, CommandError> {
    CommandContext::of(file, project)
}

fn tell(ui: &Ui, file: &Path, changed: bool, done: &str) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": file, "changed": changed}));
    } else {
        ui.line(format!("{}: {done}", file.display()));
    }
    Ok(())
}
