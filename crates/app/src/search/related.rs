//! What there is already on a subject, in a few lines for an agent that begins or ends work: work sessions, and documentation.
//!
//! It is printed beside something else, so it is short, takes little time, and says nothing rather than something far-fetched.

use engine_core::enrich::distinct;
use engine_core::search::Kind;
use engine_search::Hit;
use engine_store::clock;
use engine_store::project::Project;
use engine_text::line::{one_line, printable};
use serde::Serialize;

use super::ask::{Found, Question, ask};
use super::corpus::Corpus;
use super::cut::KEYWORDS;
use super::progress::Unwatched;
use crate::error::CommandError;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Related {
    /// From the root; of a work session its folder.
    pub path: String,
    /// Counted from 1; a work session as a whole has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub title: String,
}

/// What there is on a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AllRelated {
    pub sessions: Vec<Related>,
    pub docs: Vec<Related>,
}

/// So many of each.
const MOST: usize = 3;
/// So many hits are looked at for them.
const LOOKED_AT: usize = 20;
/// The longest title, in characters.
const TITLE: usize = 56;
/// All lines together, in bytes.
const LARGEST: usize = 600;

/// What there is on a subject, without the work session that asks. Nothing where the search does not work: `engine search status` tells
/// why.
pub fn related(project: &Project, about: &str, own: Option<&str>) -> AllRelated {
    let Ok(corpus) = Corpus::open(project.clone()) else { return AllRelated::default() };
    let docs = best(&corpus, about, vec![Kind::Docs, Kind::Decisions], None);
    AllRelated { sessions: best(&corpus, about, vec![Kind::Sessions], own), docs }
}

/// Earlier work sessions on a subject.
pub fn earlier(project: &Project, about: &str, own: Option<&str>) -> AllRelated {
    let Ok(corpus) = Corpus::open(project.clone()) else { return AllRelated::default() };
    AllRelated { sessions: best(&corpus, about, vec![Kind::Sessions], own), docs: Vec::new() }
}

/// The best of some kinds, each file or work session once.
fn best(corpus: &Corpus, about: &str, kinds: Vec<Kind>, own: Option<&str>) -> Vec<Related> {
    let mut best: Vec<Related> = Vec::new();
    for found in fitting(corpus, about, kinds, Vec::new(), LOOKED_AT).unwrap_or_default() {
        let one = one(&found, corpus);
        // The model has the tasks from elsewhere.
        let is_own = own.is_some_and(|own| one.path == own) || corpus.is_tasks(&one.path);
        if best.len() < MOST && !is_own && best.iter().all(|known| known.path != one.path) {
            best.push(one);
        }
    }
    best
}

/// The hits of some kinds that are about the same, best first.
pub(super) fn fitting(
    corpus: &Corpus,
    about: &str,
    kinds: Vec<Kind>,
    types: Vec<String>,
    limit: usize,
) -> Result<Vec<Found>, CommandError> {
    let wanted = distinct(about, MOST_WORDS);
    if kinds.is_empty() || wanted.is_empty() {
        return Ok(Vec::new());
    }
    // What has too few of the words is left out, so the model, which takes its time, would add nothing.
    let question = Question {
        words: about.to_owned(),
        kinds,
        types,
        limit,
        lexical: true,
        is_aside: true,
        ..Question::default()
    };
    let answer = ask(corpus, &question, clock::now(), &mut Unwatched)?;
    Ok(answer.hits.into_iter().filter(|found| is_about(&found.hit, &wanted)).collect())
}

/// Words beyond these say no more of what a text is about.
const MOST_WORDS: usize = 24;

/// Whether title and snippet of a hit have enough of the words: two of five, at least two where there are two, and three are enough.
fn is_about(hit: &Hit, wanted: &[String]) -> bool {
    let shown: String = hit.snippet.iter().map(|piece| piece.text.as_str()).collect();
    let has = distinct(&format!("{} {shown}", hit.title), usize::MAX);
    let needed = (wanted.len() * 2).div_ceil(5).clamp(wanted.len().min(2), 3);
    wanted.iter().filter(|word| has.contains(word)).count() >= needed
}

fn one(found: &Found, corpus: &Corpus) -> Related {
    let hit = &found.hit;
    let title = || printable(&one_line(&found.breadcrumb, TITLE));
    if hit.kind != Kind::Sessions.as_str() {
        return Related { path: hit.path.clone(), line: Some(hit.line), title: title() };
    }
    let folder = corpus.session_of(&hit.path).unwrap_or(&hit.path).to_owned();
    let what = hit.facts.what.as_deref().unwrap_or_default();
    let shown: String = hit.snippet.iter().map(|piece| piece.text.as_str()).collect();
    let title = match what {
        "session" => one_line(shown.split(KEYWORDS).next().unwrap_or_default(), TITLE),
        "" => title(),
        what => format!("{what}: {}", one_line(&found.breadcrumb, TITLE)),
    };
    Related { path: folder, line: None, title: printable(&title) }
}

impl AllRelated {
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.docs.is_empty()
    }

    /// Both, a line each, and where there is more.
    pub fn lines(&self) -> Vec<String> {
        let parts = [("earlier", &self.sessions), ("see also", &self.docs)];
        let shown = parts.iter().flat_map(|(what, of)| of.iter().map(move |one| one.shown(what)));
        let more = "more: engine search WORDS".to_owned();
        let mut lines: Vec<String> = Vec::new();
        let mut room = LARGEST.saturating_sub(more.len() + 1);
        for line in shown {
            if line.len() < room {
                room -= line.len() + 1;
                lines.push(line);
            }
        }
        if !lines.is_empty() {
            lines.push(more);
        }
        lines
    }
}

impl Related {
    fn shown(&self, what: &str) -> String {
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        let title = if self.title.is_empty() { String::new() } else { format!("  {}", self.title) };
        format!("{what}: {}{line}{title}", self.path)
    }
}
