//! Questions to the index.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::lexical::Terms;
use super::{IndexError, Result};
use crate::query::{terms, words};
use crate::rank::{Side, fused};
use crate::snippet::snippet;
use crate::{ChunkKey, Counts, Facts, Hit, Known, Query, Seen};

/// A page with many good chunks must not hide the others.
const MOST_OF_ONE_FILE: usize = 3;
/// So many are ranked before files are counted; more if that was too few.
const FIRST: usize = 100;
/// How many of each side are fused.
const FUSED: usize = 200;

pub(super) fn known(connection: &Connection, space: &str) -> Result<HashMap<String, Known>> {
    let mut find = connection.prepare_cached(
        "SELECT file.path, size, modified, sum, kind FROM file JOIN content ON content.id = file.content WHERE space = ?",
    )?;
    let rows = find.query_map([space], |row| {
        let seen = Seen { size: row.get::<_, i64>(1)?.cast_unsigned(), modified: row.get(2)? };
        Ok((row.get(0)?, Known { seen, sum: row.get(3)?, kind: row.get(4)? }))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn spaces(connection: &Connection) -> Result<Vec<String>> {
    // One step for each space, not for each file.
    let mut first = connection.prepare_cached("SELECT space FROM file ORDER BY space LIMIT 1")?;
    let mut next =
        connection.prepare_cached("SELECT space FROM file WHERE space > ? ORDER BY space LIMIT 1")?;
    let mut found: Vec<String> = Vec::new();
    let mut at: Option<String> = first.query_row([], |row| row.get(0)).optional()?;
    while let Some(space) = at {
        at = next.query_row([&space], |row| row.get(0)).optional()?;
        found.push(space);
    }
    Ok(found)
}

pub(super) fn counts(connection: &Connection) -> Result<Counts> {
    let mut counts = Counts {
        chunks: connection
            .query_row("SELECT count(*) FROM chunk", [], |row| row.get::<_, i64>(0))?
            .cast_unsigned(),
        ..Counts::default()
    };
    let mut find = connection.prepare(
        "SELECT kind, space, count(*), sum(parts) FROM file JOIN content ON content.id = file.content
         LEFT JOIN (SELECT content AS of, count(*) AS parts FROM chunk GROUP BY content) ON of = content.id GROUP BY kind, space",
    )?;
    let mut rows = find.query([])?;
    while let Some(row) = rows.next()? {
        let number = |at| row.get::<_, Option<i64>>(at).map(|number| number.unwrap_or(0).cast_unsigned());
        counts
            .parts
            .insert((row.get(0)?, row.get(1)?), crate::Part { files: number(2)?, chunks: number(3)? });
    }
    Ok(counts)
}

pub(super) fn unembedded(
    connection: &Connection,
    has: &dyn Fn(&ChunkKey) -> bool,
    limit: usize,
) -> Result<Vec<(ChunkKey, String)>> {
    let mut keys = connection.prepare("SELECT key, min(id) FROM chunk GROUP BY key ORDER BY 2")?;
    let mut text = connection.prepare("SELECT title || char(10) || body FROM text WHERE id = ?")?;
    let mut rows = keys.query([])?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let key: ChunkKey = row.get(0)?;
        if !has(&key) {
            found.push((key, text.query_row([row.get::<_, i64>(1)?], |row| row.get(0))?));
        }
    }
    Ok(found)
}

pub(super) fn count_unembedded(connection: &Connection, has: &dyn Fn(&ChunkKey) -> bool) -> Result<usize> {
    let mut keys = connection.prepare("SELECT DISTINCT key FROM chunk")?;
    let mut rows = keys.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += usize::from(!has(&row.get(0)?));
    }
    Ok(count)
}

/// The conditions of a query besides its words, over the table `chunk`.
#[derive(Debug, Default)]
pub(super) struct Filter {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Filter {
    fn new(connection: &Connection, query: &Query<'_>) -> Result<Self> {
        let mut filter = Self::default();
        if !query.kinds.is_empty() {
            let list = filter.list(&query.kinds);
            filter.add(&format!("chunk.content IN (SELECT id FROM content WHERE kind IN ({list}))"));
        }
        // Most indexes have one space, and then all of it is meant.
        if !query.spaces.is_empty() && spaces(connection)?.iter().any(|space| !query.spaces.contains(space)) {
            let list = filter.list(&query.spaces);
            filter.add(&format!("chunk.content IN (SELECT content FROM file WHERE space IN ({list}))"));
        }
        if let Some(part) = &query.file {
            let list = filter.list(std::slice::from_ref(part));
            filter.add(&format!(
                "chunk.content IN (SELECT id FROM content WHERE instr(lower(path), lower({list})) > 0)"
            ));
        }
        for (column, wanted) in [("what", &query.types), ("skill", &query.skills)] {
            if !wanted.is_empty() {
                let list = filter.list(wanted);
                filter.add(&format!("chunk.{column} IN ({list})"));
            }
        }
        if !query.tags.is_empty() {
            let tag = |tag: &String| filter.list(&[format!("\n{tag}\n")]);
            let any: Vec<String> =
                query.tags.iter().map(tag).map(|list| format!("instr(chunk.tags, {list}) > 0")).collect();
            filter.add(&format!("({})", any.join(" OR ")));
        }
        for (sign, time) in [(">=", &query.since), ("<", &query.until)] {
            if let Some(time) = time {
                let list = filter.list(std::slice::from_ref(time));
                filter.add(&format!("chunk.at {sign} {list}"));
            }
        }
        Ok(filter)
    }

    fn add(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Marks for values.
    fn list(&mut self, values: &[String]) -> String {
        self.values.extend(values.iter().cloned().map(Value::Text));
        vec!["?"; values.len()].join(", ")
    }
}

/// A chunk that one side or both found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) id: i64,
    pub(super) content: i64,
    pub(super) lexical: Option<Side>,
    pub(super) semantic: Option<Side>,
}

impl Candidate {
    /// What the answer is ordered by: of one side its own score, of two the fused ranks.
    fn score(&self, is_hybrid: bool) -> f64 {
        match self.lexical {
            Some(side) if !is_hybrid => side.score,
            _ => fused(self.lexical, self.semantic),
        }
    }
}

pub(super) fn search(connection: &Connection, query: &Query<'_>) -> Result<Vec<Hit>> {
    let terms = terms(&query.words, query.tuning);
    if terms.is_empty() {
        return Err(IndexError::NoWord);
    }
    let terms = Terms::new(connection, terms)?;
    let filter = Filter::new(connection, query)?;
    let is_hybrid = query.meaning.is_some();
    let mut most = if is_hybrid { FUSED } else { FIRST }.max(query.limit.saturating_mul(2));
    loop {
        let mut found = terms.best(connection, query.tuning.title, &filter, (query.limit, most))?;
        let mut is_all = found.len() < most;
        if let Some(meaning) = query.meaning {
            let (nearest, is_last) = semantic(connection, meaning, &filter, most)?;
            is_all &= is_last;
            add(&mut found, nearest);
        }
        // The sort is stable, and both sides come in an order that does not change.
        found.sort_by(|one, other| other.score(is_hybrid).total_cmp(&one.score(is_hybrid)));
        let best = of_many_files(&found, query.limit);
        if best.len() == query.limit || is_all {
            let words = words(&query.words);
            let hit = |candidate| hit(connection, query, candidate, &words, is_hybrid);
            return best.into_iter().map(hit).collect();
        }
        most = most.saturating_mul(4);
    }
}

/// The nearest chunks that pass the filter, and whether there are no more.
fn semantic(
    connection: &Connection,
    crate::Meaning(nearest): crate::Meaning<'_>,
    filter: &Filter,
    most: usize,
) -> Result<(Vec<Candidate>, bool)> {
    let sql =
        format!("SELECT chunk.id, chunk.content FROM chunk WHERE chunk.key = ?{} ORDER BY 1", filter.sql);
    let mut find = connection.prepare_cached(&sql)?;
    let mut asked = most;
    loop {
        let near = nearest(asked);
        let is_last = near.len() < asked;
        let mut found = Vec::new();
        for (key, score) in near {
            let key = Value::Blob(key.to_vec());
            let values = std::iter::once(&key).chain(&filter.values);
            let mut rows = find.query(params_from_iter(values))?;
            let rank = found.len() + 1;
            while let Some(row) = rows.next()? {
                let side = Some(Side { rank, score });
                found.push(Candidate {
                    id: row.get(0)?,
                    content: row.get(1)?,
                    lexical: None,
                    semantic: side,
                });
            }
        }
        if found.len() >= most || is_last {
            found.truncate(most);
            return Ok((found, is_last));
        }
        asked = asked.saturating_mul(4);
    }
}

/// Joins what is nearest to what has the words.
fn add(found: &mut Vec<Candidate>, nearest: Vec<Candidate>) {
    let places: HashMap<i64, usize> =
        found.iter().enumerate().map(|(at, candidate)| (candidate.id, at)).collect();
    for candidate in nearest {
        match places.get(&candidate.id) {
            Some(at) => found[*at].semantic = candidate.semantic,
            None => found.push(candidate),
        }
    }
}

/// The best, of which no file has too many.
pub(super) fn of_many_files(found: &[Candidate], limit: usize) -> Vec<Candidate> {
    let mut of_file: HashMap<i64, usize> = HashMap::new();
    let mut may_stay = |candidate: &&Candidate| {
        let count = of_file.entry(candidate.content).or_default();
        *count += 1;
        *count <= MOST_OF_ONE_FILE
    };
    found.iter().filter(|candidate| may_stay(candidate)).take(limit).copied().collect()
}

fn hit(
    connection: &Connection,
    query: &Query<'_>,
    candidate: Candidate,
    words: &[String],
    is_hybrid: bool,
) -> Result<Hit> {
    let mut find = connection.prepare_cached(
        "SELECT kind, path, line, end_line, title, body, what, skill, phase, at, tags FROM chunk
         JOIN content ON content.id = chunk.content JOIN text ON text.id = chunk.id WHERE chunk.id = ?",
    )?;
    let space = space_of(connection, candidate.content, &query.spaces)?;
    Ok(find.query_row([candidate.id], |row| {
        let tags: Option<String> = row.get(10)?;
        let tags = tags.iter().flat_map(|tags| tags.lines()).filter(|tag| !tag.is_empty()).map(str::to_owned);
        Ok(Hit {
            kind: row.get(0)?,
            space,
            path: row.get(1)?,
            line: row.get(2)?,
            end_line: row.get(3)?,
            title: row.get(4)?,
            snippet: snippet(row.get_ref(5)?.as_str()?, words),
            facts: Facts {
                what: row.get(6)?,
                skill: row.get(7)?,
                phase: row.get(8)?,
                at: row.get(9)?,
                tags: tags.collect(),
            },
            score: candidate.score(is_hybrid),
            lexical: candidate.lexical,
            semantic: candidate.semantic,
        })
    })?)
}

/// The first space, of those that were asked for, that has the content.
fn space_of(connection: &Connection, content: i64, wanted: &[String]) -> Result<String> {
    let mut find = connection.prepare_cached("SELECT space FROM file WHERE content = ? ORDER BY space")?;
    let spaces =
        find.query_map([content], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(spaces.into_iter().find(|space| wanted.is_empty() || wanted.contains(space)).unwrap_or_default())
}
