//! The figures as tables and as JSON.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::score::{DEPTH, Difference, Score};
use super::searcher::{Indexed, Searcher};
use super::task::{Question, Task};

pub(super) struct Report {
    rows: Vec<Row>,
}

/// One way to search on one task.
struct Row {
    task: &'static str,
    questions: usize,
    searcher: String,
    score: Score,
    /// From the first searcher, in nDCG.
    difference: Option<Difference>,
}

/// A page gives three answers at most, so ten pages need so many.
const ASKED: usize = 3 * DEPTH;

impl Report {
    pub(super) fn new(tasks: Vec<Task>, searchers: &[Box<dyn Searcher>]) -> Result<Self> {
        let mut rows = Vec::new();
        for task in tasks {
            let mut first: Option<Vec<Score>> = None;
            for searcher in searchers {
                let scores = scores(&task, searcher.as_ref())?;
                let difference = first.as_ref().map(|first| {
                    let of_each = scores.iter().zip(first).map(|(one, other)| one.ndcg - other.ndcg);
                    Difference::new(&of_each.collect::<Vec<_>>())
                });
                rows.push(Row {
                    task: task.name,
                    questions: task.questions.len(),
                    searcher: searcher.name().to_owned(),
                    score: Score::mean(&scores),
                    difference,
                });
                first.get_or_insert(scores);
            }
        }
        Ok(Self { rows })
    }

    pub(super) fn tables(&self) -> String {
        let mut text = format!(
            "| task | questions | search | nDCG@{DEPTH} | MRR | recall@{DEPTH} | nDCG minus the first, 95 % interval |\n\
             | --- | ---: | --- | ---: | ---: | ---: | --- |\n"
        );
        for Row { task, questions, searcher, score: Score { ndcg, mrr, recall }, difference } in &self.rows {
            let words = difference.map_or(String::new(), |difference| {
                let Difference { mean, low, high } = difference;
                format!(
                    "{mean:+.3} ({low:+.3} to {high:+.3}){}",
                    if difference.is_sure() { " *" } else { "" }
                )
            });
            let _ = writeln!(
                text,
                "| {task} | {questions} | {searcher} | {ndcg:.3} | {mrr:.3} | {recall:.3} | {words} |"
            );
        }
        text.push_str("\n* the interval leaves out zero\n");
        if self.rows.iter().all(|row| row.searcher != "hybrid") {
            text.push_str("no model is installed: only words were searched\n");
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let row = |row: &Row| {
            let Score { ndcg, mrr, recall } = row.score;
            let difference = row
                .difference
                .map(|Difference { mean, low, high }| json!({"mean": mean, "low": low, "high": high}));
            json!({"task": row.task, "questions": row.questions, "search": row.searcher, "ndcg": ndcg, "mrr": mrr,
                "recall": recall, "difference": difference})
        };
        json!({"version": 1, "depth": DEPTH, "rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}

/// What each question of a task came to.
fn scores(task: &Task, searcher: &dyn Searcher) -> Result<Vec<Score>> {
    let indexes = task.corpora.iter().map(|pages| searcher.index(pages)).collect::<Result<Vec<_>>>()?;
    task.questions.iter().map(|question| score(task, question, indexes[question.corpus].as_ref())).collect()
}

fn score(task: &Task, question: &Question, index: &dyn Indexed) -> Result<Score> {
    let mut answers: Vec<String> = Vec::new();
    for hit in index.ask(&question.words, ASKED)? {
        let answer = task.answer(&hit);
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    let right: Vec<bool> = answers.iter().map(|answer| question.wanted.contains(answer)).collect();
    Ok(Score::new(&right, question.wanted.len()))
}
