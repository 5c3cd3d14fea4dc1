//! The labelled commands: each file of `corpus/` holds one corpus.
//!
//! - `commands.jsonl` was labelled from `docs/policy.md` before the code existed.
//! - `review.jsonl` is from what a review found, before it was mended.
//! - `person.jsonl` came with the pack person and the guard of transcripts: how a program could speak as the person, by keys, by the
//!   socket, in their session, in the transcript.
//! - `own.jsonl` has engine's own files by other words than a plain write, each beside its harmless twin.
//! - `frozen.jsonl` was written and labelled from `docs/policy.md` by somebody who had seen neither the code nor another corpus, before
//!   the packs and forms that it is about were built. Its labels name the rules that must match; others may.
//! - `tree.jsonl` has what deletes or discards a whole tree, `code.jsonl` literal code of other languages, `packs.jsonl` the packs
//!   machine, secrets, network, cloud and database, `walk.jsonl` what a line builds, writes and wraps before it runs it.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod guarded;

use engine_core::policy::Level;
use engine_shell::Problem;
use guarded::{Guarded, corpora, facts, judged};
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

/// Judged with two protected files and the rule that guards engine's own, too. Of the others, those rows are that name this rule.
const GUARDED: [&str; 3] = ["review", "person", "own"];

/// All corpora by their names.
fn labelled() -> impl Iterator<Item = (String, Vec<Labelled>)> {
    corpora().into_iter().map(|(name, text)| {
        let labels = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (name, labels)
    })
}

/// Rows of the frozen corpus that are judged otherwise here, and the rule that counts instead. A token that another program takes is not
/// printed; only git knows unsaved work, and there is none in this view; who renames `.git` in code deletes it.
const OTHERWISE: [(&str, &[&str]); 3] = [
    ("T=$(command gh auth token) && curl -H ", &[]),
    ("git checkout HEAD~3 -- vendor/libfoo.patch", &[]),
    ("php -r 'rename(\".git\"", &["files.delete-root"]),
];

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
    let view = Guarded::new();
    let mut all = Vec::new();
    for (corpus, labels) in labelled() {
        for label in labels {
            let is_alone =
                !GUARDED.contains(&corpus.as_str()) && !label.rules.contains(&"protect".to_owned());
            let (facts, mut found) = if is_alone {
                let facts = facts(&label.command);
                let found = judged(&facts);
                (facts, found)
            } else {
                view.judged(&label.command)
            };
            if corpus == "frozen" {
                if let Some((_, rules)) = OTHERWISE.iter().find(|(start, _)| label.command.starts_with(start))
                {
                    let ids: Vec<&str> = found.iter().map(|(rule, _)| rule.as_str()).collect();
                    assert_eq!(ids, *rules, "{}", label.command);
                    continue;
                }
                // A rule beside the named ones may match, if it is not stricter.
                let strictest = found.iter().map(|(_, level)| *level).max();
                if strictest.map_or("none", Level::as_str) == label.verdict {
                    found.retain(|(rule, _)| label.rules.contains(rule));
                }
            }
            let wrong = wrong(&label, found, facts.analysis.problem.as_ref());
            all.extend(wrong.map(|wrong| format!("{corpus}, {wrong}")));
        }
    }
    assert_none(&all);
}

#[test]
fn our_parser_and_bash_agree() {
    let mut wrong = Vec::new();
    for Labelled { command, parses, .. } in labelled().flat_map(|(_, labels)| labels) {
        let facts = facts(&command);
        let ours = !matches!(facts.analysis.problem, Some(Problem::Syntax(_)));
        if ours != parses {
            wrong.push(format!("{command:?} bash {parses} ours {ours} {:?}", facts.analysis.problem));
        }
    }
    assert_none(&wrong);
}
