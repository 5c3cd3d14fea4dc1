//! `cargo xtask docs`: the tests that compare the reference pages with the code write them instead, and what is shipped
//! goes into the list of known versions.

use anyhow::{Context, Result, ensure};

use crate::cargo::cargo;
use crate::hashes;

pub(crate) fn run() -> Result<()> {
    let words = ["test", "--quiet", "--package", "engine-cli", "--test", "cli", "docs::"];
    let status = cargo().args(words).env("UPDATE_DOCS", "1").status().context("cannot run cargo test")?;
    ensure!(status.success(), "the pages were not written");
    println!("written: docs/");
    // Some of the pages are installed.
    hashes::run()
}
