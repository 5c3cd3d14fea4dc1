//! `engine replay`.

use engine_core::rules::Rule;

use crate::args::ReplayArgs;
use crate::error::Outcome;
use crate::ui::Ui;

pub(super) fn run(_args: &ReplayArgs, _rules: &[Rule], _ui: &Ui) -> Outcome {
    Ok(())
}
