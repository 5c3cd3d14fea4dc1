//! `cargo xtask bench`: what a hook costs as it is shipped, beside an empty process of the same build.
//!
//! Everything is measured in one interleaved run, so that a busy machine slows all alike and the ratios hold.
//! [`budgets`] holds the limits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::{cargo, shipped};
use machine::Machine;
use process::Process;
use project::BenchProject;
use report::Report;

mod budgets;
mod chains;
mod constructs;
mod content;
mod empty;
mod enrich;
pub(crate) mod events;
mod instructions;
mod large;
mod machine;
mod parallel;
pub(crate) mod process;
pub(crate) mod project;
mod queue;
mod recorder;
mod report;
mod samples;
mod search;
mod status;
mod statusline;
mod tags;
mod timings;

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// How often each program is started
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u16).range(10..))]
    runs: u16,
}

pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode> {
    let report = measure(usize::from(args.runs))?;
    let checks = budgets::all(&report);
    if args.json {
        println!("{}", report.json(&checks));
    } else {
        print!("{}", report.tables(&checks));
    }
    Ok(if checks.iter().all(|check| check.ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn copied(program: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join(program.file_name().context("a program has a name")?);
    fs::copy(program, &copy).with_context(|| format!("cannot copy {}", program.display()))?;
    Ok(copy)
}

fn measure(runs: usize) -> Result<Report> {
    let machine = Machine::here()?;
    // As `install` leaves them: what a linker has just written is scattered over the page cache, and costs a quarter more to start.
    let folder = tempfile::tempdir().context("no folder for the programs")?;
    let engine = copied(&shipped::build()?, folder.path())?;
    let empty = copied(&empty::build(&machine.linkage, &cargo::target_dir()?)?, folder.path())?;

    eprintln!("making the projects");
    let small = BenchProject::new(&engine)?;
    let big = BenchProject::new(&engine)?;
    big.fill(&events::bash_call(&big))?;

    eprintln!("measuring");
    let timings = timings::measure(&empty, &small, &big, runs)?;
    let nothing = Process::new(&empty, &[], &small);
    Ok(Report {
        runs,
        timings,
        chains: chains::measure(&empty, &engine, runs)?,
        status: status::measure(&empty, &engine)?,
        queue: queue::measure(&empty, &engine)?,
        recorder: recorder::measure(&small, runs)?,
        statusline: statusline::measure(&empty, &engine, &small, &big, runs)?,
        tags: tags::measure(&engine)?,
        search: search::measure(&empty, &engine)?,
        content: content::measure(&engine, folder.path())?,
        enrich: enrich::measure(&engine, runs)?,
        large: large::measure(&small)?,
        constructs: constructs::measure(&small)?,
        parallel: parallel::measure(&small)?,
        instructions: instructions::measure(&nothing, &small.hook(&events::bash_call(&small)))?,
        binary_bytes: engine.metadata().context("the shipped binary is gone")?.len(),
        machine,
    })
}
