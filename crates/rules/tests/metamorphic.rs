//! A command is judged by what it does, however it is written: every form of a refused command of the corpora is refused at least as
//! strictly, every form of a harmless one is free, and a command that a line only quotes does nothing.
//!
//! The test takes a sample. `cargo xtask fuzz` sets `FORMS=all`, which takes everything and prints the figures.

#![allow(clippy::unwrap_used, reason = "a test may stop")]
#![allow(clippy::disallowed_methods, reason = "a variable chooses how much is judged")]

mod guarded;

use std::env;
use std::fmt::Write as _;

use engine_core::policy::Level;
use engine_testkit::forms::{Form, QUOTING, RUNNING};
use guarded::{Guarded, corpora};
use serde::Deserialize;

/// Of so many commands the sample takes one for each form, another one for the next form.
const SAMPLE: usize = 8;

#[derive(Deserialize)]
struct Labelled {
    command: String,
    parses: bool,
    visible: bool,
}

/// A command of the corpora, and how it is judged as it stands.
struct Plain {
    command: String,
    verdict: Option<Level>,
    /// Only what it prints is asked about: where its output is not shown, nothing is.
    only_prints: bool,
}

/// Forms that take the output of a command and show nothing of it.
const HIDING: [&str; 3] = ["command substitution", "process substitution", "value substitution"];

/// The commands of all corpora that parse and that a guard can see.
fn commands(view: &Guarded) -> Vec<Plain> {
    let mut commands = Vec::new();
    for (_, text) in corpora() {
        let labels = text.lines().map(|line| serde_json::from_str::<Labelled>(line).unwrap());
        commands.extend(labels.filter(|label| label.parses && label.visible).map(|label| label.command));
    }
    commands.sort();
    commands.dedup();
    let plain = |command: String| {
        let rules = view.judged(&command).1;
        let only_prints = rules.iter().all(|(rule, _)| rule == "secrets.print-token");
        Plain { verdict: rules.into_iter().map(|(_, level)| level).max(), only_prints, command }
    };
    commands.into_iter().map(plain).collect()
}

fn strictest(view: &Guarded, command: &str) -> Option<Level> {
    view.judged(command).1.into_iter().map(|(_, level)| level).max()
}

fn word(verdict: Option<Level>) -> &'static str {
    verdict.map_or("none", Level::as_str)
}

/// What came of one form.
#[derive(Default)]
struct Figures {
    /// Lines that must be refused.
    refused: usize,
    misses: usize,
    /// Lines that must be free.
    harmless: usize,
    false_alarms: usize,
    /// Commands that do not have the form.
    left_out: usize,
}

impl Figures {
    /// Judges one line and returns what is wrong with the answer.
    fn case(
        &mut self,
        view: &Guarded,
        form: &Form,
        plain: &Plain,
        expected: Option<Level>,
    ) -> Option<String> {
        let is_hidden = plain.verdict.is_some() && plain.only_prints && HIDING.contains(&form.name);
        let Some(line) = form.line(&plain.command).filter(|_| !is_hidden) else {
            self.left_out += 1;
            return None;
        };
        let found = strictest(view, &line);
        let (lines, wrong, kind) = match expected {
            Some(_) => (&mut self.refused, &mut self.misses, "miss"),
            None => (&mut self.harmless, &mut self.false_alarms, "false alarm"),
        };
        *lines += 1;
        if found == expected || (expected.is_some() && found > expected) {
            return None;
        }
        *wrong += 1;
        Some(format!("{kind}, {}: {line:?} is {}, not {}", form.name, word(found), word(expected)))
    }
}

#[derive(Default)]
struct Report {
    /// In the order of the tables.
    forms: Vec<(&'static str, Figures)>,
    wrong: Vec<String>,
}

impl Report {
    /// Judges each form of the commands that `takes` chooses, by the number of the form and of the command.
    fn judge(view: &Guarded, commands: &[Plain], takes: impl Fn(usize) -> bool) -> Self {
        let mut report = Self::default();
        let forms = RUNNING.iter().map(|form| (form, true)).chain(QUOTING.iter().map(|form| (form, false)));
        for (row, (form, runs)) in forms.enumerate() {
            let chosen = commands.iter().enumerate().filter(|(at, _)| takes(at + row));
            let mut figures = Figures::default();
            for (_, plain) in chosen {
                let expected = if runs { plain.verdict } else { None };
                report.wrong.extend(figures.case(view, form, plain, expected));
            }
            report.forms.push((form.name, figures));
        }
        report
    }

    /// What is wrong, then the figures as a table.
    fn text(&self) -> String {
        let mut text = String::new();
        for wrong in &self.wrong {
            writeln!(text, "{wrong}").unwrap();
        }
        text += "| form | refused | misses | harmless | false alarms | left out |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
        let mut row = |name: &str, of: &Figures| {
            let Figures { refused, misses, harmless, false_alarms, left_out } = of;
            writeln!(text, "| {name} | {refused} | {misses} | {harmless} | {false_alarms} | {left_out} |")
                .unwrap();
        };
        let mut all = Figures::default();
        for (name, figures) in &self.forms {
            row(name, figures);
            all.refused += figures.refused;
            all.misses += figures.misses;
            all.harmless += figures.harmless;
            all.false_alarms += figures.false_alarms;
            all.left_out += figures.left_out;
        }
        row("all", &all);
        text
    }
}

#[test]
fn every_form_is_judged_like_its_command() {
    let view = Guarded::new();
    let commands = commands(&view);
    let is_all = env::var("FORMS").is_ok_and(|value| value == "all");
    let report = Report::judge(&view, &commands, |at| is_all || at % SAMPLE == 0);
    let text = report.text();
    if is_all {
        println!("{} commands\n{text}", commands.len());
    }
    assert!(
        report.wrong.is_empty(),
        "{} lines are judged otherwise\n{}",
        report.wrong.len(),
        if is_all { "" } else { &text }
    );
}
