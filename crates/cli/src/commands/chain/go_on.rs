//! `engine chain retry`, `skip` and `resume`.

use engine_app::error::Outcome;
use engine_app::here::{caller, project};
use engine_core::chain::written;

use super::{ChainSession, show};
use crate::ui::Ui;

pub(super) fn retry(whose: &ChainSession, ui: &Ui) -> Outcome {
    let running = whose.find()?.of(&caller())?;
    show::after("again", &running.session, &running.retry(&project()?)?, ui);
    Ok(())
}

pub(super) fn skip(whose: &ChainSession, ui: &Ui) -> Outcome {
    let project = project()?;
    let running = whose.find()?.of(&caller())?;
    let (skipped, chain) = running.skip(&project, &caller())?;
    show::after(&format!("skipped {}", written(&skipped)), &running.session, &chain, ui);
    Ok(())
}

pub(super) fn resume(whose: &ChainSession, ui: &Ui) -> Outcome {
    let running = whose.find()?.of(&caller())?;
    show::after("goes on", &running.session, &running.resume(&project()?, &caller())?, ui);
    Ok(())
}
