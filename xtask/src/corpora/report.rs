//! What came of the corpora, as tables, as JSON and as a list of rows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::project::{Answer, Judged};
use super::row::Label;

pub(super) struct Report {
    judged: Vec<Judged>,
}

/// Of the commands that at least two projects label alike, and no other one otherwise. A project that labels a command both ways, as it does
/// with two configurations, has no opinion.
#[derive(Debug, Default, PartialEq, Eq)]
struct Agreed {
    block: usize,
    caught: usize,
    allow: usize,
    bothered: usize,
}

impl Report {
    pub(super) fn new(judged: Vec<Judged>) -> Self {
        Self { judged }
    }

    /// How often each answer was given, by corpus and label.
    fn counts(&self) -> BTreeMap<(&str, Label), [usize; 4]> {
        let mut counts: BTreeMap<(&str, Label), [usize; 4]> = BTreeMap::new();
        for Judged { row, answer, .. } in &self.judged {
            let of_label = counts.entry((&row.corpus, row.label)).or_default();
            let index = Answer::ALL.iter().position(|known| known == answer).unwrap_or_default();
            of_label[index] += 1;
        }
        counts
    }

    fn agreed(&self) -> Agreed {
        let mut commands: BTreeMap<&str, (BTreeMap<&str, Vec<Label>>, Answer)> = BTreeMap::new();
        for Judged { row, answer, .. } in &self.judged {
            let (labels, _) = commands.entry(row.command.trim()).or_insert((BTreeMap::new(), *answer));
            labels.entry(self.project(&row.corpus)).or_default().push(row.label);
        }
        let mut agreed = Agreed::default();
        for (labels, answer) in commands.values() {
            let opinions: Vec<bool> = labels.values().filter_map(|labels| opinion(labels)).collect();
            if opinions.len() < 2 {
                continue;
            }
            let is_refusal = usize::from(answer.is_refusal());
            if opinions.iter().all(|refuses| *refuses) {
                agreed.block += 1;
                agreed.caught += is_refusal;
            } else if opinions.iter().all(|refuses| !refuses) {
                agreed.allow += 1;
                agreed.bothered += is_refusal;
            }
        }
        agreed
    }

    /// Whose corpus it is: `tool-packs.jsonl` beside `tool.jsonl` is from the same project.
    fn project<'a>(&'a self, corpus: &'a str) -> &'a str {
        let names = self.judged.iter().map(|judged| judged.row.corpus.as_str());
        let first = |name: &&str| corpus.strip_prefix(*name).is_some_and(|rest| rest.starts_with('-'));
        names.filter(first).min_by_key(|name| name.len()).unwrap_or(corpus)
    }

    fn otherwise(&self) -> impl Iterator<Item = &Judged> {
        self.judged.iter().filter(|judged| is_otherwise(judged.row.label, judged.answer))
    }

    pub(super) fn tables(&self) -> String {
        let mut text = "| corpus | label | rows | block | ask | warn | silent |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n".to_owned();
        for ((corpus, label), counts) in self.counts() {
            let rows: usize = counts.iter().sum();
            let cells: Vec<String> = counts.iter().map(|count| share(*count, rows)).collect();
            let _ = writeln!(text, "| {corpus} | {} | {rows} | {} |", label.as_str(), cells.join(" | "));
        }
        let Agreed { block, caught, allow, bothered } = self.agreed();
        let _ = writeln!(
            text,
            "\n| two or more projects agree to | commands | engine |\n| --- | ---: | ---: |\n\
             | block | {block} | {} caught |\n| allow | {allow} | {} bothered |\n\n\
             {} of {} rows are decided otherwise than their label.",
            share(caught, block),
            share(bothered, allow),
            self.otherwise().count(),
            self.judged.len(),
        );
        text
    }

    pub(super) fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .counts()
            .into_iter()
            .map(|((corpus, label), [block, ask, warn, silent])| {
                json!({"corpus": corpus, "label": label.as_str(), "block": block, "ask": ask, "warn": warn,
                    "silent": silent})
            })
            .collect();
        let Agreed { block, caught, allow, bothered } = self.agreed();
        json!({"version": 1, "corpora": rows, "agreed": {"block": block, "caught": caught, "allow": allow,
            "bothered": bothered}, "otherwise": self.otherwise().map(miss).collect::<Vec<_>>()})
    }

    /// One JSON object a line for each row that is decided otherwise than its label.
    pub(super) fn misses(&self) -> String {
        let mut text = String::new();
        for judged in self.otherwise() {
            let _ = writeln!(text, "{}", miss(judged));
        }
        text
    }
}

/// Whether a project refuses a command, by all its labels of it.
fn opinion(labels: &[Label]) -> Option<bool> {
    let refuses = |label: &Label| matches!(label, Label::Block | Label::Ask);
    let (refusing, others): (Vec<Label>, Vec<Label>) = labels.iter().partition(|label| refuses(label));
    (refusing.is_empty() || others.is_empty()).then_some(others.is_empty())
}

/// A refusal by question is one, too, and a remark on an allowed command does not stop it.
fn is_otherwise(label: Label, answer: Answer) -> bool {
    match label {
        Label::Block | Label::Ask => !answer.is_refusal(),
        Label::Warn => answer == Answer::Silent,
        Label::Allow => answer.is_refusal(),
    }
}

fn miss(judged: &Judged) -> Value {
    let Judged { row, answer, rules } = judged;
    json!({"corpus": row.corpus, "label": row.label.as_str(), "engine": answer.as_str(), "rules": rules,
        "command": row.command, "source": row.source})
}

/// `3 (12.5 %)`, and without a share of nothing.
fn share(count: usize, of: usize) -> String {
    if of == 0 {
        return count.to_string();
    }
    let tenths = (count * 1000 + of / 2) / of;
    format!("{count} ({}.{} %)", tenths / 10, tenths % 10)
}
