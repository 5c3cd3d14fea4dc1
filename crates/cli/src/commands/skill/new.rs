//! `engine skill new`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::skill;
use serde_json::json;

use crate::ui::Ui;

/// Make a new skill in the project, cooperative from the start
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n  engine skill new deploy-docs\n\nPhases with proof: engine skill check --help has an example and the kinds of evidence"
)]
pub(crate) struct SkillNewArgs {
    /// The name of the skill, without a slash
    pub(crate) name: String,
}

pub(super) fn run(args: &SkillNewArgs, ui: &Ui) -> Outcome {
    let name = &args.name;
    let file = skill::make(&skill::root()?, name)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": name, "file": file.display().to_string()}));
    } else {
        ui.line(format!("made {}", file.display()));
        let folder = file.parent().unwrap_or(&file);
        ui.talk(format!("fill it in, then: engine skill check {}", folder.display()));
    }
    Ok(())
}
