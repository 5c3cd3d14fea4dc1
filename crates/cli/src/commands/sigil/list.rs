//! `engine sigil list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_core::sigil::{self, Defined, Index, kind};
use serde_json::json;

use super::place;
use crate::table::aligned;
use crate::ui::Ui;

/// List the definitions: where they stand, how many references mean them
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine sigil list\n  engine sigil list --kind INV\n  engine sigil list --json"
)]
pub(crate) struct SigilListArgs {
    /// Only this kind: CMD, INV, FMT, FEED, TAG …
    #[arg(long, value_parser = typed)]
    pub(crate) kind: Option<String>,
}

fn typed(word: &str) -> Result<String, String> {
    let kind = sigil::typed(word.trim_end_matches('_'));
    // What goes behind it does not matter.
    if sigil::is_name(&format!("{kind}_X")) {
        Ok(kind)
    } else {
        Err("a kind is capitals and digits: CMD, INV".to_owned())
    }
}

pub(super) fn run(args: &SigilListArgs, index: &Index<'_>, ui: &Ui) -> Outcome {
    let wanted = args.kind.as_deref();
    let is_wanted = |defined: &&Defined<'_>| wanted.is_none_or(|wanted| kind(defined.name) == wanted);
    let found: Vec<&Defined<'_>> = index.definitions().filter(is_wanted).collect();
    if ui.is_json() {
        let row = |defined: &&Defined<'_>| {
            let mut row = place(defined.document, defined.line);
            row["name"] = json!(defined.name);
            row["references"] = json!(defined.references);
            row
        };
        ui.object(&json!({"version": 1, "definitions": found.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let row = |defined: &&Defined<'_>| {
        let count = counted(defined.references as u64, "reference");
        vec![format!("¶{}", defined.name), defined.place(), count]
    };
    ui.text(&aligned(&found.iter().map(row).collect::<Vec<_>>(), ""));
    if let Some(kind) = wanted.filter(|_| found.is_empty()) {
        ui.talk(format!("no ¶{kind}_… is defined"));
    }
    Ok(())
}
