//! The words of `engine log`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct LogArgs {
    /// The log: a file that ends in .md
    pub file: PathBuf,
    /// Replace the whole file; nothing is stamped
    #[arg(long)]
    pub overwrite: bool,
}
