//! `cargo xtask fuzz`: all forms of all labelled commands, judged, then the targets of `fuzz/`, each for a while, from the prompts and
//! skills of this repository.
//!
//! The forms are those of which the tests take a sample (`crates/rules/tests/metamorphic.rs`). The targets need cargo-fuzz and a nightly
//! compiler, which nobody must have: without them they are skipped.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::Value;

use crate::cargo::{cargo, root, target_dir};

/// An input that takes longer is a finding.
const LONGEST_SECONDS: u64 = 10;

#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// How many seconds each target runs
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Judge the forms of the labelled commands and run no target
    #[arg(long)]
    forms: bool,
}

struct Target {
    name: &'static str,
    dictionary: &'static str,
    seeds: fn() -> Result<Vec<String>>,
}

const TARGETS: [Target; 6] = [
    Target { name: "chain_parse", dictionary: "chain", seeds: prompts },
    Target { name: "chain_transport", dictionary: "chain", seeds: prompts },
    Target { name: "shell_analysis", dictionary: "shell", seeds: commands },
    Target { name: "analysis_budget", dictionary: "constructs", seeds: constructs },
    Target { name: "skill_front_matter", dictionary: "front_matter", seeds: skills },
    Target { name: "documents", dictionary: "document", seeds: documents },
];

pub(crate) fn run(args: &FuzzArgs) -> Result<()> {
    let judged = forms();
    if !args.forms {
        each(args.seconds)?;
    }
    judged
}

/// Judges every form of every labelled command, and prints the figures and what is judged otherwise than its command.
fn forms() -> Result<()> {
    println!("==> forms: every form of every labelled command");
    let words = ["test", "--quiet", "-p", "engine-rules", "--test", "metamorphic", "--", "--nocapture"];
    let status = cargo().args(words).env("FORMS", "all").status().context("cannot run cargo")?;
    ensure!(status.success(), "forms are judged otherwise than their commands");
    Ok(())
}

/// All targets, in so many seconds together.
pub(crate) fn together(seconds: u64) -> Result<()> {
    each(seconds / TARGETS.len() as u64)
}

fn each(seconds: u64) -> Result<()> {
    if let Some(missing) = missing() {
        println!("fuzz: skipped, {missing}");
        return Ok(());
    }
    let built = cargo_fuzz(&["build"])?.status().context("cannot run cargo fuzz")?;
    ensure!(built.success(), "the fuzz targets do not build");
    let mut findings = Vec::new();
    for target in &TARGETS {
        println!("==> fuzz: {}, {seconds} s", target.name);
        target.sow()?;
        match target.run(seconds)? {
            Outcome::Nothing { done } => println!("    {}: no finding, {done}", target.name),
            Outcome::Finding { input } => findings.push(format!("{}: {input}", target.name)),
        }
    }
    ensure!(findings.is_empty(), "fuzzing found\n{}", findings.join("\n"));
    Ok(())
}

/// What is not installed, and how to get it.
pub(crate) fn missing() -> Option<&'static str> {
    let runs = |words: &[&str]| {
        let mut probe = nightly();
        probe.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    if !runs(&["rustc", "--version"]) {
        return Some("there is no nightly compiler: rustup toolchain install nightly");
    }
    (!runs(&["cargo", "fuzz", "--version"]))
        .then_some("there is no cargo-fuzz: cargo install cargo-fuzz --locked")
}

/// A program of the nightly toolchain. By rustup: the cargo that started us belongs to another one.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly"]).current_dir(root());
    command
}

/// `cargo fuzz`, building where everything else is built.
fn cargo_fuzz(words: &[&str]) -> Result<Command> {
    let mut command = nightly();
    command.args(["cargo", "fuzz"]).args(words).arg("--target-dir").arg(target_dir()?.join("fuzz"));
    Ok(command)
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// How far the fuzzer came, in its own words.
    Nothing {
        done: String,
    },
    Finding {
        input: String,
    },
}

impl Target {
    /// Writes the seeds, one file each, beside what earlier runs found worth keeping.
    fn sow(&self) -> Result<()> {
        let folder = root().join("fuzz/corpus").join(self.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (self.seeds)()?.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
        Ok(())
    }

    fn run(&self, seconds: u64) -> Result<Outcome> {
        let dictionary = root().join(format!("fuzz/dictionaries/{}.dict", self.dictionary));
        let mut command = cargo_fuzz(&["run", self.name])?;
        command
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-timeout={LONGEST_SECONDS}"))
            .arg(format!("-dict={}", dictionary.display()));
        let output = command.stdin(Stdio::null()).output().context("cannot run cargo fuzz")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            return Ok(Outcome::Nothing { done: done(&said).unwrap_or_default() });
        }
        // Its progress, line by line, would bury the reason.
        for line in said.lines().filter(|line| !line.starts_with('#')) {
            eprintln!("{line}");
        }
        match written(&said) {
            Some(input) => Ok(Outcome::Finding { input }),
            None => bail!("{} did not run: {}", self.name, output.status),
        }
    }
}

/// The fuzzer's last word: `#5 DONE cov: 7 ft: 9 corp: 2/8b lim: 4 exec/s: 3 rss: 40Mb`.
fn done(said: &str) -> Option<String> {
    let line = said.lines().rev().find(|line| line.contains("DONE"))?;
    Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Where the fuzzer wrote the input that it stopped at.
fn written(said: &str) -> Option<String> {
    let line = said.lines().find_map(|line| line.split("Test unit written to ").nth(1))?;
    Some(line.trim().to_owned())
}

/// The labelled prompts of the parser's tests.
fn prompts() -> Result<Vec<String>> {
    let path = root().join("crates/core/tests/corpus/prompts.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let prompt = |line: &str| -> Result<String> {
        let labelled: Value = serde_json::from_str(line)?;
        Ok(labelled["prompt"].as_str().context("a line without a prompt")?.to_owned())
    };
    text.lines().map(prompt).collect()
}

fn commands() -> Result<Vec<String>> {
    let path = root().join("crates/rules/tests/corpus/commands.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let prompt = |line: &str| -> Result<String> {
        let labelled: Value = serde_json::from_str(line)?;
        Ok(labelled["command"].as_str().context("a line without a prompt")?.to_owned())
    };
    text.lines().map(prompt).collect()
}

/// Each construct of the shell as its own piece, 256 times.
fn constructs() -> Result<Vec<String>> {
    let seed = |construct: engine_testkit::Construct| {
        let line = construct.line(1);
        format!("7{}", line.replace('\n', "\n7"))
    };
    Ok(engine_testkit::constructs().map(seed).collect())
}

/// The skills that are shipped.
fn skills() -> Result<Vec<String>> {
    let folders = fs::read_dir(root().join("plugin/skills")).context("there are no skills")?;
    let mut files: Vec<PathBuf> =
        folders.map(|entry| Ok(entry?.path().join("SKILL.md"))).collect::<Result<_>>()?;
    files.sort();
    files.iter().map(|file| Ok(fs::read_to_string(file)?)).collect()
}

/// Standards, templates of directives, and the form of a plan.
fn documents() -> Result<Vec<String>> {
    let mut files = vec![root().join("plugin/workflows/form.yaml"), root().join("docs/queue.md")];
    for folder in ["plugin/standards", "plugin/directives"] {
        let entries = fs::read_dir(root().join(folder)).with_context(|| format!("there is no {folder}"))?;
        for entry in entries {
            files.push(entry?.path());
        }
    }
    files.sort();
    files.iter().map(|file| Ok(fs::read_to_string(file)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuzzers_words_are_understood() {
        let said = "#2\tINITED cov: 7 ft: 9\n#512\tDONE   cov: 7 ft: 9 exec/s: 3 rss: 40Mb\nDone 512 runs in 2 second(s)\n";
        assert_eq!(done(said).as_deref(), Some("#512 DONE cov: 7 ft: 9 exec/s: 3 rss: 40Mb"));
        assert_eq!(written(said), None);
        let said = "artifact_prefix='/p/fuzz/artifacts/x/'; Test unit written to /p/fuzz/artifacts/x/crash-1\nBase64: eA==\n";
        assert_eq!(written(said).as_deref(), Some("/p/fuzz/artifacts/x/crash-1"));
    }

    #[test]
    fn every_target_has_seeds_and_a_dictionary() {
        for target in &TARGETS {
            assert!(!(target.seeds)().unwrap().is_empty(), "{}", target.name);
            for file in [
                format!("dictionaries/{}.dict", target.dictionary),
                format!("fuzz_targets/{}.rs", target.name),
            ] {
                assert!(root().join("fuzz").join(&file).is_file(), "{file}");
            }
        }
    }
}
