//! `engine config show | get | set`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::here::{self, project};
use engine_app::settings::{self, Assigned, Assignment, must_be_known};
use engine_core::config::Layer;
use engine_rules::{Rule, config};
use engine_store::approve::Caller;
use engine_store::config_file;
use engine_store::project::Project;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every knob, its value and where that comes from
    #[command(after_long_help = "Examples:\n  engine config show\n  engine config show inject.budget")]
    Show { key: Option<String> },
    /// Print one value
    #[command(after_long_help = "Example:\n  engine config get inject.budget")]
    Get { key: String },
    /// Set one value; comments and layout of the file stay
    ///
    /// Wires an event that a rule now wants to hear.
    #[command(
        after_long_help = "Examples:\n  engine config set inject.budget 4000\n  engine config set rules.title on --user"
    )]
    Set {
        key: String,
        value: String,
        /// Set it for you in every project
        #[arg(long)]
        user: bool,
        /// For an agent: why a person wants this; counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}

pub(super) fn run(command: &ConfigCommand, rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    match command {
        ConfigCommand::Show { key } => show(&project, key.as_deref(), ui),
        ConfigCommand::Get { key } => get(&project, key, ui),
        ConfigCommand::Set { key, value, user, user_approved } => {
            let approved = user_approved.as_deref();
            set(&project, rules, &Assignment { key, value, user: *user, approved }, ui)
        }
    }
}

fn show(project: &Project, key: Option<&str>, ui: &Ui) -> Outcome {
    let config = config_file::load_fresh(project);
    let mut names = config::names();
    if let Some(key) = key {
        must_be_known(key)?;
        names.retain(|name| name == key);
    }
    let mut rows = Vec::new();
    let mut objects = serde_json::Map::new();
    for name in names {
        let Some((value, layer, line)) = config::show(&config, &name) else { continue };
        let from =
            if line > 0 { format!("{} (line {line})", layer.as_str()) } else { layer.as_str().to_owned() };
        objects.insert(
            name.clone(),
            json!({"value": value, "from": layer.as_str(), "line": line, "about": config::about(&name)}),
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

fn get(project: &Project, key: &str, ui: &Ui) -> Outcome {
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

fn set(project: &Project, rules: &[Rule], wanted: &Assignment<'_>, ui: &Ui) -> Outcome {
    let caller = Caller::from_environment();
    let Assigned { value, path, rewired } =
        settings::set(project, &caller, rules, &here::program()?, wanted)?;
    let key = wanted.key;
    if ui.is_json() {
        ui.object(
            &json!({"version": 1, "key": key, "value": value.to_string(), "file": path, "rewired": rewired}),
        );
        return Ok(());
    }
    ui.line(format!("{key} = {value} in {}", path.display()));
    if rewired {
        ui.line("The hook entries were brought in line with the rules; running sessions pick it up within seconds.");
    }
    Ok(())
}
