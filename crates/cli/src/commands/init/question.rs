//! Whether a person trusts what `engine init` found.

use std::io::{IsTerminal, Write, stdin, stdout};

use engine_app::error::Outcome;
use engine_app::{here, trust};
use engine_store::approve::Caller;
use engine_store::project::Project;

use crate::commands::trust::offer;
use crate::ui::Ui;

/// Shows what is in the project, and asks if a person is there to answer.
pub(super) fn ask(project: &Project, ui: &Ui) -> Outcome {
    offer::show(&trust::offer(project), ui);
    let caller = here::caller();
    if !(matches!(caller, Caller::Person) && stdin().is_terminal() && stdout().is_terminal()) {
        return Ok(());
    }
    ui.text("Trust it now? [y/N] ");
    let _ = stdout().flush();
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        trust::trust(project, &caller, None)?;
        ui.line("This project is trusted. Take it back: engine trust --drop");
    }
    Ok(())
}
