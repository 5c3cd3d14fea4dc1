//! `engine coverage`.

use crate::args::CoverageArgs;
use crate::error::Outcome;
use crate::ui::Ui;

pub(super) fn run(_args: &CoverageArgs, _ui: &Ui) -> Outcome {
    Ok(())
}
