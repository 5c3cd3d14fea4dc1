//! `engine sigil list | check | show`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::sigil::{DocumentScope, Documents};
use engine_core::sigil::{Document, Index};
use serde_json::{Value, json};

use crate::ui::Ui;

mod check;
mod list;
mod show;

/// Look up definitions and references: `¶NAME` defines, `§NAME` refers
///
/// In directives (.directives/*.md at any level, and yours in `$XDG_CONFIG_HOME/engine/directives`), .engine/context, the Markdown
/// files of the project's and plugins' skills, and the standards. What stands in code is only talked about.
#[derive(Debug, Subcommand)]
pub(crate) enum SigilCommand {
    List(list::SigilListArgs),
    Check(check::SigilCheckArgs),
    Show(show::SigilShowArgs),
}

pub(super) fn run(command: &SigilCommand, ui: &Ui) -> Outcome {
    let paths = if let SigilCommand::Check(args) = command { args.paths.as_slice() } else { &[] };
    let Documents { documents, unread } = DocumentScope::here()?.documents(paths)?;
    ui.talk_all(&unread);
    let index = Index::new(&documents);
    match command {
        SigilCommand::List(args) => list::run(args, &index, ui),
        SigilCommand::Check(_) => check::run(&documents, &index, ui),
        SigilCommand::Show(args) => show::run(args, &index, ui),
    }
}

fn marked(names: &[&str]) -> String {
    names.iter().map(|name| format!("¶{name}")).collect::<Vec<_>>().join(", ")
}

fn place(document: &Document, line: usize) -> Value {
    json!({"file": document.path, "line": line})
}
