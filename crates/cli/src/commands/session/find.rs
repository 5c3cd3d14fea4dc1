//! `engine session find`.

use engine_app::error::{CommandError, Outcome};
use engine_app::session::CommandContext;

use super::show::show;
use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let Some(bound) = context.bound() else {
        return Err(CommandError::nothing("no work session is bound to this agent session"));
    };
    show(&bound.name, context, ui)
}
