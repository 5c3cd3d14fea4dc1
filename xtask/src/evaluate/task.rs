//! The questions: what is typed, and which answers are right.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use engine_search::{Chunk, Hit, markdown};

use super::history::{self, Commit};
use super::pages::{self, Page};

/// What counts as one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    File,
    Section,
}

pub(super) struct Question {
    pub(super) words: String,
    /// Which of the task's corpora it is put to.
    pub(super) corpus: usize,
    pub(super) wanted: BTreeSet<String>,
}

pub(super) struct Task {
    pub(super) name: &'static str,
    pub(super) unit: Unit,
    pub(super) corpora: Vec<Vec<Page>>,
    /// The section of each chunk, by page and line; for sections only.
    pub(super) sections: BTreeMap<(String, u32), String>,
    pub(super) questions: Vec<Question>,
}

impl Task {
    /// What an answer counts as.
    pub(super) fn answer(&self, hit: &Hit) -> String {
        match self.unit {
            Unit::File => hit.path.clone(),
            Unit::Section => self.sections.get(&(hit.path.clone(), hit.line)).cloned().unwrap_or_default(),
        }
    }
}

pub(super) fn all() -> Result<Vec<Task>> {
    let pages = pages::all()?;
    let commits = history::commits()?;
    let of_commits = |name, words: &dyn Fn(&Commit) -> Vec<String>| Task {
        name,
        unit: Unit::File,
        corpora: vec![pages.clone()],
        sections: BTreeMap::new(),
        questions: commits.iter().flat_map(|commit| questions(commit, &words(commit), &pages)).collect(),
    };
    Ok(vec![
        headings("heading to section", Unit::Section, &pages, |path| path != REFERENCE),
        headings("heading to file", Unit::File, &pages, |path| path != REFERENCE),
        headings("command to its reference", Unit::Section, &pages, |path| path == REFERENCE),
        of_commits("commit subject to changed pages", &|commit| vec![commit.subject.clone()]),
        of_commits("changelog entry to changed pages", &|commit| commit.entries.clone()),
    ])
}

/// Whether a text says enough to search for.
fn is_question(words: &str) -> bool {
    engine_search::query::words(words).len() >= 3
}

fn questions(commit: &Commit, words: &[String], pages: &[Page]) -> Vec<Question> {
    let is_there = |path: &&String| pages.iter().any(|page| page.path == **path);
    let wanted: BTreeSet<String> = commit.pages.iter().filter(is_there).cloned().collect();
    let words = words.iter().filter(|words| is_question(words) && !wanted.is_empty());
    words.map(|words| Question { words: words.clone(), corpus: 0, wanted: wanted.clone() }).collect()
}

/// The headings are put to so many corpora; in each of them a share of the headings is missing, in the text and in all titles.
const FOLDS: usize = 5;

/// The page that is made from the help of the commands. It repeats each heading in its text, so it is a task of its own: somebody
/// types the name of a command.
const REFERENCE: &str = "docs/commands.md";

fn headings(name: &'static str, unit: Unit, pages: &[Page], is_asked: fn(&str) -> bool) -> Task {
    let mut corpora = vec![pages.to_vec(); FOLDS];
    let mut sections = BTreeMap::new();
    let mut by_heading: BTreeMap<String, (Vec<String>, BTreeSet<String>)> = BTreeMap::new();
    for Page { path, chunks } in pages {
        for chunk in chunks {
            sections.insert((path.clone(), chunk.line), chunk.title.clone());
            let Some((_, heading)) = chunk.title.rsplit_once(markdown::THEN) else { continue };
            let answer = if unit == Unit::File { path } else { &chunk.title };
            let (paths, wanted) = by_heading.entry(heading.to_owned()).or_default();
            paths.push(path.clone());
            wanted.insert(answer.clone());
        }
    }
    // What stands over many sections asks for none of them.
    by_heading.retain(|heading, (paths, wanted)| {
        wanted.len() == 1 && is_question(heading) && paths.iter().all(|path| is_asked(path))
    });
    let mut questions = Vec::new();
    for (number, (words, (_, wanted))) in by_heading.into_iter().enumerate() {
        let corpus = number % FOLDS;
        for chunk in corpora[corpus].iter_mut().flat_map(|page| &mut page.chunks) {
            remove(chunk, &words);
        }
        questions.push(Question { words, corpus, wanted });
    }
    Task { name, unit, corpora, sections, questions }
}

/// Takes a heading out of a chunk: of its title, and of its text where it is the heading.
fn remove(chunk: &mut Chunk, heading: &str) {
    let parts = chunk.title.split(markdown::THEN);
    if !parts.clone().any(|part| part == heading) {
        return;
    }
    chunk.title = parts.filter(|part| *part != heading).collect::<Vec<_>>().join(markdown::THEN);
    let is_it = |line: &&str| line.trim_start().starts_with('#') && plain(line) == plain(heading);
    chunk.body = chunk.body.lines().filter(|line| !is_it(line)).collect::<Vec<_>>().join("\n");
}

/// The letters and digits of a line, which markup does not change.
fn plain(line: &str) -> String {
    line.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_no_answer_in_its_own_words() {
        let pages = vec![Page {
            path: "a.md".to_owned(),
            chunks: markdown::cut("# How locks `wait`\n\ntext\n\n## Below one of them\n\nmore\n", "a.md"),
        }];
        let task = headings("x", Unit::Section, &pages, |_| true);
        let asked: Vec<_> =
            task.questions.iter().map(|question| (question.words.as_str(), question.corpus)).collect();
        assert_eq!(asked, [("Below one of them", 0), ("How locks wait", 1)]);
        let chunks: Vec<_> =
            task.corpora[1][0].chunks.iter().map(|chunk| (&*chunk.title, &*chunk.body)).collect();
        assert_eq!(
            chunks,
            [("a.md", "\ntext"), ("a.md > Below one of them", "## Below one of them\n\nmore")]
        );
        assert_eq!(task.questions[1].wanted, ["a.md > How locks wait".to_owned()].into());
    }
}
