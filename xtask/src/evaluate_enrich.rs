//! `cargo xtask evaluate-enrich`: whether what the rule `enrich` tells would have been of use, by this repository's history.
//!
//! Each commit that changed pages that were there before is a prompt with an answer: subject and first sentence of its message on the one
//! side, the pages on the other. It is asked of an index of the pages **as they were before the commit**, so nothing in it was written
//! for the answer. Pages are cut as decisions are. Pages that are generated and the change log, which every commit touches, are left out.
//!
//! Prompts without an answer are of two kinds: ordinary requests of other projects, and the same commits asked of an index without the
//! pages that they changed. Neither list is known to the code that learns the thresholds.
//!
//! Figures come with the interval that holds 95 % of 2,000 samples of the prompts, drawn with replacement from a fixed seed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::Args;
use engine_core::config::Config;
use engine_core::enrich::{self, Index, Item};

use crate::cargo;

mod figures;

use figures::{Answer, Figures};

#[derive(Args)]
pub(crate) struct EvaluateEnrichArgs {
    /// How many commits and how many requests without an answer are asked at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    prompts: usize,
    /// Print each prompt, what was told, and what the commit changed
    #[arg(long)]
    each: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Requests of other projects.
const ORDINARY: &str = include_str!("evaluate_enrich/ordinary.txt");

/// Written by `cargo xtask docs`, or touched by every change.
const LEFT_OUT: [&str; 6] = [
    "docs/commands.md",
    "docs/config.md",
    "docs/rules.md",
    "docs/decisions/README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
];

/// A commit that changes more pages is about none of them.
const MOST_PAGES: usize = 6;

/// A prompt, and the pages that answer it.
struct Pair {
    commit: String,
    prompt: String,
    pages: BTreeSet<String>,
}

pub(crate) fn run(args: &EvaluateEnrichArgs) -> Result<ExitCode> {
    let pairs = pairs(args.prompts)?;
    ensure!(!pairs.is_empty(), "no commit changes a page");
    let mut pages = Pages::default();
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for pair in &pairs {
        let items = pages.before(&pair.commit)?;
        let answer = ask(&items, &pair.prompt, &pair.pages);
        if args.each {
            println!("{}\n  changed {:?}\n  {}", pair.prompt, pair.pages, answer.shown);
        }
        with.push(answer);
        if without.len() < args.prompts / 2 {
            let others: Vec<Item> =
                items.into_iter().filter(|item| !pair.pages.contains(&item.path)).collect();
            without.push(ask(&others, &pair.prompt, &BTreeSet::new()));
        }
    }
    let items = pages.before("HEAD~0")?;
    let foreign: Vec<Answer> = ORDINARY
        .lines()
        .take(args.prompts - without.len())
        .map(|prompt| {
            let answer = ask(&items, prompt, &BTreeSet::new());
            if args.each && answer.told > 0 {
                println!("{prompt}\n  no answer\n  {}", answer.shown);
            }
            answer
        })
        .collect();
    let figures = Figures::new(&with, &without, &foreign);
    print!("{}", if args.json { figures.json() } else { figures.table() });
    Ok(ExitCode::SUCCESS)
}

/// Asks an index of these items as the rule does.
fn ask(items: &[Item], prompt: &str, pages: &BTreeSet<String>) -> Answer {
    let bytes = enrich::build(items, &[], &BTreeSet::new());
    let (Ok(words), Ok(index)) = (enrich::asked(prompt, &Config::default()), Index::open(&bytes)) else {
        return Answer::default();
    };
    let found = index.search(&words, enrich::MOST_TOLD);
    let fitting: Vec<_> = found.hits.iter().filter(|hit| hit.score >= 1.0).cloned().collect();
    let (text, told) = enrich::told(&fitting).unwrap_or_default();
    Answer {
        told: told.len(),
        hits: told.iter().filter(|hit| pages.contains(&hit.path)).count(),
        tokens: text.chars().count().div_ceil(3),
        best: found.hits.iter().filter(|hit| pages.contains(&hit.path)).count(),
        shown: enrich::silent(&found, &text),
    }
}

/// The newest commits that changed pages which were there before.
fn pairs(most: usize) -> Result<Vec<Pair>> {
    let log = git(&["log", "--no-merges", "--format=%x01%H%x02%s%x02%b%x02", "--name-status", "HEAD"])?;
    let mut pairs = Vec::new();
    for entry in log.split('\u{1}').skip(1) {
        let mut fields = entry.split('\u{2}');
        let mut next = || fields.next().context("git log has other fields");
        let (commit, subject, body, changed) = (next()?, next()?, next()?, next()?);
        let changed = changed.lines().filter_map(|line| line.strip_prefix("M\t"));
        let mut pages: BTreeSet<String> = changed.filter(|path| is_page(path)).map(str::to_owned).collect();
        if (1..=MOST_PAGES).contains(&pages.len()) {
            pages.extend(named(body));
            let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
            let first = body.split_inclusive(". ").next().unwrap_or_default();
            pairs.push(Pair { commit: commit.to_owned(), prompt: format!("{subject}. {first}"), pages });
        }
        if pairs.len() == most {
            break;
        }
    }
    Ok(pairs)
}

fn is_page(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "md")
        && (path.starts_with("docs/") || path.starts_with("plugin/") || !path.contains('/'))
        && !LEFT_OUT.contains(&path)
}

/// Pages that a message names by their path.
fn named(body: &str) -> Vec<String> {
    let words = body.split(|c: char| c.is_whitespace() || "`(),;:".contains(c));
    words
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.contains('/') && is_page(word))
        .map(str::to_owned)
        .collect()
}

/// The pages of earlier times, each read once.
#[derive(Default)]
struct Pages {
    cut: HashMap<String, Vec<Item>>,
}

impl Pages {
    /// The items of all pages before a commit.
    fn before(&mut self, commit: &str) -> Result<Vec<Item>> {
        let listed = git(&["ls-tree", "-r", &format!("{commit}^")])?;
        let mut pages: BTreeMap<&str, &str> = BTreeMap::new();
        for line in listed.lines() {
            let Some((about, path)) = line.split_once('\t') else { continue };
            if is_page(path) {
                pages.insert(path, about.rsplit(' ').next().unwrap_or_default());
            }
        }
        let mut items = Vec::new();
        for (path, blob) in pages {
            let key = format!("{blob} {path}");
            if !self.cut.contains_key(&key) {
                let text = git(&["cat-file", "blob", blob])?;
                self.cut.insert(key.clone(), enrich::decisions(path, &text));
            }
            items.extend(self.cut.get(&key).into_iter().flatten().cloned());
        }
        Ok(items)
    }
}

fn git(args: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    let output = command.args(args).current_dir(cargo::root()).output().context("git does not run")?;
    ensure!(output.status.success(), "git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
