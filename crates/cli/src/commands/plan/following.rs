//! What comes after a step of a plan.

use engine_core::plan::{Plan, State};

use crate::ui::Ui;

/// The call that comes next.
pub(super) fn tell_next(plan: &Plan, ui: &Ui) {
    if ui.is_json() {
        return;
    }
    match plan.steps.iter().find(|step| step.state != State::Done) {
        Some(next) => ui.line(format!("then: {}", next.begins())),
        None if plan.supervise => {
            ui.line("all steps are done; then: start the agent qa, which verifies; then engine plan close");
        }
        None => ui.line("all steps are done; then: engine plan close"),
    }
}
