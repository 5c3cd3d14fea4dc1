//! The project's chores, so that a developer and CI run the same thing: `cargo xtask test`.
//!
//! One file per command. Nothing here is shipped.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for developers, with no Ui of its own")]

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use engine_testkit::client;

mod bench;
mod cargo;
mod check;
mod corpora;
mod docs;
mod evaluate;
mod evaluate_enrich;
mod fuzz;
mod hashes;
mod hot;
mod install;
mod needs;
mod plugin;
mod shipped;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The chores of the project")]
struct Words {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install the pinned real client for the tests and print its path
    Claude,
    /// Build the shipped binary and put it into cargo's bin folder
    Install,
    /// Make the plugin with the shipped binary in it, as a marketplace
    Plugin(plugin::PluginArgs),
    /// Run what CI runs: format, lints, tests; report what failed and what was skipped
    Test(check::TestArgs),
    /// Write the reference pages in docs/ from the tables of the code
    Docs,
    /// Add what is shipped now, and was in any commit, to the list by which uninstall and refresh know our files
    ShippedHashes,
    /// Judge all forms of the labelled commands, then fuzz the parsers, if cargo-fuzz and a nightly compiler are there
    Fuzz(fuzz::FuzzArgs),
    /// Judge labelled commands of other projects and print what is caught and who is bothered
    Corpora(corpora::CorporaArgs),
    /// Measure how well the search finds, on questions that this repository answers
    Evaluate(evaluate::EvaluateArgs),
    /// Measure what the rule enrich would have told, by this repository's history
    EvaluateEnrich(evaluate_enrich::EvaluateEnrichArgs),
    /// Measure the hook as it is shipped and check the performance budget
    Bench(bench::BenchArgs),
    /// List the functions that the hook calls, for the order in which the shipped binary is linked (needs valgrind)
    Hot,
}

fn main() -> ExitCode {
    match run(&Words::parse().chore) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: &Chore) -> Result<ExitCode> {
    match chore {
        Chore::Claude => println!("{}", client::install()?.display()),
        Chore::Install => install::run()?,
        Chore::Plugin(args) => plugin::run(args)?,
        Chore::Test(args) => return check::run(args),
        Chore::Docs => docs::run()?,
        Chore::ShippedHashes => hashes::run()?,
        Chore::Fuzz(args) => fuzz::run(args)?,
        Chore::Corpora(args) => return corpora::run(args),
        Chore::Evaluate(args) => return evaluate::run(args),
        Chore::EvaluateEnrich(args) => return evaluate_enrich::run(args),
        Chore::Bench(args) => return bench::run(args),
        Chore::Hot => return hot::run(),
    }
    Ok(ExitCode::SUCCESS)
}
