//! `cargo xtask evaluate`: how well the search finds, on questions whose answers this repository knows.
//!
//! Nobody judged the answers: a heading belongs to its section, a commit to the pages that it changed. So the figures compare ways to
//! search and say nothing about how content a person would be. All of them come from the tree and the history alone, and every draw
//! has a fixed seed: the same commit gives the same figures on every machine.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use report::Report;
use searcher::{Lexical, Searcher};

mod history;
mod pages;
mod report;
mod score;
mod searcher;
mod task;

#[derive(Args)]
pub(crate) struct EvaluateArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Compare other weights of the lexical search with those in use
    #[arg(long)]
    variants: bool,
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let tasks = task::all()?;
    let mut searchers: Vec<Box<dyn Searcher>> = vec![Box::new(Lexical::default())];
    if args.variants {
        searchers.extend(Lexical::variants());
    } else {
        searchers.extend(searcher::hybrid()?);
    }
    let report = Report::new(tasks, &searchers)?;
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.tables());
    }
    Ok(ExitCode::SUCCESS)
}
