//! The empty Rust program that every figure is compared with: same target, same flags, same profile.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cargo;
use crate::shipped::Linkage;

pub(super) fn build(linkage: &Linkage, target_dir: &Path) -> Result<PathBuf> {
    let folder = target_dir.join("bench-empty");
    fs::create_dir_all(folder.join("src"))?;
    let workspace = fs::read_to_string(cargo::root().join("Cargo.toml"))?;
    // Its own workspace, or cargo would take it for a forgotten member of ours.
    let manifest = format!(
        "[package]\nname = \"bench-empty\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n{}",
        section(&workspace, "[profile.release]")
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
    let mut build = linkage.cargo_build();
    build.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    build.arg("--target-dir").arg(folder.join("target"));
    cargo::executable(&mut build).context("the empty program")
}

/// One table of a TOML text, header included.
fn section(text: &str, header: &str) -> String {
    let from_header = text.lines().skip_while(|line| line.trim() != header);
    let own = |(index, line): &(usize, &str)| *index == 0 || !line.starts_with('[');
    let lines: Vec<&str> = from_header.enumerate().take_while(own).map(|(_, line)| line).collect();
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_one_table_only() {
        let text = "[a]\nx = 1\n[profile.release]\nlto = \"thin\"\nstrip = true\n[b]\ny = 2\n";
        assert_eq!(section(text, "[profile.release]"), "[profile.release]\nlto = \"thin\"\nstrip = true\n");
    }
}
