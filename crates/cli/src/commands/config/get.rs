//! `engine config get`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::settings::must_be_known;
use engine_core::config::Layer;
use engine_rules::config;
use engine_store::config_file;
use engine_store::project::Project;
use serde_json::json;

use crate::ui::Ui;

/// Print one value
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine config get inject.budget")]
pub(crate) struct ConfigGetArgs {
    /// The key as docs/config.md names it, as in policy.fail
    pub(crate) key: String,
}

pub(super) fn run(args: &ConfigGetArgs, project: &Project, ui: &Ui) -> Outcome {
    let key = args.key.as_str();
    must_be_known(key)?;
    let config = config_file::load_fresh(project);
    let (value, layer, _) = config::show(&config, key).unwrap_or((String::new(), Layer::Default, 0));
    if ui.is_json() {
        ui.object(&json!({"version": 1, "key": key, "value": value, "from": layer.as_str()}));
    } else {
        // A text is printed without its quotes, so that a script can use it.
        ui.line(serde_json::from_str::<String>(&value).unwrap_or(value));
    }
    Ok(())
}
