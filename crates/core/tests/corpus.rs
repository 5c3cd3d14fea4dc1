//! The labelled prompts of `corpus/prompts.jsonl`, which were labelled from `docs/chains.md` before the parser existed.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use engine_core::chain::{Standing, read};
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    kind: String,
    prompt: String,
    chain: Option<Vec<(String, String)>>,
    unknown: Vec<String>,
}

fn standing(name: &str) -> Standing {
    match name {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" | "handoff" | "commit" | "tools:review"
        | "review" => Standing::Entry,
        "deploy" => Standing::OnlyTyped,
        "lint" => Standing::NotCooperative,
        _ => Standing::Unknown,
    }
}

#[test]
fn every_label_holds() {
    let lines = include_str!("corpus/prompts.jsonl").lines();
    let prompts: Vec<Labelled> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(prompts.len() >= 700);
    let mut wrong = Vec::new();
    for Labelled { kind, prompt, chain, unknown } in prompts {
        let read = read(&prompt, &standing).chain;
        let names = read.as_ref().map(|chain| chain.unknown.clone()).unwrap_or_default();
        let entries = read.map(|chain| {
            chain.entries.into_iter().map(|entry| (entry.skill, entry.args)).collect::<Vec<_>>()
        });
        if entries != chain || names != unknown {
            wrong.push(format!(
                "{kind}: {prompt:?}\n  label {chain:?} unknown {unknown:?}\n  read  {entries:?} unknown {names:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} labels do not hold:\n{}", wrong.len(), wrong.join("\n"));
}
