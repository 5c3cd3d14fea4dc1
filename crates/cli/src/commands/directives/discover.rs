//! `engine discover-directives`.

use std::path::PathBuf;

use clap::Args;
use engine_app::directives::look::{Wanted, discover, size};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_core::directive::FoundDirective;
use serde_json::{Value, json};

use crate::ui::Ui;

/// List the directives that count in a folder: from there up to the project's root, then your own
///
/// Exit 1 if there are none. Folders that never count: directives.skip of the configuration.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine discover-directives packages/api\n  engine discover-directives src --type TESTING,PITFALLS\n  engine discover-directives . --skill fix --json"
)]
pub(crate) struct DiscoverArgs {
    /// A folder, or a file in it
    pub(crate) dir: PathBuf,
    /// Only these types, separated by commas
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = directive_type)]
    pub(crate) types: Vec<String>,
    /// What this skill gets: the core types and those that it declares
    #[arg(long, value_name = "SKILL", conflicts_with = "types")]
    pub(crate) skill: Option<String>,
    /// Where the way up ends; nothing: the project
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

fn directive_type(word: &str) -> Result<String, String> {
    super::kind(word).map(|kind| kind.name.to_owned())
}

pub(in crate::commands) fn run(args: &DiscoverArgs, ui: &Ui) -> Outcome {
    let project = match &args.root {
        // Any folder may be looked through, whether or not it is a project.
        Some(_) => project().ok(),
        None => Some(project()?),
    };
    let wanted = args.skill.as_deref().map_or(Wanted::Types(&args.types), Wanted::Skill);
    let found = discover(project.as_ref(), &args.dir, args.root.as_deref(), wanted)?;
    if ui.is_json() {
        let row = |found: &FoundDirective| json!({"type": found.kind.name, "core": found.kind.core, "path": found.path, "bytes": size(&found.path)});
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "directives": rows}));
    } else {
        for file in &found {
            ui.line(file.path.display().to_string());
        }
    }
    if found.is_empty() {
        let none = format!("no directives count in {}", args.dir.display());
        return Err(if ui.is_json() { CommandError::already_told() } else { CommandError::refused(none) });
    }
    Ok(())
}
