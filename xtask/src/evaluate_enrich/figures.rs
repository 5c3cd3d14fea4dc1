//! The figures, each with its interval.

use std::fmt::Write;

use serde_json::{Value, json};

const SAMPLES: usize = 2000;

/// What was told for one prompt.
#[derive(Default)]
pub(super) struct Answer {
    /// Lines told, and how many of them are answers.
    pub(super) told: usize,
    pub(super) hits: usize,
    pub(super) tokens: usize,
    /// Answers among the best three, told or not.
    pub(super) best: usize,
    pub(super) shown: String,
}

pub(super) struct Figures {
    rows: Vec<Row>,
    counts: [usize; 3],
}

struct Row {
    name: &'static str,
    unit: Unit,
    value: f64,
    interval: (f64, f64),
}

enum Unit {
    Share,
    Tokens,
}

type Measure = fn(&[&Answer]) -> f64;

impl Figures {
    pub(super) fn new(with: &[Answer], masked: &[Answer], foreign: &[Answer]) -> Self {
        let with: Vec<&Answer> = with.iter().collect();
        let masked: Vec<&Answer> = masked.iter().collect();
        let foreign: Vec<&Answer> = foreign.iter().collect();
        let negatives = [masked.clone(), foreign.clone()].concat();
        let all = [with.clone(), negatives.clone()].concat();
        let row = |name, unit, of: &[&Answer], measure: Measure| Row {
            name,
            unit,
            value: measure(of),
            interval: interval(of, measure),
        };
        let rows = vec![
            row("answer among the best 3, if all were told", Unit::Share, &with, |of| {
                share(of, |one| one.best > 0)
            }),
            row("hit@3: an answer was told", Unit::Share, &with, |of| share(of, |one| one.hits > 0)),
            row("of the lines told with an answer, right", Unit::Share, &with, |of| {
                ratio(of, |one| one.hits, |one| one.told)
            }),
            row("silent, prompts with an answer", Unit::Share, &with, |of| share(of, |one| one.told == 0)),
            row("silent, all without an answer", Unit::Share, &negatives, |of| {
                share(of, |one| one.told == 0)
            }),
            row("silent, answer taken out of the index", Unit::Share, &masked, |of| {
                share(of, |one| one.told == 0)
            }),
            row("silent, requests of other projects", Unit::Share, &foreign, |of| {
                share(of, |one| one.told == 0)
            }),
            row("tokens per prompt with an answer", Unit::Tokens, &with, |of| {
                ratio(of, |one| one.tokens, |_| 1)
            }),
            row("tokens per prompt without one", Unit::Tokens, &negatives, |of| {
                ratio(of, |one| one.tokens, |_| 1)
            }),
            row("tokens per useful hit, prompts with an answer", Unit::Tokens, &with, |of| {
                ratio(of, |one| one.tokens, |one| one.hits)
            }),
            row("tokens per useful hit, all prompts", Unit::Tokens, &all, |of| {
                ratio(of, |one| one.tokens, |one| one.hits)
            }),
        ];
        Self { rows, counts: [with.len(), masked.len(), foreign.len()] }
    }

    pub(super) fn table(&self) -> String {
        let [with, masked, foreign] = self.counts;
        let mut table = format!(
            "{with} prompts with an answer; {} without: {masked} with the answer taken out, {foreign} of other projects\n",
            masked + foreign
        );
        for Row { name, unit, value, interval: (low, high) } in &self.rows {
            let shown = match unit {
                Unit::Share => format!("{:5.1} %  [{:.1}, {:.1}]", 100.0 * value, 100.0 * low, 100.0 * high),
                Unit::Tokens => format!("{value:5.0}    [{low:.0}, {high:.0}]"),
            };
            let _ = writeln!(table, "{name:<48} {shown}");
        }
        table.push_str("without the rule: hit@3 0 %, all prompts silent, 0 tokens\n");
        table
    }

    pub(super) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| json!({"name": row.name, "value": row.value, "low": row.interval.0, "high": row.interval.1}))
            .collect();
        let [with, masked, foreign] = self.counts;
        format!(
            "{}\n",
            json!({"version": 1, "prompts": with, "masked": masked, "foreign": foreign, "figures": rows})
        )
    }
}

#[allow(clippy::cast_precision_loss, reason = "a few hundred prompts")]
fn share(of: &[&Answer], is: impl Fn(&Answer) -> bool) -> f64 {
    of.iter().filter(|one| is(one)).count() as f64 / of.len().max(1) as f64
}

#[allow(clippy::cast_precision_loss, reason = "a few hundred prompts")]
fn ratio(of: &[&Answer], above: impl Fn(&Answer) -> usize, below: impl Fn(&Answer) -> usize) -> f64 {
    let sum = |count: &dyn Fn(&Answer) -> usize| of.iter().map(|one| count(one)).sum::<usize>();
    sum(&above) as f64 / sum(&below).max(1) as f64
}

/// What 95 % of the samples lie between.
fn interval(of: &[&Answer], measure: Measure) -> (f64, f64) {
    if of.is_empty() {
        return (0.0, 0.0);
    }
    let mut state = 0x2026_1119_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % of.len()
    };
    let mut values: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let sample: Vec<&Answer> = (0..of.len()).map(|_| of[next()]).collect();
            measure(&sample)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    (values[SAMPLES / 40], values[SAMPLES - 1 - SAMPLES / 40])
}
