//! `engine task validate`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::task::CommandContext;
use engine_app::task::validate::{flaws, give_tokens};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

/// Check the file: unreadable lines, doubled names, names of earlier tasks
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine task validate\n  engine task validate --fix")]
pub(crate) struct TaskValidateArgs {
    /// Replace #PNDNG by a token of its own
    #[arg(long)]
    pub(crate) fix: bool,
}

pub(super) fn run(args: &TaskValidateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    if args.fix {
        give_tokens(context)?;
    }
    let flaws = flaws(context)?;
    let serious = flaws.iter().filter(|flaw| flaw.serious).count();
    if ui.is_json() {
        let row = |flaw: &engine_core::task::Flaw| json!({"line": flaw.line, "text": flaw.text, "serious": flaw.serious});
        let rows: Vec<Value> = flaws.iter().map(row).collect();
        ui.object(&json!({"version": 1, "file": context.name(), "serious": serious, "flaws": rows}));
    } else {
        for flaw in &flaws {
            let word = if flaw.serious { toned(Tone::Bad, "error") } else { toned(Tone::Careful, "remark") };
            ui.line(format!("{}:{}: {word}: {}", context.name(), flaw.line, flaw.text));
        }
    }
    match (serious, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!("{serious} to mend"))),
    }
}
