//! The labelled commands of `corpus/commands.jsonl`, which were labelled from `docs/policy.md` before the code existed.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use engine_core::policy::{Places, ProjectPolicy, Scene, Verdict, judge};
use engine_core::shell::Problem;
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

fn places() -> Places {
    Places {
        root: "/home/dev/project".into(),
        cwd: "/home/dev/project".into(),
        home: Some("/home/dev".into()),
        temporary: None,
    }
}

fn corpus() -> Vec<Labelled> {
    include_str!("corpus/commands.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_label_holds() {
    let mut wrong = Vec::new();
    for Labelled { kind, command, verdict, rules, visible, .. } in corpus() {
        let scene = Scene::of_command("Bash", &command, places());
        let found = judge(&scene, &ProjectPolicy::default(), &|rule| rule.verdict);
        let strictest = found.iter().map(|found| found.verdict).max().unwrap_or(Verdict::Off);
        let word = if strictest < Verdict::Ask { "none" } else { strictest.as_str() };
        let mut ids: Vec<String> =
            found.into_iter().filter(|found| found.verdict >= Verdict::Ask).map(|found| found.rule).collect();
        ids.sort();
        if word != verdict || ids != rules {
            wrong.push(format!("{kind} visible {visible}: {command:?}\n  label {verdict} {rules:?}\n  found {word} {ids:?} {:?}", scene.analysis.problem));
        }
    }
    assert!(wrong.is_empty(), "{} labels do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn our_parser_and_bash_agree() {
    let mut wrong = Vec::new();
    for Labelled { command, parses, .. } in corpus() {
        let scene = Scene::of_command("Bash", &command, places());
        let ours = !matches!(scene.analysis.problem, Some(Problem::Syntax(_)));
        if ours != parses {
            wrong.push(format!("{command:?} bash {parses} ours {ours} {:?}", scene.analysis.problem));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
