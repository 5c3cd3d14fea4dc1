//! `cargo xtask test`: what CI runs, in its order, up to the first failure.

use std::env;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use engine_testkit::client;

use crate::cargo::cargo;
use crate::fuzz;

/// Makes the tests of the real client skip themselves.
const SKIP_CLIENT: &str = "ENGINE_TESTKIT_SKIP_CLIENT";

/// For all fuzz targets together; a longer run is `cargo xtask fuzz`.
const FUZZ_SECONDS: u64 = 60;

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Leave out the tests that start the real client
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &TestArgs) -> Result<()> {
    let started = Instant::now();
    step("format", &["fmt", "--all", "--", "--check"], args)?;
    step("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], args)?;
    if !args.quick {
        ensure_client()?;
    }
    // Integration tests start an example of engine-cli; `cargo test` of one package would not build it.
    step("build", &["build", "--workspace", "--examples", "--bins"], args)?;
    if has_nextest() {
        step("tests", &["nextest", "run", "--workspace"], args)?;
        step("doc tests", &["test", "--workspace", "--doc"], args)?;
    } else {
        step("tests", &["test", "--workspace"], args)?;
    }
    if env::var("CI").is_ok_and(|ci| ci == "true") {
        fuzz::together(FUZZ_SECONDS)?;
    }
    println!("all checks passed in {} s", started.elapsed().as_secs());
    Ok(())
}

fn step(name: &str, words: &[&str], args: &TestArgs) -> Result<()> {
    let line = format!("cargo {}", words.join(" "));
    println!("==> {name}: {line}");
    let started = Instant::now();
    let mut command = cargo();
    command.args(words);
    if args.quick {
        command.env(SKIP_CLIENT, "1");
    }
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    let seconds = started.elapsed().as_secs_f64();
    if !status.success() {
        bail!("{name} failed after {seconds:.1} s: {line}");
    }
    println!("    {name}: ok, {seconds:.1} s");
    Ok(())
}

/// Without the client its tests skip themselves, which in CI would look green for ever.
fn ensure_client() -> Result<()> {
    println!("==> client: Claude Code {}", client::CLAUDE_VERSION);
    let started = Instant::now();
    match client::find().map_or_else(client::install, Ok) {
        Ok(_) => println!("    client: ok, {:.1} s", started.elapsed().as_secs_f64()),
        Err(error) if env::var_os("CI").is_some() => {
            return Err(error.context("the real client is needed in CI"));
        }
        Err(error) => eprintln!("    client: missing, its tests will be skipped: {error:#}"),
    }
    Ok(())
}

fn has_nextest() -> bool {
    let mut probe: Command = cargo();
    probe.args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}
