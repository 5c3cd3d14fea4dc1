//! `cargo xtask install`. Not `cargo install`, which would link it otherwise than it is shipped.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use crate::shipped;

pub(crate) fn run() -> Result<()> {
    let binary = shipped::build()?;
    let folder = bin_folder()?;
    let installed =
        place(&binary, &folder).with_context(|| format!("cannot install into {}", folder.display()))?;
    println!("installed {}", installed.display());
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|on_path| on_path == folder) {
        println!("{} is on PATH", folder.display());
    } else {
        println!("{} is not on PATH; add it, or the client will not find engine", folder.display());
    }
    Ok(())
}

/// Where cargo installs programs.
fn bin_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = set("CARGO_INSTALL_ROOT")
        .or_else(|| set("CARGO_HOME"))
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("no home folder: set CARGO_HOME")?;
    Ok(root.join("bin"))
}

/// Renames into place: a hook that starts meanwhile finds the old program or the new one, and the old one may
/// be running.
pub(crate) fn place(binary: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut temporary = NamedTempFile::new_in(folder)?;
    io::copy(&mut File::open(binary)?, &mut temporary)?;
    make_executable(temporary.as_file())?;
    let installed = folder.join(binary.file_name().context("the build has no name")?);
    temporary.persist(&installed)?;
    Ok(installed)
}

fn make_executable(file: &File) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(0o755))
}
