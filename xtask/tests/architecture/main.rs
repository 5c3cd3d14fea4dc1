//! Rules of the project that no compiler checks: which crate may use which, that no modules import each other in a circle, that
//! the domain names no client, and that the map in ARCHITECTURE.md is complete.
//!
//! Each gate is a function over a folder, so that it can be shown a fixture that it must refuse (`fixtures/`). A gate that cannot
//! fail proves nothing.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod client_names;
mod cycles;
mod dependencies;
mod doors;
mod layout;
mod map;
mod pages;
mod purity;
mod size;
mod sources;

use std::path::{Path, PathBuf};

/// The folder of this repository.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A small tree that breaks one rule.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/architecture/fixtures").join(name)
}
