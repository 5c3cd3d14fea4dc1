//! `engine sigil show`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_core::sigil::{self, Defined, Index};
use serde_json::{Value, json};

use super::{marked, place};
use crate::ui::{Tone, Ui, toned};

/// Print what a name stands for, and where that stands
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine sigil show CMD_LOG\n  engine sigil show '§INV_LINKS' --json"
)]
pub(crate) struct SigilShowArgs {
    /// With or without its sigil
    #[arg(value_parser = typed)]
    pub(crate) name: String,
}

fn typed(word: &str) -> Result<String, String> {
    let name = sigil::typed(word);
    if sigil::is_name(&name) {
        Ok(name)
    } else {
        Err("a name is a kind, then words of capitals and digits: CMD_LOG".to_owned())
    }
}

pub(super) fn run(args: &SigilShowArgs, index: &Index<'_>, ui: &Ui) -> Outcome {
    let name = args.name.as_str();
    let found = index.named(name);
    if found.is_empty() {
        let near = index.nearest(name);
        let error = CommandError::refused(format!("¶{name} is not defined"));
        return Err(if near.is_empty() {
            error.hint("what is: engine sigil list")
        } else {
            error.hint(format!("nearest: {}", marked(&near)))
        });
    }
    if ui.is_json() {
        let row = |defined: &Defined<'_>| {
            let mut row = place(defined.document, defined.line);
            row["references"] = json!(defined.references);
            row["text"] = json!(defined.body);
            row
        };
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "name": name, "definitions": rows}));
        return Ok(());
    }
    let shown =
        |defined: &Defined<'_>| format!("{}\n{}\n", toned(Tone::Strong, &defined.place()), defined.body);
    ui.text(&found.iter().map(shown).collect::<Vec<_>>().join("\n"));
    Ok(())
}
