//! The labelled prompts of `corpus/fresh.jsonl`, `corpus/second.jsonl` and `corpus/third.jsonl`, which were labelled from
//! `docs/chains.md` by people who had not seen the parser: entries, arguments, and the exits that follow.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use engine_core::chain::{Entry, Standing, read, written};
use engine_core::config::Config;
use engine_core::skill::{Exits, Known, exits_of, standing};
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    id: u32,
    prompt: String,
    /// Empty: no chain.
    chain: Vec<(String, String)>,
    exits: Vec<String>,
}

/// Labels that do not hold, each with the reason.
const DISAGREED: [(u32, &str); 1] = [(
    194,
    "the page now counts words in brackets: an exit too few is told and can be typed, a forbidden commit cannot be taken back",
)];

/// The registry of the page.
fn known(name: &str) -> Option<Known> {
    let entries = |texts: &[&str]| texts.iter().map(|text| Entry::parse(text).unwrap()).collect();
    let known = Known { cooperative: true, callable: true, ..Known::default() };
    Some(match name {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" => Known {
            exits: Exits { always: entries(&["/handoff --commit", "/commit"]), when: Vec::new() },
            ..known
        },
        "handoff" => {
            let when = vec![("--commit".to_owned(), entries(&["/commit"]))];
            Known { exits: Exits { always: Vec::new(), when }, ..known }
        }
        "commit" | "tools:review" => known,
        "q" | "do" => Known { free_text: true, ..known },
        "ship" => Known { callable: false, ..known },
        "lint" => Known { cooperative: false, ..known },
        _ => return None,
    })
}

fn stands(name: &str) -> Standing {
    standing(known(name).as_ref(), false)
}

#[test]
fn every_label_of_the_first_writer_holds() {
    every_label_holds(include_str!("corpus/fresh.jsonl"), 300, &DISAGREED);
}

#[test]
fn every_label_of_the_second_writer_holds() {
    every_label_holds(include_str!("corpus/second.jsonl"), 100, &[]);
}

#[test]
fn every_label_of_the_third_writer_holds() {
    every_label_holds(include_str!("corpus/third.jsonl"), 204, &[]);
}

fn every_label_holds(corpus: &str, count: usize, disagreed: &[(u32, &str)]) {
    let prompts: Vec<Labelled> = corpus.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(prompts.len(), count);
    let mut wrong = Vec::new();
    for Labelled { id, prompt, chain, exits } in prompts {
        let typed = read(&prompt, &stands).chain;
        let follow: Vec<String> = typed
            .iter()
            .flat_map(|typed| exits_of(typed, &Config::default(), &known, &stands).0.follow)
            .map(|exit| written(&exit))
            .collect();
        let entries: Vec<(String, String)> = typed
            .into_iter()
            .flat_map(|typed| typed.entries)
            .map(|entry| (entry.skill, entry.args))
            .collect();
        let holds = entries == chain && follow == exits;
        if holds == disagreed.iter().any(|(known, _)| *known == id) {
            wrong.push(format!(
                "{id}: {prompt:?}\n  label {chain:?} exits {exits:?}\n  read  {entries:?} exits {follow:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} labels do not hold:\n{}", wrong.len(), wrong.join("\n"));
}
