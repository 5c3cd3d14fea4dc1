//! `engine config show`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::settings::must_be_known;
use engine_core::config::Config;
use engine_rules::config;
use engine_store::config_file;
use engine_store::project::Project;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// Show every knob, its value and where that comes from
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine config show\n  engine config show inject.budget")]
pub(crate) struct ConfigShowArgs {
    /// The key as docs/config.md names it, as in policy.fail
    pub(crate) key: Option<String>,
}

pub(super) fn run(args: &ConfigShowArgs, project: &Project, ui: &Ui) -> Outcome {
    let key = args.key.as_deref();
    let config = config_file::load_fresh(project);
    let mut names = config::names();
    if let Some(key) = key {
        must_be_known(key)?;
        names.retain(|name| name == key);
    }
    let accept = how_to_accept(&config);
    let mut rows = Vec::new();
    let mut objects = serde_json::Map::new();
    for name in names {
        let Some((value, layer, line)) = config::show(&config, &name) else { continue };
        let mut from =
            if line > 0 { format!("{} (line {line})", layer.as_str()) } else { layer.as_str().to_owned() };
        let held: Vec<_> = config.held().filter(|one| one.name == name).collect();
        for one in &held {
            from = format!("{from}; {} held: {accept}", one.entry());
        }
        objects.insert(
            name.clone(),
            json!({"value": value, "from": layer.as_str(), "line": line, "about": config::about(&name),
                "held": held.iter().map(|one| one.entry()).collect::<Vec<_>>()}),
        );
        rows.push(vec![name, value, toned(Tone::Quiet, &from)]);
    }
    let problems: Vec<String> = config
        .problems()
        .iter()
        .map(|problem| format!("{} config, line {}: {}", problem.layer.as_str(), problem.line, problem.text))
        .collect();
    if ui.is_json() {
        ui.object(&json!({"version": 1, "config": objects, "problems": problems}));
        return Ok(());
    }
    ui.text(&aligned(&rows, ""));
    if let Some(about) = key.and_then(config::about) {
        ui.line(about);
    }
    for problem in problems {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "problem:")));
    }
    Ok(())
}

/// The command that puts in force what is held.
fn how_to_accept(config: &Config) -> &'static str {
    if config.acceptance().is_untrusted { "engine trust" } else { "engine config accept" }
}
