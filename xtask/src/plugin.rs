//! `cargo xtask plugin OUT`: the plugin with the program in it, as a marketplace of its own.
//!
//! `OUT/plugin/bin/engine` is what the plugin's hooks start first, so nothing has to be on PATH. The folder `plugin/` of the repository is
//! the same without it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{cargo, install, shipped};

#[derive(Args)]
pub(crate) struct PluginArgs {
    /// The folder to make; one that this command made before is made anew
    out: PathBuf,
    /// A program that is built already, named engine; else the shipped one is built
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// What of the repository goes into the folder.
const PARTS: [&str; 2] = [".claude-plugin", "plugin"];

pub(crate) fn run(args: &PluginArgs) -> Result<()> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => shipped::build()?,
    };
    assemble(&cargo::root(), &program, &args.out)?;
    let out = fs::canonicalize(&args.out)?;
    println!("made {}", out.display());
    println!("try it:  claude --plugin-dir {}", out.join("plugin").display());
    println!(
        "install: claude plugin marketplace add {} && claude plugin install engine@engine",
        out.display()
    );
    Ok(())
}

fn assemble(repository: &Path, program: &Path, out: &Path) -> Result<()> {
    if !program.ends_with("engine") {
        bail!("{} is not named engine, and the hooks look for that name", program.display());
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let foreign =
        fs::read_dir(out)?.flatten().find(|entry| !PARTS.iter().any(|part| entry.file_name() == *part));
    if let Some(entry) = foreign {
        bail!("{} is not of this command; give an empty folder", entry.path().display());
    }
    for part in PARTS {
        let to = out.join(part);
        if to.exists() {
            fs::remove_dir_all(&to)?;
        }
        copy(&repository.join(part), &to)?;
    }
    install::place(program, &out.join("plugin/bin")).map(drop)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let (path, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() { copy(&path, &target)? } else { fs::copy(&path, &target).map(drop)? }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_folder_holds_the_plugin_and_its_program_and_nothing_of_others_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let (program, out) = (folder.path().join("engine"), folder.path().join("out"));
        fs::write(&program, "program").unwrap();
        for _ in 0..2 {
            assemble(&cargo::root(), &program, &out).unwrap();
        }
        let binary = out.join("plugin/bin/engine");
        assert_eq!(fs::read_to_string(&binary).unwrap(), "program");
        assert_eq!(fs::metadata(&binary).unwrap().permissions().mode() & 0o777, 0o755);
        for file in [
            ".claude-plugin/marketplace.json",
            "plugin/.claude-plugin/plugin.json",
            "plugin/hooks/hooks.json",
        ] {
            assert_eq!(
                fs::read(out.join(file)).unwrap(),
                fs::read(cargo::root().join(file)).unwrap(),
                "{file}"
            );
        }
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        assert!(assemble(&cargo::root(), &other, &out).is_err(), "the hooks look for engine");
        fs::write(out.join("theirs"), "x").unwrap();
        assert!(assemble(&cargo::root(), &program, &out).is_err());
        assert!(binary.exists() && out.join("theirs").exists());
    }
}
