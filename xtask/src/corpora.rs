//! `cargo xtask corpora DIR`: commands that other projects labelled, judged by engine in a project of its own.
//!
//! A corpus is a file `*.jsonl` with one object a line: `label` (block, ask, warn, allow), `command` and, if known, `source`. The commands
//! are judged and never run. A label is an opinion of its project, not the truth: a row that engine decides otherwise is listed, for a
//! person to read.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::cargo;
use project::CorpusProject;
use report::Report;

mod project;
mod report;
mod row;

#[derive(Args)]
pub(crate) struct CorporaArgs {
    /// The folder with the corpora, *.jsonl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Write the rows that are decided otherwise than their label to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
    /// Ask this program instead of one that is built now
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
}

pub(crate) fn run(args: &CorporaArgs) -> Result<ExitCode> {
    let rows = row::read(&args.folder)?;
    let engine = match &args.engine {
        Some(engine) => engine.canonicalize().with_context(|| format!("there is no {}", engine.display()))?,
        None => cargo::executable(cargo::cargo().args(["build", "-p", "engine-cli", "--bin", "engine"]))?,
    };
    // In the target folder: what is below the temporary folder may be deleted, so rules about a home would be silent.
    let target = cargo::target_dir()?;
    fs::create_dir_all(&target)?;
    let project = CorpusProject::new(&engine, &target)?;
    let report = Report::new(project.judge(rows)?);
    if let Some(file) = &args.misses {
        fs::write(file, report.misses()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.tables());
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests;
