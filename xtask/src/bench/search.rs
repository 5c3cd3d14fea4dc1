//! `engine search` as it is typed: 200 real queries in 16,000 and in 100,000 chunks, beside an empty process and a search for one of
//! the words by `rg`, else `grep -r`, over the same files; what a change of twenty chunks costs the next query; the first index.
//!
//! The pages are made from paragraphs of this repository, and the queries are the subjects of its last commits. Its vocabulary is
//! small for so many chunks, so that a word is in more of them than in pages of many projects: a hard case.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use engine_search::{markdown, query};

use super::process::{Process, on_path};
use super::project::BenchProject;
use super::samples::{Dice, Samples, interleave};
use crate::cargo;

const SIZES: [usize; 2] = [16_000, 100_000];
const CHUNKS_A_PAGE: usize = 10;
const PAGES_A_FOLDER: usize = 100;
const QUERIES: usize = 200;
/// The references are slow, and their medians steady.
const COMPARED: usize = 20;
const UPDATES: usize = 10;
const CHANGED_PAGES: usize = 2;
/// Shorter paragraphs are put together until a chunk has about so many letters.
const LETTERS_A_CHUNK: usize = 500;

pub(super) struct SearchTimes {
    pub(super) chunks: usize,
    pub(super) empty: Samples,
    pub(super) query: Samples,
    /// By which program, and its times; nothing where there is none.
    pub(super) reference: Option<(&'static str, Samples)>,
    /// A query after twenty chunks changed.
    pub(super) update: Samples,
    /// Of the first index, in microseconds.
    pub(super) index_us: u64,
    /// Of a query; nothing where the system does not tell.
    pub(super) peak: Option<u64>,
}

impl SearchTimes {
    pub(super) fn chunks_a_second(&self) -> u64 {
        self.chunks as u64 * 1_000_000 / self.index_us.max(1)
    }
}

pub(super) fn measure(empty: &Path, engine: &Path) -> Result<Vec<SearchTimes>> {
    let queries = queries()?;
    let paragraphs = paragraphs()?;
    SIZES.iter().map(|chunks| of_size(*chunks, empty, engine, &queries, &paragraphs)).collect()
}

fn of_size(
    chunks: usize,
    empty: &Path,
    engine: &Path,
    queries: &[String],
    paragraphs: &[String],
) -> Result<SearchTimes> {
    let project = BenchProject::new(engine)?;
    let mut dice = Dice::default();
    for number in 0..chunks / CHUNKS_A_PAGE {
        write(&project, number, &page(number, paragraphs, &mut dice))?;
    }
    let index = Process::new(engine, &["search", "index"], &project);
    let index_us = u64::try_from(index.time()?.as_micros())?;
    let ask = |words: &String| Process::new(engine, &["search", "--lexical", "--", words], &project);
    let asked: Vec<Process> = queries.iter().map(ask).collect();
    let first = asked.first().context("this repository has no commits")?;
    first.prove_by(|said| said.contains("docs/"))?;

    let mut of_query = Vec::new();
    let mut of_empty = Vec::new();
    let nothing = Process::new(empty, &[], &project);
    for query in &asked {
        of_query.push(u64::try_from(query.time()?.as_micros())?);
        of_empty.push(u64::try_from(nothing.time()?.as_micros())?);
    }
    let mut of_update = Vec::new();
    for query in asked.iter().take(UPDATES) {
        for number in 0..CHANGED_PAGES {
            write(&project, number, &page(number, paragraphs, &mut dice))?;
        }
        of_update.push(u64::try_from(query.time()?.as_micros())?);
    }
    Ok(SearchTimes {
        chunks,
        empty: Samples::new(of_empty),
        query: Samples::new(of_query),
        reference: reference(&project, queries)?,
        update: Samples::new(of_update),
        index_us,
        peak: first.peak_memory()?,
    })
}

/// A search for the longest word of each query, which is all that such a program is asked.
fn reference(project: &BenchProject, queries: &[String]) -> Result<Option<(&'static str, Samples)>> {
    let found = [("rg", &["-il"][..]), ("grep", &["-ril"][..])]
        .into_iter()
        .find_map(|(name, args)| on_path(name).map(|program| (name, program, args)));
    let Some((name, program, args)) = found else { return Ok(None) };
    let longest =
        |words: &String| query::words(words).into_iter().max_by_key(String::len).unwrap_or_default();
    let search =
        |words: &String| Process::new(&program, &[args, &["--", &longest(words), "docs"]].concat(), project);
    let processes: Vec<Process> = queries.iter().take(COMPARED).map(search).collect();
    let times = interleave(&processes, 1)?.iter().map(Samples::median).collect();
    Ok(Some((name, Samples::new(times))))
}

fn queries() -> Result<Vec<String>> {
    let mut git = std::process::Command::new("git");
    let output = git.args(["log", "--no-merges", "--format=%s", "-n", &QUERIES.to_string()]);
    let output = output.current_dir(cargo::root()).output().context("cannot run git")?;
    let queries: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    ensure!(queries.len() == QUERIES, "this repository has {} commits, which are the queries", queries.len());
    Ok(queries)
}

/// The paragraphs of this repository's pages.
fn paragraphs() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["docs", "docs/decisions"] {
        let mut names: Vec<_> =
            fs::read_dir(cargo::root().join(folder))?.flatten().map(|entry| entry.path()).collect();
        names.sort();
        for path in names.iter().filter(|path| path.extension().is_some_and(|end| end == "md")) {
            let text = fs::read_to_string(path)?;
            let chunks = markdown::cut(&text, "");
            let parts = chunks.iter().flat_map(|chunk| chunk.body.split("\n\n"));
            found.extend(
                parts.filter(|part| !part.starts_with('#') && !part.contains("```")).map(str::to_owned),
            );
        }
    }
    Ok(found)
}

fn page(number: usize, paragraphs: &[String], dice: &mut Dice) -> String {
    let mut page = String::new();
    for section in 0..CHUNKS_A_PAGE {
        page.push_str(&format!("## Section {section} of page {number}\n\n"));
        let end = page.len() + LETTERS_A_CHUNK;
        while page.len() < end {
            let paragraph = &paragraphs[dice.below(paragraphs.len())];
            page.extend(paragraph.chars().take(LETTERS_A_CHUNK));
            page.push_str("\n\n");
        }
    }
    page
}

fn write(project: &BenchProject, number: usize, text: &str) -> Result<()> {
    let folder = project.root().join(format!("docs/part_{}", number / PAGES_A_FOLDER));
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(format!("page_{number}.md")), text)?)
}
