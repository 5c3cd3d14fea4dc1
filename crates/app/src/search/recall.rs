//! What is known about a request: notes, learnings, decisions and what closed plans came to, as facts in a few lines for a model.

use engine_core::note::id_of;
use engine_core::search::Kind;
use engine_store::clock;
use engine_store::note_reads::{self, Reach};
use engine_text::line::{one_line, printable};
use engine_text::stamp::Stamp;
use serde::Serialize;

use super::corpus::Corpus;
use super::related::fitting;
use crate::error::CommandError;
use crate::time;

/// One fact, and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    pub kind: String,
    pub path: String,
    /// Counted from 1.
    pub line: u32,
    pub text: String,
    /// When it was written down, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    #[serde(skip)]
    score: f64,
}

/// All lines together, in bytes.
const LARGEST: usize = 1200;
/// The longest fact, in characters.
const TEXT: usize = 240;

/// What is known about a request, best first. A decision that was logged in a work session is one, too.
pub fn recall(corpus: &Corpus, about: &str, limit: usize) -> Result<Vec<Fact>, CommandError> {
    let kept = vec![Kind::Notes, Kind::Learnings, Kind::Decisions, Kind::Plans];
    let mut found = fitting(corpus, about, kept, Vec::new(), limit)?;
    found.extend(fitting(corpus, about, vec![Kind::Sessions], vec!["decision".to_owned()], limit)?);
    let mut facts: Vec<Fact> = found
        .into_iter()
        .map(|found| {
            let shown: String = found.hit.snippet.iter().map(|piece| piece.text.as_str()).collect();
            let parts = [found.breadcrumb.as_str(), shown.as_str()];
            let text = parts.iter().filter(|part| !part.trim().is_empty()).copied().collect::<Vec<_>>();
            Fact {
                kind: found.hit.kind.clone(),
                path: found.hit.path.clone(),
                line: found.hit.line,
                text: printable(&one_line(&text.join(": "), TEXT)),
                at: found.hit.facts.at.clone().filter(|_| !is_undated(&found.hit.kind)),
                score: found.hit.score,
            }
        })
        .collect();
    facts.sort_by(|one, other| other.score.total_cmp(&one.score));
    facts.truncate(limit);
    let now = clock::now();
    let facts = within(facts, now);
    // A note that nobody reads is named by `engine note review`; this one was read.
    let notes: Vec<String> = facts.iter().filter_map(|fact| id_of(&fact.path)).collect();
    note_reads::count(&corpus.project, notes.iter().map(String::as_str), Reach::Shown, now);
    Ok(facts)
}

/// Whether things of a kind have no time of their own, only that of their file, which a checkout sets.
fn is_undated(kind: &str) -> bool {
    [Kind::Decisions, Kind::Learnings].iter().any(|undated| undated.as_str() == kind)
}

/// As many as have room together.
fn within(facts: Vec<Fact>, now: Stamp) -> Vec<Fact> {
    let mut room = LARGEST;
    let mut has_room = |fact: &Fact| {
        let length = fact.shown(now).len() + 1;
        let fits = length <= room;
        room -= if fits { length } else { 0 };
        fits
    };
    facts.into_iter().filter(|fact| has_room(fact)).collect()
}

impl Fact {
    /// `docs/decisions/014.md:9 – the text, 3 days old`.
    pub fn shown(&self, now: Stamp) -> String {
        let age = self.at.as_deref().and_then(time::parse);
        let age = age.map_or_else(String::new, |at| format!(", {} old", at.before(now)));
        format!("{}:{} – {}{age}", self.path, self.line, self.text)
    }
}
