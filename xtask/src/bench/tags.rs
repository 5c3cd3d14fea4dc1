//! Tags: how long a search through many files takes beside ripgrep, which only looks for the letters, and whether of many who claim the same
//! work one alone gets it.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Barrier;
use std::thread;

use anyhow::{Context, Result, ensure};

use super::process::{Process, on_path};
use super::project::BenchProject;
use super::samples::{Samples, interleave};

const FILES: usize = 10_000;
const RUNS: usize = 20;
pub(super) const CLAIMS: usize = 20;
pub(super) const ROUNDS: usize = 100;

/// So few files have a tag for themselves, one in their text, and one in a fence, which is a mention.
const TAGGED_EVERY: usize = 20;
const INLINE_EVERY: usize = 30;
const FENCED_EVERY: usize = 25;
const PARAGRAPH: &str =
    "The lexer reads each line once and keeps what it has seen; nothing is copied before it is needed.\n\n";

pub(super) struct Tags {
    pub(super) find: Samples,
    /// Nothing where ripgrep is not installed.
    pub(super) rg: Option<Samples>,
    /// Rounds in which one claim won and all others were told.
    pub(super) one_winner: usize,
}

pub(super) fn measure(engine: &Path) -> Result<Tags> {
    let project = BenchProject::new(engine)?;
    let (tags, letters) = fill(&project)?;
    let find = Process::new(engine, &["tag", "find", "#needs-*"], &project);
    find.prove_by(|said| said.lines().count() == tags)?;
    let mut processes = vec![find];
    if let Some(rg) = on_path("rg") {
        let args = ["-n", "--follow", "--no-ignore", "-g", "*.md", "#needs-[A-Za-z0-9-]+", "sessions"];
        let rg = Process::new(&rg, &args, &project);
        rg.prove_by(|said| said.lines().count() == letters)?;
        processes.push(rg);
    }
    let mut samples = interleave(&processes, RUNS)?.into_iter();
    Ok(Tags {
        find: samples.next().context("engine tag find was not measured")?,
        rg: samples.next(),
        one_winner: claims(engine, &project)?,
    })
}

/// Makes the files; how many bare tags are in them, and how many lines with the letters of one.
fn fill(project: &BenchProject) -> Result<(usize, usize)> {
    let (mut tags, mut mentions) = (0, 0);
    for number in 0..FILES {
        let work = number / 10;
        let below = if number % 3 == 0 { "notes/parser" } else { "" };
        let folder = project.root().join(format!("sessions/2026_01_01_TOPIC_{work:04}")).join(below);
        fs::create_dir_all(&folder)?;
        let mut text = format!("# Note {number}\n");
        if number % TAGGED_EVERY == 0 {
            text.push_str("**Tags**: #needs-review #P1\n");
            tags += 1;
        }
        text.push_str(&format!("\n{}", PARAGRAPH.repeat(20)));
        if number % INLINE_EVERY == 0 {
            text.push_str("- the error has no line #needs-fix\n\n");
            tags += 1;
        }
        if number % FENCED_EVERY == 0 {
            text.push_str("```\nengine tag add FILE '#needs-docs'\n```\n");
            mentions += 1;
        }
        fs::write(folder.join(format!("NOTE_{number:05}.md")), text)?;
    }
    Ok((tags, tags + mentions))
}

fn claims(engine: &Path, project: &BenchProject) -> Result<usize> {
    let file = project.root().join("sessions/REQUEST.md");
    let claim =
        Process::new(engine, &["tag", "swap", "sessions/REQUEST.md", "#next-fix", "#claimed-fix"], project);
    let mut one_winner = 0;
    for _ in 0..ROUNDS {
        fs::write(&file, "# Request\n**Tags**: #next-fix\n")?;
        let codes = at_once(&claim)?;
        let count = |wanted| codes.iter().filter(|code| **code == Some(wanted)).count();
        let text = fs::read_to_string(&file)?;
        ensure!(text == "# Request\n**Tags**: #claimed-fix\n", "the claim left {text:?}");
        one_winner += usize::from((count(0), count(1)) == (1, CLAIMS - 1));
    }
    Ok(one_winner)
}

/// The exit codes of as many as start together.
fn at_once(claim: &Process) -> Result<Vec<Option<i32>>> {
    let start = Barrier::new(CLAIMS);
    thread::scope(|scope| {
        let one = || -> Result<Output> {
            start.wait();
            claim.output()
        };
        let running: Vec<_> = (0..CLAIMS).map(|_| scope.spawn(one)).collect();
        let ended = running.into_iter().map(|thread| thread.join().ok().context("a thread panicked")?);
        ended.map(|output| Ok(output?.status.code())).collect()
    })
}
