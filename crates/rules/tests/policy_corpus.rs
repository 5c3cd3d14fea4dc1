//! The labelled commands: `corpus/commands.jsonl` was labelled from `docs/policy.md` before the code existed, `corpus/review.jsonl`
//! from what a review found, before it was mended, `corpus/person.jsonl` with the pack person and the guard of transcripts, `corpus/own.jsonl` with engine's own files by other words.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod guarded;

use engine_core::policy::Level;
use engine_shell::Problem;
use guarded::{Guarded, facts, judged};
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    kind: String,
    command: String,
    verdict: String,
    rules: Vec<String>,
    parses: bool,
    visible: bool,
}

fn corpus(lines: &str) -> Vec<Labelled> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn commands() -> Vec<Labelled> {
    corpus(include_str!("corpus/commands.jsonl"))
}

fn review() -> Vec<Labelled> {
    corpus(include_str!("corpus/review.jsonl"))
}

fn person() -> Vec<Labelled> {
    corpus(include_str!("corpus/person.jsonl"))
}

fn own() -> Vec<Labelled> {
    corpus(include_str!("corpus/own.jsonl"))
}

/// Where a label does not hold, what is found instead.
fn wrong(label: &Labelled, mut found: Vec<(String, Level)>, problem: Option<&Problem>) -> Option<String> {
    let Labelled { kind, command, verdict, rules, visible, .. } = label;
    found.sort();
    let word = found.iter().map(|(_, verdict)| *verdict).max().map_or("none", Level::as_str);
    let ids: Vec<String> = found.into_iter().map(|(id, _)| id).collect();
    (word != verdict || ids != *rules).then(|| {
        format!("{kind} visible {visible}: {command:?}\n  label {verdict} {rules:?}\n  found {word} {ids:?} {problem:?}")
    })
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} labels do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_label_holds() {
    let labels = commands();
    let wrong = labels.iter().filter_map(|label| {
        let facts = facts(&label.command);
        wrong(label, judged(&facts), facts.analysis.problem.as_ref())
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

/// With two protected files, and with the rule that guards engine's own.
#[test]
fn every_label_of_the_review_holds() {
    assert_guarded(&review());
}

/// How a program could speak as the person: by keys, by the socket, in their session, in the transcript.
#[test]
fn every_label_of_the_pack_person_holds() {
    assert_guarded(&person());
}

/// Engine's own files by other words than a plain write, each beside its harmless twin.
#[test]
fn every_label_of_own_files_holds() {
    assert_guarded(&own());
}

fn assert_guarded(labels: &[Labelled]) {
    let view = Guarded::new();
    let wrong = labels.iter().filter_map(|label| {
        let (facts, found) = view.judged(&label.command);
        wrong(label, found, facts.analysis.problem.as_ref())
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn our_parser_and_bash_agree() {
    let mut wrong = Vec::new();
    for Labelled { command, parses, .. } in
        commands().into_iter().chain(review()).chain(person()).chain(own())
    {
        let facts = facts(&command);
        let ours = !matches!(facts.analysis.problem, Some(Problem::Syntax(_)));
        if ours != parses {
            wrong.push(format!("{command:?} bash {parses} ours {ours} {:?}", facts.analysis.problem));
        }
    }
    assert_none(&wrong);
}
