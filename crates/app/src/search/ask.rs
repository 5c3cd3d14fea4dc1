//! One query: the index is brought up to date as far as there is time, then asked.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use engine_core::search::{Kind, skill_named};
use engine_search::{Hit, Index, Known, Meaning, Piece, Query, query, snippet};
use engine_text::stamp::Stamp;

use super::corpus::Corpus;
use super::cut::head;
use super::progress::Progress;
use super::refresh::{Behind, Budget, refresh};
use super::{MADE_ANEW, OpenIndex, Place, branch, failed, meaning, mended, note, open};
use crate::error::CommandError;
use crate::since::Since;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    pub words: String,
    /// None: all.
    pub kinds: Vec<Kind>,
    pub types: Vec<String>,
    pub skills: Vec<String>,
    pub tags: Vec<String>,
    pub since: Option<Since>,
    pub until: Option<Until>,
    /// A part of the path.
    pub file: Option<String>,
    pub limit: usize,
    pub branches: Branches,
    /// Only by words, also where a model is installed.
    pub lexical: bool,
    /// It is asked beside something else: a large first index is not made for it.
    pub is_aside: bool,
}

/// Which documentation is searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Branches {
    /// The files as they are.
    #[default]
    Tree,
    /// These local branches.
    Named(Vec<String>),
    /// The files as they are, and all local branches.
    All,
}

/// Up to when: a day counts as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until(Since);

const DAY: u64 = 86_400_000;

impl FromStr for Until {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let is_day = word.len() == "2026-11-01".len() && word.split('-').count() == 3;
        Ok(Self(match word.parse()? {
            Since::At(start) if is_day => Since::At(Stamp(start.0.saturating_add(DAY))),
            since => since,
        }))
    }
}

/// By what the hits were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Lexical,
    Hybrid,
}

impl Mode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Hybrid => "hybrid",
        }
    }
}

/// One hit.
#[derive(Debug, Clone)]
pub struct Found {
    pub hit: Hit,
    /// The branches that have it; none if it is in the files as they are.
    pub branches: Vec<String>,
    pub file: PathBuf,
    /// The title without the name of the file.
    pub breadcrumb: String,
    /// Words of the query in the title and in what is shown.
    pub matched: Vec<String>,
}

/// What a query came to.
#[derive(Debug)]
pub struct Answer {
    pub hits: Vec<Found>,
    pub mode: Mode,
    pub behind: Behind,
    /// How many chunks have no vector and rank by words alone; none where no vector was asked.
    pub unembedded: Option<usize>,
    /// How many files of each kind were searched.
    pub searched: BTreeMap<Kind, u64>,
    /// What a person should know of the index.
    pub note: Option<String>,
    pub now: Stamp,
}

/// Answers a question.
pub fn ask(
    corpus: &Corpus,
    question: &Question,
    now: Stamp,
    progress: &mut dyn Progress,
) -> Result<Answer, CommandError> {
    let (mut answer, is_new) = mended(corpus, || ask_once(corpus, question, now, progress))?;
    if is_new {
        answer.note = Some(MADE_ANEW.to_owned());
    }
    Ok(answer)
}

fn ask_once(
    corpus: &Corpus,
    question: &Question,
    now: Stamp,
    progress: &mut dyn Progress,
) -> Result<Answer, CommandError> {
    let began = Instant::now();
    let since = question.since.map(|since| since.stamp(now));
    let until = question.until.map(|Until(until)| until.stamp(now));
    if since.zip(until).is_some_and(|(since, until)| since >= until) {
        return Err(CommandError::usage("the time of --since is not before that of --until"));
    }
    let kinds = if question.kinds.is_empty() { Kind::ALL.to_vec() } else { question.kinds.clone() };
    let branches = match &question.branches {
        Branches::Tree => Vec::new(),
        Branches::Named(wanted) => branch::named(corpus, wanted)?,
        Branches::All => branch::all(corpus)?,
    };
    let OpenIndex { mut index, place, note } = open(corpus)?;
    let may_write = place != Place::ReadOnly;
    let mut spaces = branches.clone();
    let mut behind = Behind::default();
    if !matches!(question.branches, Branches::Named(_)) {
        spaces.push(corpus.space());
        let budget = match (may_write, question.is_aside) {
            (true, false) => Budget::Query(began),
            (true, true) => Budget::Aside(began),
            (false, _) => Budget::Look,
        };
        behind = refresh(corpus, &mut index, &kinds, budget, progress)?.behind;
    }
    for branch in branches.iter().filter(|_| may_write) {
        behind.busy |= !branch::refresh(corpus, &mut index, branch, progress)?;
    }
    let (near, note) = match (question.lexical, note) {
        (true, note) => (None, note),
        (false, note) => match meaning::near(corpus, &question.words) {
            Ok(near) => (near, note),
            Err(why) => (None, note.or(Some(why))),
        },
    };
    let nearest = near.as_ref().map(|near| |count| near.nearest(count));
    let words = |kinds: &[Kind]| kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
    let query = Query {
        words: question.words.clone(),
        kinds: if kinds.len() == Kind::ALL.len() { Vec::new() } else { words(&kinds) },
        types: question.types.clone(),
        skills: question.skills.iter().map(|skill| skill_named(skill)).collect(),
        tags: question.tags.iter().map(|tag| tag.trim_start_matches('#').to_lowercase()).collect(),
        since: since.map(Stamp::rfc3339),
        until: until.map(Stamp::rfc3339),
        file: question.file.clone(),
        spaces: spaces.clone(),
        limit: question.limit,
        meaning: nearest.as_ref().map(|nearest| Meaning(nearest)),
        tuning: query::Tuning::default(),
    };
    let mode = if query.meaning.is_some() { Mode::Hybrid } else { Mode::Lexical };
    let hits = index.search(&query).map_err(failed)?;
    let unembedded = near.as_ref().map(|near| index.count_unembedded(&|key| near.keys.contains(key)));
    let unembedded = unembedded.transpose().map_err(failed)?;
    let hits = note::live(corpus, hits);
    let note = note.or_else(|| note::untold(corpus));
    let hits = found(corpus, question, &index, hits, &branches)?;
    let searched = if hits.is_empty() { searched(&index, &kinds, &spaces)? } else { BTreeMap::new() };
    Ok(Answer { hits, mode, behind, unembedded, searched, note, now })
}

/// The files of each kind in some spaces.
fn searched(index: &Index, kinds: &[Kind], spaces: &[String]) -> Result<BTreeMap<Kind, u64>, CommandError> {
    let mut searched = BTreeMap::new();
    for ((kind, space), part) in index.counts().map_err(failed)?.parts {
        let kind = Kind::named(&kind).filter(|kind| kinds.contains(kind) && spaces.contains(&space));
        if let Some(kind) = kind {
            *searched.entry(kind).or_default() += part.files;
        }
    }
    Ok(searched)
}

/// The hits with what there is to say about them.
fn found(
    corpus: &Corpus,
    question: &Question,
    index: &Index,
    hits: Vec<Hit>,
    branches: &[String],
) -> Result<Vec<Found>, CommandError> {
    let mut known = Vec::new();
    for space in branches {
        known.push((space, index.known(space).map_err(failed)?));
    }
    let tree = corpus.space();
    let tree_known = if branches.is_empty() { None } else { Some(index.known(&tree).map_err(failed)?) };
    let is_whole = !matches!(question.branches, Branches::Named(_));
    let words = query::words(&question.words);
    let found = hits.into_iter().map(|mut hit| {
        let sum_in = |known: &HashMap<String, Known>| known.get(&hit.path).map(|known| known.sum);
        let own = known.iter().find(|(space, _)| **space == hit.space).and_then(|(_, known)| sum_in(known));
        let own = own.or_else(|| tree_known.as_ref().and_then(&sum_in));
        let of_tree = hit.space == tree || tree_known.as_ref().is_some_and(|known| sum_in(known) == own);
        let has_it = |known: &HashMap<String, Known>| own.is_some() && sum_in(known) == own;
        let mut names: Vec<String> =
            known.iter().filter(|(_, known)| has_it(known)).map(|(space, _)| (*space).clone()).collect();
        if names.is_empty() && hit.space != tree {
            names.push(hit.space.clone());
        }
        // What is in the files as they are is shown as a file of the checkout.
        if is_whole && of_tree {
            names.clear();
        }
        let kind = Kind::named(&hit.kind).unwrap_or(Kind::Docs);
        let breadcrumb = hit.title.strip_prefix(head(kind, &hit.path)).unwrap_or(&hit.title);
        let breadcrumb = breadcrumb.trim_start_matches(" > ").to_owned();
        let marked = snippet::snippet(&hit.title, &words);
        let mut matched: Vec<String> = Vec::new();
        for piece in marked.iter().chain(&hit.snippet).filter(|piece| piece.is_hit) {
            let word = piece.text.to_lowercase();
            if !matched.contains(&word) {
                matched.push(word);
            }
        }
        hit.snippet = without_headings(hit.snippet, &breadcrumb);
        Found { branches: names, file: corpus.file(&hit.path), breadcrumb, matched, hit }
    });
    Ok(found.collect())
}

/// What is shown of a hit, without the headings that its title has.
fn without_headings(pieces: Vec<Piece>, breadcrumb: &str) -> Vec<Piece> {
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let mut rest = text.as_str();
    for heading in breadcrumb.split(" > ") {
        let below = rest.trim_start_matches('#').trim_start();
        let behind = below.strip_prefix(heading).filter(|_| rest.starts_with('#'));
        if let Some(behind) = behind.filter(|behind| behind.is_empty() || behind.starts_with(' ')) {
            rest = behind.trim_start();
        }
    }
    let mut cut = text.len() - rest.len();
    let mut kept = Vec::new();
    for mut piece in pieces {
        let from = cut.min(piece.text.len());
        cut -= from;
        piece.text.drain(..from);
        if !piece.text.is_empty() {
            kept.push(piece);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_the_title_has_are_not_shown_again() {
        let piece = |text: &str, is_hit| Piece { text: text.to_owned(), is_hit };
        for (pieces, breadcrumb, expected) in [
            (
                vec![piece("# Guide ## ", false), piece("Locks", true), piece(" A lock", false)],
                "Guide > Locks",
                "A lock",
            ),
            (vec![piece("## Locks A lock", false)], "Guide > Locks", "A lock"),
            (vec![piece("## Locksmith A lock", false)], "Guide > Locks", "## Locksmith A lock"),
            (vec![piece("# Guide", true)], "Guide", ""),
            (vec![piece("Guide to", false)], "Guide", "Guide to"),
            (vec![], "", ""),
        ] {
            let kept = without_headings(pieces, breadcrumb);
            assert_eq!(kept.iter().map(|piece| piece.text.as_str()).collect::<String>(), expected);
            assert!(kept.iter().all(|piece| !piece.text.is_empty()));
        }
    }

    #[test]
    fn a_day_counts_as_a_whole() {
        let until = |word: &str| word.parse::<Until>().map(|Until(until)| until);
        let day: Since = "2026-11-01".parse().unwrap();
        let (Since::At(start), Ok(Since::At(end))) = (day, until("2026-11-01")) else { panic!() };
        assert_eq!(end.0 - start.0, DAY);
        assert_eq!(until("2h"), Ok(Since::Ago { ms: 7_200_000 }));
        assert_eq!(until("1970-01-01T00:00:05Z"), Ok(Since::At(Stamp(5000))));
        assert!(until("soon").is_err());
    }
}
