//! The chunks that have the words, best first.
//!
//! What costs time is the score of each chunk, and most chunks that have a word have only one that many have. So the rare words are
//! a gate: at first only chunks with one of them are scored. The gate is widened until no other chunk can be among the best, because
//! all that its common words can be worth is less than the last of them has.

use rusqlite::Connection;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::Result;
use super::reader::{Candidate, Filter, of_many_files};
use crate::rank::Side;

/// So many chunks are scored at first, and so many times more if they were too few.
const FIRST_GATE: i64 = 2000;
const WIDER: i64 = 8;
/// What a word is worth at most, by its rarity: BM25 with the constant 1.2 comes near it with many hits in a short text.
const MOST_WORTH: f64 = 2.2;

/// The words and phrases of a query, the rarest first, and how many chunks have each.
pub(super) struct Terms {
    all: Vec<(String, i64)>,
    chunks: i64,
}

impl Terms {
    pub(super) fn new(connection: &Connection, terms: Vec<String>) -> Result<Self> {
        let mut count = connection.prepare_cached("SELECT count(*) FROM words WHERE words MATCH ?")?;
        let mut all = Vec::new();
        for term in terms {
            let chunks: i64 = count.query_row([&term], |row| row.get(0))?;
            if chunks > 0 {
                all.push((term, chunks));
            }
        }
        all.sort_by_key(|(_, chunks)| *chunks);
        let chunks = connection.query_row("SELECT ifnull(max(id), 0) FROM chunk", [], |row| row.get(0))?;
        Ok(Self { all, chunks })
    }

    /// At least so many chunks that the first `limit` of them, without too many of one file, are the best that there are; no more
    /// than `most`. What comes after those may lack chunks that have common words only.
    pub(super) fn best(
        &self,
        connection: &Connection,
        title: f64,
        filter: &Filter,
        wanted: (usize, usize),
    ) -> Result<Vec<Candidate>> {
        self.best_from(FIRST_GATE, connection, title, filter, wanted)
    }

    /// The same with another first gate; the answer does not depend on it.
    pub(super) fn best_from(
        &self,
        mut scored: i64,
        connection: &Connection,
        title: f64,
        filter: &Filter,
        (limit, most): (usize, usize),
    ) -> Result<Vec<Candidate>> {
        let mut gate = self.gate(scored);
        loop {
            let found = self.search(connection, gate, title, filter, most)?;
            let best = of_many_files(&found, limit);
            let last = best.last().filter(|_| best.len() == limit).and_then(|last| last.lexical);
            let wider = match last {
                // The answers can only get better, so that this gate is wide enough whatever else it finds.
                Some(last) => (gate..self.all.len()).find(|gate| self.worth_of_others(*gate) < last.score),
                // As many as were asked for, all of a few files: the caller asks for more.
                None if found.len() == most => return Ok(found),
                None => {
                    scored = scored.saturating_mul(WIDER);
                    Some(self.gate(scored).max(gate + 1))
                }
            };
            let wider = wider.unwrap_or(self.all.len()).min(self.all.len());
            if wider <= gate {
                return Ok(found);
            }
            gate = wider;
        }
    }

    /// How many of the rarest words are the gate, so that about so many chunks are scored.
    fn gate(&self, scored: i64) -> usize {
        let mut sum: i64 = 0;
        let within = |(_, chunks): &&(String, i64)| {
            sum += chunks;
            sum <= scored
        };
        self.all.iter().take_while(within).count().max(1).min(self.all.len())
    }

    /// What a chunk without a word of the gate can have at most.
    #[allow(clippy::cast_precision_loss, reason = "counts of chunks are small")]
    fn worth_of_others(&self, gate: usize) -> f64 {
        let rarity = |chunks: i64| ((self.chunks.max(chunks) - chunks) as f64 + 0.5) / (chunks as f64 + 0.5);
        self.all[gate..].iter().map(|(_, chunks)| rarity(*chunks).ln().max(1e-6) * MOST_WORTH).sum()
    }

    fn search(
        &self,
        connection: &Connection,
        gate: usize,
        title: f64,
        filter: &Filter,
        most: usize,
    ) -> Result<Vec<Candidate>> {
        if self.all.is_empty() {
            return Ok(Vec::new());
        }
        let any_of = |terms: &[(String, i64)]| {
            Value::Text(terms.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>().join(" OR "))
        };
        let mut values = vec![any_of(&self.all)];
        let mut gated = "";
        if gate < self.all.len() {
            // The sign keeps the set from being the way to the rows, which would start the full-text search anew for each.
            gated = "AND +words.rowid IN (SELECT rowid FROM words WHERE words MATCH ?)";
            values.push(any_of(&self.all[..gate]));
        }
        values.extend(filter.values.iter().cloned());
        values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
        // Facts of chunks are read for a filter only; the content of the best is looked up afterwards.
        let join = if filter.sql.is_empty() { "" } else { "JOIN chunk ON chunk.id = words.rowid" };
        let sql = format!(
            "SELECT best.id, chunk.content, best.score FROM
               (SELECT words.rowid AS id, bm25(words, {title:?}, 1.0) AS score FROM words {join}
                WHERE words MATCH ? {gated} {} ORDER BY 2, 1 LIMIT ?) AS best
             JOIN chunk ON chunk.id = best.id ORDER BY best.score, best.id",
            filter.sql
        );
        let mut find = connection.prepare_cached(&sql)?;
        let mut rows = find.query(params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            // The smaller is the better for SQLite.
            let side = Side { rank: found.len() + 1, score: -row.get::<_, f64>(2)? };
            found.push(Candidate {
                id: row.get(0)?,
                content: row.get(1)?,
                lexical: Some(side),
                semantic: None,
            });
        }
        Ok(found)
    }
}
